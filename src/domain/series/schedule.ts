import { addDays, type Day, dayNumber, monthEnd } from './date.ts';

/** How often knowledge is looked at. */
export type Rhythm = 'month-end' | 'week-end' | 'day';

/** Every rhythm, in the order in which help lists them. */
export const rhythms: readonly Rhythm[] = ['month-end', 'week-end', 'day'];

/** The next day of a rhythm on or after a day: the month's last day, the Sunday that ends an ISO week, or the day itself. */
const onOrAfter: Readonly<Record<Rhythm, (day: Day) => Day>> = {
  'month-end': monthEnd,
  // 1970-01-04, day 3, was a Sunday.
  'week-end': (day) => addDays(day, (((3 - dayNumber(day)) % 7) + 7) % 7),
  day: (day) => day,
};

/** The days of a rhythm between two days, both included, ascending. */
export function schedule(rhythm: Rhythm, from: Day, to: Day): readonly Day[] {
  const days: Day[] = [];
  for (let day = onOrAfter[rhythm](from); day <= to; day = onOrAfter[rhythm](addDays(day, 1))) days.push(day);
  return days;
}
