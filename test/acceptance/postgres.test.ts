import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { type Cluster, startCluster } from '../support/postgres/cluster.ts';
import { digestOfSchema, newSchemaAddress } from '../support/postgres/schemas.ts';
import { newHome } from '../support/pull/homes.ts';
import { fredWorld } from '../support/pull/worlds.ts';
import { builtProgram } from '../support/repository.ts';
import { facts, importFiles, manyStatements } from '../support/scratch-store.ts';

const folder = newFolder();
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

folder.write(
  'plans.json',
  JSON.stringify(
    [
      ['hundred', 100],
      ['many', 1_000_000],
    ].map(([name, limit]) => ({
      name,
      monthly_limit: 1_000_000,
      daily_limit: limit,
      rate_per_minute: 1_000_000,
      vintage_access: true,
    })),
  ),
);

const env = { PATH: process.env.PATH ?? '', HOME: folder.path('.') };

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram, ...args], {
    cwd: folder.path('.'),
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

type Running = {
  readonly url: string;
  readonly child: ChildProcess;
  readonly log: () => string;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
};

/** A service of a store whose keys are in the same database; on any free port, or on one that it had before. */
async function start(store: string, port = '0'): Promise<Running> {
  const args = ['serve', '--port', port, '--plans', 'plans.json', '--store', store, '--access', store];
  const child = spawn(process.execPath, [builtProgram, ...args], {
    cwd: folder.path('.'),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (text) => {
      said += text;
      const found = /"url":"(http:[^"]+)"/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  return { url, child, log: () => said, get: (path, headers = {}) => fetch(url + path, { headers }) };
}

function newKey(store: string, plan: string): { readonly key: string; readonly id: string } {
  const line = [
    'keys',
    'create',
    '--name',
    'Ada',
    '--plan',
    plan,
    '--plans',
    'plans.json',
    '--access',
    store,
  ];
  const { stdout, stderr } = run(...line);
  return { key: stdout.trim(), id: /key (k_\w+)/.exec(stderr)?.[1] ?? '' };
}

async function newStore(address = newSchemaAddress()): Promise<string> {
  await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
  return address;
}

const page = '/v1/series/GDP/observations';

describe('three processes of a service over one database', () => {
  it('answer exactly 100 of 1000 requests at once where 100 are allowed', async () => {
    const store = await newStore();
    const { key } = newKey(store, 'hundred');
    const services = await Promise.all([start(store), start(store), start(store)]);
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (_, i) => {
        const response = await services[i % 3]?.get('/v1/ping', { 'x-api-key': key });
        await response?.arrayBuffer();
        return response?.status;
      }),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(100);
    expect(answers.filter((status) => status === 429)).toHaveLength(900);
    const after = await services[0]?.get('/v1/ping', { 'x-api-key': key });
    expect(after?.headers.get('ratelimit-remaining')).toBe('0');
  });

  it('all refuse a key within a second after it was revoked, and know a new one', async () => {
    const store = await newStore();
    const { key, id } = newKey(store, 'many');
    const services = await Promise.all([start(store), start(store), start(store)]);
    const statuses = (secret: string) =>
      Promise.all(services.map(async ({ get }) => (await get('/v1/ping', { 'x-api-key': secret })).status));
    expect(await statuses(key)).toEqual([200, 200, 200]);
    expect(run('keys', 'revoke', id, '--access', store).status).toBe(0);
    await delay(1000);
    expect(await statuses(key)).toEqual([401, 401, 401]);
    expect(await statuses(newKey(store, 'many').key)).toEqual([200, 200, 200]);
  });

  it('name an answer alike, and another after an import of its series alone', async () => {
    const store = await newStore();
    const { key } = newKey(store, 'many');
    const services = await Promise.all([start(store), start(store), start(store)]);
    const tags = () =>
      Promise.all(
        services.map(async ({ get }) => (await get(page, { 'x-api-key': key })).headers.get('etag')),
      );
    const [tag = null, ...others] = await tags();
    expect(others).toEqual([tag, tag]);
    await importFiles(store, { 'b.csv': facts('OTHER 2014-10-01 2015-01-30 1') });
    expect(await tags()).toEqual([tag, tag, tag]);
    const known = { 'x-api-key': key, 'if-none-match': tag ?? '' };
    expect((await services[0]?.get(page, known))?.status).toBe(304);
    await importFiles(store, { 'c.csv': facts('GDP 2014-10-01 2015-02-27 17701.3') });
    const [later] = await tags();
    expect(later).not.toBe(tag);
    expect((await services[1]?.get(page, known))?.status).toBe(200);
  });
});

describe('three processes behind a load balancer', () => {
  it('answer every request while one after the other is stopped and started again', async () => {
    const store = await newStore();
    const { key } = newKey(store, 'many');
    const services = await Promise.all([start(store), start(store), start(store)]);
    const balancer = await startBalancer(services.map(({ url }) => url));
    const load = underLoad(() => fetch(balancer.url + page, { headers: { 'x-api-key': key } }));
    for (const { url, child } of services) {
      await delay(200);
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await gone).toEqual([0, null]);
      await delay(200);
      await start(store, new URL(url).port);
    }
    await delay(200);
    const answers = await load.stop();
    balancer.close();
    expect(answers.length).toBeGreaterThan(50);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    // Requests did meet instances that were away, and the balancer asked another one.
    expect(balancer.repeated()).toBeGreaterThan(0);
  });
});

