// Why: docs/decisions/node-http-for-remote-queries.md
import http from 'node:http';
import https from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Problem } from '../../errors/problem.ts';

/** Headers by their names in lower case. */
type HttpHeaders = { readonly [name: string]: string };

/** A service's reply with any status; `url` has no query. */
export type HttpReply = {
  readonly url: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
};

/** Proxies as URLs; an empty text is no proxy. */
type Proxies = { readonly http: string; readonly https: string; readonly no: string };

/** A response; reading or leaving its body frees the connection. */
type HttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
};

/** Sends GET requests over open connections, without time limits of its own. */
type Transport = {
  /** Sends a path exactly as it is; returns the whole reply. */
  send(path: string, headers: HttpHeaders, signal: AbortSignal): Promise<HttpReply>;
  /** Closes every connection, including those in the making. */
  close(): Promise<void>;
};

/** Opens a transport to one origin: undici with a proxy, else Node's HTTP client, which starts faster. */
export async function openTransport(origin: string, proxies: Proxies): Promise<Transport> {
  const isDirect = proxies.http + proxies.https === '';
  const { send, close } = isDirect ? directConnections(origin) : await proxyConnections(origin, proxies);
  return {
    async send(path, headers, signal) {
      const url = origin + path.replace(/\?.*$/s, '');
      const response = await send(path, headers, signal);
      const received = { url, status: response.status, headers: flat(response.headers) };
      return { ...received, body: await decoded(received, await collect(response.body, url)) };
    },
    close,
  };
}

type Connections = Pick<Transport, 'close'> & {
  send(path: string, headers: HttpHeaders, signal: AbortSignal): Promise<HttpResponse>;
};

function directConnections(origin: string): Connections {
  const { request, Agent } = origin.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(origin);
  // An IPv6 address in brackets; Node wants it without them.
  const host = hostname.replace(/^\[|\]$/g, '');
  const send: Connections['send'] = (path, headers, signal) =>
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

async function proxyConnections(origin: string, proxies: Proxies): Promise<Connections> {
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

/** The largest body in bytes, far more than a page of a thousand rows. */
const largestBody = 64 * 1024 * 1024;

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
