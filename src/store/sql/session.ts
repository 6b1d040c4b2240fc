import { Problem } from '../../errors/problem.ts';

/** The parameters of a statement by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Rows for a table, and the series that all of them are of. */
export type Insertion = {
  readonly table: string;
  readonly seriesId?: string;
  /** The other columns, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly unknown[])[];
  readonly onConflict?: string;
};

/**
 * A transaction of an engine. Statements name tables as `asof.series` and parameters as `@name`, and are written in the
 * words of PostgreSQL; an engine that has others translates them. In the tables of a series, `series = @id` finds its rows.
 */
export interface SqlSession {
  rows<Row extends object>(sql: string, values?: Values): Promise<readonly Row[]>;
  row<Row extends object>(sql: string, values?: Values): Promise<Row | undefined>;
  /** The rows of a query, as arrays of their columns, which need different names. */
  tuples<Row extends readonly unknown[]>(sql: string, values?: Values): Promise<readonly Row[]>;
  /** The first column of each row of a query. */
  column<Value>(sql: string, values?: Values): Promise<readonly Value[]>;
  /** The rows of a query as arrays, some thousands at a time. */
  batches<Row extends readonly unknown[]>(sql: string, values?: Values): AsyncIterable<readonly Row[]>;
  /** Runs a statement; gives the number of rows that it changed. */
  run(sql: string, values?: Values): Promise<number>;
  /** Runs a statement that writes; its failure may be thrown by a later `write`, or by the commit. */
  write(sql: string, values?: Values): Promise<void>;
  insert(insertion: Insertion): Promise<void>;
  /** Keeps other imports from parts of the store until the transaction ends, where an engine lets several import. */
  lock?(parts: readonly string[]): Promise<void>;
}

/** Two imports need the same series in different orders; one begins again and first locks what is `needed`. */
export class ImportsCollide extends Problem {
  readonly needed: 'everything' | readonly string[];

  constructor(needed: 'everything' | readonly string[]) {
    super('local-io', 'another import is writing to the same series', {
      hints: ['try again when it is done'],
    });
    this.needed = needed;
  }
}

/** A day before, and a day after, every day in a store. */
export const startOfTime = '0001-01-01';
export const endOfTime = '9999-12-31';

/** The values of a column of `array_agg`, which SQLite gives as JSON. */
export function listOf<T>(column: string | readonly (T | null)[]): readonly T[] {
  const values: readonly (T | null)[] = typeof column === 'string' ? JSON.parse(column) : column;
  return values.filter((value) => value !== null);
}

/** The members of a row; those that may be null become optional. */
type Present<Row> = { readonly [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
  readonly [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]>;
};

/** Returns the members of a row that are not null. */
export function present<Row extends object>(row: Row): Present<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<Row>;
}
