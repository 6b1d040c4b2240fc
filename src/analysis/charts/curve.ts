import type { Cell, Row } from '../../operations/envelope.ts';
import type { ChartMark, Drawing } from '../../render/chart/drawing.ts';
import type { QueryParams, YieldCurveQuery } from '../query.ts';

function curveName(type: unknown): string {
  return type === 'TIPS' ? 'Treasury real yield curve (TIPS)' : 'Treasury par yield curve';
}

/** The drawing of one or two curves over their maturities. */
export function curveDrawing({ curveType, vs }: YieldCurveQuery): Drawing {
  const title = curveName(curveType);
  return {
    axis: 'maturity',
    form: 'line',
    words: ({ lines }) => ({ title, subtitle: lines.join(' and ') }),
    key: () => [],
    marks: vs === undefined ? ownMarks : (row) => [...ownMarks(row), ...otherMarks(row)],
  };
}

function ownMarks(row: Row): readonly ChartMark[] {
  return marksOf(row, 'rate', row.trade_date, row.rate);
}

function otherMarks(row: Row): readonly ChartMark[] {
  return marksOf(row, 'vs_rate', row.vs_trade_date, row.vs_rate);
}

/** A day without a curve makes no line. */
function marksOf(
  { maturity }: Row,
  line: string,
  day: Cell | undefined,
  rate: Cell | undefined,
): readonly ChartMark[] {
  if (typeof day !== 'string') return [];
  return [{ line, label: day, unit: 'Percent', frequency: '', at: String(maturity), value: rate ?? null }];
}

/** The drawing of the distance between two treasury rates over time. */
export function spreadDrawing({ curve_type }: QueryParams): Drawing {
  const name = curveName(curve_type);
  return {
    axis: 'day',
    form: 'line',
    words: ({ lines }) => ({ title: [name, ...lines].join(': '), subtitle: '' }),
    key: () => [],
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
