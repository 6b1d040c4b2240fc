import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Problem } from '../../../../src/errors/problem.ts';
import { checkPlans, Gate, newKey, newSecret } from '../../../../src/server/keys/gate.ts';
import { type Plans, parsePlans, shippedPlans } from '../../../../src/server/keys/plans.ts';
import type { AccessStore, StoredKey } from '../../../../src/store/access-store.ts';
import { openAccess } from '../../../../src/store/open.ts';
import { openDatabase } from '../../../../src/store/sqlite/driver.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { digestOf } from '../../../support/scratch-store.ts';

const now = Date.parse('2026-01-15T12:00:00Z');
const files = ['', '-wal', '-shm', '.lock'];
const newPath = () => join(scratchFolder(), 'deep', 'access.db');

/** A plan of 60 requests a minute and 100 a day. */
const small: Plans = parsePlans(
  JSON.stringify([
    { name: 'small', monthly_limit: 1000, daily_limit: 100, rate_per_minute: 60, vintage_access: false },
  ]),
  'plans.json',
);

/** A new access store until the end of the test, or one more connection to it. */
async function opened(path: string, counting = true): Promise<AccessStore> {
  const store = await openAccess(path, { counting });
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

async function addKey(store: AccessStore, plan: string, more: Partial<Pick<StoredKey, 'expiresAt'>> = {}) {
  const { secret, stored } = newKey({ name: 'Ada', plan, now: new Date(now), ...more });
  await store.addKey(stored);
  return { secret, id: stored.id };
}

/** A gate of a new access store with one key. */
async function newGate(plans: Plans, plan: string, more: Partial<Pick<StoredKey, 'expiresAt'>> = {}) {
  const path = newPath();
  const store = await opened(path);
  return { path, store, ...(await addKey(store, plan, more)), gate: await Gate.open(store, plans) };
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof Problem) return `${outcome.kind}: ${outcome.detail}`;
  throw new Error('it was not refused', { cause: outcome });
}

const invalid = 'unauthorized: invalid API key';

