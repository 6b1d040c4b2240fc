import { addDays, type Day, parseDay } from '../../../domain/series/date.ts';
import { parseDecimal } from '../../../domain/series/decimal.ts';
import type { Statement } from '../../../domain/series/revision-history.ts';
import { parseSeriesId, type SeriesMetadata } from '../../../domain/series/series.ts';
import { type FilePlace, refusal, type SourceFile } from '../../files/source-file.ts';
import {
  listField,
  numberField,
  readJsonObject,
  textField,
  type UncheckedObject,
} from '../../readers/json.ts';
import type { ImportFormat, ReadOptions } from '../format.ts';
import { holdsSeries, readFredSeries } from './series.ts';

const batchSize = 5000;

/** FRED's date for a real-time period that has not ended. */
const notEnded = '9999-12-31';

/** A value and the real-time period in which it was known, first and last day included. */
type RealTimeValue = {
  /** Position in the list of observations, from 1. */
  readonly row: number;
  readonly date: Day;
  readonly start: Day;
  readonly end: Day | typeof notEnded;
  readonly value: string | null;
};

/** The history of one series; the real-time periods of each date follow each other without a gap up to `end`. */
type RealTimeHistory = {
  readonly start: Day;
  readonly end: Day | typeof notEnded;
  readonly rows: readonly RealTimeValue[];
};

/**
 * A response of FRED's `series/observations` with real-time periods; each row states its value on the first day of its
 * period. The response does not name its series: `--series` does, or a series description beside the file.
 */
