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
    ['GDP? GDP', ['GDP']],
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

  it('are all tried; failures are listed at the end, and the first failure decides the exit code', async () => {
    const { code, rows, err } = await shown(['obs', 'NOPE', 'UNRATE', 'X*', 'GDPC1']);
    expect({ code, rows }).toEqual({ code: 3, rows: ['UNRATE,2014-12-01', 'GDPC1,2014-10-01'] });
    expect(linesOf(err).filter((line) => line.startsWith('asof: '))).toEqual([
      "asof: series 'NOPE' not found",
      "asof: series 'X*' not found",
    ]);
  });

  it('write nothing if all fail', async () => {
    const { code, rows } = await shown(['obs', 'NOPE', 'NIL']);
    expect({ code, rows }).toEqual({ code: 3, rows: [] });
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

  it('also where only one of them answers', async () => {
    const { out } = await asof(['obs', 'LONG', 'NOPE', '--limit', '1', '--json', '--store', store]);
    const envelope = JSON.parse(out);
    expect(envelope).toMatchObject({ results_count: 1, has_more: false });
    expect(envelope).not.toHaveProperty('next_cursor');
  });

  it('facts are those of each, in the CSV that import reads, and all come back', async () => {
    const { code, out } = await asof(['facts', 'gdp', 'UNR*', '--store', store]);
    expect(code).toBe(0);
    const lines = linesOf(folder.read('facts.csv')).filter((line) => /^(GDP|UNRATE|series_id),/.test(line));
    const kinds = ['vintage_kind', ...lines.slice(1).map(() => 'exact')];
    expect(linesOf(out)).toEqual(lines.map((line, i) => `${line},${kinds[i]}`));
  });

  it('facts of known and unknown ones are those of the known, and exit 3', async () => {
    const { code, out, err } = await asof(['facts', 'NOPE', 'UNRATE', '--store', store]);
    expect({ code, out }).toEqual({
      code: 3,
      out: 'series_id,date,as_of_date,value,vintage_kind\nUNRATE,2014-12-01,2015-01-09,5.6,exact\n',
    });
    expect(err).toContain("series 'NOPE' not found");
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
        'LONG has no vintage up to 2000-01-01, and 1 more series do not cover 2000-01-01\n',
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
