import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
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
interface Counter {
  /** Counts a request at an instant, in milliseconds, unless a limit of the plan refuses it. */
  take(keyId: string, plan: Plan, now: number): Promise<Verdict>;
  /** The use of the tightest window, without counting a request. */
  rate(keyId: string, plan: Plan, now: number): Promise<RateLimit>;
  keep(keyIds: ReadonlySet<string>): void;
}

/** Counts in an access store that all processes of a service share, exactly across them. */
class SharedQuotas implements Counter {
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
  readonly #counter: Counter;
  readonly #turns = new Turns();
  /** The counts to save; undefined if the access store counts. */
  readonly #unsaved: Quotas | undefined;
  /** The version of the keys in the store. */
  readonly #newest: () => Promise<number>;
  #keys: ReadonlyMap<string, KnownKey> = new Map();
  #version: number | undefined;
  #saving: Promise<void> = Promise.resolve();
  #failure: unknown;

  private constructor(store: AccessStore, plans: Plans, quotas: Quotas | SharedQuotas) {
    this.#store = store;
    this.#plans = plans;
    this.#counter = quotas;
    this.#unsaved = quotas instanceof Quotas ? quotas : undefined;
    this.#newest = coalesced(() => store.version());
  }

  /** A gate for the keys of a store; continues their counts. */
  static async open(store: AccessStore, plans: Plans): Promise<Gate> {
    if (store.count === undefined) return new Gate(store, plans, new Quotas(await store.usage()));
    return new Gate(store, plans, new SharedQuotas(store.count.bind(store)));
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
      const rate = await this.#counter.rate(key.id, plan, now);
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
    const { rate, ...verdict } = await this.#counter.take(key.id, plan, now);
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
    const quotas = this.#unsaved;
    if (quotas === undefined) return undefined;
    this.#saving = this.#saving.then(async () => {
      try {
        const records = quotas.unsaved();
        if (records.length > 0) await this.#store.saveUsage(records);
        quotas.saved(records);
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
    this.#counter.keep(new Set(valid.map(({ id }) => id)));
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

type Computation = { readonly begin: () => void };

/** How many computations of a key may wait, for each one that may run. */
const waitingForEach = 4;

/** Lets a few computations of each key run at a time, and some more wait for them, in their order. */
export class Turns {
  readonly #keys = new Map<string, { readonly running: Set<Computation>; readonly waiting: Computation[] }>();

  /** A place for a computation of a key, of which `most` may run; undefined if too many wait already. */
  take(keyId: string, most: number): Turn | undefined {
    const { running, waiting } = this.#keys.get(keyId) ?? { running: new Set(), waiting: [] };
    if (waiting.length >= waitingForEach * most) return undefined;
    this.#keys.set(keyId, { running, waiting });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const own = { begin };
    waiting.push(own);
    const next = (): void => {
      while (running.size < most) {
        const first = waiting.shift();
        if (first === undefined) break;
        running.add(first);
        first.begin();
      }
      if (running.size === 0) this.#keys.delete(keyId);
    };
    next();
    const leave = (): void => {
      const at = waiting.indexOf(own);
      if (at >= 0) waiting.splice(at, 1);
      if (running.delete(own)) next();
    };
    return { begun, leave };
  }
}
