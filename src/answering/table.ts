import { faultOfInstant, parseInstant } from '../domain/calendar/zones.ts';
import { didYouMean } from '../domain/search/words.ts';
import {
  addDays,
  type DateOrder,
  type Day,
  dayOf,
  faultOfDay,
  isMonthFirst,
  parseDay,
} from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Cell } from '../operations/envelope.ts';
import type { Field } from '../operations/field.ts';

/** A text table; its texts have one character for each byte. */
export type TableText = { readonly separator: string; readonly header: string };

/** Consecutive rows of a table, valid until the next ones are read. */
export interface TableBatch {
  readonly size: number;
  /** Returns where a row is found: its line in a file, from 1 as in an editor; its place in memory, from 0. */
  rowAt(index: number): number;
  cellAt(index: number, column: number): Cell;
  /** Tells whether a cell is written like the one above; false if finding out takes as long as reading both. */
  repeats(index: number, column: number): boolean;
  /** The bytes of all rows as written, or more; 0 for a table that is not text. */
  readonly byteLength: number;
  /** Copies a row as written, without its line end, to a place in the target; returns the place after it. */
  copyRow(index: number, target: Uint8Array, at: number): number;
}

/** Makes a batch of a table that is not text. */
export function cellBatch(batch: Pick<TableBatch, 'cellAt' | 'rowAt' | 'size'>): TableBatch {
  return { ...batch, repeats: () => false, byteLength: 0, copyRow: (_index, _target, at) => at };
}

/** A user's table, which can be read any number of times. */
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

/** Returns the index of a column by name; throws a Problem if the table has no such column. */
export function columnOf({ name, fields }: UserTable, wanted: string): number {
  const names = fields.map((field) => field.name);
  const place = names.indexOf(wanted);
  if (place >= 0) return place;
  if (names.length === 0) throw new Problem('bad-input', `${name} is empty: it has no columns`);
  throw new Problem(
    'bad-input',
    `${name} has no column ${JSON.stringify(wanted)}: it has ${names.join(', ')}`,
    { hints: didYouMean(wanted, names) },
  );
}

/** Returns the text of a cell; empty if the cell is missing. */
export function textOfCell(cell: Cell): string {
  return cell === null ? '' : String(cell);
}

/** Returns the text of a cell without a time after its day, the key by which `daysIn` finds the day. */
export function dayTextOf(cell: Cell): string {
  const text = textOfCell(cell);
  return text.length <= 10 ? text : text.replace(/^(\S{8,10})[T ]\d.*$/, '$1');
}

const yearLast = /^(\d\d?)([-/.])(\d\d?)\2(\d{4})$/;

function dayIn(text: string, order: DateOrder | undefined): Day | undefined {
  const [, one, sign, two, year] = yearLast.exec(text) ?? [];
  if (order === undefined || year === undefined)
    return parseDay(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
  const [month, dayOfMonth] = isMonthFirst(sign, order) ? [one, two] : [two, one];
  return dayOf(Number(year), Number(month), Number(dayOfMonth));
}

/** Tells whether a cell has a time of day after its day; midnight is how programs write a day. */
function hasTime(cell: Cell, day: string): boolean {
  return /^[T ][\d:.]*[1-9]/.test(textOfCell(cell).slice(day.length));
}

type DaysOptions = {
  readonly strict: boolean;
  readonly hints?: readonly string[];
  /** The order of month and day in dates such as 1/2/2024. Default: such dates are refused. */
  readonly order?: DateOrder | undefined;
  /** How to say that order. */
  readonly orderHint?: string;
  /** Called with the place of the first cell that has a time of day. */
  readonly onTime?: (place: CellPlace) => void;
  /** True if a first line that begins with a digit is no header. */
  readonly mayLackHeader?: boolean;
};

/**
 * Reads the days in a column of a table, by the texts of their cells (`dayTextOf`).
 * With `strict` the day before each counts. Throws a Problem that names the row of an invalid or a future day.
 */
export async function daysIn(
  table: UserTable,
  column: number,
  { latest }: TableFiles,
  { strict, hints = [], order, orderHint, onTime, mayLackHeader = false }: DaysOptions,
): Promise<ReadonlyMap<string, Day>> {
  const days = new Map<string, Day>();
  const name = table.fields[column]?.name ?? '';
  let isTimed = onTime === undefined;
  const add = (cell: Cell, row: number) => {
    const text = dayTextOf(cell);
    if (!isTimed && hasTime(cell, text)) {
      isTimed = true;
      onTime?.({ row, column: name, value: textOfCell(cell) });
    }
    if (days.has(text)) return;
    const value = textOfCell(cell);
    const refuse = (reason: string) => refusedCell(table, { row, column: name, value }, reason, hints);
    const day = dayIn(text, order);
    if (day === undefined) {
      const refusal = refuse(`is not a date: ${faultOfDay(value) ?? 'use YYYY-MM-DD'}`);
      const isOpen = orderHint !== undefined && order === undefined && yearLast.test(text);
      throw isOpen ? refusal.with({ hints: [orderHint, ...hints] }) : refusal;
    }
    if ((strict ? addDays(day, -1) : day) > latest)
      throw refuse('is in the future: nothing is known as of that date yet');
    days.set(text, day);
  };
  if (mayLackHeader && /^\d/.test(name)) add(name, 1);
  for await (const batch of table.batches())
    for (let index = 0; index < batch.size; index += 1)
      if (!batch.repeats(index, column)) add(batch.cellAt(index, column), batch.rowAt(index));
  return days;
}

/**
 * Reads the instants in a column of a table, by the texts of their cells.
 * Throws a Problem that names the row of a time without an offset, or of one on a day that has not begun.
 */
export async function instantsIn(
  table: UserTable,
  column: number,
  { latest }: TableFiles,
  hints: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const instants = new Map<string, string>();
  const name = table.fields[column]?.name ?? '';
  for await (const batch of table.batches())
    for (let index = 0; index < batch.size; index += 1) {
      if (batch.repeats(index, column)) continue;
      const value = textOfCell(batch.cellAt(index, column));
      if (instants.has(value)) continue;
      const refuse = (reason: string) =>
        refusedCell(table, { row: batch.rowAt(index), column: name, value }, reason, hints);
      const instant = parseInstant(value);
      if (instant === undefined) throw refuse(`is not an instant: ${faultOfInstant(value)}`);
      if (instant.slice(0, 10) > latest) throw refuse('is in the future: nothing is known at that time yet');
      instants.set(value, instant);
    }
  return instants;
}

type CellPlace = { readonly row: number; readonly column: string; readonly value: string };

/** Makes the Problem for a cell. */
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

/** Makes the Problem for a table that has changed when it is read again. */
export function tableChanged({ name }: UserTable): Problem {
  return new Problem('local-io', `${name} changed while it was read`, { hints: ['try again'] });
}
