import { addDays, type Day, earlier, later, latestOf } from '../values/date.ts';
import { addTo, entryOf, groupBy } from '../values/groups.ts';
import { type Release, releaseOf } from './releases.ts';
import { type CalendarEntry, type Sighting, seenOn } from './sighting.ts';
import { instantOf, instantText, localTimeOf } from './zones.ts';

/** What is known of a planned release: `passed` is a day that passed without evidence of the release. */
export const releaseStatuses = ['planned', 'released', 'passed', 'moved', 'cancelled', 'vanished'] as const;

type ReleaseStatus = (typeof releaseStatuses)[number];

/** How certain a planned day is, the surest first; `usual time` adds the usual time to an official day. */
export const certainties = ['official time', 'usual time', 'official day'] as const;

type Certainty = (typeof certainties)[number];

/** A day of a release, as known on a day. */
export type ScheduledRelease = {
  readonly release: Release;
  readonly day: Day;
  /** Empty if only the day is known. */
  readonly time: string;
  readonly zone: string;
  /** The instant in UTC; empty without a time. */
  readonly at: string;
  readonly period: string;
  readonly status: ReleaseStatus;
  /** The day from which the status was known. */
  readonly since: Day;
  /** The first day on which anybody could know of it: the plan was seen, or the release happened. */
  readonly knownFrom: Day;
  /** The day to which the same period moved. */
  readonly movedTo: Day | undefined;
  readonly certainty: Certainty;
  /** The calendars and series that it comes from. */
  readonly sources: readonly string[];
  /** What proves that it happened; empty if nothing does. */
  readonly evidence: string;
};

/** Days on which a series of a release got a vintage. */
export type VintageEvidence = {
  readonly release: Release;
  readonly seriesId: string;
  readonly days: readonly Day[];
};

/** What one calendar says of a day of a release, as of its newest look. */
type ListedDay = {
  readonly source: string;
  readonly release: Release;
  /** What it lists; several entries of one day are one. */
  readonly entry: CalendarEntry;
  /** True if the entries of the day have different times, so that none counts. */
  readonly hasSeveralTimes: boolean;
  readonly firstSeen: Day;
  /** The day of the newest look that covers the day. */
  readonly lastSeen: Day;
  readonly status: Exclude<ReleaseStatus, 'passed' | 'released'>;
  readonly since: Day;
  readonly movedTo?: Day;
};

/**
 * Works out what was planned, moved and released as known on a day, from what calendars listed and what was published.
 * Plans are known from the day of a look, releases from their own day. The order of the sightings does not matter.
 * With `now`, a UTC second of the as-of date, times of that day pass at their second; without, when the day is over.
 */
