import { isDrawable } from '../analysis/layouts.ts';
import type { Query } from '../analysis/query.ts';
import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { isSystemError, problemOf, systemProblem } from '../errors/system-errors.ts';
import { formatForFile } from '../render/formats.ts';
import { type OutputChoice, type OutputFlags, outputChoice } from '../render/output.ts';
import { bind } from './bind.ts';
import type { PlanLine } from './plan.ts';

/** The command of a line of a plan, as plain data. */
type ParsedPlanLine = {
  readonly query: Query;
  readonly output: OutputFlags;
  /** The flags that were typed, with dashes. */
  readonly typed: readonly string[];
  /** The flags and arguments that said `today`. */
  readonly today: readonly string[];
};

/** Parses the words of an asof command; undefined where it does not ask for data. An error of usage is a Problem. */
export type ParseLine = (words: readonly string[]) => ParsedPlanLine | undefined;

/** A line of a plan that asks for nothing later than the day of the snapshot. */
export type BoundLine = PlanLine & {
  readonly asOf: Day;
  readonly query: Query;
  readonly output: OutputChoice;
};

const ofTheSnapshot = 'it is a flag of the snapshot as a whole';

/** The flags that no line of a plan may have, and why. */
const refused: Readonly<Record<string, string>> = {
  '--output': 'the line starts with the name of its file',
  '--store': ofTheSnapshot,
  '--base-url': ofTheSnapshot,
  '--timeout': ofTheSnapshot,
  '--retries': ofTheSnapshot,
  '--max-wait': ofTheSnapshot,
  '--quiet': ofTheSnapshot,
  '--verbose': ofTheSnapshot,
  '--debug': ofTheSnapshot,
  '--known-before': 'the snapshot has one as-of date; --as-of names an earlier one',
  '--cursor': 'it continues the answer of another time',
  '--dry-run': 'the line has a file to write',
  '--exit-code': 'the line has a file to write',
};

/**
 * The line bound to a day; a Problem where its command does not read data, cannot be bound to a day, asks for a later
 * one, or has flags that a plan cannot have. Asks for no data.
 */
export function boundLine(line: PlanLine, day: Day, parseLine: ParseLine): BoundLine {
  const { name, words } = line;
  if (words[0] === 'asof')
    throw new Problem('bad-input', "every command of a plan is one of asof: leave out 'asof'");
  // The words that bind the line are added at its end, where they would be arguments.
  if (words.includes('--')) throw new Problem('bad-input', "'--' has no place in a plan");
  const parsed = parseLine(words);
  if (parsed === undefined)
    throw new Problem('bad-input', `'${words.join(' ')}' is not a command that reads data`);
  for (const flag of parsed.typed) {
    const reason = refused[flag];
    if (reason !== undefined) throw new Problem('bad-input', `${flag} has no place in a plan: ${reason}`);
  }
  // It would be another date in every run, and when the snapshot is verified.
  if (parsed.today.length > 0)
    throw new Problem(
      'bad-input',
      "'today' has no place in a plan: the as-of date of the snapshot bounds every line",
    );
  const bound = bind(parsed.query, day);
  if (parsed.output.format === undefined && formatForFile(name) === undefined)
    throw new Problem('bad-input', `the name ${name} has no format`, {
      hints: ['use an ending such as .csv, or add --format'],
    });
  const output = outputChoice({ ...parsed.output, file: name }, {}, isDrawable(bound.query));
  return { ...line, words: [...words, ...bound.words], asOf: bound.asOf, query: bound.query, output };
}

/** The same failure with everything that is known of it in one line, between two texts; for logs that are read by their last line. */
export function inOneLine(
  error: unknown,
  { before = '', after = '' }: { readonly before?: string; readonly after?: string },
): unknown {
  const problem = fileProblem(error) ?? problemOf(error);
  if (problem === undefined) return error;
  const { detail, hints, requestId } = problem;
  const known = [...hints, ...(requestId === undefined ? [] : [`request ${requestId}`])];
  const more = known.length === 0 ? '' : ` (${known.join('; ')})`;
  const { kind, field, retryAfter } = problem;
  return new Problem(kind, `${before}${detail.replace(/:?\n\s*/g, '; ')}${more}${after}`, {
    cause: error,
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** The Problem of a refusal of the operating system that names a file. */
function fileProblem(error: unknown): Problem | undefined {
  if (!isSystemError(error)) return undefined;
  const { path, dest }: NodeJS.ErrnoException & { readonly dest?: string } = error;
  return path === undefined ? undefined : systemProblem('write to', dest ?? path, error);
}
