import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { asof, type Ended, linesOf } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { type Running, startService, unlimited } from '../../support/modes.ts';
import { builtProgram, builtSample as sample } from '../../support/repository.ts';
import { serve } from '../../support/service-double.ts';

vi.setConfig({ testTimeout: 120_000 });

const lines = [
  'gdp.csv obs GDP',
  'rates.csv yields --maturity 10Y',
  'curve.json curve',
  'spread.ndjson spread --from 2014-01-01',
];

let folder = '';
let out = '';
let service: Running;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  service = await startService({ openStore: () => openStore(sample) });
});
afterAll(() => service.stop());

beforeEach(() => {
  folder = scratchFolder();
  out = join(folder, 'snap');
  writeFileSync(join(folder, 'plan.txt'), `${lines.join('\n')}\n`);
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

const environment = () => ({ PATH: process.env.PATH, HOME: folder, ASOF_API_KEY: service.key });

/** The built command in a child process, with the plan of these tests. */
function start(day: string, ...flags: readonly string[]) {
  const line = [builtProgram, 'snapshot', 'plan.txt', '--out', 'snap', '--as-of', day, ...flags];
  const child = spawn(process.execPath, line, { cwd: folder, env: environment(), stdio: 'pipe' });
  children.add(child);
  const [said, printed]: [string[], string[]] = [[], []];
  child.stdout.on('data', (data) => printed.push(String(data)));
  child.stderr.on('data', (data) => said.push(String(data)));
  const ended = new Promise<Omit<Ended, 'code'> & { readonly code: number | string | null }>((resolve) => {
    child.on('close', (code, signal) => {
      children.delete(child);
      resolve({ code: code ?? signal, out: printed.join(''), err: said.join('') });
    });
  });
  return { child, ended };
}

const snapshot = (day: string, ...flags: readonly string[]) => start(day, ...flags).ended;
const quietly = { code: 0, out: '', err: '' };

const runs = () => readdirSync(folder).filter((name) => /^\.snap\.\d/.test(name));

/** Expects the whole snapshot of a day, as its manifest and the data have it. */
async function expectWhole(day: string): Promise<void> {
  expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).as_of).toBe(day);
  expect(await asof(['verify', out, '--store', sample])).toEqual(quietly);
}

/** A proxy of the service that calls `before` with the number of each request before it forwards the request. */
async function through(before: (number: number) => Promise<void> | void) {
  let asked = 0;
  return serve(async (question, answer) => {
    asked += 1;
    await before(asked);
    const { port } = new URL(service.url);
    const onward = request(
      { host: '127.0.0.1', port, path: question.url, headers: question.headers },
      (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    onward.end();
  });
}

/** The requests that the plan takes. */
async function requestsOfThePlan(): Promise<number> {
  const { url, asked } = await through(() => undefined);
  expect(await snapshot('2015-01-30', '--base-url', url)).toEqual(quietly);
  return asked.length;
}

describe('a snapshot that is killed without warning', () => {
  it('at any request leaves the snapshot before it whole, and does not stop the next run', async () => {
    const requests = await requestsOfThePlan();
    expect(requests).toBeGreaterThan(8);
    let day = '2015-01-30';
    for (let number = 1; number <= requests; number += 1) {
      let kill = (): void => undefined;
      const { url } = await through((now) => (now === number ? kill() : undefined));
      const { child, ended } = start('2015-02-02', '--base-url', url, '--retries', '0');
      kill = () => void child.kill('SIGKILL');
      expect((await ended).code).toBe('SIGKILL');
      await expectWhole(day);
      // The unfinished files stay until the next run removes them.
      expect(runs().length).toBeGreaterThan(1);
      if (number % 3 !== 0) continue;
      day = number % 2 === 0 ? '2015-01-30' : '2015-02-03';
      expect(await snapshot(day)).toEqual(quietly);
      await expectWhole(day);
      expect(runs().length).toBe(2);
    }
  });

  it('at any time leaves a whole snapshot, the old one or the new one', async () => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    const began = performance.now();
    expect(await snapshot('2015-02-02')).toEqual(quietly);
    const lasts = performance.now() - began;
    const seen = new Set<string>();
    for (let time = 1; time <= 16; time += 1) {
      const { child, ended } = start(`2015-02-${String(time + 8).padStart(2, '0')}`);
      await delay((lasts * time) / 14);
      child.kill('SIGKILL');
      seen.add(String((await ended).code));
      await expectWhole(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).as_of);
    }
    expect(seen).toContain('SIGKILL');
    expect(await snapshot('2015-03-31')).toEqual(quietly);
    expect(runs().length).toBe(2);
    expect(readdirSync(folder).filter((name) => name.startsWith('.snap')).length).toBe(3);
  });

  it('during the first run leaves no snapshot', async () => {
    let kill = (): void => undefined;
    const { url } = await through((number) => (number === 5 ? kill() : undefined));
    const { child, ended } = start('2015-02-02', '--base-url', url);
    kill = () => void child.kill('SIGKILL');
    await ended;
    expect(existsSync(out)).toBe(false);
    expect(await snapshot('2015-02-02')).toEqual(quietly);
    expect(runs().length).toBe(1);
  });
});

