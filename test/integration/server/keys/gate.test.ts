import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../src/errors/problem.ts';
import { checkPlans, createGate } from '../../../../src/server/keys/gate.ts';
import { newKey } from '../../../../src/server/keys/key.ts';
import { type Plans, parsePlans, shippedPlans } from '../../../../src/server/keys/plans.ts';
import type { AccessStore } from '../../../../src/store/access-store.ts';
import { openAccess } from '../../../../src/store/open.ts';
import { scratchFolder } from '../../../support/scratch-store.ts';

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

function addKey(store: AccessStore, plan: string): { secret: string; id: string; hash: string } {
  const { secret, stored } = newKey({ name: 'Ada', plan, now: new Date(now) });
  store.addKey(stored);
  return { secret, id: stored.id, hash: stored.hash };
}

function refusalOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('the gate', () => {
  it('admits a good key with its plan and the tightest window', async () => {
    const { store } = await newAccess();
    const { secret, id } = addKey(store, 'pro');
    const { keyId, plan, rate, refusal } = createGate(store, shippedPlans).admit(secret, now);
    expect({ keyId, plan: plan.name, rate, refusal }).toEqual({
      keyId: id,
      plan: 'pro',
      rate: { window: 'minute', limit: 600, remaining: 599, reset: 60 },
      refusal: undefined,
    });
    store.close();
  });

  it('does not tell an unknown key from a revoked one, and names the header that is missing', async () => {
    const { store } = await newAccess();
    const revoked = addKey(store, 'pro');
    store.revokeKey(revoked.id, new Date(now).toISOString());
    const gate = createGate(store, shippedPlans);
    const refused = [
      revoked.secret,
      newKey({ name: 'x', plan: 'pro', now: new Date(now) }).secret,
      'nonsense',
      '',
    ];
    for (const text of refused) {
      const { kind, detail } = refusalOf(() => gate.admit(text, now));
      expect({ kind, detail }).toEqual({ kind: 'unauthorized', detail: 'invalid API key' });
    }
    expect(refusalOf(() => gate.admit(undefined, now)).detail).toBe('missing X-API-Key header');
    store.close();
  });

  it('sees at once what another connection does to the keys', async () => {
    const { path, store } = await newAccess();
    const gate = createGate(store, shippedPlans);
    const other = await openAccess(path, { counting: false });
    const { secret, id } = addKey(other, 'free');
    await turn();
    expect(gate.admit(secret, now).plan.name).toBe('free');
    other.revokeKey(id, new Date(now).toISOString());
    await turn();
    expect(refusalOf(() => gate.admit(secret, now)).kind).toBe('unauthorized');
    other.close();
    store.close();
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
  ])('words the quota of a %s as the rulings do', async (_, limits, detail, retryAfter) => {
    const { store } = await newAccess();
    const { secret } = addKey(store, 'p');
    const gate = createGate(store, new Map([['p', { name: 'p', vintageAccess: true, ...limits }]]));
    gate.admit(secret, now);
    gate.admit(secret, now);
    const { refusal } = gate.admit(secret, now);
    expect({ kind: refusal?.kind, detail: refusal?.detail, retryAfter: refusal?.retryAfter }).toEqual({
      kind: 'rate-limit-exceeded',
      detail,
      retryAfter,
    });
    store.close();
  });

  it('keeps day and month over a restart', async () => {
    const { path, store } = await newAccess();
    const { secret } = addKey(store, 'small');
    const gate = createGate(store, small);
    for (let i = 0; i < 60; i += 1) gate.admit(secret, now);
    expect(gate.save()).toBeUndefined();
    store.close();
    const again = await openAccess(path, { counting: true });
    const later = createGate(again, small);
    const passed = Array.from({ length: 60 }, () => later.admit(secret, now + 60_000)).filter(
      ({ refusal }) => refusal === undefined,
    );
    expect(passed).toHaveLength(40);
    again.close();
  });

  it('costs ten thousand bad keys nothing: no count, no row, no memory', async () => {
    const { store } = await newAccess();
    const { secret } = addKey(store, 'small');
    const gate = createGate(store, small);
    const bad = () => newKey({ name: 'x', plan: 'small', now: new Date(now) }).secret;
    const knock = (times: number): void => {
      for (let i = 0; i < times; i += 1) refusalOf(() => gate.admit(bad(), now));
    };
    knock(2000);
    const before = process.memoryUsage().heapUsed;
    knock(10_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 1024 * 1024);
    expect(gate.save()).toBeUndefined();
    expect(store.usage()).toEqual([]);
    expect(gate.admit(secret, now).rate.remaining).toBe(59);
    store.close();
  });

  it('says when counts cannot be written, keeps them, and writes them once when it can', async () => {
    const { store } = await newAccess();
    const { secret } = addKey(store, 'small');
    let broken = true;
    let tries = 0;
    const flaky: AccessStore = {
      ...store,
      saveUsage: (records) => {
        tries += 1;
        if (broken) throw new Error('the disk is full');
        store.saveUsage(records);
      },
    };
    const gate = createGate(flaky, small);
    gate.admit(secret, now);
    expect(gate.save()).toEqual(new Error('the disk is full'));
    expect(() => gate.check()).toThrow('the disk is full');
    broken = false;
    expect(gate.save()).toBeUndefined();
    expect(() => gate.check()).not.toThrow();
    expect(store.usage().map(({ count }) => count)).toEqual([1, 1, 1]);
    // What is written is not written again.
    gate.save();
    expect(tries).toBe(2);
    store.close();
  });

  it('is not opened over keys whose plan is not served', async () => {
    const { store } = await newAccess();
    const { id } = addKey(store, 'gold');
    expect(() => checkPlans(store, shippedPlans)).toThrow(
      `key ${id} ('Ada') is on the plan 'gold': the plans are free, pro`,
    );
    store.revokeKey(id, new Date(now).toISOString());
    expect(() => checkPlans(store, shippedPlans)).not.toThrow();
    store.close();
  });
});

describe('the files of an access store', () => {
  it('hold no key', async () => {
    const { path, store } = await newAccess();
    const keys = Array.from({ length: 20 }, () => addKey(store, 'pro'));
    const gate = createGate(store, shippedPlans);
    for (const { secret } of keys) gate.admit(secret, now);
    gate.save();
    const files = ['', '-wal', '-shm', '.lock']
      .map((suffix) => path + suffix)
      .filter((file) => existsSync(file));
    expect(files.length).toBeGreaterThan(1);
    const bytes = Buffer.concat(files.map((file) => readFileSync(file))).toString('latin1');
    // The id shows that the rows are in these bytes at all.
    for (const { secret, id } of keys) {
      expect(bytes).toContain(id);
      expect(bytes).not.toContain(secret.slice(13));
      expect(bytes).not.toContain(secret.slice(20, 40));
    }
    store.close();
  });
});
