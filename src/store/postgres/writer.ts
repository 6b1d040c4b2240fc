import type { Filing } from '../../domain/insider/filing.ts';
import type { HeldFiling } from '../../domain/insider/merge-filings.ts';
import type { Day, Frequency } from '../../domain/series/date.ts';
import type { MergePlan } from '../../domain/series/merge-plan.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import type { DescriptionChange, Followed } from '../followed.ts';
import type { DerivedColumns, SeriesRows, SeriesStart } from '../series-writer.ts';
import type { ImportRecord, LoggedImport, SeriesRecord } from '../store.ts';
import type { FilingPlace, ImportChange, PointPlace } from '../undo-record.ts';
import { type PointsRange, TransactionWriter, type WriteTransaction } from '../writer.ts';
import { Database, type Transaction } from './connection.ts';
import { readPoints, writePoints } from './curves.ts';
import { type CopyMark, checkFinished, markCopy } from './draft.ts';
import { readHeldFilings, removeFilings, writeFilings } from './filings.ts';
import {
  readDescriptionChanges,
  readFollowed,
  removeFollowed,
  writeDescriptionChange,
  writeFollowed,
  writeImport,
} from './following.ts';
import { ImportLocks, type LockPlan } from './locks.ts';
import { prepareStore } from './schema.ts';
import {
  addSeries,
  readStarts,
  removeSeries,
  renameSeries,
  summarise,
  writeFrequency,
  writeRecord,
} from './series.ts';
import { applyPlan, readChanges, readLatestChanges } from './statements.ts';
import {
  moveVersion,
  readChangesOf,
  removeImport,
  removePoints,
  setDescriptionChanges,
  writeChanges,
} from './undo.ts';
import { readDateSets, readKinds, readVintages, removeVintages } from './vintages.ts';

/**
 * Opens the store in a database for one import, and takes the locks that the import is known to need; creates the store
 * if it does not exist. With `copy`, which needs an empty store or an unfinished copy, nobody can read the store before
 * `finishCopy`.
 */
export async function openPostgresWriter(
  address: string,
  locked: LockPlan = [],
  copy?: CopyMark,
): Promise<TransactionWriter> {
  const database = await Database.open(address, 1);
  try {
    const transaction = await database.begin('write');
    try {
      const created = await prepareStore(transaction, database);
      if (copy === undefined) await checkFinished(transaction, database);
      else await markCopy(transaction, database, copy);
      const locks = await ImportLocks.take(transaction, database.schema, locked);
      return new TransactionWriter(new PostgresTransaction({ database, transaction, locks, created }));
    } catch (error) {
      transaction.abandon();
      throw error;
    }
  } catch (error) {
    await database.close();
    throw error;
  }
}

type Opened = {
  readonly database: Database;
  readonly transaction: Transaction;
  readonly locks: ImportLocks;
  readonly created: boolean;
};

