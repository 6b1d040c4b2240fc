// Why: docs/decisions/clusters.md
import { setImmediate as nextTick } from 'node:timers/promises';
import {
  type Classification,
  classifyTrades,
  type InsiderTrade,
} from '../../domain/insider/classification.ts';
import { type Cluster, ClusterCandidates, clustersOf, isWorth } from '../../domain/insider/cluster.ts';
import { clusterTotals, transactionValue } from '../../domain/insider/cluster-totals.ts';
import { explainCluster, type TradeExplanation } from '../../domain/insider/explanation.ts';
import { type Filing, hasSymbol, purchaseCode } from '../../domain/insider/filing.ts';
import { type ClusterSignal, signalsOf } from '../../domain/insider/signal.ts';
import { addDays, type Day, dayNumber } from '../../domain/values/date.ts';
import { defined } from '../../platform/defined.ts';
import type {
  DaysOfTrades,
  DaysOfTradesQuery,
  FiledTrade,
  StoreState,
  StoreView,
} from '../../store/store.ts';
import {
  changedSince,
  checkVersion,
  countInPage,
  type Page,
  type PagePosition,
  pageOf,
} from '../envelope.ts';

/** The parameters of a listing; an empty ticker stands for every issuer. */
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

type NamedRow<T extends FoundRow> = T & {
  readonly issuerCik: string;
  readonly ticker: string | null;
  readonly issuerName: string | null;
};

/** The issuers of the next trades; all other trades are before `before`. */
type NextIssuers = { readonly issuerCiks: readonly string[]; readonly before: string | undefined };

type Search<T extends FoundRow> = {
  /** The key of the search: all parameters that it depends on. */
  readonly asked: string;
  readonly code: string;
  readonly ticker: string;
  readonly asOf: Day | undefined;
  readonly find: (filings: readonly Filing[]) => readonly T[];
  /** Returns the day of a row; also the size if the larger one of a day comes first. */
  readonly placeOf: (one: T) => readonly [day: Day, size?: number];
  readonly isWanted: (one: T) => boolean;
  /** Returns the day after the newest trade. */
  readonly begin: (view: StoreView) => Promise<string>;
  /** Starts to read trades, newest first; each call of the result reads the next ones. */
  readonly reader: () => (view: StoreView, query: DaysOfTradesQuery) => Promise<NextIssuers>;
  /** How many days after the unread trades a missing row may be dated. */
  readonly daysAfter: number;
};

/** The projections of clusters and signals, as pages, newest first. */
export const clusterPages = {
  clusters: listing(clusterSearch, clusterRow),
  signals: listing(signalSearch, signalRow),
  explanations: pageOfExplanations,
};

const wholeClusters = listing(clusterSearch, (cluster) => cluster);

async function pageOfExplanations(view: StoreView, values: ListingValues, position?: PagePosition) {
  const { rows: found, ...page } = await wholeClusters(view, values, position);
  const { transaction_code: code, days, as_of: asOf } = values;
  const classifications = new Map<string, Classification>();
  if (found.length > 0) {
    const issuerCiks = [...new Set(found.map(({ issuerCik }) => issuerCik))];
    const asked = { code, issuerCiks, uncounted: true, ...defined({ asOf }) };
    for await (const trades of view.filings.clusterTrades(asked))
      classifications.set(trades[0]?.issuerCik ?? '', classifyTrades(trades, code));
  }
  const explained = found.map((cluster) => {
    const classification = classifications.get(cluster.issuerCik);
    if (classification === undefined) return [];
    return explainCluster(cluster, classification, days).map((one) => explanationRow(cluster, one, code));
  });
  const count = countInPage(explained.map(({ length }) => length));
  const last = found[count - 1];
  const { revision: version } = await view.state();
  return {
    ...page,
    rows: explained.slice(0, count).flat(),
    ...(last !== undefined &&
      count < found.length && { next: { key: keyOf(clusterSearch(values), last), version } }),
  };
}

function codeIn(code: string): { readonly transaction_code?: string } {
  return code === purchaseCode ? {} : { transaction_code: code };
}

function clusterRow(cluster: NamedRow<Cluster>, code: string) {
  const totals = clusterTotals(cluster);
  const numbers = cluster.trades.flatMap(({ filing }) => filing.accessionNumber ?? []);
  return {
    ticker: cluster.ticker,
    issuer_name: cluster.issuerName,
    cluster_size: cluster.size,
    total_shares: totals.shares,
    total_value: totals.value,
    date_first: cluster.dateFirst,
    date_last: cluster.dateLast,
    insiders: cluster.trades.map(insiderEntry),
    issuer_cik: cluster.issuerCik,
    transaction_count: cluster.trades.length,
    average_price: totals.averagePrice,
    price_low: totals.priceLow,
    price_high: totals.priceHigh,
    detected_on: cluster.detectedOn,
    size_when_detected: cluster.sizeWhenDetected,
    accession_numbers: [...new Set(numbers)].sort(),
    ...codeIn(code),
  };
}

