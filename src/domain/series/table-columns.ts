// Why: docs/decisions/stated-frequencies.md
import {
  type Day,
  dayNumber,
  type Frequency,
  monthEnd,
  monthNumber,
  monthsOfPeriod,
  periodStart,
} from './date.ts';
import { frequencies, frequencyOf } from './series.ts';

/** What a table of dates and columns says about one of its series besides the figures. */
type ColumnReading = {
  /** The frequency that the table implies; empty where its figures are too few to imply one. */
  readonly implied: Frequency;
  /** Whether a blank cell on a date says that the series has no figure for it; otherwise it says nothing. */
  readonly speaksFor: (date: Day) => boolean;
};

/** With fewer figures, a column does not prove its frequency. */
const enoughFigures = 4;

/**
 * How to read the columns of a table, by series, from the dates of its rows and the dates on which each series has a
 * figure. Where the series of a table differ in frequency, the figures of a series show its frequency, and only the
 * dates that begin its periods count for it: the other rows are there for other series. `rowFrequency` is the
 * frequency of the series that have no coarser one, where the format states it.
 */
export function readColumns(
  rows: Iterable<Day>,
  figures: ReadonlyMap<string, ReadonlySet<Day>>,
  rowFrequency: Frequency = '',
): ReadonlyMap<string, ColumnReading> {
  const own = new Map(Array.from(figures, ([seriesId, days]) => [seriesId, shownFrequency(days)]));
  let finest = Number.POSITIVE_INFINITY;
  for (const frequency of own.values()) finest = Math.min(finest, rankOf(frequency));
  const ofRows = rowFrequency === '' ? frequencyOf(rows) : rowFrequency;
  const readingOf = (days: ReadonlySet<Day>, frequency: Frequency): ColumnReading => {
    const coarser = rankOf(frequency) > finest && rankOf(frequency) > rankOf(ofRows);
    if (frequency !== '' && coarser) return { implied: frequency, speaksFor: beginsPeriod(frequency, days) };
    const alone = days.size === 1 && Number.isFinite(finest) ? [...days][0] : undefined;
    if (alone !== undefined) return { implied: '', speaksFor: outsideYearOf(alone) };
    return { implied: rowFrequency !== '' ? rowFrequency : provenFrequency(days), speaksFor: () => true };
  };
  return new Map(
    Array.from(figures, ([seriesId, days]) => [seriesId, readingOf(days, own.get(seriesId) ?? '')]),
  );
}

/** The dates that a table has for other series, which an older asof read as withdrawals. */
export function rowsOfOthers(
  mentioned: ReadonlySet<Day>,
  figures: ReadonlySet<Day>,
): { readonly dates: readonly Day[]; readonly frequency: Frequency } {
  const frequency = shownFrequency(figures);
  const reading = readColumns(
    mentioned,
    new Map([
      ['figures', figures],
      ['rows', mentioned],
    ]),
  ).get('figures');
  const isOfOthers = (date: Day): boolean => !figures.has(date) && reading?.speaksFor(date) === false;
  return { dates: figures.size > 1 ? [...mentioned].filter(isOfOthers) : [], frequency };
}

/** The frequency that figures show; few of them half a year or two weeks apart are quarters or weeks with gaps. */
function shownFrequency(figures: ReadonlySet<Day>): Frequency {
  const frequency = frequencyOf(figures);
  if (figures.size >= enoughFigures) return frequency;
  return frequency === 'SA' ? 'Q' : frequency === 'BW' ? 'W' : frequency;
}

function rankOf(frequency: Frequency): number {
  return frequency === '' ? Number.POSITIVE_INFINITY : frequencies.indexOf(frequency);
}

/** A single figure does not show whether it is of a month or of a year, so blank cells of its year say nothing. */
function outsideYearOf(figure: Day): (date: Day) => boolean {
  return (date) => date === figure || date.slice(0, 4) !== figure.slice(0, 4);
}

/** Whether a date has the place within a period that the figures have; with more than two places only they count. */
function beginsPeriod(frequency: Frequency, figures: ReadonlySet<Day>): (date: Day) => boolean {
  const places = new Set(Array.from(figures, (day) => placeOf(day, frequency)));
  if (places.size > 2) return (date) => figures.has(date);
  return (date) => places.has(placeOf(date, frequency));
}

const daysOf: Readonly<Partial<Record<Frequency, number>>> = { W: 7, BW: 14 };

/** Where a date is in its period: the weekday, the day of a month, or the month and day of a quarter or year. */
function placeOf(date: Day, frequency: Frequency): string {
  const months = monthsOfPeriod[frequency];
  if (months === undefined) return String(dayNumber(date) % (daysOf[frequency] ?? 1));
  const day = date === monthEnd(date) ? 'end' : date.slice(8);
  return `${Number(date.slice(5, 7)) % months} ${day}`;
}

/** The frequency that enough figures prove, mostly one period apart, on the edges of periods; empty if none. */
export function provenFrequency(figures: ReadonlySet<Day>): Frequency {
  const frequency = frequencyOf(figures);
  if (frequency === '' || figures.size < enoughFigures) return '';
  const sorted = [...figures].sort();
  const next = sorted.filter((day, i) => i > 0 && areNeighbours(sorted[i - 1] ?? '', day, frequency)).length;
  if (2 * next < sorted.length - 1) return '';
  return frequency === 'A' || sorted.every((day) => isEdge(day, frequency)) ? frequency : '';
}

/** Whether two days are one period apart; of daily figures, whether no more than a long weekend is between them. */
function areNeighbours(before: Day, after: Day, frequency: Frequency): boolean {
  const months = monthsOfPeriod[frequency];
  if (months === undefined) return dayNumber(after) - dayNumber(before) <= (daysOf[frequency] ?? 4);
  return monthNumber(after) - monthNumber(before) === months;
}

/** Whether a day is in the first or the last month of its period; every day of a shorter period is. */
function isEdge(day: Day, frequency: Frequency): boolean {
  const months = monthsOfPeriod[frequency] ?? 1;
  const past = monthNumber(day) - monthNumber(periodStart(day, frequency));
  return past === 0 || past === months - 1;
}
