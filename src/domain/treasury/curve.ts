import type { MergeOptions } from '../series/merge-plan.ts';
import type { Day } from '../values/date.ts';
import { fullerText, sameNumber } from '../values/decimal.ts';

/** Nominal par yields, or real ones of inflation-protected securities. */
export type CurveType = (typeof curveTypes)[number];

/** The curve types of the contract. */
export const curveTypes = ['PAR', 'TIPS'] as const;

const months = ['1M', '1.5M', '2M', '3M', '4M', '6M'] as const;

const maturities = [...months, '1Y', '2Y', '3Y', '5Y', '7Y', '10Y', '20Y', '30Y'] as const;

/** A maturity label such as `10Y`. */
export type Maturity = (typeof maturities)[number];

const tipsMaturities: readonly Maturity[] = ['5Y', '7Y', '10Y', '20Y', '30Y'];

/** Lists the maturities of a curve type, shortest first. */
export function maturitiesOf(curveType: CurveType): readonly Maturity[] {
  return curveType === 'TIPS' ? tipsMaturities : maturities;
}

/** The rate in percent (exact) of a maturity on a trade date. */
export type CurvePoint = {
  readonly curveType: CurveType;
  readonly tradeDate: Day;
  readonly maturity: Maturity;
  readonly rate: string;
  readonly source: string;
};

/** Returns the length of a maturity in months, by which maturities sort. */
export function monthsOf(maturity: string): number {
  return Number(maturity.slice(0, -1)) * (maturity.endsWith('Y') ? 12 : 1);
}

/** A maturity on a curve. */
export type CurveMaturity = Pick<CurvePoint, 'curveType' | 'maturity'>;

/** Finds the maturity of `count` months or years (`Mo`, `Month`, `Yr`, `YEAR` …), if the curve has it. */
export function curveMaturity(curveType: CurveType, count: string, unit: string): CurveMaturity | undefined {
  const label = `${count}${/^mo(?:nths?)?$/i.test(unit) ? 'M' : 'Y'}`;
  const maturity = maturitiesOf(curveType).find((known) => known === label);
  return maturity && { curveType, maturity };
}

/** A maturity, or a spread of two, as a series of FRED. */
export type YieldSeries = {
  readonly id: string;
  readonly title: string;
  /** The rate; a spread subtracts `less`. */
  readonly rate: CurveMaturity;
  readonly less?: CurveMaturity;
};

/** Maturities of the par curve without a series of FRED. */
const withoutId: ReadonlySet<Maturity> = new Set(['1.5M', '2M', '4M']);

function lengthOf(maturity: Maturity): string {
  return `${maturity.slice(0, -1)}-${maturity.endsWith('M') ? 'Month' : 'Year'}`;
}

function rateSeries(prefix: string, rate: CurveMaturity, ending = ''): YieldSeries {
  const { maturity } = rate;
  const number = maturity.endsWith('M') ? `${maturity}O` : maturity.slice(0, -1);
  const title = `Market Yield on U.S. Treasury Securities at ${lengthOf(maturity)} Constant Maturity, Quoted on an Investment Basis${ending}`;
  return { id: `${prefix}${number}`, title, rate };
}

/** The series that curves answer, by id. */
export const yieldSeries: readonly YieldSeries[] = [
  ...maturities
    .filter((maturity) => !withoutId.has(maturity))
    .map((maturity) => rateSeries('DGS', { curveType: 'PAR', maturity })),
  ...tipsMaturities.map((maturity) =>
    rateSeries('DFII', { curveType: 'TIPS', maturity }, ', Inflation-Indexed'),
  ),
  ...(['2Y', '3M'] as const).map((maturity) => ({
    id: `T10Y${maturity}`,
    title: `10-Year Treasury Constant Maturity Minus ${lengthOf(maturity)} Treasury Constant Maturity`,
    rate: { curveType: 'PAR', maturity: '10Y' } as const,
    less: { curveType: 'PAR', maturity } as const,
  })),
].sort((a, b) => (a.id < b.id ? -1 : 1));

/** The days on which the Treasury first published later maturities of its curves. */
const firstDays: ReadonlyMap<string, Day> = new Map([
  ['PAR 1M', '2001-07-31'],
  ['PAR 1.5M', '2025-02-18'],
  ['PAR 2M', '2018-10-16'],
  ['PAR 4M', '2022-10-19'],
  ['PAR 20Y', '1993-10-01'],
  ['TIPS 20Y', '2004-07-27'],
  ['TIPS 30Y', '2010-02-22'],
]);

/** Returns the day on which the Treasury first published a later maturity; undefined for the others. */
export function firstDayOf(curveType: CurveType, maturity: string): Day | undefined {
  return firstDays.get(`${curveType} ${maturity}`);
}

/** The release behind FRED's series of rates. */
export const h15Source = 'Federal Reserve H.15';

/** Finds the maturity of an id of FRED such as `DGS10`; undefined for spreads and any other id. */
export function maturityNamed(id: string): CurveMaturity | undefined {
  return yieldSeries.find((series) => series.id === id && series.less === undefined)?.rate;
}

/** A point that differs from the stored one. */
export type PointConflict = { readonly held: CurvePoint; readonly given: CurvePoint };

/** Plans to add points, one for each curve, date and maturity; `held` are the stored points of these days. */
export function planPoints(
  held: readonly CurvePoint[],
  points: readonly CurvePoint[],
  { replace }: MergeOptions,
) {
  const current = new Map(held.map((point) => [keyOf(point), point]));
  const put = new Map<string, CurvePoint>();
  const conflicts: PointConflict[] = [];
  let [added, known] = [0, 0];
  for (const given of points) {
    const key = keyOf(given);
    const before = current.get(key);
    let after = given;
    if (before === undefined) added += 1;
    else if (sameNumber(before.rate, given.rate)) {
      known += 1;
      after = preferred(before, given);
    } else if (replace) added += 1;
    else {
      conflicts.push({ held: before, given });
      continue;
    }
    if (after === before) continue;
    current.set(key, after);
    put.set(key, after);
  }
  return { added, known, conflicts, put: [...put.values()] };
}

function keyOf({ curveType, tradeDate, maturity }: CurvePoint): string {
  return `${curveType} ${tradeDate} ${maturity}`;
}

/** Chooses between points with one rate, in any order: the fuller text, or else the source that sorts first. */
function preferred(held: CurvePoint, given: CurvePoint): CurvePoint {
  if (held.rate !== given.rate) return fullerText(held.rate, given.rate) === held.rate ? held : given;
  return given.source < held.source ? given : held;
}
