import { calendar } from '../../src/operations/calendar/calendar.ts';
import { due } from '../../src/operations/calendar/due.ts';
import { nextRelease } from '../../src/operations/calendar/next.ts';
import {
  insiderClusterExplanations,
  insiderClusterSignals,
  insiderClusters,
} from '../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../src/operations/insiders/filings.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Param, ParamTexts } from '../../src/operations/param.ts';
import { ping } from '../../src/operations/ping.ts';
import { curve, spread, yields } from '../../src/operations/rates/yields.ts';
import { observations, revisions } from '../../src/operations/series/observations.ts';
import { seriesSearch, seriesShow } from '../../src/operations/series/series.ts';
import { vintages } from '../../src/operations/series/vintages.ts';
import { openWriter } from '../../src/store/open.ts';
import { operations } from './operations.ts';
import { facts, importFiles, newStorePath } from './scratch-store.ts';
import { ownerColumns, submissionColumns, table, tradeColumns } from './sec-documents.ts';
import { textsOf } from './service-double.ts';

/** The time of the contract tests. */
export const now = new Date('2026-01-15T12:00:00Z');

/** A series whose id has characters that a URL must escape. */
export const oddId = 'S&P 50%+(A)';

const months = Array.from({ length: 9 }, (_, i) => `2020-0${i + 1}-01`);

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

/** A new store in a folder, or at an address, of six series and two curves with a few days each, in two vintages; it follows PAYEMS. */
export async function contractStore(folder: string, path = newStorePath(folder)): Promise<string> {
  await importFiles(
    path,
    {
      'facts.csv': facts(
        ...months.flatMap((date, i) => [`GDP ${date} 2020-12-01 ${i}.10`, `GDP ${date} 2021-01-01 ${i}.5`]),
        'GDP 2020-10-01 2021-01-01 -7',
        ...['GDPC1', 'PAYEMS', 'UNRATE', 'A'].map((id) => `${id} 2020-01-01 2020-02-01 1`),
      ),
      'odd.csv': `series_id,date,as_of_date,value\n"${oddId}",2020-01-01,2020-02-01,0.000\n`,
      'metadata.csv':
        'series_id,title,units,frequency,seasonal_adjustment,source\n' +
        'GDP,Gross Domestic Product,Billions of Dollars,M,SAAR,BEA\n' +
        'GDPC1,"Real ""GDP"", chained — é",,M,,BEA\n',
      'par.csv':
        'DATE,DGS1MO,DGS2,DGS10\n2026-01-13,3.7,3.5,4.10\n2026-01-14,3.8,3.6,4.20\n2026-01-16,3.9,3.7,4.30\n',
      'real.csv': 'DATE,DFII5,DFII10\n2026-01-14,1.5,2.0\n',
      ...filings,
    },
    { latest: '2026-01-18' },
  );
  const writer = await openWriter(path);
  const since = '2026-01-14T12:00:00Z';
  await writer.follow({
    ...{ source: 'fred', name: 'PAYEMS', since, bookmark: '', upTo: undefined, lastRun: since, left: '' },
  });
  await writer.commit();
  return path;
}

/** A request, and the number of rows of its answer. */
type Answered = readonly [operation: Operation, given: ParamTexts, rows: number];

