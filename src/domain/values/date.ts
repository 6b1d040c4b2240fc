import { refused } from '../../errors/problem.ts';

/** A calendar day `YYYY-MM-DD` in 1600..2999; sorts as text. */
export type Day = string;

/** The day before all others. */
export const startOfTime: Day = '0001-01-01';

/** The day after all others. */
export const endOfTime: Day = '9999-12-31';

/** Daily, weekly, biweekly, monthly, quarterly, semiannual, annual; empty if unknown. */
export type Frequency = 'D' | 'W' | 'BW' | 'M' | 'Q' | 'SA' | 'A' | '';

export type KnownFrequency = Exclude<Frequency, ''>;

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function monthLength(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (monthLengths[month - 1] ?? 0);
}

/** Parses `YYYY-MM-DD`; undefined for other texts and for days outside the calendar or 1600..2999. */
export function parseDay(text: string): Day | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  return dayOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)));
}

/** The order of month and day in dates such as 1/2/2024. */
export type DateOrder = 'M/D/YYYY' | 'D/M/YYYY';

/** Tells whether a date such as 1/2/2024 begins with its month; one with points, as in 30.1.2015, never does. */
export function isMonthFirst(sign: string | undefined, order: DateOrder | undefined): boolean {
  return sign !== '.' && order === 'M/D/YYYY';
}

/** Reads the order of month and day in a format of dates (`M/D/YYYY`, `DD.MM.YYYY`, `mdy`); undefined for others. */
export function parseDateOrder(text: string): DateOrder | undefined {
  const letters = text
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/(.)\1+/g, '$1');
  const orders: Readonly<Record<string, DateOrder>> = { mdy: 'M/D/YYYY', dmy: 'D/M/YYYY' };
  return orders[letters];
}

/** Explains why a text of the form YYYY-MM-DD is not a day; undefined for a day or another text. */
export function faultOfDay(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || parseDay(text) !== undefined) return undefined;
  const isCovered = dayOf(Number(text.slice(0, 4)), 1, 1) !== undefined;
  return isCovered ? 'there is no such date' : 'use a date from 1600-01-01 to 2999-12-31';
}

/** Returns the day of a year, month (1..12) and day of the month; undefined if it does not exist in 1600..2999. */
export function dayOf(year: number, month: number, dayOfMonth: number): Day | undefined {
  if (year < 1600 || year > 2999 || month < 1 || month > 12) return undefined;
  if (dayOfMonth < 1 || dayOfMonth > monthLength(year, month)) return undefined;
  return `${year}-${String(month).padStart(2, '0')}-${String(dayOfMonth).padStart(2, '0')}`;
}

/** Returns the number that digits of a day make; slices of the text would take ten times as long. */
function digitsOf(day: Day, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = number * 10 + day.charCodeAt(at) - 48;
  return number;
}

/** Counts the days since 1970-01-01. */
export function dayNumber(day: Day): number {
  return Date.UTC(digitsOf(day, 0, 4), digitsOf(day, 5, 7) - 1, digitsOf(day, 8, 10)) / 86_400_000;
}

/** Counts the months since the year 0. */
export function monthNumber(day: Day): number {
  return digitsOf(day, 0, 4) * 12 + digitsOf(day, 5, 7) - 1;
}

/** Returns the day `count` days after `day`, or before it if negative. */
export function addDays(day: Day, count: number): Day {
  return new Date((dayNumber(day) + count) * 86_400_000).toISOString().slice(0, 10);
}

/** Shortens days as far as all of them allow: `2015`, `2015-07` or `2015-07-03`. */
export function shortDays(days: readonly Day[]): readonly string[] {
  const areAll = (end: string) => days.every((day) => day.endsWith(end));
  const length = areAll('-01-01') ? 4 : areAll('-01') ? 7 : 10;
  return days.map((day) => day.slice(0, length));
}

const monthNames =
  'January February March April May June July August September October November December'.split(' ');

