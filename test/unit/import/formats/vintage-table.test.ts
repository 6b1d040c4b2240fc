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
    ['states numbers as published', ['1.50', '-2', '3e2'], '1=1.50 2=-2 3=300'],
    [
      'states a withdrawal for ., #N/A and NA, in any row',
      ['.', '1', '#N/A', '2', 'NA'],
      '1=gone 2=1 3=gone 4=2 5=gone',
    ],
    [
      'states a withdrawal for an empty cell between its first and its last number',
      ['1', '', ' ', '2'],
      '1=1 2=gone 3=gone 4=2',
    ],
    [
      'states nothing for an empty cell before its first or after its last number',
      ['', '1', '2', ''],
      '2=1 3=2',
    ],
    [
      'states nothing for an empty cell between a withdrawal and the first number',
      ['.', '', '1', '', '.'],
      '1=gone 3=1 5=gone',
    ],
    ['states nothing for empty cells only', ['', '', ''], ''],
  ])('%s', async (_, cells, records) => {
    expect(await values(...cells)).toBe(records);
  });

  test('treats empty cells by date, in any order of rows', async () => {
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

  test('is covered as a whole vintage even if it states nothing', async () => {
    const records = await readAll(fredCsv, file('DATE,A,b', '2014-01-01,1,'), { asOf });
    expect(records.coverage).toEqual([
      { seriesId: 'A', coveredTo: asOf, whole: true },
      { seriesId: 'B', coveredTo: asOf, whole: true },
    ]);
  });
});

describe('a file of whole vintages', () => {
  test.each([
    [
      'a cell that is not a number',
      ['DATE,GDP', '2014-01-01,1', '2014-02-01,"1,234"'],
      ', row 3, column "GDP": "1,234": neither a decimal number nor . or #N/A or NA',
    ],
    ['an invalid date', ['DATE,GDP', '2014-02-30,1'], ', row 2: "2014-02-30": not a date: YYYY-MM-DD'],
    [
      'a repeated date',
      ['DATE,GDP', '2014-01-01,1', '2014-02-01,1', '2014-01-01,1'],
      ', row 4: "2014-01-01": row 2 already has this date',
    ],
    [
      'a repeated column',
      ['DATE,GDP,gdp', '2014-01-01,1,1'],
      ', column "gdp": column GDP already has GDP as of 2015-01-30',
    ],
    [
      'a column name that is not a series id',
      ['DATE,GDP,', '2014-01-01,1,1'],
      ', row 2: "1": the header has no name for this column',
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
