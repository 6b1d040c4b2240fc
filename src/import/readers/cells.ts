import { isAscii } from 'node:buffer';
import { grouped } from '../../errors/wording.ts';
import { copyOf, limits, notUtf8, refusal, type SourceFile } from '../files/source-file.ts';
import { type CellForm, cellText, type Records, recordHead, recordsIn } from './delimited.ts';

/** One record of a CSV file and its row, counted from 1. */
export type CsvRow = { readonly row: number; readonly cells: readonly string[] };

/** A column of records: texts, and the place among them of each record's own. */
export type CsvColumn = {
  readonly texts: readonly string[];
  /** The row of the first record with each text. */
  readonly rows: ArrayLike<number>;
  readonly places: Uint32Array;
};

/** Records of a table with the columns of its header, by column. */
export class CsvRows implements Iterable<CsvRow> {
  /** The row of each record. */
  readonly rows: Int32Array;
  readonly columns: readonly CsvColumn[];

  constructor(rows: Int32Array, columns: readonly CsvColumn[]) {
    this.rows = rows;
    this.columns = columns;
  }

  at(index: number): CsvRow {
    const cells = this.columns.map(({ texts, places }) => texts[places[index] ?? 0] ?? '');
    return { row: this.rows[index] ?? 0, cells };
  }

  *[Symbol.iterator](): Generator<CsvRow> {
    for (let index = 0; index < this.rows.length; index += 1) yield this.at(index);
  }
}

/** Characters that show that a file is not UTF-8 text: NUL, and the replacement of undecodable bytes. */
const foreign = /[\0\uFFFD]/;

/** Reads the records of a UTF-8 text with their cells; throws with the row for other bytes. */
export async function* delimitedRows(file: SourceFile, form: CellForm): AsyncGenerator<CsvRow[]> {
  for await (const records of recordsIn(file, form)) {
    const cells = new RecordCells(file, records, form.quotes);
    const rows: CsvRow[] = [];
    for (let at = 0; at < cells.end; at = cells.after(at)) rows.push(cells.row(at));
    yield rows;
  }
}

const [space, quote, minus, zero, upperN, lowerN] = [0x20, 0x22, 0x2d, 0x30, 0x4e, 0x6e];

/** Returns the digits of a day that is written as YYYY-MM-DD; -1 for other bytes. */
function digitsOfDay(bytes: Buffer, from: number, to: number): number {
  if (to - from !== 10 || bytes[from + 4] !== minus || bytes[from + 7] !== minus) return -1;
  let digits = 0;
  for (let at = from; at < to; at += 1) {
    if (at === from + 4 || at === from + 7) continue;
    const digit = (bytes[at] ?? 0) - zero;
    if (digit < 0 || digit > 9) return -1;
    digits = digits * 10 + digit;
  }
  return digits;
}

/** The texts of a column of days, of which a file has few; those written as YYYY-MM-DD are known by their digits. */
type DayTexts = {
  readonly texts: string[];
  readonly rows: number[];
  readonly known: Map<number | string, number>;
};

/** The cells of consecutive records; a record is named by its place, and the first is at 0. */
export class RecordCells {
  readonly end: number;
  readonly #file: SourceFile;
  readonly #bytes: Buffer;
  readonly #places: Int32Array;
  /** The bytes, a character each. */
  readonly #text: string;
  /** True if each byte is a character. */
  readonly #isPlain: boolean;
  readonly #quotes: CellForm['quotes'];

  constructor(file: SourceFile, { bytes, places }: Records, quotes: CellForm['quotes']) {
    this.#file = file;
    this.#bytes = bytes;
    this.#places = places;
    this.end = places.length;
    this.#text = bytes.toString('latin1');
    this.#isPlain = isAscii(bytes) && !bytes.includes(0);
    this.#quotes = quotes;
    // The bytes behind the last record may end in half a character.
    if (!this.#isPlain && foreign.test(bytes.toString('utf8', 0, places.at(-1)))) this.#refuseForeign();
  }

  /** Throws for the first cell that is not UTF-8. */
  #refuseForeign(): void {
    for (let at = 0; at < this.end; at = this.after(at)) {
      const { row, cells } = this.row(at);
      const value = cells.find((cell) => foreign.test(cell));
      if (value !== undefined) throw notUtf8(this.#file, { row, value });
    }
  }

  /** The place of the record after another one. */
  after(at: number): number {
    return at + recordHead + this.width(at);
  }

  /** The row of a record in the file. */
  number(at: number): number {
    return this.#places[at] ?? 0;
  }

  numbers(records: Int32Array): Int32Array {
    return records.map((at) => this.number(at));
  }

  /** The number of cells of a record; throws if there are too many. */
  width(at: number): number {
    const width = this.#places[at + 1] ?? 0;
    if (width <= limits.columns) return width;
    const reason = `more than ${grouped(limits.columns)} columns, the limit of a table`;
    throw refusal(this.#file, { row: this.number(at) }, reason, [
      'split it, or write one value a line: series_id,date,as_of_date,value',
    ]);
  }

