import type { Day, Frequency } from '../../domain/series/date.ts';
import type { HeldVintage, MergePlan } from '../../domain/series/merge-plan.ts';
import type { Change, KeptChange, Statement } from '../../domain/series/revision-history.ts';
import { type KeptKind, kindOf, kindsText, type VintageKind } from '../../domain/series/series.ts';
import { changesByDate, type StatedKind, statementsOf } from '../statements.ts';
import type {
  ObservationQuery,
  Revision,
  StoredObservation,
  VintageCounts,
  VintageDate,
  VintageOnDay,
  VintageQuery,
} from '../store.ts';
import type { Transaction } from './connection.ts';

const within = 'series = @id and date >= @from and date <= @to and date < @before and as_of_date <= @asOf';

// The rows keep the order of the inner query. With an order outside, PostgreSQL would sort the whole series for a page.
const newestFirst = `select date, as_of_date as "asOfDate", value from (
    select distinct on (date) date, as_of_date, value from asof.fact
    where ${within} order by date desc, as_of_date desc
  ) as newest
  where value is not null limit @limit`;

const firstReleases = `select distinct on (date) date, as_of_date as "asOfDate", value from asof.fact
  where ${within} and value is not null
    and date > coalesce((select max(date) from asof.fact
      where series = @id and value is not null
        and as_of_date <= (select first_vintage from asof.series where id = @id)), '-infinity')
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

/** The vintages of a series, oldest first. */
export function readVintages(transaction: Transaction, id: string): Promise<readonly HeldVintage[]> {
  return transaction.rows(
    'select as_of_date as "asOf", dates, complete, kind from asof.vintage where series = @id order by as_of_date',
    { id },
  );
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

/** So many rows go into one statement. */
const rowsAtOnce = 20_000;

/** Writes the plan of a merge. */
export async function applyPlan(transaction: Transaction, id: string, plan: MergePlan): Promise<void> {
  for (const table of ['fact', 'respelling'] as const) {
    for (const part of partsOf(plan.removed.filter(({ kind }) => kind === table)))
      await transaction.write(
        `delete from asof.${table} as t using unnest(@dates::date[], @asOfs::date[]) as d (date, as_of_date)
         where t.series = @id and t.date = d.date and t.as_of_date = d.as_of_date`,
        { id, ...columnsOf(part) },
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
      `insert into asof.vintage (series, as_of_date, dates, complete, kind)
       select @id, * from unnest(@asOfs::date[], @dates::text[], @complete::boolean[], @kinds::text[])
       on conflict (series, as_of_date) do update
         set dates = excluded.dates, complete = excluded.complete, kind = excluded.kind`,
      {
        id,
        asOfs: part.map(({ asOf }) => asOf),
        dates: part.map(({ dates }) => dates),
        complete: part.map(({ complete }) => complete),
        kinds: part.map(({ kind }) => kind),
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

/** The different texts of dates that the vintages of a series have. */
export async function readDateSets(transaction: Transaction, id: string): Promise<readonly string[]> {
  const rows = await transaction.rows<{ dates: string }>(
    'select distinct dates from asof.vintage where series = @id',
    { id },
  );
  return rows.map(({ dates }) => dates);
}

/** The kinds of the vintages of a series up to a day. */
export async function readKinds(
  transaction: Transaction,
  id: string,
  asOf: Day = 'infinity',
): Promise<readonly KeptKind[]> {
  const rows = await transaction.rows<{ kind: KeptKind }>(
    'select distinct kind from asof.vintage where series = @id and as_of_date <= @asOf',
    { id, asOf },
  );
  return rows.map(({ kind }) => kind);
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

/** The vintages that speak for every date of a series, ascending. */
export async function readCompleteVintages(
  transaction: Transaction,
  seriesId: string,
): Promise<readonly VintageDate[]> {
  const rows = await transaction.rows<{ readonly asOf: Day; readonly kind: KeptKind } & StatedKind>(
    `select as_of_date as "asOf", kind, stated_vintage_kind as "statedKind"
     from asof.vintage join asof.series on id = series
     where complete and series = @seriesId and id = @seriesId order by as_of_date`,
    { seriesId },
  );
  return rows.map(({ asOf, kind, statedKind }) => ({ asOf, kind: kindOf(kind, statedKind ?? undefined) }));
}

/** The newest vintage of a series on or before a day and the one after it, as its files have their kinds. */
export type VintagesAround = {
  readonly around: readonly { readonly asOf: Day; readonly kind: KeptKind; readonly isNext: boolean }[];
  /** The kinds of all vintages up to the day; read for first releases only. */
  readonly kinds: readonly KeptKind[];
};

/** Reads the vintages around a day. */
export async function readVintagesAround(
  transaction: Transaction,
  { seriesId, asOf, firstRelease = false }: Pick<ObservationQuery, 'seriesId' | 'asOf' | 'firstRelease'>,
): Promise<VintagesAround> {
  const values = { id: seriesId, asOf: asOf ?? 'infinity' };
  const around = transaction.rows<VintagesAround['around'][number]>(
    `(select as_of_date as "asOf", kind, false as "isNext" from asof.vintage
      where series = @id and as_of_date <= @asOf order by as_of_date desc limit 1)
     union all
     (select as_of_date, kind, true from asof.vintage
      where series = @id and as_of_date > @asOf order by as_of_date limit 1)`,
    values,
  );
  const kinds = firstRelease ? readKinds(transaction, seriesId, asOf) : [];
  const [found, kept] = await Promise.all([around, kinds]);
  return { around: found, kinds: kept };
}

/** The vintages around a day with the kinds that they have by what metadata states. */
export function vintageOnDay(
  { around, kinds }: VintagesAround,
  statedKind: VintageKind | null,
  firstRelease: boolean,
): VintageOnDay {
  const kindIn = (kind: KeptKind) => kindOf(kind, statedKind ?? undefined);
  const one = (next: boolean): VintageDate | undefined => {
    const found = around.find(({ isNext }) => isNext === next);
    return found && { asOf: found.asOf, kind: kindIn(found.kind) };
  };
  return {
    newest: one(false),
    next: one(true),
    ...(firstRelease && { kinds: kindsText(kinds.map(kindIn)) }),
  };
}

/** Every change of one date's number, oldest first; null marks a withdrawal. */
export function readRevisions(
  transaction: Transaction,
  seriesId: string,
  date: Day,
): Promise<readonly KeptRevision[]> {
  return transaction.rows(
    `select as_of_date as "asOfDate", value, kind from asof.fact join asof.vintage using (series, as_of_date)
     where series = @seriesId and date = @date order by as_of_date`,
    { seriesId, date },
  );
}

/** A revision with the kind that its files give its vintage. */
type KeptRevision = Omit<Revision, 'kind'> & { readonly kind: KeptKind };

/** A first value and a value after a withdrawal count as added. Vintages that changed nothing are listed too. */
const vintagePage = `with page as (
    select as_of_date, kind from asof.vintage
    where series = @id and as_of_date >= @from and as_of_date <= @to and as_of_date < @before
    order by as_of_date desc limit @limit
  ), change as (
    select as_of_date, value, lag(value) over (partition by date order by as_of_date) as before
    from asof.fact where series = @id and as_of_date <= (select max(as_of_date) from page)
  ), counted as (
    select as_of_date,
      count(*) filter (where value is not null and before is null) as added,
      count(*) filter (where value is not null and before is not null) as revised,
      count(*) filter (where value is null) as withdrawn
    from change group by as_of_date
  )
  select as_of_date as "asOfDate", coalesce(added, 0) as added, coalesce(revised, 0) as revised,
    coalesce(withdrawn, 0) as withdrawn, kind
  from page left join counted using (as_of_date) order by as_of_date desc`;

/** The vintages of a series, newest first, with what each changed. */
export function readVintageCounts(
  transaction: Transaction,
  { seriesId, from, to, before, limit }: VintageQuery,
): Promise<readonly KeptCounts[]> {
  return transaction.rows(vintagePage, {
    id: seriesId,
    from: from ?? '-infinity',
    to: to ?? 'infinity',
    before: before ?? 'infinity',
    limit,
  });
}

/** The counts of a vintage with the kind that its files give it. */
type KeptCounts = Omit<VintageCounts, 'kind'> & { readonly kind: KeptKind };

/** The first date of a series that ever had a value; undefined if every statement is a withdrawal. */
export async function readFirstDate(transaction: Transaction, id: string): Promise<Day | undefined> {
  const row = await transaction.row<{ first: Day | null }>(
    'select min(date) as first from asof.fact where series = @id',
    { id },
  );
  return row?.first ?? undefined;
}
