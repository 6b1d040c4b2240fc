import { type CurvePoint, type CurveType, type Maturity, monthsOf } from '../../domain/treasury/curve.ts';
import { type Day, earlier } from '../../domain/values/date.ts';
import type { RatePair, RateSummary, RatesView } from '../store.ts';
import { endOfTime, listOf, type SqlSession, startOfTime } from './session.ts';

const columns = 'curve_type as "curveType", trade_date as "tradeDate", maturity, rate, source';

/** Reads and writes the rates of a store. */
export function ratesIn(session: SqlSession) {
  const view: RatesView = {
    curve({ curveType, date, onOrBefore }) {
      const newest =
        '(select max(trade_date) from asof.curve where curve_type = @curveType and trade_date <= @date)';
      return session.rows<CurvePoint>(
        `select ${columns} from asof.curve
         where curve_type = @curveType and trade_date = ${onOrBefore ? newest : '@date'} order by months`,
        { curveType, date },
      );
    },
    async yields({ curveType, maturity, from = startOfTime, to = endOfTime, after, limit }) {
      // A row is one text: SQLite reads four texts three times as slowly. A single upper bound, without alternatives,
      // lets SQLite use the index.
      const rows = await session.column<string>(
        `select trade_date::text || maturity || ' ' || rate || ' ' || source as point from asof.curve
         where curve_type = @curveType and trade_date between @from and @to ${maturity === undefined ? '' : 'and months = @months'}
           and (trade_date <> @afterDate or months > @afterMonths)
         order by trade_date desc, months limit @limit`,
        {
          curveType,
          from,
          to: earlier(to, after?.tradeDate ?? endOfTime),
          afterDate: after?.tradeDate ?? endOfTime,
          afterMonths: after === undefined ? 0 : monthsOf(after.maturity),
          limit,
          months: maturity && monthsOf(maturity),
        },
      );
      return rows.map((row): CurvePoint => {
        const [label, rate] = [row.indexOf(' '), row.indexOf(' ', row.indexOf(' ') + 1)];
        return {
          curveType,
          tradeDate: row.slice(0, 10),
          maturity: row.slice(10, label) as Maturity,
          rate: row.slice(label + 1, rate),
          source: row.slice(rate + 1),
        };
      });
    },
    spread({ curveType, long, short, from = startOfTime, to = endOfTime, before = endOfTime, limit }) {
      return session.rows<RatePair>(
        `select l.trade_date as "tradeDate", l.rate as long, s.rate as short,
           case when l.source = s.source then l.source else l.source || '; ' || s.source end as source
         from asof.curve l
           join asof.curve s on s.curve_type = l.curve_type and s.trade_date = l.trade_date and s.months = @short
         where l.curve_type = @curveType and l.months = @long and l.trade_date between @from and @to
           and l.trade_date < @before
         order by l.trade_date desc limit @limit`,
        { curveType, long: monthsOf(long), short: monthsOf(short), from, to, before, limit },
      );
    },
    async summaries(only) {
      const rows = await session.rows<Omit<RateSummary, 'sources'> & { readonly sources: string | string[] }>(
        `select curve_type as "curveType", min(maturity) as maturity, count(*) as count, min(trade_date) as first,
           max(trade_date) as last, array_agg(distinct source) as sources
         from asof.curve ${only === undefined ? '' : 'where curve_type = @curveType and months = @months'}
         group by curve_type, months order by curve_type, months`,
        only && { curveType: only.curveType, months: monthsOf(only.maturity) },
      );
      return rows.map((row) => ({ ...row, sources: [...listOf<string>(row.sources)].sort() }));
    },
    async coveredTo(curveType, upTo = endOfTime) {
      const [newest] = await session.column<Day | null>(
        'select max(trade_date) as newest from asof.curve where curve_type = @curveType and trade_date <= @upTo',
        { curveType, upTo },
      );
      return newest ?? undefined;
    },
  };
  return {
    ...view,
    /** Reads the rates of a curve between two trade dates (inclusive), and locks the curve. */
    async stored(range: { readonly curveType: CurveType; readonly from: Day; readonly to: Day }) {
      await session.lock?.([`curve ${range.curveType}`]);
      return session.rows<CurvePoint>(
        `select ${columns} from asof.curve where curve_type = @curveType and trade_date between @from and @to`,
        range,
      );
    },
    /** Writes rates; each replaces the stored rate of its curve, trade date and maturity. */
    put: (points: readonly CurvePoint[]) =>
      session.insert({
        table: 'curve',
        columns: {
          curve_type: ['text', points.map(({ curveType }) => curveType)],
          trade_date: ['date', points.map(({ tradeDate }) => tradeDate)],
          months: ['double precision', points.map(({ maturity }) => monthsOf(maturity))],
          maturity: ['text', points.map(({ maturity }) => maturity)],
          rate: ['text', points.map(({ rate }) => rate)],
          source: ['text', points.map(({ source }) => source)],
        },
        onConflict:
          'on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source',
      }),
    remove: (curveType: CurveType, maturity: Maturity, tradeDates: readonly Day[]) =>
      session.write(
        `delete from asof.curve
         where curve_type = @curveType and months = @months and trade_date = any(@tradeDates::date[])`,
        { curveType, months: monthsOf(maturity), tradeDates },
      ),
  };
}
