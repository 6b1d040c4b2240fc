import { createHash } from 'node:crypto';
import type { Filing } from '../../domain/insider/filing.ts';
import type { WholeVintage } from '../../domain/series/merge-plan.ts';
import type { Statement, StatementConflict } from '../../domain/series/revision-history.ts';
import { type CurvePoint, yieldSeries } from '../../domain/treasury/curve.ts';
import { type Day, type Frequency, storedDate } from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import type { MergeOutcome } from '../../store/series-writer.ts';
import type { ImportRecord } from '../../store/store.ts';
import type { StoreWriter } from '../../store/writer.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { Batch, ImportFormat } from '../formats/format.ts';
import { type ImportConflict, ImportRefusal } from './conflict.ts';
import { Rates } from './rates.ts';
import { type LoadOptions, Registry } from './registry.ts';
import { countProjections, type FileSummary, Tally } from './tally.ts';

/** A file of an import and its format. */
export type ImportFile = { readonly file: SourceFile; readonly format: ImportFormat };

/**
 * Reads files into a store within the writer's transaction, which the caller commits or rolls back.
 * Throws if there are conflicts; with `onConflicts`, it imports all but these instead.
 */
export async function load(
  inputs: readonly ImportFile[],
  writer: StoreWriter,
  options: LoadOptions,
): Promise<readonly FileSummary[]> {
  checkFiledOn(inputs, options);
  checkFlags(inputs, options);
  const files = inputs.map(({ file }) => file);
  const conflicts: ImportConflict[] = [];
  const shared = {
    writer,
    options: { ...options, together: files },
    registry: new Registry(writer, options, conflicts),
    conflicts,
    progress: new ByteProgress(files),
    // A store of an older version has rates as series, which stay series there.
    storedRates: await writer.withStatements(yieldSeries.map(({ id }) => id)),
    log: options.replace ? new StatementLog() : undefined,
  };
  const summaries: FileSummary[] = [];
  const records: ImportRecord[] = [];
  for (const { file, format } of inputs) {
    const summary = await new FileLoader(file, format, shared).load();
    const { kind, series, statementsNew, statementsKnown, withdrawn } = summary;
    const counts = { series, statementsNew, statementsKnown, withdrawn };
    const { importedAt } = options;
    records.push({ file: summary.file, kind, ...counts, importedAt, sha256: await file.sha256() });
    const notes = [...unusedAsOf(format, options, summary.vintages), ...summary.notes];
    summaries.push({ ...summary, notes });
  }
  checkSkipped(summaries, options);
  for (const record of inOneRecord(records, options.loggedAs)) await writer.recordImport(record);
  await shared.registry.finish();
  if (conflicts.length > 0) {
    if (options.onConflicts === undefined) throw new ImportRefusal(conflicts);
    options.onConflicts(conflicts);
  }
  return summaries;
}

/** Merges log entries under one `name`, if any; the checksum is that of their checksums. */
function inOneRecord(records: readonly ImportRecord[], name: string | undefined): readonly ImportRecord[] {
  const [first] = records;
  if (name === undefined || first === undefined || records.length === 1) return records;
  const sum = (key: 'series' | 'statementsNew' | 'statementsKnown' | 'withdrawn') =>
    records.reduce((all, record) => all + record[key], 0);
  const sha256 = createHash('sha256')
    .update(records.map((record) => `${record.sha256}\n`).join(''))
    .digest('hex');
  return [
    {
      ...first,
      file: name,
      sha256,
      series: sum('series'),
      statementsNew: sum('statementsNew'),
      statementsKnown: sum('statementsKnown'),
      withdrawn: sum('withdrawn'),
    },
  ];
}

