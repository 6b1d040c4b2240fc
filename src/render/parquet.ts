import { deflateSync, inflateSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { parquetColumn } from './parquet-column.ts';
import type { Kept } from './parquet-schema.ts';
import type { Layout, Renderer } from './renderer.ts';

/** Rows of a row group: so many are in memory as they are, all others packed. */
const groupRows = 50_000;

/**
 * A Parquet file: a column for each field in the type that the field declares, numbers exact, missing is null. Its types
 * are known with the last row, so that all is written at the end; until then rows wait packed, in about as much memory as
 * the file takes. The day of knowledge stands in its metadata as `as_of`. Equal rows make equal bytes, however paged.
 */
export function parquet({ columns: { fields } }: Layout): Renderer {
  const columns = fields.map((field) => ({ name: field.name, ...parquetColumn(field) }));
  const packed: Buffer[] = [];
  let group: readonly Kept[][] = columns.map(() => []);
  let rows = 0;
  let asOf: string | undefined;

  const pack = (): void => {
    packed.push(deflateSync(JSON.stringify(group), { level: 1 }));
    group = columns.map(() => []);
    rows = 0;
  };

  return {
    page({ as_of, results }) {
      asOf ??= as_of;
      for (const row of results) {
        for (const [i, { name, keep }] of columns.entries()) group[i]?.push(keep(row[name]));
        rows += 1;
        if (rows === groupRows) pack();
      }
      return '';
    },
    *end() {
      if (rows > 0) pack();
      const writer = new ByteWriter();
      const file = new ParquetWriter({
        writer,
        schema: [
          { name: 'rows', num_children: columns.length },
          ...columns.flatMap(({ elements }) => elements()),
        ],
        createdBy: 'asof',
        ...(asOf !== undefined && { kvMetadata: [{ key: 'as_of', value: asOf }] }),
      });
      for (let next = packed.shift(); next !== undefined; next = packed.shift()) {
        const kept: readonly Kept[][] = JSON.parse(inflateSync(next).toString());
        const columnData = columns.map(({ name, stored }, i) => ({ name, data: stored(kept[i] ?? []) }));
        file.write({ columnData, rowGroupSize: Number.POSITIVE_INFINITY });
        yield taken(writer);
      }
      file.finish();
      yield taken(writer);
    },
  };
}

/** What was written since the last time; the writer goes on counting from the file's beginning. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
