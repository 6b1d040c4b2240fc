import { setImmediate as nextTick } from 'node:timers/promises';
import { latestDay, utcDay } from '../../domain/series/date.ts';
import type { FileSummary } from '../../import/load/tally.ts';
import { samplePath } from '../../platform/installation.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import type { ImportLine, ImportLogLine } from '../options/line.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';
import { print } from '../terminal/stream-sink.ts';

/** `asof import`: imports files and folders into the store, in one transaction. */
export async function runImport(line: ImportLine, io: Io): Promise<number> {
  const [{ sourceFiles }, { recognise }, { load }, { openWriter }] = await Promise.all([
    import('../../import/files/walk.ts'),
    import('../../import/formats/recognise.ts'),
    import('../../import/load/load.ts'),
    import('../../store/open.ts'),
  ]);
  const { asOf, filedOn, series, rename, merge, replace, complete, dryRun } = line;
  const { quiet } = line.messages;
  const messages = messagesOf(line.messages, io);
  for (const flag of line.today) messages.detail(`asof: ${flag} today is ${utcDay(io.clock())}`);
  const files = await sourceFiles(line.paths);
  const inputs = [];
  const looking = progress(io, quiet);
  try {
    for (const [done, file] of files.entries()) {
      io.signal.throwIfAborted();
      inputs.push({ file, format: await recognise(file, line.kind) });
      looking.show(() => `looking at ${file.path}`, { done: done + 1, total: files.length, unit: 'files' });
    }
  } finally {
    looking.clear();
  }

  const path = storeToWrite(io, line.store);
  const writer = await openWriter(path, line.withSample ? samplePath() : undefined);
  const bar = progress(io, quiet);
  try {
    const now = io.clock();
    const summaries = await load(inputs, writer, {
      rename: new Map(Object.entries(rename)),
      merge,
      replace,
      complete,
      latest: latestDay(now),
      importedAt: now.toISOString(),
      onProgress: async ({ file, rows, ...bytes }) => {
        await nextTick();
        io.signal.throwIfAborted();
        bar.show(() => `${rows.toLocaleString('en-US')} rows of ${file}`, { ...bytes, unit: 'bytes' });
      },
      ...(asOf !== undefined && { asOf }),
      ...(filedOn !== undefined && { filedOn }),
      ...(series !== undefined && { series }),
    });
    // A signal that came while SQLite was working is noticed here, before anything is committed.
    await nextTick();
    io.signal.throwIfAborted();
    if (dryRun) await writer.rollback();
    else await writer.commit();
    bar.clear();
    const outcome = {
      path,
      created: writer.created,
      dryRun,
      insteadOfSample: !line.withSample && path === defaultStorePath(io),
    };
    for (const line of importReport(summaries, outcome)) messages.note(line);
    return exitCode.success;
  } catch (error) {
    bar.clear();
    await writer.rollback();
    if (io.signal.aborted) messages.note('asof: stopped; nothing was imported');
    throw error;
  }
}

/** `asof import --log`: every import of the store as CSV, oldest first. */
export async function runImportLog({ store: path }: ImportLogLine, io: Io): Promise<number> {
  const [{ openStore }, { importLogText }] = await Promise.all([
    import('../../store/open.ts'),
    import('../../snapshot/import-log.ts'),
  ]);
  const store = await openStore(storeToRead(io, path).path);
  try {
    await print(importLogText(await store.read((view) => view.imports())), io);
    return exitCode.success;
  } finally {
    await store.close();
  }
}

/** What became of the store. */
type ImportOutcome = {
  readonly path: string;
  readonly created: boolean;
  readonly dryRun: boolean;
  /** Whether a store made at this path answers where the shipped sample did. */
  readonly insteadOfSample: boolean;
};

/** The lines that an import prints when it is done. */
function importReport(summaries: readonly FileSummary[], outcome: ImportOutcome): readonly string[] {
  const files = summaries.flatMap((summary) => [
    `${summary.file}: ${summary.kind}, ${counts(summary)}`,
    ...summary.notes.map((note) => `${summary.file}: ${note}`),
  ]);
  const total = summaries.length > 1 ? [`${summaries.length} files: ${sums(summaries)}`] : [];
  return [...files, ...total, ...storeLines(outcome)];
}

function storeLines({ path, created, dryRun, insteadOfSample }: ImportOutcome): readonly string[] {
  if (dryRun) return [`dry run: nothing was written to ${path}`];
  if (!created) return [`store: ${path}`];
  if (!insteadOfSample) return [`made a new store: ${path}`];
  return [
    `made a new store: ${path}`,
    'it replaces the shipped sample from now on (--with-sample starts a new store as a copy of the sample)',
  ];
}

function counts({ series, vintages, filings, ...statementCounts }: FileSummary): string {
  return [
    ...(series > 0 || filings === 0 ? [many(series, 'series', 'series')] : []),
    ...(vintages > 0 ? [many(vintages, 'vintage')] : []),
    ...(filings > 0 ? [many(filings, 'filing')] : []),
    statements(statementCounts, series === 0 && filings > 0),
  ].join(', ');
}

type StatementCounts = Pick<FileSummary, 'statementsNew' | 'statementsKnown' | 'withdrawn'>;

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

/** Only the counts that add up: several files may be of one series, or of one vintage of it. */
function sums(summaries: readonly FileSummary[]): string {
  const total = (key: 'statementsNew' | 'statementsKnown' | 'withdrawn') =>
    summaries.reduce((all, summary) => all + summary[key], 0);
  const tradesAlone =
    summaries.every(({ series }) => series === 0) && summaries.some(({ filings }) => filings > 0);
  return statements(
    {
      statementsNew: total('statementsNew'),
      statementsKnown: total('statementsKnown'),
      withdrawn: total('withdrawn'),
    },
    tradesAlone,
  );
}
