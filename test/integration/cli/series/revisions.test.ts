import { describe, expect, it } from 'vitest';
import { asof, linesOf, statements, transcript } from '../../../support/command.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';
import { dataPath, readData, testData, trueAnswers } from '../../../support/repository.ts';

const asked = askedStore(
  [
    dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json'),
    dataPath(testData, 'macro/rtdsm/ROUTPUTQvQd.xlsx'),
  ],
  {
    'odd.csv': statements([
      'ODD,2019-10-01,2020-01-15,7',
      'ODD,2020-01-01,2020-02-01,1',
      'ODD,2020-01-01,2020-03-01,',
      'ODD,2020-01-01,2020-04-01,3',
      'ODD,2020-04-01,2020-05-01,-2',
      'ZERO,2020-01-01,2020-02-01,0',
      'ZERO,2020-01-01,2020-02-11,4.50',
      'ZERO,2020-01-01,2020-03-01,',
      'ZERO,2020-01-01,2020-04-01,5',
      'ZERO,2020-01-01,2020-05-01,5.0',
      'ZERO,2020-02-01,2020-03-01,1',
      'LATE,2020-02-01,2020-02-20,1',
      'LATE,2020-01-01,2020-03-01,1',
      'LATE,2020-01-01,2020-04-01,2',
      'LATE,2020-03-01,2020-04-01,3',
      'LATE,2020-03-01,2020-05-01,4',
    ]),
  },
);
const run = (line: string) => asked.run('embedded', line);

type Interval = { readonly date: string; readonly value: string; readonly realtime_start: string };

/** An answer of FRED about GDP. */
const told = (name: string) => JSON.parse(String(readData(testData, `macro/fred-api/GDP-${name}.json`)));

/** The columns that answers worked out without asof have, as CSV. */
function csvOf(name: string, columns: readonly string[]): readonly string[] {
  const rows = trueAnswers(name);
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((cells) =>
    cells.join(','),
  );
}

describe.each(commandModes)('asof revisions, %s', (mode) => {
  const ask = async (line: string) => linesOf((await asked.run(mode, line)).out);
  const horizons = 'release_1,release_2,release_3,final,after_90d,after_1000d'.split(',');

  it('has the releases of every quarter that another program finds in the answers of FRED', async () => {
    expect(await ask('revisions GDP --release 1,2,3,final --after 90d,1000d')).toEqual(
      csvOf('../revisions/gdp-releases.tsv', ['date', 'first_release', ...horizons]),
    );
  });

  it('sums up a quarter with the releases that another program finds, and the largest change', async () => {
    const rows = trueAnswers('../revisions/gdp-releases.tsv').filter((_, i) => i % 40 === 3);
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) {
      const line = `revisions GDP --date ${row.date} --summary --columns release_1_date,release_1,release_2,release_3,final,largest_change`;
      const [, found = ''] = await ask(line);
      const changes = (await ask(`revisions GDP --date ${row.date} --columns change --no-header`)).filter(
        Boolean,
      );
      const largest = changes.reduce((one, other) => (size(other) > size(one) ? other : one), '0');
      const releases = ['first_release', 'release_1', 'release_2', 'release_3', 'final'].map(
        (name) => row[name],
      );
      expect(found).toBe([...releases, largest].join(','));
    }
  });

  const size = (text: string) => Math.abs(Number(text));
  const stats = 'revisions GDP --release 1,2,3 --after 90,1000 --stats';
  const ofNumbers = (row: string) => !/,final,|^final/.test(row);

  it('has the statistics that another program computes', async () => {
    const name = '../revisions/gdp-revision-statistics.tsv';
    expect(await ask(stats)).toEqual(csvOf(name, Object.keys(trueAnswers(name)[0] ?? {})).filter(ofNumbers));
  });

  it('has the statistics of growth rates, each from the values of one vintage, that another program computes', async () => {
    const [header = '', ...rows] = await ask(`${stats} --units pca`);
    const known = csvOf('../revisions/gdp-growth-statistics.tsv', header.split(','));
    expect(rows).toEqual(known.slice(1).filter(ofNumbers));
  });

  it('has the triangle that another program finds', async () => {
    const columns = Object.keys(trueAnswers('../revisions/gdp-triangle.tsv')[0] ?? {});
    expect(await ask('revisions GDP --wide --from 2007Q4 --to 2009Q2')).toEqual(
      csvOf('../revisions/gdp-triangle.tsv', columns),
    );
  });

  transcript(
    `
    # lists every published value of each date, newest date first
    $ asof revisions ODD --columns date,value,as_of_date,change,days
    date,value,as_of_date,change,days
    2020-04-01,-2,2020-05-01,,0
    2020-01-01,1,2020-02-01,,0
    2020-01-01,,2020-03-01,,29
    2020-01-01,3,2020-04-01,,60
    2019-10-01,7,2020-01-15,,
    `,
    () => asked.as(mode),
  );
});

