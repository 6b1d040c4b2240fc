import { describe, expect, it } from 'vitest';
import { linesOf, statements } from '../../support/command.ts';
import { askedStore, commandModes } from '../../support/command-modes.ts';
import { dataPath, readData, testData } from '../../support/repository.ts';
import { trueAnswers } from '../../support/true-answers.ts';

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
    ]),
  },
);
const run = (line: string) => asked.run('embedded', line);

/** The columns that answers worked out without asof have, as CSV. */
function csvOf(name: string, columns: readonly string[]): readonly string[] {
  const rows = trueAnswers(name);
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((cells) =>
    cells.join(','),
  );
}

describe.each(commandModes)('asof revisions, %s', (mode) => {
  const ask = async (line: string) => linesOf((await asked.run(mode, line)).out);

  it('has the releases of every quarter that another program finds in the answers of FRED', async () => {
    const columns = [
      'date',
      'first_release',
      'release_1',
      'release_2',
      'release_3',
      'final',
      'after_90d',
      'after_1000d',
    ];
    expect(await ask('revisions GDP --release 1,2,3,final --after 90d,1000d')).toEqual(
      csvOf('../revisions/gdp-releases.tsv', columns),
    );
  });

  it('has the statistics that another program computes', async () => {
    const [header = '', ...rows] = await ask('revisions GDP --release 1,2,3 --after 90,1000 --stats');
    const columns = header.split(',');
    expect(columns).toEqual(Object.keys(trueAnswers('../revisions/gdp-revision-statistics.tsv')[0] ?? {}));
    const known = csvOf('../revisions/gdp-revision-statistics.tsv', columns).filter(
      (row) => !/,final,|^final/.test(row),
    );
    expect(rows).toEqual(known.slice(1));
  });

  it('has the statistics of growth rates, each from the values of one vintage, that another program computes', async () => {
    const line = 'revisions GDP --release 1,2,3 --after 90,1000 --stats --units pca';
    const [header = '', ...rows] = await ask(line);
    const known = csvOf('../revisions/gdp-growth-statistics.tsv', header.split(','));
    expect(rows).toEqual(known.slice(1).filter((row) => !/,final,|^final/.test(row)));
  });

  it('has the triangle that another program finds', async () => {
    const columns = Object.keys(trueAnswers('../revisions/gdp-triangle.tsv')[0] ?? {});
    expect(await ask('revisions GDP --wide --from 2007Q4 --to 2009Q2')).toEqual(
      csvOf('../revisions/gdp-triangle.tsv', columns),
    );
  });

  it('lists every published value of each date, newest date first', async () => {
    expect(await ask('revisions ODD --columns date,value,as_of_date,change,days')).toEqual([
      'date,value,as_of_date,change,days',
      '2020-04-01,-2,2020-05-01,,0',
      '2020-01-01,1,2020-02-01,,0',
      '2020-01-01,,2020-03-01,,29',
      '2020-01-01,3,2020-04-01,,60',
      '2019-10-01,7,2020-01-15,,',
    ]);
  });
});

