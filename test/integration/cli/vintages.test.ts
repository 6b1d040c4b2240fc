import { beforeAll, describe, expect, it } from 'vitest';
import { asof, importedStore, linesOf, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { dataPath, readData, testData } from '../../support/repository.ts';
import { newStorePath } from '../../support/scratch-store.ts';

const folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
  const facts = folder.write(
    'odd.csv',
    statements([
      'ODD,2020-01-01,2020-02-01,0',
      'ODD,2020-01-01,2020-02-11,4.50',
      'ODD,2020-01-01,2020-03-01,',
      'ODD,2020-01-01,2020-04-01,5',
      'ODD,2020-01-01,2020-05-01,5.0',
      'ODD,2020-02-01,2020-03-01,1',
      'LATE,2020-02-01,2020-02-20,1',
      'LATE,2020-01-01,2020-03-01,1',
      'LATE,2020-01-01,2020-04-01,2',
      'LATE,2020-03-01,2020-04-01,3',
      'LATE,2020-03-01,2020-05-01,4',
      'BACK,2020-01-01,2020-02-01,5',
      'BACK,2020-01-01,2020-03-01,',
      'BACK,2020-01-01,2020-04-01,5.0',
    ]),
  );
  const { code, err } = await asof(['import', facts, '--store', store]);
  if (code !== 0) throw new Error(err);
});

const quarters = ['01', '04', '07', '10'];

const run = (line: string, more: readonly string[] = []) =>
  asof([...line.split(' '), ...more, '--store', store]);
/** Some columns of the rows of a command's CSV. */
async function rows(line: string, columns: string): Promise<readonly string[]> {
  const { out } = await run(line, ['--columns', columns, '--no-header']);
  return out === '' ? [] : linesOf(out);
}

describe('asof revisions', () => {
  const story = 'value,as_of_date,change,percent,days';

  it('lists every value of a date, with its change and the days since the first release', async () => {
    expect(await rows('revisions gdp --date 2014-10-01', story)).toEqual([
      '17710.7,2015-01-30,,,0',
      '17701.3,2015-02-27,-9.4,-0.0531,28',
      '17703.7,2015-03-27,2.4,0.0136,56',
    ]);
  });

  it('has no percent of 0, no change across a withdrawal, and no row for what changes nothing', async () => {
    expect(await rows('revisions ODD --date 2020-01-01', story)).toEqual([
      '0,2020-02-01,,,',
      '4.50,2020-02-11,4.5,,',
      ',2020-03-01,,,',
      '5,2020-04-01,,,',
    ]);
  });

  it('has no days where the first release was before the record begins, also of a date that it lacked then', async () => {
    expect(await rows('revisions LATE --date 2020-01-01', 'value,as_of_date,days')).toEqual([
      '1,2020-03-01,',
      '2,2020-04-01,',
    ]);
    expect(await rows('revisions LATE --date 2020-02-01', 'value,days')).toEqual(['1,']);
    expect(await rows('revisions LATE --date 2020-03-01', 'days')).toEqual(['0', '30']);
  });

  it.each([
    ['2015-03-27', ''],
    ['2015-03-28', 'asof: GDP is covered to 2015-03-27\n'],
    ['2014-10-29', 'asof: GDP has no vintage up to 2014-10-29\n'],
  ])('and vintages say so where %s is not covered', async (day, note) => {
    // The quarter was first published on 2015-01-30.
    const early = `asof: no rows: no value of GDP was known on ${day} for 2014-10-01\n`;
    const said = {
      'revisions gdp --date 2014-10-01': day < '2015-01-30' ? early + note : note,
      'vintages gdp': note,
    };
    for (const [line, notes] of Object.entries(said)) {
      expect((await run(`${line} --as-of ${day}`)).err).toBe(notes);
      const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      expect((await run(`${line} --known-before ${next}`)).err).toBe(notes);
    }
  });

  it.each([
    ['--as-of 2015-02-27', 2],
    ['--as-of 2015-02-26', 1],
    ['--known-before 2015-02-27', 1],
    ['--as-of 2015-01-29', 0],
    ['--known-before 2015-02-28', 2],
  ])('%s shows %i of the three', async (flags, count) => {
    expect(await rows(`revisions GDP --date 2014-10-01 ${flags}`, 'value')).toHaveLength(count);
  });

  it('has the columns of observations and three more, and in JSON also how each vintage came about', async () => {
    const header = 'date,value,as_of_date,series_id,unit,frequency,source,change,percent,days';
    expect(linesOf((await run('revisions GDP --date 2014-10-01')).out)[0]).toBe(header);
    const { object, as_of, results } = JSON.parse(
      (await run('revisions GDP --date 2014-10-01 --as-of 2015-02-27 --json')).out,
    );
    expect([object, as_of, results.length]).toEqual(['revision_series', '2015-02-27', 2]);
    expect(Object.keys(results[0]).sort()).toEqual([...header.split(','), 'vintage_kind'].sort());
    expect(results[0]).toMatchObject({ change: null, percent: null, days: 0, vintage_kind: 'exact' });
  });

  it('says if a date never had a value', async () => {
    const { code, out, err } = await run('revisions GDP --date 2014-11-15');
    expect([code, linesOf(out).length]).toEqual([0, 1]);
    expect(err).toMatch(
      /^asof: no rows: no value of GDP was published for 2014-11-15; its period begins on 2014-10-01\n/,
    );
  });
});

