import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { Problem } from '../../errors/problem.ts';
import type { HttpRequest, HttpResponse, Proxies, Transport } from './transport.ts';

/** Sends requests through the proxies of an environment, except to the hosts of NO_PROXY. */
export class ProxyTransport implements Transport {
  readonly #dispatcher: Dispatcher;
  readonly #closing = new AbortController();

  /** Throws a Problem if a proxy is not a URL. */
  constructor(proxies: Proxies) {
    checkProxy('HTTP_PROXY', proxies.http);
    checkProxy('HTTPS_PROXY', proxies.https);
    const connect = { timeout: 0, signal: this.#closing.signal };
    this.#dispatcher = new EnvHttpProxyAgent({
      httpProxy: proxies.http,
      httpsProxy: proxies.https,
      noProxy: proxies.no,
      // Many proxies allow tunnels only to port 443, so plain http requests do without one.
      proxyTunnel: false,
      connect,
      proxyTls: connect,
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

function checkProxy(name: string, text: string): void {
  if (text === '' || URL.canParse(text)) return;
  throw new Problem('bad-input', `the proxy in ${name} is not a URL`, {
    hints: ['such as http://proxy.example.com:3128'],
  });
}
