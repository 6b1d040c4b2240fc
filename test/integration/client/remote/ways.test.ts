import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { proxiesOf } from '../../../../src/client/remote/exchange.ts';
import { ping } from '../../../../src/operations/ping.ts';
import {
  answering,
  clientWithKey,
  failedPing,
  pinged,
  reply,
  selfSigned,
  serve,
} from '../../../support/service-double.ts';

it.each([301, 302, 303, 307, 308])(
  'a redirect with %i is refused without its secrets, and nothing is sent there',
  async (status) => {
    const { url: elsewhere, asked } = await answering(pinged);
    const secret = elsewhere.replace('://', '://user:hunter2@');
    const { url } = await answering('', status, { location: `${secret}/v1/ping?token=t0ps3cret` });
    const { kind, detail, hints } = await failedPing(clientWithKey(url));
    expect([kind, detail, asked]).toEqual([
      'bad-answer',
      `${url}/v1/ping redirects to ${elsewhere}/v1/ping`,
      [],
    ]);
    expect(hints.join()).toContain('--base-url');
  },
);

describe('proxies', () => {
  it('are those of the environment: lower case takes precedence, and an empty variable is unset', () => {
    const env = { http_proxy: 'http://a', HTTP_PROXY: 'http://b', HTTPS_PROXY: 'http://c', no_proxy: '' };
    expect(proxiesOf(env)).toEqual({ http: 'http://a', https: 'http://c', no: '' });
  });

  // One may be named without a scheme.
  it.each(['http://127.0.0.1', '127.0.0.1', 'localhost'])(
    'get requests for http URLs without a tunnel: %s and its port',
    async (name) => {
      const { url: proxy, asked } = await answering(pinged);
      const env = { HTTP_PROXY: proxy.replace('http://127.0.0.1', name) };
      const client = clientWithKey('http://data.example.com/x', { env });
      expect(await client.ask(ping, [])).toEqual(pinged);
      expect(asked.map(({ url }) => url)).toEqual(['http://data.example.com/x/v1/ping']);
      await client.close();
    },
  );

  it('are asked for a tunnel to https URLs, and never see the key', async () => {
    const { url } = await serve(
      (_, response) => reply(response, 200, pinged),
      (listener) => createTlsServer(selfSigned, listener),
    );
    const { url: proxy, server } = await serve(() => undefined);
    const tunnels: unknown[] = [];
    server.on('connect', (request, socket, head) => {
      tunnels.push([request.url, request.headers['x-api-key']]);
      const target = connect(Number(new URL(url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n');
        target.write(head);
        target.pipe(socket).pipe(target);
      });
      for (const one of [target, socket]) one.on('error', () => undefined);
    });
    const https = url.replace('http:', 'https:');
    const { detail } = await failedPing(clientWithKey(https, { env: { HTTPS_PROXY: proxy } }));
    expect(tunnels).toEqual([[https.replace('https://', ''), undefined]]);
    expect(detail).toContain('TLS: its certificate is self-signed');
  });

  it('that refuse the tunnel are named as the cause', async () => {
    const { url: proxy, server } = await serve(() => undefined);
    server.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Who Are You\r\n\r\n'));
    const env = { HTTPS_PROXY: proxy.replace('http://', 'http://me:hunter2@') };
    const found = await failedPing(clientWithKey('https://data.example.com', { env }));
    const words = 'cannot reach https://data.example.com: the proxy refused with status 407';
    expect([found.kind, found.detail]).toEqual(['unreachable', words]);
    expect(JSON.stringify([found.detail, found.hints])).not.toContain('hunter2');
  });

  it('are not used for the hosts of NO_PROXY', async () => {
    const { url } = await answering(pinged);
    const client = clientWithKey(url, { env: { HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '127.0.0.1' } });
    expect(await client.ask(ping, [])).toEqual(pinged);
    await client.close();
  });

  it.each(['socks5', 'socks5h', 'socks'])('may speak SOCKS 5, without a warning: %s://', async (scheme) => {
    const { url } = await answering(pinged);
    const asked: string[] = [];
    const socks = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        // RFC 1928: no authentication; then the request, whose name of a host follows its length.
        socket.write(Buffer.from([5, 0]));
        socket.once('data', (request) => {
          asked.push(request.subarray(5, 5 + (request[4] ?? 0)).toString());
          const target = connect(Number(new URL(url).port), '127.0.0.1', () => {
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            socket.pipe(target).pipe(socket);
          });
          target.on('error', () => undefined);
        });
      });
    });
    socks.listen(0, '127.0.0.1');
    await once(socks, 'listening');
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on('warning', listener);
    const env = { HTTP_PROXY: `${scheme}://127.0.0.1:${(socks.address() as AddressInfo).port}` };
    const client = clientWithKey('http://data.example.com', { env });
    expect(await client.ask(ping, [])).toEqual(pinged);
    await client.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listener);
    socks.close();
    expect({ asked, warnings }).toEqual({ asked: ['data.example.com'], warnings: [] });
  });

  it.each([
    ['https', 'ftp://127.0.0.1:1', 'the proxy in HTTPS_PROXY speaks ftp://, which asof does not'],
    ['https', 'socks4://127.0.0.1:1', 'the proxy in HTTPS_PROXY speaks socks4://, which asof does not'],
    ['http', 'not a url', 'the proxy in HTTP_PROXY is not a URL'],
  ])('of another protocol are refused by name: for %s, %s', async (scheme, proxy, words) => {
    const env = { [`${scheme.toUpperCase()}_PROXY`]: proxy };
    const { kind, detail } = await failedPing(clientWithKey(`${scheme}://data.example.com`, { env }));
    expect([kind, detail]).toEqual(['bad-input', words]);
  });

  it('have the time limit of a request', async () => {
    const { url: proxy } = await serve(() => undefined);
    const client = clientWithKey('http://data.example.com', { env: { HTTP_PROXY: proxy }, timeout: 0.2 });
    const words = 'cannot reach http://data.example.com: no answer within 0.2 s (--timeout)';
    expect((await failedPing(client)).detail).toBe(words);
  });

  it('that break off an answer lead to a retry', async () => {
    const { url: proxy, asked } = await serve((_, response) => {
      if (asked.length > 1) return reply(response, 200, pinged);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"object":', () => response.destroy());
    });
    const client = clientWithKey('http://data.example.com', { env: { HTTP_PROXY: proxy }, retries: 1 });
    expect(await client.ask(ping, [])).toEqual(pinged);
    await client.close();
  });

  it('that refuse the connection are named as a possible cause', async () => {
    const { url: proxy, server } = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const client = clientWithKey('https://data.example.com', { env: { HTTPS_PROXY: proxy } });
    const { detail, hints } = await failedPing(client);
    expect(detail).toBe('cannot reach https://data.example.com: connection refused');
    expect(hints.join()).toContain('the environment names a proxy');
  });

  it('are given up at once when the user stops, also while they make a tunnel', async () => {
    const { url: proxy, server } = await serve(() => undefined);
    const stop = new AbortController();
    const closed = new Promise((resolve) => {
      server.on('connect', (_request, socket) => {
        socket.on('error', () => undefined).once('end', resolve);
        socket.resume();
        stop.abort();
      });
    });
    const env = { HTTPS_PROXY: proxy };
    const client = clientWithKey('https://data.example.com', { env, signal: stop.signal });
    expect((await failedPing(client)).kind).toBe('interrupted');
    await closed;
  });
});
