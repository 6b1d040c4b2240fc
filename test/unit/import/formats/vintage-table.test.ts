import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../support/source-file.ts';

const fredCsv = formatOfKind('fred-csv');

const asOf = '2015-01-30';
const file = (...rows: string[]) => sourceFile('GDP.csv', `${rows.join('\n')}\n`);
const values = async (...cells: string[]) => {
  const rows = cells.map((cell, index) => `2014-0${index + 1}-01,${cell}`);
  const { statements } = await readAll(fredCsv, file('DATE,GDP', ...rows), { asOf });
  return statements.map(({ date, value }) => `${date.slice(6, 7)}=${value ?? 'none'}`).join(' ');
};

describe('a column of a whole vintage', () => {
  test.each([
    ['states numbers as published', ['1.50', '-2', '3e2'], '1=1.50 2=-2 3=300'],
    [
      'says for ., #N/A and NA that there is no figure, in any row',
      ['.', '1', '#N/A', '2', 'NA'],
      '1=none 2=1 3=none 4=2 5=none',
    ],
    [
      'says for a blank cell that there is no figure, in any row',
      ['', '1', '', ' ', '2', ''],
      '1=none 2=1 3=none 4=none 5=2 6=none',
    ],
    ['of blank cells only is a vintage without figures', ['', '', ''], '1=none 2=none 3=none'],
  ])('%s', async (_, cells, records) => {
    expect(await values(...cells)).toBe(records);
  });

  test('states every cell of a file of one series, in any order of rows', async () => {
    const column = fc.array(fc.constantFrom('', '.', '7'), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(column, fc.nat(8), async (cells, turn) => {
        const expected = cells.map(
          (cell, index) => `GDP,2014-01-0${index + 1},${asOf},${cell === '7' ? '7' : ''}`,
        );
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
      ', row 3, column "GDP": "1,234": neither a decimal number nor . or #N/A or NA or blank',
    ],
    ['an invalid date', ['DATE,GDP', '2014-02-30,1'], ', row 2: "2014-02-30": there is no such date'],
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
      'two columns of one name',
      ['DATE,GDP,GDP', '2014-01-01,1,1'],
      ', column "GDP": two columns have this name',
    ],
    [
      'a text of another form for a date',
      ['DATE,GDP', '2014-01-01,1', 'soon,1'],
      ', row 3: "soon": not a date: use YYYY-MM-DD',
    ],
    [
      'a column that cannot be a series',
      ['DATE,Ä€', '2014-01-01,1'],
      ', row 1, column "Ä€": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    ],
    [
      'lines that end with CR alone',
      ['DATE,GDP\r2014-01-01,1\r2014-04-01,2', ''],
      ', row 1, column "GDP\\r2014-01-01": the lines of the file end with CR alone',
    ],
    [
      'a column without a name',
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

  test.each([
    ['24,777.038', '24777.038'],
    ['1,234,567', '1234567'],
    ['(5)', '-5'],
    ['5%', '5'],
    ['$ 1.50', '1.50'],
    ['.5', '0.5'],
    ['-.5', '-0.5'],
    ['+5', '5'],
  ])('is refused with %j for a number, and told to write %s', async (text, number) => {
    const reading = readAll(fredCsv, file('DATE,GDP', `2014-01-01,"${text}"`), { asOf });
    await expect(reading).rejects.toMatchObject({
      hints: [`write ${number}: a number has digits, a decimal point and a minus sign`],
    });
  });

  test.each(['1,23', 'n.a.', '5 to 6', '1e', '-'])(
    'is refused with %j for a number, without a guess',
    async (text) => {
      const reading = readAll(fredCsv, file('DATE,GDP', `2014-01-01,"${text}"`), { asOf });
      await expect(reading).rejects.toMatchObject({ kind: 'bad-input', hints: [] });
    },
  );
});
