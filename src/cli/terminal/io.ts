import type { Readable } from 'node:stream';
import type { ProblemKind } from '../../errors/problem.ts';
import type { UserFolders } from '../../platform/installation.ts';
import type { Output } from '../../platform/sink.ts';

/** Everything that asof uses of its process, so that `main` can be tested without one. */
export type Process = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
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

/** What a command runs with: its process, and the entries of its user's files of settings and of keys. */
export type Io = Process & {
  readonly entries: (file: 'config' | 'keys') => Readonly<Record<string, unknown>>;
};

/** What the exit status of a command means; scripts depend on these numbers. */
export const exitCode = {
  success: 0,
  differences: 1,
  usage: 2,
  notFound: 3,
  unauthorized: 4,
  forbidden: 5,
  quota: 6,
  unreachable: 7,
  serviceFailed: 8,
  empty: 9,
  localIo: 10,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit status of each problem that is not a failure of a service. */
const codes: Readonly<Partial<Record<ProblemKind, number>>> = {
  'validation-error': exitCode.usage,
  'bad-input': exitCode.usage,
  'not-found': exitCode.notFound,
  unauthorized: exitCode.unauthorized,
  'plan-upgrade-required': exitCode.forbidden,
  'rate-limit-exceeded': exitCode.quota,
  unreachable: exitCode.unreachable,
  'no-rows': exitCode.empty,
  inexact: exitCode.empty,
  'too-old': exitCode.empty,
  'local-io': exitCode.localIo,
  interrupted: exitCode.interrupted,
};

/** The exit status of a problem. */
export function exitCodeOf(kind: ProblemKind): number {
  return codes[kind] ?? exitCode.serviceFailed;
}
