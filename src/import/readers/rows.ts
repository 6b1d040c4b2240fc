import type { Readable } from 'node:stream';
import { limits, refusal, type SourceFile } from '../files/source-file.ts';

/** A record of a table; the header is row 1. */
type TableRow = {
  readonly row: number;
  /** The trimmed cell of a column; empty if the table has no such column. */
  cell(column: string): string;
};

/** Reads the cells of one row; a cell that cannot be read is refused with its row and column. */
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

/** Reads the cells of one row. */
export type CellReader = {
  /** A cell as `parse` reads it; null if it is blank, refused as `not ${what}` if `parse` fails. */
  maybe<T>(column: string, parse: (text: string) => T | undefined, what: string): T | null;
  /** As `maybe`, but a blank cell is refused. */
  required<T>(column: string, parse: (text: string) => T | undefined, what: string): T;
  /** The text of a cell, blanks collapsed; null if it is blank. */
  text(column: string): string | null;
};

/** The lines of a file in batches, without line ends; one of more than 64 KiB is refused. */
export async function* linesIn(file: SourceFile): AsyncGenerator<readonly string[]> {
  const input: Readable = await file.open();
  input.setEncoding('utf8');
  try {
    let rest = '';
    let first = true;
    for await (const chunk of input as AsyncIterable<string>) {
      const text = rest + (first ? chunk.replace(/^\uFEFF/, '') : chunk);
      first = false;
      const lines = text.split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > limits.line)
        throw refusal(file, {}, 'a line of more than 64 KiB; this is not a table');
      yield lines.map(withoutReturn);
    }
    if (rest !== '') yield [withoutReturn(rest)];
  } finally {
    input.destroy();
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
