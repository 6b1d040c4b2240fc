import { createHash, randomFillSync } from 'node:crypto';
import { type Day, latestDay, utcDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import { formatCursor, parseCursor } from '../operations/cursor.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation, Page, Position, PreparedQuery, Principal } from '../operations/operation.ts';
import { type Params, type ParamTexts, textOf } from '../operations/param.ts';
import type { Store, StoreInfo } from '../store/store.ts';

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

/** A query as a service takes it. */
type ServiceRequest<R = Row> = {
  readonly operation: Operation<Params, R>;
  readonly texts: ParamTexts;
  readonly principal: Principal;
  readonly requestId: string;
};

/** What an error of a request names. */
type RequestNames = Pick<ServiceRequest, 'requestId' | 'texts'> & {
  readonly operation: Pick<Operation, 'path'>;
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
  answer<R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    principal: Principal,
  ): Promise<Envelope<R>>;
  /** The same with its tag; nothing is asked of the facts when `known` says that the asker has that answer. */
  reply(request: ServiceRequest, known: (tag: string) => boolean): Promise<Reply>;
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
  const unsplit = async <R>(
    begun: StoreInfo,
    attempt: (before: StoreInfo) => Promise<{ readonly page: Page<R>; readonly after: StoreInfo }>,
  ): Promise<{ page: Page<R>; info: StoreInfo }> => {
    let before = begun;
    for (let tries = 1; tries <= attempts; tries += 1) {
      const { page, after } = await attempt(before);
      if (after.revision === before.revision) return { page, info: after };
      before = after;
    }
    throw new Problem('service-unavailable', 'the data changed while it was being read, again and again');
  };

  /** Runs a query, or finds its page where another query with the same rows was run. */
  const runOrFind = async (
    { query, position, operation }: Ready,
    principal: Principal,
    before: StoreInfo,
  ) => {
    const shared = pages && (await query.shares?.(store));
    const key = JSON.stringify([operation.name, shared?.rows, position]);
    const known = shared && pages?.find(before.revision, key);
    const { asOf } = shared ?? {};
    if (known !== undefined)
      return { page: { ...known, ...(asOf !== undefined && { asOf }) }, after: before };
    const page = await query.run({ store, principal, ...(position && { position }) });
    const after = await store.info();
    if (shared !== undefined && after.revision === before.revision) pages?.put(after.revision, key, page);
    return { page, after };
  };

  const within = async <T>(
    { requestId, operation, texts }: RequestNames,
    work: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw foreseen(error).within({ requestId, instance: instanceOf(operation, texts) });
    }
  };

  return {
    answer(operation, texts, principal) {
      const request = { operation, texts, principal, requestId: newRequestId(clock()) };
      return within(request, async () => {
        const { query, position } = ready(request, clock(), billingUrl);
        const { page } = await unsplit(await store.info(), async () => ({
          page: await query.run({ store, principal, ...(position && { position }) }),
          after: await store.info(),
        }));
        return envelope(request, page);
      });
    },

    reply: (request, known) =>
      within(request, async () => {
        const prepared = ready(request, clock(), billingUrl);
        const before = await store.info();
        const held = await stateOf(before);
        const heldTag = tagOf(request, prepared, held);
        if (known(heldTag)) return { tag: heldTag, state: held };
        const { page, info } = await unsplit(before, (now) => runOrFind(prepared, request.principal, now));
        const state = await stateOf(info);
        const tag = state === held ? heldTag : tagOf(request, prepared, state);
        return { tag, state, envelope: envelope(request, page) };
      }),

    state: async () => stateOf(await store.info()),
  };
}

/** How often a page is read anew when an import lands in it; an import takes far longer than a page. */
const attempts = 5;

/** A query whose parameters are read and allowed, ready to be run. */
type Ready<R = Row> = {
  readonly operation: Operation<Params, R>;
  readonly query: PreparedQuery<R>;
  readonly position: Position | undefined;
  /** The day that the answer depends on besides the facts and the parameters. */
  readonly today: Day | undefined;
};

function ready<R>(
  { operation, texts, principal }: ServiceRequest<R>,
  now: Date,
  billingUrl: string | undefined,
): Ready<R> {
  const clock = { latest: latestDay(now), today: utcDay(now) };
  const query = operation.prepare(texts, clock);
  const cursor = textOf(texts, 'cursor');
  const position = cursor === undefined ? undefined : parseCursor(cursor, operation.name, texts);
  if (!principal.vintageAccess && query.needsVintageAccess) throw upgradeRequired(principal, billingUrl);
  return { operation, query, position, today: query.dependsOnToday ? clock.today : undefined };
}

function tagOf({ operation, texts, principal }: ServiceRequest, { today }: Ready, state: string): string {
  const query = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
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

function envelope<R>({ operation, texts, requestId }: ServiceRequest<R>, page: Page<R>): Envelope<R> {
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
    ...(page.next !== undefined && { next_cursor: formatCursor(page.next, operation.name, texts) }),
  };
}

function foreseen(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('internal-error', 'an internal error occurred', { cause: error });
}

function instanceOf({ path }: Pick<Operation, 'path'>, texts: ParamTexts): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent((textOf(texts, name) ?? '').toWellFormed()),
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
