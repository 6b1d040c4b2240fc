import type { Day } from '../values/date.ts';

/** A day that a calendar lists for a release. */
export type CalendarEntry = {
  /** The release as the calendar names it: a title, or its number at FRED. */
  readonly release: string;
  /** The title beside a number. */
  readonly name?: string;
  /** The day in the zone of the publisher. */
  readonly day: Day;
  /** The time of day there, `HH:MM`; absent if the calendar has only days. */
  readonly time?: string;
  /** The zone of the time in the tz database. */
  readonly zone?: string;
  /** The period that is published, in the words of the calendar: `4th Quarter and Year 2024 (Advance Estimate)`. */
  readonly period?: string;
  /** What the calendar says of the plan, if it no longer holds. */
  readonly state?: 'cancelled' | 'moved';
};

/** One look at a calendar: what it listed on a day. */
export type Sighting = {
  /** The calendar; its publisher is the first word: `BLS`, `BEA JSON`. */
  readonly source: string;
  /** The release to which the calendar is confined; empty for a calendar of all. */
  readonly scope: string;
  /** The day or the UTC second of the look; a plan is known from then on. */
  readonly seenAt: string;
  /** The first and the last day that the calendar covers: a release without an entry there is not planned. */
  readonly from: Day;
  readonly to: Day;
  /** What an entry proves: that its release was planned, or that it happened. */
  readonly lists: 'events' | 'plans';
  /** By day, time and release. */
  readonly entries: readonly CalendarEntry[];
};

/** A look at a calendar without what it saw. */
export type Look = Omit<Sighting, 'entries'>;

/** Identifies a look among those of a store. */
export function keyOfSighting({ source, scope, lists, from, to, seenAt }: Look): string {
  return [source, scope, lists, from, to, seenAt].join('|');
}

/** Returns the day from which the plans of a sighting are known. */
export function seenOn({ seenAt }: Pick<Sighting, 'seenAt'>): Day {
  return seenAt.slice(0, 10);
}

const fields = ['day', 'time', 'release', 'period', 'zone', 'name', 'state'] as const;

function keyOf(entry: CalendarEntry): string {
  return fields.map((field) => entry[field] ?? '').join('\u0000');
}

/** Sorts entries and drops those that say the same: calendars list some twice. */
export function sortedEntries(entries: readonly CalendarEntry[]): readonly CalendarEntry[] {
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** Decides whether a store takes a sighting that it may have stored; another text of that look is a conflict. */
export function planSighting(
  stored: Sighting | undefined,
  given: Sighting,
): { readonly put: boolean; readonly conflict?: Sighting } {
  if (stored === undefined) return { put: true };
  const textOf = ({ entries }: Sighting) => JSON.stringify(entries.map(keyOf));
  const isKnown = textOf(stored) === textOf(given);
  return isKnown ? { put: false } : { put: true, conflict: stored };
}