describe('the gate', () => {
  it('admits a valid key with its plan and the tightest window', async () => {
    const { gate, secret, id } = await newGate(shippedPlans, 'pro');
    const { keyId, plan, rate, refusal } = await gate.admit(secret, now);
    expect({ keyId, plan: plan.name, rate, refusal }).toEqual({
      keyId: id,
      plan: 'pro',
      rate: { window: 'minute', limit: 600, remaining: 599, reset: 60 },
      refusal: undefined,
    });
  });

  it('answers alike for unknown and revoked keys, and names a missing header', async () => {
    const { gate, store, secret, id } = await newGate(shippedPlans, 'pro');
    await store.revokeKey(id, new Date(now).toISOString());
    const unknown = newKey({ name: 'x', plan: 'pro', now: new Date(now) }).secret;
    for (const text of [secret, unknown, 'nonsense', ''])
      expect(await refusalOf(gate.admit(text, now))).toBe(invalid);
    const missing = 'unauthorized: missing X-API-Key header';
    expect(await refusalOf(gate.admit(undefined, now))).toBe(missing);
  });

  it('sees changes of keys by another connection at once', async () => {
    const { gate, path } = await newGate(shippedPlans, 'pro');
    const other = await opened(path, false);
    const { secret, id } = await addKey(other, 'free');
    expect((await gate.admit(secret, now)).plan.name).toBe('free');
    await other.revokeKey(id, new Date(now).toISOString());
    expect(await refusalOf(gate.admit(secret, now))).toBe(invalid);
  });

  const most = { ratePerMinute: 9, dailyLimit: 9, monthlyLimit: 9 };
  it.each([
    ['minute', { ratePerMinute: 2 }, 'rate limit of 2 requests per minute exceeded', 60],
    ['day', { dailyLimit: 2 }, 'daily limit of 2 requests exceeded', 43_200],
    ['month', { monthlyLimit: 2 }, 'monthly limit of 2 requests exceeded', 1_425_600],
  ])('words an exceeded limit per %s as the rulings do', async (_, limit, detail, retryAfter) => {
    const plan = { name: 'p', vintageAccess: true, maxRows: 1000, maxConcurrent: 4, ...most, ...limit };
    const { gate, secret } = await newGate(new Map([['p', plan]]), 'p');
    await gate.admit(secret, now);
    await gate.admit(secret, now);
    const { refusal } = await gate.admit(secret, now);
    expect(refusal).toMatchObject({ kind: 'rate-limit-exceeded', detail, retryAfter });
  });

  it('keeps the counts of the day and the month over a restart', async () => {
    const { gate, path, store, secret } = await newGate(small, 'small');
    for (let i = 0; i < 60; i += 1) await gate.admit(secret, now);
    expect(await gate.save()).toBeUndefined();
    await store.close();
    const later = await Gate.open(await opened(path), small);
    const admissions = await Promise.all(Array.from({ length: 60 }, () => later.admit(secret, now + 60_000)));
    expect(admissions.filter(({ refusal }) => refusal === undefined)).toHaveLength(40);
  });

  it('stores nothing for many invalid keys: no count, no row, no memory', async () => {
    const { gate, store, secret } = await newGate(small, 'small');
    const knock = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i += 1)
        expect(await refusalOf(gate.admit(newSecret().secret, now))).toBe(invalid);
    };
    await knock(500);
    const before = process.memoryUsage().heapUsed;
    await knock(2000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 1024 * 1024);
    expect(await gate.save()).toBeUndefined();
    expect(await store.usage()).toEqual([]);
    expect((await gate.admit(secret, now)).rate.remaining).toBe(59);
  });

  it('reports that counts cannot be written, keeps them, and writes them once when it can', async () => {
    const { store, secret } = await newGate(small, 'small');
    let broken = true;
    let tries = 0;
    const flaky: AccessStore = {
      version: () => store.version(),
      keys: () => store.keys(),
      addKey: (key) => store.addKey(key),
      revokeKey: (id, revokedAt) => store.revokeKey(id, revokedAt),
      rotateKey: (...asked) => store.rotateKey(...asked),
      usage: () => store.usage(),
      close: () => store.close(),
      async saveUsage(records) {
        tries += 1;
        if (broken) throw new Error('the disk is full');
        await store.saveUsage(records);
      },
    };
    const gate = await Gate.open(flaky, small);
    await gate.admit(secret, now);
    expect(await gate.save()).toEqual(new Error('the disk is full'));
    await expect(gate.check()).rejects.toThrow('the disk is full');
    broken = false;
    expect(await gate.save()).toBeUndefined();
    await expect(gate.check()).resolves.toBeUndefined();
    expect((await store.usage()).map(({ count }) => count)).toEqual([1, 1, 1]);
    // Counts that are saved are not written a second time.
    await gate.save();
    expect(tries).toBe(2);
  });

  it('refuses a key from its end on, like an unknown one', async () => {
    const expiresAt = new Date(now + 1000).toISOString();
    const { gate, secret, id } = await newGate(shippedPlans, 'pro', { expiresAt });
    expect([await gate.hasKeys(now), await gate.hasKeys(now + 1000)]).toEqual([true, false]);
    expect((await gate.admit(secret, now + 999)).keyId).toBe(id);
    expect(await refusalOf(gate.admit(secret, now + 1000))).toBe(invalid);
  });

  it('takes both secrets of a key that was rotated as one key, the old one for a while', async () => {
    const { gate, store, secret: first, id } = await newGate(small, 'small');
    expect((await gate.admit(first, now)).rate.remaining).toBe(59);
    const rotated = async (end: number) => {
      const { secret, stored } = newSecret();
      await store.rotateKey(id, stored, new Date(now + end).toISOString());
      return secret;
    };
    const second = await rotated(5000);
    // They share their quota.
    const both = [await gate.admit(first, now + 4999), await gate.admit(second, now + 4999)];
    expect(both.map(({ keyId }) => keyId)).toEqual([id, id]);
    expect(both.map(({ rate }) => rate.remaining)).toEqual([58, 57]);
    expect(await refusalOf(gate.admit(first, now + 5000))).toBe(invalid);
    expect((await gate.admit(second, now + 5000)).keyId).toBe(id);
    // Another rotation leaves no third secret.
    const third = await rotated(9000);
    expect(await refusalOf(gate.admit(first, now + 1))).toBe(invalid);
    for (const secret of [second, third]) expect((await gate.admit(secret, now + 6000)).keyId).toBe(id);
    await store.revokeKey(id, new Date(now).toISOString());
    for (const secret of [second, third])
      expect(await refusalOf(gate.admit(secret, now + 6000))).toBe(invalid);
  });

  it('requires that the plan of every valid key exists', async () => {
    const store = await opened(newPath());
    const { id } = await addKey(store, 'gold');
    await expect(checkPlans(store, shippedPlans, new Date(now))).rejects.toThrow(
      `key ${id} ('Ada') is on the plan 'gold': the plans are free, pro`,
    );
    await store.revokeKey(id, new Date(now).toISOString());
    await expect(checkPlans(store, shippedPlans, new Date(now))).resolves.toBeUndefined();
  });
});

