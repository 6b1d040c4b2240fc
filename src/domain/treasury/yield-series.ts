import { type CurveMaturity, type Maturity, maturitiesOf } from './curve.ts';

/** A series that is a maturity of a curve, or the distance between two, under the id and the title of FRED. */
export type YieldSeries = {
  readonly id: string;
  readonly title: string;
  /** The rate, and for a spread the shorter one that is subtracted. */
  readonly rate: CurveMaturity;
  readonly less?: CurveMaturity;
};

/** The maturities that FRED publishes as series, in its spelling. */
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

/** The release from which FRED has the rates that it publishes as series. */
export const h15Source = 'Federal Reserve H.15';

/** The maturity whose rates an id of FRED names, such as `DGS10`; undefined for any other id, also for those of spreads. */
export function maturityNamed(id: string): CurveMaturity | undefined {
  return yieldSeries.find((series) => series.id === id && series.less === undefined)?.rate;
}
