import { addDays, type Day } from '../values/date.ts';
import { addTo } from '../values/groups.ts';
import { type Release, releaseOf } from './releases.ts';
import { listedDays } from './schedule.ts';
import { type CalendarEntry, instantOfEntry, type Sighting } from './sighting.ts';
import { endOfDay, instantText, localTimeOf } from './zones.ts';

/** How an instant became an as-of date: by the time of a release, or by the end of the day before. */
export const instantRules = ['time', 'day before'] as const;

/** The instants at which a release appeared or is due, by the day in its zone. */
type ReleaseTimes = ReadonlyMap<Day, string>;

/** A vintage, of which only the day is known. */
type DatedVintage = { readonly asOfDate: Day; readonly kind: string };

// A day that has ended here has ended everywhere.
const lastZone = 'Etc/GMT+12';

/** Says when the vintages of a series appeared. */
export type ReleaseClock = ReturnType<typeof clockOf>;

/** Reads from calendars when releases appeared; returns the clock of the series of a release. */
export function releaseClocks(
  sightings: readonly Sighting[],
): (release: Release | undefined) => ReleaseClock {
  const times = releaseTimesIn(sightings);
  return (release) => clockOf(release?.zone ?? lastZone, (release && times.get(release.id)) ?? new Map());
}

/** Returns the last day that had ended everywhere on Earth at an instant. */
export function lastDayOver(instant: string): Day {
  return addDays(localTimeOf(new Date(instant), lastZone).day, -1);
}

/**
 * Reads the official times of releases from what calendars list, by the id of the release.
 * A day on which calendars list several times, or a release without a time beside another, has none.
 */
function releaseTimesIn(sightings: readonly Sighting[]): ReadonlyMap<string, ReleaseTimes> {
  const listed = new Map<
    string,
    { readonly source: string; readonly release: Release; entry: CalendarEntry }[]
  >();
  const add = (source: string, release: Release, entry: CalendarEntry) =>
    addTo(listed, `${release.id} ${dayOfEntry(entry, release)}`, { source, release, entry });
  for (const { status, source, release, entry } of listedDays(sightings))
    if (status === 'planned') add(source, release, entry);
  for (const { source, lists, entries } of sightings)
    if (lists === 'events')
      for (const entry of entries) add(source, releaseOf(source, entry.release, entry.name), entry);
  const times = new Map<string, Map<Day, string>>();
  for (const own of listed.values()) {
    const instants = new Set(own.flatMap(({ entry }) => instantOfEntry(entry) ?? []));
    const untimed = own.filter(({ entry }) => instantOfEntry(entry) === undefined);
    const isOne = untimed.every((one) =>
      own.every(({ source, entry }) => source !== one.source || entry === one.entry),
    );
    const [instant] = instants;
    const [{ release, entry } = {}] = own;
    if (
      instants.size !== 1 ||
      !isOne ||
      instant === undefined ||
      release === undefined ||
      entry === undefined
    )
      continue;
    const ofRelease = times.get(release.id) ?? new Map<Day, string>();
    times.set(release.id, ofRelease.set(dayOfEntry(entry, release), instant));
  }
  return times;
}

/** Returns the day of an entry in the zone of its release: a calendar may write its times in UTC. */
function dayOfEntry(entry: CalendarEntry, { zone }: Release): Day {
  const instant = instantOfEntry(entry);
  return zone === undefined || instant === undefined ? entry.day : localTimeOf(new Date(instant), zone).day;
}

/** Makes the clock of series that date their vintages in a zone; without times, a vintage is known when its day ends. */
function clockOf(zone: string, times: ReleaseTimes) {
  const dayAt = (instant: string): Day => localTimeOf(new Date(instant), zone).day;
  // The day of another vintage is not that of a release.
  const releasedAt = ({ asOfDate, kind }: DatedVintage) =>
    kind === 'exact' ? times.get(asOfDate) : undefined;
  return {
    /** Writes all times as one text, which differs once calendars state others. */
    timesText: () => [...times.values()].sort().join(' '),
    /** Returns the day of an instant where the series dates its vintages. */
    dayAt,
    /** Returns the time at which a vintage appeared, if it is known. */
    releasedAt,
    /** Returns the instant from which a vintage counts as known: its time, or the end of its day. */
    knownSince: (vintage: DatedVintage): string =>
      releasedAt(vintage) ?? instantText(endOfDay(vintage.asOfDate, zone)),
    /** Returns the as-of date of what was known at an instant; `newest` is the newest vintage up to its day. */
    asOfAt(instant: string, newest: DatedVintage | undefined) {
      const day = dayAt(instant);
      // What appears on the day of a release may be in a later sample only.
      const time = newest && releasedAt({ ...newest, asOfDate: day });
      // Once that time has passed, the day counts even without its vintage: an answer from before lacks the release.
      const isReleased = time !== undefined && time <= instant;
      const rule: (typeof instantRules)[number] = time === undefined ? 'day before' : 'time';
      return { asOf: isReleased ? day : addDays(day, -1), rule };
    },
  };
}
