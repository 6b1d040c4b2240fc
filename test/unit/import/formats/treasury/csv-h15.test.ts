import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../../../../src/import/files/walk.ts';
import type { ImportFormat } from '../../../../../src/import/formats/format.ts';
import { h15Csv, treasuryRealCsv } from '../../../../../src/import/formats/treasury/csv.ts';
import { onlyFile, pointsIn, readAll, tempFile } from '../../../../support/temp-files.ts';

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
      'DATE,DGS1\n1/2/2024,1\n',
      'row 2, column "DATE": "1/2/2024": not a date of the form YYYY-MM-DD',
    ],
    [
      'N/A',
      'DATE,DGS1\n2024-01-02,N/A\n',
      'row 2, column "DGS1": "N/A": not a rate; a cell without one is empty or "."',
    ],
    ['a row cut short', 'DATE,DGS1\n2024-01-02\n', 'row 2: 1 cells, but the header has 2'],
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
    expect(h15Csv.recognise(head, 'a.csv')).toBe(expected);
  });
});

const data = '../shared/data/treasury';
describe.skipIf(!existsSync(data))('the real files (skipped without ../shared)', () => {
  const rates = async (format: ImportFormat, path: string) => {
    const found = new Map<string, string>();
    for (const file of await sourceFiles([path])) {
      for (const point of await pointsIn(format, file)) {
        const [day = '', , maturity = '', rate = ''] = point.split(' ');
        found.set(`${day} ${maturity}`, rate);
      }
    }
    return found;
  };
  const isWrongBlock = (key: string) => /^2004-.* 20Y$|^2010-.* 30Y$/.test(key);

  it.each([5, 7, 10, 20, 30])('DFII%d gives as many points as it has rates', async (years) => {
    const path = `${data}/h15-dfii/DFII${years}.csv`;
    const count = readFileSync(path, 'utf8').match(/^\d{4}-\d\d-\d\d,-?\d/gm)?.length ?? 0;
    expect(count).toBeGreaterThan(3000);
    expect(await pointsIn(h15Csv, await onlyFile(path))).toHaveLength(count);
  });

  it('agree with the curve from the other hand on every day, its two wrong blocks apart', async () => {
    const clean = await rates(h15Csv, `${data}/h15-dfii`);
    const other = await rates(treasuryRealCsv, `${data}/tips-csv`);
    const lastDay = '2022-07-22';
    const keys = [...new Set([...clean.keys(), ...other.keys()])].filter(
      (key) => key.slice(0, 10) <= lastDay,
    );
    const differing = keys.filter((key) => Number(clean.get(key)) !== Number(other.get(key)));
    expect(keys.filter((key) => !isWrongBlock(key)).length).toBe(21_967);
    expect(differing.filter((key) => !isWrongBlock(key))).toEqual([]);
    // In both blocks the right rates stand in their right order, but from the first day of the year.
    for (const block of [/^2004-.* 20Y$/, /^2010-.* 30Y$/]) {
      const inOrder = (from: Map<string, string>) =>
        [...from.keys()]
          .filter((key) => block.test(key))
          .sort()
          .map((key) => Number(from.get(key)));
      expect(inOrder(other)).toEqual(inOrder(clean));
      expect(differing.filter((key) => block.test(key)).length).toBeGreaterThan(200);
    }
  });
});
