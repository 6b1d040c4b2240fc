import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RemoteEvent } from '../../../../src/client/remote/exchange.ts';
import { ping } from '../../../../src/operations/ping.ts';
import {
  answering,
  clientWithKey,
  type Double,
  failedPing,
  key,
  pinged,
  problem,
  reply,
  selfSigned,
  serve,
} from '../../../support/service-double.ts';

/** The port of a TCP server, until the end of the test. */
async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The address of a port where nothing listens any more. */
async function closedPort(): Promise<string> {
  const { url, server } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

describe('a service that cannot be reached', () => {
  const halfAnswer: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"object":');
  };
  const cutOff: RequestListener = (request, response) => {
    halfAnswer(request, response);
    setTimeout(() => response.destroy(), 20);
  };
  const doubled = (listener: RequestListener) => async () => (await serve(listener)).url;
  const late = 'cannot reach URL: no answer within 0.2 s (--timeout)';

  it.each<[what: string, open: () => Promise<string>, detail: string | RegExp, kind?: string]>([
    ['refuses the connection', closedPort, 'cannot reach URL: connection refused'],
    ['does not answer in time', doubled(() => undefined), late],
    ['begins an answer and does not end it', doubled(halfAnswer), late],
    ['breaks off in the middle', doubled(cutOff), /broke off|was reset/],
    [
      'does not speak TLS',
      async () => (await answering(pinged)).url.replace('http:', 'https:'),
      /TLS: it answers, but not in TLS/,
    ],
    [
      'does not answer in HTTP',
      async () => `http://127.0.0.1:${await listening((socket) => socket.end('SSH-2.0-OpenSSH_9.0\r\n'))}`,
      'URL does not answer in HTTP that asof can read',
      'bad-answer',
    ],
  ])('%s', async (_, open, detail, kind = 'unreachable') => {
    const url = await open();
    const found = await failedPing(clientWithKey(url, { timeout: detail === late ? 0.2 : 5 }));
    const words = typeof detail === 'string' ? detail.replace('URL', url) : expect.stringMatching(detail);
    expect([found.kind, found.detail]).toEqual([kind, words]);
  });

  it('has an unknown host name, or a certificate of an unknown issuer, and is not tried again', async () => {
    const { url } = await serve(
      (_, response) => reply(response, 200, pinged),
      (listener) => createTlsServer(selfSigned, listener),
    );
    const seen: RemoteEvent[] = [];
    const watch = (event: RemoteEvent) => seen.push(event);
    const https = url.replace('http:', 'https:');
    const found = await failedPing(clientWithKey(https, { retries: 2, watch }));
    const words = `cannot reach ${https}: TLS: its certificate is self-signed`;
    expect([found.kind, found.detail, seen.length]).toEqual(['unreachable', words, 1]);
    expect(found.hints.join()).toContain('NODE_EXTRA_CA_CERTS');
    const nowhere = clientWithKey('http://no-such-host.invalid', { retries: 3, watch });
    const { kind, detail } = await failedPing(nowhere);
    const stated = expect.stringContaining('cannot reach http://no-such-host.invalid: ');
    expect([kind, detail]).toEqual(['unreachable', stated]);
    if (detail.endsWith('no host of that name')) expect(seen).toHaveLength(2);
  });

  it('is given up while the connection is still being made', async () => {
    const stop = new AbortController();
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const port = await listening((socket) => {
      socket.on('close', close).resume();
      stop.abort();
    });
    const client = clientWithKey(`https://127.0.0.1:${port}`, { timeout: 30, signal: stop.signal });
    expect((await failedPing(client)).kind).toBe('interrupted');
    await closed;
  });

  it('closed an idle connection: the request goes out again at once, on a new one', async () => {
    const seen: RemoteEvent[] = [];
    const { url, asked } = await serve((request, response) => {
      if (asked.length === 2) request.socket.destroy();
      else reply(response, 200, pinged);
    });
    const client = clientWithKey(url, { watch: (event) => seen.push(event) });
    expect([await client.ask(ping, []), await client.ask(ping, [])]).toEqual([pinged, pinged]);
    expect([asked.length, seen.length]).toEqual([3, 2]);
    await client.close();
  });

  it('leads to a message without the key', async () => {
    const { url } = await serve((_, response) => response.destroy());
    const seen: RemoteEvent[] = [];
    const found = await failedPing(clientWithKey(url, { watch: (event) => seen.push(event) }));
    expect(seen.length).toBeGreaterThan(0);
    expect(JSON.stringify([seen, found, found.detail, found.hints, String(found.cause)])).not.toContain(key);
  });

  it('is given up at once when the user stops', async () => {
    const stop = new AbortController();
    const { url } = await serve(() => stop.abort());
    const started = performance.now();
    const client = clientWithKey(url, { signal: stop.signal, retries: 5, timeout: 30 });
    expect((await failedPing(client)).kind).toBe('interrupted');
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

it('a watcher receives every try, with the key redacted', async () => {
  const seen: RemoteEvent[] = [];
  const { url } = await serve((request, response) =>
    reply(response, 200, pinged, {
      'content-type': 'application/json',
      'ratelimit-remaining': '7',
      'x-echo': String(request.headers['x-api-key']),
    }),
  );
  await clientWithKey(url, { watch: (event) => seen.push(event) }).ask(ping, []);
  const headers = { 'ratelimit-remaining': '7', 'x-echo': '(redacted)' };
  const sent = { url: `${url}/v1/ping`, requestHeaders: { 'x-api-key': '(redacted)' } };
  const bytes = JSON.stringify(pinged).length;
  expect(seen).toMatchObject([{ tried: { ...sent, status: 200, headers, bytes } }]);
  expect(JSON.stringify(seen)).not.toContain(key);
});

it.each(['two words', 'line\nbreak', 'schlüssel', ''])(
  'the key %j is refused before anything is sent',
  (bad) => {
    expect(() => clientWithKey('http://127.0.0.1:1', { key: bad })).toThrow(
      'the key holds characters that no key has',
    );
  },
);

describe('a retry', () => {
  const failing = (times: number, status: number, headers: Readonly<Record<string, string>> = {}) => {
    const double: Promise<Double> = serve(async (_, response) => {
      if ((await double).asked.length > times) reply(response, 200, pinged);
      else problem(response, status, 'about:blank', 'not now', {}, headers);
    });
    return double;
  };

  // These wait side by side.
  it('happens after 429, 502, 503 and 504, as often as allowed and no more', async () => {
    const happens = async (status: number) => {
      const { url, asked } = await failing(1, status);
      expect(await clientWithKey(url, { retries: 1 }).ask(ping, [])).toEqual(pinged);
      expect(asked).toHaveLength(2);
    };
    const ends = async () => {
      const { url, asked } = await failing(9, 503);
      expect((await failedPing(clientWithKey(url, { retries: 2 }))).kind).toBe('service-unavailable');
      expect(asked).toHaveLength(3);
    };
    await Promise.all([...[429, 502, 503, 504].map(happens), ends()]);
  });

  it.each([400, 401, 403, 404, 500, 501])('does not happen after %i', async (status) => {
    const { url, asked } = await failing(1, status);
    await failedPing(clientWithKey(url, { retries: 2 }));
    expect(asked).toHaveLength(1);
  });

  it('happens after a connection that broke off, and after the time limit of one try', async () => {
    const broken: Double = await serve((_, response) => {
      if (broken.asked.length === 1) response.destroy();
      else reply(response, 200, pinged);
    });
    const slow: Double = await serve((_, response) => {
      if (slow.asked.length > 1) reply(response, 200, pinged);
    });
    for (const { url, asked } of [broken, slow]) {
      expect(await clientWithKey(url, { retries: 1, timeout: 0.3 }).ask(ping, [])).toEqual(pinged);
      expect(asked).toHaveLength(2);
    }
  });

  it('waits as long as the service asks, and counts all waits of one request', async () => {
    const { url, asked } = await failing(9, 429, { 'retry-after': '1' });
    const waits: unknown[] = [];
    const watch = (event: RemoteEvent) => 'wait' in event && waits.push(event.wait);
    const started = performance.now();
    await failedPing(clientWithKey(url, { retries: 9, maxWait: 1.5, watch }));
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(waits).toEqual([{ seconds: 1, reason: `${url}/v1/ping answered 429` }]);
    expect(asked).toHaveLength(2);
  });

  it.each([
    [429, 'rate-limit-exceeded'],
    [503, 'service-unavailable'],
  ])('does not wait longer than allowed after %i: it fails at once', async (status, kind) => {
    const { url, asked } = await failing(1, status, { 'retry-after': '61' });
    const waits: unknown[] = [];
    const watch = (event: RemoteEvent) => 'wait' in event && waits.push(event.wait);
    const found = await failedPing(clientWithKey(url, { retries: 2, maxWait: 60, watch }));
    expect([found.kind, asked.length, waits]).toEqual([kind, 1, []]);
  });

  it('ends when the user stops while it waits', async () => {
    const { url } = await failing(9, 429, { 'retry-after': '30' });
    const stop = new AbortController();
    const watch = (event: RemoteEvent) => 'wait' in event && setTimeout(() => stop.abort(), 20);
    const started = performance.now();
    const client = clientWithKey(url, { retries: 2, signal: stop.signal, watch });
    expect((await failedPing(client)).kind).toBe('interrupted');
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
