// Why: docs/decisions/clusters.md
import { setImmediate as nextTick } from 'node:timers/promises';
import { type Classification, classifyTrades } from '../../domain/insider/classification.ts';
import {
  type Cluster,
  ClusterCandidates,
  type ClusterSignal,
  clustersOf,
  clusterTotals,
  isWorth,
  signalsOf,
  transactionValue,
} from '../../domain/insider/cluster.ts';
import { explainCluster } from '../../domain/insider/explanation.ts';
import { type Filing, hasSymbol, purchaseCode } from '../../domain/insider/filing.ts';
import { addDays, type Day, dayNumber, startOfTime } from '../../domain/values/date.ts';
import { defined } from '../../platform/defined.ts';
import type { DaysOfTrades, DaysOfTradesQuery, StoreState, StoreView } from '../../store/store.ts';
import {
  changedSince,
  checkVersion,
  countInPage,
  cutToPage,
  type Page,
  type PagePosition,
} from '../envelope.ts';

type ListingValues = {
  readonly transaction_code: string;
  readonly min_insiders: number;
  readonly days: number;
  readonly min_value: number | undefined;
  readonly ticker: string;
  readonly as_of: Day | undefined;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
  readonly limit: number;
};

type FoundRow = Pick<Cluster, 'dateFirst' | 'dateLast' | 'size' | 'trades'>;

/** A cluster or a signal with the names of its issuer, and its place in the order of rows. */
type NamedRow<T extends FoundRow> = T & {
  readonly issuerCik: string;
  readonly ticker: string | null;
  readonly issuerName: string | null;
  readonly place: RowPlace;
};

/** The day of a row; also its size if the larger one of a day comes first. */
type RowPlace = readonly [day: Day, size?: number];

/** The issuers of the next trades; all other trades are before `before`. */
type NextIssuers = { readonly issuerCiks: readonly string[]; readonly before: string | undefined };

type Search<T extends FoundRow> = {
  /** The key of the search: all parameters that it depends on. */
  readonly asked: string;
  readonly code: string;
  readonly ticker: string;
  readonly asOf: Day | undefined;
  readonly find: (filings: readonly Filing[]) => readonly T[];
  readonly placeOf: (one: T) => RowPlace;
  readonly isWanted: (one: T) => boolean;
  /** Returns the day after the newest trade. */
  readonly begin: (view: StoreView) => Promise<string>;
  /** Starts to read trades, newest first; each call of the result reads the next ones. */
  readonly reader: () => (view: StoreView, query: DaysOfTradesQuery) => Promise<NextIssuers>;
  /** How many days after the unread trades a missing row may be dated. */
  readonly daysAfter: number;
};

const foundClusters = listing(clusterSearch);

/** Returns a page of clusters, the newest last trade first. */
export async function clusterPage(view: StoreView, values: ListingValues, position?: PagePosition) {
  const { rows, ...page } = await foundClusters(view, values, position);
  const { transaction_code: code } = values;
  return {
    ...page,
    rows: rows.map((cluster) => ({
      ...cluster,
      ...clusterTotals(cluster),
      clusterSize: cluster.size,
      insiders: cluster.trades.map(({ filing, insider: { name, cik, ...roles }, date }) => ({
        ...roles,
        ...{ ownerName: name, ownerCik: cik, transactionDate: date, filingDate: filing.filedOn },
        shares: filing.shares,
        pricePerShare: filing.pricePerShare,
        accessionNumber: filing.accessionNumber,
        value: transactionValue(filing),
      })),
      transactionCount: cluster.trades.length,
      accessionNumbers: [
        ...new Set(cluster.trades.flatMap(({ filing }) => filing.accessionNumber ?? [])),
      ].sort(),
      transactionCode: otherCode(code),
    })),
  };
}

function otherCode(code: string): string | undefined {
  return code === purchaseCode ? undefined : code;
}

