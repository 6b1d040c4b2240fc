import type { Usage } from '../../operations/operation.ts';
import { Gathering } from '../../platform/promises.ts';
import type {
  AccessStore,
  CountedWindow,
  Counts,
  UsageRecord,
  WindowName,
} from '../../store/access-store.ts';
import type { Plan } from './plans.ts';

/** The use of a window. */
export type RateLimit = {
  readonly window: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the next window begins, at least 1. */
  readonly reset: number;
};

/** Whether a request is allowed; the rate is that of the tightest window, or of the window that refuses. */
type Verdict =
  | { readonly allowed: true; readonly rate: RateLimit; readonly usage: Usage }
  | { readonly allowed: false; readonly rate: RateLimit };

/** The fixed windows on UTC, shortest first. Instants are in milliseconds. */
const windows: readonly {
  readonly name: WindowName;
  readonly startOf: (instant: number) => number;
  readonly endOf: (start: number) => number;
}[] = [
  { name: 'minute', startOf: (instant) => floor(instant, 60_000), endOf: (start) => start + 60_000 },
  { name: 'day', startOf: (instant) => floor(instant, 86_400_000), endOf: (start) => start + 86_400_000 },
  { name: 'month', startOf: (instant) => monthOf(instant, 0), endOf: (start) => monthOf(start, 1) },
];

function floor(instant: number, length: number): number {
  return instant - (instant % length);
}

function monthOf(instant: number, later: number): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

/** The requests of a key in one window. */
type Count = { start: number; end: number; count: number; saved: boolean };

/** Counts requests in fixed windows. A request that is refused counts in no window. */
export interface Counter {
  /** Counts a request at an instant, in milliseconds, unless a limit of the plan refuses it. */
  take(keyId: string, plan: Plan, now: number): Promise<Verdict>;
  /** The use of the tightest window, without counting a request. */
  rate(keyId: string, plan: Plan, now: number): Promise<RateLimit>;
  /** Forgets all other keys. */
  keep(keyIds: ReadonlySet<string>): void;
}

/** Counts in an access store that all processes of a service share, exactly across them. */
export class SharedQuotas implements Counter {
  readonly #count: NonNullable<AccessStore['count']>;
  readonly #together = new Gathering<Counts>();

  constructor(count: NonNullable<AccessStore['count']>) {
    this.#count = count;
  }

  async take(keyId: string, plan: Plan, now: number): Promise<Verdict> {
    const limits = limitsOf(plan);
    const given = countedWindows(limits, now);
    // Requests that arrive together are counted by one statement, in their order.
    const key = JSON.stringify([keyId, given]);
    const { place, outcome } = await this.#together.join(key, (wanted) => this.#count(keyId, wanted, given));
    const { granted, counts } = outcome;
    const allowed = place < granted;
    const used = usedIn(counts, now, allowed ? granted - place - 1 : 0);
    if (!allowed) {
      const full = used.findLastIndex(({ count }, i) => count >= (limits[i] ?? 0));
      return { allowed, rate: rateOf(Math.max(0, full), used, limits, now) };
    }
    return { allowed, rate: tightestOf(used, limits, now), usage: usageOf(used) };
  }

  async rate(keyId: string, plan: Plan, now: number): Promise<RateLimit> {
    const limits = limitsOf(plan);
    const { counts } = await this.#count(keyId, 0, countedWindows(limits, now));
    return tightestOf(usedIn(counts, now), limits, now);
  }

  keep(): void {
    // The access store keeps the counts.
  }
}

/** Counts in memory, for one process. */
export class Quotas implements Counter {
  readonly #counts = new Map<string, Count[]>();

  /** Continues from the usage that was saved before. */
  constructor(usage: readonly UsageRecord[]) {
    for (const { keyId, window, began, count } of usage) {
      const i = windows.findIndex(({ name }) => name === window);
      const start = began.getTime();
      const end = windows[i]?.endOf(start);
      if (end !== undefined) this.#countsOf(keyId)[i] = { start, end, count, saved: true };
    }
  }

