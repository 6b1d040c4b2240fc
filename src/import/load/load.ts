import { createHash } from 'node:crypto';
import { type Sighting, seenOn } from '../../domain/calendar/sighting.ts';
import type { Filing } from '../../domain/insider/filing.ts';
import { sharedPeriod, type WholeVintage } from '../../domain/series/merge-plan.ts';
import { type Statement, type StatementConflict, Statements } from '../../domain/series/statements.ts';
import { type CurvePoint, yieldSeries } from '../../domain/treasury/curve.ts';
import {
  type Day,
  earlier,
  type Frequency,
  later,
  periodStart,
  storedDate,
} from '../../domain/values/date.ts';
import { sameNumber } from '../../domain/values/decimal.ts';
import { entryOf } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import type { MergeOutcome } from '../../store/series-writer.ts';
import type { ImportRecord } from '../../store/store.ts';
import type { StoreWriter } from '../../store/writer.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';
import type { Batch, ImportFile, ImportFormat, ReadOptions } from '../formats/format.ts';
import { type ImportConflict, ImportRefusal } from './conflict.ts';
import { Rates } from './rates.ts';
import { type LoadOptions, Registry } from './registry.ts';
import { type FileSummary, sumOf, Tally } from './summary.ts';

/**
 * Reads files into a store within the writer's transaction, which the caller commits or rolls back.
 * Throws if there are conflicts; with `onConflicts`, it imports all but these instead.
 */
export async function load(
  inputs: readonly ImportFile[],
  writer: StoreWriter,
  options: LoadOptions,
): Promise<readonly FileSummary[]> {
  const isFirst = options.part?.isFirst !== false;
  if (isFirst) checkFlags(inputs, options);
  const files = inputs.map(({ file }) => file);
  const conflicts: ImportConflict[] = [];
  const shared = {
    writer,
    options: { ...options, together: files },
    registry: new Registry(writer, options, conflicts),
    conflicts,
    total: files.reduce((sum, { size }) => sum + size, 0),
    // A store of an older version has rates as series, which stay series there.
    storedRates: await writer.withStatements(yieldSeries.map(({ id }) => id)),
    log: options.replace ? new StatementLog() : undefined,
  };
  const summaries: FileSummary[] = [];
  const records: ImportRecord[] = [];
  const loaded: (ImportFile & { readonly loader: FileLoader })[] = [];
  let before = 0;
  for (const [index, { file, format }] of inputs.entries()) {
    const loader = new FileLoader(file, format, { ...shared, before });
    if (await loader.load(index)) loaded.push({ file, format, loader });
    before += file.size;
  }
  for (const { file, format, loader } of loaded) {
    const summary = await loader.finish();
    const { file: path, kind } = summary;
    const { importedAt } = options;
    records.push({ ...sumOf([summary]), file: path, kind, importedAt, sha256: await file.sha256() });
    const notes = [...unusedAsOf(format, options, summary.vintages), ...summary.notes];
    summaries.push({ ...summary, notes });
  }
  if (isFirst) checkSkipped(summaries, options);
  for (const record of inOneRecord(records, options.loggedAs)) await writer.recordImport(record);
  await shared.registry.finish();
  if (options.keepUndo !== undefined) {
    const before = Math.max(0, Date.parse(options.importedAt) - options.keepUndo * 1000);
    await writer.forgetChanges(new Date(before).toISOString());
  }
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
  const sha256 = createHash('sha256')
    .update(records.map((record) => `${record.sha256}\n`).join(''))
    .digest('hex');
  return [{ ...first, ...sumOf(records), file: name, sha256 }];
}

const flags = [
  {
    flag: '--as-of',
    option: 'asOf',
    taken: 'takesAsOf',
    reason: 'the file states when its figures were known',
  },
  { flag: '--complete', option: 'complete', taken: 'whole', reason: 'it is for files of whole vintages' },
  {
    flag: '--series',
    option: 'series',
    taken: 'takesSeries',
    reason: 'the file names its series (--id OLD=NEW renames one)',
  },
  { flag: '--filed-on', option: 'filedOn', taken: 'takesFiledOn', reason: 'it is for ownership XML' },
] as const;

