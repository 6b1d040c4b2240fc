/// <reference path="./undici-parts.d.ts" />
import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { Problem } from '../../errors/problem.ts';

/** The proxies to use, as the environment names them; an empty text is none. */
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

/** What sends requests, and how to let go of everything that it holds open. */
export type Sender = {
  readonly request: (options: Dispatcher.RequestOptions<null>) => Promise<Dispatcher.ResponseData>;
  readonly destroy: () => Promise<void>;
};

/** A sender of HTTP requests, through the proxies where there are any; connecting takes at most `connectMs`. */
export async function senderThrough(proxies: Proxies, connectMs: number): Promise<Sender> {
  const { Agent, buildConnector, request } = await import('./undici-direct.ts');
  const connecting = new Set<Socket>();
  const connector = buildConnector({ timeout: connectMs });
  const connect: Connect = (options, callback) => {
    const socket = connector(options, (...result) => {
      connecting.delete(socket);
      callback(...result);
    });
    connecting.add(socket);
  };
  const isDirect = proxies.http === '' && proxies.https === '';
  const dispatcher = isDirect
    ? new Agent({ connect, ...noDeadlines })
    : await throughProxies(proxies, connect);
  return {
    request: (options) => request.call(dispatcher, options),
    async destroy() {
      // undici waits for a connection that is being made even when it is told to stop, and the process with it.
      for (const socket of connecting) socket.destroy();
      await dispatcher.destroy();
    },
  };
}

type Connect = (options: buildConnector.Options, callback: buildConnector.Callback) => void;

/** Whoever asks sets one deadline for a whole exchange; undici's own for its parts would only come between. */
const noDeadlines = { headersTimeout: 0, bodyTimeout: 0 } as const;

async function throughProxies({ http, https, no }: Proxies, connect: Connect): Promise<Dispatcher> {
  checkProxy('HTTP_PROXY', http);
  checkProxy('HTTPS_PROXY', https);
  const [{ default: EnvHttpProxyAgent }, { default: Pool }, { default: tunnel }] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  return new EnvHttpProxyAgent({
    httpProxy: http,
    httpsProxy: https,
    noProxy: no,
    // Plain http is asked of a proxy in plain: many allow a tunnel to the port of TLS alone.
    proxyTunnel: false,
    connect,
    // A proxy is asked for a tunnel by the method that the whole package would have put on every dispatcher.
    clientFactory: (proxy, options) => {
      const pool = new Pool(proxy, { ...options, connect });
      return Object.assign(pool, { connect: tunnel.bind(pool) });
    },
    ...noDeadlines,
  });
}

function checkProxy(name: string, text: string): void {
  if (text === '' || URL.canParse(text)) return;
  throw new Problem('bad-input', `the proxy in ${name} is not a URL`, {
    hints: ['such as http://proxy.example.com:3128'],
  });
}
