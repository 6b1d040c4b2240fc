import type { Client } from '../client/client.ts';
import { pagesOf } from '../client/pages.ts';
import { type Classification, classifyTrades } from '../domain/insider/classification.ts';
import { explanationText } from '../domain/insider/explanation.ts';
import { type Filing, isAmendment } from '../domain/insider/filing.ts';
import { addDays, type Day } from '../domain/series/date.ts';
import type { Cell, Envelope, Row } from '../operations/envelope.ts';
import { insiderClusters, insiderFilings } from '../operations/index.ts';
import type { ParamTexts } from '../operations/param.ts';
import type { Answer, Asking } from './answer.ts';
import { textsOf } from './answer.ts';
import { tradeFromRow } from './filing-from-row.ts';
import { explanationLayout } from './layouts.ts';
import type { ClusterExplanationQuery } from './query.ts';

/** What an explanation asks, and how far it looks. */
export type Explaining = {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The days of a span: what lies within them of a cluster is near. */
  readonly days: number;
  readonly asOf?: Day;
  /** Takes a line about what could not be explained. */
  readonly warn: (text: string) => void;
};

/** The trades in or near each cluster, and why each counts or does not. */
export function answerExplanation(query: ClusterExplanationQuery, asking: Asking): Answer {
  const { client, signal, note } = asking;
  const { as_of: asOf, days = insiderClusters.params.days?.fallback } = query.params;
  const pages = pagesOf(client, insiderClusters, textsOf(query.params), query, signal);
  const explaining: Explaining = {
    client,
    signal,
    days: Number(days),
    ...(asOf !== undefined && { asOf: String(asOf) }),
    warn: (text) => note?.({ kind: 'empty', text: text.replace('asof: ', '') }),
  };
  return {
    ...explanationLayout,
    failures: [],
    pages: (async function* () {
      for await (const page of pages) yield await explained(page, explaining);
    })(),
  };
}

/** A cluster and the trades in it or near it that it may be judged by. */
type Neighbourhood = {
  readonly cluster: Row;
  readonly from: Day;
  readonly to: Day;
  readonly trades: { readonly row: Row; readonly filing: Filing }[];
};

/** For each cluster its purchases and those near it, by trade date, each with what became of it and why. */
export async function explained(page: Envelope, explaining: Explaining): Promise<Envelope> {
  const told = new Map<Row, readonly Row[]>();
  // Purchases are few among all trades, and enough unless an amendment to another code took one away.
  for (const code of ['P', undefined]) {
    const open = page.results.filter((cluster) => !told.has(cluster));
    for (const neighbourhood of await neighbourhoods(open, code, explaining)) {
      const { cluster } = neighbourhood;
      const rows = explainOne(neighbourhood);
      if (isWhole(cluster, rows)) told.set(cluster, rows);
      else if (code === undefined) told.set(cluster, unclear(cluster, rows, explaining));
    }
  }
  const results = page.results.flatMap((cluster) => told.get(cluster) ?? []);
  return { ...page, object: 'insider_cluster_explanation', results, results_count: results.length };
}

/**
 * The trades around clusters: of all that was filed since the first of them began, those of their issuers, under
 * whatever symbol. Only what lies near is kept, however much was filed.
 */
async function neighbourhoods(
  clusters: readonly Row[],
  code: string | undefined,
  { client, signal, days, asOf }: Explaining,
): Promise<readonly Neighbourhood[]> {
  const found = clusters.map((cluster): Neighbourhood => {
    const [first, last] = [dayOf(cluster.date_first), dayOf(cluster.date_last)];
    return { cluster, from: addDays(first, -days), to: addDays(last, days), trades: [] };
  });
  const [begin] = found.map(({ from }) => from).sort();
  if (begin === undefined) return found;
  const byIssuer = new Map<string, Neighbourhood[]>();
  for (const one of found) {
    const issuer = issuerOf(one.cluster);
    byIssuer.set(issuer, [...(byIssuer.get(issuer) ?? []), one]);
  }
  const given: ParamTexts = [
    ['from', begin],
    ...(code === undefined ? [] : [['transaction_code', code] as const]),
    ...(asOf === undefined ? [] : [['as_of', asOf] as const]),
  ];
  for await (const page of pagesOf(client, insiderFilings, given, {}, signal)) {
    for (const row of page.results) {
      const own = byIssuer.get(issuerOf(row));
      if (own === undefined) continue;
      const filing = tradeFromRow(row);
      if (filing.transactionCode !== 'P' && !isAmendment(filing)) continue;
      for (const { from, to, trades } of own) if (isNear(filing, from, to)) trades.push({ row, filing });
    }
  }
  return found;
}

/** What tells issuers apart: the SEC's key, or where a service does not give it what it calls them. */
function issuerOf({ issuer_cik, ticker, issuer_name }: Row): string {
  return String(issuer_cik ?? ticker ?? issuer_name ?? '');
}

