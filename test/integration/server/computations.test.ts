import { get as httpGet } from 'node:http';
import { performance } from 'node:perf_hooks';
import { PassThrough } from 'node:stream';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { utcDay } from '../../../src/domain/series/date.ts';
import { Gate, newKey } from '../../../src/server/keys/gate.ts';
import type { Plan } from '../../../src/server/keys/plans.ts';
import { serve } from '../../../src/server/serve.ts';
import type { TableJob } from '../../../src/server/table-worker.ts';
import { TableWorkers } from '../../../src/server/table-workers.ts';
import { createService } from '../../../src/service/service.ts';
import { openAccess, openStore } from '../../../src/store/open.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { bodyOf } from '../../support/http-service.ts';
import { unlimited } from '../../support/modes.ts';
import { importFiles } from '../../support/scratch-store.ts';

let path: string;
let accessAddress: () => string;

/** A panel that takes minutes to compute. */
const endless =
  '/v1/panel?ids=LONG*&as_of_each=day&from=1999-01-01&to=2020-12-31&units=pc1&last=12&format=csv';

/** Fills a new store with four long series. */
async function fill(address: string): Promise<void> {
  path = address;
  const lines = ['LONG1', 'LONG2', 'LONG3', 'LONG4'].flatMap((id) =>
    Array.from({ length: 20_000 }, (_, i) => {
      const [date, known] = [i, i + 1].map((day) => utcDay(new Date(Date.UTC(1960, 0, 1 + day))));
      return `${id},${date},${known},${i}.25`;
    }),
  );
  await importFiles(path, { 'facts.csv': `series_id,date,as_of_date,value\n${lines.join('\n')}\n` });
}

type Served = {
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly ask: (target: string) => Promise<Response>;
  /** Asks, and hangs up after some milliseconds. */
  readonly hangUp: (target: string, after: number) => Promise<void>;
};

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

async function served(given: Partial<Plan> & { readonly maxSeconds?: number } = {}): Promise<Served> {
  const { maxSeconds, ...limits } = given;
  const plan = { ...unlimited, ...limits };
  const access = await openAccess(accessAddress(), { counting: true });
  const { secret, stored } = newKey({ name: 'test', plan: plan.name, now: new Date() });
  await access.addKey(stored);
  const stream = new PassThrough();
  let said = '';
  stream.on('data', (text) => {
    said += text;
  });
  const running = await serve({
    openStore: () => openStore(path),
    gate: await Gate.open(access, new Map([[plan.name, plan]])),
    host: '127.0.0.1',
    port: 0,
    log: stream,
    timeouts: { notice: 0, inFlight: 100 },
    ...(maxSeconds !== undefined && { maxSeconds }),
  });
  ending.push(async () => {
    await running.stop();
    await access.close();
  });
  const headers = { 'x-api-key': secret };
  return {
    log: () =>
      said
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    ask: (target) => fetch(running.url + target, { headers }),
    hangUp: (target, after) =>
      new Promise((resolve) => {
        const request = httpGet(running.url + target, { headers, agent: false });
        request.on('error', () => resolve());
        setTimeout(() => request.destroy(), after);
      }),
  };
}

const panel: Pick<TableJob, 'name' | 'texts'> = {
  name: 'panel',
  texts: [
    ['ids', 'LONG*'],
    ['as_of_each', 'day'],
    ['from', '1999-01-01'],
    ['to', '2020-12-31'],
    ['last', '12'],
  ],
};

