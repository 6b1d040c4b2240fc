import { Decimal } from 'decimal.js';

const exact = Decimal.clone({ precision: 1000 });

/** The long rate minus the short rate, in basis points with two decimals, half-even: `49.00`. */
export function spreadInBasisPoints(long: string, short: string): string {
  const points = new exact(long).minus(short).times(100);
  return points.toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN).toFixed(2);
}
