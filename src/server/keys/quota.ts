import type { UsageRecord, WindowName } from '../../store/access-store.ts';
import type { Plan } from './plans.ts';
import { windows } from './windows.ts';

/** How much of a window is used. */
export type RateLimit = {
  readonly window: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window turns, at least 1. */
  readonly reset: number;
};

/** Whether a request may pass; the rate is that of the tightest window, or of the one that refuses. */
type Verdict = { readonly allowed: boolean; readonly rate: RateLimit };

/** Counts requests in fixed windows, in memory; a request that is refused counts nowhere. */
export type Quotas = {
  take(keyId: string, plan: Plan, now: number): Verdict;
  /** What changed since the last `saved`. */
  unsaved(): readonly UsageRecord[];
  /** Says that what `unsaved` gave is safe. */
  saved(records: readonly UsageRecord[]): void;
  /** Forgets keys that are not among these. */
  keep(keyIds: ReadonlySet<string>): void;
};

type Count = { start: number; end: number; count: number; saved: boolean };

/** Quotas that go on from what was counted before. */
export function createQuotas(usage: readonly UsageRecord[]): Quotas {
  const counts = new Map<string, Count[]>();

  const countsOf = (keyId: string): Count[] => {
    const known = counts.get(keyId);
    if (known !== undefined) return known;
    const fresh = windows.map(() => ({ start: 0, end: 0, count: 0, saved: true }));
    counts.set(keyId, fresh);
    return fresh;
  };

  for (const { keyId, window, began, count } of usage) {
    const i = windows.findIndex(({ name }) => name === window);
    const start = began.getTime();
    const end = windows[i]?.endOf(start);
    if (end !== undefined) countsOf(keyId)[i] = { start, end, count, saved: true };
  }

  return {
    take(keyId, plan, now) {
      const used = countsOf(keyId);
      turn(used, now);
      const limits = [plan.ratePerMinute, plan.dailyLimit, plan.monthlyLimit];
      const room = used.map(({ count }, i) => (limits[i] ?? 0) - count);
      // Of several windows that are used up, the one that turns last decides when asking again makes sense.
      const full = room.findLastIndex((left) => left <= 0);
      if (full >= 0) return { allowed: false, rate: rateOf(full, used, limits, now) };
      for (const window of used) {
        window.count += 1;
        window.saved = false;
      }
      const tightest = room.indexOf(Math.min(...room));
      return { allowed: true, rate: rateOf(tightest, used, limits, now) };
    },

    unsaved() {
      return [...counts].flatMap(([keyId, used]) =>
        used.flatMap(({ start, count, saved }, i) => {
          const name = windows[i]?.name;
          return saved || name === undefined
            ? []
            : [{ keyId, window: name, began: new Date(start), count } as const];
        }),
      );
    },

    saved(records) {
      for (const { keyId, window, began, count } of records) {
        const kept = counts.get(keyId)?.[windows.findIndex(({ name }) => name === window)];
        if (kept !== undefined && kept.start === began.getTime() && kept.count === count) kept.saved = true;
      }
    },

    keep(keyIds) {
      for (const keyId of counts.keys()) if (!keyIds.has(keyId)) counts.delete(keyId);
    },
  };
}

/**
 * Begins new windows where the old are over. A clock that is put back a little opens none, or requests would pass
 * twice; one that was wrong by more than a window does not hold a key up until its wrong time comes.
 */
function turn(used: readonly Count[], now: number): void {
  used.forEach((count, i) => {
    const window = windows[i];
    const length = count.end - count.start;
    if (window === undefined || (now < count.end && now >= count.start - length)) return;
    count.start = window.startOf(now);
    count.end = window.endOf(count.start);
    count.count = 0;
  });
}

function rateOf(i: number, used: readonly Count[], limits: readonly number[], now: number): RateLimit {
  const { count, end } = used[i] ?? { count: 0, end: now };
  const limit = limits[i] ?? 0;
  return {
    window: windows[i]?.name ?? 'minute',
    limit,
    remaining: Math.max(0, limit - count),
    reset: Math.max(1, Math.ceil((end - now) / 1000)),
  };
}
