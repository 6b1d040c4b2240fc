import type { Ask } from '../../answering/answer.ts';
import { argument } from '../../answering/question.ts';
import {
  cellBatch,
  columnOf,
  daysIn,
  dayTextOf,
  type InputRow,
  instantsIn,
  textOfCell,
  type UserTable,
} from '../../answering/table.ts';
import type { DateOrder, Day } from '../../domain/values/date.ts';
import { Problem, refused } from '../../errors/problem.ts';
import type { Cell } from '../../operations/envelope.ts';
import { commandNaming } from '../../operations/operation.ts';
import { type Params, param } from '../../operations/param.ts';
import { dateOrder, flag, integer, isPlain, type Value, word } from '../../operations/value.ts';
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

/** The order of month and day in the column of the days. */
export const dateFormat = param(
  dateOrder,
  'Order of month and day in dates such as 1/2/2024: M/D/YYYY or D/M/YYYY.',
  undefined,
);

/** An open table with the days of its rows, by the texts of their cells. */
export type DatedTable = {
  readonly table: UserTable;
  readonly on: number;
  /** The days, or instants, by `keyOf` of their cells. */
  readonly days: ReadonlyMap<string, Day>;
  readonly keyOf: (cell: Cell) => string;
  readonly latest: Day;
};

type DaysOfRows = {
  readonly on: string | undefined;
  readonly strict: boolean | undefined;
  readonly date_format?: DateOrder | undefined;
  /** True if the column has instants. */
  readonly known_at?: boolean | undefined;
};

/** Opens a table and reads its days, by default from the first column. */
export async function datedTable(
  {
    table: given,
    on: named,
    strict,
    date_format,
    known_at: isTimed,
  }: DaysOfRows & { readonly table: GivenTable },
  { tables, naming, note }: Ask,
): Promise<DatedTable> {
  if (tables === undefined) throw new Error('there are no tables here');
  const table = typeof given === 'string' ? await tables.open(given) : tableOfRows(given);
  const on = named === undefined ? 0 : columnOf(table, named);
  const hint = `the days are taken from the first column, unless ${naming.param('on')} names another`;
  const hints = named === undefined ? [hint] : [];
  const { latest } = tables;
  if (isTimed === true) {
    const instants = await instantsIn(table, on, tables, hints);
    return { table, on, days: instants, keyOf: textOfCell, latest };
  }
  const days = await daysIn(table, on, tables, {
    strict: strict === true,
    hints,
    order: date_format,
    orderHint: `${naming.param('date_format')} M/D/YYYY or D/M/YYYY says what comes first`,
    onTime({ row, column, value }) {
      if (strict === true) return;
      const where = `${table.name}, row ${row}, column ${JSON.stringify(column)}`;
      const text = `${where}: the time in ${JSON.stringify(value)} is not used: what was published later on that day counts as known; ${naming.param('strict')} counts only what was published before the day`;
      note?.({ kind: 'remark', text });
    },
  });
  return { table, on, days, keyOf: dayTextOf, latest };
}

function tableOfRows(rows: readonly InputRow[]): UserTable {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    name: 'the table',
    fields: names.map((name) => ({ name, type: 'text', description: `Column ${name}.`, nullable: true })),
    async *batches() {
      yield cellBatch({
        size: rows.length,
        rowAt: (index) => index,
        cellAt: (index, column) => rows[index]?.[names[column] ?? ''] ?? null,
      });
    },
  };
}

/** Returns what the questions about a table share; they cannot be bound to a day, because a file may change. */
export function aboutTable(name: string) {
  return {
    aboutValues({ on, strict, known_at: isTimed }: DaysOfRows) {
      const column = on === undefined ? 'the first column' : `column ${on}`;
      if (isTimed === true) return [['Known at', `the time of each row, ${column}`] as const];
      return aboutAsOf(`the day of each row, ${column}${strict === true ? ', published before it' : ''}`);
    },
    bind(): never {
      throw new Problem('bad-input', `a plan cannot use ${name}: it reads a file, which may change`, {
        hints: [`panel with ${commandNaming.param('as_of_each')} gives what was known on many days`],
      });
    },
  };
}