describe('a snapshot that is stopped', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s ends with %i at once, and leaves nothing behind', async (signal, code) => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    let stop = (): void => undefined;
    const { url } = await through((number) => (number === 4 ? new Promise(() => stop()) : undefined));
    const { child, ended } = start('2015-02-02', '--base-url', url);
    let sent = 0;
    stop = () => {
      sent = performance.now();
      child.kill(signal);
    };
    expect(await ended).toEqual({ code, out: '', err: '' });
    expect(performance.now() - sent).toBeLessThan(2000);
    await expectWhole('2015-01-30');
    expect(runs().length).toBe(1);
  });
});

describe('two snapshots at once', () => {
  it('do not mix: the second waits for the first', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = (): void => undefined;
    const atWork = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { url } = await through((number) => {
      if (number === 3) begun();
      return number === 3 ? held : undefined;
    });
    const first = snapshot('2015-01-30', '--base-url', url);
    await atWork;
    const second = snapshot('2015-02-02');
    await delay(1500);
    expect(existsSync(out)).toBe(false);
    release();
    expect([await first, await second]).toEqual([quietly, quietly]);
    await expectWhole('2015-02-02');
    expect(runs().length).toBe(2);
  });

  it('end with 10 and a hint if the first takes too long', async () => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    let begun = (): void => undefined;
    const atWork = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { url } = await through(() => new Promise(() => begun()));
    const { child, ended } = start('2015-02-03', '--base-url', url);
    await atWork;
    const { code, err } = await snapshot('2015-02-02');
    expect([code, err]).toEqual([
      10,
      'asof: another asof snapshot is writing snap (try again when it is done); snap is as it was\n',
    ]);
    await expectWhole('2015-01-30');
    child.kill('SIGKILL');
    await ended;
    expect(await snapshot('2015-02-02')).toEqual(quietly);
  });
});

