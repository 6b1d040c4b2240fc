import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utcDay } from '../../../../src/domain/values/date.ts';
import { runs } from '../../../support/arbitrary.ts';
import { asof, linesOf, statements, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';
import { dataPath, testData, trueAnswers } from '../../../support/repository.ts';
import { importFiles } from '../../../support/scratch-store.ts';

const folder = newFolder();
const asked = askedStore([dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json')], {
  'rates.csv': statements([
    'RATE,2019-10-01,2020-01-15,0',
    'RATE,2020-01-01,2020-02-01,4.5',
    'RATE,2019-10-01,2020-04-01,0.1',
    'RATE,2020-01-01,2020-04-01,',
    'REAL,2012-07-01,2013-01-01,13652.5',
    'REAL,2012-10-01,2013-04-01,13665.4',
    'REAL,2012-10-01,2013-08-01,15539.6',
    'NOMINAL,2012-10-01,2013-04-01,1',
    'NOMINAL,2012-10-01,2013-08-01,2',
  ]),
  'metadata.csv':
    'series_id,units,frequency\nREAL,Billions of Chained 2009 Dollars,Q\nNOMINAL,Billions of Dollars,Q\n',
});
const run = (line: string) => asked.run('embedded', line);

/** The values of some quarters on days, which another program found in the answers of FRED. */
const triangle = trueAnswers('../revisions/gdp-triangle.tsv').filter(({ date = '' }) => date >= '2008-04-01');
const [then, later] = ['2009-01-30', '2010-07-30'];
const latest = Object.keys(triangle[0] ?? {}).at(-1) ?? '';
/** Tells whether a line of csv has a value in each column. */
const isFull = (row: string) => !/,(?:,|$)/.test(row);
const rowsOf = (...columns: readonly string[]) =>
  triangle.map((row) => columns.map((column) => row[column]).join(','));

describe.each(commandModes)('what was known on several days, %s', (mode) => {
  const ask = async (line: string) => {
    const [header, ...rows] = linesOf((await asked.run(mode, `${line} --from 2008Q2 --to 2009Q2`)).out);
    return { header, rows };
  };

  it('is side by side with --vintages', async () => {
    const { header, rows } = await ask(`obs GDP --vintages ${then},${later},latest`);
    expect(header).toBe(`date,series_id,${then},${later},latest`);
    const expected = rowsOf('date', 'date', then, later, latest).map((row) => row.replace(/,[^,]+/, ',GDP'));
    expect(rows).toEqual(expected.filter(isFull));
    const all = await ask(`obs GDP --vintages ${then},${later},latest --all-rows`);
    expect(all.rows).toEqual(expected);
  });

  it('is compared with --vs, with exact differences', async () => {
    const line = `obs GDP --as-of ${then} --vs ${later} --columns date,${then},${later},change`;
    const { rows } = await ask(`${line} --all-rows`);
    const expected = rowsOf('date', then, later).map((row) => {
      const [, old = '', now] = row.split(',');
      const tenths = Math.round(Number(now) * 10) - Math.round(Number(old) * 10);
      return `${row},${old === '' ? '' : (tenths / 10).toFixed(1)}`;
    });
    expect(rows).toEqual(expected);
    expect((await ask(line)).rows).toEqual(expected.filter(isFull));
  });

  it('is compared with the newest vintage by --vs latest', async () => {
    const line = `obs GDP --as-of ${then} --vs latest --columns date,${then},latest`;
    expect((await ask(line)).rows).toEqual(rowsOf('date', then, latest).filter(isFull));
  });

  it('is a diff with the newest vintage, which begins with the dates that both know', async () => {
    const { rows } = await ask(`diff GDP ${then} latest --columns date,old,new`);
    const all = rowsOf('date', then, latest);
    expect(rows).toEqual([...all.filter(isFull), ...all.filter((row) => !isFull(row))]);
  });
});

describe('a comparison of what was known', () => {
  // BEA's second estimate of the fourth quarter of 2019 was 21726.779, and the third 21729.124; of the fourth quarter
  // of 2008 the advance one was 14264.6, and the second 14200.3, after 14412.8 in the third quarter.
  transcript(
    `
    # has no difference where a value is missing, and no percent of 0
    $ asof obs RATE --as-of 2020-03-15 --vs 2020-04-15 --all-rows -q
    date,series_id,2020-03-15,2020-04-15,change,percent
    2020-01-01,RATE,4.5,,,
    2019-10-01,RATE,0,0.1,0.1,

    # says which dates it leaves out
    $ asof obs RATE --as-of 2020-03-15 --vs 2020-04-15
    date,series_id,2020-03-15,2020-04-15,change,percent
    2019-10-01,RATE,0,0.1,0.1,
    ! asof: RATE is covered to 2020-04-01
    ! asof: 1 date that only one of the days knows is left out; --all-rows has it
    $ asof obs RATE --vintages 2020-01-15,2020-03-15,latest --from 2020
    date,series_id,2020-01-15,2020-03-15,latest
    ! asof: no rows: 1 date that only some of the days know is left out; --all-rows has it

    # says which way the changes run
    $ asof obs GDP --as-of 2009-02-27 --vs 2009-01-30 --from 2008Q4 --no-header
    2008-10-01,GDP,14200.3,14264.6,64.3,0.4528
    ! asof: 2009-01-30 is earlier than 2009-02-27: the changes run from the later date to the earlier

    # counts dates with --limit and turns them round with --sort
    $ asof obs GDP --vintages 2009-01-30,2009-02-27 --limit 2 --sort asc
    date,series_id,2009-01-30,2009-02-27
    2008-07-01,GDP,14412.8,14412.8
    2008-10-01,GDP,14264.6,14200.3

    # compares growth rates, each computed from one vintage
    $ asof obs GDP --as-of 2009-01-30 --vs 2009-02-27 --units pch --from 2008Q4 --columns 2009-01-30,2009-02-27
    2009-01-30,2009-02-27
    ${growth(14264.6)},${growth(14200.3)}

    # says that all values changed alike, as after a change of base year
    $ asof obs GDP --as-of 1995-12-31 --vs latest --from 1960 --to 1990 --columns date --no-header
    …
    ! asof: GDP: the new values of all 124 common dates are 1.051 to 1.079 times the old; if units or base year changed, compare growth rates, not levels (--units pch)

    # fails for a series that does not exist, with the id that was meant
    $ asof obs GDPP --as-of 2009-01-30 --vs latest
    ! asof: series 'GDPP' not found
    !       did you mean GDP?
    …
    [exit 3]
    `,
    () => asked.as('embedded'),
  );

  function growth(now: number): string {
    return (100 * (now / 14412.8 - 1)).toFixed(5);
  }

  it('is drawn with a line for each day', async () => {
    const { out } = await run(`obs GDP --vintages ${then},${later},latest --from 2006 --to 2009 -f svg`);
    expect(out).toContain('As known on 2009-01-30, 2010-07-30 and the latest vintage');
    for (const line of [then, later, 'latest']) expect(out).toContain(`>${line}</text>`);
  });
});

describe('a comparison of two days', () => {
  const vintage = fc.date({ min: new Date('1992-01-01'), max: new Date('2026-03-01'), noInvalidDate: true });
  const twoDays = fc
    .uniqueArray(vintage.map(utcDay), { minLength: 2, maxLength: 2 })
    .map(([one = '', other = '']) => [one, other] as const);

  it('has the rows of both days, with exact changes, on the dates that both know', async () => {
    await fc.assert(
      fc.asyncProperty(twoDays, async ([one, other]) => {
        const [compared, beside, all] = await Promise.all(
          [
            `--as-of ${one} --vs ${other}`,
            `--vintages ${one},${other}`,
            `--vintages ${one},${other} --all-rows`,
          ].map(async (flags) => linesOf((await run(`obs GDP ${flags} --no-header -q`)).out)),
        );
        expect(compared?.map((row) => row.split(',').slice(0, 4).join(','))).toEqual(beside);
        expect(beside).toEqual(all?.filter(isFull));
        for (const row of compared ?? []) {
          const [, , then = '', now = '', change = ''] = row.split(',');
          expect(thousandths(change)).toBe(thousandths(now) - thousandths(then));
          expect(decimals(change)).toBe(Math.max(decimals(then), decimals(now)));
        }
      }),
      { numRuns: runs(20) },
    );
  });

  const decimals = (text: string) => text.split('.')[1]?.length ?? 0;
  // BEA publishes at most three decimals.
  const thousandths = (text: string) => BigInt(text.replace('.', '') + '0'.repeat(3 - decimals(text)));

  const above = async (line: string) => {
    const on = { ...(await asked.as('embedded')), stdoutIsTerminal: true, columns: 100, rows: 50 };
    return (await asof(line.split(' '), on)).out.split('\n\n').slice(0, -1);
  };

  it.each([
    [
      'obs GDP --as-of 2009-01-30 --vs latest --from 2008Q4',
      'On 30 January 2009, GDP of 2008 Q4 was 14,264.6; today it is 14,608.2 (+2.4 %)',
    ],
    [
      'obs GDP --vintages 2009-02-27,2009-01-30 --limit 1',
      'On 30 January 2009, GDP of 2008 Q4 was 14,264.6; on 27 February 2009 it was 14,200.3 (-0.5 %)',
    ],
    [
      'obs GDP --as-of 2009-01-30 --vs 2009-02-27 --units pch --limit 1',
      'On 30 January 2009, GDP (Percent Change) of 2008 Q4 was -1.02825; on 27 February 2009 it was\n-1.47438 (-0.44613)',
    ],
    [
      'diff GDP 2009-01-30 2009-02-27',
      'On 30 January 2009, GDP of 2008 Q4 was 14,264.6; on 27 February 2009 it was 14,200.3 (-0.5 %)',
    ],
  ])(
    'of one series says above its table what the newest common value was, and is: %s',
    async (line, text) => {
      expect(await above(line)).toEqual([text]);
    },
  );

  it.each([
    'obs GDP RATE --vintages 2009-01-30,latest --limit 1',
    'obs GDP --vintages 2009-01-30,2009-02-27,latest --limit 1',
    'obs RATE --as-of 2019-01-30 --vs latest --all-rows',
    'obs GDP --as-of 2009-01-30 --vs latest --from 2008Q4 --csv',
  ])('says nothing above other rows: %s', async (line) => {
    expect(await above(line)).toEqual([]);
  });
});

describe('a comparison of prices of a base year', () => {
  const said =
    '! asof: REAL: the new value of the only common date is 1.137 times the old; if units or base year changed, compare growth rates, not levels (--units pch)';

  // BEA's real GDP of the fourth quarter of 2012, in dollars of 2005 and of 2009.
  transcript(
    `
    # says so at few dates, also side by side, in a diff and in statistics
    $ asof obs REAL --as-of 2013-05-01 --vs 2013-08-01 --from 2012-10-01 --columns 2013-05-01 --no-header
    13665.4
    ${said}
    $ asof obs REAL --vintages 2013-05-01,2013-08-01 --from 2012-10-01 --columns date --no-header
    2012-10-01
    ${said}
    $ asof diff REAL 2013-05-01 latest --from 2012-10-01 --columns old --no-header
    13665.4
    ${said}
    $ asof diff NOMINAL 2013-05-01 2013-08-01 --from 2012-10-01 --columns old --no-header
    1
    $ asof revisions REAL --release 1,2,final --stats --columns count --no-header
    …
    ! …REAL: the value of 1 date changed by 3 % or more, and the unit (Billions of Chained 2009 Dollars) has a base year…
    …
    `,
    () => asked.as('embedded'),
  );

  it('says nothing of it in statistics of logarithms', async () => {
    const { code, err } = await run('revisions REAL --release 1,final --stats --units log');
    expect([code, err]).toEqual([0, expect.not.stringContaining('base year')]);
  });
});

describe('a snapshot of a comparison', () => {
  const plan = folder.write(
    'plan.txt',
    'vs.csv obs GDP --as-of 2009-01-30 --vs latest --from 2008Q4 --to 2008Q4\n' +
      'diff.csv diff GDP 2009-01-30 latest --from 2008Q4 --to 2008Q4 --columns old,new\n',
  );
  const late = folder.write('late.txt', 'vs.csv obs GDP --vintages 2009-01-30,2010-01-29\n');

  it('takes its own day for the latest vintage, and refuses later ones', async () => {
    const out = folder.path('desk');
    expect((await run(`snapshot ${plan} --out ${out} --as-of 2009-02-28`)).code).toBe(0);
    expect(folder.read('desk/vs.csv')).toBe(
      'date,series_id,2009-01-30,2009-02-28,change,percent\n2008-10-01,GDP,14264.6,14200.3,-64.3,-0.4508\n',
    );
    expect(folder.read('desk/diff.csv')).toBe('old,new\n14264.6,14200.3\n');
    expect((await run(`verify ${out}`)).code).toBe(0);
    const refused = await run(`snapshot ${late} --out ${out} --as-of 2009-02-28`);
    expect(refused.err).toContain('--vintages 2010-01-29 is later than 2009-02-28');
  });
});

describe('recessions in a chart', () => {
  // NBER announced the trough of June 2009 on 2010-09-20.
  it('are those that were announced by the as-of date, to the end of the chart without a trough', async () => {
    const widths = ['2008-11-30', '2010-09-19', '2010-09-20'].map(async (day) => {
      const { out } = await run(`obs GDP --as-of ${day} --from 2005 -f svg --recessions`);
      const shaded = [...out.matchAll(/width="([\d.]+)" height="[\d.]+" fill="#e5e7eb" fill-opacity/g)];
      // A chart that shades nothing says nothing of it.
      expect(out.includes('shaded: recessions as announced by NBER')).toBe(shaded.length > 0);
      return shaded.map(([, width]) => Number(width));
    });
    const [none, [open = 0] = [], closed = []] = await Promise.all(widths);
    expect([none, closed.length]).toEqual([[], 1]);
    expect(open).toBeGreaterThan(closed[0] ?? 0);
  });

  it('come from USREC where the store has it, as it was known on the day', async () => {
    const store = folder.path('usrec.db');
    const months = ['2007-11-01,0', '2007-12-01,0', '2008-01-01,1', '2008-02-01,1', '2008-03-01,0'];
    const lines = months.flatMap((row, i) => {
      const [date, value] = row.split(',');
      return [`USREC,${date},2009-01-15,${value}`, `UNRATE,${date},2009-01-15,${i}.5`];
    });
    await importFiles(store, { 'usrec.csv': statements(lines) });
    const line = `obs UNRATE --as-of 2009-01-31 -f svg --recessions --store ${store}`;
    const { out } = await asof(line.split(' '));
    expect(out).toContain('shaded: recessions from USREC');
    expect(out.match(/fill-opacity/g)).toHaveLength(1);
  });
});