describe('asof revisions of a date', () => {
  // BEA published 17710.7 on 30 January 2015, and revised it on 27 February and 27 March.
  transcript(
    `
    # lists every value that was known on a day, with its change and the days since the first release
    $ asof revisions gdp --date 2014-10-01 --as-of 2015-03-27
    date,value,as_of_date,series_id,unit,frequency,source,change,percent,days
    2014-10-01,17710.7,2015-01-30,GDP,Billions of Dollars,Q,…,,,0
    2014-10-01,17701.3,2015-02-27,GDP,Billions of Dollars,Q,…,-9.4,-0.0531,28
    2014-10-01,17703.7,2015-03-27,GDP,Billions of Dollars,Q,…,2.4,0.0136,56
    $ asof revisions GDP --date 2014-10-01 --as-of 2015-02-27 --columns value --no-header
    17710.7
    17701.3
    $ asof revisions GDP --date 2014-10-01 --known-before 2015-02-27 --columns value --no-header
    17710.7

    # has no percent of 0, no change across a withdrawal, and no row for what changes nothing
    $ asof revisions ZERO --date 2020-01-01 --columns value,as_of_date,change,percent,days --no-header
    0,2020-02-01,,,
    4.50,2020-02-11,4.50,,
    ,2020-03-01,,,
    5,2020-04-01,,,

    # has no days where the first release was before the record begins, also of a date that it lacked then
    $ asof revisions LATE --date 2020-01-01 --columns value,as_of_date,days --no-header
    1,2020-03-01,
    2,2020-04-01,
    $ asof revisions LATE --date 2020-02-01 --columns value,days --no-header
    1,
    $ asof revisions LATE --date 2020-03-01 --columns days --no-header
    0
    30

    # and vintages say so where a day is not covered
    $ asof revisions ZERO --date 2020-02-01 --as-of 2020-05-01 --columns value --no-header
    1
    $ asof revisions ZERO --date 2020-02-01 --as-of 2020-05-02 --columns value --no-header
    1
    ! asof: ZERO is covered to 2020-05-01
    $ asof vintages ZERO --known-before 2020-05-03 --limit 1 --no-header
    2020-05-01,…
    ! asof: ZERO is covered to 2020-05-01
    $ asof vintages ZERO --as-of 2020-01-31 --no-header
    ! asof: ZERO has no vintage up to 2020-01-31
    `,
    () => asked.as('embedded'),
  );

  it('has the columns of observations in JSON too, and how each vintage came about', async () => {
    const { out } = await run('revisions GDP --date 2014-10-01 --as-of 2015-02-27 --json');
    const { object, as_of, results } = JSON.parse(out);
    expect([object, as_of, results.length]).toEqual(['revision_series', '2015-02-27', 2]);
    expect(Object.keys(results[0])).toHaveLength(11);
    expect(results[0]).toMatchObject({ change: null, percent: null, days: 0, vintage_kind: 'exact' });
  });

  it.each(['1947-01-01', '1991-07-01', '2008-07-01', '2014-10-01'])(
    'has the values for %s that FRED’s intervals make',
    async (date) => {
      const published: readonly Interval[] = told('observations-all-realtime').observations;
      const intervals = published.filter((one) => one.date === date);
      const changes = intervals.filter(({ value }, i) => Number(value) !== Number(intervals[i - 1]?.value));
      expect(changes.length).toBeGreaterThan(2);
      const { out } = await run(`revisions GDP --date ${date} --columns value,as_of_date --no-header`);
      expect(linesOf(out)).toEqual(
        changes.map(({ value, realtime_start }) => `${value === '.' ? '' : value},${realtime_start}`),
      );
    },
  );
});

