import type { Client } from '../client/client.ts';
import { addDays, type Day } from '../model/date.ts';
import type { Envelope, Row } from '../model/envelope.ts';
import { type Filing, symbolsOf } from '../model/filing.ts';
import { type Judgement, judge, type Omission } from '../model/judgement.ts';
import { insiderFilings } from '../operations/index.ts';
import type { Field } from '../operations/operation.ts';
import { tradeFromRow } from './filing-from-row.ts';
import { everything, type Given, pagesOf } from './pages.ts';

/** The fields of an explanation: the cluster, a trade in it or near it, and what became of that. */
export const explanation: readonly Field[] = [
  { name: 'ticker', type: 'text', description: 'Trading symbol of the cluster.', nullable: true },
  { name: 'date_first', type: 'day', description: 'Date of its first trade.' },
  { name: 'date_last', type: 'day', description: 'Date of its last trade.' },
  { name: 'verdict', type: 'text', description: 'counted, or left out.' },
  {
    name: 'reason',
    type: 'text',
    description: 'Why it was left out, or what its counting takes for granted.',
  },
  ...insiderFilings.fields.filter(({ name }) =>
    [
      'filing_date',
      'transaction_date',
      'accession_number',
      'owner_name',
      'shares',
      'price_per_share',
      'form_type',
      'row',
    ].includes(name),
  ),
  { name: 'issuer_cik', type: 'text', description: "The SEC's key of the issuer." },
];

/** What an explanation asks, and how far it looks. */
export type Explaining = {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The days of a span: what lies within them of a cluster is near. */
  readonly days: number;
  readonly asOf?: Day;
};

const reasons: Readonly<Record<Omission, string>> = {
  'form 3': 'a Form 3 tells of no trade',
  derivative: 'a derivative',
  'not a purchase': 'no purchase in the open market',
  impossible: 'an impossible date',
  'no CIK': 'the insider has no CIK, so that nothing tells him from others',
  'neither officer nor director': 'by a ten-percent owner who is neither an officer nor a director',
  'reported twice': 'the same trade reported twice',
  'same block': 'the same block reported by another filer',
  amended: 'amended',
};

/** For each cluster its purchases and those near it, by trade date, each with what became of it and why. */
export async function explained(page: Envelope, explaining: Explaining): Promise<Envelope> {
  const results: Row[] = [];
  for (const cluster of page.results) results.push(...(await explainOne(cluster, explaining)));
  return { ...page, object: 'insider_cluster_explanation', results, results_count: results.length };
}

async function explainOne(cluster: Row, explaining: Explaining): Promise<readonly Row[]> {
  const [first, last] = [dayOf(cluster.date_first), dayOf(cluster.date_last)];
  const from = addDays(first, -explaining.days);
  const to = addDays(last, explaining.days);
  const rows = await filingsAround(cluster, from, explaining);
  const trades = rows.map((row) => ({ row, filing: tradeFromRow(row) }));
  const judgement = judge(trades.map(({ filing }) => filing));
  return trades
    .filter(({ filing }) => filing.transactionCode === 'P' && isNear(filing, from, to))
    .map(({ row, filing }) => {
      const { ticker, date_first, date_last, issuer_cik } = cluster;
      const told = became(filing, judgement, first, last);
      return Object.fromEntries(
        Object.entries({ ...row, ticker, date_first, date_last, issuer_cik, ...told }).filter(([name]) =>
          shown.has(name),
        ),
      ) as Row;
    })
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

const shown: ReadonlySet<string> = new Set(explanation.map(({ name }) => name));

/** All trades of the issuer that were filed since, by its symbol where it has one; those of others are left out. */
async function filingsAround(
  cluster: Row,
  from: Day,
  { client, signal, asOf }: Explaining,
): Promise<readonly Row[]> {
  const [symbol] = symbolsOf(typeof cluster.ticker === 'string' ? cluster.ticker : null);
  const since: Given = [['from', from], ...(asOf === undefined ? [] : [['as_of', asOf] as const])];
  const rowsOf = async (given: Given): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for await (const page of pagesOf(client, insiderFilings, given, everything, signal))
      for (const row of page.results) if (row.issuer_cik === cluster.issuer_cik) rows.push(row);
    return rows;
  };
  const found = symbol === undefined ? [] : await rowsOf([...since, ['ticker', symbol]]);
  const numbers = new Set(found.map((row) => row.accession_number));
  const wanted = Array.isArray(cluster.accession_numbers) ? cluster.accession_numbers : [];
  // Not every filing of an issuer need state its symbol.
  return found.length > 0 && wanted.every((number) => numbers.has(number)) ? found : rowsOf(since);
}

/** Whether a trade lies so near that a reader may miss it; one of an impossible date by its filing. */
function isNear({ transactionDate, filedOn }: Filing, from: Day, to: Day): boolean {
  const date = transactionDate === null || transactionDate > filedOn ? filedOn : transactionDate;
  return date >= from && date <= to;
}

type Told = { readonly verdict: 'counted' | 'left out'; readonly reason: string };

function became(filing: Filing, { purchases, omitted, doubts }: Judgement, first: Day, last: Day): Told {
  const omission = omitted.find((one) => one.filing === filing);
  if (omission !== undefined) {
    const { why, because } = omission;
    const instead = because === undefined ? '' : `: ${nameOf(because)}`;
    return { verdict: 'left out', reason: `${reasons[why]}${instead}` };
  }
  const purchase = purchases.find((one) => one.filing === filing);
  if (purchase === undefined || purchase.date < first || purchase.date > last)
    return { verdict: 'left out', reason: 'outside the span' };
  const doubt = doubts.find(
    ({ amendment, originals }) => amendment.filingId === filing.filingId || originals.includes(filing),
  );
  const others = filing.owners.filter(({ cik }) => cik !== purchase.insider.cik).map(({ name }) => name);
  return {
    verdict: 'counted',
    reason: [
      ...(others.length > 0 ? [`one insider with the joint filers ${others.join(', ')}`] : []),
      ...(doubt === undefined ? [] : [`not clear what ${nameOf(doubt.amendment)} amends: all of it stays`]),
    ].join('; '),
  };
}

function nameOf({ accessionNumber, filingId, row }: Filing): string {
  return `${accessionNumber ?? filingId} row ${row}`;
}

function orderOf({ transaction_date, filing_date, accession_number, row }: Row): string {
  return [transaction_date, filing_date, accession_number, String(row).padStart(4, '0')].join(' ');
}

function dayOf(cell: Row[string] | undefined): Day {
  return String(cell).slice(0, 10);
}
