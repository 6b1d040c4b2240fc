import { type Day, earlier } from '../../domain/series/date.ts';
import { type CurvePoint, monthsOf } from '../../domain/treasury/curve.ts';
import type { CurveQuery, RatePair, RateSummary, SpreadQuery, YieldsQuery } from '../store.ts';
import type { Connection } from './connection.ts';

const columns = 'curve_type as curveType, trade_date as tradeDate, maturity, rate, source';

/** The curve of one day, shortest maturity first. */
export function readCurve(
  connection: Connection,
  { curveType, date, onOrBefore }: CurveQuery,
): readonly CurvePoint[] {
  const newest = connection.column<Day | null>(
    'select max(trade_date) from curve where curve_type = ? and trade_date <= ?',
  );
  const day = onOrBefore ? newest.get(curveType, date) : date;
  return connection
    .objects<CurvePoint>(
      `select ${columns} from curve where curve_type = ? and trade_date = ? order by months`,
    )
    .all(curveType, day);
}

/** Rates over time, newest trade date first, then shortest maturity. */
export function readYields(
  connection: Connection,
  { curveType, maturity, from, to, after, limit }: YieldsQuery,
): readonly CurvePoint[] {
  const points = connection.objects<CurvePoint>(
    `select ${columns} from curve
     where curve_type = @curveType and trade_date between @from and @to ${maturity === undefined ? '' : 'and months = @months'}
       and (trade_date <> @afterDate or months > @afterMonths)
     order by trade_date desc, months limit @limit`,
  );
  return points.all({
    curveType,
    from: from ?? '',
    // One upper bound, and no alternatives, which would keep SQLite from using the index.
    to: earlier(to ?? '~', after?.tradeDate ?? '~'),
    afterDate: after?.tradeDate ?? '~',
    afterMonths: after === undefined ? 0 : monthsOf(after.maturity),
    limit,
    ...(maturity !== undefined && { months: monthsOf(maturity) }),
  });
}

/** The rates of two maturities on the days that have both, newest first. */
export function readSpread(
  connection: Connection,
  { curveType, long, short, from, to, before, limit }: SpreadQuery,
): readonly RatePair[] {
  const pairs = connection.objects<RatePair>(
    `select l.trade_date as tradeDate, l.rate as long, s.rate as short
     from curve l join curve s on s.curve_type = l.curve_type and s.trade_date = l.trade_date and s.months = @short
     where l.curve_type = @curveType and l.months = @long and l.trade_date between @from and @to
       and l.trade_date < @before
     order by l.trade_date desc limit @limit`,
  );
  return pairs.all({
    curveType,
    long: monthsOf(long),
    short: monthsOf(short),
    from: from ?? '',
    to: to ?? '~',
    before: before ?? '~',
    limit,
  });
}

/** Every maturity that has rates, with the days and the sources of its rates. */
export function readRates(connection: Connection): readonly RateSummary[] {
  const rows = connection.objects<Omit<RateSummary, 'sources'> & { readonly sources: string }>(
    `select curve_type as curveType, maturity, count(*) as count, min(trade_date) as first,
       max(trade_date) as last, json_group_array(distinct source) as sources
     from curve group by curve_type, months order by curve_type, months`,
  );
  return rows.all().map((row) => ({ ...row, sources: (JSON.parse(row.sources) as string[]).sort() }));
}

/** The points held of a curve type between two trade dates, both included. */
export function readPoints(
  connection: Connection,
  { curveType, from, to }: { readonly curveType: string; readonly from: Day; readonly to: Day },
): readonly CurvePoint[] {
  return connection
    .objects<CurvePoint>(`select ${columns} from curve where curve_type = ? and trade_date between ? and ?`)
    .all(curveType, from, to);
}

/** Writes points; each one replaces the held point of its curve, trade date and maturity. */
export function writePoints(connection: Connection, points: readonly CurvePoint[]): void {
  const upsert = connection.objects(
    `insert into curve (curve_type, trade_date, months, maturity, rate, source) values (?, ?, ?, ?, ?, ?)
     on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source`,
  );
  for (const { curveType, tradeDate, maturity, rate, source } of points)
    upsert.run(curveType, tradeDate, monthsOf(maturity), maturity, rate, source);
}