/** Returns a page of the trades in and near each cluster; a page has whole clusters. */
export async function explanationPage(view: StoreView, values: ListingValues, position?: PagePosition) {
  const { rows: found, ...page } = await foundClusters(view, values, position);
  const { transaction_code: code, days, as_of: asOf } = values;
  const classifications = new Map<string, Classification>();
  if (found.length > 0) {
    const issuerCiks = [...new Set(found.map(({ issuerCik }) => issuerCik))];
    const asked = { code, issuerCiks, uncounted: true, ...defined({ asOf }) };
    for await (const trades of view.filings.clusterTrades(asked))
      classifications.set(trades[0]?.issuerCik ?? '', classifyTrades(trades, code));
  }
  const explained = found.map(({ ticker, issuerCik, dateFirst, dateLast, ...cluster }) => {
    const classification = classifications.get(issuerCik);
    if (classification === undefined) return [];
    const trades = explainCluster({ ...cluster, dateFirst, dateLast }, classification, days);
    return trades.map(({ filing, owner, reason, text }) => ({
      filing,
      own: {
        ...{ ticker, issuerCik, dateFirst, dateLast },
        filingDate: filing.filedOn,
        ownerName: owner?.name ?? null,
        verdict: reason === 'counted' ? 'counted' : 'left out',
        reason: text,
        transactionCode: otherCode(code),
      },
    }));
  });
  const count = countInPage(explained.map(({ length }) => length));
  const last = found[count - 1];
  const { revision: version } = await view.state();
  return {
    ...page,
    rows: explained.slice(0, count).flat(),
    ...(last !== undefined && count < found.length && { next: { key: keyOf(last), version } }),
  };
}

const foundSignals = listing(signalSearch);

/** Returns a page of signals, the newest first. */
export async function signalPage(view: StoreView, values: ListingValues, position?: PagePosition) {
  const { rows, ...page } = await foundSignals(view, values, position);
  return {
    ...page,
    rows: rows.map((signal) => ({
      ...signal,
      ...clusterTotals(signal),
      clusterSize: signal.size,
      transactionCode: values.transaction_code,
      transactionCount: signal.trades.length,
    })),
  };
}

function clusterSearch(values: ListingValues): Search<Cluster> {
  const { transaction_code: code, min_insiders: minInsiders, days, min_value, ticker } = values;
  const { as_of: asOf, from, to } = values;
  const rule = { minInsiders, days };
  return {
    ...{ code, ticker, asOf },
    asked: JSON.stringify([code, rule, ticker, asOf, to]),
    find: (filings) => clustersOf(classifyTrades(filings, code).trades, rule),
    placeOf: ({ dateLast, size }) => [dateLast, size],
    isWanted: (cluster) =>
      (from === undefined || cluster.dateLast >= from) &&
      (to === undefined || cluster.dateLast <= to) &&
      (min_value === undefined || isWorth(clusterTotals(cluster).totalValue, min_value)),
    async begin(view) {
      // A trade that counts is not newer than its filing, and a cluster not newer than its last trade.
      const [last] = [to, asOf, await view.filings.coveredTo()].flatMap((day) => day ?? []).sort();
      return last === undefined ? startOfTime : addDays(last, 1);
    },
    reader() {
      const candidates = new ClusterCandidates(rule);
      return async (view, query) =>
        issuersOf(await view.filings.tradePlaces(query), (trade) => candidates.take(trade, trade.date));
    },
    // The last span of a missing cluster is before the next trade.
    daysAfter: days - 1,
  };
}

/** A trade is late if filed more than this number of days after it. */
const lateAfter = 30;

