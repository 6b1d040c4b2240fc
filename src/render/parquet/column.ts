import type { SchemaElement } from 'hyparquet-writer';
import type { Cell } from '../../operations/envelope.ts';

/** A cell in the storage type of its column; null is missing. */
export type StoredCell = string | number | bigint | boolean | null | readonly (string | null)[];

/** A column of a Parquet file: its type is fixed before the first row. */
export type ParquetColumn = {
  /** The column in the schema of the file. */
  readonly elements: readonly SchemaElement[];
  /** A cell in the storage type of the schema; throws a Problem if the column cannot hold it exactly. */
  stored(cell: Cell | undefined): StoredCell;
};

/** An element of the schema that may be missing in a row: another service may lack our additional fields. */
export function optional(name: string, element: Omit<SchemaElement, 'name'>): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...element };
}
