import { missingTexts } from '../../domain/series/missing-value.ts';
import { type DateOrder, refusal, type SourceFile } from '../files/source-file.ts';

/** A record as it is written in its file, whose cells a WrittenCells replaces. */
export type WrittenRow = { readonly row: number; cells: string[] };

/** The names of columns whose cells are dates. */
export const dateColumn = /(?:^|_)date$|^sasdate$|^realtime_(?:start|end)$|^covered_to$/i;

const [upperNan, lowerNan] = missingTexts.dataFrame;

const commaNumber = /^-?\d+,\d+(?:e[+-]?\d+)?$/i;
const pointNumber = /^-?\d+\.\d+(?:e[+-]?\d+)?$/i;

type SignedNumber = { readonly row: number; readonly column: string; readonly value: string };

/** What a WrittenCells has to know of a table. */
type WrittenTable = {
  readonly header: WrittenRow;
  /** The columns in which a data frame numbers its rows, before the dates. */
  readonly indexes: number;
  /** Whether commas can be decimal signs. */
  readonly hasCommas: boolean;
  /** The order of month and day if the file leaves it open. */
  readonly usual: DateOrder | undefined;
  readonly again: () => AsyncIterable<readonly WrittenRow[]>;
};

/** Undoes what programs make of the cells of a CSV file: of its header at once, of other rows by `read`. */
export class WrittenCells {
  readonly #file: SourceFile;
  readonly #names: readonly string[];
  readonly #indexes: number;
  /** Whether the header ends in cells without a name. */
  readonly #hasBlankNames: boolean;
  readonly #dateColumns: readonly number[];
  readonly #dates: DateReader;
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
    this.#dates = new DateReader(file, usual, () => this.#dateCells(again(), header.row));
    this.#hasCommas = hasCommas;
  }

  /** Replaces the cells of rows by what they mean. */
  async read(rows: readonly WrittenRow[]): Promise<void> {
    for (const record of rows) {
      if (this.#indexes > 0) this.#dropIndexes(record);
      const { row, cells } = record;
      if (cells.length > this.#names.length) this.#dropBlanks(record);
      for (const index of this.#dateColumns) {
        const text = cells[index];
        if (text === undefined || isPlainDate(text)) continue;
        const date = await this.#dates.read(text);
        if (date !== undefined) record.cells[index] = date;
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

  /** Drops the row numbers of a data frame; another cell there belongs to a column that has no name. */
  #dropIndexes(record: WrittenRow): void {
    const numbers = record.cells.slice(0, this.#indexes);
    const value = numbers.find((cell) => !/^\s*\d*\s*$/.test(cell));
    if (value !== undefined)
      throw refusal(
        this.#file,
        { row: record.row, value },
        'no number of a row, in a column without a name',
        ['name the column in the header, or remove it'],
      );
    record.cells = record.cells.slice(this.#indexes);
  }

  /** Drops the cells beyond the header if all of them are blank. */
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

  /** A number with a decimal point; refused if the file has decimal points as well as decimal commas. */
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

/** A date cell: its row, its column, and its text. */
type DateCell = { readonly row: number; readonly column: string; readonly text: string };

/** A time of day at midnight after a date, with or without an offset. */
const midnight = '(?:[T ]+(?:0?0:00(?::00(?:\\.0+)?)?|12:00(?::00)? ?AM) ?(?:Z|UTC|[+-]\\d\\d:?\\d\\d)?)?';

const yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${midnight}$`, 'i');
const yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)${midnight}$`, 'i');

/**
 * The dates of one file as YYYY-MM-DD, or M/D/YY, whose century depends on the format. The user states the order of
 * month and day, else all dates together, else the format; a file that leaves it open is refused.
 */
class DateReader {
  readonly #file: SourceFile;
  readonly #usual: DateOrder | undefined;
  readonly #all: () => AsyncIterable<DateCell>;
  #order: DateOrder | undefined;

  /** `all` gives every date cell of the file. */
  constructor(file: SourceFile, usual: DateOrder | undefined, all: () => AsyncIterable<DateCell>) {
    this.#file = file;
    this.#usual = usual;
    this.#all = all;
    this.#order = file.dateOrder;
  }

  /** The date in a cell; undefined if the cell stays as it is. */
  async read(text: string): Promise<string | undefined> {
    const trimmed = text.trim();
    const [, year, , month = '', day = ''] = yearFirst.exec(trimmed) ?? [];
    if (year !== undefined) return `${year}-${padded(month)}-${padded(day)}`;
    const parts = partsOf(trimmed);
    if (parts === undefined) return undefined;
    // A date with points, as in 30.1.2015, always begins with the day.
    const order = parts.dotted ? 'D/M/YYYY' : await this.#theOrder();
    const [m, d] = order === 'M/D/YYYY' ? [parts.first, parts.second] : [parts.second, parts.first];
    return parts.year.length === 4 ? `${parts.year}-${padded(m)}-${padded(d)}` : `${m}/${d}/${parts.year}`;
  }

  async #theOrder(): Promise<DateOrder> {
    this.#order ??= await decidedOrder(this.#file, this.#all(), this.#usual);
    return this.#order;
  }
}

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