const answeredQueries: readonly (readonly [operation: Operation, query: string, rows: number])[] = [
  [ping, '', 1],
  // Six series, and the six that the curves answer.
  [seriesSearch, '', 12],
  [seriesSearch, 'q=gdp', 2],
  [seriesSearch, 'q=gdp&match=id', 2],
  [seriesSearch, 'q=domestic prod&match=title', 1],
  [seriesSearch, 'q=gdp&match=any', 2],
  [seriesSearch, 'q=product domestic&match=words', 1],
  [seriesSearch, `q=${encodeURIComponent('50%+(')}`, 1],
  [seriesSearch, `q=${encodeURIComponent('100% of A&B = C/D?#é')}`, 0],
  [seriesSearch, 'limit=4', 4],
  [seriesShow, 'id=GDP', 1],
  [seriesShow, `id=${encodeURIComponent(oddId)}`, 1],
  [observations, 'id=GDP', 10],
  [observations, `id=${encodeURIComponent(oddId)}`, 1],
  [observations, 'id=GDP&as_of=2020-12-31', 9],
  [observations, 'id=GDP&as_of=2020-11-30', 0],
  [observations, 'id=GDP&known_at=2020-12-02T00:00-05:00', 9],
  [observations, 'id=GDP&known_at=2020-12-01T23:59-05:00', 0],
  [observations, 'id=GDP&release=first', 1],
  [observations, 'id=GDP&from=2020-03-01&to=2020-04-30&as_of=2020-12-01', 2],
  [observations, 'id=GDP&limit=3', 3],
  [revisions, 'id=GDP&date=2020-03-01', 2],
  [revisions, 'id=GDP&from=2020-03-01&to=2020-03-01', 2],
  [revisions, 'id=GDP&limit=3', 5],
  [vintages, 'id=GDP&from=2020-12-02&to=2021-01-01', 1],
  [vintages, 'id=GDP&limit=1', 1],
  [calendar, '', 0],
  [calendar, 'from=2020-01-01', 4],
  [calendar, 'from=2020-01-01&to=2020-12-31&limit=1', 1],
  [calendar, 'series=GDP&from=2020-01-01', 3],
  [calendar, 'release=gross&from=2020-01-01&as_of=2020-12-31', 2],
  [due, '', 0],
  [due, 'every=true', 1],
  [nextRelease, 'id=GDP', 1],
  [nextRelease, `id=${encodeURIComponent(oddId)}`, 1],
  [nextRelease, 'id=GDP&as_of=2020-12-31', 1],
  [nextRelease, 'id=GDP&as_of=2020-11-30', 0],
  [curve, '', 3],
  [curve, 'date=2026-01-15', 0],
  [curve, 'curve_type=TIPS&date=2026-01-14', 2],
  [yields, '', 9],
  [yields, 'maturity=10Y', 3],
  [yields, 'curve_type=TIPS', 2],
  [yields, 'from=2026-01-14&to=2026-01-15', 3],
  [yields, 'limit=2', 2],
  [spread, '', 3],
  [spread, 'long=2Y&short=1M&limit=2', 2],
  [spread, 'curve_type=TIPS&short=5Y', 1],
  [spread, 'from=2026-01-14&to=2026-01-15', 1],
  [insiderFilings, '', 4],
  [insiderFilings, 'days=4', 1],
  [insiderFilings, 'days=3&to=2026-01-02', 2],
  [insiderFilings, 'ticker=svn.a&from=2025-01-01', 2],
  [insiderFilings, 'owner_name=fund&days=365', 2],
  [insiderFilings, 'owner_name=ÄRMEL&transaction_code=p', 2],
  [insiderFilings, 'transaction_code=S&days=60', 1],
  [insiderFilings, 'as_of=2026-01-05', 3],
  [insiderFilings, 'limit=1', 1],
  [insiderClusters, '', 1],
  [insiderClusters, 'as_of=2026-01-11&min_insiders=2', 1],
  [insiderClusters, 'days=1&ticker=SVN.A&min_insiders=2', 1],
  [insiderClusters, 'from=2026-01-02&to=2026-01-02&limit=1', 1],
  [insiderClusters, 'transaction_code=S&min_insiders=1', 1],
  [insiderClusters, 'min_value=30', 1],
  [insiderClusters, 'min_value=31', 0],
  [insiderClusterExplanations, '', 4],
  [insiderClusterExplanations, 'as_of=2026-01-11&min_insiders=2', 3],
  [insiderClusterExplanations, 'days=1&ticker=SVN.A&min_insiders=2', 4],
  [insiderClusterExplanations, 'from=2026-01-02&to=2026-01-02&limit=1', 4],
  [insiderClusterExplanations, 'transaction_code=S&min_insiders=1', 1],
  [insiderClusterExplanations, 'min_value=31', 0],
  [insiderClusterSignals, '', 1],
  [insiderClusterSignals, 'as_of=2026-01-11&min_insiders=2', 1],
  [insiderClusterSignals, 'days=1&ticker=SVN.A&min_insiders=2', 1],
  [insiderClusterSignals, 'from=2026-01-12&to=2026-01-12&limit=1', 1],
  [insiderClusterSignals, 'transaction_code=S&min_insiders=1', 1],
  [insiderClusterSignals, 'min_value=31', 0],
];

/** Requests that use every parameter of every operation. */
export const answered = answeredQueries.map(([operation, query, rows]): Answered => {
  return [operation, textsOf(query), rows];
});

/** Texts that a rule refuses; `operations/params.test.ts` has all kinds of them. */
const badTexts: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-02-30', '1599-12-31', ''],
  integer: ['0', '1001', 'ten'],
  amount: ['0', '1000000000000000', ''],
  count: ['0', '1.5', ''],
  boolean: ['yes', '1', ''],
  choice: ['nonsense', '', ' PAR'],
  // A blank filter would match everything.
  filter: ['', '\t\n'],
  cursor: ['', 'nonsense', 'WyJ4IixbXV0', '+/='],
};

function ruleOf(name: string, { schema }: Param<unknown>): string {
  if (name === 'cursor') return 'cursor';
  if (schema.enum !== undefined) return 'choice';
  if (schema.pattern !== undefined) return 'filter';
  if (schema.type === 'integer' && schema.maximum === undefined) return 'count';
  if (schema.type === 'integer' && Number(schema.maximum) > 1000) return 'amount';
  return String(schema.format ?? schema.type);
}

/** A request that is refused: the kind of problem, and the wrong parameter. */
type Refused = readonly [operation: Operation, given: ParamTexts, kind: string, field?: string];

