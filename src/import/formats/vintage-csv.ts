import { type Day, parseDay } from '../../domain/series/date.ts';
import { parseSeriesId } from '../../domain/series/series.ts';
import type { Problem } from '../../errors/problem.ts';
import type { CsvRow } from '../readers/csv.ts';
import { readCsvBody } from '../readers/csv-table.ts';
import type { VintageColumn, VintageRow, VintageTable } from './vintage-table.ts';
import { refusal, type SourceFile } from './format.ts';

/** How a CSV of whole vintages is laid out: dates in the first column, one vintage in each other. */
type VintageLayout = {
  /** The series and vintage of a column; throws a refusal of the file when it has none. */
  readonly column: (name: string) => Omit<VintageColumn, 'name'>;
  readonly date: (text: string) => Day | undefined;
  /** What a date looks like, for refusals. */
  readonly dateForm: string;
  /** Whether a row above the first date, known by its first cell, holds something other than figures. */
  readonly isNote: (label: string) => boolean;
};

/** The layout of a file whose dates are ISO days and that has nothing between its header and its figures. */
export const isoDates = {
  date: parseDay,
  dateForm: 'YYYY-MM-DD',
  isNote: () => false,
} satisfies Partial<VintageLayout>;

/** The table that a CSV of whole vintages holds; blank rows are passed over, a date that is none is refused. */
export async function readVintageCsv(file: SourceFile, layout: VintageLayout): Promise<VintageTable> {
  const rows: VintageRow[] = [];
  let columns: readonly VintageColumn[] = [];
  for await (const batch of readCsvBody(file, (header) => readColumns(file, header, layout))) {
    columns = batch.header;
    for (const { row, cells } of batch.rows) {
      const label = (cells[0] ?? '').trim();
      if (rows.length === 0 && layout.isNote(label)) continue;
      const date = layout.date(label);
      if (date === undefined) throw refusal(file, { row, value: label }, `not a date: ${layout.dateForm}`);
      rows.push({ row, date, cells: cells.slice(1) });
    }
  }
  if (rows.length === 0) throw refusal(file, {}, 'the file has a header and no rows of figures');
  return { columns, rows };
}

function readColumns(file: SourceFile, header: CsvRow, layout: VintageLayout): readonly VintageColumn[] {
  const names = header.cells.slice(1).map((cell) => cell.trim());
  if (names.length === 0) throw refusal(file, { row: header.row }, 'the file has dates and no series');
  return names.map((name) => ({ name, ...layout.column(name) }));
}

/** The series id that a column's name is; refuses the file when it cannot be one. */
export function columnId(file: SourceFile, name: string): string {
  const seriesId = parseSeriesId(name);
  if (seriesId === undefined) throw refusal(file, { row: 1, column: name }, 'this cannot be a series id');
  return seriesId;
}

/** The refusal of a file of one whole vintage that does not say which. */
export function unknownVintage(file: SourceFile, reason: string): Problem {
  return refusal(file, {}, `${reason}; say it with --as-of D`, ['asof import FILE --as-of YYYY-MM-DD']);
}
