import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { newQuarterlyStore } from '../../support/example-stores.ts';
import { scratchFolder } from '../../support/folders.ts';
import { freePort } from '../../support/free-port.ts';
import { bodyOf } from '../../support/http-service.ts';
import { builtProgram as program } from '../../support/repository.ts';
import { facts } from '../../support/scratch-store.ts';

const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

/** A fresh machine: a home, a store, an access store, plans. */
type Place = {
  readonly folder: string;
  readonly store: string;
  readonly env: Readonly<Record<string, string>>;
};

async function newPlace(): Promise<Place> {
  const folder = scratchFolder();
  const plans = ['hundred', 'many'].map((name) => ({
    name,
    monthly_limit: 1_000_000,
    daily_limit: name === 'hundred' ? 100 : 1_000_000,
    rate_per_minute: 1_000_000,
    vintage_access: true,
  }));
  writeFileSync(join(folder, 'plans.json'), JSON.stringify(plans));
  const { PATH = '' } = process.env;
  return {
    folder,
    store: await newQuarterlyStore(),
    env: { PATH, HOME: folder, ASOF_ACCESS: join(folder, 'access.db') },
  };
}

function run({ folder, env }: Place, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** The same without blocking this process; resolves to the exit code. */
async function runBeside({ folder, env }: Place, ...args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code as number;
}

function newKey(place: Place, plan: string): string {
  return run(place, 'keys', 'create', '--name', 'Ada', '--plan', plan, '--plans', 'plans.json').stdout.trim();
}

type Running = {
  readonly url: string;
  readonly child: ChildProcess;
  readonly log: () => string;
  readonly exited: Promise<number | null>;
  readonly get: (path: string, key?: string) => Promise<Response>;
};

async function start(place: Place, store = place.store): Promise<Running> {
  const args = [program, 'serve', '--port', '0', '--plans', 'plans.json', '--store', store];
  return started(spawn(process.execPath, args, { cwd: place.folder, env: place.env }));
}

/** A service that has said where it listens. */
async function started(child: ChildProcessWithoutNullStreams): Promise<Running> {
  running.add(child);
  let said = '';
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (text) => {
      said += text;
      const found = /"url":"(http:[^"]+)"/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then((code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  return {
    url,
    child,
    exited,
    log: () => said + printed,
    get: (path, key) => fetch(url + path, { headers: key === undefined ? {} : { 'x-api-key': key } }),
  };
}

const asOf = '/v1/series/GDP/observations?as_of=2015-01-30';

