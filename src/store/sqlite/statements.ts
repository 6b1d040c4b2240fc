import type { Day, Frequency } from '../../domain/series/date.ts';
import type { HeldVintage, MergePlan } from '../../domain/series/merge-plan.ts';
import type { Change, Statement } from '../../domain/series/revision-history.ts';
import { type KeptKind, kindOf, kindsText } from '../../domain/series/series.ts';
import { changesByDate, type StatedKind, statementsOf } from '../statements.ts';
import type {
  ObservationQuery,
  Revision,
  VintageCounts,
  VintageDate,
  VintageOnDay,
  VintageQuery,
} from '../store.ts';
import type { Connection } from './connection.ts';

/** The vintages of a series, oldest first. */
export function readVintages(connection: Connection, key: number): readonly HeldVintage[] {
  const rows = connection
    .objects<Omit<HeldVintage, 'complete'> & { readonly complete: number }>(
      'select as_of_date as asOf, dates, complete, kind, clipped from vintage where series = ? order by as_of_date',
    )
    .all(key);
  return rows.map(({ complete, ...vintage }) => ({ ...vintage, complete: complete === 1 }));
}

/** The changes of text of a series' dates between two days (inclusive), each date's oldest first. */
export function readChanges(
  connection: Connection,
  key: number,
  from: Day,
  to: Day,
): ReadonlyMap<Day, readonly Change[]> {
  const rows = connection
    .tuples<readonly [date: Day, asOf: Day, value: string | null]>(
      `select date, as_of_date, value from fact where series = @key and date between @from and @to
       union all select date, as_of_date, value from respelling where series = @key and date between @from and @to
       order by date, as_of_date`,
    )
    .iterate({ key, from, to });
  return changesByDate(rows);
}

/** The latest change of text of each of a series' dates between two days (inclusive). */
export function readLatestChanges(
  connection: Connection,
  key: number,
  from: Day,
  to: Day,
): ReadonlyMap<Day, readonly Change[]> {
  const changes = new Map<Day, readonly Change[]>();
  for (const table of ['fact', 'respelling']) {
    // A row is one text, because reading three takes three times as long. A withdrawal has no value, hence the mark
    // before one.
    const rows = connection
      .column<string>(
        `select date || max(as_of_date) || coalesce('=' || value, '') from ${table}
         where series = @key and date between @from and @to group by date`,
      )
      .all({ key, from, to });
    for (const row of rows) {
      const [date, asOf] = [row.slice(0, 10), row.slice(10, 20)];
      const known = changes.get(date)?.[0];
      if (known !== undefined && known.asOf > asOf) continue;
      changes.set(date, [{ asOf, value: row.length > 20 ? row.slice(21) : null }]);
    }
  }
  return changes;
}

/** Writes the plan of a merge. */
export function applyPlan(connection: Connection, key: number, plan: MergePlan): void {
  const { removed, inserted, vintages } = plan;
  const statement = {
    remove: {
      fact: connection.objects('delete from fact where series = ? and date = ? and as_of_date = ?'),
      respelling: connection.objects(
        'delete from respelling where series = ? and date = ? and as_of_date = ?',
      ),
    },
    insert: {
      fact: connection.objects('insert into fact values (?, ?, ?, ?)'),
      respelling: connection.objects('insert into respelling values (?, ?, ?, ?)'),
    },
    list: connection.objects(
      `insert into vintage (series, as_of_date, dates, complete, kind, clipped) values (?, ?, ?, ?, ?, ?)
       on conflict (series, as_of_date) do update set dates = excluded.dates, complete = excluded.complete,
         kind = excluded.kind, clipped = excluded.clipped`,
    ),
  };
  for (const { kind, date, asOf } of removed) statement.remove[kind].run(key, date, asOf);
  for (const { kind, date, asOf, value } of inserted) statement.insert[kind].run(key, date, asOf, value);
  for (const { asOf, dates, complete, kind, clipped = '' } of vintages)
    statement.list.run(key, asOf, dates, Number(complete), kind, clipped);
}

type SeriesKey = { readonly key: number } & StatedKind;

/** Every statement about a series, by date and then as-of date, in batches. */
export async function* readStatements(
  connection: Connection,
  seriesId: string,
): AsyncGenerator<readonly Statement[]> {
  const series = connection
    .objects<{ readonly key: number; readonly normalisedBy: Frequency } & StatedKind>(
      'select key, normalised_by as normalisedBy, stated_vintage_kind as statedKind from series where id = ?',
    )
    .get(seriesId);
  if (series === undefined) return;
  const { key, ...stated } = series;
  yield* statementsOf({ seriesId, ...stated, vintages: readVintages(connection, key) }, async (from, to) =>
    readChanges(connection, key, from, to),
  );
}