describe('an access store', () => {
  it('contains no key, and is readable only by its owner, like its journal and its lock', async () => {
    const { gate, path, store } = await newGate(shippedPlans, 'pro');
    const keys = await Promise.all(Array.from({ length: 20 }, () => addKey(store, 'pro')));
    for (const { secret } of keys) await gate.admit(secret, now);
    await gate.save();
    const modeOf = (name: string) => (statSync(name).mode & 0o777).toString(8);
    expect(files.map((suffix) => modeOf(path + suffix))).toEqual(files.map(() => '600'));
    expect(modeOf(join(path, '..'))).toBe('700');
    const bytes = Buffer.concat(files.map((suffix) => readFileSync(path + suffix))).toString('latin1');
    // The id is found, so these bytes do contain the rows.
    for (const { secret, id } of keys) {
      expect(bytes).toContain(id);
      expect(bytes).not.toContain(secret.slice(13));
      expect(bytes).not.toContain(secret.slice(20, 40));
    }
  });

  it('lets one process count; others can change keys meanwhile', async () => {
    const path = newPath();
    const first = await opened(path);
    const link = `${path}-link`;
    symlinkSync(path, link);
    for (const name of [path, link])
      await expect(opened(name)).rejects.toThrow('another asof serve counts requests');
    const before = await first.version();
    await addKey(await opened(path, false), 'pro');
    expect(await first.version()).toBeGreaterThan(before);
    await first.close();
    await opened(path);
  });

  it('reports that another process has locked it, and works again afterwards', async () => {
    const path = newPath();
    const store = await opened(path);
    const other = openDatabase(path);
    other.exec('begin immediate');
    const usage = [{ keyId: 'k', window: 'day', began: new Date(now), count: 3 }] as const;
    await expect(store.saveUsage(usage)).rejects.toThrow('is locked by another process');
    other.exec('rollback');
    await store.saveUsage(usage);
    expect(await store.usage()).toEqual(usage);
    other.close();
  });

  const newer = 'create table t (a); pragma application_id = 1634955115; pragma user_version = 99';
  const make = (sql: string) => (path: string) => void openDatabase(path).exec(sql).close();
  it.each<[string, (path: string) => void, string]>([
    ['that is no database', (path) => writeFileSync(path, 'key,name\n'.repeat(200)), 'cannot use the store'],
    ['of somebody else', make('create table t (a)'), 'is not an access store of asof'],
    ['of a newer asof', make(newer), 'was made by a newer asof'],
  ])('refuses a file %s and leaves it unchanged', async (_, makeFile, reason) => {
    const path = join(scratchFolder(), 'access.db');
    makeFile(path);
    const before = digestOf(path);
    for (let i = 0; i < 2; i += 1) await expect(opened(path)).rejects.toThrow(reason);
    expect([digestOf(path), existsSync(path)]).toEqual([before, true]);
  });
});
