import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { messagesOf } from '../../../src/cli/terminal/messages.ts';
import { asof, days, importedStore, longValue, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

const erase = '\r\u001B[K';

/** A terminal of 70 columns, a clock that the test sets, and the texts that were written. */
function terminal(env: Readonly<Record<string, string>> = {}) {
  const texts: string[] = [];
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      texts.push(String(chunk));
      done();
    },
  });
  let now = 0;
  const clock = () => new Date(now);
  const io = { stderr: Object.assign(stderr, { isTTY: true, columns: 70 }), env, clock } as Partial<Io> as Io;
  const messages = messagesOf({ quiet: false, verbose: false, debug: false }, io);
  return {
    messages,
    at: (milliseconds: number) => {
      now = milliseconds;
    },
    shown: () => texts.join(''),
  };
}

describe('progress', () => {
  it('shows after half a second, ten times a second at most, with rate and time left by the clock', async () => {
    const { messages, at, shown } = terminal();
    at(1000);
    const bar = messages.progress();
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
    for (let time = 0; time < 2; time += 1) {
      bar.clear();
      expect(shown()).toBe(first + second + erase);
    }
  });

  it.each<readonly [what: string, env: Readonly<Record<string, string>>, clear: boolean, shown: string]>([
    ['is erased before any other message', {}, false, `${erase}half done${erase}asof: a note\n`],
    ['does not come after it was cleared', {}, true, 'asof: a note\n'],
    ['is silent on a terminal that cannot erase a line', { TERM: 'dumb' }, false, 'asof: a note\n'],
  ])('%s', async (_, env, clear, expected) => {
    const { messages, at, shown } = terminal(env);
    const bar = messages.progress();
    at(700);
    bar.show(() => 'half done');
    if (clear) bar.clear();
    await vi.dynamicImportSettled();
    await wait(10);
    messages.note('asof: a note');
    expect(shown()).toBe(expected);
  });
});

describe('long work on a terminal’s stderr', () => {
  const slow = { stderrIsTerminal: true, columns: 200, pace: 300 };
  const run = (line: string) => asof([...line.split(' '), '--store', store], slow);

  /** The lines that stderr showed one after the other, and what it shows at the end. */
  function shownBy(err: string) {
    const [before = '', ...lines] = err.split(erase);
    return { before, lines: lines.slice(0, -1).filter((line) => line !== ''), end: lines.at(-1) };
  }

  it('of an import shows bytes of all files, rows, rate and time left, and is gone when the summary comes', async () => {
    const series = (id: string) =>
      statements(
        days.flatMap((day) => [1, 2, 3].map((v) => `${id},${day},2021-01-0${v},${longValue(day)}${v}`)),
      );
    const [first, second] = [folder.write('p.csv', series('P')), folder.write('q.csv', series('Q'))];
    const { code, err } = await asof(['import', first, second, '--store', folder.path('p.db')], slow);
    const { lines, end } = shownBy(err);
    expect([code, lines.length > 0]).toEqual([0, true]);
    for (const line of lines.filter((line) => !line.includes('looking at')))
      expect(line).toMatch(
        /^\[[#.]{20}\] \d+\.\d of 4\d\d\.\d kB, (\d+\.\d kB\/s, \d+ s left, )?[\d,]+ rows of \S+\/[pq]\.csv$/,
      );
    expect(lines.some((line) => / s left, .*q\.csv$/.test(line))).toBe(true);
    expect(end).toMatch(/^\S+: asof-csv, 1 series/);
  });

  it.each([
    ['series of several series', 'obs LONG GDP UNRATE', /^\[#+\.+\] 2 of 3 series, .*, 2,503 rows$/, ''],
    [
      'series of all series as of a day',
      'obs * --as-of 2025-01-01',
      /^\[#{15}\.{5}\] 3 of 4 series, .*, 2,504 rows$/,
      'asof: .* and 1 more series does not cover 2025-01-01\n',
    ],
    [
      'rows of one series as of a day',
      'obs LONG --as-of 2025-01-01',
      /^2,500 rows, [\d,]+ rows\/s$/,
      'asof: LONG is .*\n',
    ],
    [
      'requests of a panel, and their rate',
      'panel GDP LONG --as-of-each month-end --from 2014-01-01 --to 2015-12-31',
      /^\d+ requests?, [\d.]+ requests\/s$/,
      '(asof: .*\n){3}',
    ],
  ])('of an export shows %s', async (_, line, last, left) => {
    const { code, err } = await run(`${line} -o ${folder.path('x.csv')}`);
    const { before, lines, end } = shownBy(err);
    const ending = new RegExp(`^${left}asof: wrote [\\d,]+ rows to \\S+/x.csv\n$`);
    expect([code, before, end]).toEqual([0, '', expect.stringMatching(ending)]);
    expect(lines.at(-1)).toMatch(last);
  });

  it('of a Parquet file shows in the end how much of it is written', async () => {
    const { lines, end } = shownBy((await run(`obs * -o ${folder.path('x.parquet')}`)).err);
    expect(lines.at(-2)).toMatch(/^\[#{15}\.{5}\] 3 of 4 series, .*, 2,504 rows$/);
    expect([lines.at(-1), end]).toEqual([
      '2,504 rows, 0.0 MB written',
      `asof: wrote 2,504 rows to ${folder.path('x.parquet')}\n`,
    ]);
  });

  it.each([
    ['in the first half second', { ...slow, pace: 0 }, []],
    ['where stderr is no terminal', { ...slow, stderrIsTerminal: false }, []],
    ['to the quiet', slow, ['-q']],
  ])('is not shown %s', async (_, surroundings, flags) => {
    const line = ['obs', 'LONG', '--store', store, '-o', folder.path('y.csv'), ...flags];
    const { err } = await asof(line, surroundings);
    expect(err.replace(/^asof: wrote 2,500 rows to \S+\n$/, '')).toBe('');
  });

  it('never shares a line with the messages of -v', async () => {
    const { err } = await run(`obs LONG GDP -v -o ${folder.path('z.csv')}`);
    for (const shown of err.split(erase)) expect(shown).not.toMatch(/rows\/s.*asof:/);
    expect(err).toContain(`${erase}asof: observations id=GDP`);
  });
});
