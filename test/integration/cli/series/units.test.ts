import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Asof } from '../../../../src/index.ts';
import { asof, linesOf, statements, transcript } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';
import { dataPath, testData } from '../../../support/repository.ts';
import { importFiles, newStorePath } from '../../../support/scratch-store.ts';

const folder = scratchFolder();

// Sales of made-up months, some of them revised; a series with one date.
const asked = askedStore([dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json')], {
  'made.csv': statements([
    'SALES,2019-11-01,2019-12-15,90',
    'SALES,2019-12-01,2020-01-15,100',
    'SALES,2020-01-01,2020-02-15,110',
    'SALES,2019-12-01,2020-03-15,120',
    'SALES,2020-02-01,2020-03-15,132',
    'SALES,2020-04-01,2020-05-15,150',
    'ONCE,2020-01-01,2020-02-15,7',
  ]),
});

/** The answers of another implementation to the units of GDP as known on 30 January 2015, oldest first. */
function expected(units: string, frequency: string): readonly string[] {
  const lines = readFileSync(`${testData}/units/expected.csv`, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [id, own, asked, date = '', value = ''] = line.split(',');
    return id === 'GDP' && own === frequency && asked === units ? [`${date},${value}`] : [];
  });
}

describe.each(commandModes)('transformed values, %s,', (mode) => {
  const ask = async (line: string) => (await asked.run(mode, line)).out;

  it.each([
    ['ch1', ''],
    ['cca', ''],
    ['pch', 'a'],
  ])('of GDP as of a day agree with another implementation: %s of %j', async (units, frequency) => {
    // Its values begin in 2008, so the first result of each year ago is that of 2009.
    const of = `--from 2009-01-01 --units ${units}${frequency && ` --frequency ${frequency}`}`;
    const out = await ask(`obs GDP --as-of 2015-01-30 ${of} --sort asc --columns date,value --no-header -q`);
    expect(linesOf(out)).toEqual(expected(units, frequency).filter((line) => line >= '2009'));
  });

  transcript(
    `
    # of years need all quarters, as of June 2014 those of 2013, unless partial ones are asked for
    $ asof obs GDP --as-of 2014-06-30 --frequency a --units pch --limit 1 --columns date,unit,frequency -q
    date,unit,frequency
    2013-01-01,Percent Change,A
    $ asof obs GDP --as-of 2014-06-30 --frequency a --aggregate eop --partial --limit 1 --columns date,value -q
    date,value
    2014-01-01,17016.0

    # keep the columns, and say since when all values are known that they come from
    $ asof obs SALES --as-of 2020-03-20 --units chg -q
    date,value,as_of_date,series_id,unit,frequency,source
    2020-02-01,22,2020-03-15,SALES,Change,M,
    2020-01-01,-10,2020-03-15,SALES,Change,M,
    2019-12-01,30,2020-03-15,SALES,Change,M,

    # compare two dates of one vintage, and not the vintages of two dates
    $ asof obs SALES --as-of 2020-02-15 --from 2020-01-01 --units pch --columns date,value,as_of_date --no-header
    2020-01-01,10.00000,2020-02-15
    $ asof obs SALES --as-of 2020-03-15 --to 2020-01-31 --units pch --limit 1 --columns date,value,as_of_date --no-header
    2020-01-01,-8.33333,2020-03-15

    # are missing where the month before is missing, and are limited after the transformation
    $ asof obs SALES --units chg --columns date --no-header
    2020-02-01
    2020-01-01
    2019-12-01
    $ asof obs SALES --units chg --limit 2 --columns date --no-header
    2020-02-01
    2020-01-01
    $ asof obs SALES --units chg --first 2 --columns date --no-header
    2020-01-01
    2019-12-01
    $ asof obs SALES --units chg --limit 2 --sort asc --columns date --no-header
    2020-01-01
    2020-02-01

    # are those of a panel and of a diff
    $ asof panel SALES GDP --as-of 2020-03-20 --from 2020-01-01 --units pch --wide -q
    date,SALES,GDP
    2020-02-01,20.00000,
    2020-01-01,-8.33333,
    $ asof diff SALES 2020-02-15 2020-03-15 --units pch
    series_id,date,old,new,change,percent,kind
    SALES,2020-01-01,10.00000,-8.33333,-18.33333,-183.3333,revised
    SALES,2019-12-01,11.11111,33.33333,22.22222,200.0000,revised
    SALES,2020-02-01,,20.00000,,,added

    # are refused of a series with one date, and of a finer frequency than that of the series
    $ asof obs ONCE --units pch
    ! asof: …the frequency of ONCE is not known…
    …
    [exit 2]
    $ asof obs GDP --frequency m
    ! asof: …GDP has the frequency Q, which is coarser than M…
    …
    [exit 2]
    `,
    () => asked.as(mode),
  );

  it('of a limit say that there are more, without a cursor that published rows would have', async () => {
    const out = await ask('obs GDP --as-of 2015-01-30 --units pch --limit 3 --json -q');
    const { has_more, next_cursor, results } = JSON.parse(out);
    expect([has_more, next_cursor, results.length]).toEqual([true, undefined, 3]);
  });

  it('are drawn with their unit', async () => {
    const out = await ask('obs GDP --as-of 2015-01-30 --from 2010-01-01 --units pc1 -f svg');
    expect(out).toContain('Percent Change from Year Ago');
  });
});

