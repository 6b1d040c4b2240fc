import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { askedStore, type CommandMode, commandModes } from '../../support/command-modes.ts';
import { scratchFolder } from '../../support/folders.ts';
import { dataPath, testData } from '../../support/repository.ts';
import { importFiles, newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();

/** Sales of a store of made-up months, some of them revised; days of a rate, and a series without a frequency. */
const made = `series_id,date,as_of_date,value
SALES,2019-11-01,2019-12-15,90
SALES,2019-12-01,2020-01-15,100
SALES,2020-01-01,2020-02-15,110
SALES,2019-12-01,2020-03-15,120
SALES,2020-02-01,2020-03-15,132
SALES,2020-04-01,2020-05-15,150
ONCE,2020-01-01,2020-02-15,7
`;

const asked = askedStore([dataPath(testData, 'macro/fred-api/GDP-observations-all-realtime.json')], {
  'made.csv': made,
});
const run = (mode: CommandMode, line: string) => asked.run(mode, `${line} -q`);

/** The answers of another implementation to the units of GDP as known on 30 January 2015, oldest first. */
function expected(units: string, frequency: string): readonly string[] {
  const lines = readFileSync(`${testData}/units/expected.csv`, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [id, own, asked, date = '', value = ''] = line.split(',');
    return id === 'GDP' && own === frequency && asked === units ? [`${date},${value}`] : [];
  });
}

describe.each(commandModes)('transformed values, %s,', (mode) => {
  it.each(['chg', 'ch1', 'pch', 'pc1', 'pca', 'cch', 'cca', 'log'])(
    'of GDP as of a day agree with another implementation: %s',
    async (units) => {
      // Its values begin in 2008, so the first result of each year ago is that of 2009.
      const { code, out, err } = await run(
        mode,
        `obs GDP --as-of 2015-01-30 --from 2009-01-01 --units ${units} --sort asc --columns date,value --csv`,
      );
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(linesOf(out).slice(1)).toEqual(expected(units, '').filter((line) => line >= '2009'));
    },
  );

  it('of years are computed from whole years', async () => {
    const line = 'obs GDP --as-of 2015-01-30 --from 2009-01-01 --frequency a --units pch --sort asc';
    const { out } = await run(mode, `${line} --columns date,value,frequency,unit --csv`);
    expect(linesOf(out).slice(1)).toEqual(expected('pch', 'a').map((line) => `${line},A,Percent Change`));
    // As of June 2014 the year 2014 is not complete.
    const { out: june } = await run(mode, 'obs GDP --as-of 2014-06-30 --frequency a --limit 1 --csv');
    expect(june).toContain('\n2013-01-01,');
    const { out: partial } = await run(
      mode,
      'obs GDP --as-of 2014-06-30 --frequency a --aggregate eop --partial --limit 1 --csv',
    );
    expect(partial).toContain('\n2014-01-01,17016.0,');
  });

  it('keep the columns, and say since when all values are known that they come from', async () => {
    const { out } = await run(mode, 'obs SALES --as-of 2020-03-20 --units chg --csv');
    expect(linesOf(out)).toEqual([
      'date,value,as_of_date,series_id,unit,frequency,source',
      '2020-02-01,22,2020-03-15,SALES,Change,M,',
      '2020-01-01,-10,2020-03-15,SALES,Change,M,',
      '2019-12-01,30,2020-03-15,SALES,Change,M,',
    ]);
  });

  it('compare two dates of one vintage, and not the vintages of two dates', async () => {
    const value = async (day: string) =>
      linesOf(
        (await run(mode, `obs SALES --as-of ${day} --from 2020-01-01 --to 2020-01-31 --units pch --csv`)).out,
      )[1];
    expect(await value('2020-02-15')).toContain(',10.00000,2020-02-15,');
    expect(await value('2020-03-15')).toContain(',-8.33333,2020-03-15,');
  });

  it('are missing where the month before is missing', async () => {
    const { out } = await run(mode, 'obs SALES --units chg --columns date --csv');
    expect(linesOf(out)).toEqual(['date', '2020-02-01', '2020-01-01', '2019-12-01']);
  });

  it.each(['--limit 2', '--first 2', '--sort asc --limit 2'])(
    'take %s after the transformation',
    async (flags) => {
      const all = linesOf((await run(mode, 'obs SALES --units chg --csv --no-header')).out);
      const { out } = await run(mode, `obs SALES --units chg --csv --no-header ${flags}`);
      const kept = flags.includes('first') ? all.slice(-2) : all.slice(0, 2);
      expect(linesOf(out)).toEqual(flags.includes('asc') ? kept.reverse() : kept);
    },
  );

  it('of a limit say that there are more, without a cursor that published rows would have', async () => {
    const { out } = await run(mode, 'obs GDP --as-of 2015-01-30 --units pch --limit 3 --json');
    const { has_more, next_cursor, results } = JSON.parse(out);
    expect({ has_more, next_cursor, rows: results.length }).toEqual({
      has_more: true,
      next_cursor: undefined,
      rows: 3,
    });
  });

  it('are those of a panel and of a diff', async () => {
    const { out } = await run(
      mode,
      'panel SALES GDP --as-of 2020-03-20 --from 2020-01-01 --units pch --wide --csv',
    );
    expect(linesOf(out)).toEqual(['date,SALES,GDP', '2020-02-01,20.00000,', '2020-01-01,-8.33333,']);
    const { out: diff } = await run(mode, 'diff SALES 2020-02-15 2020-03-15 --units pch --csv');
    expect(linesOf(diff)).toEqual([
      'series_id,date,old,new,change,percent,kind',
      'SALES,2020-02-01,,20.00000,,,added',
      'SALES,2020-01-01,10.00000,-8.33333,-18.33333,-183.3333,revised',
      'SALES,2019-12-01,11.11111,33.33333,22.22222,200.0000,revised',
    ]);
  });

  it('are drawn with their unit', async () => {
    const { out } = await run(mode, 'obs GDP --as-of 2015-01-30 --from 2010-01-01 --units pc1 -f svg');
    expect(out).toContain('Percent Change from Year Ago');
  });

  it('of a series with one date are refused: it has no frequency', async () => {
    const { code, err } = await run(mode, 'obs ONCE --units pch');
    expect({ code, err }).toMatchObject({ code: 2, err: /the frequency of ONCE is not known/ });
  });

  it('of a finer frequency than that of the series are refused', async () => {
    const { code, err } = await run(mode, 'obs GDP --frequency m');
    expect({ code, err }).toMatchObject({ code: 2, err: /GDP has the frequency Q, which is coarser than M/ });
  });
});

