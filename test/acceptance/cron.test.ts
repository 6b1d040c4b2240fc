import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { takeLock } from '../../src/store/sqlite/access.ts';
import { Machine } from '../support/console.ts';
import { scratchFolder } from '../support/folders.ts';
import { blocksOf, pageAt } from '../support/pages.ts';

const [crontab = ''] = blocksOf(pageAt('docs/guide/snapshots.md').text, 'crontab');
const lines = crontab.trim().split('\n');
const job = lines.at(-1) ?? '';
const [, schedule = '', command = ''] = /^((?:\S+\s+){5})(.*)$/.exec(job) ?? [];

describe('the crontab line of docs/guide/snapshots.md', () => {
  let home = '';

  beforeEach(() => {
    const folder = scratchFolder();
    new Machine(folder).close();
    home = join(folder, 'home');
    writeFileSync(join(home, 'plan.txt'), 'gdp.csv observations GDP\ncurve.csv curve --on-or-before\n');
  });

  /** Runs the command as cron does, with `sh`, a bare environment and no input; what it prints would be mailed. */
  const mailed = (): string => {
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
      cwd: '/',
      env: { HOME: home, PATH: `${join(home, '../bin')}:/usr/bin:/bin` },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    return stdout + stderr;
  };
  const log = () => readFileSync(join(home, 'desk.log'), 'utf8');

  it('has five time fields and a command without a percent sign, which cron would replace', () => {
    expect(schedule.trim().split(/\s+/)).toEqual(['30', '6', '*', '*', '*']);
    expect(command).toContain('asof snapshot');
    expect(command).not.toContain('%');
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^[A-Z]+=\S+$/);
  });

  it('mails nothing after a success, and logs for each run what is out of date, and one line at the end', () => {
    expect([mailed(), mailed()]).toEqual(['', '']);
    const run =
      'asof: GDP is covered to 2024-12-19\n' +
      'asof: the PAR curve is covered to 2025-12-31\n' +
      'asof: desk as of \\d{4}-\\d\\d-\\d\\d: 2 files, \\d+ rows, .*\n';
    expect(log()).toMatch(new RegExp(`^(${run}){2}$`));
    expect(readdirSync(join(home, 'desk')).sort()).toEqual(['curve.csv', 'gdp.csv', 'manifest.json']);
  });

  it('mails the error of a wrong plan, and leaves the snapshot as it was', () => {
    mailed();
    const before = readlinkSync(join(home, 'desk'));
    writeFileSync(join(home, 'plan.txt'), 'gdp.csv observations GDPX\n');
    expect(mailed()).toMatch(
      /^asof: plan\.txt line 1 \(gdp\.csv\): series 'GDPX' not found.*; desk is as it was\n$/,
    );
    expect(readlinkSync(join(home, 'desk'))).toBe(before);
  });

  it('mails that another run holds the lock', async () => {
    mailed();
    const lock = await takeLock(join(home, '.desk.lock'));
    expect(mailed()).toMatch(/^asof: .*another.*\n$/);
    await lock?.close();
    expect(mailed()).toBe('');
  });
});
