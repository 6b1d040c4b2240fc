import type { Row } from '../../src/operations/envelope.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { seriesIds } from './arbitrary.ts';
import { filings } from './contract-cases.ts';
import { asAsofCsv } from './encodings.ts';
import { scratchFolder } from './folders.ts';
import type { ModelStatement } from './knowledge.ts';
import { facts, importFiles, newStorePath } from './scratch-store.ts';
import { ownerColumns, submissionColumns, table, tradeColumns } from './sec-documents.ts';

/** The folder of the stores of a test file. */
export const folder = scratchFolder();

/** A new store of one series with two vintages, two curves and a cluster of insiders. */
export async function newGdpStore(): Promise<string> {
  const path = newStorePath(folder);
  await importFiles(
    path,
    {
      'facts.csv': facts('GDP 2014-10-01 2015-01-30 17710.7', 'GDP 2014-10-01 2015-02-27 17701.30'),
      'metadata.csv':
        'series_id,title,units,frequency,seasonal_adjustment,source,covered_to\n' +
        'GDP,Gross Domestic Product,Billions of Dollars,Q,SAAR,BEA,2015-03-15\n',
      'par.csv':
        'DATE,DGS10,DGS1MO,DGS2\n2026-01-14,4.20,3.9,\n2026-01-16,4.30,3.8,\n2026-01-20,4.40,3.7,3.5\n',
      'real.csv': 'DATE,DFII5\n2026-01-14,1.5\n',
      ...filings,
    },
    { latest: '2026-01-20' },
  );
  return path;
}

/** The series parameter for `newGdpStore`. */
export const gdp = ['id', 'GDP'] as const;

/** The parameters that an operation requires, for `newGdpStore`. */
export function requiredBy({ params }: Operation): ParamTexts {
  return [gdp, ['date', '2014-10-01'] as const].filter(([name]) => params[name]?.required);
}

const months = Array.from({ length: 8 }, (_, i) => `2020-0${i + 1}-01`);
/** The series of `newPagedStore`. */
export const names = ['GDP', 'GDPC1', 'CPI', 'CPIGDP', 'A1', 'A2', 'PAY'];
const titles: Readonly<Record<string, string>> = {
  GDP: 'Product, total',
  GDPC1: 'Gross product',
  CPI: 'Prices of gross trade',
  CPIGDP: 'Ratio',
  A1: 'A grossly long one',
  A2: 'GDP per head',
  PAY: 'Payrolls',
};
/** The trade dates of the curve of `newPagedStore`. */
export const trades = ['2020-01-02', '2020-01-03', '2020-01-06'];

/** A new store of seven series, of which GDP has eight dates in two vintages, and of two curves. */
export async function newPagedStore(): Promise<string> {
  const path = newStorePath(folder);
  const lines = names.map((id) => `${id} 2020-01-01 2020-02-01 1`);
  await importFiles(path, {
    'facts.csv': facts(
      ...lines,
      ...months
        .slice(1)
        .flatMap((date, i) => [`GDP ${date} 2020-12-01 ${i}`, `GDP ${date} 2021-01-01 ${i}.5`]),
    ),
    'metadata.csv': `series_id,title\n${names.map((id) => `${id},"${titles[id]}"\n`).join('')}`,
    'par.csv': `DATE,DGS1MO,DGS10,DGS2\n${trades.map((day, i) => `${day},1.${i},3.${i},2.${i}`).join('\n')}\n`,
    'real.csv': 'DATE,DFII10\n2020-01-02,0.1\n',
  });
  return path;
}

/** An observation as `2020-01-01 1`. */
export const day = (row: Row) => `${String(row.date).slice(0, 10)} ${row.value}`;
const newest = [...months].reverse();
/** All observations of GDP in `newPagedStore`, newest first. */
export const latest = newest.map((date, i) => (i === 7 ? `${date} 1` : `${date} ${6 - i}.5`));
/** The same observations as of the end of 2020. */
export const known = newest.map((date, i) => (i === 7 ? `${date} 1` : `${date} ${6 - i}`));

/** A quarterly series with a revision, a withdrawal, and a monthly one whose title is not ASCII. */
const quarterlyStatements = facts(
  'GDP 2014-07-01 2014-10-30 17535.4',
  'GDP 2014-07-01 2014-11-25 17555.2',
  'GDP 2014-10-01 2015-01-30 17710.7',
  'GDP 2015-01-01 2015-04-29 17710.0',
  ...Array.from({ length: 150 }, (_, i) => {
    const date = new Date(Date.UTC(2000, i)).toISOString().slice(0, 10);
    return `UNRATE ${date} 2013-01-04 ${(4 + i / 100).toFixed(2)}`;
  }),
);

const quarterlyMetadata = `series_id,title,units,frequency,seasonal_adjustment,source
GDP,Gross Domestic Product,Billions of Dollars,Q,SAAR,BEA
UNRATE,"Unemployment – ""the"" rate",Percent,M,SA,BLS
`;

const twoDays = `Date,"1 Mo","10 Yr"
2015-01-02,0.02,2.12
2015-01-05,0.02,2.04
`;

