import { frequencyOf } from '../series/series.ts';
import {
  addDays,
  type Day,
  dayNumber,
  dayOf,
  type Frequency,
  monthEnd,
  weekdayFrom,
  weekendDay,
} from '../values/date.ts';
import { groupBy } from '../values/groups.ts';
import { type CurvePoint, firstDayOf } from './curve.ts';

/** The end of the first 20-year rate in the Federal Reserve's release, 1962 to 1986. */
const lastOfFirstTwentyYears = '1986-12-31';

/** A reason against a file's curves, and the trade date to skip. */
export type CurveFault = { readonly reason: string; readonly tradeDate?: Day };

/** The highest accepted rate; the highest ever, in 1981, were near 17. */
const highestRate = 30;

/** Explains why a point is impossible by its trade date, maturity or rate; undefined if it is possible. */
export function impossiblePoint({
  curveType,
  tradeDate,
  maturity,
  rate,
}: CurvePoint): CurveFault | undefined {
  const weekend = weekendDay(tradeDate);
  if (weekend !== undefined)
    return {
      reason: `${tradeDate} is a ${weekend}, on which no curve is published; are month and day exchanged?`,
    };
  const holiday = bondMarketHoliday(tradeDate);
  if (holiday !== undefined)
    return {
      reason: `the bond market is closed on ${tradeDate}, ${holiday}, and no curve is published`,
      tradeDate,
    };
  const first = firstDayOf(curveType, maturity) ?? '';
  const isOfFirstLife = curveType === 'PAR' && maturity === '20Y' && tradeDate <= lastOfFirstTwentyYears;
  if (tradeDate < first && !isOfFirstLife)
    return { reason: `there is no ${maturity} rate before ${first}; are the columns shifted?` };
  if (Math.abs(Number(rate)) > highestRate)
    return { reason: `rates are in percent, and none is above ${highestRate}; are these basis points?` };
  if (/\.\d{2,}[1-9]/.test(rate))
    return {
      reason: 'rates are in percent with two decimals; is this a fraction, or did a program compute it?',
    };
  return undefined;
}

/** Finds the first trade date with only zero rates; one real rate and nominal rates under a year may be zero. */
export function impossibleRates(points: readonly CurvePoint[]): Required<CurveFault> | undefined {
  const curves = groupBy(points, ({ tradeDate, curveType }) => `${tradeDate} ${curveType}`);
  const impossible = [...curves.values()].find((curve) => !canBeCurve(curve))?.[0];
  return impossible && { reason: 'all rates are zero, as of no trade date', tradeDate: impossible.tradeDate };
}

function canBeCurve(points: readonly CurvePoint[]): boolean {
  if (points.some(({ rate }) => Number(rate) !== 0)) return true;
  return points[0]?.curveType === 'TIPS'
    ? points.length === 1
    : points.every(({ maturity }) => maturity.endsWith('M'));
}

const averages: Readonly<Partial<Record<Frequency, string>>> = {
  M: 'monthly',
  Q: 'quarterly',
  SA: 'semiannual',
  A: 'annual',
};

/** Explains why trade dates cannot be those of a file: they are weekly or further apart, like averages. */
export function impossibleDates(days: ReadonlySet<Day>): string | undefined {
  const name = isEveryWeek(days) ? 'weekly' : averages[frequencyOf(days)];
  if (name === undefined) return undefined;
  if (days.size < 3 && ![...days].every((day) => day.endsWith('-01'))) return undefined;
  return `these are ${name} figures, such as averages; a curve has the rates of trade dates`;
}

function isEveryWeek(days: ReadonlySet<Day>): boolean {
  const numbers = Array.from(days, dayNumber).sort((a, b) => a - b);
  return numbers.length > 2 && numbers.every((number, i) => i === 0 || number - (numbers[i - 1] ?? 0) === 7);
}

/** A holiday on a fixed date, and its closing on weekends. */
type FixedHoliday = {
  readonly name: string;
  readonly date: string;
  readonly since?: number;
  /** True if the market closes on Friday before a Saturday; on Monday after a Sunday it always closes. */
  readonly closesOnFriday?: boolean;
};

/**
 * The fixed holidays. The Treasury published curves on some Fridays before a Saturday: New Year's Day
 * (1993-12-31 and later), Veterans Day (1995-11-10 and later), and the first Juneteenth (2021-06-18).
 */
const fixed: readonly FixedHoliday[] = [
  { name: 'New Year’s Day', date: '01-01' },
  { name: 'Juneteenth', date: '06-19', since: 2022 },
  { name: 'Independence Day', date: '07-04', closesOnFriday: true },
  { name: 'Veterans Day', date: '11-11' },
  { name: 'Christmas Day', date: '12-25', closesOnFriday: true },
];

/** A holiday on the n-th or last weekday of its kind in a month. */
const movable: readonly {
  readonly name: string;
  readonly month: number;
  readonly weekday: 'monday' | 'thursday';
  readonly nth: number | 'last';
}[] = [
  { name: 'Martin Luther King Day', month: 1, weekday: 'monday', nth: 3 },
  { name: 'Presidents’ Day', month: 2, weekday: 'monday', nth: 3 },
  { name: 'Memorial Day', month: 5, weekday: 'monday', nth: 'last' },
  { name: 'Labor Day', month: 9, weekday: 'monday', nth: 1 },
  { name: 'Columbus Day', month: 10, weekday: 'monday', nth: 2 },
  { name: 'Thanksgiving', month: 11, weekday: 'thursday', nth: 4 },
];

/** The first year of the Treasury's daily curve; earlier holidays are not checked. */
const firstYear = 1990;

const holidays = new Map<number, ReadonlyMap<Day, string>>();

/** Returns the holiday on which the bond market is closed, since 1990; not Good Friday, which has curves. */
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
      return [weekdayFrom(from, weekday), name] as const;
    }),
  ];
}

function closingDay({ date, closesOnFriday = false }: FixedHoliday, year: number): Day {
  const day = `${year}-${date}`;
  const weekend = weekendDay(day);
  if (weekend === 'Sunday') return addDays(day, 1);
  return weekend === 'Saturday' && closesOnFriday ? addDays(day, -1) : day;
}
