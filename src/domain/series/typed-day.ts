import { Problem } from '../../errors/problem.ts';
import { addDays, type Day, dayOf, earlier, faultOfDay, monthEnd, parseDay } from './date.ts';

/** Which day a month, a quarter or a year means: ranges begin on its first day and end on its last. */
export type DayOfPeriod = 'first' | 'last';

/** The day of a typed text; where `dayOfPeriod` is undefined only single days are accepted, other texts are a Problem. */
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
  if (period === undefined) throw new Problem('bad-input', reasonAgainst(text, dayOfPeriod));
  if (dayOfPeriod !== undefined) return { day: period[dayOfPeriod], moves: false };
  throw new Problem(
    'bad-input',
    `invalid: use one day, YYYY-MM-DD, such as its first ${period.first} or its last ${period.last}`,
  );
}

/** Why a text is not a day: a date that the calendar lacks, or no date at all. */
function reasonAgainst(text: string, dayOfPeriod: DayOfPeriod | undefined): string {
  const missing = faultOfDay(text);
  if (missing !== undefined) return `invalid: ${missing}`;
  const periods = dayOfPeriod === undefined ? '' : 'a month 2014-10, a quarter 2014Q4, a year 2014, ';
  return `invalid: use YYYY-MM-DD, ${periods}today, yesterday, or a distance such as -30d or -5y`;
}

const daysOf: Readonly<Record<string, number>> = { d: 1, w: 7 };
const monthsOf: Readonly<Record<string, number>> = { m: 1, y: 12 };

/** The day that `today`, `yesterday` or a distance such as `-30d`, `-2w`, `-6m` or `-1y` names; all are UTC days. */
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

/** The same day of an earlier month, or the last day of that month where it is shorter. */
function monthsBefore(day: Day, count: number): Day | undefined {
  const month = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - count;
  const first = dayOf(Math.floor(month / 12), (month % 12) + 1, 1);
  return first && earlier(addDays(first, Number(day.slice(8)) - 1), monthEnd(first));
}

/** The first and the last day of a month `2008-09`, a quarter `2008Q3` or a year `2008`. */
function periodOf(text: string): { readonly first: Day; readonly last: Day } | undefined {
  const [, year, month, quarter] = /^(\d{4})(?:-(\d{2})|-?[Qq]([1-4]))?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [begin, months] =
    month !== undefined ? [Number(month), 1] : quarter !== undefined ? [Number(quarter) * 3 - 2, 3] : [1, 12];
  const first = dayOf(Number(year), begin, 1);
  const last = dayOf(Number(year), begin + months - 1, 1);
  return first === undefined || last === undefined ? undefined : { first, last: monthEnd(last) };
}
