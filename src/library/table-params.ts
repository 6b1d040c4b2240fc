import type { Demands } from '../analysis/basis.ts';
import type { Beyond } from '../analysis/query.ts';
import type { UserTable } from '../analysis/table.ts';
import type { TransformationParams } from '../domain/series/transformation.ts';
import { refused } from '../errors/problem.ts';
import type { Cell } from '../operations/envelope.ts';
import { isPlain } from '../operations/value.ts';
import type { Kind, Optional, SeveralParams } from './arguments.ts';

/** A row of a table: cells by column. */
export type InputRow = { readonly [column: string]: string | number | boolean | null };

/** What counts as known on the day of a row. */
export type KnownParams = Optional<{
  /** Uses only what was published before the day. */
  readonly strict?: boolean;
  /** How many of the newest observations are skipped. */
  readonly lag?: number;
  /** What days after the coverage of a series show, or are compared with (default `empty`: nothing). */
  readonly beyond?: Beyond;
}> &
  SeveralParams &
  Optional<TransformationParams> &
  Demands;

/** The parameters of a join. */
export type JoinParams = KnownParams & {
  /** The column of the days. */
  readonly on: string;
} & Optional<{
    /** Adds a second column for each series: the period that its value belongs to. */
    readonly withDates?: boolean;
    /** Adds a further column for each series: the number of days since its value was published. */
    readonly withAge?: boolean;
  }>;

/** The parameters of a check. */
export type CheckParams = KnownParams &
  Optional<{
    /** The column of the days; by default the first one. */
    readonly on?: string;
    /** The columns to check, with the id of the series of each; by default every column with the name of a series. */
    readonly columns?: Readonly<Record<string, string>>;
    /** Also gives the values that were known. */
    readonly allRows?: boolean;
  }>;

/** A list of rows as a table: its columns are those of all rows. */
export function tableOf(rows: readonly InputRow[]): UserTable {
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

/** The path of a file, or rows of cells by column. */
export const tableKind: Kind = {
  check(value, name) {
    if (typeof value === 'string' && value !== '') return value;
    const isRow = (row: unknown) =>
      isPlain(row) && Object.values(row).every((cell) => cell === null || typeof cell !== 'object');
    if (Array.isArray(value) && value.every(isRow)) return value;
    const reason = 'use the path of a file, or a list of rows such as [{ day: "2015-01-30" }]';
    throw refused({ param: name, value, reason });
  },
};
