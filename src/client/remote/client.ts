import { Problem, refused } from '../../errors/problem.ts';
import { formatCursor, parseCursor } from '../../operations/cursor.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation, Substitute } from '../../operations/operation.ts';
import { compareRows, isStrict } from '../../operations/order.ts';
import { type Params, type ParamTexts, textOf, without } from '../../operations/param.ts';
import { clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import type { AskOptions, Client, DataWatch, Origin } from '../client.ts';
import { largestPage, samePageAgain } from '../pagination.ts';
import type { ReceivedPage } from './answer.ts';
import { readAnswer } from './answer.ts';
import { type HttpReply, Requester, withoutSecrets } from './exchange.ts';
import { Extensions } from './extensions.ts';
import { type RemoteEvent, type RetryPolicy, withRetries } from './retry.ts';
import { proxiesOf } from './transport.ts';
import { type BaseUrl, parseBaseUrl, requestPath } from './url.ts';

/** The address of a service, and how a client sends its requests. */
export type RemoteOptions = {
  readonly baseUrl: string;
  /** A key of that service; without it, requests are sent without a key. */
  readonly key?: string;
  /** Time limit of one try, in seconds (default 30). */
  readonly timeout?: number;
  /** Retries after a network error, 429, and 502 to 504 (default 2). */
  readonly retries?: number;
  /** Limit on all waits between the tries of one request, in seconds (default 60). */
  readonly maxWait?: number;
  readonly userAgent?: string;
  /** The environment whose usual variables name the proxies; by default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Stops requests and waits. */
  readonly signal?: AbortSignal;
  readonly clock?: () => Date;
  readonly watch?: (event: RemoteEvent) => void;
};

/** A client of the service at a base URL, with the envelopes and Problems of an embedded client of its store. */
export function remoteClient(options: RemoteOptions): Client {
  const client = new RemoteClient(options);
  return {
    ask: (operation, texts, options) => client.ask(operation, texts, options),
    watch: () => client.watch(),
    offers: (operation, texts) => client.offers(operation, texts),
    origin: () => client.origin(),
    close: () => client.close(),
  };
}

class RemoteClient implements Client {
  readonly #base: BaseUrl;
  readonly #key: string | undefined;
  readonly #clock: () => Date;
  readonly #requester: Requester;
  readonly #policy: RetryPolicy;
  readonly #changes = changeWatch((path, headers) => this.#get(path, headers));
  readonly #extensions: Extensions;
  readonly #listing = new WholeListing();

  constructor(options: RemoteOptions) {
    const { key, timeout = 30, retries = 2, maxWait = 60, signal, watch = () => undefined } = options;
    if (key !== undefined && !/^[!-~]+$/.test(key))
      throw new Problem('bad-input', 'the key holds characters that no key has');
    this.#base = parseBaseUrl(options.baseUrl);
    this.#key = key;
    this.#clock = options.clock ?? (() => new Date());
    this.#requester = new Requester({
      base: this.#base,
      headers: { 'user-agent': options.userAgent ?? 'asof', ...defined({ 'x-api-key': key }) },
      secrets: key === undefined ? [] : [key],
      timeout,
      proxies: proxiesOf(options.env ?? process.env),
      signal,
      watch: (tried) => watch({ tried }),
    });
    this.#extensions = new Extensions(this.#base.href, (path) => this.#get(path));
    this.#policy = { retries, maxWait, signal, waiting: (wait) => watch({ wait }) };
  }

  async ask<R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    { once = false }: AskOptions = {},
  ): Promise<Envelope<R>> {
    try {
      if (!once) return await this.#ask(operation, texts);
      return (await this.#direct(operation, texts, texts, { ...this.#policy, retries: 0 })).envelope;
    } catch (error) {
      throw withoutKey(this.#key, error);
    }
  }

  async watch(): Promise<DataWatch> {
    const { changed, requests } = this.#changes.begin();
    const failed = (error: unknown) => {
      throw withoutKey(this.#key, error);
    };
    return { changed: () => changed().catch(failed), requests };
  }

  /** If this cannot be found out now, the answer is no; the next question shows why. */
  async offers(operation: Pick<Operation, 'params' | 'path'>, texts: ParamTexts): Promise<boolean> {
    try {
      return (await this.#extensions.unannounced(operation, texts)).size === 0;
    } catch (error) {
      if (error instanceof Problem && error.kind !== 'interrupted') return false;
      throw error;
    }
  }

  async origin(): Promise<Origin> {
    return { mode: 'remote', where: this.#base.href, sample: false };
  }

  close(): Promise<void> {
    return this.#requester.close();
  }

  async #ask<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts): Promise<Envelope<R>> {
    const lacking = await this.#extensions.unannounced(operation, texts);
    const ask = (all: ParamTexts) => this.#answer(operation, all, all);
    if (lacking.size === 0) return askInOrder(operation, texts, ask);
    const { sent, selection } = this.#extensions.sendable(operation, texts, lacking, clockAt(this.#clock()));
    if (selection !== undefined) return this.#listing.page(operation, selection, texts, ask);
    return this.#answer(operation, texts, sent);
  }

  /** The next page with any rows that answer the query. */
  async #answer<R extends Row>(
    operation: Operation<Params, R>,
    asked: ParamTexts,
    sent: ParamTexts,
  ): Promise<Envelope<R>> {
    let [before, leftOut]: [string?, ReceivedPage<R>['leftOut']?] = [];
    const cursors = new Set<string>();
    for (let next = sent; ; ) {
      const { envelope, first, ...page } = await this.#direct(operation, asked, next);
      if (leftOut?.ofOther !== false) leftOut = page.leftOut ?? leftOut;
      const { results, has_more: more, next_cursor: cursor } = envelope;
      const [found] = results;
      if (found !== undefined) {
        await this.#prove(operation, found, asked);
        return envelope;
      }
      if (!more || cursor === undefined || page.leftOut === undefined) {
        if (leftOut?.ofOther === true && textOf(asked, 'cursor') === undefined)
          throw ofAnotherQuestion(this.#base.href, leftOut.what);
        return envelope;
      }
      if (first === before || cursors.size === cursors.add(cursor).size) throw samePageAgain();
      before = first;
      next = [...without(next, 'cursor'), ['cursor', cursor]];
    }
  }

  /** Refuses a row that does not say all that was asked for, if another answer of the service contradicts it. */
  async #prove<R extends Row>(operation: Operation<Params, R>, row: R, asked: ParamTexts): Promise<void> {
    const proof = operation.proof?.(row, asked);
    if (proof === undefined) return;
    const { texts, field, shownAs, noun } = proof;
    const answer = this.#direct(proof.operation, texts, texts).catch((error: unknown) => {
      // A service without that question cannot be asked for more than it was.
      if (error instanceof Problem && error.missing) return undefined;
      throw error;
    });
    const page = await answer;
    if (page === undefined) return;
    const shown = page.envelope.results[0]?.[shownAs];
    if (shown != null && Number(row[field]) === Number(shown)) return;
    const what = `results[0].${field} is "${row[field]}", but its ${noun} is ${shown ?? 'missing'}`;
    throw ofAnotherQuestion(this.#base.href, what);
  }

  async #direct<R extends Row>(
    operation: Operation<Params, R>,
    asked: ParamTexts,
    sent: ParamTexts,
    policy = this.#policy,
  ): Promise<ReceivedPage<R>> {
    const path = requestPath(operation, sent);
    const query = { operation, asked, sent, clock: clockAt(this.#clock()), service: this.#base.href };
    const read = (reply: HttpReply) => readAnswer(reply, query);
    const reply = await this.#get(path, {}, policy);
    const page = read(reply);
    this.#changes.answered(path, reply, page.envelope, (again) => read(again).envelope);
    return page;
  }

  /** The reply to a path below the base URL, after retries and at most one redirect. */
  async #get(path: string, headers: HttpReply['headers'] = {}, policy = this.#policy): Promise<HttpReply> {
    const send = (target: string) => withRetries(() => this.#requester.get(target, headers), policy);
    const first = this.#base.prefix + path;
    const reply = await send(first);
    const moved = movedTo(reply, this.#base.origin, first);
    if (moved === undefined) return reply;
    const second = await send(moved);
    if (!isRedirect(second)) return second;
    throw new Problem('bad-answer', `${reply.url} redirects to ${second.url}, and that redirects again`);
  }
}

function ofAnotherQuestion(service: string, what: string): Problem {
  return new Problem('bad-answer', `the service at ${service} answered another question: ${what}`);
}

function isRedirect({ status }: HttpReply): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * The path that a redirect leads to; undefined for any other reply. Refuses a redirect to another origin, because the
 * key is for this one only, and to another query, because without `as_of` the answer would differ.
 */
function movedTo(reply: HttpReply, origin: string, asked: string): string | undefined {
  if (!isRedirect(reply)) return undefined;
  const location = reply.headers.location ?? '';
  const from = new URL(asked, origin);
  if (location === '' || !URL.canParse(location, from.href))
    throw new Problem('bad-answer', `${reply.url} redirects, but does not say where to`);
  const to = new URL(location, from);
  if (to.origin !== origin) {
    throw new Problem('bad-answer', `${reply.url} redirects to another origin, ${to.origin}`, {
      hints: [
        'asof does not follow: its key is for one origin',
        `use --base-url with ${to.origin} if you trust it`,
      ],
    });
  }
  if (to.search !== from.search)
    throw new Problem(
      'bad-answer',
      `${reply.url} redirects to ${to.pathname} without the parameters asked for`,
    );
  return to.pathname + to.search;
}

/** The same failure with the key redacted, in case the service repeated the key. */
function withoutKey(key: string | undefined, error: unknown): unknown {
  if (key === undefined || !(error instanceof Problem)) return error;
  const clean = (text: string) => withoutSecrets(text, [key]);
  const cleanIfAny = (text: string | undefined) => text && clean(text);
  const { detail, field, hints, requestId, instance, type } = error;
  return error.with({
    detail: clean(detail),
    hints: hints.map(clean),
    ...defined({
      field: cleanIfAny(field),
      requestId: cleanIfAny(requestId),
      instance: cleanIfAny(instance),
      type: cleanIfAny(type),
    }),
  });
}

type Read = (reply: HttpReply) => Envelope<unknown>;

/** The answer that later answers to the same request are compared with. */
type Baseline = {
  readonly path: string;
  readonly tag: string;
  readonly envelope: Envelope<unknown>;
  readonly read: Read;
};

/** Watches for changes of a service's data by the ETag of one answer. */
type ChangeWatch = {
  /** Must be called with each answer; the first one after `begin` becomes the baseline. */
  readonly answered: (path: string, reply: HttpReply, envelope: Envelope<unknown>, read: Read) => void;
  readonly begin: () => DataWatch;
};

/** Requests the baseline again with its `ETag`; detects no change if answers have none, or another each time. */
function changeWatch(
  get: (path: string, headers: Readonly<Record<string, string>>) => Promise<HttpReply>,
): ChangeWatch {
  let awaitsBaseline = false;
  let baseline: Baseline | undefined;

  /** The same answer with its new tag; undefined if the tag is as before or absent. */
  const renewed = async ({ path, tag, read }: Baseline): Promise<Baseline | undefined> => {
    const reply = await get(path, { 'if-none-match': tag });
    if (reply.status === 304) return undefined;
    const envelope = read(reply);
    const { etag } = reply.headers;
    return etag === undefined || opaque(etag) === opaque(tag)
      ? undefined
      : { path, tag: etag, envelope, read };
  };

  const changedSince = async (before: Baseline): Promise<boolean> => {
    const now = await renewed(before);
    if (now === undefined) return false;
    // The content may be the same although other data changed. Compare with the new tag from now on.
    const later = await renewed(now);
    return later === undefined || content(later.envelope) !== content(before.envelope);
  };

  return {
    answered(path, { headers: { etag } }, envelope, read) {
      if (!awaitsBaseline) return;
      awaitsBaseline = false;
      if (etag !== undefined) baseline = { path, tag: etag, envelope, read };
    },
    begin() {
      awaitsBaseline = true;
      baseline = undefined;
      return {
        // Before the first answer, assume that it will have an ETag.
        requests: () => (awaitsBaseline || baseline !== undefined ? 1 : 0),
        changed: async () => baseline !== undefined && changedSince(baseline),
      };
    },
  };
}

/** A tag without its mark of weakness: a proxy may turn a strong tag into a weak one. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

function content({ request_id: _, ...rest }: Envelope<unknown>): string {
  return JSON.stringify(rest);
}

type AskPage<R> = (texts: ParamTexts) => Promise<Envelope<R>>;

type Listed<R> = { readonly envelope: Omit<Envelope<R>, 'next_cursor'>; readonly rows: readonly R[] };

type KeptListing<R> = { readonly operation: Operation<Params, R>; readonly listed: Promise<Listed<R>> };

/** Selects pages from a whole listing, which is requested once. */
class WholeListing {
  #kept: KeptListing<unknown> | undefined;

  /** The page that `texts` ask for. */
  async page<R extends Row>(
    operation: Operation<Params, R>,
    selection: NonNullable<Substitute<R>['selection']>,
    texts: ParamTexts,
    ask: AskPage<R>,
  ): Promise<Envelope<R>> {
    return selectedPage(await this.#rows(operation, ask), selection, operation, texts);
  }

  async #rows<R extends Row>(operation: Operation<Params, R>, ask: AskPage<R>): Promise<Listed<R>> {
    if (this.#kept !== undefined && isListingOf(this.#kept, operation)) return this.#kept.listed;
    const listed = wholeListing(ask);
    this.#kept = { operation, listed };
    try {
      return await listed;
    } catch (error) {
      this.#kept = undefined;
      throw error;
    }
  }
}

function isListingOf<R extends Row>(
  kept: KeptListing<unknown>,
  operation: Operation<Params, R>,
): kept is KeptListing<R> {
  return kept.operation === operation;
}

async function selectedPage<R extends Row>(
  { rows, envelope }: Listed<R>,
  { select, keyOf }: NonNullable<Substitute<R>['selection']>,
  { name, params }: Operation<Params, R>,
  texts: ParamTexts,
): Promise<Envelope<R>> {
  const cursor = textOf(texts, 'cursor');
  const after = cursor === undefined ? undefined : parseCursor(cursor, name, texts).key[0];
  const limit = Number(textOf(texts, 'limit') ?? params.limit?.fallback);
  const found = await select(rows);
  const begin = after === undefined ? 0 : found.findIndex((row) => keyOf(row) === after) + 1;
  if (after !== undefined && begin === 0) throw refused({ param: 'cursor', reason: 'its row is gone' });
  const results = found.slice(begin, begin + limit);
  const last = results.at(-1);
  const more = found.length > begin + limit && last !== undefined;
  return {
    ...envelope,
    results,
    results_count: results.length,
    has_more: more,
    ...(more && { next_cursor: formatCursor({ key: [keyOf(last)] }, name, texts) }),
  };
}

async function wholeListing<R extends Row>(ask: AskPage<R>): Promise<Listed<R>> {
  const rows: R[] = [];
  const seen = new Set<string>();
  let [cursor, before]: string[] = [];
  for (;;) {
    const page = await ask([
      ['limit', String(largestPage)],
      ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
    ]);
    rows.push(...page.results);
    const { next_cursor, ...envelope } = page;
    if (!page.has_more || next_cursor === undefined) return { envelope, rows };
    const first = JSON.stringify(page.results[0]);
    if (seen.has(next_cursor) || first === before) throw samePageAgain();
    seen.add(next_cursor);
    before = first;
    cursor = next_cursor;
  }
}

/** Asks for a page; for two rows in the place of one, which does not show the order, and gives both if it is wrong. */
async function askInOrder<R extends Row>(
  operation: Operation<Params, R>,
  texts: ParamTexts,
  ask: AskPage<R>,
): Promise<Envelope<R>> {
  if (!asksForOneNewest(operation, texts)) return ask(texts);
  const { name, order = [] } = operation;
  const two = [...without(texts, 'limit'), ['limit', '2']] as const;
  const page = await ask(two);
  const [first, second] = page.results;
  if (first === undefined || second === undefined) return page;
  if (compareRows(order, first, second) > 0) return page;
  const { next_cursor: cursor, ...rest } = page;
  // Without more rows, the cursor after the second row is not known; asof itself can make it.
  if (cursor === undefined && ownRequestId.test(page.request_id)) return ask(texts);
  const key = order.map(({ field }) => String(first[field]));
  const next = cursor === undefined ? undefined : cursorAfter(key, cursor, name, two);
  return {
    ...rest,
    results: [first],
    results_count: 1,
    has_more: true,
    ...defined({ next_cursor: next }),
  };
}

function asksForOneNewest(operation: Operation<Params, unknown>, texts: ParamTexts): boolean {
  const { order = [], identity = [] } = operation;
  return isStrict(order, identity) && operation.limitCounts === undefined && textOf(texts, 'limit') === '1';
}

const ownRequestId = /^req_[0-9a-f]{32}$/;

/** asof's own cursor after a row that comes before the row of a given cursor; undefined for another service. */
function cursorAfter(
  key: readonly string[],
  cursor: string,
  operation: string,
  texts: ParamTexts,
): string | undefined {
  try {
    return formatCursor({ ...parseCursor(cursor, operation, texts), key }, operation, texts);
  } catch {
    return undefined;
  }
}
