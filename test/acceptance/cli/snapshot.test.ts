import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { type Running, startService } from '../../support/modes.ts';
import { builtProgram, builtSample as sample } from '../../support/repository.ts';
import { type BeforeRequest, proxyOf } from '../../support/service-double.ts';

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
  const lines = ['gdp.csv obs GDP', 'rates.csv yields --maturity 10Y --from 2014-01-01', 'curve.json curve'];
  writeFileSync(join(folder, 'plan.txt'), lines.join('\n'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** The built command in a child process, with the plan of these tests. */
function start(day: string, ...flags: readonly string[]) {
  const line = [builtProgram, 'snapshot', 'plan.txt', '--out', 'snap', '--as-of', day, ...flags];
  const env = { PATH: process.env.PATH, HOME: folder, ASOF_API_KEY: service.key };
  const child = spawn(process.execPath, line, { cwd: folder, env, stdio: 'pipe' });
  children.add(child);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => said.push(String(data)));
  const ended = new Promise<readonly [status: number | string | null, said: string]>((resolve) => {
    child.on('close', (code, signal) => resolve([code ?? signal, said.join('')]));
  });
  return { child, ended };
}

/** The command asking a proxy of the service, which calls `before` with each request. */
async function startThrough(day: string, before: (child: ChildProcess) => BeforeRequest) {
  let onRequest: BeforeRequest = () => undefined;
  const { url, asked } = await proxyOf(service, (...request) => onRequest(...request));
  const started = start(day, '--base-url', url, '--retries', '0');
  onRequest = before(started.child);
  return { ...started, asked };
}

const snapshot = (day: string) => start(day).ended;
const quietly = [0, ''];

const runs = () => readdirSync(folder).filter((name) => /^\.snap\.\d/.test(name));
const dayShown = () => JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).as_of;

/** Expects the whole snapshot of a day, as its manifest and the data have it. */
async function expectWhole(day: string): Promise<void> {
  expect(dayShown()).toBe(day);
  expect(await asof(['verify', out, '--store', sample])).toEqual({ code: 0, out: '', err: '' });
}

describe('a snapshot that is killed without warning', () => {
  it('at any request leaves the snapshot before it whole, and does not stop the next run', async () => {
    const kill = async (at: number) => {
      const { ended } = await startThrough('2015-02-02', (child) => (_, number) => {
        if (number === at) child.kill('SIGKILL');
      });
      expect((await ended)[0]).toBe('SIGKILL');
    };
    await kill(4);
    expect([existsSync(out), runs().length]).toEqual([false, 1]);
    const { asked, ended } = await startThrough('2015-01-30', () => () => undefined);
    expect(await ended).toEqual(quietly);
    const requests = asked.length;
    expect(requests).toBeGreaterThan(4);
    for (let number = 1; number <= requests; number += 1) {
      await kill(number);
      await expectWhole('2015-01-30');
      // The unfinished files stay until the next run removes them.
      expect(runs()).toHaveLength(2);
    }
    expect(await snapshot('2015-02-03')).toEqual(quietly);
    await expectWhole('2015-02-03');
    expect(runs()).toHaveLength(2);
  });

  it('at any time leaves a whole snapshot, the old one or the new one', async () => {
    expect(await snapshot('2015-01-30')).toEqual(quietly);
    const began = performance.now();
    expect(await snapshot('2015-02-02')).toEqual(quietly);
    const lasts = performance.now() - began;
    const seen = new Set<unknown>();
    for (let time = 1; time <= 4; time += 1) {
      const { child, ended } = start(`2015-03-0${time}`);
      await delay((lasts * (2 * time + 1)) / 10);
      child.kill('SIGKILL');
      seen.add((await ended)[0]);
      await expectWhole(dayShown());
    }
    expect(seen).toContain('SIGKILL');
    expect(await snapshot('2015-03-31')).toEqual(quietly);
    expect(readdirSync(folder).filter((name) => name.startsWith('.snap'))).toHaveLength(3);
  });
});

it('a signal ends a snapshot at once, and leaves nothing behind', async () => {
  expect(await snapshot('2015-01-30')).toEqual(quietly);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    let sent = 0;
    const { ended } = await startThrough('2015-02-02', (child) => (_, number) => {
      if (number < 4) return;
      sent = performance.now();
      child.kill(signal);
      return new Promise(() => undefined);
    });
    expect(await ended).toEqual([code, '']);
    expect(performance.now() - sent).toBeLessThan(20_000);
    await expectWhole('2015-01-30');
    expect(runs()).toHaveLength(1);
  }
});

it('readers never see a snapshot missing, half done or mixed while it is replaced', async () => {
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
  for (let day = 2; day <= 4; day += 1) expect(await snapshot(`2015-02-0${day}`)).toEqual(quietly);
  replacing = false;
  await reading;
  expect([...days].length).toBeGreaterThan(2);
  expect(reads).toBeGreaterThan(20);
});

// Opening a pipe without a writer would block for ever.
it('asof verify reports a pipe in the place of a file or of the manifest', async () => {
  const plan = join(folder, 'plan.txt');
  await asof(['snapshot', plan, '--out', out, '--as-of', '2015-02-02', '--store', sample]);
  for (const name of ['gdp.csv', 'manifest.json']) {
    const content = readFileSync(join(out, name));
    unlinkSync(join(out, name));
    expect(spawnSync('mkfifo', [join(out, name)]).status).toBe(0);
    const { code, out: found } = await asof(['verify', out, '--store', sample]);
    expect([code, found]).toEqual([1, `${name} is not a regular file\n`]);
    unlinkSync(join(out, name));
    writeFileSync(join(out, name), content);
  }
});
