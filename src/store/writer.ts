import type { Filing } from '../domain/insider/filing.ts';
import { type HeldFiling, planFilings } from '../domain/insider/merge-filings.ts';
import type { Day } from '../domain/series/date.ts';
import type { MergeOptions, WholeVintage } from '../domain/series/merge-plan.ts';
import type { KeptChange, Statement, StatementConflict } from '../domain/series/revision-history.ts';
import { type CurvePoint, type CurveType, planPoints } from '../domain/treasury/curve.ts';
import type { ContentsWriter, SeriesContents } from './contents.ts';
import type { DescriptionChange, Followed } from './followed.ts';
import { type SeriesRows, SeriesWriter } from './series-writer.ts';
import type {
  ImportRecord,
  LoggedImport,
  Merged,
  MergedFilings,
  MergedPoints,
  SeriesRecord,
  StoreWriter,
} from './store.ts';

/** The curve points of one kind between two trade dates, both included. */
export type PointsRange = { readonly curveType: CurveType; readonly from: Day; readonly to: Day };

/** A transaction of an engine: it reads and writes rows, and decides nothing about them. */
export interface WriteTransaction {
  readonly address: string;
  readonly created: boolean;
  series(id: string): SeriesRows;
  records(seriesIds: readonly string[]): Promise<ReadonlyMap<string, SeriesRecord>>;
  withStatements(seriesIds: readonly string[]): Promise<ReadonlySet<string>>;
  points(range: PointsRange): Promise<readonly CurvePoint[]>;
  putPoints(points: readonly CurvePoint[]): Promise<void>;
  /** The filings of these that the store holds, by id. */
  filings(filings: readonly Filing[]): Promise<ReadonlyMap<string, HeldFiling>>;
  /** Writes new and changed filings with their new and changed trades; `held` has those that are in the store. */
  putFilings(put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>): Promise<void>;
  addImport(record: ImportRecord & Partial<LoggedImport>): Promise<void>;
  addChange(change: DescriptionChange): Promise<void>;
  putFollowed(record: Followed): Promise<void>;
  removeFollowed(source: string, name: string): Promise<boolean>;
  /** Removes a series with its rows; false for an unknown one. */
  removeSeries(id: string): Promise<boolean>;
  renameSeries(from: string, to: string): Promise<void>;
  /** Ends the transaction; `changed` says whether the state of the data is another than before. */
  commit(changed: boolean): Promise<void>;
  rollback(): Promise<void>;
}

/** The writer of a store over a transaction of its engine: it plans each merge by the rules of the domain. */
export class TransactionWriter implements StoreWriter, ContentsWriter {
  readonly #transaction: WriteTransaction;
  readonly #series = new Map<string, SeriesWriter>();
  #changed = false;

  constructor(transaction: WriteTransaction) {
    this.#transaction = transaction;
  }

  get address(): string {
    return this.#transaction.address;
  }

  get created(): boolean {
    return this.#transaction.created;
  }

  records(seriesIds: readonly string[]) {
    return this.#transaction.records(seriesIds);
  }

  withStatements(seriesIds: readonly string[]) {
    return this.#transaction.withStatements(seriesIds);
  }

