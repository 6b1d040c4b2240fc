// Why: docs/decisions/quotas-and-keys.md
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Problem } from '../../errors/problem.ts';
import type { Usage } from '../../operations/operation.ts';
import { coalesced, Gathering } from '../../platform/promises.ts';
import type {
  AccessStore,
  CountedWindow,
  Counts,
  StoredKey,
  UsageRecord,
  WindowName,
} from '../../store/access-store.ts';
import type { Plan, Plans } from './plans.ts';

type RateLimit = {
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

/** A fixed window on UTC. Instants are in milliseconds. */
type Window = {
  readonly name: WindowName;
  readonly startOf: (instant: number) => number;
  readonly endOf: (start: number) => number;
  readonly limitOf: (plan: Plan) => number;
};

const windows: readonly Window[] = [
  {
    name: 'minute',
    startOf: (instant) => instant - (instant % 60_000),
    endOf: (start) => start + 60_000,
    limitOf: (plan) => plan.ratePerMinute,
  },
  {
    name: 'day',
    startOf: (instant) => instant - (instant % 86_400_000),
    endOf: (start) => start + 86_400_000,
    limitOf: (plan) => plan.dailyLimit,
  },
  {
    name: 'month',
    startOf: (instant) => monthOf(instant, 0),
    endOf: (start) => monthOf(start, 1),
    limitOf: (plan) => plan.monthlyLimit,
  },
];

function monthOf(instant: number, later: number): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

/** Counts a request of a key unless one of its windows is full; `wanted` is 0 to count none. */
type CountRequest = (
  keyId: string,
  wanted: 0 | 1,
  given: readonly CountedWindow[],
) => Promise<{ readonly isCounted: boolean; readonly counts: Counts['counts'] }>;

/** Allows requests as far as the limits of plans allow. A request that is refused counts in no window. */
export class Quotas {
  readonly #count: CountRequest;

  constructor(count: CountRequest) {
    this.#count = count;
  }

  /** Counts a request at an instant, in milliseconds, unless a limit of the plan refuses it. */
  async take(keyId: string, plan: Plan, now: number): Promise<Verdict> {
    const { isCounted, counts } = await this.#count(keyId, 1, windowsAt(plan, now));
    const rates = ratesOf(counts, plan, now);
    // If several windows are used up, the one that ends last says when to retry.
    const full = rates.findLast(({ remaining }) => remaining === 0);
    if (!isCounted) return { allowed: false, rate: full ?? tightest(rates) };
    const [, day, month] = counts;
    const usage = { day: day?.count ?? 0, month: month?.count ?? 0 };
    return { allowed: true, rate: tightest(rates), usage };
  }

  /** Returns the use of the tightest window, without counting a request. */
  async rate(keyId: string, plan: Plan, now: number): Promise<RateLimit> {
    const { counts } = await this.#count(keyId, 0, windowsAt(plan, now));
    return tightest(ratesOf(counts, plan, now));
  }
}

function windowsAt(plan: Plan, now: number): readonly CountedWindow[] {
  return windows.map(({ name, startOf, endOf, limitOf }) => {
    const start = startOf(now);
    return { window: name, began: new Date(start), ends: new Date(endOf(start)), limit: limitOf(plan) };
  });
}

function ratesOf(counts: Counts['counts'], plan: Plan, now: number): readonly RateLimit[] {
  return windows.map(({ name, startOf, endOf, limitOf }, i) => {
    const { began, count } = counts[i] ?? { began: new Date(startOf(now)), count: 0 };
    const limit = limitOf(plan);
    const left = endOf(began.getTime()) - now;
    return {
      window: name,
      limit,
      remaining: Math.max(0, limit - count),
      reset: Math.max(1, Math.ceil(left / 1000)),
    };
  });
}

function tightest(rates: readonly RateLimit[]): RateLimit {
  return rates.reduce((least, rate) => (rate.remaining < least.remaining ? rate : least));
}

/** Counts in an access store that all processes of a service share, exactly across them. */
function sharedCounts(count: NonNullable<AccessStore['count']>): CountRequest {
  const together = new Gathering<Counts>();
  return async (keyId, wanted, given) => {
    if (wanted === 0) return { isCounted: false, counts: (await count(keyId, 0, given)).counts };
    // Requests that arrive together are counted by one statement, in their order.
    const key = JSON.stringify([keyId, given]);
    const { place, outcome } = await together.join(key, (requests) => count(keyId, requests, given));
    const { granted, counts } = outcome;
    const isCounted = place < granted;
    const later = isCounted ? granted - place - 1 : 0;
    return { isCounted, counts: counts.map((one) => ({ ...one, count: one.count - later })) };
  };
}

type Count = { readonly window: WindowName; readonly began: Date; count: number; saved: boolean };

/** Counts in memory, for one process, which saves them. */
export class MemoryCounts {
  readonly #counts = new Map<string, Map<WindowName, Count>>();

  constructor(usage: readonly UsageRecord[]) {
    for (const { keyId, ...count } of usage)
      this.#countsOf(keyId).set(count.window, { ...count, saved: true });
  }

  readonly count: CountRequest = async (keyId, wanted, given) => {
    const kept = this.#countsOf(keyId);
    const counts = given.map((window) => currentCount(kept, window));
    const isCounted = wanted === 1 && counts.every(({ count }, i) => count < (given[i]?.limit ?? 0));
    if (isCounted)
      for (const one of counts) {
        one.count += 1;
        one.saved = false;
      }
    return { isCounted, counts: counts.map(({ window, began, count }) => ({ window, began, count })) };
  };

  /** Returns the counts that changed since the last call of `saved`. */
  unsaved(): readonly UsageRecord[] {
    return [...this.#counts].flatMap(([keyId, kept]) =>
      [...kept.values()].flatMap(({ saved, ...count }) => (saved ? [] : [{ keyId, ...count }])),
    );
  }

  saved(records: readonly UsageRecord[]): void {
    for (const { keyId, window, began, count } of records) {
      const kept = this.#counts.get(keyId)?.get(window);
      if (kept?.began.getTime() === began.getTime() && kept.count === count) kept.saved = true;
    }
  }

  keep(keyIds: ReadonlySet<string>): void {
    for (const keyId of this.#counts.keys()) if (!keyIds.has(keyId)) this.#counts.delete(keyId);
  }

  #countsOf(keyId: string): Map<WindowName, Count> {
    const known = this.#counts.get(keyId) ?? new Map<WindowName, Count>();
    this.#counts.set(keyId, known);
    return known;
  }
}

/**
 * The count of a window, a new one if the last has ended. If the clock is set back into the window before, no new one
 * begins, so that no request passes twice; a clock that was far ahead does not block a key until that time.
 */
function currentCount(kept: Map<WindowName, Count>, { window, began, ends }: CountedWindow): Count {
  const last = kept.get(window);
  if (last !== undefined && began <= last.began && ends >= last.began) return last;
  const fresh = { window, began, count: 0, saved: true };
  kept.set(window, fresh);
  return fresh;
}

/** A request with a valid key; `refusal` is set if its quota is used up. */
export type Admission = {
  readonly keyId: string;
  readonly plan: Plan;
  readonly rate: RateLimit;
  readonly usage?: Usage;
  readonly refusal?: Problem;
  /** What refuses it: a window, or the computations of the key that run and wait. */
  readonly refusedBy?: WindowName | 'concurrency';
  /** Its place among the computations of the key, if it asks for one. */
  readonly turn?: Turn;
};

/** A secret of a key, and the instant in milliseconds at which it expires. */
type KnownKey = { readonly digest: Buffer; readonly key: StoredKey; readonly end: number };

const noDigest = Buffer.alloc(32);

/**
 * Checks keys and counts requests against quotas. Any number of gates may share an access store that counts; with any
 * other, a gate counts in memory, and it must be the only one.
 */
export class Gate {
  readonly #store: AccessStore;
  readonly #plans: Plans;
  readonly #quotas: Quotas;
  readonly #turns = new Turns();
  /** The counts to save; undefined if the access store counts. */
  readonly #memory: MemoryCounts | undefined;
  readonly #newest: () => Promise<number>;
  #keys: ReadonlyMap<string, KnownKey> = new Map();
  #version: number | undefined;
  #saving: Promise<void> = Promise.resolve();
  #failure: unknown;

  private constructor(store: AccessStore, plans: Plans, count: CountRequest, memory?: MemoryCounts) {
    this.#store = store;
    this.#plans = plans;
    this.#quotas = new Quotas(count);
    this.#memory = memory;
    this.#newest = coalesced(() => store.version());
  }

  /** A gate for the keys of a store; continues their counts. */
  static async open(store: AccessStore, plans: Plans): Promise<Gate> {
    if (store.count !== undefined) return new Gate(store, plans, sharedCounts(store.count.bind(store)));
    const memory = new MemoryCounts(await store.usage());
    return new Gate(store, plans, memory.count, memory);
  }

  /**
   * Counts a request of a key; `now` is in milliseconds. A missing or invalid key is a Problem, and counts nowhere. A
   * request for a computation gets a turn, which its answer must leave; if too many wait, it is refused and counts
   * nowhere.
   */
  async admit(presented: string | undefined, now: number, isComputation = false): Promise<Admission> {
    if (presented === undefined) throw new Problem('unauthorized', 'missing X-API-Key header');
    const key = await this.#recognise(presented, now);
    if (key === undefined) throw new Problem('unauthorized', 'invalid API key');
    const plan = this.#plans.get(key.plan);
    if (plan === undefined)
      throw new Error(`key ${key.id} is on the plan '${key.plan}', which this service does not have`);
    if (!isComputation) return this.#count(key, plan, now);
    const turn = this.#turns.take(key.id, plan.maxConcurrent);
    if (turn === undefined) {
      const rate = await this.#quotas.rate(key.id, plan, now);
      return { keyId: key.id, plan, rate, refusal: tooMany(plan), refusedBy: 'concurrency' };
    }
    try {
      const admission = await this.#count(key, plan, now);
      if (admission.refusal !== undefined) turn.leave();
      return { ...admission, turn };
    } catch (error) {
      turn.leave();
      throw error;
    }
  }

  async #count(key: StoredKey, plan: Plan, now: number): Promise<Admission> {
    const { rate, ...verdict } = await this.#quotas.take(key.id, plan, now);
    const admission = { keyId: key.id, plan, rate };
    return verdict.allowed
      ? { ...admission, usage: verdict.usage }
      : { ...admission, refusal: exceeded(rate), refusedBy: rate.window };
  }

  async hasKeys(now: number): Promise<boolean> {
    return [...(await this.#validKeys()).values()].some(({ end }) => now < end);
  }

  /** Writes the counts to the store; returns the error if that fails, and tries again the next time. */
  async save(): Promise<unknown> {
    const memory = this.#memory;
    if (memory === undefined) return undefined;
    this.#saving = this.#saving.then(async () => {
      try {
        const records = memory.unsaved();
        if (records.length > 0) await this.#store.saveUsage(records);
        memory.saved(records);
        this.#failure = undefined;
      } catch (error) {
        this.#failure = error;
      }
    });
    await this.#saving;
    return this.#failure;
  }

  /** Throws when keys cannot be read or counts cannot be written. */
  async check(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await this.#store.version();
  }

  async #recognise(presented: string, now: number): Promise<StoredKey | undefined> {
    const keys = await this.#validKeys();
    if (!isKeyShaped(presented)) return undefined;
    const digest = digestOf(presented);
    // Looking up a hash reveals nothing of the secret; the comparison takes the same time for every invalid key.
    const found = keys.get(digest.toString('hex'));
    const same = timingSafeEqual(digest, found?.digest ?? noDigest);
    return same && found !== undefined && now < found.end ? found.key : undefined;
  }

  /** The valid keys, read again after every change, so that a revoked key stops at once. */
  async #validKeys(): Promise<ReadonlyMap<string, KnownKey>> {
    const version = await this.#newest();
    if (version === this.#version) return this.#keys;
    const all = await this.#store.keys();
    const valid = all.filter(({ revokedAt }) => revokedAt === undefined);
    const keys = new Map(valid.flatMap(secretsOf).map((known) => [known.digest.toString('hex'), known]));
    this.#memory?.keep(new Set(valid.map(({ id }) => id)));
    this.#keys = keys;
    this.#version = version;
    return keys;
  }
}

