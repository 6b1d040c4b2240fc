import { timingSafeEqual } from 'node:crypto';
import { Problem } from '../../errors/problem.ts';
import { oncePerTurn } from '../../platform/turn.ts';
import type { AccessStore, StoredKey } from '../../store/access-store.ts';
import { digestOf, isKeyShaped } from './key.ts';
import type { Plan, Plans } from './plans.ts';
import { createQuotas, type RateLimit } from './quota.ts';

/** A request whose key is good: whose it is, what it may do, and the problem where its quota is used up. */
export type Admission = {
  readonly keyId: string;
  readonly plan: Plan;
  readonly rate: RateLimit;
  readonly refusal?: Problem;
};

/** Decides who may ask, and how often. */
export type Gate = {
  /** Counts a request of a key; a missing or bad key is a Problem that costs nobody anything and leaves nothing behind. */
  admit(presented: string | undefined, now: number): Admission;
  /** How many keys are good. */
  keyCount(): number;
  /** Writes the counts down; gives the failure where that cannot be done, and tries again the next time. */
  save(): unknown;
  /** Throws when keys cannot be read or counts cannot be written. */
  check(): void;
};

type Recognised = { readonly digest: Buffer; readonly key: StoredKey };

const nobody = Buffer.alloc(32);

/** A gate over the keys and the usage of a store, which it has to itself. */
export function createGate(store: AccessStore, plans: Plans): Gate {
  const quotas = createQuotas(store.usage());
  let known: ReadonlyMap<string, Recognised> = new Map();
  let version: number | undefined;
  let failure: unknown;
  const currentVersion = oncePerTurn(() => store.version());

  /** The keys that are good, read again whenever anybody changed them: a revoked key stops at once. */
  const goodKeys = (): ReadonlyMap<string, Recognised> => {
    const current = currentVersion();
    if (current === version) return known;
    const good = store.keys().filter(({ revokedAt }) => revokedAt === undefined);
    known = new Map(good.map((key) => [key.hash, { key, digest: Buffer.from(key.hash, 'hex') }]));
    quotas.keep(new Set(good.map(({ id }) => id)));
    version = current;
    return known;
  };

  const recognise = (presented: string): StoredKey | undefined => {
    const keys = goodKeys();
    if (!isKeyShaped(presented)) return undefined;
    const digest = digestOf(presented);
    // Looking up a hash tells nothing of the secret; the comparison takes the same time for every key that is none.
    const found = keys.get(digest.toString('hex'));
    const same = timingSafeEqual(digest, found?.digest ?? nobody);
    return same ? found?.key : undefined;
  };

  return {
    admit(presented, now) {
      if (presented === undefined) throw new Problem('unauthorized', 'missing X-API-Key header');
      const key = recognise(presented);
      if (key === undefined) throw new Problem('unauthorized', 'invalid API key');
      const plan = plans.get(key.plan);
      if (plan === undefined)
        throw new Error(`key ${key.id} is on the plan '${key.plan}', which is not among the plans served`);
      const { allowed, rate } = quotas.take(key.id, plan, now);
      return { keyId: key.id, plan, rate, ...(!allowed && { refusal: exceeded(rate) }) };
    },

    keyCount: () => goodKeys().size,

    save() {
      try {
        const records = quotas.unsaved();
        if (records.length > 0) store.saveUsage(records);
        quotas.saved(records);
        failure = undefined;
      } catch (error) {
        failure = error;
      }
      return failure;
    },

    check() {
      if (failure !== undefined) throw failure;
      store.version();
    },
  };
}

const wording = { minute: 'rate limit of', day: 'daily limit of', month: 'monthly limit of' } as const;

function exceeded({ window, limit, reset }: RateLimit): Problem {
  const per = window === 'minute' ? ' per minute' : '';
  return new Problem('rate-limit-exceeded', `${wording[window]} ${limit} requests${per} exceeded`, {
    retryAfter: reset,
  });
}

/** Refuses to serve keys whose plan is not among the plans. */
export function checkPlans(store: AccessStore, plans: Plans): void {
  const stray = store.keys().find(({ plan, revokedAt }) => revokedAt === undefined && !plans.has(plan));
  if (stray === undefined) return;
  throw new Problem(
    'bad-input',
    `key ${stray.id} ('${stray.name}') is on the plan '${stray.plan}': the plans are ${[...plans.keys()].join(', ')}`,
    { hints: [`add the plan to the file of --plans, or: asof keys revoke ${stray.id}`] },
  );
}
