import { copyFileSync, existsSync } from 'node:fs';
import type { Filing } from '../../domain/insider/filing.ts';
import type { HeldFiling } from '../../domain/insider/merge-filings.ts';
import type { CurvePoint } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';
import { isShippedSample } from '../../platform/installation.ts';
import type { DescriptionChange, Followed } from '../followed.ts';
import type { ImportRecord, LoggedImport, SeriesRecord } from '../store.ts';
import type { FilingPlace, ImportChange, PointPlace } from '../undo-record.ts';
import { type PointsRange, TransactionWriter, type WriteTransaction } from '../writer.ts';
import { addLog, asProblem, Connection, connect, openDatabase } from './connection.ts';
import { readPoints, writePoints } from './curves.ts';
import { beginDraft, flush, publishDraft, removeDraft } from './draft.ts';
import { readHeldFilings, writeFilings } from './filings.ts';
import {
  readDescriptionChanges,
  readFollowed,
  removeFollowed,
  writeDescriptionChange,
  writeFollowed,
} from './following.ts';
import { createSchema, migrate } from './schema.ts';
import { readRecord } from './series.ts';
import { SqliteSeriesRows } from './series-rows.ts';
import {
  moveVersion,
  newestNumber,
  readChangesOf,
  removeFilings,
  removeImport,
  removePoints,
  setDescriptionChanges,
  writeChanges,
} from './undo.ts';
import { putWords, removeWords } from './words.ts';

/**
 * Opens the store at `path` for one import; creates it if it does not exist, as a copy of `copyOf` if given. A
 * failure leaves the file as it was.
 */
export async function openSqliteWriter(path: string, copyOf?: string): Promise<TransactionWriter> {
  if (!existsSync(path)) return createStore(path, copyOf);
  if (copyOf === undefined) return openExisting(path);
  throw new Problem(
    'bad-input',
    `the store ${path} exists already: only a new store can begin as a copy of the sample`,
    { hints: ['leave out --with-sample', 'name a new file with --store'] },
  );
}

function openExisting(path: string): TransactionWriter {
  if (isShippedSample(path))
    throw new Problem('bad-input', `${path} is the sample that asof ships, which is read-only`, {
      hints: ['`asof import --with-sample` begins a store of your own as a copy of it'],
    });
  const connection = connect(path, false);
  const abandon = () => {
    if (connection.inTransaction) connection.exec('rollback');
    connection.close();
  };
  try {
    // Without a write-ahead log, pages that are written early would lock readers out until the end.
    const hasLog = connection.pragma('journal_mode') === 'wal';
    if (!hasLog) connection.pragma('cache_spill = off');
    connection.exec('begin immediate');
    migrate(connection, path);
    const publish = () => {
      connection.close();
      if (!hasLog) addLog(path);
    };
    return new TransactionWriter(
      new SqliteTransaction(connection, { path, created: false, publish, abandon }),
    );
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}

/**
 * Creates a store as a draft, which is published when the import commits. No reader sees the draft, so it needs no
 * journal.
 */
function createStore(path: string, copyOf: string | undefined): TransactionWriter {
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
      flush(made);
      publishDraft(made, path);
    };
    return new TransactionWriter(
      new SqliteTransaction(connection, { path, created: true, publish, abandon }),
    );
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}

/** Begins a transaction on a connection, which stays open at its end. */
export function beginWriting(connection: Connection, path: string): TransactionWriter {
  connection.exec('begin immediate');
  const abandon = () => {
    if (connection.inTransaction) connection.exec('rollback');
  };
  return new TransactionWriter(
    new SqliteTransaction(connection, { path, created: false, publish: () => undefined, abandon }),
  );
}

/** What happens to the file when an import ends. */
type Ending = {
  readonly path: string;
  readonly created: boolean;
  readonly publish: () => void;
  readonly abandon: () => void;
};

class SqliteTransaction implements WriteTransaction {
  readonly address: string;
  readonly created: boolean;
  readonly #connection: Connection;
  readonly #ending: Ending;

  constructor(connection: Connection, ending: Ending) {
    this.#connection = connection;
    this.#ending = ending;
    this.address = ending.path;
    this.created = ending.created;
  }

