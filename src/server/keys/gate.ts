// Why: docs/decisions/quotas-and-keys.md
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Problem } from '../../errors/problem.ts';
import type { Usage } from '../../operations/operation.ts';
import { defined } from '../../platform/defined.ts';
import { Gathering } from '../../platform/promises.ts';
import type {
  AccessStore,
  CountedWindow,
  Counts,
  StoredKey,
  UsageRecord,
  WindowName,
} from '../../store/access-store.ts';
import type { Plan } from './plans.ts';

type RateLimit = {
  readonly window: WindowName;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the next window begins, at least 1. */
  readonly reset: number;
};

/** A fixed window in UTC; instants are in milliseconds. */
type Window = {
  readonly name: WindowName;
  readonly limitOf: (plan: Plan) => number;
  /** Returns the start of an instant's window, or of one `later` windows later. */
  readonly startOf: (instant: number, later?: number) => number;
};

const windows: readonly Window[] = [
  { name: 'minute', limitOf: (plan) => plan.ratePerMinute, startOf: every(60_000) },
  { name: 'day', limitOf: (plan) => plan.dailyLimit, startOf: every(86_400_000) },
  {
    name: 'month',
    limitOf: (plan) => plan.monthlyLimit,
    startOf(instant, later = 0) {
      const date = new Date(instant);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
    },
  },
];

function every(length: number): Window['startOf'] {
  return (instant, later = 0) => instant - (instant % length) + later * length;
}

type CountedRequest = { readonly isCounted: boolean; readonly counts: Counts['counts'] };

/** Counts `wanted` requests of a key, 0 or 1, unless a window is full. */
type CountRequest = (
  keyId: string,
  wanted: 0 | 1,
  given: readonly CountedWindow[],
) => CountedRequest | Promise<CountedRequest>;

/**
 * Makes a counter of requests at an instant (ms), which returns the tightest or the refusing window.
 * A request over a limit of its plan counts in no window.
 */
export function quotasOf(count: CountRequest) {
  const windowsOf = windowsOfPlans();
  return async (keyId: string, plan: Plan, now: number, wanted: 0 | 1 = 1) => {
    const given = windowsOf(plan, now);
    const { isCounted, counts } = await count(keyId, wanted, given);
    const rates = given.map(({ window, limit, began: begun, ends, startOf }, i): RateLimit => {
      const { began = begun, count = 0 } = counts[i] ?? {};
      const end = began.getTime() === begun.getTime() ? ends.getTime() : startOf(began.getTime(), 1);
      const reset = Math.max(1, Math.ceil((end - now) / 1000));
      return { window, limit, remaining: Math.max(0, limit - count), reset };
    });
    const tightest = rates.reduce((least, rate) => (rate.remaining < least.remaining ? rate : least));
    const [, day, month] = counts;
    const usage: Usage = { day: day?.count ?? 0, month: month?.count ?? 0 };
    if (isCounted) return { allowed: true, rate: tightest, usage };
    // If several windows are full, the one that ends last says when to retry.
    const full = wanted === 0 ? undefined : rates.findLast(({ remaining }) => remaining === 0);
    return { allowed: false, rate: full ?? tightest };
  };
}

/** Makes a function that returns the windows of a plan at an instant; all requests of a minute have the same. */
function windowsOfPlans() {
  const known = new Map<Plan, readonly (CountedWindow & Pick<Window, 'startOf'>)[]>();
  let minute = Number.NaN;
  return (plan: Plan, now: number) => {
    const current = now - (now % 60_000);
    if (current !== minute) known.clear();
    minute = current;
    const given =
      known.get(plan) ??
      windows.map(({ name, startOf, limitOf }) => ({
        window: name,
        limit: limitOf(plan),
        began: new Date(startOf(now)),
        ends: new Date(startOf(now, 1)),
        startOf,
      }));
    known.set(plan, given);
    return given;
  };
}

