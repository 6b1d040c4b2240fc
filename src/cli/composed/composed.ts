import type { Client } from '../../client/client.ts';
import type { Day } from '../../domain/series/date.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { type DataFlags, type OutputChoice, outputChoice } from '../options/flags.ts';
import { type Wanted, withSuggestion } from '../options/ids.ts';
import { type Session, withSession } from '../run/session.ts';
import { dataChanged, settled } from '../run/settled.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { reportFailure, type Talk } from '../terminal/messages.ts';
import { openSink } from '../terminal/open-sink.ts';
import { progress } from '../terminal/progress.ts';
import { newWriting, rendererFor, tellWhatIsMissing, writeEnd } from '../terminal/writing.ts';
import { politely } from './politely.ts';

/** The flags of a command that composes its answer from several requests. */
export type ComposedFlags = DataFlags & { readonly all?: boolean; readonly dryRun?: boolean };

/** An answer that was put together here from answers of the service. */
export type Composed = {
  readonly object: 'diff' | 'panel';
  readonly asOf?: Day;
  readonly fields: readonly Field[];
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The series that there is no answer about, and why. */
  readonly failures: readonly { readonly series: Wanted; readonly error: unknown }[];
};

/** What a composing command works with: its client keeps to a few requests at a time, and counts them. */
export type Composing = Session & {
  readonly requests: () => number;
  /** Says how many requests there will have been in the end, for those who watch. */
  readonly expect: (requests: number) => void;
  /** The requests that it takes in the end to see that the data did not change meanwhile. */
  readonly requestsToCheck: () => number;
};

/** What a composing command does: gives its answer, or (for a dry run) only how many requests that would take. */
export type Compose = (session: Composing) => Promise<Composed | { readonly wouldTake: string }>;

/** Composes an answer and writes it: complete, or (to a file) not at all. Gives the exit code and how many rows there were. */
export async function writeComposed(
  flags: ComposedFlags,
  io: Io,
  compose: Compose,
): Promise<{ readonly code: number; readonly rows: number }> {
  const output = outputChoice(flags, io);
  return withSession(flags, io, async (session) => {
    let requestId = '';
    let expected: number | undefined;
    const bar = progress(io, flags);
    const client = politely(session.client, io.signal, (id) => {
      requestId ||= id;
      const done = client.requests();
      const total = expected === undefined ? {} : { total: Math.max(done, expected) };
      bar.show(() => '', { done, unit: 'requests', ...total });
    });
    const expect = (requests: number): void => {
      expected = requests;
    };
    let notes: string[] = [];
    const composed = await settled(async () => {
      [notes, expected] = [[], undefined];
      const talk = { ...session.talk, note: (text: string) => notes.push(text) };
      const { changed, requests: requestsToCheck } = await client.watch();
      const { requests } = client;
      const made = await compose({ ...session, client, talk, requests, requestsToCheck, expect });
      if (!('wouldTake' in made) && (await changed())) throw dataChanged();
      return made;
    }).finally(() => {
      bar.clear();
      for (const text of notes) session.talk.note(text);
    });
    if ('wouldTake' in composed) {
      session.talk.warn(`asof: ${composed.wouldTake}`);
      return { code: exitCode.success, rows: 0 };
    }
    const nothing = composed.rows.length === 0 || output.file !== undefined;
    if (composed.failures.length === 0 || !nothing)
      await write(composed, requestId, output, flags, io, session.talk);
    const rows = composed.rows.length;
    io.runner?.answered(rows);
    session.talk.detail(`asof: ${rows} rows from ${client.requests()} requests`);
    const failed = await reportFailures(composed.failures, client, flags, io);
    return { code: failed ?? (rows === 0 && output.failEmpty ? exitCode.empty : exitCode.success), rows };
  });
}

async function reportFailures(
  failures: Composed['failures'],
  client: Client,
  flags: ComposedFlags,
  io: Io,
): Promise<number | undefined> {
  const codes: number[] = [];
  for (const { series, error } of failures)
    codes.push(reportFailure(await withSuggestion({ client, io }, series.id, error), flags, io));
  return codes[0];
}

/** Rows are written so many at a time, that a slow reader is waited for. */
const batch = 1000;

async function write(
  { object, asOf, fields, columns, rows }: Composed,
  requestId: string,
  output: OutputChoice,
  flags: ComposedFlags,
  io: Io,
  talk: Talk,
): Promise<void> {
  const renderer = await rendererFor(output, { fields, columns });
  const writing = newWriting(renderer, output.terminal && flags.all !== true);
  const sink = await openSink(output.file, io);
  try {
    let wanted = true;
    for (let at = 0; wanted && (at === 0 || at < rows.length); at += batch) {
      const results = rows.slice(at, at + batch);
      const page = writing.page({
        object,
        request_id: requestId,
        status: 'ok',
        ...(asOf !== undefined && { as_of: asOf }),
        results,
        results_count: results.length,
        has_more: false,
      });
      wanted = await sink.write(page);
    }
    if (wanted) await writeEnd(writing, sink, io.signal);
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
  tellWhatIsMissing(talk, writing, '--all shows all');
}
