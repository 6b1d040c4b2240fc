import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../../src/import/formats/recognise.ts';
import { readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const metadataCsv = formatOfKind('metadata-csv');

const file = (...rows: string[]) => sourceFile('series.csv', `${rows.join('\n')}\n`);
const header = 'series_id,title,units,frequency,seasonal_adjustment,source,covered_to';

describe('metadata in CSV', () => {
  test('states its cells, and nothing for empty ones', async () => {
    const records = await readAll(
      metadataCsv,
      file(header, 'gdp,"Gross Domestic Product, nominal",Bil. of $,q,SAAR,FRED,2024-12-19', 'X,,,,,,'),
    );
    expect(records.metadata).toEqual([
      {
        seriesId: 'GDP',
        title: 'Gross Domestic Product, nominal',
        units: 'Bil. of $',
        frequency: 'Q',
        seasonalAdjustment: 'SAAR',
        source: 'FRED',
        coveredTo: '2024-12-19',
      },
      { seriesId: 'X' },
    ]);
  });

  test('needs only the id column, and takes columns in any order', async () => {
    const records = await readAll(metadataCsv, file('title,series_id', 'Output,GDPC1'));
    expect(records.metadata).toEqual([{ seriesId: 'GDPC1', title: 'Output' }]);
  });

  test.each([
    [['A,,,X,,,'], 'row 2, column "frequency": "X": not a frequency: D, W, BW, M, Q, SA or A'],
    [['A,,,,,,2024-02-30'], 'row 2, column "covered_to": "2024-02-30": there is no such date'],
    [
      ['A$,,,,,,'],
      'row 2, column "series_id": "A$": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    ],
    [['A,,,,,,', 'a,,,,,,'], 'row 3, column "series_id": "A": row 2 already describes this series'],
  ])('is refused: %j', async (rows, message) => {
    expect(await refusalOf(metadataCsv, file(header, ...rows))).toBe(`Problem: series.csv, ${message}`);
  });
});
