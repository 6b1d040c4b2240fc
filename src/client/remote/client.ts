import { Problem } from '../../errors/problem.ts';
import type { Envelope } from '../../operations/envelope.ts';
import { observations, seriesSearch } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Client } from '../client.ts';
import { type Announces, announcedIn } from './abilities.ts';
import { readAnswer } from './answer.ts';
import { changeWatch } from './change.ts';
import { type HttpReply, Requester, type RequestTry } from './exchange.ts';
import { type Wait, withRetries } from './retry.ts';
import { searchByOurselves } from './search.ts';
import { proxiesOf } from './transport.ts';
import { parseBaseUrl, requestPath } from './url.ts';

type Given = readonly (readonly [name: string, text: string])[];

/** What a remote client may be told besides where its service is. */
export type RemoteOptions = {
  readonly baseUrl: string;
  /** A key of that service; without one the request goes out all the same, and the service answers. */
  readonly key?: string;
  /** Seconds that one try may take; 30 unless given. */
  readonly timeout?: number;
  /** Further tries after a network error, 429, and 502 to 504; 2 unless given. */
  readonly retries?: number;
  /** Seconds to wait in all before the further tries of one request; 60 unless given. */
  readonly maxWait?: number;
  readonly userAgent?: string;
  /** Names the proxies by the usual variables; the process's own unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Stops what is under way. */
  readonly signal?: AbortSignal;
  readonly clock?: () => Date;
  readonly watch?: (event: RemoteEvent) => void;
};

/** What a remote client does, for whoever wants to see it; the key is never in it. */
export type RemoteEvent = { readonly tried: RequestTry } | { readonly wait: Wait };

/** A client of the service at a base URL: the envelopes and Problems that a client of its store would have. */
export function remoteClient(options: RemoteOptions): Client {
  const { key, timeout = 30, retries = 2, maxWait = 60, signal, clock = () => new Date() } = options;
  const { watch = () => undefined } = options;
  const base = parseBaseUrl(options.baseUrl);
  if (key !== undefined && !/^[!-~]+$/.test(key))
    throw new Problem('bad-input', 'the key holds characters that no key has');
  const requester = new Requester({
    base,
    key,
    userAgent: options.userAgent ?? 'asof',
    timeout,
    proxies: proxiesOf(options.env ?? process.env),
    signal,
    watch: (tried) => watch({ tried }),
  });
  const policy = { retries, maxWait, signal, waiting: (wait: Wait) => watch({ wait }) };

  const get = async (path: string, headers?: HttpReply['headers']): Promise<HttpReply> => {
    const first = base.prefix + path;
    const reply = await withRetries(() => requester.get(first, headers), policy);
    const moved = movedTo(reply, base.origin, first);
    if (moved === undefined) return reply;
    const second = await withRetries(() => requester.get(moved, headers), policy);
    if (!isRedirect(second)) return second;
    throw new Problem('bad-answer', `${reply.url} redirects to ${second.url}, and that redirects again`);
  };
  const changes = changeWatch(get);
  const direct = async (operation: Operation, given: Given): Promise<Envelope> => {
    const path = requestPath(operation, given);
    const read = (reply: HttpReply) => readAnswer(reply, { operation, given, service: base.href });
    const reply = await get(path);
    const envelope = read(reply);
    changes.answered(path, reply, envelope, read);
    return envelope;
  };

  let abilities: Promise<Announces> | undefined;
  const announces = async (operation: Operation, parameter: string): Promise<boolean> => {
    abilities ??= get('/v1/openapi.json').then(announcedIn);
    return (await abilities)(operation.path, parameter);
  };
  const search = searchByOurselves((given) => direct(seriesSearch, given), clock);

  const ask = async (operation: Operation, given: Given): Promise<Envelope> => {
    const extension = extensions[operation.name];
    const used = extension !== undefined && given.some(([name]) => name === extension);
    if (!used || (await announces(operation, extension))) return direct(operation, given);
    if (operation === seriesSearch) return search(given);
    throw new Problem(
      'bad-answer',
      `the service at ${base.href} does not announce the parameter '${extension}'`,
      { missing: true, hints: ['it is an extension of asof; all else works'] },
    );
  };

  const failed = (error: unknown): never => {
    throw without(key, error);
  };

  return {
    ask: (operation, given) => ask(operation, given).catch(failed),
    async watch() {
      const { changed, requests } = changes.begin();
      return { changed: () => changed().catch(failed), requests };
    },
    origin: async () => ({ mode: 'remote', where: base.href, sample: false }),
    close: () => requester.close(),
  };
}

/** The parameters of operations that only asof's own service need know; one that overlooks them would answer another question. */
const extensions: Readonly<Record<string, string>> = {
  [seriesSearch.name]: 'match',
  [observations.name]: 'release',
};

function isRedirect({ status }: HttpReply): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * The path that a redirect leads to, or undefined where there is none. It is followed within the origin alone (the key
 * is for that and for no other), and only with the same query: without `as_of` the answer would be another.
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

/** The same failure with the key out of sight, should the service have repeated it. */
function without(key: string | undefined, error: unknown): unknown {
  if (key === undefined || !(error instanceof Problem)) return error;
  const { kind, detail, field, hints, requestId, instance, retryAfter, missing, type, cause } = error;
  const clean = (text: string) => text.replaceAll(key, '(redacted)');
  return new Problem(kind, clean(detail), {
    hints: hints.map(clean),
    missing,
    cause,
    ...(field !== undefined && { field: clean(field) }),
    ...(requestId !== undefined && { requestId: clean(requestId) }),
    ...(instance !== undefined && { instance: clean(instance) }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(type !== undefined && { type: clean(type) }),
  });
}
