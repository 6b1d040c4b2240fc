import { type Day, earlier } from '../values/date.ts';
import { addTo } from '../values/groups.ts';
import { type Release, releaseOf } from './releases.ts';
import { type CalendarEntry, type Sighting, seenOn } from './sighting.ts';
import { instantOf, instantText } from './zones.ts';

/** What is known of a planned release: `passed` is a day that passed without evidence of the release. */
export const releaseStatuses = ['planned', 'released', 'passed', 'moved', 'cancelled', 'vanished'] as const;

type ReleaseStatus = (typeof releaseStatuses)[number];

/** How certain a day is, the surest first; `usual time` adds the usual time to an official day. */
export const certainties = ['official time', 'usual time', 'official day', 'projected'] as const;

/** How certain the day and time of a release are. */
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

/** What one calendar says of a release on a day. */
type PlannedDay = {
  readonly entry: CalendarEntry;
  readonly firstSeen: Day;
  readonly status: Exclude<ReleaseStatus, 'passed' | 'released'>;
  readonly since: Day;
  readonly movedTo?: Day;
};

/** What one calendar says of a day of a release, as of its newest look. */
type Word = PlannedDay & { readonly source: string; readonly release: Release };

/**
 * Works out what was planned, moved and released as known on a day, from what calendars listed and what was published.
 * Plans are known from the day of a look, releases from their own day. The order of the sightings does not matter.
 */