describe('asof vintages', () => {
  it('lists every day of publication, also one that changed nothing, newest first', async () => {
    const { out, err } = await run('vintages odd');
    expect(linesOf(out)).toEqual([
      'as_of_date,added,revised,withdrawn',
      '2020-05-01,0,0,0',
      '2020-04-01,1,0,0',
      '2020-03-01,1,0,1',
      '2020-02-11,0,1,0',
      '2020-02-01,1,0,0',
    ]);
    expect(err).toBe(
      'asof: first vintage 2020-02-01, last 2020-05-01, dates from 2020-01-01, covered to 2020-05-01\n',
    );
  });

  it.each([
    ['--from 2020-03-01', ['2020-05-01', '2020-04-01', '2020-03-01']],
    ['--from 2020-02-11 --to 2020-03-31', ['2020-03-01', '2020-02-11']],
    ['--as-of 2020-02-29', ['2020-02-11', '2020-02-01']],
    ['--known-before 2020-02-11', ['2020-02-01']],
    ['--as-of 2020-03-01 --to 2020-02-11', ['2020-02-11', '2020-02-01']],
    ['--limit 2', ['2020-05-01', '2020-04-01']],
  ])('%s', async (flags, days) => {
    expect(await rows(`vintages ODD ${flags}`, 'as_of_date')).toEqual(days);
  });

  it('says what is covered in JSON too, but not as of a day', async () => {
    const coverage = async (flags: string) => {
      const { out, err } = await run(`vintages ODD --json${flags}`);
      expect(err).toBe('');
      return JSON.parse(out).coverage;
    };
    expect(await coverage('')).toEqual({
      first_vintage: '2020-02-01T00:00:00Z',
      last_vintage: '2020-05-01T00:00:00Z',
      first_date: '2020-01-01T00:00:00Z',
      covered_to: '2020-05-01T00:00:00Z',
    });
    expect(await coverage(' --as-of 2020-03-01')).toBeUndefined();
    expect((await run('vintages ODD --as-of 2020-03-01')).err).toBe('');
  });
});

