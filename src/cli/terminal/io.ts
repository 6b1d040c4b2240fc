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

type Exit = readonly [code: number, meaning: string, ...kinds: readonly ProblemKind[]];

/** The exit statuses of commands, with the kinds of problems that have them; scripts depend on the numbers. */
export const exits = {
  success: [0, 'success, even if the result is empty or the reader closed the pipe'],
  differences: [1, 'differences (diff --exit-code, verify), values not known (check), faults (store check)'],
  usage: [
    2,
    'usage error, invalid value, or a file that cannot be imported',
    'validation-error',
    'bad-input',
  ],
  notFound: [3, 'not found', 'not-found'],
  unauthorized: [4, 'no key, or an invalid key', 'unauthorized'],
  forbidden: [5, 'the plan of the key does not allow it', 'plan-upgrade-required'],
  quota: [6, 'the quota is used up', 'rate-limit-exceeded'],
  unreachable: [7, 'cannot reach the service: name, connection, TLS, time limit', 'unreachable'],
  serviceFailed: [8, 'the service failed, or its answer breaks the contract'],
  empty: [
    9,
    'no rows, with --fail-empty; refused by --exact, --max-age or --beyond fail',
    ...(['no-rows', 'inexact', 'too-old'] as const),
  ],
  localIo: [10, 'cannot read or write a local file, store or setting', 'local-io'],
  bug: [70, 'a bug in asof'],
  interrupted: [130, 'interrupted (Ctrl-C), or a question not answered with yes', 'interrupted'],
  terminated: [143, 'terminated'],
} as const satisfies Readonly<Record<string, Exit>>;

type ExitCodes = { readonly [K in keyof typeof exits]: (typeof exits)[K][0] };

/** The exit status of each outcome. */
export const exitCode = Object.fromEntries(
  Object.entries<Exit>(exits).map(([name, [code]]) => [name, code]),
) as ExitCodes;

/** Returns the exit status of a problem. */
export function exitCodeOf(kind: ProblemKind): number {
  const found = Object.values<Exit>(exits).find(([, , ...kinds]) => kinds.includes(kind));
  return found?.[0] ?? exitCode.serviceFailed;
}
