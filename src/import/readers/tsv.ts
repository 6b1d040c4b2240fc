import type { Readable } from 'node:stream';
import { foreign, notUtf8, refusal, type SourceFile } from '../files/source-file.ts';

/** A record of a table; the header is row 1. */
type TableRow = {
  readonly row: number;
  /** The trimmed cell of a column; empty if the table has no such column. */
  cell(column: string): string;
};

/** Longer records are refused, so that a file of another kind cannot fill memory. */
const longestRecord = 64 * 1024;

/**
 * The records of a tab-separated table in batches. Cells may be quoted as in CSV; a cell that only begins with a quoted
 * word is taken literally. Refused: a missing column of `required`, a repeated column, and a record of another width
 * than the header.
 */
export async function* readTable(
  file: SourceFile,
  required: readonly string[],
): AsyncGenerator<readonly TableRow[]> {
  let places: ReadonlyMap<string, number> | undefined;
  for await (const batch of recordsIn(file)) {
    const rows: TableRow[] = [];
    for (const { row, cells } of batch) {
      if (places === undefined) {
        places = placesIn(file, cells, required);
        continue;
      }
      if (cells.length !== places.size) {
        const reason = `${cells.length} cells, but the header has ${places.size}; is the file truncated?`;
        throw refusal(file, { row }, reason);
      }
      const known = places;
      rows.push({ row, cell: (column) => cells[known.get(column) ?? -1]?.trim() ?? '' });
    }
    if (rows.length > 0) yield rows;
  }
  if (places === undefined) throw refusal(file, {}, 'the table is empty');
}

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

function placesIn(
  file: SourceFile,
  cells: readonly string[],
  required: readonly string[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [place, cell] of cells.entries()) {
    const column = cell.trim();
    if (places.has(column)) throw refusal(file, { row: 1, column }, 'this column appears twice');
    places.set(column, place);
  }
  for (const column of required) {
    if (!places.has(column)) throw refusal(file, { row: 1, column }, 'this column is missing');
  }
  return places;
}

type TableRecord = { readonly row: number; readonly cells: readonly string[] };

/** The records with their untrimmed cells; a record with line feeds counts as several rows. */
async function* recordsIn(file: SourceFile): AsyncGenerator<readonly TableRecord[]> {
  let [row, start, open] = [0, 0, ''];
  for await (const lines of linesIn(file)) {
    const records: TableRecord[] = [];
    for (const line of lines) {
      row += 1;
      if (foreign.test(line)) throw notUtf8(file, { row });
      if (open === '') start = row;
      const record = open === '' ? line : `${open}\n${line}`;
      const cells = record.includes('"') ? quotedCells(record) : record.split('\t');
      if (record.length > longestRecord) throw refusal(file, { row: start }, 'a record of more than 64 KiB');
      open = cells === undefined ? record : '';
      if (cells !== undefined && record !== '') records.push({ row: start, cells });
    }
    yield records;
  }
  if (open !== '') throw refusal(file, { row: start }, 'a quote opens here and is never closed');
}

/** The cells of a record in which some begin with a quote; undefined if the last quote is still open. */
function quotedCells(record: string): readonly string[] | undefined {
  const cells: string[] = [];
  let start = 0;
  while (start <= record.length) {
    const next = record.indexOf('\t', start);
    let end = next < 0 ? record.length : next;
    let quoted = false;
    if (record[start] === '"') {
      const close = closingQuote(record, start);
      if (close === undefined) return undefined;
      // With text after the second quote, the cell only begins with a quoted word.
      quoted = close + 1 === record.length || record[close + 1] === '\t';
      if (quoted) end = close + 1;
    }
    cells.push(quoted ? record.slice(start + 1, end - 1).replaceAll('""', '"') : record.slice(start, end));
    start = end + 1;
  }
  return cells;
}

/** The position at which the quote opened at `start` closes; a doubled quote does not close it. */
function closingQuote(record: string, start: number): number | undefined {
  for (let at = record.indexOf('"', start + 1); at >= 0; at = record.indexOf('"', at + 2)) {
    if (record[at + 1] !== '"') return at;
  }
  return undefined;
}

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
      if (rest.length > longestRecord)
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
