import { createHash, randomFillSync } from 'node:crypto';
import { type Day, latestDay, utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { formatCursor, parseCursor } from '../operations/cursor.ts';
import type { Envelope } from '../operations/envelope.ts';
import type { Operation, Page, Principal } from '../operations/operation.ts';
import { readParams } from '../operations/params.ts';
import type { Store, StoreInfo } from '../store/store.ts';

/** The texts of a request's parameters, path parameters included, in the order given. */
export type Given = readonly (readonly [name: string, text: string])[];

/** What a service needs from outside. */
export type ServiceOptions = {
  readonly store: Store;
  readonly clock?: () => Date;
  /** Where a plan can be upgraded; without it the detail says to ask the operator. */
  readonly billingUrl?: string;
  /** Where pages are kept that other questions may share; without it none are. */
  readonly pages?: PageMemory;
};

/** Pages read from one state of the store, by its revision: with another one, nothing of the old is found. */
export type PageMemory = {
  find(revision: number, key: string): Page | undefined;
  put(revision: number, key: string, page: Page): void;
};

/** Who uses a store of their own: may see everything, without limits. */
export const owner: Principal = {
  plan: 'owner',
  monthlyLimit: 2147483647,
  ratePerMinute: 2147483647,
  vintageAccess: true,
};

/** A question as it is asked of a service. */
type Question = {
  readonly operation: Operation;
  readonly given: Given;
  readonly principal: Principal;
  readonly requestId: string;
};

/** An answer; no envelope where the asker said to have it already. */
type Reply = {
  /** Names the answer: equal tags mean equal answers, request ids aside. */
  readonly tag: string;
  /** The state of knowledge that it comes from, as `state` names it. */
  readonly state: string;
  readonly envelope?: Envelope;
};

/**
 * Answers operations from a store: the one place where parameters are read and plans are checked.
 * Whatever fails is a Problem that carries the request's id and path; anything unforeseen is `internal-error`.
 */
export type Service = {
  /** The contract's envelope, out of one state of knowledge. */
  answer(operation: Operation, given: Given, principal: Principal): Promise<Envelope>;
  /** The same with its tag; nothing is asked of the facts when `known` says that the asker has that answer. */
  reply(question: Question, known: (tag: string) => boolean): Promise<Reply>;
  /** Names the state of knowledge: it changes with every import that changes anything, and differs between stores. */
  state(): Promise<string>;
};

/** A service over a store. */
export function createService(options: ServiceOptions): Service {
  const { store, clock = () => new Date(), billingUrl, pages } = options;
  let named: { readonly revision: number; readonly state: string } | undefined;

  const stateOf = async ({ revision, sample }: StoreInfo): Promise<string> => {
    if (named?.revision === revision) return named.state;
    // What was imported tells two stores apart that count the same number of imports.
    const imports = (await store.imports()).map(({ importedAt, sha256 }) => [importedAt, sha256]);
    const state = hashOf([revision, sample, imports]);
    named = { revision, state };
    return state;
  };

  /** Reads a page that no import has split: each of the store's answers is of one state, but a page may take several. */
  const settledPage = async (
    reading: Reading,
    begun: StoreInfo,
  ): Promise<{ page: Page; info: StoreInfo }> => {
    let before = begun;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const shared = pages && (await reading.shares(store));
      const known = shared && pages?.find(before.revision, shared.key);
      if (known !== undefined) return { page: { ...known, ...shared?.day }, info: before };
      const page = await reading.run(store);
      const info = await store.info();
      if (info.revision === before.revision) {
        if (shared !== undefined) pages?.put(info.revision, shared.key, page);
        return { page, info };
      }
      before = info;
    }
    throw new Problem('service-unavailable', 'the data changed while it was being read, again and again');
  };

  const within = async <T>({ requestId, operation, given }: Question, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw foreseen(error).with({ requestId, instance: instanceOf(operation, given) });
    }
  };

  return {
    answer(operation, given, principal) {
      const question = { operation, given, principal, requestId: newRequestId(clock()) };
      return within(question, async () => {
        const { page } = await settledPage(read(question, clock(), billingUrl), await store.info());
        return envelope(question, page);
      });
    },

    reply: (question, known) =>
      within(question, async () => {
        const reading = read(question, clock(), billingUrl);
        const before = await store.info();
        const held = await stateOf(before);
        const heldTag = tagOf(question, reading, held);
        if (known(heldTag)) return { tag: heldTag, state: held };
        const { page, info } = await settledPage(reading, before);
        const state = await stateOf(info);
        const tag = state === held ? heldTag : tagOf(question, reading, state);
        return { tag, state, envelope: envelope(question, page) };
      }),

    state: async () => stateOf(await store.info()),
  };
}