describe('asof serve', () => {
  it('counts a thousand requests at once exactly, also over a restart and kill -9', async () => {
    const place = await newPlace();
    const key = newKey(place, 'hundred');
    const first = await start(place);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await first.get('/v1/ping', key)).status),
    );
    expect(statuses.every((status) => status === 200)).toBe(true);
    // Counts are saved within a second.
    await delay(1000);
    first.child.kill('SIGKILL');
    await first.exited;

    const second = await start(place);
    const more = await Promise.all(
      Array.from({ length: 20 }, async () => (await second.get(asOf, key)).status),
    );
    expect(more.every((status) => status === 200)).toBe(true);
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);

    const third = await start(place);
    const rest = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const response = await third.get('/v1/ping', key);
        return [response.status, (await bodyOf(response)).detail] as const;
      }),
    );
    expect(rest.filter(([status]) => status === 200)).toHaveLength(40);
    expect(rest.filter(([, detail]) => detail === 'daily limit of 100 requests exceeded')).toHaveLength(960);
  });

  it('gives exactly 100 of 1000 requests at once an answer where 100 are allowed', async () => {
    const place = await newPlace();
    const key = newKey(place, 'hundred');
    const service = await start(place);
    const statuses = await Promise.all(
      Array.from({ length: 1000 }, async () => (await service.get(asOf, key)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(900);
  });

  it('shows an import at once, and loses no request by it', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const service = await start(place);
    const statuses: number[] = [];
    let stop = false;
    const asking = Array.from({ length: 4 }, async () => {
      while (!stop) {
        const response = await service.get(asOf, key);
        statuses.push(response.status);
        await response.arrayBuffer();
      }
    });
    for (let i = 1; i <= 3; i += 1) {
      const file = join(place.folder, `more${i}.csv`);
      writeFileSync(file, facts(`GDP 2013-0${i * 3 - 2}-01 2014-01-30 1600${i}`));
      expect(await runBeside(place, 'import', file, '--store', place.store)).toBe(0);
      const { results_count } = await bodyOf(service.get(asOf, key));
      expect(results_count).toBe(2 + i);
    }
    stop = true;
    await Promise.all(asking);
    expect(statuses.length).toBeGreaterThan(100);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('answers every request while imports go on, tables and probes too', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const ids = Array.from({ length: 40 }, (_, i) => `S${i}`);
    const vintage = (n: number) => {
      const day = `20${10 + n}-01-31`;
      const lines = ids.flatMap((id) =>
        Array.from({ length: 120 }, (_, m) => {
          const date = `${2000 + Math.floor(m / 12)}-${String((m % 12) + 1).padStart(2, '0')}-01`;
          return `${id},${date},${day},${n * m}`;
        }),
      );
      const file = join(place.folder, `vintage${n}.csv`);
      writeFileSync(file, `series_id,date,as_of_date,value\n${lines.join('\n')}\n`);
      return file;
    };
    const imported = (n: number) => runBeside(place, 'import', vintage(n), '--store', place.store);
    expect(await imported(0)).toBe(0);
    const service = await start(place);
    const targets = [
      '/healthz',
      '/readyz',
      '/v1/ping',
      '/v1/series/S7/observations?limit=100',
      '/v1/observations?ids=S*&format=csv',
      '/v1/panel?ids=S1,S2,S3&as_of_each=month-end&from=2010-01-01&to=2012-12-31',
    ];
    const seen = new Set<number>();
    const tables = new Set<string>();
    let count = 0;
    let stop = false;
    const asking = targets.map(async (target) => {
      while (!stop) {
        const response = await service.get(target, key);
        const text = await response.text();
        seen.add(response.status);
        count += 1;
        // A table is of one state of the data: what is not as in the first vintage is of one other.
        if (target.includes('S*'))
          tables.add(
            [...new Set(text.match(/\d{4}-01-31(?=,S\d+,)/g))].filter((day) => day !== '2010-01-31').join(),
          );
      }
    });
    for (let n = 1; n <= 5; n += 1) expect(await imported(n)).toBe(0);
    stop = true;
    await Promise.all(asking);
    expect(count).toBeGreaterThan(50);
    expect([...seen]).toEqual([200]);
    expect(tables.size).toBeGreaterThan(1);
    expect([...tables].filter((days) => days.includes(','))).toEqual([]);
  });

  it('begun on the sample says so, and serves the store that the first import makes', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const port = String(await freePort());
    const args = [program, 'serve', '--port', port, '--plans', 'plans.json', '-q'];
    const child = spawn(process.execPath, args, { cwd: place.folder, env: place.env });
    running.add(child);
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const statusOf = async (id: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/series/${id}`, {
        headers: { 'x-api-key': key },
      });
      return answer.status;
    };
    await expect.poll(() => statusOf('GDP').catch(() => 0), { timeout: 10_000 }).toBe(200);
    const [first = '{}'] = said.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      level: 40,
      msg: expect.stringContaining('serves the sample'),
      store: expect.stringMatching(/sample\.db$/),
    });
    expect(await statusOf('MINE')).toBe(404);
    writeFileSync(join(place.folder, 'mine.csv'), facts('MINE 2014-04-01 2014-10-30 1'));
    expect(await runBeside(place, 'import', 'mine.csv')).toBe(0);
    await expect.poll(() => statusOf('MINE'), { timeout: 10_000 }).toBe(200);
    expect(await statusOf('GDP')).toBe(404);
  });

  it('shows a store that takes the place of another after SIGHUP, and loses no request by it', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const link = join(place.folder, 'current.db');
    symlinkSync(place.store, link);
    const other = await newQuarterlyStore();
    writeFileSync(join(place.folder, 'new.csv'), facts('GDP 2014-04-01 2014-10-30 17328.2'));
    expect(run(place, 'import', 'new.csv', '--store', other).status).toBe(0);
    const service = await start(place, link);
    const statuses: number[] = [];
    let stop = false;
    const asking = Array.from({ length: 4 }, async () => {
      while (!stop) statuses.push((await service.get(asOf, key)).status);
    });
    expect((await bodyOf(service.get(asOf, key))).results_count).toBe(2);
    symlinkSync(other, `${link}.next`);
    renameSync(`${link}.next`, link);
    service.child.kill('SIGHUP');
    await expect.poll(() => service.log(), { timeout: 10_000 }).toContain('opened the store again');
    expect((await bodyOf(service.get(asOf, key))).results_count).toBe(3);
    // If the new store cannot be opened, the service keeps the old one.
    writeFileSync(`${link}.bad`, 'no store');
    renameSync(`${link}.bad`, link);
    service.child.kill('SIGHUP');
    await expect.poll(() => service.log(), { timeout: 10_000 }).toContain('the one that is open stays');
    expect((await bodyOf(service.get(asOf, key))).results_count).toBe(3);
    stop = true;
    await Promise.all(asking);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 within 10 seconds of %s, with requests in flight answered',
    async (signal) => {
      const place = await newPlace();
      const key = newKey(place, 'many');
      const service = await start(place);
      const asked = Array.from({ length: 200 }, async () => (await service.get(asOf, key)).status);
      await Promise.race(asked);
      const started = performance.now();
      service.child.kill(signal);
      expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
      expect(await service.exited).toBe(0);
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  it('sets readiness to 503 before it stops', async () => {
    const place = await newPlace();
    const service = await start(place);
    expect((await service.get('/readyz')).status).toBe(200);
    service.child.kill('SIGTERM');
    await delay(150);
    const ready = await service.get('/readyz');
    expect([ready.status, (await bodyOf(ready)).detail]).toEqual([503, 'the service is shutting down']);
    expect(await service.exited).toBe(0);
  });

  it('takes its settings from the environment and a file, and shows metrics on a port of their own', async () => {
    const place = await newPlace();
    const settings = { 'metrics-port': 0, 'cors-origin': ['https://app.example'], plans: 'plans.json' };
    writeFileSync(join(place.folder, 'serve.json'), JSON.stringify(settings));
    const key = newKey(place, 'many');
    const env = { ...place.env, ASOF_PORT: '0', ASOF_STORE: place.store, ASOF_CONFIG: 'serve.json' };
    const service = await started(spawn(process.execPath, [program, 'serve'], { cwd: place.folder, env }));
    const answer = await fetch(service.url + asOf, {
      headers: { 'x-api-key': key, origin: 'https://app.example' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://app.example',
    ]);
    const metrics = /"metrics":"(http:[^"]+)"/.exec(service.log())?.[1] ?? '';
    expect(await (await fetch(metrics)).text()).toContain(
      'asof_http_requests_total{method="GET",route="/v1/series/{id}/observations",status="200"} 1',
    );
    expect((await service.get('/metrics')).status).toBe(404);
  });

  it('does not start without the key that its metrics should have', async () => {
    const place = await newPlace();
    const ended = run(place, 'serve', '--port', '0', '--store', place.store, '--metrics-key', 'none');
    expect([ended.status, ended.stderr]).toEqual([10, expect.stringContaining('the key of /metrics, none')]);
  });

  it('exits if another process has the access store or the port', async () => {
    const place = await newPlace();
    const service = await start(place);
    const { port } = new URL(service.url);
    const second = run(place, 'serve', '--port', '0', '--store', place.store);
    expect([second.status, second.stderr]).toEqual([
      10,
      expect.stringContaining('another asof serve counts requests'),
    ]);
    const taken = run(place, 'serve', '--port', port, '--store', place.store, '--access', 'other.db');
    expect([taken.status, taken.stderr]).toEqual([
      10,
      expect.stringContaining(`127.0.0.1:${port}: the port is in use`),
    ]);
    service.child.kill('SIGKILL');
    await service.exited;
    await start(place);
  });

  it.each<[string, readonly string[], number, string]>([
    ['an invalid port', ['--port', '70000'], 2, '--port "70000"'],
    ['an invalid public address', ['--public-url', 'ftp://x'], 2, '--public-url'],
    ['a missing file of plans', ['--plans', 'nowhere.json'], 10, 'cannot read the plans nowhere.json'],
    ['a missing store', ['--store', 'nowhere.db'], 10, 'there is no such file or folder'],
    ['a key whose plan is not served', ['--store', 'S'], 2, "is on the plan 'many': the plans are free, pro"],
  ])('refuses %s', async (_, args, status, reason) => {
    const place = await newPlace();
    newKey(place, 'many');
    const plans = args.includes('--plans') || args.includes('S') ? [] : ['--plans', 'plans.json'];
    const given = args.map((arg) => (arg === 'S' ? place.store : arg));
    const port = args.includes('--port') ? [] : ['--port', '0'];
    const ended = run(place, 'serve', ...port, ...plans, ...given);
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(reason)]);
  });
});

describe('asof keys', () => {
  it('shows a key once, alone on stdout; it works at once, and stops at once when revoked', async () => {
    const place = await newPlace();
    const service = await start(place);
    const created = run(
      place,
      'keys',
      'create',
      '--name',
      'Ada L.',
      '--plan',
      'many',
      '--plans',
      'plans.json',
    );
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

  it.each<[string, readonly string[], number, string]>([
    ['a key without a name', ['create', '--plan', 'pro'], 2, '--name'],
    ['a key with an empty name', ['create', '--name', ' '], 2, '--name'],
    ['a name that steers terminals', ['create', '--name', 'a\u001b[2J'], 2, '--name'],
    [
      'an unknown plan',
      ['create', '--name', 'x', '--plan', 'gold'],
      2,
      '--plan "gold": the plans are free, pro',
    ],
    ['the end of a key that does not exist', ['revoke', 'k_00000000'], 3, "no key 'k_00000000' in"],
    [
      'a new secret for a key that does not exist',
      ['rotate', 'k_00000000'],
      3,
      "no valid key 'k_00000000' in",
    ],
    ['an end that is over', ['create', '--name', 'x', '--expires', '2020-01-01'], 2, 'this date is over'],
  ])('refuses %s', async (_, args, status, reason) => {
    const place = await newPlace();
    const ended = run(place, 'keys', ...args);
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(reason)]);
    expect(existsSync(join(place.folder, 'access.db'))).toBe(false);
  });

  it('lists nothing, and creates nothing, if there is no access store', async () => {
    const place = await newPlace();
    expect(run(place, 'keys', 'list').stdout).toBe(
      'id,name,plan,start,created_at,revoked_at,expires_at,previous_until\n',
    );
    expect(existsSync(join(place.folder, 'access.db'))).toBe(false);
  });

  it('keeps keys in a file that only its owner can read, by default beside the default store', async () => {
    const place = await newPlace();
    const home: Place = {
      ...place,
      env: { PATH: place.env.PATH ?? '', HOME: place.folder, XDG_DATA_HOME: join(place.folder, 'data') },
    };
    expect(run(home, 'keys', 'create', '--name', 'Ada').status).toBe(0);
    expect(statSync(join(place.folder, 'data', 'asof', 'access.db')).mode & 0o777).toBe(0o600);
  });
});

describe('a secret', () => {
  it('is in no log, no output and no file after any command', async () => {
    const place = await newPlace();
    const key = newKey(place, 'many');
    const service = await start(place);
    for (const path of ['/v1/ping', asOf, `/v1/ping?key=${key}`, `/v1/series/${key}`, `/${key}`])
      await (await service.get(path, key)).arrayBuffer();
    await fetch(`${service.url}/v1/ping`, { headers: { authorization: `Bearer ${key}` } });
    run(place, 'keys', 'list');
    await delay(700);
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
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256').update(key).digest('hex');
    expect(readFileSync(join(place.folder, 'access.db'), 'latin1')).toContain(hash);
    expect(service.log()).not.toContain(hash);
  });
});