describe('a service', () => {
  it('is asked for what is written, and at the end whether it changed', async () => {
    writeFileSync(
      join(folder, 'plan.txt'),
      'a.csv obs GDP GDPC1 --limit 3\nb.csv panel UNRATE --from 2014-01-01\n',
    );
    const { url, asked } = await through(() => undefined);
    expect(await snapshot('2015-01-30', '--base-url', url)).toEqual({
      ...quietly,
      err: ['GDPC1', 'UNRATE']
        .map(
          (id) =>
            `asof: ${id} is sampled: this is 2014-11-15; what was published since then may be missing\n`,
        )
        .join(''),
    });
    expect(asked.map((question) => question.url?.replace(/\?.*/, ''))).toEqual([
      '/v1/series/GDP/observations',
      '/v1/series/GDPC1/observations',
      '/v1/series/UNRATE/observations',
      '/v1/series/GDP/observations',
    ]);
  });

  it('that dies in the middle leads to exit 7, and the last line says what to do', async () => {
    const home = join(folder, 'home');
    mkdirSync(home);
    const env = { PATH: process.env.PATH, HOME: home, ASOF_STORE: sample };
    const line = [builtProgram, 'keys', 'create', '--name', 'ann', '--plan', 'pro'];
    const key = spawnSync(process.execPath, line, { env, encoding: 'utf8' }).stdout.trim();
    const serving = spawn(process.execPath, [builtProgram, 'serve', '--port', '0'], { env, stdio: 'pipe' });
    children.add(serving);
    let log = '';
    const url = await new Promise<string>((resolve) => {
      serving.stderr.on('data', (text) => {
        log += text;
        const found = /"url":"(http:[^"]+)"/.exec(log)?.[1];
        if (found !== undefined) resolve(found);
        // With a thousand rows a page, it has sent some pages, and more follow.
        if (log.split('/observations').length > 1) serving.kill('SIGKILL');
      });
    });
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    const more = Array.from({ length: 12 }, (_, i) => `y${i}.csv yields --type par`);
    writeFileSync(join(folder, 'plan.txt'), [...lines, ...more].join('\n'));
    const child = spawn(
      process.execPath,
      [builtProgram, 'snapshot', 'plan.txt', '--out', 'snap', '--base-url', url, '--retries', '1'],
      { cwd: folder, env: { ...environment(), ASOF_API_KEY: key }, stdio: 'pipe' },
    );
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(7);
    expect(linesOf(err)).toHaveLength(1);
    expect(err).toMatch(/^asof: plan\.txt line \d+ \(\w+\.\w+\): .*127\.0\.0\.1:\d+.*; snap is as it was\n$/);
    await expectWhole('2015-01-30');
  });

  const report = JSON.stringify({ type: 'about:blank', title: 'Error', status: 500, detail: 'it broke' });

  it.each([
    [500, 'text/plain', 'no'],
    [503, 'text/plain', 'no'],
    [500, 'application/problem+json', report],
  ])('that answers %i in %s leads to exit 8, and the last line says where', async (status, type, body) => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    const { url } = await serve(async (question, answer) => {
      if (question.url?.includes('yields')) answer.writeHead(status, { 'content-type': type }).end(body);
      else {
        const got = await fetch(service.url + question.url, { headers: { 'x-api-key': service.key } });
        answer.writeHead(got.status, { 'content-type': 'application/json' }).end(await got.text());
      }
    });
    const { code, err } = await snapshot('2015-02-02', '--base-url', url, '--retries', '0');
    const said = /^asof: plan\.txt line 2 \(rates\.csv\): \S.*; snap is as it was\n$/;
    expect([code, err]).toEqual([8, expect.stringMatching(said)]);
    await expectWhole('2015-01-30');
    expect(runs().length).toBe(1);
  });

  it('whose quota is used up leads to exit 6, and the last line says for how long', async () => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    const scarce = await startService({
      openStore: () => openStore(sample),
      plan: { ...unlimited, name: 'scarce', dailyLimit: 5 },
    });
    const line = ['snapshot', join(folder, 'plan.txt'), '--out', out, '--as-of', '2015-02-02'];
    const flags = ['--base-url', scarce.url, '--max-wait', '0'];
    const { code, err } = await asof([...line, ...flags], { env: { ASOF_API_KEY: scarce.key } });
    await scarce.stop();
    expect(code).toBe(6);
    expect(err).toMatch(
      /^asof: \S+plan\.txt line 2 \(rates\.csv\): daily limit of 5 requests exceeded \(try again in \d+ s; --max-wait \d+ waits for it; request req_[0-9a-f]{32}\); \S+snap is as it was\n$/,
    );
    await expectWhole('2015-01-30');
  });

  it('leads to exit 4 without a key, and to 5 on a plan without vintages', async () => {
    const free = await startService({
      openStore: () => openStore(sample),
      plan: { ...unlimited, name: 'free', vintageAccess: false },
    });
    const line = ['snapshot', join(folder, 'plan.txt'), '--out', out, '--base-url', free.url];
    const without = await asof(line);
    const poor = await asof(line, { env: { ASOF_API_KEY: free.key } });
    await free.stop();
    expect([without.code, poor.code]).toEqual([4, 5]);
    expect(without.err).toContain('(asof auth login --base-url');
    expect(existsSync(out)).toBe(false);
    expect(runs()).toEqual([]);
  });
});

