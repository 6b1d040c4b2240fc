import { largeData } from '../support/repository.ts';
import { ecbVintagesSuite } from '../support/suites/ecb.ts';

ecbVintagesSuite(largeData, 95);