function secretsOf(key: StoredKey): readonly KnownKey[] {
  const { hash, expiresAt, previousHash, previousUntil } = key;
  const end = instantOf(expiresAt);
  const newest = { key, digest: Buffer.from(hash, 'hex'), end };
  if (previousHash === undefined) return [newest];
  const before = Buffer.from(previousHash, 'hex');
  return [{ key, digest: before, end: Math.min(end, instantOf(previousUntil)) }, newest];
}

function instantOf(text: string | undefined): number {
  return text === undefined ? Number.POSITIVE_INFINITY : Date.parse(text);
}

const wording = { minute: 'rate limit of', day: 'daily limit of', month: 'monthly limit of' } as const;

function exceeded({ window, limit, reset }: RateLimit): Problem {
  const per = window === 'minute' ? ' per minute' : '';
  return new Problem('rate-limit-exceeded', `${wording[window]} ${limit} requests${per} exceeded`, {
    retryAfter: reset,
  });
}

function tooMany({ maxConcurrent }: Plan): Problem {
  const tables = maxConcurrent === 1 ? 'table' : 'tables';
  return new Problem(
    'rate-limit-exceeded',
    `${maxConcurrent} ${tables} at a time: too many requests for more wait already`,
    { retryAfter: 1 },
  );
}

