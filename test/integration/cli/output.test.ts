import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/domain/values/date.ts';
import {
  asof,
  days,
  importedStore,
  linesOf,
  longValue,
  type Surroundings,
  statements,
  transcript,
} from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

const header = 'date,value,as_of_date,series_id,unit,frequency,source';
const newestFirst = [...days].reverse();
const q4 = '2014-10-01,17703.7,2015-03-27,GDP,,Q,';
const q3 = '2014-07-01,17599.8,2014-12-23,GDP,,Q,';

/** Runs a line of words with the store of these tests. */
const run = (line: string, surroundings: Surroundings = {}) =>
  asof([...line.split(' '), '--store', store], surroundings);
const terminal = (columns = 120) => ({ stdoutIsTerminal: true, stderrIsTerminal: true, columns });

describe('observations as of a day', () => {
  it.each<readonly [flags: string, rows: readonly string[]]>([
    ['', [q4, q3]],
    ['--as-of 2015-01-30', ['2014-10-01,17710.7,2015-01-30,GDP,,Q,', q3]],
    // Nothing states the frequency, and one date implies none.
    ['--known-before 2015-01-30', ['2014-07-01,17599.8,2014-12-23,GDP,,,']],
    ['--as-of 2014-11-24', ['2014-07-01,17535.4,2014-10-30,GDP,,,']],
    ['--as-of 2014-10-29', []],
    ['--first-release', ['2014-10-01,17710.7,2015-01-30,GDP,,Q,']],
    ['--sort asc', [q3, q4]],
    ['--sort asc --limit 1', [q4]],
    ['--to 2014-09-30', [q3]],
    ['--from 2014-10-01 --to today', [q4]],
  ])('asof obs GDP %s', async (flags, rows) => {
    const { code, out } = await run(`obs GDP ${flags}`.trim());
    expect({ code, lines: linesOf(out) }).toEqual({ code: 0, lines: [header, ...rows] });
  });

  it('show with -v what today is, and each request', async () => {
    const { err } = await run('obs GDP --as-of today -v');
    expect(err).toContain('asof: --as-of today is 2026-03-15\n');
    expect(err).toContain('asof: observations id=GDP as_of=2026-03-15 limit=1000: 2 rows');
  });
});

