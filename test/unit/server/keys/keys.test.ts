import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isKeyShaped,
  isSameSecret,
  MemoryCounts,
  newKey,
  quotasOf,
  Turns,
} from '../../../../src/server/keys/gate.ts';
import { type Plan, parsePlans, shippedPlans } from '../../../../src/server/keys/plans.ts';
import type { UsageRecord } from '../../../../src/store/access-store.ts';

const made = Array.from({ length: 200 }, () =>
  newKey({ name: 'Ada', plan: 'pro', now: new Date('2026-01-15T12:00:00Z') }),
);

describe('a new key', () => {
  it('is asof_live_sk_ and 256 bits as 43 characters of base64url, other ones every time', () => {
    for (const { secret } of made) {
      const [, random = ''] = /^asof_live_sk_([A-Za-z0-9_-]{43})$/.exec(secret) ?? [];
      expect(Buffer.from(random, 'base64url')).toHaveLength(32);
    }
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(made.length);
    expect(new Set(made.map(({ stored }) => stored.id)).size).toBe(made.length);
  });

  it('is stored as its SHA-256, first 4 characters, name, plan and time, without the secret', () => {
    for (const { secret, stored } of made) {
      expect(stored).toEqual({
        id: expect.stringMatching(/^k_[0-9a-f]{8}$/),
        name: 'Ada',
        plan: 'pro',
        start: secret.slice(13, 17),
        createdAt: '2026-01-15T12:00:00.000Z',
        hash: createHash('sha256').update(secret).digest('hex'),
      });
      expect(createHash('sha256').update(secret).digest('hex')).toBe(stored.hash);
      expect(JSON.stringify(stored)).not.toContain(secret.slice(13));
      expect(stored.hash).not.toContain(stored.id.slice(2));
    }
  });

  it.each([
    ['one', 'one', true],
    ['', '', true],
    ['one', 'onE', false],
    ['one', 'one ', false],
    ['', 'one', false],
  ])('is compared as %j and %j are: the same: %s', (one, other, same) => {
    expect(isSameSecret(one, other)).toBe(same);
  });

  const [good = ''] = made.map(({ secret }) => secret);
  it.each([
    ['nothing', ''],
    ['a character less', good.slice(0, -1)],
    ['a character more', `${good}A`],
    ['another prefix', good.replace('live', 'test')],
    ['two keys, as a repeated header gives them', `${good}, ${good}`],
    ['a line break at its end', `${good}\n`],
    ['a character of plain base64', `${good.slice(0, -1)}+`],
  ])('differs from %s', (_, text) => {
    expect([isKeyShaped(good), isKeyShaped(text)]).toEqual([true, false]);
  });
});

describe('plans', () => {
  const limits = { monthlyLimit: 5, dailyLimit: 4, ratePerMinute: 3 };
  const team = { name: 'team', monthly_limit: 5, daily_limit: 4, rate_per_minute: 3, vintage_access: true };

  it.each([
    ['free', 10_000, 500, 30, false, 10_000],
    ['pro', 1_000_000, 50_000, 600, true, 1_000_000],
  ])('that are shipped have %s', (name, monthlyLimit, dailyLimit, ratePerMinute, vintageAccess, maxRows) => {
    const own = { name, monthlyLimit, dailyLimit, ratePerMinute, vintageAccess, maxRows };
    expect(shippedPlans.get(name)).toEqual({ ...own, maxConcurrent: 4 });
  });

  it('of a file replace those that are shipped, and have the documented numbers that it does not name', () => {
    const plansOf = (content: object) => parsePlans(JSON.stringify([content]), 'plans.json');
    const own = { name: 'team', ...limits, vintageAccess: true };
    const whole = plansOf({ ...team, max_rows: 7, max_concurrent: 2 });
    expect([...whole.values()]).toEqual([{ ...own, maxRows: 7, maxConcurrent: 2 }]);
    expect([...plansOf(team).values()]).toEqual([{ ...own, maxRows: 100_000, maxConcurrent: 4 }]);
  });

  const changed = (change: object) => [{ ...team, ...change }];
  it.each<[string, unknown]>([
    ['expected a list of plans', { team }],
    ['expected a list of plans', []],
    ['plan 1: an object is expected', ['free']],
    ["plan 'team' is listed twice", [team, team]],
    ["plan 2: unknown field 'dayly_limit'", [team, { ...team, name: 'b', dayly_limit: 1 }]],
    ["plan 1: 'daily_limit' must be an integer from 1", changed({ daily_limit: 0 })],
    ["plan 1: 'monthly_limit' must be an integer", changed({ monthly_limit: 1.5 })],
    ["plan 1: 'rate_per_minute' must be", changed({ rate_per_minute: '3' })],
    ['to 2147483647', changed({ daily_limit: 2_147_483_648 })],
    ["plan 1: 'max_rows' must be an integer from 1", changed({ max_rows: 0 })],
    ["plan 1: 'max_concurrent' must be an integer", changed({ max_concurrent: 0 })],
    ["plan 1: 'daily_limit' must be", changed({ daily_limit: undefined })],
    ["plan 1: 'vintage_access' must be true or false", changed({ vintage_access: 'no' })],
    ["plan 1: 'name' must be", changed({ name: 'Team' })],
  ])('are refused where %s', (reason, content) => {
    const parsing = () => parsePlans(JSON.stringify(content), 'plans.json');
    expect(parsing).toThrow('plans.json: ');
    expect(parsing).toThrow(reason);
  });

  it('are refused where they are not JSON', () => {
    expect(() => parsePlans('[{', 'plans.json')).toThrow('plans.json: it is not JSON');
  });
});

