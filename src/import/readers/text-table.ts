import { isAscii } from 'node:buffer';
import type { Problem } from '../../errors/problem.ts';
import { counted, grouped } from '../../errors/wording.ts';
import { type DateOrder, limits, notUtf8, refusal, type SourceFile } from '../files/source-file.ts';
import { dateColumn, WrittenCells, type WrittenRow } from './written-cells.ts';

/** Longer records are refused, so that a file of another kind cannot fill memory. */
const longestRecord = 16 * 1024 * 1024;

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d];

/** The byte-order mark of UTF-8, one character for each byte. */
const mark = '\u00EF\u00BB\u00BF';

/** Some consecutive records of a delimited text, as places in its bytes. */
export type Records = {
  readonly bytes: Buffer;
  /** For each record its row, the number of its cells, the place before it, and the end of each cell. */
  readonly places: Int32Array;
};

/** The places of a record before those of its cells: its row, the number of its cells, the place before it. */
export const recordHead = 3;

/** How the cells of a text are written. */
type CellForm = {
  /** Default: none, so that a line is one cell. */
  readonly separator?: string;
  /**
   * What a quote is: at the beginning of a cell it opens it, and elsewhere is refused (`strict`) or a character like
   * others (`loose`, also if text follows the closing quote); or it always is such a character (`none`).
   */
  readonly quotes?: 'strict' | 'loose' | 'none';
  /** The number of cells of every record, if others are refused. */
  readonly width?: number;
};

/**
 * The records of a delimited text in batches (RFC 4180, LF or CRLF), each valid until the next one is read. Rows count
 * as in an editor: empty lines are skipped, but count. What is refused is refused with its row.
 */
export async function* recordsIn(file: SourceFile, form: CellForm): AsyncGenerator<Records> {
  const scanner = new Scanner(file, form);
  const input = await file.open();
  try {
    let space = Buffer.alloc(256 * 1024);
    let [size, enough] = [0, mark.length];
    const add = (chunk: Buffer) => {
      if (size + chunk.length > space.length)
        space = Buffer.concat([space.subarray(0, size)], 2 * (size + chunk.length));
      size += chunk.copy(space, size);
    };
    for await (const chunk of input as AsyncIterable<Buffer>) {
      add(chunk);
      if (size < enough && size <= longestRecord) continue;
      const records = scanner.scan(space.subarray(0, size), false);
      if (records.places.length > 0) yield records;
      space.copyWithin(0, records.end, size);
      size -= records.end;
      // A record of many chunks is scanned again only when its bytes have doubled.
      enough = 2 * size;
    }
    add(Buffer.of(lineFeed));
    const records = scanner.scan(space.subarray(0, size), true);
    if (records.places.length > 0) yield records;
  } finally {
    input.destroy();
  }
}

class Scanner {
  readonly #file: SourceFile;
  readonly #form: CellForm;
  #places = new Int32Array(64 * 1024);
  /** The row of the next record. */
  #row = 1;
  #isStart = true;

  constructor(file: SourceFile, form: CellForm) {
    this.#file = file;
    this.#form = form;
  }

