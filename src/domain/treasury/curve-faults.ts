import {
  addDays,
  type Day,
  dayNumber,
  dayOf,
  type Frequency,
  monthEnd,
  weekdayFrom,
  weekendDay,
} from '../series/date.ts';
import { groupBy } from '../series/groups.ts';
import { frequencyOf } from '../series/series.ts';
import { type CurvePoint, firstDayOf } from './curve.ts';

/** The 20-year rate has an earlier life in the Federal Reserve's release: 1962 to 1986. */
const lastOfFirstTwentyYears = '1986-12-31';

/** Why the curves of a file cannot be, and whether a trade date is wrong that the user can leave out. */
export type CurveFault = { readonly reason: string; readonly tradeDate?: Day };

/** The highest rate that is believed; the highest ever, those of 1981, are near 17. */
const highestRate = 30;

/** Says why a point cannot be, by its trade date, its maturity and its rate; undefined if it can. */
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

/** The first trade date whose rates are all zero; one real rate can be, and nominal rates of less than a year. */
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

/** Why trade dates cannot be all those of a file: they are weekly or further apart, as those of averages. */
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

/** A holiday on the n-th such weekday of a month, or on the last one. */
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

/** The year in which the Treasury's daily curve begins; the holidays of earlier years are not checked against data. */
const firstYear = 1990;

const holidays = new Map<number, ReadonlyMap<Day, string>>();

/** The federal holiday on which the bond market is closed, since 1990; Good Friday, with some curves, is none. */
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
