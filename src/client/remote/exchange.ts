// Why: docs/decisions/node-http-for-remote-queries.md
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import type { BaseUrl } from './settings.ts';

/** Waits some milliseconds; throws `interrupted` on the signal. */
export async function waitFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal && { signal }).catch(() => {
    throw new Problem('interrupted', 'interrupted');
  });
}

/** Reads the seconds of a `Retry-After`, a number or a date; undefined if it is absent or invalid. */
export function retryAfterOf({ headers }: Pick<HttpReply, 'headers'>, now: Date): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = /^\w{3},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}

type HttpHeaders = { readonly [name: string]: string };

/** A service's reply with any status; `url` has no query. */
export type HttpReply = {
  readonly url: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
};

/** One try of a request, with every secret redacted. */
export type RequestTry = {
  readonly url: string;
  readonly requestHeaders: HttpHeaders;
  readonly milliseconds: number;
} & (
  | { readonly status: number; readonly headers: HttpHeaders; readonly bytes: number }
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

/** The largest body in bytes, far more than a page of a thousand rows. */
const largestBody = 64 * 1024 * 1024;

/** Sends single requests to one service; headers go only to its origin. */
export class Requester {
  readonly #base: BaseUrl;
  readonly #headers: HttpHeaders;
  readonly #secrets: readonly string[];
  readonly #options: RequestOptions;
  readonly #timeout: number;
  readonly #proxies: Proxies;
  #transport: Promise<Transport> | undefined;

  /** Takes headers of every request, names in lower case, and secrets that no message or log may show. */
  constructor(base: BaseUrl, headers: HttpHeaders, secrets: readonly string[], options: RequestOptions) {
    this.#base = base;
    this.#headers = { accept: 'application/json', 'accept-encoding': 'gzip', ...headers };
    this.#secrets = secrets;
    this.#options = options;
    this.#timeout = options.timeout ?? 30;
    this.#proxies = proxiesOf(options.env ?? process.env);
  }

  /** Tries a request once; returns the reply, or why none came; throws `interrupted` on the signal. */
  async get(path: string, extraHeaders: HttpHeaders = {}): Promise<HttpReply | ConnectionFailure> {
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

  async #exchange(path: string, headers: HttpHeaders, signal: AbortSignal): Promise<HttpReply> {
    const { origin } = this.#base;
    this.#transport ??= openTransport(origin, this.#proxies);
    const url = origin + path.replace(/\?.*$/s, '');
    const response = await (await this.#transport).send(path, headers, signal);
    const received = { url, status: response.status, headers: flat(response.headers) };
    return { ...received, body: await decoded(received, await collect(response.body, url)) };
  }

  #failureOf(error: unknown, deadline: AbortSignal): ConnectionFailure {
    if (error instanceof Problem) return { problem: error, transient: false };
    const { href, origin } = this.#base;
    if (!deadline.aborted) return connectionFailure(error, href, proxyFor(origin, this.#proxies));
    const problem = unreachable(href, `no answer within ${this.#timeout} s (--timeout)`);
    return { problem, transient: true };
  }

  #redacted(headers: HttpHeaders): HttpHeaders {
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

function flat(headers: HttpResponse['headers']): HttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

/** Reads the whole body, which frees the connection; leaving the loop early closes the connection. */
async function collect(body: AsyncIterable<Buffer>, url: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestBody) throw tooLarge(url);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

const unzip = promisify(gunzip);

async function decoded({ url, headers }: Omit<HttpReply, 'body'>, body: Buffer): Promise<Buffer> {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity' || body.length === 0) return body;
  const unreadable = (how: string) =>
    new Problem('bad-answer', `${url} answered ${how}, which asof cannot read`);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw unreadable(`as ${encoding}`);
  return unzip(body, { maxOutputLength: largestBody }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(url) : unreadable('as damaged gzip');
  });
}

function tooLarge(url: string): Problem {
  return new Problem('bad-answer', `${url} answered with more than ${largestBody / 1024 / 1024} MiB`);
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

/** Proxies as URLs; an empty text is no proxy. */
type Proxies = { readonly http: string; readonly https: string; readonly no: string };

/** Reads the proxies from the usual variables of an environment, lower case first. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>): Proxies {
  const first = (...names: readonly string[]) =>
    names.map((name) => env[name]).find((value) => value !== undefined && value !== '') ?? '';
  return {
    http: first('http_proxy', 'HTTP_PROXY'),
    https: first('https_proxy', 'HTTPS_PROXY'),
    no: first('no_proxy', 'NO_PROXY'),
  };
}

/** Returns the proxy for an origin, without its name and password; undefined without one for its scheme. */
function proxyFor(origin: string, { http, https }: Proxies): string | undefined {
  const proxy = origin.startsWith('https:') ? https : http;
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** A response; reading or leaving its body frees the connection. */
type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
};

/** Sends GET requests over open connections, without time limits of its own. */
type Transport = {
  /** Sends a path exactly as it is. */
  send(path: string, headers: HttpHeaders, signal: AbortSignal): Promise<HttpResponse>;
  /** Closes every connection, including those in the making. */
  close(): Promise<void>;
};

/** Opens a transport to one origin: undici with a proxy, else Node's HTTP client, which starts faster. */
async function openTransport(origin: string, proxies: Proxies): Promise<Transport> {
  if (proxies.http + proxies.https !== '') return proxyTransport(origin, proxies);
  const { request, Agent } = origin.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(origin);
  // An IPv6 address in brackets; Node wants it without them.
  const host = hostname.replace(/^\[|\]$/g, '');
  const send: Transport['send'] = (path, headers, signal) =>
    new Promise((resolve, reject) => {
      const sent = request({ host, port, path, headers, signal, agent });
      sent.once('response', (message) =>
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: message }),
      );
      sent.once('error', (error: NodeJS.ErrnoException) => {
        // The service had closed the idle connection before the request.
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send(path, headers, signal));
        else reject(error);
      });
      sent.end();
    });
  return { send, close: async () => agent.destroy() };
}

async function proxyTransport(origin: string, proxies: Proxies): Promise<Transport> {
  const { EnvHttpProxyAgent, Socks5ProxyAgent } = await import('undici');
  const httpProxy = proxyUrl('HTTP_PROXY', proxies.http);
  const httpsProxy = proxyUrl('HTTPS_PROXY', proxies.https);
  const isSocks = `${httpProxy} ${httpsProxy}`.includes('socks5:');
  if (isSocks) silently(() => new Socks5ProxyAgent('socks5://localhost:1').destroy());
  const closing = new AbortController();
  const connect = { timeout: 0, signal: closing.signal };
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    noProxy: proxies.no,
    // Many proxies allow tunnels only to port 443, so plain http requests go without one.
    proxyTunnel: false,
    connect,
    // With TLS options, undici would speak TLS to a SOCKS proxy.
    ...(!isSocks && { proxyTls: connect }),
    requestTls: connect,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async send(path, sent, signal) {
      const request = { origin, path, headers: sent, signal, method: 'GET' } as const;
      const { statusCode: status, headers, body } = await dispatcher.request(request);
      return { status, headers, body };
    },
    async close() {
      // undici's `destroy` waits for connections in the making.
      closing.abort();
      await dispatcher.destroy();
    },
  };
}

function proxyUrl(name: string, text: string): string {
  if (text === '') return '';
  const url = (text.includes('://') ? text : `http://${text}`).replace(/^socks5?h?:/i, 'socks5:');
  if (URL.canParse(url) && /^(https?|socks5):/i.test(url)) return url;
  const what = URL.canParse(url) ? `speaks ${new URL(url).protocol}//, which asof does not` : 'is not a URL';
  throw new Problem('bad-input', `the proxy in ${name} ${what}`, {
    hints: ['such as http://proxy.example.com:3128 or socks5://proxy.example.com:1080'],
  });
}

/** Silences undici's one warning that SOCKS is experimental: nobody who runs a query can act on that. */
function silently(work: () => unknown): void {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