  async take(keyId: string, plan: Plan, now: number): Promise<Verdict> {
    const used = this.#countsOf(keyId);
    beginWindows(used, now);
    const limits = limitsOf(plan);
    // If several windows are used up, the one that ends last says when to retry.
    const full = used.findLastIndex(({ count }, i) => count >= (limits[i] ?? 0));
    if (full >= 0) return { allowed: false, rate: rateOf(full, used, limits, now) };
    for (const window of used) {
      window.count += 1;
      window.saved = false;
    }
    return { allowed: true, rate: tightestOf(used, limits, now), usage: usageOf(used) };
  }

  async rate(keyId: string, plan: Plan, now: number): Promise<RateLimit> {
    const used = this.#countsOf(keyId);
    beginWindows(used, now);
    return tightestOf(used, limitsOf(plan), now);
  }

  /** The counts that changed since the last call of `saved`. */
  unsaved(): readonly UsageRecord[] {
    return [...this.#counts].flatMap(([keyId, used]) =>
      used.flatMap(({ start, count, saved }, i) => {
        const window = windows[i]?.name;
        return saved || window === undefined ? [] : [{ keyId, window, began: new Date(start), count }];
      }),
    );
  }

  /** Marks records of `unsaved` as stored. */
  saved(records: readonly UsageRecord[]): void {
    for (const { keyId, window, began, count } of records) {
      const kept = this.#counts.get(keyId)?.[windows.findIndex(({ name }) => name === window)];
      if (kept !== undefined && kept.start === began.getTime() && kept.count === count) kept.saved = true;
    }
  }

  keep(keyIds: ReadonlySet<string>): void {
    for (const keyId of this.#counts.keys()) if (!keyIds.has(keyId)) this.#counts.delete(keyId);
  }

  #countsOf(keyId: string): Count[] {
    const known = this.#counts.get(keyId);
    if (known !== undefined) return known;
    const fresh = windows.map(() => ({ start: 0, end: 0, count: 0, saved: true }));
    this.#counts.set(keyId, fresh);
    return fresh;
  }
}

/** The limits of a plan, in the order of the windows. */
function limitsOf({ ratePerMinute, dailyLimit, monthlyLimit }: Plan): readonly number[] {
  return [ratePerMinute, dailyLimit, monthlyLimit];
}

/**
 * Replaces windows that have ended by new ones. If the clock is set back by less than a window, no new one begins, so
 * that no request passes twice; a clock that was far ahead does not block a key until that time.
 */
function beginWindows(used: readonly Count[], now: number): void {
  used.forEach((count, i) => {
    const window = windows[i];
    const length = count.end - count.start;
    if (window === undefined || (now < count.end && now >= count.start - length)) return;
    count.start = window.startOf(now);
    count.end = window.endOf(count.start);
    count.count = 0;
  });
}

function usageOf([, day, month]: readonly Count[]): Usage {
  return { day: day?.count ?? 0, month: month?.count ?? 0 };
}

/** The windows of an instant, as an access store counts them. */
function countedWindows(limits: readonly number[], now: number): readonly CountedWindow[] {
  return windows.map(({ name, startOf, endOf }, i) => {
    const start = startOf(now);
    return { window: name, began: new Date(start), ends: new Date(endOf(start)), limit: limits[i] ?? 0 };
  });
}

/** What an access store counted, less the requests of its statement after the one that is asked about. */
function usedIn(counts: Counts['counts'], now: number, later = 0): readonly Count[] {
  return windows.map(({ name, startOf, endOf }) => {
    const found = counts.find(({ window }) => window === name);
    const start = found?.began.getTime() ?? startOf(now);
    return { start, end: endOf(start), count: (found?.count ?? 0) - later, saved: true };
  });
}

/** The use of the window with the fewest requests left. */
function tightestOf(used: readonly Count[], limits: readonly number[], now: number): RateLimit {
  const room = used.map(({ count }, i) => (limits[i] ?? 0) - count);
  return rateOf(room.indexOf(Math.min(...room)), used, limits, now);
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
