import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seriesIdForm } from '../../../../src/domain/series/series.ts';
import type { ReadOptions } from '../../../../src/import/formats/format.ts';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { runs } from '../../../support/arbitrary.ts';
import { lines, linesIn, readAll, refusalOf, refuses, sourceFile } from '../../../support/source-file.ts';

const fredCsv = formatOfKind('fred-csv');
const plainCsv = formatOfKind('plain-csv');

const asOf = '2015-01-30';
const table = (name: string, ...rows: readonly string[]) => sourceFile(name, `${rows.join('\n')}\n`);
const file = (...rows: string[]) => table('GDP.csv', ...rows);

describe('a column of a whole vintage', () => {
  test('states numbers as published', async () => {
    const columns = file('DATE,GDP', '2014-01-01,1.50', '2014-02-01,-2', '2014-03-01,3e2');
    const { statements } = await readAll(fredCsv, columns, { asOf });
    expect(statements.map(({ value }) => value)).toEqual(['1.50', '-2', '300']);
  });

  test('says for blank cells and for ., #N/A and NA that there is no figure, in any order of rows', async () => {
    const cell = fc.constantFrom('', ' ', '.', '#N/A', 'NA', '7');
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 9 }), fc.nat(8), async (cells, turn) => {
        const expected = cells.map(
          (cell, index) => `GDP,2014-01-0${index + 1},${asOf},${cell === '7' ? '7' : ''}`,
        );
        const rows = cells.map((cell, index) => `2014-01-0${index + 1},${cell}`);
        const text = file('DATE,GDP', ...rows.slice(turn), ...rows.slice(0, turn));
        expect((await linesIn(fredCsv, text, { asOf })).sort()).toEqual(expected.sort());
      }),
      { numRuns: runs(40), examples: [[['', '', ''], 0]] },
    );
  });

  test('with one number has a figure or none in each row with a dot, beside a column of months', async () => {
    const rows = ['2014-01-01,1,.', '2014-02-01,2,7', '2014-03-01,3,.'];
    const found = await linesIn(fredCsv, file('DATE,M,A', ...rows), { asOf });
    expect(found.filter((line) => line.startsWith('A,'))).toEqual(
      ['01-01,2015-01-30,', '02-01,2015-01-30,7', '03-01,2015-01-30,'].map((line) => `A,2014-${line}`),
    );
  });

  test('is covered as a whole vintage even if it states nothing', async () => {
    const records = await readAll(fredCsv, file('DATE,A,b', '2014-01-01,1,'), { asOf });
    expect(records.coverage).toEqual([
      { seriesId: 'A', coveredTo: asOf, whole: true },
      { seriesId: 'B', coveredTo: asOf, whole: true },
    ]);
  });
});

describe('a file of whole vintages', () => {
  refuses(
    fredCsv,
    'GDP.csv',
    {
      ', row 3, column "GDP": "1,234": neither a decimal number nor . or #N/A or NA or blank':
        'DATE,GDP\n2014-01-01,1\n2014-02-01,"1,234"\n',
      ', row 2: "2014-02-30": there is no such date': 'DATE,GDP\n2014-02-30,1\n',
      ', row 4: "2014-01-01": row 2 already has this date':
        'DATE,GDP\n2014-01-01,1\n2014-02-01,1\n2014-01-01,1\n',
      ', column "gdp": column GDP already has GDP as of 2015-01-30': 'DATE,GDP,gdp\n2014-01-01,1,1\n',
      ', column "GDP": two columns have this name': 'DATE,GDP,GDP\n2014-01-01,1,1\n',
      ', row 3: "soon": not a date: use YYYY-MM-DD': 'DATE,GDP\n2014-01-01,1\nsoon,1\n',
      [`, row 1, column "Ä€": not a series id: ${seriesIdForm}`]: 'DATE,Ä€\n2014-01-01,1\n',
      ', row 1: the file has dates and no series': 'DATE\n2014-01-01\n',
    },
    { asOf },
  );

  test.each(['24,777.038', '1,23', '(5)', '5%', '.5', '+5', 'n.a.', '1e', '-'])(
    'is refused with %j for a number',
    async (text) => {
      const reading = readAll(fredCsv, file('DATE,GDP', `2014-01-01,"${text}"`), { asOf });
      await expect(reading).rejects.toThrow('neither a decimal number nor');
    },
  );
});

