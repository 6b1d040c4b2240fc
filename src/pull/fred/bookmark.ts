import type { Day } from '../../domain/series/date.ts';

/** How far a series is in the store. */
export type FredBookmark = {
  /** The day from which on the store has every vintage; undefined in bookmarks of older versions, which did not say. */
  readonly from?: Day;
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
