import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { asof, days, importedStore, linesOf, longValue, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

const header = 'date,value,as_of_date,series_id,unit,frequency,source';
const newestFirst = [...days].reverse();
const q4 = '2014-10-01,17703.7,2015-03-27,GDP,,Q,';
const q3 = '2014-07-01,17599.8,2014-12-23,GDP,,Q,';

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
    const line = ['obs', 'GDP', ...flags.split(' ').filter((word) => word !== ''), '--store', store];
    const { code, out } = await asof(line);
    expect({ code, lines: linesOf(out) }).toEqual({ code: 0, lines: [header, ...rows] });
  });

  it('show with -v what today is, and each request', async () => {
    const { err } = await asof(['obs', 'GDP', '--as-of', 'today', '-v', '--store', store]);
    expect(err).toContain('asof: --as-of today is 2026-03-15\n');
    expect(err).toContain('asof: observations id=GDP as_of=2026-03-15 limit=1000: 2 rows');
  });
});

describe('nothing is silently short', () => {
  it('csv has all rows, over as many pages as it takes', async () => {
    const { out, err } = await asof(['obs', 'LONG', '--columns', 'date,value', '--store', store]);
    expect(linesOf(out)).toEqual(['date,value', ...newestFirst.map((day) => `${day},${longValue(day)}`)]);
    expect(err).toBe('');
  });

  it('--limit is larger than a page, in the contract’s order and before --sort', async () => {
    const flags = ['--limit', '1500', '--sort', 'asc', '--columns', 'date', '--no-header'];
    const { out } = await asof(['obs', 'LONG', ...flags, '--store', store]);
    expect(linesOf(out)).toEqual(newestFirst.slice(0, 1500).reverse());
  });

  it('json over several pages is one envelope', async () => {
    const { out } = await asof(['obs', 'LONG', '--json', '--store', store]);
    const { results, ...rest } = JSON.parse(out);
    expect(rest).toMatchObject({ object: 'observation_series', results_count: 2500, has_more: false });
    expect(rest).not.toHaveProperty('next_cursor');
    expect(results.map((row: { date: string }) => row.date.slice(0, 10))).toEqual(newestFirst);
  });

  it.each([['1500'], ['1000'], ['7']])(
    'json that --limit %s cut says so, and its cursor leads on without a gap',
    async (limit) => {
      const line = ['obs', 'LONG', '--store', store, '--json'];
      const first = JSON.parse((await asof([...line, '--limit', limit])).out);
      expect(first).toMatchObject({ results_count: Number(limit), has_more: true });
      const second = JSON.parse((await asof([...line, '--cursor', first.next_cursor])).out);
      expect(second.has_more).toBe(false);
      const dates = [...first.results, ...second.results].map((row) => row.date.slice(0, 10));
      expect(dates).toEqual(newestFirst);
    },
  );

  it('a terminal shows 100 rows and how many more there are, also with -q', async () => {
    const line = ['obs', 'LONG', '--store', store, '-q'];
    const { out, err } = await asof(line, { stdoutIsTerminal: true, columns: 120 });
    expect(linesOf(out)).toHaveLength(101);
    expect(err).toBe('asof: 2,400 more rows; --all shows all, --limit N at most N\n');
  });

  it.each([
    ['--all', 2501],
    ['--limit 300', 301],
    ['--csv', 2501],
  ])('a terminal shows all requested rows with %s', async (flags, lines) => {
    const surroundings = { stdoutIsTerminal: true, columns: 120 };
    const { out, err } = await asof(['obs', 'LONG', '--store', store, ...flags.split(' ')], surroundings);
    expect(linesOf(out)).toHaveLength(lines);
    expect(err).toBe('');
  });

  it('a narrow terminal names the columns that it does not show', async () => {
    const surroundings = { stdoutIsTerminal: true, columns: 40 };
    const { out, err } = await asof(['obs', 'GDP', '--no-color', '--store', store], surroundings);
    expect(linesOf(out)[0]).toBe('date          value  as_of_date');
    expect(err).toContain('the terminal is too narrow for series_id, unit, frequency, source');
  });

  it('and of many columns names the first ones and counts the others', async () => {
    // The shipped sample has more than a hundred vintages of 2014.
    const env = { HOME: folder.path('home') };
    const line = ['revisions', 'GDP', '--wide', '--from', '2014-01-01', '--to', '2014-12-31'];
    const all = linesOf((await asof([...line, '--csv'], { env })).out)[0]?.split(',') ?? [];
    const narrow = { env, stdoutIsTerminal: true, columns: 40 };
    const { out, err } = await asof([...line, '--no-color'], narrow);
    const shown = linesOf(out)[0]?.split(/ +/).length ?? 0;
    const named = all.slice(shown, shown + 8).join(', ');
    expect(err).toContain(
      `the terminal is too narrow for ${named}, ${all.length - shown - 8} more columns; choose with --columns\n`,
    );
  });
});