/** Flags that only some formats take, with the reason for the others. */
const flags: readonly {
  readonly name: string;
  readonly isGiven: (options: LoadOptions) => boolean;
  readonly takes: (format: ImportFormat) => boolean;
  readonly reason: string;
}[] = [
  {
    name: '--as-of',
    isGiven: ({ asOf }) => asOf !== undefined,
    takes: ({ takesAsOf }) => takesAsOf === true,
    reason: 'the file states when its figures were known',
  },
  {
    name: '--complete',
    isGiven: ({ complete }) => complete,
    takes: ({ whole }) => whole === true,
    reason: 'it is for files of whole vintages',
  },
  {
    name: '--series',
    isGiven: ({ series }) => series !== undefined,
    takes: ({ takesSeries }) => takesSeries === true,
    reason: 'the file names its series (--id OLD=NEW renames one)',
  },
];

/** Throws for a flag that no file takes; in an archive or folder, some files may take it. */
function checkFlags(inputs: readonly ImportFile[], options: LoadOptions): void {
  for (const { name, isGiven, takes, reason } of flags) {
    const [first] = inputs;
    if (first === undefined || !isGiven(options) || inputs.some(({ format }) => takes(format))) continue;
    throw refusal(first.file, {}, `${name} does not apply to ${first.format.kind}: ${reason}`, [
      `leave out ${name}`,
    ]);
  }
}

function checkSkipped(summaries: readonly FileSummary[], { skipDays = [] }: LoadOptions): void {
  const skipped = new Set(summaries.flatMap((summary) => summary.skippedDays ?? []));
  const absent = skipDays.find((day) => !skipped.has(day));
  if (absent === undefined) return;
  throw new Problem('bad-input', `--skip-days ${absent}: no file of this import has a curve of that day`, {
    field: 'skip_days',
    hints: ['leave it out, or name a trade date of a file'],
  });
}

/** Makes a note on a file that states its own vintage dates, which `--as-of` does not change. */
function unusedAsOf({ takesAsOf }: ImportFormat, { asOf }: LoadOptions, vintages: number): readonly string[] {
  if (asOf === undefined || takesAsOf === true || vintages === 0) return [];
  return [`the file states when its figures were known; --as-of ${asOf} is ignored`];
}

function checkFiledOn(inputs: readonly ImportFile[], { filedOn }: LoadOptions): void {
  if (filedOn === undefined || inputs.some(({ format }) => format.takesFiledOn === true)) return;
  throw new Problem('bad-input', '--filed-on applies to ownership XML only, and this import has none', {
    field: 'filed_on',
  });
}

type ImportState = {
  readonly writer: StoreWriter;
  readonly options: LoadOptions;
  readonly registry: Registry;
  readonly conflicts: ImportConflict[];
  readonly progress: ByteProgress;
  readonly storedRates: ReadonlySet<string>;
  /** Set with `--replace`; otherwise the store finds the conflicts. */
  readonly log: StatementLog | undefined;
};

const defaultBufferSize = 400_000;

class FileLoader {
  readonly #file: SourceFile;
  readonly #format: ImportFormat;
  readonly #import: ImportState;
  readonly #tally = new Tally();
  /** The values with dates later than the days on which they were known. */
  readonly #late: Statement[] = [];
  readonly #rates: Rates;
  readonly #waiting = new Map<string, Statement[]>();
  #waitingCount = 0;
  /** The listed dates of each vintage, by series; set if other dates are withdrawn. */
  readonly #listed = new Map<string, Map<Day, Set<Day>>>();
  readonly #completed = new Map<string, WholeVintage[]>();
  #rows = 0;

  constructor(file: SourceFile, format: ImportFormat, state: ImportState) {
    this.#file = state.progress.begin(file);
    this.#format = format;
    this.#import = state;
    this.#rates = new Rates(this.#file, state.storedRates, state.options);
  }

