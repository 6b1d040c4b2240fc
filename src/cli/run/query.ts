import {
  type Ask,
  type Asker,
  askOf,
  type Difference,
  type Note,
  type Outcome,
  type QueryAnswer,
  type WrittenRows,
} from '../../answering/answer.ts';
import { notesOf } from '../../answering/notes.ts';
import { type Query, shapesOf } from '../../answering/question.ts';
import { run } from '../../answering/run.ts';
import type { TableFiles, UserTable } from '../../answering/table.ts';
import { isDataChange, restartOnChange } from '../../client/client.ts';
import { addDays, type Day, latestDay, utcDay } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import { counted, grouped, listed, someOf } from '../../errors/wording.ts';
import type { ConnectionFlags, QueryLine } from '../../lines/command.ts';
import type { Row } from '../../operations/envelope.ts';
import { commandNaming } from '../../operations/operation.ts';
import { isShippedSample } from '../../platform/installation.ts';
import { pauseIfDue } from '../../platform/promises.ts';
import { openSink, type Sink } from '../../platform/sink.ts';
import { isGzipName, type OutputChoice, outputChoice, rendererFor } from '../../render/output.ts';
import {
  type Chunk,
  pagesFor,
  type RenderedRows,
  ReturningIterable,
  renderPages,
} from '../../render/renderer.ts';
import { locatedAt } from '../../store/address.ts';
import { chosenBaseUrl, storeToRead } from '../config/settings.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf } from '../terminal/messages.ts';
import { outputPlace, withClient } from './session.ts';

/** Answers a query and writes all its rows, or (to a file) nothing. */
export async function runQuery(line: QueryLine, io: Io): Promise<number> {
  const { query } = line;
  const output = outputChoice(line.output, outputPlace(io), shapesOf(query));
  const messages = messagesOf(line.messages, io);
  return withClient({ connection: line.connection, messages }, io, async (client) => {
    messages.resolved(line.resolved);
    const bar = messages.progress();
    const asker: Asker = {
      client,
      signal: io.signal,
      naming: commandNaming,
      drawn: output.drawn,
      explained: true,
      tables: tablesOf(io),
      progress: (share) =>
        bar.show(() => (share.rows === undefined ? '' : `${grouped(share.rows)} rows`), share),
    };
    if (line.dryRun) {
      const { mostRequests } = await import('../../answering/composed.ts');
      messages.warn(`asof: ${await mostRequests(query, askOf(asker, line.demands, utcDay(io.clock())))}`);
      return exitCode.success;
    }
    const started = io.clock().getTime();
    const { rows, differs = rows > 0 } = await answer({ line, query, output, asker, bar, messages, io });
    messages.detail(`asof: ${counted(rows, 'row')} in ${io.clock().getTime() - started} ms`);
    if (rows === 0 && output.failEmpty) return exitCode.empty;
    if (output.file !== undefined) messages.done(`asof: wrote ${counted(rows, 'row')} to ${output.file}`);
    return line.exitCode && differs ? exitCode.differences : exitCode.success;
  });
}

type Job = {
  readonly line: QueryLine;
  readonly query: Query;
  readonly output: OutputChoice;
  readonly asker: Asker;
  readonly bar: ReturnType<Messages['progress']>;
  readonly messages: Messages;
  readonly io: Io;
};

function tablesOf(io: Io): TableFiles {
  const opened = new Map<string, Promise<UserTable>>();
  return {
    latest: latestDay(io.clock()),
    async open(name) {
      const { openTable } = await import('../../table/open.ts');
      const table = opened.get(name) ?? openTable(name, io.stdin);
      opened.set(name, table);
      return table;
    },
  };
}

type JobOutcome = Partial<Difference> & { readonly rows: number };

/** In days; a reader of the newest values is told about older ones. */
const usualAge = 31;

