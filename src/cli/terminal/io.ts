import type { Readable, Writable } from 'node:stream';
import type { Client } from '../../client/client.ts';
import type { UserFolders } from '../../platform/user-folders.ts';
import type { Sink } from './sink.ts';

/** An output stream, the file that it writes to if it is one of the process, and what a terminal tells of itself. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
};

/** What runs a command line in the place of a shell: it answers its questions, and hears how it went. */
export type Runner = {
  /** Answers in the place of the store or service that flags and environment name; it stays open. */
  readonly client: Client;
  /** The sink of `-o file`, where that is not to be the file itself. */
  readonly sink?: Sink;
  /** Hears how many rows were written. */
  readonly answered: (rows: number) => void;
  /** Hears of each failure, in the place of stderr. */
  readonly failed: (error: unknown) => void;
};

/** Everything outside that a command may touch besides files; real by default, so that `main` can be tested in process. */
export type Io = {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: UserFolders;
  readonly clock: () => Date;
  /** Aborted when the user or the system asks the command to stop. */
  readonly signal: AbortSignal;
  /** Calls a listener whenever the system says SIGHUP; without it, or without a listener, SIGHUP ends the program. */
  readonly onHangup?: (listener: () => void) => void;
  /** Ends the process at once, whatever is still under way in it. */
  readonly leave?: (code: number) => void;
  readonly runner?: Runner;
};

/** The value of an environment variable; an empty one is unset. */
export function variable(io: Io, name: string): string | undefined {
  const value = io.env[name];
  return value === '' ? undefined : value;
}
