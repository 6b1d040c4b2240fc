import { type DateOrder, refusal, type SourceFile } from '../files/source-file.ts';
import { type DateCell, DateReader, isPlainDate } from './dates.ts';
import type { Dialect } from './dialect.ts';

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
    { separator, titles }: Dialect,
    header: WrittenRow,
    usual: DateOrder | undefined,
    again: () => AsyncIterable<readonly WrittenRow[]>,
  ) {
    this.#file = file;
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
          const text = cells[index] ?? '';
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