/** A new store of a quarterly series, a monthly one and a curve. */
export async function newQuarterlyStore(): Promise<string> {
  const path = newStorePath(folder);
  await importFiles(path, {
    'facts.csv': quarterlyStatements,
    'metadata.csv': quarterlyMetadata,
    'par.csv': twoDays,
  });
  return path;
}

/** The first statement of every series, before anything that `arbitrary.ts` says. */
export const begun: readonly ModelStatement[] = seriesIds.map((series) => ({
  series,
  date: '2019-11-01',
  asOf: '2019-12-01',
  value: '7.7',
}));

const metadata = `series_id,frequency,covered_to\n${seriesIds.map((id) => `${id},M,2025-12-31\n`).join('')}`;

/**
 * A new store of these statements. Every series has begun before anything is asked, and says how often it is observed
 * and to which day it is covered, so that stores differ in facts only.
 */
export async function begunStore(folder: string, said: readonly ModelStatement[]): Promise<string> {
  const path = newStorePath(folder);
  const files = { ...asAsofCsv([...begun, ...said])[0]?.files, 'metadata.csv': metadata };
  await importFiles(path, files, { projections: true });
  return path;
}

/** A series of which nothing but a withdrawal was published when the others began, and its first value. */
const waiting: readonly ModelStatement[] = [
  { series: 'WAIT', date: '2019-10-01', asOf: '2019-12-01', value: null },
  { series: 'WAIT', date: '2019-10-01', asOf: '2024-02-29', value: '3' },
];

/** A series that no pattern matches before it begins: what is said of CPI from a day on. */
function lateOf(said: readonly ModelStatement[]): readonly ModelStatement[] {
  return said
    .filter(({ series, asOf }) => series === 'CPI' && asOf >= '2020-06-30')
    .map((one) => ({ ...one, series: 'LATE' }));
}

// X1 states no frequency: its dates imply one, which further dates make finer.
const partlyStated = 'series_id,title,frequency,covered_to\n'
  .concat('GDP,Gross product,M,2025-12-31\nCPI,Consumer prices,M,2025-12-31\n')
  .concat('X1,Prices of exports,,2025-12-31\nWAIT,Waiting,Q,2025-12-31\n');

const curveDays = [
  '2019-11-26',
  '2019-11-27',
  '2020-02-13',
  '2020-02-14',
  '2020-06-30',
  '2024-02-28',
  '2024-02-29',
];

/** Filings by three insiders of one company, and of another company's insider, by the day of filing. */
const filed = [
  [
    '2019-12-02',
    '0000000007-19-000001',
    '7|Seven|SVN',
    '71|Anna|Director',
    'P|10.0|1.50|A|10|D',
    '2019-11-29',
  ],
  ['2020-02-14', '0000000007-20-000002', '7|Seven|SVN', '72|Bo|Director', 'P|5|2|A|5|D', '2019-12-02'],
  ['2020-06-30', '0000000007-20-000003', '7|Seven|SVN', '73|Cy|Director', 'P|7|2|A|7|D', '2019-12-03'],
  ['2024-02-29', '0000000008-24-000001', '8|Eight|AIT', '81|Di|Director', 'S|3|9.99|D|1|D', '2024-02-28'],
] as const;

/**
 * A new store of everything that was known on a day: of these statements, of a series that begins late, of one that has
 * no value for years, of curves and of filings. One series states no frequency.
 */
export async function worldUpTo(day: string, said: readonly ModelStatement[], path: string): Promise<string> {
  const known = [...begun, ...waiting, ...said, ...lateOf(said)].filter(({ asOf }) => asOf <= day);
  const curves = curveDays.filter((trade) => trade <= day).map((trade, i) => `${trade},1.${i},3.${i}\n`);
  const filings = filed.filter(([filedOn]) => filedOn <= day);
  const files = {
    ...asAsofCsv(known)[0]?.files,
    'metadata.csv': known.some(({ series }) => series === 'LATE')
      ? `${partlyStated}LATE,Late,,2025-12-31\n`
      : partlyStated,
    'par.csv': `DATE,DGS2,DGS10\n${curves.join('')}`,
    'set/SUBMISSION.tsv': table(
      submissionColumns,
      ...filings.map(([on, id, issuer]) => `${id}|${secDay(on)}|${secDay(on)}|||4|${issuer}`),
    ),
    'set/REPORTINGOWNER.tsv': table(ownerColumns, ...filings.map(([, id, , owner]) => `${id}|${owner}|`)),
    'set/NONDERIV_TRANS.tsv': table(
      tradeColumns,
      ...filings.map(([, id, , , trade, on], i) => `${id}|${i}|Common|${secDay(on)}|${trade}`),
    ),
  };
  await importFiles(path, files, { projections: true });
  return path;
}

/** A day as the SEC writes it: 02-JAN-2026. */
function secDay(day: string): string {
  const month = new Date(day).toLocaleString('en', { month: 'short', timeZone: 'UTC' }).toUpperCase();
  return `${day.slice(8)}-${month}-${day.slice(0, 4)}`;
}
