import { describe, expect, test } from 'vitest';
import { fredSeries } from '../../../../../src/import/formats/fred/api.ts';
import { testData } from '../../../../support/repository.ts';
import { readAll, realFile, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const file = (...seriess: object[]) => sourceFile('series.json', JSON.stringify({ seriess }));

describe('a FRED description of series', () => {
  test('gives id, title, units, frequency and the short seasonal adjustment', async () => {
    const entry = {
      id: 'ICSA',
      title: 'Initial Claims',
      units: 'Number',
      frequency: 'Weekly, Ending Saturday',
      frequency_short: 'W',
      seasonal_adjustment: 'Seasonally Adjusted',
      seasonal_adjustment_short: 'SA',
    };
    const { seasonal_adjustment_short: _, ...long } = { ...entry, id: 'ICSB' };
    const known = { title: 'Initial Claims', units: 'Number', frequency: 'W', source: 'FRED' };
    expect((await readAll(fredSeries, file(entry, long))).metadata).toEqual([
      { seriesId: 'ICSA', ...known, seasonalAdjustment: 'SA' },
      { seriesId: 'ICSB', ...known, seasonalAdjustment: 'Seasonally Adjusted' },
    ]);
  });

  test.each(['5Y', 'NA', ''])('leaves out a frequency without a code: %j', async (code) => {
    const records = await readAll(fredSeries, file({ id: 'X', frequency_short: code }));
    expect(records.metadata).toEqual([{ seriesId: 'X', source: 'FRED' }]);
  });

  test('takes the latest of several real-time periods, in any order', async () => {
    const records = await readAll(
      fredSeries,
      file(
        { id: 'GDP', title: 'new', realtime_end: '9999-12-31' },
        { id: 'GDP', title: 'old', realtime_end: '1999-12-31' },
      ),
    );
    expect(records.metadata.map(({ title }) => title)).toEqual(['new']);
  });

  test('is refused without an id', async () => {
    expect(await refusalOf(fredSeries, file({ id: 'GDP' }, { title: 'x' }))).toBe(
      'Problem: series.json, row 2, column "id": "": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    );
  });
});

describe('the real description', () => {
  test('of GDP', async () => {
    expect(
      (await readAll(fredSeries, realFile(testData, 'macro/fred-api/GDP-series.json'))).metadata,
    ).toEqual([
      {
        seriesId: 'GDP',
        title: 'Gross Domestic Product',
        units: 'Billions of Dollars',
        frequency: 'Q',
        seasonalAdjustment: 'SAAR',
        source: 'FRED',
      },
    ]);
  });
});
