import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import { type HttpRequest, type HttpResponse, type Proxies, proxiesOf, type Transport } from './transport.ts';
import type { BaseUrl } from './url.ts';

/** The headers of a message, names in lower case. */
type HttpHeaders = { readonly [name: string]: string };

/** A service's reply to one request, with any status; `url` is without the query. */
export type HttpReply = {
  readonly url: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
};

/** One try of one request and its outcome, with every secret redacted. */
export type RequestTry = {
  readonly url: string;
  readonly requestHeaders: HttpHeaders;
  readonly milliseconds: number;
} & (
  | { readonly status: number; readonly headers: HttpHeaders; readonly bytes: number }
  | { readonly status: undefined; readonly failure: Problem }
);

/** A try of a request, or a wait before the next one, without secrets. */
export type RemoteEvent =
  | { readonly tried: RequestTry }
  | { readonly wait: { readonly seconds: number; readonly reason: string } };

/** How requests are sent, and again after failures that may be gone at the next try. */
export type RequestOptions = {
  /** Seconds that one try may take, from the connection to the last byte; 30 unless given. */
  readonly timeout?: number | undefined;
  /** Tries after a transient failure; 2 for a service and 3 for a live source unless given. */
  readonly retries?: number | undefined;
  /** Seconds that one request may wait in all before its further tries; 60 unless given. */
  readonly maxWait?: number | undefined;
  /** The environment, whose usual variables name the proxies; that of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: (() => Date) | undefined;
  /** Stops requests and waits. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each try of a request and before each wait, without secrets. */
  readonly watch?: ((event: RemoteEvent) => void) | undefined;
};

/** The largest body, far more than a page of a thousand rows; a service that sends more is broken or hostile. */
const largestBody = 64 * 1024 * 1024;

/** Sends single requests to one service; its headers go out to the origin of the base URL only. */
export class Requester {
  readonly #base: BaseUrl;
  readonly #headers: HttpHeaders;
  readonly #secrets: readonly string[];
  readonly #options: RequestOptions;
  readonly #timeout: number;
  readonly #proxies: Proxies;
  #transport: Promise<Transport> | undefined;

  /** `headers`, with names in lower case, go out with every request; `secrets` are what no message or log may show. */
  constructor(base: BaseUrl, headers: HttpHeaders, secrets: readonly string[], options: RequestOptions) {
    this.#base = base;
    this.#headers = { accept: 'application/json', 'accept-encoding': 'gzip', ...headers };
    this.#secrets = secrets;
    this.#options = options;
    this.#timeout = options.timeout ?? 30;
    this.#proxies = proxiesOf(options.env ?? process.env);
  }

  /** Tries a request once; gives the reply, or the reason why none came. Throws `interrupted` on the signal. */
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
      // undici notices the signal only once it is connected.
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

  /** Closes every connection. */
  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined);
    await transport?.close();
  }

  async #exchange(path: string, headers: HttpHeaders, signal: AbortSignal): Promise<HttpReply> {
    const { origin } = this.#base;
    this.#transport ??= openTransport(origin, this.#proxies);
    const url = origin + path.replace(/\?.*$/s, '');
    const response = await (await this.#transport).send({ origin, path, headers, signal });
    const received = { url, status: response.status, headers: flat(response.headers) };
    return { ...received, body: await decoded(received, await collect(response.body, url)) };
  }

  #failureOf(error: unknown, deadline: AbortSignal): ConnectionFailure {
    if (error instanceof Problem) return { problem: error, transient: false };
    const { href, origin } = this.#base;
    if (!deadline.aborted) return connectionFailure(error, { href, proxy: proxyFor(origin, this.#proxies) });
    const problem = unreachable(href, `no answer within ${this.#timeout} s (--timeout)`);
    return { problem, transient: true };
  }

  /** Headers without secrets, in case the service repeats them. */
  #redacted(headers: HttpHeaders): HttpHeaders {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, withoutSecrets(value, this.#secrets)]),
    );
  }
}

/** A text with each secret in it redacted. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '(redacted)'), text);
}

/** A transport to one origin: undici if there is a proxy, else Node's HTTP client, which starts faster. */
async function openTransport(origin: string, proxies: Proxies): Promise<Transport> {
  if (proxies.http === '' && proxies.https === '') return new DirectTransport(origin);
  const { ProxyTransport } = await import('./proxy-transport.ts');
  return new ProxyTransport(proxies);
}

function flat(headers: HttpResponse['headers']): HttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
    ),
  );
}

/** Reads the whole body, which frees the connection; leaving the loop early closes it. */
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
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw unreadable(url, `as ${encoding}`);
  try {
    return await unzip(body, { maxOutputLength: largestBody });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(url);
    throw unreadable(url, 'as damaged gzip');
  }
}

function tooLarge(url: string): Problem {
  return new Problem('bad-answer', `${url} answered with more than ${largestBody / 1024 / 1024} MiB`);
}

function unreadable(url: string, how: string): Problem {
  return new Problem('bad-answer', `${url} answered ${how}, which asof cannot read`);
}

/** A try that got no reply, and whether another try may succeed. */
type ConnectionFailure = { readonly problem: Problem; readonly transient: boolean };

