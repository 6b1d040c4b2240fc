import { copyFileSync, existsSync } from 'node:fs';
import type { Filing } from '../../domain/insider/filing.ts';
import { planFilings } from '../../domain/insider/merge-filings.ts';
import type { Day } from '../../domain/series/date.ts';
import type { MergeOptions, WholeVintage } from '../../domain/series/merge-plan.ts';
import type { Statement, StatementConflict } from '../../domain/series/revision-history.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import { planPoints } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';
import type { DescriptionChange, Followed } from '../followed.ts';
import type {
  ImportRecord,
  Merged,
  MergedFilings,
  MergedPoints,
  SeriesRecord,
  StoreWriter,
} from '../store.ts';
import { asProblem, Connection, connect, openDatabase } from './connection.ts';
import { readPoints, writePoints } from './curves.ts';
import { beginDraft, publishDraft, removeDraft } from './draft.ts';
import { readHeldFilings, writeFilings } from './filings.ts';
import { removeFollowed, writeDescriptionChange, writeFollowed } from './following.ts';
import { createSchema, migrate } from './schema.ts';
import { readRecord } from './series.ts';
import { SeriesWriter } from './series-writer.ts';

/** Opens the store at `path` for one import; creates it if it does not exist, as a copy of `copyOf` if given. A failure leaves the file as it was. */
export async function openSqliteWriter(path: string, copyOf?: string): Promise<StoreWriter> {
  if (!existsSync(path)) return createStore(path, copyOf);
  if (copyOf === undefined) return openExisting(path);
  throw new Problem(
    'bad-input',
    `the store ${path} exists already: only a new store can begin as a copy of the sample`,
    { hints: ['leave out --with-sample', 'name a new file with --store'] },
  );
}

