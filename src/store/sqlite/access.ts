import { closeSync, lstatSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { makeFolder } from '../../platform/files.ts';
import type { AccessOptions, AccessStore, Lock, UsageRecord } from '../access-store.ts';
import { keysIn, keyTables } from '../sql/access.ts';
import { asProblem, Connection, codeOf, inOneStep, SqliteSession } from './connection.ts';
import { openDatabase, SqliteError } from './driver.ts';

/** Marks a SQLite file as keys and usage of asof ("asok" in ASCII). */
const applicationId = 0x61736f6b;

/** The steps from each format to the next; `user_version` is the number of steps taken. */
const migrations: readonly string[] = [
  `
  create table api_key (
    ${keyTables.columns}
  ) strict;

  -- The latest window of each kind that a key used, and the requests that counted in it.
  create table usage (
    key_id text not null,
    window text not null,
    began text not null,
    count integer not null,
    primary key (key_id, window)
  ) strict, without rowid;
  `,
  keyTables.rotation,
];

/** Opens the access store at `path`; creates it, readable by its owner alone, if it does not exist. */
export async function openSqliteAccess(path: string, { counting }: AccessOptions): Promise<AccessStore> {
  createFile(path);
  const lock = counting ? await lockOf(path) : undefined;
  let connection: Connection | undefined;
  try {
    // Milliseconds: requests of a service must not wait long for another process, a command can.
    connection = new Connection(openDatabase(path, { timeout: counting ? 50 : 5000 }));
    const format = formatOf(connection, path);
    connection.pragma('journal_mode = wal');
    // A revoked key stays revoked after a power failure; a second of counts may be lost.
    connection.pragma(`synchronous = ${counting ? 'normal' : 'full'}`);
    if (format < migrations.length) await inOneStep(connection, migrate);
    return accessOf(connection, path, lock);
  } catch (error) {
    connection?.close();
    await lock?.close();
    throw accessProblem(path, error);
  }
}

function createFile(path: string): void {
  try {
    makeFolder(dirname(path), 0o700);
    closeSync(openSync(path, 'ax', 0o600));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw systemProblem('create', `the access store ${path}`, cause);
  }
}

async function lockOf(path: string): Promise<Lock> {
  const lock = await takeLock(`${realpathSync(path)}.lock`);
  if (lock !== undefined) return lock;
  throw new Problem('local-io', `another asof serve counts requests in the access store ${path}`, {
    hints: ['one process serves one access store; stop the other, or name another with --access'],
  });
}

/** Returns the format of an access store, 0 for an empty file; throws a Problem for any other file. */
function formatOf(connection: Connection, path: string): number {
  const empty = connection.column<number>('select count(*) from sqlite_schema').get() === 0;
  const ours = connection.pragma('application_id') === applicationId;
  if (!empty && !ours) throw new Problem('local-io', `${path} is not an access store of asof`);
  const format = Number(connection.pragma('user_version'));
  if (format > migrations.length)
    throw new Problem('local-io', `${path} was made by a newer asof`, { hints: ['update asof'] });
  return format;
}

async function migrate(connection: Connection): Promise<void> {
  // Another process may have been faster.
  const format = Number(connection.pragma('user_version'));
  for (const step of migrations.slice(format)) connection.exec(step);
  connection.pragma(`application_id = ${applicationId}`);
  connection.pragma(`user_version = ${migrations.length}`);
}

function accessOf(connection: Connection, path: string, lock: Lock | undefined): AccessStore {
  const session = new SqliteSession(path, connection, accessProblem);
  let ownChanges = 0;
  return {
    ...keysIn({
      read: (work) => work(session),
      async change(work) {
        const result = await work(session);
        ownChanges += 1;
        return result;
      },
    }),
    async version() {
      // SQLite's own number grows only with the changes of other connections.
      const [version = 0] = await session.column<number>('pragma data_version');
      return version + ownChanges;
    },
    async usage() {
      const rows = await session.rows<Omit<UsageRecord, 'began'> & { readonly began: string }>(
        'select key_id as keyId, window, began, count from usage',
      );
      return rows.map((row) => ({ ...row, began: new Date(row.began) }));
    },
    async saveUsage(records) {
      await session.run(
        `insert into usage (key_id, window, began, count)
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(@rows) where true
         on conflict do update set began = excluded.began, count = excluded.count`,
        { rows: records.map(({ keyId, window, began, count }) => [keyId, window, began, count]) },
      );
    },
    async close() {
      connection.close();
      await lock?.close();
    },
  };
}

/** Turns an error into a Problem like `asProblem`, in words for a file that no import writes to. */
function accessProblem(path: string, error: unknown): unknown {
  if (!codeOf(error).startsWith('SQLITE_BUSY')) return asProblem(path, error);
  return new Problem('local-io', `the access store ${path} is locked by another process`, { cause: error });
}

/**
 * Takes the lock of a file, creating it private; undefined while another process holds the lock.
 * The system frees the lock of a killed process.
 */
export async function takeLock(path: string): Promise<Lock | undefined> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  // A pipe would block, and a link could lead to any file.
  if (found?.isFile() === false) throw new Problem('local-io', `cannot lock ${path}: it is not a file`);
  // SQLite would open a read-only file without locking it.
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw systemProblem('lock', path, cause);
  }
  const db = openDatabase(path, { timeout: 0 });
  try {
    db.exec('begin exclusive');
    return { close: async () => void db.close() };
  } catch (error) {
    db.close();
    if (!(error instanceof SqliteError)) throw error;
    if (error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw systemProblem('lock', path, error, lockReasons[error.code.split('_')[1] ?? '']);
  }
}

/** Why a lock failed: SQLite reports the failed call, without the reason of the operating system. */
const lockReasons: Readonly<Record<string, string>> = {
  CANTOPEN: 'the disk is full, or its folder cannot be written',
  READONLY: 'the disk is full, or its folder cannot be written',
  NOTADB: 'it is not a lock; remove it',
};
