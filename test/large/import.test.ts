import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../src/import/files/walk.ts';
import { fredSeries } from '../../src/import/formats/fred/api.ts';
import { largeData } from '../support/repository.ts';
import { readAll, realFile } from '../support/source-file.ts';
import { sampleSourcesSuite } from '../support/suites/sample-sources.ts';
import { insiderDataSetsSuite, ownershipDocumentsSuite } from '../support/suites/sec-files.ts';
import {
  panelsSuite,
  publishedAnswersSuite,
  realCurvesSuite,
  recognitionSuite,
  treasurySuite,
} from '../support/suites/series-files.ts';

recognitionSuite(largeData);
treasurySuite(largeData, { 'par-csv': 3000, 'par-xml': 2700, 'h15-dfii': 3000, 'tips-csv': 20_000 });
panelsSuite(largeData, {
  fredMd: [
    ['2015-01.csv', 'RPI', '2014-11-01', '2015-01-31', '13695.4'],
    ['2015-07.csv', 'INDPRO', '2015-05-01', '2015-07-31', '106.8636'],
    ['2020-04.csv', 'RPI', '2020-03-01', '2020-04-30', '16919.28'],
    ['2020-05.csv', 'RPI', '2020-03-01', '2020-05-31', '16929.33'],
    ['2024-03.csv', 'CMRMTSPLX', '2024-01-01', '2024-03-31', '1502408'],
  ],
  fredQd: 248,
});
ownershipDocumentsSuite(largeData, { documents: 308, trades: 2198, checkboxes: 50, dated: 9 });
insiderDataSetsSuite(largeData, { filings: 36_075, trades: 19_003 });
realCurvesSuite(largeData);
publishedAnswersSuite(largeData, ['ROUTPUT', 'CPI', 'EMPLOY']);
sampleSourcesSuite(largeData, { whole: true });

describe('a real catalogue of FRED', () => {
  it.each([
    ['category_series', 47],
    ['tag_series', 18],
  ])('(%s) describes %i series', async (name, count) => {
    const records = await readAll(fredSeries, realFile(largeData, `macro/fred-api/catalogue-${name}.json`));
    expect(records.metadata).toHaveLength(count);
  });
});

describe('the real archive of FRED-MD', () => {
  it('has nine members, the first with the content that unzip gives', async () => {
    // Sums of `unzip -p fred-md-vintages.zip 2015-01.csv | sha256sum`, names of `unzip -l`.
    const members = await sourceFiles([join(largeData, 'macro/fred-md')]);
    expect(members.map(({ name }) => name.slice(0, 7))).toEqual([
      ...['2015-01', '2015-07', '2016-06', '2019-12', '2020-03', '2020-04', '2020-05', '2020-06', '2024-03'],
    ]);
    expect(await members[0]?.sha256()).toBe(
      '1f35155b5bb4633be05ff3ec71ee9a6408fbf0e7c1f8b75974c4a1f32902b03c',
    );
  });
});
