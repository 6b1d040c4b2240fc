import type { Readable } from 'node:stream';
import type { ProblemKind } from '../../errors/problem.ts';
import type { UserFolders } from '../../platform/installation.ts';
import type { Output } from '../../platform/sink.ts';

/** What asof uses of its process; tests replace it. */
export type Process = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: UserFolders;
  readonly clock: () => Date;
  /** Aborted when the user or the system stops the command. */
  readonly signal: AbortSignal;
  /** Adds a listener for SIGHUP, which then no longer ends the program. */
  readonly onHangup?: (listener: () => void) => void;
  /** Ends the process at once, even if work is still running. */
  readonly leave?: (code: number) => void;
};

/** A process, with the entries of the user's settings; a damaged file of them is a Problem when they are asked for. */
export type Io = Process & { readonly settings: () => Readonly<Record<string, unknown>> };

/** The exit statuses of commands; scripts depend on these numbers. */
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

/** The exit status of each problem that is not a service's failure. */
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

/** Returns the exit status of a problem. */
export function exitCodeOf(kind: ProblemKind): number {
  return codes[kind] ?? exitCode.serviceFailed;
}
