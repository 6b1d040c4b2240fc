import { type Day, parseDay } from '../../../domain/series/date.ts';
import { frequencyOf } from '../../../domain/series/series.ts';
import type { SourceFile } from '../../files/source-file.ts';
import { headerOf } from '../../readers/csv.ts';
import type { ImportFormat, ReadOptions } from '../format.ts';
import { isCurveColumn, isRealTimeColumn, isVintageColumn } from '../fred/csv.ts';
import {
  columnId,
  fredCells,
  isoDates,
  readVintageCsv,
  unknownVintage,
  vintageBatches,
} from '../vintage-table.ts';
import { isSeriesColumn } from './plain.ts';

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
  recognise(head) {
    const [date, ...columns] = headerOf(head);
    if (date !== 'date' || columns.length === 0 || columns.every(isCurveColumn)) return false;
    if (columns.some(isRealTimeColumn)) return false;
    return columns.every((name) => isSeriesColumn(name) && !isVintageColumn(name));
  },
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

function vintageOf(file: SourceFile, options: ReadOptions): Day {
  const vintage = options.asOf ?? parseDay(file.name.replace(/\.csv$/i, ''));
  if (vintage !== undefined) return vintage;
  throw unknownVintage(file, 'the file name is not its vintage date, such as 2016-07-29.csv');
}