const plan = (ratePerMinute: number, dailyLimit: number, monthlyLimit: number): Plan => ({
  ...{ name: 'p', vintageAccess: true, maxRows: 1000, maxConcurrent: 4 },
  ...{ ratePerMinute, dailyLimit, monthlyLimit },
});

type Quotas = ReturnType<typeof quotasOf>;

/** Quotas that count in memory. */
function newQuotas(): Quotas {
  return quotasOf(new MemoryCounts([]).count);
}

/** The counts that changed since the last call. */
async function changedIn(counts: MemoryCounts): Promise<readonly UsageRecord[]> {
  const changed: UsageRecord[] = [];
  await counts.save(async (records) => void changed.push(...records));
  return changed;
}

const at = (text: string): number => Date.parse(text);

/** How many of some requests at an instant are allowed. */
async function takeMany(quotas: Quotas, count: number, limits: Plan, time: string): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: count }, () => quotas('k', limits, at(time))));
  return verdicts.filter(({ allowed }) => allowed).length;
}

describe('a quota', () => {
  it.each<[window: string, limits: Plan, time: string, reset: number]>([
    ['minute', plan(2, 100, 100), '2026-01-15T12:00:42.001Z', 18],
    ['minute', plan(2, 9, 9), '2026-01-15T12:00:00Z', 60],
    ['minute', plan(2, 9, 9), '2026-01-15T12:00:59.999Z', 1],
    ['day', plan(9, 2, 9), '2026-01-15T23:59:01Z', 59],
    ['day', plan(9, 2, 9), '2026-01-15T00:00:00Z', 86_400],
    ['month', plan(9, 9, 2), '2026-02-28T23:00:00Z', 3600],
    // A leap February, and a December.
    ['month', plan(9, 9, 2), '2028-02-28T23:00:00Z', 90_000],
    ['month', plan(9, 9, 2), '2026-12-31T23:59:59Z', 1],
    // Of two that are used up, the one that turns last.
    ['day', plan(2, 2, 9), '2026-01-15T23:00:00Z', 3600],
  ])(
    'of a %s of %j refuses at %s with the seconds until the next window',
    async (window, limits, time, reset) => {
      const quotas = newQuotas();
      expect(await takeMany(quotas, 2, limits, time)).toBe(2);
      const rate = { remaining: 0, window, limit: 2, reset };
      expect(await quotas('k', limits, at(time))).toEqual({ allowed: false, rate });
    },
  );

  it.each([
    ['minute', plan(2, 9, 9), '2026-01-15T12:00:59.999Z', '2026-01-15T12:01:00Z'],
    ['day', plan(9, 2, 9), '2026-01-15T23:59:59.999Z', '2026-01-16T00:00:00Z'],
    ['month', plan(9, 9, 2), '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z'],
  ])('of a %s is full again when the next window begins, not before', async (_, limits, last, first) => {
    const quotas = newQuotas();
    expect(await takeMany(quotas, 5, limits, last)).toBe(2);
    expect(await takeMany(quotas, 5, limits, first)).toBe(2);
  });

  it('reports the tightest window', async () => {
    const { rate } = await newQuotas()('k', plan(5, 3, 9), at('2026-01-15T12:00:10Z'));
    expect(rate).toEqual({ window: 'day', limit: 3, remaining: 2, reset: 43_190 });
  });

  it('counts each key separately', async () => {
    const quotas = newQuotas();
    const now = at('2026-01-15T12:00:00Z');
    const verdicts = await Promise.all(['a', 'b', 'a'].map((key) => quotas(key, plan(1, 9, 9), now)));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });

  it.each([
    ['stays used up when the clock is set back', plan(2, 9, 9), '2026-01-15T12:01:00Z', '12:00:59Z', 0],
    ['does not block after a clock far ahead', plan(2, 2, 2), '2036-01-15T12:00:00Z', '12:00:00Z', 2],
  ])('%s', async (_, limits, first, then, allowed) => {
    const quotas = newQuotas();
    expect(await takeMany(quotas, 5, limits, first)).toBe(2);
    expect(await takeMany(quotas, 5, limits, `2026-01-15T${then}`)).toBe(allowed);
  });

  it('continues from saved counts and saves only changed ones', async () => {
    const first = new MemoryCounts([]);
    const quotas = quotasOf(first.count);
    const now = '2026-01-15T12:00:30Z';
    await takeMany(quotas, 3, plan(9, 9, 9), now);
    const saved: UsageRecord[] = [];
    await first.save(async (records) => {
      saved.push(...records);
      // A request during the writing is written the next time.
      await quotas('k', plan(9, 9, 9), at(now));
    });
    expect(saved).toEqual([
      { keyId: 'k', window: 'minute', began: new Date('2026-01-15T12:00:00Z'), count: 3 },
      { keyId: 'k', window: 'day', began: new Date('2026-01-15T00:00:00Z'), count: 3 },
      { keyId: 'k', window: 'month', began: new Date('2026-01-01T00:00:00Z'), count: 3 },
    ]);
    const failing = first.save(() => Promise.reject(new Error('the disk is full')));
    await expect(failing).rejects.toThrow('the disk is full');
    expect((await changedIn(first)).map(({ count }) => count)).toEqual([4, 4, 4]);
    expect(await changedIn(first)).toEqual([]);
    expect(await takeMany(quotasOf(new MemoryCounts(saved).count), 9, plan(9, 5, 9), now)).toBe(2);
  });

  it('forgets removed keys', async () => {
    const counts = new MemoryCounts([]);
    await quotasOf(counts.count)('k', plan(1, 9, 9), at('2026-01-15T12:00:30Z'));
    counts.keep(new Set(['other']));
    expect(await changedIn(counts)).toEqual([]);
  });

  /** The rulings, without any optimisation: an allowed request counts in each window that contains it. */
  function naive(times: readonly number[], limits: Plan): boolean[] {
    const passed: number[] = [];
    const windowOf = [16, 10, 7].map(
      (length) => (time: number) => new Date(time).toISOString().slice(0, length),
    );
    const most = [limits.ratePerMinute, limits.dailyLimit, limits.monthlyLimit];
    return times.map((now) => {
      const allowed = windowOf.every(
        (name, i) => passed.filter((time) => name(time) === name(now)).length < (most[i] ?? 0),
      );
      if (allowed) passed.push(now);
      return allowed;
    });
  }

  it('allows random requests at random times as the rulings say, also after a restart', async () => {
    const begin = at('2026-01-30T23:50:00Z');
    const steps = fc.array(fc.integer({ min: 0, max: 4 * 3_600_000 }), { minLength: 1, maxLength: 60 });
    const limit = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(steps, limit, limit, limit, fc.nat(60), async (gaps, minute, day, month, handover) => {
        let time = begin;
        // Most gaps are short, so that minutes fill up too.
        const times = gaps.map((gap, i) => (time += i % 3 === 0 ? gap : gap % 20_000));
        const limits = plan(minute, day, month);
        let counts = new MemoryCounts([]);
        const allowed: boolean[] = [];
        for (const [i, now] of times.entries()) {
          if (i === handover) counts = new MemoryCounts(await changedIn(counts));
          allowed.push((await quotasOf(counts.count)('k', limits, now)).allowed);
        }
        expect(allowed).toEqual(naive(times, limits));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the computations of a key', () => {
  /** The places that may begin now, by their numbers. */
  async function begun(turns: readonly ReturnType<Turns['take']>[]): Promise<readonly number[]> {
    const found: number[] = [];
    for (const [i, turn] of turns.entries()) void turn?.begun.then(() => found.push(i));
    await new Promise(setImmediate);
    return found;
  }

  /** The places of computations of keys, in their order. */
  const taken = (turns: Turns, keys: string, most: number) => [...keys].map((key) => turns.take(key, most));

  it('begin in their order, as many at a time as the plan says', async () => {
    const places = taken(new Turns(8), 'aaaaa', 2);
    expect(await begun(places)).toEqual([0, 1]);
    places[1]?.leave();
    places[1]?.leave();
    expect(await begun(places)).toEqual([0, 1, 2]);
    // One that gives up while it waits is passed over.
    places[3]?.leave();
    places[0]?.leave();
    expect(await begun(places)).toEqual([0, 1, 2, 4]);
  });

  it('are refused when four wait for each one that runs', () => {
    const turns = new Turns(8);
    const places = taken(turns, 'aaaaaaaaaa', 2);
    expect(places).not.toContain(undefined);
    expect(turns.take('a', 2)).toBeUndefined();
    places[9]?.leave();
    expect(turns.take('a', 2)).toBeDefined();
    expect(turns.take('a', 2)).toBeUndefined();
  });

  it('do not wait for those of another key', async () => {
    expect(await begun(taken(new Turns(8), 'aab', 1))).toEqual([0, 2]);
  });

  it('leave a thread to another key, and wait while all threads are taken', async () => {
    const places = taken(new Turns(3), 'aaabc', 4);
    expect(await begun(places)).toEqual([0, 1, 3]);
    places[3]?.leave();
    expect(await begun(places)).toEqual([0, 1, 3, 4]);
    places[0]?.leave();
    expect(await begun(places)).toEqual([0, 1, 2, 3, 4]);
  });
});
