import { setImmediate as nextTick } from 'node:timers/promises';
import { type Classification, classifyTrades } from '../domain/insider/classification.ts';
import { type Cluster, clustersOf, isWorth } from '../domain/insider/cluster.ts';
import { type ClusterTotals, clusterTotals, transactionValue } from '../domain/insider/cluster-totals.ts';
import { explainCluster, explainedOwner, explanationText } from '../domain/insider/explanation.ts';
import { type Filing, hasSymbol, type ReportingOwner } from '../domain/insider/filing.ts';
import { type ClusterSignal, signalsOf } from '../domain/insider/signal.ts';
import type { Day } from '../domain/series/date.ts';
import type { StoreState, StoreView } from '../store/store.ts';
import { changedSince } from './cursor.ts';
import { type Page, type PagePosition, pageOf } from './operation.ts';

/** The issuer of a cluster, with the ticker and the name that the newest filing of its trades states. */
type ClusterIssuer = {
  readonly issuerCik: string;
  readonly ticker: string | null;
  readonly issuerName: string | null;
};

/** A cluster with its issuer. */
export type NamedCluster = Cluster & ClusterIssuer;

/** A cluster or a signal with what its trades are worth, together and each. */
export type Valued<T> = T & {
  readonly totals: ClusterTotals;
  /** The value of each trade, as `transactionValue` has it. */
  readonly values: readonly (string | null)[];
};

/** Selects clusters by a rule, of one ticker (or all, if it is empty), as known on a day. */
type ClusterSearch = {
  readonly transaction_code: string;
  readonly min_insiders: number;
  readonly days: number;
  readonly ticker: string;
  readonly as_of: Day | undefined;
};

/** The last listing of each state of a store, so that all its pages need one search. */
class LastListings<T> {
  readonly #last = new WeakMap<StoreState, { readonly search: string; readonly listing: readonly T[] }>();

  /** The listing of a search; `find` makes it, if it is not the last one of the state. */
  async of(state: StoreState, asked: object, find: () => Promise<readonly T[]>): Promise<readonly T[]> {
    const search = JSON.stringify(asked);
    const known = this.#last.get(state);
    if (known?.search === search) return known.listing;
    const listing = await find();
    this.#last.set(state, { search, listing });
    return listing;
  }
}

const listings = new LastListings<NamedCluster>();
const signalListings = new LastListings<NamedSignal>();

/** Selects a page of clusters. */
type ClusterPageParams = ClusterSearch & {
  readonly min_value: number | undefined;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  readonly limit: number;
};

/** A page of clusters, newest last trade first, and where the next one begins. */
export async function pageOfClusters(
  view: StoreView,
  { from, to, limit, min_value, ...asked }: ClusterPageParams,
  position: PagePosition | undefined,
): Promise<Omit<Page, 'rows'> & { readonly clusters: readonly Valued<NamedCluster>[] }> {
  const { revision: version } = await view.state();
  // An import may change any cluster, so all pages must come from one state.
  if (position !== undefined && position.version !== version) throw changedSince();
  const { transaction_code, min_insiders, days, ticker, as_of } = asked;
  const all = await allClusters(view, { transaction_code, min_insiders, days, ticker, as_of });
  const wanted = all.filter(
    (cluster) =>
      (from === undefined || cluster.dateLast >= from) &&
      (to === undefined || cluster.dateLast <= to) &&
      (min_value === undefined || isWorth(clusterTotals(cluster).value, min_value)),
  );
  const after = position?.key.join('\n');
  const start = after === undefined ? 0 : wanted.findIndex((one) => keyOf(one).join('\n') === after) + 1;
  // Another store may have the same revision.
  if (after !== undefined && start === 0) throw changedSince();
  const { rows: clusters, ...rest } = pageOf(
    wanted.slice(start, start + limit + 1),
    limit,
    valued,
    (last) => ({ key: keyOf(last), version }),
  );
  return { clusters, ...rest, ...(as_of !== undefined && { asOf: as_of }) };
}

function valued<T extends Pick<Cluster, 'trades'>>(found: T): Valued<T> {
  const values = found.trades.map(({ filing }) => transactionValue(filing));
  return { ...found, totals: clusterTotals(found), values };
}

/** Every cluster, newest last trade first. */
export async function allClusters(view: StoreView, query: ClusterSearch): Promise<readonly NamedCluster[]> {
  return listings.of(await view.state(), query, async () =>
    (await findClusters(view, query)).sort(newestFirst),
  );
}

/** The number of trades after which other requests may run. */
const tradesPerTick = 5000;

async function findClusters(
  view: StoreView,
  { transaction_code: code, min_insiders, days, ticker, as_of }: ClusterSearch,
): Promise<NamedCluster[]> {
  const rule = { minInsiders: min_insiders, days };
  return namedIn(view, { code, ticker, as_of }, (filings) =>
    clustersOf(classifyTrades(filings, code).trades, rule),
  );
}

/** The trades to search: those with a code, of one ticker (or all, if it is empty), as known on a day. */
type SearchedTrades = { readonly code: string; readonly ticker: string; readonly as_of: Day | undefined };