/** Throws for a flag that no file takes; in an archive or folder, some files may take it. */
function checkFlags(inputs: readonly ImportFile[], options: LoadOptions): void {
  const [first] = inputs;
  for (const { flag, option, taken, reason } of flags) {
    const isGiven = options[option] !== undefined && options[option] !== false;
    if (first === undefined || !isGiven || inputs.some(({ format }) => format[taken] === true)) continue;
    throw refusal(first.file, {}, `${flag} does not apply to ${first.format.kind}: ${reason}`, [
      `leave out ${flag}`,
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

function unusedAsOf({ takesAsOf }: ImportFormat, { asOf }: LoadOptions, vintages: number): readonly string[] {
  if (asOf === undefined || takesAsOf === true || vintages === 0) return [];
  return [`the file states when its figures were known; --as-of ${asOf} is ignored`];
}

type ImportState = {
  readonly writer: StoreWriter;
  readonly options: LoadOptions;
  readonly registry: Registry;
  readonly conflicts: ImportConflict[];
  /** Bytes of all files, and of those before this one. */
  readonly total: number;
  readonly before: number;
  readonly storedRates: ReadonlySet<string>;
  /** Set with `--replace`; otherwise the store finds the conflicts. */
  readonly log: StatementLog | undefined;
};

/** A million statements that wait take some 60 MB; a file with more of them reads series back that it stored before. */
const defaultBufferSize = 1_000_000;

class FileLoader {
  readonly #file: SourceFile;
  readonly #format: ImportFormat;
  readonly #import: ImportState;
  readonly #tally = new Tally();
  /** The values with dates later than the days on which they were known. */
  readonly #late: Statement[] = [];
  readonly #rates: Rates;
  readonly #waiting = new Map<string, Statements>();
  #waitingCount = 0;
  /** Whole vintages by series and day, with their dates where other dates are withdrawn. */
  readonly #whole = new Map<string, Map<Day, WholeVintage & { readonly dates?: Set<Day> }>>();
  readonly #unfigured: Required<Batch>['unfigured'][] = [];
  #rows = 0;
  /** Bytes that are read, and those whose statements are stored. */
  #read = 0;
  #stored = 0;

  constructor(file: SourceFile, format: ImportFormat, state: ImportState) {
    this.#file = { ...file, read: () => file.read(this.#tap) };
    this.#format = format;
    this.#import = state;
    this.#rates = new Rates(this.#file, state.storedRates, state.options);
  }

  // A file that is read twice counts once.
  readonly #tap = (bytes: number): void => {
    this.#read = Math.min(this.#file.size, this.#read + bytes);
  };

  /** Stores what the file states, but what depends on the vintages of all files; false if the part has nothing of it. */
  async load(index: number): Promise<boolean> {
    const { options, registry } = this.#import;
    const { bufferSize = defaultBufferSize, part } = options;
    const batches = part === undefined ? this.#format.read(this.#file, options) : part.read(index, this.#tap);
    if (batches === undefined) return false;
    for await (const batch of batches) {
      if (batch.unfigured !== undefined) this.#unfigured.push(batch.unfigured);
      const { statements = [], complete = [], points = [], filings = [], notes = [], claims = [] } = batch;
      const { sightings = [] } = batch;
      for (const { seriesId, source } of claims) registry.claim(seriesId, source);
      this.#tally.describe(await registry.take(this.#withoutRates(batch), this.#file.path));
      this.#collect(statements);
      for (const vintage of complete) this.#complete(vintage);
      if (points.length > 0) await this.#mergePoints(points);
      if (filings.length > 0) await this.#mergeFilings(filings);
      for (const sighting of sightings) await this.#mergeSighting(sighting);
      this.#tally.note(...notes);
      this.#tally.skip(batch.skippedDays ?? []);
      this.#rows += lengthOf(statements) + points.length + filings.length;
      if (this.#waitingCount === 0) this.#stored = this.#read;
      await this.#report(0);
      if (this.#waitingCount >= bufferSize) await this.#mergeWaiting(statements.at(-1)?.seriesId);
    }
    const frequencies = await registry.frequencies(new Set(this.#late.map(({ seriesId }) => seriesId)));
    this.#tally.projections = countProjections(this.#file, this.#format, options, this.#late, frequencies);
    const points = this.#rates.points();
    if (points.length > 0) await this.#mergePoints(points);
    this.#tally.note(...this.#rates.notes());
    this.#tally.skip(this.#rates.skippedDays);
    await this.#mergeWaiting();
    await this.#mergeComplete();
    return true;
  }

  /** Stores what is left, when all files are loaded, and returns the summary of the file. */
  async finish(): Promise<FileSummary> {
    const { writer, registry } = this.#import;
    let leftOut = 0;
    for (const { seriesId, asOf, batches } of this.#unfigured) {
      const first = await writer.firstVintage(registry.idOf(seriesId));
      if (first === undefined || first >= asOf) {
        leftOut += 1;
        continue;
      }
      for (const batch of batches) {
        await registry.take(this.#withoutRates(batch), this.#file.path);
        this.#collect(batch.statements ?? []);
        this.#rows += lengthOf(batch.statements ?? []);
      }
    }
    await this.#mergeWaiting();
    await this.#mergeComplete();
    if (leftOut > 0)
      this.#tally.note(
        `${counted(leftOut, 'series', 'series')} without a figure up to this vintage, left out`,
      );
    return this.#tally.summary(this.#file.path, this.#format.kind);
  }

  /** Reports the stored bytes, and a share (0..1) of the bytes that are read but not yet stored. */
  async #report(share: number): Promise<void> {
    const { options, total, before } = this.#import;
    const done = before + this.#stored + (this.#read - this.#stored) * share;
    await options.onProgress?.({ file: this.#file.path, rows: this.#rows, done, total });
  }

  #collect(statements: readonly Statements[]): void {
    const { registry, options } = this.#import;
    for (const given of statements) {
      if (given.length === 0) continue;
      const { seriesId } = given;
      const id = registry.idOf(seriesId);
      const isRate = this.#rates.has(id);
      if (!isRate && this.#format.statesSources !== true) registry.claim(seriesId, this.#format.source);
      const days = given.asOf.distinct();
      for (const day of days) this.#refuseFuture(day, seriesId);
      // Most series have no date after the first of these days.
      if (given.dates.distinct().reduce(later) > days.reduce(earlier)) this.#noteLate(id, given);
      if (isRate) {
        for (const one of given) this.#rates.add(id, one);
        continue;
      }
      entryOf(this.#waiting, id, () => new Statements(id, [], given.dates.all)).addAll(given);
      this.#waitingCount += given.length;
      if (options.complete !== true || this.#format.whole !== true) continue;
      const vintages = this.#vintagesOf(id);
      for (const { date, asOf } of given)
        entryOf(vintages, asOf, () => ({ asOf, dates: new Set<Day>() })).dates?.add(date);
    }
  }

  #noteLate(seriesId: string, { dates, asOf: days, values }: Statements): void {
    for (let place = 0; place < values.length; place += 1) {
      const [date, asOf] = [dates.at(place), days.at(place)];
      const value = values[place] ?? null;
      if (value !== null && date > asOf) this.#late.push({ seriesId, date, asOf, value });
    }
  }

  /** Removes coverage and implied metadata of rates, which have no vintages. */
  #withoutRates(batch: Batch): Batch {
    const { coverage = [], implied = [] } = batch;
    const isSeries = ({ seriesId }: { readonly seriesId: string }): boolean =>
      !this.#rates.has(this.#import.registry.idOf(seriesId));
    return { ...batch, coverage: coverage.filter(isSeries), implied: implied.filter(isSeries) };
  }

  #vintagesOf(id: string) {
    return entryOf(this.#whole, id, () => new Map<Day, WholeVintage & { readonly dates?: Set<Day> }>());
  }

  #complete({ seriesId, asOf, kind }: Required<Batch>['complete'][number]): void {
    const { registry } = this.#import;
    this.#refuseFuture(asOf, seriesId);
    const id = registry.idOf(seriesId);
    if (this.#rates.has(id)) return;
    this.#vintagesOf(id).set(asOf, { asOf, kind });
  }

  /** Merges what waits, but a series that the file has not left: it takes less to merge a series once. */
  async #mergeWaiting(unfinished?: string): Promise<void> {
    const { writer, options, registry, log, conflicts } = this.#import;
    const { vintageKind: kind } = this.#format;
    const count = this.#waitingCount;
    const kept = unfinished === undefined ? undefined : registry.idOf(unfinished);
    // A series that is most of what waits has to make room.
    const due = [...this.#waiting.values()].filter(
      ({ seriesId, length }) => seriesId !== kept || length > count / 2,
    );
    let merged = 0;
    await writer.prepare(due);
    for (const statements of due) {
      const { seriesId } = statements;
      await this.#report(merged / count);
      merged += statements.length;
      this.#waiting.delete(seriesId);
      this.#tally.vintages(seriesId, statements);
      const frequency = log && (await registry.frequencies(new Set([seriesId]))).get(seriesId);
      for (const conflict of log?.add(seriesId, statements, frequency) ?? [])
        conflicts.push({ kind: 'value', file: this.#file.path, seriesId, bothNew: true, ...conflict });
      this.#count(seriesId, await (await writer.series(seriesId)).merge(statements, { ...options, kind }));
    }
    this.#waitingCount -= merged;
    if (count > 0) this.#stored += (this.#read - this.#stored) * (merged / count);
  }

  async #mergeComplete(): Promise<void> {
    const { writer, options } = this.#import;
    const { vintageKind: kind } = this.#format;
    for (const [id, vintages] of this.#whole) {
      const series = await writer.series(id);
      this.#count(id, await series.complete([...vintages.values()], { ...options, kind }));
    }
    this.#whole.clear();
  }

  #count(seriesId: string, merged: MergeOutcome): void {
    this.#tally.add(seriesId, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: 'value', file: this.#file.path, seriesId, ...conflict });
  }

  async #mergePoints(points: readonly CurvePoint[]): Promise<void> {
    const { writer, options } = this.#import;
    for (const { tradeDate, curveType } of points) this.#refuseFuture(tradeDate, `the ${curveType} curve`);
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
    for (const { filedOn, filingId } of filings) this.#refuseFuture(filedOn, `the filing ${filingId}`);
    const merged = await writer.mergeFilings(filings, options);
    this.#tally.addTrades(filings, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: 'filing', file: this.#file.path, ...conflict });
  }

  async #mergeSighting(sighting: Sighting): Promise<void> {
    const { writer, options, conflicts } = this.#import;
    this.#refuseFuture(seenOn(sighting), `the calendar of ${sighting.source}`);
    const { put, conflict } = await writer.mergeSighting(sighting, options.replace);
    this.#tally.look(sighting, put);
    this.#rows += sighting.entries.length;
    if (conflict !== undefined)
      conflicts.push({ kind: 'look', file: this.#file.path, held: conflict, given: sighting });
  }

  #refuseFuture(day: Day, what: string): void {
    const { latest } = this.#import.options;
    if (day <= latest) return;
    const isUndated = this.#format.takesAsOf === true;
    const hints = isUndated ? ['pass the date on which the figures were known with --as-of'] : [];
    const reason = `${what} is dated in the future; today is at most ${latest}`;
    throw refusal(this.#file, { value: day }, reason, hints);
  }
}

function lengthOf(statements: readonly Statements[]): number {
  return statements.reduce((sum, { length }) => sum + length, 0);
}

/** Finds differing new statements, of which `--replace` would store the last. */
class StatementLog {
  readonly #series = new Map<string, Map<Day, Map<Day, string | null>>>();
  /** The published dates that are not stored as such, by series, day and stored date. */
  readonly #published = new Map<string, Day>();

  /** Adds statements of one series and returns their conflicts with each other and with earlier ones. */
  add(seriesId: string, statements: Statements, frequency: Frequency = ''): readonly StatementConflict[] {
    const vintages = entryOf(this.#series, seriesId, () => new Map<Day, Map<Day, string | null>>());
    return [...statements].flatMap(({ date: published, asOf, value }) => {
      const date = storedDate(published, frequency);
      const values = entryOf(vintages, asOf, () => new Map<Day, string | null>());
      const held = values.get(date);
      const keyOf = () => [seriesId, asOf, date].join();
      if (held === undefined) {
        values.set(date, value);
        if (published !== date) this.#published.set(keyOf(), published);
        return [];
      }
      if (sameNumber(held, value)) return [];
      const period = sharedPeriod(frequency, this.#published.get(keyOf()) ?? date, published);
      return [{ date, asOf, held, given: value, ...period }];
    });
  }
}

/**
 * Counts values of periods that had not begun when published, among `late` ones with later dates.
 * Throws if a person dated the file, unless the user accepts projections.
 */
function countProjections(
  file: SourceFile,
  format: ImportFormat,
  { asOf: given, projections = false }: ReadOptions & Pick<LoadOptions, 'projections'>,
  late: readonly Statement[],
  frequencies: ReadonlyMap<string, Frequency>,
): number {
  // A quarter that is dated by its last month begins earlier than its date.
  const found = late.filter(
    ({ seriesId, date, asOf }) => periodStart(date, frequencies.get(seriesId) ?? '') > asOf,
  );
  // If a person or a program dated the statements, a date after the day of publication is probably an error.
  const isDatedByHand = format.statesAsOf === 'by hand' || (format.takesAsOf === true && given !== undefined);
  if (found.length === 0 || projections || !isDatedByHand) return found.length;
  const [first] = [...found].sort((a, b) => (a.date < b.date ? -1 : 1));
  const begin = counted(new Set(found.map(({ date }) => date)).size, 'date begins', 'dates begin');
  const example = `the first is ${first?.date} of ${first?.seriesId} as of ${first?.asOf}`;
  const reason = `${begin} after the day as of which their values are stated (${example}); is that the day of publication?`;
  throw refusal(file, {}, reason, [
    '--projections accepts values of periods that had not begun, such as potential output and survey medians',
  ]);
}
