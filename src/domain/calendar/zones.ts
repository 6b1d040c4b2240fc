import { addDays, type Day, parseDay } from '../values/date.ts';
import { entryOf } from '../values/groups.ts';

/** The zone of the statistical agencies of the United States. */
export const newYork = 'America/New_York';

/** Names of zones that calendars write, and that the tz database lacks. */
const otherNames: Readonly<Record<string, string>> = {
  // Of the Bureau of Labor Statistics, with its own rules in the file.
  'US-Eastern': newYork,
  'US-Central': 'America/Chicago',
  'Eastern Standard Time': newYork,
  'Central Standard Time': 'America/Chicago',
  'GMT Standard Time': 'Europe/London',
  'W. Europe Standard Time': 'Europe/Berlin',
  'Central Europe Standard Time': 'Europe/Budapest',
  'Romance Standard Time': 'Europe/Paris',
  CET: 'Europe/Berlin',
};

/** The form of a zone's name, in words. */
export const zoneForm = 'use a name of the tz database, such as America/New_York';

/** Finds the name of a zone in the tz database; undefined for an unknown zone, and for an offset such as EST. */
export function zoneNamed(name: string): string | undefined {
  const known = otherNames[name] ?? name;
  // EST and its like are fixed offsets in the tz database, but calendars mean the local time of a place.
  if (known !== 'UTC' && !known.includes('/')) return undefined;
  try {
    localTimeOf(new Date(0), known);
    return known;
  } catch {
    return undefined;
  }
}

/** Returns the place after which a zone is named: `New York`. */
export function placeOfZone(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

/** A day and the time of day `HH:MM` in a zone. */
export type LocalTime = { readonly day: Day; readonly time: string };

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local time of an instant in a zone. */
export function localTimeOf(instant: Date, zone: string): LocalTime {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, format);
  const [day = '', time = ''] = format.format(instant).split(' ');
  return { day, time };
}

const minute = 60_000;
const day = 24 * 60 * minute;
const week = 7 * day;

/** How far local time is ahead of UTC when a week begins, by zone; to format a time takes 10 µs. */
const offsets = new Map<string, Map<number, number>>();

function offsetAt(instant: number, zone: string): number {
  const ofZone = entryOf(offsets, zone, () => new Map<number, number>());
  return entryOf(ofZone, instant, () => {
    const local = localTimeOf(new Date(instant), zone);
    return Date.parse(`${local.day}T${local.time}:00Z`) - instant;
  });
}

/** Returns the instant of a local time; of two in the hour that clocks repeat, the later; undefined in a skipped hour. */
export function instantOf({ day: date, time }: LocalTime, zone: string): Date | undefined {
  if (parseDay(date) === undefined || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) return undefined;
  const asUtc = Date.parse(`${date}T${time}:00Z`);
  if (zone === 'UTC') return new Date(asUtc);
  // Clocks that agree a week apart have not changed between: none is changed and changed back so soon.
  const [before, after] = [
    offsetAt(Math.floor((asUtc - day) / week) * week, zone),
    offsetAt(Math.ceil((asUtc + day) / week) * week, zone),
  ];
  const instants = [before, after].map((offset) => new Date(asUtc - offset));
  if (before === after) return instants[0];
  const meant = instants.filter((instant) => {
    const local = localTimeOf(instant, zone);
    return local.day === date && local.time === time;
  });
  return meant.sort((a, b) => b.getTime() - a.getTime())[0];
}

/** Returns the instant at which a day has ended in a zone, also where clocks skip the midnight, or the next day. */
export function endOfDay(day: Day, zone: string): Date {
  for (const days of [1, 2]) {
    const next = addDays(day, days);
    for (const time of ['00:00', '00:30', '01:00']) {
      const instant = instantOf({ day: next, time }, zone);
      if (instant !== undefined) return instant;
    }
  }
  throw new Error(`${day} does not end in ${zone}`);
}

/** Writes an instant to the second: `2026-01-09T13:30:00Z`. */
export function instantText(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** How to write an instant, in words. */
const instantForm = 'use a time with its offset from UTC, as in 2009-01-30T08:29-05:00';

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?:(Z)|([+-])(0\d|1[0-4]):?([0-5]\d))$/i;

/** Reads a time with an offset as an instant in UTC, to the second; undefined for any other text. */
export function parseInstant(text: string): string | undefined {
  const [, day = '', hour, minutes, seconds = '00', utc, sign, hours, rest] = instantPattern.exec(text) ?? [];
  if (parseDay(day) === undefined) return undefined;
  const ahead = utc === undefined ? (Number(hours) * 60 + Number(rest)) * (sign === '-' ? -1 : 1) : 0;
  return instantText(new Date(Date.parse(`${day}T${hour}:${minutes}:${seconds}Z`) - ahead * minute));
}

/** Says what a text lacks to be an instant. */
export function faultOfInstant(text: string): string {
  if (parseDay(text) !== undefined)
    return 'a day alone is an as-of date; add a time and its offset from UTC, as in 2009-01-30T08:29-05:00';
  if (/^\d{4}-\d{2}-\d{2}[T ][\d:.]+ \d{2}:?\d{2}$/.test(text))
    return 'the sign of the offset is missing; in an address, + is written %2B';
  const isLocal = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[\d:.]*$/.test(text);
  return isLocal
    ? 'a time without a zone has no instant; add its offset from UTC, as in 2009-01-30T08:29-05:00, or Z'
    : instantForm;
}

/** How an instant became an as-of date: by the time of a release, or by the end of the day before. */
export const instantRules = ['time', 'day before', 'times differ'] as const;

/** The zone where a day ends last: one that has ended there has ended everywhere. */
export const lastZone = 'Etc/GMT+12';

/** Returns the last day that had ended everywhere on Earth at an instant. */
export function lastDayOver(instant: string): Day {
  return addDays(localTimeOf(new Date(instant), lastZone).day, -1);
}
