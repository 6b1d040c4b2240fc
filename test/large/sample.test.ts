import { largeData } from '../support/repository.ts';
import { sampleSourcesSuite } from '../support/suites/sample-sources.ts';

sampleSourcesSuite(largeData, { whole: true });
