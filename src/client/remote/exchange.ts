import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Problem } from '../../errors/problem.ts';
import { unlessAborted } from '../../platform/promises.ts';
import { type ConnectionFailure, connectionFailure, type Destination, timedOut } from './failure.ts';
import {
  DirectTransport,
  type HttpResponse,
  hasProxy,
  type Proxies,
  proxyFor,
  type Transport,
} from './transport.ts';
import type { BaseUrl } from './url.ts';

/** The headers of a message, names in lower case. */
export type HttpHeaders = { readonly [name: string]: string };

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

/** Where a requester sends its requests, and with what. */
export type RequesterOptions = {
  readonly base: BaseUrl;
  /** Sent with every request, names in lower case. */
  readonly headers: HttpHeaders;
  /** Texts that `watch` never sees, such as keys. */
  readonly secrets: readonly string[];
  /** Seconds that one try may take, from the connection to the last byte. */
  readonly timeout: number;
  readonly proxies: Proxies;
  readonly signal: AbortSignal | undefined;
  /** Called after each try. */
  readonly watch: (tried: RequestTry) => void;
};

/** The largest body, far more than a page of a thousand rows; a service that sends more is broken or hostile. */
const largestBody = 64 * 1024 * 1024;

/** Sends single requests to one service; its headers go out to the origin of the base URL only. */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #headers: HttpHeaders;
  readonly #destination: Destination;
  #transport: Promise<Transport> | undefined;

  constructor(options: RequesterOptions) {
    const { base, headers, proxies } = options;
    this.#options = options;
    this.#headers = { accept: 'application/json', 'accept-encoding': 'gzip', ...headers };
    this.#destination = { href: base.href, proxy: proxyFor(base.origin, proxies) };
  }

  /** Tries a request once; gives the reply, or the reason why none came. Throws `interrupted` on the signal. */
  async get(path: string, extraHeaders: HttpHeaders = {}): Promise<HttpReply | ConnectionFailure> {
    const { base, timeout, signal, watch, secrets } = this.#options;
    const headers = { ...this.#headers, ...extraHeaders };
    const deadline = AbortSignal.timeout(timeout * 1000);
    const started = performance.now();
    const tried = () => ({
      url: withoutSecrets(base.origin + path, secrets),
      requestHeaders: this.#redacted(headers),
      milliseconds: Math.round(performance.now() - started),
    });
    try {
      const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      // undici notices the signal only once it is connected.
      const reply = await unlessAborted(stop, this.#exchange(path, headers, stop));
      const { status, body } = reply;
      watch({ ...tried(), status, headers: this.#redacted(reply.headers), bytes: body.length });
      return reply;
    } catch (error) {
      if (signal?.aborted) throw new Problem('interrupted', 'interrupted');
      const failure = this.#failureOf(error, deadline);
      watch({ ...tried(), status: undefined, failure: failure.problem });
      return failure;
    }
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    const transport = await this.#transport?.catch(() => undefined);
    await transport?.close();
  }

  async #exchange(path: string, headers: HttpHeaders, signal: AbortSignal): Promise<HttpReply> {
    const { base, proxies } = this.#options;
    this.#transport ??= openTransport(base.origin, proxies);
    const url = base.origin + path.replace(/\?.*$/s, '');
    const response = await (await this.#transport).send({ origin: base.origin, path, headers, signal });
    const received = { url, status: response.status, headers: flat(response.headers) };
    return { ...received, body: await decoded(received, await collect(response.body, url)) };
  }

  #failureOf(error: unknown, deadline: AbortSignal): ConnectionFailure {
    if (error instanceof Problem) return { problem: error, transient: false };
    if (deadline.aborted) return timedOut(this.#destination, this.#options.timeout);
    return connectionFailure(error, this.#destination);
  }

  /** Headers without secrets, in case the service repeats them. */
  #redacted(headers: HttpHeaders): HttpHeaders {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, withoutSecrets(value, this.#options.secrets)]),
    );
  }
}

/** A text with each secret in it redacted. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '(redacted)'), text);
}

/** A transport to one origin: undici if there is a proxy, else Node's HTTP client, which starts faster. */
async function openTransport(origin: string, proxies: Proxies): Promise<Transport> {
  if (!hasProxy(proxies)) return new DirectTransport(origin);
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
