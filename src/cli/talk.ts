import { Problem } from '../problem.ts';
import { printable } from '../render/terminal-text.ts';
import { exitCode, exitCodeOf } from './exit-code.ts';
import type { DataFlags, TalkFlags } from './flags.ts';
import type { Io } from './io.ts';

const embeddedErrors = 'asof://local/errors';

/** What a command says to people, on stderr. */
export type Talk = {
  /** A line that people and scripts should see unless they asked for quiet. */
  readonly note: (text: string) => void;
  /** A line for people who watch: only on a terminal's stderr. */
  readonly aside: (text: string) => void;
  /** A line that only `-v` asks for. */
  readonly detail: (text: string) => void;
};

/** How a command talks under these flags. */
export function talk(flags: TalkFlags, io: Io): Talk {
  const say = (text: string): void => {
    io.stderr.write(`${text}\n`);
  };
  const quiet = flags.quiet === true;
  const verbose = flags.verbose === true || flags.debug === true;
  return {
    note: (text) => (quiet ? undefined : say(text)),
    aside: (text) => (quiet || io.stderr.isTTY !== true ? undefined : say(text)),
    detail: (text) => (verbose ? say(text) : undefined),
  };
}

/** Says what went wrong on stderr, and gives the exit code that it means; a failure that nobody foresaw shows its trace. */
export function reportFailure(error: unknown, flags: Partial<DataFlags>, io: Io): number {
  if (!(error instanceof Problem)) return reportBug(error, io);
  if (error.kind === 'internal-error' && error.cause !== undefined) return reportBug(error.cause, io);
  if (flags.json === true || flags.format === 'json') {
    io.stderr.write(`${JSON.stringify(error.toDocument(embeddedErrors), null, 2)}\n`);
    return exitCodeOf(error.kind);
  }
  const lines = [
    `asof: ${error.detail}`,
    ...error.hints.map((hint) => `      ${hint}`),
    ...(flags.debug === true && error.requestId !== undefined ? [`      request ${error.requestId}`] : []),
  ];
  io.stderr.write(`${lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n')}\n`);
  return exitCodeOf(error.kind);
}

function reportBug(error: unknown, io: Io): number {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.stderr.write(`asof: this is a bug in asof; please report it with these lines:\n${trace}\n`);
  return exitCode.bug;
}