describe('asof obs --units', () => {
  it.each([
    ['obs GDP --units yoy', '--units "yoy": use lin, chg, ch1, pch, pc1, pca, cch, cca or log'],
    ['obs GDP --units pch --digits 21', '--digits "21": use an integer from 0 to 20'],
    ['obs GDP --digits 2', '--digits needs --units or --frequency'],
    ['obs GDP --aggregate sum', '--aggregate needs --frequency'],
    ['obs GDP --partial', '--partial needs --frequency'],
    ['obs GDP --frequency d', '--frequency "d": use w, m, q, sa or a'],
    ['obs GDP --units pch --cursor x', 'use either --cursor or --units'],
  ])('refuses %s', async (line, message) => {
    const { code, err } = await run('embedded', line);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe('the library', () => {
  it('transforms by the same names, in every method about values by date', async () => {
    const library = asked.library();
    const { rows } = await library.observations('GDP', {
      asOf: '2015-01-30',
      units: 'pca',
      digits: 1,
      limit: 1,
    });
    expect(rows).toMatchObject([
      { date: '2014-10-01', value: '2.5', unit: 'Compounded Annual Rate of Change' },
    ]);
    const all = [];
    for await (const row of library.observations.all(['SALES'], { frequency: 'q', partial: true }))
      all.push(row.date);
    expect(all).toEqual(['2020-04-01', '2020-01-01', '2019-10-01']);
    const panel = await library.panel(['SALES'], { asOf: '2020-02-20', units: 'chg', wide: true });
    expect(panel.rows).toEqual([
      { date: '2020-01-01', SALES: '10' },
      { date: '2019-12-01', SALES: '10' },
    ]);
    const diff = await library.diff('SALES', ['2020-02-15', '2020-03-15'], {
      units: 'chg',
      to: '2020-01-31',
    });
    expect(diff.rows.map(({ change }) => change)).toEqual(['-20', '20']);
    // @ts-expect-error: the name of the units is checked by the compiler too.
    await expect(library.observations('GDP', { units: 'yoy' })).rejects.toThrow('lin, chg, ch1');
    await expect(library.observations('GDP', { digits: 2 })).rejects.toThrow(
      "'digits' needs 'units' or 'frequency'",
    );
  });
});

describe('growth of a series without a stated frequency', () => {
  const quarterly = [
    'X,2002-01-01,2002-04-30,100',
    'X,2002-04-01,2002-07-30,110',
    'X,2002-07-01,2002-10-30,121',
  ];
  const monthly = ['X,2009-11-01,2010-02-01,300', 'X,2009-12-01,2010-02-01,303'];
  const header = 'series_id,date,as_of_date,value';

  it('as of a day does not change when monthly dates are imported later', async () => {
    const path = newStorePath(folder);
    const ask = async (line: string) => linesOf((await asof([...line.split(' '), '--store', path])).out);
    const questions = [
      'obs X --as-of 2002-12-31 --units pch --csv --columns date,value,frequency',
      'panel X --as-of-each year-end --from 2002-12-31 --to 2002-12-31 --units pch --beyond repeat --csv',
      'revisions X --as-of 2002-12-31 --release 1,final --units pch --csv',
    ];
    await importFiles(path, { 'early.csv': [header, ...quarterly, ''].join('\n') });
    const before = await Promise.all(questions.map(ask));
    await importFiles(path, { 'late.csv': [header, ...monthly, ''].join('\n') });
    const after = await Promise.all(questions.map(ask));
    // 110 and 121 are 10 % more than 100 and 110.
    expect(after[0]).toEqual(['date,value,frequency', '2002-07-01,10.00000,Q', '2002-04-01,10.00000,Q']);
    expect(after[1]).toEqual([
      'as_of,series_id,date,value,as_of_date',
      '2002-12-31,X,2002-07-01,10.00000,2002-10-30',
    ]);
    expect(after).toEqual(before);
    expect((await ask('obs X --units pch --csv --columns date,value,frequency'))[1]).toBe(
      '2009-12-01,1.00000,M',
    );
  });

  describe('that was quarterly before it was monthly', () => {
    const path = newStorePath(folder);
    const run = (line: string) => asof([...line.split(' '), '--store', path]);

    beforeAll(() => importFiles(path, { 'x.csv': [header, ...quarterly, ...monthly, ''].join('\n') }));

    it.each([
      'diff X 2002-12-31 latest --units pch',
      'diff X 2002-12-31 2010-03-01 --units pca --to 2002-12-31',
      'obs X --vintages 2002-12-31,latest --units pch',
      'obs X --as-of 2002-12-31 --vs latest --units pch',
      'revisions X --release 1,final --units pch',
      'revisions X --release 1,final --units pch --to 2002-12-31',
      'revisions X --wide --units pch --to 2002-12-31',
    ])('is not compared between the two: asof %s', async (line) => {
      const { code, out, err } = await run(`${line} --csv`);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(
        /^asof: by the spacing of its dates X is Q as of 2002-\d\d-\d\d and M (?:now|as of 2010-0\d-01), so the pc[ha] of the two cannot be compared\n {6}a metadata file/,
      );
    });

    it('is compared as long as it was quarterly, and levels always', async () => {
      const quarters = await run('diff X 2002-07-31 2002-12-31 --units pch --csv -q');
      expect(linesOf(quarters.out)[1]).toBe('X,2002-07-01,,10.00000,,,added');
      expect((await run('diff X 2002-12-31 latest --csv -q')).code).toBe(0);
      expect((await run('revisions X --as-of 2002-12-31 --release 1,final --units pch --csv -q')).code).toBe(
        0,
      );
    });

    it('has first releases with the frequency of their own day, whatever the range', async () => {
      const line = 'obs X --first-release --units pch --csv --columns date,value,frequency -q';
      const quarters = ['2002-07-01,10.00000,Q'];
      expect(linesOf((await run(`${line} --to 2002-12-31`)).out).slice(1, 2)).toEqual(quarters);
      expect(linesOf((await run(line)).out).slice(1, 3)).toEqual(['2009-12-01,1.00000,M', ...quarters]);
    });

    it('says why dates without it have none, and names the frequencies of a panel', async () => {
      const { err } = await run('obs X --to 2002-12-31 --units pch --csv');
      expect(err).toContain(
        'its frequency is M, and that of these values Q, so that each lacks the value to compare with',
      );
      const panel =
        'panel X --as-of-each year-end --from 2002-01-01 --to 2010-12-31 --units pch --beyond repeat';
      expect((await run(`${panel} --csv`)).err).toContain(
        'by the spacing of the dates known on each day X is Q from 2002-12-31 on, M from 2010-12-31 on, and its pch too',
      );
    });
  });

  it('on ends of quarters does not change, nor do its dates, when another date is imported later', async () => {
    const path = newStorePath(folder);
    const ask = async (line: string) => linesOf((await asof([...line.split(' '), '--store', path])).out);
    const ends = [
      'ME,2020-03-31,2020-05-01,100',
      'ME,2020-06-30,2020-08-01,102',
      'ME,2020-09-30,2020-11-01,103',
      'ME,2020-12-31,2021-02-01,105',
    ];
    const questions = [
      'obs ME --as-of 2020-12-31 --units pca --csv --columns date,value,frequency',
      'obs ME --as-of 2020-12-31 --csv --columns date,value,frequency',
      'obs ME --as-of 2020-12-31 --frequency a --partial --csv --columns date,value,frequency',
    ];
    await importFiles(path, { 'me.csv': [header, ...ends, ''].join('\n') });
    const before = await Promise.all(questions.map(ask));
    await importFiles(path, { 'me2.csv': [header, 'ME,2021-03-30,2021-05-01,107', ''].join('\n') });
    expect(await Promise.all(questions.map(ask))).toEqual(before);
    // 1.02 ** 4 and (103 / 102) ** 4
    expect(before[0]).toEqual(['date,value,frequency', '2020-09-30,3.97962,Q', '2020-06-30,8.24322,Q']);
    expect(before[1]?.slice(1)).toEqual(['2020-09-30,103,Q', '2020-06-30,102,Q', '2020-03-31,100,Q']);
    expect(await ask('obs ME --units pch --csv --columns date,value')).toEqual([
      'date,value',
      '2020-12-31,1.94175',
      '2020-09-30,0.98039',
      '2020-06-30,2.00000',
    ]);
  });
});

describe('growth of a series of which nothing was published yet', () => {
  it('is an empty column of a panel, like its values', async () => {
    const path = newStorePath(folder);
    await importFiles(path, {
      'facts.csv':
        'series_id,date,as_of_date,value\nW,2020-01-01,2020-02-01,\nV,2019-12-01,2020-01-15,4\nV,2020-01-01,2020-02-15,5\n',
      'metadata.csv': 'series_id,frequency,covered_to\nW,M,2020-03-31\nV,M,2020-03-31\n',
    });
    for (const units of ['pch', 'pc1', 'chg']) {
      const panel = `panel W V --as-of-each month-end --from 2020-01-15 --to 2020-02-29 --units ${units} --wide --csv`;
      const { code, out, err } = await asof([...panel.split(' '), '--sort', 'asc', '-q', '--store', path]);
      const last = { pch: '25.00000', pc1: '', chg: '1' }[units];
      expect({ code, err, lines: linesOf(out) }).toEqual({
        code: 0,
        err: '',
        lines: ['as_of,W,V', '2020-01-31,,', `2020-02-29,,${last}`],
      });
    }
    const alone = 'panel W --as-of 2020-03-01 --units pch --wide --csv -q';
    expect(await asof([...alone.split(' '), '--store', path])).toMatchObject({ code: 0, out: 'date,W\n' });
  });
});
