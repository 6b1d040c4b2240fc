// Every suite of the contract of stores, for the engines that run it after their own mocks.
import '../import/calendars.test.ts';
import '../import/in-parts.test.ts';
import '../maintenance/aliases.test.ts';
import '../maintenance/check.test.ts';
import '../maintenance/copy.test.ts';
import '../maintenance/merge.test.ts';
import '../maintenance/series.test.ts';
import '../maintenance/undo.test.ts';
import './access-contract.test.ts';
import './contract.test.ts';
import './curves.test.ts';
import './filings.test.ts';
import './observations.test.ts';