async function answer(job: Job): Promise<JobOutcome> {
  const { line, query, output, asker, messages, io } = job;
  // `less` leaves the text on the screen, and ends at once if all of it fits.
  const env = { LESS: 'FRX', LV: '-c', ...io.env };
  const { pager: command } = output;
  const failed = () =>
    messages.note(`asof: the pager '${command}' cannot be started; ASOF_PAGER or PAGER names it`);
  const pager = command === undefined ? undefined : { command, env, failed };
  const sink = await openSink(output.file, io, pager);
  const today = utcDay(io.clock());
  const note = ({ kind, text }: Note): void => {
    if (kind === 'unknown') messages.detail(`asof: ${text}`);
  };
  // A workbook has the notes, whether or not they are also printed.
  const isNoted = output.format === 'xlsx' || !messages.flags.quiet;
  const begun = () => askOf({ ...asker, ...(isNoted && { note }) }, line.demands, today);
  let ask = begun();
  let ended: JobOutcome | undefined;
  let oldest: Day | undefined;
  try {
    ended = await restartOnChange(() => {
      ask = begun();
      return attempt(job, ask, sink);
    }, sink);
    if (ended.rows > 0 && asksSample(line.connection, io)) await noteSampleEnd(query, ask);
    else if (ended.rows > 0 && showsLatest(job)) oldest = addDays(today, -usualAge);
    return ended;
  } catch (error) {
    await sink.abandon();
    const { withSuggestion } = await import('../../answering/unknown-series.ts');
    throw await withSuggestion(inFlags(error, job), ask, query.question.knownOn?.(query.values));
  } finally {
    printNotes(notesOf(ask, oldest), ended, job);
  }
}

/** Tells whether the sample answers. */
function asksSample(connection: ConnectionFlags, io: Io): boolean {
  if (chosenBaseUrl(io, connection) !== undefined) return false;
  return isShippedSample(locatedAt(storeToRead(io, connection.store).path));
}

const mostEnded = 3;

/** Adds a note on the end of the data that the sample gives as the newest, and on the pulls that go beyond. */
async function noteSampleEnd({ question, values }: Query, { basis, note }: Ask): Promise<void> {
  const { knownOn, showsNewest } = question;
  const isNewest = knownOn === undefined ? showsNewest?.(values) : knownOn(values) === undefined;
  if (note === undefined || isNewest !== true) return;
  const { today } = basis;
  const ended = basis.upTo(today).filter(({ subject }) => !basis.reaches(subject, today));
  const [first, ...later] = ended.flatMap(({ covered_to }) => covered_to ?? []).sort();
  if (first === undefined) return;
  const last = later.at(-1) ?? first;
  const span = last === first ? `on ${first}` : `between ${first} and ${last}`;
  const subjects = ended.map(({ subject }) => subject);
  const named = listed(someOf(subjects, mostEnded, 'series'), 'and');
  const { pullsBeyond } = await import('../../answering/unknown-series.ts');
  const pulls = await pullsBeyond(subjects.slice(0, mostEnded), values.ticker);
  const more = subjects.length > mostEnded ? ' …' : '';
  const brings = `${pulls.length === 1 ? 'brings' : 'bring'} ${subjects.length === 1 ? 'it' : 'them'} up to date`;
  note({
    kind: 'stale',
    text: `the sample ends ${span} (${named}); ${listed(pulls, 'and')}${more} ${brings}`,
  });
}

function printNotes(notes: readonly Note[], ended: JobOutcome | undefined, { output, messages }: Job): void {
  const say = (text: string) => messages.note(`asof: ${text}`);
  const isEmpty = ended?.rows === 0;
  const reasons: string[] = [];
  const stale: string[] = [];
  for (const { kind, text } of notes) {
    if (kind === 'missing' && ended !== undefined) messages.warn(`asof: ${text}`);
    // In JSON, the answer has the coverage.
    if (kind === 'missing' || kind === 'unknown' || (kind === 'coverage' && output.format === 'json'))
      continue;
    if (kind === 'stale') stale.push(text);
    else if (isEmpty && output.onTerminal) reasons.push(text);
    else say(isEmpty && (kind === 'empty' || kind === 'incomplete') ? `no rows: ${text}` : text);
  }
  // An empty table would look like a failure otherwise.
  if (isEmpty && output.onTerminal) say(reasons.length === 0 ? 'no rows' : `no rows: ${reasons.join('; ')}`);
  const [first, ...more] = stale;
  if (first === undefined) return;
  say(more.length === 0 ? first : `${first}, and ${more.length} more series are not up to date`);
}

function showsLatest({ query, output, messages }: Job): boolean {
  if (!messages.hasReader || !output.onTerminal || output.format !== 'table' || output.drawn) return false;
  return query.question.showsNewest?.(query.values) ?? false;
}

