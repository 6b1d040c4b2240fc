import type { Client } from '../../client/client.ts';
import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import type { Operation } from '../../operations/operation.ts';
import type { ParamTexts } from '../../operations/param.ts';
import type { OutputChoice } from '../options/flags.ts';
import type { Picture } from '../options/plot.ts';
import type { Io } from '../terminal/io.ts';
import type { Talk } from '../terminal/messages.ts';
import { openSink } from '../terminal/open-sink.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Sink } from '../terminal/sink.ts';
import { newWriting, rendererFor, tellWhatIsMissing, type Writing, writeEnd } from '../terminal/writing.ts';
import { changedBetweenPages, type Extent, pagesOf } from './pages.ts';
import { settled } from './settled.ts';

/** One question of a command, and the name by which its failure is listed; `row` describes its series where that was asked already. */
export type Question = { readonly given: ParamTexts; readonly label: string; readonly row?: Row };

/** How rows are shown that a command adds to, or cuts, after the service gave them. */
export type Shape = {
  readonly fields: readonly Field[];
  readonly columns: readonly string[];
  /** The page as it is shown. */
  readonly page?: (page: Envelope) => Envelope;
  /** The pages as they are shown, where rows of several are put together or more must be asked. */
  readonly pages?: (pages: AsyncGenerator<Envelope>) => AsyncGenerator<Envelope>;
  /** How much is asked for, where the limit counts the rows shown and not those of the service. */
  readonly extent?: Extent;
};

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
  /** Unless given, rows are shown as the operation declares them. */
  readonly shape?: Shape;
  /** How the rows are drawn, where a chart is asked for. */
  readonly picture?: Picture;
  readonly output: OutputChoice;
  readonly io: Io;
  readonly talk: Talk;
  readonly progress: Progress;
};

/** A question that could not be answered. */
export type Failure = { readonly question: Question; readonly error: unknown };

/** How a job ended. */
export type Outcome = { readonly rows: number; readonly failures: readonly Failure[] };

/** Asks every question and writes the answers as one output: complete, or (to a file) not at all. */
export async function answer(job: Job): Promise<Outcome> {
  const sink = await openSink(job.output.file, job.io);
  try {
    return await settled(() => attemptAnswer(job, sink), sink);
  } catch (error) {
    await sink.abandon();
    throw error;
  } finally {
    job.progress.clear();
  }
}

async function attemptAnswer(job: Job, sink: Sink): Promise<Outcome> {
  const { output, questions } = job;
  const renderer = await rendererFor(output, job.shape ?? job.operation, job.picture);
  const screen = output.terminal && job.extent.limit === undefined && !job.everything;
  const writing = newWriting(renderer, screen);
  const failures: Failure[] = [];
  const expected = expectedRows(job);
  for (const [done, question] of questions.entries()) {
    const ended = await answerOne(job, question, writing, sink, (rows) =>
      job.progress.show(...howFar(job, done, rows, expected)),
    );
    if (ended === 'unread') return { rows: writing.rows(), failures };
    if (ended !== 'answered') failures.push({ question, error: ended });
  }
  if (failures.length > 0 && (output.file !== undefined || failures.length === questions.length)) {
    await sink.abandon();
    return { rows: 0, failures };
  }
  if (output.onTerminal) job.progress.clear();
  await writeEnd(writing, sink, job.io.signal, (bytes) => {
    const written = () =>
      `${writing.rows().toLocaleString('en-US')} rows, ${(bytes / 1e6).toFixed(1)} MB written`;
    if (!output.onTerminal) job.progress.show(written);
  });
  await sink.finish();
  tellWhatIsMissing(job.talk, writing, '--all shows all, --limit N so many');
  return { rows: writing.rows(), failures };
}

/** Writes the answer to one question; tells whether it came to its end, its reader had gone, or why it failed. */
async function answerOne(
  job: Job,
  { given }: Question,
  writing: Writing,
  sink: Sink,
  tell: (rows: number) => void,
): Promise<'answered' | 'unread' | Problem> {
  const { questions, output, progress, shape } = job;
  const asked = ordered({ ...job, extent: shape?.extent ?? job.extent }, given);
  const pages = shape?.pages?.(asked) ?? asked;
  for (;;) {
    const page = await nextOf(pages);
    if (page === undefined) return 'answered';
    if (page instanceof Problem) return page;
    const shown = shape?.page?.(page) ?? page;
    const chunk = writing.page(questions.length > 1 ? joinable(shown) : shown);
    if (output.onTerminal && chunk.length > 0) progress.clear();
    if (!(await sink.write(chunk))) return 'unread';
    tell(writing.rows() + writing.hidden());
  }
}

/** What progress tells: rows of all rows where these are known, else series of all series where there are several. */
function howFar(
  { questions }: Job,
  done: number,
  rows: number,
  expected: number | undefined,
): Parameters<Progress['show']> {
  if (expected !== undefined || questions.length === 1)
    return [() => '', { done: rows, unit: 'rows', ...(expected !== undefined && { total: expected }) }];
  const share = { done, total: questions.length, unit: 'series' };
  return [() => `${rows.toLocaleString('en-US')} rows`, share];
}

/** The rows of whole series in their newest state, where they were described already; nothing else tells beforehand. */
function expectedRows({ operation, questions, extent }: Job): number | undefined {
  const { countedBy } = operation;
  if (countedBy === undefined || extent.limit !== undefined || extent.cursor !== undefined) return undefined;
  let sum = 0;
  for (const { given, row } of questions) {
    if (given.length !== 1 || row === undefined) return undefined;
    sum += Number(row[countedBy]);
  }
  return sum;
}

/** The next page, or the Problem that stands in its place; what concerns the whole job is thrown. */
async function nextOf(pages: AsyncGenerator<Envelope>): Promise<Envelope | Problem | undefined> {
  try {
    const next = await pages.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    if (error instanceof Problem && !changedBetweenPages(error)) return error;
    throw error;
  }
}

/** The pages of one question, in the order in which the user wants the rows. */
async function* ordered(job: Job, given: ParamTexts): AsyncGenerator<Envelope> {
  const pages = pagesOf(job.client, job.operation, given, job.extent, job.io.signal);
  if (!job.ascending) {
    yield* pages;
    return;
  }
  const rows: Row[] = [];
  let last: Envelope | undefined;
  for await (const page of pages) {
    for (const row of page.results) rows.push(row);
    last = page;
  }
  const { newestFirst: field = '' } = job.operation;
  const oldestFirst = (a: Row, b: Row) => (String(a[field]) < String(b[field]) ? -1 : 1);
  // Not every service gives the newest observation first.
  if (last !== undefined) yield { ...last, results: rows.sort(oldestFirst), results_count: rows.length };
}

/** A page as a part of an answer about several series: what only one of them can be asked is left out. */
function joinable(page: Envelope): Envelope {
  const { series: _series, next_cursor: _cursor, ...rest } = page;
  return { ...rest, has_more: false };
}
