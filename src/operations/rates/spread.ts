import { curveTypes, maturities } from '../../domain/treasury/curve.ts';
import { defined } from '../../platform/defined.ts';
import type { RatePair } from '../../store/store.ts';
import { extension, field } from '../field.ts';
import { operation } from '../operation.ts';
import { pageOf } from '../page.ts';
import { checkMaturity, curveTypeParam, dayRange, maturityParam, oldest, paging, textOf } from '../param.ts';
import { reasonWithoutRates, yields } from './yields.ts';

/** The difference between two treasury rates, newest trade date first; only days that have both. */
export const spread = operation({
  name: 'spread',
  command: {
    words: 'spread',
    heading: 'Treasury rates',
    examples: `
# ten years minus two years
asof spread --long 10Y --short 2Y --from 2019-08-26 --to 2019-08-30
# the days on which the curve was inverted
asof spread --long 10Y --short 3M --from 2019-01-01 --to 2019-12-31 --csv | awk -F, '$4 < 0'
`,
  },
  summary: 'The difference between two treasury rates over time',
  description: 'Newest trade date first; only days that have both rates. In basis points, with two decimals.',
  path: '/v1/treasury/yields/spread',
  object: 'yield_spread',
  members: ['covered_to'],
  subject: 'the {curve_type} curve',
  params: {
    long: maturityParam('The maturity to compare.', '10Y', {
      bounds: { field: 'long_maturity', is: 'equal' },
    }),
    short: maturityParam('The maturity to compare it with.', '2Y', {
      bounds: { field: 'short_maturity', is: 'equal' },
    }),
    curve_type: curveTypeParam({ bounds: { field: 'curve_type', is: 'equal' } }),
    ...dayRange('trade date', 'trade_date'),
    ...paging,
  },
  extra: oldest,
  fields: [
    field('trade_date', 'day', 'Date of the curve.'),
    field('long_rate', 'decimal', 'Rate of the long maturity in percent.'),
    field('short_rate', 'decimal', 'Rate of the short maturity in percent.'),
    field('spread_bps', 'decimal', 'Long rate minus short rate, in basis points.'),
    field('long_maturity', 'text', 'Maturity label.', { choices: maturities }),
    field('short_maturity', 'text', 'Maturity label.', { choices: maturities }),
    extension('curve_type', 'text', 'PAR or TIPS.', { choices: curveTypes }),
  ],
  columns: ['trade_date', 'long_rate', 'short_rate', 'spread_bps', 'long_maturity', 'short_maturity'],
  example: {
    params: { long: '10Y', short: '2Y', curve_type: 'PAR', from: '2025-12-01', to: '2025-12-31', limit: '1' },
    row: {
      trade_date: '2025-12-31',
      long_rate: '4.18',
      short_rate: '3.47',
      spread_bps: '71.00',
      long_maturity: '10Y',
      short_maturity: '2Y',
      curve_type: 'PAR',
    },
    head: { covered_to: '2025-12-31' },
  },
  knownBy: 'trade_date',
  boundBy: 'to',
  order: [{ field: 'trade_date', falling: true }],
  identity: ['trade_date'],
  contradiction({ long_rate, short_rate, spread_bps }) {
    // Two decimals of a basis point may be rounded.
    const points = (Number(long_rate) - Number(short_rate)) * 100;
    return Math.abs(points - Number(spread_bps)) < 0.0051
      ? undefined
      : `.spread_bps is "${spread_bps}", but ${long_rate} less ${short_rate} is ${points.toFixed(2)} basis points`;
  },
  proof({ curve_type, trade_date: day, long_maturity: maturity }, texts) {
    const asked = textOf(texts, 'curve_type') ?? 'PAR';
    if (curve_type != null || asked === 'PAR') return undefined;
    const rate = { maturity, curve_type: asked, from: day, to: day, limit: '1' };
    const noun = `${asked} rate of ${maturity}`;
    return { operation: yields, texts: Object.entries(rate), field: 'long_rate', shownAs: 'rate', noun };
  },
  check({ long, short, curve_type }) {
    checkMaturity('long', long, curve_type);
    checkMaturity('short', short, curve_type);
  },
  whyEmpty(texts, ask): Promise<string> {
    const maturities = [textOf(texts, 'long') ?? '10Y', textOf(texts, 'short') ?? '2Y'];
    return reasonWithoutRates(maturities, texts, (asked) => ask(spread, asked));
  },
  coveredTo: ({ curve_type }, view) => view.rates.coveredTo(curve_type),
  async run({ long, short, curve_type, from, to, limit }, { view, position }) {
    const before = position?.key[0];
    const found = await view.rates.spread({
      curveType: curve_type,
      long,
      short,
      limit: limit + 1,
      ...defined({ from, to, before }),
    });
    const { spreadInBasisPoints } = await import('../../domain/series/arithmetic.ts');
    const row = (pair: RatePair) => ({
      trade_date: pair.tradeDate,
      long_rate: pair.long,
      short_rate: pair.short,
      spread_bps: spreadInBasisPoints(pair.long, pair.short),
      long_maturity: long,
      short_maturity: short,
      curve_type,
    });
    return pageOf(found, limit, row, ({ tradeDate }) => ({ key: [tradeDate] }));
  },
});
