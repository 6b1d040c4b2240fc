import { setImmediate as nextTick } from 'node:timers/promises';
import { classifyTrades } from '../domain/insider/classification.ts';
import {
  type Cluster,
  ClusterCandidates,
  clustersOf,
  clusterTotals,
  isWorth,
} from '../domain/insider/cluster.ts';
import { type Filing, hasSymbol } from '../domain/insider/filing.ts';
import { closest } from '../domain/series/closest.ts';
import { addDays, type Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { StoreView } from '../store/store.ts';
import { changedSince } from './cursor.ts';
import type { UnknownTicker } from './envelope.ts';
import { LastListings, type ListingSearch, pageOfListing } from './listing.ts';
import type { AskMore } from './operation.ts';
import { type Page, type PagePosition, pageOf } from './operation.ts';
import { type ParamTexts, textOf, without } from './param.ts';

/** The issuer of a cluster, with the ticker and the name that the newest filing of its trades states. */
export type ClusterIssuer = {
  readonly issuerCik: string;
  readonly ticker: string | null;
  readonly issuerName: string | null;
};

/** A cluster with its issuer. */
export type NamedCluster = Cluster & ClusterIssuer;

/** Selects clusters by a rule, of one ticker (or all, if it is empty), as known on a day, up to a day of the last trade. */
type ClusterSearch = {
  readonly transaction_code: string;
  readonly min_insiders: number;
  readonly days: number;
  readonly ticker: string;
  readonly as_of: Day | undefined;
  readonly to: Day | undefined;
};

const listings = new LastListings<NamedCluster>();

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
): Promise<Omit<Page, 'rows'> & { readonly clusters: readonly NamedCluster[] }> {
  const state = await view.state();
  const { revision: version } = state;
  // An import may change any cluster, so all pages must come from one state.
  if (position !== undefined && position.version !== version) throw changedSince();
  const { transaction_code, min_insiders, days, ticker, as_of } = asked;
  const query = { transaction_code, min_insiders, days, ticker, as_of, to };
  const listing = listings.of(state, query, clusterSearch(query));
  const isWanted = (cluster: NamedCluster) =>
    (from === undefined || cluster.dateLast >= from) &&
    (to === undefined || cluster.dateLast <= to) &&
    (min_value === undefined || isWorth(clusterTotals(cluster).value, min_value));
  const found = await pageOfListing(view, { listing, from, limit, isWanted, keyOf, position });
  const { rows: clusters, ...rest } = pageOf(
    found,
    limit,
    (cluster) => cluster,
    (last) => ({ key: keyOf(last), version }),
  );
  return { clusters, ...rest, ...(as_of !== undefined && { asOf: as_of }) };
}

/** The number of trades whose dates are read at once, to find issuers that may have clusters: few at first, then more. */
export const datesAtOnce = { first: 4096, most: 65_536 };

/** How the clusters of a search are found, those with the newest last trade first. */
export function clusterSearch(query: ClusterSearch): ListingSearch<NamedCluster> {
  const { transaction_code: code, min_insiders: minInsiders, days, ticker, as_of, to } = query;
  const rule = { minInsiders, days };
  const find = (filings: readonly Filing[]) => clustersOf(classifyTrades(filings, code).trades, rule);
  return {
    dayOf: ({ dateLast }) => dateLast,
    compare: newestFirst,
    begin: () => {
      const candidates = new ClusterCandidates(rule);
      let [before, limit] = ['', datesAtOnce.first];
      return async (view) => {
        if (ticker !== '')
          return { found: await namedIn(view, { code, ticker, as_of }, find), completeFrom: undefined };
        // A trade that counts is no newer than its filing, nor is a cluster newer than its last trade.
        if (before === '') before = dayAfter([to, as_of, await view.coveredTo('filings')]);
        const { trades, before: next } = await view.tradePlaces({ code, before, limit });
        const chosen = trades.filter((trade) => candidates.take({ ...trade, upTo: trade.date }));
        const issuerCiks = chosen.map(({ issuerCik }) => issuerCik);
        const found = await namedIn(view, { code, ticker, as_of, issuerCiks }, find);
        [before, limit] = [next ?? before, Math.min(limit * 2, datesAtOnce.most)];
        // The last span of a cluster that is not found yet begins before that day.
        return { found, completeFrom: next && addDays(next, days - 1) };
      };
    },
  };
}

/** The day after the first of some days. */
function dayAfter(days: readonly (Day | undefined)[]): Day {
  const [first] = days.flatMap((day) => day ?? []).sort();
  return first === undefined ? '0001-01-01' : addDays(first, 1);
}

/** The number of trades after which other requests may run. */
const tradesPerTick = 5000;

/** The trades to search: those with a code, of some issuers or of one ticker (or all, if it is empty), as known on a day. */
type SearchedTrades = {
  readonly code: string;
  readonly ticker: string;
  readonly as_of: Day | undefined;
  readonly issuerCiks?: readonly string[];
};