describe('readers', () => {
  it('never see a snapshot missing, half done or mixed while it is replaced', async () => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    let replacing = true;
    const days = new Set<string>();
    let reads = 0;
    const reader = async () => {
      while (replacing) {
        await turn();
        // Each name always leads to a file; files that must belong together are read from the resolved folder.
        for (const name of ['gdp.csv', 'manifest.json']) expect(existsSync(join(out, name))).toBe(true);
        const now = realpathSync(out);
        const { as_of, files } = JSON.parse(readFileSync(join(now, 'manifest.json'), 'utf8'));
        for (const { name, sha256 } of files) {
          const content = readFileSync(join(now, name));
          expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
        }
        days.add(as_of);
        reads += 1;
      }
    };
    const reading = reader();
    for (let day = 2; day <= 9; day += 1) expect(await snapshot(`2015-02-0${day}`)).toEqual(quietly);
    replacing = false;
    await reading;
    expect(days.size).toBeGreaterThan(4);
    expect(reads).toBeGreaterThan(20);
  });
});

describe('a full disk behind stdout', () => {
  it.each(['snapshot plan.txt --out snap --as-of 2015-01-30 --dry-run', 'verify snap'])(
    'leads to exit 10: asof %s',
    async (line) => {
      expect(await snapshot('2015-01-30')).toEqual(quietly);
      writeFileSync(join(out, 'more.txt'), '');
      const { status, stderr } = spawnSync('sh', ['-c', `$ASOF ${line} > /dev/full`], {
        cwd: folder,
        env: { ...environment(), ASOF: `${process.execPath} ${builtProgram}` },
        encoding: 'utf8',
      });
      expect([status, linesOf(stderr).at(-1)]).toEqual([
        10,
        'asof: cannot write to stdout: the disk is full',
      ]);
    },
  );
});

describe('a run that could not be completed', () => {
  it('is removed when the command ends', async () => {
    writeFileSync(join(folder, 'plan.txt'), 'gdp.csv obs GDP\nnone.csv obs NONE\n');
    expect((await snapshot('2015-01-30')).code).toBe(3);
    expect(readdirSync(folder).sort()).toEqual(['.snap.lock', 'plan.txt']);
    expect(() => readlinkSync(out)).toThrow();
  });
});

describe('a size limit that only the manifest exceeds', () => {
  it('leads to exit 10, and the last line names the manifest', async () => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    const small = Array.from({ length: 30 }, (_, i) => `f${i}.csv obs GDP --limit 1\n`);
    writeFileSync(join(folder, 'plan.txt'), small.join(''));
    // A file of 4096 bytes at most, where a block is 512 or 1024.
    const script = `ulimit -f 4; exec '${process.execPath}' '${builtProgram}' snapshot plan.txt --out snap`;
    const { status, stderr } = spawnSync('sh', ['-c', script], {
      cwd: folder,
      env: environment(),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      10,
      expect.stringMatching(/^asof: cannot write to \S+\/manifest\.json: [^\n]+; snap is as it was\n$/),
    ]);
    await expectWhole('2015-01-30');
    expect(runs().length).toBe(1);
  });
});
