import type { Cell } from '../../operations/envelope.ts';
import type { Field, FieldType } from '../../operations/field.ts';
import { camelCase } from '../../operations/param.ts';
import { openSink } from '../../platform/sink.ts';
import { type OutputFlags, outputChoice, rendererFor } from '../../render/output.ts';
import { renderPages } from '../../render/renderer.ts';
import type { Io } from '../terminal/io.ts';
import { outputPlace } from './session.ts';

type RecordCell<T> = (record: T) => Cell | undefined;

type Column<T> = Field & { readonly of: RecordCell<T> };

/** `upTo` is `up_to`. */
type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : S;

/** Declares a column of a table of records, with the cell of each record. */
export function column<T>(name: string, type: FieldType, description: string, of: RecordCell<T>): Column<T> {
  return { name, type, description, of };
}

/** Declares the column of the member with the same name, perhaps in camel case. */
export function member<T>(
  name: SnakeCase<keyof T & string>,
  type: FieldType,
  description: string,
): Column<T> {
  return column(name, type, description, (record) => {
    const cells = record as Readonly<Record<string, Cell | undefined>>;
    return cells[name] ?? cells[camelCase(name)];
  });
}

/** A table that no service gave. */
export type RecordTable<T> = {
  readonly columns: readonly Column<T>[];
  /** What JSON calls it. Default: list. */
  readonly object?: string;
  /** Whether a terminal shows each record as a card, with a line for each column. */
  readonly card?: boolean;
};

/** Prints a table of records in the format that is asked for. */
export async function printTable<T>(
  output: OutputFlags,
  table: RecordTable<T>,
  records: readonly T[],
  io: Io,
): Promise<void> {
  await (await tablePrinter(output, table, io))(records);
}

/** Prepares the output of records that are not known yet: what is wrong with its flags is refused now. */
export async function tablePrinter<T>(
  output: OutputFlags,
  { columns: fields, object = 'list', card = false }: RecordTable<T>,
  io: Io,
): Promise<(records: readonly T[]) => Promise<void>> {
  const choice = outputChoice(output, outputPlace(io), false);
  const columns = fields.map(({ name }) => name);
  const renderer = await rendererFor(choice, { fields, columns, card }, false);
  return async (records) => {
    const results = records.map((record) =>
      Object.fromEntries(fields.map(({ name, of }) => [name, of(record) ?? null])),
    );
    const page = {
      object,
      request_id: '',
      status: 'ok',
      results,
      results_count: results.length,
      has_more: false,
    };
    const sink = await openSink(choice.file, io);
    for await (const chunk of renderPages(renderer, [page])) await sink.write(chunk);
    await sink.finish();
  };
}
