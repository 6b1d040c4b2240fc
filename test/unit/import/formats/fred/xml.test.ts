import { describe, expect, test } from 'vitest';
import { fredApi, fredSeries } from '../../../../../src/import/formats/fred/api.ts';
import { recognise } from '../../../../../src/import/formats/recognise.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

/** An answer of FRED in XML, with the attributes that its documentation shows. */
const answer = (attributes: string, ...observations: readonly string[]) =>
  sourceFile(
    'GNPCA.xml',
    `<?xml version="1.0" encoding="utf-8" ?>\n<observations realtime_start="1992-01-29" realtime_end="9999-12-31" observation_start="1776-07-04" observation_end="9999-12-31" units="lin" ${attributes} file_type="xml" order_by="observation_date" sort_order="asc" offset="0" limit="100000">\n${observations.map((one) => `  <observation ${one}/>`).join('\n')}\n</observations>\n`,
  );

describe('an answer of FRED in XML', () => {
  test('with real-time periods is read as the JSON is', async () => {
    const file = answer(
      'output_type="1" count="2"',
      'realtime_start="1992-01-29" realtime_end="1996-01-18" date="1929-01-01" value="821.8"',
      'realtime_start="1996-01-19" realtime_end="9999-12-31" date="1929-01-01" value="."',
    );
    expect((await recognise(file)).kind).toBe('fred-api');
    expect(lines((await readAll(fredApi, file, { series: 'GNPCA' })).statements)).toEqual([
      'GNPCA,1929-01-01,1992-01-29,821.8',
      'GNPCA,1929-01-01,1996-01-19,',
    ]);
    expect(await refusalOf(fredApi, file)).toContain('pass --series ID');
  });

  test('by vintage date (output type 2) has whole vintages, in which a missing figure is none', async () => {
    const file = answer(
      'output_type="2" count="2"',
      'date="1929-01-01" GNPCA_19920129="821.8"',
      'date="1930-01-01" GNPCA_19920129="748.9" GNPCA_19960119="725.6"',
    );
    expect((await recognise(file)).kind).toBe('fred-api');
    const { statements, coverage } = await readAll(fredApi, file);
    expect(lines(statements)).toEqual([
      'GNPCA,1929-01-01,1992-01-29,821.8',
      'GNPCA,1930-01-01,1992-01-29,748.9',
      'GNPCA,1929-01-01,1996-01-19,',
      'GNPCA,1930-01-01,1996-01-19,725.6',
    ]);
    expect(coverage.map(({ whole }) => whole)).toEqual([true, true]);
  });

  test('with new and revised figures only (output type 3) says nothing about the others', async () => {
    const file = answer(
      'output_type="3" count="2"',
      'date="1929-01-01" GNPCA_19920129="821.8"',
      'date="1930-01-01" GNPCA_19920129="748.9" GNPCA_19960119="."',
    );
    const { statements, coverage } = await readAll(fredApi, file);
    expect(lines(statements)).toEqual([
      'GNPCA,1929-01-01,1992-01-29,821.8',
      'GNPCA,1930-01-01,1992-01-29,748.9',
      'GNPCA,1930-01-01,1996-01-19,',
    ]);
    expect(coverage.map(({ coveredTo, whole }) => [coveredTo, whole])).toEqual([
      ['1992-01-29', undefined],
      ['1996-01-19', undefined],
    ]);
  });

  test.each([
    [
      'first releases (output type 4)',
      'output_type="4" count="1"',
      'date="1929-01-01" value="1"',
      'only output_type=1',
    ],
    [
      'fewer rows than it counts',
      'output_type="1" count="3"',
      'realtime_start="1992-01-29" realtime_end="9999-12-31" date="1929-01-01" value="1"',
      'the response has 1 of 3 observations',
    ],
    [
      'fewer figures than it counts',
      'output_type="2" count="3"',
      'date="1929-01-01" GNPCA_19920129="821.8"',
      'the response has 1 of 3 observations',
    ],
    [
      'a field that is no vintage',
      'output_type="2" count="1"',
      'date="1929-01-01" GNPCA="821.8"',
      'column "GNPCA": not a series and its vintage date',
    ],
    [
      'a text for a value',
      'output_type="3" count="1"',
      'date="1929-01-01" GNPCA_19920129="x"',
      'row 1, column "GNPCA_19920129": "x": neither a decimal number nor . (not available)',
    ],
    [
      'no count',
      'output_type="1"',
      'realtime_start="1992-01-29" realtime_end="9999-12-31" date="1929-01-01" value="1"',
      'column "count": this field is missing',
    ],
    ['no observations', 'output_type="1" count="0"', undefined, 'the response has no observations'],
  ])('is refused with %s', async (_, attributes, observation, reason) => {
    const file = answer(attributes, ...(observation === undefined ? [] : [observation]));
    expect(await refusalOf(fredApi, file, { series: 'GNPCA' })).toContain(reason);
  });

  test('of another series than --series names is refused', async () => {
    const file = answer('output_type="2" count="1"', 'date="1929-01-01" GNPCA_19920129="821.8"');
    expect(await refusalOf(fredApi, file, { series: 'GDP' })).toContain('the file names its series GNPCA');
  });

  test('describes series', async () => {
    const file = sourceFile(
      'GNPCA.xml',
      '<?xml version="1.0" encoding="utf-8" ?>\n<seriess realtime_start="2013-08-14" realtime_end="2013-08-14">\n  <series id="GNPCA" realtime_start="2013-08-14" realtime_end="2013-08-14" title="Real Gross National Product &amp; More" frequency="Annual" frequency_short="A" units="Billions of Chained 2009 Dollars" seasonal_adjustment="Not Seasonally Adjusted" seasonal_adjustment_short="NSA"/>\n</seriess>\n',
    );
    expect((await recognise(file)).kind).toBe('fred-series');
    expect((await readAll(fredSeries, file)).metadata).toEqual([
      {
        seriesId: 'GNPCA',
        title: 'Real Gross National Product & More',
        units: 'Billions of Chained 2009 Dollars',
        frequency: 'A',
        seasonalAdjustment: 'NSA',
        source: 'FRED',
      },
    ]);
  });
});
