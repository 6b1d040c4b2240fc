import { grouped } from '../../errors/wording.ts';
import {
  changeBetween,
  difference,
  Exact,
  rescalingOf,
  rounded,
  roundedQuotient,
} from '../values/arithmetic.ts';
import { type Day, dayInWords, type Frequency } from '../values/date.ts';
import { decimalsOf } from '../values/decimal.ts';
import { periodInWords } from '../values/period.ts';
import type { Change } from './revision-history.ts';

/** What values are of: a date of a series. */
type ValueSubject = {
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
function changeInWords(before: string, after: string, unit: string, since = ''): string {
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

type PublishedDate = ValueSubject & {
  /** The first releases in their order, at most three; none if the record begins later. */
  readonly releases: readonly Change[];
  /** Each value that differs from the one before, oldest first; at least one. */
  readonly changes: readonly Change[];
  /** True if the days of all vintages are days of publication. */
  readonly isExact: boolean;
  /** The as-of date; undefined for today. */
  readonly asOf: Day | undefined;
};

/** Lists the changes from one value to the next, also across a withdrawal; a new base year is no revision. */
function revisionsIn(changes: readonly Change[], unit: string) {
  let last: string | null = null;
  return changes.flatMap(({ asOf, value }) => {
    const before = last;
    last = value ?? last;
    if (before === null || value === null) return [];
    const isRebased = rescalingOf([{ old: before, new: value }], unit) !== undefined;
    return [{ asOf, before, value, isRebased, size: new Exact(difference(value, before)).abs() }];
  });
}

/** Finds the largest change from one value to the next, the first of equal ones; a new base year is none. */
export function largestRevision(changes: readonly Change[], unit: string) {
  const revisions = revisionsIn(changes, unit).filter(({ isRebased }) => !isRebased);
  return revisions.reduce<(typeof revisions)[number] | undefined>(
    (largest, one) => (largest === undefined || one.size.gt(largest.size) ? one : largest),
    undefined,
  );
}

/** Tells in a paragraph how a value was published: its releases, the largest change and the latest value. */
export function revisionsInWords({
  releases,
  changes,
  asOf,
  unit,
  isExact,
  ...about
}: PublishedDate): string {
  const published = isExact ? 'published' : 'recorded';
  const subject = `${about.name} of ${periodInWords(about.date, about.frequency)}`;
  const from = (before: string | null, value: string | null, words = '') =>
    before === null || value === null ? '' : ` (${changeInWords(before, value, unit, words)})`;
  const [oldest, latest] = [changes[0], changes.at(-1)];
  const [first = oldest, ...later] = releases;
  if (first === undefined || latest === undefined) return `${subject} has no value.`;
  const isReleased = releases.length > 0;
  const valued = `${valueText(first.value)}${unit === '' ? '' : ` (${unit})`}`;
  const begin = isReleased
    ? `${subject} was first ${published} on ${dayInWords(first.asOf)}, as ${valued}.`
    : `The first ${isExact ? 'release' : 'vintage'} of ${subject} is not in the record; its oldest value there, of ${dayInWords(first.asOf)}, is ${valued}.`;
  const next = later.map(({ asOf: day, value }, i) => {
    // A release that changes nothing may have no vintage, so that a count of releases would be wrong.
    const nth = i === 0 ? 'The second vintage' : 'the third';
    const has = value === null ? 'withdrew it' : `has ${grouped(value)}`;
    return `${nth}, of ${dayInWords(day)}, ${has}${from(releases[i]?.value ?? null, value)}`;
  });
  const returns = changes.flatMap(({ asOf: day, value }, i) => {
    const again = changes[i + 1];
    return value === null && again !== undefined
      ? `withdrawn on ${dayInWords(day)} and ${published} again on ${dayInWords(again.asOf)}, as ${valueText(again.value)}`
      : [];
  });
  const largest = largestRevision(changes, unit);
  const apart = revisionsIn(changes, unit).some(({ isRebased }) => isRebased)
    ? ', apart from changes of base year'
    : '';
  const change =
    largest &&
    `The largest change${apart}, on ${dayInWords(largest.asOf)}, was from ${valueText(largest.before)} to ${valueText(largest.value)}${from(largest.before, largest.value)}.`;
  const since = isReleased ? ` from the first ${isExact ? 'release' : 'vintage'}` : ' from the oldest value';
  const now = `${asOf === undefined ? 'Today it is' : `On ${dayInWords(asOf)} it was`} ${valueText(latest.value)}`;
  const end = `${now}, as ${published} on ${dayInWords(latest.asOf)}${from(first.value, latest.value, since)}.`;
  const unrevised =
    asOf === undefined ? 'It was never revised.' : `Up to ${dayInWords(asOf)} it was not revised.`;
  return [
    begin,
    ...(next.length === 0 ? [] : [`${next.join('; ')}.`]),
    ...(returns.length === 0 ? [] : [`It was ${returns.join('; it was ')}.`]),
    ...(changes.length === 1 ? [unrevised] : [...(change === undefined ? [] : [change]), end]),
  ].join(' ');
}

function valueText(value: string | null): string {
  return value === null ? 'withdrawn' : grouped(value);
}
