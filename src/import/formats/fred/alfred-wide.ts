import { headerOf } from '../../readers/csv-table.ts';
import { fredCells, vintageBatches } from '../vintage-table.ts';
import { type Format, refusal } from '../format.ts';
import { isDateColumn, isVintageColumn, splitVintageColumn } from './columns.ts';
import { columnId, isoDates, readVintageCsv } from '../vintage-csv.ts';

/** ALFRED's download of several vintages side by side; each column names its series and its vintage. */
export const alfredWide: Format = {
  kind: 'alfred-wide',
  summary: 'ALFRED downloads (observation_date,GDPC1_20150130,…), a column for each vintage',
  source: 'FRED',
  whole: true,
  takesAsOf: false,
  recognise(head) {
    const [date, ...columns] = headerOf(head);
    return isDateColumn(date) && columns.some(isVintageColumn);
  },
  async *read(file) {
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => {
        const parts = splitVintageColumn(name);
        if (parts !== undefined) return { seriesId: columnId(file, parts.series), vintage: parts.vintage };
        throw refusal(file, { row: 1, column: name }, 'not a series and its vintage, such as GDPC1_20150130');
      },
    });
    yield* vintageBatches(file, table, fredCells);
  },
};
