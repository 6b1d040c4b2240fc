import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate, newKey } from '../../../src/server/keys/gate.ts';
import { parsePlans } from '../../../src/server/keys/plans.ts';
import type { MetricsAccess } from '../../../src/server/metrics.ts';
import { type RunningService, serve } from '../../../src/server/serve.ts';
import type { AccessStore } from '../../../src/store/access-store.ts';
import { openAccess, openStore } from '../../../src/store/open.ts';
import { newQuarterlyStore } from '../../support/example-stores.ts';
import { scratchFolder } from '../../support/folders.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';

const plan = { name: 'two', monthly_limit: 100, daily_limit: 100, rate_per_minute: 9, vintage_access: true };
const clock = () => new Date('2026-01-15T12:00:00Z');

/** A sample of the text format of Prometheus: its name, its labels as they are written, and its value. */
type Sample = { readonly name: string; readonly labels: string; readonly value: number };

function samplesOf(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels, value: Number(value) }];
  });
}

type Place = {
  readonly running: RunningService;
  readonly access: AccessStore;
  readonly store: string;
  readonly get: (path: string) => Promise<Response>;
  readonly metrics: (headers?: Record<string, string>) => Promise<Response>;
};

async function start(metrics: MetricsAccess): Promise<Place> {
  const store = await newQuarterlyStore();
  const access = await openAccess(newStorePath(scratchFolder()), { counting: true });
  const { secret, stored } = newKey({ name: 'Ada', plan: 'two', now: clock() });
  await access.addKey(stored);
  const log = new PassThrough();
  log.resume();
  const gate = await Gate.open(access, parsePlans(JSON.stringify([plan]), 'plans.json'));
  const options = {
    openStore: () => openStore(store),
    gate,
    host: '127.0.0.1',
    port: 0,
    log,
    clock,
    metrics,
  };
  const running = await serve({ ...options, timeouts: { notice: 0 } });
  return {
    running,
    access,
    store,
    get: (path) => fetch(running.url + path, { headers: { 'x-api-key': secret } }),
    metrics: (headers = {}) => fetch(running.metricsUrl ?? `${running.url}/metrics`, { headers }),
  };
}

async function stop({ running, access }: Place): Promise<void> {
  await running.stop();
  await access.close();
}

describe('the metrics of a service', () => {
  let place: Place;
  const sample = async (name: string, labels = '') => {
    const found = samplesOf(await (await place.metrics()).text());
    return found.find((one) => one.name === name && one.labels === labels)?.value;
  };

  beforeAll(async () => {
    place = await start({ port: 0 });
  });
  afterAll(() => stop(place));

  const observations = '/v1/series/GDP/observations';
  const route = 'route="/v1/series/{id}/observations"';

  it('count requests by method, endpoint and status, and their durations', async () => {
    for (const target of [observations, observations, '/v1/series/GDPX/observations', `${observations}?x=1`])
      await place.get(target);
    for (const [status, count] of [
      [200, 2],
      [404, 1],
      [400, 1],
    ]) {
      expect(await sample('asof_http_requests_total', `method="GET",${route},status="${status}"`)).toBe(
        count,
      );
      expect(await sample('asof_http_request_duration_seconds_count', `${route},status="${status}"`)).toBe(
        count,
      );
    }
    const all = await sample('asof_http_request_duration_seconds_bucket', `le="+Inf",${route},status="200"`);
    expect(all).toBe(2);
    expect(await sample('asof_http_request_duration_seconds_sum', `${route},status="200"`)).toBeGreaterThan(
      0,
    );
  });

  it('count what the cache had', async () => {
    expect(await sample('asof_response_cache_requests_total', 'result="hit"')).toBe(1);
    await place.get(observations);
    expect(await sample('asof_response_cache_requests_total', 'result="hit"')).toBe(2);
  });

  it('never name a path, which may hold a secret', async () => {
    await fetch(`${place.running.url}/secret/path`);
    const text = await (await place.metrics()).text();
    expect(text).toContain('route="none"');
    expect(text).not.toContain('secret');
  });

  it('have the revision of the store and the age of its data, also after an import', async () => {
    const before = (await sample('asof_store_revision')) ?? 0;
    // The store was made of UNRATE and GDP, to 29 April 2015, and of a curve, to 5 January 2015.
    const april = (Date.parse('2026-01-15') - Date.parse('2015-04-29')) / 86_400_000;
    expect(await sample('asof_coverage_age_days', 'subject="series"')).toBe(april);
    expect(await sample('asof_coverage_age_days', 'subject="TIPS"')).toBeUndefined();
    await importFiles(place.store, {
      'facts.csv': 'series_id,date,as_of_date,value\nNEW,2025-12-01,2026-01-10,1\n',
    });
    expect(await sample('asof_store_revision')).toBeGreaterThan(before);
    expect(await sample('asof_coverage_age_days', 'subject="series"')).toBe(5);
  });

  it('have the lag of the event loop and the memory of the process', async () => {
    expect(await sample('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(await sample('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  });

  it('count requests that a quota refused, by its window', async () => {
    for (let i = 0; i < 9; i += 1) await place.get('/v1/ping');
    expect((await place.get('/v1/ping')).status).toBe(429);
    expect(await sample('asof_quota_refusals_total', 'window="minute"')).toBeGreaterThan(0);
  });

  it('are not a part of the service where they have a port of their own, which has nothing else', async () => {
    const own = place.running.metricsUrl ?? '';
    expect(new URL(own).port).not.toBe(new URL(place.running.url).port);
    expect((await fetch(`${place.running.url}/metrics`)).status).toBe(404);
    expect((await fetch(own.replace('/metrics', '/v1/ping'))).status).toBe(404);
    expect((await place.metrics()).headers.get('content-type')).toContain('text/plain; version=0.0.4');
  });
});

describe('the page of metrics', () => {
  it.each([
    ['on a port of its own', { port: 0 }],
    ['behind a key', { key: 'm3trics' }],
  ])('%s is only read', async (_where, access) => {
    const place = await start(access);
    const url = place.running.metricsUrl ?? `${place.running.url}/metrics`;
    const headers = { authorization: 'Bearer m3trics' };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method, headers });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ status: 405, title: 'Method Not Allowed' });
    }
    const head = await fetch(url, { method: 'HEAD', headers });
    expect([head.status, await head.text()]).toEqual([200, '']);
    await stop(place);
  });
});

describe('metrics behind a key', () => {
  it('are a page of the service for those who have the key', async () => {
    const place = await start({ key: 'm3trics' });
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic m3trics' },
      { 'x-api-key': 'm3tric' },
    ] as Record<string, string>[])
      expect((await place.metrics(headers)).status).toBe(401);
    for (const headers of [{ authorization: 'Bearer m3trics' }, { 'x-api-key': 'm3trics' }] as Record<
      string,
      string
    >[]) {
      const response = await place.metrics(headers);
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('asof_store_revision'),
      ]);
    }
    await stop(place);
  });

  it('of a port of their own need it there', async () => {
    const place = await start({ port: 0, key: 'm3trics' });
    expect((await place.metrics()).status).toBe(401);
    expect((await place.metrics({ authorization: 'Bearer m3trics' })).status).toBe(200);
    await stop(place);
  });
});
