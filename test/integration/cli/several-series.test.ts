import { beforeAll, describe, expect, it, vi } from 'vitest';
import { asof, importedStore, linesOf } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

/** The ids and dates that a command shows. */
async function shown(line: readonly string[]) {
  const columns = ['--columns', 'series_id,date', '--no-header'];
  const { code, out, err } = await asof([...line, ...columns, '--store', store]);
  return { code, rows: out === '' ? [] : linesOf(out), err };
}

describe('several series', () => {
  it.each<readonly [typed: string, ids: readonly string[]]>([
    ['gdp unrate', ['GDP', 'UNRATE']],
    ['UNRATE GDP', ['UNRATE', 'GDP']],
    ['GDP gdp UNRATE GDP', ['GDP', 'UNRATE']],
    ['gdp*', ['GDP', 'GDPC1']],
    ['*P*', ['GDP', 'GDPC1']],
    ['*E GDP*', ['UNRATE', 'GDP', 'GDPC1']],
    ['GDPC1 GDP*', ['GDPC1', 'GDP']],
    ['GDP.*', []],
  ])('asof obs %s', async (typed, ids) => {
    const { rows } = await shown(['obs', ...typed.split(' '), '--limit', '1']);
    expect(rows.map((row) => row.split(',')[0])).toEqual(ids);
  });

  it('are each limited by --limit', async () => {
    expect((await shown(['obs', 'GDP', 'LONG', 'GDPC1', '--limit', '2'])).rows).toEqual([
      'GDP,2014-10-01',
      'GDP,2014-07-01',
      'LONG,2016-11-04',
      'LONG,2016-11-03',
      'GDPC1,2014-10-01',
    ]);
  });

  it('are each limited to their oldest rows by --first, still newest first', async () => {
    expect((await shown(['obs', 'GDP', 'LONG', '--first', '2'])).rows).toEqual([
      'GDP,2014-10-01',
      'GDP,2014-07-01',
      'LONG,2010-01-02',
      'LONG,2010-01-01',
    ]);
    expect((await shown(['obs', 'LONG', '--first', '2', '--sort', 'asc'])).rows).toEqual([
      'LONG,2010-01-01',
      'LONG,2010-01-02',
    ]);
  });

  it('are each reversed by --sort asc', async () => {
    expect((await shown(['obs', 'GDP', 'UNRATE', '--sort', 'asc'])).rows).toEqual([
      'GDP,2014-07-01',
      'GDP,2014-10-01',
      'UNRATE,2014-12-01',
    ]);
  });

  it('write nothing if one is not found; the message names all of these', async () => {
    const { code, rows, err } = await shown(['obs', 'NOPE', 'UNRATE', 'X*', 'GDPC1', 'GDP?']);
    expect({ code, rows }).toEqual({ code: 3, rows: [] });
    expect(linesOf(err).map((line) => line.replace(/req_\w+/, '…'))).toEqual([
      "asof: series 'NOPE' not found",
      '      asof series search finds series by words',
      '      also not found: X* and GDP?',
      '      --skip-missing leaves out what is not found',
      '      request …',
    ]);
  });

  it('are those that are found with --skip-missing, which says what it leaves out, even with -q', async () => {
    const line = ['obs', 'NOPE', 'UNRATE', 'X*', 'GDPC1', '--skip-missing'];
    const rows = ['UNRATE,2014-12-01', 'GDPC1,2014-10-01'];
    const err = 'asof: left out, because not found: NOPE and X*\n';
    expect(await shown(line)).toEqual({ code: 0, rows, err });
    expect(await shown([...line, '-q'])).toEqual({ code: 0, rows, err });
  });

  it('write nothing if none is found, with --skip-missing too', async () => {
    const { code, rows, err } = await shown(['obs', 'NOPE', 'NIL', '--skip-missing']);
    expect({ code, rows }).toEqual({ code: 3, rows: [] });
    expect(err).toContain('also not found: NIL\n');
    expect(err).not.toContain('--skip-missing');
    expect((await shown(['obs', 'NOPE', '--skip-missing'])).code).toBe(3);
  });

  it('joined JSON has no series and promises no more, even where a limit cut', async () => {
    const { out } = await asof([
      'obs',
      'GDP',
      'LONG',
      '--as-of',
      '2020-06-30',
      '--limit',
      '1',
      '--json',
      '--store',
      store,
    ]);
    const { results, ...rest } = JSON.parse(out);
    expect(Object.keys(rest)).toEqual([
      'object',
      'request_id',
      'status',
      'as_of',
      'results_count',
      'has_more',
    ]);
    expect(rest).toMatchObject({ results_count: 2, has_more: false });
    expect(results.map((row: { series_id: string }) => row.series_id)).toEqual(['GDP', 'LONG']);
  });

  it('joined JSON names what --skip-missing leaves out, also where only one of them answers', async () => {
    const line = ['obs', 'LONG', 'NOPE', '--skip-missing', '--limit', '1', '--json', '--store', store];
    const envelope = JSON.parse((await asof(line)).out);
    expect(envelope).toMatchObject({ missing: ['NOPE'], results_count: 1, has_more: false });
    expect(envelope).not.toHaveProperty('next_cursor');
    expect(envelope).not.toHaveProperty('covered_to');
  });

  it('facts are those of each, in the CSV that import reads, and all come back', async () => {
    const { code, out } = await asof(['facts', 'gdp', 'UNR*', '--store', store]);
    expect(code).toBe(0);
    const lines = linesOf(folder.read('facts.csv')).filter((line) => /^(GDP|UNRATE|series_id),/.test(line));
    const kinds = ['vintage_kind', ...lines.slice(1).map(() => 'exact')];
    expect(linesOf(out)).toEqual(lines.map((line, i) => `${line},${kinds[i]}`));
  });

  it('facts of known and unknown ones are none, and those of the known with --skip-missing', async () => {
    const line = ['facts', 'NOPE', 'UNRATE', '--store', store];
    const { code, out, err } = await asof(line);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain("series 'NOPE' not found");
    expect(await asof([...line, '--skip-missing', '-q'])).toEqual({
      code: 0,
      out: 'series_id,date,as_of_date,value,vintage_kind\nUNRATE,2014-12-01,2015-01-09,5.6,exact\n',
      err: 'asof: left out, because not found: NOPE\n',
    });
  });
});

