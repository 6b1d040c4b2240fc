import type { ColumnSource, SchemaElement } from 'hyparquet-writer';
import type { Cell } from '../operations/envelope.ts';

/** What is kept of a cell until all of its column is known; JSON holds it as it is. */
export type Kept = string | number | boolean | null | readonly (string | null)[];

/** How a field is written to Parquet. */
export type ParquetColumn = {
  /** What is kept of a cell; a Problem for what the column's type cannot hold exactly. */
  readonly keep: (cell: Cell | undefined) => Kept;
  /** The column in the file's schema; final after the last cell. */
  readonly elements: () => readonly SchemaElement[];
  /** Kept cells as they are stored under that schema. */
  readonly stored: (kept: readonly Kept[]) => ColumnSource['data'];
};

/** A column, or an entry, that may be missing: another service need not have our additions. */
export function optional(name: string, element: Omit<SchemaElement, 'name'>): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...element };
}
