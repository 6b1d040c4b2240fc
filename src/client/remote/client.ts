import { latestDay, utcDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import { type Params, type ParamTexts, without } from '../../operations/param.ts';
import type { Client, DataWatch, Origin } from '../client.ts';
import { readAnswer } from './answer.ts';
import { changeWatch } from './change.ts';
import { type HttpReply, Requester, type RequestTry } from './exchange.ts';
import { type Announces, announcedIn, type Listed, selectedPage, wholeListing } from './extensions.ts';
import { type RetryPolicy, type Wait, withRetries } from './retry.ts';
import { proxiesOf } from './transport.ts';
import { type BaseUrl, parseBaseUrl, requestPath } from './url.ts';

/** The address of a service, and how a client sends its requests. */
export type RemoteOptions = {
  readonly baseUrl: string;
  /** A key of that service; without one, requests go out without a key. */
  readonly key?: string;
  /** Time limit of one try, in seconds (default 30). */
  readonly timeout?: number;
  /** Retries after a network error, 429, and 502 to 504 (default 2). */
  readonly retries?: number;
  /** Limit on all waits between the tries of one request, in seconds (default 60). */
  readonly maxWait?: number;
  readonly userAgent?: string;
  /** The environment, whose usual variables name the proxies; that of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Stops requests and waits. */
  readonly signal?: AbortSignal;
  readonly clock?: () => Date;
  readonly watch?: (event: RemoteEvent) => void;
};

/** A try or a wait of a remote client, for logs; it never contains the key. */
export type RemoteEvent = { readonly tried: RequestTry } | { readonly wait: Wait };

/** A client of the service at a base URL. It gives the same envelopes and Problems as an embedded client of the service's store. */
export function remoteClient(options: RemoteOptions): Client {
  const client = new RemoteClient(options);
  return {
    ask: (operation, texts) => client.ask(operation, texts),
    watch: () => client.watch(),
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
  #announced: Promise<Announces> | undefined;
  #listing: KeptListing<unknown> | undefined;

  constructor(options: RemoteOptions) {
    const { key, timeout = 30, retries = 2, maxWait = 60, signal, watch = () => undefined } = options;
    if (key !== undefined && !/^[!-~]+$/.test(key))
      throw new Problem('bad-input', 'the key holds characters that no key has');
    this.#base = parseBaseUrl(options.baseUrl);
    this.#key = key;
    this.#clock = options.clock ?? (() => new Date());
    this.#requester = new Requester({
      base: this.#base,
      key,
      userAgent: options.userAgent ?? 'asof',
      timeout,
      proxies: proxiesOf(options.env ?? process.env),
      signal,
      watch: (tried) => watch({ tried }),
    });
    this.#policy = { retries, maxWait, signal, waiting: (wait) => watch({ wait }) };
  }

  async ask<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts): Promise<Envelope<R>> {
    try {
      return await this.#ask(operation, texts);
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

  async origin(): Promise<Origin> {
    return { mode: 'remote', where: this.#base.href, sample: false };
  }

  close(): Promise<void> {
    return this.#requester.close();
  }

  async #ask<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts): Promise<Envelope<R>> {
    const missing = await this.#unannounced(operation, texts);
    if (missing === undefined) return this.#direct(operation, texts);
    if (operation.substitute === undefined) throw lacksParameter(this.#base.href, missing);
    const now = this.#clock();
    const clock = { latest: latestDay(now), today: utcDay(now) };
    const substitute = operation.substitute(texts, clock);
    if (substitute === undefined) return this.#direct(operation, without(texts, missing));
    return selectedPage(await this.#wholeListing(operation), substitute, operation, texts);
  }

  /** The first extension parameter of a query that the service does not announce. */
  async #unannounced({ path, params }: Operation<Params, unknown>, texts: ParamTexts) {
    for (const [name] of texts) {
      if (params[name]?.extension !== true) continue;
      this.#announced ??= this.#get('/v1/openapi.json').then(announcedIn);
      const announces = await this.#announced;
      if (!announces(path, name)) return name;
    }
    return undefined;
  }

  async #direct<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts): Promise<Envelope<R>> {
    const path = requestPath(operation, texts);
    const read = (reply: HttpReply) => readAnswer(reply, { operation, texts, service: this.#base.href });
    const reply = await this.#get(path);
    const envelope = read(reply);
    this.#changes.answered(path, reply, envelope, read);
    return envelope;
  }

  /** All rows of a listing, requested once. */
  async #wholeListing<R extends Row>(operation: Operation<Params, R>): Promise<Listed<R>> {
    if (this.#listing !== undefined && isListingOf(this.#listing, operation)) return this.#listing.listed;
    const listed = wholeListing((texts) => this.#direct(operation, texts));
    this.#listing = { operation, listed };
    try {
      return await listed;
    } catch (error) {
      this.#listing = undefined;
      throw error;
    }
  }

  /** The reply to a path below the base URL, after retries and at most one redirect. */
  async #get(path: string, headers?: HttpReply['headers']): Promise<HttpReply> {
    const send = (target: string) => withRetries(() => this.#requester.get(target, headers), this.#policy);
    const first = this.#base.prefix + path;
    const reply = await send(first);
    const moved = movedTo(reply, this.#base.origin, first);
    if (moved === undefined) return reply;
    const second = await send(moved);
    if (!isRedirect(second)) return second;
    throw new Problem('bad-answer', `${reply.url} redirects to ${second.url}, and that redirects again`);
  }
}

/** The rows of the operation that was listed last. */
type KeptListing<R> = { readonly operation: Operation<Params, R>; readonly listed: Promise<Listed<R>> };

function isListingOf<R extends Row>(
  kept: KeptListing<unknown>,
  operation: Operation<Params, R>,
): kept is KeptListing<R> {
  return kept.operation === operation;
}

function lacksParameter(service: string, name: string): Problem {
  return new Problem('bad-answer', `the service at ${service} does not announce the parameter '${name}'`, {
    missing: true,
    hints: ['it is an extension of asof; everything else works'],
  });
}

function isRedirect({ status }: HttpReply): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * The path that a redirect leads to; undefined for any other reply. Refuses a redirect to another origin, because the key
 * is for this one only, and a redirect to another query, because without `as_of` the answer would differ.
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

/** The same failure with the key redacted, in case the service repeated it. */
function withoutKey(key: string | undefined, error: unknown): unknown {
  if (key === undefined || !(error instanceof Problem)) return error;
  const clean = (text: string) => text.replaceAll(key, '(redacted)');
  const { detail, field, hints, requestId, instance, type } = error;
  return error.with({
    detail: clean(detail),
    hints: hints.map(clean),
    ...(field !== undefined && { field: clean(field) }),
    ...(requestId !== undefined && { requestId: clean(requestId) }),
    ...(instance !== undefined && { instance: clean(instance) }),
    ...(type !== undefined && { type: clean(type) }),
  });
}
