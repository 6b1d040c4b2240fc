import type ICAL from 'ical.js';
import type { CalendarEntry } from '../../../domain/calendar/sighting.ts';
import {
  instantOf,
  type LocalTime,
  localTimeOf,
  newYork,
  zoneForm,
  zoneNamed,
} from '../../../domain/calendar/zones.ts';
import { type Day, latestOf, parseDay } from '../../../domain/values/date.ts';
import { Problem } from '../../../errors/problem.ts';
import { allBytes, limits, refusal, type SourceFile, utf8Text } from '../../files/source-file.ts';
import type { ImportFormat } from '../format.ts';
import { lookTime, sightingOf } from './look.ts';

/** A calendar of releases in iCalendar (RFC 5545): those of the BLS, the BEA and others. */
export const icsCalendar: ImportFormat = {
  kind: 'ics',
  summary: ['calendar of releases', ' (iCalendar, of the BLS, the BEA and others); its day is --as-of'],
  takesAsOf: true,
  recognise: ({ text }) => /^\uFEFF?\s*BEGIN:VCALENDAR\b/i.test(text),
  async *read(file, options) {
    const { text, rows } = checkedLines(file, utf8Text(file, await allBytes(file, limits.calendar)));
    const { default: ical } = await import('ical.js');
    const calendar = parsed(file, () => new ical.Component(ical.parse(text)));
    const publisher = publisherOf(file, calendar);
    const zones = new CalendarZones(file, calendar, publisher.zone, ical);
    const events = calendar.getAllSubcomponents('vevent');
    if (events.length === 0) throw refusal(file, {}, 'the calendar has no events', [again]);
    const read = events.map((event, index) => {
      const place = { file, event, row: rows[index] ?? 1 };
      return parsed(
        file,
        () => ({ entry: entryOf(place, publisher, zones), written: stampOf(place) }),
        place.row,
      );
    });
    const changed = latestOf(read.flatMap(({ written }) => written ?? []));
    const { seenAt } = lookTime(file, options, { changed });
    const look = { source: publisher.source, scope: '', seenAt, lists: 'plans' } as const;
    yield {
      sightings: [
        sightingOf(
          look,
          read.map(({ entry }) => entry),
        ),
      ],
    };
  },
};

const again = 'download it again; a page of a web site may have taken its place';

const deepest = 10;

/** Checks that a calendar is whole, and returns it without blank lines, with the rows on which its events begin. */
function checkedLines(
  file: SourceFile,
  content: string,
): { readonly text: string; readonly rows: readonly number[] } {
  const lines = content.split(/\r\n?|\n/).map((line, index) => ({ line, row: index + 1 }));
  const filled = lines.filter(({ line }) => line.trim() !== '');
  const open: { readonly name: string; readonly row: number }[] = [];
  const rows: number[] = [];
  let isOver = false;
  for (const { line, row } of filled) {
    // A line that begins with a blank continues the one above.
    if (/^[ \t]/.test(line) && open.length > 0) continue;
    const [, word = '', name = ''] = /^(BEGIN|END):(.*)$/i.exec(line.trimEnd()) ?? [];
    const place = { row, value: line };
    if (isOver) throw refusal(file, place, 'the calendar ended above; keep one calendar a file');
    if (open.length === 0 && !/^BEGIN:VCALENDAR$/i.test(line.trim()))
      throw refusal(file, place, 'a calendar begins with BEGIN:VCALENDAR', [again]);
    const isLine = /^[\w-]+[;:]/.test(line);
    if (!isLine && row === filled.at(-1)?.row) break;
    if (!isLine)
      throw refusal(file, place, 'not a line of a calendar, such as SUMMARY:Consumer Price Index', [again]);
    if (/^BEGIN$/i.test(word)) {
      if (open.length === 1 && /^VEVENT$/i.test(name)) rows.push(row);
      open.push({ name, row });
      if (open.length > deepest) throw refusal(file, { row }, `more than ${deepest} parts in each other`);
    } else if (/^END$/i.test(word)) {
      const part = open.pop();
      if (part?.name.toLowerCase() !== name.toLowerCase())
        throw refusal(file, place, `${part?.name} of row ${part?.row} should end here`, [again]);
      isOver = open.length === 0;
    }
  }
  const last = open.at(-1);
  if (last !== undefined)
    throw refusal(file, { row: last.row }, `the calendar is cut short: it ends within ${last.name}`, [again]);
  if (!isOver) throw refusal(file, {}, 'a calendar begins with BEGIN:VCALENDAR', [again]);
  return { text: filled.map(({ line }) => line).join('\n'), rows };
}

/** Calls what calls the library, whose errors name no row. */
function parsed<T>(file: SourceFile, parse: () => T, row?: number): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refusal(file, row === undefined ? {} : { row }, `broken calendar: ${reason}`, [again]);
  }
}

type CalendarPublisher = {
  readonly source: string;
  /** The zone of its days, for times in UTC. */
  readonly zone?: string;
  readonly titleOf: (title: string) => Pick<CalendarEntry, 'period' | 'release'>;
};

