import { describe, expect, it } from 'vitest';
import { asof, days, linesOf, longValue, statements, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';
import { dataPath, readData, testData } from '../../../support/repository.ts';

const folder = newFolder();
const allVintages = 'macro/fred-api/GDP-observations-all-realtime.json';

const asked = askedStore(
  [dataPath(testData, allVintages), dataPath(testData, 'treasury/par-csv/daily-treasury-rates-2025.csv')],
  {
    'made.csv': statements([
      'SALES,2019-12-01,2020-01-15,100',
      'SALES,2020-01-01,2020-02-15,110',
      'SALES,2019-12-01,2020-03-15,120',
      'SALES,2020-02-01,2020-03-15,132',
      'SALES,2020-02-01,2020-03-20,',
      'SALES,2020-03-01,2020-04-15,150',
      'SALES,2020-02-01,2020-04-15,130',
      'GDPC1,2014-10-01,2015-01-30,16311.6',
      'UNRATE,2014-12-01,2015-01-09,5.6',
      'DATE,2020-01-01,2020-02-01,7',
      ...days.map((day) => `LONG,${day},2020-06-30,${longValue(day)}`),
    ]),
  },
);
const run = (line: string, terminal = {}) => asof(line.split(' '), { ...asked.as('embedded'), ...terminal });

describe('a panel of observations', () => {
  transcript(
    `
    # puts series side by side, aligned by date, under the ids as typed
    $ asof panel gdp GDPC1 unrate --as-of 2015-02-27 --from 2014-07-01 --wide -q
    date,gdp,GDPC1,unrate
    2014-12-01,,,5.6
    2014-10-01,17701.3,16311.6,
    2014-07-01,17599.8,,

    # in the long form has a row for each value
    $ asof panel gdp GDPC1 --known-before 2015-02-27 --from 2014-07-01 --sort asc -q
    as_of,series_id,date,value,as_of_date
    2015-02-26,GDP,2014-07-01,17599.8,2014-12-23
    2015-02-26,GDP,2014-10-01,17710.7,2015-01-30
    2015-02-26,GDPC1,2014-10-01,16311.6,2015-01-30

    # takes patterns, bounds of dates, and the latest values without a day
    $ asof panel GDPC* SAL* --wide --to 2019-12-31 --from 2014-08-01
    date,GDPC1,SALES
    2019-12-01,,120
    2014-10-01,16311.6,

    # distinguishes a series from a first column of the same name by its case
    $ asof panel date --as-of 2020-02-01 --wide
    date,DATE
    2020-01-01,7

    # says which days are outside the coverage
    $ asof panel GDP UNRATE --as-of 2015-03-27 --from 2014-12-01
    …
    ! asof: UNRATE is covered to 2015-01-09
    $ asof panel GDP UNRATE --as-of-each month-end --from 2014-12-01 --to 2015-02-28
    …
    ! asof: UNRATE is covered from 2015-01-09 to 2015-01-09
    ! asof: as-of dates after the coverage of a series have no value; --beyond repeat shows the newest that is known
    $ asof panel GDP UNRATE --as-of-each month-end --from 2014-12-01 --to 2014-12-31 -q --wide
    as_of,GDP,UNRATE
    2014-12-31,17599.8,

    # suggests the id that was meant
    $ asof panel GDPX --as-of 2015-01-01
    ! asof: series 'GDPX' not found
    !       did you mean GDP…
    …
    [exit 3]
    `,
    () => asked.as('embedded'),
  );

  it('is one envelope as JSON, with all rows of long series', async () => {
    const line = 'panel long gdp --as-of 2020-06-30 --from 2010-01-01 --to 2016-11-04 --wide --json -q';
    const { results, request_id: _, ...told } = JSON.parse((await run(line)).out);
    expect(told).toMatchObject({ object: 'panel', as_of: '2020-06-30', has_more: false });
    expect([results.length, told.results_count]).toEqual([2500, 2500]);
    expect(Object.keys(results[0])).toEqual(['date', 'long', 'gdp']);
  });

  it('on a terminal shows a screenful and says how to see all', async () => {
    const terminal = { stdoutIsTerminal: true, columns: 80 };
    // FRED has values of 293 quarters for that day.
    const { out, err } = await run('panel gdp --as-of 2020-06-30', terminal);
    expect([linesOf(out).length, err]).toEqual([100, 'asof: 196 more rows; --all shows all\n']);
    // The ids and the as-of date of all rows are above the head.
    expect(linesOf((await run('panel gdp --as-of 2020-06-30 --all', terminal)).out)).toHaveLength(295);
  });
});

describe.each(commandModes)('a panel of several as-of dates, %s,', (mode) => {
  const file = folder.write('days.csv', 'day,meeting\n2015-01-30,b\n2014-12-23,a\n2015-01-30,c\n');
  const months = '--as-of-each month-end --from 2020-01-01 --to 2020-04-30 --sort asc --beyond repeat -q';

  it('names in a failure a path that a service has', async () => {
    const { out, err } = await asof(`panel NOPE ${months} --json`.split(' '), asked.as(mode));
    expect([out, JSON.parse(err).instance]).toEqual(['', '/v1/series/NOPE/revisions']);
  });

  // The value of SALES for February was withdrawn on 20 March, and came back on 15 April. On 23 December 2014 BEA
  // published 6.4 for the growth of GDP in the third quarter, on 30 January 2.5 for the fourth; its advance estimates
  // from 2023 Q4 on were 4.8, 4.8, 5.2 and 4.7. The Treasury's par yields are of 6 and 7, 13 and 14 March 2025.
  transcript(
    `
    # has the newest observations as known on each day, side by side, with their dates on request
    $ asof panel SALES ${months} --last 3 --wide
    as_of,SALES,SALES_lag1,SALES_lag2
    2020-01-31,100,,
    2020-02-29,110,100,
    2020-03-31,110,120,
    2020-04-30,150,130,110
    $ asof panel SALES ${months} --last 2 --wide --with-dates
    …
    2020-04-30,150,2020-03-01,130,2020-02-01

    # in the long form has a row for each observation
    $ asof panel SALES ${months} --last 2
    as_of,series_id,date,value,as_of_date
    2020-01-31,SALES,2019-12-01,100,2020-01-15
    2020-02-29,SALES,2020-01-01,110,2020-02-15
    2020-02-29,SALES,2019-12-01,100,2020-01-15
    2020-03-31,SALES,2020-01-01,110,2020-02-15
    2020-03-31,SALES,2019-12-01,120,2020-03-15
    2020-04-30,SALES,2020-03-01,150,2020-04-15
    2020-04-30,SALES,2020-02-01,130,2020-04-15

    # has a row with nothing where nothing is known
    $ asof panel gdp unrate --as-of-each month-end --from 2014-12-01 --to 2015-01-31 --sort asc --beyond repeat -q
    as_of,series_id,date,value,as_of_date
    2014-12-31,GDP,2014-07-01,17599.8,2014-12-23
    2014-12-31,UNRATE,,,
    2015-01-31,GDP,2014-10-01,17710.7,2015-01-30
    2015-01-31,UNRATE,2014-12-01,5.6,2015-01-09

    # in the wide form has a row for each day, newest first, with what was published on it
    $ asof panel unrate GDP --as-of-each friday --from 2015-01-16 --to 2015-02-02 --wide --beyond repeat -q
    as_of,unrate,GDP
    2015-01-30,5.6,17710.7
    2015-01-23,5.6,17599.8
    2015-01-16,5.6,17599.8

    # passes over the newest with a lag
    $ asof panel SALES ${months} --lag 1 --wide
    as_of,SALES_lag1
    2020-01-31,
    2020-02-29,100
    2020-03-31,120
    2020-04-30,130

    # computes growth within the vintage of each day
    $ asof panel SALES ${months} --units pch --digits 1 --wide --with-dates
    as_of,SALES,SALES_date
    2020-01-31,,
    2020-02-29,10.0,2020-01-01
    2020-03-31,-8.3,2020-01-01
    2020-04-30,15.4,2020-03-01
    $ asof panel GDP --as-of-each day --from 2015-01-29 --to 2015-01-31 --units pca --digits 1 --wide --sort asc
    as_of,GDP
    2015-01-29,6.4
    2015-01-30,2.5
    2015-01-31,2.5

    # puts yields beside macro series
    $ asof panel SALES DGS10 --as-of-each friday --from 2025-03-03 --to 2025-03-14 --last 2 --wide --sort asc --beyond repeat -q
    as_of,SALES,SALES_lag1,DGS10,DGS10_lag1
    2025-03-07,150,130,4.32,4.29
    2025-03-14,150,130,4.31,4.27

    # shows on each day of a file what was known on it, or before it
    $ asof panel GDP --as-of-file ${file} --wide --sort asc
    as_of,GDP
    2014-12-23,17599.8
    2015-01-30,17710.7
    $ asof panel GDP --as-of-file - --known-before-each --wide --sort asc
    < day
    < 2015-01-30
    < 2014-12-23
    as_of,GDP
    2014-12-23,17555.2
    2015-01-30,17599.8

    # transforms first releases within the vintage of each
    $ asof obs GDP --first-release --from 2023-10-01 --units pca --digits 1 --columns date,value,as_of_date
    date,value,as_of_date
    2024-07-01,4.7,2024-10-30
    2024-04-01,5.2,2024-07-25
    2024-01-01,4.8,2024-04-25
    2023-10-01,4.8,2024-01-25
    $ asof obs SALES --first-release --units chg --columns date,value
    date,value
    2020-03-01,20
    2020-02-01,22
    2020-01-01,10

    # says how many requests it takes at most: the panel, a description, and a check that nothing changed
    $ asof panel SALES ${months} --last 3 --dry-run
    ! asof: this panel takes at most ${mode === 'remote' ? '3' : '…'} requests
    `,
    () => asked.as(mode),
  );

  it('has in each year the newest of the transformed observations as of its day', async () => {
    const growth = '--units pc1 --frequency a -q --no-header';
    const years = '--as-of-each year-end --from 2000-01-01 --to 2004-12-31';
    const { out } = await asked.run(mode, `panel GDP ${years} ${growth}`);
    expect(linesOf(out)).toHaveLength(5);
    for (const line of linesOf(out)) {
      const [day = '', , date, value, since] = line.split(',');
      const own = `obs GDP --as-of ${day} --limit 1 ${growth} --columns date,value,as_of_date`;
      expect((await asked.run(mode, own)).out).toBe(`${date},${value},${since}\n`);
    }
  });
});

describe('a panel of as-of dates', () => {
  it('holds on each Friday of 33 years what FRED’s intervals say of the newest dates', async () => {
    const line =
      'panel GDP --as-of-each friday --from 1991-11-30 --to 2024-12-31 --sort asc --beyond repeat -q --no-header';
    const rows = linesOf((await run(line)).out);
    const intervals: {
      readonly realtime_start: string;
      readonly realtime_end: string;
      readonly date: string;
      readonly value: string;
    }[] = JSON.parse(String(readData(testData, allVintages))).observations;
    const newest = intervals.filter(({ value }) => value !== '.').sort((a, b) => (a.date < b.date ? 1 : -1));
    const wrong = rows.filter((row) => {
      const [day = '', , date, value] = row.split(',');
      const known = newest.find((one) => one.realtime_start <= day && day <= one.realtime_end);
      return date !== (known?.date ?? '') || value !== (known?.value ?? '');
    });
    expect(wrong).toEqual([]);
    expect(rows).toHaveLength(1726);
    const several = linesOf((await run(`${line} --last 2`)).out);
    const days = several.map((row) => row.slice(0, 10));
    expect(several.filter((_, i) => days[i] !== days[i - 1])).toEqual(rows);
  });

  it.each([
    ['day\n2020-01-01\n01/02/2020\n', 'row 3, column "day": "01/02/2020" is not a date: use YYYY-MM-DD'],
    ['2020-01-01\n2999-01-01\n', 'row 2, column "2020-01-01": "2999-01-01" is in the future'],
    ['day\n', 'there is no as-of date'],
    ['2008-10-8\n2009-01-30\n', 'row 1, column "2008-10-8": "2008-10-8" is not a date: use YYYY-MM-DD'],
    [
      '2008-02-30\n2009-01-30\n',
      'row 1, column "2008-02-30": "2008-02-30" is not a date: there is no such date',
    ],
  ])('refuses a file with %j', async (text, message) => {
    const { code, err } = await run(`panel GDP --as-of-file ${folder.write('bad.csv', text)}`);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('of a file is refused in a plan, or where the file is not there', async () => {
    const missing = await run('panel GDP --as-of-file /nowhere/x.csv');
    expect([missing.code, missing.err]).toEqual([10, expect.stringContaining('cannot read /nowhere/x.csv')]);
    const plan = folder.write('plan.txt', 'x.csv panel GDP --as-of-file days.csv\n');
    const { code, err } = await run(`snapshot ${plan} --out ${folder.path('out')}`);
    expect([code, err]).toEqual([2, expect.stringContaining('a plan cannot use --as-of-file')]);
  });
});