/** Counts exactly across all processes of a service, in the access store that they share. */
function sharedCounts(count: NonNullable<AccessStore['count']>): CountRequest {
  const together = new Gathering<Counts>();
  return async (keyId, wanted, given) => {
    if (wanted === 0) return { isCounted: false, counts: (await count(keyId, 0, given)).counts };
    // One statement counts requests that arrive together, in their order.
    const key = JSON.stringify([keyId, given]);
    const { place, outcome } = together.join(key, (requests) => count(keyId, requests, given));
    const { granted, counts } = await outcome;
    const isCounted = place < granted;
    const later = isCounted ? granted - place - 1 : 0;
    return { isCounted, counts: counts.map((one) => ({ ...one, count: one.count - later })) };
  };
}

type Count = UsageRecord & { count: number; saved: number };

/** Counts in the memory of one process, which saves them. */
export class MemoryCounts {
  /** By key and window. */
  readonly #counts = new Map<string, Map<WindowName, Count>>();

  constructor(usage: readonly UsageRecord[]) {
    for (const one of usage) this.#ofKey(one.keyId).set(one.window, { ...one, saved: one.count });
  }

  readonly count = (keyId: string, wanted: 0 | 1, given: readonly CountedWindow[]): CountedRequest => {
    const own = this.#ofKey(keyId);
    const counts = given.map((window) => this.#current(own, keyId, window));
    const isCounted = wanted === 1 && counts.every(({ count }, i) => count < (given[i]?.limit ?? 0));
    if (isCounted) for (const one of counts) one.count += 1;
    return { isCounted, counts: counts.map(({ window, began, count }) => ({ window, began, count })) };
  };

  async save(write: (records: readonly UsageRecord[]) => Promise<void>): Promise<void> {
    const changed = [...this.#counts.values()]
      .flatMap((own) => [...own.values()])
      .filter(({ count, saved }) => count !== saved)
      .map((one) => ({ one, count: one.count }));
    if (changed.length === 0) return;
    await write(changed.map(({ one: { saved: _, ...record } }) => record));
    for (const { one, count } of changed) one.saved = count;
  }

  keep(keyIds: ReadonlySet<string>): void {
    for (const keyId of this.#counts.keys()) if (!keyIds.has(keyId)) this.#counts.delete(keyId);
  }

  /**
   * Returns the count of a window, a new one after the last has ended.
   * A clock set back into the window before begins no new one, so no request passes twice;
   * a clock that was far ahead does not block a key until that time.
   */
  #current(own: Map<WindowName, Count>, keyId: string, { window, began, ends }: CountedWindow): Count {
    const last = own.get(window);
    const since = last?.began.getTime() ?? Number.NaN;
    if (last !== undefined && began.getTime() <= since && ends.getTime() >= since) return last;
    const fresh = { keyId, window, began, count: 0, saved: 0 };
    own.set(window, fresh);
    return fresh;
  }

  #ofKey(keyId: string): Map<WindowName, Count> {
    const own = this.#counts.get(keyId) ?? new Map<WindowName, Count>();
    this.#counts.set(keyId, own);
    return own;
  }
}

/** A request with a valid key; `refusal` means an exhausted quota. */
export type Admission = {
  readonly keyId: string;
  readonly plan: Plan;
  readonly rate: RateLimit;
  readonly usage?: Usage;
  readonly refusal?: Problem;
  /** The full window, or too many computations of the key. */
  readonly refusedBy?: WindowName | 'concurrency';
  readonly turn?: Turn;
};

type KnownKey = { readonly key: StoredKey; readonly end: number };

/**
 * Checks keys and counts requests against quotas.
 * Gates may share an access store that counts; otherwise a gate counts in memory, and must be the only one.
 */
export class Gate {
  readonly #store: AccessStore;
  readonly #plans: ReadonlyMap<string, Plan>;
  readonly #take: ReturnType<typeof quotasOf>;
  readonly #turns = new Turns();
  readonly #memory: MemoryCounts | undefined;
  /** Requests together read a locked file once; without, a service answered half as many a second. */
  readonly #reading = new Gathering<ReadonlyMap<string, KnownKey>>();
  #keys: ReadonlyMap<string, KnownKey> = new Map();
  #version: number | undefined;
  #saving: Promise<void> = Promise.resolve();
  #failure: unknown;

