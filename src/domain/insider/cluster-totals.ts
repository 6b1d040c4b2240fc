import { Decimal } from 'decimal.js';
import type { Cluster } from './cluster.ts';

/** What the purchases of a cluster come to, in exact decimal text. */
export type ClusterTotals = {
  /** Null where a purchase does not state how many: a sum of the others would pass for all. */
  readonly shares: string | null;
  /** Of the purchases that state shares and a price; null where none does, like the average. */
  readonly value: string | null;
  /** The value by the shares that it was paid for, to four decimals. */
  readonly averagePrice: string | null;
  /** Of the purchases that state a price; null where none does. */
  readonly priceLow: string | null;
  readonly priceHigh: string | null;
};

const exact = Decimal.clone({ precision: 1000 });

/** Adds a cluster up; what a filing does not state adds nothing. */
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