type Answer = { readonly status: number; readonly retryAfter: string | null; readonly body: string };

/** Asks again and again, eight requests at a time, until it is stopped; a request that fails has the status 0. */
function underLoad(ask: () => Promise<Response>) {
  const answers: Answer[] = [];
  let stopped = false;
  const worker = async () => {
    while (!stopped) {
      try {
        const response = await ask();
        const { status, headers } = response;
        answers.push({ status, retryAfter: headers.get('retry-after'), body: await response.text() });
      } catch (error) {
        answers.push({ status: 0, retryAfter: null, body: String(error) });
      }
    }
  };
  const workers = Array.from({ length: 8 }, worker);
  return {
    answers,
    async stop() {
      stopped = true;
      await Promise.all(workers);
      return answers;
    },
  };
}

/** What nginx does by the configuration in the guide: a request goes to the next server after an error or 503. */
async function startBalancer(urls: readonly string[]) {
  let [turn, repeated] = [0, 0];
  const server = createServer(async ({ url = '', headers }, response) => {
    turn += 1;
    const first = turn;
    for (let tried = 1; ; tried += 1) {
      const upstream = urls[(first + tried) % urls.length] ?? '';
      const answer = await fetch(upstream + url, {
        headers: { 'x-api-key': String(headers['x-api-key']) },
      }).catch(() => undefined);
      if ((answer === undefined || answer.status === 503) && tried < urls.length) {
        repeated += 1;
        continue;
      }
      response.writeHead(answer?.status ?? 502).end(await answer?.text());
      return;
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  return { url: `http://127.0.0.1:${port}`, close: () => server.close(), repeated: () => repeated };
}

describe('a service whose database goes away', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());

  it('is alive but not ready, answers 503 with Retry-After, and works again when the database is back', async () => {
    const store = await newStore(`${cluster.url}/postgres`);
    const { key } = newKey(store, 'many');
    const { get, log } = await start(store.replace('asof@', 'asof:a-secret@'));
    const ask = async (path: string) => {
      const response = await get(path, { 'x-api-key': key });
      const { status, headers } = response;
      return { status, retry: headers.get('retry-after'), body: await response.text() };
    };
    expect((await ask(page)).status).toBe(200);
    for (const how of ['fast', 'kill'] as const) {
      await cluster.stop(how);
      const { status, retry, body } = await ask(page);
      expect([status, retry]).toEqual([503, '1']);
      // A client learns nothing of the database.
      expect(body).not.toContain('127.0.0.1');
      expect((await ask('/healthz')).status).toBe(200);
      expect((await ask('/readyz')).status).toBe(503);
      await cluster.start();
      expect(await untilOk(() => ask(page))).toBe(200);
      expect((await ask('/readyz')).status).toBe(200);
    }
    expect(log()).toContain('cannot reach the store postgres://asof@127.0.0.1');
    expect(log()).not.toContain('a-secret');
  });
});

describe('a service under load whose database is restarted', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.remove());

  it('gives an answer or 503 with Retry-After to every request, and answers all of them afterwards', async () => {
    const store = await newStore(`${cluster.url}/postgres`);
    const { key } = newKey(store, 'many');
    const { get } = await start(store);
    const load = underLoad(() => get(page, { 'x-api-key': key }));
    await delay(300);
    for (const how of ['fast', 'kill'] as const) {
      await cluster.stop(how);
      await delay(300);
      await cluster.start();
      await delay(500);
    }
    expect(await untilOk(() => get(page, { 'x-api-key': key }))).toBe(200);
    const before = load.answers.length;
    await delay(300);
    const answers = await load.stop();
    const unexpected = answers.filter(
      ({ status, retryAfter }) => status !== 200 && !(status === 503 && retryAfter === '1'),
    );
    expect(unexpected).toEqual([]);
    expect(answers.some(({ status }) => status === 503)).toBe(true);
    expect(new Set(answers.slice(before + 8).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('asof pull into a database', () => {
  it('stores what a pull into a file stores, and finds nothing new the second time', async () => {
    const world = await fredWorld();
    const [database, file] = [newSchemaAddress(), folder.path('pulled.db')];
    for (const store of [file, database]) {
      const home = newHome(() => ({ ...world.env, ASOF_STORE: store }));
      expect(await home.asof(world.part)).toMatchObject({ code: 0 });
    }
    const asked = world.times.length;
    const home = newHome(() => ({ ...world.env, ASOF_STORE: database }));
    expect(await home.asof(['pull'])).toMatchObject({ code: 0 });
    expect(world.times.length - asked).toBeLessThanOrEqual(world.least);
    await world.close();
    for (const line of [
      ['facts', '*'],
      ['series', 'show', 'SMALL', '--json'],
      ['pull', '--list', '--columns', 'name,up_to,left', '-f', 'csv'],
    ]) {
      const [ofFile, ofDatabase] = [file, database].map((store) => run(...line, '--store', store).stdout);
      const plain = (text = '') => text.replaceAll(/req_\w+/g, 'req_');
      expect(plain(ofDatabase)).toBe(plain(ofFile));
      expect(ofDatabase).toContain('SMALL');
    }
  });
});

async function untilOk(ask: () => Promise<{ readonly status: number }>): Promise<number> {
  let status = 0;
  for (const end = Date.now() + 10_000; status !== 200 && Date.now() < end; await delay(50))
    ({ status } = await ask());
  return status;
}

describe('an import that is killed', () => {
  it.each([100, 400, 900])('after %i ms leaves the store as it was, and no lock', async (wait) => {
    const store = await newStore();
    const before = await digestOfSchema(store);
    const large = folder.write('large.csv', manyStatements(300_000, 20_000));
    const child = spawn(process.execPath, [builtProgram, 'import', large, '--store', store], { env });
    await once(child, 'spawn');
    await delay(wait);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await digestOfSchema(store)).toBe(before);
    await importFiles(store, { 's.csv': facts('S0 2014-10-01 2015-01-30 1', 'S9 2014-10-01 2015-01-30 1') });
    expect(run('obs', 'S0', '--store', store, '--columns', 'value', '-f', 'csv').stdout).toBe('value\n1\n');
  });
});

describe('the password of a database', () => {
  const secret = 'hunter2';
  const withSecret = (address: string) => address.replace('asof@', `asof:${secret}@`);

  it('is in no output of commands, settings or manifests', async () => {
    const store = withSecret(await newStore());
    const file = folder.write('more.csv', facts('GDP 2014-10-01 2015-02-27 17701.3'));
    const plan = folder.write('plan.txt', 'gdp.csv  obs GDP\n');
    const lines = [
      ['import', file, '--store', store],
      ['import', file, '--store', store, '--dry-run'],
      ['obs', 'GDP', '--store', store, '--debug'],
      ['obs', 'NONE', '--store', store, '--json', '--debug'],
      ['config', 'set', 'store', store],
      ['config', 'get', 'store'],
      ['config', 'list'],
      ['obs', 'GDP', '-v'],
      ['snapshot', plan, '--out', folder.path('desk'), '--as-of', '2015-03-01'],
      ['verify', folder.path('desk')],
      ['obs', 'GDP', '--store', `${store}&x=1`],
    ];
    for (const line of lines) {
      const { stdout, stderr } = run(...line);
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(run('verify', folder.path('desk')).status).toBe(0);
    run('config', 'unset', 'store');
    const manifest = readFileSync(join(folder.path('desk'), 'manifest.json'), 'utf8');
    expect(JSON.parse(manifest).source.store).toMatch(/^postgres:\/\/asof@127\.0\.0\.1:/);
    expect(manifest).not.toContain(secret);
  });

  it('is not in the list of processes while a command runs', async () => {
    const { child } = await start(withSecret(await newStore()));
    const listed = `/proc/${child.pid}/cmdline`;
    const words = existsSync(listed)
      ? readFileSync(listed, 'utf8')
      : spawnSync('ps', ['-o', 'args=', '-p', String(child.pid)], { encoding: 'utf8' }).stdout;
    expect(words).toContain('asof');
    expect(words).not.toContain(secret);
  });
});

describe('a store in a file', () => {
  it('is queried without the driver of PostgreSQL', () => {
    const traced = spawnSync(
      process.execPath,
      [
        '-e',
        `process.argv.splice(1, 0, ${JSON.stringify(builtProgram)});require(${JSON.stringify(builtProgram)});process.on('exit',()=>console.error(Object.keys(require.cache).join()))`,
        'obs',
        'GDP',
        '--limit',
        '1',
      ],
      { env, encoding: 'utf8' },
    );
    expect(traced.stdout).toContain('GDP');
    expect(traced.stderr).toContain('query.cjs');
    expect(traced.stderr).not.toContain('postgres');
  });
});

describe('asof store init', () => {
  it('makes an empty store once, in a file or a database', () => {
    for (const address of [folder.path('new.db'), newSchemaAddress()]) {
      const [made, again] = [
        run('store', 'init', '--store', address),
        run('store', 'init', '--store', address),
      ];
      expect([made.status, again.status]).toEqual([0, 0]);
      expect(made.stderr).toContain('asof: made the store ');
      expect(again.stderr).toContain('asof: the store was there before: ');
      expect(run('series', 'search', '--store', address, '-f', 'csv').stdout).toMatch(/^id,title,[^\n]*\n$/);
    }
  });

  it('does not distribute a file, or a database without Citus, and makes nothing', () => {
    const file = folder.path('none.db');
    const ofFile = run('store', 'init', '--distribute', '--store', file);
    expect(ofFile.status).toBe(2);
    expect(ofFile.stderr).toContain('--distribute is for a database with Citus');
    expect(existsSync(file)).toBe(false);
    const database = newSchemaAddress();
    const without = run('store', 'init', '--distribute', '--store', database);
    expect(without.status).toBe(10);
    expect(without.stderr).toContain('the database has no Citus');
    expect(run('obs', 'GDP', '--store', database).stderr).toContain('there is no store in the schema');
  });
});
