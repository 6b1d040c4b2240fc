import { setImmediate as nextTick } from 'node:timers/promises';
import { clusterTotals, transactionValue } from '../domain/insider/amounts.ts';
import { classifyTrades } from '../domain/insider/classification.ts';
import { type Cluster, clustersOf } from '../domain/insider/cluster.ts';
import { symbolsOf } from '../domain/insider/filing.ts';
import type { Purchase } from '../domain/insider/purchase.ts';
import type { Day } from '../domain/series/date.ts';
import type { StoreState, StoreView } from '../store/store.ts';
import { changedSince } from './cursor.ts';
import type { Field, FieldType } from './field.ts';
import { operation, type Page, type PagePosition, pageOf } from './operation.ts';
import { asOfParam, checkRange, dayParam, filterParam, integerParam, paging } from './params.ts';

/** An extension field. */
function extension<const N extends string, const T extends FieldType>(name: N, type: T, description: string) {
  return { name, type, description, extension: true } as const;
}

/** An extension field that may be null. */
function nullableExtension<const N extends string, const T extends FieldType>(
  name: N,
  type: T,
  description: string,
) {
  return { ...extension(name, type, description), nullable: true } as const;
}

const insider = [
  { name: 'owner_name', type: 'text', description: 'Who bought.' },
  { name: 'officer_title', type: 'text', description: 'The title of an officer.', nullable: true },
  { name: 'shares', type: 'decimal', description: 'Number of shares.', nullable: true },
  { name: 'price_per_share', type: 'decimal', description: 'Price of one share.', nullable: true },
  { name: 'transaction_date', type: 'day', description: 'Date of the trade.' },
  { name: 'is_director', type: 'boolean', description: 'Whether the insider is a director.' },
  { name: 'is_officer', type: 'boolean', description: 'Whether the insider is an officer.' },
  nullableExtension('owner_cik', 'text', "The SEC's key of the insider."),
  extension('filing_date', 'day', 'The first day on which the trade was public.'),
  nullableExtension('accession_number', 'text', "The SEC's number of the filing."),
  nullableExtension('value', 'decimal', 'Shares times price, exact.'),
] as const satisfies readonly Field[];

const fields = [
  {
    name: 'ticker',
    type: 'text',
    description: 'Trading symbol, as the newest filing states it.',
    nullable: true,
  },
  { name: 'issuer_name', type: 'text', description: 'The company whose shares were bought.', nullable: true },
  { name: 'cluster_size', type: 'integer', description: 'Distinct insiders.' },
  {
    name: 'total_shares',
    type: 'decimal',
    description: 'Shares bought; null if a trade does not state its number.',
    nullable: true,
  },
  {
    name: 'total_value',
    type: 'decimal',
    description: 'The sum paid in trades that state shares and price; null if none does.',
    nullable: true,
  },
  { name: 'date_first', type: 'day', description: 'Date of the first trade.' },
  { name: 'date_last', type: 'day', description: 'Date of the last trade.' },
  {
    name: 'insiders',
    type: 'records',
    description: 'One entry per trade: who bought, what, when, and when it was filed.',
    fields: insider,
  },
  extension('issuer_cik', 'text', "The SEC's key of the issuer."),
  extension('transaction_count', 'integer', 'Number of trades.'),
  nullableExtension('average_price', 'decimal', 'Average price of a share, to four decimals.'),
  nullableExtension('price_low', 'decimal', 'Lowest price.'),
  nullableExtension('price_high', 'decimal', 'Highest price.'),
  extension('detected_on', 'day', 'The first day on which the cluster was public.'),
  extension('size_when_detected', 'integer', 'Distinct insiders of the cluster as known on that day.'),
  extension('accession_numbers', 'list', 'The filings that report the trades.'),
] as const satisfies readonly Field[];

/** The parameters of every operation on clusters. */
export const clusterParams = {
  min_insiders: integerParam('Distinct insiders that make a cluster.', 1, 100, 3),
  days: integerParam('Calendar days within which they buy.', 1, 365, 14),
  ticker: filterParam('Trading symbol.'),
  from: dayParam('First date of the last trade.', { field: 'date_last', is: 'from' }),
  to: dayParam('Last date of the last trade.', { field: 'date_last', is: 'to' }),
  as_of: asOfParam(),
  ...paging,
};

/** Insiders of one issuer who bought in the open market within days of each other, newest last trade first. */
export const insiderClusters = operation({
  name: 'insider_clusters',
  command: { words: 'insider clusters', heading: 'Insiders' },
  summary: 'Where several insiders bought within days of each other',
  path: '/v1/insider/clusters',
  object: 'insider_clusters',
  members: ['as_of', 'covered_to'],
  subject: 'insider filings',
  params: clusterParams,
  fields,
  columns: fields.map(({ name }) => name).filter((name) => name !== 'insiders'),
  knownBy: 'detected_on',
  boundBy: 'as_of',
  check: ({ from, to }) => checkRange(from, to),
  needsVintageAccess: ({ as_of }) => as_of !== undefined,
  coveredTo: (_values, view) => view.coveredTo('filings'),
  async run(values, { view, position }) {
    const { clusters, ...page } = await pageOfClusters(view, values, position);
    return { ...page, rows: clusters.map(clusterRow) };
  },
});

/** The row of a cluster. */
function clusterRow(cluster: NamedCluster) {
  const totals = clusterTotals(cluster);
  const numbers = cluster.purchases.flatMap(({ filing }) => filing.accessionNumber ?? []);
  return {
    ticker: cluster.ticker,
    issuer_name: cluster.issuerName,
    cluster_size: cluster.size,
    total_shares: totals.shares,
    total_value: totals.value,
    date_first: cluster.dateFirst,
    date_last: cluster.dateLast,
    insiders: cluster.purchases.map(insiderEntry),
    issuer_cik: cluster.issuerCik,
    transaction_count: cluster.purchases.length,
    average_price: totals.averagePrice,
    price_low: totals.priceLow,
    price_high: totals.priceHigh,
    detected_on: cluster.detectedOn,
    size_when_detected: cluster.sizeWhenDetected,
    accession_numbers: [...new Set(numbers)].sort(),
  };
}