describe('the library', () => {
  const then = '2009-01-30';

  it('takes the parameters of the commands, and gives their rows', async () => {
    const { observations, panel, versions, revisions } = asked.library();
    const growth = { asOf: '2015-01-30', units: 'pca', digits: 1, limit: 1 } as const;
    const unit = 'Compounded Annual Rate of Change';
    expect((await observations('GDP', growth)).rows).toMatchObject([{ value: '2.5', unit }]);
    const dates = [];
    for await (const { date } of observations.all(['SALES'], { frequency: 'q', partial: true }))
      dates.push(date);
    expect(dates).toEqual(['2020-04-01', '2020-01-01', '2019-10-01']);
    const days = { asOfEach: ['2020-03-16', '2020-02-20'], knownBeforeEach: true, last: 2 } as const;
    const changes = await panel('SALES', {
      ...days,
      units: 'chg',
      beyond: 'repeat',
      wide: true,
      sort: 'asc',
    });
    expect(changes.rows).toEqual([
      { as_of: '2020-02-20', SALES: '10', SALES_lag1: '10' },
      { as_of: '2020-03-16', SALES: '22', SALES_lag1: '-10' },
    ]);
    const compared = { from: '2008-10-01', limit: 1, change: true, allRows: true };
    expect((await versions('GDP', [then, '2010-07-30'], compared)).rows).toMatchObject([
      { date: '2010-04-01', change: null },
    ]);
    const known = await versions(['GDP'], [then, 'latest'], { to: '2008-12-31', limit: 1 });
    expect(known.rows).toMatchObject([{ date: '2008-10-01', [then]: '14264.6', latest: '14608.209' }]);
    const horizons = { release: [1, 'final'], after: 90, to: '2014-12-31', limit: 1 } as const;
    expect((await revisions('gdp', horizons)).rows).toMatchObject([
      { first_release: '2015-01-30', release_1: '17710.7', final: '17912.079', after_90d: '17703.7' },
    ]);
    expect((await revisions('GDP', { stats: true, release: [1, 2] })).rows).toMatchObject([
      { mean: '7.189530' },
    ]);
  });

  it.each<readonly [detail: string, ask: (from: Asof) => Promise<unknown>]>([
    // @ts-expect-error: the name of the units is checked by the compiler too.
    ['use yoy or pc1 (percent', (from) => from.observations('GDP', { units: 'percent' })],
    ["invalid 'release' []", (from) => from.revisions('GDP', { release: [] } as never)],
    ['invalid \'after\' "90d"', (from) => from.revisions('GDP', { after: '90d' } as never)],
    [
      "use either 'date' or 'from' and 'to'",
      (from) => from.revisions('GDP', { date: then, to: then } as never),
    ],
    ['use as-of dates', (from) => from.versions('GDP', [])],
    ['name each day once', (from) => from.versions('GDP', [then, then])],
    ["'change' needs two days", (from) => from.versions('GDP', [then], { change: true })],
    ["invalid 'days'", (from) => from.versions('GDP', ['soon'])],
  ])('refuses with its own names: %s', async (detail, ask) => {
    await expect(ask(asked.library())).rejects.toThrow(detail);
  });
});

