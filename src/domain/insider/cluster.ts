import { Exact, roundedQuotient } from '../values/arithmetic.ts';
import { type Day, dayNumber, earlier, firstPlace, later, placeAmong } from '../values/date.ts';
import { classifiedDays, type InsiderTrade } from './classification.ts';
import type { Filing, StatedDate } from './filing.ts';

/** The least number of insiders within consecutive calendar days. */
type ClusterRule = { readonly minInsiders: number; readonly days: number };

/** Trades in one issuer's shares by several insiders within few days. */
export type Cluster = {
  /** In order of trade date; never empty. */
  readonly trades: readonly InsiderTrade[];
  readonly size: number;
  readonly dateFirst: Day;
  readonly dateLast: Day;
  /** The first day on which a qualifying span of the cluster was public. */
  readonly detectedOn: Day;
  readonly sizeWhenDetected: number;
};

/** Finds clusters in one issuer's trades (by trade date): spans with enough insiders, joined at common trades. */
export function clustersOf(trades: readonly InsiderTrade[], rule: ClusterRule): readonly Cluster[] {
  return joinedSpans(trades, rule).map((span) => ({
    ...span,
    size: insidersIn(span.trades),
    ...detection(span.trades, rule),
  }));
}

/** The day and the insider of a trade. */
type DatedTrade = { readonly date: Day; readonly insider: { readonly cik: string } };

/** Tells whether these trades, in any order, are exactly one cluster. */
export function isCluster(trades: readonly DatedTrade[], rule: ClusterRule): boolean {
  const [cluster] = joinedSpans(
    [...trades].sort((a, b) => (a.date < b.date ? -1 : 1)),
    rule,
  );
  return (cluster?.trades.length ?? 0) === trades.length;
}

type TradeSpan<T> = Pick<Cluster, 'dateFirst' | 'dateLast'> & { readonly trades: readonly T[] };

/** Finds the qualifying spans of trades in order of trade date; joins spans that share a trade. */
function joinedSpans<T extends DatedTrade>(
  trades: readonly T[],
  { minInsiders, days }: ClusterRule,
): readonly TradeSpan<T>[] {
  const dayNumbers = trades.map(({ date }) => dayNumber(date));
  const within = new Map<string, number>();
  const change = ({ insider: { cik } }: T, by: 1 | -1): void => {
    const count = (within.get(cik) ?? 0) + by;
    if (count === 0) within.delete(cik);
    else within.set(cik, count);
  };
  const joined: { from: number; to: number }[] = [];
  let to = 0;
  for (const [from, trade] of trades.entries()) {
    const end = (dayNumbers[from] ?? 0) + days;
    for (let next = trades[to]; next !== undefined && (dayNumbers[to] ?? end) < end; next = trades[to]) {
      change(next, 1);
      to += 1;
    }
    if (within.size >= minInsiders) {
      const last = joined.at(-1);
      if (last !== undefined && from < last.to) last.to = to;
      else joined.push({ from, to });
    }
    change(trade, -1);
  }
  return joined.map((span) => ({
    trades: trades.slice(span.from, span.to),
    dateFirst: trades[span.from]?.date ?? '',
    dateLast: trades[span.to - 1]?.date ?? '',
  }));
}

/** Counts the distinct insiders. */
function insidersIn(trades: readonly DatedTrade[]): number {
  return new Set(trades.map(({ insider }) => insider.cik)).size;
}

/** A trade by issuer and filing, with its stated date. */
export type TradePlace = {
  readonly issuerCik: string;
  readonly filingId: string;
  readonly date: StatedDate;
};

/**
 * Finds issuers that may have clusters: enough filings of trades fall within the days of a span.
 * No other issuer has one, because joint filers count as one insider.
 */
export class ClusterCandidates {
  readonly #rule: ClusterRule;
  readonly #given = new Set<string>();
  /** For other issuers, trades that may share a span with later ones; the filing stands for the insider. */
  readonly #near = new Map<string, readonly (DatedTrade & { readonly day: number })[]>();

  constructor(rule: ClusterRule) {
    this.#rule = rule;
  }

