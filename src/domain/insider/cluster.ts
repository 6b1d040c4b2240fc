import { Decimal } from 'decimal.js';
import { type Day, dayNumber } from '../series/date.ts';
import type { Filing } from './filing.ts';
import type { Purchase } from './purchase.ts';

/** Purchases form a cluster when at least `minInsiders` insiders buy within `days` consecutive calendar days. */
export type ClusterRule = { readonly minInsiders: number; readonly days: number };

/** Purchases of one issuer's shares by several insiders within a short time. */
export type Cluster = {
  /** In order of trade date; never empty. */
  readonly purchases: readonly Purchase[];
  /** Number of distinct insiders. */
  readonly size: number;
  readonly dateFirst: Day;
  readonly dateLast: Day;
  /** The first day on which a qualifying span of it was public. */
  readonly detectedOn: Day;
  /** Number of distinct insiders in the cluster as known on that day. */
  readonly sizeWhenDetected: number;
};

/**
 * The clusters in one issuer's purchases, which come in order of trade date. A span is the `days` days that begin with the
 * date of a purchase; spans with enough insiders that share a purchase are joined into one cluster.
 */
export function clustersOf(purchases: readonly Purchase[], rule: ClusterRule): readonly Cluster[] {
  return joinedSpans(purchases, rule).flatMap((own) => {
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [
      {
        purchases: own,
        size: insidersIn(own),
        dateFirst: first.date,
        dateLast: last.date,
        ...detection(own, rule),
      },
    ];
  });
}

/** What a cluster is made of: who bought, and on which day. */
type DatedPurchase = { readonly date: Day; readonly insider: { readonly cik: string } };

/** Whether these trades, in any order, are one cluster and nothing besides. */
export function isCluster(trades: readonly DatedPurchase[], rule: ClusterRule): boolean {
  const [cluster = []] = joinedSpans(
    [...trades].sort((a, b) => (a.date < b.date ? -1 : 1)),
    rule,
  );
  return cluster.length === trades.length;
}

/** The qualifying spans, those that share a purchase joined. */
function joinedSpans<T extends DatedPurchase>(
  purchases: readonly T[],
  { minInsiders, days }: ClusterRule,
): readonly (readonly T[])[] {
  const dayNumbers = purchases.map(({ date }) => dayNumber(date));
  const within = new Map<string, number>();
  const change = ({ insider: { cik } }: T, by: 1 | -1): void => {
    const count = (within.get(cik) ?? 0) + by;
    if (count === 0) within.delete(cik);
    else within.set(cik, count);
  };
  const joined: { from: number; to: number }[] = [];
  let to = 0;
  for (const [from, purchase] of purchases.entries()) {
    const end = (dayNumbers[from] ?? 0) + days;
    for (
      let next = purchases[to];
      next !== undefined && (dayNumbers[to] ?? end) < end;
      next = purchases[to]
    ) {
      change(next, 1);
      to += 1;
    }
    if (within.size >= minInsiders) {
      const last = joined.at(-1);
      if (last !== undefined && from < last.to) last.to = to;
      else joined.push({ from, to });
    }
    change(purchase, -1);
  }
  return joined.map((span) => purchases.slice(span.from, span.to));
}

function insidersIn(purchases: readonly Purchase[]): number {
  return new Set(purchases.map(({ insider }) => insider.cik)).size;
}

/** When a cluster became visible. What is public only grows from day to day, so a binary search finds the first day. */
function detection(
  purchases: readonly Purchase[],
  rule: ClusterRule,
): Pick<Cluster, 'detectedOn' | 'sizeWhenDetected'> {
  const days = [...new Set(purchases.map(({ knownOn }) => knownOn))].sort();
  const sizesOn = (day: Day): readonly number[] =>
    joinedSpans(
      purchases.filter(({ knownOn }) => knownOn <= day),
      rule,
    ).map(insidersIn);
  let [low, high] = [0, days.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sizesOn(days[middle] ?? '').length > 0) high = middle;
    else low = middle + 1;
  }
  const detectedOn = days[low] ?? '';
  return { detectedOn, sizeWhenDetected: Math.max(...sizesOn(detectedOn)) };
}

/** Sums and prices of a cluster's purchases, as exact decimal texts. */
export type ClusterTotals = {
  /** Null if any purchase does not state its shares: the sum of the others would look complete. */
  readonly shares: string | null;
  /** Sum over the purchases that state shares and a price; null if none does. */
  readonly value: string | null;
  /** `value` divided by the shares it was paid for, to four decimals, half-even; null without a value or shares. */
  readonly averagePrice: string | null;
  /** Lowest price stated, null if none is; likewise `priceHigh`. */
  readonly priceLow: string | null;
  readonly priceHigh: string | null;
};

const exact = Decimal.clone({ precision: 1000 });

/** Shares × price, exact and without trailing zeros; null if either is missing, and for derivatives, whose price is not that of a share. */
export function transactionValue({ isDerivative, shares, pricePerShare }: Filing): string | null {
  if (isDerivative || shares === null || pricePerShare === null) return null;
  return new exact(shares).times(pricePerShare).toFixed();
}

/** Totals of a cluster's purchases. */
export function clusterTotals({ purchases }: Pick<Cluster, 'purchases'>): ClusterTotals {
  const stated = purchases.map(({ filing: { shares, pricePerShare } }) => ({ shares, price: pricePerShare }));
  const prices = stated.flatMap(({ price }) => price ?? []).sort((a, b) => new exact(a).comparedTo(b));
  const counts = stated.flatMap(({ shares }) => shares ?? []);
  const valued = stated.flatMap(({ shares, price }) =>
    shares === null || price === null ? [] : [{ shares, value: new exact(shares).times(price) }],
  );
  const value = valued.length === 0 ? null : sum(valued.map((one) => one.value));
  const paidFor = sum(valued.map(({ shares }) => shares));
  return {
    shares: counts.length < purchases.length ? null : sum(counts).toFixed(),
    value: value === null ? null : value.toFixed(),
    averagePrice:
      value === null || paidFor.isZero()
        ? null
        : value.div(paidFor).toDecimalPlaces(4, Decimal.ROUND_HALF_EVEN).toFixed(4),
    priceLow: prices[0] ?? null,
    priceHigh: prices.at(-1) ?? null,
  };
}

function sum(numbers: readonly Decimal.Value[]): Decimal {
  return numbers.reduce<Decimal>((total, one) => total.plus(one), new exact(0));
}
