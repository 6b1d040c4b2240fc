import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MetricsAccess } from '../../../src/server/metrics.ts';
import { openStore } from '../../../src/store/open.ts';
import { newQuarterlyStore } from '../../support/example-stores.ts';
import { startService, unlimited } from '../../support/modes.ts';
import { root } from '../../support/repository.ts';
import { importFiles } from '../../support/scratch-store.ts';

async function start(metrics: MetricsAccess) {
  const store = await newQuarterlyStore();
  const clock = () => new Date('2026-01-15T12:00:00Z');
  const plan = { ...unlimited, ratePerMinute: 9 };
  const running = await startService({ openStore: () => openStore(store), clock, plan, metrics });
  const page = running.metricsUrl ?? `${running.url}/metrics`;
  return {
    running,
    store,
    page,
    get: (path: string) => fetch(running.url + path, { headers: { 'x-api-key': running.key } }),
    metrics: (headers: Readonly<Record<string, string>> = {}) => fetch(page, { headers }),
    stop: running.stop,
  };
}

describe('the metrics of a service', () => {
  let place: Awaited<ReturnType<typeof start>>;
  /** The value of a sample of the text format of Prometheus, by its name and its labels as they are written. */
  const sample = async (name: string, labels?: string) => {
    const begin = labels === undefined ? `${name} ` : `${name}{${labels}} `;
    const line = (await (await place.metrics()).text()).split('\n').find((one) => one.startsWith(begin));
    return line === undefined ? undefined : Number(line.slice(begin.length));
  };

  beforeAll(async () => {
    place = await start({ port: 0 });
  });
  afterAll(() => place.stop());

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
      const labels = `${route},status="${status}"`;
      expect(await sample('asof_http_requests_total', `method="GET",${labels}`)).toBe(count);
      expect(await sample('asof_http_request_duration_seconds_count', labels)).toBe(count);
    }
    const labels = `${route},status="200"`;
    expect(await sample('asof_http_request_duration_seconds_bucket', `le="+Inf",${labels}`)).toBe(2);
    expect(await sample('asof_http_request_duration_seconds_sum', labels)).toBeGreaterThan(0);
  });

  it('are all that the dashboard for Grafana asks for', async () => {
    const dashboard: {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    } = JSON.parse(readFileSync(join(root, 'deploy', 'grafana.json'), 'utf8'));
    const asked = dashboard.panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/\b(?:asof|nodejs|process)_\w+/g) ?? []),
    );
    const text = await (await place.metrics()).text();
    const known = new Set(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    expect(new Set(asked).size).toBeGreaterThan(10);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
    // Nothing that only asof has is left out.
    const own = [...known].filter((name) => /^asof_(?!.*_(count|sum)$)/.test(name));
    expect(own.filter((name) => !asked.includes(name))).toEqual([]);
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
    const csv = 'series_id,date,as_of_date,value\nNEW,2025-12-01,2026-01-10,1\n';
    await importFiles(place.store, { 'facts.csv': csv });
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
    const { page, running } = place;
    expect(new URL(page).port).not.toBe(new URL(running.url).port);
    expect((await fetch(`${running.url}/metrics`)).status).toBe(404);
    expect((await fetch(page.replace('/metrics', '/v1/ping'))).status).toBe(404);
    expect((await place.metrics()).headers.get('content-type')).toContain('text/plain; version=0.0.4');
  });
});

describe('the page of metrics behind a key', () => {
  it.each<[string, MetricsAccess]>([
    ['of the service', { key: 'm3trics' }],
    ['on a port of its own', { port: 0, key: 'm3trics' }],
  ])('%s is read alone, and by those who have the key', async (_, access) => {
    const place = await start(access);
    const right = { authorization: 'Bearer m3trics' };
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic m3trics' },
      { 'x-api-key': 'm3tric' },
    ] as Record<string, string>[])
      expect((await place.metrics(headers)).status).toBe(401);
    for (const headers of [right, { 'x-api-key': 'm3trics' }] as Record<string, string>[]) {
      const response = await place.metrics(headers);
      const found = expect.stringContaining('asof_store_revision');
      expect([response.status, await response.text()]).toEqual([200, found]);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(place.page, { method, headers: right });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ status: 405, title: 'Method Not Allowed' });
    }
    const head = await fetch(place.page, { method: 'HEAD', headers: right });
    expect([head.status, await head.text()]).toEqual([200, '']);
    await place.stop();
  });
});
