import { refusal, type SourceFile } from '../files/source-file.ts';

/** A record of a table; the header is row 1. */
export type TableRow = {
  readonly row: number;
  has(column: string): boolean;
  /** Returns the trimmed cell of a column; empty if the table has no such column. */
  cell(column: string): string;
};

/** Makes a row of cells at the places of columns. */
export function tableRow(
  { row, cells }: { readonly row: number; readonly cells: readonly string[] },
  places: ReadonlyMap<string, number>,
): TableRow {
  return {
    row,
    has: (column) => places.has(column),
    cell: (column) => cells[places.get(column) ?? -1]?.trim() ?? '',
  };
}

/** Makes a reader of one row's cells; it throws with row and column if a cell cannot be read. */
export function cellReader(file: SourceFile, row: TableRow): CellReader {
  const maybe: CellReader['maybe'] = (column, parse, what) => {
    const value = row.cell(column);
    if (value === '') return null;
    const found = parse(value);
    if (found !== undefined) return found;
    throw refusal(file, { row: row.row, column, value }, `not ${what}`);
  };
  return {
    maybe,
    required(column, parse, what) {
      const found = maybe(column, parse, what);
      if (found !== null) return found;
      throw refusal(file, { row: row.row, column }, `${what} is missing here`);
    },
    text: (column) => row.cell(column).replace(/\s+/g, ' ') || null,
  };
}

/** A reader of one row's cells. */
export type CellReader = {
  /** Parses a cell, null if it is blank; throws `not ${what}` if `parse` fails. */
  maybe<T>(column: string, parse: (text: string) => T | undefined, what: string): T | null;
  /** Parses a cell like `maybe`, but throws if it is blank. */
  required<T>(column: string, parse: (text: string) => T | undefined, what: string): T;
  /** Returns the text of a cell, blanks collapsed; null if it is blank. */
  text(column: string): string | null;
};

/** Returns column positions by trimmed name; throws for missing, repeated or, with `optional`, unknown ones. */
export function placesOf(
  file: SourceFile,
  { row, cells }: { readonly row: number; readonly cells: readonly string[] },
  { required, optional }: { readonly required: readonly string[]; readonly optional?: readonly string[] },
): ReadonlyMap<string, number> {
  const known = optional && [...required, ...optional];
  const places = new Map<string, number>();
  for (const [place, cell] of cells.entries()) {
    const column = cell.trim();
    if (known?.includes(column) === false)
      throw refusal(file, { row, column: cell }, `unknown column; the columns are ${known.join(', ')}`);
    if (places.has(column)) throw refusal(file, { row, column }, 'this column appears twice');
    places.set(column, place);
  }
  for (const column of required)
    if (!places.has(column)) throw refusal(file, { row, column }, 'this column is missing');
  return places;
}
