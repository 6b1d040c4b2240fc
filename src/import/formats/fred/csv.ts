import { headerOf } from '../../readers/csv-table.ts';
import { fredCells, vintageBatches } from '../vintage-table.ts';
import { type Format, refusal } from '../format.ts';
import { isCurveColumn, isDateColumn, isVintageColumn } from './columns.ts';
import { columnId, isoDates, readVintageCsv, unknownVintage } from '../vintage-csv.ts';

/** FRED's plain download: the figures of one day, which the file does not name. */
export const fredCsv: Format = {
  kind: 'fred-csv',
  summary: 'FRED downloads (observation_date,GDP), one vintage a file, known on --as-of D',
  source: 'FRED',
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise(head) {
    const [date, ...columns] = headerOf(head);
    if (!isDateColumn(date) || columns.length === 0) return false;
    return !columns.some(isVintageColumn) && !columns.every(isCurveColumn);
  },
  async *read(file, options) {
    const { asOf: vintage, series } = options;
    if (vintage === undefined)
      throw unknownVintage(file, 'the file does not say when its figures were known');
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => {
        if (isCurveColumn(name)) {
          const reason =
            'a rate of the treasury curve among other series; keep curves in a file of their own';
          throw refusal(file, { row: 1, column: name }, reason);
        }
        if (name.toUpperCase() !== 'VALUE') return { seriesId: columnId(file, name), vintage };
        // The downloads of some years call the one column VALUE, whatever the series.
        if (series !== undefined) return { seriesId: columnId(file, series), vintage };
        throw refusal(file, { row: 1, column: name }, 'the file does not name its series; say --series ID');
      },
    });
    yield* vintageBatches(file, table, fredCells);
  },
};