  private constructor(
    store: AccessStore,
    plans: ReadonlyMap<string, Plan>,
    count: CountRequest,
    memory?: MemoryCounts,
  ) {
    this.#store = store;
    this.#plans = plans;
    this.#take = quotasOf(count);
    this.#memory = memory;
  }

  static async open(store: AccessStore, plans: ReadonlyMap<string, Plan>): Promise<Gate> {
    if (store.count !== undefined) return new Gate(store, plans, sharedCounts(store.count.bind(store)));
    const memory = new MemoryCounts(await store.usage());
    return new Gate(store, plans, memory.count, memory);
  }

  /**
   * Counts a request of a key at `now` (ms); throws a Problem for a missing or invalid key, which counts nowhere.
   * A computation gets a turn that its answer must leave; if too many wait, it is refused and counts nowhere.
   */
  async admit(presented: string | undefined, now: number, isComputation = false): Promise<Admission> {
    if (presented === undefined) throw new Problem('unauthorized', 'missing X-API-Key header');
    const keys = await this.#validKeys();
    // Looking up a hash reveals nothing.
    const known = isKeyShaped(presented) ? keys.get(hashOf(presented)) : undefined;
    if (known === undefined || now >= known.end) throw new Problem('unauthorized', 'invalid API key');
    const { key } = known;
    const plan = this.#plans.get(key.plan);
    if (plan === undefined)
      throw new Error(`key ${key.id} is on the plan '${key.plan}', which this service does not have`);
    const turn = isComputation ? this.#turns.take(key.id, plan.maxConcurrent) : undefined;
    const isTooMany = isComputation && turn === undefined;
    try {
      const { allowed, rate, usage } = await this.#take(key.id, plan, now, isTooMany ? 0 : 1);
      const admission = { keyId: key.id, plan, rate, ...defined({ turn, usage }) };
      if (isTooMany) return { ...admission, refusal: tooMany(plan), refusedBy: 'concurrency' };
      if (allowed) return admission;
      turn?.leave();
      return { ...admission, refusal: exceeded(rate), refusedBy: rate.window };
    } catch (error) {
      turn?.leave();
      throw error;
    }
  }

  async hasKeys(now: number): Promise<boolean> {
    return [...(await this.#validKeys()).values()].some(({ end }) => now < end);
  }

  /** Writes the counts to the store; returns the error of a failure, which the next call makes up for. */
  async save(): Promise<unknown> {
    this.#saving = this.#saving.then(async () => {
      this.#failure = await this.#memory
        ?.save((records) => this.#store.saveUsage(records))
        .catch((error: unknown) => error);
    });
    await this.#saving;
    return this.#failure;
  }

  async check(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await this.#store.version();
  }

  /** Returns the valid keys by the hashes of their secrets. */
  #validKeys(): Promise<ReadonlyMap<string, KnownKey>> {
    return this.#reading.join('', () => this.#readKeys()).outcome;
  }

