import { type Day, parseDay } from '../../../domain/series/date.ts';
import { frequencyOf, parseSeriesId } from '../../../domain/series/series.ts';
import type { SourceFile } from '../../files/source-file.ts';
import { headerOf } from '../../readers/csv.ts';
import type { ImportFormat, ReadOptions } from '../format.ts';
import { isRealTimeColumn, isVintageColumn } from '../fred/csv.ts';
import { isCurveColumn } from '../treasury/csv.ts';
import {
  columnId,
  fredCells,
  isoDates,
  isValue,
  readVintageCsv,
  seriesOf,
  unknownVintage,
  vintageBatches,
} from '../vintage-table.ts';

/**
 * A panel of FRED series as published on the day in the file name. In a file with monthly rows a column is monthly,
 * unless its figures show a coarser frequency.
 */
export const datedPanel: ImportFormat = {
  kind: 'dated-panel',
  summary: 'panel of FRED series (date,PAYEMS,…), one vintage per file, named YYYY-MM-DD.csv',
  source: 'FRED dated panel',
  vintageKind: 'sampled',
  whole: true,
  takesAsOf: true,
  recognise: isDatedPanel,
  async *read(file, options) {
    const vintage = vintageOf(file, options);
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => ({ seriesId: columnId(file, name), vintage }),
    });
    const rowFrequency = frequencyOf(table.rows.map(({ date }) => date));
    yield* vintageBatches(file, table, { ...fredCells, ...(rowFrequency === 'M' && { rowFrequency }) });
  },
};

/** Only the file name distinguishes the publisher's panels from other tables of series by date. */
function isDatedPanel(head: string, name: string): boolean {
  const [date, ...columns] = headerOf(head);
  if (date !== 'date' || columns.length === 0 || columns.every(isCurveColumn)) return false;
  if (dayOfName(name) === undefined || columns.some(isRealTimeColumn)) return false;
  return columns.every((column) => isSeriesColumn(column) && !isVintageColumn(column));
}

/** The day in a name such as `2016-07-29.csv`. */
function dayOfName(name: string): Day | undefined {
  return parseDay(name.replace(/\.csv$/i, ''));
}

function vintageOf(file: SourceFile, options: ReadOptions): Day {
  const vintage = options.asOf ?? dayOfName(file.name);
  if (vintage !== undefined) return vintage;
  throw unknownVintage(file, 'the file name is not its vintage date, such as 2016-07-29.csv');
}

/**
 * Figures by date as programs and people write them: `Date,GDP`, or `date,value` whose series `--series` names. The
 * file does not say who published them, so it claims no source for its series.
 */
export const plainCsv: ImportFormat = {
  kind: 'plain-csv',
  summary:
    'figures by date (Date,GDP, or date,value with --series), one vintage per file; its date is --as-of',
  vintageKind: 'fetched',
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise(head, file) {
    const [date, ...columns] = headerOf(head);
    if (columns.length === 0 || columns.some((name) => maturityName.test(name) || isVintageColumn(name)))
      return false;
    if ((date !== 'Date' && date !== 'date') || isDatedPanel(head, file)) return false;
    if (columns.every(isCurveColumn) || columns.some(isRealTimeColumn)) return false;
    return columns.every(isValue) || columns.every((name) => isSeriesColumn(name) && !isValue(name));
  },
  async *read(file, options) {
    const vintage = options.asOf ?? parseDay(file.name.replace(/\.\w+$/, ''));
    if (vintage === undefined)
      throw unknownVintage(file, 'the file does not state when its figures were known');
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => ({ seriesId: seriesOf(file, name, options), vintage }),
    });
    yield* vintageBatches(file, table, fredCells);
  },
};

/** A treasury table has maturities, such as `10 Yr`. */
const maturityName = /^\d+(?:\.\d+)? ?(?:mo|month|yr|year)s?$/i;

/** Columns that asof's output and other tables have beside a date, where a panel has series. */
const fieldName =
  /^(?:value|rate|maturity|source|unit|frequency|id|series_id|as_of(?:_date)?|curve_type|trade_date)$/;

/** Whether the name of a column beside a date can be that of a series. */
function isSeriesColumn(name: string): boolean {
  if (fieldName.test(name) || maturityName.test(name) || parseDay(name) !== undefined) return false;
  return parseSeriesId(name) !== undefined;
}
