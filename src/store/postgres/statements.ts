import type { Day, Frequency } from '../../domain/series/date.ts';
import type { MergePlan } from '../../domain/series/merge-plan.ts';
import type { Change, KeptChange, Statement } from '../../domain/series/revision-history.ts';
import type { KeptKind } from '../../domain/series/series.ts';
import { changesByDate, type StatedKind, statementsOf } from '../statements.ts';
import type { ObservationQuery, Revision, StoredObservation } from '../store.ts';
import type { Transaction } from './connection.ts';
import { readVintages } from './vintages.ts';

const within = 'series = @id and date >= @from and date <= @to and date < @before and as_of_date <= @asOf';

// The rows keep the order of the inner query. With an outer order, PostgreSQL would sort the whole series for a page.
const newestFirst = `select date, as_of_date as "asOfDate", value from (
    select distinct on (date) date, as_of_date, value from asof.fact
    where ${within} order by date desc, as_of_date desc
  ) as newest
  where value is not null limit @limit`;

const firstReleases = `select distinct on (date) date, as_of_date as "asOfDate", value from asof.fact
  where ${within} and value is not null
    and date > coalesce((select max(date) from asof.fact
      where series = @id and value is not null
        and as_of_date <= (select min(as_of_date) from asof.vintage where series = @id)), '-infinity')
  order by date desc, as_of_date limit @limit`;

/** A page of a series' values, newest date first. */
export function readObservations(
  transaction: Transaction,
  { seriesId, asOf, firstRelease, from, to, before, limit }: ObservationQuery,
): Promise<readonly StoredObservation[]> {
  return transaction.rows(firstRelease === true ? firstReleases : newestFirst, {
    id: seriesId,
    asOf: asOf ?? 'infinity',
    from: from ?? '-infinity',
    to: to ?? 'infinity',
    before: before ?? 'infinity',
    limit,
  });
}

type ChangeRow = { readonly date: Day; readonly asOf: Day; readonly value: string | null };

/** The changes of text of a series' dates between two days (inclusive), each date's oldest first. */
export async function readChanges(
  transaction: Transaction,
  id: string,
  from: Day,
  to: Day,
): Promise<ReadonlyMap<Day, readonly Change[]>> {
  const rows = await transaction.rows<ChangeRow>(
    `select date, as_of_date as "asOf", value from asof.fact where series = @id and date between @from and @to
     union all
     select date, as_of_date, value from asof.respelling where series = @id and date between @from and @to
     order by 1, 2`,
    { id, from, to },
  );
  return changesByDate(rows.map(({ date, asOf, value }) => [date, asOf, value]));
}

/** The latest change of text of each of a series' dates between two days (inclusive). */
export async function readLatestChanges(
  transaction: Transaction,
  id: string,
  from: Day,
  to: Day,
): Promise<ReadonlyMap<Day, readonly Change[]>> {
  const latest = (table: string) =>
    `(select distinct on (date) date, as_of_date, value from asof.${table}
      where series = @id and date between @from and @to order by date, as_of_date desc)`;
  const rows = await transaction.rows<ChangeRow>(
    `select distinct on (date) date, as_of_date as "asOf", value
     from (${latest('fact')} union all ${latest('respelling')}) as each order by date, as_of_date desc`,
    { id, from, to },
  );
  return changesByDate(rows.map(({ date, asOf, value }) => [date, asOf, value]));
}

/** The most rows that one statement writes or deletes. */
const rowsAtOnce = 20_000;

const epoch = '1970-01-01';

function daysSince(day: Day): number {
  return Date.parse(day) / 86_400_000;
}

/**
 * Writes the plan of a merge. A `delete` on Citus cannot join `unnest`, so it finds each row by one number that is made
 * from its two dates.
 */
export async function applyPlan(transaction: Transaction, id: string, plan: MergePlan): Promise<void> {
  for (const table of ['fact', 'respelling'] as const) {
    for (const part of partsOf(plan.removed.filter(({ kind }) => kind === table)))
      await transaction.write(
        `delete from asof.${table} where series = @id and date = any(@dates::date[])
           and (date - date '${epoch}') * 1000000::bigint + (as_of_date - date '${epoch}') = any(@places::bigint[])`,
        {
          id,
          dates: part.map(({ date }) => date),
          places: part.map(({ date, asOf }) => daysSince(date) * 1_000_000 + daysSince(asOf)),
        },
      );
    for (const part of partsOf(plan.inserted.filter(({ kind }) => kind === table)))
      await transaction.write(
        `insert into asof.${table} (series, date, as_of_date, value)
         select @id, * from unnest(@dates::date[], @asOfs::date[], @values::text[])`,
        { id, ...columnsOf(part) },
      );
  }
  for (const part of partsOf(plan.vintages))
    await transaction.write(
      `insert into asof.vintage (series, as_of_date, dates, complete, kind, clipped)
       select @id, * from unnest(@asOfs::date[], @dates::text[], @complete::boolean[], @kinds::text[], @clipped::text[])
       on conflict (series, as_of_date) do update set dates = excluded.dates, complete = excluded.complete,
         kind = excluded.kind, clipped = excluded.clipped`,
      {
        id,
        asOfs: part.map(({ asOf }) => asOf),
        dates: part.map(({ dates }) => dates),
        complete: part.map(({ complete }) => complete),
        kinds: part.map(({ kind }) => kind),
        clipped: part.map(({ clipped = '' }) => clipped),
      },
    );
}

function* partsOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield rows.slice(at, at + rowsAtOnce);
}

function columnsOf(changes: readonly KeptChange[]) {
  return {
    dates: changes.map(({ date }) => date),
    asOfs: changes.map(({ asOf }) => asOf),
    values: changes.map(({ value }) => value),
  };
}

/** Every statement about a series, by date and then as-of date, in batches. */
export async function* readStatements(
  transaction: Transaction,
  seriesId: string,
): AsyncGenerator<readonly Statement[]> {
  const series = await transaction.row<{ readonly normalisedBy: Frequency } & StatedKind>(
    'select normalised_by as "normalisedBy", stated_vintage_kind as "statedKind" from asof.series where id = @seriesId',
    { seriesId },
  );
  if (series === undefined) return;
  const vintages = await readVintages(transaction, seriesId);
  yield* statementsOf({ seriesId, ...series, vintages }, (from, to) =>
    readChanges(transaction, seriesId, from, to),
  );
}

/** Every change of one date's number, oldest first; null marks a withdrawal. */
export function readRevisions(
  transaction: Transaction,
  seriesId: string,
  date: Day,
): Promise<readonly KeptRevision[]> {
  return transaction.rows(
    `select f.as_of_date as "asOfDate", f.value, v.kind
     from asof.fact f join asof.vintage v on v.series = f.series and v.as_of_date = f.as_of_date
     where f.series = @seriesId and v.series = @seriesId and f.date = @date order by f.as_of_date`,
    { seriesId, date },
  );
}

/** A revision with the kind of vintage that its files imply. */
type KeptRevision = Omit<Revision, 'kind'> & { readonly kind: KeptKind };

/** The first date of a series that ever had a value; undefined if every statement is a withdrawal. */
export async function readFirstDate(transaction: Transaction, id: string): Promise<Day | undefined> {
  const row = await transaction.row<{ first: Day | null }>(
    'select min(date) as first from asof.fact where series = @id',
    { id },
  );
  return row?.first ?? undefined;
}
