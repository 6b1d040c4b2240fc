import { Exact, roundedQuotient } from '../values/arithmetic.ts';
import type { Cluster } from './cluster.ts';
import type { Filing } from './filing.ts';

/** Adds decimal texts exactly. */
export function sumOf(values: readonly string[]): string {
  return Exact.sum(0, ...values).toFixed();
}

/** Multiplies shares by price exactly, without trailing zeros; null if one is missing, or for a derivative. */
export function transactionValue({ isDerivative, shares, pricePerShare }: Filing): string | null {
  if (isDerivative || shares === null || pricePerShare === null) return null;
  return new Exact(shares).times(pricePerShare).toFixed();
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
