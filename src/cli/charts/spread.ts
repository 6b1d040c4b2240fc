import type { Drawing } from '../../render/chart/drawing.ts';
import type { Given } from '../run/pages.ts';
import { curveName } from './curve.ts';

/** The distance of two treasury rates over time. */
export function spreadDrawing(given: Given): Drawing {
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
        at: String(trade_date).slice(0, 10),
        value: spread_bps,
      },
    ],
  };
}
