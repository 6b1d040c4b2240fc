import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { openSink } from '../../platform/file-sink.ts';
import { type OutputFlags, outputChoice, rendererFor } from '../../render/output.ts';
import { renderPages } from '../../render/renderer.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { outputPlace } from './session.ts';

/** Prints rows that no service gave, in the format that is asked for; JSON calls the list `object`. */
export async function printRows(
  output: OutputFlags,
  fields: readonly Field[],
  results: readonly Row[],
  io: Io,
  object = 'list',
): Promise<number> {
  const choice = outputChoice(output, outputPlace(io), false);
  const renderer = await rendererFor(choice, { fields, columns: fields.map(({ name }) => name) }, false);
  const head = { object, request_id: '', status: 'ok', results_count: results.length };
  const sink = await openSink(choice.file, io);
  for await (const chunk of renderPages(renderer, [{ ...head, results, has_more: false }]))
    await sink.write(chunk);
  await sink.finish();
  return exitCode.success;
}
