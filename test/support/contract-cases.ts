import { operations } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { Param, ParamTexts } from '../../src/operations/param.ts';
import { ping } from '../../src/operations/ping.ts';
import { curve, yields } from '../../src/operations/rates/yields.ts';
import { observations } from '../../src/operations/series/observations.ts';
import { revisions } from '../../src/operations/series/revisions.ts';
import { seriesSearch, seriesShow } from '../../src/operations/series/series.ts';
import { vintages } from '../../src/operations/series/vintages.ts';
import type { Answered, Refused } from './contract-insider-cases.ts';
import * as added from './contract-insider-cases.ts';
import { facts, importFiles, newStorePath } from './scratch-store.ts';

/** The time of the contract tests. */
export const now = new Date('2026-01-15T12:00:00Z');

/** A series whose id has characters that a URL must escape. */
export const oddId = 'S&P 50%+(A)';

const months = Array.from({ length: 9 }, (_, i) => `2020-0${i + 1}-01`);

/** A new store in a folder, or at an address, of six series and two curves with a few days each, in two vintages. */
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
      ...added.filings,
    },
    { latest: '2026-01-18' },
  );
  return path;
}

const gdp = ['id', 'GDP'] as const;

/** Requests that use every parameter of every operation. */
export const answered: readonly Answered[] = [
  [ping, [], 1],
  // Six series, and the six that the curves answer.
  [seriesSearch, [], 12],
  [seriesSearch, [['q', '']], 12],
  [seriesSearch, [['q', 'gdp']], 2],
  [
    seriesSearch,
    [
      ['q', 'gdp'],
      ['match', 'id'],
    ],
    2,
  ],
  [
    seriesSearch,
    [
      ['q', 'domestic prod'],
      ['match', 'title'],
    ],
    1,
  ],
  [
    seriesSearch,
    [
      ['q', 'gdp'],
      ['match', 'any'],
    ],
    2,
  ],
  [
    seriesSearch,
    [
      ['q', 'product domestic'],
      ['match', 'words'],
    ],
    1,
  ],
  [seriesSearch, [['q', '50%+(']], 1],
  [seriesSearch, [['q', '100% of A&B = C/D?#é']], 0],
  [seriesSearch, [['limit', '4']], 4],
  [seriesShow, [gdp], 1],
  [seriesShow, [['id', oddId]], 1],
  [observations, [gdp], 10],
  [observations, [['id', oddId]], 1],
  [observations, [gdp, ['as_of', '2020-12-31']], 9],
  [observations, [gdp, ['as_of', '2020-11-30']], 0],
  [observations, [['as_of', '2026-01-15'], gdp], 10],
  [observations, [gdp, ['release', 'first']], 1],
  [observations, [gdp, ['release', 'first'], ['as_of', '2020-12-31']], 0],
  [observations, [gdp, ['from', '2020-03-01']], 8],
  [observations, [gdp, ['to', '2020-03-01']], 3],
  [observations, [gdp, ['from', '2020-03-01'], ['to', '2020-04-30'], ['as_of', '2020-12-01']], 2],
  [observations, [gdp, ['limit', '3']], 3],
  [observations, [gdp, ['limit', '1000']], 10],
  [revisions, [gdp, ['date', '2020-03-01']], 2],
  [revisions, [gdp, ['date', '2019-03-01']], 0],
  [revisions, [gdp, ['from', '2020-03-01'], ['to', '2020-03-01']], 2],
  [revisions, [gdp, ['limit', '3']], 5],
  [vintages, [gdp], 2],
  [vintages, [gdp, ['from', '2020-12-02'], ['to', '2021-01-01']], 1],
  [vintages, [gdp, ['limit', '1']], 1],
  [curve, [], 3],
  [curve, [['date', '2026-01-13']], 3],
  [curve, [['date', '2026-01-15']], 0],
  [
    curve,
    [
      ['curve_type', 'TIPS'],
      ['date', '2026-01-14'],
    ],
    2,
  ],
  [yields, [], 9],
  [yields, [['maturity', '10Y']], 3],
  [yields, [['curve_type', 'TIPS']], 2],
  [
    yields,
    [
      ['from', '2026-01-14'],
      ['to', '2026-01-15'],
    ],
    3,
  ],
  [yields, [['limit', '2']], 2],
  ...added.answered,
];

