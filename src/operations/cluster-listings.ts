import { setImmediate as nextTick } from 'node:timers/promises';
import { type Classification, classifyTrades } from '../domain/insider/classification.ts';
import { type Cluster, ClusterCandidates, clustersOf, isWorth } from '../domain/insider/cluster.ts';
import { type ClusterTotals, clusterTotals, transactionValue } from '../domain/insider/cluster-totals.ts';
import { explainCluster } from '../domain/insider/explanation.ts';
import { type Filing, hasSymbol, type ReportingOwner } from '../domain/insider/filing.ts';
import { type ClusterSignal, type SignalRule, signalsOf } from '../domain/insider/signal.ts';
import { addDays, type Day, dayNumber } from '../domain/series/date.ts';
import type { DaysOfTrades, DaysOfTradesQuery, FiledTrade } from '../store/filings.ts';
import type { StoreView } from '../store/store.ts';
import { LastListings, type ListingPart, type ListingSearch } from './listing.ts';
import type { Page, PagePosition } from './page.ts';

/** The issuer of a cluster, with the ticker and the name that the newest filing of its trades states. */
type ClusterIssuer = {
  readonly issuerCik: string;
  readonly ticker: string | null;
  readonly issuerName: string | null;
};

/** A cluster with its issuer. */
export type NamedCluster = Cluster & ClusterIssuer;

/** A signal with its issuer. */
export type NamedSignal = ClusterSignal & ClusterIssuer;

/**
 * Which clusters to find: by a rule, of one ticker (of all, if it is empty), known on a day, with a last trade up to
 * a day.
 */
type ClusterSearch = {
  readonly transaction_code: string;
  readonly min_insiders: number;
  readonly days: number;
  readonly ticker: string;
  readonly as_of: Day | undefined;
  readonly to: Day | undefined;
};

/** The number of trades whose dates are read at once to find candidate issuers: few at first, then more. */
const datesAtOnce = { first: 4096, most: 65_536 };

/** The search for clusters, those with the newest last trade first. */
export function clusterSearch(query: ClusterSearch): ListingSearch<NamedCluster> {
  const { transaction_code: code, min_insiders: minInsiders, days, ticker, as_of, to } = query;
  const rule = { minInsiders, days };
  const find = (filings: readonly Filing[]) => clustersOf(classifyTrades(filings, code).trades, rule);
  return {
    dayOf: ({ dateLast }) => dateLast,
    compare: newestFirst,
    keyOf: clusterKey,
    begin: () => {
      const candidates = new ClusterCandidates(rule);
      return searchIssuers({
        searched: { code, ticker, as_of },
        find: (view, searched) => namedIn(view, searched, find),
        // A trade that counts is never newer than its filing, and a cluster never newer than its last trade.
        begin: async (view) => dayAfter([to, as_of, await view.filings.coveredTo()]),
        read: (view, query) => view.filings.tradePlaces(query),
        isCandidate: (trade) => candidates.take({ ...trade, upTo: trade.date }),
        // A cluster that is not found yet has its last span before the next trade.
        daysAfter: days - 1,
      });
    },
  };
}

/** How a search reads the places of trades, newest first, to find the issuers whose filings it must read. */
type IssuerSearch<P extends { readonly issuerCik: string }, T> = {
  readonly searched: Omit<SearchedTrades, 'issuerCiks'>;
  readonly find: (view: StoreView, searched: SearchedTrades) => Promise<readonly T[]>;
  /** The day after that of the newest trade. */
  readonly begin: (view: StoreView) => Promise<Day>;
  readonly read: (view: StoreView, query: DaysOfTradesQuery) => Promise<DaysOfTrades<P>>;
  /** Whether the next trade, in the order of reading, makes its issuer one to search. */
  readonly isCandidate: (trade: P) => boolean;
  /** How many days after the remaining trades a result that is not found yet may be dated. */
  readonly daysAfter: number;
};

/**
 * Finds the parts of a search: with a ticker everything at once, otherwise by the issuers that the next trades lead
 * to.
 */