class PostgresTransaction implements WriteTransaction {
  readonly #opened: Opened;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  get address(): string {
    return this.#opened.database.shown;
  }

  get created(): boolean {
    return this.#opened.created;
  }

  series(id: string) {
    return new PostgresSeriesRows(this.#opened, id);
  }

  async records(seriesIds: readonly string[]): Promise<ReadonlyMap<string, SeriesRecord>> {
    await this.#opened.locks.lock(seriesIds.map(lockOfSeries));
    const starts = await readStarts(this.#opened.transaction, seriesIds);
    return new Map([...starts].map(([id, { record }]) => [id, record]));
  }

  async withStatements(seriesIds: readonly string[]): Promise<ReadonlySet<string>> {
    const starts = await readStarts(this.#opened.transaction, seriesIds);
    return new Set([...starts].flatMap(([id, { record }]) => (record.hadStatements ? [id] : [])));
  }

  async points(range: PointsRange): Promise<readonly CurvePoint[]> {
    await this.#opened.locks.lock([`curve ${range.curveType}`]);
    return readPoints(this.#opened.transaction, range);
  }

  putPoints(points: readonly CurvePoint[]) {
    return writePoints(this.#opened.transaction, points);
  }

  async filings(filings: readonly Filing[]): Promise<ReadonlyMap<string, HeldFiling>> {
    await this.#opened.locks.lock(filings.map(({ issuerCik }) => `filings ${issuerCik}`));
    return readHeldFilings(this.#opened.transaction, [...new Set(filings.map(({ filingId }) => filingId))]);
  }

  putFilings(put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>) {
    return writeFilings(this.#opened.transaction, put, held);
  }

  addImport(record: ImportRecord & Partial<LoggedImport>, number?: number | null) {
    return writeImport(this.#opened.transaction, record, number);
  }

  changes(from: number) {
    return readChangesOf(this.#opened.transaction, from);
  }

  putChanges(changes: readonly ImportChange[]) {
    return writeChanges(this.#opened.transaction, changes);
  }

  moveVersion(seriesId: string, to: number, from?: number) {
    return moveVersion(this.#opened.transaction, seriesId, to, from);
  }

  removeImport(number: number) {
    return removeImport(this.#opened.transaction, number);
  }

  descriptionChanges(seriesId: string) {
    return readDescriptionChanges(this.#opened.transaction, seriesId);
  }

  setDescriptionChanges(seriesId: string, changes: readonly DescriptionChange[]) {
    return setDescriptionChanges(this.#opened.transaction, seriesId, changes);
  }

  followed() {
    return readFollowed(this.#opened.transaction);
  }

  removePoints(points: readonly PointPlace[]) {
    return removePoints(this.#opened.transaction, points);
  }

  removeFilings(filings: readonly FilingPlace[]) {
    return removeFilings(this.#opened.transaction, filings);
  }

  addChange(change: DescriptionChange) {
    return writeDescriptionChange(this.#opened.transaction, change);
  }

  putFollowed(record: Followed) {
    return writeFollowed(this.#opened.transaction, record);
  }

  removeFollowed(source: string, name: string) {
    return removeFollowed(this.#opened.transaction, source, name);
  }

  async removeSeries(id: string): Promise<boolean> {
    await this.#opened.locks.lock([lockOfSeries(id)]);
    return removeSeries(this.#opened.transaction, id);
  }

  async renameSeries(from: string, to: string): Promise<void> {
    await this.#opened.locks.lock([lockOfSeries(from), lockOfSeries(to)]);
    await renameSeries(this.#opened.transaction, from, to);
  }

  async commit(changed: boolean): Promise<void> {
    const { database, transaction } = this.#opened;
    try {
      // This comes last, because it locks a row that imports of other series wait for.
      if (changed)
        await transaction.run(
          'update asof.store set revision = revision + 1, state = gen_random_uuid()::text',
        );
      await transaction.commit();
    } catch (error) {
      transaction.abandon();
      throw error;
    } finally {
      await database.close();
    }
  }

  async rollback(): Promise<void> {
    this.#opened.transaction.abandon();
    await this.#opened.database.close();
  }
}

function lockOfSeries(id: string): string {
  return `series ${id}`;
}

/** The rows of one series in a write transaction. */
class PostgresSeriesRows implements SeriesRows {
  readonly #opened: Opened;
  readonly #id: string;

  constructor(opened: Opened, id: string) {
    this.#opened = opened;
    this.#id = id;
  }

  async begin(): Promise<SeriesStart> {
    await this.#opened.locks.lock([lockOfSeries(this.#id)]);
    const found = (await readStarts(this.#transaction, [this.#id])).get(this.#id);
    if (found !== undefined) return found;
    await addSeries(this.#transaction, this.#id);
    const seriesId = this.#id;
    const record = { stated: { seriesId }, implied: { seriesId }, hadStatements: false };
    return { record, normalisedBy: '', coveredTo: '', newestVintage: '', version: 0, isNew: true };
  }

  putRecord(record: Pick<SeriesRecord, 'stated' | 'implied'>) {
    return writeRecord(this.#transaction, this.#id, record);
  }

  setFrequency(frequency: Frequency) {
    return writeFrequency(this.#transaction, this.#id, frequency);
  }

  vintages() {
    return readVintages(this.#transaction, this.#id);
  }

  changes(from: Day, to: Day) {
    return readChanges(this.#transaction, this.#id, from, to);
  }

  latestChanges(from: Day, to: Day) {
    return readLatestChanges(this.#transaction, this.#id, from, to);
  }

  dateSets() {
    return readDateSets(this.#transaction, this.#id);
  }

  kinds() {
    return readKinds(this.#transaction, this.#id);
  }

  removeVintages(asOfs: readonly Day[]) {
    return removeVintages(this.#transaction, this.#id, asOfs);
  }

  apply(plan: MergePlan) {
    return applyPlan(this.#transaction, this.#id, plan);
  }

  summarise(summary: DerivedColumns) {
    return summarise(this.#transaction, this.#id, summary);
  }

  get #transaction(): Transaction {
    return this.#opened.transaction;
  }
}
