import { type DateOrder, refusal, type SourceFile } from '../files/source-file.ts';
import { type DateCell, DateReader, isPlainDate } from './dates.ts';

/** How a text table is written. */
export type Dialect = {
  readonly separator: ',' | ';' | '\t';
  /** The rows of titles above its header. */
  readonly titles: number;
  /** The columns in which a data frame numbers its rows, before the dates. */
  readonly indexes: number;
};

const separators = [',', ';', '\t'] as const;

/** The names that publishers give to the first column of figures by date. */
const dateName = /^(?:observation_|period_start_)?date$|^sasdate$/i;

/** The most rows of titles that are looked through for a header. */
const mostTitles = 60;

/**
 * The dialect of a table that begins with `head`. The header is the first row, unless a spreadsheet has titles above
 * it: rows of at most two cells, then a row that begins with the name of a date column, then a row that begins with a
 * digit.
 */
export function dialectOf(head: string): Dialect {
  const lines = linesOf(head, mostTitles + 2);
  const titles = titlesAbove(lines);
  const header = lines[titles] ?? '';
  const counts = separators.map((separator) => cellsIn(header, separator).length);
  const most = counts.indexOf(Math.max(...counts));
  const separator = separators[most] ?? ',';
  return { separator, titles, indexes: indexesIn(cellsIn(header, separator)) };
}

/** The names that data frames give to the column of their row numbers. */
const indexName = /^(?:|index|Unnamed: \d+)$/;

/** The number of names of indexes before the name of a column of dates; 0 if another name follows them. */
function indexesIn(names: readonly string[]): number {
  const count = names.findIndex((name) => !indexName.test(name));
  return count > 0 && dateColumn.test(names[count] ?? '') ? count : 0;
}

function titlesAbove(lines: readonly string[]): number {
  for (const [index, line] of lines.entries()) {
    if (separators.some((separator) => isHeader(cellsIn(line, separator)))) {
      const next = lines.slice(index + 1).find((below) => !isBlank(below)) ?? '';
      return /^"?\d/.test(next) ? index : 0;
    }
    if (separators.some((separator) => cellsIn(line, separator).filter((cell) => cell !== '').length > 2))
      return 0;
  }
  return 0;
}

function isHeader([first = '', ...others]: readonly string[]): boolean {
  return dateName.test(first) && others.some((cell) => cell !== '');
}

function isBlank(line: string): boolean {
  return /^[\s,;]*$/.test(line);
}

/** The first lines of a text, without a byte-order mark and line ends. */
export function linesOf(head: string, count: number): readonly string[] {
  // The byte-order mark is one character, or three in a head that was decoded byte by byte.
  const text = head.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '');
  return text.split('\n', count).map((line) => line.replace(/\r$/, ''));
}

/** The cells of one line, without blanks and quotes around them; good for recognising a format only. */
export function cellsIn(line: string, separator: Dialect['separator']): readonly string[] {
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

/** A record as it is written in its file, whose cells a WrittenCells replaces. */
export type WrittenRow = { readonly row: number; cells: string[] };

/** The names of columns that hold dates. */
const dateColumn = /(?:^|_)date$|^sasdate$|^realtime_(?:start|end)$|^covered_to$/i;

const commaNumber = /^-?\d+,\d+(?:e[+-]?\d+)?$/i;
const pointNumber = /^-?\d+\.\d+(?:e[+-]?\d+)?$/i;

/** A number with a decimal sign, and its place. */
type SignedNumber = { readonly row: number; readonly column: string; readonly value: string };

/** Undoes what programs make of the cells of a CSV file: of its header at once, of other rows by `read`. */
export class WrittenCells {
  readonly #file: SourceFile;
  readonly #names: readonly string[];
  readonly #indexes: number;
  /** Whether the header ends in cells without a name. */
  readonly #hasBlankNames: boolean;
  readonly #dateColumns: readonly number[];
  readonly #dates: DateReader;
  /** Whether commas can be decimal signs. */
  readonly #hasCommas: boolean;
  #comma: SignedNumber | undefined;
  #point: SignedNumber | undefined;

  /** `again` reads the file from its beginning. */
  constructor(
    file: SourceFile,
    { separator, titles, indexes }: Dialect,
    header: WrittenRow,
    usual: DateOrder | undefined,
    again: () => AsyncIterable<readonly WrittenRow[]>,
  ) {
    this.#file = file;
    this.#indexes = indexes;
    header.cells = header.cells.slice(indexes);
    const width = header.cells.findLastIndex((name) => name.trim() !== '') + 1;
    this.#hasBlankNames = width > 0 && width < header.cells.length;
    if (this.#hasBlankNames) header.cells = header.cells.slice(0, width);
    this.#names = header.cells;
    this.#dateColumns = [...this.#names.keys()].filter((index) => dateColumn.test(this.#nameOf(index)));
    this.#dates = new DateReader(file, usual, () => this.#dateCells(again(), titles + 1));
    this.#hasCommas = separator !== ',';
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
        if (cell === 'NaN' || cell === 'nan') record.cells[index] = '';
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