function insiderEntry({ filing, insider, date }: InsiderTrade) {
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

function explanationRow(
  cluster: NamedRow<Cluster>,
  { filing, owner, reason, text }: TradeExplanation,
  code: string,
) {
  return {
    filing_date: filing.filedOn,
    transaction_date: filing.transactionDate,
    accession_number: filing.accessionNumber,
    ticker: cluster.ticker,
    owner_name: owner?.name ?? null,
    shares: filing.shares,
    price_per_share: filing.pricePerShare,
    form_type: filing.formType,
    issuer_cik: cluster.issuerCik,
    row: filing.row,
    date_first: cluster.dateFirst,
    date_last: cluster.dateLast,
    verdict: reason === 'counted' ? 'counted' : 'left out',
    reason: text,
    ...codeIn(code),
  };
}

function signalRow(signal: NamedRow<ClusterSignal>, code: string) {
  const totals = clusterTotals(signal);
  return {
    day: signal.day,
    ticker: signal.ticker,
    cluster_size: signal.size,
    total_value: totals.value,
    date_first: signal.dateFirst,
    date_last: signal.dateLast,
    transaction_code: code,
    issuer_cik: signal.issuerCik,
    issuer_name: signal.issuerName,
    total_shares: totals.shares,
    transaction_count: signal.trades.length,
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
      (min_value === undefined || isWorth(clusterTotals(cluster).value, min_value)),
    async begin(view) {
      // A trade that counts is not newer than its filing, and a cluster not newer than its last trade.
      const [last] = [to, asOf, await view.filings.coveredTo()].flatMap((day) => day ?? []).sort();
      return last === undefined ? '0001-01-01' : addDays(last, 1);
    },
    reader() {
      const candidates = new ClusterCandidates(rule);
      return async (view, query) =>
        issuersOf(await view.filings.tradePlaces(query), (trade) =>
          candidates.take({ ...trade, upTo: trade.date }),
        );
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
      return async (view, query) =>
        issuersOf(await view.filings.filedTrades(query), (trade) => mayGiveSignal(candidates, trade));
    },
    // A missing signal comes from a trade that is not late, in a span that begins before the next trade.
    daysAfter: lateAfter + days - 1,
  };
}

/**
 * Tells whether the issuer of the next trade, in order of filing, may have signals.
 * A late trade may complete a cluster of trades filed long before; others only of trades filed about then.
 */
function mayGiveSignal(candidates: ClusterCandidates, { date, filedOn, ...place }: FiledTrade): boolean {
  if (date === null || date > filedOn) return false;
  if (dayNumber(filedOn) - dayNumber(date) > lateAfter) return candidates.choose(place.issuerCik);
  return candidates.take({ ...place, date, upTo: filedOn });
}

function issuersOf<T extends { readonly issuerCik: string }>(
  { trades, before }: DaysOfTrades<T>,
  isCandidate: (trade: T) => boolean,
): NextIssuers {
  return { issuerCiks: trades.filter(isCandidate).map(({ issuerCik }) => issuerCik), before };
}

function keyOf<T extends FoundRow>({ placeOf }: Search<T>, row: NamedRow<T>): readonly string[] {
  return [...placeOf(row).map(String), ...namesOf(row)];
}

function namesOf({ ticker, issuerCik, dateFirst }: NamedRow<FoundRow>): readonly string[] {
  return [ticker ?? '', issuerCik, dateFirst];
}

/** Compares two rows: the newest first, then the largest, then by ticker, issuer and first trade. */
function compare<T extends FoundRow>({ placeOf }: Search<T>, one: NamedRow<T>, other: NamedRow<T>): number {
  const [[day, size = 0], [otherDay, otherSize = 0]] = [placeOf(one), placeOf(other)];
  if (day !== otherDay) return day > otherDay ? -1 : 1;
  return otherSize - size || (namesOf(one).join('\n') < namesOf(other).join('\n') ? -1 : 1);
}

/**
 * Makes a function that returns pages of rows; the pages of one query continue one search.
 * Refuses a position in another state of the store, because an import may change any row.
 */
function listing<T extends FoundRow, R>(
  searchOf: (values: ListingValues) => Search<T>,
  rowOf: (found: NamedRow<T>, code: string) => R,
) {
  const last = new WeakMap<StoreState, FoundRows<T>>();
  return async (view: StoreView, values: ListingValues, position?: PagePosition): Promise<Page<R>> => {
    const state = await view.state();
    const { revision: version } = state;
    checkVersion(position, version);
    const search = searchOf(values);
    const known = last.get(state);
    const found = known?.asked === search.asked ? known : new FoundRows(search);
    last.set(state, found);
    const { from, limit, transaction_code: code, as_of } = values;
    const after = position?.key.join('\n');
    for (;;) {
      const isComplete = found.isComplete(from);
      const wanted = found.rows.filter(search.isWanted);
      const start =
        after === undefined ? 0 : wanted.findIndex((row) => keyOf(search, row).join('\n') === after) + 1;
      const isFound = after === undefined || start > 0;
      // Another store may have the same revision.
      if (isComplete && !isFound) throw changedSince();
      if (isComplete || (isFound && wanted.length > start + limit)) {
        const positionOf = (row: NamedRow<T>) => ({ key: keyOf(search, row), version });
        const page = pageOf(wanted.slice(start), limit, (row) => rowOf(row, code), positionOf);
        return { ...page, ...defined({ as_of }) };
      }
      await found.readOn(view);
    }
  };
}

/** The number of trades read at once for candidate issuers: few at first, then more. */
const tradesAtOnce = { first: 4096, most: 65_536 };

/** The rows of a search in one state, newest day first. */
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
    if (from === undefined) return this.#found;
    return this.#found.filter((row) => this.#search.placeOf(row)[0] >= from);
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
      this.#found = [...this.#found, ...found].sort((one, other) => compare(this.#search, one, other));
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

  /** Finds everything at once for a ticker, otherwise the rows of the next trades' issuers. */
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
  { code, ticker, asOf, find }: Search<T>,
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
        found.push({ ...one, ...issuerOf(one, symbol) });
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