  /** Finds the records in bytes that begin with one; an incomplete one may begin at `end`. */
  scan(bytes: Buffer, isLast: boolean): Records & { readonly end: number } {
    const first = this.#isStart && bytes.toString('latin1', 0, mark.length) === mark ? mark.length : 0;
    this.#isStart = false;
    const { separator, quotes = 'strict', width } = this.#form;
    const comma = separator?.charCodeAt(0) ?? -1;
    const greatest = Math.max(comma, quote);
    const { length } = bytes;
    let places = this.#places;
    let room = places.length - recordHead;
    let lines = 1;
    /** Where the record and the cell begin, and the places of the record and of its next cell in `places`. */
    let [start, cell, from, used] = [first, first, 0, recordHead];
    for (let at = first; at < length; at += 1) {
      const code = bytes[at] ?? 0;
      if (code > greatest) continue;
      if (used >= room) {
        places = this.#grown();
        room = places.length - recordHead;
      }
      if (code === comma) {
        places[used] = at;
        used += 1;
        cell = at + 1;
        continue;
      }
      if (code === quote) {
        if (quotes === 'none' || (quotes === 'loose' && at !== cell)) continue;
        if (at !== cell) throw this.#broken('a quote inside an unquoted cell');
        const end = quotedEnd(bytes, at);
        if (end === -1 && isLast) throw this.#broken('a quote opens here and is never closed');
        // What follows the quote may be in the next piece of the file.
        if (end === -1 || (end >= length - 1 && !isLast)) break;
        const [next, after] = [bytes[end] ?? lineFeed, bytes[end + 1] ?? lineFeed];
        if (next !== comma && next !== lineFeed && !(next === carriageReturn && after === lineFeed)) {
          if (quotes === 'loose') continue;
          throw this.#broken('text after a closing quote');
        }
        lines += linesBetween(bytes, at, end);
        at = end - 1;
        continue;
      }
      if (code !== lineFeed) continue;
      const isReturn = at > cell && bytes[at - 1] === carriageReturn;
      places[used] = isReturn ? at - 1 : at;
      used += 1;
      cell = at + 1;
      const isBlank = places[used - 1] === start;
      if (!isBlank) {
        const found = used - from - recordHead;
        if (width !== undefined && found !== width) throw otherWidth(this.#file, this.#row, found, width);
        places[from] = this.#row;
        places[from + 1] = found;
        places[from + 2] = start - 1;
        from = used;
      }
      used = from + recordHead;
      this.#row += lines;
      lines = 1;
      start = cell;
    }
    if (length - start > longestRecord)
      throw this.#broken('a record of more than 16 MiB; this is not a CSV file');
    return { bytes, places: places.subarray(0, from), end: start };
  }

  #grown(): Int32Array<ArrayBuffer> {
    const places = new Int32Array(2 * this.#places.length);
    places.set(this.#places);
    this.#places = places;
    return places;
  }

  #broken(reason: string): Problem {
    return refusal(this.#file, { row: this.#row }, reason);
  }
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

/** The refusal of a record that has more or fewer cells than the header. */
export function otherWidth(file: SourceFile, row: number, found: number, width: number): Problem {
  const reason = `${counted(found, 'cell')}, but the header has ${width}; is the file truncated?`;
  return refusal(file, { row }, reason);
}

/** The text of a cell from its written form, which has one character for each byte. */
export function cellText(written: string, quotes: CellForm['quotes'] = 'strict'): string {
  const isQuoted =
    quotes === 'strict' ? written.startsWith('"') : quotes === 'loose' && isWhollyQuoted(written);
  const text = isQuoted ? written.slice(1, -1).replaceAll('""', '"') : written;
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}

/** Whether the quote that opens a cell closes at its end. */
function isWhollyQuoted(written: string): boolean {
  return /^".*"$/s.test(written) && !written.slice(1, -1).replaceAll('""', '').includes('"');
}

const separators = [',', ';', '\t'] as const;

/** The separator that splits a header into the most cells. */
export function separatorIn(header: string): string {
  const counts = separators.map((separator) => cellsIn(header, separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The first lines of a text, without a byte-order mark and line ends. */
export function linesOf(head: string, count: number): readonly string[] {
  // The byte-order mark is one character, or three in a head that was decoded byte by byte.
  const text = head.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '');
  return text.split('\n', count).map((line) => line.replace(/\r$/, ''));
}

/** The cells of one line, without blanks and quotes around them; good for recognising a format only. */
export function cellsIn(line: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let [start, quoted] = [0, false];
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') quoted = !quoted;
    if (at < line.length && (quoted || line[at] !== separator)) continue;
    cells.push(
      line
        .slice(start, at)
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    );
    start = at + 1;
  }
  return cells;
}

/** Whether FRED and ALFRED name columns of dates so. */
export function isDateColumn(name: string): boolean {
  return /^(?:observation_|period_start_)?date$/i.test(name);
}

type Dialect = {
  readonly separator: string;
  /** The rows of titles above the header. */
  readonly titles: number;
  /** The columns in which a data frame numbers its rows, before the dates. */
  readonly indexes: number;
};

/** The most rows of titles that are looked through for a header. */
const mostTitles = 60;

/** The names that data frames give to the column of their row numbers. */
const indexName = /^(?:|index|Unnamed: \d+)$/;

function dialectOf(head: string): Dialect {
  const lines = linesOf(head, mostTitles + 2);
  const titles = titlesAbove(lines);
  const header = lines[titles] ?? '';
  const separator = separatorIn(header);
  const names = cellsIn(header, separator);
  const count = names.findIndex((name) => !indexName.test(name));
  const indexes = count > 0 && dateColumn.test(names[count] ?? '') ? count : 0;
  return { separator, titles, indexes };
}

/** The rows of titles above a header, each of at most two cells; the header has a date column, digits below it. */
function titlesAbove(lines: readonly string[]): number {
  for (const [index, line] of lines.entries()) {
    const readings = separators.map((separator) => cellsIn(line, separator));
    if (readings.some(isHeader)) {
      const next = lines.slice(index + 1).find((below) => !/^[\s,;]*$/.test(below)) ?? '';
      return /^"?\d/.test(next) ? index : 0;
    }
    if (readings.some((cells) => cells.filter((cell) => cell !== '').length > 2)) return 0;
  }
  return 0;
}

function isHeader([first = '', ...others]: readonly string[]): boolean {
  return (isDateColumn(first) || /^sasdate$/i.test(first)) && others.some((cell) => cell !== '');
}

/** The names in the header of a CSV file, without blanks and quotes around them; good for recognising a format only. */
export function headerOf(head: string): readonly string[] {
  const header = cellsOf(head, 0);
  const last = header.findLastIndex((name) => name !== '');
  return header.slice(0, Math.max(last, 0) + 1);
}

/** The cells of the row with that index below the titles, without row numbers of a data frame; 0 is the header. */
export function cellsOf(head: string, index: number): readonly string[] {
  const { separator, titles, indexes } = dialectOf(head);
  return cellsIn(linesOf(head, titles + index + 1)[titles + index] ?? '', separator).slice(indexes);
}

/** One record of a CSV file and its row, counted from 1. */
export type CsvRow = { readonly row: number; readonly cells: readonly string[] };

/**
 * The records of a CSV file in batches, from its header on. What programs make of it is undone: titles above it,
 * other separators, decimal commas, row numbers of a data frame, empty cells beyond the header, other forms of dates,
 * `NaN`. Dates and numbers that could be read in two ways are refused; `usual` is the order of month and day if open.
 */
export async function* readCsv(file: SourceFile, usual?: DateOrder): AsyncGenerator<readonly CsvRow[]> {
  const dialect = dialectOf((await file.head()).toString('latin1'));
  const { separator, titles, indexes } = dialect;
  let reader: WrittenCells | undefined;
  for await (const batch of delimitedRows(file, { separator })) {
    const rows = batch.filter(({ row }) => row > titles);
    if (reader === undefined) {
      const header = rows.shift();
      if (header === undefined) continue;
      const again = () => delimitedRows(file, { separator });
      reader = new WrittenCells(file, { header, indexes, hasCommas: separator !== ',', usual, again });
      // A header with a fault is refused before the rows below it are read.
      yield [header];
    }
    if (rows.length === 0) continue;
    await reader.read(rows);
    yield rows;
  }
}

/** Characters that show that a file is not UTF-8 text: NUL, and the replacement of undecodable bytes. */
const foreign = /[\0\uFFFD]/;

/** The records of a UTF-8 text with their cells; a byte that is not UTF-8 is refused with its row. */
export async function* delimitedRows(file: SourceFile, form: CellForm): AsyncGenerator<WrittenRow[]> {
  for await (const { bytes, places } of recordsIn(file, form)) {
    const text = bytes.toString('latin1');
    const isPlain = isAscii(bytes) && !bytes.includes(0);
    const rows: WrittenRow[] = [];
    for (let at = 0; at < places.length; ) {
      const [row = 0, count = 0] = [places[at], places[at + 1]];
      if (count > limits.columns) throw tooWide(file, row);
      // An array that grows takes three times as much memory.
      const cells = new Array<string>(count);
      at += recordHead;
      let start = (places[at - 1] ?? 0) + 1;
      for (let column = 0; column < count; column += 1) {
        const end = places[at + column] ?? 0;
        const written = text.slice(start, end);
        const value = isPlain && written[0] !== '"' ? written : cellText(written, form.quotes);
        if (!isPlain && foreign.test(value)) throw notUtf8(file, { row, value });
        cells[column] = value;
        start = end + 1;
      }
      at += count;
      rows.push({ row, cells });
    }
    yield rows;
  }
}

function tooWide(file: SourceFile, row: number): Problem {
  const most = grouped(limits.columns);
  return refusal(file, { row }, `more than ${most} columns, the limit of a table`, [
    'split it, or write one value a line: series_id,date,as_of_date,value',
  ]);
}

/** The order of month and day if the file leaves it open, and the refusal of a file without rows. */
type BodyForm = { readonly usual?: DateOrder | undefined; readonly noRows?: string };

type CsvBody<Header> = { readonly header: Header; readonly rows: readonly CsvRow[] };

/**
 * The records below the header of a CSV file, in batches, each with the result of `readHeader` (called once), without
 * empty ones. Refused: a record with more or fewer cells than the header, and a file without records.
 */
export async function* readCsvBody<Header>(
  file: SourceFile,
  readHeader: (header: CsvRow) => Header,
  { usual, noRows = 'the file has a header and no rows' }: BodyForm = {},
): AsyncGenerator<CsvBody<Header>> {
  let known: { readonly header: Header; readonly width: number } | undefined;
  let empty = true;
  for await (const batch of readCsv(file, usual)) {
    let records = batch;
    if (known === undefined) {
      const first = batch[0];
      if (first === undefined) continue;
      known = { header: readHeader(first), width: first.cells.length };
      records = batch.slice(1);
    }
    const { header, width } = known;
    const rows = records.filter(({ row, cells }) => {
      if (cells[0]?.trim() === '' && cells.every((cell) => cell.trim() === '')) return false;
      if (cells.length === width) return true;
      throw otherWidth(file, row, cells.length, width);
    });
    if (rows.length === 0) continue;
    empty = false;
    yield { header, rows };
  }
  if (known === undefined) throw refusal(file, {}, 'the file is empty');
  if (empty) throw refusal(file, {}, noRows);
}