function publisherOf(file: SourceFile, calendar: ICAL.Component): CalendarPublisher {
  const textIn = (name: string) => String(calendar.getFirstPropertyValue(name) ?? '').trim();
  const refuse = (name: string, reason: string) =>
    refusal(file, { value: `${name.toUpperCase()}:${textIn(name)}` }, reason);
  const [id, named] = [textIn('prodid'), textIn('x-wr-calname')];
  if (/\basof\b/i.test(id))
    throw refuse('prodid', 'asof wrote this calendar out of others; import the calendars of the publishers');
  if (!/^(?:|2\.0)$/.test(textIn('version'))) throw refuse('version', 'asof reads iCalendar 2.0 (RFC 5545)');
  if (!/^(?:|GREGORIAN)$/i.test(textIn('calscale')))
    throw refuse('calscale', 'asof reads Gregorian calendars');
  if (!/^(?:|PUBLISH)$/i.test(textIn('method')))
    throw refuse('method', 'this is a message about events, not a published calendar');
  const names = `${id} ${named}`;
  const titleOf = (title: string) => ({ release: title });
  if (/Bureau of Labor Statistics/i.test(names)) return { source: 'BLS', zone: newYork, titleOf };
  if (/\bBEA\b|Bureau of Economic Analysis/i.test(names))
    return { source: 'BEA', zone: newYork, titleOf: beaTitle };
  const [, organisation = ''] = /^[-+]?\/\/([^/]+)/.exec(id) ?? [];
  const source = (named || organisation || id).replace(/\s+/g, ' ').trim();
  if (!/[a-z0-9]/i.test(source))
    throw refusal(file, {}, 'the calendar does not name its publisher (X-WR-CALNAME or PRODID)', [
      'add a line such as X-WR-CALNAME:Eurostat below BEGIN:VCALENDAR',
    ]);
  return { source, titleOf };
}

const beginOfPeriod =
  /, (?=(?:January|February|March|April|May|June|July|August|September|October|November|December|1st|2nd|3rd|4th|First|Second|Third|Fourth|Year|Annual|\d{4})\b)/;

/**
 * Splits a title of the BEA: `Gross Domestic Product, 4th Quarter and Year 2024 (Advance Estimate)`, and since 2026
 * `GDP (Advance Estimate), 3rd Quarter 2026`, with other releases of the day between the two parts.
 */
function beaTitle(title: string): Pick<CalendarEntry, 'period' | 'release'> {
  const place = title.search(beginOfPeriod);
  if (place === -1) return { release: title };
  const [name, rest] = [title.slice(0, place), title.slice(place + 2)];
  const [period = rest] = /^[^,;(]*(?:\([^)]*\))?/.exec(rest) ?? [];
  const [, stage] = /^GDP (\([^)]*\))/.exec(name) ?? [];
  if (stage === undefined) return { release: name, period: period.trim() };
  return { release: 'GDP', period: `${period.trim()} ${stage}` };
}

type EventPlace = { readonly file: SourceFile; readonly event: ICAL.Component; readonly row: number };

const repetitions = ['rrule', 'rdate', 'exdate', 'exrule', 'recurrence-id'];

function entryOf(place: EventPlace, { titleOf }: CalendarPublisher, zones: CalendarZones): CalendarEntry {
  const { event } = place;
  const title = titleIn(event);
  if (title === '') throw eventRefusal(place, 'the event has no SUMMARY, which names the release');
  const repetition = repetitions.find((name) => event.hasProperty(name));
  if (repetition !== undefined)
    throw eventRefusal(
      place,
      `the event repeats (${repetition.toUpperCase()}), which asof does not read; state each day as an event`,
    );
  const [start, ...others] = event.getAllProperties('dtstart');
  if (start === undefined || others.length > 0)
    throw eventRefusal(
      place,
      `the event has ${start === undefined ? 'no DTSTART' : 'more than one DTSTART'}`,
    );
  const status = String(event.getFirstPropertyValue('status') ?? '').toUpperCase();
  return {
    ...titleOf(title),
    ...zones.localTime(place, start),
    ...(status === 'CANCELLED' && { state: 'cancelled' }),
  };
}

function titleIn(event: ICAL.Component): string {
  return String(event.getFirstPropertyValue('summary') ?? '')
    .replace(/\s+/g, ' ')
    .trim();
}

function eventRefusal(
  { file, event, row }: EventPlace,
  reason: string,
  hints: readonly string[] = [],
): Problem {
  const name = titleIn(event);
  return refusal(file, name === '' ? { row } : { row, value: name }, reason, hints);
}

/** Returns the value of a property as the library writes it in JSON: `2025-01-30T13:30:00Z`. */
function writtenValue(property: ICAL.Property): string {
  const [, , , value] = property.toJSON();
  return String(value ?? '');
}

