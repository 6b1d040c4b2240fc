// `promises` loads node:fs/promises on first use: most commands write to stdout.
import { constants, fstatSync, openSync, promises, writeFile, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { Problem } from '../errors/problem.ts';
import { isClosedPipe, isSystemError, systemProblem } from '../errors/system-errors.ts';
import { unlessAborted } from './promises.ts';

/** An output stream; except `fd`, the members describe a terminal. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
};

type Streams = { readonly stdout: Output; readonly signal: AbortSignal };

/** A program that shows texts on the terminal of this process. */
type Pager = {
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called when the program cannot be started, before stdout gets the texts instead. */
  readonly failed: () => void;
};

/** The destination of a command's data. */
export type Sink = {
  /** Writes text or bytes as fast as the reader takes them; false when the reader has closed the pipe. */
  readonly write: (chunk: string | Uint8Array) => Promise<boolean>;
  /** Tells whether anything irrevocable was written. */
  readonly committed: () => boolean;
  /** Discards everything written; only before `committed`. */
  readonly restart: () => Promise<void>;
  /** Completes the output: a file appears under its name only now. */
  readonly finish: () => Promise<void>;
  /** Discards the output: a file is as it was before. */
  readonly abandon: () => Promise<void>;
};

type Failure = NodeJS.ErrnoException | undefined;

/** Writes a chunk; returns the failure, at once where the writer does not wait. */
type Put = (chunk: string | Uint8Array) => Failure | Promise<Failure>;

/** Opens a sink for `-o file`, a pager or stdout; throws a Problem at once if the file cannot be written. */
export async function openSink(file: string | undefined, streams: Streams, pager?: Pager): Promise<Sink> {
  if (file !== undefined) return fileSink(file, streams.signal);
  return pager === undefined ? streamSink(streams) : pagerSink(pager, streams);
}

function streamSink({ stdout, signal }: Streams): Sink {
  return streamingSink('stdout', intoStdout(stdout), async () => undefined, signal);
}

function intoStdout(stdout: Output): Put {
  const { fd } = stdout;
  return fd !== undefined && fstatSync(fd).isFile() ? intoFile(fd) : intoStream(stdout);
}

/** Prints a text to stdout; throws a Problem for a full disk, but not for a closed pipe. */
export async function print(text: string, streams: Streams): Promise<void> {
  await streamSink(streams).write(text);
}

function streamingSink(target: string, put: Put, close: () => Promise<void>, signal: AbortSignal): Sink {
  let [isStarted, isClosed] = [false, false];
  return {
    async write(chunk) {
      if (isClosed || chunk.length === 0) return !isClosed;
      isStarted = true;
      signal.throwIfAborted();
      const written = put(chunk);
      const failure = written instanceof Promise ? await unlessAborted(signal, written) : written;
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

function putting(write: (chunk: string | Uint8Array, done: (error?: Error | null) => void) => void): Put {
  return (chunk) => new Promise((resolve) => write(chunk, (error) => resolve(error ?? undefined)));
}

function intoStream(stream: Output): Put {
  return putting((chunk, done) => stream.write(chunk, done));
}

/**
 * Writes to a regular file; unlike Node's stdout, it fails when a full disk takes only a part of a chunk. It does not wait for
 * a thread, which takes as long as the writing.
 */
function intoFile(fd: number): Put {
  return (chunk) => {
    try {
      writeFileSync(fd, chunk);
      return undefined;
    } catch (error) {
      if (isSystemError(error)) return error;
      throw error;
    }
  };
}

/** Writes to a device, which may take its time. */
function intoDevice(fd: number): Put {
  return putting((chunk, done) => writeFile(fd, chunk, done));
}

/**
 * Makes a sink for a named pipe, as soon as that has a reader.
 * The process can end while it waits or writes, unlike with the system's own open and write.
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

/** The statuses with which a shell says that it cannot run a program. */
const notRun: readonly (number | null)[] = [126, 127];

/** In characters; no pipe holds so much, so a program that took it reads. */
const mostUnread = 2_000_000;

/** Matches a command that needs no shell, which would print an error of its own. */
const plainCommand = /^[\w./+:,@ -]+$/;

/**
 * Makes a sink for a pager, which starts with the first text; it is complete when the user leaves the pager.
 * Stdout gets the texts if the pager cannot be started.
 */
async function pagerSink({ command, env, failed }: Pager, streams: Streams): Promise<Sink> {
  const { spawn } = await import('node:child_process');
  const { signal } = streams;
  let running: { readonly put: Put; readonly left: () => Promise<number | null> } | undefined;
  let instead: Put | undefined;
  let size = 0;
  const unread: (string | Uint8Array)[] = [];
  const start = () => {
    const shell = !plainCommand.test(command);
    const [program = '', ...args] = shell ? [command] : command.trim().split(/ +/);
    const child = spawn(program, args, { shell, stdio: ['pipe', 'inherit', 'inherit'], env });
    // Each write reports its failure itself.
    child.stdin.on('error', () => undefined);
    // A pager outlives Ctrl-C, which is for what it shows.
    const stay = () => undefined;
    process.on('SIGINT', stay);
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(127));
      child.once('close', resolve);
    }).finally(() => process.off('SIGINT', stay));
    signal.addEventListener('abort', () => signal.reason === 'SIGTERM' && child.kill());
    const left = () => {
      child.stdin.end();
      return ended;
    };
    return { put: intoStream(child.stdin), left };
  };
  const isMissing = async () => size <= mostUnread && notRun.includes((await running?.left()) ?? 0);
  const showInstead = async () => {
    failed();
    instead = intoStdout(streams.stdout);
    for (const chunk of unread) {
      const failure = await instead(chunk);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
  const put: Put = async (chunk) => {
    if (instead !== undefined) return instead(chunk);
    running ??= start();
    size += chunk.length;
    if (size <= mostUnread) unread.push(chunk);
    else unread.length = 0;
    const failure = await running.put(chunk);
    return failure !== undefined && (await isMissing()) ? showInstead() : failure;
  };
  const close = async () => {
    if (instead !== undefined || !(await isMissing())) return;
    const failure = await showInstead();
    if (failure !== undefined && !isClosedPipe(failure)) throw systemProblem('write to', 'stdout', failure);
  };
  return streamingSink('the pager', put, close, signal);
}

async function openPipe(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      // The pipe has no reader yet.
      if (!isSystemError(error) || error.code !== 'ENXIO') throw error;
    }
    await unlessAborted(signal, new Promise((resolve) => setTimeout(resolve, 50)));
  }
}

/**
 * Makes a sink that writes beside `path` and renames when complete: no reader sees half a file.
 * A link stays a link, a replaced file keeps its mode, and a device or named pipe is written directly.
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
  if (found === undefined || found.isFile()) return draftSink(path, found?.mode, attempt);
  if (found.isFIFO()) return pipeSink(path, attempt, signal);
  const device = await attempt(() => unlessAborted(signal, promises.open(path, 'w')));
  return streamingSink(path, intoDevice(device.fd), () => device.close(), signal);
}

/** Tells whether a file begins as a SQLite database, and so may be the store being read. */
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

/** Makes a function that does work on a file, unless the command was stopped; throws Problems with the path. */
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

/** Makes a sink that writes to a new file beside `path`, with the mode of the file that it replaces. */
async function draftSink(path: string, mode: number | undefined, attempt: Attempt): Promise<Sink> {
  const target = await promises.realpath(path).catch(() => path);
  const name = join(dirname(target), `.${basename(target)}.${process.pid}.part`);
  const file = await attempt(async () => {
    // Removes the file of a killed process with the same number: no other file or link is written through.
    await promises.rm(name, { force: true });
    return promises.open(name, 'ax', mode);
  });
  return {
    async write(chunk) {
      await attempt(async () => writeFileSync(file.fd, chunk));
      return true;
    },
    committed: () => false,
    restart: () => attempt(() => file.truncate(0)),
    finish: () =>
      attempt(async () => {
        await file.close();
        await promises.rename(name, target);
      }),
    async abandon() {
      await file.close();
      await promises.rm(name, { force: true });
    },
  };
}
