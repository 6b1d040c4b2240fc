import type { Day } from '../series/date.ts';
import { fullerText, sameNumber } from '../series/decimal.ts';
import type { MergeOptions } from '../series/merge-plan.ts';

/** The kinds of daily treasury curve: nominal par yields, and real par yields of inflation-protected securities. */
export type CurveType = (typeof curveTypes)[number];

/** The curve types of the contract. */
export const curveTypes = ['PAR', 'TIPS'] as const;

/** The maturities of the contract, shortest first. */
export const maturities = [
  '1M',
  '1.5M',
  '2M',
  '3M',
  '4M',
  '6M',
  '1Y',
  '2Y',
  '3Y',
  '5Y',
  '7Y',
  '10Y',
  '20Y',
  '30Y',
] as const;

/** A maturity label such as `10Y`. */
export type Maturity = (typeof maturities)[number];

const tipsMaturities: readonly Maturity[] = ['5Y', '7Y', '10Y', '20Y', '30Y'];

/** The maturities of a curve type, shortest first. */
export function maturitiesOf(curveType: CurveType): readonly Maturity[] {
  return curveType === 'TIPS' ? tipsMaturities : maturities;
}

/** The rate in percent (exact decimal text) of one maturity on one trade date; never revised. */
export type CurvePoint = {
  readonly curveType: CurveType;
  readonly tradeDate: Day;
  readonly maturity: Maturity;
  readonly rate: string;
  readonly source: string;
};

/** The length of a maturity in months; maturities sort by it. */
export function monthsOf(maturity: string): number {
  return Number(maturity.slice(0, -1)) * (maturity.endsWith('Y') ? 12 : 1);
}

/** A maturity on a curve. */
export type CurveMaturity = Pick<CurvePoint, 'curveType' | 'maturity'>;

/** The maturity of `count` months or years (`Mo`, `Month`, `Yr`, `YEAR` …); undefined if the curve lacks it. */
export function curveMaturity(curveType: CurveType, count: string, unit: string): CurveMaturity | undefined {
  const label = `${count}${/^mo(?:nths?)?$/i.test(unit) ? 'M' : 'Y'}`;
  const maturity = maturitiesOf(curveType).find((known) => known === label);
  return maturity && { curveType, maturity };
}

/** A series that is a maturity of a curve, or the distance between two, under the id and the title of FRED. */
export type YieldSeries = {
  readonly id: string;
  readonly title: string;
  /** The rate, and for a spread the shorter one that is subtracted. */
  readonly rate: CurveMaturity;
  readonly less?: CurveMaturity;
};

function fredNumber(maturity: Maturity): string {
  return maturity.endsWith('M') ? `${maturity}O` : maturity.slice(0, -1);
}

/** FRED has no series of these. */
const withoutId: ReadonlySet<Maturity> = new Set(['1.5M', '2M', '4M']);

const yieldTitle = (maturity: Maturity) =>
  `Market Yield on U.S. Treasury Securities at ${maturity.slice(0, -1)}-${maturity.endsWith('M') ? 'Month' : 'Year'} Constant Maturity, Quoted on an Investment Basis`;

const par = (maturity: Maturity): CurveMaturity => ({ curveType: 'PAR', maturity });

/** Every series that the curves answer, by id. */
export const yieldSeries: readonly YieldSeries[] = [
  ...maturitiesOf('PAR')
    .filter((maturity) => !withoutId.has(maturity))
    .map((maturity) => ({
      id: `DGS${fredNumber(maturity)}`,
      title: yieldTitle(maturity),
      rate: par(maturity),
    })),
  ...maturitiesOf('TIPS').map((maturity) => ({
    id: `DFII${fredNumber(maturity)}`,
    title: `${yieldTitle(maturity)}, Inflation-Indexed`,
    rate: { curveType: 'TIPS', maturity } as const,
  })),
  {
    id: 'T10Y2Y',
    title: '10-Year Treasury Constant Maturity Minus 2-Year Treasury Constant Maturity',
    rate: par('10Y'),
    less: par('2Y'),
  },
  {
    id: 'T10Y3M',
    title: '10-Year Treasury Constant Maturity Minus 3-Month Treasury Constant Maturity',
    rate: par('10Y'),
    less: par('3M'),
  },
].sort((a, b) => (a.id < b.id ? -1 : 1));

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

/** The day on which the Treasury first published a maturity that it added to its curve; undefined for the others. */
export function firstDayOf(curveType: CurveType, maturity: string): Day | undefined {
  return Object.entries(firstDays[curveType]).find(([name]) => name === maturity)?.[1];
}

/** The release from which FRED has the rates that it publishes as series. */
export const h15Source = 'Federal Reserve H.15';

/** The maturity whose rates an id of FRED names, such as `DGS10`; undefined for spreads and any other id. */
export function maturityNamed(id: string): CurveMaturity | undefined {
  return yieldSeries.find((series) => series.id === id && series.less === undefined)?.rate;
}

/** A point that differs from the one a store holds of the same curve, trade date and maturity. */
export type PointConflict = { readonly held: CurvePoint; readonly given: CurvePoint };

type PointsPlan = {
  readonly added: number;
  readonly known: number;
  readonly conflicts: readonly PointConflict[];
  readonly put: readonly CurvePoint[];
};

/** Plans to add points, one for each curve, date and maturity; `held` has the store's points of the same days. */
export function planPoints(
  held: readonly CurvePoint[],
  points: readonly CurvePoint[],
  { replace }: MergeOptions,
): PointsPlan {
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

/** Of two points with one rate, in any order, the one with the fuller text, else with the source that sorts first. */
function preferred(held: CurvePoint, given: CurvePoint): CurvePoint {
  if (held.rate !== given.rate) return fullerText(held.rate, given.rate) === held.rate ? held : given;
  return given.source < held.source ? given : held;
}
