import { setImmediate as nextTick } from 'node:timers/promises';
import type { Cell, Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { snakeCase } from '../../operations/param.ts';
import { openSink } from '../../platform/sink.ts';
import { type OutputChoice, type OutputFlags, outputChoice, rendererFor } from '../../render/output.ts';
import { type Renderer, renderPages } from '../../render/renderer.ts';
import type { Io } from '../terminal/io.ts';
import { outputPlace } from './session.ts';

type RecordCell<T> = (record: T) => Cell | undefined;

type Column<T> = Field & { readonly of: RecordCell<T> };

/** Declares a column of a table of records, with a function for its cells. */
export function column<T>(
  name: string,
  type: Field['type'],
  description: string,
  of: RecordCell<T>,
): Column<T> {
  return { name, type, description, of };
}

/** Declares the column of a member, whose name is in snake case in JSON and other formats. */
export function member<T>(key: keyof T & string, type: Field['type'], description: string): Column<T> {
  return column(snakeCase(key), type, description, (record) => {
    // Only a member with cells as values can be a column.
    return (record as Readonly<Record<string, Cell | undefined>>)[key];
  });
}

/** A table that is not from a service. */
export type RecordTable<T> = {
  readonly columns: readonly Column<T>[];
  /** The object in JSON. Default: list. */
  readonly object?: string;
  /** True if a terminal shows each record as a card, with a line for each column. */
  readonly card?: boolean;
};

/** Prints a table of records in the requested format. */
export async function printTable<T>(
  output: OutputFlags,
  table: RecordTable<T>,
  records: readonly T[],
  io: Io,
): Promise<void> {
  await (await tablePrinter(output, table, io))(records);
}

/** Prepares the output of later records, and refuses invalid flags now. */
export async function tablePrinter<T>(
  output: OutputFlags,
  { columns: fields, object, card = false }: RecordTable<T>,
  io: Io,
): Promise<(records: readonly T[]) => Promise<void>> {
  const choice = outputChoice(output, outputPlace(io), false);
  const columns = fields.map(({ name }) => name);
  const renderer = await rendererFor(choice, { fields, columns, card }, false);
  return (records) => {
    const rows = records.map((record) =>
      Object.fromEntries(fields.map(({ name, of }) => [name, of(record) ?? null])),
    );
    return writeRows(choice, renderer, [rows], io, object);
  };
}

/** Writes rows in batches, as they come; a file appears only when it is complete. */
export async function writeRows(
  { file }: OutputChoice,
  renderer: Renderer,
  batches: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
  io: Io,
  object = 'list',
): Promise<void> {
  const pages = async function* () {
    for await (const results of batches) {
      const results_count = results.length;
      yield { object, request_id: '', status: 'ok', results, results_count, has_more: false };
    }
    return undefined;
  };
  const sink = await openSink(file, io);
  try {
    for await (const chunk of renderPages(renderer, pages())) {
      // Reading a store never waits for I/O: without a tick of the event loop no signal is noticed.
      await nextTick();
      io.signal.throwIfAborted();
      if (!(await sink.write(chunk))) break;
    }
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}
