import { Problem } from '../../errors/problem.ts';
import { problemOf } from '../../errors/system-errors.ts';
import { someOf } from '../../errors/wording.ts';
import { variable } from '../../platform/installation.ts';
import type { Output } from '../../platform/sink.ts';
import { packed, printable } from '../../render/printable.ts';
import { exitCode, exitCodeOf, type Process } from './io.ts';
import type { Share } from './progress-line.ts';

const embeddedErrors = 'asof://local/errors';

type ResolvedText = { readonly flag: string; readonly text: string; readonly day: string };

type Verbosity = { readonly quiet: boolean; readonly verbose: boolean; readonly debug: boolean };

/** What a command writes to stderr for people. */
export type Messages = ReturnType<typeof messagesOf>;

const mostNamed = 8;

/** Makes the messages of a command with some flags. */
export function messagesOf(flags: Verbosity, io: Process) {
  const { quiet, verbose, debug } = flags;
  const print = (text: string): void => write(io, `${printable(text)}\n`);
  const unless = (silent: boolean) => (text: string) => (silent ? undefined : print(text));
  const detail = unless(!verbose && !debug);
  const hasReader = !quiet && io.stderr.isTTY === true;
  const noteOnTerminal = unless(!hasReader);
  const done = io.stderr.isTTY === true ? noteOnTerminal : detail;
  return {
    flags,
    /** Prints what is missing from the output; `--quiet` does not silence it. */
    warn: print,
    /** Warns of columns that a table has left out. */
    tooNarrow(columns: readonly string[]): void {
      const names = someOf(columns, mostNamed, 'columns');
      if (names.length > 0)
        print(`asof: the terminal is too narrow for ${names.join(', ')}; choose with --columns`);
    },
    /** Prints a line for people and scripts, unless `--quiet`. */
    note: unless(quiet),
    hasReader,
    noteOnTerminal,
    /** Prints the day of each resolved text, on a terminal or for `--verbose`. */
    resolved(days: readonly ResolvedText[]): void {
      for (const { flag, text, day } of days) done(`asof: ${flag} ${text} is ${day}`);
    },
    /** Prints what was done or is meant, on a terminal or for `--verbose`. */
    done,
    detail,
    trace: unless(!debug),
    /** Begins the progress of work; shown only on a terminal, without `--quiet`, if `isWanted`. */
    progress: (isWanted = true): Progress =>
      isWanted && hasReader && variable(io, 'TERM') !== 'dumb' ? progressOn(io) : noProgress,
  } as const;
}

/** Prints a failure, as a problem document with `json`, and returns its exit code; a bug shows its stack. */
export function reportFailure(error: unknown, json: boolean, io: Process): number {
  const problem = problemOf(error);
  if (problem === undefined) return reportBug(error, io);
  const { hints } = problem;
  const document = { ...problem.toDocument(embeddedErrors), ...(hints.length > 0 && { hints }) };
  if (json) write(io, `${JSON.stringify(document, null, 2)}\n`);
  else {
    const lines = [
      `asof: ${problem.detail}`,
      ...hints.map((hint) => `${indent}${hint}`),
      ...(problem.servedRequest === undefined ? [] : [`${indent}request ${problem.servedRequest}`]),
    ];
    write(io, `${lines.map((line) => line.split('\n').map(printable).join('\n')).join('\n')}\n`);
  }
  return exitCodeOf(problem.kind);
}

function write({ stderr }: Process, text: string): void {
  eraseStatus(stderr);
  const { isTTY, columns = 0 } = stderr;
  const fits = (line: string) => folded(line, columns || 80);
  stderr.write(isTTY === true ? text.split('\n').map(fits).join('\n') : text);
}

/** What stands before a message, and as blanks before a hint. */
const indent = ' '.repeat('asof: '.length);

/** Breaks a line between words for a terminal; a word stays whole, such as an address that is copied. */
function folded(line: string, width: number): string {
  return packed(line.split(/(?<=\S) (?=\S)/), width, indent).join('\n');
}

function reportBug(error: unknown, io: Process): number {
  const bug = error instanceof Problem ? error.cause : error;
  const trace = bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
  write(io, `asof: this is a bug in asof; please report it with these lines:\n${trace}\n`);
  return exitCode.bug;
}

const eraseLine = '\r\u001B[K';

/** The status line of each terminal, until a message is printed there; not drawn while it loads. */
const statuses = new WeakMap<Output, { isDrawn: boolean }>();

/** Erases the status line of a terminal, if there is one. */
export function eraseStatus(terminal: Output): void {
  if (statuses.get(terminal)?.isDrawn === true) terminal.write(eraseLine);
  statuses.delete(terminal);
}

type Progress = {
  /**
   * Shows a text after the count, the rate and, with a total, a bar and the time left.
   * The text is made only for calls that update the line: formatting the first number takes 10 ms.
   */
  readonly show: (text: () => string, share?: Share) => void;
  /** Erases the line before output to stdout; messages do so themselves. */
  readonly clear: () => void;
  /** Erases the line for good, before another program writes to the terminal. */
  readonly end: () => void;
};

const showAfter = 500;
const updateEvery = 100;

/** In columns: a terminal shows `^C` after the line, which would wrap in the last column. */
const roomForKeys = 3;

const noProgress: Progress = { show: () => undefined, clear: () => undefined, end: () => undefined };

function progressOn({ stderr, clock }: Process): Progress {
  const started = clock().getTime();
  let next = started + showAfter;
  // Loaded for the first line, so that short work does not load it.
  let progressLine: typeof import('./progress-line.ts').progressLine | undefined;
  return {
    show(text, share) {
      const now = clock().getTime();
      if (now < next) return;
      next = now + updateEvery;
      const status = { isDrawn: statuses.get(stderr)?.isDrawn === true };
      statuses.set(stderr, status);
      const draw = (lineOf: NonNullable<typeof progressLine>) => {
        if (statuses.get(stderr) !== status) return;
        status.isDrawn = true;
        const line = lineOf(text(), share, now - started, (stderr.columns || 80) - roomForKeys);
        stderr.write(eraseLine + line);
      };
      if (progressLine !== undefined) return draw(progressLine);
      void import('./progress-line.ts').then((module) => {
        progressLine = module.progressLine;
        draw(progressLine);
      });
    },
    clear: () => eraseStatus(stderr),
    end() {
      next = Number.POSITIVE_INFINITY;
      eraseStatus(stderr);
    },
  };
}
