import { Decimal } from 'decimal.js';
import { Exact, type ExactValue, roundedQuotient } from '../values/arithmetic.ts';
import {
  addDays,
  type Day,
  type KnownFrequency,
  monthEnd,
  monthsBefore,
  monthsOfPeriod,
  weekendDay,
} from '../values/date.ts';
import { withoutNegativeZero } from '../values/decimal.ts';
import { formulas, isComparison, type Units } from './transformation.ts';

/** The decimals of every result except differences, which have those of their values. */
const usualDigits = 5;

/** Computes the result as a text, if there is one; `periods` is FRED's number of periods in a year. */
type ResultOf = (now: ExactValue, base: ExactValue, periods: number, digits?: number) => string | undefined;

const level: ResultOf = ({ sum, count, decimals }, _base, _periods, digits = decimals) =>
  roundedQuotient(sum, new Exact(count), digits);

/** How each formula computes a result. */
const results: Readonly<Record<Units, ResultOf>> = {
  yoy: percentChange,
  mom: percentChange,
  qoq: percentChange,
  saar: compoundedRate,
  lin: level,
  chg: difference,
  ch1: difference,
  pch: percentChange,
  pc1: percentChange,
  pca: compoundedRate,
  cch: logarithm(() => 100),
  cca: logarithm((periods) => 100 * periods),
  log: logarithm(() => 1),
};

/** The base of a value without one. */
const one: ExactValue = { sum: new Exact(1), count: 1, double: 1, decimals: 0, since: '' };

/** FRED's number of observations in a year; FRED states none for semiannual series. */
const periodsInYear = { D: 260, W: 52, BW: 26, M: 12, Q: 4, SA: 2, A: 1 } as const;

/** Lists the earlier dates to compare a date with; the first of them that has a value counts. */
export function basesOf(units: Units, date: Day, frequency: KnownFrequency): readonly Day[] {
  const { from } = formulas[units];
  if (from === undefined) return [];
  if (from === 'period ago') return periodsBefore(date, frequency);
  // A year before a day or a week is the same day of the week.
  return monthsOfPeriod[frequency] === undefined ? [addDays(date, -364)] : inMonthBefore(date, 12);
}

/** Computes the result for a date from its value and its base; undefined if one of them is missing. */
export function transformedValue(
  units: Units,
  now: ExactValue,
  base: ExactValue | undefined,
  frequency: KnownFrequency,
  digits: number | undefined,
): string | undefined {
  if (isComparison(units) && base === undefined) return undefined;
  return results[units](now, base ?? one, periodsInYear[frequency], digits);
}

/** Lists the dates of the period before: Friday before Monday, or days of the weekend with values. */
function periodsBefore(date: Day, frequency: KnownFrequency): readonly Day[] {
  const months = monthsOfPeriod[frequency];
  if (months !== undefined) return inMonthBefore(date, months);
  if (frequency !== 'D') return [addDays(date, frequency === 'W' ? -7 : -14)];
  const days: Day[] = [];
  for (let day = addDays(date, -1); ; day = addDays(day, -1)) {
    days.push(day);
    if (weekendDay(day) === undefined) return days;
  }
}

/** Lists the days some months before, for a month's end first the end; empty before the calendar. */
function inMonthBefore(date: Day, months: number): readonly Day[] {
  const same = monthsBefore(date, months);
  if (same === undefined) return [];
  const end = monthEnd(same);
  return date !== monthEnd(date) || end === same ? [same] : [end, same];
}

function difference(now: ExactValue, base: ExactValue, _periods: number, digits?: number): string {
  const decimals = digits ?? Math.max(now.decimals, base.decimals);
  const error = (Math.abs(now.double) + Math.abs(base.double)) * 2 ** -50;
  const certain = certainText({ value: now.double - base.double, error }, decimals);
  if (certain !== undefined) return certain;
  const [current, before] = ratioOf(now, base);
  return roundedQuotient(current.minus(before), new Exact(now.count * base.count), decimals);
}

function percentChange(now: ExactValue, base: ExactValue, _periods: number, digits = usualDigits) {
  const [x, b] = [now.double, base.double];
  const error = 100 * ((Math.abs(x) + Math.abs(b)) / Math.abs(b)) * 2 ** -49;
  const certain = certainText({ value: ((x - b) / b) * 100, error }, digits);
  if (certain !== undefined) return certain;
  if (base.sum.isZero()) return undefined;
  const [current, before] = ratioOf(now, base);
  return roundedQuotient(current.minus(before).times(100), before, digits);
}

/** Compounds a rate if the ratio of the values is positive. */
function compoundedRate(now: ExactValue, base: ExactValue, periods: number, digits = usualDigits) {
  const ratio = now.double / base.double;
  const power = ratio > 0 ? ratio ** periods : Number.NaN;
  const error = 100 * power * (4 * periods + 8) * 2 ** -52 + 2 ** -44;
  const certain = certainText({ value: 100 * (power - 1), error }, digits);
  if (certain !== undefined) return certain;
  const [part, whole] = ratioOf(now, base);
  if (whole.isZero() || (!part.isZero() && part.isNegative() !== whole.isNegative())) return undefined;
  return rounded(new Approximate(part).div(whole).pow(periods).minus(1).times(100), digits);
}

/** Makes a formula of the natural logarithm of a ratio of positive values, times a factor. */
function logarithm(factorOf: (periods: number) => number): ResultOf {
  return (now, base, periods, digits = usualDigits) => {
    const factor = factorOf(periods);
    const isPositive = now.double > 0 && base.double > 0;
    const value = isPositive ? Math.log(now.double / base.double) : Number.NaN;
    const error = factor * (Math.abs(value) + 4) * 2 ** -49;
    const certain = certainText({ value: factor * value, error }, digits);
    if (certain !== undefined) return certain;
    const [part, whole] = ratioOf(now, base);
    if (!part.gt(0) || !whole.gt(0)) return undefined;
    return rounded(new Approximate(part).div(whole).ln().times(factor), digits);
  };
}

function ratioOf(now: ExactValue, base: ExactValue): readonly [Decimal, Decimal] {
  return [now.sum.times(base.count), base.sum.times(now.count)];
}

type Estimate = { readonly value: number; readonly error: number };

/** Rounds an estimate to a text; undefined if it is near a tie. */
function certainText({ value, error }: Estimate, digits: number): string | undefined {
  const scale = 10 ** digits;
  const scaled = Math.abs(value) * scale;
  const fromTie = Math.abs(scaled - Math.floor(scaled) - 0.5);
  // A double has 53 bits, so the last of more digits are not part of the number.
  if (!(scaled < 2 ** 44) || !(fromTie > error * scale + 2 ** -8)) return undefined;
  return withoutNegativeZero(value.toFixed(digits));
}

/** Arithmetic for powers and logarithms, with far more digits than a result shows. */
const Approximate = Decimal.clone({ defaults: true, precision: 120 });

function rounded(value: Decimal, digits: number): string {
  return withoutNegativeZero(value.toFixed(digits, Decimal.ROUND_HALF_EVEN));
}
