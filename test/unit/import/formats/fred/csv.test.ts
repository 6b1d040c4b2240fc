import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../../src/import/formats/recognise.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const fredCsv = formatOfKind('fred-csv');

const file = (...rows: string[]) => sourceFile('GDP.csv', `${rows.join('\n')}\n`);
const asOf = '2015-01-30';

describe('a FRED download', () => {
  test('states its figures on the day of --as-of, and implies nothing', async () => {
    const records = await readAll(fredCsv, file('observation_date,GDP,unrate', '2014-10-01,17710.7,5.7'), {
      asOf,
    });
    expect(lines(records.statements)).toEqual([
      'GDP,2014-10-01,2015-01-30,17710.7',
      'UNRATE,2014-10-01,2015-01-30,5.7',
    ]);
    expect(records.implied).toEqual([]);
  });

  test('is refused without --as-of, because it does not state its vintage date', async () => {
    expect(await refusalOf(fredCsv, file('DATE,GDP', '2014-10-01,17710.7'))).toBe(
      'Problem: GDP.csv: the file does not state when its figures were known; pass --as-of',
    );
  });

  test('with the only column VALUE is of the series of --series', async () => {
    const old = file('DATE,VALUE', '2014-10-01,17710.7');
    expect(lines((await readAll(fredCsv, old, { asOf, series: 'gdp' })).statements)).toEqual([
      'GDP,2014-10-01,2015-01-30,17710.7',
    ]);
    expect(await refusalOf(fredCsv, old, { asOf })).toBe(
      'Problem: GDP.csv, row 1, column "VALUE": the file does not name its series; pass --series ID',
    );
  });

  test('has a treasury rate among its series, which the import puts into the curves', async () => {
    const records = await readAll(fredCsv, file('DATE,GDP,DGS10', '2014-10-01,17710.7,2.42'), { asOf });
    expect(lines(records.statements)).toEqual([
      'GDP,2014-10-01,2015-01-30,17710.7',
      'DGS10,2014-10-01,2015-01-30,2.42',
    ]);
  });
});
