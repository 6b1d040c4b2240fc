import type { ParamTexts } from '../../operations/param.ts';
import type { Drawing } from '../../render/chart/drawing.ts';
import { curveName } from './curve.ts';

/** The distance of two treasury rates over time. */
export function spreadDrawing(given: ParamTexts): Drawing {
  const name = curveName(given.find(([name]) => name === 'curve_type')?.[1]);
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
