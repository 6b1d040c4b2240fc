import { Decimal } from 'decimal.js';
import type { Cluster } from './cluster.ts';

/** What the purchases of a cluster come to, in exact decimal text. */
export type ClusterTotals = {
  readonly shares: string;
  /** Of the purchases whose price is stated; null where none is, like all that follows. */
  readonly value: string | null;
  /** The value by the shares that it was paid for, to four decimals. */
  readonly averagePrice: string | null;
  readonly priceLow: string | null;
  readonly priceHigh: string | null;
};

const exact = Decimal.clone({ precision: 1000 });

/** Adds a cluster up; what a filing does not state adds nothing. */
export function clusterTotals({ purchases }: Pick<Cluster, 'purchases'>): ClusterTotals {
  const stated = purchases.map(({ filing }) => filing);
  const shares = stated.reduce((sum, one) => sum.plus(one.shares ?? 0), new exact(0));
  const prices = stated.flatMap(({ pricePerShare }) => pricePerShare ?? []);
  const priced = stated.filter(({ pricePerShare }) => pricePerShare !== null);
  const sorted = [...prices].sort((a, b) => new exact(a).comparedTo(b));
  if (priced.length === 0)
    return { shares: shares.toFixed(), value: null, averagePrice: null, priceLow: null, priceHigh: null };
  const pricedShares = priced.reduce((sum, one) => sum.plus(one.shares ?? 0), new exact(0));
  const value = priced.reduce(
    (sum, one) => sum.plus(new exact(one.shares ?? 0).times(one.pricePerShare ?? 0)),
    new exact(0),
  );
  return {
    shares: shares.toFixed(),
    value: value.toFixed(),
    averagePrice: pricedShares.isZero()
      ? null
      : value.div(pricedShares).toDecimalPlaces(4, Decimal.ROUND_HALF_EVEN).toFixed(4),
    priceLow: sorted[0] ?? null,
    priceHigh: sorted.at(-1) ?? null,
  };
}
