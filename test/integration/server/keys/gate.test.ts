import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/errors/problem.ts';
import { checkPlans, Gate, newKey, newSecret } from '../../../../src/server/keys/gate.ts';
import { type Plans, parsePlans, shippedPlans } from '../../../../src/server/keys/plans.ts';
import type { AccessStore } from '../../../../src/store/access-store.ts';
import { openAccess } from '../../../../src/store/open.ts';
import { scratchFolder } from '../../../support/folders.ts';

const now = Date.parse('2026-01-15T12:00:00Z');

const small: Plans = parsePlans(
  JSON.stringify([
    { name: 'small', monthly_limit: 1000, daily_limit: 100, rate_per_minute: 60, vintage_access: false },
  ]),
  'plans.json',
);

async function newAccess() {
  const path = join(scratchFolder(), 'access.db');
  const store = await openAccess(path, { counting: true });
  return { path, store };
}

async function addKey(store: AccessStore, plan: string) {
  const { secret, stored } = newKey({ name: 'Ada', plan, now: new Date(now) });
  await store.addKey(stored);
  return { secret, id: stored.id, hash: stored.hash };
}

async function refusalOf(work: Promise<unknown>): Promise<Problem> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error('it was not refused', { cause: outcome });
}

describe('the gate', () => {
  it('admits a valid key with its plan and the tightest window', async () => {
    const { store } = await newAccess();
    const { secret, id } = await addKey(store, 'pro');
    const { keyId, plan, rate, refusal } = await (await Gate.open(store, shippedPlans)).admit(secret, now);
    expect({ keyId, plan: plan.name, rate, refusal }).toEqual({
      keyId: id,
      plan: 'pro',
      rate: { window: 'minute', limit: 600, remaining: 599, reset: 60 },
      refusal: undefined,
    });
    await store.close();
  });

  it('answers alike for unknown and revoked keys, and names a missing header', async () => {
    const { store } = await newAccess();
    const revoked = await addKey(store, 'pro');
    await store.revokeKey(revoked.id, new Date(now).toISOString());
    const gate = await Gate.open(store, shippedPlans);
    const refused = [
      revoked.secret,
      newKey({ name: 'x', plan: 'pro', now: new Date(now) }).secret,
      'nonsense',
      '',
    ];
    for (const text of refused) {
      const { kind, detail } = await refusalOf(gate.admit(text, now));
      expect({ kind, detail }).toEqual({ kind: 'unauthorized', detail: 'invalid API key' });
    }
    expect((await refusalOf(gate.admit(undefined, now))).detail).toBe('missing X-API-Key header');
    await store.close();
  });

  it('sees changes of keys by another connection at once', async () => {
    const { path, store } = await newAccess();
    const gate = await Gate.open(store, shippedPlans);
    const other = await openAccess(path, { counting: false });
    const { secret, id } = await addKey(other, 'free');
    expect((await gate.admit(secret, now)).plan.name).toBe('free');
    await other.revokeKey(id, new Date(now).toISOString());
    expect((await refusalOf(gate.admit(secret, now))).kind).toBe('unauthorized');
    await other.close();
    await store.close();
  });

  it.each([
    [
      'minute',
      { ratePerMinute: 2, dailyLimit: 9, monthlyLimit: 9 },
      'rate limit of 2 requests per minute exceeded',
      60,
    ],
    [
      'day',
      { ratePerMinute: 9, dailyLimit: 2, monthlyLimit: 9 },
      'daily limit of 2 requests exceeded',
      43_200,
    ],
    [
      'month',
      { ratePerMinute: 9, dailyLimit: 9, monthlyLimit: 2 },
      'monthly limit of 2 requests exceeded',
      1_425_600,
    ],
  ])('words an exceeded limit per %s as the rulings do', async (_, limits, detail, retryAfter) => {
    const { store } = await newAccess();
    const { secret } = await addKey(store, 'p');
    const gate = await Gate.open(
      store,
      new Map([['p', { name: 'p', vintageAccess: true, maxRows: 1000, maxConcurrent: 4, ...limits }]]),
    );
    await gate.admit(secret, now);
    await gate.admit(secret, now);
    const { refusal } = await gate.admit(secret, now);
    expect({ kind: refusal?.kind, detail: refusal?.detail, retryAfter: refusal?.retryAfter }).toEqual({
      kind: 'rate-limit-exceeded',
      detail,
      retryAfter,
    });
    await store.close();
  });

  it('keeps the counts of the day and the month over a restart', async () => {
    const { path, store } = await newAccess();
    const { secret } = await addKey(store, 'small');
    const gate = await Gate.open(store, small);
    for (let i = 0; i < 60; i += 1) await gate.admit(secret, now);
    expect(await gate.save()).toBeUndefined();
    await store.close();
    const again = await openAccess(path, { counting: true });
    const later = await Gate.open(again, small);
    const admissions = await Promise.all(Array.from({ length: 60 }, () => later.admit(secret, now + 60_000)));
    const passed = admissions.filter(({ refusal }) => refusal === undefined);
    expect(passed).toHaveLength(40);
    await again.close();
  });

  it('stores nothing for ten thousand invalid keys: no count, no row, no memory', async () => {
    const { store } = await newAccess();
    const { secret } = await addKey(store, 'small');
    const gate = await Gate.open(store, small);
    const bad = () => newKey({ name: 'x', plan: 'small', now: new Date(now) }).secret;
    const knock = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i += 1) await refusalOf(gate.admit(bad(), now));
    };
    await knock(2000);
    const before = process.memoryUsage().heapUsed;
    await knock(10_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 1024 * 1024);
    expect(await gate.save()).toBeUndefined();
    expect(await store.usage()).toEqual([]);
    expect((await gate.admit(secret, now)).rate.remaining).toBe(59);
    await store.close();
  });

  it('reports that counts cannot be written, keeps them, and writes them once when it can', async () => {
    const { store } = await newAccess();
    const { secret } = await addKey(store, 'small');
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
    await store.close();
  });

  it('refuses a key from its end on, like an unknown one', async () => {
    const { store } = await newAccess();
    const expiresAt = new Date(now + 1000).toISOString();
    const { secret, stored } = newKey({ name: 'Ada', plan: 'pro', now: new Date(now), expiresAt });
    await store.addKey(stored);
    const gate = await Gate.open(store, shippedPlans);
    expect([await gate.hasKeys(now), await gate.hasKeys(now + 1000)]).toEqual([true, false]);
    expect((await gate.admit(secret, now + 999)).keyId).toBe(stored.id);
    expect(await refusalOf(gate.admit(secret, now + 1000))).toMatchObject({ detail: 'invalid API key' });
    await store.close();
  });

  it('takes both secrets of a key that was rotated as one key, the old one for a while', async () => {
    const { store } = await newAccess();
    const { secret: first, id } = await addKey(store, 'small');
    const gate = await Gate.open(store, small);
    expect((await gate.admit(first, now)).rate.remaining).toBe(59);
    const second = newSecret();
    await store.rotateKey(id, second.stored, new Date(now + 5000).toISOString());
    const both = [await gate.admit(first, now + 4999), await gate.admit(second.secret, now + 4999)];
    // They share their quota.
    expect(both.map(({ keyId, rate }) => [keyId, rate.remaining])).toEqual([
      [id, 58],
      [id, 57],
    ]);
    expect(await refusalOf(gate.admit(first, now + 5000))).toMatchObject({ detail: 'invalid API key' });
    expect((await gate.admit(second.secret, now + 5000)).keyId).toBe(id);
    // Another rotation leaves no third secret.
    const third = newSecret();
    await store.rotateKey(id, third.stored, new Date(now + 9000).toISOString());
    expect(await refusalOf(gate.admit(first, now + 1))).toMatchObject({ detail: 'invalid API key' });
    expect((await gate.admit(second.secret, now + 6000)).keyId).toBe(id);
    expect((await gate.admit(third.secret, now + 6000)).keyId).toBe(id);
    await store.revokeKey(id, new Date(now).toISOString());
    for (const { secret } of [second, third])
      expect(await refusalOf(gate.admit(secret, now + 6000))).toMatchObject({ detail: 'invalid API key' });
    await store.close();
  });

  it('requires that the plan of every valid key exists', async () => {
    const { store } = await newAccess();
    const { id } = await addKey(store, 'gold');
    await expect(checkPlans(store, shippedPlans, new Date(now))).rejects.toThrow(
      `key ${id} ('Ada') is on the plan 'gold': the plans are free, pro`,
    );
    await store.revokeKey(id, new Date(now).toISOString());
    await expect(checkPlans(store, shippedPlans, new Date(now))).resolves.toBeUndefined();
    await store.close();
  });
});

describe('the files of an access store', () => {
  it('contain no key', async () => {
    const { path, store } = await newAccess();
    const keys = await Promise.all(Array.from({ length: 20 }, () => addKey(store, 'pro')));
    const gate = await Gate.open(store, shippedPlans);
    for (const { secret } of keys) await gate.admit(secret, now);
    await gate.save();
    const files = ['', '-wal', '-shm', '.lock']
      .map((suffix) => path + suffix)
      .filter((file) => existsSync(file));
    expect(files.length).toBeGreaterThan(1);
    const bytes = Buffer.concat(files.map((file) => readFileSync(file))).toString('latin1');
    // The id is found, so these bytes do contain the rows.
    for (const { secret, id } of keys) {
      expect(bytes).toContain(id);
      expect(bytes).not.toContain(secret.slice(13));
      expect(bytes).not.toContain(secret.slice(20, 40));
    }
    await store.close();
  });
});
