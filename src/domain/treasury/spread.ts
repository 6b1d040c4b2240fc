import { Decimal } from 'decimal.js';

const exact = Decimal.clone({ precision: 1000 });

/** How far the long rate lies above the short one, in basis points to two decimals: `49.00`. */
export function spreadInBasisPoints(long: string, short: string): string {
  const points = new exact(long).minus(short).times(100);
  return points.toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN).toFixed(2);
}
