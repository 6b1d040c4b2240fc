import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Params, ParamTexts } from '../../operations/param.ts';
import { clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import type { Client } from '../client.ts';
import { readAnswer } from './answer.ts';
import { type HttpReply, Requester, type RequestOptions, withoutSecrets } from './exchange.ts';
import { Extensions } from './extensions.ts';
import { withRetries } from './retry.ts';
import { type BaseUrl, parseBaseUrl, requestPath } from './url.ts';

/** The address of a service, and how a client sends its requests. */
export type RemoteOptions = RequestOptions & {
  readonly baseUrl: string;
  /** A key of that service; without it, requests are sent without a key. */
  readonly key?: string | undefined;
  readonly userAgent?: string;
};

/**
 * A client of the service at a base URL, with the envelopes and Problems of an embedded client of its store. Its methods
 * are properties, so that a copy has them.
 */
export class RemoteClient implements Client {
  readonly #base: BaseUrl;
  readonly #secrets: readonly string[];
  readonly #clock: () => Date;
  readonly #requester: Requester;
  readonly #options: RequestOptions;
  readonly #extensions: Extensions;
  #awaitsBaseline = false;
  #baseline: Baseline | undefined;

  constructor(options: RemoteOptions) {
    const { baseUrl, key, userAgent = 'asof', clock = () => new Date() } = options;
    if (key !== undefined && !/^[!-~]+$/.test(key))
      throw new Problem('bad-input', 'the key holds characters that no key has');
    this.#base = parseBaseUrl(baseUrl);
    this.#secrets = key === undefined ? [] : [key];
    this.#clock = clock;
    this.#options = options;
    const headers = { 'user-agent': userAgent, ...defined({ 'x-api-key': key }) };
    this.#requester = new Requester(this.#base, headers, this.#secrets, options);
    this.#extensions = new Extensions(this.#base.href, (path) => this.#get(path));
  }

  readonly ask: Client['ask'] = async (operation, texts, { once = false } = {}) => {
    try {
      if (once) return await this.#direct(operation, texts, texts, { ...this.#options, retries: 0 });
      const sent = await this.#extensions.sendable(operation, texts, clockAt(this.#clock()));
      const envelope = await this.#direct(operation, texts, sent);
      const [found] = envelope.results;
      if (found !== undefined) await this.#prove(operation, found, texts);
      return envelope;
    } catch (error) {
      throw withoutKey(error, this.#secrets);
    }
  };

  readonly watch: Client['watch'] = async () => {
    this.#awaitsBaseline = true;
    this.#baseline = undefined;
    return {
      // Before the first answer, assume that it will have an ETag.
      requests: () => (this.#awaitsBaseline || this.#baseline !== undefined ? 1 : 0),
      changed: () =>
        this.#hasChanged().catch((error) => {
          throw withoutKey(error, this.#secrets);
        }),
    };
  };

  /** If this cannot be found out now, the answer is no; the next question shows why. */
  readonly offers: NonNullable<Client['offers']> = async (operation, texts) => {
    try {
      return (await this.#extensions.unannounced(operation, texts)).size === 0;
    } catch (error) {
      if (error instanceof Problem && error.kind !== 'interrupted') return false;
      throw error;
    }
  };

  readonly origin: Client['origin'] = async () => {
    return { mode: 'remote', where: this.#base.href, sample: false };
  };

  readonly close = (): Promise<void> => this.#requester.close();

  /** Refuses a row that does not say all that was asked for, if another answer of the service contradicts it. */
  async #prove<R extends Row>(operation: Operation<Params, R>, row: R, asked: ParamTexts): Promise<void> {
    const proof = operation.proof?.(row, asked);
    if (proof === undefined) return;
    const { texts, field, shownAs, noun } = proof;
    const envelope = await this.#direct(proof.operation, texts, texts).catch((error: unknown) => {
      // A service without that question cannot be asked for more than it was.
      if (error instanceof Problem && error.missing) return undefined;
      throw error;
    });
    if (envelope === undefined) return;
    const shown = envelope.results[0]?.[shownAs];
    if (shown != null && Number(row[field]) === Number(shown)) return;
    const what = `results[0].${field} is "${row[field]}", but its ${noun} is ${shown ?? 'missing'}`;
    throw new Problem('bad-answer', `the service at ${this.#base.href} answered another question: ${what}`);
  }

  /** Asks once; the first answer after a watch began becomes its baseline. */
  async #direct<R extends Row>(
    operation: Operation<Params, R>,
    asked: ParamTexts,
    sent: ParamTexts,
    options = this.#options,
  ): Promise<Envelope<R>> {
    const path = requestPath(operation, sent);
    const query = { operation, asked, sent, clock: clockAt(this.#clock()), service: this.#base.href };
    const read = (reply: HttpReply) => readAnswer(reply, query);
    const reply = await this.#get(path, {}, options);
    const envelope = read(reply);
    const { etag: tag } = reply.headers;
    if (this.#awaitsBaseline && tag !== undefined) this.#baseline = { path, tag, envelope, read };
    this.#awaitsBaseline = false;
    return envelope;
  }

  /** Requests the baseline again: detects no change if answers have no `ETag`, or another one each time. */
  async #hasChanged(): Promise<boolean> {
    const before = this.#baseline;
    const now = before && (await this.#renewed(before));
    if (before === undefined || now === undefined) return false;
    // The content may be the same although other data changed. Compare with the new tag from now on.
    const later = await this.#renewed(now);
    return later === undefined || content(later.envelope) !== content(before.envelope);
  }

  /** The same answer with its new tag; undefined if the tag is as before or absent. */
  async #renewed({ path, tag, read }: Baseline): Promise<Baseline | undefined> {
    const reply = await this.#get(path, { 'if-none-match': tag });
    if (reply.status === 304) return undefined;
    const envelope = read(reply);
    const { etag } = reply.headers;
    return etag === undefined || opaque(etag) === opaque(tag)
      ? undefined
      : { path, tag: etag, envelope, read };
  }

  /** The reply to a path below the base URL, after retries and at most one redirect. */
  async #get(path: string, headers: HttpReply['headers'] = {}, options = this.#options): Promise<HttpReply> {
    const send = (target: string) => withRetries(() => this.#requester.get(target, headers), options);
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

/** The same failure with secrets redacted, in case the service repeated them. */
function withoutKey(error: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0 || !(error instanceof Problem)) return error;
  const clean = (text: string) => withoutSecrets(text, secrets);
  const cleanIfAny = (text: string | undefined) => text && clean(text);
  return error.with({
    detail: clean(error.detail),
    hints: error.hints.map(clean),
    field: cleanIfAny(error.field),
    requestId: cleanIfAny(error.requestId),
    instance: cleanIfAny(error.instance),
    type: cleanIfAny(error.type),
  });
}

/** The answer that later answers to the same request are compared with. */
type Baseline = {
  readonly path: string;
  readonly tag: string;
  readonly envelope: Envelope<unknown>;
  readonly read: (reply: HttpReply) => Envelope<unknown>;
};

/** A tag without its mark of weakness: a proxy may turn a strong tag into a weak one. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

function content({ request_id: _, ...rest }: Envelope<unknown>): string {
  return JSON.stringify(rest);
}
