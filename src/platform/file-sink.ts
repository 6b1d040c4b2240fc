// `promises` loads node:fs/promises on first use: most commands write to stdout.
import { constants, openSync, promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Problem } from '../errors/problem.ts';
import { isSystemError, systemProblem } from '../errors/system-errors.ts';
import { DraftFile } from './files.ts';
import { unlessAborted } from './promises.ts';
import { intoStream, type Put, type Sink, type Streams, streamingSink, streamSink } from './sink.ts';

export type { Sink };

/** The sink of `-o file`, or of stdout; a file that cannot be written is a Problem at once. */
export async function openSink(file: string | undefined, { stdout, signal }: Streams): Promise<Sink> {
  return file === undefined ? streamSink(stdout, signal) : fileSink(file, signal);
}

/** A sink that streams to a device, and closes it at the end. */
function deviceSink(path: string, handle: FileHandle, signal: AbortSignal): Sink {
  const put: Put = (chunk) => handle.writeFile(chunk).then(() => undefined, asFailure);
  return streamingSink(path, put, () => handle.close(), signal);
}

/**
 * A sink that streams to a named pipe as soon as it has a reader. Neither waiting for one nor writing keeps the process
 * from ending, as the system's own open and write would.
 */
async function pipeSink(path: string, attempt: Attempt, signal: AbortSignal): Promise<Sink> {
  const [{ Socket }, fd] = [await import('node:net'), await attempt(() => openPipe(path, signal))];
  const pipe = new Socket({ fd, readable: false, writable: true });
  // Each write reports its failure itself.
  pipe.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => pipe.once('close', () => resolve()));
  const close = async () => {
    if (signal.aborted) return void pipe.destroy();
    pipe.end();
    await unlessAborted(signal, closed);
  };
  return streamingSink(path, intoStream(pipe), close, signal);
}

async function openPipe(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      // There is no reader yet.
      if (!isSystemError(error) || error.code !== 'ENXIO') throw error;
    }
    await unlessAborted(signal, new Promise((resolve) => setTimeout(resolve, 50)));
  }
}

function asFailure(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return error;
}

/**
 * A sink that writes beside `path` and renames when complete: a reader of `path` never sees half a file. A symbolic
 * link remains a link, a replaced file keeps its mode, and a device or a named pipe is written to directly.
 */
async function fileSink(path: string, signal: AbortSignal): Promise<Sink> {
  const attempt = attempting(path, signal);
  const found = await attempt(() => promises.stat(path).catch(absent));
  if (found?.isDirectory()) throw systemProblem('write to', path, { code: 'EISDIR' });
  if (found?.isFile() && (await attempt(() => isDatabase(path))))
    throw new Problem(
      'bad-input',
      `will not write to ${path}: it is a database, such as a store; name another file`,
    );
  if (found === undefined || found.isFile()) {
    return draftSink(await attempt(() => DraftFile.open(path, found?.mode)), attempt);
  }
  if (found.isFIFO()) return pipeSink(path, attempt, signal);
  return deviceSink(path, await attempt(() => unlessAborted(signal, promises.open(path, 'w'))), signal);
}

/** Whether a file begins as every SQLite database does, and so may be the store that is being read. */
async function isDatabase(path: string): Promise<boolean> {
  const file = await promises.open(path).catch(() => undefined);
  try {
    const start = await file?.read({ buffer: Buffer.alloc(16) });
    return start?.buffer.toString('latin1') === 'SQLite format 3\0';
  } finally {
    await file?.close();
  }
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
