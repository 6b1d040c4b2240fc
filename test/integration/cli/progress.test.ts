import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { messagesOf } from '../../../src/cli/terminal/messages.ts';
import { asof, days, importedStore, longValue, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

const loud = { quiet: false, verbose: false, debug: false };

const erase = '\r\u001B[K';
const slow = { stderrIsTerminal: true, columns: 120, pace: 300 };

/** The lines that stderr showed one after the other, and what it shows at the end. */
function shownBy(err: string) {
  const [before = '', ...lines] = err.split(erase);
  return { before, lines: lines.slice(0, -1).filter((line) => line !== ''), end: lines.at(-1) };
}

/** A terminal of 70 columns, a clock that the test sets, and the texts that were written. */
function terminal(surroundings: Partial<Io> = {}) {
  const texts: string[] = [];
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      texts.push(String(chunk));
      done();
    },
  });
  let now = 0;
  const io = { stderr: Object.assign(stderr, { isTTY: true, columns: 70 }), env: {}, ...surroundings };
  return {
    io: { ...io, clock: () => new Date(now) } as Io,
    at: (milliseconds: number) => {
      now = milliseconds;
    },
    shown: () => texts.join(''),
  };
}

describe('progress', () => {
  it('shows after half a second, ten times a second at most, with rate and time left by the clock', async () => {
    const { io, at, shown } = terminal();
    at(1000);
    const bar = messagesOf(loud, io).progress();
    const show = async (time: number, done: number) => {
      at(time);
      bar.show(() => 'x', { done, total: 10, unit: 'files' });
      await vi.dynamicImportSettled();
    };
    await show(1499, 1);
    expect(shown()).toBe('');
    await show(1500, 1);
    const first = `${erase}[##..................] 1 of 10 files, 2 files/s, 5 s left, x`;
    expect(shown()).toBe(first);
    await show(1599, 2);
    expect(shown()).toBe(first);
    await show(3000, 4);
    const second = `${erase}[########............] 4 of 10 files, 2 files/s, 3 s left, x`;
    expect(shown()).toBe(first + second);
    bar.clear();
    expect(shown()).toBe(first + second + erase);
    bar.clear();
    expect(shown()).toBe(first + second + erase);
  });

  it('is erased before any other message', async () => {
    const { io, at, shown } = terminal();
    const bar = messagesOf(loud, io).progress();
    at(700);
    bar.show(() => 'half done');
    await vi.dynamicImportSettled();
    messagesOf(loud, io).note('asof: a note');
    expect(shown()).toBe(`${erase}half done${erase}asof: a note\n`);
  });

  it('does not come after it was cleared', async () => {
    const { io, at, shown } = terminal();
    const bar = messagesOf(loud, io).progress();
    at(700);
    bar.show(() => 'half done');
    bar.clear();
    await vi.dynamicImportSettled();
    await wait(10);
    expect(shown()).toBe('');
  });

  it('is silent on a terminal that cannot erase a line', async () => {
    const { io, at, shown } = terminal({ env: { TERM: 'dumb' } });
    const bar = messagesOf(loud, io).progress();
    at(700);
    bar.show(() => 'x');
    await vi.dynamicImportSettled();
    expect(shown()).toBe('');
  });
});

