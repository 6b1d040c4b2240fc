import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { run } from '../analysis/run.ts';
import { withSuggestion } from '../analysis/series-ids.ts';
import type { Client } from '../client/client.ts';
import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { Envelope } from '../operations/envelope.ts';
import { naming } from '../platform/files.ts';
import { rendererFor } from '../render/output.ts';
import { renderPages } from '../render/renderer.ts';
import { boundedClient } from './bind.ts';
import type { BoundLine } from './line.ts';

/** What writing the lines of a plan takes. */
export type PlanWriting = {
  readonly client: Client;
  readonly asOf: Day;
  /** The folder that the files go to. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called before each line with its file and the number of lines done. */
  readonly onLine?: (name: string, done: number) => void;
  /** The same failure, with the line that it is of. */
  readonly explain: (error: unknown, line: BoundLine) => unknown;
};

/** Answers all lines and writes their files; resolves to the number of rows of each. */
export async function writeLines(
  lines: readonly BoundLine[],
  writing: PlanWriting,
): Promise<readonly number[]> {
  const rows: number[] = [];
  for (const [done, line] of lines.entries()) {
    writing.onLine?.(line.name, done);
    try {
      rows.push(await writeLine(line, writing));
    } catch (error) {
      throw writing.signal.aborted ? error : writing.explain(error, line);
    }
  }
  return rows;
}

async function writeLine({ name, query, output }: BoundLine, writing: PlanWriting): Promise<number> {
  const { asOf, folder, signal } = writing;
  signal.throwIfAborted();
  const client = boundedClient(writing.client, asOf);
  const asking = { client, signal, chart: output.drawn };
  const answer = await run(query, asking);
  let rows = 0;
  const counted = async function* (): AsyncGenerator<Envelope> {
    for await (const page of answer.pages) {
      rows += page.results.length;
      yield page;
    }
    const [failure] = answer.failures;
    if (failure !== undefined) throw await withSuggestion(failure.error, failure.id, asking);
  };
  const path = join(folder, name);
  // The state of the data may have changed in the middle of an earlier attempt.
  const file = await open(path, 'w');
  try {
    for await (const chunk of renderPages(await rendererFor(output, answer, false), counted())) {
      await file.writeFile(chunk).catch(naming(path));
      await nextTick();
      signal.throwIfAborted();
    }
  } finally {
    await file.close();
  }
  if (rows === 0 && output.failEmpty)
    throw new Problem('no-rows', 'it has no rows, which --fail-empty does not allow');
  return rows;
}