describe('coverage', () => {
  it.each<readonly [line: string, notes: string]>([
    ['GDP --as-of 2015-03-27', ''],
    ['GDP --as-of 2014-10-30', ''],
    ['GDP --as-of 2015-03-28', 'asof: GDP is covered to 2015-03-27\n'],
    ['GDP --as-of 2014-10-29', 'asof: GDP has no vintage up to 2014-10-29\n'],
    ['GDP --known-before 2014-10-30', 'asof: GDP has no vintage up to 2014-10-29\n'],
    ['GDP', ''],
    ['GDP* --as-of 2016-01-01', 'asof: GDP is covered to 2015-03-27\nasof: GDPC1 is covered to 2015-01-30\n'],
    ['* --as-of 2014-10-30', ''],
    [
      'GDP UNRATE LONG GDPC1 --as-of 2000-01-01',
      'asof: GDP has no vintage up to 2000-01-01, UNRATE has no vintage up to 2000-01-01, ' +
        'LONG has no vintage up to 2000-01-01, and 1 more series does not cover 2000-01-01\n',
    ],
    ['GDP --as-of 2016-01-01 -q', ''],
  ])('asof obs %s', async (line, notes) => {
    const { code, err } = await asof(['obs', ...line.split(' '), '--store', store]);
    expect({ code, err }).toEqual({ code: 0, err: notes });
  });

  it('is not asked of series that had not begun: a pattern does not match them', async () => {
    const { code, err } = await asof(['obs', '*', '--as-of', '2000-01-01', '--store', store]);
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringContaining("asof: series '*' not found\n      no series id matches this pattern\n"),
    });
  });

  it('is not noted for a series that could not be answered', async () => {
    const { err } = await asof(['obs', 'NOPE', '--as-of', '2000-01-01', '--json', '--store', store]);
    expect(JSON.parse(err)).toMatchObject({ status: 404 });
  });
});

describe('series', () => {
  it.each([
    ['search gdp', ['GDP', 'GDPC1']],
    ['search', ['GDP', 'GDPC1', 'LONG', 'UNRATE']],
    ['search rate --match id', ['UNRATE']],
    ['search --limit 2', ['GDP', 'GDPC1']],
    ['show unrate', ['UNRATE']],
    ['search nothing-like-it', []],
  ])('asof series %s', async (words, ids) => {
    const { code, out } = await asof(['series', ...words.split(' '), '--store', store]);
    const [header, ...rows] = linesOf(out);
    expect({ code, header }).toEqual({
      code: 0,
      header: 'id,title,units,frequency,observation_count,last_updated,source',
    });
    expect(rows.map((row) => row.split(',')[0])).toEqual(ids);
  });
});