describe('long work on a terminal’s stderr', () => {
  it('of an import shows bytes of all files, rows, rate and time left, and is gone when the summary comes', async () => {
    const series = (id: string) =>
      statements(
        days.flatMap((day) => [1, 2, 3].map((v) => `${id},${day},2021-01-0${v},${longValue(day)}${v}`)),
      );
    const [first, second] = [folder.write('p.csv', series('P')), folder.write('q.csv', series('Q'))];
    const line = ['import', first, second, '--store', folder.path('p.db')];
    const { code, err } = await asof(line, { ...slow, columns: 200 });
    const { lines, end } = shownBy(err);
    expect(code).toBe(0);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines.filter((line) => !line.includes('looking at')))
      expect(line).toMatch(
        /^\[[#.]{20}\] \d+\.\d of 4\d\d\.\d kB, (\d+\.\d kB\/s, \d+ s left, )?[\d,]+ rows of \S+\/[pq]\.csv$/,
      );
    expect(lines.some((line) => / s left, .*q\.csv$/.test(line))).toBe(true);
    expect(end).toMatch(/^\S+: asof-csv, 1 series/);
  });

  it('of an export of several series shows rows of all rows', async () => {
    const line = ['obs', 'LONG', 'GDP', 'UNRATE', '--store', store, '-o', folder.path('x.csv')];
    const { code, err } = await asof(line, slow);
    const { before, lines, end } = shownBy(err);
    expect({ code, before, end }).toEqual({ code: 0, before: '', end: '' });
    expect(lines.at(-1)).toMatch(/^\[#{20}\] 2,503 of 2,503 rows, \d+ rows\/s$/);
  });

  it('of an export of a pattern shows rows of all rows, which the list of series states', async () => {
    const line = ['obs', '*', '--store', store, '-o', folder.path('x.csv')];
    const { lines } = shownBy((await asof(line, slow)).err);
    expect(lines.at(-1)).toMatch(/^\[#{20}\] 2,504 of 2,504 rows, [\d,]+ rows\/s$/);
  });

  it('of a pattern as of a day shows series of all series, since less may be known then', async () => {
    const line = ['obs', '*', '--as-of', '2025-01-01', '--store', store, '-o', folder.path('x.csv')];
    const { lines } = shownBy((await asof(line, slow)).err);
    expect(lines.at(-1)).toMatch(/^\[#{15}\.{5}\] 3 of 4 series, .*, 2,504 rows$/);
  });

  it('of one series shows rows and their rate, since their number is unknown', async () => {
    const line = ['obs', 'LONG', '--as-of', '2025-01-01', '--store', store, '-o', folder.path('x.csv')];
    const { lines } = shownBy((await asof(line, slow)).err);
    expect(lines.at(-1)).toMatch(/^2,500 rows, [\d,]+ rows\/s$/);
  });

  it('of a Parquet file shows in the end how much of it is written', async () => {
    const line = ['obs', '*', '--store', store, '-o', folder.path('x.parquet')];
    const { lines, end } = shownBy((await asof(line, slow)).err);
    expect(lines.at(-2)).toMatch(/^\[#{20}\] 2,504 of 2,504 rows/);
    expect([lines.at(-1), end]).toEqual(['2,504 rows, 0.0 MB written', '']);
  });

  it('of a panel shows requests and their rate', async () => {
    const range = ['--as-of-each', 'month-end', '--from', '2014-01-01', '--to', '2015-12-31'];
    const line = ['panel', 'GDP', 'LONG', ...range, '--store', store, '-o', folder.path('x.csv')];
    const { err } = await asof(line, slow);
    const { lines } = shownBy(err);
    expect(lines.at(-1)).toMatch(/^\d+ requests?, [\d.]+ requests\/s$/);
  });

  it.each([
    ['is not shown in the first half second', { ...slow, pace: 0 }, []],
    ['is not shown where stderr is no terminal', { ...slow, stderrIsTerminal: false }, []],
    ['is not shown to the quiet', slow, ['-q']],
  ])('%s', async (_, surroundings, flags) => {
    const line = ['obs', 'LONG', '--store', store, '-o', folder.path('y.csv'), ...flags];
    expect((await asof(line, surroundings)).err).toBe('');
  });

  it('never shares a line with the messages of -v', async () => {
    const line = ['obs', 'LONG', 'GDP', '-v', '--store', store, '-o', folder.path('z.csv')];
    const { err } = await asof(line, slow);
    for (const shown of err.split(erase)) expect(shown).not.toMatch(/rows\/s.*asof:/);
    expect(err).toContain(`${erase}asof: observations id=GDP`);
  });
});