test.each([
  ['ecb-vintage', 'monthly_201412.csv', ' ,Block\nName:,A.X\nNOV-2014,1\n'],
  ['dated-panel', '2016-07-29.csv', 'date,A\n2014-11-01,1\n'],
  ['fred-md', '2015-01.csv', 'sasdate,RPI\nTransform:,5\n11/1/2014,1\n'],
])('--as-of dates a file of the format %s before its name %s', async (kind, name, text) => {
  const found = await readAll(formatOfKind(kind), sourceFile(name, text), { asOf: '2014-12-03' });
  expect(found.statements.map(({ asOf: day }) => day)).toEqual(['2014-12-03']);
});

describe('a FRED download', () => {
  test('states its figures on the day of --as-of, and implies nothing', async () => {
    const download = file('observation_date,GDP,unrate', '2014-10-01,17710.7,5.7');
    const records = await readAll(fredCsv, download, { asOf });
    expect(lines(records.statements)).toEqual([
      'GDP,2014-10-01,2015-01-30,17710.7',
      'UNRATE,2014-10-01,2015-01-30,5.7',
    ]);
    expect(records.implied).toEqual([]);
  });

  test('with the only column VALUE is of the series of --series', async () => {
    const found = await linesIn(fredCsv, file('DATE,VALUE', '2014-10-01,17710.7'), { asOf, series: 'gdp' });
    expect(found).toEqual(['GDP,2014-10-01,2015-01-30,17710.7']);
  });

  refuses(fredCsv, 'GDP.csv', {
    ': the file does not state when its figures were known; pass --as-of': 'DATE,GDP\n2014-10-01,17710.7\n',
  });
});

describe('an ALFRED download', () => {
  const alfredWide = formatOfKind('alfred-wide');

  test('states each column on its vintage date, for one or several series', async () => {
    const header = 'Date,GDPC1_20150130,GDPC1_2015-02-27,T10Y_2_20150130';
    const records = await readAll(alfredWide, file(header, '2014-07-01,16205.6,16206.1,.'));
    expect(lines(records.statements)).toEqual([
      'GDPC1,2014-07-01,2015-01-30,16205.6',
      'GDPC1,2014-07-01,2015-02-27,16206.1',
      'T10Y_2,2014-07-01,2015-01-30,',
    ]);
    expect(records.coverage).toEqual([
      { seriesId: 'GDPC1', coveredTo: '2015-01-30', whole: true },
      { seriesId: 'GDPC1', coveredTo: '2015-02-27', whole: true },
      { seriesId: 'T10Y_2', coveredTo: '2015-01-30', whole: true },
    ]);
  });

  const noVintage = 'not a series and its vintage date, such as GDPC1_20150130';
  refuses(alfredWide, 'GDPC1_2.csv', {
    [`, row 1, column "GDP": ${noVintage}`]: 'DATE,GDPC1_20150130,GDP\n2014-10-01,1,2\n',
    [`, row 1, column "GDPC1_20150230": ${noVintage}`]: 'DATE,GDPC1_20150230,X\n2014-10-01,1,2\n',
  });
});

