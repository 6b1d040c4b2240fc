import type { UserTable } from '../answering/table.ts';
import { Problem } from '../errors/problem.ts';
import { refusal, type SourceFile } from '../import/files/source-file.ts';
import { sourceFiles } from '../import/files/walk.ts';
import { refuseTwice, textTable } from './text.ts';

/**
 * Opens a file of rows: CSV, TSV or Parquet, by its content; a text may be compressed by gzip. `-` is standard input,
 * which is kept in memory. A Problem if it cannot be read or is not a table.
 */
export async function openTable(path: string, stdin?: AsyncIterable<Uint8Array>): Promise<UserTable> {
  const [file, ...others] = await sourceFiles([path], stdin);
  if (file === undefined || others.length > 0)
    throw new Problem('bad-input', `${path} is several files: name one`);
  const head = await file.head();
  const signature = head.toString('latin1', 0, 4);
  if (signature === 'PAR1') return parquetTable(file);

  if (signature === 'PK\x03\x04' || signature === '\xd0\xcf\x11\xe0')
    throw refusal(file, {}, 'a workbook is not read', ['save the sheet as CSV']);
  return textTable(file, head);
}

async function parquetTable(file: SourceFile): Promise<UserTable> {
  // Loaded here: most tables are texts.
  const { readParquet } = await import('../import/readers/parquet.ts');
  const { columns, groups } = await readParquet(file);
  refuseTwice(
    file,
    {},
    columns.map(({ name }) => name),
  );
  return {
    name: file.path,
    fields: columns.map(({ name, type }) => ({
      name,
      type,
      description: `Column ${name} of the file.`,
      nullable: true,
    })),
    async *batches() {
      for await (const { first, size, cellAt } of groups())
        yield {
          size,
          cellAt,
          rowAt: (index) => first + index,
          repeats: () => false,
          byteLength: 0,
          copyRow: (_index, _target, at) => at,
        };
    },
  };
}
