import { type CurveType, type Maturity, maturitiesOf } from '../../domain/treasury/curve.ts';
import { listed } from '../../errors/wording.ts';
import type { ChartMark, Drawing } from '../drawing.ts';
import type { Cell, Row } from '../envelope.ts';
import type { NamedValues } from '../value.ts';

const mostWatched: ReadonlySet<unknown> = new Set<Maturity>(['3M', '2Y', '5Y', '10Y', '30Y']);

/** Lists the maturities to draw: one, or by default of nominal curves the most watched ones. */
function drawnMaturities({ maturity, curve_type: type = 'PAR' }: NamedValues): readonly Maturity[] {
  return maturitiesOf(type === 'TIPS' ? 'TIPS' : 'PAR').filter((name) =>
    maturity === undefined ? type !== 'PAR' || mostWatched.has(name) : name === maturity,
  );
}

/** Draws treasury rates over time, from rows with one maturity each. */
export function yieldsDrawing(values: NamedValues): Drawing {
  const drawn: ReadonlySet<unknown> = new Set(drawnMaturities(values));
  return ratesDrawing(values, (row) =>
    drawn.has(row.maturity) ? [dayMark(row, row.maturity, row.rate, 'Percent')] : [],
  );
}

/** Draws treasury rates from rows with a column for each maturity. */
export function yieldTableDrawing(values: NamedValues): Drawing {
  const drawn = drawnMaturities(values);
  return ratesDrawing(values, (row) => drawn.map((name) => dayMark(row, name, row[name], 'Percent')));
}

/** Draws the difference between two treasury rates over time. */
export function spreadDrawing(values: NamedValues): Drawing {
  return ratesDrawing(values, (row) => {
    const name = `${row.long_maturity} less ${row.short_maturity}`;
    return [{ ...dayMark(row, name, row.spread_bps, 'Basis points'), line: 'spread' }];
  });
}

function ratesDrawing({ curve_type }: NamedValues, marks: Drawing['marks']): Drawing {
  return {
    axis: 'day',
    words: ({ lines }) => ({
      title: [curveName(curve_type), ...(lines.length === 0 ? [] : [listed(lines, 'and')])].join(': '),
      subtitle: [],
    }),
    marks,
  };
}

function dayMark({ trade_date }: Row, name: unknown, value: Cell = null, unit: string): ChartMark {
  const label = String(name);
  return { line: label, label, unit, frequency: 'D', at: String(trade_date), value };
}

function curveName(type: unknown): string {
  return type === 'TIPS' ? 'Treasury real yield curve (TIPS)' : 'Treasury par yield curve';
}

/** Draws one or two curves over their maturities. */
export function curveDrawing({ curve_type }: { readonly curve_type: CurveType | undefined }): Drawing {
  const title = curveName(curve_type);
  return {
    axis: 'maturity',
    words: ({ lines }) => ({ title, subtitle: lines.length === 0 ? [] : [lines.join(' and ')] }),
    marks: (row) => [
      ...marksOf(row, 'rate', row.trade_date, row.rate),
      ...marksOf(row, 'vs_rate', row.vs_trade_date, row.vs_rate),
    ],
  };
}

function marksOf(
  { maturity }: Row,
  line: string,
  day: Cell | undefined,
  rate: Cell | undefined,
): readonly ChartMark[] {
  if (typeof day !== 'string') return [];
  return [{ line, label: day, unit: 'Percent', frequency: '', at: String(maturity), value: rate ?? null }];
}