  cell(at: number, column: number): string {
    const place = at + recordHead + column;
    const written = this.#text.slice((this.#places[place - 1] ?? 0) + 1, this.#places[place]);
    if (this.#isPlain && written[0] !== '"') return written;
    return cellText(written, this.#quotes);
  }

  row(at: number): CsvRow {
    const cells = Array.from({ length: this.width(at) }, (_, column) => this.cell(at, column));
    return { row: this.number(at), cells };
  }

  /** Tells whether a cell has a text other than blanks and `NaN`; false is no proof of the contrary. */
  hasText(at: number, column: number): boolean {
    const place = at + recordHead + column;
    const start = (this.#places[place - 1] ?? 0) + 1;
    const length = (this.#places[place] ?? 0) - start;
    const quotes = this.#bytes[start] === quote ? 1 : 0;
    const byte = this.#bytes[start + quotes] ?? 0;
    if (length <= 2 * quotes || byte <= space || byte >= 0x80 || byte === quote) return false;
    return length - 2 * quotes !== 'NaN'.length || (byte !== upperN && byte !== lowerN);
  }

  /** Returns a column of records; a cell that repeats the one above is the same text, and `read` converts the others. */
  column(records: Int32Array, column: number, read: (cell: string, row: number) => string): CsvColumn {
    const [ends, bytes] = [this.#places, this.#bytes];
    const texts: string[] = [];
    const [rows, places] = [new Int32Array(records.length), new Uint32Array(records.length)];
    let [start, end] = [0, -1];
    for (let index = 0; index < records.length; index += 1) {
      const at = records[index] ?? 0;
      const place = at + recordHead + column;
      const [from, to] = [(ends[place - 1] ?? 0) + 1, ends[place] ?? 0];
      if (!areEqual(bytes, from, to, start, end)) {
        const row = this.number(at);
        rows[texts.length] = row;
        texts.push(read(this.cell(at, column), row));
        [start, end] = [from, to];
      }
      places[index] = texts.length - 1;
    }
    return { texts, rows, places };
  }

  /** Returns a column of days, and adds new ones to those of its file. */
  days(records: Int32Array, column: number, days: DayTexts): CsvColumn {
    const [ends, bytes] = [this.#places, this.#bytes];
    const places = new Uint32Array(records.length);
    let [last, found] = [-1, -1];
    for (let index = 0; index < records.length; index += 1) {
      const at = records[index] ?? 0;
      const place = at + recordHead + column;
      const digits = digitsOfDay(bytes, (ends[place - 1] ?? 0) + 1, ends[place] ?? 0);
      if (digits === -1 || digits !== last) found = this.#placeOfDay(at, column, digits, days);
      last = digits;
      places[index] = found;
    }
    return { texts: days.texts, rows: days.rows, places };
  }

  #placeOfDay(at: number, column: number, digits: number, { texts, rows, known }: DayTexts): number {
    const key = digits === -1 ? this.cell(at, column) : digits;
    const place = known.get(key);
    if (place !== undefined) return place;
    const text = copyOf(this.cell(at, column));
    known.set(digits === -1 ? text : digits, texts.length);
    texts.push(text);
    rows.push(this.number(at));
    return texts.length - 1;
  }
}

/** Tells whether two parts of bytes are the same; compares from the end, where days differ. */
function areEqual(bytes: Buffer, from: number, to: number, start: number, end: number): boolean {
  if (to - from !== end - start) return false;
  for (let at = to - 1, other = end - 1; at >= from; at -= 1, other -= 1)
    if (bytes[at] !== bytes[other]) return false;
  return true;
}
