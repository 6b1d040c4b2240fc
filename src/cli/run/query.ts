import { setImmediate as nextTick } from 'node:timers/promises';
import type { AnswerProgress, Failure, QueryContext } from '../../analysis/answer.ts';
import { isDrawable } from '../../analysis/layouts.ts';
import type { Query } from '../../analysis/query.ts';
import { run } from '../../analysis/run.ts';
import { withSuggestion } from '../../analysis/series-ids.ts';
import { isDataChange, restartOnChange } from '../../client/consistency.ts';
import { Problem } from '../../errors/problem.ts';
import { type OutputChoice, outputChoice, rendererFor } from '../../render/output.ts';
import type { QueryLine } from '../options/line.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { type Messages, reportFailure } from '../terminal/messages.ts';
import { type Progress, progress } from '../terminal/progress.ts';
import { RowOutput } from '../terminal/row-output.ts';
import { openSink, type Sink } from '../terminal/sink.ts';
import { outputPlace, withClient } from './session.ts';

/** Answers a query and writes its rows: complete, or (to a file) not at all. */
export async function runQuery(line: QueryLine, io: Io): Promise<number> {
  const { query } = line;
  const output = outputChoice(line.output, outputPlace(io), isDrawable(query));
  return withClient(line, io, async (client, messages) => {
    messages.resolved(line.resolved);
    const bar = progress(io, line.messages.quiet);
    const context: QueryContext = {
      client,
      signal: io.signal,
      chart: output.drawn,
      progress: (share) => bar.show(() => countText(share), share),
      ...(messages.notes && { note: () => undefined }),
    };
    if (line.dryRun && query.kind !== 'operation') {
      const { estimate } = await import('../../analysis/analyses.ts');
      messages.warn(`asof: ${await estimate(query, context).finally(() => bar.clear())}`);
      return exitCode.success;
    }
    const started = io.clock().getTime();
    const job = { query, output, context, bar, messages, io };
    const { rows, failures } = await answer(job);
    messages.detail(`asof: ${rows} rows in ${io.clock().getTime() - started} ms`);
    const codes: number[] = [];
    for (const { id, error } of failures)
      codes.push(reportFailure(await withSuggestion(error, id, context), line.output.format === 'json', io));
    if (codes[0] !== undefined) return codes[0];
    if (rows === 0) return output.failEmpty ? exitCode.empty : exitCode.success;
    return line.exitCode ? exitCode.differences : exitCode.success;
  });
}

function countText({ rows }: AnswerProgress): string {
  return rows === undefined ? '' : `${rows.toLocaleString('en-US')} rows`;
}

/** A query, its output, and where its progress and messages go. */
type Job = {
  readonly query: Query;
  readonly output: OutputChoice;
  readonly context: QueryContext;
  readonly bar: Progress;
  readonly messages: Messages;
  readonly io: Io;
};

/** How a job ended. */
type Outcome = { readonly rows: number; readonly failures: readonly Failure[] };

async function answer(job: Job): Promise<Outcome> {
  const { output, context, bar, messages, io } = job;
  const sink = await openSink(output.file, io);
  let notes: string[] = [];
  try {
    return await restartOnChange(() => {
      notes = [];
      const note: QueryContext['note'] = ({ kind, text }) => {
        // In JSON the coverage of a series is part of the answer.
        if (kind === 'coverage' && output.format === 'json') return;
        if (kind === 'unknown') return messages.detail(`asof: ${text}`);
        notes.push(kind === 'no curve' ? `${text}; --on-or-before takes the newest one before it` : text);
      };
      return attempt({ ...job, context: { ...context, ...(messages.notes && { note }) } }, sink);
    }, sink);
  } catch (error) {
    await sink.abandon();
    throw withHint(error, output);
  } finally {
    bar.clear();
    for (const text of notes) messages.note(`asof: ${text}`);
  }
}

/** Rows on stdout cannot be taken back, so the hint is a file, which asof can write again. */
function withHint(error: unknown, { file }: OutputChoice): unknown {
  if (!(error instanceof Problem) || !isDataChange(error) || file !== undefined) return error;
  return error.with({ hints: [...error.hints, 'with -o FILE asof starts again by itself'] });
}

async function attempt({ query, output, context, bar, messages, io }: Job, sink: Sink): Promise<Outcome> {
  const found = await run(query, context);
  const { failures } = found;
  const isLimited = ('limit' in query || 'first' in query) && (query.limit ?? query.first) !== undefined;
  const writing = new RowOutput(await rendererFor(output, found, true), output.screenful && !isLimited);
  for await (const page of found.pages) {
    const chunk = writing.page(page);
    if (output.onTerminal && chunk.length > 0) bar.clear();
    if (!(await sink.write(chunk))) return { rows: writing.rows, failures };
  }
  if (failures.length > 0 && (output.file !== undefined || !writing.hasPages)) {
    await sink.abandon();
    return { rows: 0, failures };
  }
  if (output.onTerminal) bar.clear();
  let bytes = 0;
  for (const chunk of writing.end()) {
    if (bytes > 0 && !output.onTerminal) bar.show(() => writtenText(writing.rows, bytes));
    if (!(await sink.write(chunk))) break;
    bytes += chunk.length;
    // Lets a signal arrive between chunks.
    await nextTick();
    io.signal.throwIfAborted();
  }
  await sink.finish();
  reportHidden(writing, query, messages);
  return { rows: writing.rows, failures };
}

function writtenText(rows: number, bytes: number): string {
  return `${rows.toLocaleString('en-US')} rows, ${(bytes / 1e6).toFixed(1)} MB written`;
}

/** Prints which columns and rows the terminal does not show, and how to see them. */
function reportHidden({ dropped, hidden }: RowOutput, query: Query, { warn }: Messages): void {
  if (dropped.length > 0)
    warn(`asof: the terminal is too narrow for ${dropped.join(', ')}; choose with --columns`);
  if (hidden === 0) return;
  const hint = query.kind === 'operation' ? '--all shows all, --limit N at most N' : '--all shows all';
  warn(`asof: ${hidden.toLocaleString('en-US')} more ${hidden === 1 ? 'row' : 'rows'}; ${hint}`);
}
