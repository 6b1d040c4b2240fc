import { type Day, dayNumber, earlier, later, placeAmong } from '../values/date.ts';
import { classifiedDays, type InsiderTrade } from './classification.ts';
import { type ClusterRule, type DatedTrade, insidersIn, isWorth, joinedSpans } from './cluster.ts';
import { clusterTotals, sumOf } from './cluster-totals.ts';
import type { Filing } from './filing.ts';

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

/** Tells whether two ranges share a day. */
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