/** What `find` finds in the filings of each issuer, with the issuer's names; of a ticker, what has a filing that states it. */
export async function namedIn<T extends Pick<Cluster, 'trades'>>(
  view: StoreView,
  { code, ticker, as_of, issuerCiks }: SearchedTrades,
  find: (filings: readonly Filing[]) => readonly T[],
): Promise<(T & ClusterIssuer)[]> {
  const symbol = ticker.toUpperCase();
  const found: (T & ClusterIssuer)[] = [];
  if (issuerCiks?.length === 0) return found;
  let trades = 0;
  const searched = view.clusterTrades({
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

/** The ticker that was asked for and the one that is spelled most like it, if no filing of it is held. */
export async function unknownTickerIn(
  view: StoreView,
  ticker: string,
): Promise<{ readonly unknownTicker?: UnknownTicker }> {
  if (ticker === '' || (await view.filings({ ticker, limit: 1 })).length > 0) return {};
  return { unknownTicker: { ticker, nearest: closest(ticker, await view.symbols()) ?? null } };
}

/** Where the filings of the ticker that was asked for are, if not in the answer; undefined without a ticker. */
export async function tickerReason(texts: ParamTexts, ask: AskMore): Promise<string | undefined> {
  const [ticker, asOf] = ['ticker', 'as_of'].map((name) => textOf(texts, name));
  if (ticker === undefined) return undefined;
  const newest = await newestOf(ticker, ask);
  if (newest === undefined) return shownNone(ticker);
  if (asOf === undefined || newest <= asOf) return `the newest filing of ${ticker} is of ${newest}`;
  const before = await newestDay(
    [
      ['ticker', ticker],
      ['from', firstFilingDay],
      ['to', asOf],
    ],
    ask,
  );
  return before === undefined
    ? `no filing of ${ticker} is held up to ${asOf}`
    : `the newest filing of ${ticker} up to ${asOf} is of ${before}`;
}

/**
 * The day of the newest filing of a ticker; a Problem with a suggestion where no filing of it is held. Undefined of a
 * service that shows none and does not say that it holds none: it may have overlooked the range.
 */
async function newestOf(ticker: string, ask: AskMore): Promise<string | undefined> {
  const { results, unknown_ticker: unknown } = await ask('insider_filings', [
    ['ticker', ticker],
    ['from', firstFilingDay],
    ['limit', '1'],
  ]);
  if (unknown?.ticker === ticker)
    throw new Problem('not-found', `no filing of ticker '${ticker}' is held`, {
      hints: unknown.nearest === null ? [] : [`did you mean ${unknown.nearest}?`],
    });
  return results[0] && String(results[0].filing_date);
}

function shownNone(ticker: string): string {
  return `the service shows no filing of ${ticker}`;
}

/** The day of the newest filing that these texts ask for. */
async function newestDay(texts: ParamTexts, ask: AskMore): Promise<string | undefined> {
  const { results } = await ask('insider_filings', [...texts, ['limit', '1']]);
  return results[0] && String(results[0].filing_date);
}

/** Why no filings were found: there are none of the ticker (a Problem), none on the days asked for, or none at all. */
export async function reasonWithoutFilings(
  texts: ParamTexts,
  usualDays: number,
  ask: AskMore,
): Promise<string | undefined> {
  const [days = String(usualDays), from, to, asOf, ticker] = ['days', 'from', 'to', 'as_of', 'ticker'].map(
    (name) => textOf(texts, name),
  );
  if (ticker !== undefined && (await newestOf(ticker, ask)) === undefined) return shownNone(ticker);
  const ofAnyDay: ParamTexts = [
    ...['days', 'limit', 'cursor', 'from', 'to'].reduce(without, texts),
    ['from', firstFilingDay],
  ];
  const newest = await newestDay(to === undefined ? ofAnyDay : [...ofAnyDay, ['to', to]], ask);
  const last = to !== undefined && (asOf === undefined || to < asOf) ? to : asOf;
  const upTo = last === undefined ? '' : ` up to ${last}`;
  if (newest !== undefined && from === undefined && to === undefined)
    return `none was filed in the last ${days} days, the newest on ${newest}; --from shows earlier ones`;
  const hasOthers = ['owner_name', 'transaction_code'].some((name) => textOf(texts, name) !== undefined);
  const what = `filing${ticker === undefined ? '' : ` of ${ticker}`}${hasOthers ? ' that matches' : ''}`;
  if (newest !== undefined) return `the newest ${what}${upTo} is of ${newest}`;
  return last === undefined ? `no ${what} is held` : `no ${what} is held${upTo}`;
}

/** Before the first filing with the SEC. */
export const firstFilingDay = '1900-01-01';
