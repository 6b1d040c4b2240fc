import type { AccessStore, KeyRecord, StoredKey } from '../access-store.ts';
import { present, type SqlSession } from './session.ts';

type KeySessions = {
  read<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Calls `work` and gives the keys a new version. */
  change<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
};

type EmptyColumns = 'expiresAt' | 'previousHash' | 'previousUntil' | 'revokedAt';

type KeyRow = Omit<StoredKey, EmptyColumns> & { readonly [K in EmptyColumns]: string | null };

/** The tables of keys in the first two migrations of every engine, as PostgreSQL writes them. */
export const keyTables = {
  // Only the SHA-256 and the first characters of a key's secret are stored.
  columns: `
    id text collate "C" primary key,
    hash text not null unique,
    name text not null,
    plan text not null,
    start text not null,
    created_at text collate "C" not null,
    revoked_at text`,
  // A key may end, and its secret before the last rotation is valid for a while.
  rotation: `
  alter table asof.api_key add column expires_at text;
  alter table asof.api_key add column previous_hash text;
  alter table asof.api_key add column previous_until text;
  `,
};

const keyColumns = `id, hash, name, plan, start, created_at as "createdAt", revoked_at as "revokedAt",
  expires_at as "expiresAt", previous_hash as "previousHash", previous_until as "previousUntil"`;

/** Reads and changes the keys of an access store. */
export function keysIn({
  read,
  change,
}: KeySessions): Pick<AccessStore, 'addKey' | 'keys' | 'revokeKey' | 'rotateKey'> {
  return {
    keys: () =>
      read(async (session) => {
        const rows = await session.rows<KeyRow>(
          `select ${keyColumns} from asof.api_key order by created_at, id`,
        );
        return rows.map((row) => present(row));
      }),
    addKey: (key) =>
      change(async (session) => {
        await session.run(
          `insert into asof.api_key (id, hash, name, plan, start, created_at, expires_at)
           values (@id, @hash, @name, @plan, @start, @createdAt, @expiresAt)`,
          { expiresAt: null, ...key },
        );
      }),
    revokeKey: (id, revokedAt) =>
      change(async (session) => {
        const row = await session.row<KeyRow>(
          `update asof.api_key set revoked_at = coalesce(revoked_at, @revokedAt) where id = @id returning ${keyColumns}`,
          { id, revokedAt },
        );
        return row && keyRecord(row);
      }),
    rotateKey: (id, { hash, start }, previousUntil, sole = '9999') =>
      change(async (session) => {
        const row = await session.row<KeyRow>(
          `update asof.api_key set previous_hash = hash, previous_until = @previousUntil, hash = @hash, start = @start
           where id = @id and revoked_at is null and coalesce(previous_until, '') <= @sole
           returning ${keyColumns}`,
          { id, hash, start, previousUntil, sole },
        );
        return row && keyRecord(row);
      }),
  };
}

function keyRecord(row: KeyRow): KeyRecord {
  const { hash: _hash, previousHash: _previous, ...record } = present(row);
  return record;
}
