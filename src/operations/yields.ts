import { maturitiesOf } from '../model/curve.ts';
import { dateTime } from '../model/date.ts';
import { Problem } from '../problem.ts';
import { curve } from './curve.ts';
import { operation } from './operation.ts';
import { checkRange, curveTypeParam, dayParam, maturityParam, paging } from './params.ts';

/** Treasury rates over time, newest trade date first, then shortest maturity. */
export const yields = operation({
  name: 'yields',
  command: { words: 'yields' },
  summary: 'Treasury rates over time, of one maturity or of all',
  path: '/v1/treasury/yields',
  object: 'yield_series',
  params: {
    maturity: maturityParam('Maturity label, such as 10Y; all unless given.'),
    curve_type: curveTypeParam(),
    from: dayParam('First trade date.'),
    to: dayParam('Last trade date.'),
    ...paging,
  },
  fields: curve.fields,
  columns: curve.columns,
  check({ maturity, curve_type, from, to }) {
    checkRange(from, to);
    const known = maturitiesOf(curve_type);
    if (maturity === undefined || known.includes(maturity)) return;
    throw new Problem(
      'validation-error',
      `invalid 'maturity' ${JSON.stringify(maturity)}: ${curve_type} has ${known.join(', ')}`,
      {
        field: 'maturity',
      },
    );
  },
  async run({ maturity, curve_type, from, to, limit }, { store, position }) {
    const [date, after] = position?.key ?? [];
    const found = await store.yields({
      curveType: curve_type,
      limit: limit + 1,
      ...(maturity !== undefined && { maturity }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(date !== undefined && after !== undefined && { after: { tradeDate: date, maturity: after } }),
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      rows: page.map(({ tradeDate, maturity, rate, curveType, source }) => ({
        trade_date: dateTime(tradeDate),
        maturity,
        rate,
        curve_type: curveType,
        source,
      })),
      ...(found.length > limit && last !== undefined && { next: { key: [last.tradeDate, last.maturity] } }),
    };
  },
});
