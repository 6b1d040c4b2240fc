import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { newQuarterlyStore } from '../../support/example-stores.ts';
import { scratchFolder } from '../../support/folders.ts';
import { bodyOf } from '../../support/http-service.ts';
import { freePort } from '../../support/postgres.ts';
import {
  killProcesses,
  plansWith,
  type ServiceProcess,
  startProgram,
  startServing,
} from '../../support/processes.ts';
import { manifest, builtProgram as program } from '../../support/repository.ts';
import { facts } from '../../support/scratch-store.ts';

afterEach(killProcesses);

/** A fresh machine: a home, a store, an access store, plans. */
type Place = {
  readonly folder: string;
  readonly store: string;
  readonly env: Readonly<Record<string, string>>;
};

async function newPlace(): Promise<Place> {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'plans.json'), plansWith({ hundred: 100, many: 1_000_000 }));
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, ASOF_ACCESS: join(folder, 'access.db') };
  return { folder, store: await newQuarterlyStore(), env };
}

function run({ folder: cwd, env }: Place, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Imports statements into a store without blocking this process. */
async function importBeside({ folder: cwd, env }: Place, csv: string, ...flags: readonly string[]) {
  const file = join(cwd, 'more.csv');
  writeFileSync(file, csv);
  expect(await startProgram(['import', file, ...flags], { cwd, env }).exited).toBe(0);
}

function newKey(place: Place, plan: string): string {
  return run(place, 'keys', 'create', '--name', 'Ada', '--plan', plan, '--plans', 'plans.json').stdout.trim();
}

/** A service that has said where it listens. */
const start = (
  { folder: cwd, store, env }: Place,
  flags: readonly string[] = ['--port', '0', '--plans', 'plans.json', '--store', store],
  variables: Readonly<Record<string, string>> = {},
) => startServing(flags, { cwd, env: { ...env, ...variables } });

const asOf = '/v1/series/GDP/observations?as_of=2015-01-30';

/** The statuses of a request that is made a number of times at once. */
function statusesOf({ get }: ServiceProcess, count: number, path: string, key: string): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, async () => (await get(path, key)).status));
}

