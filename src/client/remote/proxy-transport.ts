import { type Dispatcher, EnvHttpProxyAgent, Socks5ProxyAgent } from 'undici';
import { Problem } from '../../errors/problem.ts';
import type { HttpRequest, HttpResponse, Proxies, Transport } from './transport.ts';

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
      // With TLS options, undici would speak TLS to a SOCKS proxy.
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

function proxyUrl(name: string, text: string): string {
  if (text === '') return '';
  const url = (text.includes('://') ? text : `http://${text}`).replace(/^socks5?h?:/i, 'socks5:');
  if (URL.canParse(url) && /^(https?|socks5):/i.test(url)) return url;
  const what = URL.canParse(url) ? `speaks ${new URL(url).protocol}//, which asof does not` : 'is not a URL';
  throw new Problem('bad-input', `the proxy in ${name} ${what}`, {
    hints: ['such as http://proxy.example.com:3128 or socks5://proxy.example.com:1080'],
  });
}

/** undici warns once, on stderr, that its SOCKS support is experimental; nobody who runs a query can act on that. */
function silenceSocksWarning(): void {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    void new Socks5ProxyAgent('socks5://localhost:1').destroy();
  } finally {
    process.emitWarning = emitWarning;
  }
}
