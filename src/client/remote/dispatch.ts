import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { Problem } from '../../errors/problem.ts';

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
export function hasProxy({ http, https }: Proxies): boolean {
  return http !== '' || https !== '';
}

/**
 * A dispatcher of HTTP requests, through the proxies where there are any. It sets no time limits of its own: each request
 * has one deadline for all its parts. Aborting `closing` also ends connections that are still being made, for which
 * undici's `destroy` would wait.
 */
export function dispatcherThrough(proxies: Proxies, closing: AbortSignal): Dispatcher {
  const connect = { timeout: 0, signal: closing };
  const unlimited = { connect, headersTimeout: 0, bodyTimeout: 0 };
  if (!hasProxy(proxies)) return new Agent(unlimited);
  checkProxy('HTTP_PROXY', proxies.http);
  checkProxy('HTTPS_PROXY', proxies.https);
  return new EnvHttpProxyAgent({
    ...unlimited,
    proxyTls: connect,
    requestTls: connect,
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: proxies.no,
    // Many proxies allow tunnels to the port of TLS alone, so that plain http is asked of them in plain.
    proxyTunnel: false,
  });
}

function checkProxy(name: string, text: string): void {
  if (text === '' || URL.canParse(text)) return;
  throw new Problem('bad-input', `the proxy in ${name} is not a URL`, {
    hints: ['such as http://proxy.example.com:3128'],
  });
}
