import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { Problem } from '../problem.ts';

/** Where a command's data goes; nothing of it stays unless `finish` is reached. */
export type Sink = {
  /** Writes text, waiting where the reader is slower; false when the reader has gone and no more is wanted. */
  readonly write: (text: string) => Promise<boolean>;
  /** Whether anything has left for good, so that it cannot be begun again. */
  readonly committed: () => boolean;
  /** Begins again with nothing written; only while not `committed`. */
  readonly restart: () => Promise<void>;
  readonly finish: () => Promise<void>;
  readonly abandon: () => Promise<void>;
};

/** A sink that streams to a pipe or a terminal; a reader that closes it ends the command quietly. */
export function streamSink(stream: Writable): Sink {
  let [begun, gone] = [false, false];
  let failure: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') gone = true;
    else failure = error;
  });
  const check = (): void => {
    if (failure !== undefined)
      throw new Problem('local-io', `cannot write to stdout: ${reasonOf(failure)}`, { cause: failure });
  };
  return {
    async write(text) {
      if (gone || text === '') return !gone;
      begun = true;
      await new Promise<void>((resolve) => stream.write(text, () => resolve()));
      check();
      return !gone;
    },
    committed: () => begun,
    restart: async () => undefined,
    finish: async () => check(),
    abandon: async () => undefined,
  };
}

/** A sink that writes beside `path` and renames when complete: a reader of `path` never sees half a file. */
export function fileSink(path: string): Sink {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  let stream: WriteStream | undefined;
  const problem = (cause: unknown) =>
    new Problem('local-io', `cannot write ${path}: ${reasonOf(cause as NodeJS.ErrnoException)}`, { cause });

  const open = async (): Promise<WriteStream> => {
    if (stream !== undefined) return stream;
    stream = createWriteStream(draft, { flags: 'w' });
    await once(stream, 'open');
    return stream;
  };
  const close = async (): Promise<void> => {
    const closing = stream;
    stream = undefined;
    if (closing === undefined) return;
    closing.destroy();
    if (!closing.closed) await once(closing, 'close');
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      await close();
      await rm(draft, { force: true });
      throw problem(error);
    }
  };
  return {
    write: (text) =>
      attempt(async () => {
        const target = await open();
        await new Promise<void>((resolve, reject) =>
          target.write(text, (error) => (error ? reject(error) : resolve())),
        );
        return true;
      }),
    committed: () => false,
    restart: close,
    finish: () =>
      attempt(async () => {
        const target = await open();
        target.end();
        await once(target, 'close');
        await rename(draft, path);
      }),
    async abandon() {
      await close();
      await rm(draft, { force: true });
    },
  };
}

const plainReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
};

function reasonOf(error: NodeJS.ErrnoException): string {
  return plainReasons[error.code ?? ''] ?? error.message;
}
