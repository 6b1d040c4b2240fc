import { deflateSync, inflateSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Envelope } from '../../operations/envelope.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';
import type { KeptCell, ParquetColumn } from './column.ts';
import { parquetColumn } from './field-column.ts';

/** The rows of a row group: the most that are in memory unpacked. */
const groupRows = 50_000;

type NamedColumn = { readonly name: string; readonly column: ParquetColumn };

/**
 * A Parquet file: one column per field in the type of the field, numbers exact, missing values null, the as-of date as
 * `as_of` in its metadata. The column types are known only after the last row, so it packs the rows until then, in about
 * as much memory as the file takes. The same rows give the same bytes, however they are paged.
 */
export class ParquetRenderer implements Renderer {
  readonly #columns: readonly NamedColumn[];
  readonly #packed: Buffer[] = [];
  #group: readonly KeptCell[][];
  #rows = 0;
  #asOf: string | undefined;

  constructor({ columns: { fields } }: OutputLayout) {
    this.#columns = fields.map((field) => ({ name: field.name, column: parquetColumn(field) }));
    this.#group = this.#columns.map(() => []);
  }

  page({ as_of, results }: Envelope): string {
    this.#asOf ??= as_of;
    for (const row of results) {
      for (const [i, { name, column }] of this.#columns.entries())
        this.#group[i]?.push(column.keep(row[name]));
      this.#rows += 1;
      if (this.#rows === groupRows) this.#pack();
    }
    return '';
  }

  *end(): Generator<Uint8Array> {
    if (this.#rows > 0) this.#pack();
    const writer = new ByteWriter();
    const file = new ParquetWriter({
      writer,
      schema: [
        { name: 'rows', num_children: this.#columns.length },
        ...this.#columns.flatMap(({ column }) => column.elements()),
      ],
      createdBy: 'asof',
      ...(this.#asOf !== undefined && { kvMetadata: [{ key: 'as_of', value: this.#asOf }] }),
    });
    for (let packed = this.#packed.shift(); packed !== undefined; packed = this.#packed.shift()) {
      const kept: readonly KeptCell[][] = JSON.parse(inflateSync(packed).toString());
      const columnData = this.#columns.map(({ name, column }, i) => ({
        name,
        data: column.stored(kept[i] ?? []),
      }));
      file.write({ columnData, rowGroupSize: Number.POSITIVE_INFINITY });
      yield takeBytes(writer);
    }
    file.finish();
    yield takeBytes(writer);
  }

  #pack(): void {
    this.#packed.push(deflateSync(JSON.stringify(this.#group), { level: 1 }));
    this.#group = this.#columns.map(() => []);
    this.#rows = 0;
  }
}

/** Takes the bytes written since the last call; the writer keeps counting from the start of the file. */
function takeBytes(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
