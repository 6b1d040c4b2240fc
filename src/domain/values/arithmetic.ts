import { Decimal } from 'decimal.js';
import type { Day } from './date.ts';
import { decimalsOf } from './decimal.ts';

type ValueChange = { readonly change: string; readonly percent: string | null };

/** Computes the change from one decimal text to another; the percentage is null if the first is 0. */
export function changeBetween(before: string, after: string): ValueChange {
  const base = new Exact(before);
  const change = difference(after, before);
  return { change, percent: base.isZero() ? null : roundedQuotient(new Exact(change).times(100), base, 4) };
}

/** Subtracts one decimal text from another, with the decimals of the longer fraction. */
export function difference(one: string, other: string): string {
  return new Exact(one).minus(other).toFixed(Math.max(decimalsOf(one), decimalsOf(other)));
}

/** Rounds a decimal text that has more decimals, half to even; keeps another as it is. */
export function rounded(value: string, decimals: number): string {
  return decimalsOf(value) > decimals ? roundedQuotient(new Exact(value), new Exact(1), decimals) : value;
}

type ValuePair = { readonly old: string; readonly new: string };

/** With fewer dates, all values may be revised alike; with a unit that has a base year, one date is enough. */
const fewestDates = 12;

/** The least logarithm of a rescaling; revisions of every date at once are smaller. */
const leastChange = Math.log(1.03);

/** The most by which the greatest change may exceed the least, as a factor. */
const mostUneven = 4;

/** Returns the factors of values that all changed alike by 3 % or more, as with a new unit or base year. */
export function rescalingOf(pairs: readonly ValuePair[], unit = '') {
  const factors = pairs
    .filter((pair) => Number(pair.old) !== 0 || Number(pair.new) !== 0)
    .map((pair) => Number(pair.new) / Number(pair.old));
  if (factors.length < (hasBaseYear(unit) ? 1 : fewestDates)) return undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const factor of factors) [least, most] = [Math.min(least, factor), Math.max(most, factor)];
  // By logarithms, a tenth is as large a change as ten times; a change of sign has no logarithm.
  const sizes = [Math.log(least), Math.log(most)].map((size) => (least < 1 ? -size : size));
  const [smallest, greatest] = [Math.min(...sizes), Math.max(...sizes)];
  const isAlike = smallest >= leastChange && greatest <= mostUneven * smallest && Number.isFinite(greatest);
  return isAlike ? { least, most, count: factors.length } : undefined;
}

/** Tells whether a unit names prices of a base year, or an index that is 100 in one. */
export function hasBaseYear(unit: string): boolean {
  return /base year|chained|constant (?:dollars|prices)|real dollars|\b(?:19|20)\d\d\s*=\s*100?\b/i.test(
    unit,
  );
}

/** Tells whether a value changed by more than revisions of every date at once do. */
export function isRescaled(pair: ValuePair): boolean {
  return Math.abs(Math.log(Number(pair.new) / Number(pair.old))) >= leastChange;
}

/** Subtracts the short from the long rate, in basis points with two decimals, half-even: `49.00`. */
export function spreadInBasisPoints(long: string, short: string): string {
  const points = new Exact(long).minus(short).times(100);
  return points.toFixed(2, Exact.ROUND_HALF_EVEN);
}

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
