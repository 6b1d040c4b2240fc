import { Exact, roundedQuotient } from './exact-values.ts';

/** The exact change of a value, and the percent of the earlier value (four decimals; null if it is 0). */
type ValueChange = { readonly change: string; readonly percent: string | null };

/** The change from one decimal text to another. */
export function changeBetween(before: string, after: string): ValueChange {
  const base = new Exact(before);
  const change = new Exact(after).minus(base);
  return {
    change: change.toFixed(),
    percent: base.isZero() ? null : roundedQuotient(change.times(100), base, 4),
  };
}

/** Subtracts one decimal text from another. */
export function difference(one: string, other: string): string {
  return new Exact(one).minus(other).toFixed();
}

type ValuePair = { readonly old: string; readonly new: string };

/** With fewer dates, all values may be revised alike; with a unit that has a base year, one date is enough. */
const fewestDates = 12;

/** Revisions of every date at once are smaller than this. */
const leastChange = Math.log(1.03);

/** The most by which the greatest change may exceed the least, as a factor. */
const mostUneven = 4;

/** The factors of values that all changed alike, by 3 % or more, as when a unit or a base year changes. */
export function rescalingOf(pairs: readonly ValuePair[], unit = '') {
  const factors = pairs
    .filter((pair) => Number(pair.old) !== 0 || Number(pair.new) !== 0)
    .map((pair) => Number(pair.new) / Number(pair.old));
  if (factors.length < (hasBaseYear(unit) ? 1 : fewestDates)) return undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const factor of factors) [least, most] = [Math.min(least, factor), Math.max(most, factor)];
  // By logarithms, a tenth is as large a change as ten times; a change of sign has none.
  const sizes = [Math.log(least), Math.log(most)].map((size) => (least < 1 ? -size : size));
  const [smallest, greatest] = [Math.min(...sizes), Math.max(...sizes)];
  const isAlike = smallest >= leastChange && greatest <= mostUneven * smallest && Number.isFinite(greatest);
  return isAlike ? { least, most, count: factors.length } : undefined;
}

/** Whether a unit says that values are prices of a base year, or an index that is 100 in one. */
export function hasBaseYear(unit: string): boolean {
  return /base year|chained|constant (?:dollars|prices)|real dollars|\b(?:19|20)\d\d\s*=\s*100?\b/i.test(
    unit,
  );
}

/** Whether a value changed by more than revisions of every date at once do. */
export function isRescaled(pair: ValuePair): boolean {
  return Math.abs(Math.log(Number(pair.new) / Number(pair.old))) >= leastChange;
}

/** The long rate minus the short rate, in basis points with two decimals, half-even: `49.00`. */
export function spreadInBasisPoints(long: string, short: string): string {
  const points = new Exact(long).minus(short).times(100);
  return points.toFixed(2, Exact.ROUND_HALF_EVEN);
}