function searchIssuers<P extends { readonly issuerCik: string }, T>({
  searched,
  find,
  begin,
  read,
  isCandidate,
  daysAfter,
}: IssuerSearch<P, T>): (view: StoreView) => Promise<ListingPart<T>> {
  let before: Day | undefined;
  let limit: number = datesAtOnce.first;
  return async (view) => {
    if (searched.ticker !== '') return { found: await find(view, searched), completeFrom: undefined };
    before ??= await begin(view);
    const { trades, before: next } = await read(view, { code: searched.code, before, limit });
    const issuerCiks = trades.filter(isCandidate).map(({ issuerCik }) => issuerCik);
    const found = await find(view, { ...searched, issuerCiks });
    [before, limit] = [next ?? before, Math.min(limit * 2, datesAtOnce.most)];
    return { found, completeFrom: next && addDays(next, daysAfter) };
  };
}

/** The day after the earliest of these days. */
function dayAfter(days: readonly (Day | undefined)[]): Day {
  const [first] = days.flatMap((day) => day ?? []).sort();
  return first === undefined ? '0001-01-01' : addDays(first, 1);
}

/** A trade that is filed more than this number of days after it is late. */
const lateAfter = 30;

/** The search for signals up to a day, the newest first. */
function signalSearch(rule: SignalRule, ticker: string, asOf: Day | undefined): ListingSearch<NamedSignal> {
  const find = (filings: readonly Filing[]) => signalsOf(filings, rule);
  return {
    dayOf: ({ day }) => day,
    compare: (a, b) => (comesBefore(signalKey(a), signalKey(b)) ? -1 : 1),
    keyOf: signalKey,
    begin: () => {
      const candidates = new ClusterCandidates(rule);
      return searchIssuers({
        searched: { code: rule.code, ticker, as_of: asOf },
        find: (view, searched) => namedIn(view, searched, find),
        begin: async () => (asOf === undefined ? 'infinity' : addDays(asOf, 1)),
        read: (view, query) => view.filings.filedTrades(query),
        isCandidate: (trade) => mayGiveSignal(candidates, trade),
        // A signal that is not found yet comes from a trade that is not late, in a span that begins before the next
        // trade.
        daysAfter: lateAfter + rule.days - 1,
      });
    },
  };
}

/**
 * Whether the issuer of the next trade, in order of filing, may have signals. A late trade or amendment may complete
 * a cluster of trades filed long before; any other trade only one of trades filed at about the same time.
 */
function mayGiveSignal(candidates: ClusterCandidates, { date, filedOn, ...place }: FiledTrade): boolean {
  if (date === null || date > filedOn) return false;
  if (dayNumber(filedOn) - dayNumber(date) > lateAfter) return candidates.choose(place.issuerCik);
  return candidates.take({ ...place, date, upTo: filedOn });
}

/** The number of trades after which other requests may run. */
const tradesPerTick = 5000;

/**
 * The trades to search: those with a code, of some issuers or of one ticker (of all, if it is empty), known on a day.
 */
type SearchedTrades = {
  readonly code: string;
  readonly ticker: string;
  readonly as_of: Day | undefined;
  readonly issuerCiks?: readonly string[];
};

/**
 * What `find` finds in the filings of each issuer, with the issuer's names; with a ticker, only results that have a
 * filing with that ticker.
 */
async function namedIn<T extends Pick<Cluster, 'trades'>>(
  view: StoreView,
  { code, ticker, as_of, issuerCiks }: SearchedTrades,
  find: (filings: readonly Filing[]) => readonly T[],
): Promise<(T & ClusterIssuer)[]> {
  const symbol = ticker.toUpperCase();
  const found: (T & ClusterIssuer)[] = [];
  if (issuerCiks?.length === 0) return found;
  let trades = 0;
  const searched = view.filings.clusterTrades({
    code,
    ...(as_of !== undefined && { asOf: as_of }),
    ...(symbol !== '' && { ticker: symbol }),
    ...(issuerCiks !== undefined && { issuerCiks }),
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

/** The names in the newest filing; with a symbol, in the newest filing that states that symbol. */
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

/** The key by which clusters are ordered. */
export function clusterKey({
  dateLast,
  size,
  ticker,
  issuerCik,
  dateFirst,
}: NamedCluster): readonly string[] {
  return [dateLast, String(size), ticker ?? '', issuerCik, dateFirst];
}

/** The key by which signals are ordered. */
function signalKey({ day, ticker, issuerCik, dateFirst }: NamedSignal): readonly string[] {
  return [day, ticker ?? '', issuerCik, dateFirst];
}

/** Whether a key comes before another: the newer day, then by ticker, issuer and first trade. */
function comesBefore([day = '', ...key]: readonly string[], [other = '', ...others]: readonly string[]) {
  return day === other ? key.join('\n') < others.join('\n') : day > other;
}

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
