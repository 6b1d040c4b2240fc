import { closest } from '../domain/series/closest.ts';
import { addDays, type Day, faultOfDay, parseDay } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Cell } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';

/** The text of a table, which has one character for each byte of its file. */
export type TableText = { readonly separator: string; readonly header: string };

/** Some rows of a table, one after the other; they are there until the next ones are read. */
export interface TableBatch {
  readonly size: number;
  /** The place of a row in its file, counted from 1 as in an editor. */
  rowAt(index: number): number;
  cellAt(index: number, column: number): Cell;
  /** Whether a cell is written as the one above it in the batch; false where finding out would take as long as reading both. */
  repeats(index: number, column: number): boolean;
  /** At least the bytes of all rows as they are written; 0 for a table without a text. */
  readonly byteLength: number;
  /** Copies a row as it is written, without its line end, to a place in some bytes; returns the place after it. */
  copyRow(index: number, target: Buffer, at: number): number;
}

/** A table of the user's: rows of named columns, which are read from the beginning as often as needed. */
export interface UserTable {
  /** What messages call it. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** How it is written, if it is a text. */
  readonly text?: TableText;
  batches(): AsyncIterable<TableBatch>;
}

/** How the tables that a query names are read, and the last day on which anything can be known. */
export type TableFiles = {
  readonly open: (name: string) => Promise<UserTable>;
  readonly latest: Day;
};

/** A cell of a table, for messages. */
type CellPlace = { readonly row: number; readonly column: string; readonly value: string };

/** The Problem of a cell: the table, the place, the value, and the way out. */
export function refusedCell(
  { name }: UserTable,
  { row, column, value }: CellPlace,
  reason: string,
  hints: readonly string[] = [],
): Problem {
  const shown = value.length > 80 ? `${value.slice(0, 77)}...` : value;
  return new Problem(
    'bad-input',
    `${name}, row ${row}, column ${JSON.stringify(column)}: ${JSON.stringify(shown)} ${reason}`,
    { hints },
  );
}

/** The place of the column of that name; a Problem if the table has none. */
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

/** The day of a text: `2015-01-30` or `20150130`, also with a time of day after it. */
function dayIn(text: string): Day | undefined {
  const [, year = '', month = '', day = ''] =
    /^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))(?:[T ]\d\d.*)?$/
      .exec(text)
      ?.filter((part) => part !== undefined) ?? [];
  return parseDay(`${year}-${month}-${day}`);
}

/**
 * The days in a column of a table, by the texts of their cells. A Problem names the row of a text that is no day, and of a
 * day on which nothing can be known yet; with `strict` what counts is the day before it. The hints go with either.
 */
export async function daysIn(
  table: UserTable,
  column: number,
  { latest }: TableFiles,
  { strict, hints = [] }: { readonly strict: boolean; readonly hints?: readonly string[] },
): Promise<ReadonlyMap<string, Day>> {
  const days = new Map<string, Day>();
  const name = table.fields[column]?.name ?? '';
  for await (const batch of table.batches())
    for (let index = 0; index < batch.size; index += 1) {
      if (batch.repeats(index, column)) continue;
      const value = textOfCell(batch.cellAt(index, column));
      if (days.has(value)) continue;
      const refuse = (reason: string) =>
        refusedCell(table, { row: batch.rowAt(index), column: name, value }, reason, hints);
      const day = dayIn(value);
      if (day === undefined) throw refuse(`is not a date: ${faultOfDay(value) ?? 'use YYYY-MM-DD'}`);
      if ((strict ? addDays(day, -1) : day) > latest)
        throw refuse('is in the future: nothing is known as of that date yet');
      days.set(value, day);
    }
  return days;
}

/** The Problem of a table whose content is another one when it is read again. */
export function tableChanged({ name }: UserTable): Problem {
  return new Problem('local-io', `${name} changed while it was read`, { hints: ['try again'] });
}
