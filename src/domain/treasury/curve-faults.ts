import { frequencyOf } from '../series/series.ts';
import { addDays, type Day, dayNumber, type Frequency, weekdayFrom, weekendDay } from '../values/date.ts';
import { entryOf, groupBy } from '../values/groups.ts';
import { type CurvePoint, firstDayOf } from './curve.ts';

/** The end of the first 20-year rate in the Federal Reserve's release, 1962 to 1986. */
const lastOfFirstTwentyYears = '1986-12-31';

/** A reason against a file's curves, and the trade date to skip. */
export type CurveFault = { readonly reason: string; readonly tradeDate?: Day };

/** The highest accepted rate; the highest ever, in 1981, were near 17. */
const highestRate = 30;

/** Explains why a point is impossible by its trade date, maturity or rate; undefined if it is possible. */
export function impossiblePoint(point: CurvePoint): CurveFault | undefined {
  const { curveType, tradeDate, maturity, rate } = point;
  const holiday = bondMarketHoliday(tradeDate);
  const first = firstDayOf(curveType, maturity) ?? '';
  const weekend = weekendDay(tradeDate);
  if (weekend !== undefined)
    return {
      reason: `${tradeDate} is a ${weekend}, on which no curve is published; are month and day exchanged?`,
    };
  if (holiday !== undefined) {
    const reason = `the bond market is closed on ${tradeDate}, ${holiday}, and no curve is published`;
    return { reason, tradeDate };
  }
  const isOfFirstLife = curveType === 'PAR' && maturity === '20Y' && tradeDate <= lastOfFirstTwentyYears;
  if (tradeDate < first && !isOfFirstLife)
    return { reason: `there is no ${maturity} rate before ${first}; are the columns shifted?` };
  if (Math.abs(Number(rate)) > highestRate)
    return { reason: `rates are in percent, and none is above ${highestRate}; are these basis points?` };
  const computed = 'rates are in percent with two decimals; is this a fraction, or did a program compute it?';
  return /\.\d{2,}[1-9]/.test(rate) ? { reason: computed } : undefined;
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

type Averages = Partial<Record<Frequency, string>>;
const averages: Averages = { M: 'monthly', Q: 'quarterly', SA: 'semiannual', A: 'annual' };

/** Explains why trade dates cannot be those of a file: they are weekly or further apart, like averages. */
export function impossibleDates(days: ReadonlySet<Day>): string | undefined {
  const numbers = Array.from(days, dayNumber).sort((a, b) => a - b);
  const isWeekly = numbers.every((number, i) => i === 0 || number - (numbers[i - 1] ?? 0) === 7);
  const name = days.size > 2 && isWeekly ? 'weekly' : averages[frequencyOf(days)];
  if (name === undefined) return undefined;
  if (days.size < 3 && ![...days].every((day) => day.endsWith('-01'))) return undefined;
  return `these are ${name} figures, such as averages; a curve has the rates of trade dates`;
}

/** The first year of the Treasury's daily curve; earlier holidays are not checked. */
const firstYear = 1990;

/**
 * The holidays on a fixed date, which close the market on Monday if they fall on a Sunday.
 * Some also close it on Friday before a Saturday. The Treasury published curves on some such Fridays: New Year's Day
 * (1993-12-31 and later), Veterans Day (1995-11-10 and later), and the first Juneteenth (2021-06-18).
 */
const fixed: readonly (readonly [name: string, date: string, since: number, closesOnFriday?: true])[] = [
  ['New Year’s Day', '01-01', firstYear],
  ['Juneteenth', '06-19', 2022],
  ['Independence Day', '07-04', firstYear, true],
  ['Veterans Day', '11-11', firstYear],
  ['Christmas Day', '12-25', firstYear, true],
];

/** The holidays on a weekday of a month, as the first day from which that weekday counts. */
const movable: readonly (readonly [name: string, from: string, weekday: 'monday' | 'thursday'])[] = [
  ['Martin Luther King Day', '01-15', 'monday'],
  ['Presidents’ Day', '02-15', 'monday'],
  ['Memorial Day', '05-25', 'monday'],
  ['Labor Day', '09-01', 'monday'],
  ['Columbus Day', '10-08', 'monday'],
  ['Thanksgiving', '11-22', 'thursday'],
];

const holidays = new Map<number, ReadonlyMap<Day, string>>();

/** Returns the holiday on which the bond market is closed, since 1990; not Good Friday, which has curves. */
export function bondMarketHoliday(day: Day): string | undefined {
  const year = Number(day.slice(0, 4));
  if (year < firstYear) return undefined;
  return entryOf(holidays, year, () => holidaysOf(year)).get(day);
}

function holidaysOf(year: number): ReadonlyMap<Day, string> {
  const found = new Map<Day, string>();
  for (const [name, from, weekday] of movable) found.set(weekdayFrom(`${year}-${from}`, weekday), name);
  for (const [name, date, since, closesOnFriday = false] of fixed) {
    const day = `${year}-${date}`;
    const moved = { Sunday: 1, Saturday: closesOnFriday ? -1 : 0, weekday: 0 };
    if (year >= since) found.set(addDays(day, moved[weekendDay(day) ?? 'weekday']), name);
  }
  return found;
}