function signalSearch(values: ListingValues): Search<ClusterSignal> {
  const { transaction_code: code, min_insiders: minInsiders, days, min_value: minValue, ticker } = values;
  const { as_of, from, to } = values;
  const rule = { code, minInsiders, days, minValue };
  // Later filings change no signal, so the signals up to a day are the signals as of that day.
  const [asOf] = [to, as_of].flatMap((day) => day ?? []).sort();
  return {
    ...{ code, ticker, asOf },
    asked: JSON.stringify([rule, ticker, asOf]),
    find: (filings) => signalsOf(filings, rule),
    placeOf: ({ day }) => [day],
    isWanted: ({ day }) => from === undefined || day >= from,
    begin: async () => (asOf === undefined ? 'infinity' : addDays(asOf, 1)),
    reader() {
      const candidates = new ClusterCandidates(rule);
      // A late trade may complete a cluster of trades filed long before; others only of trades filed about then.
      return async (view, query) =>
        issuersOf(await view.filings.filedTrades(query), ({ date, filedOn, ...trade }) => {
          if (date === null || date > filedOn) return false;
          if (dayNumber(filedOn) - dayNumber(date) > lateAfter) return candidates.choose(trade.issuerCik);
          return candidates.take({ ...trade, date }, filedOn);
        });
    },
    // A missing signal comes from a trade that is not late, in a span that begins before the next trade.
    daysAfter: lateAfter + days - 1,
  };
}

function issuersOf<T extends { readonly issuerCik: string }>(
  { trades, before }: DaysOfTrades<T>,
  isCandidate: (trade: T) => boolean,
): NextIssuers {
  return { issuerCiks: trades.filter(isCandidate).map(({ issuerCik }) => issuerCik), before };
}

function keyOf({ place, ticker, issuerCik, dateFirst }: NamedRow<FoundRow>): readonly string[] {
  return [...place.map(String), ticker ?? '', issuerCik, dateFirst];
}

/** Compares two rows: the newest first, then the largest, then by ticker, issuer and first trade. */
function compare(one: NamedRow<FoundRow>, other: NamedRow<FoundRow>): number {
  const [[day, size = 0], [otherDay, otherSize = 0]] = [one.place, other.place];
  if (day !== otherDay) return day > otherDay ? -1 : 1;
  return otherSize - size || (keyOf(one).join('\n') < keyOf(other).join('\n') ? -1 : 1);
}

/**
 * Makes a function that returns pages of rows; the pages of one query continue one search.
 * Refuses a position in another state of the store, because an import may change any row.
 */
function listing<T extends FoundRow>(searchOf: (values: ListingValues) => Search<T>) {
  const last = new WeakMap<StoreState, FoundRows<T>>();
  return async (
    view: StoreView,
    values: ListingValues,
    position?: PagePosition,
  ): Promise<Page<NamedRow<T>>> => {
    const state = await view.state();
    const { revision: version } = state;
    checkVersion(position, version);
    const search = searchOf(values);
    const known = last.get(state);
    const found = known?.asked === search.asked ? known : new FoundRows(search);
    last.set(state, found);
    const { from, limit, as_of } = values;
    const after = position?.key.join('\n');
    for (;;) {
      const isComplete = found.isComplete(from);
      const wanted = found.rows.filter(search.isWanted);
      const start = after === undefined ? 0 : wanted.findIndex((row) => keyOf(row).join('\n') === after) + 1;
      const isFound = after === undefined || start > 0;
      // Another store may have the same revision.
      if (isComplete && !isFound) throw changedSince();
      if (isComplete || (isFound && wanted.length > start + limit)) {
        const page = cutToPage(wanted.slice(start), limit, (row) => ({ key: keyOf(row), version }));
        return { ...page, ...defined({ as_of }) };
      }
      await found.readOn(view);
    }
  };
}

/** The number of trades read at once for candidate issuers: few at first, then more. */
const tradesAtOnce = { first: 4096, most: 65_536 };

class FoundRows<T extends FoundRow> {
  readonly #search: Search<T>;
  #next: ReturnType<Search<T>['reader']>;
  #query: DaysOfTradesQuery | undefined;
  #found: readonly NamedRow<T>[] = [];
  #parts = 0;
  /** The day from which nothing is missing; undefined at the end of the search. */
  #completeFrom: Day | undefined = '~';
  #reading: Promise<void> = Promise.resolve();

