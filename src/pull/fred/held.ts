import { type Day, parseDay } from '../../domain/series/date.ts';
import { sameNumber } from '../../domain/series/decimal.ts';
import type { StoreView } from '../../store/store.ts';
import type { FredRow } from './api.ts';
import { type KnownValues, rowValue } from './stitch.ts';

/** How far a series is in the store. */
export type FredBookmark = {
  /** The last vintage date that is known as a whole; undefined while there is none, and for a series without vintages. */
  readonly vintage?: Day;
  /** The day of the last run, whose vintages may not have been complete then. */
  readonly partial?: Day;
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

/** Adds the dates of which the store knows on a day that their value was taken back, as far as FRED gives one for that day. */
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
