import { testData } from '../../../support/repository.ts';
import { insiderDataSetsSuite, ownershipDocumentsSuite } from '../../../support/suites/sec-files.ts';
import { panelsSuite, recognitionSuite, treasurySuite } from '../../../support/suites/series-files.ts';

recognitionSuite(testData);
treasurySuite(testData, { 'par-csv': 600, 'par-xml': 250, 'h15-dfii': 200, 'tips-csv': 1900 });
panelsSuite(testData, {
  fredMd: [
    ['2015-01.csv', 'RPI', '2014-11-01', '2015-01-31', '13695.4'],
    ['2020-04.csv', 'RPI', '2020-03-01', '2020-04-30', '16919.28'],
  ],
  fredQd: 11,
});
ownershipDocumentsSuite(testData, { documents: 28, trades: 71, checkboxes: 10, dated: 6 });
insiderDataSetsSuite(testData, { filings: 16, trades: 7 });
