import type { Cell, Row } from '../../operations/envelope.ts';
import type { ChartMark, Drawing } from '../../render/chart/drawing.ts';
import type { YieldCurveQuery } from '../query.ts';

/** The name of a kind of curve in the title of a chart. */
export function curveName(type: unknown): string {
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