export const fredApi: ImportFormat = {
  kind: 'fred-api',
  summary: 'FRED API observations (JSON with real-time periods)',
  source: 'FRED',
  vintageKind: 'exact',
  whole: false,
  takesAsOf: false,
  takesSeries: true,
  recognise: (head) =>
    /^\s*\{/.test(head) && /(?<!\\)"observations"\s*:\s*\[/.test(head) && /"realtime_start"\s*:/.test(head),
  async *read(file, options) {
    const history = await readHistory(file);
    const { seriesId, metadata } = await seriesOf(file, options);
    // A response of one day is what FRED had on that day, whenever that was published.
    const kind = history.start === history.end ? ('fetched' as const) : undefined;
    yield { metadata, coverage: [{ seriesId, coveredTo: coveredTo(history) }] };
    for (let start = 0; start < history.rows.length; start += batchSize) {
      yield {
        statements: history.rows.slice(start, start + batchSize).map(
          ({ date, start: asOf, value }): Statement => ({
            seriesId,
            date,
            asOf,
            value,
            ...(kind && { kind }),
          }),
        ),
      };
    }
  },
};

/** Without an end, the response covers up to its last change: it does not state when it was requested. */
function coveredTo({ end, rows }: RealTimeHistory): Day {
  if (end !== notEnded) return end;
  let last = '';
  for (const { start } of rows) if (start > last) last = start;
  return last;
}

type FileSeries = { readonly seriesId: string; readonly metadata: readonly SeriesMetadata[] };

async function seriesOf(file: SourceFile, options: ReadOptions): Promise<FileSeries> {
  if (options.series !== undefined) {
    const seriesId = parseSeriesId(options.series);
    if (seriesId !== undefined) return { seriesId, metadata: [] };
    throw refusal(file, { value: options.series }, 'not a series id');
  }
  const candidates = await describedBeside(file);
  const named = candidates.filter(({ seriesId }) => beginsWithId(seriesId, file.name));
  const [only, ...others] = named.length > 0 ? named : candidates;
  if (only !== undefined && others.length === 0 && (named.length > 0 || !beginsWithSomeId(file.name))) {
    return { seriesId: only.seriesId, metadata: [only] };
  }
  const found = candidates.map(({ seriesId }) => seriesId).join(', ');
  const beside =
    found === '' ? 'no series description is beside it' : `the files beside it describe ${found}`;
  throw refusal(file, {}, `the response does not name its series, and ${beside}; pass --series ID`);
}

/** The series described in files beside this one; a file that describes several is ignored. */
async function describedBeside(file: SourceFile): Promise<readonly SeriesMetadata[]> {
  const described = new Map<string, SeriesMetadata>();
  for (const sibling of await file.siblings()) {
    if (!/\.json$/i.test(sibling.name)) continue;
    if (!holdsSeries((await sibling.head()).toString('latin1'))) continue;
    const [series, ...others] = await readFredSeries(sibling);
    if (series !== undefined && others.length === 0) described.set(series.seriesId, series);
  }
  return [...described.values()];
}

/** Whether a file name begins with an id: `GDP-observations.json` does with GDP, and does not with GD. */
function beginsWithId(seriesId: string, name: string): boolean {
  const upper = name.toUpperCase();
  return upper.startsWith(seriesId) && !/[A-Z0-9]/.test(upper.charAt(seriesId.length));
}

/** Whether a file name begins with what looks like an id, so that the series of another file does not apply. */
function beginsWithSomeId(name: string): boolean {
  return /^[A-Z][A-Z0-9]+(?![A-Za-z0-9])/.test(name);
}

/**
 * The history in a FRED response. Refused: anything but plain values of every real-time period (`units=lin`,
 * `output_type=1`), a response cut by `limit`, and periods that overlap or leave a gap.
 */
async function readHistory(file: SourceFile): Promise<RealTimeHistory> {
  const response = await readJsonObject(file);
  refuseOtherRequests(file, response);
  const observations = listField(file, response, 'observations');
  if (observations.length === 0)
    throw refusal(file, { column: 'observations' }, 'the response has no observations');
  const count = numberField(file, response, 'count');
  if (count > observations.length) {
    const reason = `the response has ${observations.length} of ${count} observations; request it again with limit=100000&offset=0`;
    throw refusal(file, { column: 'count', value: String(count) }, reason);
  }
  const start = dayField(file, response, 'realtime_start');
  const end = endField(file, response);
  const rows = observations.map((observation, index) => readObservation(file, observation, index + 1));
  const outside = rows.find(({ start: from, end: to }) => from < start || to > end);
  if (outside !== undefined) {
    const reason = `${outside.start} to ${outside.end} is outside the response's real-time period, ${start} to ${end}`;
    throw refusal(file, at(outside), reason);
  }
  refuseGaps(file, rows, end);
  return { start, end, rows };
}

function refuseOtherRequests(file: SourceFile, response: UncheckedObject): void {
  const units = textField(file, response, 'units');
  if (units !== 'lin') {
    const reason = 'these are changes, not the published values; request them again with units=lin';
    throw refusal(file, { column: 'units', value: units }, reason);
  }
  const outputType = numberField(file, response, 'output_type');
  if (outputType !== 1) {
    const reason = 'only output_type=1 has every real-time period; request it again with that';
    throw refusal(file, { column: 'output_type', value: String(outputType) }, reason);
  }
}

function readObservation(file: SourceFile, observation: UncheckedObject, row: number): RealTimeValue {
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

function dayField(file: SourceFile, object: UncheckedObject, column: string, row?: number): Day {
  const value = textField(file, object, column, row);
  const day = parseDay(value);
  if (day !== undefined) return day;
  throw refusal(file, { column, value, ...(row !== undefined && { row }) }, 'not a date: YYYY-MM-DD');
}

function endField(file: SourceFile, object: UncheckedObject, row?: number): Day | typeof notEnded {
  return object.realtime_end === notEnded ? notEnded : dayField(file, object, 'realtime_end', row);
}

/** Refuses a date whose periods overlap, or do not reach the end of the response. */
function refuseGaps(file: SourceFile, rows: readonly RealTimeValue[], end: RealTimeHistory['end']): void {
  const ordered = [...rows].sort((a, b) => compare(a.date, b.date) || compare(a.start, b.start));
  for (const [index, period] of ordered.entries()) {
    const successor = ordered[index + 1];
    const next = successor?.date === period.date ? successor : undefined;
    if (next !== undefined && next.start <= period.end) {
      const reason = `the period of ${next.date} from ${next.start} overlaps the one in row ${period.row}`;
      throw refusal(file, { row: next.row, column: 'realtime_start', value: next.start }, reason);
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

function at({ row, end }: RealTimeValue): FilePlace {
  return { row, column: 'realtime_end', value: end };
}
