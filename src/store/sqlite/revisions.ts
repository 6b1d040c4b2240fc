import type { Database } from 'better-sqlite3';
import type { Day } from '../../domain/series/date.ts';
import type { Revision, VintageCounts, VintageQuery } from '../store.ts';
import { prepare } from './connect.ts';

/** Every change of one date's number, oldest first; null where it was withdrawn. */
export function readRevisions(db: Database, key: number, date: Day): Revision[] {
  const changes = prepare(
    db,
    'select as_of_date as asOfDate, value from fact where series = ? and date = ? order by as_of_date',
  );
  return changes.all(key, date) as Revision[];
}

/** A first value, or the next one after a withdrawal, is added; every day that stated anything is listed, whatever it changed. */
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

/** The days on which a series was published, newest first, with what each changed. */
export function readVintageCounts(db: Database, key: number, query: VintageQuery): VintageCounts[] {
  const { from = '', to = '~', before = '~', limit } = query;
  return prepare(db, vintagePage).all({ key, from, to, before, limit }) as VintageCounts[];
}

/** The first date of a series that ever had a value; undefined where all was withdrawn from the start. */
export function readFirstDate(db: Database, key: number): Day | undefined {
  const date = prepare(db, 'select min(date) from fact where series = ?').pluck().get(key) as Day | null;
  return date ?? undefined;
}
