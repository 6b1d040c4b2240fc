import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ask, type Asker, askOf, type Note } from '../answering/answer.ts';
import type { Demands } from '../answering/basis.ts';
import { notesOf } from '../answering/notes.ts';
import { type Query, shapesOf } from '../answering/question.ts';
import { run } from '../answering/run.ts';
import { withSuggestion } from '../answering/unknown-series.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import { isSystemError, problemOf, systemProblem } from '../errors/system-errors.ts';
import { lineOf } from '../errors/wording.ts';
import { commandNaming } from '../operations/operation.ts';
import { defined } from '../platform/defined.ts';
import { naming } from '../platform/files.ts';
import { pause } from '../platform/promises.ts';
import {
  formatForFile,
  type OutputChoice,
  type OutputFlags,
  outputChoice,
  rendererFor,
} from '../render/output.ts';
import { pagesFor, ReturningIterable, renderPages } from '../render/renderer.ts';
import { bind, boundedClient } from './bind.ts';
import { type FileRecord, faultOfName, sumOfFile } from './manifest.ts';

/** A file of a plan, and the command that writes it. */
type PlanLine = {
  readonly number: number;
  readonly name: string;
  readonly words: readonly string[];
};

/** Reads the lines of a plan, without comments; throws a Problem that names the faulty line. */
export function readPlan(bytes: Uint8Array, path: string): readonly PlanLine[] {
  let texts: readonly string[];
  try {
    texts = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split(/\r?\n/);
  } catch (cause) {
    throw new Problem('bad-input', `${path} is not a UTF-8 text`, { cause });
  }
  const lines: PlanLine[] = [];
  // Some file systems ignore letter case.
  const keyOf = (name: string) => name.normalize('NFC').toLowerCase();
  for (const [index, text] of texts.entries())
    try {
      const [name, ...words] = wordsOf(text);
      if (name === undefined) continue;
      checkLine(name, words);
      const other = lines.find((line) => keyOf(line.name) === keyOf(name));
      if (other !== undefined)
        throw new Problem('bad-input', `${name} is already written by line ${other.number}`);
      lines.push({ number: index + 1, name, words });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw error.with({ detail: `${path} line ${index + 1}: ${error.headline}`, field: undefined });
    }
  if (lines.length > 0) return lines;
  throw new Problem('bad-input', `${path} has no lines`, {
    hints: ['a line is the name of a file and an asof command: gdp.csv observations GDP'],
  });
}

function checkLine(name: string, words: readonly string[]): void {
  const fault = faultOfName(name);
  if (fault !== undefined)
    throw new Problem('bad-input', `${JSON.stringify(name)} cannot name a file of a snapshot: ${fault}`);
  if (words.length === 0)
    throw new Problem('bad-input', `${name} has no command`, { hints: [`such as ${name} observations GDP`] });
}

/**
 * Splits a line into words at blanks; expands nothing, and a `#` at the start of a word begins a comment.
 * Quotes and backslashes protect blanks and `#` as in a shell.
 */
