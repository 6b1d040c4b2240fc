import { open, stat } from 'node:fs/promises';
import { systemProblem } from '../../errors/system-errors.ts';
import { DraftFile } from '../../platform/files.ts';
import { unlessAborted } from '../../platform/promises.ts';
import { deviceSink, type Sink } from './stream-sink.ts';

/**
 * A sink that writes beside `path` and renames when complete: a reader of `path` never sees half a file. A symbolic
 * link stays one, a file that is replaced keeps its mode, and a device or a named pipe is written to as it is.
 */
export async function fileSink(path: string, signal: AbortSignal): Promise<Sink> {
  const attempt = attempting(path, signal);
  const found = await attempt(() => stat(path).catch(absent));
  if (found?.isDirectory()) throw systemProblem('write to', path, { code: 'EISDIR' });
  if (found === undefined || found.isFile())
    return draftSink(await attempt(() => DraftFile.open(path, found?.mode)), attempt);
  return deviceSink(path, await attempt(() => unlessAborted(signal, open(path, 'w'))), signal);
}

type Attempt = <T>(work: () => Promise<T>) => Promise<T>;

/** Does work on a file unless the command was stopped; a failure becomes a Problem that names the file. */
function attempting(path: string, signal: AbortSignal): Attempt {
  return async (work) => {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw systemProblem('write to', path, error);
    }
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function draftSink(draft: DraftFile, attempt: Attempt): Sink {
  return {
    async write(chunk) {
      await attempt(() => draft.write(chunk));
      return true;
    },
    committed: () => false,
    restart: () => attempt(() => draft.restart()),
    finish: () => attempt(() => draft.publish()),
    abandon: () => draft.discard(),
  };
}
