import { describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { askedStore, type CommandMode, commandModes } from '../../support/command-modes.ts';
import { newFolder } from '../../support/folders.ts';
import { dataPath, testData } from '../../support/repository.ts';

const folder = newFolder();

const made = `series_id,date,as_of_date,value
SALES,2019-12-01,2020-01-15,100
SALES,2020-01-01,2020-02-15,110
SALES,2019-12-01,2020-03-15,120
SALES,2020-02-01,2020-03-15,132
SALES,2020-02-01,2020-03-20,
SALES,2020-03-01,2020-04-15,150
SALES,2020-02-01,2020-04-15,130
`;

const asked = askedStore(
  [
    dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json'),
    dataPath(testData, 'treasury/par-csv/daily-treasury-rates-2025.csv'),
  ],
  { 'made.csv': made },
);
const run = (mode: CommandMode, line: string) => asked.run(mode, `${line} -q`);

describe.each(commandModes)('a panel of several values, %s,', (mode) => {
  const months = '--as-of-each month-end --from 2020-01-01 --to 2020-04-30 --sort asc --beyond repeat --csv';

  it('has the newest observations as known on each day, side by side', async () => {
    const { out, err } = await run(mode, `panel SALES ${months} --last 3 --wide`);
    expect(err).toBe('');
    // The value for February was withdrawn on 20 March, and came back on 15 April.
    expect(linesOf(out)).toEqual([
      'as_of,SALES,SALES_lag1,SALES_lag2',
      '2020-01-31,100,,',
      '2020-02-29,110,100,',
      '2020-03-31,110,120,',
      '2020-04-30,150,130,110',
    ]);
  });

  it('has their dates on request', async () => {
    const { out } = await run(mode, `panel SALES ${months} --last 2 --wide --with-dates`);
    expect(linesOf(out).at(-1)).toBe('2020-04-30,150,2020-03-01,130,2020-02-01');
  });

  it('in the long form has a row for each observation', async () => {
    const { out } = await run(mode, `panel SALES ${months} --last 2`);
    expect(linesOf(out)).toEqual([
      'as_of,series_id,date,value,as_of_date',
      '2020-01-31,SALES,2019-12-01,100,2020-01-15',
      '2020-02-29,SALES,2020-01-01,110,2020-02-15',
      '2020-02-29,SALES,2019-12-01,100,2020-01-15',
      '2020-03-31,SALES,2020-01-01,110,2020-02-15',
      '2020-03-31,SALES,2019-12-01,120,2020-03-15',
      '2020-04-30,SALES,2020-03-01,150,2020-04-15',
      '2020-04-30,SALES,2020-02-01,130,2020-04-15',
    ]);
  });

  it('passes over the newest with a lag', async () => {
    const { out } = await run(mode, `panel SALES ${months} --lag 1 --wide`);
    expect(linesOf(out)).toEqual([
      'as_of,SALES_lag1',
      '2020-01-31,',
      '2020-02-29,100',
      '2020-03-31,120',
      '2020-04-30,130',
    ]);
  });

  it('of one value is the panel of the newest value', async () => {
    const days = '--as-of-each month-end --from 2000-01-01 --to 2015-12-31 --csv';
    const { out: history } = await run(mode, `panel GDP ${days} --last 2`);
    const { out: newest } = await run(mode, `panel GDP ${days}`);
    const firstOfDay = linesOf(history).filter(
      (line, i, all) => line.slice(0, 10) !== all[i - 1]?.slice(0, 10),
    );
    expect(firstOfDay).toEqual(linesOf(newest));
  });

  it('computes growth within the vintage of each day', async () => {
    const { out } = await run(mode, `panel SALES ${months} --units pch --digits 1 --wide --with-dates`);
    expect(linesOf(out)).toEqual([
      'as_of,SALES,SALES_date',
      '2020-01-31,,',
      '2020-02-29,10.0,2020-01-01',
      '2020-03-31,-8.3,2020-01-01',
      '2020-04-30,15.4,2020-03-01',
    ]);
  });

  it('computes the growth of GDP that BEA published, on each day', async () => {
    const line =
      'panel GDP --as-of-each day --from 2015-01-29 --to 2015-01-31 --units pca --digits 1 --wide --sort asc';
    const { out } = await run(mode, `${line} --csv`);
    // On 23 December 2014 BEA published 6.4 for the third quarter, on 30 January 2.5 for the fourth.
    expect(linesOf(out).slice(1)).toEqual(['2015-01-29,6.4', '2015-01-30,2.5', '2015-01-31,2.5']);
  });

  it('agrees with the transformed observations as of each day', async () => {
    const { out } = await run(
      mode,
      'panel GDP --as-of-each year-end --from 2000-01-01 --to 2014-12-31 --units pc1 --frequency a --sort asc --csv',
    );
    for (const line of linesOf(out).slice(1)) {
      const [day = '', , date, value, since] = line.split(',');
      const { out: own } = await run(
        mode,
        `obs GDP --as-of ${day} --units pc1 --frequency a --limit 1 --csv`,
      );
      expect(linesOf(own)[1]?.split(',').slice(0, 3)).toEqual([date, value, since]);
    }
  });

  it('puts yields beside macro series', async () => {
    const { out } = await run(
      mode,
      'panel SALES DGS10 --as-of-each friday --from 2025-03-03 --to 2025-03-14 --last 2 --wide --sort asc --beyond repeat --csv',
    );
    // Treasury's par yields of 6 and 7 March, and of 13 and 14 March 2025.
    expect(linesOf(out)).toEqual([
      'as_of,SALES,SALES_lag1,DGS10,DGS10_lag1',
      '2025-03-07,150,130,4.32,4.29',
      '2025-03-14,150,130,4.31,4.27',
    ]);
  });

  it('shows on each day of a file what was known before it', async () => {
    const file = folder.write('days.csv', 'day,meeting\n2015-01-30,b\n2014-12-23,a\n2015-01-30,c\n');
    const { out } = await run(
      mode,
      `panel GDP --as-of-file ${file} --known-before-each --wide --sort asc --csv`,
    );
    expect(linesOf(out)).toEqual(['as_of,GDP', '2014-12-23,17555.2', '2015-01-30,17599.8']);
    const { out: piped } = await asked.run(
      mode,
      'panel GDP --as-of-file - --known-before-each --wide --sort asc --csv -q',
      folder.read('days.csv'),
    );
    expect(piped).toBe(out);
    const { out: inclusive } = await run(mode, `panel GDP --as-of-file ${file} --wide --sort asc --csv`);
    expect(linesOf(inclusive)).toEqual(['as_of,GDP', '2014-12-23,17599.8', '2015-01-30,17710.7']);
  });

  it('transforms first releases within the vintage of each', async () => {
    const { out } = await run(
      mode,
      'obs GDP --first-release --from 2023-10-01 --units pca --digits 1 --columns date,value,as_of_date --csv',
    );
    // BEA's advance estimates of current-dollar GDP: 4.8, 4.8, 5.2 and 4.7 percent.
    expect(linesOf(out).slice(1)).toEqual([
      '2024-07-01,4.7,2024-10-30',
      '2024-04-01,5.2,2024-07-25',
      '2024-01-01,4.8,2024-04-25',
      '2023-10-01,4.8,2024-01-25',
    ]);
    const { out: sales } = await run(
      mode,
      'obs SALES --first-release --units chg --columns date,value --csv',
    );
    expect(linesOf(sales)).toEqual(['date,value', '2020-03-01,20', '2020-02-01,22', '2020-01-01,10']);
  });

  it('says how many requests it takes at most', async () => {
    const { err } = await run(mode, `panel SALES ${months} --last 3 --dry-run`);
    // A service that offers panels takes the panel, a description, and a check that nothing changed.
    const words = mode === 'remote' ? '3 requests' : '\\d+ requests';
    expect(err).toMatch(new RegExp(`^asof: this panel takes at most ${words}\\n$`));
  });
});

describe('a panel of as-of dates', () => {
  it.each([
    ['panel GDP --last 2', '--last is about as-of dates: use --as-of-each or --as-of-file'],
    ['panel GDP --lag 1', '--lag is about as-of dates'],
    ['panel GDP --known-before-each', '--known-before-each is about as-of dates'],
    ['panel GDP --as-of-each day --as-of-file x.csv', 'use either --as-of-each or --as-of-file'],
    ['panel GDP --as-of-file x.csv --as-of 2020-01-01', 'use either --as-of or --as-of-file'],
    ['panel GDP --as-of-file x.csv --with-dates', '--with-dates needs --wide'],
    ['panel GDP --as-of-file /nowhere/x.csv', 'cannot read /nowhere/x.csv'],
  ])('refuses %s', async (line, message) => {
    const { code, err } = await run('embedded', line);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(message);
  });

  it.each([
    ['day\n2020-01-01\n01/02/2020\n', 'line 3: "01/02/2020" is not a date: use YYYY-MM-DD'],
    ['2020-01-01\n2999-01-01\n', 'line 2: "2999-01-01" is in the future'],
    ['day\n', 'has no dates in its first column'],
    [
      '2008-10-8\n2009-01-30\n',
      'line 1: "2008-10-8" is not a date: use YYYY-MM-DD; the days are in the first',
    ],
    ['2008-02-30\n2009-01-30\n', 'line 1: "2008-02-30" is not a date: there is no such date'],
  ])('refuses a file with %j', async (text, message) => {
    const { code, err } = await run('embedded', `panel GDP --as-of-file ${folder.write('bad.csv', text)}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('of a file is refused in a plan', async () => {
    const plan = folder.write('plan.txt', 'x.csv panel GDP --as-of-file days.csv\n');
    const { code, err } = await asof(['snapshot', plan, '--out', folder.path('out'), '--store', asked.store]);
    expect(code).toBe(2);
    expect(err).toContain('a plan has no --as-of-file');
  });

  it('is one of the library too', async () => {
    const library = asked.library();
    const { rows } = await library.panel(['SALES', 'GDP'], {
      asOfEach: ['2020-03-16', '2020-02-20'],
      knownBeforeEach: true,
      last: 2,
      units: 'chg',
      beyond: 'repeat',
      wide: true,
      sort: 'asc',
    });
    expect(rows.map(({ as_of, SALES, SALES_lag1 }) => [as_of, SALES, SALES_lag1])).toEqual([
      ['2020-02-20', '10', null],
      ['2020-03-16', '22', '-10'],
    ]);
    await expect(library.panel('GDP', { last: 2 } as never)).rejects.toThrow("'last' is about as-of dates");
  });
});
