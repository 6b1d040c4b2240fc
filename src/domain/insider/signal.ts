import { type Day, dayNumber } from '../series/date.ts';
import { classifiedDays } from './classification.ts';
import { type ClusterRule, clusterTotals, insidersIn, isWorth, joinedSpans } from './cluster.ts';
import type { Filing } from './filing.ts';
import type { InsiderTrade } from './insider-trade.ts';

/** A cluster on the first day on which it was public, as it was known at the end of that day. */
export type ClusterSignal = {
  /** The filing date of the last filing that was needed. */
  readonly day: Day;
  /** In order of trade date; never empty. */
  readonly trades: readonly InsiderTrade[];
  /** Number of distinct insiders. */
  readonly size: number;
  readonly dateFirst: Day;
  readonly dateLast: Day;
};

/** What makes a signal: trades with a code that form a cluster, worth at least `minValue`. */
export type SignalRule = ClusterRule & { readonly code: string; readonly minValue: number | undefined };

/** Trade dates from the first to the last one, both included. */
type TradeDates = { readonly first: Day; readonly last: Day };

/**
 * The signals in one issuer's filings, oldest first. At the end of each filing date the clusters are those of the filings
 * up to then. A cluster without a trade date in common with one that gave a signal before gives a signal on the first
 * day on which it has the value; one with such a date continues it. So later filings change no signal and remove none,
 * also where they amend a trade.
 */
export function signalsOf(filings: readonly Filing[], rule: SignalRule): readonly ClusterSignal[] {
  const found: ClusterSignal[] = [];
  const dates: Day[] = [];
  let known: readonly TradeDates[] = [];
  for (const { day, changed, tradesOn } of classifiedDays(filings, rule.code)) {
    for (const date of changed) insert(dates, date);
    for (const run of runsWith(changed, dates, rule.days))
      for (const [first, last] of clustersIn(run, tradesOn, rule)) {
        const [same, others] = parted(known, (one) => one.first <= last && first <= one.last);
        if (same.length > 0) {
          const firsts = [first, ...same.map((one) => one.first)].sort();
          const lasts = [last, ...same.map((one) => one.last)].sort();
          known = [...others, { first: firsts[0] ?? first, last: lasts.at(-1) ?? last }];
          continue;
        }
        const trades = run.filter((date) => date >= first && date <= last).flatMap(tradesOn);
        if (!isWorth(clusterTotals({ trades }).value, rule.minValue)) continue;
        known = [...known, { first, last }];
        found.push({ day, trades, size: insidersIn(trades), dateFirst: first, dateLast: last });
      }
  }
  return found;
}

/** The first and the last trade date of each cluster among the trades of some dates. */
function clustersIn(
  dates: readonly Day[],
  tradesOn: (date: Day) => readonly InsiderTrade[],
  rule: ClusterRule,
): readonly (readonly [first: Day, last: Day])[] {
  // Who traded on a date decides, not how often: insiders who sell in many parts would make this slow.
  const traders = dates.flatMap((date) =>
    Array.from(new Set(tradesOn(date).map(({ insider }) => insider.cik)), (cik) => ({
      date,
      insider: { cik },
    })),
  );
  return joinedSpans(traders, rule).flatMap((own) => {
    const [first, last] = [own[0], own.at(-1)];
    return first === undefined || last === undefined ? [] : [[first.date, last.date] as const];
  });
}

/** The runs of dates, each less than `days` after the one before, that have a changed date: no cluster reaches beyond its run. */
function runsWith(changed: readonly Day[], dates: readonly Day[], days: number): readonly (readonly Day[])[] {
  const runs = new Map<number, readonly Day[]>();
  const areApart = (place: number) =>
    dayNumber(dates[place] ?? '') - dayNumber(dates[place - 1] ?? '') >= days;
  for (const date of changed) {
    let [from, to] = [placeOf(dates, date), placeOf(dates, date) + 1];
    while (from > 0 && !areApart(from)) from -= 1;
    if (runs.has(from)) continue;
    while (to < dates.length && !areApart(to)) to += 1;
    runs.set(from, dates.slice(from, to));
  }
  return [...runs.values()];
}

/** The place in ascending dates at which a date is, or belongs. */
function placeOf(dates: readonly Day[], date: Day): number {
  let [low, high] = [0, dates.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((dates[middle] ?? '') < date) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(dates: Day[], date: Day): void {
  const place = placeOf(dates, date);
  if (dates[place] !== date) dates.splice(place, 0, date);
}

function parted<T>(all: readonly T[], is: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(is), all.filter((one) => !is(one))];
}
