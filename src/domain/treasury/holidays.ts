import { addDays, type Day, dayNumber, dayOf, monthEnd, weekendDay } from '../series/date.ts';

/** A holiday by its date, and where the bond market closes if that date is on a weekend. */
type FixedHoliday = {
  readonly name: string;
  readonly date: string;
  readonly since?: number;
  /** Whether the market closes on the Friday before a Saturday; on a Monday after a Sunday it always does. */
  readonly closesOnFriday?: boolean;
};

/**
 * The fixed holidays. Where one is on a Saturday, the Treasury published a curve on the Friday before New Year's Day
 * (1993-12-31 and later), before Veterans Day (1995-11-10 and later), and before the first Juneteenth (2021-06-18).
 */
const fixed: readonly FixedHoliday[] = [
  { name: 'New Year’s Day', date: '01-01' },
  { name: 'Juneteenth', date: '06-19', since: 2022 },
  { name: 'Independence Day', date: '07-04', closesOnFriday: true },
  { name: 'Veterans Day', date: '11-11' },
  { name: 'Christmas Day', date: '12-25', closesOnFriday: true },
];

/** The weekdays of holidays, by distance from Monday. */
const [monday, thursday] = [0, 3];

/** A holiday on the n-th such weekday of a month, or on the last one. */
const movable: readonly {
  readonly name: string;
  readonly month: number;
  readonly weekday: number;
  readonly nth: number | 'last';
}[] = [
  { name: 'Martin Luther King Day', month: 1, weekday: monday, nth: 3 },
  { name: 'Presidents’ Day', month: 2, weekday: monday, nth: 3 },
  { name: 'Memorial Day', month: 5, weekday: monday, nth: 'last' },
  { name: 'Labor Day', month: 9, weekday: monday, nth: 1 },
  { name: 'Columbus Day', month: 10, weekday: monday, nth: 2 },
  { name: 'Thanksgiving', month: 11, weekday: thursday, nth: 4 },
];

/** The year in which the Treasury's daily curve begins; the holidays of earlier years are not checked against data. */
const firstYear = 1990;

const holidays = new Map<number, ReadonlyMap<Day, string>>();

/**
 * Names the federal holiday on which the bond market is closed; undefined for any other day, and before 1990. Good
 * Friday is no federal holiday: the Treasury published curves on some.
 */
export function bondMarketHoliday(day: Day): string | undefined {
  const year = Number(day.slice(0, 4));
  if (year < firstYear) return undefined;
  const known = holidays.get(year) ?? new Map(holidaysOf(year));
  holidays.set(year, known);
  return known.get(day);
}

function holidaysOf(year: number): readonly (readonly [Day, string])[] {
  return [
    ...fixed
      .filter(({ since = year }) => year >= since)
      .map((holiday) => [closingDay(holiday, year), holiday.name] as const),
    ...movable.map(({ name, month, weekday, nth }) => {
      const first = dayOf(year, month, 1) ?? '';
      const from = nth === 'last' ? addDays(monthEnd(first), -6) : addDays(first, 7 * (nth - 1));
      return [onOrAfter(from, weekday), name] as const;
    }),
  ];
}

function closingDay({ date, closesOnFriday = false }: FixedHoliday, year: number): Day {
  const day = `${year}-${date}`;
  const weekend = weekendDay(day);
  if (weekend === 'Sunday') return addDays(day, 1);
  return weekend === 'Saturday' && closesOnFriday ? addDays(day, -1) : day;
}

function onOrAfter(day: Day, weekday: number): Day {
  // 1970-01-01, day 0, was a Thursday.
  const own = (dayNumber(day) + thursday) % 7;
  return addDays(day, (weekday - own + 7) % 7);
}