function insiderEntry({ filing, insider, date }: Purchase) {
  return {
    owner_name: insider.name,
    officer_title: insider.officerTitle,
    shares: filing.shares,
    price_per_share: filing.pricePerShare,
    transaction_date: date,
    is_director: insider.isDirector,
    is_officer: insider.isOfficer,
    owner_cik: insider.cik,
    filing_date: filing.filedOn,
    accession_number: filing.accessionNumber,
    value: transactionValue(filing),
  };
}

/** A cluster with the ticker and the name of its issuer, as its newest filing states them. */
export type NamedCluster = Cluster & {
  readonly issuerCik: string;
  readonly ticker: string | null;
  readonly issuerName: string | null;
};

/** Selects clusters by a rule, of one ticker (or all, if it is empty), as known on a day. */
type ClusterSearch = {
  readonly min_insiders: number;
  readonly days: number;
  readonly ticker: string;
  readonly as_of: Day | undefined;
};

/** The last listing of each state of a store, so that all its pages need one search. */
const lastListings = new WeakMap<
  StoreState,
  { readonly search: string; readonly clusters: readonly NamedCluster[] }
>();

/** Selects a page of clusters. */
type ClusterPageParams = ClusterSearch & {
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  readonly limit: number;
};

/** A page of clusters, newest last trade first, and where the next one begins. */
export async function pageOfClusters(
  view: StoreView,
  { from, to, limit, min_insiders, days, ticker, as_of }: ClusterPageParams,
  position: PagePosition | undefined,
): Promise<Omit<Page, 'rows'> & { readonly clusters: readonly NamedCluster[] }> {
  const { revision: version } = await view.state();
  // An import may change any cluster, so all pages must come from one state.
  if (position !== undefined && position.version !== version) throw changedSince();
  const all = await allClusters(view, { min_insiders, days, ticker, as_of });
  const wanted = all.filter(
    ({ dateLast }) => (from === undefined || dateLast >= from) && (to === undefined || dateLast <= to),
  );
  const after = position?.key.join('\n');
  const start = after === undefined ? 0 : wanted.findIndex((one) => keyOf(one).join('\n') === after) + 1;
  // Another store may have the same revision.
  if (after !== undefined && start === 0) throw changedSince();
  const { rows: clusters, ...rest } = pageOf(
    wanted.slice(start, start + limit + 1),
    limit,
    (cluster) => cluster,
    (last) => ({ key: keyOf(last), version }),
  );
  return { clusters, ...rest, ...(as_of !== undefined && { asOf: as_of }) };
}

/** Every cluster, newest last trade first. */
export async function allClusters(view: StoreView, query: ClusterSearch): Promise<readonly NamedCluster[]> {
  const state = await view.state();
  const search = JSON.stringify(query);
  const known = lastListings.get(state);
  if (known?.search === search) return known.clusters;
  const clusters = (await findClusters(view, query)).sort(newestFirst);
  lastListings.set(state, { search, clusters });
  return clusters;
}

/** The number of trades after which other requests may run. */
const tradesPerTick = 5000;

async function findClusters(
  view: StoreView,
  { min_insiders, days, ticker, as_of }: ClusterSearch,
): Promise<NamedCluster[]> {
  const symbol = ticker.toUpperCase();
  const found: NamedCluster[] = [];
  let trades = 0;
  const purchases = view.purchases({
    ...(as_of !== undefined && { asOf: as_of }),
    ...(symbol !== '' && { ticker: symbol }),
  });
  for await (const filings of purchases) {
    for (const cluster of clustersOf(classifyTrades(filings).purchases, {
      minInsiders: min_insiders,
      days,
    })) {
      if (symbol === '' || isOf(cluster, symbol)) found.push(named(cluster));
    }
    trades += filings.length;
    if (trades < tradesPerTick) continue;
    trades = 0;
    await nextTick();
  }
  return found;
}

function isOf({ purchases }: Cluster, symbol: string): boolean {
  return purchases.some(({ filing }) => symbolsOf(filing.ticker).includes(symbol));
}

function named(cluster: Cluster): NamedCluster {
  const filings = cluster.purchases
    .map(({ filing }) => filing)
    .sort((a, b) => (`${b.filedOn} ${b.filingId}` < `${a.filedOn} ${a.filingId}` ? -1 : 1));
  return {
    ...cluster,
    issuerCik: filings[0]?.issuerCik ?? '',
    ticker: filings.find(({ ticker }) => ticker !== null)?.ticker ?? null,
    issuerName: filings.find(({ issuerName }) => issuerName !== null)?.issuerName ?? null,
  };
}

function newestFirst(a: NamedCluster, b: NamedCluster): number {
  if (a.dateLast !== b.dateLast) return a.dateLast > b.dateLast ? -1 : 1;
  if (a.size !== b.size) return b.size - a.size;
  const [nameA, nameB] = [a, b].map(
    ({ ticker, issuerCik, dateFirst }) => `${ticker ?? ''}\n${issuerCik}\n${dateFirst}`,
  );
  return (nameA ?? '') < (nameB ?? '') ? -1 : 1;
}

/** The key by which clusters are ordered; it is unique. */
function keyOf({ dateLast, size, ticker, issuerCik, dateFirst }: NamedCluster): readonly string[] {
  return [dateLast, String(size), ticker ?? '', issuerCik, dateFirst];
}
