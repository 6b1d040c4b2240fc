import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryCounts, quotasOf } from '../../../../src/server/keys/gate.ts';
import type { Plan } from '../../../../src/server/keys/plans.ts';
import type { UsageRecord } from '../../../../src/store/access-store.ts';

const plan = (minute: number, day: number, month: number): Plan => ({
  name: 'p',
  monthlyLimit: month,
  dailyLimit: day,
  ratePerMinute: minute,
  vintageAccess: true,
  maxRows: 1000,
  maxConcurrent: 4,
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

async function takeMany(quotas: Quotas, count: number, limits: Plan, now: number): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: count }, () => quotas('k', limits, now)));
  return verdicts.filter(({ allowed }) => allowed).length;
}

describe('a quota', () => {
  it.each<[string, Plan, string, { window: string; limit: number; reset: number }]>([
    ['of a minute', plan(2, 100, 100), '2026-01-15T12:00:42.001Z', { window: 'minute', limit: 2, reset: 18 }],
    [
      'at the first instant of a minute',
      plan(2, 9, 9),
      '2026-01-15T12:00:00Z',
      { window: 'minute', limit: 2, reset: 60 },
    ],
    [
      'at the last instant of a minute',
      plan(2, 9, 9),
      '2026-01-15T12:00:59.999Z',
      { window: 'minute', limit: 2, reset: 1 },
    ],
    ['of a UTC day', plan(9, 2, 9), '2026-01-15T23:59:01Z', { window: 'day', limit: 2, reset: 59 }],
    [
      'of a UTC day, early',
      plan(9, 2, 9),
      '2026-01-15T00:00:00Z',
      { window: 'day', limit: 2, reset: 86_400 },
    ],
    ['of a UTC month', plan(9, 9, 2), '2026-02-28T23:00:00Z', { window: 'month', limit: 2, reset: 3600 }],
    [
      'of a leap February',
      plan(9, 9, 2),
      '2028-02-28T23:00:00Z',
      { window: 'month', limit: 2, reset: 90_000 },
    ],
    ['of a December', plan(9, 9, 2), '2026-12-31T23:59:59Z', { window: 'month', limit: 2, reset: 1 }],
    [
      'that turns last, of two used up',
      plan(2, 2, 9),
      '2026-01-15T23:00:00Z',
      { window: 'day', limit: 2, reset: 3600 },
    ],
  ])('%s refuses with the seconds until the next window', async (_, limits, time, expected) => {
    const quotas = newQuotas();
    expect(await takeMany(quotas, 2, limits, at(time))).toBe(2);
    expect(await quotas('k', limits, at(time))).toEqual({
      allowed: false,
      rate: { remaining: 0, ...expected },
    });
  });

  it.each([
    ['minute', plan(2, 9, 9), '2026-01-15T12:00:59.999Z', '2026-01-15T12:01:00Z'],
    ['day', plan(9, 2, 9), '2026-01-15T23:59:59.999Z', '2026-01-16T00:00:00Z'],
    ['month', plan(9, 9, 2), '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00Z'],
  ])('of a %s is full again when the next window begins, not before', async (_, limits, last, first) => {
    const quotas = newQuotas();
    expect(await takeMany(quotas, 5, limits, at(last))).toBe(2);
    expect(await takeMany(quotas, 5, limits, at(first))).toBe(2);
  });

  it('does not count a refused request', async () => {
    const quotas = newQuotas();
    await takeMany(quotas, 50, plan(1, 3, 9), at('2026-01-15T12:00:00Z'));
    expect(await takeMany(quotas, 50, plan(9, 3, 9), at('2026-01-15T12:01:00Z'))).toBe(2);
  });

  it('reports the tightest window', async () => {
    const quotas = newQuotas();
    const now = at('2026-01-15T12:00:10Z');
    expect((await quotas('k', plan(5, 3, 9), now)).rate).toEqual({
      window: 'day',
      limit: 3,
      remaining: 2,
      reset: 43_190,
    });
  });

  it('counts each key separately', async () => {
    const quotas = newQuotas();
    const now = at('2026-01-15T12:00:00Z');
    const verdicts = await Promise.all(['a', 'b', 'a'].map((key) => quotas(key, plan(1, 9, 9), now)));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  });

  it('stays used up when the clock is set back', async () => {
    const quotas = newQuotas();
    expect(await takeMany(quotas, 5, plan(2, 9, 9), at('2026-01-15T12:01:00Z'))).toBe(2);
    expect(await takeMany(quotas, 5, plan(2, 9, 9), at('2026-01-15T12:00:59Z'))).toBe(0);
  });

  it('does not block a key after the clock was far ahead', async () => {
    const quotas = newQuotas();
    expect(await takeMany(quotas, 5, plan(2, 2, 2), at('2036-01-15T12:00:00Z'))).toBe(2);
    expect(await takeMany(quotas, 5, plan(2, 2, 2), at('2026-01-15T12:00:00Z'))).toBe(2);
  });

  it('continues from saved counts and saves only changed ones', async () => {
    const first = new MemoryCounts([]);
    const quotas = quotasOf(first.count);
    const now = at('2026-01-15T12:00:30Z');
    await takeMany(quotas, 3, plan(9, 9, 9), now);
    const saved: UsageRecord[] = [];
    await first.save(async (records) => {
      saved.push(...records);
      // A request during the writing is written the next time.
      await quotas('k', plan(9, 9, 9), now);
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
    const now = at('2026-01-15T12:00:30Z');
    await quotasOf(counts.count)('k', plan(1, 9, 9), now);
    counts.keep(new Set(['other']));
    expect(await changedIn(counts)).toEqual([]);
  });
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

describe('random requests at random times, under random limits,', () => {
  it('are allowed as the rulings say, also after a restart', async () => {
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
