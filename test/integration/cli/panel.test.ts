import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { asof, importedStore, linesOf } from '../../support/command.ts';
import { type Folder, newFolder } from '../../support/folders.ts';
import { dataPath, readData, testData } from '../../support/repository.ts';

const folder: Folder = newFolder();
let store = '';
beforeAll(async () => {
  store = await importedStore(folder);
});

const run = (line: string) => asof([...line.split(' '), '--store', store]);

describe('asof panel --as-of', () => {
  it('puts series side by side, aligned by date, under the ids as typed', async () => {
    const { code, out, err } = await run('panel gdp GDPC1 unrate --as-of 2015-02-27 --wide -q');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(linesOf(out)).toEqual([
      'date,gdp,GDPC1,unrate',
      '2014-12-01,,,5.6',
      '2014-10-01,17701.3,16311.6,',
      '2014-07-01,17599.8,,',
    ]);
  });

  it('in the long form has a row for each value', async () => {
    const { out } = await run('panel gdp GDPC1 --known-before 2015-02-27 --sort asc -q');
    expect(linesOf(out)).toEqual([
      'as_of,series_id,date,value,as_of_date',
      '2015-02-26,GDP,2014-07-01,17599.8,2014-12-23',
      '2015-02-26,GDP,2014-10-01,17710.7,2015-01-30',
      '2015-02-26,GDPC1,2014-10-01,16311.6,2015-01-30',
    ]);
  });

  it('takes patterns, bounds of dates, and the latest values without a day', async () => {
    const { out } = await run('panel GDP* --wide --to 2014-10-01 --from 2014-08-01');
    expect(linesOf(out)).toEqual(['date,GDP,GDPC1', '2014-10-01,17703.7,16311.6']);
  });

  it('has all rows of long series', async () => {
    const { out } = await run('panel long --as-of 2020-06-30');
    expect(linesOf(out)).toHaveLength(2501);
  });

  it('is one envelope as JSON', async () => {
    const { object, as_of, results, results_count, has_more } = JSON.parse(
      (await run('panel long gdp --as-of 2020-06-30 --wide --json -q')).out,
    );
    expect({ object, as_of, results_count, has_more }).toEqual({
      object: 'panel',
      as_of: '2020-06-30',
      results_count: 2500,
      has_more: false,
    });
    expect(Object.keys(results[0])).toEqual(['date', 'long', 'gdp']);
    expect(results).toHaveLength(2500);
  });

  it('distinguishes a series from a first column of the same name by its case', async () => {
    const file = folder.write('date.csv', 'series_id,date,as_of_date,value\nDATE,2020-01-01,2020-02-01,7\n');
    const other = folder.path('date.db');
    await asof(['import', file, '--store', other]);
    const { out } = await asof(['panel', 'date', '--as-of', '2020-02-01', '--wide', '--store', other]);
    expect(out).toBe('date,DATE\n2020-01-01,7\n');
  });
});

describe('asof panel --as-of-each', () => {
  it('has the latest value known on each day, its date and its publication; nothing where nothing is known', async () => {
    const { code, out } = await run(
      'panel gdp unrate --as-of-each month-end --from 2014-10-01 --to 2015-02-28 --sort asc --beyond repeat -q',
    );
    expect(code).toBe(0);
    expect(linesOf(out)).toEqual([
      'as_of,series_id,date,value,as_of_date',
      '2014-10-31,GDP,2014-07-01,17535.4,2014-10-30',
      '2014-10-31,UNRATE,,,',
      '2014-11-30,GDP,2014-07-01,17555.2,2014-11-25',
      '2014-11-30,UNRATE,,,',
      '2014-12-31,GDP,2014-07-01,17599.8,2014-12-23',
      '2014-12-31,UNRATE,,,',
      '2015-01-31,GDP,2014-10-01,17710.7,2015-01-30',
      '2015-01-31,UNRATE,2014-12-01,5.6,2015-01-09',
      '2015-02-28,GDP,2014-10-01,17701.3,2015-02-27',
      '2015-02-28,UNRATE,2014-12-01,5.6,2015-01-09',
    ]);
  });

  it('in the wide form has a row for each day, newest first', async () => {
    const { out } = await run(
      'panel unrate GDP --as-of-each week-end --from 2015-01-05 --to 2015-02-02 --wide --beyond repeat -q',
    );
    expect(linesOf(out)).toEqual([
      'as_of,unrate,GDP',
      '2015-02-01,5.6,17710.7',
      '2015-01-25,5.6,17599.8',
      '2015-01-18,5.6,17599.8',
      '2015-01-11,5.6,17599.8',
    ]);
  });

  it('includes what was published on each day', async () => {
    const { out } = await run('panel GDP --as-of-each day --from 2015-01-29 --to 2015-01-30 --wide -q');
    expect(linesOf(out).slice(1)).toEqual(['2015-01-30,17710.7', '2015-01-29,17599.8']);
  });
});