export function scheduleOf(
  sightings: readonly Sighting[],
  vintages: readonly VintageEvidence[],
  asOf: Day,
): readonly ScheduledRelease[] {
  const words = new Map<string, Word[]>();
  const keyOf = ({ id }: Release, day: Day) => `${day} ${id}`;
  for (const word of listedDays(sightings.filter((one) => seenOn(one) <= asOf)))
    addTo(words, keyOf(word.release, word.entry.day), word);
  const events = eventsOf(sightings, vintages, asOf);
  const keys = new Set([...words.keys(), ...events.keys()]);
  const found = [...keys].flatMap((key) => scheduled(words.get(key) ?? [], events.get(key), asOf) ?? []);
  return found.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

function placeOf({ day, at, release, period }: ScheduledRelease): string {
  return [day, at, release.id, period].join(' ');
}

/** Lists what each calendar says of the days that it planned, by its looks in any order. */
export function listedDays(sightings: readonly Sighting[]): readonly Word[] {
  const plans = sightings.filter(({ lists }) => lists === 'plans');
  return [...bySource(plans)].flatMap(([source, looks]) =>
    plansOf(looks).map((plan) => {
      const { release, name } = plan.entry;
      return { ...plan, source, release: releaseOf(source, release, name) };
    }),
  );
}

function bySource(sightings: readonly Sighting[]): ReadonlyMap<string, readonly Sighting[]> {
  const found = new Map<string, Sighting[]>();
  // Of two looks of one day, the one that covers later days is the later.
  const timeOfLook = ({ seenAt, to, from, scope }: Sighting) => [seenAt, to, from, scope].join(' ');
  const inOrder = [...sightings].sort((a, b) => (timeOfLook(a) < timeOfLook(b) ? -1 : 1));
  for (const sighting of inOrder) addTo(found, sighting.source, sighting);
  return found;
}

/** Follows the entries of one calendar through its sightings, oldest first. */
function plansOf(sightings: readonly Sighting[]): readonly PlannedDay[] {
  const plans = new Map<string, PlannedDay>();
  for (const sighting of sightings) {
    const seen = seenOn(sighting);
    const listed = listedIn(sighting);
    for (const [key, entry] of listed) {
      const before = plans.get(key);
      const status = entry.state ?? 'planned';
      const isSame = before?.status === status && before.entry.time === entry.time;
      plans.set(key, {
        entry,
        firstSeen: before?.firstSeen ?? seen,
        status,
        since: isSame ? before.since : seen,
      });
    }
    for (const [key, plan] of plans)
      if (!listed.has(key) && isGone(plan, sighting))
        plans.set(key, { ...plan, since: seen, ...whereTo(plan.entry, listed.values()) });
  }
  return [...plans.values()];
}

/** Lists the entries by release and day, and by time where a release has several on a day. */
function listedIn({ entries }: Sighting): ReadonlyMap<string, CalendarEntry> {
  const byDay = new Map<string, CalendarEntry[]>();
  for (const entry of entries) addTo(byDay, `${entry.release} ${entry.day}`, entry);
  const listed = new Map<string, CalendarEntry>();
  for (const [key, own] of byDay)
    for (const entry of own) {
      const isAlone = new Set(own.map(({ time, period }) => `${time} ${period}`)).size === 1;
      listed.set(isAlone ? key : `${key} ${entry.time ?? ''} ${entry.period ?? ''}`, entry);
    }
  return listed;
}

/** Tells whether a sighting covers a plan that it does not list. */
function isGone({ entry, status }: PlannedDay, { from, to, scope }: Sighting): boolean {
  const isCovered = entry.day >= from && entry.day <= to && (scope === '' || scope === entry.release);
  return isCovered && status === 'planned';
}

/** Says where an entry went: to the other day of its period, if the calendar names periods. */
function whereTo(
  gone: CalendarEntry,
  listed: Iterable<CalendarEntry>,
): Pick<PlannedDay, 'movedTo' | 'status'> {
  for (const { release, period, day } of listed)
    if (period !== undefined && period === gone.period && release === gone.release)
      return { status: 'moved', movedTo: day };
  return { status: 'vanished' };
}

type Event = { readonly release: Release; readonly day: Day; readonly proofs: readonly string[] };

/** Lists the releases that happened up to a day, with what proves it. */
function eventsOf(
  sightings: readonly Sighting[],
  vintages: readonly VintageEvidence[],
  asOf: Day,
): ReadonlyMap<string, Event> {
  const events = new Map<string, Event>();
  const add = (release: Release, day: Day, proof: string) => {
    if (day > asOf) return;
    const key = `${day} ${release.id}`;
    const proofs = events.get(key)?.proofs ?? [];
    if (!proofs.includes(proof)) events.set(key, { release, day, proofs: [...proofs, proof] });
  };
  for (const { source, lists, entries } of sightings)
    if (lists === 'events')
      for (const { release, name, day } of entries)
        add(releaseOf(source, release, name), day, `${source} lists the day among past ones`);
  for (const { release, seriesId, days } of vintages)
    for (const day of days) add(release, day, `vintage of ${seriesId}`);
  return events;
}

/** Combines what calendars say of a release on one day; undefined if they say nothing. */
function scheduled(
  words: readonly Word[],
  event: Event | undefined,
  asOf: Day,
): ScheduledRelease | undefined {
  const release = words[0]?.release ?? event?.release;
  const day = words[0]?.entry.day ?? event?.day;
  if (release === undefined || day === undefined) return undefined;
  // The newest word counts; of two on one day, that of the calendar with times.
  const [last] = [...words].sort((a, b) => {
    if (a.since !== b.since) return a.since < b.since ? 1 : -1;
    return Number(b.entry.time !== undefined) - Number(a.entry.time !== undefined);
  });
  const timed = last?.entry.time === undefined ? words.find(({ entry }) => entry.time !== undefined) : last;
  const when = timeOf(release, day, timed?.entry);
  const firstSeen = words.map((word) => word.firstSeen).sort()[0];
  const isOpen = last?.status === 'planned' && day < asOf;
  const status = event === undefined ? (isOpen ? 'passed' : (last?.status ?? 'planned')) : 'released';
  return {
    release,
    day,
    ...when,
    period: words.find(({ entry }) => entry.period !== undefined)?.entry.period ?? '',
    status,
    since: status === 'released' || status === 'passed' ? day : (last?.since ?? day),
    knownFrom: firstSeen === undefined ? day : event === undefined ? firstSeen : earlier(firstSeen, day),
    movedTo: status === 'moved' ? last?.movedTo : undefined,
    sources: [
      ...new Set([...words.map(({ source }) => source), ...(event?.proofs.map(sourceIn) ?? [])]),
    ].sort(),
    evidence: event?.proofs.join('; ') ?? '',
  };
}

function sourceIn(proof: string): string {
  return proof.startsWith('vintage of ') ? 'stored vintages' : (proof.split(' ')[0] ?? '');
}

function timeOf({ zone: own = '', usualTime }: Release, day: Day, entry: CalendarEntry | undefined) {
  const zone = entry?.zone ?? own;
  const time = entry?.time ?? usualTime ?? '';
  const instant = time === '' || zone === '' ? undefined : instantOf({ day, time }, zone);
  const certainty: Certainty =
    entry?.time !== undefined ? 'official time' : time === '' ? 'official day' : 'usual time';
  return { time, zone: time === '' ? '' : zone, at: instant ? instantText(instant) : '', certainty };
}
