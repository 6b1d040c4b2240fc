import type { Readable, Writable } from 'node:stream';
import type { UserFolders } from '../../platform/installation.ts';

/** An output stream; `fd` is the file descriptor of a stream of the process, the rest describes a terminal. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
};

/** Everything that a command uses of its process, so that `main` can be tested without one. */
export type Io = {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: UserFolders;
  readonly clock: () => Date;
  /** Aborted when the user or the system asks the command to stop. */
  readonly signal: AbortSignal;
  /** Adds a listener for SIGHUP, which then no longer ends the program. */
  readonly onHangup?: (listener: () => void) => void;
  /** Ends the process at once, even if work is still running in it. */
  readonly leave?: (code: number) => void;
};

/** The value of an environment variable; an empty one is unset. */
export function variable(io: Io, name: string): string | undefined {
  const value = io.env[name];
  return value === '' ? undefined : value;
}
