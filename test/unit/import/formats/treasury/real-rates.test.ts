import { testData } from '../../../../support/repository.ts';
import { treasurySuite } from '../../../../support/suites/treasury.ts';

treasurySuite(testData, {
  moreThan: { 'par-csv': 600, 'par-xml': 250, 'h15-dfii': 200, 'tips-csv': 1900 },
  xml: 254,
  real: 1754,
});