type FailureReason = { readonly words: string; readonly transient: boolean };

const reasons: Readonly<Record<string, FailureReason>> = {
  ENOTFOUND: { words: 'there is no host of that name', transient: false },
  EAI_AGAIN: { words: 'the host name cannot be looked up at the moment', transient: true },
  ECONNREFUSED: { words: 'connection refused', transient: true },
  ECONNRESET: { words: 'the connection was reset', transient: true },
  EPIPE: { words: 'the connection was closed', transient: true },
  ETIMEDOUT: { words: 'the connection timed out', transient: true },
  EHOSTUNREACH: { words: 'no route to the host', transient: true },
  ENETUNREACH: { words: 'the network is unreachable', transient: true },
  UND_ERR_CONNECT_TIMEOUT: { words: 'no connection could be made in time', transient: true },
  UND_ERR_SOCKET: { words: 'the connection broke off', transient: true },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { words: 'the answer broke off', transient: true },
  CERT_HAS_EXPIRED: { words: 'TLS: its certificate has expired', transient: false },
  DEPTH_ZERO_SELF_SIGNED_CERT: { words: 'TLS: its certificate is self-signed', transient: false },
  SELF_SIGNED_CERT_IN_CHAIN: { words: 'TLS: its certificate has an unknown issuer', transient: false },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { words: 'TLS: its certificate has an unknown issuer', transient: false },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    words: 'TLS: its certificate has an unknown issuer',
    transient: false,
  },
  ERR_TLS_CERT_ALTNAME_INVALID: { words: 'TLS: its certificate is for another host', transient: false },
};

/** Where a failed try went: the base URL, and the proxy named for it, without its password. */
type Destination = { readonly href: string; readonly proxy: string | undefined };

function connectionFailure(error: unknown, destination: Destination): ConnectionFailure {
  const { code, name, message } = firstCause(error);
  const isNotHttp = code.startsWith('HPE_') || name === 'HTTPParserError';
  if (isNotHttp || code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'UND_ERR_PRX_TLS') {
    const hints = destination.href.startsWith('http:') ? ['does the base URL begin with https://?'] : [];
    const detail = `${destination.href} does not answer in HTTP that asof can read`;
    return { problem: new Problem('bad-answer', detail, { hints, cause: error }), transient: false };
  }
  const { words, transient } = reasons[code] ?? otherReason(code, message);
  const hints = [
    ...(words.includes('unknown issuer') || words.includes('self-signed')
      ? ['NODE_EXTRA_CA_CERTS names a file of more certificates to trust']
      : []),
    ...(destination.proxy === undefined
      ? []
      : [`the environment names a proxy, ${destination.proxy} (HTTP_PROXY, HTTPS_PROXY, NO_PROXY)`]),
  ];
  return { problem: unreachable(destination.href, words, hints, error), transient };
}

function unreachable(href: string, words: string, hints: readonly string[] = [], cause?: unknown): Problem {
  return new Problem('unreachable', `cannot reach ${href}: ${words}`, { hints, cause });
}

function otherReason(code: string, message: string): FailureReason {
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO)/.test(code)) {
    const isPlainHttp = /wrong version number|packet length too long/i.test(message);
    return { words: isPlainHttp ? 'TLS: it answers, but not in TLS' : `TLS: ${code}`, transient: false };
  }
  const tunnel = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  if (tunnel !== undefined) return { words: `the proxy refused with status ${tunnel}`, transient: false };
  if (/^Proxy Authentication Required/.test(message))
    return { words: 'the proxy refused with status 407', transient: false };
  return { words: code === '' ? message : code, transient: true };
}

/** The innermost cause of an error; if several addresses were tried, the cause of the first failure. */
function firstCause(error: unknown): Pick<Error, 'name' | 'message'> & { readonly code: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return firstCause(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', name: '', message: String(error) };
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined && error.cause !== undefined) return firstCause(error.cause);
  return { code: typeof code === 'string' ? code : '', name: error.name, message: error.message };
}

/** The proxy for requests to an origin, without its name and password; undefined if there is none for its scheme. */
function proxyFor(origin: string, { http, https }: Proxies): string | undefined {
  const proxy = origin.startsWith('https:') ? https : http;
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** Sends requests to one origin with Node's HTTP client. */
class DirectTransport implements Transport {
  readonly #protocol: typeof http | typeof https;
  readonly #agent: http.Agent;

  constructor(origin: string) {
    this.#protocol = origin.startsWith('https:') ? https : http;
    this.#agent = new this.#protocol.Agent({ keepAlive: true });
  }

  send(request: HttpRequest): Promise<HttpResponse> {
    const { origin, path, headers, signal } = request;
    const { hostname, port } = new URL(origin);
    // A host in brackets is an IPv6 address, which Node wants without them.
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve, reject) => {
      const sent = this.#protocol.request({ host, port, path, headers, signal, agent: this.#agent });
      sent.once('response', (message) =>
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: message }),
      );
      sent.once('error', (error: NodeJS.ErrnoException) => {
        // The service had closed the idle connection, so it has not seen the request.
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(this.send(request));
        else reject(error);
      });
      sent.end();
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }
}