/** What `find` finds in the filings of each issuer, with the issuer's names; of a ticker, what has a filing that states it. */
async function namedIn<T extends Pick<Cluster, 'trades'>>(
  view: StoreView,
  { code, ticker, as_of }: SearchedTrades,
  find: (filings: readonly Filing[]) => readonly T[],
): Promise<(T & ClusterIssuer)[]> {
  const symbol = ticker.toUpperCase();
  const found: (T & ClusterIssuer)[] = [];
  let trades = 0;
  const searched = view.clusterTrades({
    code,
    ...(as_of !== undefined && { asOf: as_of }),
    ...(symbol !== '' && { ticker: symbol }),
  });
  for await (const filings of searched) {
    for (const one of find(filings)) {
      if (symbol === '' || isOf(one, symbol)) found.push({ ...one, ...issuerOf(one, symbol) });
    }
    trades += filings.length;
    if (trades < tradesPerTick) continue;
    trades = 0;
    await nextTick();
  }
  return found;
}

function isOf({ trades }: Pick<Cluster, 'trades'>, symbol: string): boolean {
  return trades.some(({ filing }) => hasSymbol(filing.ticker, symbol));
}

/** The names of the newest filing; of a search by symbol with those that have the symbol. */
function issuerOf({ trades }: Pick<Cluster, 'trades'>, symbol: string): ClusterIssuer {
  const filings = trades
    .map(({ filing }) => filing)
    .sort((a, b) => (`${b.filedOn} ${b.filingId}` < `${a.filedOn} ${a.filingId}` ? -1 : 1));
  return {
    issuerCik: filings[0]?.issuerCik ?? '',
    ticker:
      filings.find(({ ticker }) => ticker !== null && (symbol === '' || hasSymbol(ticker, symbol)))?.ticker ??
      null,
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

/** A signal with its issuer. */
export type NamedSignal = ClusterSignal & ClusterIssuer;

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
  const state = await view.state();
  const { revision: version } = state;
  // An import may bring earlier filings, so all pages must come from one state.
  if (position !== undefined && position.version !== version) throw changedSince();
  const rule = { code, minInsiders: min_insiders, days, minValue: min_value };
  const searched = { code, ticker, as_of };
  const all = await signalListings.of(state, { ...rule, ...searched }, async () => {
    const found = await namedIn(view, searched, (filings) => signalsOf(filings, rule));
    return found.sort((a, b) => (comesBefore(signalKey(a), signalKey(b)) ? -1 : 1));
  });
  const after = position?.key;
  const wanted = all.filter(
    (signal) =>
      (from === undefined || signal.day >= from) &&
      (to === undefined || signal.day <= to) &&
      (after === undefined || comesBefore(after, signalKey(signal))),
  );
  const { rows: signals, ...rest } = pageOf(wanted.slice(0, limit + 1), limit, valued, (last) => ({
    key: signalKey(last),
    version,
  }));
  return { signals, ...rest, ...(as_of !== undefined && { asOf: as_of }) };
}

/** The key by which signals are ordered; it is unique. */
function signalKey({ day, ticker, issuerCik, dateFirst }: NamedSignal): readonly string[] {
  return [day, ticker ?? '', issuerCik, dateFirst];
}

/** Whether a key comes before another: the newer day, then by ticker, issuer and first trade. */
function comesBefore([day = '', ...key]: readonly string[], [other = '', ...others]: readonly string[]) {
  return day === other ? key.join('\n') < others.join('\n') : day > other;
}

/** The trades that an explanation covers: those with a code within `days` of a cluster that were filed on or before `as_of`. */
type ExplanationScope = Pick<ClusterSearch, 'transaction_code' | 'days' | 'as_of'>;

/** What is said of a trade in or near a cluster. */
export type ExplainedTrade = {
  readonly cluster: NamedCluster;
  readonly filing: Filing;
  readonly owner: ReportingOwner | undefined;
  readonly isCounted: boolean;
  readonly reason: string;
};

/** The explanations of clusters, cluster by cluster, by the classification of each issuer's trades. */
export async function explanationsOf(
  view: StoreView,
  clusters: readonly NamedCluster[],
  { transaction_code: code, days, as_of }: ExplanationScope,
): Promise<readonly ExplainedTrade[]> {
  const asOf = as_of === undefined ? {} : { asOf: as_of };
  const classifications = new Map<string, Classification>();
  const explained: ExplainedTrade[] = [];
  for (const cluster of clusters) {
    const { issuerCik } = cluster;
    let classification = classifications.get(issuerCik);
    if (classification === undefined) {
      const trades: Filing[] = [];
      for await (const batch of view.clusterTrades({ code, issuerCik, ...asOf, uncounted: true }))
        trades.push(...batch);
      classification = classifyTrades(trades, code);
      classifications.set(issuerCik, classification);
    }
    for (const one of explainCluster(cluster, classification, days)) {
      const said = {
        owner: explainedOwner(one),
        isCounted: one.reason === 'counted',
        reason: explanationText(one),
      };
      explained.push({ cluster, filing: one.filing, ...said });
    }
  }
  return explained;
}
