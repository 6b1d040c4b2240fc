import http from 'node:http';
import https from 'node:https';
import { type Dispatcher, EnvHttpProxyAgent, Socks5ProxyAgent } from 'undici';
import { Problem } from '../../errors/problem.ts';

/** A GET request; the path goes out exactly as it is given. */
export type HttpRequest = {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** The status, the headers and the body of a response. Reading the body to its end, or stopping early, frees the connection. */
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

/** Sends requests through the proxies of an environment, except to the hosts of NO_PROXY. */
export class ProxyTransport implements Transport {
  readonly #dispatcher: Dispatcher;
  readonly #closing = new AbortController();

  /** Throws a Problem if a proxy is not a URL of HTTP or SOCKS 5. */
  constructor(proxies: Proxies) {
    const [httpProxy, httpsProxy] = [
      proxyUrl('HTTP_PROXY', proxies.http),
      proxyUrl('HTTPS_PROXY', proxies.https),
    ];
    const isSocks = `${httpProxy} ${httpsProxy}`.includes('socks5:');
    if (isSocks) silenceSocksWarning();
    const connect = { timeout: 0, signal: this.#closing.signal };
    this.#dispatcher = new EnvHttpProxyAgent({
      httpProxy,
      httpsProxy,
      noProxy: proxies.no,
      // Many proxies allow tunnels only to port 443, so plain http requests do without one.
      proxyTunnel: false,
      connect,
      // With options of TLS undici asks a SOCKS proxy in TLS.
      ...(!isSocks && { proxyTls: connect }),
      requestTls: connect,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { statusCode, headers, body } = await this.#dispatcher.request({ ...request, method: 'GET' });
    return { status: statusCode, headers, body };
  }

  async close(): Promise<void> {
    // undici's `destroy` waits for connections that are still being made.
    this.#closing.abort();
    await this.#dispatcher.destroy();
  }
}

/** The URL of a proxy as undici takes it; a host without a scheme speaks HTTP, as for curl. */
function proxyUrl(name: string, text: string): string {
  if (text === '') return '';
  const url = (text.includes('://') ? text : `http://${text}`).replace(/^socks5?h?:/i, 'socks5:');
  if (URL.canParse(url) && /^(https?|socks5):/i.test(url)) return url;
  const what = URL.canParse(url) ? `speaks ${new URL(url).protocol}//, which asof does not` : 'is not a URL';
  throw new Problem('bad-input', `the proxy in ${name} ${what}`, {
    hints: ['such as http://proxy.example.com:3128 or socks5://proxy.example.com:1080'],
  });
}

/** undici warns once, on stderr, that its support of SOCKS is young; nobody who runs a query can act on that. */
function silenceSocksWarning(): void {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    void new Socks5ProxyAgent('socks5://localhost:1').destroy();
  } finally {
    process.emitWarning = emitWarning;
  }
}
