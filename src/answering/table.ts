import { closest } from '../domain/series/closest.ts';
import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Cell } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';

/** The form of a text table. Its texts have one character for each byte of the file. */
export type TableText = { readonly separator: string; readonly header: string };

/** Some consecutive rows of a table; they are valid until the next ones are read. */
export interface TableBatch {
  readonly size: number;
  /** The line of a row in its file, counted from 1 as in an editor. */
  rowAt(index: number): number;
  cellAt(index: number, column: number): Cell;
  /** Whether a cell is written like the one above it; false if that takes as long as reading both. */
  repeats(index: number, column: number): boolean;
  /** At least the number of bytes of all rows as written; 0 for a table that is not a text. */
  readonly byteLength: number;
  /** Copies a row as written, without its line end, into the target at a place; returns the place after it. */
  copyRow(index: number, target: Buffer, at: number): number;
}

/** A table of the user's: rows of named columns, which can be read from the beginning any number of times. */
export interface UserTable {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly text?: TableText;
  batches(): AsyncIterable<TableBatch>;
}

/** A row of a table: cells by column. */
export type InputRow = { readonly [column: string]: string | number | boolean | null };

/** Opens the tables that a query names; `latest` is the last day on which anything can be known. */
export type TableFiles = {
  readonly open: (name: string) => Promise<UserTable>;
  readonly latest: Day;
};

/** The place of the column with that name; a Problem if the table has none. */
export function columnOf({ name, fields }: UserTable, wanted: string): number {
  const names = fields.map((field) => field.name);
  const place = names.indexOf(wanted);
  if (place >= 0) return place;
  const meant = closest(wanted, names);
  throw new Problem(
    'bad-input',
    `${name} has no column ${JSON.stringify(wanted)}: it has ${names.join(', ')}`,
    {
      hints: meant === undefined ? [] : [`did you mean ${meant}?`],
    },
  );
}

/** The text of a cell; a missing one is empty. */
export function textOfCell(cell: Cell): string {
  return cell === null ? '' : String(cell);
}

/** The text of a cell without a time after its day, by which `daysIn` finds the day. */
export function dayTextOf(cell: Cell): string {
  const text = textOfCell(cell);
  return text.length <= 10 ? text : text.replace(/^(\S{8}|\S{10})[T ]\d\d.*$/, '$1');
}

/** The Problem of a table whose content has changed when it is read again. */
export function tableChanged({ name }: UserTable): Problem {
  return new Problem('local-io', `${name} changed while it was read`, { hints: ['try again'] });
}
