import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Params, ParamTexts } from '../../operations/param.ts';
import { clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import type { AskOptions, Client, DataWatch, Origin } from '../client.ts';
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
      const policy = once ? { ...this.#policy, retries: 0 } : this.#policy;
      if (once) return await this.#direct(operation, texts, texts, policy);
      const sent = await this.#extensions.sendable(operation, texts, clockAt(this.#clock()));
      const envelope = await this.#direct(operation, texts, sent, policy);
      const [found] = envelope.results;
      if (found !== undefined) await this.#prove(operation, found, texts);
      return envelope;
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
    const envelope = await answer;
    if (envelope === undefined) return;
    const shown = envelope.results[0]?.[shownAs];
    if (shown != null && Number(row[field]) === Number(shown)) return;
    const what = `results[0].${field} is "${row[field]}", but its ${noun} is ${shown ?? 'missing'}`;
    throw new Problem('bad-answer', `the service at ${this.#base.href} answered another question: ${what}`);
  }

  async #direct<R extends Row>(
    operation: Operation<Params, R>,
    asked: ParamTexts,
    sent: ParamTexts,
    policy = this.#policy,
  ): Promise<Envelope<R>> {
    const path = requestPath(operation, sent);
    const query = { operation, asked, sent, clock: clockAt(this.#clock()), service: this.#base.href };
    const read = (reply: HttpReply) => readAnswer(reply, query);
    const reply = await this.#get(path, {}, policy);
    const envelope = read(reply);
    this.#changes.answered(path, reply, envelope, read);
    return envelope;
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