describe('figures by date without a publisher', () => {
  const gdp = ['GDP,2014-07-01,2015-02-27,17599.8', 'GDP,2014-10-01,2015-02-27,17701.3'];
  const rows = '2014-07-01,17599.8\n2014-10-01,17701.3\n';

  test.each<[string, string, string, ReadOptions]>([
    ['of the series in their column', 'mine.csv', 'Date,GDP', { asOf: '2015-02-27' }],
    ['of the series of --series', 'mine.csv', 'date,value', { asOf: '2015-02-27', series: 'GDP' }],
    ['of the day in their file name', '2015-02-27.csv', 'Date,GDP', {}],
  ])('are %s', async (_, name, header, options) => {
    expect(await linesIn(plainCsv, sourceFile(name, `${header}\n${rows}`), options)).toEqual(gdp);
  });

  test.each([
    [', row 1, column "value": the file does not name its series; pass --series ID', 'date,value', { asOf }],
    [': the file does not state when its figures were known; pass --as-of', 'Date,GDP', {}],
    [
      ', row 1, column "GDP": the file names its series GDP; --id GDP=GNP imports it as GNP',
      'Date,GDP',
      { asOf, series: 'GNP' },
    ],
  ])('are refused%s', async (reason, header, options) => {
    const mine = sourceFile('mine.csv', `${header}\n${rows}`);
    expect(await refusalOf(plainCsv, mine, options)).toBe(`Problem: mine.csv${reason}`);
  });
});

describe('a dated panel', () => {
  const datedPanel = formatOfKind('dated-panel');
  const dated = (...rows: readonly string[]) => table('2016-07-29.csv', ...rows);
  const monthly = dated(
    ...['date,PAYEMS,GDPC1', '2015-11-01,,', '2015-12-01,3,10', '2016-01-01,4,'],
    ...['2016-02-01,5,.', '2016-03-01,6,', '2016-04-01,,', '2016-05-01,8,', '2016-06-01,,12'],
  );

  test('states on the day in its name no figure in empty cells, except in months within a quarter', async () => {
    const { statements, implied } = await readAll(datedPanel, monthly);
    expect(new Set(statements.map((statement) => statement.asOf))).toEqual(new Set(['2016-07-29']));
    const of = (id: string) =>
      statements
        .filter(({ seriesId }) => seriesId === id)
        .map(({ date, value }) => `${date.slice(0, 7)}=${value ?? ''}`)
        .join(' ');
    expect(of('PAYEMS')).toBe('2015-11= 2015-12=3 2016-01=4 2016-02=5 2016-03=6 2016-04= 2016-05=8 2016-06=');
    expect(of('GDPC1')).toBe('2015-12=10 2016-03= 2016-06=12');
    expect(implied).toEqual([
      { seriesId: 'PAYEMS', frequency: 'M' },
      { seriesId: 'GDPC1', frequency: 'Q' },
    ]);
  });

  test.each<[string, readonly string[], string]>([
    ['a single figure in the last month of a quarter', ['2016-02-01,', '2016-03-01,1', '2016-04-01,'], 'A M'],
    ['daily rows', ['2016-03-01,1', '2016-03-02,2', '2016-06-01,3'], ''],
    ['quarterly rows', ['2016-03-01,1', '2016-06-01,2'], ''],
  ])('with %s implies no more than its rows show', async (_, rows, implied) => {
    const records = await readAll(datedPanel, dated('date,A', ...rows));
    expect(records.implied.map(({ seriesId, frequency }) => `${seriesId} ${frequency}`).join()).toBe(implied);
  });

  refuses(datedPanel, 'panel.csv', {
    ': the file name is not its vintage date, such as 2016-07-29.csv; pass --as-of': 'date,A\n2016-03-01,1\n',
  });
});

