import type { Day } from '../series/date.ts';

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

/** The maturity of `count` months or years (`Mo`, `Month`, `Yr`, `YEAR` …), or undefined if the curve does not have it. */
export function curveMaturity(curveType: CurveType, count: string, unit: string): CurveMaturity | undefined {
  const label = `${count}${/^mo(?:nths?)?$/i.test(unit) ? 'M' : 'Y'}`;
  const maturity = maturitiesOf(curveType).find((known) => known === label);
  return maturity && { curveType, maturity };
}
