import { closest } from '../domain/series/closest.ts';
import { addDays, type Day, faultOfDay, parseDay } from '../domain/series/date.ts';
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
  /** What messages call it. */
  readonly name: string;
  readonly fields: readonly Field[];
  /** Its form, if it is a text. */
  readonly text?: TableText;
  batches(): AsyncIterable<TableBatch>;
}

/** A row of a table: cells by column. */
export type InputRow = { readonly [column: string]: string | number | boolean | null };

/** A list of rows as a table: its columns are those of all rows. */
export function tableOfRows(rows: readonly InputRow[]): UserTable {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    name: 'the table',
    fields: names.map((name) => ({ name, type: 'text', description: `Column ${name}.`, nullable: true })),
    async *batches() {
      yield {
        size: rows.length,
        rowAt: (index: number) => index + 1,
        cellAt: (index: number, column: number): Cell => rows[index]?.[names[column] ?? ''] ?? null,
        repeats: () => false,
        byteLength: 0,
        copyRow: (_index, _target, at) => at,
      };
    },
  };
}

/** Opens the tables that a query names; `latest` is the last day on which anything can be known. */
export type TableFiles = {
  readonly open: (name: string) => Promise<UserTable>;
  readonly latest: Day;
};

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

/** The day that a text means: `2015-01-30` or `20150130`. */
function dayIn(text: string): Day | undefined {
  return parseDay(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
}

/**
 * The days in a column of a table, by the texts of their cells (`dayTextOf`). A Problem, with the hints, names the
 * row of a text that is not a day, and of a day on which nothing can be known yet; with `strict` the day before it
 * counts.
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
      const cell = batch.cellAt(index, column);
      const text = dayTextOf(cell);
      if (days.has(text)) continue;
      const value = textOfCell(cell);
      const refuse = (reason: string) =>
        refusedCell(table, { row: batch.rowAt(index), column: name, value }, reason, hints);
      const day = dayIn(text);
      if (day === undefined) throw refuse(`is not a date: ${faultOfDay(value) ?? 'use YYYY-MM-DD'}`);
      if ((strict ? addDays(day, -1) : day) > latest)
        throw refuse('is in the future: nothing is known as of that date yet');
      days.set(text, day);
    }
  return days;
}

/** The Problem of a table whose content has changed when it is read again. */
export function tableChanged({ name }: UserTable): Problem {
  return new Problem('local-io', `${name} changed while it was read`, { hints: ['try again'] });
}