it('asof vintages has exactly the days of FRED’s list of vintages', async () => {
  const days = linesOf((await run('vintages GDP --columns as_of_date --no-header')).out).reverse();
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const listed = told('vintagedates').vintage_dates;
  expect(days).toEqual(listed.filter((day: string) => day >= first && day <= last));
});

describe('asof revisions without a date', () => {
  it('has the first releases that FRED gives, and says which dates have none in the record', async () => {
    const firsts = told('observations-output_type4')
      .observations.map((row: Interval) => `${row.date},${row.value},${row.realtime_start}`)
      .reverse();
    expect(firsts).toHaveLength(132);
    const columns = '--columns date,release_1,first_release --no-header';
    const { out, err } = await run(`revisions GDP --release 1 ${columns}`);
    expect(linesOf(out)).toEqual(firsts);
    const own = await run('obs GDP --first-release --columns date,value,as_of_date --no-header');
    expect(linesOf(own.out)).toEqual(firsts);
    expect(err).toBe(
      'asof: the record of GDP begins on 1991-12-04: the releases of 183 dates up to 1991-07-01 are not in it\n',
    );
  });

  // On the as-of date 90 days had passed since the first release of the third quarter of 2014, not of the fourth.
  transcript(
    `
    # gives as many rows as --limit says, without the dates that reached none of the horizons
    $ asof revisions GDP --after 90d --as-of 2015-02-28 --limit 1
    date,first_release,after_90d
    2014-07-01,2014-10-30,17599.8

    # knows nothing that was published after the as-of date
    $ asof revisions GDP --release 1,2,final --as-of 2015-02-28 --limit 2
    date,first_release,release_1,release_2,final
    2014-10-01,2015-01-30,17710.7,17701.3,17701.3
    2014-07-01,2014-10-30,17535.4,17555.2,17599.8
    $ asof revisions GDP --wide --as-of 2015-01-31 --limit 2
    date,2014-10-30,2014-11-25,2014-12-23,2015-01-30
    2014-10-01,,,,17710.7
    2014-07-01,17535.4,17555.2,17599.8,17599.8
    $ asof revisions GDP --as-of 2015-02-28 --limit 1 --columns date,value,as_of_date --no-header
    2014-10-01,17710.7,2015-01-30
    2014-10-01,17701.3,2015-02-27

    # has no value that was withdrawn, and no revision from or to one
    $ asof revisions ODD --release 1,2,3,final
    date,first_release,release_1,release_2,release_3,final
    2020-04-01,2020-05-01,-2,,,-2
    2020-01-01,2020-02-01,1,,3,3
    2019-10-01,,,,,7
    ! …
    $ asof revisions ODD --release 1,2,3 --stats --columns earlier,later,count,mean,same_sign
    earlier,later,count,mean,same_sign
    release_1,release_2,0,,
    release_1,release_3,1,2.000000,1.0000
    release_2,release_3,0,,
    ! …

    # says of samples that no first release is known from them, and refuses them where exact ones are demanded
    $ asof revisions ROUTPUT --stats
    …
    ! asof: ROUTPUT is sampled: it may lack releases; release_1 is the first vintage with the date, perhaps not the first release
    …
    $ asof revisions ROUTPUT --stats --exact
    ! asof: --exact refuses this answer: ROUTPUT is sampled…
    …
    [exit 9]

    # suggests the id that was meant
    $ asof revisions GDPP --stats
    ! asof: series 'GDPP' not found
    !       did you mean GDP?
    …
    [exit 3]
    `,
    () => asked.as('embedded'),
  );

  it('draws the horizons as lines', async () => {
    const { out } = await run('revisions GDP --release 1,final --from 2007 --to 2010 -f svg');
    expect(out).toContain('Values as published: first and latest');
    expect(out).toContain('release_1, Billions of Dollars');
  });
});