export function wordsOf(line: string): readonly string[] {
  const control = /(?!\t)\p{Cc}/u.exec(line)?.[0];
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new Problem('bad-input', `it contains the control character U+${code}`);
  }
  const words: string[] = [];
  const piece = /\\(.?)|'([^']*)('?)|"((?:[^"\\]|\\.)*)("?)|([ \t]+)|([^\\'" \t]+)/gsuy;
  let word: string | undefined;
  for (const [whole, escaped, single, singleEnd, double, doubleEnd, blank] of line.matchAll(piece)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (word === undefined && whole.startsWith('#')) break;
    if (escaped === '')
      throw new Problem('bad-input', 'it ends in a backslash, but a line cannot continue on the next');
    if (singleEnd === '' || doubleEnd === '')
      throw new Problem('bad-input', `a quote is not closed: ${whole}`);
    word = (word ?? '') + (escaped ?? single ?? double?.replace(/\\(["\\])/g, '$1') ?? whole);
  }
  return word === undefined ? words : [...words, word];
}

type ParsedPlanLine = {
  readonly query: Query;
  readonly demands: Demands;
  readonly output: OutputFlags;
  readonly typed: readonly string[];
  /** The days that were not typed as `YYYY-MM-DD`; some move from day to day. */
  readonly resolved: readonly { readonly text: string; readonly moves: boolean }[];
};

/** A parser of a command's words; undefined if it reads no data. */
export type ParseLine = (words: readonly string[]) => ParsedPlanLine | undefined;

type BoundLine = PlanLine &
  ReturnType<typeof bind> & {
    readonly demands: Demands;
    readonly output: OutputChoice;
    /** The ids of series that the line means by aliases, whatever they stand for now. */
    readonly aliases?: FileRecord['aliases'];
  };

const refused: readonly (readonly [flags: readonly string[], reason: string])[] = [
  [['--output'], 'the line starts with the name of its file'],
  [
    ['--store', '--base-url', '--timeout', '--retries', '--max-wait', '--quiet', '--verbose', '--debug'],
    'it is a flag of the snapshot as a whole',
  ],
  [['--known-before'], 'the snapshot has one as-of date; --as-of names an earlier one'],
  [['--cursor'], 'it continues an earlier answer'],
  [['--dry-run', '--exit-code'], 'the line has a file to write'],
];

/** A plan whose lines are bound to a day. */
export type BoundPlan = {
  readonly name: string;
  readonly asOf: Day;
  readonly lines: readonly BoundLine[];
  readonly sha256: string;
};

/**
 * Binds a plan to a day, with demands on the data of each line; requests no data and writes nothing.
 * Throws a Problem that names a line that cannot be bound.
 */
export function bindPlan(
  name: string,
  bytes: Uint8Array,
  { asOf, demands = {} }: { readonly asOf: Day; readonly demands?: Demands },
  parseLine: ParseLine,
): BoundPlan {
  const lines = readPlan(bytes, name).map((line) =>
    placed(`${name} line ${line.number}`, () => boundLine(line, asOf, parseLine, demands)),
  );
  return { name, asOf, lines, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Binds a line to a day, without requesting data; the line's own demands replace those of the snapshot.
 * Throws a Problem if the command reads no data, cannot be bound, is for a later day, or has a refused flag.
 */
export function boundLine(line: PlanLine, day: Day, parseLine: ParseLine, demands: Demands = {}): BoundLine {
  const { name, words } = line;
  if (words[0] === 'asof')
    throw new Problem('bad-input', "every command of a plan is an asof command: leave out 'asof'");
  // The words that bind the line are added at its end, where `--` would make them arguments.
  if (words.includes('--')) throw new Problem('bad-input', "a plan cannot use '--'");
  const parsed = parsedLine(line, parseLine);
  if (parsed === undefined)
    throw new Problem('bad-input', `'${words.join(' ')}' is not a command that reads data`);
  const refuse = (typed: string, reason: string) => {
    throw new Problem('bad-input', `a plan cannot use ${typed}: ${reason}`);
  };
  for (const flag of parsed.typed)
    for (const [flags, reason] of refused) if (flags.includes(flag)) refuse(flag, reason);
  // The date would change with every run, and when the snapshot is verified.
  for (const { text, moves } of parsed.resolved)
    if (moves) refuse(`'${text}'`, 'it means another day in each run');
  const bound = bind(parsed.query, day);
  if (parsed.output.format === undefined && formatForFile(name) === undefined)
    throw new Problem('bad-input', `the name ${name} has no format`, {
      hints: ['use an ending such as .csv, or add --format'],
    });
  return {
    ...line,
    ...bound,
    words: [...words, ...bound.words],
    demands: { ...demands, ...parsed.demands },
    output: outputChoice({ ...parsed.output, file: name }, {}, shapesOf(bound.query)),
  };
}

/**
 * Binds the commands that wrote the files of a snapshot, as the lines of a plan; a failure names the file.
 * A manifest may come from anywhere, so asof runs only commands that a plan could have.
 */
export function bindRecords(files: readonly FileRecord[], day: Day, parseLine: ParseLine) {
  return files.map(({ name, command, aliases }, i) =>
    placed(name, () => ({
      ...boundLine({ number: i + 1, name, words: wordsOf(command) }, day, parseLine),
      ...defined({ aliases }),
    })),
  );
}

/** Parses the command of a line; a line that begins with its command lacks the name of its file. */
function parsedLine({ name, words }: PlanLine, parseLine: ParseLine): ParsedPlanLine | undefined {
  try {
    return parseLine(words);
  } catch (error) {
    const whole = parsedOrNothing(() => parseLine([name, ...words]));
    if (whole === undefined) throw error;
    const isOutput = (word: string | undefined) => word === '-o' || word === '--output';
    const command = words.filter((word, i) => !isOutput(word) && !isOutput(words[i - 1]));
    throw new Problem('bad-input', 'the line begins with its command, and not with the name of its file', {
      hints: [`write ${lineOf([whole.output.file ?? 'FILE.csv', name, ...command])}`],
    });
  }
}

function parsedOrNothing(parse: () => ParsedPlanLine | undefined): ParsedPlanLine | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** Puts a failure with all its details into one line, between two texts, for logs that show the last line. */
export function inOneLine(
  error: unknown,
  { before = '', after = '' }: { readonly before?: string; readonly after?: string },
): unknown {
  const problem = fileProblem(error) ?? problemOf(error);
  if (problem === undefined) return error;
  const { headline, list, hints, servedRequest: request } = problem;
  const known = [...hints, ...(request === undefined ? [] : [`request ${request}`])];
  const more = known.length === 0 ? '' : ` (${known.join('; ')})`;
  const { kind, field, retryAfter } = problem;
  return new Problem(kind, `${before}${[headline, ...list].join('; ')}${more}${after}`, {
    cause: error,
    ...defined({ field, retryAfter }),
  });
}

/** Calls `work`; a failure is in one line that begins with the place of a command. */
function placed<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw inOneLine(error, { before: `${place}: ` });
  }
}

function fileProblem(error: unknown): Problem | undefined {
  if (!isSystemError(error)) return undefined;
  const { path, dest }: NodeJS.ErrnoException & { readonly dest?: string } = error;
  return path === undefined ? undefined : systemProblem('write to', dest ?? path, error);
}

type PlanWriting = Pick<Asker, 'client' | 'signal'> & {
  readonly asOf: Day;
  readonly folder: string;
  /** The name of the plan in messages; absent for the lines of a manifest. */
  readonly plan?: string;
  /** Called before each line with its file and the number of finished lines. */
  readonly onLine?: ((name: string, done: number) => void) | undefined;
};

/** A written file, and the notes about its data. */
export type WrittenLine = { readonly record: FileRecord; readonly notes: readonly string[] };

/** Answers all lines and writes their files. */
export async function writeLines(
  lines: readonly BoundLine[],
  writing: PlanWriting,
): Promise<readonly WrittenLine[]> {
  const { plan, signal, onLine } = writing;
  const written: WrittenLine[] = [];
  for (const [done, line] of lines.entries()) {
    onLine?.(line.name, done);
    try {
      written.push(await writeLine(line, writing));
    } catch (error) {
      if (signal.aborted) throw error;
      const place = plan === undefined ? line.name : `${plan} line ${line.number} (${line.name})`;
      throw inOneLine(error, { before: `${place}: ` });
    }
  }
  return written;
}

/** All lines of a plan share one watch over the state of the data, so no query needs its own. */
const unwatched: Ask['client']['watch'] = async () => ({ changed: async () => false, requests: () => 0 });

async function writeLine(
  line: BoundLine,
  { client, asOf, folder, signal }: PlanWriting,
): Promise<WrittenLine> {
  const { name, query, demands, output } = line;
  signal.throwIfAborted();
  // The notes are read when the file is complete.
  const note = () => undefined;
  const based = askOf({ client, naming: commandNaming, note, signal, drawn: output.drawn }, demands, asOf);
  const ask = { ...based, client: { ...boundedClient(based.client, asOf), watch: unwatched } };
  const path = join(folder, name);
  const write = async () => {
    const answer = await run(query, ask);
    const renderer = await rendererFor(output, answer, false);
    const chunks = new ReturningIterable(renderPages(renderer, pagesFor(renderer, answer)));
    // The state of the data may have changed in the middle of an earlier attempt.
    const file = await open(path, 'w');
    try {
      for await (const chunk of chunks) {
        await file.writeFile(chunk).catch(naming(path));
        await pause(signal);
      }
    } finally {
      await file.close();
    }
    return chunks.returned?.rows ?? 0;
  };
  for (const [alias, id] of Object.entries(line.aliases ?? {})) ask.basis.aliases.set(alias, id);
  const rows = await write().catch(async (error) => {
    throw await withSuggestion(error, ask, asOf);
  });
  if (rows === 0 && output.failEmpty)
    throw new Problem('no-rows', 'it has no rows, which --fail-empty does not allow');
  const coverage = ask.basis.upTo(asOf);
  const record = {
    ...{ name, command: lineOf(line.words), as_of: line.asOf, rows },
    ...(coverage.length > 0 && { coverage }),
    ...(ask.basis.aliases.size > 0 && { aliases: Object.fromEntries(ask.basis.aliases) }),
    ...(await sumOfFile(path)),
  };
  return { record, notes: lineNotes(line, notesOf(ask, asOf), asOf) };
}

function lineNotes({ name, query }: BoundLine, notes: readonly Note[], asOf: Day): readonly string[] {
  const texts = (wanted: Note['kind']) => notes.flatMap(({ kind, text }) => (kind === wanted ? text : []));
  const { from = '' } = query.values;
  const isLater = String(from) > asOf;
  return [
    ...texts('alias'),
    ...texts('stale'),
    ...texts('known at').map((text) => `${name}: ${text}`),
    ...texts('sampled'),
    ...(isLater ? [`${name}: --from ${from} is later than ${asOf}, the as-of date of the snapshot`] : []),
    ...texts('missing').map((text) => `${name}: ${text}`),
  ];
}
