import { readFile } from 'node:fs/promises';
import { addDays, utcDay } from '../../domain/series/date.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { counted } from '../../errors/wording.ts';
import type { SnapshotLine } from '../../lines/line.ts';
import { planLineParser } from '../../lines/parse.ts';
import { print } from '../../platform/sink.ts';
import { inOneLine } from '../../snapshot/line.ts';
import { placeOf } from '../../snapshot/place.ts';
import { lineOf, manifestName } from '../../snapshot/plan.ts';
import { type BoundPlan, bindPlan, type SnapshotSummary, snapshot } from '../../snapshot/snapshot.ts';
import { withClient } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';

/** `asof snapshot`: writes the files of a plan, all as of one date and from one state of the data, in one step. */
export async function runSnapshot(line: SnapshotLine, io: Io): Promise<number> {
  const text = await takeOrDescribe(line, io);
  if (text !== undefined) await print(text, io);
  return exitCode.success;
}

/** Takes the snapshot; for a dry run, resolves to the text that describes it. */
async function takeOrDescribe(line: SnapshotLine, io: Io): Promise<string | undefined> {
  const { out, dryRun } = line;
  let ending = 'nothing was written';
  try {
    const bytes = await readFile(line.plan).catch((cause) => {
      throw systemProblem('read', `the plan ${line.plan}`, cause);
    });
    // The last day that is over in UTC.
    const asOf = line.asOf ?? addDays(utcDay(io.clock()), -1);
    const plan = bindPlan(line.plan, bytes, { asOf, demands: line.demands }, planLineParser(io.clock()));
    const { current } = await placeOf(out);
    if (current !== undefined) ending = `${out} is as it was`;
    return dryRun ? dryRunText(plan, out) : await take(plan, line, io);
  } catch (error) {
    throw io.signal.aborted ? error : inOneLine(error, { after: `; ${ending}` });
  }
}

function dryRunText({ lines, asOf }: BoundPlan, out: string): string {
  const texts = lines.map(({ name, words }) => `${name}: asof ${lineOf(words)}\n`);
  return `${texts.join('')}${manifestName}: the commands and checksums of these files, as of ${asOf}\n${out} would contain these files\n`;
}

async function take(plan: BoundPlan, line: SnapshotLine, io: Io): Promise<undefined> {
  const { out, connection } = line;
  const started = io.clock().getTime();
  const { detail, note, warn } = messagesOf(line.messages, io);
  const bar = progress(io, line.messages.quiet);
  // `--verbose` prints only the line at the end.
  const { debug } = line.messages;
  const summary = await withClient(
    { connection, messages: { quiet: !debug, verbose: false, debug } },
    io,
    (client) =>
      snapshot(plan, {
        out,
        client,
        signal: io.signal,
        onLine: (name, done) => bar.show(() => name, { done, total: plan.lines.length }),
        note: (text) => note(`asof: ${text}`),
        warn: (text) => warn(`asof: ${text}`),
      }),
  ).finally(() => bar.clear());
  detail(`asof: ${out} as of ${plan.asOf}: ${summaryText(summary)}, ${io.clock().getTime() - started} ms`);
}

function summaryText({ files, rows, unchanged }: SnapshotSummary): string {
  return `${counted(files, 'file')}, ${counted(rows, 'row')}, ${unchanged} unchanged`;
}
