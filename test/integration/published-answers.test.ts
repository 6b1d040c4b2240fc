import { testData } from '../support/repository.ts';
import { publishedAnswersSuite } from '../support/suites/published-answers.ts';

publishedAnswersSuite(testData, ['ROUTPUT']);
