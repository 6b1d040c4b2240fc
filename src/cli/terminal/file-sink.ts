import type { Stats } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemProblem } from '../../errors/system-errors.ts';
import { unlessAborted } from '../../platform/abort.ts';
import type { Sink } from './sink.ts';
import { deviceSink } from './stream-sink.ts';

/**
 * A sink that writes beside `path` and renames when complete: a reader of `path` never sees half a file. A symbolic
 * link stays one, a file that is replaced keeps its mode, and a device or a named pipe is written to as it is.
 */
export async function fileSink(path: string, signal: AbortSignal): Promise<Sink> {
  const attempt = attempting(path, signal);
  const found = await attempt(() => stat(path).catch(absent));
  if (found?.isDirectory()) throw systemProblem('write to', path, { code: 'EISDIR' });
  if (found === undefined || found.isFile())
    return draftSink(await attempt(() => newDraft(path, found)), attempt);
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

/** A file in the making, beside the one whose place it takes. */
type Draft = { readonly name: string; readonly target: string; readonly handle: FileHandle };

async function newDraft(path: string, replaced: Stats | undefined): Promise<Draft> {
  const target = replaced === undefined ? path : await realpath(path);
  const name = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  // What a killed process of the same number left behind goes; then nobody else's file or link is written through.
  await rm(name, { force: true });
  return { name, target, handle: await open(name, 'ax', replaced?.mode) };
}

function draftSink({ name, target, handle }: Draft, attempt: Attempt): Sink {
  return {
    async write(chunk) {
      await attempt(() => handle.writeFile(chunk));
      return true;
    },
    committed: () => false,
    restart: () => attempt(() => handle.truncate(0)),
    finish: () =>
      attempt(async () => {
        await handle.close();
        await rename(name, target);
      }),
    async abandon() {
      await handle.close();
      await rm(name, { force: true });
    },
  };
}
