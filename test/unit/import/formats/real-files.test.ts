import { testData } from '../../../support/repository.ts';
import { recognitionSuite } from '../../../support/suites/recognition.ts';

recognitionSuite(testData, { series: ['GDP-series.json'] });
