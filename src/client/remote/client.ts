// Why: docs/decisions/foreign-services.md
import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import { type Operation, valuesIn } from '../../operations/operation.ts';
import type { Params, ParamTexts } from '../../operations/param.ts';
import { clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import type { Client } from '../client.ts';
import { readAnswer, readJson } from './answer.ts';
import { Requester, type RequestOptions, redacted, retryAfterOf, waitFor } from './exchange.ts';
import { parseBaseUrl } from './settings.ts';
import type { HttpReply } from './transport.ts';

/** The address of a service, and how requests are sent. */
type RemoteOptions = RequestOptions & {
  readonly baseUrl: string;
  /** A key of that service. Default: none. */
  readonly key?: string | undefined;
  readonly userAgent?: string;
};

/** Makes a client of the service at a base URL, with the envelopes and Problems of an embedded client. */
export function remoteClient(options: RemoteOptions): Client {
  const { baseUrl, userAgent = 'asof', clock = () => new Date() } = options;
  // A key may come from a file whose line ends after it.
  const key = options.key?.trim();
  if (key !== undefined && !/^[!-~]+$/.test(key))
    throw new Problem('bad-input', 'the key holds characters that no key has');
  const base = parseBaseUrl(baseUrl);
  const secrets = key === undefined ? [] : [key];
  const headers = { 'user-agent': userAgent, ...defined({ 'x-api-key': key }) };
  const requester = new Requester(base, headers, secrets, options);
  /** The first answer after a watch began, to compare later ones with. */
  let baseline: Baseline | 'awaited' | undefined;
  let announced: Promise<ReadonlySet<string>> | undefined;

  /** Requests a path below the base URL, with retries; refuses redirects, because the key is for this address. */
  const get = async (
    path: string,
    extraHeaders: HttpReply['headers'] = {},
    sending: RequestOptions = options,
  ): Promise<HttpReply> => {
    const reply = await withRetries(() => requester.get(base.prefix + path, extraHeaders), sending);
    if (reply.status < 300 || reply.status >= 400 || reply.status === 304) return reply;
    throw new Problem('bad-answer', `${reply.url} redirects to ${targetOf(reply)}`, {
      hints: ['asof follows no redirects: use --base-url with the address of the service'],
    });
  };

  /** Requests one page; only `sent` goes to the service. */
  const page = async <R extends Row>(
    operation: Operation<Params, R>,
    asked: ParamTexts,
    sent = asked,
    sending = options,
  ): Promise<Envelope<R>> => {
    const path = requestPath(operation, sent);
    const query = { operation, asked, sent, clock: clockAt(clock()), service: base.href };
    const read = (reply: HttpReply) => readAnswer(reply, query);
    const reply = await get(path, {}, sending);
    const envelope = read(reply);
    const { etag: tag } = reply.headers;
    if (baseline === 'awaited') baseline = tag === undefined ? undefined : { path, tag, envelope, read };
    return envelope;
  };

  /** Requests the same answer; undefined if its tag is unchanged or absent. */
  const renewed = async ({ path, tag, read }: Baseline): Promise<Baseline | undefined> => {
    const reply = await get(path, { 'if-none-match': tag });
    if (reply.status === 304) return undefined;
    const envelope = read(reply);
    const { etag = tag } = reply.headers;
    // A proxy may turn a strong tag into a weak one.
    const [next, before] = [etag, tag].map((one) => one.replace(/^W\//, ''));
    return next === before ? undefined : { path, tag: etag, envelope, read };
  };

  /** Returns the names of extensions that the service does not announce. */
  const lackingOf = async ({ path, params }: ExtendedOperation, texts: ParamTexts) => {
    const extensions = texts.flatMap(([name]) => (params[name]?.extension === true ? [name] : []));
    if (extensions.length === 0) return new Set<string>();
    announced ??= get('/v1/openapi.json').then(announcedIn);
    const names = await announced.catch((error) => {
      announced = undefined;
      throw error;
    });
    return new Set(extensions.filter((name) => !names.has(announcement(path, name))));
  };

  /**
   * Returns what to send for a query: without lacking parameters that have their default,
   * and with bounds instead of an as-of date if the operation has them. Refuses any other.
   */
  const sendable = async (operation: ExtendedOperation, texts: ParamTexts): Promise<ParamTexts> => {
    const lacking = await lackingOf(operation, texts);
    const { params } = operation;
    const now = clockAt(clock());
    const changes =
      (lacking.has('as_of') && operation.boundsAsOf?.(valuesIn(operation, texts, now), now)) || {};
    const sent = [
      ...texts.filter(([name]) => !Object.hasOwn(changes, name)),
      ...Object.entries(changes).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, text] as const],
      ),
    ];
    const refused = sent.filter(
      ([name, text]) => lacking.has(name) && params[name]?.parse(text, name, now) !== params[name]?.fallback,
    );
    // The most important parameter first.
    const [first] = refused.find(([name]) => name === 'as_of') ?? refused[0] ?? [];
    if (first !== undefined) throw lacksParameter(operation, first, base.href);
    return sent.filter(([name]) => !lacking.has(name));
  };

  const withoutKey = (error: unknown): never => {
    throw error instanceof Problem ? redacted(error, secrets) : error;
  };

  return {
    async ask(operation, texts, { once = false } = {}) {
      try {
        if (once) return await page(operation, texts, texts, { ...options, retries: 0 });
        return await page(operation, texts, await sendable(operation, texts));
      } catch (error) {
        return withoutKey(error);
      }
    },

    /** Detects no change if answers have no `ETag`, or a new one each time. */
    async watch() {
      baseline = 'awaited';
      return {
        // Before the first answer, an ETag is assumed.
        requests: () => (baseline === undefined ? 0 : 1),
        async changed() {
          const first = baseline;
          if (first === undefined || first === 'awaited') return false;
          try {
            const now = await renewed(first);
            if (now === undefined) return false;
            // The content may be the same although other data changed. From now on, the new tag counts.
            const later = await renewed(now);
            const [before, after] = [first, later].map((one) => ({ ...one?.envelope, request_id: '' }));
            return later === undefined || JSON.stringify(before) !== JSON.stringify(after);
          } catch (error) {
            return withoutKey(error);
          }
        },
      };
    },

    /** Answers no if the request fails; the next question shows why. */
    async offers(operation, texts) {
      try {
        return (await lackingOf(operation, texts)).size === 0;
      } catch (error) {
        if (error instanceof Problem && error.kind !== 'interrupted') return false;
        throw error;
      }
    },

    origin: async () => ({ mode: 'remote', where: base.href, sample: false }),
    close: () => requester.close(),
  };
}

