import { type Day, parseDay } from '../../domain/series/date.ts';
import { parseDecimal, sameNumber } from '../../domain/series/decimal.ts';
import type { StoreView } from '../../store/store.ts';
import type { FredRow } from './api.ts';

/** How far a series is in the store. */
export type FredBookmark = {
  /**
   * The last vintage date that is known as a whole; undefined while there is none, and for a series without vintages.
   */
  readonly vintage?: Day;
  /** The day of the last run, whose vintages may not have been complete then. */
  readonly partial?: Day;
  /** The day on which the description was asked for last. */
  readonly described?: Day;
  /** Set if FRED keeps no vintages of the series. */
  readonly fetched?: true;
};

/** The bookmark in a text; undefined for an empty one. */
export function readBookmark(text: string): FredBookmark | undefined {
  return text === '' ? undefined : (JSON.parse(text) as FredBookmark);
}

/** The day in Chicago, which is FRED's. */
export function chicagoDay(now: Date): Day {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' }).format(now);
}

/** What the store has of a series as of a day; undefined if it does not have the series. */
export async function heldOn(view: StoreView, id: string, asOf: Day): Promise<KnownValues | undefined> {
  const found = await view.observations({ seriesId: id, asOf, limit: Number.MAX_SAFE_INTEGER });
  return found && new Map(found.rows.map(({ date, value }) => [date, value]));
}

/** Adds the dates whose values the store knows to have been withdrawn on a day, if FRED has a value for that day. */
export async function addWithdrawn(
  view: StoreView,
  id: string,
  day: Day,
  rows: readonly FredRow[],
  known: KnownValues,
): Promise<void> {
  for (const row of rows) {
    const { date, realtime_start: from } = row;
    if (from !== day || typeof date !== 'string' || known.has(date) || parseDay(date) === undefined) continue;
    if (rowValue(row) === null) continue;
    const changes = (await view.revisions(id, date))?.rows ?? [];
    const last = changes.filter(({ asOfDate }) => asOfDate <= day).at(-1);
    if (last !== undefined) known.set(date, last.value);
  }
}

/** Whether a row says something else than the store has for its date; what cannot be read is left to the reader. */
export function isNews(row: FredRow, held: KnownValues): boolean {
  const value = rowValue(row);
  return value === undefined || !sameNumber(held.get(String(row.date)) ?? null, value);
}

/** The last value of each date of a series; null for a withdrawn value. A missing date was never known. */
export type KnownValues = Map<Day, string | null>;

/** A value at the start of a window that differs from what the store has for that day. */
type DifferingValue = {
  readonly date: Day;
  readonly held: string | null;
  readonly given: string | null;
};

/** The rows of a window that are news, and where they contradict what was known before. */
export type Stitched = {
  readonly news: readonly FredRow[];
  readonly contradictions: readonly DifferingValue[];
};

/**
 * The rows of a window that state something. FRED clips real-time periods to the window: the first row of a date
 * begins with the window although its value may be older. Such a row counts only if its value differs from the one
 * known before. Where the window begins with a vintage that is known, a value that differs is no news but a
 * contradiction. Updates `known` to the end of the window.
 */
export function stitch(
  rows: readonly FredRow[],
  start: Day,
  known: KnownValues,
  startIsKnown: boolean,
): Stitched {
  const news: FredRow[] = [];
  const contradictions: DifferingValue[] = [];
  const last = new Map<Day, { readonly from: Day; readonly value: string | null }>();
  for (const row of rows) {
    const { date, realtime_start: from } = row;
    const value = rowValue(row);
    if (typeof date !== 'string' || typeof from !== 'string' || value === undefined) {
      // The reader refuses it, and names its place.
      news.push(row);
      continue;
    }
    const before = last.get(date);
    if (before === undefined || before.from <= from) last.set(date, { from, value });
    const held = known.get(date);
    if (from !== start || held === undefined) {
      if (from !== start || !startIsKnown || value !== null) news.push(row);
    } else if (!sameNumber(held, value)) {
      if (startIsKnown) contradictions.push({ date, held, given: value });
      else news.push(row);
    }
  }
  for (const [date, { value }] of last) known.set(date, value);
  return { news, contradictions };
}

/** The value of a row, null where it was taken back; undefined if it is neither. */
function rowValue({ value }: FredRow): string | null | undefined {
  if (typeof value !== 'string') return undefined;
  return value === '.' ? null : parseDecimal(value);
}
