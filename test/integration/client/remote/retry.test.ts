import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/client/client.ts';
import type { RemoteEvent } from '../../../../src/client/remote/exchange.ts';
import type { Problem } from '../../../../src/errors/problem.ts';
import { ping } from '../../../../src/operations/ping.ts';
import { clientOf, failure } from '../../../support/remote-client.ts';
import { envelope, pong, problem, reply, serve } from '../../../support/service-double.ts';

const pinged = envelope('ping', [pong]);

/** The Problem that a ping rejects with. */
async function failedPing(client: Client): Promise<Problem> {
  return failure(client.ask(ping, [])).finally(() => client.close());
}

describe('a retry', () => {
  const failing = (times: number, status: number, headers: Readonly<Record<string, string>> = {}) => {
    let count = 0;
    return serve((_, response) => {
      count += 1;
      if (count > times) reply(response, 200, pinged);
      else problem(response, status, 'about:blank', 'not now', {}, headers);
    });
  };

  it.each([429, 502, 503, 504])('happens after %i', async (status) => {
    const { url, asked } = await failing(1, status);
    expect(await clientOf(url, { retries: 1 }).ask(ping, [])).toEqual(pinged);
    expect(asked).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 500, 501])('does not happen after %i', async (status) => {
    const { url, asked } = await failing(1, status);
    await failedPing(clientOf(url, { retries: 2 }));
    expect(asked).toHaveLength(1);
  });

  it('happens after a connection that broke off', async () => {
    let count = 0;
    const { url, asked } = await serve((_, response) => {
      count += 1;
      if (count === 1) response.destroy();
      else reply(response, 200, pinged);
    });
    expect(await clientOf(url, { retries: 1 }).ask(ping, [])).toEqual(pinged);
    expect(asked).toHaveLength(2);
  });

  it('happens after the time limit of one try', async () => {
    let count = 0;
    const { url } = await serve((_, response) => {
      count += 1;
      if (count > 1) reply(response, 200, pinged);
    });
    expect(await clientOf(url, { retries: 1, timeout: 0.3 }).ask(ping, [])).toEqual(pinged);
  });

  it('happens as often as allowed and no more', async () => {
    const { url, asked } = await failing(9, 503);
    expect((await failedPing(clientOf(url, { retries: 2 }))).kind).toBe('service-unavailable');
    expect(asked).toHaveLength(3);
  });

  it('waits as long as the service asks', async () => {
    const { url } = await failing(1, 429, { 'retry-after': '1' });
    const waits: unknown[] = [];
    const started = performance.now();
    await clientOf(url, { retries: 1, watch: (event) => 'wait' in event && waits.push(event.wait) }).ask(
      ping,
      [],
    );
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(waits).toEqual([{ seconds: 1, reason: `${url}/v1/ping answered 429` }]);
  });

  it.each([
    [429, 'rate-limit-exceeded'],
    [503, 'service-unavailable'],
  ])('does not wait longer than allowed after %i: it fails at once', async (status, kind) => {
    const { url, asked } = await failing(1, status, { 'retry-after': '61' });
    const started = performance.now();
    const found = await failedPing(clientOf(url, { retries: 2, maxWait: 60 }));
    expect(found.kind).toBe(kind);
    expect(asked).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(900);
  });

  it('counts all waits of one request', async () => {
    const { url, asked } = await failing(9, 429, { 'retry-after': '1' });
    await failedPing(clientOf(url, { retries: 9, maxWait: 1.5 }));
    expect(asked).toHaveLength(2);
  });

  it('ends when the user stops while it waits', async () => {
    const { url } = await failing(9, 429, { 'retry-after': '30' });
    const stop = new AbortController();
    const watch = (event: RemoteEvent) => 'wait' in event && setTimeout(() => stop.abort(), 20);
    const started = performance.now();
    expect((await failedPing(clientOf(url, { retries: 2, signal: stop.signal, watch }))).kind).toBe(
      'interrupted',
    );
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
