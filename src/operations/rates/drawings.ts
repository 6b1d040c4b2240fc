import { type CurveType, type Maturity, maturitiesOf } from '../../domain/treasury/curve.ts';
import { listed } from '../../errors/wording.ts';
import type { ChartMark, Drawing } from '../drawing.ts';
import type { Cell, Row } from '../envelope.ts';
import type { NamedValues } from '../value.ts';

const mostWatched: ReadonlySet<unknown> = new Set<Maturity>(['3M', '2Y', '5Y', '10Y', '30Y']);

/** Draws treasury rates over time: of one maturity, or by default of the most watched ones. */
export function yieldsDrawing({ maturity, curve_type: type = 'PAR' }: NamedValues): Drawing {
  const isShown = (name: unknown) => maturity !== undefined || type !== 'PAR' || mostWatched.has(name);
  return ratesDrawing(type, (row) => (isShown(row.maturity) ? [rateMark(row, row.maturity, row.rate)] : []));
}

/** Draws treasury rates from rows with a column for each maturity. */
export function yieldTableDrawing({
  maturity,
  curve_type: type = 'PAR',
}: {
  readonly maturity: Maturity | undefined;
  readonly curve_type: CurveType | undefined;
}): Drawing {
  const shown = maturitiesOf(type).filter((name) =>
    maturity === undefined ? type !== 'PAR' || mostWatched.has(name) : name === maturity,
  );
  return ratesDrawing(type, (row) => shown.map((name) => rateMark(row, name, row[name])));
}

function ratesDrawing(type: unknown, marks: Drawing['marks']): Drawing {
  return {
    axis: 'day',
    words: ({ lines }) => ({
      title: [curveName(type), ...(lines.length === 0 ? [] : [listed(lines, 'and')])].join(': '),
      subtitle: [],
    }),
    marks,
  };
}

function rateMark({ trade_date }: Row, maturity: unknown, rate: Cell | undefined): ChartMark {
  const name = String(maturity);
  return {
    line: name,
    label: name,
    unit: 'Percent',
    frequency: 'D',
    at: String(trade_date),
    value: rate ?? null,
  };
}

/** Draws the difference between two treasury rates over time. */
export function spreadDrawing({ curve_type }: NamedValues): Drawing {
  const name = curveName(curve_type);
  return {
    axis: 'day',
    words: ({ lines }) => ({ title: [name, ...lines].join(': '), subtitle: [] }),
    marks: ({ trade_date, spread_bps = null, long_maturity, short_maturity }) => [
      {
        line: 'spread',
        label: `${long_maturity} less ${short_maturity}`,
        unit: 'Basis points',
        frequency: 'D',
        at: String(trade_date),
        value: spread_bps,
      },
    ],
  };
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
