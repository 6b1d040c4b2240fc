import type { Cell, Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { snakeCase } from '../../operations/param.ts';
import { defined } from '../../platform/defined.ts';
import { pause } from '../../platform/promises.ts';
import { openSink } from '../../platform/sink.ts';
import { type OutputChoice, type OutputFlags, outputChoice, rendererFor } from '../../render/output.ts';
import { type Renderer, renderPages } from '../../render/renderer.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';
import { outputPlace } from './session.ts';

/** A table that is not from a service: the members of records that are its columns. */
export type RecordTable<T> = {
  readonly columns: readonly (keyof T & string)[];
  /** The object in JSON. Default: list. */
  readonly object?: string;
  /** The columns that get their place on a narrow terminal first or last. */
  readonly ranks?: Readonly<Partial<Record<keyof T & string, Field['rank']>>>;
  /** True if a terminal shows each record as a card, with a line for each column. */
  readonly card?: boolean;
};

/** Prints a table of records in the requested format; warns of columns for which the terminal is too narrow. */
export async function printTable<T>(
  output: OutputFlags,
  table: RecordTable<T>,
  records: readonly T[],
  io: Io,
  messages?: Messages,
): Promise<void> {
  const { choice, renderer, rows } = await preparedTable(output, table, records, io);
  await writeRows(choice, renderer, [rows], io, table.object);
  messages?.tooNarrow(renderer.dropped?.() ?? []);
}

/** Prepares a table of records, whose columns get snake case and a type by their cells; refuses invalid flags. */
export async function preparedTable<T>(
  output: OutputFlags,
  { columns: keys, card = false, ranks }: RecordTable<T>,
  records: readonly T[],
  io: Io,
) {
  const choice = outputChoice({ ...output, everything: true }, outputPlace(io), {});
  const rows = records.map((record): Row => {
    // A member that is a column has cells as values.
    const cells = record as Readonly<Record<string, Cell | undefined>>;
    return Object.fromEntries(keys.map((key) => [snakeCase(key), cells[key] ?? null]));
  });
  const columns = keys.map(snakeCase);
  const fields = keys.map((key): Field => {
    const name = snakeCase(key);
    return { name, type: typeOf(rows, name), description: '', ...defined({ rank: ranks?.[key] }) };
  });
  return { choice, rows, renderer: await rendererFor(choice, { fields, columns, card }, false) };
}

function typeOf(rows: readonly Row[], name: string): Field['type'] {
  const cell = rows.find((row) => row[name] !== null)?.[name];
  if (Array.isArray(cell)) return 'list';
  const isEach = (form: RegExp) => rows.every((row) => row[name] === null || form.test(String(row[name])));
  if (typeof cell === 'string' && isEach(/^\d{4}-\d\d-\d\d$/)) return 'day';
  if (typeof cell === 'string' && isEach(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)) return 'timestamp';
  return ({ number: 'integer', boolean: 'boolean' } as const)[String(typeof cell)] ?? 'text';
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
      await pause(io.signal);
      if (!(await sink.write(chunk))) break;
    }
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}