describe('a FRED-MD panel', () => {
  const fredMd = formatOfKind('fred-md');
  const text = (...rows: string[]) =>
    `${['sasdate,RPI,CMRMTSPLx,S&P 500', 'Transform:,5,5,5', ...rows].join('\r\n')}\r\n`;
  const panel = (name: string, ...rows: string[]) => sourceFile(name, text(...rows));

  test('states its columns on the last day of the month in its name, and may end in empty rows', async () => {
    const rows = ['1/1/1959,2289.8,.,4.5', '2/1/1959,2299.6,1,', ',,,', ','];
    const records = await readAll(fredMd, panel('2016-02.csv', ...rows));
    expect(lines(records.statements)).toEqual([
      ...['RPI,1959-01-01,2016-02-29,2289.8', 'RPI,1959-02-01,2016-02-29,2299.6'],
      ...['CMRMTSPLX,1959-01-01,2016-02-29,', 'CMRMTSPLX,1959-02-01,2016-02-29,1'],
      ...['S&P 500,1959-01-01,2016-02-29,4.5', 'S&P 500,1959-02-01,2016-02-29,'],
    ]);
    const ids = ['RPI', 'CMRMTSPLX', 'S&P 500'];
    expect(records.implied).toEqual(ids.map((seriesId) => ({ seriesId, frequency: 'M' })));
  });

  test.each([
    ['2015-01.csv', '2015-01-31'],
    ['2015-01-md.csv', '2015-01-31'],
    ['2024-12-qd.csv', '2024-12-31'],
    ['2015-2m.csv', '2015-02-28'],
    ['FRED-MD_2020m05.csv', '2020-05-31'],
    ['2015-01.CSV', '2015-01-31'],
  ])('named %s is the vintage of %s', async (name, vintage) => {
    const records = await readAll(fredMd, panel(name, '1/1/1959,1,1,1'));
    expect(records.coverage.map(({ coveredTo }) => coveredTo)).toEqual([vintage, vintage, vintage]);
  });

  const noMonth = 'the file name is not the month of its vintage, such as 2015-01.csv; pass --as-of';
  test.each(['current.csv', '2015-13.csv', 'x2015-01.csv', '2015-01-30.csv'])(
    'named %s needs --as-of',
    async (name) => {
      expect(await refusalOf(fredMd, panel(name, '1/1/1959,1,1,1'))).toBe(`Problem: ${name}: ${noMonth}`);
    },
  );

  test('with two-digit years begins in 1959 and continues past 1999', async () => {
    const rows = ['1/1/59,1,,', '12/1/99,2,,', '1/1/00,3,,', '12/1/14,4,,'];
    const records = await readAll(fredMd, panel('2015-01.csv', ...rows));
    const rpi = records.statements.filter(({ seriesId }) => seriesId === 'RPI');
    expect(rpi.map(({ date }) => date)).toEqual(['1959-01-01', '1999-12-01', '2000-01-01', '2014-12-01']);
  });

  const noDate = 'not a date: use M/D/YYYY, the first day of a month';
  refuses(fredMd, '2015-01.csv', {
    ', row 4: "1959-01-01": with two-digit years, dates must ascend; the row above has 2047-01-01': text(
      '1/1/47,1,,',
      '1/1/59,1,,',
    ),
    [`, row 3: "1959-01-13": ${noDate}`]: text('13/1/1959,1,1,1'),
    [`, row 3: "1/13/59": ${noDate}`]: text('1/13/59,1,1,1'),
    [`, row 3: "": ${noDate}`]: text(',1,1,1'),
    ', row 3, column "S&P 500": "x": neither a decimal number nor . or #N/A or NA or blank':
      text('1/1/1959,1,1,x'),
    ': the file has a header and no rows of figures': text(),
  });
});

describe('a FRED-QD panel', () => {
  test('has another row of notes, and quarterly dates', async () => {
    const panel = table('2021-04.csv', 'sasdate,GDPC1', 'factors,0', 'transform,5', '3/1/1959,3121.936');
    const records = await readAll(formatOfKind('fred-qd'), panel);
    expect(lines(records.statements)).toEqual(['GDPC1,1959-03-01,2021-04-30,3121.936']);
    expect(records.implied).toEqual([{ seriesId: 'GDPC1', frequency: 'Q' }]);
  });
});
