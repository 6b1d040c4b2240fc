import {
  insiderClusterExplanations,
  insiderClusterSignals,
  insiderClusters,
} from '../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../src/operations/insiders/filings.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { spread } from '../../src/operations/rates/yields.ts';
import { ownerColumns, submissionColumns, table, tradeColumns } from './sec-tables.ts';

/** A request, and the number of rows of its answer. */
export type Answered = readonly [operation: Operation, given: ParamTexts, rows: number];

/** A request that is refused: the kind of problem, and the wrong parameter. */
export type Refused = readonly [operation: Operation, given: ParamTexts, kind: string, field?: string];

/** Filings of three insiders who bought within days of each other, one of them known a week later, and of a sale. */
export const filings: Readonly<Record<string, string>> = {
  'set/SUBMISSION.tsv': table(
    submissionColumns,
    '0000000007-26-000001|02-JAN-2026|01-JAN-2026|||4|7|Seven & Söhne|SVN, SVN.A',
    '0000000007-26-000002|12-JAN-2026|02-JAN-2026|||4|7|Seven & Söhne|SVN',
    '0000000007-26-000003|05-JAN-2026|02-JAN-2026|||4|7|Seven & Söhne|',
    '0000000008-25-000001|01-DEC-2025|28-NOV-2025|01-NOV-2025||4/A|8|Eight|AIT',
  ),
  'set/REPORTINGOWNER.tsv': table(
    ownerColumns,
    '0000000007-26-000001|71|Ärmel Anna|Director,Officer|CEO',
    '0000000007-26-000001|79|Fund LP|TenPercentOwner|',
    '0000000007-26-000002|72|Berg Bo|Officer|CFO',
    '0000000007-26-000003|73|Carl Cy|Director|',
    '0000000008-25-000001|81|Dunn Di|Director|',
  ),
  'set/NONDERIV_TRANS.tsv': table(
    tradeColumns,
    '0000000007-26-000001|1|Common|01-JAN-2026|P|10.0|1.50|A|10|D',
    '0000000007-26-000001|2|Common|02-JAN-2026|P|1|1.25|A|11|D',
    '0000000007-26-000002|3|Common|02-JAN-2026|P|5||A||I',
    '0000000007-26-000003|4|Common|02-JAN-2026|P|7|2|A|7|D',
    '0000000008-25-000001|5|Common|28-NOV-2025|S|3|9.99|D|1|D',
  ),
};

/** Parameters as a URL has them. */
const of = (query: string): ParamTexts => [...new URLSearchParams(query)];

const rows: readonly (readonly [operation: Operation, query: string, rows: number])[] = [
  [spread, '', 3],
  [spread, 'long=2Y&short=1M&limit=2', 2],
  [spread, 'curve_type=TIPS&short=5Y', 1],
  [spread, 'from=2026-01-14&to=2026-01-15', 1],
  [insiderFilings, '', 4],
  [insiderFilings, 'days=3', 0],
  [insiderFilings, 'days=4', 1],
  [insiderFilings, 'from=2025-01-01', 5],
  [insiderFilings, 'to=2026-01-02', 3],
  [insiderFilings, 'days=3&to=2026-01-02', 2],
  [insiderFilings, 'ticker=svn.a&from=2025-01-01', 2],
  [insiderFilings, 'owner_name=fund&days=365', 2],
  [insiderFilings, 'owner_name=ÄRMEL&transaction_code=p', 2],
  [insiderFilings, 'transaction_code=S&days=60', 1],
  [insiderFilings, 'as_of=2026-01-05', 3],
  [insiderFilings, 'limit=1', 1],
  [insiderClusters, '', 1],
  [insiderClusters, 'as_of=2026-01-11', 0],
  [insiderClusters, 'as_of=2026-01-11&min_insiders=2', 1],
  [insiderClusters, 'days=1&ticker=SVN.A&min_insiders=2', 1],
  [insiderClusters, 'ticker=AIT&min_insiders=1', 0],
  [insiderClusters, 'from=2026-01-02&to=2026-01-02&limit=1', 1],
  [insiderClusters, 'from=2026-01-03', 0],
  [insiderClusterExplanations, '', 4],
  [insiderClusterExplanations, 'as_of=2026-01-11', 0],
  [insiderClusterExplanations, 'as_of=2026-01-11&min_insiders=2', 3],
  [insiderClusterExplanations, 'days=1&ticker=SVN.A&min_insiders=2', 4],
  [insiderClusterExplanations, 'from=2026-01-02&to=2026-01-02&limit=1', 4],
  [insiderClusterExplanations, 'from=2026-01-03', 0],
  [insiderClusters, 'transaction_code=S&min_insiders=1', 1],
  [insiderClusters, 'transaction_code=s&min_insiders=1&as_of=2025-11-30', 0],
  [insiderClusters, 'transaction_code=G&min_insiders=1', 0],
  [insiderClusters, 'min_value=30', 1],
  [insiderClusters, 'min_value=31', 0],
  [insiderClusterExplanations, 'transaction_code=S&min_insiders=1', 1],
  [insiderClusterExplanations, 'min_value=31', 0],
  [insiderClusterSignals, '', 1],
  [insiderClusterSignals, 'as_of=2026-01-11', 0],
  [insiderClusterSignals, 'as_of=2026-01-11&min_insiders=2', 1],
  [insiderClusterSignals, 'days=1&ticker=SVN.A&min_insiders=2', 1],
  [insiderClusterSignals, 'from=2026-01-12&to=2026-01-12&limit=1', 1],
  [insiderClusterSignals, 'from=2026-01-13', 0],
  [insiderClusterSignals, 'transaction_code=S&min_insiders=1', 1],
  [insiderClusterSignals, 'min_value=31', 0],
];

/** Requests about spreads and insiders. */
export const answered = rows.map(([operation, query, count]): Answered => [operation, of(query), count]);

const faults: readonly (readonly [operation: Operation, query: string, field: string])[] = [
  [spread, 'curve_type=TIPS', 'short'],
  [spread, 'curve_type=TIPS&long=1Y', 'long'],
  [spread, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderFilings, 'from=2020-02-02&days=3', 'days'],
  [insiderFilings, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderFilings, 'days=366', 'days'],
  [insiderFilings, 'as_of=2026-01-17', 'as_of'],
  [insiderClusters, 'min_insiders=0', 'min_insiders'],
  [insiderClusters, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderClusterExplanations, 'days=0', 'days'],
  [insiderClusterExplanations, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderClusters, 'transaction_code=Q', 'transaction_code'],
  [insiderClusters, 'min_value=0', 'min_value'],
  [insiderClusterSignals, 'min_value=1.5', 'min_value'],
  [insiderClusterSignals, 'from=2020-02-02&to=2020-02-01', 'from'],
];

/** The same with parameters that contradict each other. */
export const refused = faults.map(
  ([operation, query, field]): Refused => [operation, of(query), 'validation-error', field],
);

/** Listings that the tests read to the end, page by page. */
export const listings: readonly (readonly [operation: Operation, given: ParamTexts])[] = [
  [spread, []],
  [insiderFilings, of('from=2025-01-01')],
  [insiderFilings, of('as_of=2026-01-05&days=365')],
  [insiderClusters, of('min_insiders=1')],
  [insiderClusterExplanations, of('min_insiders=1')],
  [insiderClusterSignals, of('min_insiders=1')],
];
