import type { Problem } from '../../errors/problem.ts';
import { refusal, type SourceFile } from '../files/source-file.ts';

/** How the text of a field is read, and what it must be: `a number`. */
export type FieldForm<T> = readonly [parse: (text: string) => T | undefined, what: string];

/** The fields of a record by name, be it a row of a table or an element of XML. */
export abstract class Fields {
  /** Returns the trimmed text of a field; empty if the record has no such field. */
  abstract cell(name: string): string;

  /** Makes the refusal of a field, which shows its text. */
  abstract refusal(name: string, reason: string, hints?: readonly string[]): Problem;

  /** Makes the refusal of a field without text. */
  abstract missing(name: string, reason: string, hints?: readonly string[]): Problem;

  /** Returns the text of a field, blanks collapsed; null if it is blank. */
  text(name: string): string | null {
    return this.cell(name).replace(/\s+/g, ' ') || null;
  }

  /** Parses a field, null if it is blank; throws `not ${what}` if `parse` fails. */
  maybe<T>(name: string, [parse, what]: FieldForm<T>): T | null {
    const value = this.cell(name);
    if (value === '') return null;
    const found = parse(value);
    if (found !== undefined) return found;
    throw this.refusal(name, `not ${what}`);
  }

  /** Parses a field like `maybe`, but throws if it is blank. */
  required<T>(name: string, form: FieldForm<T>): T {
    const found = this.maybe(name, form);
    if (found !== null) return found;
    throw this.missing(name, `${form[1]} is missing here`);
  }
}

/** A record of a table; the header is row 1. */
export class TableRow extends Fields {
  readonly row: number;
  readonly #file: SourceFile;
  readonly #find: (column: string) => string | undefined;

  /** `find` returns the cell of a column, undefined if the table has no such column. */
  constructor(file: SourceFile, row: number, find: (column: string) => string | undefined) {
    super();
    this.row = row;
    this.#file = file;
    this.#find = find;
  }

  has(column: string): boolean {
    return this.#find(column) !== undefined;
  }

  cell(column: string): string {
    return this.#find(column)?.trim() ?? '';
  }

  refusal(column: string, reason: string, hints?: readonly string[]): Problem {
    return refusal(this.#file, { row: this.row, column, value: this.cell(column) }, reason, hints);
  }

  missing(column: string, reason: string, hints?: readonly string[]): Problem {
    return refusal(this.#file, { row: this.row, column }, reason, hints);
  }
}

/** Makes a row of cells at the places of columns. */
export function tableRow(
  file: SourceFile,
  { row, cells }: { readonly row: number; readonly cells: readonly string[] },
  places: ReadonlyMap<string, number>,
): TableRow {
  return new TableRow(file, row, (column) => cells[places.get(column) ?? -1]);
}

/** Returns column positions by trimmed name; throws for missing, repeated or, with `optional`, unknown ones. */
export function placesOf(
  file: SourceFile,
  { row, cells }: { readonly row: number; readonly cells: readonly string[] },
  { required, optional }: { readonly required: readonly string[]; readonly optional?: readonly string[] },
): ReadonlyMap<string, number> {
  const known = optional && [...required, ...optional];
  const places = new Map<string, number>();
  for (const [place, cell] of cells.entries()) {
    const column = cell.trim();
    if (known?.includes(column) === false)
      throw refusal(file, { row, column: cell }, `unknown column; the columns are ${known.join(', ')}`);
    if (places.has(column)) throw refusal(file, { row, column }, 'this column appears twice');
    places.set(column, place);
  }
  for (const column of required)
    if (!places.has(column)) throw refusal(file, { row, column }, 'this column is missing');
  return places;
}