export function scheduleOf(
  sightings: readonly Sighting[],
  vintages: readonly VintageEvidence[],
  asOf: Day,
  now?: string,
): readonly ScheduledRelease[] {
  const listed = new Map<string, ListedDay[]>();
  for (const one of listedDays(sightings.filter((one) => seenOn(one) <= asOf)))
    addTo(listed, keyOfRelease({ release: one.release, day: one.entry.day }), one);
  const events = eventsOf(sightings, vintages, asOf);
  const keys = new Set([...listed.keys(), ...events.keys()]);
  const found = [...keys].flatMap(
    (key) => scheduled(listed.get(key) ?? [], events.get(key), { asOf, now }) ?? [],
  );
  return found.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

function placeOf({ day, at, release, period }: ScheduledRelease): string {
  return [day, at, release.id, period].join(' ');
}

/** Identifies a release on a day. */
export function keyOfRelease({ release: { id }, day }: Pick<ScheduledRelease, 'day' | 'release'>): string {
  return `${day} ${id}`;
}

/** Lists what each calendar says of the days that it planned, by its looks in any order. */
function listedDays(sightings: readonly Sighting[]): readonly ListedDay[] {
  const plans = sightings.filter(({ lists }) => lists === 'plans');
  return [...bySource(plans)].flatMap(([source, looks]) => listedBy(source, looks));
}

function bySource(sightings: readonly Sighting[]): ReadonlyMap<string, readonly Sighting[]> {
  const found = new Map<string, Sighting[]>();
  // Of two looks of one day, the one that covers later days is the later.
  const placeOfLook = ({ source, seenAt, to, from, scope }: Sighting) =>
    [source, seenAt, to, from, scope].join(' ');
  const inOrder = [...sightings].sort((a, b) => (placeOfLook(a) < placeOfLook(b) ? -1 : 1));
  for (const sighting of inOrder) addTo(found, sighting.source, sighting);
  return found;
}

/** Follows the entries of one calendar through its looks, oldest first. */
function listedBy(source: string, looks: readonly Sighting[]): readonly ListedDay[] {
  const found = new Map<string, ListedDay>();
  // A store gives looks that saw the same the same list, and most looks see what the one before saw.
  const known = new Map<Sighting['entries'], ReadonlyMap<string, DayOfEntries>>();
  for (const look of looks) {
    const seen = seenOn(look);
    const listed = known.get(look.entries) ?? entriesByDay(source, look);
    known.set(look.entries, listed);
    for (const [key, { entries: _, ...day }] of listed) {
      const { entry } = day;
      const before = found.get(key);
      const status = entry.state ?? 'planned';
      const isSame = before?.status === status && before.entry.time === entry.time;
      const firstSeen = before?.firstSeen ?? seen;
      const since = isSame ? before.since : seen;
      found.set(key, { source, ...day, firstSeen, lastSeen: seen, status, since });
    }
    for (const [key, one] of found) {
      if (listed.has(key) || !isCovered(one, look)) continue;
      const gone = one.status === 'planned' ? { since: seen, ...whereTo(one, [...listed.values()]) } : {};
      found.set(key, { ...one, ...gone, lastSeen: seen });
    }
  }
  return [...found.values()];
}

type DayOfEntries = Pick<ListedDay, 'entry' | 'hasSeveralTimes' | 'release'> & {
  readonly entries: readonly CalendarEntry[];
};

/** Groups what a look lists by release and day: a calendar may write the title of a release in several ways. */
function entriesByDay(source: string, { entries }: Sighting): ReadonlyMap<string, DayOfEntries> {
  const listed = new Map<string, { readonly release: Release; readonly entries: CalendarEntry[] }>();
  for (const written of entries) {
    const release = releaseOf(source, written.release, written.name);
    const entry = inZoneOf(release, written);
    const key = keyOfRelease({ release, day: entry.day });
    entryOf(listed, key, () => ({ release, entries: [] })).entries.push(entry);
  }
  return new Map(
    [...listed].map(([key, { release, entries: own }]) => [key, { release, entries: own, ...combined(own) }]),
  );
}

/** Returns an entry with the day and time in the zone of its release: a calendar may write them in UTC. */
function inZoneOf({ zone }: Release, entry: CalendarEntry): CalendarEntry {
  if (zone === undefined || entry.zone === undefined || entry.zone === zone) return entry;
  const instant = instantOfEntry(entry);
  return instant === undefined ? entry : { ...entry, ...localTimeOf(new Date(instant), zone), zone };
}

/** Makes one entry of those of one day: with all periods, and with a time if they have one. */
function combined(entries: readonly CalendarEntry[]): Pick<ListedDay, 'entry' | 'hasSeveralTimes'> {
  const { release = '', day = '', name, zone } = entries[0] ?? {};
  const times = new Set(entries.map(({ time }) => time));
  const periods = new Set(entries.flatMap(({ period }) => period ?? []));
  const [time] = times;
  const state = entries.every((entry) => entry.state !== undefined) ? entries[0]?.state : undefined;
  const period = periods.size === 0 ? undefined : [...periods].join('; ');
  const hasSeveralTimes = times.size > 1;
  const entry = {
    ...{ release, day },
    ...(name !== undefined && { name }),
    ...(!hasSeveralTimes && time !== undefined && { time }),
    ...(zone !== undefined && { zone }),
    ...(period !== undefined && { period }),
    ...(state !== undefined && { state }),
  };
  return { entry, hasSeveralTimes };
}

/** Tells whether a look covers a day, which it then lists or has dropped. */
function isCovered({ entry }: ListedDay, { from, to, scope }: Sighting): boolean {
  return entry.day >= from && entry.day <= to && (scope === '' || scope === entry.release);
}

/** Says where a day went: to the other day of its period, if the calendar names periods. */
function whereTo(
  { release, entry: gone }: ListedDay,
  listed: readonly DayOfEntries[],
): Pick<ListedDay, 'movedTo' | 'status'> {
  const own = listed.filter((one) => one.release.id === release.id).flatMap(({ entries }) => entries);
  const moved = own.find(({ period }) => period !== undefined && period === gone.period);
  return moved === undefined ? { status: 'vanished' } : { status: 'moved', movedTo: moved.day };
}

type Proof = { readonly source: string; readonly text: string };

type Event = { readonly release: Release; readonly day: Day; readonly proofs: readonly Proof[] };

/** Lists the releases that happened up to a day, with what proves it; of stored vintages the first one. */
function eventsOf(
  sightings: readonly Sighting[],
  vintages: readonly VintageEvidence[],
  asOf: Day,
): ReadonlyMap<string, Event> {
  const events = new Map<string, Event>();
  const add = (release: Release, day: Day, proof: Proof) => {
    if (day > asOf) return;
    const key = keyOfRelease({ release, day });
    const proofs = events.get(key)?.proofs ?? [];
    if (!proofs.some(({ source }) => source === proof.source))
      events.set(key, { release, day, proofs: [...proofs, proof] });
  };
  const lists = sightings.filter((one) => one.lists === 'events');
  for (const { source, entries } of [...lists].sort((a, b) => (a.source < b.source ? -1 : 1)))
    for (const { release, name, day } of entries)
      add(releaseOf(source, release, name), day, { source, text: `${source} lists the day among past ones` });
  for (const { release, seriesId, days } of vintages)
    for (const day of days) add(release, day, { source: 'stored vintages', text: `vintage of ${seriesId}` });
  return events;
}

/** Combines what calendars say of a release on one day; undefined if they say nothing. */
function scheduled(
  listed: readonly ListedDay[],
  event: Event | undefined,
  { asOf, now }: { readonly asOf: Day; readonly now: string | undefined },
): ScheduledRelease | undefined {
  const { release, day } = listed[0]
    ? { release: listed[0].release, day: listed[0].entry.day }
    : (event ?? {});
  if (release === undefined || day === undefined) return undefined;
  // The calendar that was looked at last has the word; of two looks of one day, the one with times.
  const placeOfWord = ({ lastSeen, entry }: ListedDay) => `${lastSeen} ${entry.time ?? ''}`;
  const [newest] = [...listed].sort((a, b) => (placeOfWord(a) < placeOfWord(b) ? 1 : -1));
  const firstSeen = listed.map((one) => one.firstSeen).sort()[0] ?? day;
  const when = timeOf(release, day, listed);
  const isOver = day < asOf || (now !== undefined && when.at !== '' && when.at <= now);
  const planned = newest?.status === 'planned' && isOver ? 'passed' : (newest?.status ?? 'planned');
  const status = event === undefined ? planned : 'released';
  const proofs = event?.proofs ?? [];
  const sinceOf: Partial<Record<ReleaseStatus, Day>> = {
    released: day,
    // On the day itself, only the second of its time tells.
    passed: later(day < asOf ? addDays(day, 1) : day, newest?.since ?? day),
  };
  return {
    release,
    day,
    ...when,
    period: listed.find(({ entry }) => entry.period !== undefined)?.entry.period ?? '',
    status,
    since: sinceOf[status] ?? newest?.since ?? day,
    knownFrom: event === undefined ? firstSeen : earlier(firstSeen, day),
    movedTo: status === 'moved' ? newest?.movedTo : undefined,
    sources: [...new Set([...listed, ...proofs].map(({ source }) => source))].sort(),
    evidence: proofs.map(({ text }) => text).join('; '),
  };
}

/** Returns the time of a release on a day: the official one, or the usual one where no calendar has a time. */
function timeOf({ zone: own = '', usualTime = '' }: Release, day: Day, listed: readonly ListedDay[]) {
  const official = officialTime(listed);
  const usual = isTimed(listed) || usualTime === '' ? { time: '', zone: '' } : { time: usualTime, zone: own };
  const { time, zone } = official ?? usual;
  const dayOrUsual: Certainty = time === '' ? 'official day' : 'usual time';
  const certainty: Certainty = official === undefined ? dayOrUsual : 'official time';
  return { time, zone, at: instantOfEntry({ day, time, zone }) ?? '', certainty };
}

function isTimed(listed: readonly ListedDay[]): boolean {
  return listed.some(({ entry, hasSeveralTimes }) => hasSeveralTimes || entry.time !== undefined);
}

/** Returns the time of a release on one day that all calendars with a time agree on; undefined if they have none or several. */
function officialTime(
  listed: readonly ListedDay[],
): { readonly time: string; readonly zone: string; readonly at: string } | undefined {
  const stated = listed.flatMap(({ release, entry: { day, time, zone = release.zone ?? '' } }) => {
    const at = time === undefined ? undefined : instantOfEntry({ day, time, zone });
    return time === undefined || at === undefined ? [] : [{ time, zone, at }];
  });
  const isOne = new Set(stated.map(({ at }) => at)).size === 1;
  return isOne && !listed.some(({ hasSeveralTimes }) => hasSeveralTimes) ? stated[0] : undefined;
}

/** Returns the instant of an entry in UTC; undefined without a time in a zone. */
function instantOfEntry({
  day,
  time,
  zone = '',
}: Pick<CalendarEntry, 'day' | 'time' | 'zone'>): string | undefined {
  const instant = time === undefined || zone === '' ? undefined : instantOf({ day, time }, zone);
  return instant && instantText(instant);
}

/** What calendars say of a release. */
export type ReleaseTimes = {
  /** The instants at which it appeared or is due, by the day in its zone; undefined for several times of one day. */
  readonly byDay: ReadonlyMap<Day, string | undefined>;
  /** The day of the newest look at a calendar that has it. */
  readonly seen?: Day | undefined;
};

/** Reads the official times of releases from what calendars list, by the id of the release. */
export function releaseTimesIn(sightings: readonly Sighting[]): ReadonlyMap<string, ReleaseTimes> {
  const listed = listedDays(sightings);
  return new Map(
    [...groupBy(listed, ({ release }) => release.id)].map(([id, own]) => {
      const planned = own.filter(({ status }) => status === 'planned');
      const byDay = new Map<Day, string | undefined>();
      for (const [day, ofDay] of groupBy(planned, ({ entry }) => entry.day))
        if (isTimed(ofDay)) byDay.set(day, officialTime(ofDay)?.at);
      return [id, { byDay, seen: latestOf(own.map(({ lastSeen }) => lastSeen)) }];
    }),
  );
}
