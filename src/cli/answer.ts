import type { Client } from '../client/client.ts';
import type { Envelope, Row } from '../model/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import { Problem } from '../problem.ts';
import { columnsOf } from '../render/columns.ts';
import { rendererOf } from '../render/format.ts';
import type { Renderer } from '../render/renderer.ts';
import { exitCode } from './exit-code.ts';
import type { OutputChoice } from './flags.ts';
import type { Io } from './io.ts';
import { changedBetweenPages, type Extent, type Given, pagesOf } from './pages.ts';
import { fileSink, type Sink, streamSink } from './sink.ts';
import type { Talk } from './talk.ts';

/** One question of a command, and the name by which its failure is listed. */
export type Question = { readonly given: Given; readonly label: string };

/** What a command asks for and where it goes. */
export type Job = {
  readonly client: Client;
  readonly operation: Operation;
  readonly questions: readonly Question[];
  readonly extent: Extent;
  /** Show all rows also where a person would be shown a screenful. */
  readonly everything: boolean;
  /** Oldest row first, after the limit was applied in the contract's order. */
  readonly ascending: boolean;
  readonly output: OutputChoice;
  readonly io: Io;
  readonly talk: Talk;
};

/** A question that could not be answered. */
export type Failure = { readonly label: string; readonly error: unknown };

/** How a job ended. */
export type Outcome = { readonly rows: number; readonly failures: readonly Failure[] };

/** How often a question is begun anew when the data changes between its pages. */
const attempts = 3;

/** A table on a terminal shows this many rows unless more are asked for. */
const screenful = 100;

/** Asks every question and writes the answers as one output: complete, or (to a file) not at all. */
export async function answer(job: Job): Promise<Outcome> {
  const sink = job.output.file === undefined ? streamSink(job.io.stdout) : fileSink(job.output.file);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptAnswer(job, sink);
      } catch (error) {
        if (!changedBetweenPages(error)) throw error;
        if (sink.committed() || attempt > attempts) throw changedTooOften(error);
        await sink.restart();
      }
    }
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

function changedTooOften(cause: unknown): Problem {
  return new Problem('bad-answer', 'the data changed while it was being read, again and again', {
    hints: ['try again when the import is done', 'with -o FILE asof can begin anew by itself'],
    cause,
  });
}

async function attemptAnswer(job: Job, sink: Sink): Promise<Outcome> {
  const { operation, output, talk } = job;
  const columns = columnsOf(operation.fields, operation.columns, output.columns);
  const renderer = await rendererOf(output.format, {
    columns,
    header: output.header,
    colour: output.colour,
    ...(output.width !== undefined && { width: output.width }),
  });
  const screen = output.terminal && job.extent.limit === undefined && !job.everything;
  const writing = new Writing(renderer, sink, screen ? screenful : undefined);
  const failures: Failure[] = [];
  for (const { given, label } of job.questions) {
    try {
      for await (const page of ordered(job, given)) {
        job.io.signal.throwIfAborted();
        if (!(await writing.page(job.questions.length > 1 ? joinable(page) : page)))
          return { rows: writing.rows, failures };
      }
    } catch (error) {
      if (!(error instanceof Problem) || changedBetweenPages(error) || job.questions.length === 1)
        throw error;
      failures.push({ label, error });
    }
  }
  if (failures.length > 0 && (output.file !== undefined || failures.length === job.questions.length)) {
    await sink.abandon();
    return { rows: 0, failures };
  }
  await writing.end();
  const dropped = renderer.dropped?.() ?? [];
  if (dropped.length > 0)
    talk.note(`asof: the terminal has no room for ${dropped.join(', ')}; --columns chooses`);
  if (writing.hidden > 0) talk.note(`asof: ${writing.hidden} more rows; --all shows them, --limit N so many`);
  return { rows: writing.rows, failures };
}

/** The pages of one question, in the order in which the user wants the rows. */
async function* ordered(
  { client, operation, extent, ascending }: Job,
  given: Given,
): AsyncGenerator<Envelope> {
  if (!ascending) {
    yield* pagesOf(client, operation, given, extent);
    return;
  }
  const rows: Row[] = [];
  let last: Envelope | undefined;
  for await (const page of pagesOf(client, operation, given, extent)) {
    for (const row of page.results) rows.push(row);
    last = page;
  }
  if (last !== undefined) yield { ...last, results: rows.reverse(), results_count: rows.length };
}

/** A page as a part of an answer about several series: what names one of them is left out. */
function joinable(page: Envelope): Envelope {
  const { series: _series, next_cursor: _cursor, ...rest } = page;
  return rest;
}

/** Writes pages through a renderer, up to a number of rows; counts what it leaves out. */
class Writing {
  rows = 0;
  hidden = 0;
  readonly #renderer: Renderer;
  readonly #sink: Sink;
  readonly #most: number | undefined;

  constructor(renderer: Renderer, sink: Sink, most: number | undefined) {
    this.#renderer = renderer;
    this.#sink = sink;
    this.#most = most;
  }

  async page(page: Envelope): Promise<boolean> {
    const room = this.#most === undefined ? page.results.length : Math.max(0, this.#most - this.rows);
    this.hidden += Math.max(0, page.results.length - room);
    const shown = page.results.length > room ? page.results.slice(0, room) : page.results;
    this.rows += shown.length;
    if (shown.length === 0 && page.results.length > 0) return true;
    return this.#sink.write(this.#renderer.page({ ...page, results: shown }));
  }

  async end(): Promise<void> {
    await this.#sink.write(this.#renderer.end());
    await this.#sink.finish();
  }
}

/** The exit code of an outcome whose failures were reported; `failed` is the code of the first. */
export function outcomeCode({ rows }: Outcome, failEmpty: boolean, failed: number | undefined): number {
  if (failed !== undefined) return failed;
  return rows === 0 && failEmpty ? exitCode.empty : exitCode.success;
}