describe('asof diff', () => {
  it('gives what two days disagree on, newest date first', async () => {
    const { code, out } = await run('diff gdp 2014-12-22 2015-03-27');
    expect(code).toBe(0);
    expect(linesOf(out)).toEqual([
      'series_id,date,old,new,change,percent,kind',
      'GDP,2014-10-01,,17703.7,,,added',
      'GDP,2014-07-01,17555.2,17599.8,44.6,0.2541,revised',
    ]);
  });

  it('shows withdrawals, and treats a number with other digits as the same', async () => {
    expect(await rows('diff ODD 2020-02-15 2020-03-15', 'date,old,new,kind')).toEqual([
      '2020-02-01,,1,added',
      '2020-01-01,4.50,,withdrawn',
    ]);
    expect(await rows('diff ODD 2020-04-02 2020-05-02', 'date')).toEqual([]);
    expect(await rows('diff BACK 2020-02-02 2020-04-02', 'date')).toEqual([]);
    expect(await rows('diff BACK 2020-02-02 2020-03-02', 'date,old,new')).toEqual(['2020-01-01,5,']);
  });

  it.each([
    ['2014-12-23 2015-01-30', 1],
    ['2014-12-23 2015-01-29', 0],
    ['2014-12-23 2015-01-30 --known-before', 1],
    ['2014-12-24 2015-01-30 --known-before', 0],
    ['2014-11-25 2015-01-30 --to 2014-09-30', 1],
    ['2014-11-25 2015-01-30 --from 2014-10-01', 1],
    ['2014-11-25 2015-01-30 --from 2015-01-01', 0],
  ])('%s --exit-code', async (line, code) => {
    const ended = await run(`diff GDP ${line} --exit-code -q`);
    expect([ended.code, linesOf(ended.out).length > 1]).toEqual([code, code === 1]);
  });

  it('compares several series, each newest date first, in the order in which they are named', async () => {
    expect(await rows('diff back gdp ODD 2014-12-22 2020-04-15', 'series_id,date,kind')).toEqual([
      'BACK,2020-01-01,added',
      'GDP,2014-10-01,added',
      'GDP,2014-07-01,revised',
      'ODD,2020-02-01,added',
      'ODD,2020-01-01,added',
    ]);
    expect(await rows('diff G* 2014-12-22 2015-03-27', 'series_id,date')).toEqual(
      await rows('diff GDP GDPC1 2014-12-22 2015-03-27', 'series_id,date'),
    );
  });

  it('compares nothing where one series does not exist, and the others with --skip-missing', async () => {
    const line = 'diff GDPX GDP 2014-12-22 2015-01-30';
    const { code, out, err } = await run(line);
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain("asof: series 'GDPX' not found");
    const skipped = await run(`${line} --skip-missing`);
    expect([skipped.code, skipped.out]).toEqual([0, (await run(line.replace('GDPX ', ''))).out]);
    expect(skipped.err).toContain('asof: left out, because not found: GDPX\n');
  });

  it('lists with --all-rows the dates with the same value too, which are no differences', async () => {
    expect(await rows('diff ODD 2020-04-02 2020-05-02 --all-rows', 'date,old,new,change,kind')).toEqual([
      '2020-02-01,1,1,0,unchanged',
      '2020-01-01,5,5,0,unchanged',
    ]);
    expect((await run('diff ODD 2020-04-02 2020-05-02 --all-rows --exit-code -q')).code).toBe(0);
    expect((await run('diff GDP 2014-12-23 2015-01-30 --all-rows --exit-code -q')).code).toBe(1);
    expect(await rows('diff GDP 2014-12-23 2015-01-30 --all-rows', 'date,kind')).toEqual([
      '2014-10-01,added',
      '2014-07-01,unchanged',
    ]);
  });

  it('says that all values changed about alike, as after a change of base year, and leaves the reason open', async () => {
    // Real GDP in dollars of 2000, then in dollars of 2005 (Philadelphia Fed, ROUTPUT).
    const old =
      '11217.3 11291.7 11314.1 11356.4 11357.8 11491.4 11625.7 11620.7 11646 11727.4 11712.4 11522.1';
    const now =
      '12915.9 12962.5 12965.9 13060.7 13099.9 13204 13321.1 13391.2 13366.9 13415.3 13324.6 13141.9';
    const said = (values: string, day: string) =>
      values
        .split(' ')
        .map((value, i) => `REAL,${2006 + Math.floor(i / 4)}-${quarters[i % 4]}-01,${day},${value}`);
    const facts = folder.write(
      'real.csv',
      statements([...said(old, '2009-05-15'), ...said(now, '2009-08-15')]),
    );
    const real = newStorePath(folder.path('.'));
    expect((await asof(['import', facts, '--store', real])).code).toBe(0);
    const compare = async (line: string) =>
      (await asof(['diff', 'REAL', ...line.split(' '), '--store', real])).err;
    expect(await compare('2009-05-15 2009-08-15')).toBe(
      'asof: REAL: the new values of all 12 common dates are 1.138 to 1.153 times the old; ' +
        'if units or base year changed, compare growth rates, not levels (--units pch)\n',
    );
    expect(await compare('2009-05-15 2009-08-15 -q')).toBe('');
    expect(await compare('2009-05-15 2009-08-14')).toBe('');
    expect(await compare('2009-05-15 2009-08-15 --to 2008-06-30')).toBe('');
  });

  it('is one envelope as JSON, of several series too', async () => {
    const { object, status, results, results_count, has_more, request_id } = JSON.parse(
      (await run('diff GDP 2014-12-23 2015-01-30 --json')).out,
    );
    expect({ object, status, results_count, has_more }).toEqual({
      object: 'diff',
      status: 'ok',
      results_count: 1,
      has_more: false,
    });
    expect(request_id).toMatch(/^req_/);
    expect(results).toEqual([
      {
        series_id: 'GDP',
        date: '2014-10-01T00:00:00Z',
        old: null,
        new: '17710.7',
        change: null,
        percent: null,
        kind: 'added',
      },
    ]);
  });

  it('says so where the second date is earlier than the first', async () => {
    const { err } = await run('diff GDP 2015-02-27 2015-01-30');
    expect(err).toContain('asof: 2015-01-30 is earlier than 2015-02-27: changes are shown back in time\n');
  });

  it.each([
    ['diff GDPX 2015-01-01 2015-02-01 --exit-code', 3, /series 'GDPX' not found\n.*did you mean GDP/s],
    ['diff GDP 2015-01-01', 2, /missing required argument/],
    ['diff GDP 2015-02-30 2015-03-01', 2, /first date "2015-02-30": there is no such date/],
    ['diff GDP 2015-01-01 2027-01-01', 2, /second date 2027-01-01 is in the future/],
    ['diff GDP 2015-01-01 2015-02-01 --from 2014-02-01 --to 2014-01-01', 2, /--from 2014-02-01 is after/],
    ['diff GDP 2015-01-01 2015-01-02 --fail-empty', 9, /^$/],
    ['revisions GDPX --date 2014-10-01', 3, /did you mean GDP/],
    ['revisions GDP --date 2014-10-01 --as-of 2015-01-01 --known-before 2015-01-01', 2, /either --as-of or/],
    ['vintages GDPX', 3, /did you mean GDP/],
    ['vintages GDP --as-of 2027-01-01', 2, /is in the future/],
    ['vintages GDP --known-before soon', 2, /--known-before "soon": use YYYY-MM-DD/],
  ])('asof %s ends with %i', async (line, code, words) => {
    const { code: ended, out, err } = await run(line);
    expect(ended).toBe(code);
    expect(err).toMatch(words);
    if (code !== 9) expect(out).toBe('');
  });

  it('says which day is outside the coverage', async () => {
    expect((await run('diff GDP 2014-10-29 2015-03-27')).err).toBe('asof: GDP is covered from 2014-10-30\n');
    expect((await run('diff GDP 2014-10-29 2015-03-28')).err).toBe(
      'asof: GDP is covered from 2014-10-30 to 2015-03-27\n',
    );
  });
});

