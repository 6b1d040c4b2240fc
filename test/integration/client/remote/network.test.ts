import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/client/client.ts';
import type { RemoteEvent } from '../../../../src/client/remote/exchange.ts';
import type { Problem } from '../../../../src/errors/problem.ts';
import { ping } from '../../../../src/operations/ping.ts';
import { clientWithKey, failure, key } from '../../../support/remote-client.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { envelope, pong, reply, serve } from '../../../support/service-double.ts';

const pinged = envelope('ping', [pong]);

/** The Problem that a ping rejects with. */
async function failedPing(client: Client): Promise<Problem> {
  return failure(client.ask(ping, [])).finally(() => client.close());
}

describe('a service that cannot be reached', () => {
  it('refuses the connection', async () => {
    const { url, server } = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const { kind, detail } = await failedPing(clientWithKey(url));
    expect([kind, detail]).toEqual(['unreachable', `cannot reach ${url}: connection refused`]);
  });

  it('has an unknown host name, and is not tried again', async () => {
    const seen: RemoteEvent[] = [];
    const client = clientWithKey('http://no-such-host.invalid', {
      retries: 3,
      watch: (event) => seen.push(event),
    });
    const { kind, detail } = await failedPing(client);
    expect([kind, detail]).toEqual([
      'unreachable',
      expect.stringContaining('cannot reach http://no-such-host.invalid: '),
    ]);
    if (detail.endsWith('no host of that name')) expect(seen).toHaveLength(1);
  });

  it('does not answer in time', async () => {
    const { url } = await serve(() => undefined);
    const { kind, detail } = await failedPing(clientWithKey(url, { timeout: 0.2 }));
    expect([kind, detail]).toEqual([
      'unreachable',
      `cannot reach ${url}: no answer within 0.2 s (--timeout)`,
    ]);
  });

  it('begins an answer and does not end it in time', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"object":');
    });
    expect((await failedPing(clientWithKey(url, { timeout: 0.3 }))).detail).toContain(
      'no answer within 0.3 s',
    );
  });

  it('breaks off in the middle', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"object":');
      setTimeout(() => response.destroy(), 20);
    });
    const { kind, detail } = await failedPing(clientWithKey(url));
    expect([kind, detail]).toEqual(['unreachable', expect.stringMatching(/broke off|was reset/)]);
  });

  it('has a certificate of an unknown issuer', async () => {
    const { url } = await serve(
      (_, response) => reply(response, 200, pinged),
      (listener) => createTlsServer(selfSigned, listener),
    );
    const seen: RemoteEvent[] = [];
    const https = url.replace('http:', 'https:');
    const found = await failedPing(clientWithKey(https, { retries: 2, watch: (event) => seen.push(event) }));
    expect([found.kind, found.detail]).toEqual([
      'unreachable',
      `cannot reach ${https}: TLS: its certificate is self-signed`,
    ]);
    expect(found.hints.join()).toContain('NODE_EXTRA_CA_CERTS');
    expect(seen).toHaveLength(1);
  });

  it('does not speak TLS', async () => {
    const { url } = await serve((_, response) => reply(response, 200, pinged));
    const { kind, detail } = await failedPing(clientWithKey(url.replace('http:', 'https:')));
    expect([kind, detail]).toEqual([
      'unreachable',
      expect.stringContaining('TLS: it answers, but not in TLS'),
    ]);
  });

  it('does not answer in HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.0\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const { kind, detail } = await failedPing(clientWithKey(url));
    expect([kind, detail]).toEqual(['bad-answer', `${url} does not answer in HTTP that asof can read`]);
    server.close();
  });

  it('is given up while the connection is still being made', async () => {
    const ended = new Promise((resolve) => {
      const silent = createTcpServer((socket) => socket.on('close', resolve).resume());
      silent.listen(0, '127.0.0.1', async () => {
        const address = silent.address();
        const url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
        const stop = new AbortController();
        setTimeout(() => stop.abort(), 100);
        expect((await failedPing(clientWithKey(url, { timeout: 30, signal: stop.signal }))).kind).toBe(
          'interrupted',
        );
        silent.close();
      });
    });
    const late = new Promise((resolve) => setTimeout(resolve, 5000, 'late'));
    expect(await Promise.race([ended, late])).not.toBe('late');
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
    const { url } = await serve(() => setTimeout(() => stop.abort(), 50));
    const started = performance.now();
    expect(
      (await failedPing(clientWithKey(url, { signal: stop.signal, retries: 5, timeout: 30 }))).kind,
    ).toBe('interrupted');
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('a watcher', () => {
  it('receives every try, with the key redacted', async () => {
    const seen: RemoteEvent[] = [];
    const { url } = await serve((request, response) =>
      reply(response, 200, pinged, {
        'content-type': 'application/json',
        'ratelimit-remaining': '7',
        'x-echo': String(request.headers['x-api-key']),
      }),
    );
    await clientWithKey(url, { watch: (event) => seen.push(event) }).ask(ping, []);
    expect(seen).toMatchObject([
      {
        tried: {
          url: `${url}/v1/ping`,
          status: 200,
          requestHeaders: { 'x-api-key': '(redacted)' },
          headers: { 'ratelimit-remaining': '7', 'x-echo': '(redacted)' },
          bytes: JSON.stringify(pinged).length,
        },
      },
    ]);
    expect(JSON.stringify(seen)).not.toContain(key);
  });
});

describe('a key', () => {
  it.each(['two words', 'line\nbreak', 'schlüssel', ''])('%j is refused before anything is sent', (bad) => {
    expect(() => clientWithKey('http://127.0.0.1:1', { key: bad })).toThrow(
      'the key holds characters that no key has',
    );
  });
});
