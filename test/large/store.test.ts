import { largeData } from '../support/repository.ts';
import { realCurvesSuite } from '../support/suites/real-curves.ts';

realCurvesSuite(largeData);
