import { dateTime } from '../domain/series/date.ts';
import { operation } from './operation.ts';
import { curveTypeParam, dayParam } from './params.ts';

/** The treasury curve of a day, shortest maturity first; without a day, the newest one on or before today. */
export const curve = operation({
  name: 'curve',
  command: { words: 'curve' },
  summary: 'The treasury yield curve of a day',
  path: '/v1/treasury/yields/curve',
  object: 'yield_curve',
  params: {
    date: dayParam('Trade date: exactly that day, no rows when there was no curve.'),
    curve_type: curveTypeParam(),
  },
  fields: [
    { name: 'trade_date', type: 'day', description: 'Date of the curve.' },
    { name: 'maturity', type: 'text', description: 'Maturity label.' },
    { name: 'rate', type: 'decimal', description: 'Rate in percent, exact decimal.' },
    { name: 'curve_type', type: 'text', description: 'PAR or TIPS.' },
    { name: 'source', type: 'text', description: 'Name of the data source.' },
  ],
  columns: ['trade_date', 'maturity', 'rate', 'curve_type', 'source'],
  knownBy: 'trade_date',
  dependsOnToday: ({ date }) => date === undefined,
  async run({ date, curve_type }, { view, clock }) {
    const points = await view.curve({
      curveType: curve_type,
      date: date ?? clock.today,
      onOrBefore: date === undefined,
    });
    return {
      rows: points.map(({ tradeDate, maturity, rate, curveType, source }) => ({
        trade_date: dateTime(tradeDate),
        maturity,
        rate,
        curve_type: curveType,
        source,
      })),
    };
  },
});
