import { describe, expect, it } from 'vitest';
import { instantOf, instantText } from '../../../../../src/domain/calendar/zones.ts';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import { readData, testData } from '../../../../support/repository.ts';
import { readAll, realFile, refusalOf, refuses, sourceFile } from '../../../../support/source-file.ts';

const format = formatOfKind('ics');
const asOf = '2024-12-31';
const blsPath = 'recordings/calendar/bls-2023.ics';

/** The sighting of the one calendar in a file. */
async function sightingIn(file: ReturnType<typeof sourceFile>, options: { asOf?: string } = { asOf }) {
  const { sightings } = await readAll(format, file, options);
  const [sighting, ...others] = sightings;
  if (sighting === undefined || others.length > 0) throw new Error(`${sightings.length} sightings`);
  return sighting;
}

const lineEnd = '\r\n';

/** A calendar with lines above its events, and the lines of each event. */
function calendarOf(head: readonly string[], ...events: readonly (readonly string[])[]): string {
  const parts = events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...head, ...parts, 'END:VCALENDAR', ''].join(lineEnd);
}

const named = ['PRODID:-//Example Office//Releases//EN'];

const entryOf = async (head: readonly string[], ...lines: readonly string[]) =>
  (await sightingIn(sourceFile('some.ics', calendarOf(head, lines)))).entries[0];

describe('the calendar of the BLS of 2023 and 2024', () => {
  const published = () => realFile(testData, blsPath);

  /** The events as a plain reading of the lines finds them: day, time and title. */
  const events = readData(testData, blsPath)
    .toString()
    .split('BEGIN:VEVENT')
    .slice(1)
    .map((text) => {
      const [, year, month, day, hour, minute] =
        /^DTSTART;TZID=US-Eastern:(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)00$/m.exec(text) ?? [];
      const [, title = ''] = /^SUMMARY:(.*?)\s*$/m.exec(text) ?? [];
      return `${year}-${month}-${day} ${hour}:${minute} ${title}`;
    });

  it('is recognised', async () => {
    expect((await recognise(published())).kind).toBe('ics');
  });

  it('has 321 events, each with the day, time and title of its lines', async () => {
    const { entries, ...look } = await sightingIn(published());
    expect(events).toHaveLength(321);
    expect(entries.map(({ day, time, release }) => `${day} ${time} ${release}`).sort()).toEqual(
      events.sort(),
    );
    expect(new Set(entries.map(({ zone }) => zone))).toEqual(new Set(['America/New_York']));
    expect(look).toEqual({
      ...{ source: 'BLS', scope: '', seenAt: asOf, lists: 'plans' },
      ...{ from: '2023-01-04', to: '2024-12-20' },
    });
  });

  it('has times that are four hours behind UTC in summer time by its published rule, and five otherwise', async () => {
    const { entries } = await sightingIn(published());
    /** The day of the nth Sunday of a month: the first day of a week is a Sunday if its weekday is 0. */
    const sunday = (year: number, month: number, nth: number) => {
      const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
      return Date.UTC(year, month - 1, 1 + ((7 - first) % 7) + (nth - 1) * 7, 2);
    };
    const found = entries.map(({ day, time = '', zone = '' }) => {
      const instant = instantOf({ day, time }, zone);
      return `${day} ${time} ${instant && instantText(instant)}`;
    });
    // From 02:00 on the second Sunday of March to 02:00 on the first of November (Energy Policy Act of 2005).
    const expected = entries.map(({ day, time }) => {
      const [year, local] = [Number(day.slice(0, 4)), Date.parse(`${day}T${time}:00Z`)];
      const isSummer = local >= sunday(year, 3, 2) && local < sunday(year, 11, 1);
      const instant = new Date(local + (isSummer ? 4 : 5) * 3_600_000);
      return `${day} ${time} ${instant.toISOString().slice(0, 19)}Z`;
    });
    expect(found).toEqual(expected);
    expect(new Set(found.map((text) => text.slice(11, 16)))).toEqual(new Set(['08:30', '10:00']));
  });

  it('has 24 jobs reports, one a month', async () => {
    const { entries } = await sightingIn(published());
    const jobs = entries.filter(({ release }) => release === 'Employment Situation');
    // As https://www.bls.gov/schedule/2023/home.htm and …/2024/home.htm list them.
    expect(jobs.map(({ day }) => day)).toEqual([
      ...['2023-01-06', '2023-02-03', '2023-03-10', '2023-04-07', '2023-05-05', '2023-06-02', '2023-07-07'],
      ...['2023-08-04', '2023-09-01', '2023-10-06', '2023-11-03', '2023-12-08', '2024-01-05', '2024-02-02'],
      ...['2024-03-08', '2024-04-05', '2024-05-03', '2024-06-07', '2024-07-05', '2024-08-02', '2024-09-06'],
      ...['2024-10-04', '2024-11-01', '2024-12-06'],
    ]);
  });
});

