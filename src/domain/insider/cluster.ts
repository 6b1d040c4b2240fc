import { type Day, dayNumber, firstPlace } from '../values/date.ts';
import type { InsiderTrade } from './classification.ts';
import type { StatedDate } from './filing.ts';

/** The least number of insiders within consecutive calendar days. */
export type ClusterRule = { readonly minInsiders: number; readonly days: number };

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
export type DatedTrade = { readonly date: Day; readonly insider: { readonly cik: string } };

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
export function joinedSpans<T extends DatedTrade>(
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
export function insidersIn(trades: readonly DatedTrade[]): number {
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
