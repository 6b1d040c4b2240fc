import { addDays, type Day, parseDay } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import type { Statement } from '../../../domain/series/revision-history.ts';
import { provenFrequency } from '../../../domain/series/table-columns.ts';
import { type FilePlace, refusal, type SourceFile } from '../../files/source-file.ts';
import { type CsvRow, headerOf, readCsvBody } from '../../readers/csv.ts';
import { type Batch, type ImportFormat, notADay, notANumber } from '../format.ts';
import { seriesOf } from '../vintage-table.ts';

/**
 * Figures with their real-time periods, one per row: ALFRED's downloads by real-time period, and what fredapi's
 * `get_series_all_releases` and pyfredapi write as CSV, also with the index of the data frame. Each row states its
 * value on the first day of its period; a cell without a number says that there is none from that day on.
 */
export const alfredPeriods: ImportFormat = {
  kind: 'alfred-periods',
  summary:
    'ALFRED download by real-time period, and CSV of fredapi and pyfredapi (realtime_start, date, value)',
  source: 'FRED',
  vintageKind: 'exact',
  whole: false,
  takesAsOf: false,
  takesSeries: true,
  recognise: (head) => {
    const places = placesIn(headerOf(head));
    return places !== undefined && !isFirstReleases(places);
  },
  read: readPeriods,
};

/**
 * ALFRED's download of first releases only. Revisions are missing, so what is known after a first release is a sample:
 * its first value.
 */
export const alfredFirstReleases: ImportFormat = {
  kind: 'alfred-first-releases',
  summary: 'ALFRED download of first releases only (period_start_date,ICSA,realtime_start_date)',
  source: 'FRED',
  vintageKind: 'sampled',
  whole: false,
  takesAsOf: false,
  recognise: (head) => {
    const places = placesIn(headerOf(head));
    return places !== undefined && isFirstReleases(places);
  },
  async *read(file, options) {
    yield { notes: ['first releases only: later revisions are not in this file'] };
    yield* readPeriods(file, options);
  },
};

/** The columns of real-time periods, by position, and the name of the column of values. */
type PeriodPlaces = {
  readonly date: number;
  readonly start: number;
  /** -1 if the file has no ends. */
  readonly end: number;
  readonly value: number;
  readonly names: readonly string[];
};

/** The places of the columns; undefined for any other header. */
function placesIn(header: readonly string[]): PeriodPlaces | undefined {
  const names = header.map((name) => name.trim());
  const date = names.findIndex((name) => /^(?:observation_|period_start_)?date$/i.test(name));
  const start = names.findIndex((name) => /^realtime_start(?:_date)?$/i.test(name));
  const end = names.findIndex((name) => /^realtime_end(?:_date)?$/i.test(name));
  if (date < 0 || start < 0) return undefined;
  const others = [...names.keys()].filter((index) => ![date, start, end].includes(index));
  const [value, ...more] = others;
  return value === undefined || more.length > 0 ? undefined : { date, start, end, value, names };
}

/**
 * Whether the columns are those of first releases: no ends, but the name of their series; fredapi's rows have
 * neither.
 */
function isFirstReleases({ end, value, names }: PeriodPlaces): boolean {
  return end < 0 && names[value]?.toLowerCase() !== 'value';
}

async function* readPeriods(file: SourceFile, options: Parameters<ImportFormat['read']>[1]) {
  const rows: RealTimeValue[] = [];
  let places: PeriodPlaces | undefined;
  for await (const batch of readCsvBody(file, (header) => placesOf(file, header))) {
    places = batch.header;
    for (const row of batch.rows) rows.push(readRow(file, row, batch.header));
  }
  if (places === undefined) return;
  const { names, value, start, end: endColumn } = places;
  const seriesId = seriesOf(file, names[value] ?? '', options);
  const end =
    rows
      .map((row) => row.end)
      .sort()
      .at(-1) ?? notEnded;
  // The file does not say where its window began: that may be the first day on which a period begins.
  const first = rows.map((row) => row.start).sort()[0];
  const history = { end, rows, ...(first !== undefined && !isFirstReleases(places) && { start: first }) };
  if (endColumn >= 0) refuseGaps(file, history, { start: names[start] ?? '', end: names[endColumn] ?? '' });
  yield* historyBatches(seriesId, history);
}

function placesOf(file: SourceFile, { row, cells }: CsvRow): PeriodPlaces {
  const places = placesIn(cells);
  if (places !== undefined) return places;
  const reason =
    'the columns of real-time periods are a date, realtime_start, realtime_end and one of values';
  throw refusal(file, { row }, reason);
}