describe('growth of a series without a stated frequency', () => {
  // 110 and 121 are 10 % more than 100 and 110.
  const quarterly = [
    'X,2002-01-01,2002-04-30,100',
    'X,2002-04-01,2002-07-30,110',
    'X,2002-07-01,2002-10-30,121',
  ];
  const monthly = ['X,2009-11-01,2010-02-01,300', 'X,2009-12-01,2010-02-01,303'];
  // 1.02 ** 4 is 8.24322 % more than 1, and (103 / 102) ** 4 is 3.97962 %.
  const ends = [
    'ME,2020-03-31,2020-05-01,100',
    'ME,2020-06-30,2020-08-01,102',
    'ME,2020-09-30,2020-11-01,103',
    'ME,2020-12-31,2021-02-01,105',
  ];

  /** What questions answer of a store of statements, before and after an import of further ones. */
  const beforeAndAfter = async (said: readonly string[], more: string, questions: readonly string[]) => {
    const path = newStorePath(folder);
    const ask = async (line: string) =>
      linesOf((await asof([...line.split(' '), '--no-header', '--store', path])).out);
    await importFiles(path, { 'early.csv': statements(said) });
    const before = await Promise.all(questions.map(ask));
    await importFiles(path, { 'late.csv': statements(more.split('\n')) });
    return { before, after: await Promise.all(questions.map(ask)), ask };
  };

  it('as of a day does not change when monthly dates are imported later', async () => {
    const questions = [
      'obs X --as-of 2002-12-31 --units pch --columns date,value,frequency',
      'panel X --as-of-each year-end --from 2002-12-31 --to 2002-12-31 --units pch --beyond repeat',
      'revisions X --as-of 2002-12-31 --release 1,final --units pch',
    ];
    const { before, after, ask } = await beforeAndAfter(quarterly, monthly.join('\n'), questions);
    expect(after[0]).toEqual(['2002-07-01,10.00000,Q', '2002-04-01,10.00000,Q']);
    expect(after[1]).toEqual(['2002-12-31,X,2002-07-01,10.00000,2002-10-30']);
    expect(after).toEqual(before);
    const [newest] = await ask('obs X --units pch --columns date,value,frequency');
    expect(newest).toBe('2009-12-01,1.00000,M');
  });

  describe('that was quarterly before it was monthly', () => {
    const path = newStorePath(folder);
    beforeAll(() => importFiles(path, { 'x.csv': statements([...quarterly, ...monthly]) }));

    it.each([
      'diff X 2002-12-31 latest --units pch',
      'diff X 2002-12-31 2010-03-01 --units pca --to 2002-12-31',
      'obs X --vintages 2002-12-31,latest --units pch',
      'obs X --as-of 2002-12-31 --vs latest --units pch',
      'revisions X --release 1,final --units pch',
      'revisions X --release 1,final --units pch --to 2002-12-31',
      'revisions X --wide --units pch --to 2002-12-31',
    ])('is not compared between the two: asof %s', async (line) => {
      const { code, out, err } = await asof([...line.split(' '), '--store', path]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(
        /^asof: judging by its dates, X is Q as of 2002-\d\d-\d\d and M (?:now|as of 2010-0\d-01), so the pc[ha] of the two cannot be compared\n {6}import a metadata file/,
      );
    });

    transcript(
      `
      # is compared as long as it was quarterly, and levels always
      $ asof diff X 2002-07-31 2002-12-31 --units pch -q --no-header
      X,2002-07-01,,10.00000,,,added
      $ asof diff X 2002-12-31 latest --columns kind -q --no-header
      added
      added
      $ asof revisions X --as-of 2002-12-31 --release 1,final --units pch --columns final -q --no-header
      10.00000
      10.00000

      # has first releases with the frequency of their own day, whatever the range
      $ asof obs X --first-release --units pch --columns date,value,frequency -q --no-header --to 2002-12-31
      2002-07-01,10.00000,Q
      …
      $ asof obs X --first-release --units pch --columns date,value,frequency -q --no-header
      2009-12-01,1.00000,M
      2002-07-01,10.00000,Q
      …

      # says why dates without it have none, and names the frequencies of a panel
      $ asof obs X --to 2002-12-31 --units pch --no-header
      ! …its frequency is M, but these values have the spacing of Q, so the values to compare with are missing
      $ asof panel X --as-of-each year-end --from 2009-01-01 --to 2010-12-31 --units pch --beyond repeat
      …
      ! …judging by the dates known on each day, X is Q from 2009-12-31 on, M from 2010-12-31 on; its pch follows that frequency
      …
      `,
      () => ({ env: { ASOF_STORE: path } }),
    );
  });

  it('on ends of quarters does not change, nor do its dates, when another date is imported later', async () => {
    const { before, after, ask } = await beforeAndAfter(ends, 'ME,2021-03-30,2021-05-01,107', [
      'obs ME --as-of 2020-12-31 --units pca --columns date,value,frequency',
      'obs ME --as-of 2020-12-31 --columns date,value,frequency',
      'obs ME --as-of 2020-12-31 --frequency a --partial --columns date,value,frequency',
    ]);
    expect(after).toEqual(before);
    expect(before[0]).toEqual(['2020-09-30,3.97962,Q', '2020-06-30,8.24322,Q']);
    expect(before[1]).toEqual(['2020-09-30,103,Q', '2020-06-30,102,Q', '2020-03-31,100,Q']);
    expect(await ask('obs ME --units pch --columns date,value')).toEqual([
      '2020-12-31,1.94175',
      '2020-09-30,0.98039',
      '2020-06-30,2.00000',
    ]);
  });

  it('of which nothing was published yet is an empty column of a panel, like its values', async () => {
    const path = newStorePath(folder);
    await importFiles(path, {
      'facts.csv': statements([
        'W,2020-01-01,2020-02-01,',
        'V,2019-12-01,2020-01-15,4',
        'V,2020-01-01,2020-02-15,5',
      ]),
      'metadata.csv': 'series_id,frequency,covered_to\nW,M,2020-03-31\nV,M,2020-03-31\n',
    });
    const months = 'panel W V --as-of-each month-end --from 2020-01-15 --to 2020-02-29 --wide --sort asc';
    for (const [units, last] of Object.entries({ pch: '25.00000', pc1: '', chg: '1' })) {
      const { err, out } = await asof([...months.split(' '), '-q', '--units', units, '--store', path]);
      expect(err).toBe('');
      expect(linesOf(out)).toEqual(['as_of,W,V', '2020-01-31,,', `2020-02-29,,${last}`]);
    }
    const alone = 'panel W --as-of 2020-03-01 --units pch --wide -q';
    expect(await asof([...alone.split(' '), '--store', path])).toMatchObject({ code: 0, out: 'date,W\n' });
  });
});