describe('data that changes between two pages', () => {
  const change = async (path: string, value: string) => {
    const file = folder.write('change.csv', statements([`LONG,2030-01-01,2021-01-01,${value}`]));
    const { code, err } = await asof(['import', file, '--replace', '--projections', '--store', path]);
    expect({ code, err }).toMatchObject({ code: 0 });
  };

  it('is never mixed with what was written before: exit 8', async () => {
    const path = await importedStore({ ...folder, path: (name) => folder.path(`changing-${name}`) });
    let changed = false;
    const onWrite = async () => {
      if (!changed) await change(path, '1');
      changed = true;
    };
    const { code, err } = await asof(['obs', 'LONG', '--csv', '--store', path], { onWrite });
    expect(code).toBe(8);
    expect(err).toContain('the data changed while it was being read');
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
    ['-f markdown', false, {}, '| status | message | plan | monthly_limit |'],
    ['-f markdown', true, {}, '| status | message | plan | monthly_limit |'],
    ['-f table', false, {}, 'status  message'],
    ['', false, { ASOF_FORMAT: '' }, 'status,message'],
  ])('ping %s (terminal: %s, %j)', async (flags, stdoutIsTerminal, env, start) => {
    const line = ['ping', ...flags.split(' ').filter((word) => word !== ''), '--store', store];
    const { code, out } = await asof(line, { stdoutIsTerminal, columns: 120, env });
    expect({ code, start: out.slice(0, start.length) }).toEqual({ code: 0, start });
  });

  it('tables and text files say unlimited', async () => {
    expect((await asof(['ping', '-f', 'table', '--store', store])).out).toContain('unlimited');
    expect((await asof(['ping', '--csv', '--store', store])).out).toContain(
      ',owner,unlimited,,unlimited,,unlimited,',
    );
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
    const line = ['ping', '-f', 'table', '--store', store, ...(flags === '' ? [] : [flags])];
    const { out } = await asof(line, { stdoutIsTerminal, env });
    expect(out.startsWith('\u001B[1m')).toBe(colour);
  });

  it('--fail-empty exits 9 when there are no rows, and only then', async () => {
    const line = ['obs', 'GDP', '--fail-empty', '--store', store];
    expect(await asof([...line, '--as-of', '1990-01-01', '-q'])).toEqual({
      code: 9,
      out: `${header}\n`,
      err: '',
    });
    expect((await asof(line)).code).toBe(0);
  });

  it('--fail-empty leaves the file of -o as it was when there are no rows', async () => {
    const line = ['obs', 'GDP', '--fail-empty', '--store', store, '--as-of', '1990-01-01', '-q'];
    const file = folder.write('kept.csv', 'keep\n');
    expect((await asof([...line, '-o', file])).code).toBe(9);
    expect(folder.read('kept.csv')).toBe('keep\n');
    for (const name of ['none.csv', 'none.svg', 'none.parquet']) {
      expect((await asof([...line, '-o', folder.path(name)])).code).toBe(9);
      expect(existsSync(folder.path(name))).toBe(false);
    }
  });
});

