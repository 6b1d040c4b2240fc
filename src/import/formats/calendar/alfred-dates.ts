import { principalReleases, releaseOf } from '../../../domain/calendar/releases.ts';
import type { CalendarEntry } from '../../../domain/calendar/sighting.ts';
import { allBytes, limits, refusal, type SourceFile, utf8Text } from '../../files/source-file.ts';
import { type ImportFormat, readDay } from '../format.ts';
import { sightingOf } from './look.ts';

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
    const lastDay = entries
      .map(({ day }) => day)
      .sort()
      .at(-1);
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
