import { get as httpGet } from 'node:http';
import { performance } from 'node:perf_hooks';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { utcDay } from '../../../src/domain/values/date.ts';
import type { Plan } from '../../../src/server/keys/plans.ts';
import { TableWorkers } from '../../../src/server/tables/service-lease.ts';
import { createService } from '../../../src/service/service.ts';
import { openStore } from '../../../src/store/open.ts';
import { type Engine, onEveryEngine, sqlite } from '../../support/engines.ts';
import { bodyOf } from '../../support/http-service.ts';
import { startService, unlimited } from '../../support/modes.ts';
import { importFiles } from '../../support/scratch-store.ts';

/** A panel that takes minutes to compute. */
const endless =
  '/v1/panel?ids=LONG*&as_of_each=day&from=1999-01-01&to=2020-12-31&units=pc1&last=12&format=csv';

/** Fills a new store with four long series. */
async function filled(address: string): Promise<string> {
  const lines = ['LONG1', 'LONG2', 'LONG3', 'LONG4'].flatMap((id) =>
    Array.from({ length: 12_700 }, (_, i) => {
      const [date, known] = [i, i + 1].map((day) => utcDay(new Date(Date.UTC(1980, 0, 1 + day))));
      return `${id},${date},${known},${i}.25`;
    }),
  );
  await importFiles(address, { 'facts.csv': `series_id,date,as_of_date,value\n${lines.join('\n')}\n` });
  return address;
}

/** A service of a store of an engine, until the end of the test. */
async function served(
  { newAccessAddress }: Engine,
  path: string,
  { maxSeconds = 60, ...limits }: Partial<Plan> & { readonly maxSeconds?: number } = {},
) {
  const { url, key, log, stop } = await startService({
    openStore: () => openStore(path),
    accessAddress: newAccessAddress(),
    plan: { ...unlimited, ...limits },
    timeouts: { inFlight: 100 },
    maxSeconds,
  });
  onTestFinished(stop);
  const headers = { 'x-api-key': key };
  return {
    log,
    ask: (target: string) => fetch(url + target, { headers }),
    /** Asks for the endless panel, and gives what hangs up. */
    begin() {
      const request = httpGet(url + endless, { headers, agent: false });
      const gone = new Promise<void>((resolve) => request.on('error', () => resolve()));
      return async () => {
        request.destroy();
        await gone;
      };
    },
  };
}

onEveryEngine((engine) => {
  let path: string;
  beforeAll(async () => {
    path = await filled(engine.newAddress());
  });

  it('a table whose client hangs up is computed no longer, so that the next one begins', async () => {
    // With one at a time, the last table waits for those before it, each of which takes minutes.
    const { begin, ask, log } = await served(engine, path, { maxConcurrent: 1 });
    const hangUps = [begin(), begin(), begin()];
    setTimeout(() => {
      for (const hangUp of hangUps) void hangUp();
    }, 300);
    expect((await ask('/v1/panel?ids=LONG1&from=2014-09-01')).status).toBe(200);
    const statuses = () => log().flatMap(({ route, status }) => (route === '/v1/panel' ? [status] : []));
    await expect.poll(() => statuses().sort()).toEqual([200, 499, 499, 499]);
    expect(log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('a table that nobody wants leaves its thread at once', async () => {
    const store = await openStore(path);
    const state = await createService({ store }).state();
    const tables = new TableWorkers({ address: path });
    const stop = new AbortController();
    const query = new URL(endless, 'http://x').searchParams;
    query.delete('format');
    const job = { name: 'panel', texts: [...query], plan: unlimited, requestId: 'req_0', now: new Date() };
    const asked = Array.from({ length: 3 }, async () =>
      tables.answer({ ...job, format: 'csv', state }, stop.signal).next(),
    );
    await expect.poll(() => tables.running).toBeGreaterThan(0);
    stop.abort(new Error('gone'));
    const reasons = (await Promise.allSettled(asked)).map((one) => 'reason' in one && one.reason.message);
    expect(new Set(reasons)).toEqual(new Set(['gone']));
    expect(tables.running).toBe(0);
    await tables.close();
    await store.close();
  });

  it('tables of a key are two at a time, eight wait, and more get 429 and count in no window', async () => {
    const { begin, ask, log } = await served(engine, path, { maxConcurrent: 2 });
    const used = async () => Number((await bodyOf(ask('/v1/ping'))).results[0]?.daily_used);
    const before = await used();
    const hangUps = Array.from({ length: 10 }, begin);
    await expect.poll(used).toBeGreaterThan(before + 10);
    const counted = await used();
    for (const target of [endless, endless, '/v1/series/LONG1/observations?format=csv']) {
      const response = await ask(target);
      const { headers, status } = response;
      expect([status, headers.get('retry-after')]).toEqual([429, '1']);
      expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
      expect(await bodyOf(response)).toMatchObject({
        type: expect.stringMatching(/\/errors\/rate-limit-exceeded$/),
        detail: 'the plan allows 2 tables at a time, and too many requests of this key already wait',
      });
    }
    // A page is no computation.
    expect((await ask('/v1/series/LONG1/observations')).status).toBe(200);
    expect(await used()).toBe(counted + 2);
    for (const hangUp of hangUps) await hangUp();
    expect((await ask('/v1/series/LONG1/observations?format=csv&limit=1')).status).toBe(200);
    expect(log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('tables that take longer than the service allows are refused with 503', async () => {
    const { ask, log } = await served(engine, path, { maxSeconds: 1, maxConcurrent: 1 });
    const response = await ask(endless);
    expect([response.status, response.headers.get('retry-after'), await bodyOf(response)]).toEqual([
      503,
      null,
      {
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        detail:
          'the answer takes more than 1 s to compute, the limit of this service: ask for fewer series or dates',
        instance: '/v1/panel',
        request_id: expect.any(String),
      },
    ]);
    expect((await ask('/v1/panel?ids=LONG1&from=2014-09-01')).status).toBe(200);
    const statuses = () =>
      log().flatMap(({ route, status }) => (route === '/v1/panel' && status ? [status] : []));
    await expect.poll(statuses).toEqual([503, 200]);
  });

  // The engine does not matter to the rest.
  if (engine !== sqlite) return;

  it('tables that are refused leave their place, so that later ones are answered', async () => {
    const { ask } = await served(engine, path, { maxConcurrent: 1 });
    const wrong = ['panel?ids=NOPE', 'panel', 'diff?ids=LONG1&days=x', 'panel?ids=LONG1&as_of=x'];
    for (let round = 0; round < 3; round += 1)
      for (const target of wrong) expect((await ask(`/v1/${target}`)).status).not.toBe(429);
    for (let round = 0; round < 8; round += 1)
      expect((await ask('/v1/panel?ids=LONG1&from=2014-09-01&format=csv')).status).toBe(200);
  });

  it('tables leave the event loop to other requests while they are computed', async () => {
    const { ask, begin } = await served(engine, path);
    const before = performance.eventLoopUtilization();
    const hangUps = Array.from({ length: 4 }, begin);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
    for (const hangUp of hangUps) await hangUp();
    expect((await ask('/v1/ping')).status).toBe(200);
  });
});
