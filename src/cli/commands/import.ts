import { parseSeriesId, seriesIdForm } from '../../domain/series/series.ts';
import { Problem, refused } from '../../errors/problem.ts';
import type { ImportProgress } from '../../import/import.ts';
import { importReport, outdatedLines } from '../../import/report.ts';
import { messagesIn } from '../../lines/command.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import { readFor, type TypedLine } from '../../operations/typed-line.ts';
import { print } from '../../platform/sink.ts';
import { importLogText } from '../../snapshot/manifest.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { type Progress, progress } from '../terminal/progress.ts';
import { command } from './command.ts';

const { store, messages } = sharedFlags;

const importCommand = command({
  words: 'import',
  heading: 'Files',
  summary: 'Import files of vintages, curves and filings into your store',
  examples: `
# a store of your own from facts of the sample
asof facts GDP -o gdp.csv && asof import gdp.csv --store mine.db
# check a download from FRED without writing (needs the file)
asof import GDP.csv --as-of 2024-04-25 --dry-run
# the files that were imported
asof import --log
`,
  args: [
    {
      name: 'files',
      complete: 'files',
      about: 'files and folders; - is standard input',
      optional: true,
      several: true,
    },
  ],
  flags: [
    {
      name: 'kind',
      value: 'kind',
      complete: 'kinds',
      about: 'format of the files (default: by content; see asof help formats)',
    },
    { name: 'series', value: 'id', complete: 'ids', about: 'series id for files that do not name one' },
    { name: 'id', value: 'old=new', about: 'import a series under another id', repeatable: true },
    { ...sharedFlags.asOf, about: 'as-of date of files that hold one vintage and do not date it' },
    {
      name: 'date-format',
      value: 'form',
      about: 'M/D/YYYY or D/M/YYYY: whether 1/2/2024 is in January or in February',
    },
    {
      name: 'filed-on',
      value: 'date',
      complete: 'days',
      about: 'filing date of ownership XML that does not state it',
    },
    { name: 'merge', about: 'add to a series that came from another source' },
    { name: 'replace', about: 'replace known values by different ones of the same vintage date' },
    { name: 'complete', about: 'withdraw the dates that a complete vintage does not list' },
    { name: 'projections', about: 'accept values of periods that begin after their as-of date' },
    {
      name: 'skip-days',
      value: 'dates',
      about: 'leave out the curves of these trade dates, separated by commas',
    },
    { name: 'skip-unknown', about: 'skip files of unknown formats, such as a README' },
    { name: 'with-sample', about: 'start a new store as a copy of the shipped sample' },
    { name: 'dry-run', about: 'read and check everything, write nothing' },
    { name: 'log', about: 'list all imports, with the sha256 of each file' },
    store,
    ...messages,
  ],
  read: valuesIn,
  run: (line, io) => ('log' in line ? printLog(line.store, io) : importInto(line, io)),
});

/** `asof import`: imports files and folders into the store, in one transaction, or lists the imports. */
export const commands = [importCommand];

type ImportLine = Exclude<ReturnType<typeof valuesIn>, { readonly log: true }>;

function valuesIn(line: TypedLine) {
  const into = line.text('store');
  if (line.has('log')) {
    if (line.args.length > 0) throw new Problem('bad-input', '--log lists past imports and takes no files');
    return { log: true, store: into } as const;
  }
  if (line.args.length === 0) throw new Problem('bad-input', 'nothing to import: name files or folders');
  return {
    paths: line.args,
    kind: line.text('kind'),
    series: line.value('series', seriesId),
    rename: Object.fromEntries(line.texts('id').map((text) => readFor('--id', text, renaming))),
    asOf: line.day('as-of'),
    dateFormat: line.text('date-format'),
    filedOn: line.day('filed-on'),
    merge: line.has('merge'),
    replace: line.has('replace'),
    complete: line.has('complete'),
    projections: line.has('projections'),
    skipDays: line.days('skip-days'),
    skipUnknown: line.has('skip-unknown'),
    withSample: line.has('with-sample'),
    dryRun: line.has('dry-run'),
    store: into,
    messages: messagesIn(line),
    resolved: line.resolved,
  };
}

function seriesId(text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined) throw refused({ reason: `not a series id: ${seriesIdForm}` });
  return id;
}

function renaming(text: string): readonly [from: string, to: string] {
  const [from, to, ...rest] = text.split('=');
  if (from === undefined || to === undefined || rest.length > 0) throw refused({ reason: 'use OLD=NEW' });
  return [seriesId(from), seriesId(to)];
}

async function importInto(line: ImportLine, io: Io): Promise<number> {
  const { paths, messages: _messages, resolved, store: _store, ...options } = line;
  const messages = messagesOf(line.messages, io);
  messages.resolved(resolved);
  const store = storeToWrite(io, line.store);
  const progressLine = new ImportProgressLine(() => progress(io, line.messages.quiet));
  const { importFiles } = await import('../../import/import.ts');
  try {
    const { clock, signal, stdin } = io;
    if (paths.includes('-') && stdin.isTTY === true)
      messages.note('asof: reading the terminal; end the input with Ctrl-D');
    const result = await importFiles(paths, {
      ...options,
      ...{ store, clock, signal, stdin },
      onProgress: (done) => progressLine.show(done),
    });
    progressLine.clear();
    const replacesSample = !options.withSample && store === defaultStorePath(io);
    for (const text of importReport(result, replacesSample)) messages.note(text);
    return exitCode.success;
  } catch (error) {
    progressLine.clear();
    if (io.signal.aborted) messages.note('asof: stopped; nothing was imported');
    throw io.stderr.isTTY === true ? await shortened(error) : error;
  }
}

/** More conflicts would scroll their counts off a terminal. */
const mostConflicts = 100;

/** A failure whose list of conflicts fits a terminal. */
export async function shortened(error: unknown): Promise<unknown> {
  const { ImportRefusal } = await import('../../import/load/conflict.ts');
  return error instanceof ImportRefusal ? error.cutAt(mostConflicts) : error;
}

/** Prints every import of a store as CSV, oldest first. */
async function printLog(store: string | undefined, io: Io): Promise<number> {
  const { importLog } = await import('../../import/import.ts');
  const log = await importLog(storeToRead(io, store).path);
  await print(importLogText(log), io);
  const outdated = log.filter((entry) => entry.outdated).map(({ file }) => file);
  for (const text of outdatedLines(outdated)) io.stderr.write(`${text}\n`);
  return exitCode.success;
}

/** The progress line of an import; each stage has its own rate. */
class ImportProgressLine {
  readonly #newLine: () => Progress;
  #stage: ImportProgress['stage'] | undefined;
  #line: Progress;

  constructor(newLine: () => Progress) {
    this.#newLine = newLine;
    this.#line = newLine();
  }

  show(made: ImportProgress): void {
    if (made.stage !== this.#stage && this.#stage !== undefined) {
      this.clear();
      this.#line = this.#newLine();
    }
    this.#stage = made.stage;
    const { file, done, total } = made;
    if (made.stage === 'recognise') {
      this.#line.show(() => `looking at ${file}`, { done, total, unit: 'files' });
      return;
    }
    const { rows } = made;
    this.#line.show(() => `${rows.toLocaleString('en-US')} rows of ${file}`, { done, total, unit: 'bytes' });
  }

  clear(): void {
    this.#line.clear();
  }
}
