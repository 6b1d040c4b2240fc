import { fstatSync, writeFile } from 'node:fs';
import type { Writable } from 'node:stream';
import { isClosedPipe, systemProblem } from '../errors/system-errors.ts';
import { unlessAborted } from './promises.ts';

/** An output stream; `fd` is the file descriptor of a stream of the process, the rest describes a terminal. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
};

/** The stream that takes the data where no file is named, and the signal that stops writing. */
export type Streams = { readonly stdout: Output; readonly signal: AbortSignal };

/** Where a command's data goes. */
export type Sink = {
  /** Writes text or bytes as fast as the reader takes them; false when the reader has closed the pipe. */
  readonly write: (chunk: string | Uint8Array) => Promise<boolean>;
  /** Whether anything was written that cannot be taken back. */
  readonly committed: () => boolean;
  /** Takes back everything that was written; only while not `committed`. */
  readonly restart: () => Promise<void>;
  /** Completes the output: only now a file appears under its name. */
  readonly finish: () => Promise<void>;
  /** Discards the output: a file is as it was before. */
  readonly abandon: () => Promise<void>;
};

/** Writes a chunk, and resolves to the failure if there was one. */
export type Put = (chunk: string | Uint8Array) => Promise<NodeJS.ErrnoException | undefined>;

/** A sink that streams to a pipe, a terminal or a redirected file; a reader that closes the pipe is not an error. */
export function streamSink(stream: Output, signal: AbortSignal): Sink {
  const put = isFile(stream.fd) ? intoFile(stream.fd) : intoStream(stream);
  return streamingSink('stdout', put, async () => undefined, signal);
}

/** Prints a text to stdout; a full disk behind it is a Problem, and a reader that closed the pipe is not. */
export async function print(text: string, { stdout, signal }: Streams): Promise<void> {
  await streamSink(stdout, signal).write(text);
}

/** A sink that passes each chunk to `put`, and that a reader can close. */
export function streamingSink(
  target: string,
  put: Put,
  close: () => Promise<void>,
  signal: AbortSignal,
): Sink {
  let [isStarted, isClosed] = [false, false];
  return {
    async write(chunk) {
      if (isClosed || chunk.length === 0) return !isClosed;
      isStarted = true;
      const failure = await unlessAborted(signal, put(chunk));
      if (failure === undefined) return true;
      if (!isClosedPipe(failure)) throw systemProblem('write to', target, failure);
      isClosed = true;
      return false;
    },
    committed: () => isStarted,
    restart: async () => undefined,
    finish: close,
    abandon: close,
  };
}

/** Writes chunks to a stream. */
export function intoStream(stream: Output): Put {
  return (chunk) =>
    new Promise((resolve) => {
      stream.write(chunk, (error) => resolve(error ?? undefined));
    });
}

/** Unlike the stdout of Node, this fails when a full disk takes only a part of a chunk. */
function intoFile(fd: number): Put {
  return (chunk) =>
    new Promise((resolve) => {
      writeFile(fd, chunk, (error) => resolve(error ?? undefined));
    });
}

function isFile(fd: number | undefined): fd is number {
  return fd !== undefined && fstatSync(fd).isFile();
}
