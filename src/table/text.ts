import type { Table, TableBatch, TableText } from '../analysis/table.ts';
import type { Problem } from '../errors/problem.ts';
import { refusal, type SourceFile } from '../import/files/source-file.ts';
import { cellsIn } from '../import/readers/dialect.ts';
import type { Cell } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';

/** Longer records are refused, so that a file of another kind cannot fill memory. */
const longestRecord = 16 * 1024 * 1024;

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d];

/** Records of a text, as the places where they begin and where their cells end. */
type Scanned = {
  readonly count: number;
  /** For each record, its beginning and the end of each of its cells. */
  readonly places: Int32Array;
  /** The row of each record. */
  readonly rows: Int32Array;
  /** Where the first record begins that is not complete, and its row. */
  readonly end: number;
  readonly row: number;
};

/** Where a scan begins, and what it expects. */
type ScanStart = {
  readonly separator: string;
  readonly row: number;
  /** Whether the text ends where the file does. */
  readonly isLast: boolean;
  /** The cells of each record; without it only the first record is scanned. */
  readonly width?: number;
};

/**
 * Finds the records of a text of CSV (RFC 4180), which begins with one. Empty lines are skipped, and count as rows. A
 * Problem names the row of a broken quote, and of a record with more or fewer cells than others.
 */
function scan(file: SourceFile, text: string, { separator, row: first, isLast, width }: ScanStart): Scanned {
  const comma = separator.charCodeAt(0);
  const greatest = Math.max(comma, quote);
  const { length } = text;
  const places = new Int32Array(length + 2);
  const rows = new Int32Array(width === undefined ? 1 : Math.ceil(length / 2) + 1);
  let [start, row, cell, used, count] = [0, first, 0, 1, 0];
  let [lines, quotedTo, from] = [1, -1, 0];
  for (let at = 0; at <= length; at += 1) {
    const code = at < length ? text.charCodeAt(at) : lineFeed;
    if (code > greatest || (code !== comma && code !== lineFeed && code !== quote)) continue;
    if (at === length && (!isLast || start === length)) break;
    if (code === quote) {
      if (at !== cell) throw refusal(file, { row }, 'a quote inside an unquoted cell');
      quotedTo = quotedEnd(text, at);
      if (quotedTo === -1 && isLast) throw refusal(file, { row }, 'a quote opens here and is never closed');
      // What follows the quote may be in the next piece.
      if (quotedTo === -1 || (quotedTo >= length - 1 && !isLast)) break;
      if (!/^(?:\r?\n|\r?$)/.test(text.slice(quotedTo, quotedTo + 2)) && text.charCodeAt(quotedTo) !== comma)
        throw refusal(file, { row }, 'text after a closing quote');
      for (
        let line = text.indexOf('\n', at);
        line !== -1 && line < quotedTo;
        line = text.indexOf('\n', line + 1)
      )
        lines += 1;
      at = quotedTo - 1;
      continue;
    }
    const isReturn = code === lineFeed && at > cell && text.charCodeAt(at - 1) === carriageReturn;
    places[used] = isReturn ? at - 1 : at;
    used += 1;
    cell = at + 1;
    if (code === comma) continue;
    const found = used - from - 1;
    if (places[used - 1] === start) used = from + 1;
    else {
      if (width !== undefined && found !== width) throw otherWidth(file, row, found, width);
      places[from] = start;
      rows[count] = row;
      count += 1;
      from = used;
      used += 1;
    }
    row += lines;
    lines = 1;
    start = Math.min(cell, length);
    if (width === undefined && count > 0) break;
  }
  return { count, places: places.subarray(0, from), rows, end: start, row };
}

/** The place after the quote that closes the one at a place; -1 where there is none. */
function quotedEnd(text: string, at: number): number {
  for (let close = text.indexOf('"', at + 1); close !== -1; close = text.indexOf('"', close + 2))
    if (text.charCodeAt(close + 1) !== quote) return close + 1;
  return -1;
}

function otherWidth(file: SourceFile, row: number, found: number, width: number): Problem {
  const cells = found === 1 ? '1 cell' : `${found} cells`;
  return refusal(file, { row }, `${cells}, but the header has ${width}; is the file truncated?`);
}

/** Rows of a text file. */
class TextBatch implements TableBatch {
  readonly #text: string;
  readonly #scanned: Scanned;
  readonly #stride: number;

