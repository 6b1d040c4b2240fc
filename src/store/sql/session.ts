export { endOfTime, startOfTime } from '../../domain/values/date.ts';

import { Problem } from '../../errors/problem.ts';

/** The parameters of a statement by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Rows for a table as columns, all of one series or of none. */
export type Insertion = {
  readonly table: string;
  /** The series that the column `series` names. */
  readonly seriesId?: string;
  /** The other columns, with their types, and a cell for each row. */
  readonly columns: Readonly<Record<string, InsertedColumn>>;
  readonly onConflict?: string;
};

type InsertedColumn = readonly [type: string, cells: readonly unknown[]];

/** Turns rows into columns of these types, by name. */
export function columnsOf(
  types: Readonly<Record<string, string>>,
  rows: readonly (readonly unknown[])[],
): Insertion['columns'] {
  const columnAt = ([name, type]: readonly [string, string], place: number) =>
    [name, [type, rows.map((row) => row[place])]] as const;
  return Object.fromEntries(Object.entries(types).map(columnAt));
}

/**
 * A transaction of an engine. Statements are in PostgreSQL's SQL, with `asof.series` for a table and `@name`.
 * Engines translate it. In the tables of series, `series = @id` finds the rows of one series.
 */
export interface SqlSession {
  rows<Row extends object>(sql: string, values?: Values): Promise<readonly Row[]>;
  row<Row extends object>(sql: string, values?: Values): Promise<Row | undefined>;
  /** Reads rows as arrays of their columns, whose names must differ. */
  tuples<Row extends readonly unknown[]>(sql: string, values?: Values): Promise<readonly Row[]>;
  /** Reads the first column of each row. */
  column<Value>(sql: string, values?: Values): Promise<readonly Value[]>;
  /** Yields rows as arrays, some thousands at a time. */
  batches<Row extends readonly unknown[]>(sql: string, values?: Values): AsyncIterable<readonly Row[]>;
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, values?: Values): Promise<number>;
  /** Runs a statement that writes; a later `write`, or the commit, may throw its failure. */
  write(sql: string, values?: Values): Promise<void>;
  insert(insertion: Insertion): Promise<void>;
  /** Locks parts of the store for other imports until the transaction ends; absent without parallel imports. */
  lock?(parts: readonly string[]): Promise<void>;
}

/** Another import was ahead of one with something; that one starts again and first locks what is `needed`. */
export class ImportsCollide extends Problem {
  readonly needed: 'everything' | readonly string[];

  constructor(needed: 'everything' | readonly string[], cause?: unknown) {
    super('local-io', 'another import is writing to the same series', {
      hints: ['try again when it is done'],
      cause,
    });
    this.needed = needed;
  }
}

/** Returns the values of a column of `array_agg`, which SQLite gives as JSON. */
export function listOf<T>(column: string | readonly (T | null)[]): readonly T[] {
  const values: readonly (T | null)[] = typeof column === 'string' ? JSON.parse(column) : column;
  const isWhole = (all: readonly (T | null)[]): all is readonly T[] => !all.includes(null);
  return isWhole(values) ? values : values.filter((value) => value !== null);
}

/** The members of a row; nullable ones become optional. */
type Present<Row> = { readonly [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
  readonly [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]>;
};

/** Returns the members of a row that are not null. */
export function present<Row extends object>(row: Row): Present<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<Row>;
}
