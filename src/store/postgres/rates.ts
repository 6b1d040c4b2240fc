import { type CurvePoint, monthsOf } from '../../domain/treasury/curve.ts';
import type { RatePair, RateSummary, RatesView } from '../store.ts';
import type { PointPlace, RateRows } from '../transaction.ts';
import type { Transaction } from './connection.ts';
import type { ImportLocks } from './locks.ts';

const columns = 'curve_type as "curveType", trade_date as "tradeDate", maturity, rate, source';

/** The rates of a store; an import gives the locks that it holds. */
export function ratesIn(transaction: Transaction, locks?: ImportLocks): RatesView & RateRows {
  return {
    curve({ curveType, date, onOrBefore }) {
      const newest =
        '(select max(trade_date) from asof.curve where curve_type = @curveType and trade_date <= @date)';
      return transaction.rows<CurvePoint>(
        `select ${columns} from asof.curve
         where curve_type = @curveType and trade_date = ${onOrBefore ? newest : '@date'} order by months`,
        { curveType, date },
      );
    },
    yields({ curveType, maturity, from = '-infinity', to = 'infinity', after, limit }) {
      return transaction.rows<CurvePoint>(
        `select ${columns} from asof.curve
         where curve_type = @curveType and trade_date between @from and @to ${maturity === undefined ? '' : 'and months = @months'}
           and (trade_date < @afterDate or (trade_date = @afterDate and months > @afterMonths))
         order by trade_date desc, months limit @limit`,
        {
          curveType,
          from,
          to,
          afterDate: after?.tradeDate ?? 'infinity',
          afterMonths: after === undefined ? 0 : monthsOf(after.maturity),
          limit,
          months: maturity === undefined ? undefined : monthsOf(maturity),
        },
      );
    },
    spread({ curveType, long, short, from = '-infinity', to = 'infinity', before = 'infinity', limit }) {
      return transaction.rows<RatePair>(
        `select l.trade_date as "tradeDate", l.rate as long, s.rate as short
         from asof.curve l
           join asof.curve s on s.curve_type = l.curve_type and s.trade_date = l.trade_date and s.months = @short
         where l.curve_type = @curveType and l.months = @long and l.trade_date between @from and @to
           and l.trade_date < @before
         order by l.trade_date desc limit @limit`,
        { curveType, long: monthsOf(long), short: monthsOf(short), from, to, before, limit },
      );
    },
    summaries: () =>
      transaction.rows<RateSummary>(
        `select curve_type as "curveType", min(maturity) as maturity, count(*) as count, min(trade_date) as first,
           max(trade_date) as last, array_agg(distinct source order by source) as sources
         from asof.curve group by curve_type, months order by curve_type, months`,
      ),
    async coveredTo(curveType, upTo = 'infinity') {
      const row = await transaction.row<{ newest: string | null }>(
        'select max(trade_date) as newest from asof.curve where curve_type = @curveType and trade_date <= @upTo',
        { curveType, upTo },
      );
      return row?.newest ?? undefined;
    },
    async held(range) {
      await locks?.lock([`curve ${range.curveType}`]);
      return transaction.rows<CurvePoint>(
        `select ${columns} from asof.curve where curve_type = @curveType and trade_date between @from and @to`,
        range,
      );
    },
    put: (points) =>
      transaction.write(
        `insert into asof.curve (curve_type, trade_date, months, maturity, rate, source)
         select * from unnest(@types::text[], @dates::date[], @months::double precision[], @maturities::text[],
           @rates::text[], @sources::text[])
         on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source`,
        {
          ...placesOf(points),
          maturities: points.map(({ maturity }) => maturity),
          rates: points.map(({ rate }) => rate),
          sources: points.map(({ source }) => source),
        },
      ),
    async remove(points) {
      if (points.length === 0) return;
      await transaction.write(
        `delete from asof.curve as c using unnest(@types::text[], @dates::date[], @months::double precision[])
           as d (curve_type, trade_date, months)
         where c.curve_type = d.curve_type and c.trade_date = d.trade_date and c.months = d.months`,
        placesOf(points),
      );
    },
  };
}

function placesOf(points: readonly PointPlace[]) {
  return {
    types: points.map(({ curveType }) => curveType),
    dates: points.map(({ tradeDate }) => tradeDate),
    months: points.map(({ maturity }) => monthsOf(maturity)),
  };
}
