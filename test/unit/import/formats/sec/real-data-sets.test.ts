import { testData } from '../../../../support/repository.ts';
import { insiderDataSetsSuite } from '../../../../support/suites/insider-data-sets.ts';

insiderDataSetsSuite(testData, { filings: 16, trades: 7 });
