import type { ImportProgress, ImportResult } from '../../import/import.ts';
import { print } from '../../platform/sink.ts';
import { importLogText } from '../../snapshot/manifest.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import type { ImportLine, ImportLogLine } from '../options/line.ts';
import type { Io } from '../terminal/io.ts';
import { exitCode } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { type Progress, progress } from '../terminal/progress.ts';

/** `asof import`: imports files and folders into the store, in one transaction. */
export async function runImport(line: ImportLine, io: Io): Promise<number> {
  const { command: _command, paths, messages: _messages, resolved, store: _store, ...options } = line;
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

async function shortened(error: unknown): Promise<unknown> {
  const { ImportRefusal } = await import('../../import/load/conflict.ts');
  return error instanceof ImportRefusal ? error.cutAt(mostConflicts) : error;
}

/** `asof import --log`: every import of the store as CSV, oldest first. */
export async function runImportLog({ store }: ImportLogLine, io: Io): Promise<number> {
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

type ImportedFile = ImportResult['files'][number];

/** The lines that `asof import` prints when it is done; `replacesSample`: a store at this path takes the place of the sample. */
function importReport(result: ImportResult, replacesSample: boolean): readonly string[] {
  const { files } = result;
  const lines = files.flatMap((file) => [
    `${file.file}: ${file.kind}, ${counts(file)}`,
    ...file.notes.map((note) => `${file.file}: ${note}`),
  ]);
  const left = result.skipped.map((path) => `${path}: left out, because no format recognises it`);
  const total = files.length > 1 ? [`${files.length} files: ${totals(files)}`] : [];
  return [...lines, ...left, ...total, ...storeLines(result, replacesSample)];
}

const mostOutdated = 5;

/** What to do about files that an older rule read. */
function outdatedLines(files: readonly string[]): readonly string[] {
  if (files.length === 0) return [];
  const named = files.slice(0, mostOutdated).join(', ');
  const more = files.length > mostOutdated ? ` and ${files.length - mostOutdated} more` : '';
  return [
    `${many(files.length, 'file')} of earlier imports were read by an older rule, by which blank cells said nothing: ${named}${more}`,
    'import them again, so that dates that a vintage does not have are withdrawn (asof import --log lists all imports)',
  ];
}

function storeLines(
  { store, created, dryRun, outdated }: ImportResult,
  replacesSample: boolean,
): readonly string[] {
  if (dryRun) return [`dry run: nothing was written to ${store}`];
  if (!created) return [`store: ${store}`, ...outdatedLines(outdated)];
  if (!replacesSample) return [`made a new store: ${store}`];
  return [
    `made a new store: ${store}`,
    'it replaces the shipped sample from now on (--with-sample starts a new store as a copy of the sample)',
  ];
}

function counts({ series, vintages, filings, projections, described, ...merged }: ImportedFile): string {
  if (described !== undefined && series + filings === 0) {
    const { added, changed, known } = described;
    const count = many(added + changed + known, 'series', 'series');
    return `${count} described (${grouped(added)} new, ${grouped(changed)} changed, ${grouped(known)} known)`;
  }
  return [
    ...(series > 0 || filings === 0 ? [many(series, 'series', 'series')] : []),
    ...(vintages > 0 ? [many(vintages, 'vintage')] : []),
    ...(filings > 0 ? [many(filings, 'filing')] : []),
    statements(merged, series === 0 && filings > 0),
    ...(projections > 0 ? [many(projections, 'projection')] : []),
  ].join(', ');
}

type StatementCounts = Pick<ImportedFile, 'statementsNew' | 'statementsKnown' | 'withdrawn'>;

function statements(
  { statementsNew, statementsKnown, withdrawn }: StatementCounts,
  areTrades: boolean,
): string {
  const withdrawals = withdrawn > 0 ? ` (${many(withdrawn, 'withdrawal')})` : '';
  const added = many(statementsNew, areTrades ? 'new trade' : 'new statement');
  return `${added}${withdrawals}, ${grouped(statementsKnown)} known`;
}

function many(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Statements of all files together; series and vintages do not add up, because files may share them. */
function totals(files: readonly ImportedFile[]): string {
  const total = (key: 'statementsNew' | 'statementsKnown' | 'withdrawn') =>
    files.reduce((all, file) => all + file[key], 0);
  const tradesAlone = files.every(({ series }) => series === 0) && files.some(({ filings }) => filings > 0);
  return statements(
    {
      statementsNew: total('statementsNew'),
      statementsKnown: total('statementsKnown'),
      withdrawn: total('withdrawn'),
    },
    tradesAlone,
  );
}
