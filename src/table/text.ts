import type { TableBatch, TableText, UserTable } from '../answering/table.ts';
import type { Problem } from '../errors/problem.ts';
import { counted } from '../errors/wording.ts';
import { refusal, type SourceFile } from '../import/files/source-file.ts';
import { cellsIn } from '../import/readers/dialect.ts';
import type { Cell } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';

/** Longer records are refused, so that a file of another kind cannot fill memory. */
const longestRecord = 16 * 1024 * 1024;

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d];

/** The records of a text, as the places where they begin and where their cells end. */
type Scanned = {
  readonly count: number;
  /** For each record its row, its beginning, and the end of each of its cells. */
  readonly places: Int32Array;
  /** Where the first incomplete record begins, and its row. */
  readonly end: number;
  readonly row: number;
};

/** Where a scan begins, and what it expects. */
type ScanStart = {
  readonly separator: string;
  readonly row: number;
  /** Whether no bytes of the file follow. */
  readonly isLast: boolean;
  /** The cells of each record; without it only the first record is scanned. */
  readonly width?: number;
  /** Memory for the places, which is used again if it is large enough. */
  readonly space?: Int32Array;
};

/**
 * Finds the records in bytes of CSV (RFC 4180). The bytes begin with a record, and a line end follows the last one.
 * Empty lines are skipped, but count as rows. A Problem names the row of a broken quote, and of a record with more or
 * fewer cells than the others.
 */
function scan(file: SourceFile, bytes: Buffer, expected: ScanStart): Scanned {
  const { separator, isLast, width } = expected;
  const comma = separator.charCodeAt(0);
  const greatest = Math.max(comma, quote);
  const { length } = bytes;
  const places = spaceFor(length, expected.space);
  let [row, lines, count] = [expected.row, 1, 0];
  /** Where the record and the cell begin, and the places of the record and of its next cell in `places`. */
  let [start, cell, from, used] = [0, 0, 0, 2];
  for (let at = 0; at < length; at += 1) {
    const code = bytes[at] ?? 0;
    if (code > greatest) continue;
    if (code === comma) {
      places[used] = at;
      used += 1;
      cell = at + 1;
      continue;
    }
    if (code === quote) {
      if (at !== cell) throw refusal(file, { row }, 'a quote inside an unquoted cell');
      const end = quotedEnd(bytes, at);
      if (end === -1 && isLast) throw refusal(file, { row }, 'a quote opens here and is never closed');
      // What follows the quote may be in the next piece of the file.
      if (end === -1 || (end >= length - 1 && !isLast)) break;
      const [next = lineFeed, after = lineFeed] = bytes.subarray(end, end + 2);
      if (next !== comma && next !== lineFeed && !(next === carriageReturn && after === lineFeed))
        throw refusal(file, { row }, 'text after a closing quote');
      lines += linesBetween(bytes, at, end);
      at = end - 1;
      continue;
    }
    if (code !== lineFeed) continue;
    const isReturn = at > cell && bytes[at - 1] === carriageReturn;
    places[used] = isReturn ? at - 1 : at;
    used += 1;
    cell = at + 1;
    const found = used - from - 2;
    const isBlank = places[used - 1] === start;
    if (!isBlank) {
      if (width !== undefined && found !== width) throw otherWidth(file, row, found, width);
      places[from] = row;
      places[from + 1] = start;
      from = used;
      count += 1;
    }
    used = from + 2;
    row += lines;
    lines = 1;
    start = cell;
    if (width === undefined && count > 0) break;
  }
  return { count, places: places.subarray(0, from), end: start, row };
}

/** Memory for the places of all records that some bytes may contain: each record has a byte more than it has cells. */
function spaceFor(length: number, space: Int32Array | undefined): Int32Array {
  const needed = 2 * length + 4;
  return space !== undefined && space.length >= needed ? space : new Int32Array(needed);
}

function linesBetween(bytes: Buffer, from: number, to: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineFeed, from); at !== -1 && at < to; at = bytes.indexOf(lineFeed, at + 1))
    lines += 1;
  return lines;
}

/** The place after the quote that closes the one at a place; -1 if there is none. */
function quotedEnd(bytes: Buffer, at: number): number {
  for (let close = bytes.indexOf(quote, at + 1); close !== -1; close = bytes.indexOf(quote, close + 2))
    if (bytes[close + 1] !== quote) return close + 1;
  return -1;
}

function otherWidth(file: SourceFile, row: number, found: number, width: number): Problem {
  return refusal(
    file,
    { row },
    `${counted(found, 'cell')}, but the header has ${width}; is the file truncated?`,
  );
}

/** Rows of a text file, valid until the next ones are read. */
class TextBatch implements TableBatch {
  readonly #bytes: Buffer;
  readonly #scanned: Scanned;
  readonly #stride: number;

  constructor(bytes: Buffer, scanned: Scanned, width: number) {
    this.#bytes = bytes;
    this.#scanned = scanned;
    this.#stride = width + 2;
  }

  get size(): number {
    return this.#scanned.count;
  }

  rowAt(index: number): number {
    return this.#scanned.places[index * this.#stride] ?? 0;
  }

