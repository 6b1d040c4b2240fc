import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newKey, newSecret } from '../../../src/server/keys/gate.ts';
import type { AccessStore, StoredKey } from '../../../src/store/access-store.ts';
import { isDatabase } from '../../../src/store/address.ts';
import { openAccess } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { contract, inDatabase, schemaOf } from '../../support/engines.ts';
import { testData } from '../../support/repository.ts';

/** An access store as asof 0.1 made it before keys had an end, with a key that was used three times in a day. */
async function makeFirstFormat(address: string, key: StoredKey): Promise<void> {
  const engine = isDatabase(address) ? 'PostgreSQL' : 'SQLite';
  const tables = readFileSync(join(testData, 'stores', `access-1-${engine}.sql`), 'utf8');
  const { id, hash, name, plan, start, createdAt } = key;
  const [row, used] = [
    [id, hash, name, plan, start, createdAt],
    [id, now.toISOString()],
  ];
  if (engine === 'SQLite') {
    mkdirSync(dirname(address), { recursive: true });
    const db = openDatabase(address);
    db.exec(tables);
    db.prepare('insert into api_key values (?, ?, ?, ?, ?, ?, null)').run(...row);
    db.prepare("insert into usage values (?, 'day', ?, 3)").run(...used);
    db.close();
    return;
  }
  const schema = schemaOf(address);
  await inDatabase(async (client) => {
    await client.query(tables.replaceAll('{schema}', schema));
    await client.query(`insert into ${schema}.api_key values ($1, $2, $3, $4, $5, $6, null)`, row);
    await client.query(`insert into ${schema}.usage (key_id, day_began, day) values ($1, $2, 3)`, used);
  }, address);
}

const now = new Date('2026-01-15T12:00:00Z');
const first = (month: string) => `2026-${month}-01T00:00:00.000Z`;
const [february, march, june] = [first('02'), first('03'), first('06')];

const keyOf = (name: string, more: object = {}) => newKey({ name, plan: 'pro', now, ...more }).stored;

contract((engine) => {
  async function withAccess(
    work: (store: AccessStore) => Promise<void>,
    address = engine.newAccessAddress(),
  ): Promise<void> {
    const store = await openAccess(address, { counting: true });
    await work(store).finally(() => store.close());
  }

  describe('an access store', () => {
    it('returns keys, oldest first, and usage as they were saved', () =>
      withAccess(async (store) => {
        const older = keyOf('Ada');
        const newer = keyOf('Ben', { plan: 'free', now: new Date(now.getTime() + 1) });
        await store.addKey(newer);
        await store.addKey(older);
        expect(await store.keys()).toEqual([older, newer]);
        for (const count of [3, 4]) {
          const usage = [{ keyId: older.id, window: 'day', began: now, count }] as const;
          await store.saveUsage(usage);
          expect(await store.usage()).toEqual(usage);
        }
      }));

    it("keeps the time of a key's first revocation and returns nothing for an unknown id", () =>
      withAccess(async (store) => {
        const { hash: _, ...record } = keyOf('Ada');
        await store.addKey({ ...record, hash: _ });
        const revoked = { ...record, revokedAt: february };
        expect(await store.revokeKey(record.id, february)).toEqual(revoked);
        expect(await store.revokeKey(record.id, march)).toEqual(revoked);
        expect(await store.revokeKey('k_00000000', march)).toBeUndefined();
      }));

    it('keeps the end of a key, and the secret before a rotation', () =>
      withAccess(async (store) => {
        const stored = keyOf('Ada', { expiresAt: june });
        await store.addKey(stored);
        expect(await store.keys()).toEqual([stored]);
        const next = newSecret().stored;
        const { hash, start: _, ...rest } = stored;
        const rotated = { ...rest, start: next.start, previousUntil: february };
        expect(await store.rotateKey(stored.id, next, february)).toEqual(rotated);
        expect(await store.keys()).toEqual([{ ...rotated, hash: next.hash, previousHash: hash }]);
      }));

    it('rotates no key that is unknown or revoked', () =>
      withAccess(async (store) => {
        const stored = keyOf('Ada');
        await store.addKey(stored);
        await store.revokeKey(stored.id, february);
        for (const id of [stored.id, 'k_00000000'])
          expect(await store.rotateKey(id, newSecret().stored, march)).toBeUndefined();
        expect((await store.keys()).map(({ hash }) => hash)).toEqual([stored.hash]);
      }));

    it('of the first format opens with its keys and counts, which go on', async () => {
      const address = engine.newAccessAddress();
      const [stored, ending] = [keyOf('Ada'), keyOf('Ben', { expiresAt: june })];
      await makeFirstFormat(address, stored);
      await withAccess(async (store) => {
        expect(await store.keys()).toEqual([stored]);
        expect(await store.usage()).toEqual([{ keyId: stored.id, window: 'day', began: now, count: 3 }]);
        await store.addKey(ending);
        await store.rotateKey(stored.id, newSecret().stored, february);
        const ends = (await store.keys()).map(({ id, expiresAt, previousUntil }) => [
          id,
          { expiresAt, previousUntil },
        ]);
        expect(Object.fromEntries(ends)).toEqual({
          [stored.id]: { previousUntil: february },
          [ending.id]: { expiresAt: june },
        });
      }, address);
      // The step is taken once.
      await withAccess(async () => undefined, address);
    });

    it('has a version that grows with every change of keys by any connection, but not with counts', async () => {
      const address = engine.newAccessAddress();
      await withAccess(async (store) => {
        const start = await store.version();
        await store.saveUsage([{ keyId: 'k', window: 'day', began: now, count: 3 }]);
        expect(await store.version()).toBe(start);
        await store.addKey(keyOf('Ada'));
        const own = await store.version();
        expect(own).toBeGreaterThan(start);
        const other = await openAccess(address, { counting: false });
        await other.addKey(keyOf('Ben'));
        expect(await store.version()).toBeGreaterThan(own);
        await other.close();
      }, address);
    });
  });
});
