import { addDays, type Day, dayNumber, later, weekendDay } from '../values/date.ts';

/** The day on which a series may appear next, by its rhythm. */
type ProjectedDay = {
  /** Never before the as-of date. */
  readonly day: Day;
  /** The day of the rhythm, if it passed without a vintage. */
  readonly passed?: Day;
};

/** A rhythm has the median of at most so many distances, and of at least so many. */
const distances = { most: 12, least: 3 };

/** The newest vintages that decide a rhythm: more than a year of a monthly series, or of a quarterly one with three estimates. */
export const rhythmVintages = 20;

/** Whole weeks, so that a weekday stays one. */
const daysInYear = 364;

/** How far from the newest vintage of a year that of the year before may be, in days. */
const nearby = 10;

/** A vintage may be late by twice its distance and at least this many days; then its series may have ended. */
const leastLate = 14;

/**
 * Projects the next vintage, moved from weekends to Monday: as far from the newest as it was a year before, else by the
 * median distance of the last ones. `days` are exact vintages, newest first. Without a projection, returns the reason.
 */
export function projectedDay(days: readonly Day[], asOf: Day): ProjectedDay | { readonly reason: string } {
  const numbers = days.slice(0, distances.most + 1).map(dayNumber);
  const apart = numbers.slice(1).map((number, i) => (numbers[i] ?? number) - number);
  const [newest] = days;
  if (newest === undefined || apart.length < distances.least)
    return { reason: `${days.length} vintages are too few for a rhythm` };
  const median = apart.sort((a, b) => a - b)[apart.length >> 1] ?? 0;
  const age = dayNumber(asOf) - dayNumber(newest);
  if (age > median + Math.max(2 * median, leastLate))
    return { reason: `its newest vintage, of ${newest}, is ${age} days old: it has ended, or a pull is due` };
  const expected = weekdayAfter(addDays(newest, distanceAYearAgo(days) ?? median));
  if (expected >= asOf) return { day: expected };
  return { day: weekdayAfter(later(asOf, expected)), passed: expected };
}

/** Returns the days from the vintage of a year ago to the one after it, counted from the newest. */
function distanceAYearAgo(days: readonly Day[]): number | undefined {
  const [newest = 0, ...others] = days.map(dayNumber);
  const then = newest - daysInYear;
  const near = others.map((day) => Math.abs(day - then));
  const place = near.indexOf(Math.min(...near));
  const next = [newest, ...others][place];
  if (next === undefined || (near[place] ?? nearby) > nearby) return undefined;
  const distance = next + daysInYear - newest;
  return distance > 0 ? distance : undefined;
}

function weekdayAfter(day: Day): Day {
  return addDays(day, { Saturday: 2, Sunday: 1, weekday: 0 }[weekendDay(day) ?? 'weekday']);
}
