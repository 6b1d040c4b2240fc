import type { Day } from '../../domain/series/date.ts';
import type { Revision, VintageCounts, VintageQuery } from '../store.ts';
import type { Connection } from './connection.ts';

/** Every change of one date's number, oldest first; null where it was withdrawn. */
export function readRevisions(connection: Connection, key: number, date: Day): readonly Revision[] {
  return connection
    .objects<Revision>(
      'select as_of_date as asOfDate, value from fact where series = ? and date = ? order by as_of_date',
    )
    .all(key, date);
}

/** A first value and a value after a withdrawal count as added. Every vintage is listed, also one that changed nothing. */
const vintagePage = `with page as (
    select as_of_date from vintage
    where series = @key and as_of_date >= @from and as_of_date <= @to and as_of_date < @before
    order by as_of_date desc limit @limit
  ), change as (
    select as_of_date, case
      when value is null then 'withdrawn'
      when lag(value) over (partition by date order by as_of_date) is null then 'added'
      else 'revised' end as kind
    from fact where series = @key and as_of_date <= (select max(as_of_date) from page)
  ), counted as (
    select as_of_date, sum(kind = 'added') as added, sum(kind = 'revised') as revised,
      sum(kind = 'withdrawn') as withdrawn
    from change group by as_of_date
  )
  select as_of_date as asOfDate, coalesce(added, 0) as added, coalesce(revised, 0) as revised,
    coalesce(withdrawn, 0) as withdrawn
  from page left join counted using (as_of_date) order by as_of_date desc`;

/** The vintages of a series, newest first, with what each changed. */
export function readVintageCounts(
  connection: Connection,
  key: number,
  { from = '', to = '~', before = '~', limit }: VintageQuery,
): readonly VintageCounts[] {
  return connection.objects<VintageCounts>(vintagePage).all({ key, from, to, before, limit });
}

/** The first date of a series that ever had a value; undefined where every statement is a withdrawal. */
export function readFirstDate(connection: Connection, key: number): Day | undefined {
  return connection.column<Day | null>('select min(date) from fact where series = ?').get(key) ?? undefined;
}