describe('nothing is silently short', () => {
  it('csv has all rows, over as many pages as it takes, and on a terminal too', async () => {
    const out = ['date,value', ...newestFirst.map((day) => `${day},${longValue(day)}`), ''].join('\n');
    const line = 'obs LONG --columns date,value --csv';
    expect(await run(line)).toEqual({ code: 0, out, err: '' });
    expect(await run(line, terminal())).toEqual({ code: 0, out, err: '' });
  });

  it('--limit is larger than a page, in the contract’s order and before --sort', async () => {
    const { out } = await run('obs LONG --limit 1500 --sort asc --columns date --no-header');
    expect(linesOf(out)).toEqual(newestFirst.slice(0, 1500).reverse());
  });

  it('json over several pages is one envelope', async () => {
    const { results, ...rest } = JSON.parse((await run('obs LONG --json')).out);
    expect(rest).toMatchObject({ object: 'observation_series', results_count: 2500, has_more: false });
    expect(rest).not.toHaveProperty('next_cursor');
    expect(results.map((row: { date: string }) => row.date.slice(0, 10))).toEqual(newestFirst);
  });

  it.each(['1500', '1000', '7'])(
    'json that --limit %s cut says so, and its cursor leads on without a gap',
    async (limit) => {
      const first = JSON.parse((await run(`obs LONG --json --limit ${limit}`)).out);
      expect(first).toMatchObject({ results_count: Number(limit), has_more: true });
      const second = JSON.parse((await run(`obs LONG --json --cursor ${first.next_cursor}`)).out);
      expect(second.has_more).toBe(false);
      const dates = [...first.results, ...second.results].map((row) => row.date.slice(0, 10));
      expect(dates).toEqual(newestFirst);
    },
  );

  it.each([
    [undefined, 100, 2403],
    [24, 17, 2486],
    [1, 7, 2496],
  ])(
    'a terminal of %s lines shows the first and the last rows, and how many are between, also with -q',
    async (rows, lines, between) => {
      const { out, err } = await run('obs LONG -q', { ...terminal(), ...(rows !== undefined && { rows }) });
      const shown = linesOf(out);
      expect(shown).toHaveLength(lines);
      const dates = shown.slice(2).map((line) => line.split(' ')[0]);
      const gap = dates.indexOf('…');
      const ending = dates.length - gap - 1;
      expect(ending).toBeGreaterThan(0);
      expect(dates).toEqual([...newestFirst.slice(0, gap), '…', ...newestFirst.slice(-ending)]);
      expect(gap + between + ending).toBe(days.length);
      const count = between.toLocaleString('en');
      expect(err).toBe(`asof: ${count} more rows; --all shows all, --limit N at most N\n`);
    },
  );

  it.each([
    ['--all', 2502],
    ['--limit 300', 302],
  ])('a terminal shows all requested rows with %s', async (flags, lines) => {
    const { out, err } = await run(`obs LONG -q ${flags}`, terminal());
    expect([linesOf(out).length, err]).toEqual([lines, '']);
  });

  it('a narrow terminal names the columns that it does not show; of many the first ones, and counts the others', async () => {
    const { out, err } = await run('obs GDP --no-color', terminal(40));
    expect(linesOf(out).slice(0, 2)).toEqual([
      'series_id: GDP  frequency: Q',
      'date          value  as_of_date  unit',
    ]);
    const inOneLine = (text: string) => text.replace(/\s+/g, ' ');
    expect(inOneLine(err)).toContain('the terminal is too narrow for source;');
    // The shipped sample has more than a hundred vintages of 2014.
    const line = ['revisions', 'GDP', '--wide', '--from', '2014-01-01', '--to', '2014-12-31'];
    const all = linesOf((await asof([...line, '--csv'])).out)[0]?.split(',') ?? [];
    const narrow = await asof([...line, '--no-color'], terminal(40));
    const shown = linesOf(narrow.out)[0]?.split(/ +/).length ?? 0;
    const named = all.slice(shown, shown + 8).join(', ');
    expect(inOneLine(narrow.err)).toContain(
      `the terminal is too narrow for ${named}, ${all.length - shown - 8} more columns; choose with --columns`,
    );
  });

  it('a note on many series names the first ones, and counts the others', async () => {
    // The shipped sample has 25 sampled series and 18 others that began by then.
    const line = 'panel * --as-of-each month-end --from 2009-01-01 --to 2009-01-31';
    const { err } = await asof(line.split(' '));
    expect(linesOf(err)).toEqual([
      'asof: CP, CPIAUCSL, CPILFESL and 22 more series are sampled: each row shows the newest vintage up to its as-of date',
      'asof: vintages are dated differently: CP, CPIAUCSL, CPILFESL and 22 more series by the middle of a month or quarter; DFII10, DFII20, DFII5 and 15 more series by the day of publication',
    ]);
  });

  it('a terminal says to which day the newest values are covered, unless a day was asked for', async () => {
    const note = 'asof: GDP is covered to 2015-03-27';
    expect((await run('obs GDP', terminal())).err).toBe(`${note}\n`);
    expect((await run('panel gdp long', terminal())).err).toContain(
      `${note}, and 1 more series are not up to date\n`,
    );
    const compared = ['obs GDP --as-of 2015-01-30 --vs latest', 'diff GDP 2015-01-30 latest'];
    for (const line of [...compared, 'revisions GDP --date 2014Q4 --summary'])
      expect((await run(line, terminal())).err).toContain(`${note}\n`);
    for (const more of ['--as-of 2015-03-27', '--to 2014-10-01', '-q', '--csv'])
      expect((await run(`obs GDP ${more}`, terminal())).err).not.toContain(note);
  });

  it('no rows come with what would make some', async () => {
    const line = 'insider clusters --code S --min-value 9 --ticker TSLA --no-header --csv';
    const { code, out, err } = await asof(line.split(' '));
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('a cluster needs sales by 3 insiders within 14 days, worth 9 or more');
  });

  it('rows are never mixed with those of data that changed between two pages: exit 8', async () => {
    // Longer than the largest page of a store.
    const daily = Array.from(
      { length: 12_000 },
      (_, day) => `DAILY,${addDays('1970-01-01', day)},2021-01-01,1`,
    );
    const path = folder.path('daily.db');
    const imported = ['import', folder.write('daily.csv', statements(daily)), '--store', path];
    expect((await asof(imported)).code).toBe(0);
    const file = folder.write('change.csv', statements(['DAILY,2030-01-01,2021-01-01,1']));
    let changed = false;
    const onWrite = async () => {
      if (changed) return;
      changed = true;
      const line = ['import', file, '--replace', '--projections', '--store', path];
      expect((await asof(line)).code).toBe(0);
    };
    const { code, err } = await asof(['obs', 'DAILY', '--csv', '--store', path], { onWrite });
    expect([code, err]).toEqual([8, expect.stringContaining('the data changed while asof was reading them')]);
  });
});

