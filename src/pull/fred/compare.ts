import { addDays, type Day } from '../../domain/series/date.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import type { RealTimeValue } from '../../import/formats/fred/history.ts';
import type { StoredHistory } from './stored.ts';

/** A contiguous real-time period of a series. */
export type Period = { readonly start: Day; readonly end: Day };

/** The value of a date on some day; null if there is none, undefined if the date is not known. */
type ValueOf = (date: Day) => string | null | undefined;

/** What the store and FRED say about a date as of a day, where they differ. */
export type DifferingValue = {
  readonly date: Day;
  readonly asOf: Day;
  readonly held: string | null;
  readonly given: string | null;
};

/** The rows of an answer by date, each date's oldest first. */
export type RowsByDate = ReadonlyMap<Day, readonly RealTimeValue[]>;

/** Groups the rows of an answer by the date under which the store keeps theirs. */
export function byDate(rows: readonly RealTimeValue[], dateOf: (date: Day) => Day): RowsByDate {
  const groups = new Map<Day, RealTimeValue[]>();
  for (const row of rows) {
    const date = dateOf(row.date);
    const own = groups.get(date);
    if (own === undefined) groups.set(date, [row]);
    else own.push(row);
  }
  for (const own of groups.values()) own.sort((a, b) => (a.start < b.start ? -1 : 1));
  return groups;
}

/**
 * The rows of a window that state something. FRED clips real-time periods to the window: the first row of a date
 * begins with the window although its value may be older, so it counts only if the value differs from the one before.
 */
export function newsIn(rows: RowsByDate, start: Day, before: ValueOf): readonly RealTimeValue[] {
  return [...rows].flatMap(([date, own]) =>
    own.filter(({ start: from, value }) => from !== start || !isSame(before(date), value)),
  );
}

/**
 * Compares the first day of a window, which the store knows, with the store. A date that FRED no longer has at all
 * stays in the store. `backfilled` are the dates that the store does not know: on which day each of them was
 * published, the window cannot say.
 */
export function compareStart(
  rows: RowsByDate,
  start: Day,
  stored: StoredHistory,
): { readonly backfilled: readonly Day[]; readonly contradictions: readonly DifferingValue[] } {
  const backfilled: Day[] = [];
  const contradictions: DifferingValue[] = [];
  for (const date of rows.keys()) {
    const held = stored.valueOn(date, start);
    const given = valueIn(rows, date, start);
    if (held === undefined && given !== undefined && !stored.isMentioned(date)) backfilled.push(date);
    else if (!sameNumber(held ?? null, given ?? null))
      contradictions.push({ date, asOf: start, held: held ?? null, given: given ?? null });
  }
  return { backfilled, contradictions };
}

/** The days of which the store has every vintage that FRED had: after the first, up to and including the last. */
export type CompleteDays = { readonly after: Day; readonly upTo: Day };

/**
 * Compares the statements of the store about the days of a period with the rows of an answer, which cover it. A
 * statement is contradicted if FRED says something else of its day, and on a complete day also if FRED says the same
 * of the day before, on which the store has something else: then FRED has moved the statement. Samples are
 * approximate, and are not compared.
 */
export function compareStatements(
  rows: RowsByDate,
  { start, end }: Period,
  stored: StoredHistory,
  { before, complete }: { readonly before: ValueOf; readonly complete: CompleteDays | undefined },
): readonly DifferingValue[] {
  const differing: DifferingValue[] = [];
  const compare = (date: Day, asOf: Day, held: string | null, given: string | null) => {
    if (!sameNumber(held, given)) differing.push({ date, asOf, held, given });
  };
  for (const { date, asOf, value, kind } of stored.between(start, end)) {
    if (kind === 'sampled' || kind === 'unknown') continue;
    const given = valueIn(rows, date, asOf) ?? null;
    compare(date, asOf, value, given);
    const isExact = kind === 'exact' && complete !== undefined;
    if (!isExact || asOf <= complete.after || asOf > complete.upTo || !sameNumber(value, given)) continue;
    const day = addDays(asOf, -1);
    const earlier = asOf === start ? before(date) : valueIn(rows, date, day);
    if (isSame(earlier, given)) compare(date, day, stored.valueOn(date, day) ?? null, given);
  }
  return differing;
}

/** The value that an answer has for a date as of a day; undefined if no row of the date includes the day. */
function valueIn(rows: RowsByDate, date: Day, asOf: Day): string | null | undefined {
  return rows.get(date)?.find(({ start, end }) => start <= asOf && asOf <= end)?.value;
}

function isSame(one: string | null | undefined, other: string | null | undefined): boolean {
  return one === undefined || other === undefined ? one === other : sameNumber(one, other);
}
