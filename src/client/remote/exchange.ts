import { promisify } from 'node:util';
import { Problem } from '../../errors/problem.ts';
import { type Proxies, type Sender, senderThrough } from './dispatch.ts';
import { type Asked, type ConnectionFailure, connectionFailure, overdue } from './failure.ts';
import type { BaseUrl } from './url.ts';

/** The headers of a message, names in lower case. */
type Headers = { readonly [name: string]: string };

/** What a service answered to one request, whatever it is; `url` is without the query. */
export type Reply = {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
};

/** One try of one request, told to whoever watches; never with the key. */
export type Exchange = {
  readonly url: string;
  readonly requestHeaders: Headers;
  readonly milliseconds: number;
} & (
  | { readonly status: number; readonly headers: Headers; readonly bytes: number }
  | { readonly status: undefined; readonly failure: Problem }
);

/** What exchanges with a service need. */
export type ExchangeOptions = {
  readonly base: BaseUrl;
  readonly key: string | undefined;
  readonly userAgent: string;
  readonly timeout: number;
  readonly proxies: Proxies;
  readonly signal: AbortSignal | undefined;
  readonly watch: (exchange: Exchange) => void;
};

/** Sends single requests to one service. */
export type Exchanger = {
  /** One try, with headers besides the usual ones: the reply, or why there is none. */
  readonly get: (path: string, more?: Headers) => Promise<Reply | ConnectionFailure>;
  readonly close: () => Promise<void>;
};

/** No page of a thousand rows comes near; a service that sends more is broken, or means harm. */
const largestBody = 64 * 1024 * 1024;

/** An exchanger; the key goes to the base URL's own origin, as `X-API-Key`, and nowhere else. */
export function exchanger(options: ExchangeOptions): Exchanger {
  const { base, key, userAgent, timeout, proxies, signal, watch } = options;
  const headers = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': userAgent };
  const sent = key === undefined ? headers : { ...headers, 'x-api-key': key };
  const shown = key === undefined ? headers : { ...headers, 'x-api-key': '(redacted)' };
  const asked: Asked = { href: base.href, throughProxy: proxies.http !== '' || proxies.https !== '' };
  let sender: Promise<Sender> | undefined;

  const exchange = async (path: string, more: Headers, stop: AbortSignal): Promise<Reply> => {
    sender ??= senderThrough(proxies, timeout * 1000);
    const { request } = await sender;
    const url = base.origin + path.replace(/\?.*$/s, '');
    const response = await request({
      origin: base.origin,
      path,
      method: 'GET',
      headers: { ...sent, ...more },
      signal: stop,
    });
    const received = { url, status: response.statusCode, headers: flat(response.headers) };
    return { ...received, body: await decoded(received, await collect(response.body, url)) };
  };

  return {
    async get(path, more = {}) {
      const started = performance.now();
      const told = { url: base.origin + path, requestHeaders: { ...shown, ...more } };
      const milliseconds = () => Math.round(performance.now() - started);
      try {
        const reply = await within(timeout, signal, (stop) => exchange(path, more, stop));
        const { status, headers, body } = reply;
        watch({
          ...told,
          milliseconds: milliseconds(),
          status,
          headers: without(key, headers),
          bytes: body.length,
        });
        return reply;
      } catch (error) {
        if (signal?.aborted) throw new Problem('interrupted', 'interrupted');
        const failure = failureOf(error, asked, timeout);
        watch({ ...told, milliseconds: milliseconds(), status: undefined, failure: failure.problem });
        return failure;
      }
    },
    async close() {
      await (await sender?.catch(() => undefined))?.destroy();
    },
  };
}

function failureOf(error: unknown, asked: Asked, timeout: number): ConnectionFailure {
  if (error instanceof Problem) return { problem: error, transient: false };
  return error instanceof Overdue ? overdue(asked, timeout) : connectionFailure(error, asked);
}

class Overdue extends Error {}

/** Runs `work` until it is done, the time is up, or the user stops it; it is left behind at once, and told to stop. */
async function within<T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const onStop = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', onStop, { once: true });
  const timer = setTimeout(() => stop.abort(new Overdue()), seconds * 1000);
  try {
    const stopped = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
    });
    return await Promise.race([work(stop.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onStop);
  }
}

function flat(headers: { readonly [name: string]: string | string[] | undefined }): Headers {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
    ),
  );
}

/** Headers with the key out of sight, should the service repeat it. */
function without(key: string | undefined, headers: Headers): Headers {
  if (key === undefined) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(key, '(redacted)')]),
  );
}

/** The whole body, so that the connection is free again; leaving the loop early closes it. */
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

async function decoded({ url, headers }: Omit<Reply, 'body'>, body: Buffer): Promise<Buffer> {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity' || body.length === 0) return body;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw unreadable(url, `as ${encoding}`);
  const { gunzip } = await import('node:zlib');
  try {
    return await promisify(gunzip)(body, { maxOutputLength: largestBody });
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