describe('formats', () => {
  it.each<readonly [flags: string, terminal: boolean, env: Record<string, string>, start: string]>([
    ['', false, {}, 'status,message'],
    ['', true, { NO_COLOR: '1' }, 'status  message'],
    ['', true, { ASOF_FORMAT: 'json' }, '{\n  "object": "ping"'],
    ['--csv', true, { ASOF_FORMAT: 'json' }, 'status,message'],
    ['-f tsv', false, {}, 'status\tmessage'],
    ['-f ndjson', false, {}, '{"status":"ok"'],
    ['--json', false, {}, '{\n  "object": "ping"'],
    ['-f markdown', true, {}, '| status | message | plan | monthly_limit |'],
    ['-f table', false, {}, 'status  message'],
    ['', false, { ASOF_FORMAT: '' }, 'status,message'],
  ])('ping %s (terminal: %s, %j)', async (flags, stdoutIsTerminal, env, start) => {
    const { code, out } = await run(`ping ${flags}`.trim(), { stdoutIsTerminal, columns: 120, env });
    expect({ code, start: out.slice(0, start.length) }).toEqual({ code: 0, start });
  });

  it('tables and text files say unlimited', async () => {
    expect((await run('ping -f table')).out).toContain('unlimited');
    expect((await run('ping --csv')).out).toContain(',owner,unlimited,,unlimited,,unlimited,');
  });

  it('the description of a series is a card on a terminal', async () => {
    const lines = linesOf((await run('series show GDP --no-color', terminal(40))).out);
    expect(lines[0]).toMatch(/^id: +GDP$/);
    expect(lines).toContainEqual(expect.stringMatching(/^first_vintage: +2014-10-30$/));
    expect((await run('series show GDP --csv', terminal())).out).toMatch(/^id,title,units,/);
  });

  it('a table cuts titles before ids, which people copy', async () => {
    const id = 'ANIDOFTWENTYLETTERSX';
    const own = folder.path('titles.db');
    const facts = folder.write('ids.csv', statements([`${id},2020-01-01,2020-02-01,1`]));
    const titles = folder.write('titles.csv', `series_id,title\n${id},${'Long title '.repeat(9)}\n`);
    await asof(['import', facts, titles, '--store', own]);
    const { out } = await asof(['series', 'search', id, '--no-color', '--store', own], terminal(80));
    expect(linesOf(out)[1]).toContain(`${id}  Long`);
    expect(linesOf(out)[1]).toContain('…');
  });

  it.each<readonly [flags: string, env: Record<string, string>, terminal: boolean, colour: boolean]>([
    ['', {}, true, true],
    ['', {}, false, false],
    ['--no-color', {}, true, false],
    ['', { NO_COLOR: '1' }, true, false],
    ['', { NO_COLOR: '' }, true, true],
    ['', { TERM: 'dumb' }, true, false],
    ['', { FORCE_COLOR: '1' }, false, true],
    ['', { FORCE_COLOR: '0' }, true, false],
    ['', { FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
    ['--no-color', { FORCE_COLOR: '1' }, true, false],
  ])('colours: %s %j on a terminal: %s → %s', async (flags, env, stdoutIsTerminal, colour) => {
    const { out } = await run(`ping -f table ${flags}`.trim(), { stdoutIsTerminal, env });
    expect(out.startsWith('\u001B[1m')).toBe(colour);
  });

  it('--fail-empty exits 9 when there are no rows, and leaves the file of -o as it was', async () => {
    expect((await run('obs GDP --fail-empty')).code).toBe(0);
    const line = 'obs GDP --fail-empty --as-of 1990-01-01 -q';
    expect(await run(line)).toEqual({ code: 9, out: `${header}\n`, err: '' });
    const file = folder.write('empty.csv', 'keep\n');
    expect((await run(`${line} -o ${file}`)).code).toBe(9);
    expect(folder.read('empty.csv')).toBe('keep\n');
    for (const name of ['none.csv', 'none.svg', 'none.parquet']) {
      expect((await run(`${line} -o ${folder.path(name)}`)).code).toBe(9);
      expect(folder.has(name)).toBe(false);
    }
  });
});

describe('-o', () => {
  it.each(['obs GDP', 'facts GDP', 'series search'])('never replaces a store (%s)', async (words) => {
    const copy = folder.path('copy.csv');
    copyFileSync(store, copy);
    const before = readFileSync(copy);
    const err = `asof: will not write to ${copy}: it is a database, such as a store; name another file\n`;
    const ended = await asof([...words.split(' '), '--store', copy, '-o', copy]);
    expect(ended).toEqual({ code: 2, out: '', err });
    expect(readFileSync(copy).equals(before)).toBe(true);
  });

  it('writes what stdout would have had, in the format of the extension; - is stdout', async () => {
    expect(await run(`obs GDP -o ${folder.path('gdp.csv')}`)).toEqual({ code: 0, out: '', err: '' });
    expect(folder.read('gdp.csv')).toBe((await run('obs GDP')).out);
    expect((await run('obs GDP -o -')).out).toBe(`${header}\n${q4}\n${q3}\n`);
    await run(`obs GDP -o ${folder.path('gdp.json')}`);
    expect(JSON.parse(folder.read('gdp.json')).results).toHaveLength(2);
    await run(`obs GDP -o ${folder.path('gdp.ndjson')}`);
    const values = linesOf(folder.read('gdp.ndjson')).map((text) => JSON.parse(text).value);
    expect(values).toEqual(['17703.7', '17599.8']);
  });

  it('compresses what it writes to a name that ends in .gz, also of facts, which import reads again', async () => {
    await run(`obs GDP -o ${folder.path('gdp.csv.gz')}`);
    expect(gunzipSync(readFileSync(folder.path('gdp.csv.gz'))).toString()).toBe((await run('obs GDP')).out);
    await run(`facts GDP -o ${folder.path('facts.csv.gz')}`);
    const copy = folder.path('from-facts.db');
    expect((await asof(['import', folder.path('facts.csv.gz'), '--store', copy, '-q'])).code).toBe(0);
    expect((await asof(['facts', 'GDP', '--store', copy])).out).toBe((await run('facts GDP')).out);
  });

  it('of a Markdown table has the columns chosen and all rows, also on a terminal', async () => {
    const line = 'obs LONG --columns value,date';
    expect(await run(`${line} -o ${folder.path('long.md')}`)).toMatchObject({ code: 0, err: '' });
    const rows = newestFirst.map((day) => `| ${longValue(day)} | ${day} |`);
    const expected = ['| value | date |', '| ---: | --- |', ...rows];
    expect(linesOf(folder.read('long.md'))).toEqual(expected);
    expect(linesOf((await run(`${line} -f markdown`, terminal(20))).out)).toEqual(expected);
  });

  it('writes no colours into a file', async () => {
    await run(`ping -f table -o ${folder.path('p.txt')}`, { env: { FORCE_COLOR: '1' } });
    expect(folder.read('p.txt')).not.toContain('\u001B');
  });

  const at = folder.path('.');
  transcript(
    `
    # is refused before any query runs without the header of Markdown
    $ asof obs GDP --no-header -o x.md --store ${at}/none.db
    ! asof: a markdown table needs its header: leave out --no-header
    [exit 2]

    # into a folder that is not there, onto a folder or below a file exits with 10
    $ asof obs GDP -o ${at}/none/x.csv
    ! asof: cannot write to ${at}/none/x.csv: there is no such folder
    [exit 10]
    $ asof obs GDP -o ${at}
    ! asof: cannot write to ${at}: it is a folder
    [exit 10]
    $ asof obs GDP -o ${at}/facts.csv/x.csv
    ! asof: cannot write to ${at}/facts.csv/x.csv: a part of the path is not a folder
    [exit 10]
    `,
    () => ({ env: { ASOF_STORE: store } }),
  );

  it.each([
    ['one unknown series of two', 'obs GDP NOPE', 3],
    ['a bad value', 'obs GDP --as-of x', 2],
    ['facts of an unknown series', 'facts GDP NOPE', 3],
  ])('leaves the file as it was after %s', async (_, line, code) => {
    mkdirSync(folder.path('kept'), { recursive: true });
    const file = folder.write('kept/x.csv', 'precious');
    expect((await run(`${line} -o ${file}`)).code).toBe(code);
    expect([readdirSync(folder.path('kept')), folder.read('kept/x.csv')]).toEqual([['x.csv'], 'precious']);
  });

  it('replaces a file as a whole: its mode stays, and a link to it', async () => {
    chmodSync(folder.write('private.csv', 'old'), 0o600);
    symlinkSync(folder.path('private.csv'), folder.path('link.csv'));
    expect((await run(`obs GDP -o ${folder.path('link.csv')}`)).code).toBe(0);
    expect(folder.read('private.csv')).toContain('17703.7');
    expect(statSync(folder.path('private.csv')).mode & 0o777).toBe(0o600);
  });
});

describe('control characters in the title of a series', () => {
  /** Sets the title of a window, rings, and deletes a line by a control character of one byte (C1). */
  const hostile = 'A\u001B]0;owned\u0007B\u009B2K';
  const shown = 'A␛]0;owned␇B\uFFFD2K';
  const evil = folder.path('evil.db');

  beforeAll(async () => {
    const facts = folder.write('evil.csv', statements(['GDP,2014-07-01,2014-10-30,17535.4']));
    const titles = folder.write(
      'metadata.csv',
      `series_id,title,units,frequency\nGDP,${hostile},Dollars,Q\n`,
    );
    expect((await asof(['import', facts, titles, '--store', evil])).code).toBe(0);
  });

  it.each([
    ['series show GDP --csv', hostile],
    ['series show GDP -f tsv', hostile],
    ['series search -f ndjson', JSON.stringify(hostile).slice(1, -1)],
    ['facts GDP', hostile],
    ['join - --on day GDP --csv', hostile],
  ])('never reach a terminal, and a pipe gets them as they are: %s', async (words, raw) => {
    const line = [...words.split(' '), '--store', evil];
    const stdin = () => Readable.from([Buffer.from(`day,text\n2014-12-31,${hostile}\n`)]);
    const piped = await asof(line, { stdin: stdin() });
    expect([piped.code, piped.out.includes(raw)]).toEqual([0, true]);
    const { code, out } = await asof(line, { stdin: stdin(), stdoutIsTerminal: true, columns: 400 });
    expect(code).toBe(0);
    expect(out).not.toMatch(/(?![\n\t])\p{Cc}/u);
    expect(out.includes(shown) || out.includes('A\\u001b]0;owned\\u0007B\uFFFD2K')).toBe(true);
    // Only those characters differ.
    expect(out.split('\n').length).toBe(piped.out.split('\n').length);
  });

  it('are in a file as they are, even if the command runs in a terminal', async () => {
    const line = ['series', 'show', 'GDP', '--store', evil, '-o', folder.path('out.csv')];
    expect((await asof(line, terminal())).code).toBe(0);
    expect(folder.read('out.csv')).toContain(hostile);
  });
});
