import { type Classification, classifyTrades } from '../domain/insider/classification.ts';
import { type Cluster, isWorth } from '../domain/insider/cluster.ts';
import { type ClusterTotals, clusterTotals, transactionValue } from '../domain/insider/cluster-totals.ts';
import { explainCluster } from '../domain/insider/explanation.ts';
import type { Filing, ReportingOwner } from '../domain/insider/filing.ts';
import type { Day } from '../domain/series/date.ts';
import type { StoreView } from '../store/store.ts';
import {
  type ClusterSearch,
  clusterSearch,
  type NamedCluster,
  type NamedSignal,
  signalSearch,
} from './cluster-listings.ts';
import { LastListings } from './listing.ts';
import type { Page, PagePosition } from './page.ts';

/** A cluster or a signal with the total value of its trades and the value of each. */
export type Valued<T> = T & {
  readonly totals: ClusterTotals;
  /** The value of each trade, as `transactionValue` computes it. */
  readonly values: readonly (string | null)[];
};

const listings = new LastListings<NamedCluster>();
const signalListings = new LastListings<NamedSignal>();

/** Selects a page of clusters. */
type ClusterPageParams = ClusterSearch & {
  readonly min_value: number | undefined;
  readonly from: Day | undefined;
  readonly limit: number;
};

/** A page of clusters, newest last trade first, and where the next one begins. */
export async function pageOfClusters(
  view: StoreView,
  { from, to, limit, min_value, ...asked }: ClusterPageParams,
  position: PagePosition | undefined,
): Promise<Omit<Page, 'rows'> & { readonly clusters: readonly Valued<NamedCluster>[] }> {
  const { transaction_code, min_insiders, days, ticker, as_of } = asked;
  const query = { transaction_code, min_insiders, days, ticker, as_of, to };
  const isWanted = (cluster: NamedCluster) =>
    (from === undefined || cluster.dateLast >= from) &&
    (to === undefined || cluster.dateLast <= to) &&
    (min_value === undefined || isWorth(clusterTotals(cluster).value, min_value));
  const page = { asked: query, search: clusterSearch(query), from, limit, isWanted, position };
  const { rows: clusters, ...rest } = await listings.page(view, page, valued);
  return { clusters, ...rest, ...(as_of !== undefined && { asOf: as_of }) };
}

function valued<T extends Pick<Cluster, 'trades'>>(found: T): Valued<T> {
  const values = found.trades.map(({ filing }) => transactionValue(filing));
  return { ...found, totals: clusterTotals(found), values };
}

/** A page of signals, newest first, and where the next one begins. */
export async function pageOfSignals(
  view: StoreView,
  {
    transaction_code: code,
    min_insiders,
    days,
    min_value,
    ticker,
    as_of,
    from,
    to,
    limit,
  }: ClusterPageParams,
  position: PagePosition | undefined,
): Promise<Omit<Page, 'rows'> & { readonly signals: readonly Valued<NamedSignal>[] }> {
  const rule = { code, minInsiders: min_insiders, days, minValue: min_value };
  // Later filings change no signal, so the signals up to a day are the signals as of that day.
  const asOf = [to, as_of].flatMap((day) => day ?? []).sort()[0];
  const isWanted = ({ day }: NamedSignal) => from === undefined || day >= from;
  const search = signalSearch(rule, ticker, asOf);
  const page = { asked: { ...rule, ticker, asOf }, search, from, limit, isWanted, position };
  const { rows: signals, ...rest } = await signalListings.page(view, page, valued);
  return { signals, ...rest, ...(as_of !== undefined && { asOf: as_of }) };
}

/** The trades that an explanation covers: with a code, within `days` of a cluster, filed on or before `as_of`. */
type ExplanationScope = Pick<ClusterSearch, 'transaction_code' | 'days' | 'as_of'>;

/** What is said about a trade in or near a cluster. */
export type ExplainedTrade = {
  readonly cluster: NamedCluster;
  readonly filing: Filing;
  readonly owner: ReportingOwner | undefined;
  readonly isCounted: boolean;
  readonly reason: string;
};

/** The explanations of clusters, cluster by cluster, from the classification of each issuer's trades. */
export async function explanationsOf(
  view: StoreView,
  clusters: readonly NamedCluster[],
  { transaction_code: code, days, as_of }: ExplanationScope,
): Promise<readonly ExplainedTrade[]> {
  if (clusters.length === 0) return [];
  const issuerCiks = [...new Set(clusters.map(({ issuerCik }) => issuerCik))];
  const asked = { code, issuerCiks, uncounted: true, ...(as_of !== undefined && { asOf: as_of }) };
  const classifications = new Map<string, Classification>();
  for await (const trades of view.filings.clusterTrades(asked))
    classifications.set(trades[0]?.issuerCik ?? '', classifyTrades(trades, code));
  const explained: ExplainedTrade[] = [];
  for (const cluster of clusters) {
    const classification = classifications.get(cluster.issuerCik);
    if (classification === undefined) continue;
    for (const { filing, owner, reason, text } of explainCluster(cluster, classification, days))
      explained.push({ cluster, filing, owner, isCounted: reason === 'counted', reason: text });
  }
  return explained;
}
