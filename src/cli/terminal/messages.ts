import { Problem } from '../../errors/problem.ts';
import { problemOf } from '../../errors/system-errors.ts';
import { variable } from '../../platform/installation.ts';
import type { Output } from '../../platform/sink.ts';
import { printable } from '../../render/printable.ts';
import type { Share } from '../../render/progress-line.ts';
import { exitCode, exitCodeOf, type Io } from './io.ts';

const embeddedErrors = 'asof://local/errors';

/** A flag or argument, its text, and the day that it names. */
type ResolvedText = { readonly flag: string; readonly text: string; readonly day: string };

/** What a command writes to stderr for people. */
export type Messages = {
  /** A line about what is missing from the output: `--quiet` does not silence it. */
  readonly warn: (text: string) => void;
  /** A line for people and scripts, unless `--quiet`. */
  readonly note: (text: string) => void;
  /** Whether notes are printed, so that no request is made for one that is not. */
  readonly notes: boolean;
  /** Whether a person reads: a terminal, and no `--quiet`. */
  readonly hasReader: boolean;
  /** A line for people: printed only on a terminal. */
  readonly noteOnTerminal: (text: string) => void;
  /** The day that each text means: on a terminal, or for `--verbose`. */
  readonly resolved: (days: readonly ResolvedText[]) => void;
  /** A line for `--verbose`. */
  readonly detail: (text: string) => void;
  /** A line for `--debug`. */
  readonly trace: (text: string) => void;
};

/** The messages of a command with these flags. */
export function messagesOf(
  { quiet, verbose, debug }: { readonly quiet: boolean; readonly verbose: boolean; readonly debug: boolean },
  io: Io,
): Messages {
  const print = (text: string): void => write(io, `${printable(text)}\n`);
  const unless = (silent: boolean) => (text: string) => (silent ? undefined : print(text));
  const detail = unless(!verbose && !debug);
  const hasReader = !quiet && io.stderr.isTTY === true;
  const noteOnTerminal = unless(!hasReader);
  return {
    warn: print,
    notes: !quiet,
    note: unless(quiet),
    hasReader,
    noteOnTerminal,
    resolved(days) {
      const say = io.stderr.isTTY === true ? noteOnTerminal : detail;
      for (const { flag, text, day } of days) say(`asof: ${flag} ${text} is ${day}`);
    },
    detail,
    trace: unless(!debug),
  };
}

/** Prints a failure, as a problem document where `json` is set, and gives its exit code; a bug shows its stack. */
export function reportFailure(error: unknown, json: boolean, io: Io): number {
  const problem = problemOf(error);
  if (problem === undefined) return reportBug(error, io);
  if (json) write(io, `${JSON.stringify(problem.toDocument(embeddedErrors), null, 2)}\n`);
  else {
    const lines = [
      `asof: ${problem.detail}`,
      ...problem.hints.map((hint) => `      ${hint}`),
      ...(problem.requestId === undefined ? [] : [`      request ${problem.requestId}`]),
    ];
    write(io, `${lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n')}\n`);
  }
  return exitCodeOf(problem.kind);
}

function write({ stderr }: Io, text: string): void {
  eraseStatus(stderr);
  stderr.write(text);
}

function reportBug(error: unknown, io: Io): number {
  const bug = error instanceof Problem ? error.cause : error;
  const trace = bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
  write(io, `asof: this is a bug in asof; please report it with these lines:\n${trace}\n`);
  return exitCode.bug;
}

const eraseLine = '\r\u001B[K';

/** The terminals that show a status line. */
const showing = new WeakSet<Output>();

/** Shows a line on a terminal until the next one, or until any message is printed there. */
function showStatus(terminal: Output, line: string): void {
  showing.add(terminal);
  terminal.write(eraseLine + line);
}

/** Erases the status line of a terminal, if it shows one. */
export function eraseStatus(terminal: Output): void {
  if (showing.delete(terminal)) terminal.write(eraseLine);
}

/** The progress of long work, as a line on a terminal's stderr. */
export type Progress = {
  /**
   * Shows a text after what is done, the rate and, where the total is known, a bar and the time left. Not every call
   * updates the line, and the text is made only for those that do: formatting the first number takes 10 ms.
   */
  readonly show: (text: () => string, share?: Share) => void;
  /** Erases the line, before anything else is written there. */
  readonly clear: () => void;
};

/** Milliseconds before the line is shown, and between two updates. */
const showAfter = 500;
const updateEvery = 100;

/** Columns left free: a terminal shows `^C` after the line, which would wrap in the last column. */
const roomForKeys = 3;

type LineModule = typeof import('../../render/progress-line.ts');

/** Progress of work that starts now; shown only on a terminal, and not with `quiet`. */
export function progress(io: Io, quiet: boolean): Progress {
  if (io.stderr.isTTY !== true || variable(io, 'TERM') === 'dumb' || quiet)
    return { show: () => undefined, clear: () => undefined };
  const started = io.clock().getTime();
  let next = started + showAfter;
  // The code that formats a line is loaded when the first line is due, so that short work does not load it.
  let isLoading = false;
  let loaded: LineModule | undefined;
  let draw: ((module: LineModule) => void) | undefined;
  return {
    show(text, share) {
      const now = io.clock().getTime();
      if (now < next) return;
      next = now + updateEvery;
      draw = ({ progressLine }) => {
        const width = (io.stderr.columns || 80) - roomForKeys;
        showStatus(io.stderr, progressLine(text(), share, now - started, width));
      };
      if (loaded !== undefined) return draw(loaded);
      if (isLoading) return;
      isLoading = true;
      void import('../../render/progress-line.ts').then((module) => {
        loaded = module;
        draw?.(module);
      });
    },
    clear() {
      draw = undefined;
      eraseStatus(io.stderr);
    },
  };
}
