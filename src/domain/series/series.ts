// Why: docs/decisions/kinds-of-vintages.md
import {
  addDays,
  type Day,
  dayNumber,
  type Frequency,
  firstPlace,
  periodStart,
  startOfTime,
} from '../values/date.ts';
import { type DateSetText, parseDateSet } from '../values/date-set.ts';

/** The description of a series; fields that are not stated are absent. */
export type SeriesMetadata = {
  readonly seriesId: string;
  readonly title?: string;
  readonly units?: string;
  readonly frequency?: Frequency;
  readonly seasonalAdjustment?: string;
  readonly source?: string;
  /** The id of the release in which it appears, if its publisher states it: `fred:50`. */
  readonly release?: string;
  /** The kind of vintages, for files that leave it open. */
  readonly vintageKind?: VintageKind;
  /** The last day that the metadata covers, if it states one. */
  readonly coveredTo?: Day;
};

/** A changed text in the description of a series. */
export type DescriptionChange = {
  readonly seriesId: string;
  readonly changedOn: Day;
  readonly field: string;
  /** Empty for the first unit that a vintage states. */
  readonly before: string;
  readonly after: string;
};

/** Returns the unit of a series on a day, from the one that it has now and the changes of its description. */
export function unitOn(
  day: Day,
  units: string,
  changes: readonly Pick<DescriptionChange, 'changedOn' | 'field' | 'before'>[],
): string {
  // Each row of an answer asks.
  if (changes.length === 0) return units;
  return changes.find(({ changedOn, field }) => field === 'units' && changedOn > day)?.before ?? units;
}

/** Lists the days of changes of a unit. */
export function daysOfUnits(
  changes: readonly Pick<DescriptionChange, 'changedOn' | 'field'>[],
): readonly Day[] {
  return changes.flatMap(({ field, changedOn }) => (field === 'units' ? [changedOn] : []));
}

/**
 * Makes the unit of a series and its changes from those so far, its vintages, and the units that files state of some.
 * The first stated unit is a change too, from none: a vintage before it may have had another. One that a series has had
 * from the start is that of `startOfTime`.
 * The result does not depend on the order in which files state them.
 */
export function unitsByVintage(
  before: { readonly units: string; readonly changes: readonly DescriptionChange[] },
  vintages: readonly Day[],
  stated: ReadonlyMap<Day, string>,
): { readonly units: string; readonly changes: readonly Omit<DescriptionChange, 'seriesId'>[] } {
  const changes: Omit<DescriptionChange, 'seriesId'>[] = [];
  const ownOn = (day: Day) => stated.get(day) ?? unitOn(day, before.units, before.changes);
  let units = ownOn(startOfTime);
  const days = new Set([...vintages, ...daysOfUnits(before.changes), ...stated.keys()]);
  for (const day of [...days].sort()) {
    const own = ownOn(day);
    if (own === '' || own === units) continue;
    changes.push({ changedOn: day, field: 'units', before: units, after: own });
    units = own;
  }
  return { units, changes };
}

/** Parses a series id into upper case; undefined if it is not valid. */
export function parseSeriesId(text: string): string | undefined {
  const id = text.trim().toUpperCase();
  return /^[A-Z0-9](?:[A-Z0-9 &:.%_+()-]{0,78}[A-Z0-9&:.%_+()-])?$/.test(id) ? id : undefined;
}

/** The form of a series id, in words. */
export const seriesIdForm =
  'use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit';

/** The frequency codes, finest first. */
export const frequencies: readonly Frequency[] = ['D', 'W', 'BW', 'M', 'Q', 'SA', 'A'];

/** Parses a frequency code; undefined if it is not one. */
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

/** Finds the coarsest frequency that puts at most one date into each period; empty for fewer than two dates. */
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

/** Finds the frequency of the dates in `texts`, if all of them but `added` had the frequency `before`. */
export function frequencyWith(
  before: Frequency,
  added: Iterable<Day>,
  texts: Iterable<DateSetText>,
): Frequency {
  const sorted = [...added].sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  const between = (from?: Day, to?: Day) => [...texts].flatMap((text) => parseDateSet(text).days(from, to));
  // Fewer than two dates had no frequency.
  if (before === '' || first === undefined || last === undefined) return frequencyOf(between());
  // Dates only make a frequency finer, and only near others: none needs 400 days.
  const near = frequencyOf(between(addDays(first, -400), addDays(last, 400)));
  return near !== '' && frequencies.indexOf(near) < frequencies.indexOf(before) ? near : before;
}

/** The frequency that the spacing of dates implies from a day on. */
export type FrequencySince = { readonly since: Day; readonly frequency: Frequency };

/** Lists the frequencies implied by the dates known so far, oldest first; `known` has each date's first day. */
export function impliedFrequencies(known: ReadonlyMap<Day, Day>): readonly FrequencySince[] {
  const days = [...new Set(known.values())].sort();
  const on = (day: Day) => frequencyOf([...known].flatMap(([date, since]) => (since <= day ? date : [])));
  const last = on(days.at(-1) ?? '');
  const found: FrequencySince[] = [];
  for (let first = 0; first < days.length; ) {
    const since = days[first] ?? '';
    const frequency = on(since);
    found.push({ since, frequency });
    // Further dates only make the spacing finer, so an earlier frequency never comes back.
    if (frequency === last) break;
    first = firstPlace(days.length, (place) => place > first && on(days[place] ?? '') !== frequency);
  }
  return found;
}

/** Returns the frequency that was implied on a day; empty before the first one. */
export function frequencyOn(frequencies: readonly FrequencySince[], day: Day): Frequency {
  return frequencies.findLast(({ since }) => since <= day)?.frequency ?? '';
}

/** The kinds of vintage dates, in the order of texts. */
export const vintageKinds = ['exact', 'fetched', 'sampled', 'unknown'] as const;

/**
 * A day of publication (`exact`), of download (`fetched`), or one of several days of notes (`sampled`).
 * The last two show figures that were published on that day or earlier; changes in between may be missing.
 */
export type VintageKind = (typeof vintageKinds)[number];

/**
 * The stored kind of a vintage; empty if its files leave it open.
 * `clipped`: exact, but with a value that is on this day only because of a window.
 */
export type StoredKind = VintageKind | 'clipped' | '';

/** Parses a kind of vintage; undefined for any other text. */
export function parseVintageKind(text: string): VintageKind | undefined {
  return vintageKinds.find((kind) => kind === text.trim().toLowerCase());
}

/** Returns the kind of a vintage: as its files imply, or else as metadata states. Default: exact. */
export function kindOf(kept: StoredKind, stated: VintageKind | undefined): VintageKind {
  if (kept === '') return stated ?? 'exact';
  if (kept === 'clipped') return 'fetched';
  return kept === 'unknown' ? (stated ?? kept) : kept;
}

/** Writes the kinds of a series' vintages, with those of such a text: `sampled`, or `exact; sampled` for both. */
export function kindsText(kinds: Iterable<VintageKind>, others = ''): string {
  const held = new Set<string>([...kinds, ...others.split('; ')]);
  return vintageKinds.filter((kind) => held.has(kind)).join('; ');
}
