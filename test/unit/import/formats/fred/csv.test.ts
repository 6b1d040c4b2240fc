import { describe, expect, test } from 'vitest';
import { fredCsv } from '../../../../../src/import/formats/fred/csv.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const file = (...rows: string[]) => sourceFile('GDP.csv', `${rows.join('\n')}\n`);
const asOf = '2015-01-30';

describe('a plain FRED download', () => {
  test('states its figures on --as-of, and implies nothing', async () => {
    const told = await readAll(fredCsv, file('observation_date,GDP,unrate', '2014-10-01,17710.7,5.7'), {
      asOf,
    });
    expect(lines(told.statements)).toEqual([
      'GDP,2014-10-01,2015-01-30,17710.7',
      'UNRATE,2014-10-01,2015-01-30,5.7',
    ]);
    expect(told.implied).toEqual([]);
  });

  test('is refused without --as-of, as it does not say when it was known', async () => {
    expect(await refusalOf(fredCsv, file('DATE,GDP', '2014-10-01,17710.7'))).toBe(
      'Problem: GDP.csv: the file does not state when its figures were known; pass --as-of',
    );
  });

  test('whose one column is VALUE is of the series that --series says', async () => {
    const old = file('DATE,VALUE', '2014-10-01,17710.7');
    expect(lines((await readAll(fredCsv, old, { asOf, series: 'gdp' })).statements)).toEqual([
      'GDP,2014-10-01,2015-01-30,17710.7',
    ]);
    expect(await refusalOf(fredCsv, old, { asOf })).toBe(
      'Problem: GDP.csv, row 1, column "VALUE": the file does not name its series; pass --series ID',
    );
  });

  test('is refused with a rate of the treasury curve among its series', async () => {
    expect(await refusalOf(fredCsv, file('DATE,GDP,DGS10', '2014-10-01,1,2'), { asOf })).toBe(
      'Problem: GDP.csv, row 1, column "DGS10": a treasury rate among other series; import the rates from a file of their own',
    );
  });
});
