import { byMaturity, rateFields, rateRow, reasonWithoutRates } from './curve.ts';
import { operation } from './operation.ts';
import { pageOf } from './page.ts';
import { textOf } from './param.ts';
import {
  checkMaturity,
  checkRange,
  curveTypeParam,
  dayParam,
  maturityParam,
  oldest,
  paging,
} from './params.ts';

/** Treasury rates over time, newest trade date first, then shortest maturity. */
export const yields = operation({
  name: 'yields',
  command: {
    words: 'yields',
    heading: 'Treasury rates',
    examples: `
# the ten-year rate of one week
asof yields --maturity 10Y --from 2008-09-12 --to 2008-09-18
# real rates, one column per maturity, into a file
asof yields --type tips --wide --from 2022-01-01 -o tips.csv
`,
  },
  summary: 'Treasury rates over time, of one maturity or of all',
  description: 'Newest trade date first, then shortest maturity. Treasury rates are not revised.',
  path: '/v1/treasury/yields',
  object: 'yield_series',
  members: ['covered_to'],
  subject: 'the {curve_type} curve',
  params: {
    maturity: maturityParam('Maturity label, such as 10Y (default: all).', undefined, {
      bounds: { field: 'maturity', is: 'equal' },
    }),
    curve_type: curveTypeParam({ bounds: { field: 'curve_type', is: 'equal' } }),
    from: dayParam('First trade date.', { field: 'trade_date', is: 'from' }),
    to: dayParam('Last trade date.', { field: 'trade_date', is: 'to' }),
    ...paging,
  },
  extra: oldest,
  fields: rateFields,
  columns: ['trade_date', 'maturity', 'rate', 'curve_type', 'source'],
  example: {
    params: { maturity: '10Y', curve_type: 'PAR', from: '2025-12-01', to: '2025-12-31', limit: '1' },
    row: {
      trade_date: '2025-12-31',
      maturity: '10Y',
      rate: '4.18',
      curve_type: 'PAR',
      source: 'U.S. Treasury',
    },
    head: { covered_to: '2025-12-31' },
  },
  knownBy: 'trade_date',
  boundBy: 'to',
  order: [{ field: 'trade_date', falling: true }, byMaturity],
  identity: ['trade_date', 'maturity'],
  chart: 'yields',
  check({ maturity, curve_type, from, to }) {
    checkRange(from, to);
    checkMaturity('maturity', maturity, curve_type);
  },
  whyEmpty(texts, ask): Promise<string> {
    const maturities = [textOf(texts, 'maturity')].flatMap((maturity) => maturity ?? []);
    return reasonWithoutRates(maturities, texts, (asked) => ask(yields, asked));
  },
  coveredTo: ({ curve_type }, view) => view.rates.coveredTo(curve_type),
  async run({ maturity, curve_type, from, to, limit }, { view, position }) {
    const [date, after] = position?.key ?? [];
    const found = await view.rates.yields({
      curveType: curve_type,
      limit: limit + 1,
      ...(maturity !== undefined && { maturity }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(date !== undefined && after !== undefined && { after: { tradeDate: date, maturity: after } }),
    });
    return pageOf(found, limit, rateRow, ({ tradeDate, maturity }) => ({ key: [tradeDate, maturity] }));
  },
});
