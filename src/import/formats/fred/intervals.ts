import { addDays, type Day, parseDay } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import {
  type JsonObject,
  listField,
  numberField,
  readJsonObject,
  textField,
} from '../../readers/json.ts';
import { type Place, refusal, type SourceFile } from '../format.ts';

/** How FRED writes that a real-time period has not ended. */
export const endless = '9999-12-31';

/** That a value held from one day to another, both included; its row counts from 1 in the list of observations. */
type Interval = {
  readonly row: number;
  readonly date: Day;
  readonly start: Day;
  readonly end: Day | typeof endless;
  readonly value: string | null;
};

/** A history of one series: for each date, intervals that follow each other without a gap up to the answer's end. */
export type Answer = { readonly end: Day | typeof endless; readonly rows: readonly Interval[] };

/**
 * The history that a FRED `series/observations` answer holds. Refused: anything but plain values of every
 * real-time period (`units=lin`, `output_type=1`), an answer cut by `limit`, and periods that overlap or leave a gap.
 */
export async function readAnswer(file: SourceFile): Promise<Answer> {
  const answer = await readJsonObject(file);
  refuseOtherQuestions(file, answer);
  const observations = listField(file, answer, 'observations');
  if (observations.length === 0)
    throw refusal(file, { column: 'observations' }, 'the answer has no observations');
  const count = numberField(file, answer, 'count');
  if (count > observations.length) {
    const reason = `the answer holds ${observations.length} of ${count} observations; ask again with limit=100000&offset=0`;
    throw refusal(file, { column: 'count', value: String(count) }, reason);
  }
  const start = dayField(file, answer, 'realtime_start');
  const end = endField(file, answer);
  const rows = observations.map((observation, index) => readInterval(file, observation, index + 1));
  const outside = rows.find((interval) => interval.start < start || interval.end > end);
  if (outside !== undefined) {
    const reason = `${outside.start} to ${outside.end} is outside of the answer's own period, ${start} to ${end}`;
    throw refusal(file, at(outside), reason);
  }
  refuseGaps(file, rows, end);
  return { end, rows };
}

function refuseOtherQuestions(file: SourceFile, answer: JsonObject): void {
  const units = textField(file, answer, 'units');
  if (units !== 'lin') {
    const reason = 'these are changes, not the published values; ask again with units=lin';
    throw refusal(file, { column: 'units', value: units }, reason);
  }
  const outputType = numberField(file, answer, 'output_type');
  if (outputType !== 1) {
    const reason = 'only output_type=1 holds every real-time period; ask again with it';
    throw refusal(file, { column: 'output_type', value: String(outputType) }, reason);
  }
}

function readInterval(file: SourceFile, observation: JsonObject, row: number): Interval {
  const date = dayField(file, observation, 'date', row);
  const start = dayField(file, observation, 'realtime_start', row);
  const end = endField(file, observation, row);
  if (end < start) {
    throw refusal(
      file,
      { row, column: 'realtime_end', value: end },
      `the period ends before it starts, ${start}`,
    );
  }
  const text = textField(file, observation, 'value', row);
  const value = text === '.' ? null : parseDecimal(text);
  if (value !== undefined) return { row, date, start, end, value };
  throw refusal(
    file,
    { row, column: 'value', value: text },
    'neither a decimal number nor . (not available)',
  );
}

function dayField(file: SourceFile, object: JsonObject, column: string, row?: number): Day {
  const value = textField(file, object, column, row);
  const day = parseDay(value);
  if (day !== undefined) return day;
  throw refusal(file, { column, value, ...(row !== undefined && { row }) }, 'not a date: YYYY-MM-DD');
}

function endField(file: SourceFile, object: JsonObject, row?: number): Day | typeof endless {
  return object.realtime_end === endless ? endless : dayField(file, object, 'realtime_end', row);
}

/** Refuses a date whose intervals overlap, or leave a day before the answer's end without a word. */
function refuseGaps(file: SourceFile, rows: readonly Interval[], end: Answer['end']): void {
  const ordered = [...rows].sort((a, b) => compare(a.date, b.date) || compare(a.start, b.start));
  for (const [index, interval] of ordered.entries()) {
    const following = ordered[index + 1];
    const next = following?.date === interval.date ? following : undefined;
    if (next !== undefined && next.start <= interval.end) {
      const reason = `the period of ${next.date} from ${next.start} overlaps that of row ${interval.row}`;
      throw refusal(file, { row: next.row, column: 'realtime_start', value: next.start }, reason);
    }
    if (interval.end === end) continue;
    if (next?.start === addDays(interval.end, 1)) continue;
    const sequel = next === undefined ? 'nothing' : `only row ${next.row} from ${next.start}`;
    const reason = `the period of ${interval.date} ends before the answer does (${end}), and ${sequel} follows it`;
    throw refusal(file, at(interval), reason);
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function at({ row, end }: Interval): Place {
  return { row, column: 'realtime_end', value: end };
}
