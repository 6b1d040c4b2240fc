import { type CurveType, type Maturity, maturitiesOf } from '../../../domain/treasury/curve.ts';

/** The curve that a column of rates belongs to, and its point on it. */
export type Tenor = { readonly curveType: CurveType; readonly maturity: Maturity };

const monthWords = /^mo(?:nths?)?$/i;

/** The tenor of `count` months or years (`Mo`, `Month`, `Yr`, `YEAR` …), or undefined when that curve has none such. */
export function tenorOf(curveType: CurveType, count: string, unit: string): Tenor | undefined {
  const label = `${count}${monthWords.test(unit) ? 'M' : 'Y'}`;
  const maturity = maturitiesOf(curveType).find((known) => known === label);
  return maturity && { curveType, maturity };
}
