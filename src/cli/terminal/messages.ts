import { Problem } from '../../errors/problem.ts';
import { isSystemError } from '../../errors/system-errors.ts';
import { printable } from '../../render/printable.ts';
import type { DataFlags, TalkFlags } from '../options/flags.ts';
import { exitCode, exitCodeOf } from './exit-code.ts';
import type { Io } from './io.ts';
import { eraseStatus } from './status-line.ts';

const embeddedErrors = 'asof://local/errors';

/** What a command says to people, on stderr. */
export type Talk = {
  /** A line about what is missing from the output: said also to those who asked for quiet. */
  readonly warn: (text: string) => void;
  /** A line that people and scripts should see unless they asked for quiet. */
  readonly note: (text: string) => void;
  /** Whether notes are heard, so that nothing need be asked for one that is not. */
  readonly notes: boolean;
  /** A line for people who watch: only on a terminal's stderr. */
  readonly aside: (text: string) => void;
  /** A line that only `-v` asks for. */
  readonly detail: (text: string) => void;
  /** A line that only `--debug` asks for. */
  readonly trace: (text: string) => void;
};

/** How a command talks under these flags. */
export function talk(flags: TalkFlags, io: Io): Talk {
  const say = (text: string): void => write(io, `${printable(text)}\n`);
  const quiet = flags.quiet === true;
  const verbose = flags.verbose === true || flags.debug === true;
  return {
    warn: say,
    notes: !quiet,
    note: (text) => (quiet ? undefined : say(text)),
    aside: (text) => (quiet || io.stderr.isTTY !== true ? undefined : say(text)),
    detail: (text) => (verbose ? say(text) : undefined),
    trace: (text) => (flags.debug === true ? say(text) : undefined),
  };
}

/** Says what went wrong on stderr, and gives the exit code that it means; a failure that nobody foresaw shows its trace. */
export function reportFailure(error: unknown, flags: Partial<DataFlags>, io: Io): number {
  const problem = problemOf(error);
  if (io.runner !== undefined) {
    io.runner.failed(error);
    return problem === undefined ? exitCode.bug : exitCodeOf(problem.kind);
  }
  if (problem === undefined) return reportBug(error, io);
  if (flags.json === true || flags.format === 'json') {
    write(io, `${JSON.stringify(problem.toDocument(embeddedErrors), null, 2)}\n`);
    return exitCodeOf(problem.kind);
  }
  const lines = [
    `asof: ${problem.detail}`,
    ...problem.hints.map((hint) => `      ${hint}`),
    ...(problem.requestId === undefined ? [] : [`      request ${problem.requestId}`]),
  ];
  write(io, `${lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n')}\n`);
  return exitCodeOf(problem.kind);
}

function write({ stderr }: Io, text: string): void {
  eraseStatus(stderr);
  stderr.write(text);
}

/** The failure as a Problem, or undefined where it is a bug; what the operating system refuses is none. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) {
    const { kind, cause } = error;
    // A Problem that stands for another says the same of it, with more words.
    const hides = kind === 'internal-error' && cause !== undefined && !(cause instanceof Problem);
    return hides ? problemOf(cause) : error;
  }
  if (isSystemError(error)) return new Problem('local-io', error.message, { cause: error });
  return undefined;
}

function reportBug(error: unknown, io: Io): number {
  const bug = error instanceof Problem ? error.cause : error;
  const trace = bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
  write(io, `asof: this is a bug in asof; please report it with these lines:\n${trace}\n`);
  return exitCode.bug;
}