describe('the calendar of the BEA', () => {
  const excerpt = () => realFile(testData, 'calendar/bea-excerpt.ics');

  it('has titles without periods, and times in New York', async () => {
    const { entries, source } = await sightingIn(excerpt(), { asOf: '2026-09-29' });
    expect(source).toBe('BEA');
    expect(entries.map(({ day, time, release, period }) => [day, time, release, period])).toEqual([
      // The UTC times of the file are an hour earlier there in summer: 12:30 and 13:30 are 08:30.
      ['2025-01-07', '08:30', 'U.S. International Trade in Goods and Services', 'November 2024'],
      ['2025-01-30', '08:30', 'Gross Domestic Product', '4th Quarter and Year 2024 (Advance Estimate)'],
      [
        ...['2025-03-28', '10:00', 'Gross Domestic Product by State and Personal Income by State'],
        '4th Quarter 2024 and Year 2024 (Preliminary)',
      ],
      ['2025-09-16', '10:00', 'Gross Domestic Product for Puerto Rico', '2023'],
      ['2026-01-22', '08:30', 'Gross Domestic Product', '3rd Quarter 2025 (Updated Estimate)'],
      ['2026-01-22', '10:00', 'Personal Income and Outlays', 'October and November 2025'],
      ['2026-08-26', '08:30', 'Personal Income and Outlays', 'July 2026'],
      ['2026-09-30', '08:30', 'GDP', '2nd Quarter 2026 (Third Estimate)'],
      ['2026-10-29', '08:30', 'GDP', '3rd Quarter 2026 (Advance Estimate)'],
    ]);
    expect(new Set(entries.map(({ zone }) => zone))).toEqual(new Set(['America/New_York']));
  });

  it('was not seen before its newest event was written', async () => {
    expect(await refusalOf(format, excerpt(), { asOf: '2026-01-25' })).toBe(
      'Problem: bea-excerpt.ics: "2026-01-25": the calendar was written later, on 2026-01-27, and was not seen on this day',
    );
    // 2026-01-27 in UTC is the day before in the west.
    expect((await sightingIn(excerpt(), { asOf: '2026-01-26' })).seenAt).toBe('2026-01-26');
  });
});

describe('the calendar of another publisher', () => {
  it('is named by its title, or its program', async () => {
    const event = ['DTSTART;VALUE=DATE:20260819', 'SUMMARY:HICP'];
    const sourceOf = async (...head: readonly string[]) =>
      (await sightingIn(sourceFile('some.ics', calendarOf(head, event)))).source;
    expect(await sourceOf(...named)).toBe('Example Office');
    expect(await sourceOf(...named, 'X-WR-CALNAME:Eurostat  releases')).toBe('Eurostat releases');
  });

  it.each([
    ['an event of a whole day has no time', ['DTSTART;VALUE=DATE:20260819'], { day: '2026-08-19' }],
    [
      'a time in UTC stays there',
      ['DTSTART:20260819T090000Z'],
      { day: '2026-08-19', time: '09:00', zone: 'UTC' },
    ],
    [
      'a time of a zone without rules in the file is one of the tz database',
      ['DTSTART;TZID=Europe/Berlin:20260819T110000'],
      { day: '2026-08-19', time: '11:00', zone: 'Europe/Berlin' },
    ],
    [
      'a cancelled event is one',
      ['DTSTART;VALUE=DATE:20260819', 'STATUS:CANCELLED'],
      { day: '2026-08-19', state: 'cancelled' },
    ],
    [
      'a confirmed event is a plan',
      ['DTSTART;VALUE=DATE:20260819', 'STATUS:CONFIRMED'],
      { day: '2026-08-19' },
    ],
  ])('%s', async (_, lines, expected) => {
    expect(await entryOf(named, 'SUMMARY:HICP', ...lines)).toEqual({ release: 'HICP', ...expected });
  });

  it('has its own zone for times without one, and for those in UTC', async () => {
    const head = [...named, 'X-WR-TIMEZONE:Europe/Luxembourg'];
    const expected = { release: 'HICP', day: '2026-08-19', time: '11:00', zone: 'Europe/Luxembourg' };
    expect(await entryOf(head, 'SUMMARY:HICP', 'DTSTART:20260819T110000')).toEqual(expected);
    expect(await entryOf(head, 'SUMMARY:HICP', 'DTSTART:20260819T090000Z')).toEqual(expected);
  });

  it('has an event once that it lists twice', async () => {
    const event = ['DTSTART:20260305T133000Z', 'SUMMARY:Import Prices'];
    const { entries } = await sightingIn(sourceFile('some.ics', calendarOf(named, event, event)));
    expect(entries).toHaveLength(1);
  });

  it('may have LF, blank lines, lower case, a byte-order mark and alarms', async () => {
    const text = [
      '\uFEFFBEGIN:vcalendar',
      ...['version:2.0', 'prodid:-//Example//EN', '', '  ', 'BEGIN:VEVENT', 'dtstart:20260305T133000Z'],
      ...['summary:Prices\\, of', '  imports', 'BEGIN:VALARM', 'TRIGGER:-PT5M', 'END:VALARM', 'END:vevent'],
      ...['END:VCALENDAR', '', ''],
    ].join('\n');
    const { entries } = await sightingIn(sourceFile('some.ics', text));
    expect(entries.map(({ release }) => release)).toEqual(['Prices, of imports']);
  });

  it('takes the day of the look from --as-of, or from the name of the file', async () => {
    const text = calendarOf(named, ['DTSTART:20260305T133000Z', 'SUMMARY:Prices']);
    const seenAt = async (name: string, options = {}) =>
      (await sightingIn(sourceFile(name, text), options)).seenAt;
    expect(await seenAt('bls-2026-01-02.ics')).toBe('2026-01-02');
    expect(await seenAt('bls_20260102.ics')).toBe('2026-01-02');
    expect(await seenAt('bls-2026-01-02.ics', { asOf: '2026-01-03' })).toBe('2026-01-03');
    expect(await refusalOf(format, sourceFile('bls-2026-01-02-2026-01-03.ics', text))).toContain(
      'pass --as-of',
    );
    expect(await refusalOf(format, sourceFile('bls-2026-13-02.ics', text))).toContain('pass --as-of');
  });
});

