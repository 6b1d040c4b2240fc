import { type Day, dayNumber, type Frequency } from '../series/date.ts';
import { frequencyOf } from '../series/series.ts';
import type { CurvePoint, CurveType, Maturity } from './curve.ts';

/** The days on which the Treasury first published rates of maturities that it added to its curves. */
const firstDays: Readonly<Record<CurveType, Readonly<Partial<Record<Maturity, Day>>>>> = {
  PAR: {
    '1M': '2001-07-31',
    '1.5M': '2025-02-18',
    '2M': '2018-10-16',
    '4M': '2022-10-19',
    '20Y': '1993-10-01',
  },
  TIPS: { '20Y': '2004-07-27', '30Y': '2010-02-22' },
};

/** The 20-year rate has an earlier life in the Federal Reserve's release: 1962 to 1986. */
const lastOfFirstTwentyYears = '1986-12-31';

/** Why a point cannot be: its maturity did not exist on its trade date, or that is on a weekend; undefined if it can. */
export function impossiblePoint({
  curveType,
  tradeDate,
  maturity,
}: Pick<CurvePoint, 'curveType' | 'tradeDate' | 'maturity'>): string | undefined {
  const weekend = weekendName(tradeDate);
  if (weekend !== undefined)
    return `${tradeDate} is a ${weekend}, on which no curve is published; are month and day exchanged?`;
  const first = firstDays[curveType][maturity] ?? '';
  const isEarlier = tradeDate < first;
  if (!isEarlier || (curveType === 'PAR' && maturity === '20Y' && tradeDate <= lastOfFirstTwentyYears))
    return undefined;
  return `there is no ${maturity} rate before ${first}; are the columns shifted?`;
}

function weekendName(day: Day): string | undefined {
  // 1970-01-01, day 0, was a Thursday.
  return { 2: 'Saturday', 3: 'Sunday' }[((dayNumber(day) % 7) + 7) % 7];
}

/**
 * Why the rates of one trade date, as a file has them, cannot be a curve: all of them are zero. A real rate alone can be
 * zero, and so can the nominal rates of less than a year; undefined if the rates can be.
 */
export function impossibleRates(points: readonly CurvePoint[]): string | undefined {
  for (const curveType of new Set(points.map((point) => point.curveType))) {
    const own = points.filter((point) => point.curveType === curveType);
    const canBeZero =
      curveType === 'TIPS' ? own.length === 1 : own.every(({ maturity }) => maturity.endsWith('M'));
    if (!canBeZero && own.every(({ rate }) => Number(rate) === 0))
      return 'all rates are zero, as of no trade date';
  }
  return undefined;
}

const averages: Readonly<Partial<Record<Frequency, string>>> = {
  M: 'monthly',
  Q: 'quarterly',
  SA: 'semiannual',
  A: 'annual',
};

/**
 * Why trade dates cannot be all those of a file: they are a month or more apart, as averages are; undefined if they can
 * be. Two dates are averages only if both are the first of a month.
 */
export function impossibleDates(days: ReadonlySet<Day>): string | undefined {
  const name = averages[frequencyOf(days)];
  if (name === undefined) return undefined;
  if (days.size < 3 && ![...days].every((day) => day.endsWith('-01'))) return undefined;
  return `these are ${name} figures, such as averages; a curve has the rates of trade dates`;
}