  cellAt(index: number, column: number): Cell {
    const text = this.#bytes.toString('latin1', this.#startOf(index, column), this.#endOf(index, column));
    return text === '' ? null : cellText(text) || null;
  }

  repeats(index: number, column: number): boolean {
    if (index === 0) return false;
    const bytes = this.#bytes;
    const [start, end] = [this.#startOf(index, column), this.#endOf(index, column)];
    const above = this.#startOf(index - 1, column);
    if (this.#endOf(index - 1, column) - above !== end - start) return false;
    for (let at = start; at < end; at += 1) if (bytes[at] !== bytes[at - start + above]) return false;
    return true;
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  copyRow(index: number, target: Buffer, at: number): number {
    const bytes = this.#bytes;
    const end = this.#endOf(index, this.#stride - 3);
    let to = at;
    // Buffer.copy takes longer for a few bytes.
    for (let from = this.#startOf(index, 0); from < end; from += 1, to += 1) target[to] = bytes[from] ?? 0;
    return to;
  }

  #startOf(index: number, column: number): number {
    const place = this.#scanned.places[index * this.#stride + column + 1] ?? 0;
    return column === 0 ? place : place + 1;
  }

  #endOf(index: number, column: number): number {
    return this.#scanned.places[index * this.#stride + column + 2] ?? 0;
  }
}

/** The text of a cell from its written form, which has one character for each byte. */
function cellText(written: string): string {
  const text = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

/** A table in a text file: CSV, or separated by semicolons or tabs. It is read in pieces. */
class TextTable implements UserTable {
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
      asWritten: true,
    }));
  }

  get name(): string {
    return this.#file.path;
  }

  async *batches(): AsyncGenerator<TableBatch> {
    const { separator } = this.text;
    const width = this.fields.length;
    const input = await this.#file.open();
    let rest: Buffer = Buffer.alloc(0);
    let [row, isFirst] = [1, true];
    let space: Int32Array | undefined;
    /** The records of some bytes, without the header, which is the first. */
    const batchOf = (bytes: Buffer, isLast: boolean): TextBatch => {
      space = spaceFor(bytes.length, space);
      const found = scan(this.#file, bytes, { separator, row, isLast, width, space });
      rest = bytes.subarray(found.end);
      row = found.row;
      if (rest.length > longestRecord)
        throw refusal(this.#file, { row }, 'a record of more than 16 MiB; this is not a CSV file');
      const skipped = isFirst && found.count > 0 ? 1 : 0;
      isFirst &&= skipped === 0;
      const places = found.places.subarray(skipped * (width + 2));
      return new TextBatch(bytes, { ...found, places, count: found.count - skipped }, width);
    };
    try {
      let isStart = true;
      for await (const chunk of input as AsyncIterable<Buffer>) {
        const bytes = isStart ? withoutMark(chunk) : Buffer.concat([rest, chunk]);
        isStart = false;
        const batch = batchOf(bytes, false);
        if (batch.size > 0) yield batch;
      }
      const batch = batchOf(withLineEnd(rest), true);
      if (batch.size > 0) yield batch;
    } finally {
      input.destroy();
    }
  }
}

/** Bytes with a line end, added if it is missing. */
function withLineEnd(bytes: Buffer): Buffer {
  return bytes.length === 0 || bytes.at(-1) === lineFeed
    ? bytes
    : Buffer.concat([bytes, Buffer.of(lineFeed)]);
}

/** Bytes without the byte-order mark of UTF-8. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.toString('latin1', 0, 3) === '\u00EF\u00BB\u00BF' ? 3 : 0);
}

/** The table in a text file, whose first line names its columns; a Problem if it has none, or repeats a name. */
export async function textTable(file: SourceFile, head: Buffer): Promise<UserTable> {
  const bytes = withoutMark(head);
  const text = bytes.toString('latin1');
  if (/\0/.test(text)) throw refusal(file, {}, 'this is not a text file', ['save it as CSV or Parquet']);
  const separator = separatorIn(text.split('\n', 1)[0] ?? '');
  const [, ...places] = scan(file, withLineEnd(bytes), { separator, row: 1, isLast: true }).places;
  if (places.length < 2) throw refusal(file, {}, 'the file is empty: its first line names the columns');
  const header = text.slice(places[0], places.at(-1));
  const names = places
    .slice(1)
    .map((end, i) => cellText(text.slice((places[i] ?? 0) + (i === 0 ? 0 : 1), end)).trim());
  refuseTwice(file, { row: 1 }, names);
  return new TextTable(file, { separator, header }, names);
}

/** Refuses a table in which two columns have the same name. */
export function refuseTwice(
  file: SourceFile,
  place: { readonly row?: number },
  names: readonly string[],
): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw refusal(file, place, `two columns have the name ${JSON.stringify(twice)}`, ['rename one of them']);
}

/** The separator that splits a header into the most cells. */
function separatorIn(header: string): string {
  const counts = ([',', ';', '\t'] as const).map((separator) => ({
    separator,
    cells: cellsIn(header, separator).length,
  }));
  return counts.reduce((best, one) => (one.cells > best.cells ? one : best)).separator;
}
