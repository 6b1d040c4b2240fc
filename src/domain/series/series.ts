// Why: docs/decisions/kinds-of-vintages.md
import { type Day, dayNumber, type Frequency, firstPlace, periodStart } from './date.ts';

/** The description of a series; a field that was not stated is absent. */
export type SeriesMetadata = {
  readonly seriesId: string;
  readonly title?: string;
  readonly units?: string;
  readonly frequency?: Frequency;
  readonly seasonalAdjustment?: string;
  readonly source?: string;
  /** How the vintages came about, for files that leave it open. */
  readonly vintageKind?: VintageKind;
  /** The last day that the metadata covers, if it states one. */
  readonly coveredTo?: Day;
};

/** A text as a series id, in upper case; undefined if it is not a valid id. */
export function parseSeriesId(text: string): string | undefined {
  const id = text.trim().toUpperCase();
  return /^[A-Z0-9](?:[A-Z0-9 &:.%_+()-]{0,78}[A-Z0-9&:.%_+()-])?$/.test(id) ? id : undefined;
}

/** What a series id may contain, in words. */
export const seriesIdForm =
  'use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit';

/** The frequency codes, finest first. */
export const frequencies: readonly Frequency[] = ['D', 'W', 'BW', 'M', 'Q', 'SA', 'A'];

/** A text as a frequency code; undefined if it is not one. */
export function parseFrequency(text: string): Frequency | undefined {
  const code = text.trim().toUpperCase();
  return frequencies.find((frequency) => frequency === code);
}

/** The shortest distance in days between dates of each frequency, coarsest first. */
const spacings: readonly (readonly [Frequency, number])[] = [
  ['A', 300],
  ['SA', 150],
  ['Q', 80],
  ['M', 27],
  ['BW', 12],
  ['W', 5],
];

/** The coarsest frequency that puts no two of these dates into one period; empty for fewer than two dates. */
export function frequencyOf(days: Iterable<Day>): Frequency {
  const sorted = [...new Set(days)].sort();
  if (sorted.length < 2) return '';
  let least = Number.POSITIVE_INFINITY;
  let before = Number.NEGATIVE_INFINITY;
  for (const day of sorted) {
    const number = dayNumber(day);
    least = Math.min(least, number - before);
    before = number;
  }
  const apart = (frequency: Frequency) =>
    new Set(sorted.map((day) => periodStart(day, frequency))).size === sorted.length;
  return spacings.find(([frequency, days]) => least >= days && apart(frequency))?.[0] ?? 'D';
}

/** The frequency that the spacing of dates implies from a day on. */
export type FrequencySince = { readonly since: Day; readonly frequency: Frequency };

/** The frequencies implied by the dates known so far, oldest first; `known` has the day each became known. */
export function impliedFrequencies(known: ReadonlyMap<Day, Day>): readonly FrequencySince[] {
  const days = [...new Set(known.values())].sort();
  const on = (day: Day) => frequencyOf([...known].flatMap(([date, since]) => (since <= day ? date : [])));
  const found: FrequencySince[] = [];
  for (let first = 0; first < days.length; ) {
    const since = days[first] ?? '';
    const frequency = on(since);
    found.push({ since, frequency });
    // Further dates only make the spacing finer, so a frequency that was left never comes back.
    first = firstPlace(days.length, (place) => place > first && on(days[place] ?? '') !== frequency);
  }
  return found;
}

/** The frequency that was implied on a day; empty before the first one. */
export function frequencyOn(frequencies: readonly FrequencySince[], day: Day): Frequency {
  return frequencies.findLast(({ since }) => since <= day)?.frequency ?? '';
}

/** How a vintage date may have come about, in the order in which texts list several. */
export const vintageKinds = ['exact', 'fetched', 'sampled', 'unknown'] as const;

/**
 * How a vintage date came about: it is a day of publication (`exact`), the day on which the figures were fetched
 * (`fetched`), or one of some days on which somebody noted what was known (`sampled`). In the last two cases a figure
 * was published on that day or earlier, and what was published between two vintages may be missing.
 */
export type VintageKind = (typeof vintageKinds)[number];

/**
 * The kind of a vintage as a store keeps it; empty where its files leave it open. `clipped` is one that is exact, but
 * has a value that only a window put on its day. Of a statement, it says that a window did.
 */
export type KeptKind = VintageKind | 'clipped' | '';

/** A text as a kind of vintage; undefined for any other text. */
export function parseVintageKind(text: string): VintageKind | undefined {
  return vintageKinds.find((kind) => kind === text.trim().toLowerCase());
}

/** The kind of a vintage: as its files imply, else as metadata states, else a day of publication. */
export function kindOf(kept: KeptKind, stated: VintageKind | undefined): VintageKind {
  if (kept === '') return stated ?? 'exact';
  if (kept === 'clipped') return 'fetched';
  return kept === 'unknown' ? (stated ?? kept) : kept;
}

/** The kinds of a series' vintages as a text: `sampled`, or `exact; sampled` for a series that has both. */
export function kindsText(kinds: Iterable<VintageKind>): string {
  const held = new Set(kinds);
  return vintageKinds.filter((kind) => held.has(kind)).join('; ');
}
