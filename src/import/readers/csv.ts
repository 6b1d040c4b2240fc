import { isAscii } from 'node:buffer';
import { missingTexts } from '../../domain/values/missing-value.ts';
import { grouped } from '../../errors/wording.ts';
import { type DateOrder, limits, notUtf8, refusal, type SourceFile } from '../files/source-file.ts';
import { type CellForm, cellText, otherWidth, recordHead, recordsIn } from './delimited.ts';

const separators = [',', ';', '\t'] as const;

/** Returns the separator that splits a header into the most cells. */
export function separatorIn(header: string): string {
  const counts = separators.map((separator) => cellsIn(header, separator).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Returns the first lines of a text, without a byte-order mark and line ends. */
export function linesOf(head: string, count: number): readonly string[] {
  // The byte-order mark is one character, or three in a head that was decoded byte by byte.
  const text = head.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '');
  return text.split('\n', count).map((line) => line.replace(/\r$/, ''));
}

/** Splits a line into cells without surrounding blanks and quotes; only good for recognising a format. */
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

/** Tells whether FRED and ALFRED name columns of dates so. */
export function isDateColumn(name: string): boolean {
  return /^(?:observation_|period_start_)?date$/i.test(name);
}

type Dialect = {
  readonly separator: string;
  /** The rows of titles above the header. */
  readonly titles: number;
  /** The number of columns before the dates, in which a data frame numbers its rows. */
  readonly indexes: number;
};

/** The most rows of titles above a header. */
export const mostTitles = 60;

/** The names of data frames for their column of row numbers. */
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

/** Counts the rows of titles above a header, each of at most two cells; dates must follow the header. */
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

/** The beginning of a file, by which its format is recognised. */
export type FileHead = {
  readonly name: string;
  /** The first 64 KiB; for Parquet and workbooks only the signature. */
  readonly text: string;
  /** The names of columns, if the text is a table. */
  readonly header: readonly string[];
  /** The cells of the row below the header. */
  readonly second: readonly string[];
  /** The names of the columns of a Parquet file. */
  readonly columns?: readonly string[];
  /** The sheets of a workbook that have rows. */
  readonly sheets?: readonly { readonly name: string; readonly head: FileHead }[];
};

/** Makes the head of a text; a sheet or a part of a file has no name. */
export function textHead(text: string, name = ''): FileHead {
  const header = cellsOf(text, 0);
  const last = header.findLastIndex((column) => column !== '');
  return { name, text, header: header.slice(0, Math.max(last, 0) + 1), second: cellsOf(text, 1) };
}

/** Returns the cells of a row below the titles, by index, without row numbers of a data frame. */
function cellsOf(head: string, index: number): readonly string[] {
  const { separator, titles, indexes } = dialectOf(head);
  return cellsIn(linesOf(head, titles + index + 1)[titles + index] ?? '', separator).slice(indexes);
}

/** One record of a CSV file and its row, counted from 1. */
export type CsvRow = { readonly row: number; readonly cells: readonly string[] };

/**
 * Reads the records of a CSV file in batches, from its header on; `usual` decides ambiguous dates.
 * Undoes titles, separators, decimal commas, row numbers, empty cells, forms of dates and `NaN` of programs.
 * Throws if dates or numbers stay ambiguous.
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
      // A faulty header is refused before the rows below it are read.
      yield [header];
    }
    if (rows.length === 0) continue;
    await reader.read(rows);
    yield rows;
  }
}

/** Characters that show that a file is not UTF-8 text: NUL, and the replacement of undecodable bytes. */
const foreign = /[\0\uFFFD]/;

/** Reads the records of a UTF-8 text with their cells; throws with the row for other bytes. */
export async function* delimitedRows(file: SourceFile, form: CellForm): AsyncGenerator<WrittenRow[]> {
  for await (const { bytes, places } of recordsIn(file, form)) {
    const text = bytes.toString('latin1');
    const isPlain = isAscii(bytes) && !bytes.includes(0);
    const rows: WrittenRow[] = [];
    for (let at = 0; at < places.length; ) {
      const [row = 0, count = 0] = [places[at], places[at + 1]];
      if (count > limits.columns)
        throw refusal(file, { row }, `more than ${grouped(limits.columns)} columns, the limit of a table`, [
          'split it, or write one value a line: series_id,date,as_of_date,value',
        ]);
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

/**
 * Yields the records below the header of a CSV file, in batches, with the result of `readHeader`.
 * Skips empty records; throws for a record of another width than the header, and for a file without records.
 */
export async function* readCsvBody<Header>(
  file: SourceFile,
  readHeader: (header: CsvRow) => Header,
  form: { readonly usual?: DateOrder | undefined; readonly noRows?: string } = {},
): AsyncGenerator<{ readonly header: Header; readonly rows: readonly CsvRow[] }> {
  let known: { readonly header: Header; readonly width: number } | undefined;
  let empty = true;
  for await (const batch of readCsv(file, form.usual)) {
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
  if (empty) throw refusal(file, {}, form.noRows ?? 'the file has a header and no rows');
}

/** A record as written in its file; a WrittenCells replaces its cells. */
type WrittenRow = { readonly row: number; cells: string[] };

const dateColumn = /(?:^|_)date$|^sasdate$|^realtime_(?:start|end)$|^covered_to$/i;

const [upperNan, lowerNan] = missingTexts.dataFrame;

const commaNumber = /^-?\d+,\d+(?:e[+-]?\d+)?$/i;
const pointNumber = /^-?\d+\.\d+(?:e[+-]?\d+)?$/i;

type SignedNumber = { readonly row: number; readonly column: string; readonly value: string };

type WrittenTable = {
  readonly header: WrittenRow;
  /** The number of columns before the dates, in which a data frame numbers its rows. */
  readonly indexes: number;
  readonly hasCommas: boolean;
  /** The order of month and day if the file leaves it open. */
  readonly usual: DateOrder | undefined;
  readonly again: () => AsyncIterable<readonly WrittenRow[]>;
};

/** Undoes other programs' changes to the cells of a CSV file. */
class WrittenCells {
  readonly #file: SourceFile;
  readonly #names: readonly string[];
  readonly #indexes: number;
  /** True if the header ends in cells without a name. */
  readonly #hasBlankNames: boolean;
  readonly #dateColumns: readonly number[];
  readonly #decideOrder: () => Promise<DateOrder>;
  #order: DateOrder | undefined;
  readonly #hasCommas: boolean;
  #comma: SignedNumber | undefined;
  #point: SignedNumber | undefined;

  constructor(file: SourceFile, { header, indexes, hasCommas, usual, again }: WrittenTable) {
    this.#file = file;
    this.#indexes = indexes;
    header.cells = header.cells.slice(indexes);
    const width = header.cells.findLastIndex((name) => name.trim() !== '') + 1;
    this.#hasBlankNames = width > 0 && width < header.cells.length;
    if (this.#hasBlankNames) header.cells = header.cells.slice(0, width);
    this.#names = header.cells;
    this.#dateColumns = [...this.#names.keys()].filter((index) => dateColumn.test(this.#nameOf(index)));
    this.#order = file.dateOrder;
    this.#decideOrder = () => decidedOrder(file, this.#dateCells(again(), header.row), usual);
    this.#hasCommas = hasCommas;
  }

  async read(rows: readonly WrittenRow[]): Promise<void> {
    for (const record of rows) {
      if (this.#indexes > 0) this.#dropIndexes(record);
      const { row, cells } = record;
      if (cells.length > this.#names.length) this.#dropBlanks(record);
      for (const index of this.#dateColumns) {
        const text = cells[index];
        if (text === undefined || isPlainDate(text)) continue;
        record.cells[index] = await this.#dateIn(text);
      }
      for (let index = 0; index < record.cells.length; index += 1) {
        const cell = record.cells[index] ?? '';
        if (cell === upperNan || cell === lowerNan) record.cells[index] = '';
        else if (this.#hasCommas) record.cells[index] = this.#withPoint(row, index, cell);
      }
    }
  }

  #nameOf(index: number): string {
    return (this.#names[index] ?? '').trim();
  }

  /** Drops the row numbers of a data frame; any other cell there belongs to a column without a name. */
  #dropIndexes(record: WrittenRow): void {
    const numbers = record.cells.slice(0, this.#indexes);
    const value = numbers.find((cell) => !/^\s*\d*\s*$/.test(cell));
    if (value !== undefined)
      throw refusal(
        this.#file,
        { row: record.row, value },
        'a column without a name can have only row numbers',
        ['name the column in the header, or remove it'],
      );
    record.cells = record.cells.slice(this.#indexes);
  }

  #dropBlanks(record: WrittenRow): void {
    const width = this.#names.length;
    const value = record.cells.slice(width).find((cell) => cell.trim() !== '');
    if (value === undefined) record.cells = record.cells.slice(0, width);
    else if (this.#hasBlankNames)
      throw refusal(this.#file, { row: record.row, value }, 'the header has no name for this column');
  }

  async *#dateCells(batches: AsyncIterable<readonly WrittenRow[]>, header: number): AsyncGenerator<DateCell> {
    for await (const rows of batches)
      for (const { row, cells } of rows) {
        if (row <= header) continue;
        for (const index of this.#dateColumns) {
          const text = cells[index + this.#indexes] ?? '';
          if (!isPlainDate(text)) yield { row, column: this.#nameOf(index), text };
        }
      }
  }

  /** Writes a date as YYYY-MM-DD, or as M/D/YY for the format to add the century; keeps any other text. */
  async #dateIn(text: string): Promise<string> {
    const trimmed = text.trim();
    const [, year, , month = '', day = ''] = yearFirst.exec(trimmed) ?? [];
    if (year !== undefined) return `${year}-${padded(month)}-${padded(day)}`;
    const parts = partsOf(trimmed);
    if (parts === undefined) return text;
    // A date with points, as in 30.1.2015, always begins with the day.
    if (!parts.dotted) this.#order ??= await this.#decideOrder();
    const isMonthFirst = !parts.dotted && this.#order === 'M/D/YYYY';
    const [m, d] = isMonthFirst ? [parts.first, parts.second] : [parts.second, parts.first];
    return parts.year.length === 4 ? `${parts.year}-${padded(m)}-${padded(d)}` : `${m}/${d}/${parts.year}`;
  }

  /** Replaces a decimal comma by a point; throws if the file has both. */
  #withPoint(row: number, index: number, cell: string): string {
    const text = cell.trim();
    const isComma = commaNumber.test(text);
    if (!isComma && !pointNumber.test(text)) return cell;
    const number = { row, column: this.#nameOf(index), value: text };
    if (isComma) this.#comma ??= number;
    else this.#point ??= number;
    const other = isComma ? this.#point : this.#comma;
    if (other !== undefined) {
      const reason = `${JSON.stringify(other.value)} in row ${other.row} has the other decimal sign, so one of them may separate thousands`;
      throw refusal(this.#file, number, reason, ['save the file with one decimal sign']);
    }
    return isComma ? text.replace(',', '.') : cell;
  }
}

type DateCell = { readonly row: number; readonly column: string; readonly text: string };

/** Midnight after a date, with or without an offset. */
const midnight = '(?:[T ]+(?:0?0:00(?::00(?:\\.0+)?)?|12:00(?::00)? ?AM) ?(?:Z|UTC|[+-]\\d\\d:?\\d\\d)?)?';

const yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${midnight}$`, 'i');
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)${midnight}$`, 'i');

function isPlainDate(text: string): boolean {
  return text === '' || (text.length === 10 && text[4] === '-' && text[7] === '-');
}

type DateParts = {
  readonly first: string;
  readonly second: string;
  readonly year: string;
  readonly dotted: boolean;
};

function partsOf(text: string): DateParts | undefined {
  const [, first = '', separator, second = '', year = ''] = yearLast.exec(text) ?? [];
  return separator === undefined ? undefined : { first, second, year, dotted: separator === '.' };
}

function padded(digits: string): string {
  return digits.padStart(2, '0');
}

const waysOut: Readonly<Record<DateOrder, string>> = {
  'M/D/YYYY': '--date-format M/D/YYYY if the month comes first',
  'D/M/YYYY': '--date-format D/M/YYYY if the day comes first',
};

async function decidedOrder(
  file: SourceFile,
  cells: AsyncIterable<DateCell>,
  usual: DateOrder | undefined,
): Promise<DateOrder> {
  let [monthFirst, dayFirst, open]: (DateCell | undefined)[] = [];
  // In a series of months, quarters or years every date is the first day of a month.
  let [firstsIfMonthFirst, firstsIfDayFirst] = [true, true];
  const years = new Set<string>();
  for await (const cell of cells) {
    const parts = partsOf(cell.text.trim());
    if (parts === undefined || parts.dotted) continue;
    const [first, second] = [Number(parts.first), Number(parts.second)];
    if (first > 12) dayFirst ??= cell;
    else if (second > 12) monthFirst ??= cell;
    else if (first !== second) open ??= cell;
    firstsIfMonthFirst &&= second === 1;
    firstsIfDayFirst &&= first === 1;
    years.add(parts.year);
  }
  if (monthFirst !== undefined && dayFirst !== undefined) throw mixed(file, monthFirst, dayFirst);
  if (monthFirst !== undefined) return 'M/D/YYYY';
  if (dayFirst !== undefined) return 'D/M/YYYY';
  // Read the other way, such dates would be a few days of January, year after year.
  if (years.size > 1 && firstsIfMonthFirst) return 'M/D/YYYY';
  if (years.size > 1 && firstsIfDayFirst) return 'D/M/YYYY';
  if (open === undefined) return 'M/D/YYYY';
  if (usual !== undefined) return usual;
  const { row, column, text } = open;
  const reason = 'the month or the day could come first, and no date of the file decides it';
  throw refusal(file, { row, column, value: text }, reason, Object.values(waysOut));
}

function mixed(file: SourceFile, monthFirst: DateCell, dayFirst: DateCell): Error {
  const [earlier, later] = monthFirst.row <= dayFirst.row ? [monthFirst, dayFirst] : [dayFirst, monthFirst];
  const [day, month] = later === dayFirst ? ['day', 'month'] : ['month', 'day'];
  const reason = `the ${day} comes first here, and the ${month} in row ${earlier.row}: ${JSON.stringify(earlier.text)}`;
  return refusal(file, { row: later.row, column: later.column, value: later.text }, reason);
}