describe('-o', () => {
  it.each(['obs GDP', 'facts GDP', 'series search'])('never replaces a store (%s)', async (words) => {
    const copy = folder.path('copy.csv');
    copyFileSync(store, copy);
    const before = readFileSync(copy);
    const { code, out, err } = await asof([...words.split(' '), '--store', copy, '-o', copy]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(
      `asof: will not write to ${copy}: it is a database, such as a store; name another file\n`,
    );
    expect(readFileSync(copy).equals(before)).toBe(true);
  });

  it('writes what stdout would have had, in the format of the extension', async () => {
    const line = ['obs', 'GDP', '--store', store];
    expect(await asof([...line, '-o', folder.path('gdp.csv')])).toEqual({ code: 0, out: '', err: '' });
    expect(folder.read('gdp.csv')).toBe((await asof(line)).out);
    await asof([...line, '-o', folder.path('gdp.json')]);
    expect(JSON.parse(folder.read('gdp.json')).results).toHaveLength(2);
    await asof([...line, '-o', folder.path('gdp.ndjson')]);
    expect(linesOf(folder.read('gdp.ndjson')).map((text) => JSON.parse(text).value)).toEqual([
      '17703.7',
      '17599.8',
    ]);
  });

  it('compresses what it writes to a name that ends in .gz, also of facts, which import reads again', async () => {
    const line = ['obs', 'GDP', '--store', store];
    await asof([...line, '-o', folder.path('gdp.csv.gz')]);
    expect(gunzipSync(readFileSync(folder.path('gdp.csv.gz'))).toString()).toBe((await asof(line)).out);
    await asof(['facts', 'GDP', '--store', store, '-o', folder.path('facts.csv.gz')]);
    const copy = folder.path('copy.csv');
    expect((await asof(['import', folder.path('facts.csv.gz'), '--store', copy, '-q'])).code).toBe(0);
    expect((await asof(['facts', 'GDP', '--store', copy])).out).toBe(
      (await asof(['facts', 'GDP', '--store', store])).out,
    );
  });

  it('is refused with an ending that no format has', async () => {
    const { code, err } = await asof(['obs', 'GDP', '--store', store, '-o', folder.path('gdp.cvs')]);
    expect([code, err.split('\n')[0]]).toEqual([
      2,
      'asof: asof writes no .cvs files: the formats are table, csv, tsv, json, ndjson, parquet, markdown, latex, xlsx, svg, png',
    ]);
  });

  it('of a Markdown table has the columns chosen and all rows, also on a terminal', async () => {
    const line = ['obs', 'LONG', '--columns', 'value,date', '--store', store];
    expect(await asof([...line, '-o', folder.path('long.md')])).toMatchObject({ code: 0, err: '' });
    const rows = newestFirst.map((day) => `| ${longValue(day)} | ${day} |`);
    const expected = ['| value | date |', '| ---: | --- |', ...rows];
    expect(linesOf(folder.read('long.md'))).toEqual(expected);
    const onTerminal = await asof([...line, '-f', 'markdown'], { stdoutIsTerminal: true, columns: 20 });
    expect(linesOf(onTerminal.out)).toEqual(expected);
  });

  it.each([[['-f', 'markdown']], [['-o', 'x.md']]])(
    '%j has no table without a header: exit 2, before any query runs',
    async (flags) => {
      const line = ['obs', 'GDP', '--no-header', '--store', folder.path('none.db'), ...flags];
      const err = 'asof: a markdown table needs its header: leave out --no-header\n';
      expect(await asof(line)).toEqual({ code: 2, out: '', err });
    },
  );

  it('- is stdout', async () => {
    expect((await asof(['obs', 'GDP', '-o', '-', '--store', store])).out).toBe(`${header}\n${q4}\n${q3}\n`);
  });

  it('writes no colours into a file', async () => {
    await asof(['ping', '-f', 'table', '-o', folder.path('p.txt'), '--store', store], {
      env: { FORCE_COLOR: '1' },
    });
    expect(folder.read('p.txt')).not.toContain('\u001B');
  });

  it.each([
    ['into a folder that is not there', 'none/x.csv', 'there is no such folder'],
    ['onto a folder', '.', 'it is a folder'],
    ['below a file', 'facts.csv/x.csv', 'a part of the path is not a folder'],
  ])('%s: exit 10', async (_, name, reason) => {
    const { code, err } = await asof(['obs', 'GDP', '-o', folder.path(name), '--store', store]);
    expect(code).toBe(10);
    expect(err).toBe(`asof: cannot write to ${folder.path(name)}: ${reason}\n`);
  });

  it.each([
    ['an unknown series', ['obs', 'NOPE'], 3],
    ['one unknown series of two', ['obs', 'GDP', 'NOPE'], 3],
    ['a bad value', ['obs', 'GDP', '--as-of', 'x'], 2],
    ['facts of an unknown series', ['facts', 'GDP', 'NOPE'], 3],
  ])('leaves the file as it was after %s', async (_, line, code) => {
    mkdirSync(folder.path('kept'), { recursive: true });
    folder.write('kept/x.csv', 'precious');
    expect((await asof([...line, '-o', folder.path('kept/x.csv'), '--store', store])).code).toBe(code);
    expect(readdirSync(folder.path('kept'))).toEqual(['x.csv']);
    expect(folder.read('kept/x.csv')).toBe('precious');
  });

  it('replaces a file as a whole: its mode stays, and a link to it', async () => {
    chmodSync(folder.write('private.csv', 'old'), 0o600);
    symlinkSync(folder.path('private.csv'), folder.path('link.csv'));
    expect((await asof(['obs', 'GDP', '-o', folder.path('link.csv'), '--store', store])).code).toBe(0);
    expect(folder.read('private.csv')).toContain('17703.7');
    expect(statSync(folder.path('private.csv')).mode & 0o777).toBe(0o600);
  });
});
