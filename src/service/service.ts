import { createHash } from 'node:crypto';
import { parseSeriesId } from '../domain/series/series.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem, refused } from '../errors/problem.ts';
import type { Envelope, Page, PagePosition, Row } from '../operations/envelope.ts';
import { type Operation, type Principal, prepare, type Usage } from '../operations/operation.ts';
import { type Params, type ParamTexts, textOf } from '../operations/param.ts';
import { type Clock, clockAt } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { knownView } from '../store/known-view.ts';
import type { AskFollowed, Store, StoreView } from '../store/store.ts';
import { yieldSeriesView } from './yield-series.ts';

/** The store of a service and its settings. */
export type ServiceOptions = {
  readonly store: Store;
  readonly clock?: () => Date;
  /** The address for upgrades of a plan. Default: the detail says to ask the operator. */
  readonly billingUrl?: string;
};

/** The most rows of a page of a listing that is read on: each page takes a third of a millisecond besides its rows. */
const mostRows = 5000;

/** The owner of a store, without limits. */
export const owner: Principal = {
  plan: 'owner',
  monthlyLimit: 2147483647,
  dailyLimit: 2147483647,
  ratePerMinute: 2147483647,
  vintageAccess: true,
};

type ServiceRequest<R = Row> = {
  readonly operation: Operation<Params, R>;
  readonly texts: ParamTexts;
  readonly principal: Principal;
  readonly usage?: Usage;
  readonly requestId: string;
  /** The rows that are read on after a page. Default: a page has at most `limit` rows. */
  readonly rows?: number | undefined;
};

type Reply<R = Row> = {
  /** The name of the answer: equal tags mean equal answers, except for request ids. */
  readonly tag: string;
  readonly state: string;
  readonly envelope?: Envelope<R>;
};

/** Answers the operations of a store. */
export type Service = ReturnType<typeof createService>;

/**
 * Makes a service that answers operations from a store, and alone reads parameters and checks plans.
 * Each answer is from one state of the data. Every failure is a Problem with the request's id and path.
 */
