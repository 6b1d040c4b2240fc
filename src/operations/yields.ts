import { rateFields, rateRow } from './curve.ts';
import { operation, pageOf } from './operation.ts';
import { checkMaturity, checkRange, curveTypeParam, dayParam, maturityParam, paging } from './params.ts';

/** Treasury rates over time, newest trade date first, then shortest maturity. */
export const yields = operation({
  name: 'yields',
  command: { words: 'yields', heading: 'Treasury rates', features: ['wide'] },
  summary: 'Treasury rates over time, of one maturity or of all',
  path: '/v1/treasury/yields',
  object: 'yield_series',
  members: ['covered_to'],
  subject: 'the {curve_type} curve',
  params: {
    maturity: maturityParam('Maturity label, such as 10Y (default: all).', undefined),
    curve_type: curveTypeParam(),
    from: dayParam('First trade date.', { field: 'trade_date', is: 'from' }),
    to: dayParam('Last trade date.', { field: 'trade_date', is: 'to' }),
    ...paging,
  },
  fields: rateFields,
  columns: ['trade_date', 'maturity', 'rate', 'curve_type', 'source'],
  knownBy: 'trade_date',
  boundBy: 'to',
  check({ maturity, curve_type, from, to }) {
    checkRange(from, to);
    checkMaturity('maturity', maturity, curve_type);
  },
  coveredTo: ({ curve_type }, view) => view.coveredTo(curve_type),
  async run({ maturity, curve_type, from, to, limit }, { view, position }) {
    const [date, after] = position?.key ?? [];
    const found = await view.yields({
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
