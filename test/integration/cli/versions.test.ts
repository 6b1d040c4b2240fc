import { describe, expect, it } from 'vitest';
import { asof, linesOf, statements } from '../../support/command.ts';
import { askedStore, commandModes } from '../../support/command-modes.ts';
import { newFolder } from '../../support/folders.ts';
import { dataPath, testData } from '../../support/repository.ts';
import { importPaths, newStorePath } from '../../support/scratch-store.ts';
import { trueAnswers } from '../../support/true-answers.ts';

const folder = newFolder();
const asked = askedStore([dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json')], {
  'rates.csv': statements([
    'RATE,2019-10-01,2020-01-15,0',
    'RATE,2020-01-01,2020-02-01,4.5',
    'RATE,2019-10-01,2020-04-01,0.1',
    'RATE,2020-01-01,2020-04-01,',
  ]),
});
const run = (line: string) => asked.run('embedded', line);

/** The values of some quarters on days, which another program found in the answers of FRED. */
const triangle = trueAnswers('../revisions/gdp-triangle.tsv').filter(({ date = '' }) => date >= '2008-04-01');
const then = '2009-01-30';
const later = '2010-07-30';
const latest = Object.keys(triangle[0] ?? {}).at(-1) ?? '';

describe.each(commandModes)('what was known on several days, %s', (mode) => {
  const ask = async (line: string) => linesOf((await asked.run(mode, line)).out);
  const range = '--from 2008Q2 --to 2009Q2';

  it('is side by side with --vintages', async () => {
    expect(await ask(`obs GDP --vintages ${then},${later},latest ${range}`)).toEqual([
      `date,series_id,${then},${later},latest`,
      ...triangle.map((row) => [row.date, 'GDP', row[then], row[later], row[latest]].join(',')),
    ]);
  });

  it('is compared with --vs, with exact differences', async () => {
    const columns = 'date,value,vs_value,change';
    const rows = triangle.map((row) => {
      const [old, now] = [row[then] ?? '', row[later] ?? ''];
      const tenths = Math.round(Number(now) * 10) - Math.round(Number(old) * 10);
      return [row.date, old, now, old === '' ? '' : String(tenths / 10)].join(',');
    });
    expect(await ask(`obs GDP --as-of ${then} --vs ${later} ${range} --columns ${columns}`)).toEqual([
      columns,
      ...rows,
    ]);
  });

  it('is compared with the newest vintage by --vs latest, as a panel too', async () => {
    const columns = 'date,value,vs_value';
    const rows = triangle.map((row) => [row.date, row[then], row[latest]].join(','));
    for (const command of ['obs', 'panel'])
      expect(await ask(`${command} GDP --as-of ${then} --vs latest ${range} --columns ${columns}`)).toEqual([
        columns,
        ...rows,
      ]);
  });
});

