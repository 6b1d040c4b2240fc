import { type Day, dayNumber, type Frequency, monthEnd, periodStart } from './date.ts';

/** What is known of a series besides its numbers; a field that nobody stated is absent. */
export type SeriesMetadata = {
  readonly seriesId: string;
  readonly title?: string;
  readonly units?: string;
  readonly frequency?: Frequency;
  readonly seasonalAdjustment?: string;
  readonly source?: string;
  /** The last day that the statement of this metadata speaks for, where it says so. */
  readonly coveredTo?: Day;
};

/** The series id that `text` names (upper case), or undefined when it cannot be one. */
export function parseSeriesId(text: string): string | undefined {
  const id = text.trim().toUpperCase();
  return /^[A-Z0-9](?:[A-Z0-9 &:.%_+()-]{0,78}[A-Z0-9&:.%_+()-])?$/.test(id) ? id : undefined;
}

const frequencies: readonly Frequency[] = ['D', 'W', 'BW', 'M', 'Q', 'SA', 'A'];

/** The frequency code that `text` is, or undefined. */
export function parseFrequency(text: string): Frequency | undefined {
  const code = text.trim().toUpperCase();
  return frequencies.find((frequency) => frequency === code);
}

/** The shortest distance in days at which dates count as of that frequency, coarsest first. */
const spacings: readonly (readonly [Frequency, number])[] = [
  ['A', 300],
  ['SA', 150],
  ['Q', 80],
  ['M', 27],
  ['BW', 12],
  ['W', 5],
];

/** The frequency that the spacing of dates tells: the coarsest that keeps all of them in periods of their own; empty for fewer than two. */
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

/**
 * The frequency by which the dates of a series are put on the first day of their period.
 * A stated frequency always does. Spacing alone does so only where every date is a month's last day, which can
 * only mean the period that it ends; a first of the month stands as its publisher wrote it.
 */
export function normalisingFrequency(stated: Frequency, days: readonly Day[]): Frequency {
  if (stated !== '') return stated;
  return days.length > 1 && days.every((day) => day === monthEnd(day)) ? frequencyOf(days) : '';
}

/** What a search compares. */
type Named = { readonly id: string; readonly title: string };

/**
 * Whether a series answers a search, and where: 0 by id (substring), 1 by title alone (every word of the text starts
 * a word of the title), both without regard to case; undefined when it does not. An empty text matches everything.
 */
export function matchRank(
  { id, title }: Named,
  text: string,
  match: 'id' | 'title' | 'any',
): 0 | 1 | undefined {
  if (match !== 'title' && id.includes(text.toUpperCase())) return 0;
  if (match === 'id') return undefined;
  const starts = wordsOf(text);
  // A text of nothing but signs has no word that could start one.
  if (starts.length === 0 && text.trim() !== '') return undefined;
  const words = wordsOf(title);
  if (!starts.every((start) => words.some((word) => word.startsWith(start)))) return undefined;
  return match === 'title' ? 0 : 1;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
