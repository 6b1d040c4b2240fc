import type { Day } from '../../domain/series/date.ts';
import type { HeldVintage } from '../../domain/series/merge-plan.ts';
import { type KeptKind, kindOf, kindsText, type VintageKind } from '../../domain/series/series.ts';
import type { StatedKind } from '../statements.ts';
import type { ObservationQuery, VintageCounts, VintageDate, VintageOnDay, VintageQuery } from '../store.ts';
import type { Transaction } from './connection.ts';

/** The vintages of a series, oldest first. */
export function readVintages(transaction: Transaction, id: string): Promise<readonly HeldVintage[]> {
  return transaction.rows(
    `select as_of_date as "asOf", dates, complete, kind, clipped from asof.vintage
     where series = @id order by as_of_date`,
    { id },
  );
}

/** The dates in the vintages of a series (ascending) whose frequency nothing states; none of any other series. */
export function readUnstatedDates(
  transaction: Transaction,
  id: string,
): Promise<readonly Pick<HeldVintage, 'asOf' | 'dates'>[]> {
  return transaction.rows(
    `select v.as_of_date as "asOf", v.dates
     from asof.vintage v join asof.series s on s.id = v.series
     where v.series = @id and s.id = @id and s.frequency is null and s.implied_frequency is null
     order by v.as_of_date`,
    { id },
  );
}

/** The distinct texts of dates that the vintages of a series have. */
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

/** The vintages that speak for every date of a series, ascending. */
export async function readCompleteVintages(
  transaction: Transaction,
  seriesId: string,
): Promise<readonly VintageDate[]> {
  const rows = await transaction.rows<{ readonly asOf: Day; readonly kind: KeptKind } & StatedKind>(
    `select v.as_of_date as "asOf", v.kind, s.stated_vintage_kind as "statedKind"
     from asof.vintage v join asof.series s on s.id = v.series
     where v.complete and v.series = @seriesId and s.id = @seriesId order by v.as_of_date`,
    { seriesId },
  );
  return rows.map(({ asOf, kind, statedKind }) => ({ asOf, kind: kindOf(kind, statedKind ?? undefined) }));
}

/** The newest vintage of a series on or before a day, with the kinds that its files imply. */
export type NewestVintage = {
  readonly newest: { readonly asOf: Day; readonly kind: KeptKind } | undefined;
  /** The kinds of all vintages up to the day; read for first releases only. */
  readonly kinds: readonly KeptKind[];
};

/** Reads the newest vintage on or before a day. */
export async function readNewestVintage(
  transaction: Transaction,
  { seriesId, asOf, firstRelease = false }: Pick<ObservationQuery, 'seriesId' | 'asOf' | 'firstRelease'>,
): Promise<NewestVintage> {
  const newest = transaction.row<{ readonly asOf: Day; readonly kind: KeptKind }>(
    `select as_of_date as "asOf", kind from asof.vintage
     where series = @id and as_of_date <= @asOf order by as_of_date desc limit 1`,
    { id: seriesId, asOf: asOf ?? 'infinity' },
  );
  const kinds = firstRelease ? readKinds(transaction, seriesId, asOf) : [];
  const [found, kept] = await Promise.all([newest, kinds]);
  return { newest: found, kinds: kept };
}

/** The newest vintage on a day, with its kind: as files imply or, if these leave it open, as metadata states. */
export function vintageOnDay(
  { newest, kinds }: NewestVintage,
  statedKind: VintageKind | null,
  firstRelease: boolean,
): VintageOnDay {
  const kindIn = (kind: KeptKind) => kindOf(kind, statedKind ?? undefined);
  return {
    newest: newest && { asOf: newest.asOf, kind: kindIn(newest.kind) },
    ...(firstRelease && { kinds: kindsText(kinds.map(kindIn)) }),
  };
}

/** A page of vintages, including those without changes. A first value, or one after a withdrawal, counts as added. */
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

/** The vintages of a series, newest first, with the number of changes that each made. */
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

/** The counts of a vintage with the kind that its files imply. */
type KeptCounts = Omit<VintageCounts, 'kind'> & { readonly kind: KeptKind };

/** Removes vintages of a series. */
export async function removeVintages(
  transaction: Transaction,
  id: string,
  asOfs: readonly Day[],
): Promise<void> {
  if (asOfs.length === 0) return;
  await transaction.write(
    'delete from asof.vintage where series = @id and as_of_date = any(@asOfs::date[])',
    {
      id,
      asOfs,
    },
  );
}