function explainOne({ cluster, trades }: Neighbourhood): readonly Row[] {
  const { ticker, date_first, date_last, issuer_cik } = cluster;
  const classification = classifyTrades(trades.map(({ filing }) => filing));
  const names = new Map(insidersIn(cluster).map((entry) => [tradeOf(entry), entry.owner_name]));
  return trades
    .filter(({ filing }) => filing.transactionCode === 'P')
    .map(({ row, filing }) => {
      // A row of filings does not say which of joint filers is the insider; the cluster does.
      const name = names.get(tradeOf(row));
      const told = became(filing, classification, dayOf(date_first), dayOf(date_last), name);
      return Object.fromEntries(
        Object.entries({ ...row, ticker, date_first, date_last, issuer_cik, ...told }).filter(([name]) =>
          shown.has(name),
        ),
      ) as Row;
    })
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

const shown: ReadonlySet<string> = new Set(explanationLayout.fields.map(({ name }) => name));

/** Whether what counts is what the service counted; where it does not say what, nothing speaks against it. */
function isWhole(cluster: Row, rows: readonly Row[]): boolean {
  const counted = rows.filter(({ verdict }) => verdict === 'counted');
  const numbers = counted.flatMap(({ accession_number }) => accession_number ?? []);
  const trades = insidersIn(cluster).map(tradeOf);
  return (
    counted.length === (tradesOf(cluster) ?? counted.length) &&
    isSame(new Set(numbers), new Set(listIn(cluster.accession_numbers) ?? numbers)) &&
    (trades.length === 0 || trades.sort().join('\n') === counted.map(tradeOf).sort().join('\n'))
  );
}

function isSame(one: ReadonlySet<Cell>, other: ReadonlySet<Cell>): boolean {
  return one.size === other.size && [...one].every((cell) => other.has(cell));
}

/** The trades that a cluster names with their filings, as far as a service gives these. */
function insidersIn({ insiders }: Row): readonly Row[] {
  return (listIn(insiders) ?? []).filter(
    (entry): entry is Row => isRow(entry) && 'accession_number' in entry,
  );
}

function isRow(cell: Cell): cell is Row {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell);
}

/** What a cluster and a row of filings both say of a trade: two that agree in it are of one filing. */
function tradeOf({ accession_number, transaction_date, shares, price_per_share }: Row): string {
  return [accession_number, transaction_date, shares, price_per_share].join(' ');
}

/** How many trades a service counts in a cluster, of which `insiders` has an entry each. */
function tradesOf({ transaction_count, insiders }: Row): number | undefined {
  return typeof transaction_count === 'number' ? transaction_count : listIn(insiders)?.length;
}

function listIn(cell: Cell | undefined): readonly Cell[] | undefined {
  return Array.isArray(cell) ? cell : undefined;
}

/** The rows without their verdicts, since one of these would contradict the cluster. */
function unclear(cluster: Row, rows: readonly Row[], { warn }: Explaining): readonly Row[] {
  const [wanted, counted] = [tradesOf(cluster), rows.filter(({ verdict }) => verdict === 'counted').length];
  const others = wanted === counted ? 'others' : counted;
  const reason = `purchases in the cluster: ${wanted}; by the filings: ${others}`;
  const { ticker, issuer_name, issuer_cik, date_first, date_last } = cluster;
  const name = ticker ?? issuer_name ?? issuer_cik;
  warn(`asof: ${name}, ${dayOf(date_first)} to ${dayOf(date_last)}, cannot be explained (${reason})`);
  return rows.map((row) => ({ ...row, verdict: 'unclear', reason }));
}

/** Whether a trade lies so near that a reader may miss it; one of an impossible date by its filing. */
function isNear({ transactionDate, filedOn }: Filing, from: Day, to: Day): boolean {
  const date = transactionDate === null || transactionDate > filedOn ? filedOn : transactionDate;
  return date >= from && date <= to;
}

type Told = {
  readonly verdict: 'counted' | 'left out';
  readonly reason: string;
  readonly owner_name?: string;
};

function became(
  filing: Filing,
  { purchases, excluded, ambiguous }: Classification,
  first: Day,
  last: Day,
  named: Cell | undefined,
): Told {
  const exclusion = excluded.find((one) => one.filing === filing);
  if (exclusion !== undefined) return { verdict: 'left out', reason: explanationText(exclusion) };
  const purchase = purchases.find((one) => one.filing === filing);
  if (purchase === undefined || purchase.date < first || purchase.date > last)
    return { verdict: 'left out', reason: explanationText({ reason: 'outside-the-cluster', filing }) };
  const doubt = ambiguous.find(
    ({ amendment, possibleOriginals }) =>
      amendment.filingId === filing.filingId || possibleOriginals.includes(filing),
  );
  const insider = filing.owners.find(({ name }) => name === named) ?? purchase.insider;
  return {
    verdict: 'counted',
    owner_name: insider.name,
    reason: explanationText({
      reason: 'counted',
      filing,
      insider,
      jointFilers: filing.owners.filter((owner) => owner !== insider),
      ...(doubt !== undefined && { ambiguousAmendment: doubt.amendment }),
    }),
  };
}

function orderOf({ transaction_date, filing_date, accession_number, row }: Row): string {
  return [transaction_date, filing_date, accession_number, String(row).padStart(4, '0')].join(' ');
}

function dayOf(cell: Row[string] | undefined): Day {
  return String(cell);
}