export function createService({ store, clock = () => new Date(), billingUrl }: ServiceOptions) {
  const requestOf = <R>(operation: Operation<Params, R>, texts: ParamTexts, principal: Principal) => ({
    operation,
    texts,
    principal,
    requestId: newRequestId(clock()),
  });

  const refusal = (reason: string, { plan }: Pick<Principal, 'plan'>): Problem => {
    const remedy = billingUrl === undefined ? 'ask the operator of this service' : `upgrade at ${billingUrl}`;
    return new Problem('plan-upgrade-required', `${reason}; this key is on '${plan}': ${remedy}`);
  };

  /** Checks the parameters and the plan of a request; returns how to answer it from a view, and today if that matters. */
  const checked = <R>(request: ServiceRequest<R>, now: Clock) => {
    const { operation, texts, principal, usage, rows = 0 } = request;
    const most = Math.min(rows, mostRows);
    const query = prepare(operation, texts, now, most);
    const cursor = textOf(texts, 'cursor');
    const position = cursor === undefined ? undefined : parseCursor(cursor, operation.name, texts);
    if (!principal.vintageAccess && query.needsVintageAccess)
      throw refusal('point-in-time queries need the pro plan or higher', principal);
    if (operation.forOwner === true && principal.plan !== owner.plan)
      throw refusal(`what the store follows needs the plan '${owner.plan}'`, principal);
    const answer = async (view: StoreView) => {
      const run = { view, principal, ...defined({ usage, position }) };
      try {
        return envelope(request, await query.run(run));
      } catch (error) {
        const meant = await meantBy(request, view, error);
        if (meant === undefined) throw error;
        const page = await prepare(operation, meant.texts, now, most).run(run);
        return envelope(request, page, meant.aliases);
      }
    };
    const today = query.dependsOnToday ? now.today : undefined;
    return { answer, today: operation.dependsOnNow?.(texts) === true ? now.now : today };
  };

  const followed: AskFollowed = () => store.read((view) => view.sources.followed());
  let lastOverdue: { readonly minute: string; readonly found: ReturnType<typeof overdueOf> } | undefined;
  const overdueOf = (now: Clock) =>
    store.read(async (view) => {
      // Loaded here: a query asks for no calendar.
      const { dueIn, overdueIn } = await import('../operations/calendar/due.ts');
      return overdueIn(await dueIn(view, now));
    });
  return {
    followed,

    /** Lists the followed releases that are overdue, worked out once a minute: probes ask often. */
    async overdue() {
      const now = clockAt(clock());
      const minute = now.now.slice(0, 16);
      if (lastOverdue?.minute === minute) return lastOverdue.found;
      const found = overdueOf(now);
      lastOverdue = { minute, found };
      found.catch(() => {
        lastOverdue = undefined;
      });
      return found;
    },

    /** Answers with the contract's envelope; a page of a listing that is read on may have more rows than its limit. */
    answer<R extends Row>(
      operation: Operation<Params, R>,
      texts: ParamTexts,
      principal: Principal,
      rows?: number,
    ): Promise<Envelope<R>> {
      const request = { ...requestOf(operation, texts, principal), rows };
      return within(request, () => {
        const now = clockAt(clock());
        const { answer } = checked(request, now);
        return store.read((view) => answer(knownIn(view, now)), stateSubject(operation, texts));
      });
    },

    /** Answers several questions in their order, as `answer` does, from one state of the data. */
    answerTogether(
      operation: Operation,
      questions: readonly ParamTexts[],
      principal: Principal,
    ): readonly Promise<Envelope>[] {
      const now = clockAt(clock());
      const requests = questions.map((texts) => requestOf(operation, texts, principal));
      const work = async (view: StoreView) => {
        const known = knownIn(view, now);
        const answers = requests.map(async (request) => checked(request, now).answer(known));
        await Promise.allSettled(answers);
        return answers;
      };
      const reading = store.readTogether?.(work) ?? store.read(work);
      return requests.map((request, i) =>
        within(request, async () => {
          const answer = (await reading)[i];
          if (answer === undefined) throw new Error('a question has no answer');
          return answer;
        }),
      );
    },

    /** Answers with an envelope and its tag; with `known`, reads the facts only if it returns false for the tag. */
    reply<R extends Row>(request: ServiceRequest<R>, known?: (tag: string) => boolean): Promise<Reply<R>> {
      return within(request, () => {
        const now = clockAt(clock());
        const { answer, today } = checked(request, now);
        const subject = stateSubject(request.operation, request.texts);
        return store.read(async (stored) => {
          const view = knownIn(stored, now);
          const stated = view.state(subject);
          // Without a tag to compare, the state and the facts need one round trip to a database.
          const answered = known === undefined ? answer(view) : undefined;
          const [{ name: state }, early] = await Promise.all([stated, answered]);
          const tag = tagOf(request, today, state);
          if (known?.(tag) === true) return { tag, state };
          return { tag, state, envelope: early ?? (await answer(view)) };
        }, subject);
      });
    },

    /**
     * Reads the name of the data's newest state, or of the part for one series.
     * The name changes with every import that changes that part, and differs between stores.
     */
    state(seriesId?: string): Promise<string> {
      const now = clockAt(clock());
      return store.read(async (view) => (await knownIn(view, now).state(seriesId)).name, seriesId);
    },

    /** Returns the share of the store that answers, from 0 to 1; undefined if the store has no parts. */
    answering: async () => store.answering?.(),

    /** Makes the refusal of what a plan does not allow; it says how to get a plan that does. */
    refusal,

    /** Reads what an operator watches: the revision, which grows with every change, and the coverage of the data. */
    status: () =>
      store.read(async (view) => {
        const [{ revision }, { covered }, PAR, TIPS, filings] = await Promise.all([
          view.state(),
          view.contents.totals(),
          view.rates.coveredTo('PAR'),
          view.rates.coveredTo('TIPS'),
          view.filings.coveredTo(),
        ]);
        return { revision, coveredTo: { series: covered ?? undefined, PAR, TIPS, filings } };
      }),
  };
}

function knownIn(view: StoreView, { latest }: Clock): StoreView {
  return knownView(yieldSeriesView(view), latest);
}

async function within<T, R>(
  { requestId, operation, texts }: ServiceRequest<R>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const problem =
      cause instanceof Problem
        ? cause
        : new Problem('internal-error', 'an internal error occurred', { cause });
    throw problem.with({ requestId, instance: instanceOf(operation.path, texts) });
  }
}

/** Returns the series whose state is that of an answer; undefined for an answer from more. */
export function stateSubject(
  operation: Pick<Operation, 'params' | 'readsCalendars'>,
  texts: ParamTexts,
): string | undefined {
  return operation.readsCalendars?.(texts) === true ? undefined : seriesOf(operation, texts);
}

function seriesOf({ params }: Pick<Operation, 'params'>, texts: ParamTexts): string | undefined {
  const id = texts.find(([name]) => Object.hasOwn(params, name) && params[name]?.namesSeries === true)?.[1];
  return id === undefined ? undefined : parseSeriesId(id);
}

