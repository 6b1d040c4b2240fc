import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { openSink } from '../../platform/sink.ts';
import { type OutputFlags, outputChoice, rendererFor } from '../../render/output.ts';
import { renderPages } from '../../render/renderer.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { outputPlace } from './session.ts';

/** How rows that no service gave are shown: JSON calls the list `object`; a `card` has a line for each field. */
type RowsShown = { readonly object?: string; readonly card?: boolean };

/** Prints rows that no service gave, in the format that is asked for. */
export async function printRows(
  output: OutputFlags,
  fields: readonly Field[],
  results: readonly Row[],
  io: Io,
  shown: RowsShown = {},
): Promise<number> {
  return (await rowPrinter(output, fields, io, shown))(results);
}

/** Prepares the output of rows that are not known yet: what is wrong with its flags is refused now. */
export async function rowPrinter(
  output: OutputFlags,
  fields: readonly Field[],
  io: Io,
  { object = 'list', card = false }: RowsShown = {},
): Promise<(results: readonly Row[]) => Promise<number>> {
  const choice = outputChoice(output, outputPlace(io), false);
  const columns = fields.map(({ name }) => name);
  const renderer = await rendererFor(choice, { fields, columns, card }, false);
  return async (results) => {
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
    return exitCode.success;
  };
}
