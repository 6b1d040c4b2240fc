import { addDays, type Day, dayNumber, type Frequency, firstPlace, monthNumber, storedDate } from './date.ts';

/**
 * A set of days as text: `1947-01-01/2014-10-01/3M,2015-07-01`.
 * Ranges are `first/last/step`, with a step in months (`M`) or days (`D`); items ascend.
 */
export type DateSetText = string;

/** A date set that is tested without expanding it. */
export type DateSet = {
  readonly has: (day: Day) => boolean;
  /** Lists the days, or those between two days (inclusive). */
  readonly days: (from?: Day, to?: Day) => Day[];
};

type Range = {
  readonly first: Day;
  readonly last: Day;
  readonly step: number;
  readonly unit: 'D' | 'M';
};

type Step = { readonly count: number; readonly unit: Range['unit'] };

function dayInMonth(month: number, dayOfMonth: string): Day {
  const year = Math.floor(month / 12);
  return `${year}-${String((month % 12) + 1).padStart(2, '0')}-${dayOfMonth}`;
}

/** Returns the distance between days: in months if both have the same day of the month, otherwise in days. */
function stepBetween(a: Day, b: Day): Step {
  return a[8] === b[8] && a[9] === b[9]
    ? { count: monthNumber(b) - monthNumber(a), unit: 'M' }
    : { count: dayNumber(b) - dayNumber(a), unit: 'D' };
}

function isSame(one: Step, other: Step | undefined): boolean {
  return one.count === other?.count && one.unit === other.unit;
}

/** Writes a set of days in any order as a text. */
export function formatDateSet(days: Iterable<Day>): DateSetText {
  const sorted = ascending([...days]);
  const items: string[] = [];
  const stepFrom = (place: number) =>
    place + 1 < sorted.length ? stepBetween(sorted[place] as Day, sorted[place + 1] as Day) : undefined;
  for (let start = 0; start < sorted.length; ) {
    const step = stepFrom(start);
    let end = start;
    for (let next = step; next !== undefined && isSame(next, step); next = stepFrom(end)) end += 1;
    const isRange = step !== undefined && end >= start + 2;
    items.push(isRange ? `${sorted[start]}/${sorted[end]}/${step.count}${step.unit}` : `${sorted[start]}`);
    start = isRange ? end + 1 : start + 1;
  }
  return items.join(',');
}

function ascending(days: Day[]): Day[] {
  const inOrder = days.every((day, i) => i === 0 || (days[i - 1] as Day) < day);
  return inOrder ? days : [...new Set(days)].sort();
}

/** Parses a text of `formatDateSet` into days as a series of this frequency stores them. */
export function parseDateSet(text: DateSetText, frequency: Frequency = ''): DateSet {
  const ranges = parseRanges(text);
  if (ranges.every((range) => isStored(range, frequency))) {
    const within = (from?: Day, to?: Day) => ranges.flatMap((range) => expand(range, from, to));
    return { has: (day) => holds(ranges, day), days: within };
  }
  const days = new Set(ranges.flatMap((range) => expand(range)).map((day) => storedDate(day, frequency)));
  const within = (from = '', to = '9') => [...days].filter((day) => day >= from && day <= to);
  return { has: (day) => days.has(day), days: within };
}

function parseRanges(text: DateSetText): Range[] {
  return (text === '' ? [] : text.split(',')).map((item) => {
    const [first = '', last = first, step = '1D'] = item.split('/');
    return { first, last, step: Number(step.slice(0, -1)), unit: step.endsWith('M') ? 'M' : 'D' };
  });
}

function isStored(range: Range, frequency: Frequency): boolean {
  const { first, last, step, unit } = range;
  if (storedDate(first, frequency) !== first || storedDate(last, frequency) !== last) return false;
  if (first === last || frequency === '') return true;
  // A range of fiscal years must have steps of whole years.
  if (unit === 'D' || (frequency === 'A' && step % 12 !== 0)) return false;
  const second = dayInMonth(monthNumber(first) + step, first.slice(8));
  return storedDate(second, frequency) === second;
}

function holds(ranges: readonly Range[], day: Day): boolean {
  const range = ranges[firstPlace(ranges.length, (place) => (ranges[place] as Range).last >= day)];
  if (range === undefined || day < range.first) return false;
  const { first, step, unit } = range;
  if (unit === 'D') return (dayNumber(day) - dayNumber(first)) % step === 0;
  return day.slice(8) === first.slice(8) && (monthNumber(day) - monthNumber(first)) % step === 0;
}

function expand({ first, last, step, unit }: Range, from: Day = first, to: Day = last): Day[] {
  if (first === last) return from <= first && first <= to ? [first] : [];
  const days: Day[] = [];
  const end = to < last ? to : last;
  const distance =
    unit === 'D' ? dayNumber(from) - dayNumber(first) : monthNumber(from) - monthNumber(first) - 1;
  for (let n = Math.max(0, Math.floor(distance / step)); ; n += 1) {
    const after = n * step;
    const day = unit === 'D' ? addDays(first, after) : dayInMonth(monthNumber(first) + after, first.slice(8));
    if (day > end) return days;
    if (day >= from) days.push(day);
  }
}