const fileOf = (name: string) => `macro/fred-api/GDP-${name}.json`;

describe("FRED's history of GDP", () => {
  const real = newStorePath(folder.path('real'));
  const ask = (line: string) => asof([...line.split(' '), '-q', '--no-header', '--store', real]);
  type Interval = { readonly date: string; readonly value: string; readonly realtime_start: string };
  const published = (name: string): readonly Interval[] =>
    JSON.parse(readData(testData, fileOf(`observations-${name}`)).toString('utf8')).observations;

  beforeAll(async () => {
    const { code, err } = await asof([
      'import',
      dataPath(testData, fileOf('observations-all-realtime')),
      '--series',
      'GDP',
      '--store',
      real,
    ]);
    if (code !== 0) throw new Error(err);
  });

  it('has exactly the 132 first releases that FRED counts', async () => {
    const firsts = published('output_type4').map(
      ({ date, value, realtime_start }) => `${date},${value},${realtime_start}`,
    );
    expect(firsts).toHaveLength(132);
    const columns = '--columns date,value,as_of_date';
    expect(linesOf((await ask(`obs GDP --first-release --sort asc ${columns}`)).out)).toEqual(firsts);
  });

  it('was published on exactly the days of FRED’s list of vintages', async () => {
    const { vintage_dates } = JSON.parse(readData(testData, fileOf('vintagedates')).toString('utf8'));
    const days = linesOf((await ask('vintages GDP --columns as_of_date')).out).reverse();
    const last = days.at(-1) ?? '';
    expect(days).toEqual(vintage_dates.filter((day: string) => day >= (days[0] ?? '') && day <= last));
  });

  it.each(['1947-01-01', '1991-07-01', '2008-07-01', '2014-10-01'])(
    'has the revisions of %s that FRED’s intervals make',
    async (date) => {
      const intervals = published('all-realtime').filter((one) => one.date === date);
      const changes = intervals.filter(({ value }, i) => Number(value) !== Number(intervals[i - 1]?.value));
      expect(changes.length).toBeGreaterThan(2);
      const { out } = await ask(`revisions GDP --date ${date} --columns value,as_of_date`);
      expect(linesOf(out)).toEqual(
        changes.map(({ value, realtime_start }) => `${value === '.' ? '' : value},${realtime_start}`),
      );
    },
  );
});
