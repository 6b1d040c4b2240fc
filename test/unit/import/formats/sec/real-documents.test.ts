import { testData } from '../../../../support/repository.ts';
import { ownershipDocumentsSuite } from '../../../../support/suites/ownership-documents.ts';

ownershipDocumentsSuite(testData, { documents: 28, trades: 71, checkboxes: 10, dated: 6 });