/** Asks for paths again and again until it is stopped; then gives the statuses of all answers. */
function asking(
  { get }: ServiceProcess,
  key: string,
  paths: readonly string[],
  read: (text: string) => void = () => {},
) {
  const statuses: number[] = [];
  let isOver = false;
  const all = paths.map(async (path) => {
    while (!isOver) {
      const response = await get(path, key);
      read(await response.text());
      statuses.push(response.status);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(all);
    return statuses;
  };
}

describe('asof serve', () => {
  it('counts a thousand requests at once exactly, also over a restart and kill -9', async () => {
    const place = await newPlace();
    const key = newKey(place, 'hundred');
    const first = await start(place);
    expect(new Set(await statusesOf(first, 40, '/v1/ping', key))).toEqual(new Set([200]));
    // Counts are saved within a second.
    await delay(1000);
    first.child.kill('SIGKILL');
    await first.exited;

    const second = await start(place);
    expect(new Set(await statusesOf(second, 20, asOf, key))).toEqual(new Set([200]));
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);

    const third = await start(place);
    const rest = await statusesOf(third, 1000, asOf, key);
    expect(rest.filter((status) => status === 200)).toHaveLength(40);
    expect(rest.filter((status) => status === 429)).toHaveLength(960);
    const { detail } = await bodyOf(third.get('/v1/ping', key));
    expect(detail).toBe('daily limit of 100 requests exceeded');
  });

  it('answers every request while imports go on, tables and probes too, and shows each import at once', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const ids = Array.from({ length: 40 }, (_, i) => `S${i}`);
    const dates = Array.from({ length: 120 }, (_, i) =>
      new Date(Date.UTC(2000, i)).toISOString().slice(0, 10),
    );
    const dayOf = (n: number) => `20${10 + n}-01-31`;
    const imported = (n: number) => {
      const lines = ids.flatMap((id) => dates.map((date, i) => `${id},${date},${dayOf(n)},${n * i}`));
      const csv = `series_id,date,as_of_date,value\n${lines.join('\n')}\n`;
      return importBeside(place, csv, '--store', place.store);
    };
    await imported(0);
    const service = await start(place);
    const tables = new Set<string>();
    const targets = [
      '/healthz',
      '/readyz',
      '/v1/ping',
      '/v1/series/S7/observations?limit=100',
      '/v1/observations?ids=S*&format=csv',
      '/v1/panel?ids=S1,S2,S3&as_of_each=month-end&from=2010-01-01&to=2012-12-31',
    ];
    const stop = asking(service, key, targets, (text) => {
      // A table is of one state of the data: what is not as in the first vintage is of one other.
      const days = new Set(text.match(/\d{4}-01-31(?=,S\d+,)/g));
      if (days.delete(dayOf(0)) || days.size > 0) tables.add([...days].join());
    });
    for (let n = 1; n <= 3; n += 1) {
      await imported(n);
      const [newest] = (await bodyOf(service.get('/v1/series/S7/observations?limit=1', key))).results;
      expect(newest).toMatchObject({ as_of_date: `${dayOf(n)}T00:00:00Z` });
    }
    const statuses = await stop();
    expect(statuses.length).toBeGreaterThan(50);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(tables.size).toBeGreaterThan(1);
    expect([...tables].filter((days) => days.includes(','))).toEqual([]);
  });

  it('begun on the sample says so, and serves the store that the first import makes', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const port = String(await freePort());
    const args = ['serve', '--port', port, '--plans', 'plans.json', '-q'];
    const { log } = startProgram(args, { cwd: place.folder, env: place.env });
    const headers = { 'x-api-key': key };
    const statusOf = async (id: string) =>
      (await fetch(`http://127.0.0.1:${port}/v1/series/${id}`, { headers })).status;
    await expect.poll(() => statusOf('GDP').catch(() => 0), { timeout: 10_000 }).toBe(200);
    expect(JSON.parse(log().split('\n')[0] ?? '')).toMatchObject({
      level: 'warn',
      version: manifest.version,
      sample: true,
      msg: expect.stringContaining('serves the sample'),
      store: expect.stringMatching(/sample\.db$/),
    });
    expect(await statusOf('MINE')).toBe(404);
    await importBeside(place, facts('MINE 2014-04-01 2014-10-30 1'));
    await expect.poll(() => statusOf('MINE'), { timeout: 10_000 }).toBe(200);
    expect(await statusOf('GDP')).toBe(404);
  });

  it('shows a store that takes the place of another after SIGHUP, and loses no request by it', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const link = join(place.folder, 'current.db');
    symlinkSync(place.store, link);
    const other = await newQuarterlyStore();
    await importBeside(place, facts('GDP 2014-04-01 2014-10-30 17328.2'), '--store', other);
    const service = await start(place, ['--port', '0', '--plans', 'plans.json', '--store', link]);
    const stop = asking(service, key, [asOf, asOf]);
    const count = async () => (await bodyOf(service.get(asOf, key))).results_count;
    expect(await count()).toBe(2);
    symlinkSync(other, `${link}.next`);
    renameSync(`${link}.next`, link);
    service.child.kill('SIGHUP');
    await expect
      .poll(() => service.log(), { timeout: 10_000 })
      .toMatch(/serves the store.*\n[\s\S]*serves the store/);
    expect(await count()).toBe(3);
    // If the new store cannot be opened, the service keeps the old one.
    writeFileSync(`${link}.bad`, 'no store');
    renameSync(`${link}.bad`, link);
    service.child.kill('SIGHUP');
    await expect.poll(() => service.log(), { timeout: 10_000 }).toContain('the one that is open stays');
    expect(await count()).toBe(3);
    expect(new Set(await stop())).toEqual(new Set([200]));
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 within 10 seconds of %s, with requests in flight answered',
    async (signal) => {
      const place = await newPlace();
      const key = newKey(place, 'many');
      const service = await start(place);
      const asked = Array.from({ length: 50 }, async () => (await service.get(asOf, key)).status);
      await Promise.race(asked);
      const started = performance.now();
      service.child.kill(signal);
      expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
      expect(await service.exited).toBe(0);
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  it('goes on answering for --drain with readiness 503, and says last that it has stopped', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const service = await start(place, undefined, { ASOF_DRAIN: '4s' });
    service.child.kill('SIGTERM');
    const began = performance.now();
    await expect.poll(async () => (await service.get('/readyz')).status, { interval: 20 }).toBe(503);
    while (performance.now() - began < 1500) {
      expect([(await service.get('/readyz')).status, (await service.get(asOf, key)).status]).toEqual([
        503, 200,
      ]);
      await delay(50);
    }
    expect(await service.exited).toBe(0);
    const [first, ...rest] = service
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      level: 'info',
      version: manifest.version,
      store: place.store,
      sample: false,
    });
    expect(rest.at(-1)).toMatchObject({ level: 'info', msg: 'stopped' });
  });

  it('sets readiness to 503 before it stops', async () => {
    const service = await start(await newPlace());
    expect((await service.get('/readyz')).status).toBe(200);
    service.child.kill('SIGTERM');
    const readiness = async () => {
      const ready = await service.get('/readyz');
      return [ready.status, (await bodyOf(ready)).detail];
    };
    await expect.poll(readiness, { interval: 20 }).toEqual([503, 'the service is shutting down']);
    expect(await service.exited).toBe(0);
  });

  it('takes its settings from the environment and a file, and shows metrics on a port of their own', async () => {
    const place = await newPlace();
    const settings = { 'metrics-port': 0, 'cors-origin': ['https://app.example'], plans: 'plans.json' };
    writeFileSync(join(place.folder, 'serve.json'), JSON.stringify(settings));
    const key = newKey(place, 'many');
    const variables = { ASOF_PORT: '0', ASOF_STORE: place.store, ASOF_CONFIG: 'serve.json' };
    const service = await start(place, [], variables);
    const headers = { 'x-api-key': key, origin: 'https://app.example' };
    const answer = await fetch(service.url + asOf, { headers });
    const allowed = answer.headers.get('access-control-allow-origin');
    expect([answer.status, allowed]).toEqual([200, 'https://app.example']);
    const metrics = /"metrics":"(http:[^"]+)"/.exec(service.log())?.[1] ?? '';
    expect(await (await fetch(metrics)).text()).toContain(
      'asof_http_requests_total{method="GET",route="/v1/series/{id}/observations",status="200"} 1',
    );
    expect((await service.get('/metrics')).status).toBe(404);
  });

  it('does not start without what it is told to use', async () => {
    const place = await newPlace();
    newKey(place, 'many');
    const { store } = place;
    const { port } = new URL((await start(await newPlace())).url);
    for (const [args, status, reason] of [
      [['--port', port, '--plans', 'plans.json', '--store', store], 10, 'the port is in use'],
      [['--port', '0', '--plans', 'nowhere.json'], 10, 'cannot read the plans nowhere.json'],
      [['--port', '0', '--plans', 'plans.json', '--store', 'nowhere.db'], 10, 'no such file or folder'],
      [['--port', '0', '--store', store], 2, "is on the plan 'many': the plans are free, pro"],
      [
        ['--port', '0', '--plans', 'plans.json', '--store', store, '--metrics-key', 'none'],
        10,
        'the key of /metrics, none',
      ],
    ] as const) {
      const ended = run(place, 'serve', ...args);
      expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(reason)]);
    }
  });

  it('that cannot start leaves the access store at once, however long it would drain', async () => {
    const place = await newPlace();
    const { port } = new URL((await start(await newPlace())).url);
    const started = performance.now();
    const line = ['--port', '0', '--metrics-port', port, '--drain', '60s', '--store', place.store];
    const ended = run(place, 'serve', ...line);
    expect([ended.status, ended.stderr]).toEqual([10, expect.stringContaining('the port is in use')]);
    expect(performance.now() - started).toBeLessThan(30_000);
    await start(place);
  });
});

