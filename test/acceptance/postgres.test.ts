import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../src/server/keys/gate.ts';
import type { AccessStore } from '../../src/store/access-store.ts';
import { openAccess } from '../../src/store/open.ts';
import { asof } from '../support/command.ts';
import { newSchemaAddress } from '../support/engines.ts';
import { newFolder } from '../support/folders.ts';
import { startCluster } from '../support/postgres.ts';
import { killProcesses, plansWith, type ServiceProcess, startServing } from '../support/processes.ts';
import { builtProgram } from '../support/repository.ts';
import { facts, importFiles } from '../support/scratch-store.ts';

const folder = newFolder();
const env = { PATH: process.env.PATH ?? '', HOME: folder.path('.') };
afterAll(killProcesses);
folder.write('plans.json', plansWith({ hundred: 100, many: 1_000_000 }));

/** A service of a store whose keys are in the same database; on any free port, or on one that it had before. */
const start = (store: string, port = '0') =>
  startServing(['--port', port, '--plans', 'plans.json', '--store', store, '--access', store], {
    cwd: folder.path('.'),
    env,
  });

/** A new key, and a way to revoke it. */
async function addKey(store: string, plan: string) {
  const { secret, stored } = newKey({ name: 'Ada', plan, now: new Date() });
  const change = async (work: (access: AccessStore) => Promise<unknown>) => {
    const access = await openAccess(store, { counting: false });
    await work(access);
    await access.close();
  };
  await change((access) => access.addKey(stored));
  const revoke = () => change((access) => access.revokeKey(stored.id, new Date().toISOString()));
  return { key: secret, revoke };
}

async function newStore(address = newSchemaAddress()): Promise<string> {
  await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
  return address;
}

const page = '/v1/series/GDP/observations';

type Answer = { readonly status: number; readonly retryAfter: string | null; readonly body: string };

async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked;
  const { status, headers } = response;
  return { status, retryAfter: headers.get('retry-after'), body: await response.text() };
}

