import { addDays, type Day } from '../values/date.ts';
import type { Release } from './releases.ts';
import { type ReleaseTimes, releaseTimesIn } from './schedule.ts';
import type { Sighting } from './sighting.ts';
import { endOfDay, type instantRules, instantText, lastZone, localTimeOf } from './zones.ts';

type DatedVintage = { readonly asOfDate: Day; readonly kind: string };

/** Says when the vintages of a series appeared. */
export type ReleaseClock = ReturnType<typeof clockOf>;

/** Reads from calendars when releases appeared; returns the clock of the series of a release. */
export function releaseClocks(
  sightings: readonly Sighting[],
): (release: Release | undefined) => ReleaseClock {
  const times = releaseTimesIn(sightings);
  return (release) =>
    clockOf(release?.zone ?? lastZone, (release && times.get(release.id)) ?? { byDay: new Map() });
}

/** Makes the clock of series that date their vintages in a zone; without times, a vintage is known when its day ends. */
function clockOf(zone: string, { byDay, seen }: ReleaseTimes) {
  const dayAt = (instant: string): Day => localTimeOf(new Date(instant), zone).day;
  // The day of another vintage is not that of a release.
  const releasedAt = ({ asOfDate, kind }: DatedVintage) =>
    kind === 'exact' ? byDay.get(asOfDate) : undefined;
  const ruleOn = (day: Day, newest: DatedVintage | undefined): (typeof instantRules)[number] => {
    if (newest?.kind !== 'exact' || !byDay.has(day)) return 'day before';
    return byDay.get(day) === undefined ? 'times differ' : 'time';
  };
  return {
    /** The day of the newest look at a calendar that has the release; undefined without one. */
    seen,
    /** Writes all times as one text, which differs once calendars state others. */
    timesText: () =>
      [...byDay.values()]
        .flatMap((at) => at ?? [])
        .sort()
        .join(' '),
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
      return { asOf: isReleased ? day : addDays(day, -1), rule: ruleOn(day, newest) };
    },
  };
}