/** The vintages that speak for every date of a series, ascending. */
export function readCompleteVintages(connection: Connection, seriesId: string): readonly VintageDate[] {
  return connection
    .objects<{ readonly asOf: Day; readonly kind: KeptKind } & StatedKind>(
      `select as_of_date as asOf, kind, stated_vintage_kind as statedKind
       from vintage join series on series.key = vintage.series
       where complete = 1 and series.id = ? order by as_of_date`,
    )
    .all(seriesId)
    .map(({ asOf, kind, statedKind }) => ({ asOf, kind: kindOf(kind, statedKind ?? undefined) }));
}

/**
 * The newest vintage of a series on or before a day; for first releases also the kinds of all vintages up to the day.
 */
export function readVintageOn(
  connection: Connection,
  { key, statedKind }: SeriesKey,
  { asOf = '~', firstRelease = false }: Pick<ObservationQuery, 'asOf' | 'firstRelease'>,
): VintageOnDay {
  const found = connection
    .objects<{ readonly asOf: Day; readonly kind: KeptKind }>(
      `select as_of_date as asOf, kind from vintage
       where series = ? and as_of_date <= ? order by as_of_date desc limit 1`,
    )
    .get(key, asOf);
  const newest = found && { asOf: found.asOf, kind: kindOf(found.kind, statedKind ?? undefined) };
  if (!firstRelease) return { newest };
  const kept = connection
    .column<KeptKind>('select distinct kind from vintage where series = ? and as_of_date <= ?')
    .all(key, asOf);
  return { newest, kinds: kindsText(kept.map((kind) => kindOf(kind, statedKind ?? undefined))) };
}

/** Every change of one date's number, oldest first; null marks a withdrawal. */
export function readRevisions(
  connection: Connection,
  { key, statedKind }: SeriesKey,
  date: Day,
): readonly Revision[] {
  return connection
    .objects<Omit<Revision, 'kind'> & { readonly kind: KeptKind }>(
      `select as_of_date as asOfDate, value, kind from fact join vintage using (series, as_of_date)
       where series = ? and date = ? order by as_of_date`,
    )
    .all(key, date)
    .map((row) => ({ ...row, kind: kindOf(row.kind, statedKind ?? undefined) }));
}

/** The dates that ever had a value, newest first. */
export function readDates(
  connection: Connection,
  key: number,
  { from = '', to = '~', before = '~', limit }: Omit<ObservationQuery, 'asOf' | 'firstRelease'>,
): readonly Day[] {
  return connection
    .column<Day>(
      `select distinct date from fact where series = @key and date >= @from and date <= @to and date < @before
       order by date desc limit @limit`,
    )
    .all({ key, from, to, before, limit });
}

/** The vintages of a series, newest first, with what each changed. Vintages that changed nothing are listed too. */
export function readVintageCounts(
  connection: Connection,
  { key, statedKind }: SeriesKey,
  { from = '', to = '~', before = '~', limit }: VintageQuery,
): readonly VintageCounts[] {
  const page = connection
    .objects<{ readonly asOfDate: Day; readonly kind: KeptKind }>(
      `select as_of_date as asOfDate, kind from vintage
       where series = @key and as_of_date >= @from and as_of_date <= @to and as_of_date < @before
       order by as_of_date desc limit @limit`,
    )
    .all({ key, from, to, before, limit });
  const counts = countChanges(connection, key, page[0]?.asOfDate ?? '');
  return page.map(({ asOfDate, kind }) => ({
    asOfDate,
    ...(counts.get(asOfDate) ?? { added: 0, revised: 0, withdrawn: 0 }),
    kind: kindOf(kind, statedKind ?? undefined),
  }));
}

/** What each day up to `last` changed. A first value and a value after a withdrawal count as added. */
function countChanges(connection: Connection, key: number, last: Day) {
  const counts = new Map<Day, { added: number; revised: number; withdrawn: number }>();
  // A row is one text and is counted here: a window over the changes, grouped by day, takes twice as long.
  const rows = connection
    .column<string>(
      `select date || as_of_date || (value is null) from fact where series = @key and as_of_date <= @last
       order by date, as_of_date`,
    )
    .all({ key, last });
  let [date, hasValue] = ['', false];
  for (const row of rows) {
    if (date === '' || !row.startsWith(date)) [date, hasValue] = [row.slice(0, 10), false];
    const asOf = row.slice(10, 20);
    let count = counts.get(asOf);
    if (count === undefined) {
      count = { added: 0, revised: 0, withdrawn: 0 };
      counts.set(asOf, count);
    }
    const isWithdrawn = row.endsWith('1');
    count[isWithdrawn ? 'withdrawn' : hasValue ? 'revised' : 'added'] += 1;
    hasValue = !isWithdrawn;
  }
  return counts;
}

/** The first date of a series that ever had a value; undefined if every statement is a withdrawal. */
export function readFirstDate(connection: Connection, key: number): Day | undefined {
  return connection.column<Day | null>('select min(date) from fact where series = ?').get(key) ?? undefined;
}
