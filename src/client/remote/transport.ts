import http from 'node:http';
import https from 'node:https';

/** A GET request; the path goes out exactly as it is given. */
export type HttpRequest = {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/**
 * The status, the headers and the body of a response. Reading the body to its end, or stopping early, frees the
 * connection.
 */
export type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
};

/** Sends requests over connections that it keeps open. Sets no time limits: the request's signal has the deadline. */
export interface Transport {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes every connection, including those that are still being made. */
  close(): Promise<void>;
}

/** The proxies to use, as URLs; an empty text is no proxy. */
export type Proxies = { readonly http: string; readonly https: string; readonly no: string };

/** The proxies that an environment names by the usual variables, lower case first. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>): Proxies {
  const first = (...names: readonly string[]) =>
    names.map((name) => env[name]).find((value) => value !== undefined && value !== '') ?? '';
  return {
    http: first('http_proxy', 'HTTP_PROXY'),
    https: first('https_proxy', 'HTTPS_PROXY'),
    no: first('no_proxy', 'NO_PROXY'),
  };
}

/** Whether any request goes through a proxy. */
export function hasProxy(proxies: Proxies): boolean {
  return proxies.http !== '' || proxies.https !== '';
}

/**
 * The proxy for requests to an origin, without its name and password; undefined if the environment names none for its
 * scheme.
 */
export function proxyFor(origin: string, { http, https }: Proxies): string | undefined {
  const proxy = origin.startsWith('https:') ? https : http;
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** Sends requests to one origin with Node's HTTP client. */
export class DirectTransport implements Transport {
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
