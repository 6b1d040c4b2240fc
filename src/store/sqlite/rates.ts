import { type Day, earlier } from '../../domain/series/date.ts';
import { type CurvePoint, type Maturity, monthsOf } from '../../domain/treasury/curve.ts';
import type { RatePair, RateSummary, RatesView } from '../store.ts';
import type { RateRows } from '../transaction.ts';
import type { SqliteSession } from './connection.ts';

const columns = 'curve_type as curveType, trade_date as tradeDate, maturity, rate, source';

/** The rates of a store. */
export function ratesIn(session: SqliteSession): RatesView & RateRows {
  const coveredTo: RatesView['coveredTo'] = async (curveType, upTo = '~') => {
    const sql = 'select max(trade_date) from curve where curve_type = ? and trade_date <= ?';
    const [newest] = await session.column<string | null>(sql, curveType, upTo);
    return newest ?? undefined;
  };
  return {
    coveredTo,
    async curve({ curveType, date, onOrBefore }) {
      const day = onOrBefore ? await coveredTo(curveType, date) : date;
      if (day === undefined) return [];
      return session.rows<CurvePoint>(
        `select ${columns} from curve where curve_type = ? and trade_date = ? order by months`,
        curveType,
        day,
      );
    },
    yields: ({ curveType, maturity, from = '', to = '~', after, limit }) =>
      session.use((connection) => {
        // Reading objects takes twice as long.
        const rows = connection.tuples<
          readonly [tradeDate: Day, maturity: Maturity, rate: string, source: string]
        >(
          `select trade_date, maturity, rate, source from curve
           where curve_type = @curveType and trade_date between @from and @to ${maturity === undefined ? '' : 'and months = @months'}
             and (trade_date <> @afterDate or months > @afterMonths)
           order by trade_date desc, months limit @limit`,
        );
        const found = rows.all({
          curveType,
          from,
          // One upper bound, and no alternatives, which would keep SQLite from using the index.
          to: earlier(to, after?.tradeDate ?? '~'),
          afterDate: after?.tradeDate ?? '~',
          afterMonths: after === undefined ? 0 : monthsOf(after.maturity),
          limit,
          ...(maturity !== undefined && { months: monthsOf(maturity) }),
        });
        return found.map(([tradeDate, maturity, rate, source]) => {
          return { curveType, tradeDate, maturity, rate, source };
        });
      }),
    spread: ({ curveType, long, short, from = '', to = '~', before = '~', limit }) =>
      session.rows<RatePair>(
        `select l.trade_date as tradeDate, l.rate as long, s.rate as short
         from curve l join curve s on s.curve_type = l.curve_type and s.trade_date = l.trade_date and s.months = @short
         where l.curve_type = @curveType and l.months = @long and l.trade_date between @from and @to
           and l.trade_date < @before
         order by l.trade_date desc limit @limit`,
        { curveType, long: monthsOf(long), short: monthsOf(short), from, to, before, limit },
      ),
    async summaries() {
      const rows = await session.rows<Omit<RateSummary, 'sources'> & { readonly sources: string }>(
        `select curve_type as curveType, maturity, count(*) as count, min(trade_date) as first,
           max(trade_date) as last, json_group_array(distinct source) as sources
         from curve group by curve_type, months order by curve_type, months`,
      );
      return rows.map((row) => ({ ...row, sources: (JSON.parse(row.sources) as string[]).sort() }));
    },
    held: (range) =>
      session.rows<CurvePoint>(
        `select ${columns} from curve where curve_type = @curveType and trade_date between @from and @to`,
        range,
      ),
    put: (points) =>
      session.use((connection) => {
        const upsert = connection.objects(
          `insert into curve (curve_type, trade_date, months, maturity, rate, source) values (?, ?, ?, ?, ?, ?)
           on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source`,
        );
        for (const { curveType, tradeDate, maturity, rate, source } of points)
          upsert.run(curveType, tradeDate, monthsOf(maturity), maturity, rate, source);
      }),
    remove: (points) =>
      session.use((connection) => {
        const remove = connection.objects(
          'delete from curve where curve_type = ? and trade_date = ? and months = ?',
        );
        for (const { curveType, tradeDate, maturity } of points)
          remove.run(curveType, tradeDate, monthsOf(maturity));
      }),
  };
}