  /**
   * Takes the next trade; no later one is dated after `upTo`.
   * Returns true if it makes its issuer a candidate, once for each issuer.
   */
  take({ issuerCik, filingId, date }: TradePlace, upTo: StatedDate): boolean {
    if (this.#given.has(issuerCik)) return false;
    const end = dayNumber(upTo) + this.#rule.days;
    const near = (this.#near.get(issuerCik) ?? []).filter((one) => one.day < end);
    near.push({ date, day: dayNumber(date), insider: { cik: filingId } });
    // Most issuers have too few trades at a time to compare days.
    if (near.length >= this.#rule.minInsiders && insidersIn(near) >= this.#rule.minInsiders) {
      near.sort((one, other) => one.day - other.day);
      if (joinedSpans(near, this.#rule).length > 0) return this.choose(issuerCik);
    }
    this.#near.set(issuerCik, near);
    return false;
  }

  /** Makes an issuer a candidate; false if it is one already. */
  choose(issuerCik: string): boolean {
    if (this.#given.has(issuerCik)) return false;
    this.#given.add(issuerCik);
    this.#near.delete(issuerCik);
    return true;
  }
}

/** Finds the day on which a cluster became visible, by binary search, as public data only grow. */
function detection(
  trades: readonly InsiderTrade[],
  rule: ClusterRule,
): Pick<Cluster, 'detectedOn' | 'sizeWhenDetected'> {
  const days = [...new Set(trades.map(({ knownOn }) => knownOn))].sort();
  const sizesOn = (day: Day): readonly number[] =>
    joinedSpans(
      trades.filter(({ knownOn }) => knownOn <= day),
      rule,
    ).map((span) => insidersIn(span.trades));
  const first = firstPlace(days.length - 1, (place) => sizesOn(days[place] ?? '').length > 0);
  const detectedOn = days[first] ?? '';
  return { detectedOn, sizeWhenDetected: Math.max(...sizesOn(detectedOn)) };
}

/** Tells whether a value is known and at least a whole number. */
export function isWorth(value: string | null, least: number | undefined): boolean {
  return least === undefined || (value !== null && BigInt(value.replace(/\..*/, '')) >= least);
}

/** Adds decimal texts exactly. */
function sumOf(values: readonly string[]): string {
  return Exact.sum(0, ...values).toFixed();
}

/** Computes the exact totals and prices of a cluster's trades; null if no trade states them. */
export function clusterTotals({ trades }: Pick<Cluster, 'trades'>) {
  const stated = trades.map(({ filing: { shares, pricePerShare } }) => ({ shares, price: pricePerShare }));
  const prices = stated.flatMap(({ price }) => price ?? []).sort((a, b) => new Exact(a).comparedTo(b));
  const counts = stated.flatMap(({ shares }) => shares ?? []);
  const valued = stated.flatMap(({ shares, price }) =>
    shares === null || price === null ? [] : [{ shares, value: new Exact(shares).times(price) }],
  );
  const value = valued.length === 0 ? null : Exact.sum(...valued.map((one) => one.value));
  const paidFor = Exact.sum(0, ...valued.map(({ shares }) => shares));
  return {
    // The sum of the stated ones alone would look complete.
    totalShares: counts.length < trades.length ? null : sumOf(counts),
    totalValue: value?.toFixed() ?? null,
    // Half to even, over the shares with a price.
    averagePrice: value === null || paidFor.isZero() ? null : roundedQuotient(value, paidFor, 4),
    priceLow: prices[0] ?? null,
    priceHigh: prices.at(-1) ?? null,
  };
}

/** A cluster as known at the end of its first public day. */
export type ClusterSignal = {
  readonly day: Day;
  /** In order of trade date; never empty. */
  readonly trades: readonly InsiderTrade[];
  readonly size: number;
  readonly dateFirst: Day;
  readonly dateLast: Day;
};

type SignalRule = ClusterRule & { readonly code: string; readonly minValue: number | undefined };

type TradeDates = Pick<ClusterSignal, 'dateFirst' | 'dateLast'>;

const overlap = (one: TradeDates, other: TradeDates) =>
  one.dateFirst <= other.dateLast && other.dateFirst <= one.dateLast;

/**
 * Finds the signals in one issuer's filings, oldest first; no later filing or amendment changes a signal.
 * Each filing date is judged only by the filings so far.
 * A cluster gives a signal on the first day with the value, unless it shares a trade date with a signal.
 */
export function signalsOf(filings: readonly Filing[], rule: SignalRule): readonly ClusterSignal[] {
  const found: ClusterSignal[] = [];
  const search = new SignalSearch(rule);
  for (const { day, changed, tradesOn } of classifiedDays(filings, rule.code)) {
    search.change(changed, tradesOn);
    for (const dates of search.newClusters(changed)) {
      const trades = search.datesIn(dates).flatMap(tradesOn);
      found.push({ day, trades, size: insidersIn(trades), ...dates });
    }
  }
  return found;
}

type KnownDate = { readonly traders: readonly DatedTrade[]; readonly value: string | null };

class SignalSearch {
  readonly #rule: SignalRule;
  /** Ascending. */
  readonly #dates: Day[] = [];
  readonly #known = new Map<Day, KnownDate>();
  #signalled: readonly TradeDates[] = [];
  #total = '0';

  constructor(rule: SignalRule) {
    this.#rule = rule;
  }

  change(changed: readonly Day[], tradesOn: (date: Day) => readonly InsiderTrade[]): void {
    for (const date of changed) {
      const place = placeAmong(this.#dates, date);
      if (this.#dates[place] !== date) this.#dates.splice(place, 0, date);
      const trades = tradesOn(date);
      // The traders on a date matter, not how often they trade.
      const ciks = new Set(trades.map(({ insider }) => insider.cik));
      const value = this.#rule.minValue === undefined ? null : clusterTotals({ trades }).totalValue;
      this.#total = sumOf([this.#total, value ?? '0', `-${this.#known.get(date)?.value ?? '0'}`]);
      this.#known.set(date, { traders: Array.from(ciks, (cik) => ({ date, insider: { cik } })), value });
    }
  }

  /** Finds the clusters around changed dates that give a signal: they share no date with an earlier signal. */
  newClusters(changed: readonly Day[]): readonly TradeDates[] {
    if (this.#signalled.length === 0 && !isWorth(this.#total, this.#rule.minValue)) return [];
    const found: TradeDates[] = [];
    const seen = new Set<string>();
    for (const date of changed) {
      const [from, to] = this.#around(placeAmong(this.#dates, date));
      if (seen.has(`${from} ${to}`)) continue;
      seen.add(`${from} ${to}`);
      const traders = this.#dates.slice(from, to).flatMap((day) => this.#known.get(day)?.traders ?? []);
      for (const { dateFirst, dateLast } of joinedSpans(traders, this.#rule)) {
        const cluster = { dateFirst, dateLast };
        if (this.#continued(cluster) || !this.#isWorth(cluster)) continue;
        this.#signalled = [...this.#signalled, cluster];
        found.push(cluster);
      }
    }
    return found;
  }

  datesIn({ dateFirst, dateLast }: TradeDates): readonly Day[] {
    return this.#dates.slice(placeAmong(this.#dates, dateFirst), placeAmong(this.#dates, dateLast) + 1);
  }

  /** Returns the range of dates that decides on clusters around a date: up to a gap, or to a signal's dates. */
  #around(place: number): readonly [from: number, to: number] {
    const { days } = this.#rule;
    const areApart = (at: number, other: number) =>
      Math.abs(dayNumber(this.#dates[at] ?? '') - dayNumber(this.#dates[other] ?? '')) >= days;
    const isSignalled = (at: number) => {
      const date = this.#dates[at] ?? '';
      return this.#signalled.some((one) => overlap(one, { dateFirst: date, dateLast: date }));
    };
    const end = (step: 1 | -1): number => {
      let known: number | undefined;
      let at = place;
      for (; this.#dates[at + step] !== undefined && !areApart(at + step, at); at += step) {
        if (known !== undefined && areApart(at + step, known)) break;
        if (areApart(at, place) && isSignalled(at)) known ??= at;
      }
      return at;
    };
    return [end(-1), end(1) + 1];
  }

  /** Tells whether a cluster shares dates with an earlier signal, whose range then grows to cover both. */
  #continued(cluster: TradeDates): boolean {
    const same = this.#signalled.filter((one) => overlap(one, cluster));
    if (same.length === 0) return false;
    const range = {
      dateFirst: same.map((one) => one.dateFirst).reduce(earlier, cluster.dateFirst),
      dateLast: same.map((one) => one.dateLast).reduce(later, cluster.dateLast),
    };
    this.#signalled = [...this.#signalled.filter((one) => !same.includes(one)), range];
    return true;
  }

  #isWorth(dates: TradeDates): boolean {
    const { minValue } = this.#rule;
    if (minValue === undefined) return true;
    const values = this.datesIn(dates).flatMap((date) => this.#known.get(date)?.value ?? []);
    return isWorth(values.length === 0 ? null : sumOf(values), minValue);
  }
}

/** Multiplies shares by price exactly, without trailing zeros; null if one is missing, or for a derivative. */
export function transactionValue({ isDerivative, shares, pricePerShare }: Filing): string | null {
  if (isDerivative || shares === null || pricePerShare === null) return null;
  return new Exact(shares).times(pricePerShare).toFixed();
}