  /** Reads the valid keys again after every change, so that a revoked key stops at once. */
  async #readKeys(): Promise<ReadonlyMap<string, KnownKey>> {
    const version = await this.#store.version();
    if (version === this.#version) return this.#keys;
    const all = await this.#store.keys();
    const valid = all.filter(({ revokedAt }) => revokedAt === undefined);
    const keys = new Map(valid.flatMap(secretsOf));
    this.#memory?.keep(new Set(valid.map(({ id }) => id)));
    this.#keys = keys;
    this.#version = version;
    return keys;
  }
}

function secretsOf(key: StoredKey): readonly (readonly [hash: string, known: KnownKey])[] {
  const { hash, expiresAt, previousHash, previousUntil } = key;
  const end = instantOf(expiresAt);
  const before = Math.min(end, instantOf(previousUntil));
  return [
    ...(previousHash === undefined ? [] : [[previousHash, { key, end: before }] as const]),
    [hash, { key, end }],
  ];
}

function instantOf(text: string | undefined): number {
  return text === undefined ? Number.POSITIVE_INFINITY : Date.parse(text);
}

const wording = { minute: 'rate limit of', day: 'daily limit of', month: 'monthly limit of' } as const;

function exceeded({ window, limit, reset }: RateLimit): Problem {
  const per = window === 'minute' ? ' per minute' : '';
  const detail = `${wording[window]} ${limit} requests${per} exceeded`;
  return new Problem('rate-limit-exceeded', detail, { retryAfter: reset });
}

function tooMany({ maxConcurrent }: Plan): Problem {
  const tables = maxConcurrent === 1 ? 'table' : 'tables';
  const detail = `the plan allows ${maxConcurrent} ${tables} at a time, and too many requests of this key already wait`;
  return new Problem('rate-limit-exceeded', detail, { retryAfter: 1 });
}

/** Throws a Problem if a valid key is on an unknown plan. */
export async function checkPlans(
  store: AccessStore,
  plans: ReadonlyMap<string, Plan>,
  now: Date,
): Promise<void> {
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

/** Makes a secret, to show once, and its record in a store. */
export function newSecret(): { readonly secret: string; readonly stored: Pick<StoredKey, 'hash' | 'start'> } {
  const random = randomBytes(32).toString('base64url');
  const secret = prefix + random;
  return { secret, stored: { start: random.slice(0, 4), hash: hashOf(secret) } };
}

/** Makes a key: the secret, to show once, and the record to store. */
export function newKey({
  now,
  ...given
}: Pick<StoredKey, 'expiresAt' | 'name' | 'plan'> & { readonly now: Date }) {
  const { secret, stored } = newSecret();
  const id = `k_${randomBytes(4).toString('hex')}`;
  const key: StoredKey = { id, ...given, createdAt: now.toISOString(), ...stored };
  return { secret, stored: key };
}

/** Returns the SHA-256 (hex) of a secret; 256 random bits need no slow hash. */
function hashOf(secret: string): string {
  return hash('sha256', secret);
}

/** Tells whether two secrets are equal, in a time that does not depend on their common part. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}

export function isKeyShaped(text: string): boolean {
  return shape.test(text);
}

type Turn = {
  readonly begun: Promise<void>;
  /** Passes the place to the next computation; a second call does nothing. */
  readonly leave: () => void;
};

/** How many computations of a key may wait for each one that may run. */
const waitingForEach = 4;

type Computation = { readonly keyId: string; readonly begin: () => void; isRunning: boolean };

/**
 * Lets some computations of each key run at a time, and a few more wait in order.
 * All keys together have one thread more than there are cores, a single key at most as many as cores.
 */
export class Turns {
  readonly #threads: number;
  /** Those that run and those that wait, in their order. */
  readonly #all = new Map<Computation, number>();

  constructor(threads = availableParallelism() + 1) {
    this.#threads = threads;
  }

  /** Takes a place for a computation of a key, of which `most` may run; undefined if too many wait already. */
  take(keyId: string, most: number): Turn | undefined {
    const own = [...this.#all.keys()].filter((one) => one.keyId === keyId);
    if (own.length >= most + waitingForEach * most) return undefined;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const computation = { keyId, begin, isRunning: false };
    this.#all.set(computation, Math.min(most, this.#threads - 1));
    this.#beginNext();
    const leave = (): void => {
      if (this.#all.delete(computation)) this.#beginNext();
    };
    return { begun, leave };
  }

  #beginNext(): void {
    for (const [one, most] of this.#all) {
      const running = [...this.#all.keys()].filter(({ isRunning }) => isRunning);
      if (running.length >= this.#threads) return;
      if (one.isRunning || running.filter(({ keyId }) => keyId === one.keyId).length >= most) continue;
      one.isRunning = true;
      one.begin();
    }
  }
}