/** The path parameters of an operation. */
function pathOf({ params }: Operation): ParamTexts {
  return Object.hasOwn(params, 'id') ? [['id', 'GDP']] : [];
}

const brokenRules = operations.flatMap((operation) =>
  Object.entries(operation.params).flatMap(([name, param]) =>
    (badTexts[ruleOf(name, param)] ?? []).map(
      (text): Refused => [operation, [...pathOf(operation), [name, text]], 'validation-error', name],
    ),
  ),
);

const validTexts = {
  id: 'GDP',
  series: 'GDP',
  maturity: '10Y',
  curve_type: 'PAR',
  match: 'id',
  release: 'first',
  limit: '5',
};

const unknownOrRepeated = operations.flatMap((operation): Refused[] => [
  [operation, [...pathOf(operation), ['asof', '2015-01-30']], 'validation-error', 'asof'],
  [operation, [...pathOf(operation), ['As Of&', 'é=?']], 'validation-error', 'As Of&'],
  ...Object.keys(operation.params).map((name): Refused => {
    const given = [name, { ...validTexts }[name] ?? '2020-01-01'] as const;
    const others = pathOf(operation).filter(([key]) => key !== name);
    return [operation, [...others, given, given], 'validation-error', name];
  }),
]);

/** The required query parameters of an operation. */
function needed({ params }: Operation): ParamTexts {
  return params.date?.required === true ? [['date', '2020-03-01']] : [];
}

const unknownSeries = [seriesShow, observations, revisions, vintages, nextRelease].flatMap((operation) =>
  ['GDPX', 'gdp', 'A/B', '', '..', '%', '%2e', '🎈', ' ', 'A?b=c#d'].map(
    (id): Refused => [operation, [['id', id], ...needed(operation)], 'not-found'],
  ),
);

const contradictions: readonly (readonly [operation: Operation, query: string, field: string])[] = [
  [revisions, 'id=GDP&date=2020-03-01&to=2020-04-01', 'date'],
  [seriesShow, '', 'id'],
  [observations, '', 'id'],
  [observations, 'id=GDP&as_of=2026-01-17', 'as_of'],
  [observations, 'id=GDP&known_at=2026-01-15T12:01Z', 'known_at'],
  [observations, 'id=GDP&known_at=2020-12-02T05:00Z&as_of=2020-12-01', 'known_at'],
  [observations, 'id=GDP&from=2020-02-02&to=2020-02-01', 'from'],
  [observations, 'id=GDPX&limit=0', 'limit'],
  [yields, 'from=2020-02-02&to=2020-02-01', 'from'],
  [yields, 'curve_type=TIPS&maturity=2Y', 'maturity'],
  [spread, 'curve_type=TIPS', 'short'],
  [spread, 'curve_type=TIPS&long=1Y', 'long'],
  [spread, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderFilings, 'from=2020-02-02&days=3', 'days'],
  [insiderFilings, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderFilings, 'days=366', 'days'],
  [insiderFilings, 'as_of=2026-01-17', 'as_of'],
  [insiderClusters, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderClusters, 'transaction_code=Q', 'transaction_code'],
  [insiderClusterExplanations, 'from=2020-02-02&to=2020-02-01', 'from'],
  [insiderClusterSignals, 'min_value=1.5', 'min_value'],
  [insiderClusterSignals, 'from=2020-02-02&to=2020-02-01', 'from'],
];

/** Requests that break each rule of the contract; those of one parameter are made from the operations themselves. */
export const refused: readonly Refused[] = [
  ...brokenRules,
  ...unknownOrRepeated,
  ...unknownSeries,
  [calendar, [['series', 'GDPX']], 'not-found'],
  ...contradictions.map(([operation, query, field]): Refused => {
    return [operation, textsOf(query), 'validation-error', field];
  }),
];

const listed: readonly (readonly [operation: Operation, query: string])[] = [
  [revisions, 'id=GDP'],
  [seriesSearch, ''],
  [seriesSearch, 'q=gdp&match=any'],
  [seriesSearch, 'q=g&match=title'],
  [observations, 'id=GDP'],
  [observations, 'id=GDP&as_of=2020-12-31&from=2020-02-01'],
  [observations, 'id=GDP&release=first'],
  [vintages, 'id=GDP'],
  [calendar, 'from=2020-01-01'],
  [yields, ''],
  [yields, 'maturity=2Y&to=2026-01-15'],
  [spread, ''],
  [insiderFilings, 'from=2025-01-01'],
  [insiderFilings, 'as_of=2026-01-05&days=365'],
  [insiderClusters, 'min_insiders=1'],
  [insiderClusterExplanations, 'min_insiders=1'],
  [insiderClusterSignals, 'min_insiders=1'],
];

/** Listings that the tests read to the end, page by page. */
export const listings = listed.map(([operation, query]) => [operation, textsOf(query)] as const);
