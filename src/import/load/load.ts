import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { Statement } from '../../domain/series/statement.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';
import type { Merged, StoreWriter } from '../../store/store.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { Batch, ImportFormat, ReadOptions } from '../formats/format.ts';
import { type Conflict, conflictsProblem } from './conflict.ts';
import { type FileHeadway, headway } from './progress.ts';
import { newRegistry, type Registry, type RegistryOptions } from './registry.ts';
import { newOwnWords, type OwnWords } from './stated-values.ts';
import { type FileSummary, newTally, type Tally } from './tally.ts';

/** A file of an import and the format that it is read as. */
export type Input = { readonly file: SourceFile; readonly format: ImportFormat };

/** How an import treats what it reads. */
export type LoadOptions = ReadOptions &
  RegistryOptions & {
    /** A whole vintage withdraws every date that it does not list. */
    readonly complete: boolean;
    /** The time to log, ISO 8601. */
    readonly importedAt: string;
    /** Statements that wait in memory before they are merged; the result does not depend on where they are cut. */
    readonly bufferSize?: number;
    /** Called between stretches of work, which wait for it: where a caller takes a turn, or stops by throwing. */
    readonly onProgress?: (progress: LoadProgress) => Promise<void>;
  };

/** How far an import has come: the rows of the file at hand, and the bytes of all files. */
export type LoadProgress = {
  readonly file: string;
  readonly rows: number;
  readonly done: number;
  readonly total: number;
};

const usualBufferSize = 400_000;

/**
 * Reads files into a store within the writer's transaction, which the caller commits or rolls back.
 * Every conflict of the whole import is collected before it is refused.
 */
export async function load(
  inputs: readonly Input[],
  writer: StoreWriter,
  options: LoadOptions,
): Promise<readonly FileSummary[]> {
  checkFiledOn(inputs, options);
  const conflicts: Conflict[] = [];
  const registry = newRegistry(writer, options, conflicts);
  const whole = { ...options, together: inputs.map(({ file }) => file) };
  const ownWords = options.replace ? newOwnWords() : undefined;
  const come = headway(whole.together);
  const shared = { writer, options: whole, registry, conflicts, ownWords };
  const summaries: FileSummary[] = [];
  for (const { file, format } of inputs) {
    checkFlags(file, format, options);
    const fileCome = come.begin(file);
    const loading = { ...shared, ...fileCome, format, tally: newTally(), total: come.total };
    const summary = await loadFile(loading);
    const { vintages: _vintages, filings: _filings, notes: _notes, ...logged } = summary;
    writer.recordImport({ ...logged, importedAt: options.importedAt, sha256: await file.sha256() });
    summaries.push(summary);
  }
  registry.settle();
  if (conflicts.length > 0) throw conflictsProblem(conflicts);
  return summaries;
}

/** Everything that the import of one file works with. */
type FileLoad = Input &
  FileHeadway & {
    /** Bytes of all files. */
    readonly total: number;
    readonly writer: StoreWriter;
    readonly options: LoadOptions;
    readonly registry: Registry;
    readonly conflicts: Conflict[];
    readonly tally: Tally;
    /** Only where statements are replaced: without, contradictions are found against the store. */
    readonly ownWords: OwnWords | undefined;
  };

async function loadFile(loading: FileLoad): Promise<FileSummary> {
  const { file, format, options, writer, tally } = loading;
  const { complete, bufferSize = usualBufferSize } = options;
  const waiting = new Map<string, Statement[]>();
  const listed: ListedDates = new Map();
  const completed: { readonly seriesId: string; readonly asOf: Day }[] = [];
  let [rows, buffered] = [0, 0];
  for await (const batch of format.read(file, options)) {
    takeMetadata(loading, batch);
    const statements = batch.statements ?? [];
    sortBySeries(loading, statements, waiting);
    if (complete) listDates(listed, statements, loading.registry);
    completed.push(...(batch.complete ?? []));
    mergePoints(loading, batch.points ?? []);
    mergeFilings(loading, batch.filings ?? []);
    tally.note(...(batch.notes ?? []));
    buffered += statements.length;
    rows += statements.length + (batch.points?.length ?? 0) + (batch.filings?.length ?? 0);
    if (buffered === 0) loading.settle();
    await tell(loading, rows, 0);
    if (buffered < bufferSize) continue;
    await mergeWaiting(loading, waiting, rows, buffered);
    buffered = 0;
  }
  await mergeWaiting(loading, waiting, rows, buffered);
  for (const [id, vintages] of listed) {
    for (const [day, dates] of vintages)
      count(loading, id, writer.complete(id, { asOf: day, dates }, options));
  }
  for (const { seriesId, asOf } of completed) {
    if (asOf > options.latest) throw future(loading, asOf, seriesId);
    const id = loading.registry.idOf(seriesId);
    count(loading, id, writer.complete(id, { asOf }, options));
  }
  return tally.summary(file.path, format.kind);
}

async function tell({ options, file, done, total }: FileLoad, rows: number, share: number): Promise<void> {
  await options.onProgress?.({ file: file.path, rows, done: done(share), total });
}