function readRow(file: SourceFile, { row, cells }: CsvRow, places: PeriodPlaces): RealTimeValue {
  const textOf = (place: number) => (cells[place] ?? '').trim().replace(/[T ]00:00:00(?:\.0+)?$/, '');
  const dayAt = (place: number): Day => {
    const value = textOf(place);
    const day = parseDay(value);
    if (day !== undefined) return day;
    throw notADay(file, { row, column: places.names[place] ?? '', value });
  };
  const endText = places.end < 0 ? '' : textOf(places.end);
  // ALFRED leaves the end of a period that has not ended blank, or writes a dot.
  const end = /^(?:|\.|current|NaT)$/i.test(endText) ? notEnded : parseEnd(endText);
  if (end === undefined) throw notADay(file, { row, column: places.names[places.end] ?? '', value: endText });
  const text = textOf(places.value);
  const value = /^(?:|\.|NA|#N\/A)$/.test(text) ? null : parseDecimal(text);
  if (value === undefined) {
    const place = { row, column: places.names[places.value] ?? '', value: text };
    throw notANumber(file, place, '. (not available)');
  }
  return { row, date: dayAt(places.date), start: dayAt(places.start), end, value };
}

const batchSize = 5000;

/** FRED's date for a real-time period that has not ended. */
export const notEnded = '9999-12-31';

/** A value and the real-time period in which it was known, first and last day included. */
export type RealTimeValue = {
  /** Position in the file, from 1. */
  readonly row: number;
  readonly date: Day;
  readonly start: Day;
  readonly end: Day | typeof notEnded;
  readonly value: string | null;
};

/** The history of one series; the real-time periods of each date follow each other without a gap up to `end`. */
export type RealTimeHistory = {
  /** The first day of the requested real-time period, if the file states it. */
  readonly start?: Day;
  readonly end: Day | typeof notEnded;
  readonly rows: readonly RealTimeValue[];
  /** The dates with a figure in its newest vintage, where the rows are only what changed. */
  readonly figures?: ReadonlySet<Day>;
};

/**
 * The records of a history after its metadata: each row states its value on the first day of its period. A row that
 * begins on the history's own start may be older than that, so its vintage is not exact. Only the figures of a whole
 * vintage, the newest one, imply a frequency: which dates a vintage happens to change says nothing about it.
 */
export function* historyBatches(seriesId: string, history: RealTimeHistory): Generator<Batch> {
  const { rows, figures = newestFigures(rows) } = history;
  const frequency = provenFrequency(figures);
  yield {
    implied: frequency === '' ? [] : [{ seriesId, frequency }],
    coverage: [{ seriesId, coveredTo: coveredTo(history) }],
  };
  for (let start = 0; start < rows.length; start += batchSize) {
    yield {
      statements: rows.slice(start, start + batchSize).map(
        ({ date, start: asOf, value }): Statement => ({
          seriesId,
          date,
          asOf,
          value,
          ...(asOf === history.start && { kind: 'clipped' }),
        }),
      ),
    };
  }
}

/** The dates that have a figure in the newest vintage of a history, to whose end the last row of each date reaches. */
export function newestFigures(rows: readonly RealTimeValue[]): ReadonlySet<Day> {
  const last = new Map<Day, RealTimeValue>();
  for (const row of rows) if ((last.get(row.date)?.start ?? '') <= row.start) last.set(row.date, row);
  return new Set([...last.values()].flatMap(({ date, value }) => (value === null ? [] : [date])));
}

/** Without an end, the history covers up to its last change: it does not state when it was requested. */
function coveredTo({ end, rows }: RealTimeHistory): Day {
  if (end !== notEnded) return end;
  let last = '';
  for (const { start } of rows) if (start > last) last = start;
  return last;
}

/** The last day of a real-time period; undefined for a text that is not a date. */
function parseEnd(text: string): Day | typeof notEnded | undefined {
  return text === notEnded ? notEnded : parseDay(text);
}

/**
 * Refuses a period that ends before it starts, a date whose periods overlap, and one whose periods do not reach
 * `end`.
 */
export function refuseGaps(
  file: SourceFile,
  { end, rows }: RealTimeHistory,
  columns: { readonly start: string; readonly end: string },
): void {
  const at = ({ row, end: value }: RealTimeValue): FilePlace => ({ row, column: columns.end, value });
  const ordered = [...rows].sort((a, b) => compare(a.date, b.date) || compare(a.start, b.start));
  for (const [index, period] of ordered.entries()) {
    if (period.end < period.start)
      throw refusal(file, at(period), `the period ends before it starts, ${period.start}`);
    const successor = ordered[index + 1];
    const next = successor?.date === period.date ? successor : undefined;
    if (next !== undefined && next.start <= period.end) {
      const reason = `the period of ${next.date} from ${next.start} overlaps the one in row ${period.row}`;
      throw refusal(file, { row: next.row, column: columns.start, value: next.start }, reason);
    }
    if (period.end === end) continue;
    if (next?.start === addDays(period.end, 1)) continue;
    const following =
      next === undefined ? 'nothing follows' : `the next, row ${next.row}, begins on ${next.start}`;
    const reason = `the period of ${period.date} ends before the response does (${end}), and ${following}`;
    throw refusal(file, at(period), reason);
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
