import { Decimal } from 'decimal.js';
import type { Day } from './date.ts';

/** Exact arithmetic, in which sums, differences and products of published texts lose no digit. */
export const Exact = Decimal.clone({ defaults: true, precision: 2500 });

/** A text of a vintage, or an average, exactly: `sum / count`. */
export type ExactValue = {
  readonly sum: Decimal;
  readonly count: number;
  /** The nearest double, or one next to it. */
  readonly double: number;
  /** The largest number of decimals in its texts. */
  readonly decimals: number;
  /** The first vintage with all texts. */
  readonly since: Day;
};

/** Divides and rounds half to even by the remainder, because a truncated quotient can look like a tie. */
export function roundedQuotient(part: Decimal, base: Decimal, digits: number): string {
  const scaled = part.times(new Exact(10).pow(digits));
  const quotient = scaled.divToInt(base);
  const twice = scaled.minus(quotient.times(base)).abs().times(2);
  const side = twice.comparedTo(base.abs());
  const away = side > 0 || (side === 0 && !quotient.mod(2).isZero());
  const direction = part.isNegative() === base.isNegative() ? 1 : -1;
  const rounded = away ? quotient.plus(direction) : quotient;
  return rounded.isZero() ? new Exact(0).toFixed(digits) : rounded.times(`1e${-digits}`).toFixed(digits);
}