/** Returns the number of a month by the first three letters of its name, in any case; undefined for other texts. */
export function monthNamed(letters: string): number | undefined {
  const place = monthNames.findIndex((name) => name.slice(0, 3).toUpperCase() === letters.toUpperCase());
  return place === -1 ? undefined : place + 1;
}

/** Returns the month and the year of a day: `January 2009`. */
export function monthInWords(day: Day): string {
  return `${monthNames[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;
}

/** Returns a day in words: `30 January 2009`. */
export function dayInWords(day: Day): string {
  return `${Number(day.slice(8))} ${monthInWords(day)}`;
}

/** Returns the last day of the month of `day`. */
export function monthEnd(day: Day): Day {
  const length = monthLength(Number(day.slice(0, 4)), Number(day.slice(5, 7)));
  return `${day.slice(0, 8)}${length}`;
}

/** The length of a period in months; days, weeks and unknown periods have none. */
export const monthsOfPeriod: Readonly<Partial<Record<Frequency, number>>> = { M: 1, Q: 3, SA: 6, A: 12 };

/** Returns the first day of a day's period; the day itself for days, weeks, two weeks and unknown periods. */
export function periodStart(day: Day, frequency: Frequency): Day {
  const months = monthsOfPeriod[frequency];
  if (months === undefined) return day;
  const month = Number(day.slice(5, 7));
  const first = month - ((month - 1) % months);
  return `${day.slice(0, 5)}${String(first).padStart(2, '0')}-01`;
}

/** Returns the date under which a series stores a date: the first day of its period, unless in a fiscal year. */
export function storedDate(day: Day, frequency: Frequency): Day {
  return frequency === 'A' && !/-(?:01|12)-/.test(day) ? day : periodStart(day, frequency);
}

const weekdays = { monday: 0, thursday: 3, friday: 4, saturday: 5, sunday: 6 } as const;

function weekdayOf(day: Day): number {
  // 1970-01-01, day 0, was a Thursday.
  return (((dayNumber(day) + weekdays.thursday) % 7) + 7) % 7;
}

/** Returns the first day on or after a day that is this weekday. */
export function weekdayFrom(day: Day, weekday: keyof typeof weekdays): Day {
  return addDays(day, (weekdays[weekday] - weekdayOf(day) + 7) % 7);
}

/** Returns the short name of a day's weekday: `Fri`. */
export function shortWeekday(day: Day): string {
  return ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][weekdayOf(day)] ?? '';
}

/** Returns the name of a weekend day; undefined for any other day. */
export function weekendDay(day: Day): 'Saturday' | 'Sunday' | undefined {
  const weekday = weekdayOf(day);
  return weekday === weekdays.saturday ? 'Saturday' : weekday === weekdays.sunday ? 'Sunday' : undefined;
}

/** Returns the UTC day of an instant. */
export function utcDay(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

/** Returns the latest day that has begun anywhere on Earth (UTC+14); nothing is known on a later day. */
export function latestDay(instant: Date): Day {
  return utcDay(new Date(instant.getTime() + 14 * 3_600_000));
}

/** Returns the earlier of two days. */
export function earlier(a: Day, b: Day): Day {
  return a < b ? a : b;
}

/** Returns the later of two days. */
export function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

/** Returns the last of some days in any order; undefined without one. */
export function latestOf(days: readonly Day[]): Day | undefined {
  return [...days].sort().at(-1);
}

/** Returns the index of the first of ascending days that is not before `day`. */
export function placeAmong(days: readonly Day[], day: Day): number {
  return firstPlace(days.length, (place) => (days[place] ?? '') >= day);
}

/** Finds the first of `count` indexes that hold (then all later ones do); `count` if none holds. */
export function firstPlace(count: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The next day of a rhythm on or after a day; weeks end on Sunday, every weekday is a business day. */
const onOrAfter = {
  day: (day: Day) => day,
  'business-day': (day: Day) =>
    addDays(day, { Saturday: 2, Sunday: 1, weekday: 0 }[weekendDay(day) ?? 'weekday']),
  friday: (day: Day) => weekdayFrom(day, 'friday'),
  'week-end': (day: Day) => weekdayFrom(day, 'sunday'),
  'month-end': monthEnd,
  'quarter-end': (day: Day) => monthEnd(monthsBefore(periodStart(day, 'Q'), -2) ?? day),
  'year-end': (day: Day) => `${day.slice(0, 4)}-12-31`,
};

/** How often a schedule has an as-of date. */
export type Rhythm = keyof typeof onOrAfter;

/** The rhythms, in the order of the help. */
export const rhythms = Object.keys(onOrAfter) as readonly Rhythm[];

/** Lists the days of a rhythm between two days (inclusive), ascending. */
export function schedule(rhythm: Rhythm, from: Day, to: Day): readonly Day[] {
  const days: Day[] = [];
  for (let day = onOrAfter[rhythm](from); day <= to; day = onOrAfter[rhythm](addDays(day, 1))) days.push(day);
  return days;
}

/** The day for a period: first in `from`, last in `to`. */
export type DayOfPeriod = 'first' | 'last';

/** Parses a typed day; accepts only single days without `dayOfPeriod`, and throws a Problem for other texts. */
export function readTypedDay(
  text: string,
  today: Day,
  dayOfPeriod: DayOfPeriod | undefined,
): { readonly day: Day; readonly moves: boolean } {
  const relative = relativeDay(text, today);
  if (relative !== undefined) return { day: relative, moves: true };
  const day = parseDay(text);
  if (day !== undefined) return { day, moves: false };
  const period = periodOf(text);
  if (period === undefined) {
    const periods = dayOfPeriod === undefined ? '' : 'a month 2014-10, a quarter 2014Q4, a year 2014, ';
    const form = `use YYYY-MM-DD, ${periods}today, yesterday, or a distance such as -30d or -5y`;
    throw refused({ reason: faultOfDay(text) ?? form });
  }
  if (dayOfPeriod !== undefined) return { day: period[dayOfPeriod], moves: false };
  const reason = `use one day, YYYY-MM-DD, such as its first ${period.first} or its last ${period.last}`;
  throw refused({ reason });
}

const daysOf: Readonly<Record<string, number>> = { d: 1, w: 7 };
const monthsOf: Readonly<Record<string, number>> = { m: 1, y: 12 };

/** Parses `today`, `yesterday` or a distance such as `-30d`, `-2w`, `-6m` or `-1y`, in UTC days. */
function relativeDay(text: string, today: Day): Day | undefined {
  if (text === 'today') return today;
  if (text === 'yesterday') return addDays(today, -1);
  const [, digits, unit = ''] = /^-(\d{1,4})([dwmy])$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const [count, months] = [Number(digits), monthsOf[unit]];
  return months === undefined
    ? addDays(today, -count * (daysOf[unit] ?? 0))
    : monthsBefore(today, count * months);
}

/** Returns the same day of an earlier month, or the last day of that month if it is shorter. */
export function monthsBefore(day: Day, count: number): Day | undefined {
  const months = monthNumber(day) - count;
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  return dayOf(year, month, Math.min(Number(day.slice(8)), monthLength(year, month)));
}

/** Parses a month `2008-09`, a quarter `2008Q3` or a year `2008` into its first and last day. */
function periodOf(text: string): { readonly first: Day; readonly last: Day } | undefined {
  const [, year, month, quarter] = /^(\d{4})(?:-(\d{2})|-?[Qq]([1-4]))?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [begin, months] =
    month !== undefined ? [Number(month), 1] : quarter !== undefined ? [Number(quarter) * 3 - 2, 3] : [1, 12];
  const first = dayOf(Number(year), begin, 1);
  const last = dayOf(Number(year), begin + months - 1, 1);
  return first === undefined || last === undefined ? undefined : { first, last: monthEnd(last) };
}