function inFlags(error: unknown, { query, output }: Job): unknown {
  if (!(error instanceof Problem)) return error;
  if (isDataChange(error) && output.file === undefined)
    return error.with({ hints: [...error.hints, 'with -o FILE asof starts again by itself'] });
  const { cursor } = query.values;
  if (error.kind !== 'validation-error' || error.field !== 'cursor' || cursor === undefined) return error;
  const reason = error.refusal?.reason ?? error.detail;
  return error.with({ detail: `--cursor ${JSON.stringify(cursor)}: ${reason}`, requestId: undefined });
}

async function attempt(
  { line, query, output, bar, messages, io }: Job,
  ask: Ask,
  sink: Sink,
): Promise<JobOutcome> {
  const found = await run(query, ask);
  const isLimited = ['limit', 'first'].some((name) => query.values[name] !== undefined);
  const renderer = await rendererFor(isLimited ? { ...output, lines: undefined } : output, found, true);
  const shown: RenderedRows = { rows: 0, isWhole: false };
  const written = writtenAs(output, found);
  const chunks = new ReturningIterable(
    written === undefined
      ? renderPages(renderer, pagesFor(renderer, found), shown)
      : writtenRows(written, shown),
  );
  let isOpen = true;
  let bytes = 0;
  const isText = found.isText === true && output.format === 'table' && output.columns === undefined;
  if (found.sentence !== undefined && (isText || (found.isText !== true && isTableForPeople(output)))) {
    if (output.pager !== undefined) bar.end();
    else if (output.onTerminal) bar.clear();
    isOpen = await sink.write((await paragraph(found.sentence, output)) + (isText ? '' : '\n'));
  }
  for await (const chunk of chunks) {
    if (output.pager !== undefined) bar.end();
    else if (output.onTerminal) bar.clear();
    else if (bytes > 0) bar.show(() => `${grouped(shown.rows)} rows, ${(bytes / 1e6).toFixed(1)} MB written`);
    if (isOpen && !isText) isOpen = await sink.write(chunk);
    // A comparison's result is its exit code, even if nobody reads all rows.
    if (!isOpen && !line.exitCode) break;
    if (shown.isWhole) bytes += chunk.length;
    await pauseIfDue(io.signal);
  }
  const { returned: outcome } = chunks;
  const ended = { ...outcome, rows: shown.rows };
  if (!isOpen || outcome === undefined) {
    // The user may still look at the pager.
    if (output.pager !== undefined) await sink.finish();
    return ended;
  }
  if (shown.rows === 0 && output.failEmpty && output.file !== undefined) {
    await sink.abandon();
    return ended;
  }
  if (output.onTerminal) bar.clear();
  await sink.finish();
  messages.tooNarrow(isText ? [] : (renderer.dropped?.() ?? []));
  reportHidden(renderer.hidden?.() ?? 0, query, messages);
  return ended;
}

/** Breaks a text into lines. */
async function paragraph(text: string, { width = 80 }: OutputChoice): Promise<string> {
  // Loaded here: it takes a tenth of the time of a query.
  const { wrap } = await import('../../render/terminal-text.ts');
  return `${wrap(text, width).join('\n')}\n`;
}

function isTableForPeople({ format, onTerminal, drawn }: OutputChoice): boolean {
  return onTerminal && format === 'table' && drawn === false;
}

function reportHidden(hidden: number, query: Query, { warn }: Messages): void {
  const isPaged = Object.hasOwn(query.question.params, 'cursor');
  const hint = isPaged ? '--all shows all, --limit N at most N' : '--all shows all';
  if (hidden > 0) warn(`asof: ${counted(hidden, 'more row')}; ${hint}`);
}

/** Returns the rows as the user wrote them, if the output has the same form; otherwise undefined. */
function writtenAs(
  { format, file, columns, header, onTerminal }: OutputChoice,
  { written }: QueryAnswer<Row, Outcome>,
): WrittenRows<Outcome> | undefined {
  const separator = { csv: ',', tsv: '\t' }[String(format)];
  if (written === undefined || written.separator !== separator || columns !== undefined) return undefined;
  // A terminal gets no control characters.
  if (onTerminal || isGzipName(file)) return undefined;
  return { ...written, header: header ? `${written.header}\n` : '' };
}

async function* writtenRows<O>(
  { header, pages }: WrittenRows<O>,
  shown: RenderedRows,
): AsyncGenerator<Chunk, O | undefined> {
  yield Buffer.from(header, 'latin1');
  const all = new ReturningIterable(pages());
  for await (const { bytes, rows } of all) {
    shown.rows += rows;
    yield bytes;
  }
  return all.returned;
}
