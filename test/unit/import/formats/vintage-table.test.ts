import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fredCsv } from '../../../../src/import/formats/fred/csv.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../support/source-file.ts';

const asOf = '2015-01-30';
const file = (...rows: string[]) => sourceFile('GDP.csv', `${rows.join('\n')}\n`);
const values = async (...cells: string[]) => {
  const rows = cells.map((cell, index) => `2014-0${index + 1}-01,${cell},1`);
  const { statements } = await readAll(fredCsv, file('DATE,GDP,ALL', ...rows), { asOf });
  return statements
    .filter(({ seriesId }) => seriesId === 'GDP')
    .map(({ date, value }) => `${date.slice(6, 7)}=${value ?? 'gone'}`)
    .join(' ');
};

describe('a column of a whole vintage', () => {
  test.each([
    ['numbers are values, as published', ['1.50', '-2', '3e2'], '1=1.50 2=-2 3=300'],
    [
      '., #N/A and NA are withdrawals, wherever they stand',
      ['.', '1', '#N/A', '2', 'NA'],
      '1=gone 2=1 3=gone 4=2 5=gone',
    ],
    [
      'a blank between the first and the last number is a withdrawal',
      ['1', '', ' ', '2'],
      '1=1 2=gone 3=gone 4=2',
    ],
    ['a blank outside of them says nothing', ['', '1', '2', ''], '2=1 3=2'],
    [
      'a blank between a withdrawal and the first number says nothing',
      ['.', '', '1', '', '.'],
      '1=gone 3=1 5=gone',
    ],
    ['blanks alone say nothing', ['', '', ''], ''],
  ])('%s', async (_, cells, told) => {
    expect(await values(...cells)).toBe(told);
  });

  test('says of each date what its first and last number make of its blanks, in whatever order the rows are', async () => {
    const column = fc.array(fc.constantFrom('', '.', '7'), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(column, fc.nat(8), async (cells, turn) => {
        const first = cells.indexOf('7');
        const last = cells.lastIndexOf('7');
        const expected = cells.flatMap((cell, index) => {
          if (cell === '' && (index < first || index > last || first < 0)) return [];
          return [`GDP,2014-01-0${index + 1},${asOf},${cell === '7' ? '7' : ''}`];
        });
        const rows = cells.map((cell, index) => `2014-01-0${index + 1},${cell}`);
        const text = file('DATE,GDP', ...rows.slice(turn), ...rows.slice(0, turn));
        expect(lines((await readAll(fredCsv, text, { asOf })).statements).sort()).toEqual(expected.sort());
      }),
    );
  });

  test('is one whole vintage, also where it states nothing', async () => {
    const told = await readAll(fredCsv, file('DATE,A,b', '2014-01-01,1,'), { asOf });
    expect(told.coverage).toEqual([
      { seriesId: 'A', coveredTo: asOf, whole: true },
      { seriesId: 'B', coveredTo: asOf, whole: true },
    ]);
  });
});

describe('a file of whole vintages', () => {
  test.each([
    [
      'a cell that is no number',
      ['DATE,GDP', '2014-01-01,1', '2014-02-01,"1,234"'],
      ', row 3, column "GDP": "1,234": neither a decimal number nor . or #N/A or NA',
    ],
    ['a date that is none', ['DATE,GDP', '2014-02-30,1'], ', row 2: "2014-02-30": not a date: YYYY-MM-DD'],
    [
      'a date twice',
      ['DATE,GDP', '2014-01-01,1', '2014-02-01,1', '2014-01-01,1'],
      ', row 4: "2014-01-01": row 2 already has this date',
    ],
    [
      'a column twice',
      ['DATE,GDP,gdp', '2014-01-01,1,1'],
      ', column "gdp": column GDP already has GDP as of 2015-01-30',
    ],
    [
      'a column that cannot be a series',
      ['DATE,GDP,', '2014-01-01,1,1'],
      ', row 1, column "": not a series id',
    ],
    ['dates alone', ['DATE', '2014-01-01'], ', row 1: the file has dates and no series'],
    [
      'a row cut short',
      ['DATE,A,B', '2014-01-01,1'],
      ', row 2: 2 cells, but the header has 3; is the file truncated?',
    ],
    ['no rows', ['DATE,GDP'], ': the file has a header and no rows'],
  ])('is refused with %s', async (_, rows, message) => {
    expect(await refusalOf(fredCsv, file(...rows), { asOf })).toBe(`Problem: GDP.csv${message}`);
  });
});