  async load(): Promise<FileSummary> {
    const { options, registry, progress } = this.#import;
    const { bufferSize = defaultBufferSize } = options;
    for await (const batch of this.#format.read(this.#file, options)) {
      const { statements = [], complete = [], points = [], filings = [], notes = [], claims = [] } = batch;
      for (const { seriesId, source } of claims) registry.claim(seriesId, source);
      this.#tally.describe(await registry.take(this.#withoutRates(batch), this.#file.path));
      this.#collect(statements);
      for (const vintage of complete) this.#complete(vintage);
      if (points.length > 0) await this.#mergePoints(points);
      if (filings.length > 0) await this.#mergeFilings(filings);
      this.#tally.note(...notes);
      this.#tally.skip(batch.skippedDays ?? []);
      this.#rows += statements.length + points.length + filings.length;
      if (this.#waitingCount === 0) progress.store();
      await this.#report(0);
      if (this.#waitingCount >= bufferSize) await this.#mergeWaiting();
    }
    const frequencies = await registry.frequencies(new Set(this.#late.map(({ seriesId }) => seriesId)));
    this.#tally.projections = countProjections(this.#file, this.#format, options, this.#late, frequencies);
    const points = this.#rates.points();
    if (points.length > 0) await this.#mergePoints(points);
    this.#tally.note(...this.#rates.notes());
    this.#tally.skip(this.#rates.skippedDays);
    await this.#mergeWaiting();
    await this.#mergeComplete();
    return this.#tally.summary(this.#file.path, this.#format.kind);
  }

  async #report(share: number): Promise<void> {
    const { options, progress } = this.#import;
    const [rows, done] = [this.#rows, progress.done(share)];
    await options.onProgress?.({ file: this.#file.path, rows, done, total: progress.total });
  }

  #collect(statements: readonly Statement[]): void {
    const { registry, options } = this.#import;
    let seriesId: string | undefined;
    let id = '';
    let isRate = false;
    let target: Statement[] = [];
    for (const statement of statements) {
      if (statement.seriesId !== seriesId) {
        seriesId = statement.seriesId;
        id = registry.idOf(seriesId);
        isRate = this.#rates.has(id);
        if (!isRate) {
          if (this.#format.statesSources !== true) registry.claim(seriesId, this.#format.source);
          target = entryOf(this.#waiting, id, () => []);
        }
      }
      if (statement.asOf > options.latest) throw this.#future(statement.asOf, statement.seriesId);
      if (statement.value !== null && statement.date > statement.asOf)
        this.#late.push({ ...statement, seriesId: id });
      if (isRate) {
        this.#rates.add(id, statement);
        continue;
      }
      target.push(statement);
      this.#waitingCount += 1;
      if (options.complete && this.#format.whole === true) this.#list(id, statement);
    }
  }

  /** Removes coverage and implied metadata of rates, which have no vintages. */
  #withoutRates(batch: Batch): Batch {
    const { coverage = [], implied = [] } = batch;
    const isSeries = ({ seriesId }: { readonly seriesId: string }): boolean =>
      !this.#rates.has(this.#import.registry.idOf(seriesId));
    return { ...batch, coverage: coverage.filter(isSeries), implied: implied.filter(isSeries) };
  }

  #list(id: string, { asOf, date }: Statement): void {
    const vintages = entryOf(this.#listed, id, () => new Map<Day, Set<Day>>());
    entryOf(vintages, asOf, () => new Set<Day>()).add(date);
  }

  #complete({ seriesId, asOf, kind }: Required<Batch>['complete'][number]): void {
    const { registry, options } = this.#import;
    if (asOf > options.latest) throw this.#future(asOf, seriesId);
    const id = registry.idOf(seriesId);
    if (this.#rates.has(id)) return;
    entryOf(this.#completed, id, () => []).push({ asOf, kind });
  }

  async #mergeWaiting(): Promise<void> {
    const { writer, options, registry, log, conflicts, progress } = this.#import;
    const { vintageKind: kind } = this.#format;
    const count = this.#waitingCount;
    let merged = 0;
    for (const [seriesId, statements] of this.#waiting) {
      await this.#report(merged / count);
      merged += statements.length;
      for (const { asOf } of statements) this.#tally.vintage(seriesId, asOf);
      const frequency = log && (await registry.frequencies(new Set([seriesId]))).get(seriesId);
      for (const conflict of log?.add(seriesId, statements, frequency) ?? [])
        conflicts.push({ kind: 'value', file: this.#file.path, seriesId, bothNew: true, ...conflict });
      this.#count(seriesId, await (await writer.series(seriesId)).merge(statements, { ...options, kind }));
    }
    this.#waiting.clear();
    this.#waitingCount = 0;
    progress.store();
  }

  async #mergeComplete(): Promise<void> {
    const { writer, options } = this.#import;
    const { vintageKind: kind } = this.#format;
    for (const [id, listed] of this.#listed) {
      const vintages = Array.from(listed, ([asOf, dates]) => ({ asOf, dates }));
      this.#count(id, await (await writer.series(id)).complete(vintages, { ...options, kind }));
    }
    for (const [id, vintages] of this.#completed)
      this.#count(id, await (await writer.series(id)).complete(vintages, { ...options, kind }));
  }

  #count(seriesId: string, merged: MergeOutcome): void {
    this.#tally.add(seriesId, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: 'value', file: this.#file.path, seriesId, ...conflict });
  }

  async #mergePoints(points: readonly CurvePoint[]): Promise<void> {
    const { writer, options } = this.#import;
    for (const { tradeDate, curveType } of points) {
      if (tradeDate > options.latest) throw this.#future(tradeDate, `the ${curveType} curve`);
    }
    for (const curveType of new Set(points.map((point) => point.curveType))) {
      const own = points.filter((point) => point.curveType === curveType);
      const { added, known, conflicts } = await writer.mergePoints(own, options);
      this.#tally.add(`${curveType} curve`, { added, known, withdrawn: 0 });
      for (const conflict of conflicts)
        this.#import.conflicts.push({ kind: 'rate', file: this.#file.path, ...conflict });
    }
  }

  async #mergeFilings(filings: readonly Filing[]): Promise<void> {
    const { writer, options } = this.#import;
    for (const { filedOn, filingId } of filings) {
      if (filedOn > options.latest) throw this.#future(filedOn, `the filing ${filingId}`);
    }
    const merged = await writer.mergeFilings(filings, options);
    this.#tally.addTrades(filings, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: 'filing', file: this.#file.path, ...conflict });
  }

  #future(day: Day, what: string): Error {
    const { latest } = this.#import.options;
    return refusal(
      this.#file,
      { value: day },
      `${what} is dated in the future; today is at most ${latest}`,
      this.#format.takesAsOf === true ? ['pass the date on which the figures were known with --as-of'] : [],
    );
  }
}

/** Measures progress in bytes of files, counted once they are stored. */
class ByteProgress {
  readonly total: number;
  #before = 0;
  #size = 0;
  #read = 0;
  #stored = 0;

  constructor(files: readonly SourceFile[]) {
    this.total = files.reduce((sum, { size }) => sum + size, 0);
  }

  begin(file: SourceFile): SourceFile {
    this.#before += this.#size;
    this.#size = file.size;
    this.#read = 0;
    this.#stored = 0;
    // A file that is read twice counts once.
    const tap = (bytes: number): void => {
      this.#read = Math.min(file.size, this.#read + bytes);
    };
    return { ...file, read: () => file.read(tap) };
  }

  /** Returns the stored bytes, plus a share (0..1) of the bytes that are read but not yet stored. */
  done(share: number): number {
    return this.#before + this.#stored + (this.#read - this.#stored) * share;
  }

  store(): void {
    this.#stored = this.#read;
  }
}

/** Finds differing new statements, of which `--replace` would store the last. */
class StatementLog {
  readonly #series = new Map<string, Map<Day, Map<Day, string | null>>>();

  /** Adds statements of one series and returns their conflicts with each other and with earlier ones. */
  add(
    seriesId: string,
    statements: readonly Statement[],
    frequency: Frequency = '',
  ): readonly StatementConflict[] {
    const vintages = entryOf(this.#series, seriesId, () => new Map<Day, Map<Day, string | null>>());
    return statements.flatMap(({ date: published, asOf, value }) => {
      const date = storedDate(published, frequency);
      const values = entryOf(vintages, asOf, () => new Map<Day, string | null>());
      const held = values.get(date);
      if (held === undefined) values.set(date, value);
      return held === undefined || sameNumber(held, value) ? [] : [{ date, asOf, held, given: value }];
    });
  }
}
