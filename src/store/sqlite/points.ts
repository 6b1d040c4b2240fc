import type { Database } from 'better-sqlite3';
import type { Day } from '../../domain/series/date.ts';
import { fullerText, sameNumber } from '../../domain/series/decimal.ts';
import { type CurvePoint, type Maturity, monthsOf } from '../../domain/treasury/curve.ts';
import type {
  CurveQuery,
  MergedPoints,
  MergeOptions,
  PointClash,
  RatePair,
  SpreadQuery,
  YieldsQuery,
} from '../store.ts';
import { prepare } from './connect.ts';

/** Adds curve points in any order: one rate for each type, date and maturity. */
export function mergePoints(
  db: Database,
  points: readonly CurvePoint[],
  { replace }: MergeOptions,
): MergedPoints {
  const select = prepare(
    db,
    'select rate, source from curve where curve_type = ? and trade_date = ? and months = ?',
  );
  const upsert = prepare(
    db,
    `insert into curve (curve_type, trade_date, months, maturity, rate, source) values (?, ?, ?, ?, ?, ?)
     on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source`,
  );
  const put = (point: CurvePoint): void => {
    const { curveType, tradeDate, maturity, rate, source } = point;
    upsert.run(curveType, tradeDate, monthsOf(maturity), maturity, rate, source);
    changed = true;
  };
  let [added, known] = [0, 0];
  let changed = false;
  const clashes: PointClash[] = [];
  for (const given of points) {
    const row = select.get(given.curveType, given.tradeDate, monthsOf(given.maturity)) as
      | Pick<CurvePoint, 'rate' | 'source'>
      | undefined;
    const held = row && { ...given, ...row };
    if (held === undefined) {
      put(given);
      added += 1;
    } else if (sameNumber(held.rate, given.rate)) {
      const better = preferred(held, given);
      if (better !== held) put(better);
      known += 1;
    } else if (replace) {
      put(given);
      added += 1;
    } else {
      clashes.push({ held, given });
    }
  }
  return { added, known, clashes, changed };
}

/** Of two points of one rate, the one with the fuller text; then the source that sorts first: never the order of import. */
function preferred(held: CurvePoint, given: CurvePoint): CurvePoint {
  if (held.rate !== given.rate) return fullerText(held.rate, given.rate) === held.rate ? held : given;
  return given.source < held.source ? given : held;
}

const columns = 'curve_type as curveType, trade_date as tradeDate, maturity, rate, source';

/** The curve of one day, shortest maturity first. */
export function readCurve(db: Database, { curveType, date, onOrBefore }: CurveQuery): CurvePoint[] {
  const newest = prepare(
    db,
    'select max(trade_date) from curve where curve_type = ? and trade_date <= ?',
  ).pluck();
  const day = onOrBefore ? (newest.get(curveType, date) as Day | null) : date;
  const points = prepare(
    db,
    `select ${columns} from curve where curve_type = ? and trade_date = ? order by months`,
  );
  return points.all(curveType, day) as CurvePoint[];
}

/** Rates over time, newest trade date first, then shortest maturity. */
export function readYields(
  db: Database,
  { curveType, maturity, from, to, after, limit }: YieldsQuery,
): CurvePoint[] {
  const points = prepare(
    db,
    `select ${columns} from curve
     where curve_type = @curveType and trade_date between @from and @to ${maturity === undefined ? '' : 'and months = @months'}
       and (trade_date < @afterDate or (trade_date = @afterDate and months > @afterMonths))
     order by trade_date desc, months limit @limit`,
  );
  return points.all({
    curveType,
    from: from ?? '',
    to: to ?? '~',
    afterDate: after?.tradeDate ?? '~',
    afterMonths: after === undefined ? 0 : monthsOf(after.maturity as Maturity),
    limit,
    ...(maturity !== undefined && { months: monthsOf(maturity) }),
  }) as CurvePoint[];
}

/** The rates of two maturities on the days that have both, newest first. */
export function readSpread(
  db: Database,
  { curveType, long, short, from, to, before, limit }: SpreadQuery,
): RatePair[] {
  const pairs = prepare(
    db,
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
  }) as RatePair[];
}