type Baseline = {
  readonly path: string;
  readonly tag: string;
  readonly envelope: Envelope<unknown>;
  readonly read: (reply: HttpReply) => Envelope<unknown>;
};

const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Returns where a redirect leads, without the user and the query of the address, which may be secret. */
function targetOf({ url, headers }: HttpReply): string {
  const { location = '' } = headers;
  if (location === '' || !URL.canParse(location, url)) return 'nowhere';
  const { origin, pathname } = new URL(location, url);
  return origin + pathname;
}

/** Retries after transient network errors, 429 and 502 to 504; returns the last reply or throws the last Problem. */
async function withRetries(
  attempt: () => ReturnType<Requester['get']>,
  { retries = 2, maxWait = 60, signal, watch }: RequestOptions,
): Promise<HttpReply> {
  let waited = 0;
  for (let failed = 1; ; failed += 1) {
    const outcome = await attempt();
    const isFailure = 'problem' in outcome;
    const mayPass = isFailure ? outcome.transient : retriedStatuses.has(outcome.status);
    const backoff = 2 ** (failed - 1);
    const seconds = isFailure ? backoff / 4 : Math.max(retryAfterOf(outcome, new Date()) ?? 0, backoff / 2);
    if (!mayPass || failed > retries || waited + seconds > maxWait) {
      if (isFailure) throw outcome.problem;
      return outcome;
    }
    const reason = isFailure ? outcome.problem.detail : `${outcome.url} answered ${outcome.status}`;
    watch?.({ wait: { seconds, reason } });
    waited += seconds;
    await waitFor(seconds * 1000, signal);
  }
}

/** Returns a request as a path below the base URL: path parameters in their places, others as the query. */
export function requestPath({ path, params }: Pick<Operation, 'params' | 'path'>, texts: ParamTexts): string {
  const inPath = new Map<string, string>();
  const query: string[] = [];
  for (const [name, text] of texts) {
    // A repeated path parameter goes into the query, which the service refuses.
    if (params[name]?.in === 'path' && !inPath.has(name)) inPath.set(name, text);
    else query.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(inPath.get(name) ?? ''));
  for (const [name, { in: place }] of Object.entries(params)) {
    const text = inPath.get(name);
    if (place !== 'path') continue;
    if (text === undefined)
      throw new Problem('validation-error', `parameter '${name}' is missing`, {
        field: name,
        instance: filled,
      });
    // URL parsers resolve `.` and `..`, so the request would reach another endpoint. No series has such an id.
    if (/^\.{0,2}$/.test(text))
      throw new Problem('not-found', `series '${text}' not found`, { instance: filled });
  }
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

type ExtendedOperation = Pick<Operation, 'boundsAsOf' | 'check' | 'params' | 'path'>;

function lacksParameter({ params, path }: ExtendedOperation, name: string, service: string): Problem {
  const detail =
    name === 'as_of'
      ? `the service at ${service} cannot answer as of a day: it does not announce 'as_of' for ${path}`
      : `the service at ${service} does not announce the parameter '${name}'`;
  const fallback = params[name]?.fallback ?? '';
  const offered = fallback === '' ? '' : `; this service has only ${name}=${fallback}`;
  return new Problem('bad-answer', detail, {
    missing: true,
    hints: [`it is an extension of asof, which a store and services of asof have${offered}`],
  });
}

function announcement(path: string, name: unknown): string {
  return `${path.replace(/\{[^}]*\}/g, '{}')} ${name}`;
}

/** Reads what the reply to `/v1/openapi.json` announces; any other content announces nothing. */
function announcedIn(reply: HttpReply): ReadonlySet<string> {
  let description: unknown;
  try {
    description = reply.status === 200 ? readJson(reply) : undefined;
  } catch {
    // It is no JSON.
  }
  const components = memberOf(memberOf(description, 'components'), 'parameters');
  // A parameter may refer to a component.
  const resolved = (entry: unknown) => {
    const reference = /^#\/components\/parameters\/(.+)$/.exec(String(memberOf(entry, '$ref')))?.[1];
    return reference === undefined ? entry : memberOf(components, reference);
  };
  const announced = Object.entries(memberOf(description, 'paths') ?? {}).flatMap(([path, item]) =>
    [item, memberOf(item, 'get')]
      .flatMap((one) => memberOf(one, 'parameters') ?? [])
      .map(resolved)
      .filter((entry) => memberOf(entry, 'in') === 'query')
      .map((entry) => announcement(path, memberOf(entry, 'name'))),
  );
  return new Set(announced);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