onEveryEngine((engine) => {
  beforeAll(async () => {
    accessAddress = engine.newAccessAddress;
    await fill(engine.newAddress());
  });

  describe('a table whose client hangs up', () => {
    it('is computed no longer, so that the next one begins', async () => {
      // With one at a time, the last table waits for those before it, each of which takes minutes.
      const { hangUp, ask, log } = await served({ maxConcurrent: 1 });
      await Promise.all([hangUp(endless, 300), hangUp(endless, 300), hangUp(endless, 300)]);
      expect((await ask('/v1/panel?ids=LONG1&from=2014-09-01')).status).toBe(200);
      const statuses = () => log().flatMap(({ route, status }) => (route === '/v1/panel' ? [status] : []));
      await expect.poll(() => statuses().sort()).toEqual([200, 499, 499, 499]);
      expect(log().filter(({ level }) => Number(level) > 40)).toEqual([]);
    });

    it('leaves its thread at once', async () => {
      const store = await openStore(path);
      const state = await createService({ store }).state();
      const tables = new TableWorkers({ address: path });
      const stop = new AbortController();
      const job = { ...panel, plan: unlimited, requestId: 'req_0', now: new Date() };
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
  });

  describe('the tables of a key', () => {
    it('are two at a time, eight wait, and more get 429 and count in no window', async () => {
      const { hangUp, ask, log } = await served({ maxConcurrent: 2 });
      const used = async () => Number((await bodyOf(ask('/v1/ping'))).results[0]?.daily_used);
      const before = await used();
      const asked = Array.from({ length: 10 }, () => hangUp(endless, 3000));
      await expect.poll(used).toBeGreaterThan(before + 10);
      const counted = await used();
      const refused = await Promise.all([
        ask(endless),
        ask(endless),
        ask('/v1/series/LONG1/observations?format=csv'),
      ]);
      for (const response of refused) {
        const { headers, status } = response;
        expect([status, headers.get('retry-after'), headers.get('ratelimit-remaining')]).toMatchObject([
          429,
          '1',
          expect.stringMatching(/^\d+$/),
        ]);
        expect(await bodyOf(response)).toMatchObject({
          type: expect.stringMatching(/\/errors\/rate-limit-exceeded$/),
          detail: '2 tables at a time: too many requests for more wait already',
        });
      }
      // A page is no computation.
      expect((await ask('/v1/series/LONG1/observations')).status).toBe(200);
      expect(await used()).toBe(counted + 2);
      await Promise.all(asked);
      expect((await ask('/v1/series/LONG1/observations?format=csv&limit=1')).status).toBe(200);
      expect(log().filter(({ level }) => Number(level) > 40)).toEqual([]);
    });

    it('leave their place where a request is refused, so that later ones are answered', async () => {
      const { ask } = await served({ maxConcurrent: 1 });
      const wrong = [
        '/v1/panel?ids=NOPE',
        '/v1/panel',
        '/v1/diff?ids=LONG1&days=x',
        '/v1/panel?ids=LONG1&as_of=x',
      ];
      for (let round = 0; round < 3; round += 1)
        for (const target of wrong) expect((await ask(target)).status).not.toBe(429);
      const target = '/v1/panel?ids=LONG1&from=2014-09-01&format=csv';
      const first = await ask(target);
      expect(first.status).toBe(200);
      for (let round = 0; round < 7; round += 1) expect((await ask(target)).status).toBe(200);
    });

    it('leave the event loop to other requests while they are computed', async () => {
      const { ask, hangUp } = await served();
      const panels = Array.from({ length: 4 }, () => hangUp(endless, 1500));
      const before = performance.eventLoopUtilization();
      await Promise.all(panels);
      expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
      expect((await ask('/v1/ping')).status).toBe(200);
    });

    it('are refused with 503 where they take longer than the service allows', async () => {
      const { ask, log } = await served({ maxSeconds: 1, maxConcurrent: 1 });
      const response = await ask(endless);
      expect([response.status, response.headers.get('retry-after'), await bodyOf(response)]).toEqual([
        503,
        null,
        {
          type: 'about:blank',
          title: 'Service Unavailable',
          status: 503,
          detail:
            'the answer takes more than 1 s to compute, the most of this service: ask for fewer series or dates',
          instance: '/v1/panel',
          request_id: expect.any(String),
        },
      ]);
      expect((await ask('/v1/panel?ids=LONG1&from=2014-09-01')).status).toBe(200);
      const statuses = () =>
        log().flatMap(({ route, status }) => (route === '/v1/panel' && status ? [status] : []));
      await expect.poll(statuses).toEqual([503, 200]);
    });
  });
});
