import type { CalendarEntry } from '../../../domain/calendar/sighting.ts';
import { localTimeOf, newYork } from '../../../domain/calendar/zones.ts';
import { type Day, parseDay } from '../../../domain/values/date.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import { isJsonObject, jsonText, readJsonObject } from '../../readers/json.ts';
import type { ImportFormat } from '../format.ts';
import { lookTime, sightingOf } from './look.ts';

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