  constructor(search: Search<T>) {
    this.#search = search;
    this.#next = search.reader();
  }

  get asked(): string {
    return this.#search.asked;
  }

  get rows(): readonly NamedRow<T>[] {
    const from = this.#completeFrom;
    return from === undefined ? this.#found : this.#found.filter(({ place: [day] }) => day >= from);
  }

  /** Tells whether all rows from a day on are found; without a day, all rows. */
  isComplete(from: Day | undefined): boolean {
    return this.#completeFrom === undefined || (from !== undefined && this.#completeFrom <= from);
  }

  /** Finds the next rows; callers that wait at the same time share them. */
  async readOn(view: StoreView): Promise<void> {
    const parts = this.#parts;
    const before = this.#reading.catch(() => undefined);
    this.#reading = before.then(() => (this.#parts === parts ? this.#readPart(view) : undefined));
    return this.#reading;
  }

  async #readPart(view: StoreView): Promise<void> {
    try {
      const [found, completeFrom] = await this.#findNext(view);
      this.#found = [...this.#found, ...found].sort(compare);
      this.#completeFrom = completeFrom;
      this.#parts += 1;
    } catch (error) {
      // The search may have lost trades that it read, so it begins again.
      this.#next = this.#search.reader();
      this.#query = undefined;
      this.#found = [];
      this.#completeFrom = '~';
      throw error;
    }
  }

  async #findNext(view: StoreView): Promise<[found: readonly NamedRow<T>[], completeFrom: Day | undefined]> {
    const { code, ticker, begin, daysAfter } = this.#search;
    if (ticker !== '') return [await namedIn(view, this.#search), undefined];
    this.#query ??= { code, before: await begin(view), limit: tradesAtOnce.first };
    const { issuerCiks, before } = await this.#next(view, this.#query);
    const found = await namedIn(view, this.#search, issuerCiks);
    if (before === undefined) return [found, undefined];
    this.#query = { code, before, limit: Math.min(this.#query.limit * 2, tradesAtOnce.most) };
    return [found, addDays(before, daysAfter)];
  }
}

/** The number of trades after which other requests may run. */
const tradesPerTick = 5000;

/** Searches the filings of some issuers; with a ticker, returns only rows with a filing of that ticker. */
async function namedIn<T extends FoundRow>(
  view: StoreView,
  { code, ticker, asOf, find, placeOf }: Search<T>,
  issuerCiks?: readonly string[],
): Promise<readonly NamedRow<T>[]> {
  const symbol = ticker === '' ? undefined : ticker.toUpperCase();
  const found: NamedRow<T>[] = [];
  if (issuerCiks?.length === 0) return found;
  let trades = 0;
  const searched = view.filings.clusterTrades({ code, ...defined({ asOf, ticker: symbol, issuerCiks }) });
  for await (const filings of searched) {
    for (const one of find(filings)) {
      if (symbol === undefined || one.trades.some(({ filing }) => hasSymbol(filing.ticker, symbol)))
        found.push({ ...one, ...issuerOf(one, symbol), place: placeOf(one) });
    }
    trades += filings.length;
    if (trades < tradesPerTick) continue;
    trades = 0;
    await nextTick();
  }
  return found;
}

/** Returns the names in the newest filing; with a symbol, in the newest filing with that symbol. */
function issuerOf({ trades }: FoundRow, symbol: string | undefined) {
  const filings = trades
    .map(({ filing }) => filing)
    .sort((a, b) => (`${b.filedOn} ${b.filingId}` < `${a.filedOn} ${a.filingId}` ? -1 : 1));
  const stating = filings.find(
    ({ ticker }) => ticker !== null && (symbol === undefined || hasSymbol(ticker, symbol)),
  );
  return {
    issuerCik: filings[0]?.issuerCik ?? '',
    ticker: stating?.ticker ?? null,
    issuerName: filings.find(({ issuerName }) => issuerName !== null)?.issuerName ?? null,
  };
}