// Why: docs/decisions/aliases.md
/** Looks up the unknown series of a request among the aliases; undefined if it is none. */
async function meantBy<R>({ operation, texts }: ServiceRequest<R>, { aliases }: StoreView, error: unknown) {
  const name = seriesOf(operation, texts);
  if (name === undefined || !(error instanceof Problem) || error.kind !== 'not-found') return undefined;
  const id = await aliases.idOf(name);
  if (id === undefined) return undefined;
  const own = texts.map(([param, text]) =>
    operation.params[param]?.namesSeries === true ? ([param, id] as const) : ([param, text] as const),
  );
  return { texts: own, aliases: { [name]: id } };
}

function tagOf(
  { operation, texts, principal, usage }: ServiceRequest,
  today: Day | undefined,
  state: string,
): string {
  const caller = operation.aboutCaller === true ? { ...principal, ...usage } : principal;
  return hashed([state, caller, operation.name, inOrder(texts), today ?? ''], 22);
}

function inOrder(texts: ParamTexts): ParamTexts {
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function hashed(content: unknown, length: number): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, length);
}

function envelope<R>(
  { operation, texts, requestId }: ServiceRequest<R>,
  page: Page<R>,
  aliases?: Envelope['aliases'],
): Envelope<R> {
  const { rows, next, as_of, known_at, series, coverage, vintage, covered_to, unknown_ticker } = page;
  return {
    object: operation.object,
    request_id: requestId,
    status: 'ok',
    ...defined({ as_of, known_at, series, coverage, vintage, covered_to, unknown_ticker, aliases }),
    results: rows,
    results_count: rows.length,
    has_more: next !== undefined,
    ...(next !== undefined && { next_cursor: formatCursor(next, operation.name, texts) }),
  };
}

function instanceOf(path: string, texts: ParamTexts): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent((textOf(texts, name) ?? '').toWellFormed()),
  );
}

/** Makes a request id: `req_` and the hex digits of a UUID version 7, so that ids sort by time. */
export function newRequestId(now: Date): string {
  const time = now.getTime();
  const random = Math.floor(Math.random() * 2 ** 26);
  // 12 random bits, the variant of the UUID, which is 8, 9, a or b, and 12 random bits again.
  const middle = (random >>> 14) * 0x1_0000 + 0x8000 + (random & 0x3fff);
  // Without loading `node:crypto`: a request id protects nothing.
  const [third, last] = [Math.random() * 2 ** 24, Math.random() * 2 ** 24];
  return `req_${hex(time / 2 ** 24, 6)}${hex(time % 2 ** 24, 6)}7${hex(middle, 7)}${hex(third, 6)}${hex(last, 6)}`;
}

/** Writes a whole number of at most 31 bits in hex; Node takes ten times as long for a larger one. */
function hex(number: number, digits: number): string {
  return Math.floor(number).toString(16).padStart(digits, '0');
}

/** Formats the cursor of a position in a query's answer; without an as-of date, it gives no access to one. */
function formatCursor(position: PagePosition, operation: string, texts: ParamTexts): string {
  const { key, version } = position;
  const content = [hashOf(operation, texts, position), key, ...(version === undefined ? [] : [version])];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Parses the position of a cursor; refuses a damaged cursor, and one of another query. */
function parseCursor(cursor: string, operation: string, texts: ParamTexts): PagePosition {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    // It is refused below.
  }
  // Decoding ignores some bits and characters, so the content must encode to exactly this text.
  if (!isCursor(content) || Buffer.from(JSON.stringify(content)).toString('base64url') !== cursor)
    throw refused({ param: 'cursor', reason: 'use the next_cursor of an earlier answer' });
  const [hash, key, version] = content;
  const position = { key, ...defined({ version }) };
  if (hash !== hashOf(operation, texts, position))
    throw refused({ param: 'cursor', reason: 'it does not continue this query' });
  return position;
}

function isCursor(content: unknown): content is [hash: string, key: readonly string[], version?: number] {
  if (!Array.isArray(content) || content.length > 3) return false;
  const [hash, key, version = 0]: readonly unknown[] = content;
  const isKey = Array.isArray(key) && key.every((part) => typeof part === 'string');
  return typeof hash === 'string' && isKey && Number.isSafeInteger(version);
}

/** Hashes the query and the position, to detect a cursor with a lost or changed character. */
function hashOf(operation: string, texts: ParamTexts, { key, version }: PagePosition): string {
  const query = texts.filter(([name]) => name !== 'limit' && name !== 'cursor');
  return hashed([operation, inOrder(query), key, version], 16);
}