describe('asof keys', () => {
  it('shows a key once, alone on stdout; it works at once, and stops at once when revoked', async () => {
    const place = await newPlace();
    const service = await start(place);
    const flags = ['--name', 'Ada L.', '--plan', 'many', '--plans', 'plans.json'];
    const created = run(place, 'keys', 'create', ...flags);
    expect(created.stdout).toMatch(/^asof_live_sk_[A-Za-z0-9_-]{43}\n$/);
    const key = created.stdout.trim();
    expect(created.stderr).not.toContain(key.slice(13));
    expect((await service.get('/v1/ping', key)).status).toBe(200);

    const listed = run(place, 'keys', 'list', '--csv');
    const [header, row = ''] = listed.stdout.split('\n');
    expect(header).toBe('id,name,plan,start,created_at,revoked_at,expires_at,previous_until');
    const [id = '', name, plan, first] = row.split(',');
    expect([name, plan, first]).toEqual(['Ada L.', 'many', key.slice(13, 17)]);
    expect(listed.stdout).not.toContain(key.slice(13, 20));

    expect(run(place, 'keys', 'revoke', id).status).toBe(0);
    expect((await service.get('/v1/ping', key)).status).toBe(401);
    expect(JSON.parse(run(place, 'keys', 'list', '--json').stdout)).toMatchObject({
      object: 'key_list',
      results: [{ id, revoked_at: expect.stringMatching(/^\d{4}-/) }],
      results_count: 1,
    });
    expect(run(place, 'keys', 'revoke', id).status).toBe(0);
  });

  it('keeps keys in a file that only its owner can read, by default beside the default store', async () => {
    const place = await newPlace();
    const data = join(place.folder, 'data');
    const env = { PATH: place.env.PATH ?? '', HOME: place.folder, XDG_DATA_HOME: data };
    expect(run({ ...place, env }, 'keys', 'create', '--name', 'Ada').status).toBe(0);
    expect(statSync(join(data, 'asof', 'access.db')).mode & 0o777).toBe(0o600);
  });
});

it('a secret is in no log, no output and no file after any command', async () => {
  const place = await newPlace();
  const key = newKey(place, 'many');
  const service = await start(place);
  for (const path of ['/v1/ping', asOf, `/v1/ping?key=${key}`, `/v1/series/${key}`, `/${key}`])
    await (await service.get(path, key)).arrayBuffer();
  await fetch(`${service.url}/v1/ping`, { headers: { authorization: `Bearer ${key}` } });
  run(place, 'keys', 'list');
  // It saves counts when it stops.
  service.child.kill('SIGTERM');
  await service.exited;
  const files = readdirSync(place.folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.some((file) => file.endsWith('access.db'))).toBe(true);
  const secret = key.slice(13);
  for (const file of files)
    expect([file, readFileSync(file, 'latin1').includes(secret)]).toEqual([file, false]);
  expect(service.log()).toContain('/v1/series/{id}');
  expect(service.log()).not.toContain(secret);
  // The log has no hash of the key either; only the access store has it.
  const hash = createHash('sha256').update(key).digest('hex');
  expect(readFileSync(join(place.folder, 'access.db'), 'latin1')).toContain(hash);
  expect(service.log()).not.toContain(hash);
});
