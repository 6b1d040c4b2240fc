import type { Cell, Row } from '../../operations/envelope.ts';
import type { ChartMark, Drawing } from '../../render/chart/drawing.ts';
import type { Question } from '../run/answer.ts';

/** What a curve of a type is called. */
export function curveName(type: string | undefined): string {
  return type?.toUpperCase() === 'TIPS' ? 'Treasury real yield curve (TIPS)' : 'Treasury par yield curve';
}

/** The curve of a day, or of two, over its maturities. */
export function curveDrawing([question]: readonly Question[], compared: boolean): Drawing {
  const title = curveName(question?.given.find(([name]) => name === 'curve_type')?.[1]);
  return {
    axis: 'maturity',
    form: 'line',
    words: ({ lines }) => ({ title, subtitle: lines.join(' and ') }),
    key: () => [],
    marks: compared ? comparedMarks : (row) => markOf(row, 'rate', row.trade_date, row.rate),
  };
}

function comparedMarks(row: Row): readonly ChartMark[] {
  return [
    ...markOf(row, 'rate', row.trade_date, row.rate),
    ...markOf(row, 'vs_rate', row.vs_trade_date, row.vs_rate),
  ];
}

/** A day without a curve makes no line. */
function markOf(
  { maturity }: Row,
  line: string,
  day: Cell | undefined,
  rate: Cell | undefined,
): readonly ChartMark[] {
  if (typeof day !== 'string') return [];
  return [{ line, label: day, unit: 'Percent', frequency: '', at: String(maturity), value: rate ?? null }];
}
