// Why: docs/decisions/node-http-for-remote-queries.md
import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import type { BaseUrl } from './settings.ts';
import { type HttpReply, openTransport } from './transport.ts';

/** Waits at least some milliseconds by the clock of the day; throws `interrupted` on the signal. */
export function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new Problem('interrupted', 'interrupted'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
      // A timer counts by another clock, by which it can end a millisecond before the clock of the day.
    }, milliseconds + 1);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Reads the seconds of a `Retry-After`, a number or a date; undefined if it is absent or invalid. */
export function retryAfterOf({ headers }: Pick<HttpReply, 'headers'>, now: Date): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = /^\w{3},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}

/** One try of a request, with every secret redacted. */
type RequestTry = {
  readonly url: string;
  readonly requestHeaders: HttpReply['headers'];
  readonly milliseconds: number;
} & (
  | { readonly status: number; readonly headers: HttpReply['headers']; readonly bytes: number }
  | { readonly status: undefined; readonly failure: Problem }
);

/** A try of a request, or a wait before the next one. */
export type RemoteEvent =
  | { readonly tried: RequestTry }
  | { readonly wait: { readonly seconds: number; readonly reason: string } };

/** How requests are sent and retried. */
export type RequestOptions = {
  /** Seconds for one try, from the connection to the last byte. Default: 30. */
  readonly timeout?: number | undefined;
  /** Retries after a transient failure. Default: 2 for a service, 3 for a live source. */
  readonly retries?: number | undefined;
  /** Seconds that one request may wait in all before retries. Default: 60. */
  readonly maxWait?: number | undefined;
  /** The environment, whose usual variables name the proxies. Default: the process'. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: (() => Date) | undefined;
  /** Stops requests and waits. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each try and before each wait, without secrets. */
  readonly watch?: ((event: RemoteEvent) => void) | undefined;
};

/** Sends single requests to one service; headers go only to its origin. */
export class Requester {
  readonly #base: BaseUrl;
  readonly #headers: HttpReply['headers'];
  readonly #secrets: readonly string[];
  readonly #options: RequestOptions;
  readonly #timeout: number;
  readonly #proxies: ReturnType<typeof proxiesOf>;
  #transport: ReturnType<typeof openTransport> | undefined;

  /** Takes headers of every request, names in lower case, and secrets that no message or log may show. */
  constructor(
    base: BaseUrl,
    headers: HttpReply['headers'],
    secrets: readonly string[],
    options: RequestOptions,
  ) {
    this.#base = base;
    this.#headers = { accept: 'application/json', 'accept-encoding': 'gzip', ...headers };
    this.#secrets = secrets;
    this.#options = options;
    this.#timeout = options.timeout ?? 30;
    this.#proxies = proxiesOf(options.env ?? process.env);
  }

  /** Tries a request once; returns the reply, or why none came; throws `interrupted` on the signal. */
  async get(path: string, extraHeaders: HttpReply['headers'] = {}): Promise<HttpReply | ConnectionFailure> {
    const { signal, watch } = this.#options;
    const headers = { ...this.#headers, ...extraHeaders };
    const deadline = AbortSignal.timeout(this.#timeout * 1000);
    const started = performance.now();
    const tried = () => ({
      url: withoutSecrets(this.#base.origin + path, this.#secrets),
      requestHeaders: this.#redacted(headers),
      milliseconds: Math.round(performance.now() - started),
    });
    try {
      const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      // undici notices the signal only after connecting.
      const reply = await unlessAborted(stop, this.#exchange(path, headers, stop));
      const { status, body } = reply;
      const shown = this.#redacted(reply.headers);
      watch?.({ tried: { ...tried(), status, headers: shown, bytes: body.length } });
      return reply;
    } catch (error) {
      if (signal?.aborted) throw new Problem('interrupted', 'interrupted');
      const failure = this.#failureOf(error, deadline);
      watch?.({ tried: { ...tried(), status: undefined, failure: failure.problem } });
      return failure;
    }
  }

  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined);
    await transport?.close();
  }

  async #exchange(path: string, headers: HttpReply['headers'], signal: AbortSignal): Promise<HttpReply> {
    const { origin } = this.#base;
    this.#transport ??= openTransport(origin, this.#proxies);
    return (await this.#transport).send(path, headers, signal);
  }

  #failureOf(error: unknown, deadline: AbortSignal): ConnectionFailure {
    if (error instanceof Problem) return { problem: error, transient: false };
    const { href, origin } = this.#base;
    if (!deadline.aborted) return connectionFailure(error, href, proxyFor(origin, this.#proxies));
    const problem = unreachable(href, `no answer within ${this.#timeout} s (--timeout)`);
    return { problem, transient: true };
  }

  #redacted(headers: HttpReply['headers']): HttpReply['headers'] {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, withoutSecrets(value, this.#secrets)]),
    );
  }
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '(redacted)'), text);
}

