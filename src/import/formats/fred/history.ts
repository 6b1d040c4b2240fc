import type { Statement } from '../../../domain/series/revision-history.ts';
import { provenFrequency } from '../../../domain/series/table-columns.ts';
import { addDays, type Day } from '../../../domain/values/date.ts';
import { type FilePlace, refusal, type SourceFile } from '../../files/source-file.ts';
import type { Batch } from '../format.ts';

const batchSize = 5000;

/** FRED's end date of a current real-time period. */
export const notEnded = '9999-12-31';

/** How FRED writes a value that is not available. */
export const notAvailable = '. (not available)';

/** A value with its real-time period, first and last day included. */
export type RealTimeValue = {
  /** Position in the file, from 1. */
  readonly row: number;
  readonly date: Day;
  readonly start: Day;
  readonly end: Day | typeof notEnded;
  readonly value: string | null;
};

/** One series; periods of each date are adjacent up to `end`. */
export type RealTimeHistory = {
  /** The first day of the requested real-time period, if the file states it. */
  readonly start?: Day;
  readonly end: Day | typeof notEnded;
  readonly rows: readonly RealTimeValue[];
  /** The dates with a figure in the newest vintage, if the rows are only changes. */
  readonly figures?: ReadonlySet<Day>;
};

/**
 * Yields the records of a history after its metadata.
 * A row on the history's own start may be older; only the newest vintage, which is whole, implies a frequency.
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

/** Returns the dates that have a figure in the newest vintage, by the last row of each date. */
export function newestFigures(rows: readonly RealTimeValue[]): ReadonlySet<Day> {
  const last = new Map<Day, RealTimeValue>();
  for (const row of rows) if ((last.get(row.date)?.start ?? '') <= row.start) last.set(row.date, row);
  return new Set([...last.values()].flatMap(({ date, value }) => (value === null ? [] : [date])));
}

/** Returns the last covered day: the end, or else the last change, as the time of the request is unknown. */
function coveredTo({ end, rows }: RealTimeHistory): Day {
  if (end !== notEnded) return end;
  let last = '';
  for (const { start } of rows) if (start > last) last = start;
  return last;
}

/** Throws for periods that end before they start, overlap those of the same date, or do not reach `end`. */
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
