import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Envelope } from '../../operations/envelope.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';
import type { ParquetColumn, StoredCell } from './column.ts';
import { parquetColumn } from './field-column.ts';

/** The rows of a row group: the most that are in memory. */
const groupRows = 50_000;

type NamedColumn = ParquetColumn & { readonly name: string };

/**
 * A Parquet file: one column per field in the type of the field, numbers exact, missing values null, the as-of date as
 * `as_of` in its metadata. Files of one question have one schema, with any rows or none. The same rows give the same
 * bytes, however they are paged.
 */
export class ParquetRenderer implements Renderer {
  readonly #columns: readonly NamedColumn[];
  readonly #bytes = new ByteWriter();
  /** Begins with the first row group, so that a short answer can start again when the data change. */
  #file: ParquetWriter | undefined;
  #group: readonly StoredCell[][];
  #rows = 0;
  #asOf: string | undefined;

  constructor({ columns: { fields } }: OutputLayout) {
    this.#columns = fields.map((field) => ({ name: field.name, ...parquetColumn(field) }));
    this.#group = this.#columns.map(() => []);
  }

  page({ as_of, results }: Envelope): Uint8Array {
    this.#asOf ??= as_of;
    for (const row of results) {
      for (const [i, { name, stored }] of this.#columns.entries()) this.#group[i]?.push(stored(row[name]));
      this.#rows += 1;
      if (this.#rows === groupRows) this.#writeGroup();
    }
    return this.#takeBytes();
  }

  *end(): Generator<Uint8Array> {
    if (this.#rows > 0) this.#writeGroup();
    yield this.#takeBytes();
    this.#begun().finish();
    yield this.#takeBytes();
  }

  #begun(): ParquetWriter {
    this.#file ??= new ParquetWriter({
      writer: this.#bytes,
      schema: [
        { name: 'rows', num_children: this.#columns.length },
        ...this.#columns.flatMap(({ elements }) => elements),
      ],
      createdBy: 'asof',
      ...(this.#asOf !== undefined && { kvMetadata: [{ key: 'as_of', value: this.#asOf }] }),
    });
    return this.#file;
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name }, i) => ({ name, data: this.#group[i] ?? [] }));
    this.#begun().write({ columnData, rowGroupSize: Number.POSITIVE_INFINITY });
    this.#group = this.#columns.map(() => []);
    this.#rows = 0;
  }

  /** Takes the bytes written since the last call; the writer keeps counting from the start of the file. */
  #takeBytes(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}
