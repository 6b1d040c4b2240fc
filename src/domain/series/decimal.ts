import { Exact, roundedQuotient } from './exact-values.ts';

/** Longer texts are refused, also by what an exponent makes of them: no published figure is that long. */
const longestText = 400;

/**
 * The exact decimal text `-?digits[.digits]` of a published number; undefined for anything else. Exponents are expanded
 * digit by digit; nothing is rounded and trailing zeros are kept.
 */
export function parseDecimal(text: string): string | undefined {
  if (text.length > longestText) return undefined;
  const expanded = /^-?\d+(?:\.\d+)?$/.test(text) ? text : withoutExponent(text);
  return expanded === undefined || expanded.length > longestText ? undefined : expanded;
}

function withoutExponent(text: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,4})$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (Math.abs(point) > longestText) return undefined;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + trimZeros(digits.padEnd(point, '0'));
  return `${sign}${trimZeros(digits.slice(0, point))}.${digits.slice(point)}`;
}

function trimZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

/** One text for each number, so that `1.50`, `01.5` and `1.5` compare as equal. */
export function canonicalDecimal(text: string): string {
  const negative = text.startsWith('-');
  let digits = trimZeros(negative ? text.slice(1) : text);
  if (digits.includes('.')) digits = digits.replace(/\.?0+$/, '');
  return negative && digits !== '0' ? `-${digits}` : digits;
}

/** Whether two values are the same number, or both missing. */
export function sameNumber(a: string | null, b: string | null): boolean {
  if (a === b) return true;
  return a !== null && b !== null && canonicalDecimal(a) === canonicalDecimal(b);
}

/**
 * The text to keep of two texts of one number: the longer, which says more about precision. Of equally long texts it is
 * the one that sorts first, so that the order of imports makes no difference.
 */
export function fullerText(a: string, b: string): string {
  if (a.length !== b.length) return a.length > b.length ? a : b;
  return a < b ? a : b;
}

/** The change of a value: exact, and in percent of the earlier value with four decimals; `percent` is null if that value is 0. */
export type ValueChange = { readonly change: string; readonly percent: string | null };

/** The change from one decimal text to another. */
export function changeBetween(before: string, after: string): ValueChange {
  const base = new Exact(before);
  const change = new Exact(after).minus(base);
  return {
    change: change.toFixed(),
    percent: base.isZero() ? null : roundedQuotient(change.times(100), base, 4),
  };
}

/** An old value of a date and its new one. */
export type ValuePair = { readonly old: string; readonly new: string };

/** The least and the greatest factor by which values changed, and how many values these are. */
export type Rescaling = { readonly least: number; readonly most: number; readonly count: number };

/** Fewer dates than this show nothing: their values may all be revised alike. */
const fewestDates = 12;

/** Revisions of every date at once are smaller than this. */
const leastChange = Math.log(1.03);

/** How many times as much as the least one the greatest change may be. */
const mostUneven = 4;

/**
 * The factors of the values of a series if all changed in one direction and about alike, by 3 % or more, as they do when
 * units or a base year change; otherwise undefined. It is a fact about the numbers: a new definition looks the same.
 */
export function rescalingOf(pairs: readonly ValuePair[]): Rescaling | undefined {
  const factors = pairs
    .filter((pair) => Number(pair.old) !== 0 || Number(pair.new) !== 0)
    .map((pair) => Number(pair.new) / Number(pair.old));
  if (factors.length < fewestDates) return undefined;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const factor of factors) [least, most] = [Math.min(least, factor), Math.max(most, factor)];
  // A logarithm compares a tenth with ten times; that of a change of sign is not a number.
  const sizes = [Math.log(least), Math.log(most)].map((size) => (least < 1 ? -size : size));
  const [smallest, greatest] = [Math.min(...sizes), Math.max(...sizes)];
  const isAlike = smallest >= leastChange && greatest <= mostUneven * smallest && Number.isFinite(greatest);
  return isAlike ? { least, most, count: factors.length } : undefined;
}

/** The long rate minus the short rate, in basis points with two decimals, half-even: `49.00`. */
export function spreadInBasisPoints(long: string, short: string): string {
  const points = new Exact(long).minus(short).times(100);
  return points.toFixed(2, Exact.ROUND_HALF_EVEN);
}

/** A number rounded half to even to the decimals of another, if it has more of them. */
export function roundedText(text: string, like: string): string {
  const [own, other] = [text, like].map((one) => one.split('.')[1]?.length ?? 0);
  return own === undefined || other === undefined || own <= other
    ? text
    : new Exact(text).toFixed(other, Exact.ROUND_HALF_EVEN);
}