describe('a comparison of what was known', () => {
  it('has no difference where a value is missing, no percent of 0, and the vintage of each value', async () => {
    const { out } = await run('obs RATE --as-of 2020-03-15 --vs 2020-04-15');
    expect(linesOf(out)).toEqual([
      'date,value,vs_value,change,percent,as_of_date,vs_as_of_date,series_id,unit,frequency,source',
      '2020-01-01,4.5,,,,2020-02-01,,RATE,,Q,',
      '2019-10-01,0,0.1,0.1,,2020-01-15,2020-04-01,RATE,,Q,',
    ]);
  });

  it('has the columns of each series side by side with --wide', async () => {
    // BEA's second estimate of the fourth quarter of 2019, and the third.
    const { out } = await run('panel rate GDP --as-of 2020-03-15 --vs 2020-04-15 --wide --from 2019Q4');
    expect(linesOf(out)).toEqual([
      'date,rate,rate_vs,rate_change,rate_percent,GDP,GDP_vs,GDP_change,GDP_percent',
      '2020-01-01,4.5,,,,,,,',
      '2019-10-01,0,0.1,0.1,,21726.779,21729.124,2.345,0.0108',
    ]);
  });

  it('counts dates with --limit and turns them round with --sort', async () => {
    const { out } = await run('obs GDP --vintages 2009-01-30,2009-02-27 --limit 2 --sort asc');
    expect(linesOf(out)).toEqual([
      'date,series_id,2009-01-30,2009-02-27',
      '2008-07-01,GDP,14412.8,14412.8',
      '2008-10-01,GDP,14264.6,14200.3',
    ]);
  });

  it('compares growth rates, each computed from one vintage', async () => {
    const { out } = await run(
      'obs GDP --as-of 2009-01-30 --vs 2009-02-27 --units pch --from 2008Q4 --columns value,vs_value',
    );
    const growth = (now: number) => (100 * (now / 14412.8 - 1)).toFixed(5);
    expect(linesOf(out)).toEqual(['value,vs_value', `${growth(14264.6)},${growth(14200.3)}`]);
  });

  it('says that all values changed alike, as after a change of base year', async () => {
    const { err } = await run('obs GDP --as-of 1995-12-31 --vs latest --from 1960 --to 1990');
    expect(err).toMatch(/compare growth rates, not levels/);
  });

  it('of prices of a base year says so at few dates, also side by side, in a diff and in statistics', async () => {
    // BEA's real GDP of the fourth quarter of 2012, in dollars of 2005 and of 2009.
    const home = newFolder();
    const store = home.path('real.db');
    const facts = statements(['REAL,2012-10-01,2013-04-01,13665.4', 'REAL,2012-10-01,2013-08-01,15539.6']);
    const about =
      'series_id,units,frequency\nREAL,Billions of Chained 2009 Dollars,Q\nNOMINAL,Billions of Dollars,Q\n';
    const early = statements([
      'REAL,2012-07-01,2013-01-01,13652.5',
      'NOMINAL,2012-10-01,2013-04-01,1',
      'NOMINAL,2012-10-01,2013-08-01,2',
    ]);
    await importPaths(store, [
      home.write('a.csv', facts),
      home.write('b.csv', early),
      home.write('metadata.csv', about),
    ]);
    const err = async (line: string) => (await asof([...line.split(' '), '--store', store])).err;
    const said =
      'asof: REAL: the new value of the only common date is 1.137 times the old; if units or base year changed, compare growth rates, not levels (--units pch)\n';
    const range = '--from 2012-10-01';
    expect(await err(`obs REAL --as-of 2013-05-01 --vs 2013-08-01 ${range}`)).toBe(said);
    expect(await err(`obs REAL --vintages 2013-05-01,2013-08-01 ${range}`)).toBe(said);
    expect(await err(`diff REAL 2013-05-01 latest ${range}`)).toBe(said);
    expect(await err(`diff NOMINAL 2013-05-01 2013-08-01 ${range}`)).toBe('');
    expect(await err('revisions REAL --release 1,2,final --stats')).toContain(
      'REAL: the value of 1 date changed by 3 % or more, and the unit (Billions of Chained 2009 Dollars) has a base year',
    );
    expect(await err('revisions REAL --release 1,final --stats --units log')).not.toContain('base year');
  });

  it('is a diff with the newest vintage', async () => {
    const columns = 'date,old,new';
    const { out } = await run(`diff GDP ${then} latest --from 2008Q2 --to 2008Q4 --columns ${columns}`);
    const rows = triangle.filter(({ date = '' }) => date <= '2008-10-01');
    expect(linesOf(out)).toEqual([
      columns,
      ...rows.map((row) => [row.date, row[then], row[latest]].join(',')),
    ]);
    const { rows: given } = await asked
      .library()
      .diff('GDP', [then, 'latest'], { from: '2008-10-01', to: '2008-10-01' });
    expect(given.map((row) => row.new)).toEqual([rows[0]?.[latest]]);
    const { code, err } = await run(`diff GDP ${then} latest --known-before`);
    expect([code, err]).toEqual([2, expect.stringContaining('second date "latest": use YYYY-MM-DD')]);
  });

  it('is drawn with a line for each day', async () => {
    const { out } = await run(`obs GDP --vintages ${then},${later},latest --from 2006 --to 2009 -f svg`);
    expect(out).toContain('As known on 2009-01-30, 2010-07-30 and the latest vintage');
    for (const line of [then, later, 'latest']) expect(out).toContain(`>${line}</text>`);
  });

  it.each([
    ['--vs soon', '--vs "soon": use YYYY-MM-DD'],
    ['--vs 2999-01-01', '--vs 2999-01-01 is in the future'],
    ['--vs 2009-01-30,2010-01-30', '--vs takes one date, and these are 2'],
    ['--vintages 2009-01-30,2009-01-30', '--vintages names 2009-01-30 twice'],
    ['--vintages 2009-01-30 --as-of 2010-01-30', '--vintages names the as-of dates'],
    ['--vintages 2009-01-30 --vs latest', 'use either --vs or --vintages'],
    ['--vs latest --first-release', '--first-release does not go with --vs'],
    ['--vs latest --cursor abc', '--cursor'],
  ])('refuses %s', async (flags, said) => {
    const { code, err } = await run(`obs GDP ${flags}`);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });

  it('fails for a series that does not exist, with the id that was meant', async () => {
    const { code, err } = await run('obs GDPP --vs latest');
    expect([code, err]).toEqual([3, expect.stringContaining('did you mean GDP?')]);
  });
});