function openExisting(path: string): StoreWriter {
  const connection = connect(path, false);
  const abandon = () => {
    if (connection.inTransaction) connection.exec('rollback');
    connection.close();
  };
  try {
    // Without a write-ahead log, pages that are written early would lock readers out until the end.
    if (connection.pragma('journal_mode') !== 'wal') connection.pragma('cache_spill = off');
    connection.exec('begin immediate');
    migrate(connection, path);
    return new SqliteWriter(connection, { path, created: false, publish: () => connection.close(), abandon });
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}

/** Creates a store as a draft, which is published when the import commits. No reader sees the draft, so it needs no journal. */
function createStore(path: string, copyOf: string | undefined): StoreWriter {
  let draft: string | undefined;
  let opened: Connection | undefined;
  const abandon = () => {
    opened?.close();
    if (draft !== undefined) removeDraft(draft);
  };
  try {
    draft = beginDraft(path);
    if (copyOf !== undefined) copyFileSync(copyOf, draft);
    const connection = new Connection(openDatabase(draft));
    opened = connection;
    connection.pragma('journal_mode = off');
    connection.pragma('synchronous = off');
    connection.pragma('foreign_keys = on');
    if (copyOf === undefined) createSchema(connection);
    connection.exec('update store set sample = 0');
    connection.exec('begin immediate');
    const made = draft;
    const publish = () => {
      connection.pragma('synchronous = full');
      connection.pragma('journal_mode = wal');
      connection.close();
      publishDraft(made, path);
    };
    return new SqliteWriter(connection, { path, created: true, publish, abandon });
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}

/** How an import ends for its file. */
type Ending = {
  readonly path: string;
  readonly created: boolean;
  readonly publish: () => void;
  readonly abandon: () => void;
};

class SqliteWriter implements StoreWriter {
  readonly address: string;
  readonly created: boolean;
  readonly #connection: Connection;
  readonly #ending: Ending;
  readonly #series = new Map<string, SeriesWriter>();
  #changed = false;

  constructor(connection: Connection, ending: Ending) {
    this.#connection = connection;
    this.#ending = ending;
    this.address = ending.path;
    this.created = ending.created;
  }

  records(seriesIds: readonly string[]) {
    return this.#write(() => {
      const records = new Map<string, SeriesRecord>();
      for (const id of seriesIds) {
        const record = readRecord(this.#connection, id);
        if (record !== undefined) records.set(id, record);
      }
      return records;
    });
  }

  putRecords(records: ReadonlyMap<string, Pick<SeriesRecord, 'stated' | 'implied'>>) {
    return this.#write(() => {
      for (const [id, record] of records) this.#seriesOf(id).putRecord(record);
    });
  }

  merge(seriesId: string, statements: readonly Statement[], options: MergeOptions): Promise<Merged> {
    return this.#write(() => this.#seriesOf(seriesId).merge(statements, options));
  }

  complete(seriesId: string, vintages: readonly WholeVintage[], options: MergeOptions): Promise<Merged> {
    return this.#write(() => this.#seriesOf(seriesId).complete(vintages, options));
  }

  cover(coveredTo: ReadonlyMap<string, Day>) {
    return this.#write(() => {
      for (const [id, day] of coveredTo) this.#seriesOf(id).cover(day);
    });
  }

  mergePoints(points: readonly CurvePoint[], options: MergeOptions): Promise<MergedPoints> {
    return this.#write(() => {
      const { put, ...counts } = planPoints(this.#heldPoints(points), points, options);
      writePoints(this.#connection, put);
      return this.#noted({ ...counts, changed: put.length > 0 });
    });
  }

  mergeFilings(filings: readonly Filing[], options: MergeOptions): Promise<MergedFilings> {
    return this.#write(() => {
      const ids = new Set(filings.map(({ filingId }) => filingId));
      const held = readHeldFilings(this.#connection, ids);
      const { put, ...counts } = planFilings([...held.values()], filings, options);
      writeFilings(this.#connection, put, held);
      return this.#noted({ ...counts, changed: put.length > 0 });
    });
  }

  recordImport(record: ImportRecord) {
    return this.#write(() => {
      this.#connection.run(
        `insert into import (imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn)
         values (@importedAt, @file, @kind, @sha256, @series, @statementsNew, @statementsKnown, @withdrawn)`,
        record,
      );
    });
  }

  recordChange(change: DescriptionChange) {
    return this.#write(() => writeDescriptionChange(this.#connection, change));
  }

  follow(record: Followed) {
    return this.#write(() => writeFollowed(this.#connection, record));
  }

  unfollow(source: string, name: string) {
    return this.#write(() => removeFollowed(this.#connection, source, name));
  }

  finish(seriesIds: readonly string[]) {
    return this.#write(() => {
      const conflicts = new Map<string, readonly StatementConflict[]>();
      for (const id of seriesIds) {
        const series = this.#seriesOf(id);
        if (series.finish()) this.#changed = true;
        if (series.conflicts.length > 0) conflicts.set(id, series.conflicts);
      }
      return conflicts;
    });
  }

  async commit(): Promise<void> {
    try {
      if (this.#changed) this.#connection.exec('update store set revision = revision + 1');
      this.#connection.exec('commit');
      this.#ending.publish();
    } catch (error) {
      this.#ending.abandon();
      throw asProblem(this.address, error);
    }
  }

  async rollback(): Promise<void> {
    this.#ending.abandon();
  }

  #seriesOf(id: string): SeriesWriter {
    const known = this.#series.get(id) ?? new SeriesWriter(this.#connection, id);
    this.#series.set(id, known);
    return known;
  }

  #heldPoints(points: readonly CurvePoint[]): readonly CurvePoint[] {
    return [...new Set(points.map(({ curveType }) => curveType))].flatMap((curveType) => {
      const own = points.filter((point) => point.curveType === curveType);
      const days = own.map(({ tradeDate }) => tradeDate).sort();
      return readPoints(this.#connection, { curveType, from: days[0] ?? '', to: days.at(-1) ?? '' });
    });
  }

  #noted<T extends { readonly changed: boolean }>(merged: T): T {
    if (merged.changed) this.#changed = true;
    return merged;
  }

  async #write<T>(work: () => T): Promise<T> {
    try {
      return work();
    } catch (error) {
      throw asProblem(this.address, error);
    }
  }
}
