import type { ColumnSource, SchemaElement } from 'hyparquet-writer';
import type { Cell } from '../../operations/envelope.ts';

/** A cell in memory until its column is complete; a JSON value, so that it can be packed. */
export type KeptCell = string | number | boolean | null | readonly (string | null)[];

/** Collects a column and writes it to Parquet. */
export type ParquetColumn = {
  /** Takes a cell; throws a Problem if the column type cannot hold it exactly. */
  keep(cell: Cell | undefined): KeptCell;
  /** The column in the schema of the file; final after the last cell. */
  elements(): readonly SchemaElement[];
  /** The cells in the storage type of the schema. */
  stored(kept: readonly KeptCell[]): ColumnSource['data'];
};

/** An element of the schema that may be missing in a row: another service may lack our additional fields. */
export function optional(name: string, element: Omit<SchemaElement, 'name'>): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...element };
}