const badTexts: Readonly<Record<string, readonly string[]>> = {
  date: [
    '2024-02-30',
    '2024-2-3',
    '02/03/2024',
    '2024-02-03T00:00:00Z',
    '1599-12-31',
    '3000-01-01',
    'today',
    '',
  ],
  integer: ['0', '1001', '-1', '1.5', '1e2', 'ten', ''],
  amount: ['0', '1000000000000000', '-1', '1.5', '1e2', 'ten', ''],
  count: ['0', '-1', '1.5', '1e2', 'ten', ''],
  choice: ['nonsense', '', 'par', ' PAR'],
  // A blank filter would match everything.
  filter: ['', ' ', '\t\n'],
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

/** The path parameters of an operation. */
function pathOf({ params }: Operation): ParamTexts {
  return Object.hasOwn(params, 'id') ? [gdp] : [];
}

const brokenRules = operations.flatMap((operation) =>
  Object.entries(operation.params).flatMap(([name, param]) =>
    (badTexts[ruleOf(name, param)] ?? []).map(
      (text): Refused => [operation, [...pathOf(operation), [name, text]], 'validation-error', name],
    ),
  ),
);

const unknownOrRepeated = operations.flatMap((operation): Refused[] => [
  [operation, [...pathOf(operation), ['asof', '2015-01-30']], 'validation-error', 'asof'],
  [operation, [...pathOf(operation), ['As Of&', 'é=?']], 'validation-error', 'As Of&'],
  ...Object.keys(operation.params).map((name): Refused => {
    const text = { id: 'GDP', maturity: '10Y', curve_type: 'PAR', match: 'id', release: 'first', limit: '5' }[
      name
    ];
    const given = [name, text ?? '2020-01-01'] as const;
    const others = pathOf(operation).filter(([key]) => key !== name);
    return [operation, [...others, given, given], 'validation-error', name];
  }),
]);

/** The required query parameters of an operation. */
function needed({ params }: Operation): ParamTexts {
  return params.date?.required === true ? [['date', '2020-03-01']] : [];
}

const unknownSeries = [seriesShow, observations, revisions, vintages].flatMap((operation) =>
  ['GDPX', 'gdp', 'A/B', '', '.', '..', '%', '%2e', 'é', '🎈', ' ', 'A?b=c#d', "'"].map(
    (id): Refused => [operation, [['id', id], ...needed(operation)], 'not-found'],
  ),
);

/** Requests that break each rule of the contract; those of one parameter are made from the operations themselves. */
export const refused: readonly Refused[] = [
  ...brokenRules,
  ...unknownOrRepeated,
  ...unknownSeries,
  ...added.refused,
  [revisions, [gdp, ['date', '2020-03-01'], ['to', '2020-04-01']], 'validation-error', 'date'],
  [seriesShow, [], 'validation-error', 'id'],
  [observations, [], 'validation-error', 'id'],
  [observations, [gdp, ['as_of', '2026-01-17']], 'validation-error', 'as_of'],
  [observations, [gdp, ['from', '2020-02-02'], ['to', '2020-02-01']], 'validation-error', 'from'],
  [
    observations,
    [
      ['id', 'GDPX'],
      ['limit', '0'],
    ],
    'validation-error',
    'limit',
  ],
  [
    yields,
    [
      ['from', '2020-02-02'],
      ['to', '2020-02-01'],
    ],
    'validation-error',
    'from',
  ],
  [
    yields,
    [
      ['curve_type', 'TIPS'],
      ['maturity', '2Y'],
    ],
    'validation-error',
    'maturity',
  ],
];

/** Listings that the tests read to the end, page by page. */
export const listings: readonly (readonly [operation: Operation, given: ParamTexts])[] = [
  [revisions, [gdp]],
  [seriesSearch, []],
  [
    seriesSearch,
    [
      ['q', 'gdp'],
      ['match', 'any'],
    ],
  ],
  [
    seriesSearch,
    [
      ['q', 'g'],
      ['match', 'title'],
    ],
  ],
  [observations, [gdp]],
  [observations, [gdp, ['as_of', '2020-12-31'], ['from', '2020-02-01']]],
  [observations, [gdp, ['release', 'first']]],
  [vintages, [gdp]],
  [yields, []],
  [
    yields,
    [
      ['maturity', '2Y'],
      ['to', '2026-01-15'],
    ],
  ],
  ...added.listings,
];
