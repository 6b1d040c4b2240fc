import { type Day, parseDay } from '../../../domain/series/date.ts';
import { refusal } from '../../files/source-file.ts';
import { headerOf } from '../../readers/csv.ts';
import { isDateColumn } from '../../readers/xlsx.ts';
import type { ImportFormat } from '../format.ts';
import { isCurveColumn } from '../treasury/csv.ts';
import {
  columnId,
  fredCells,
  isoDates,
  readVintageCsv,
  seriesOf,
  unknownVintage,
  vintageBatches,
} from '../vintage-table.ts';

/** FRED's CSV download: the figures of one day, which the file does not name. */
export const fredCsv: ImportFormat = {
  kind: 'fred-csv',
  summary: 'FRED download (observation_date,GDP), one vintage per file; its date is --as-of',
  source: 'FRED',
  vintageKind: 'fetched',
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise(head) {
    const [date, ...columns] = headerOf(head);
    if (!isFredDate(date) || columns.length === 0 || columns.some(isRealTimeColumn)) return false;
    // A column named only by a vintage date does not state its series.
    if (columns.some((name) => parseDay(name) !== undefined)) return false;
    // The Real-Time Data Set has a column for each vintage of its variable, such as ROUTPUT65Q4.
    if (columns.every((name) => /\d\d(?:Q[1-4]|M\d\d?)$/i.test(name))) return false;
    return !columns.some(isVintageColumn) && !columns.every(isCurveColumn);
  },
  async *read(file, options) {
    const { asOf: vintage } = options;
    if (vintage === undefined)
      throw unknownVintage(file, 'the file does not state when its figures were known');
    const table = await readVintageCsv(file, {
      ...isoDates,
      // For some years FRED named the only column VALUE, for any series.
      column: (name) => ({ seriesId: seriesOf(file, name, options), vintage }),
    });
    yield* vintageBatches(file, table, fredCells);
  },
};

/** ALFRED's CSV download of several vintages; the name of each column is its series and its vintage date. */
export const alfredWide: ImportFormat = {
  kind: 'alfred-wide',
  summary: 'ALFRED download (observation_date,GDPC1_20150130,…), one vintage per column',
  source: 'FRED',
  vintageKind: 'exact',
  whole: true,
  takesAsOf: false,
  recognise(head) {
    const [date = '', ...columns] = headerOf(head);
    return isDateColumn(date) && columns.some(isVintageColumn);
  },
  async *read(file) {
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => {
        const parts = splitVintageColumn(name);
        if (parts !== undefined) return { seriesId: columnId(file, parts.series), vintage: parts.vintage };
        const reason = 'not a series and its vintage date, such as GDPC1_20150130';
        throw refusal(file, { row: 1, column: name }, reason);
      },
    });
    yield* vintageBatches(file, table, fredCells);
  },
};

/** Whether a column has the start or the end of real-time periods. */
export function isRealTimeColumn(name: string): boolean {
  return /^realtime_(?:start|end)(?:_date)?$/i.test(name);
}

/** Whether FRED names its first column so; `Date` and `date` are those of other tables. */
function isFredDate(name = ''): boolean {
  return /^observation_date$/i.test(name) || name === 'DATE';
}

const vintageColumn = /^(.+)_(?=\d{8}$|\d{4}-\d\d-\d\d$)(\d{4})-?(\d\d)-?(\d\d)$/;

/** Whether a column name has the form of a series and its vintage date: `GDPC1_20150130`, `GDPC1_2015-01-30`. */
export function isVintageColumn(name: string): boolean {
  return vintageColumn.test(name);
}

/** The series and the vintage date that a column name of that form states. */
export function splitVintageColumn(
  name: string,
): { readonly series: string; readonly vintage: Day } | undefined {
  const [, series, year, month, day] = vintageColumn.exec(name) ?? [];
  const vintage = parseDay(`${year}-${month}-${day}`);
  return series === undefined || vintage === undefined ? undefined : { series, vintage };
}