/** How often a page is read anew when an import lands in it; an import takes far longer than a page. */
const attempts = 5;

/** A question whose parameters are read and allowed, ready to be asked of the facts. */
type Reading = {
  readonly run: (store: Store) => Promise<Page>;
  /** Names the page, which other questions may share, and says the day of knowledge that is this question's own. */
  readonly shares: (store: Store) => Promise<{ key: string; day: Pick<Page, 'asOf'> } | undefined>;
  /** The day that the answer depends on besides the facts and the parameters. */
  readonly today: Day | undefined;
};

function read({ operation, given, principal }: Question, now: Date, billingUrl: string | undefined): Reading {
  const clock = { latest: latestDay(now), today: utcDay(now) };
  const values = readParams(operation.params, given, clock);
  operation.check(values);
  const cursor = given.find(([name]) => name === 'cursor')?.[1];
  const position = cursor === undefined ? undefined : parseCursor(cursor, operation.name, given);
  if (!principal.vintageAccess && operation.needsVintageAccess(values))
    throw upgradeRequired(principal, billingUrl);
  return {
    async shares(store) {
      const shared = await operation.shares?.(values, store);
      if (shared === undefined) return undefined;
      const { rows, asOf } = shared;
      return {
        key: JSON.stringify([operation.name, rows, position]),
        day: asOf === undefined ? {} : { asOf },
      };
    },
    run: (store) => operation.run(values, { store, principal, clock, ...(position && { position }) }),
    today: operation.dependsOnToday(values) ? clock.today : undefined,
  };
}

function tagOf({ operation, given, principal }: Question, { today }: Reading, state: string): string {
  const query = [...given].sort(([a], [b]) => (a < b ? -1 : 1));
  return hashOf([state, principal, operation.name, query, today ?? '']);
}

function hashOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}

function upgradeRequired({ plan }: Principal, billingUrl: string | undefined): Problem {
  const way = billingUrl === undefined ? 'ask the operator of this service' : `upgrade at ${billingUrl}`;
  return new Problem(
    'plan-upgrade-required',
    `point-in-time queries need the pro plan or higher; this key is on '${plan}': ${way}`,
  );
}

function envelope({ operation, given, requestId }: Question, page: Page): Envelope {
  return {
    object: operation.object,
    request_id: requestId,
    status: 'ok',
    ...(page.asOf !== undefined && { as_of: page.asOf }),
    ...(page.series !== undefined && { series: page.series }),
    ...(page.coverage !== undefined && { coverage: page.coverage }),
    results: page.rows,
    results_count: page.rows.length,
    has_more: page.next !== undefined,
    ...(page.next !== undefined && { next_cursor: formatCursor(page.next, operation.name, given) }),
  };
}

function foreseen(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('internal-error', 'an internal error occurred', { cause: error });
}

function instanceOf(operation: Operation, given: Given): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent((given.find(([key]) => key === name)?.[1] ?? '').toWellFormed()),
  );
}

/** A new request id: `req_` and the hex digits of a time-ordered UUID (version 7), so that ids sort as requests came. */
export function newRequestId(now: Date): string {
  if (randomUsed === random.length) {
    randomFillSync(random);
    randomUsed = 0;
  }
  const id = random.subarray(randomUsed, randomUsed + 16);
  randomUsed += id.length;
  id.writeUIntBE(now.getTime(), 0, 6);
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x70;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  return `req_${id.toString('hex')}`;
}

// A call for random bytes costs a service more than all the rest of an id, so that many ids share one.
const random = Buffer.allocUnsafeSlow(16 * 256);
let randomUsed = random.length;
