import { closeSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { makeFolder } from '../../platform/files.ts';
import type { AccessOptions, AccessStore, KeyRecord, StoredKey, UsageRecord } from '../access-store.ts';
import type { Lock } from '../lock.ts';
import { prepare, sqliteProblems } from './connect.ts';
import { openDatabase } from './engine.ts';
import { takeLock } from './lock.ts';

/** Marks a SQLite file as keys and usage of asof ("asok" in ASCII). */
const applicationId = 0x61736f6b;

/** One step from each format to the next; the format of a file is the number of steps taken (`user_version`). */
const migrations: readonly string[] = [
  `
  -- Of a key's secret only the SHA-256 and the first characters are kept.
  create table api_key (
    id text primary key,
    hash text not null unique,
    name text not null,
    plan text not null,
    start text not null,
    created_at text not null,
    revoked_at text
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
];

/** A service must not stand still behind a lock of another process; a command can wait. */
const patience = { counting: 50, command: 5000 } as const;

const keyColumns = 'id, hash, name, plan, start, created_at as createdAt, revoked_at as revokedAt';

type KeyRow = Omit<StoredKey, 'revokedAt'> & { readonly revokedAt: string | null };
type UsageRow = Omit<UsageRecord, 'began'> & { readonly began: string };

/** Opens the access store at `path`; makes it, readable by its owner alone, where there is none. */
export function openSqliteAccess(path: string, { counting }: AccessOptions): AccessStore {
  createFile(path);
  const lock = counting ? lockOf(path) : undefined;
  let db: Database | undefined;
  try {
    const opened = accessProblems(path, () => {
      db = openDatabase(path, { timeout: counting ? patience.counting : patience.command });
      const format = formatOf(db, path);
      db.pragma('journal_mode = wal');
      // A key that was revoked stays so after a power failure; a second of counts may be lost.
      db.pragma(`synchronous = ${counting ? 'normal' : 'full'}`);
      if (format < migrations.length) migrate(db);
      return accessStore(db, lock);
    });
    return withProblems(opened, path);
  } catch (error) {
    db?.close();
    lock?.close();
    throw error;
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

/** The right to count, which one process alone has. */
function lockOf(path: string): Lock {
  const lock = takeLock(`${realpathSync(path)}.lock`);
  if (lock !== undefined) return lock;
  throw new Problem('local-io', `another asof serve counts requests in the access store ${path}`, {
    hints: ['one process serves one access store; stop the other, or name another with --access'],
  });
}

/** The format of an access store, 0 for an empty file; a file that is something else is left as it is. */
function formatOf(db: Database, path: string): number {
  const empty = db.prepare('select count(*) from sqlite_schema').pluck().get() === 0;
  const ours = db.pragma('application_id', { simple: true }) === applicationId;
  if (!empty && !ours) throw new Problem('local-io', `${path} is not an access store of asof`);
  const format = Number(db.pragma('user_version', { simple: true }));
  if (format > migrations.length)
    throw new Problem('local-io', `${path} was made by a newer asof`, { hints: ['update asof'] });
  return format;
}

function migrate(db: Database): void {
  db.transaction(() => {
    // Another process may have been faster.
    const format = Number(db.pragma('user_version', { simple: true }));
    for (const step of migrations.slice(format)) db.exec(step);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}

function accessStore(db: Database, lock: Lock | undefined): AccessStore {
  const othersChanges = db.prepare('pragma data_version').pluck();
  let ownChanges = 0;
  const put = prepare(
    db,
    `insert into usage (key_id, window, began, count) values (@keyId, @window, @began, @count)
     on conflict do update set began = excluded.began, count = excluded.count`,
  );
  const putAll = db.transaction((records: readonly UsageRecord[]) => {
    for (const record of records) put.run({ ...record, began: record.began.toISOString() });
  });

  return {
    version: () => Number(othersChanges.get()) + ownChanges,

    keys() {
      const rows = prepare(db, `select ${keyColumns} from api_key order by created_at, id`).all() as KeyRow[];
      return rows.map(storedKey);
    },

    addKey(key) {
      prepare(
        db,
        `insert into api_key (id, hash, name, plan, start, created_at)
         values (@id, @hash, @name, @plan, @start, @createdAt)`,
      ).run(key);
      ownChanges += 1;
    },

    revokeKey(id, revokedAt) {
      prepare(db, 'update api_key set revoked_at = coalesce(revoked_at, ?) where id = ?').run(revokedAt, id);
      ownChanges += 1;
      const row = prepare(db, `select ${keyColumns} from api_key where id = ?`).get(id);
      if (row === undefined) return undefined;
      const { hash: _hash, ...record } = storedKey(row as KeyRow);
      return record satisfies KeyRecord;
    },

    usage() {
      const rows = prepare(db, 'select key_id as keyId, window, began, count from usage').all() as UsageRow[];
      return rows.map((row) => ({ ...row, began: new Date(row.began) }));
    },

    saveUsage: (records) => putAll.immediate(records),

    close() {
      db.close();
      lock?.close();
    },
  };
}

function storedKey({ revokedAt, ...key }: KeyRow): StoredKey {
  return { ...key, ...(revokedAt !== null && { revokedAt }) };
}

/** The same store, whose methods turn what SQLite throws into Problems. */
function withProblems(store: AccessStore, path: string): AccessStore {
  const guarded = <P extends unknown[], R>(method: (...parameters: P) => R) => {
    return (...parameters: P): R => accessProblems(path, () => method(...parameters));
  };
  return {
    version: guarded(store.version),
    keys: guarded(store.keys),
    addKey: guarded(store.addKey),
    revokeKey: guarded(store.revokeKey),
    usage: guarded(store.usage),
    saveUsage: guarded(store.saveUsage),
    close: guarded(store.close),
  };
}

/** As `sqliteProblems`, in words that fit a file which nobody imports into. */
function accessProblems<T>(path: string, work: () => T): T {
  try {
    return sqliteProblems(path, work);
  } catch (error) {
    const cause = error instanceof Problem ? error.cause : undefined;
    const busy = cause instanceof Error && 'code' in cause && String(cause.code).startsWith('SQLITE_BUSY');
    if (!busy) throw error;
    throw new Problem('local-io', `the access store ${path} is locked by another process`, { cause: error });
  }
}
