import type { Ask } from '../../answering/answer.ts';
import { argument } from '../../answering/question.ts';
import {
  columnOf,
  dayTextOf,
  type InputRow,
  type TableFiles,
  textOfCell,
  type UserTable,
} from '../../answering/table.ts';
import { addDays, type Day, faultOfDay, parseDay } from '../../domain/values/date.ts';
import { Problem, refused } from '../../errors/problem.ts';
import type { Cell } from '../../operations/envelope.ts';
import { commandNaming } from '../../operations/operation.ts';
import { type Params, param } from '../../operations/param.ts';
import { choice, flag, integer, isPlain, type Value, word } from '../../operations/value.ts';
import { beyondChoices } from '../series/panel-rows.ts';
import { aboutAsOf } from '../series/shared.ts';

/** The path of a file, or rows. */
export type GivenTable = string | readonly InputRow[];

const tableValue: Value<GivenTable> = {
  check(value, name) {
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.every(isRow)) return value;
    const reason = 'use the path of a file, or a list of rows such as [{ day: "2015-01-30" }]';
    throw refused({ param: name, value, reason });
  },
  parse: (given) => given,
  schema: { type: 'string' },
};

function isRow(row: unknown): row is InputRow {
  return isPlain(row) && Object.values(row).every((cell) => cell === null || typeof cell !== 'object');
}

/** The table that a question is about; on a command line, a file. */
export const tableArgument = argument(
  'table',
  tableValue,
  'The path of a CSV, TSV or Parquet file, or a list of rows.',
  {
    flags: [],
    args: [{ name: 'file', complete: 'files', about: 'CSV, TSV or Parquet file; - is standard input' }],
    read: (line) => line.arg(0),
  },
);

/** The name of a column. */
export const columnName: Value<string> = {
  ...word,
  parse: (given) => given,
  schema: { type: 'string' },
  placeholder: 'column',
};

/** Parameters for what counts as known on the day of a row. */
export const knownParams = {
  strict: param(flag, 'Use only what was published before the day of the row.', undefined),
  lag: param(integer(0, 1000), 'Skip the newest n observations.', undefined),
} satisfies Params;

/** Returns the parameter for days after the coverage of a series; `about` is its help. */
export function beyondParam(about: string) {
  return param(
    choice(beyondChoices),
    'What days after the coverage of a series show, or are compared with.',
    beyondChoices[0],
    { placeholder: 'choice', help: { about, choices: beyondChoices } },
  );
}

/** An open table with the days of its rows, by the texts of their cells. */
export type DatedTable = {
  readonly table: UserTable;
  readonly on: number;
  readonly days: ReadonlyMap<string, Day>;
  readonly latest: Day;
};

type DaysOfRows = { readonly on: string | undefined; readonly strict: boolean | undefined };

/** Opens a table and reads its days, by default from the first column. */
export async function datedTable(
  { table: given, on: named, strict }: DaysOfRows & { readonly table: GivenTable },
  { tables, naming }: Ask,
): Promise<DatedTable> {
  if (tables === undefined) throw new Error('there are no tables here');
  const table = typeof given === 'string' ? await tables.open(given) : tableOfRows(given);
  const on = named === undefined ? 0 : columnOf(table, named);
  const hint = `the days are taken from the first column, unless ${naming.param('on')} names another`;
  const hints = named === undefined ? [hint] : [];
  const days = await daysIn(table, on, tables, { strict: strict === true, hints });
  return { table, on, days, latest: tables.latest };
}

function tableOfRows(rows: readonly InputRow[]): UserTable {
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

function dayIn(text: string): Day | undefined {
  return parseDay(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
}

/**
 * Reads the days in a column of a table, by the texts of their cells (`dayTextOf`).
 * With `strict` the day before each counts. Throws a Problem that names the row of an invalid or a future day.
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

/** Returns what the questions about a table share; they cannot be bound to a day, because a file may change. */
export function aboutTable(name: string) {
  return {
    transformsOwn: true,
    aboutValues({ on, strict }: DaysOfRows) {
      const column = on === undefined ? 'the first column' : `column ${on}`;
      return aboutAsOf(`the day of each row, ${column}${strict === true ? ', published before it' : ''}`);
    },
    bind(): never {
      throw new Problem('bad-input', `a plan cannot use ${name}: it reads a file, which may change`, {
        hints: [`panel with ${commandNaming.param('as_of_each')} gives what was known on many days`],
      });
    },
  };
}