/** Throws a Problem if a valid key is on a plan that is not among the plans. */
export async function checkPlans(store: AccessStore, plans: Plans, now: Date): Promise<void> {
  const keys = await store.keys();
  const isOver = ({ revokedAt, expiresAt }: StoredKey) =>
    revokedAt !== undefined || instantOf(expiresAt) <= now.getTime();
  const stray = keys.find((key) => !isOver(key) && !plans.has(key.plan));
  if (stray === undefined) return;
  throw new Problem(
    'bad-input',
    `key ${stray.id} ('${stray.name}') is on the plan '${stray.plan}': the plans are ${[...plans.keys()].join(', ')}`,
    { hints: [`add the plan to the file of --plans, or: asof keys revoke ${stray.id}`] },
  );
}

const prefix = 'asof_live_sk_';
const shape = new RegExp(`^${prefix}[A-Za-z0-9_-]{43}$`);

/** A new secret, to be shown once, and what a store keeps of it. */
export function newSecret(): { readonly secret: string; readonly stored: Pick<StoredKey, 'hash' | 'start'> } {
  const random = randomBytes(32).toString('base64url');
  const secret = prefix + random;
  return { secret, stored: { start: random.slice(0, 4), hash: digestOf(secret).toString('hex') } };
}

/** A new key: the secret, to be shown once, and the record to store. */
export function newKey(given: {
  readonly name: string;
  readonly plan: string;
  readonly now: Date;
  readonly expiresAt?: string;
}): { readonly secret: string; readonly stored: StoredKey } {
  const { name, plan, now, expiresAt } = given;
  const { secret, stored } = newSecret();
  return {
    secret,
    stored: {
      id: `k_${randomBytes(4).toString('hex')}`,
      name,
      plan,
      createdAt: now.toISOString(),
      ...stored,
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
}

/** The SHA-256 of a key's secret. A secret has 256 random bits, so a slow hash is not needed. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether two secrets are equal, in a time that does not depend on how much of them is. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

/** Whether a text has the form of a key. */
export function isKeyShaped(text: string): boolean {
  return shape.test(text);
}

type Turn = {
  /** Resolves when the computation may begin. */
  readonly begun: Promise<void>;
  /** Gives the place to the next computation; a second call does nothing. */
  readonly leave: () => void;
};

/** How many computations of a key may wait, for each one that may run. */
const waitingForEach = 4;

type Computation = { readonly keyId: string; readonly most: number; readonly begin: () => void };

/**
 * Lets a few computations of each key run at a time, and some more wait for them, in their order. All keys together
 * have one thread more than there are cores, and one key has at most as many as there are cores, so that there is
 * always one for another key.
 */
export class Turns {
  readonly #threads: number;
  readonly #running = new Set<Computation>();
  readonly #waiting = new Set<Computation>();

  constructor(threads = availableParallelism() + 1) {
    this.#threads = threads;
  }

  /** A place for a computation of a key, of which `most` may run; undefined if too many wait already. */
  take(keyId: string, most: number): Turn | undefined {
    const own = countOf(keyId, this.#running) + countOf(keyId, this.#waiting);
    if (own >= most + waitingForEach * most) return undefined;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const computation = { keyId, most: Math.min(most, this.#threads - 1), begin };
    this.#waiting.add(computation);
    this.#beginNext();
    const leave = (): void => {
      this.#waiting.delete(computation);
      if (this.#running.delete(computation)) this.#beginNext();
    };
    return { begun, leave };
  }

  #beginNext(): void {
    for (const one of this.#waiting) {
      if (this.#running.size >= this.#threads) return;
      if (countOf(one.keyId, this.#running) >= one.most) continue;
      this.#waiting.delete(one);
      this.#running.add(one);
      one.begin();
    }
  }
}

function countOf(keyId: string, computations: ReadonlySet<Computation>): number {
  return [...computations].filter((one) => one.keyId === keyId).length;
}