  series(id: string) {
    return new SqliteSeriesRows(this.#connection, id, this.address);
  }

  records(seriesIds: readonly string[]) {
    return this.#use((connection) => {
      const records = new Map<string, SeriesRecord>();
      for (const id of seriesIds) {
        const record = readRecord(connection, id);
        if (record !== undefined) records.set(id, record);
      }
      return records;
    });
  }

  async withStatements(seriesIds: readonly string[]) {
    const records = await this.records(seriesIds);
    return new Set([...records].flatMap(([id, { hadStatements }]) => (hadStatements ? [id] : [])));
  }

  points(range: PointsRange) {
    return this.#use((connection) => readPoints(connection, range));
  }

  putPoints(points: readonly CurvePoint[]) {
    return this.#use((connection) => writePoints(connection, points));
  }

  filings(filings: readonly Filing[]) {
    return this.#use((connection) =>
      readHeldFilings(connection, new Set(filings.map(({ filingId }) => filingId))),
    );
  }

  putFilings(put: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>) {
    return this.#use((connection) => writeFilings(connection, put, held));
  }

  addImport({ outdated = false, ...record }: ImportRecord & Partial<LoggedImport>, number?: number | null) {
    return this.#use((connection) => {
      const { lastInsertRowid } = connection.run(
        `insert into import (imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn, outdated)
         values (@importedAt, @file, @kind, @sha256, @series, @statementsNew, @statementsKnown, @withdrawn, @outdated)`,
        { ...record, outdated: Number(outdated) },
      );
      const id = Number(lastInsertRowid);
      // SQLite gives the id of a removed row again, and somebody may take back an import by its number twice.
      const given = number === undefined ? Math.max(id, newestNumber(connection) + 1) : number;
      if (given !== null) connection.run('update import set number = ? where id = ?', given, id);
      return given ?? id;
    });
  }

  changes(from: number) {
    return this.#use((connection) => readChangesOf(connection, from));
  }

  putChanges(changes: readonly ImportChange[]) {
    return this.#use((connection) => writeChanges(connection, changes));
  }

  moveVersion(seriesId: string, to: number, from?: number) {
    return this.#use((connection) => moveVersion(connection, seriesId, to, from));
  }

  removeImport(number: number) {
    return this.#use((connection) => removeImport(connection, number));
  }

  descriptionChanges(seriesId: string) {
    return this.#use((connection) => readDescriptionChanges(connection, seriesId));
  }

  setDescriptionChanges(seriesId: string, changes: readonly DescriptionChange[]) {
    return this.#use((connection) => setDescriptionChanges(connection, seriesId, changes));
  }

  followed() {
    return this.#use(readFollowed);
  }

  removePoints(points: readonly PointPlace[]) {
    return this.#use((connection) => removePoints(connection, points));
  }

  removeFilings(filings: readonly FilingPlace[]) {
    return this.#use((connection) => removeFilings(connection, filings));
  }

  addChange(change: DescriptionChange) {
    return this.#use((connection) => writeDescriptionChange(connection, change));
  }

  putFollowed(record: Followed) {
    return this.#use((connection) => writeFollowed(connection, record));
  }

  removeFollowed(source: string, name: string) {
    return this.#use((connection) => removeFollowed(connection, source, name));
  }

  removeSeries(id: string) {
    return this.#use((connection) => {
      const key = connection.column<number>('select key from series where id = ?').get(id);
      if (key === undefined) return false;
      removeWords(connection, key);
      connection.run('delete from import_change where subject = ?', `series ${id}`);
      for (const table of ['fact', 'respelling', 'vintage', 'description_change'])
        connection.run(`delete from ${table} where series = ?`, key);
      return connection.run('delete from series where key = ?', key).changes > 0;
    });
  }

  renameSeries(from: string, to: string) {
    return this.#use((connection) => {
      const key = connection.column<number>('select key from series where id = ?').get(from);
      if (key === undefined) return;
      removeWords(connection, key);
      connection.run('update series set id = ? where key = ?', to, key);
      putWords(connection, key);
      connection.run(
        'update import_change set subject = ? where subject = ?',
        `series ${to}`,
        `series ${from}`,
      );
    });
  }

  async commit(changed: boolean): Promise<void> {
    try {
      if (changed) this.#connection.exec('update store set revision = revision + 1');
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

  async #use<T>(work: (connection: Connection) => T): Promise<T> {
    try {
      return work(this.#connection);
    } catch (error) {
      throw asProblem(this.address, error);
    }
  }
}
