import { largeData } from '../support/repository.ts';
import { publishedAnswersSuite } from '../support/suites/published-answers.ts';

publishedAnswersSuite(largeData, ['ROUTPUT', 'CPI', 'EMPLOY']);
