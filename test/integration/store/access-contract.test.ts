import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newKey, newSecret } from '../../../src/server/keys/gate.ts';
import type { StoredKey } from '../../../src/store/access-store.ts';
import { openAccess } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { inDatabase, onEveryEngine, schemaOf } from '../../support/engines.ts';

/** An access store as asof 0.1 made it before keys had an end, with a key that was used three times in a day. */
async function makeFirstFormat(address: string, key: StoredKey): Promise<void> {
  const { id, hash, name, plan, start, createdAt } = key;
  const row = [id, hash, name, plan, start, createdAt];
  if (!address.startsWith('postgres')) {
    mkdirSync(dirname(address), { recursive: true });
    const db = openDatabase(address);
    db.exec(`
      create table api_key (
        id text primary key, hash text not null unique, name text not null, plan text not null,
        start text not null, created_at text not null, revoked_at text
      ) strict;
      create table usage (
        key_id text not null, window text not null, began text not null, count integer not null,
        primary key (key_id, window)
      ) strict, without rowid;
      pragma application_id = ${0x61736f6b};
      pragma user_version = 1;
    `);
    db.prepare('insert into api_key values (?, ?, ?, ?, ?, ?, null)').run(...row);
    db.prepare("insert into usage values (?, 'day', ?, 3)").run(id, now.toISOString());
    db.close();
    return;
  }
  const schema = schemaOf(address);
  await inDatabase(async (client) => {
    await client.query(`
      create schema ${schema};
      create table ${schema}.access (
        only_row integer primary key check (only_row = 1), format integer not null, version bigint not null
      );
      insert into ${schema}.access values (1, 1, 1);
      create table ${schema}.api_key (
        id text collate "C" primary key, hash text not null unique, name text not null, plan text not null,
        start text not null, created_at text collate "C" not null, revoked_at text
      );
      create table ${schema}.usage (
        key_id text collate "C" primary key,
        minute_began text collate "C" not null default '', minute integer not null default 0,
        day_began text collate "C" not null default '', day integer not null default 0,
        month_began text collate "C" not null default '', month integer not null default 0,
        granted integer not null default 0
      ) with (fillfactor = 50);
    `);
    await client.query(`insert into ${schema}.api_key values ($1, $2, $3, $4, $5, $6, null)`, row);
    await client.query(`insert into ${schema}.usage (key_id, day_began, day) values ($1, $2, 3)`, [
      id,
      now.toISOString(),
    ]);
  });
}

const now = new Date('2026-01-15T12:00:00Z');

onEveryEngine((engine) => {
  describe('an access store', () => {
    it('returns keys, oldest first, and usage as they were saved', async () => {
      const store = await openAccess(engine.newAccessAddress(), { counting: false });
      const older = newKey({ name: 'Ada', plan: 'pro', now }).stored;
      const newer = newKey({ name: 'Ben', plan: 'free', now: new Date(now.getTime() + 1) }).stored;
      await store.addKey(newer);
      await store.addKey(older);
      expect(await store.keys()).toEqual([older, newer]);
      const usage = [{ keyId: older.id, window: 'day', began: now, count: 3 }] as const;
      await store.saveUsage(usage);
      await store.saveUsage([{ ...usage[0], count: 4 }]);
      expect(await store.usage()).toEqual([{ ...usage[0], count: 4 }]);
      await store.close();
    });

    it("keeps the time of a key's first revocation and returns nothing for an unknown id", async () => {
      const store = await openAccess(engine.newAccessAddress(), { counting: false });
      const { stored } = newKey({ name: 'Ada', plan: 'pro', now });
      await store.addKey(stored);
      const { hash: _hash, ...record } = stored;
      const revoked = { ...record, revokedAt: '2026-02-01T00:00:00.000Z' };
      expect(await store.revokeKey(stored.id, revoked.revokedAt)).toEqual(revoked);
      expect(await store.revokeKey(stored.id, '2026-03-01T00:00:00.000Z')).toEqual(revoked);
      expect(await store.revokeKey('k_00000000', '2026-03-01T00:00:00.000Z')).toBeUndefined();
      await store.close();
    });

    it('keeps the end of a key, and the secret before a rotation', async () => {
      const store = await openAccess(engine.newAccessAddress(), { counting: false });
      const expiresAt = '2026-06-01T00:00:00.000Z';
      const { stored } = newKey({ name: 'Ada', plan: 'pro', now, expiresAt });
      await store.addKey(stored);
      expect(await store.keys()).toEqual([stored]);
      const next = newSecret().stored;
      const until = '2026-02-01T00:00:00.000Z';
      const { hash, start: _, ...rest } = stored;
      const rotated = { ...rest, start: next.start, previousUntil: until };
      expect(await store.rotateKey(stored.id, next, until)).toEqual(rotated);
      expect(await store.keys()).toEqual([{ ...rotated, hash: next.hash, previousHash: hash }]);
      await store.close();
    });

    it('rotates no key that is unknown or revoked', async () => {
      const store = await openAccess(engine.newAccessAddress(), { counting: false });
      const { stored } = newKey({ name: 'Ada', plan: 'pro', now });
      await store.addKey(stored);
      await store.revokeKey(stored.id, '2026-02-01T00:00:00.000Z');
      for (const id of [stored.id, 'k_00000000'])
        expect(await store.rotateKey(id, newSecret().stored, '2026-03-01T00:00:00.000Z')).toBeUndefined();
      expect((await store.keys()).map(({ hash }) => hash)).toEqual([stored.hash]);
      await store.close();
    });

    it('of the first format opens with its keys and counts, which go on', async () => {
      const address = engine.newAccessAddress();
      const { stored } = newKey({ name: 'Ada', plan: 'pro', now });
      await makeFirstFormat(address, stored);
      const store = await openAccess(address, { counting: true });
      expect(await store.keys()).toEqual([stored]);
      expect(await store.usage()).toEqual([{ keyId: stored.id, window: 'day', began: now, count: 3 }]);
      const { stored: ending } = newKey({
        name: 'Ben',
        plan: 'pro',
        now,
        expiresAt: '2026-06-01T00:00:00.000Z',
      });
      await store.addKey(ending);
      await store.rotateKey(stored.id, newSecret().stored, '2026-02-01T00:00:00.000Z');
      expect(
        (await store.keys()).map(({ id, expiresAt, previousUntil }) => [id, expiresAt, previousUntil]),
      ).toEqual(
        expect.arrayContaining([
          [stored.id, undefined, '2026-02-01T00:00:00.000Z'],
          [ending.id, '2026-06-01T00:00:00.000Z', undefined],
        ]),
      );
      await store.close();
      // The step is taken once.
      await (await openAccess(address, { counting: true })).close();
    });

    it('has a version that grows with every change of keys by any connection, but not with counts', async () => {
      const address = engine.newAccessAddress();
      const store = await openAccess(address, { counting: true });
      const start = await store.version();
      await store.saveUsage([{ keyId: 'k', window: 'day', began: now, count: 3 }]);
      expect(await store.version()).toBe(start);
      await store.addKey(newKey({ name: 'Ada', plan: 'pro', now }).stored);
      const own = await store.version();
      expect(own).toBeGreaterThan(start);
      const other = await openAccess(address, { counting: false });
      await other.addKey(newKey({ name: 'Ben', plan: 'pro', now }).stored);
      expect(await store.version()).toBeGreaterThan(own);
      await other.close();
      await store.close();
    });
  });
});
