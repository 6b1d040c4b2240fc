import type { Day } from '../../domain/series/date.ts';
import { type CurvePoint, monthsOf } from '../../domain/treasury/curve.ts';
import type { CurveQuery, RatePair, RateSummary, SpreadQuery, YieldsQuery } from '../store.ts';
import type { PointsRange } from '../writer.ts';
import type { Transaction } from './connection.ts';

const columns = 'curve_type as "curveType", trade_date as "tradeDate", maturity, rate, source';

/** The curve of one day, shortest maturity first. */
export function readCurve(
  transaction: Transaction,
  { curveType, date, onOrBefore }: CurveQuery,
): Promise<readonly CurvePoint[]> {
  const newest =
    '(select max(trade_date) from asof.curve where curve_type = @curveType and trade_date <= @date)';
  return transaction.rows(
    `select ${columns} from asof.curve
     where curve_type = @curveType and trade_date = ${onOrBefore ? newest : '@date'} order by months`,
    { curveType, date },
  );
}

/** Rates over time, newest trade date first, then shortest maturity. */
export function readYields(
  transaction: Transaction,
  { curveType, maturity, from, to, after, limit }: YieldsQuery,
): Promise<readonly CurvePoint[]> {
  return transaction.rows(
    `select ${columns} from asof.curve
     where curve_type = @curveType and trade_date between @from and @to ${maturity === undefined ? '' : 'and months = @months'}
       and (trade_date < @afterDate or (trade_date = @afterDate and months > @afterMonths))
     order by trade_date desc, months limit @limit`,
    {
      curveType,
      from: from ?? '-infinity',
      to: to ?? 'infinity',
      afterDate: after?.tradeDate ?? 'infinity',
      afterMonths: after === undefined ? 0 : monthsOf(after.maturity),
      limit,
      months: maturity === undefined ? undefined : monthsOf(maturity),
    },
  );
}

/** The rates of two maturities on the days that have both, newest first. */
export function readSpread(
  transaction: Transaction,
  { curveType, long, short, from, to, before, limit }: SpreadQuery,
): Promise<readonly RatePair[]> {
  return transaction.rows(
    `select l.trade_date as "tradeDate", l.rate as long, s.rate as short
     from asof.curve l
       join asof.curve s on s.curve_type = l.curve_type and s.trade_date = l.trade_date and s.months = @short
     where l.curve_type = @curveType and l.months = @long and l.trade_date between @from and @to
       and l.trade_date < @before
     order by l.trade_date desc limit @limit`,
    {
      curveType,
      long: monthsOf(long),
      short: monthsOf(short),
      from: from ?? '-infinity',
      to: to ?? 'infinity',
      before: before ?? 'infinity',
      limit,
    },
  );
}

/** Every maturity that has rates, with the days and the sources of the rates. */
export function readRates(transaction: Transaction): Promise<readonly RateSummary[]> {
  return transaction.rows(
    `select curve_type as "curveType", min(maturity) as maturity, count(*) as count, min(trade_date) as first,
       max(trade_date) as last, array_agg(distinct source order by source) as sources
     from asof.curve group by curve_type, months order by curve_type, months`,
  );
}

/** The newest trade date of a curve type. */
export async function newestCurve(
  transaction: Transaction,
  curveType: string,
  upTo: Day = 'infinity',
): Promise<Day | undefined> {
  const row = await transaction.row<{ newest: Day | null }>(
    'select max(trade_date) as newest from asof.curve where curve_type = @curveType and trade_date <= @upTo',
    { curveType, upTo },
  );
  return row?.newest ?? undefined;
}

/** The points that the store holds of a curve type between two trade dates (inclusive). */
export function readPoints(transaction: Transaction, range: PointsRange): Promise<readonly CurvePoint[]> {
  return transaction.rows(
    `select ${columns} from asof.curve where curve_type = @curveType and trade_date between @from and @to`,
    range,
  );
}

/** Writes points; each replaces the held point with the same curve type, trade date and maturity. */
export function writePoints(transaction: Transaction, points: readonly CurvePoint[]): Promise<void> {
  return transaction.write(
    `insert into asof.curve (curve_type, trade_date, months, maturity, rate, source)
     select * from unnest(@types::text[], @dates::date[], @months::double precision[], @maturities::text[],
       @rates::text[], @sources::text[])
     on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source`,
    {
      types: points.map(({ curveType }) => curveType),
      dates: points.map(({ tradeDate }) => tradeDate),
      months: points.map(({ maturity }) => monthsOf(maturity)),
      maturities: points.map(({ maturity }) => maturity),
      rates: points.map(({ rate }) => rate),
      sources: points.map(({ source }) => source),
    },
  );
}
