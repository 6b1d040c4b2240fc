import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Machine } from '../support/console.ts';
import { scratchFolder } from '../support/folders.ts';
import { blocksOf, pageAt } from '../support/repository.ts';

/** The lines of the crontab of a page, and the time fields and the command of its last line. */
function crontabOf(path: string) {
  const [crontab = ''] = blocksOf(pageAt(path).text, 'crontab');
  const lines = crontab.trim().split('\n');
  const [, schedule = '', command = ''] = /^((?:\S+\s+){5})(.*)$/.exec(lines.at(-1) ?? '') ?? [];
  return { lines, schedule: schedule.trim().split(/\s+/), command };
}

/** Runs a command as cron does, with `sh`, a bare environment and no input; what it prints would be mailed. */
function mailedBy(command: string, home: string): string {
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
    cwd: '/',
    env: { HOME: home, PATH: `${join(home, '../bin')}:/usr/bin:/bin` },
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** A home on a machine with `asof` on the path. */
function newHome(): string {
  const folder = scratchFolder();
  new Machine(folder).close();
  return join(folder, 'home');
}

const { lines, schedule, command } = crontabOf('docs/guide/snapshots.md');

describe('the crontab line of docs/guide/snapshots.md', () => {
  let home = '';

  beforeEach(() => {
    home = newHome();
    writeFileSync(join(home, 'plan.txt'), 'gdp.csv observations GDP\ncurve.csv curve --on-or-before\n');
  });

  const mailed = () => mailedBy(command, home);
  const log = () => readFileSync(join(home, 'desk.log'), 'utf8');

  it('has five time fields and a command without a percent sign, which cron would replace', () => {
    expect(schedule).toEqual(['30', '6', '*', '*', '*']);
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
      /^asof: plan\.txt line 1 \(gdp\.csv\): series 'GDPX' not found.*; desk is unchanged\n$/,
    );
    expect(readlinkSync(join(home, 'desk'))).toBe(before);
  });
});

describe.each(['docs/guide/store.md', 'docs/guide/operate.md'])('the crontab line of %s', (page) => {
  const { lines, schedule, command } = crontabOf(page);
  const place = /(\S+\/)asof\/(?:backups\/)?(?= )/.exec(command)?.[1] ?? '';

  it('has five time fields, finds asof where npm installs it, and has no percent sign', () => {
    expect(schedule).toEqual(['15', '3', '*', '*', '*']);
    expect(lines[0]).toBe('PATH=/usr/local/bin:/usr/bin:/bin');
    expect(command).not.toContain('%');
  });

  it('makes a backup each night, keeps seven, and mails nothing', () => {
    const home = newHome();
    const own = join(home, 'var/');
    mkdirSync(join(own, 'asof'), { recursive: true });
    const there = command.replaceAll(place, own);
    const store = /--store (\S+)/.exec(there)?.[1] ?? join(home, '.local/share/asof/asof.db');
    writeFileSync(join(home, 'x.csv'), 'series_id,date,as_of_date,value\nS,2020-01-01,2020-02-01,1\n');
    expect(mailedBy(`asof import "$HOME/x.csv" -q --store ${store}`, home)).toBe('');
    for (let night = 0; night < 8; night += 1) expect(mailedBy(there, home)).toBe('');
    const backups = join(own, /asof\/backups/.test(there) ? 'asof/backups' : 'asof');
    const made = readdirSync(backups).filter((name) => /^asof-\d{4}-\d\d-\d\dT\d{6}Z(-\d+)?\.db$/.test(name));
    expect(made).toHaveLength(7);
  });
});
