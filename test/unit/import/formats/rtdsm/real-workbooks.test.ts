import { testData } from '../../../../support/repository.ts';
import { realTimeDataSetSuite } from '../../../../support/suites/real-time-data-set.ts';

realTimeDataSetSuite(testData, [['ROUTPUT', 'ROUTPUTQvQd.xlsx', 'Q', 234]]);
