import { grouped } from '../../errors/wording.ts';
import { changeBetween, Exact, rescalingOf, rounded, roundedQuotient } from '../values/arithmetic.ts';
import { type Day, dayInWords, type Frequency } from '../values/date.ts';
import { decimalsOf } from '../values/decimal.ts';
import { periodInWords } from '../values/period.ts';

/** What values are of: a date of a series. */
export type ValueSubject = {
  /** The id of the series, or other words for it. */
  readonly name: string;
  readonly date: Day;
  readonly frequency: Frequency;
  /** The unit of the values, as transformed. */
  readonly unit: string;
};

/** A value as known on a day, or at an instant; `latest` is today. */
type ValueOnDay = {
  readonly day: Day | 'latest';
  readonly value: string;
  /** The day of its vintage, if that is no day of publication. */
  readonly recordedOn?: Day | undefined;
};

/** Says what a value was on one day, and what it is on a later one; rounds to the decimals that both have. */
export function thenAndNow(
  { name, date, frequency, unit }: ValueSubject,
  then: ValueOnDay,
  now: ValueOnDay,
): string {
  const decimals = Math.max(1, Math.min(decimalsOf(then.value), decimalsOf(now.value)));
  const said = ({ day, value }: ValueOnDay) =>
    `${day === 'latest' ? 'is' : 'was'} ${grouped(rounded(value, decimals))}`;
  const first = `${whenKnown(then)}, ${name} of ${periodInWords(date, frequency)} ${said(then)}`;
  const second = `${whenKnown(now)} it ${said(now)} (${changeInWords(then.value, now.value, unit)})`;
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}; ${second}`;
}

function whenKnown({ day, recordedOn }: ValueOnDay): string {
  if (day === 'latest') return 'today';
  if (recordedOn !== undefined) return `as recorded on ${dayInWords(recordedOn)}`;
  return day.length === 10 ? `on ${dayInWords(day)}` : `at ${day}`;
}

/** A small change has more decimals: a difference beside percentages would read as one. */
const percentDigits = [1, 2, 3, 4];

/** Writes a change with its sign, and `since` after it: in percent for a level, as the difference for a rate. */
export function changeInWords(before: string, after: string, unit: string, since = ''): string {
  const { change } = changeBetween(before, after);
  const difference = new Exact(change);
  if (difference.isZero()) return `unchanged${since}`;
  const base = new Exact(before);
  const rounding = isLevel(unit) && base.gt(0) ? percentDigits : [];
  const percent = rounding
    .map((digits) => roundedQuotient(difference.times(100), base, digits))
    .find((one) => !new Exact(one).isZero());
  const text = `${percent === undefined ? signed(change) : `${signed(percent)} %`}${since}`;
  const isRescaled = rescalingOf([{ old: before, new: after }], unit) !== undefined;
  return isRescaled ? `${text}, perhaps by another base year` : text;
}

/** Tells whether a percentage of values in a unit means something: not of percentages, changes and logarithms. */
function isLevel(unit: string): boolean {
  return !/percent|rate of change|^change\b|natural log/i.test(unit);
}

function signed(text: string): string {
  return grouped(text.startsWith('-') ? text : `+${text}`);
}

/** Returns dates in their order, first those that every version knows. */
export function comparedFirst(dates: readonly Day[], versions: readonly ReadonlyMap<Day, unknown>[]) {
  const unknown = (date: Day) => versions.filter((one) => !one.has(date)).length;
  return [...dates].sort((a, b) => unknown(a) - unknown(b));
}
