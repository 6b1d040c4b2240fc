import { principalReleases, releaseOf } from '../../../domain/calendar/releases.ts';
import { type CalendarEntry, type Sighting, sortedEntries } from '../../../domain/calendar/sighting.ts';
import { localTimeOf, newYork } from '../../../domain/calendar/zones.ts';
import { addDays, type Day, earlier, latestOf, parseDay } from '../../../domain/values/date.ts';
import { allBytes, limits, refusal, type SourceFile, utf8Text } from '../../files/source-file.ts';
import {
  isJsonObject,
  jsonText,
  listField,
  numberField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../readers/json.ts';
import { type ImportFormat, readDay } from '../format.ts';
import { lookTime, sightingOf } from './look.ts';

const heading = /^[ \t]*Release Dates:[ \t]*\r?$/im;

/** ALFRED's text of the days on which a release appeared: notes on the release, then a day a line. */
export const alfredReleaseDates: ImportFormat = {
  kind: 'alfred-release-dates',
  summary: [
    'ALFRED release dates',
    ' (text), one release per file, named after its number: release_dates_50.txt',
  ],
  recognise: ({ text }) => {
    const found = heading.exec(text);
    return found !== null && /^[\s-]*(?:\d{4}-\d\d-\d\d|$)/.test(text.slice(found.index + found[0].length));
  },
  async *read(file, options) {
    const lines = utf8Text(file, await allBytes(file, limits.calendar)).split(/\r?\n/);
    const place = lines.findIndex((line) => heading.test(line));
    if (place === -1) throw refusal(file, {}, 'no line "Release Dates:" precedes the dates');
    const release = numberOf(file, lines.slice(0, place));
    const entries: CalendarEntry[] = [];
    for (const [index, line] of lines.entries()) {
      const value = line.trim();
      if (index <= place || /^-*$/.test(value)) continue;
      entries.push({ release, day: readDay(file, { row: index + 1, value }) });
    }
    const lastDay = latestOf(entries.map(({ day }) => day));
    if (lastDay === undefined)
      throw refusal(file, { row: place + 1 }, 'no dates follow', ['download it again']);
    // ALFRED adds some days late, so two looks may differ although their last day is the same.
    const { seenAt = lastDay } = options;
    yield { sightings: [sightingOf({ source: 'FRED', scope: release, seenAt, lists: 'events' }, entries)] };
  },
};

/** Returns the number of the release at FRED: by the file name, an address or the name of a principal release. */
function numberOf(file: SourceFile, notes: readonly string[]): string {
  const [, named] = /(?:rid[=_-]?|release[-_]?dates[-_]?)0*(\d+)(?!\d)/i.exec(file.name) ?? [];
  const numbers = notes.flatMap((line) =>
    [...line.matchAll(/\brid=0*(\d+)/gi)].map(([, number = '']) => number),
  );
  const titles = notes.flatMap((line) => [line, line.replace(/^[^:]*:/, '')].map((text) => text.trim()));
  const known = titles.flatMap((title) => {
    const { id } = releaseOf('ALFRED', title);
    const found = principalReleases.find((one) => one.id === id);
    return found === undefined ? [] : [String(found.fred)];
  });
  const all = new Set([...(named === undefined ? [] : [named]), ...numbers, ...known]);
  const [number, other] = all;
  if (number === undefined)
    throw refusal(file, {}, 'the text does not say which release it is of', [
      'name the file after the number of the release at FRED (rid in its address): release_dates_50.txt',
    ]);
  if (other !== undefined)
    throw refusal(
      file,
      {},
      `the text is of the release ${number} by its name, and of ${other} by its notes`,
      ['name the file after the number of the release at FRED (rid in its address)'],
    );
  return number;
}

const updated = 'file_last_updated';

/** The days of release of the BEA: a list for each title, with the dates of the year that are over. */
export const beaReleaseDates: ImportFormat = {
  kind: 'bea-release-dates',
  summary: ['release_dates.json of the BEA', '; its day is that of file_last_updated, or --as-of'],
  takesAsOf: true,
  recognise: ({ text }) =>
    /^\uFEFF?\s*\{/.test(text) &&
    /"(?:release_dates|to_be_rescheduled)"\s*:\s*\[\s*(?:"|\])/.test(text) &&
    !/"order_by"\s*:/.test(text),
  async *read(file, options) {
    const content = await readJsonObject(file);
    const entries = Object.entries(content).flatMap(([title, dates]) =>
      title === updated ? [] : datesOf(file, title, dates),
    );
    if (entries.length === 0) throw refusal(file, {}, 'the file lists no dates', ['download it again']);
    const published = dayOfUpdate(file, content[updated]);
    const { seenAt } = lookTime(file, options, { published });
    yield { sightings: [sightingOf({ source: 'BEA JSON', scope: '', seenAt, lists: 'plans' }, entries)] };
  },
};

/** Returns the day on which the BEA wrote the file; its time names no zone. */
function dayOfUpdate(file: SourceFile, value: unknown): Day | undefined {
  if (value === undefined) return undefined;
  const day = typeof value === 'string' ? parseDay(value.slice(0, 10)) : undefined;
  if (day !== undefined) return day;
  throw refusal(file, { column: updated, value: jsonText(value) }, 'not a time: use YYYY-MM-DDTHH:MM:SS');
}

const states = [
  ['release_dates', undefined],
  ['to_be_rescheduled', 'moved'],
] as const;

/** Lists the dates of a title; one that is also to be rescheduled stands once, as moved. */
function datesOf(file: SourceFile, title: string, dates: unknown): readonly CalendarEntry[] {
  if (!isJsonObject(dates) || !states.some(([name]) => Array.isArray(dates[name])))
    throw refusal(file, { column: title, value: jsonText(dates) }, 'this title has no list release_dates');
  const release = title.replace(/\s+/g, ' ').trim();
  const entries = new Map<string, CalendarEntry>();
  for (const [name, state] of states) {
    const list: unknown = dates[name] ?? [];
    if (!Array.isArray(list))
      throw refusal(file, { column: title, value: jsonText(list) }, `${name} is not a list`);
    for (const [index, time] of list.entries()) {
      const instant = instantIn(time);
      if (instant === undefined)
        throw refusal(
          file,
          { row: index + 1, column: title, value: jsonText(time) },
          `not a time in ${name}: use YYYY-MM-DDTHH:MM:SS+00:00`,
        );
      const local = localTimeOf(instant, newYork);
      entries.set(instant.toISOString(), { release, ...local, zone: newYork, ...(state && { state }) });
    }
  }
  return [...entries.values()];
}

function instantIn(text: unknown): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const instant = new Date(text);
  return parseDay(day) === undefined || Number.isNaN(instant.getTime()) ? undefined : instant;
}

/**
 * FRED's answers of `release/dates` and `releases/dates`.
 * With `lists`, the request is known: planned days were asked for, or left out. An answer does not say which.
 */
export function fredDates(lists?: Sighting['lists']): ImportFormat {
  return {
    kind: 'fred-release-dates',
    summary: ['FRED API release dates', ' (JSON of release/dates or releases/dates); their day is --as-of'],
    takesAsOf: true,
    recognise: ({ text }) =>
      /^\uFEFF?\s*\{/.test(text) &&
      /"realtime_start"\s*:/.test(text) &&
      /"order_by"\s*:/.test(text) &&
      /"release_dates"\s*:\s*\[/.test(text),
    async *read(file, options) {
      const page = pageOf(file, await readJsonObject(file));
      const look = lookTime(file, options);
      const kind = lists ?? (page.rows.some(({ day }) => day > look.day) ? 'plans' : 'past');
      yield { sightings: sightingsOf(page, look, kind), notes: kind === 'past' ? [ofPastDays] : [] };
    },
  };
}

const ofPastDays =
  'the answer has no day after that of the look, and does not say whether FRED was asked for planned days: the days count as planned, and prove no release';

type DatesPage = {
  readonly rows: readonly CalendarEntry[];
  /** The release to which the request was confined; empty for all. */
  readonly scope: string;
  readonly from: Day;
  readonly to: Day;
  /** True if other pages may have more rows of the first or the last day. */
  readonly isCut: { readonly first: boolean; readonly last: boolean };
};

function pageOf(file: SourceFile, answer: UncheckedObject): DatesPage {
  const list = listField(file, answer, 'release_dates');
  const rows = sortedEntries(list.map((row, index) => entryOf(file, row, index + 1)));
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined)
    throw refusal(file, { column: 'release_dates' }, 'the answer has no dates');
  const [count, offset] = ['count', 'offset'].map((name) => numberField(file, answer, name));
  const order = textField(file, answer, 'sort_order');
  const isWhole = offset === 0 && list.length >= (count ?? 0);
  const by = textField(file, answer, 'order_by');
  if (!isWhole && by !== 'release_date')
    throw refusal(
      file,
      { column: 'order_by', value: by },
      `the answer has ${list.length} of ${count} dates in another order than that of their days, and covers none`,
      ['request it again with order_by=release_date'],
    );
  const [isBegin, isEnd] = [offset === 0, (offset ?? 0) + list.length >= (count ?? 0)];
  const [beginsWhole, endsWhole] = order === 'desc' ? [isEnd, isBegin] : [isBegin, isEnd];
  const day = (column: string) => readDay(file, { column, value: textField(file, answer, column) });
  const end = answer.realtime_end === '9999-12-31' ? '9999-12-31' : day('realtime_end');
  return {
    rows,
    scope: scopeOf(file, rows),
    from: beginsWhole ? day('realtime_start') : first.day,
    to: endsWhole ? end : last.day,
    isCut: { first: !beginsWhole, last: !endsWhole },
  };
}

function entryOf(file: SourceFile, object: UncheckedObject, row: number): CalendarEntry {
  const release = String(object.release_id);
  if (!/^\d+$/.test(release))
    throw refusal(file, { row, column: 'release_id', value: release }, 'not the number of a release');
  const day = readDay(file, { row, column: 'date', value: textField(file, object, 'date', row) });
  const name =
    object.release_name === undefined ? {} : { name: textField(file, object, 'release_name', row) };
  return { release, day, ...name };
}

/** Returns the release of an answer of `release/dates`, which names none; empty for `releases/dates`. */
function scopeOf(file: SourceFile, rows: readonly CalendarEntry[]): string {
  const [first] = rows;
  if (first === undefined || first.name !== undefined) return '';
  const other = rows.find(({ release }) => release !== first.release);
  if (other === undefined) return first.release;
  throw refusal(
    file,
    { column: 'release_id' },
    `dates of the releases ${first.release} and ${other.release} without their names: no answer of FRED has both`,
    ['keep one answer a file'],
  );
}

/**
 * Makes the sightings of a page: one of the days that it has whole, and of a day that it may have in part one for each row.
 * Planned days that FRED was perhaps not asked for are kept apart, so that they do not vanish.
 */
function sightingsOf(
  { rows, scope, from, to, isCut }: DatesPage,
  { seenAt, day: seen }: ReturnType<typeof lookTime>,
  kind: Sighting['lists'] | 'past',
): readonly Sighting[] {
  const lists = kind === 'past' ? 'plans' : kind;
  const look = { source: kind === 'past' ? 'FRED past days' : 'FRED', scope, seenAt, lists };
  const last = kind === 'plans' ? to : earlier(to, seen);
  // One release has one row a day.
  const isShared = (day: Day) =>
    scope === '' && ((isCut.first && day === from) || (isCut.last && day === to));
  const begin = isShared(from) ? addDays(from, 1) : from;
  const end = isShared(last) ? addDays(last, -1) : last;
  const whole = rows.filter(({ day }) => !isShared(day));
  const single = rows.filter(({ day }) => isShared(day));
  return [
    ...(begin <= end ? [{ ...look, from: begin, to: end, entries: whole }] : []),
    ...single.map((row) => ({ ...look, scope: row.release, from: row.day, to: row.day, entries: [row] })),
  ];
}