describe('asof revisions --summary', () => {
  // The figures are those of BEA's releases; ODD and ZERO are made up.
  transcript(
    `
    # tells in a paragraph the first three releases, the largest change and the latest value
    $ asof revisions GDP --date 2014Q4 --summary -f table
    GDP of 2014 Q4 was first published on 30 January 2015, as 17,710.7 (Billions of
    Dollars). The second vintage, of 27 February 2015, has 17,701.3 (-0.1 %); the
    third, of 27 March 2015, has 17,703.7 (+0.01 %). The largest change, on 27 July
    2018, was from 17,735.933 to 17,838.454 (+0.6 %). Today it is 17,912.079, as
    published on 28 September 2023 (+1.1 % from the first release).

    # tells only what was published by the as-of date
    $ asof revisions GDP --date 2014Q4 --summary --as-of 2015-02-26 -f table
    GDP of 2014 Q4 was first published on 30 January 2015, as 17,710.7 (Billions of
    Dollars). Up to 26 February 2015 it was not revised.
    $ asof revisions GDP --date 2014Q4 --summary --as-of 2015-02-28 --columns release_2,release_3,final,largest_change
    release_2,release_3,final,largest_change
    17701.3,,17701.3,-9.4

    # tells growth rates, each from the values of one vintage
    $ asof revisions GDP --date 2014Q4 --summary --units pca --digits 1 --as-of 2015-03-01 -f table
    GDP of 2014 Q4 was first published on 30 January 2015, as 2.5 (Compounded Annual
    Rate of Change). The second vintage, of 27 February 2015, has 2.3 (-0.2). The
    largest change, on 27 February 2015, was from 2.5 to 2.3 (-0.2). On 1 March 2015
    it was 2.3, as published on 27 February 2015 (-0.2 from the first release).

    # says where the record begins later, and does not call samples releases
    $ asof revisions GDP --date 1960Q4 --summary -f table
    The first release of GDP of 1960 Q4 is not in the record; its oldest value
    there, of 4 December 1991, is 510.8 (Billions of Dollars). It was withdrawn on
    …
    $ asof revisions ROUTPUT --date 2000Q1 --summary -f table
    ROUTPUT of 2000 Q1 was first recorded on 15 May 2000, as 9,156.6. The second
    vintage, of 15 August 2000, has 9,191.8 (+0.4 %); the third, of 15 November
    …
    ! asof: ROUTPUT is sampled: it may lack releases; release_1 is the first vintage with the date, perhaps not the first release

    # tells of a withdrawal
    $ asof revisions ODD --date 2020-01-01 --summary --as-of 2020-03-15 -f table
    ODD of 2020 Q1 was first published on 1 February 2020, as 1. The second vintage,
    of 1 March 2020, withdrew it. On 15 March 2020 it was withdrawn, as published on
    1 March 2020.

    # and of a value that came back, whose change counts
    $ asof revisions ODD --date 2020-01-01 --summary -f table
    ODD of 2020 Q1 was first published on 1 February 2020, as 1. The second vintage,
    of 1 March 2020, withdrew it; the third, of 1 April 2020, has 3. It was
    withdrawn on 1 March 2020 and published again on 1 April 2020, as 3. The largest
    change, on 1 April 2020, was from 1 to 3 (+200.0 %). Today it is 3, as published
    on 1 April 2020 (+200.0 % from the first release).

    # says why there is nothing to sum up
    $ asof revisions GDP --date 2008-10-02 --summary --no-header
    ! asof: no rows: no value of GDP was published for 2008-10-02; its period begins on 2008-10-01
    `,
    () => asked.as('embedded'),
  );

  it('is the text alone on a terminal', async () => {
    const line = 'revisions GDP --date 2008Q4 --summary --as-of 2009-01-30'.split(' ');
    const on = { ...(await asked.as('embedded')), stdoutIsTerminal: true, columns: 60, rows: 24 };
    expect(await asof(line, on)).toEqual({
      code: 0,
      out: 'GDP of 2008 Q4 was first published on 30 January 2009, as\n14,264.6 (Billions of Dollars). Up to 30 January 2009 it was\nnot revised.\n',
      err: '',
    });
  });
});
