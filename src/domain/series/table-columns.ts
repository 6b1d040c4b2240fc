// Why: docs/decisions/stated-frequencies.md
import {
  type Day,
  dayNumber,
  type Frequency,
  monthEnd,
  monthNumber,
  monthsOfPeriod,
  periodStart,
} from '../values/date.ts';
import { frequencies, frequencyOf } from './series.ts';

type ColumnReading = {
  /** The implied frequency; empty if there are too few figures. */
  readonly implied: Frequency;
  /** Tells whether a blank cell on a date means that the series has no figure. */
  readonly speaksFor: (date: Day) => boolean;
};

/** With fewer figures, a column does not prove its frequency. */
const enoughFigures = 4;

/**
 * Decides how to read a table's columns from the dates of its rows and of each series' figures.
 * If frequencies differ, a series only uses rows that begin its periods; the other rows are for other series.
 * `rowFrequency` is the frequency of series without a coarser one, if the format states it.
 */
export function readColumns(
  rows: Iterable<Day>,
  figures: ReadonlyMap<string, ReadonlySet<Day>>,
  rowFrequency: Frequency = '',
): ReadonlyMap<string, ColumnReading> {
  const own = new Map(Array.from(figures, ([seriesId, days]) => [seriesId, shownFrequency(days)]));
  let finest = Number.POSITIVE_INFINITY;
  for (const frequency of own.values()) finest = Math.min(finest, rankOf(frequency));
  const ofRows = rowFrequency || frequencyOf(rows);
  const readingOf = (days: ReadonlySet<Day>, frequency: Frequency): ColumnReading => {
    const coarser = rankOf(frequency) > finest && rankOf(frequency) > rankOf(ofRows);
    if (frequency !== '' && coarser) return { implied: frequency, speaksFor: beginsPeriod(frequency, days) };
    const alone = days.size === 1 && Number.isFinite(finest) ? [...days][0] : undefined;
    // One figure may be of a month or of a year, so blanks in its year mean nothing.
    if (alone !== undefined)
      return { implied: '', speaksFor: (date) => date === alone || date.slice(0, 4) !== alone.slice(0, 4) };
    return { implied: rowFrequency || provenFrequency(days), speaksFor: () => true };
  };
  return new Map(
    Array.from(figures, ([seriesId, days]) => [seriesId, readingOf(days, own.get(seriesId) ?? '')]),
  );
}

/** Finds the dates in a table for other series, which an older asof read as withdrawals. */
export function rowsOfOthers(
  mentioned: ReadonlySet<Day>,
  figures: ReadonlySet<Day>,
): { readonly dates: readonly Day[]; readonly frequency: Frequency } {
  const frequency = shownFrequency(figures);
  const columns = new Map(Object.entries({ figures, rows: mentioned }));
  const reading = readColumns(mentioned, columns).get('figures');
  const isOfOthers = (date: Day): boolean => !figures.has(date) && reading?.speaksFor(date) === false;
  return { dates: figures.size > 1 ? [...mentioned].filter(isOfOthers) : [], frequency };
}

/** Returns the frequency that figures show; few figures half a year or two weeks apart are quarters or weeks. */
function shownFrequency(figures: ReadonlySet<Day>): Frequency {
  const frequency = frequencyOf(figures);
  if (figures.size >= enoughFigures) return frequency;
  return frequency === 'SA' ? 'Q' : frequency === 'BW' ? 'W' : frequency;
}

function rankOf(frequency: Frequency): number {
  return frequency === '' ? Number.POSITIVE_INFINITY : frequencies.indexOf(frequency);
}

/** Makes a test for dates at the figures' place in a period; more than two places allow only figures' dates. */
function beginsPeriod(frequency: Frequency, figures: ReadonlySet<Day>): (date: Day) => boolean {
  const places = new Set(Array.from(figures, (day) => placeOf(day, frequency)));
  if (places.size > 2) return (date) => figures.has(date);
  return (date) => places.has(placeOf(date, frequency));
}

const daysOf: Readonly<Partial<Record<Frequency, number>>> = { W: 7, BW: 14 };

/** Returns the place of a date in its period: the weekday, the day of a month, or month and day. */
function placeOf(date: Day, frequency: Frequency): string {
  const months = monthsOfPeriod[frequency];
  if (months === undefined) return String(dayNumber(date) % (daysOf[frequency] ?? 1));
  const day = date === monthEnd(date) ? 'end' : date.slice(8);
  return `${Number(date.slice(5, 7)) % months} ${day}`;
}

/** Returns the frequency that enough figures prove, mostly one period apart, at edges of periods; may be empty. */
export function provenFrequency(figures: ReadonlySet<Day>): Frequency {
  const frequency = frequencyOf(figures);
  if (frequency === '' || figures.size < enoughFigures) return '';
  const sorted = [...figures].sort();
  const next = sorted.filter((day, i) => i > 0 && areNeighbours(sorted[i - 1] ?? '', day, frequency)).length;
  if (2 * next < sorted.length - 1) return '';
  return frequency === 'A' || sorted.every((day) => isEdge(day, frequency)) ? frequency : '';
}

/** Tells whether two days are one period apart; for daily figures, at most a long weekend. */
function areNeighbours(before: Day, after: Day, frequency: Frequency): boolean {
  const months = monthsOfPeriod[frequency];
  if (months === undefined) return dayNumber(after) - dayNumber(before) <= (daysOf[frequency] ?? 4);
  return monthNumber(after) - monthNumber(before) === months;
}

/** Tells whether a day is in the first or the last month of its period; true for shorter periods. */
function isEdge(day: Day, frequency: Frequency): boolean {
  const months = monthsOfPeriod[frequency] ?? 1;
  const past = monthNumber(day) - monthNumber(periodStart(day, frequency));
  return past === 0 || past === months - 1;
}
