import { testData } from '../../../../support/repository.ts';
import { panelsSuite } from '../../../../support/suites/panels.ts';

panelsSuite(testData, {
  fredMd: [
    ['2015-01.csv', 'RPI', '2014-11-01', '2015-01-31', '13695.4'],
    ['2020-04.csv', 'RPI', '2020-03-01', '2020-04-30', '16919.28'],
    ['2020-05.csv', 'RPI', '2020-03-01', '2020-05-31', '16929.33'],
  ],
  fredQd: 11,
});