  constructor(text: string, scanned: Scanned, width: number) {
    this.#text = text;
    this.#scanned = scanned;
    this.#stride = width + 1;
  }

  get size(): number {
    return this.#scanned.count;
  }

  rowAt(index: number): number {
    return this.#scanned.rows[index] ?? 0;
  }

  cellAt(index: number, column: number): Cell {
    const { places } = this.#scanned;
    const at = index * this.#stride + column;
    const text = this.#text.slice((places[at] ?? 0) + (column === 0 ? 0 : 1), places[at + 1]);
    return text === '' ? null : cellText(text) || null;
  }

  textAt(index: number): string {
    const { places } = this.#scanned;
    const at = index * this.#stride;
    return this.#text.slice(places[at], places[at + this.#stride - 1]);
  }
}

/** The text of a cell as it is written, which has one character for each byte. */
function cellText(written: string): string {
  const text = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

const mark = '\u00EF\u00BB\u00BF';

/** A table in a text file: CSV, or separated by semicolons or tabs. It is read in pieces. */
class TextTable implements Table {
  readonly fields: readonly Field[];
  readonly text: TableText;
  readonly #file: SourceFile;

  constructor(file: SourceFile, text: TableText, names: readonly string[]) {
    this.#file = file;
    this.text = text;
    this.fields = names.map((name) => ({
      name,
      type: 'text',
      description: `Column ${name} of the file.`,
      nullable: true,
    }));
  }

  get name(): string {
    return this.#file.path;
  }

  async *batches(): AsyncGenerator<TableBatch> {
    const { separator } = this.text;
    const width = this.fields.length;
    const input = await this.#file.open();
    let isFirst = true;
    let [rest, row] = ['', 1];
    const scanned = (text: string, isLast: boolean) => {
      const all = scan(this.#file, text, { separator, row, isLast, width });
      rest = text.slice(all.end);
      row = all.row;
      if (rest.length > longestRecord)
        throw refusal(this.#file, { row }, 'a record of more than 16 MiB; this is not a CSV file');
      return all;
    };
    /** The records without the header, which is the first. */
    const batch = (text: string, all: Scanned) => {
      const skipped = isFirst && all.count > 0 ? 1 : 0;
      isFirst &&= skipped === 0;
      const { places, rows, count } = all;
      const left = { places: places.subarray(skipped * (width + 1)), rows: rows.subarray(skipped) };
      return new TextBatch(text, { ...all, ...left, count: count - skipped }, width);
    };
    try {
      let isStart = true;
      for await (const chunk of input as AsyncIterable<Buffer>) {
        const piece = chunk.toString('latin1');
        const text = isStart && piece.startsWith(mark) ? piece.slice(mark.length) : rest + piece;
        isStart = false;
        const found = batch(text, scanned(text, false));
        if (found.size > 0) yield found;
      }
      const last = rest;
      const found = batch(last, scanned(last, true));
      if (found.size > 0) yield found;
    } finally {
      input.destroy();
    }
  }
}

/** The table in a text file, whose first line names its columns; a Problem where it has none, or has a name twice. */
export async function textTable(file: SourceFile, head: Buffer): Promise<Table> {
  const latin = head.toString('latin1');
  const text = latin.startsWith(mark) ? latin.slice(mark.length) : latin;
  if (/\0/.test(text)) throw refusal(file, {}, 'this is not a text file', ['save it as CSV or Parquet']);
  const separator = separatorIn(text.split('\n', 1)[0] ?? '');
  const places = [...scan(file, text, { separator, row: 1, isLast: true }).places];
  if (places.length < 2) throw refusal(file, {}, 'the file is empty: its first line names the columns');
  const header = text.slice(places[0], places.at(-1));
  const names = places
    .slice(1)
    .map((end, i) => cellText(text.slice((places[i] ?? 0) + (i === 0 ? 0 : 1), end)).trim());
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw refusal(file, { row: 1 }, `two columns have the name ${JSON.stringify(twice)}`, [
      'rename one of them',
    ]);
  return new TextTable(file, { separator, header }, names);
}

/** The separator that makes the most cells of a header. */
function separatorIn(header: string): string {
  const counts = ([',', ';', '\t'] as const).map((separator) => ({
    separator,
    cells: cellsIn(header, separator).length,
  }));
  return counts.reduce((best, one) => (one.cells > best.cells ? one : best)).separator;
}