describe('a snapshot of a comparison', () => {
  it('takes its own day for the latest vintage, and refuses later ones', async () => {
    const plan = folder.write(
      'plan.txt',
      'vs.csv obs GDP --as-of 2009-01-30 --vs latest --from 2008Q4 --to 2008Q4 --columns value,vs_value\n' +
        'diff.csv diff GDP 2009-01-30 latest --from 2008Q4 --to 2008Q4 --columns old,new\n',
    );
    const out = folder.path('desk');
    const made = await run(`snapshot ${plan} --out ${out} --as-of 2009-02-28`);
    expect(made.code).toBe(0);
    expect(folder.read('desk/vs.csv')).toBe('value,vs_value\n14264.6,14200.3\n');
    expect(folder.read('desk/diff.csv')).toBe('old,new\n14264.6,14200.3\n');
    const verified = await run(`verify ${out}`);
    expect(verified.code).toBe(0);
    const late = folder.write('late.txt', 'vs.csv obs GDP --vintages 2009-01-30,2010-01-29\n');
    const refused = await run(`snapshot ${late} --out ${out} --as-of 2009-02-28`);
    expect(refused.err).toContain('--vintages 2010-01-29 is later than 2009-02-28');
  });
});

describe('recessions in a chart', () => {
  it.each([
    // NBER announced the peak of December 2007 on 2008-12-01, and the trough of June 2009 on 2010-09-20.
    ['2008-11-30', 0],
    ['2008-12-01', 1],
    ['2010-09-19', 1],
    ['2010-09-20', 1],
  ])('are those that were announced by the as-of date: %s', async (day, count) => {
    const { out } = await run(`obs GDP --as-of ${day} --from 2005 -f svg --recessions`);
    expect(out.match(/fill-opacity/g) ?? []).toHaveLength(count);
    expect(out).toContain('shaded: recessions as announced by NBER');
  });

  it('go on to the end of the chart while no trough is announced', async () => {
    const widths = ['2010-09-19', '2010-09-20'].map(async (day) => {
      const { out } = await run(`obs GDP --as-of ${day} --from 2005 -f svg --recessions`);
      return Number(/width="([\d.]+)" height="[\d.]+" fill="#e5e7eb"/.exec(out)?.[1]);
    });
    const [open = 0, closed = 0] = await Promise.all(widths);
    expect(open).toBeGreaterThan(closed);
  });

  it('come from USREC where the store has it, as it was known on the day', async () => {
    const other = newStorePath(folder.path('stores'));
    const months = ['2007-11-01,0', '2007-12-01,0', '2008-01-01,1', '2008-02-01,1', '2008-03-01,0'];
    await importPaths(other, [
      folder.write(
        'usrec.csv',
        statements([
          ...months.map((row) => row.split(',')).map(([date, value]) => `USREC,${date},2009-01-15,${value}`),
          ...months.map((row) => row.split(',')).map(([date], i) => `UNRATE,${date},2009-01-15,${i}.5`),
        ]),
      ),
    ]);
    const { out } = await asof([
      'obs',
      'UNRATE',
      '--as-of',
      '2009-01-31',
      '-f',
      'svg',
      '--recessions',
      '--store',
      other,
    ]);
    expect(out).toContain('shaded: recessions from USREC');
    expect(out.match(/fill-opacity/g)).toHaveLength(1);
  });

  it('are refused in a chart over maturities, and without a chart', async () => {
    expect((await run('obs GDP --recessions')).err).toContain('--recessions is about charts');
    expect((await run('obs GDP --width 500')).err).toContain('--width is about charts');
  });
});

describe('the library', () => {
  it('compares and lists versions with typed rows', async () => {
    const compared = await asked.library().compare('GDP', [then, later], { from: '2008-10-01', limit: 3 });
    const change: string | null | undefined = compared.rows.at(-1)?.change;
    expect(compared.rows.map(({ date }) => date)).toEqual(['2010-04-01', '2010-01-01', '2009-10-01']);
    expect(change).toBeNull();
    const versions = await asked
      .library()
      .versions(['GDP'], [then, 'latest'], { to: '2008-12-31', limit: 1 });
    expect(versions.rows).toEqual([
      { date: '2008-10-01', series_id: 'GDP', [then]: '14264.6', latest: '14608.209' },
    ]);
  });

  it.each<readonly [days: readonly string[], detail: string]>([
    [[], 'use as-of dates'],
    [['2009-01-30', '2009-01-30'], 'name each day once'],
    [['soon'], "invalid 'days'"],
  ])('refuses the days %j', async (days, detail) => {
    await expect(asked.library().versions('GDP', days)).rejects.toThrow(detail);
  });
});