/** Asks again and again, eight requests at a time, until it is stopped; a request that fails has the status 0. */
function underLoad(ask: () => Promise<Response>) {
  const answers: Answer[] = [];
  let stopped = false;
  const failed = (error: unknown) => ({ status: 0, retryAfter: null, body: String(error) });
  const worker = async () => {
    while (!stopped) answers.push(await answerOf(ask()).catch(failed));
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

describe('three processes of a service over one database', () => {
  let store = '';
  let services: readonly ServiceProcess[] = [];
  beforeAll(async () => {
    store = await newStore();
    services = await Promise.all([start(store), start(store), start(store)]);
  });
  const each = <T>(work: (service: ServiceProcess) => Promise<T>) => Promise.all(services.map(work));

  it('answer exactly 100 of 300 requests at once where 100 are allowed', async () => {
    const { key } = await addKey(store, 'hundred');
    const asked = Array.from({ length: 100 }, () => each(({ get }) => answerOf(get('/v1/ping', key))));
    const statuses = (await Promise.all(asked)).flat().map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200);
    const after = await services[0]?.get('/v1/ping', key);
    expect(after?.headers.get('ratelimit-remaining')).toBe('0');
  });

  it('all refuse a key within a second after it was revoked, and know a new one', async () => {
    const statuses = (of: string) => each(async ({ get }) => (await get('/v1/ping', of)).status);
    const { key, revoke } = await addKey(store, 'many');
    expect(await statuses(key)).toEqual([200, 200, 200]);
    await revoke();
    await delay(1000);
    expect(await statuses(key)).toEqual([401, 401, 401]);
    expect(await statuses((await addKey(store, 'many')).key)).toEqual([200, 200, 200]);
  });

  it('name an answer alike, and another after an import of its series alone', async () => {
    const { key } = await addKey(store, 'many');
    const tags = () => each(async ({ get }) => (await get(page, key)).headers.get('etag'));
    const [tag = null, ...others] = await tags();
    expect(others).toEqual([tag, tag]);
    await importFiles(store, { 'b.csv': facts('OTHER 2014-10-01 2015-01-30 1') });
    expect(await tags()).toEqual([tag, tag, tag]);
    const known = { 'if-none-match': tag ?? '' };
    expect((await services[0]?.get(page, key, known))?.status).toBe(304);
    await importFiles(store, { 'c.csv': facts('GDP 2014-10-01 2015-02-27 17701.3') });
    const [later] = await tags();
    expect(later).not.toBe(tag);
    expect((await services[1]?.get(page, key, known))?.status).toBe(200);
  });

  it('answer every request through a balancer while one after the other is stopped and started again', async () => {
    const { key } = await addKey(store, 'many');
    const balancer = await startBalancer(services.map(({ url }) => url));
    const load = underLoad(() => fetch(balancer.url + page, { headers: { 'x-api-key': key } }));
    for (const { url, child, exited } of services) {
      await delay(200);
      child.kill('SIGTERM');
      expect(await exited).toBe(0);
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

describe('a service under load whose database goes away', () => {
  it('is alive but not ready, answers or gives 503 with Retry-After, and works again when it is back', async () => {
    const cluster = await startCluster();
    try {
      const store = await newStore(`${cluster.url}/postgres`);
      const { key } = await addKey(store, 'many');
      const { get, log } = await start(store.replace('asof@', 'asof:a-secret@'));
      const ask = () => answerOf(get(page, key));
      const load = underLoad(() => get(page, key));
      await delay(300);
      for (const how of ['fast', 'kill'] as const) {
        await cluster.stop(how);
        expect(await ask()).toMatchObject({ status: 503, retryAfter: '1' });
        expect((await get('/healthz')).status).toBe(200);
        expect((await get('/readyz')).status).toBe(503);
        await cluster.start();
        for (const end = Date.now() + 10_000; (await ask()).status !== 200; await delay(50))
          expect(Date.now()).toBeLessThan(end);
        expect((await get('/readyz')).status).toBe(200);
      }
      const before = load.answers.length;
      await delay(300);
      const answers = await load.stop();
      const isExpected = ({ status, retryAfter }: Answer) =>
        status === 200 || (status === 503 && retryAfter === '1');
      expect(answers.filter((answer) => !isExpected(answer))).toEqual([]);
      expect(answers.some(({ status }) => status === 503)).toBe(true);
      expect(new Set(answers.slice(before + 8).map(({ status }) => status))).toEqual(new Set([200]));
      // A client learns nothing of the database.
      expect(answers.filter(({ body }) => body.includes('127.0.0.1'))).toEqual([]);
      expect(log()).toContain('cannot reach the store postgres://asof@127.0.0.1');
      expect(log()).not.toContain('a-secret');
    } finally {
      await cluster.remove();
    }
  });
});

describe('the password of a database', () => {
  const secret = 'hunter2';
  const withSecret = (address: string) => address.replace('asof@', `asof:${secret}@`);

  it('is in no output of commands, settings or manifests', async () => {
    const store = withSecret(await newStore());
    const file = folder.write('more.csv', facts('GDP 2014-10-01 2015-02-27 17701.3'));
    const plan = folder.write('plan.txt', 'gdp.csv  obs GDP\n');
    const desk = folder.path('desk');
    const lines = [
      ['import', file, '--store', store],
      ['import', file, '--store', store, '--dry-run'],
      ['obs', 'GDP', '--store', store, '--debug'],
      ['obs', 'NONE', '--store', store, '--json', '--debug'],
      ['config', 'set', 'store', store],
      ['config', 'get', 'store'],
      ['config', 'list'],
      ['obs', 'GDP', '-v'],
      ['snapshot', plan, '--out', desk, '--as-of', '2015-03-01'],
      ['obs', 'GDP', '--store', `${store}&x=1`],
      ['verify', desk],
    ];
    let last = 1;
    for (const line of lines) {
      const { code, out, err } = await asof(line, { env });
      expect(out + err).not.toContain(secret);
      last = code;
    }
    expect(last).toBe(0);
    const manifest = readFileSync(join(desk, 'manifest.json'), 'utf8');
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
    const program = JSON.stringify(builtProgram);
    const traced = `process.argv.splice(1, 0, ${program}); require(${program});
      process.on('exit', () => console.error(Object.keys(require.cache).join()))`;
    const line = ['-e', traced, 'obs', 'GDP', '--limit', '1'];
    const home = { ...env, HOME: folder.path('elsewhere') };
    const { stdout, stderr } = spawnSync(process.execPath, line, { env: home, encoding: 'utf8' });
    expect(stdout).toContain('GDP');
    expect(stderr).toContain('query.cjs');
    expect(stderr).not.toContain('postgres');
  });
});

describe('asof store init', () => {
  it('makes an empty store once, in a file or a database', async () => {
    for (const address of [folder.path('new.db'), newSchemaAddress()]) {
      for (const said of ['made the store ', 'store already exists: ']) {
        const { code, err } = await asof(['store', 'init', '--store', address]);
        expect([code, err]).toEqual([0, expect.stringContaining(`asof: ${said}`)]);
      }
      const { out } = await asof(['series', 'search', '--store', address, '-f', 'csv']);
      expect(out).toMatch(/^id,title,[^\n]*\n$/);
    }
  });

  it('does not distribute a file, and makes none', async () => {
    const file = folder.path('none.db');
    const { code, err } = await asof(['store', 'init', '--distribute', '--store', file]);
    expect([code, err]).toEqual([2, expect.stringContaining('--distribute is for a database with Citus')]);
    expect(existsSync(file)).toBe(false);
  });
});