/** Returns the day on which an event was written, unless the publisher stamps events with their own times. */
function stampOf({ event }: EventPlace): Day | undefined {
  const [stamp, start] = ['dtstamp', 'dtstart'].map((name) => event.getFirstProperty(name));
  if (!stamp || !start || writtenValue(stamp) === writtenValue(start)) return undefined;
  return parseDay(writtenValue(stamp).slice(0, 10));
}

const timeForm = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(Z?)$/;

/** The last year that the library works out of the rules of a zone. */
const lastYearOfRules = '2035';

/** The zones of a calendar: those of the tz database, which the rules in the file must not contradict. */
class CalendarZones {
  readonly #rules: ReadonlyMap<string, ICAL.Timezone>;
  readonly #ical: typeof ICAL;
  /** The zone of the calendar as it writes it, and its name in the tz database. */
  readonly #own: string;
  readonly #known: string | undefined;

  constructor(file: SourceFile, calendar: ICAL.Component, zone: string | undefined, ical: typeof ICAL) {
    this.#ical = ical;
    this.#own = String(calendar.getFirstPropertyValue('x-wr-timezone') ?? '').trim();
    this.#known = zone ?? zoneNamed(this.#own);
    this.#rules = new Map(
      calendar.getAllSubcomponents('vtimezone').map((component) => {
        const tzid = String(component.getFirstPropertyValue('tzid') ?? '');
        parsed(file, () => refuseOddRules(file, component, tzid));
        return [tzid, new ical.Timezone({ component, tzid })];
      }),
    );
  }

  /** Returns the day of an event, and its time and zone if it states a time. */
  localTime(place: EventPlace, start: ICAL.Property): Pick<CalendarEntry, 'day' | 'time' | 'zone'> {
    const value = writtenValue(start);
    const refuse = (reason: string, hints: readonly string[] = []) =>
      eventRefusal(place, `DTSTART ${value}: ${reason}`, hints);
    const [, date = value, time, utc] = timeForm.exec(value) ?? [];
    const day = parseDay(date);
    if (day === undefined) throw refuse('not a day, and no day with a time');
    if (time === undefined) return { day };
    if (utc === 'Z') {
      const instant = instantOf({ day, time }, 'UTC');
      if (instant === undefined) throw refuse('there is no such time');
      const zone = this.#known ?? 'UTC';
      return { ...localTimeOf(instant, zone), zone };
    }
    const named = start.getFirstParameter('tzid');
    const zone = named ? zoneNamed(named) : this.#known;
    if (zone === undefined)
      throw named || this.#own !== ''
        ? refuse(`the zone ${JSON.stringify(named || this.#own)} is not known; ${zoneForm}`)
        : refuse('the time has no zone', ['add a line such as X-WR-TIMEZONE:Europe/Berlin to the calendar']);
    const instant = instantOf({ day, time }, zone);
    if (instant === undefined) throw refuse(`there is no such time in ${zone}`);
    this.#check({ day, time }, instant, named ?? '', (offset) =>
      refuse(`the rules of the zone ${named} in the file make it ${offset}, against those of ${zone}`),
    );
    return { day, time, zone };
  }

  /** Throws if the rules of a zone in the file mean another instant. */
  #check({ day, time }: LocalTime, instant: Date, tzid: string, refuse: (meant: string) => Problem): void {
    const rules = this.#rules.get(tzid);
    if (rules === undefined || day.slice(0, 4) > lastYearOfRules) return;
    const seconds = rules.utcOffset(this.#ical.Time.fromDateTimeString(`${day}T${time}:00`));
    const meant = new Date(Date.parse(`${day}T${time}:00Z`) - seconds * 1000);
    if (meant.getTime() === instant.getTime()) return;
    throw refuse(Number.isNaN(meant.getTime()) ? 'no time' : `${meant.toISOString().slice(0, 16)}Z`);
  }
}

/** A rule such as FREQ=YEARLY;BYMONTH=3;BYDAY=2SU, of which the library finds each day; others may have none. */
const yearlyRule =
  /^RRULE:(?=.*\bFREQ=YEARLY\b)(?=.*\bBYMONTH=\d)(?=.*\bBYDAY=-?[1-4])(?:;?(?:FREQ=YEARLY|INTERVAL=1|WKST=[A-Z]{2}|BYMONTH=(?:[1-9]|1[0-2])|BYDAY=-?[1-4](?:SU|MO|TU|WE|TH|FR|SA)|UNTIL=\d{8}(?:T\d{6}Z?)?))*$/;

/** Throws for rules of a zone that are no changes of clocks. */
function refuseOddRules(file: SourceFile, zone: ICAL.Component, tzid: string): void {
  const parts = zone.getAllSubcomponents();
  const isOdd = parts.some(
    (part) =>
      !part.hasProperty('dtstart') ||
      part.getAllProperties('rrule').some((rule) => !yearlyRule.test(rule.toICALString().replace(/\s/g, ''))),
  );
  if (tzid !== '' && parts.length > 0 && !isOdd) return;
  throw refusal(
    file,
    { value: tzid },
    'the rules of this zone (VTIMEZONE) are not those of clocks that change',
    ['remove them to read the times by the rules of the tz database'],
  );
}