function takeMetadata({ file, registry }: FileLoad, { metadata, implied, coverage }: Batch): void {
  for (const given of metadata ?? []) registry.state(given, file.path);
  for (const given of implied ?? []) registry.imply(given, file.path);
  for (const { seriesId, coveredTo } of coverage ?? []) registry.cover(seriesId, coveredTo);
}

/** Puts statements beside those of their series that wait already. */
function sortBySeries(
  loading: FileLoad,
  statements: readonly Statement[],
  waiting: Map<string, Statement[]>,
): void {
  const { format, options, registry } = loading;
  let seriesId: string | undefined;
  let target: Statement[] = [];
  for (const statement of statements) {
    if (statement.seriesId !== seriesId) {
      seriesId = statement.seriesId;
      registry.claim(seriesId, format.source);
      const id = registry.idOf(seriesId);
      target = waiting.get(id) ?? [];
      waiting.set(id, target);
    }
    if (statement.asOf > options.latest) throw future(loading, statement.asOf, statement.seriesId);
    target.push(statement);
  }
}

async function mergeWaiting(
  loading: FileLoad,
  waiting: Map<string, Statement[]>,
  rows: number,
  buffered: number,
): Promise<void> {
  let merged = 0;
  for (const [id, statements] of waiting) {
    await tell(loading, rows, merged / buffered);
    merged += statements.length;
    for (const { asOf } of statements) loading.tally.vintage(id, asOf);
    for (const clash of loading.ownWords?.say(id, statements) ?? [])
      loading.conflicts.push({ kind: 'value', file: loading.file.path, seriesId: id, clash });
    count(loading, id, loading.writer.merge(id, statements, loading.options));
  }
  waiting.clear();
  loading.settle();
}

function count({ tally, conflicts, file }: FileLoad, seriesId: string, merged: Merged): void {
  tally.add(seriesId, merged);
  for (const clash of merged.clashes) conflicts.push({ kind: 'value', file: file.path, seriesId, clash });
}

function mergePoints(loading: FileLoad, points: readonly CurvePoint[]): void {
  const { file, options, writer, tally, conflicts } = loading;
  for (const { tradeDate, curveType } of points) {
    if (tradeDate > options.latest) throw future(loading, tradeDate, `the ${curveType} curve`);
  }
  for (const curveType of new Set(points.map((point) => point.curveType))) {
    const own = points.filter((point) => point.curveType === curveType);
    const { added, known, clashes } = writer.mergePoints(own, options);
    tally.add(`${curveType} curve`, { added, known, withdrawn: 0 });
    for (const clash of clashes) conflicts.push({ kind: 'rate', file: file.path, clash });
  }
}

function mergeFilings(
  { file, options, writer, tally, conflicts }: FileLoad,
  filings: readonly Filing[],
): void {
  for (const { filedOn, filingId } of filings) {
    if (filedOn > options.latest) throw notFiledYet(file, filedOn, filingId, options);
  }
  const merged = writer.mergeFilings(filings, options);
  tally.addTrades(filings, merged);
  for (const clash of merged.clashes) conflicts.push({ kind: 'filing', file: file.path, clash });
}

type ListedDates = Map<string, Map<Day, Set<Day>>>;

function listDates(listed: ListedDates, statements: readonly Statement[], { idOf }: Registry): void {
  for (const { seriesId, asOf, date } of statements) {
    const id = idOf(seriesId);
    const vintages = listed.get(id) ?? new Map<Day, Set<Day>>();
    listed.set(id, vintages);
    const dates = vintages.get(asOf) ?? new Set<Day>();
    vintages.set(asOf, dates);
    dates.add(date);
  }
}

function future({ file, format, options: { latest } }: FileLoad, day: Day, what: string): Error {
  return refusal(
    file,
    { value: day },
    `${what} cannot be known on a day that has not begun anywhere (today is at most ${latest})`,
    format.takesAsOf ? ['--as-of D says when a whole-vintage file was really known'] : [],
  );
}

function notFiledYet(file: SourceFile, day: Day, filing: string, { latest }: LoadOptions): Error {
  const reason = `the filing ${filing} cannot have been filed on a day that has not begun anywhere (today is at most ${latest})`;
  return refusal(file, { value: day }, reason);
}

function checkFiledOn(inputs: readonly Input[], { filedOn }: LoadOptions): void {
  if (filedOn === undefined || inputs.some(({ format }) => format.takesFiledOn === true)) return;
  throw new Problem('bad-input', '--filed-on is for ownership XML, and no file of this import is one', {
    field: 'filed_on',
  });
}

function checkFlags(file: SourceFile, format: ImportFormat, { asOf, series, complete }: LoadOptions): void {
  const { kind } = format;
  if (asOf !== undefined && !format.takesAsOf) {
    throw refusal(
      file,
      {},
      `--as-of does not apply to ${kind}: the file itself says when its figures were known`,
    );
  }
  if (complete && !format.whole) {
    throw refusal(file, {}, `--complete does not apply to ${kind}: it is for files that hold whole vintages`);
  }
  if (series !== undefined && format.takesSeries !== true) {
    throw refusal(
      file,
      {},
      `--series does not apply to ${kind}: the file names its series (--id OLD=NEW renames one)`,
    );
  }
}