describe('asof panel', () => {
  it.each([
    ['panel GDP --as-of-each month-end', 2, /--as-of-each needs --from and --to/],
    [
      'panel GDP --as-of-each year --from 2014-01-01 --to 2015-01-01',
      2,
      /--as-of-each "year": use day, business-day, friday, week-end, month-end, quarter-end or year-end/,
    ],
    [
      'panel GDP --as-of-each day --from 2014-01-01 --to 2014-01-02 --as-of 2015-01-01',
      2,
      /use either --as-of or --as-of-each/,
    ],
    ['panel GDP --as-of-each day --from 2014-01-02 --to 2014-01-01', 2, /--from 2014-01-02 is after/],
    ['panel GDP --as-of-each day --from 2026-03-15 --to 2026-03-18', 2, /--to 2026-03-18 is in the future/],
    ['panel GDP --as-of-each month-end --from 2014-01-02 --to 2014-01-03', 2, /there is no month-end from/],
    ['panel GDP --as-of 2015-01-01 --known-before 2015-01-01', 2, /either --as-of or --known-before/],
    ['panel GDPX --as-of 2015-01-01', 3, /series 'GDPX' not found\n.*did you mean GDP/s],
    ['panel', 2, /missing required argument/],
  ])('%s ends with %i', async (line, code, words) => {
    const ended = await run(line);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(words);
  });

  it.each(['--as-of 2015-03-27', '--as-of-each day --from 2015-03-27 --to 2015-03-27'])(
    'with %s writes nothing if a series is unknown, and with --skip-missing the others',
    async (flags) => {
      const line = `panel GDP NOPE UNRATE ${flags} --wide -q`;
      const { code, out, err } = await run(line);
      expect([code, out]).toEqual([3, '']);
      expect(err).toContain("series 'NOPE' not found");
      expect(await run(`${line} --skip-missing`)).toEqual({
        ...(await run(`panel GDP UNRATE ${flags} --wide -q`)),
        err: 'asof: left out, because not found: NOPE\n',
      });
      const file = folder.path(`panel${flags.length}.csv`);
      expect((await run(`${line} -o ${file}`)).code).toBe(3);
      expect(existsSync(file)).toBe(false);
      expect((await run(`panel GDP UNRATE ${flags} --wide -q -o ${file}`)).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toContain('GDP,UNRATE\n');
    },
  );

  it('says which days are outside the coverage', async () => {
    expect((await run('panel GDP UNRATE --as-of 2015-03-27')).err).toBe(
      'asof: UNRATE is covered to 2015-01-09\n',
    );
    const each = 'panel GDP UNRATE --as-of-each month-end --from 2014-12-01 --to 2015-02-28';
    expect((await run(each)).err).toBe(
      'asof: UNRATE is covered from 2015-01-09 to 2015-01-09\n' +
        'asof: as-of dates after the coverage of a series have no value; --beyond repeat shows the newest that is known\n',
    );
    expect((await run(`${each} -q`)).err).toBe('');
  });

  it('on a terminal shows a screenful and says how to see all', async () => {
    const terminal = { stdoutIsTerminal: true, columns: 80 };
    const line = ['panel', 'long', '--as-of', '2020-06-30', '--store', store];
    const { out, err } = await asof(line, terminal);
    expect([linesOf(out).length, err]).toEqual([101, 'asof: 2,400 more rows; --all shows all\n']);
    expect(linesOf((await asof([...line, '--all'], terminal)).out)).toHaveLength(2501);
  });
});

const allVintages = 'macro/fred-api/GDP-observations-all-realtime.json';

describe('a real-time panel of GDP', () => {
  it('holds on each day of 33 years what FRED’s intervals say of the newest date', async () => {
    const real = folder.path('real.db');
    await asof(['import', dataPath(testData, allVintages), '--series', 'GDP', '--store', real]);
    const line =
      'panel GDP --as-of-each day --from 1991-11-30 --to 2024-12-31 --sort asc --beyond repeat -q --no-header';
    const { code, out } = await asof([...line.split(' '), '--store', real]);
    expect(code).toBe(0);
    const intervals: {
      readonly realtime_start: string;
      readonly realtime_end: string;
      readonly date: string;
      readonly value: string;
    }[] = JSON.parse(readData(testData, allVintages).toString('utf8')).observations;
    const wrong = linesOf(out).filter((row) => {
      const [day = '', , date, value] = row.split(',');
      const known = intervals
        .filter((one) => one.realtime_start <= day && day <= one.realtime_end && one.value !== '.')
        .sort((a, b) => (a.date < b.date ? 1 : -1))[0];
      return date !== (known?.date ?? '') || value !== (known?.value ?? '');
    });
    expect(wrong).toEqual([]);
    expect(linesOf(out)).toHaveLength(12_086);
  });
});
