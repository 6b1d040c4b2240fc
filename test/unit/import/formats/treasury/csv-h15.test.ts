import { describe, expect, it } from 'vitest';
import { h15Csv } from '../../../../../src/import/formats/treasury.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { pointsIn, readAll, tempFile } from '../../../../support/temp-files.ts';

const read = (text: string) => tempFile('DGS.csv', text).then((file) => pointsIn(h15Csv, file));

describe('the curves of the H.15 release', () => {
  it('are read from one series or several, without a rate for `.` and empty cells', async () => {
    expect(await read('DATE,DFII10\n2003-01-02,2.43\n2003-01-20,.\n')).toEqual(['2003-01-02 TIPS 10Y 2.43']);
    expect(await read('observation_date,DGS1MO,DGS10,DFII5\r\n2024-12-31,4.40,4.58,\r\n')).toEqual([
      '2024-12-31 PAR 1M 4.40',
      '2024-12-31 PAR 10Y 4.58',
    ]);
  });

  it('name their source on every point', async () => {
    const batches = await readAll(h15Csv, await tempFile('a.csv', 'DATE,DGS2\n2024-01-02,4.33\n'));
    const point = { curveType: 'PAR', tradeDate: '2024-01-02', maturity: '2Y', rate: '4.33' };
    expect(batches).toEqual([{ points: [{ ...point, source: 'Federal Reserve H.15' }] }]);
  });

  it.each([
    [
      'a maturity that the curve does not have',
      'DATE,DFII3\n',
      'row 1, column "DFII3": not a maturity that asof knows',
    ],
    ['a maturity that no curve has', 'DATE,DGS4\n', 'row 1, column "DGS4": not a maturity that asof knows'],
    [
      'the long-term average',
      'DATE,DGS10,DLTIIT\n',
      'row 1, column "DLTIIT": not a maturity that asof knows',
    ],
    [
      'a date in another form',
      'DATE,DGS1\n2/30/2024,1\n',
      'row 2, column "DATE": "2024-02-30": not a date of the form YYYY-MM-DD',
    ],
    [
      'N/A',
      'DATE,DGS1\n2024-01-02,N/A\n',
      'row 2, column "DGS1": "N/A": not a rate; a cell without one is empty or "."',
    ],
    ['a row cut short', 'DATE,DGS1\n2024-01-02\n', 'row 2: 1 cell, but the header has 2'],
    ['no rows', 'DATE,DGS1\n', 'the file has no row of rates'],
  ])('refuse %s', async (_, text, detail) => {
    await expect(read(text)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(detail),
    });
  });

  it.each([
    ['DATE,DFII10\n', true],
    ['observation_date,DGS10,DGS3MO\n', true],
    ['DATE,DGS10,GDP\n', false],
    ['observation_date,GDP\n', false],
    ['observation_date,DGS10_20240102\n', false],
    ['DATE\n', false],
  ])('are recognised by their columns: %j %s', (head, expected) => {
    expect(h15Csv.recognise(textHead(head, 'a.csv'))).toBe(expected);
  });
});
