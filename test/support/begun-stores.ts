import { seriesIds } from './arbitrary.ts';
import { asAsofCsv } from './encodings.ts';
import type { ModelStatement } from './knowledge.ts';
import { importFiles, newStorePath } from './scratch-store.ts';
import { ownerColumns, submissionColumns, table, tradeColumns } from './sec-tables.ts';

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

const trades = [
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
  const curves = trades.filter((trade) => trade <= day).map((trade, i) => `${trade},1.${i},3.${i}\n`);
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