/** Redacts each secret in the texts of a problem, in case a service repeated it. */
export function redacted(problem: Problem, secrets: readonly string[]): Problem {
  if (secrets.length === 0) return problem;
  const clean = (text: string) => withoutSecrets(text, secrets);
  const { detail, hints, field, requestId, instance, type } = problem;
  const texts = { detail, field, requestId, instance, type };
  return problem.with({
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text && clean(text)])),
    hints: hints.map(clean),
  });
}

type ConnectionFailure = { readonly problem: Problem; readonly transient: boolean };

const unknownIssuer = 'TLS: its certificate has an unknown issuer';

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the host name cannot be looked up at the moment',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
  UND_ERR_SOCKET: 'the connection broke off',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer broke off',
  CERT_HAS_EXPIRED: 'TLS: its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: its certificate is for another host',
};

/** Says why a base URL was not reached; `proxy` is the one that the environment names for it. */
function connectionFailure(error: unknown, href: string, proxy: string | undefined): ConnectionFailure {
  const { code, name, message } = firstCause(error);
  const isNotHttp = code.startsWith('HPE_') || name === 'HTTPParserError';
  if (isNotHttp || code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UND_ERR_PRX_TLS') {
    const hints = href.startsWith('http:') ? ['does the base URL begin with https://?'] : [];
    const detail = `${href} does not answer in HTTP that asof can read`;
    return { problem: new Problem('bad-answer', detail, { hints, cause: error }), transient: false };
  }
  const isTls = /^(ERR_SSL|ERR_TLS|EPROTO|CERT_|DEPTH_|SELF_|UNABLE_)/.test(code);
  const tunnel = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  const refused = message.startsWith('Proxy Authentication Required') ? '407' : tunnel;
  const isPlainHttp = isTls && /wrong version number|packet length too long/i.test(message);
  const words =
    (isPlainHttp && 'TLS: it answers, but not in TLS') ||
    (refused && `the proxy refused with status ${refused}`) ||
    (reasons[code] ?? (isTls ? `TLS: ${code}` : code || message));
  const hints = [
    ...(/unknown issuer|self-signed/.test(words)
      ? ['NODE_EXTRA_CA_CERTS names a file of more certificates to trust']
      : []),
    ...(proxy === undefined
      ? []
      : [`the environment names a proxy, ${proxy} (HTTP_PROXY, HTTPS_PROXY, NO_PROXY)`]),
  ];
  const transient = !isTls && refused === undefined && code !== 'ENOTFOUND';
  return { problem: unreachable(href, words, hints, error), transient };
}

function unreachable(href: string, words: string, hints: readonly string[] = [], cause?: unknown): Problem {
  return new Problem('unreachable', `cannot reach ${href}: ${words}`, { hints, cause });
}

function firstCause(error: unknown): Pick<Error, 'name' | 'message'> & { readonly code: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return firstCause(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', name: '', message: String(error) };
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined && error.cause !== undefined) return firstCause(error.cause);
  return { code: typeof code === 'string' ? code : '', name: error.name, message: error.message };
}

/** Reads the proxies from the usual variables of an environment, lower case first. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>) {
  const first = (...names: readonly string[]) =>
    names.map((name) => env[name]).find((value) => value !== undefined && value !== '') ?? '';
  return {
    http: first('http_proxy', 'HTTP_PROXY'),
    https: first('https_proxy', 'HTTPS_PROXY'),
    no: first('no_proxy', 'NO_PROXY'),
  };
}

/** Returns the proxy for an origin, without its name and password; undefined without one for its scheme. */
function proxyFor(origin: string, { http, https }: ReturnType<typeof proxiesOf>): string | undefined {
  const proxy = origin.startsWith('https:') ? https : http;
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
