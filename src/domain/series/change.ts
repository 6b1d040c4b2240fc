import { Decimal } from 'decimal.js';

/** The change of a value: exact, and in percent of the earlier value with four decimals; `percent` is null if that value is 0. */
export type ValueChange = { readonly change: string; readonly percent: string | null };

/** Published texts have at most 400 digits; no result below needs a higher precision. */
const Exact = Decimal.clone({ defaults: true, precision: 2500 });

/** The change from one decimal text to another. */
export function changeBetween(before: string, after: string): ValueChange {
  const base = new Exact(before);
  const change = new Exact(after).minus(base);
  return { change: change.toFixed(), percent: base.isZero() ? null : percentOf(change, base) };
}

/**
 * `part` in percent of `base`, rounded half to even at four decimals. It compares the remainder of an integer division,
 * because a quotient that is first cut to some digits can look like a tie.
 */
function percentOf(part: Decimal, base: Decimal): string {
  const scaled = part.times(1e6);
  const quotient = scaled.divToInt(base);
  const twice = scaled.minus(quotient.times(base)).abs().times(2);
  const side = twice.comparedTo(base.abs());
  const away = side > 0 || (side === 0 && !quotient.mod(2).isZero());
  const direction = part.isNegative() === base.isNegative() ? 1 : -1;
  const rounded = away ? quotient.plus(direction) : quotient;
  return rounded.isZero() ? '0.0000' : rounded.div(1e4).toFixed(4);
}

const exact = Decimal.clone({ precision: 1000 });

/** The long rate minus the short rate, in basis points with two decimals, half-even: `49.00`. */
export function spreadInBasisPoints(long: string, short: string): string {
  const points = new exact(long).minus(short).times(100);
  return points.toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN).toFixed(2);
}
