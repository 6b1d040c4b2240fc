import type { Database } from 'better-sqlite3';
import type { Day, Frequency } from '../../domain/series/date.ts';
import { type DateSet, parseDateSet } from '../../domain/series/date-set.ts';
import { type Change, knownOn } from '../../domain/series/revision-history.ts';
import type { Statement } from '../../domain/series/statement.ts';
import { prepare } from './connect.ts';

/** One day's statements about a series: on which dates (on the first day of their period). */
export type Vintage = {
  readonly asOf: Day;
  readonly dates: DateSet;
  /** Whether it speaks for every date, those that it does not list being withdrawn. */
  readonly complete: boolean;
};

/** The vintages of a series, oldest first. */
export function readVintages(db: Database, key: number, normalisedBy: Frequency): Vintage[] {
  const rows = prepare(
    db,
    'select as_of_date as asOf, dates, complete from vintage where series = ? order by as_of_date',
  ).all(key) as { asOf: Day; dates: string; complete: number }[];
  const parsed = new Map<string, DateSet>();
  return rows.map(({ asOf, dates: text, complete }) => {
    const dates = parsed.get(text) ?? parseDateSet(text, normalisedBy);
    parsed.set(text, dates);
    return { asOf, dates, complete: complete === 1 };
  });
}

/** Every change of text of a series' dates within bounds (inclusive), each date's oldest first. */
export function readChanges(db: Database, key: number, from: Day, to: Day): Map<Day, Change[]> {
  const rows = prepare(
    db,
    `select date, as_of_date, value from fact where series = @key and date between @from and @to
       union all select date, as_of_date, value from respelling where series = @key and date between @from and @to
       order by date, as_of_date`,
  )
    .raw()
    .iterate({ key, from, to }) as IterableIterator<[Day, Day, string | null]>;
  const changes = new Map<Day, Change[]>();
  for (const [date, asOf, value] of rows) {
    const known = changes.get(date);
    if (known === undefined) changes.set(date, [{ asOf, value }]);
    else known.push({ asOf, value });
  }
  return changes;
}

/** Every date that any vintage speaks of, ascending. */
function datesOf(vintages: readonly Vintage[]): Day[] {
  const sets = new Set(vintages.map(({ dates }) => dates));
  return [...new Set([...sets].flatMap((set) => set.days()))].sort();
}

const batchSize = 5000;

/** Every statement about a series, by date and then as-of day; those that changed nothing are told from the vintages. */
export async function* readStatements(db: Database, seriesId: string): AsyncGenerator<readonly Statement[]> {
  const series = prepare(db, 'select key, normalised_by as normalisedBy from series where id = ?').get(
    seriesId,
  ) as { key: number; normalisedBy: Frequency } | undefined;
  if (series === undefined) return;
  const vintages = readVintages(db, series.key, series.normalisedBy);
  let batch: Statement[] = [];
  for (const date of datesOf(vintages)) {
    const changes = readChanges(db, series.key, date, date).get(date) ?? [];
    for (const { asOf, dates, complete } of vintages) {
      if (!complete && !dates.has(date)) continue;
      batch.push({ seriesId, date, asOf, value: knownOn(changes, asOf) });
    }
    if (batch.length >= batchSize) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