describe('a calendar', () => {
  const summary = 'SUMMARY:Prices';
  const start = 'DTSTART:20260305T133000Z';
  const rules = (...lines: readonly string[]) => ['BEGIN:VTIMEZONE', ...lines, 'END:VTIMEZONE'];
  const clocks = (first: number) =>
    rules(
      ...['TZID:US-Eastern', 'BEGIN:DAYLIGHT', 'TZOFFSETFROM:-0500', 'TZOFFSETTO:-0400', 'TZNAME:EDT'],
      ...['DTSTART:20070311T020000', `RRULE:FREQ=YEARLY;BYMONTH=${first};BYDAY=2SU`, 'END:DAYLIGHT'],
      ...['BEGIN:STANDARD', 'TZOFFSETFROM:-0400', 'TZOFFSETTO:-0500', 'TZNAME:EST'],
      ...['DTSTART:20071104T020000', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU', 'END:STANDARD'],
    );
  const inZone = (zone: string, time = '20260305T083000') => `DTSTART;TZID=${zone}:${time}`;
  const whole = calendarOf(named, [start, summary], ['DTSTART:20260405T123000Z', summary]);
  const lines = whole.split(lineEnd);
  const upTo = (count: number) => lines.slice(0, count).join(lineEnd);
  /** A calendar of one event with these lines, and one of a usual event with these lines before it. */
  const ofEvent = (...own: readonly string[]) => calendarOf(named, own);
  const below = (...head: readonly string[]) => calendarOf([...named, ...head], [start, summary]);
  const inEvent = (reason: string) => `, row 4: "Prices": ${reason}`;
  const noDay = 'not a day, and no day with a time';

  it('may have rules of its zone that agree with those of the tz database', async () => {
    const head = [...named, ...clocks(3)];
    const entry = await entryOf(head, inZone('US-Eastern', '20260320T083000'), summary);
    expect(entry).toMatchObject({ day: '2026-03-20', time: '08:30', zone: 'America/New_York' });
  });

  refuses(
    format,
    'bls.ics',
    {
      ', row 1: "<!DOCTYPE html>": a calendar begins with BEGIN:VCALENDAR':
        '<!DOCTYPE html>\n<html><head><title>Access Denied</title></head><body>403</body></html>\n',
      ': a calendar begins with BEGIN:VCALENDAR': ' \n\n',
      ', row 4: the calendar is cut short: it ends within VEVENT': [upTo(5), `${upTo(6)}\r\nEN`],
      ', row 1: the calendar is cut short: it ends within VCALENDAR': upTo(11),
      ', row 7: "END:VCALENDAR": VEVENT of row 4 should end here': whole.replace(
        'END:VEVENT',
        'END:VCALENDAR',
      ),
      ', row 13: "BEGIN:VCALENDAR": the calendar ended above; keep one calendar a file': whole + whole,
      ', row 6: "Consumer prices": not a line of a calendar…': whole.replace(summary, 'Consumer prices'),
      ', row 11: more than 10 parts in each other': 'BEGIN:VCALENDAR\n'.repeat(20),
      ': the calendar has no events': calendarOf(named),
      ': broken calendar: …': [whole.replace(start, 'DTSTART;VALUE="DATE'), below(...clocks(13))],
      ': this is not UTF-8 text': Buffer.from(whole.replace('Prices', 'Pr\u00e9cis'), 'latin1'),
      ': "METHOD:REQUEST": this is a message about events, not a published calendar': below('METHOD:REQUEST'),
      ': "VERSION:1.0": asof reads iCalendar 2.0 (RFC 5545)': whole.replace('VERSION:2.0', 'VERSION:1.0'),
      ': "CALSCALE:HEBREW": asof reads Gregorian calendars': below('CALSCALE:HEBREW'),
      ': "PRODID:-//asof//releases of statistics//EN": asof wrote this calendar out of others; import the calendars of the publishers':
        calendarOf(['PRODID:-//asof//releases of statistics//EN'], [start, summary]),
      ': the calendar does not name its publisher (X-WR-CALNAME or PRODID)': calendarOf([], [start, summary]),
      ', row 3: the event has no SUMMARY, which names the release': [
        calendarOf([], [start]).replace('VERSION:2.0\r\n', 'PRODID:Office\r\n'),
        calendarOf([], [start, 'SUMMARY: ']).replace('VERSION:2.0\r\n', 'PRODID:Office\r\n'),
      ],
      [inEvent('the event has no DTSTART')]: ofEvent(summary),
      [inEvent('the event has more than one DTSTART')]: ofEvent(start, start, summary),
      [inEvent('the event repeats (RRULE), which asof does not read; state each day as an event')]: ofEvent(
        start,
        summary,
        'RRULE:FREQ=MONTHLY;COUNT=3',
      ),
      [inEvent('the event repeats (RDATE)…')]: ofEvent(start, summary, 'RDATE:20260405T133000Z'),
      [inEvent(`DTSTART 2026-02-30: ${noDay}`)]: ofEvent('DTSTART;VALUE=DATE:20260230', summary),
      [inEvent('DTSTART 2026-02-03T25:00:00Z: there is no such time')]: ofEvent(
        'DTSTART:20260203T250000Z',
        summary,
      ),
      [inEvent(`DTSTART …: ${noDay}`)]: ofEvent('DTSTART:tomorrow', summary),
      [inEvent(
        'DTSTART 2026-03-05T08:30:00: the zone "US-Mountains" is not known; use a name of the tz database, such as America/New_York',
      )]: ofEvent(inZone('US-Mountains'), summary),
      [inEvent('DTSTART 2026-03-05T08:30:00: the zone "EST" is not known;…')]: ofEvent(
        inZone('EST'),
        summary,
      ),
      ', row 5: "Prices": DTSTART 2026-03-05T08:30:00: the zone "Mars" is not known;…': calendarOf(
        [...named, 'X-WR-TIMEZONE:Mars'],
        ['DTSTART:20260305T083000', summary],
      ),
      [inEvent('DTSTART 2026-03-05T08:30:00: the time has no zone')]: ofEvent(
        'DTSTART:20260305T083000',
        summary,
      ),
      [inEvent('DTSTART 2026-03-08T02:30:00: there is no such time in America/New_York')]: ofEvent(
        inZone('US-Eastern', '20260308T023000'),
        summary,
      ),
      ', row 21: "Prices": DTSTART 2026-03-20T08:30:00: the rules of the zone US-Eastern in the file make it 2026-03-20T13:30Z, against those of America/New_York':
        calendarOf([...named, ...clocks(4)], [inZone('US-Eastern', '20260320T083000'), summary]),
      ': "US-Eastern": the rules of this zone (VTIMEZONE) are not those of clocks that change': [
        below(...rules('TZID:US-Eastern')),
        below(...clocks(3)).replace('FREQ=YEARLY', 'FREQ=SECONDLY'),
        below(...clocks(3)).replace('BYDAY=2SU', 'BYMONTHDAY=31'),
        below(...clocks(3)).replace('DTSTART:20070311T020000\r\n', ''),
      ],
      ': "": the rules of this zone…': below(...rules()),
    },
    { asOf },
  );

  it('is refused without the day of its download', async () => {
    expect(await refusalOf(format, sourceFile('bls.ics', whole))).toBe(
      'Problem: bls.ics: a calendar shows what was planned on the day of its download, which the file does not state; pass --as-of',
    );
  });

  it('is refused above 8 MiB', async () => {
    const long = whole.replace('Prices', 'P'.repeat(8 * 2 ** 20));
    expect(await refusalOf(format, sourceFile('bls.ics', long), { asOf })).toContain('larger than 8 MiB');
  });
});