  async putRecords(records: ReadonlyMap<string, Pick<SeriesRecord, 'stated' | 'implied'>>): Promise<void> {
    for (const [id, record] of records) await (await this.#seriesOf(id)).putRecord(record);
  }

  async merge(seriesId: string, statements: readonly Statement[], options: MergeOptions): Promise<Merged> {
    return (await this.#seriesOf(seriesId)).merge(statements, options);
  }

  async complete(
    seriesId: string,
    vintages: readonly WholeVintage[],
    options: MergeOptions,
  ): Promise<Merged> {
    return (await this.#seriesOf(seriesId)).complete(vintages, options);
  }

  async cover(coveredTo: ReadonlyMap<string, Day>): Promise<void> {
    for (const [id, day] of coveredTo) (await this.#seriesOf(id)).cover(day);
  }

  async mergePoints(points: readonly CurvePoint[], options: MergeOptions): Promise<MergedPoints> {
    const { put, ...counts } = planPoints(await this.#heldPoints(points), points, options);
    if (put.length > 0) await this.#transaction.putPoints(put);
    return this.#noted({ ...counts, changed: put.length > 0 });
  }

  async mergeFilings(filings: readonly Filing[], options: MergeOptions): Promise<MergedFilings> {
    const held = await this.#transaction.filings(filings);
    const { put, ...counts } = planFilings([...held.values()], filings, options);
    if (put.length > 0) await this.#transaction.putFilings(put, held);
    return this.#noted({ ...counts, changed: put.length > 0 });
  }

  /** An entry of another store's log can say that it is outdated. */
  recordImport(record: ImportRecord & Partial<LoggedImport>) {
    return this.#transaction.addImport(record);
  }

  recordChange(change: DescriptionChange) {
    return this.#transaction.addChange(change);
  }

  follow(record: Followed) {
    return this.#transaction.putFollowed(record);
  }

  unfollow(source: string, name: string) {
    return this.#transaction.removeFollowed(source, name);
  }

  async finish(seriesIds: readonly string[]): Promise<ReadonlyMap<string, readonly StatementConflict[]>> {
    const conflicts = new Map<string, readonly StatementConflict[]>();
    for (const id of seriesIds) {
      const series = await this.#seriesOf(id);
      if (await series.finish()) this.#changed = true;
      if (series.conflicts.length > 0) conflicts.set(id, series.conflicts);
      // A series needs no more memory once it is finished.
      this.#series.delete(id);
    }
    return conflicts;
  }

  async putSeries(contents: SeriesContents, changes: AsyncIterable<readonly KeptChange[]>): Promise<void> {
    const { id, normalisedBy, coveredTo, vintages } = contents;
    this.#changed = true;
    if ((await this.#transaction.records([id])).size > 0) await this.#transaction.removeSeries(id);
    const rows = this.#transaction.series(id);
    await rows.begin();
    await rows.putRecord(contents);
    await rows.setFrequency(normalisedBy);
    const nothing = { added: 0, known: 0, withdrawn: 0, conflicts: [], removed: [] };
    await rows.apply({ ...nothing, inserted: [], vintages });
    for await (const inserted of changes) await rows.apply({ ...nothing, inserted, vintages: [] });
    const { spacing, vintageKind } = contents.figures;
    await rows.summarise({ spacing, coveredTo, vintageKind });
  }

  async removeSeries(seriesId: string): Promise<boolean> {
    this.#series.delete(seriesId);
    return this.#noted({ changed: await this.#transaction.removeSeries(seriesId) }).changed;
  }

  renameSeries(from: string, to: string): Promise<void> {
    this.#changed = true;
    return this.#transaction.renameSeries(from, to);
  }

  commit(): Promise<void> {
    return this.#transaction.commit(this.#changed);
  }

  rollback(): Promise<void> {
    return this.#transaction.rollback();
  }

  async #seriesOf(id: string): Promise<SeriesWriter> {
    const known = this.#series.get(id) ?? (await SeriesWriter.begin(this.#transaction.series(id)));
    this.#series.set(id, known);
    return known;
  }

  async #heldPoints(points: readonly CurvePoint[]): Promise<readonly CurvePoint[]> {
    const held: CurvePoint[] = [];
    for (const curveType of new Set(points.map((point) => point.curveType))) {
      const own = points.filter((point) => point.curveType === curveType);
      const days = own.map(({ tradeDate }) => tradeDate).sort();
      const [from = '', to = ''] = [days[0], days.at(-1)];
      held.push(...(await this.#transaction.points({ curveType, from, to })));
    }
    return held;
  }

  #noted<T extends { readonly changed: boolean }>(merged: T): T {
    if (merged.changed) this.#changed = true;
    return merged;
  }
}