describe('asof revisions without a date', () => {
  it('has the first releases that FRED gives', async () => {
    const { observations } = JSON.parse(
      String(readData(testData, 'macro/fred-api/GDP-observations-output_type4.json')),
    );
    const published = new Map<string, string>(
      observations.map((row: Readonly<Record<string, string>>) => [row.date, row.value]),
    );
    const [, ...rows] = linesOf((await run('revisions GDP --release 1')).out);
    expect(rows).toHaveLength(132);
    for (const row of rows) {
      const [date = '', , value] = row.split(',');
      expect([date, value]).toEqual([date, published.get(date)]);
    }
  });

  it('says which dates have no first release in the record', async () => {
    const { err } = await run('revisions GDP --release 1');
    expect(err).toBe(
      'asof: the record of GDP begins on 1991-12-04: the releases of 183 dates up to 1991-07-01 are not in it\n',
    );
  });

  it('gives as many rows as --limit says, without the dates that reached none of the horizons', async () => {
    // On the as-of date 90 days had passed since the first release of the third quarter, not of the fourth.
    const { out } = await run('revisions GDP --after 90d --as-of 2015-02-28 --limit 1');
    expect(linesOf(out)).toEqual(['date,first_release,after_90d', '2014-07-01,2014-10-30,17599.8']);
  });

  it('knows nothing that was published after the as-of date', async () => {
    const { out } = await run('revisions GDP --release 1,2,final --as-of 2015-02-28 --limit 2');
    expect(linesOf(out)).toEqual([
      'date,first_release,release_1,release_2,final',
      '2014-10-01,2015-01-30,17710.7,17701.3,17701.3',
      '2014-07-01,2014-10-30,17535.4,17555.2,17599.8',
    ]);
    const triangle = await run('revisions GDP --wide --as-of 2015-01-31 --limit 2');
    expect(linesOf(triangle.out)).toEqual([
      'date,2014-10-30,2014-11-25,2014-12-23,2015-01-30',
      '2014-10-01,,,,17710.7',
      '2014-07-01,17535.4,17555.2,17599.8,17599.8',
    ]);
    const listed = await run('revisions GDP --as-of 2015-02-28 --limit 1 --columns date,value,as_of_date');
    expect(linesOf(listed.out)).toEqual([
      'date,value,as_of_date',
      '2014-10-01,17710.7,2015-01-30',
      '2014-10-01,17701.3,2015-02-27',
    ]);
  });

  it('has no value that was withdrawn, and no revision from or to one', async () => {
    const { out } = await run('revisions ODD --release 1,2,3,final');
    expect(linesOf(out)).toEqual([
      'date,first_release,release_1,release_2,release_3,final',
      '2020-04-01,2020-05-01,-2,,,-2',
      '2020-01-01,2020-02-01,1,,3,3',
      '2019-10-01,,,,,7',
    ]);
    const stats = await run(
      'revisions ODD --release 1,2,3 --stats --columns earlier,later,count,mean,same_sign',
    );
    expect(linesOf(stats.out)).toEqual([
      'earlier,later,count,mean,same_sign',
      'release_1,release_2,0,,',
      'release_1,release_3,1,2.000000,1.0000',
      'release_2,release_3,0,,',
    ]);
  });

  it('says of samples that no first release is known from them, and refuses them where exact ones are demanded', async () => {
    const { err } = await run('revisions ROUTPUT --stats');
    expect(err).toContain(
      'ROUTPUT is sampled: its vintages are not all its releases, so that release_1 is the first vintage with the date, and the first release is not known',
    );
    const refused = await run('revisions ROUTPUT --stats --exact');
    expect(refused).toMatchObject({ code: 9, out: '' });
    expect(refused.err).toContain('ROUTPUT is sampled');
  });

  it('draws the horizons as lines', async () => {
    const { out } = await run('revisions GDP --release 1,final --from 2007 --to 2010 -f svg');
    expect(out).toContain('Values at release_1 and final');
    expect(out).toContain('release_1, Billions of Dollars');
  });

  it('suggests the id that was meant', async () => {
    const { code, err } = await run('revisions GDPP --stats');
    expect(code).toBe(3);
    expect(err).toContain('did you mean GDP?');
  });

  it.each([
    ['--release 1 --stats', 'statistics of revisions need two horizons, and release_1 is one'],
    ['--release 1,1', 'release_1 is named twice'],
    ['--release first', '--release "first": use numbers of releases or final'],
    ['--after soon', '--after "soon": use days after the first release'],
    ['--wide --stats', '--wide is the triangle of all vintages: use it alone'],
    ['--wide --release 2', '--wide is the triangle of all vintages: use it alone'],
    ['--date 2008Q4 --stats', '--date is for the list of revisions: use --from, --to and --limit'],
    ['--date 2008Q4 --from 2008', 'use either --date or --from and --to'],
    ['--units pch', '--units needs --release, --after, --wide or --stats'],
    ['--wide --plot', '--plot is a chart, and this command has none'],
    ['--plot', '--plot is a chart, and this command has none'],
    ['--stats -f svg', 'svg is a chart'],
  ])('refuses %s', async (flags, said) => {
    const { code, err } = await run(`revisions GDP ${flags}`);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });
});

describe('the revisions of the library', () => {
  it('have the rows of what was asked for', async () => {
    const table = await asked.library().revisions('gdp', {
      release: [1, 'final'],
      after: 90,
      to: '2014-12-31',
      limit: 1,
    });
    expect(table.rows).toEqual([
      {
        date: '2014-10-01',
        first_release: '2015-01-30',
        release_1: '17710.7',
        final: '17912.079',
        after_90d: '17703.7',
      },
    ]);
    const stats = await asked.library().revisions('GDP', { stats: true, release: [1, 2] });
    const mean: string | null | undefined = stats.rows[0]?.mean;
    expect([stats.rows.length, mean]).toEqual([1, '7.189530']);
    const growth = await asked
      .library()
      .revisions('GDP', { release: 1, units: 'pca', to: '2014-12-31', limit: 1 });
    // The advance estimate of the fourth quarter of 2014 was 17710.7 after 17599.8.
    const rate = 100 * ((17710.7 / 17599.8) ** 4 - 1);
    expect(Number(growth.rows[0]?.release_1)).toBeCloseTo(rate, 5);
    const triangle = await asked.library().revisions('GDP', { wide: true, asOf: '2015-01-31', limit: 1 });
    expect(triangle.rows).toEqual([{ date: '2014-10-01', '2015-01-30': '17710.7' }]);
    const listed = await asked.library().revisions('GDP', { asOf: '2015-01-31', limit: 1 });
    expect(listed.rows.map((row) => row.as_of_date)).toEqual(['2015-01-30']);
  });

  it.each<readonly [params: object, detail: string]>([
    [{ release: 0 }, "invalid 'release' 0"],
    [{ release: [] }, "invalid 'release' []"],
    [{ after: '90d' }, 'invalid \'after\' "90d"'],
    [{ units: 'pch' }, "'units' needs 'release', 'after', 'wide' or 'stats'"],
    [{ wide: true, stats: true }, "'wide' is the triangle of all vintages: use it alone"],
    [{ date: '2014-10-01', stats: true }, "'date' is for the list of revisions"],
    [{ date: '2014-10-01', from: '2014-10-01' }, "use either 'date' or 'from' and 'to'"],
  ])('refuse %j', async (params, detail) => {
    await expect(asked.library().revisions('GDP', params as never)).rejects.toThrow(detail);
  });
});
