import { readFile } from 'node:fs/promises';
import { addDays, utcDay } from '../../domain/series/date.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { counted } from '../../errors/wording.ts';
import { connectionIn, demandsIn, messagesIn } from '../../lines/command.ts';
import { planLineParser } from '../../lines/parse.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { print } from '../../platform/sink.ts';
import { inOneLine } from '../../snapshot/line.ts';
import { lineOf, manifestName } from '../../snapshot/plan.ts';
import {
  type BoundPlan,
  bindPlan,
  placeOf,
  type SnapshotSummary,
  snapshot,
} from '../../snapshot/snapshot.ts';
import { withClient } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';
import { command, type LoadCommands } from './command.ts';

const { connection, messages } = sharedFlags;

const snapshotPlan = command({
  words: 'snapshot',
  heading: 'Files',
  summary: 'Write the files of a plan, all as of one date, in one step',
  about: `Each line of a plan is a file name and an asof command that gives data; # begins a comment:

  gdp.csv        observations GDP GDPC1 --from 2000-01-01
  curve.csv      curve --on-or-before
  clusters.json  insider clusters --min-insiders 3

No file shows anything published after the as-of date; a line may have an earlier date. DIR is
a link to a folder beside it. The link changes to the new folder when all files are complete;
after a failure it still shows the last snapshot. DIR/manifest.json describes each file.`,
  examples: `
# what a plan would write as of a date (needs a plan)
asof snapshot plan.txt --out desk --as-of 2015-02-01 --dry-run
# every night from cron: as of yesterday, complete or not at all (needs a plan)
asof snapshot plan.txt --out desk
`,
  args: [
    { name: 'plan', complete: 'files', about: 'text file; each line is a file name and an asof command' },
  ],
  flags: [
    {
      name: 'out',
      value: 'dir',
      complete: 'folders',
      about: 'link to the newest complete snapshot',
      required: true,
    },
    { ...sharedFlags.asOf, about: 'as-of date of all files (default yesterday in UTC)' },
    {
      name: 'max-age',
      value: 'days',
      about: 'fail if the data of a line end more than this many days before its as-of date (exit 9)',
    },
    { name: 'dry-run', about: 'print the commands and the files, and write nothing' },
    ...connection,
    ...messages,
  ],
  read: valuesIn,
  async run(line, io, load) {
    const text = await takeOrDescribe(line, io, load);
    if (text !== undefined) await print(text, io);
    return exitCode.success;
  },
});

/** `asof snapshot`: writes the files of a plan, all as of one date and from one state of the data, in one step. */
export const commands = [snapshotPlan];

type SnapshotLine = ReturnType<typeof valuesIn>;

function valuesIn(line: TypedLine) {
  return {
    plan: line.arg(0),
    out: line.text('out') ?? '',
    asOf: line.asOf(),
    demands: demandsIn(line),
    dryRun: line.has('dry-run'),
    connection: connectionIn(line),
    messages: messagesIn(line),
  };
}

/** Takes the snapshot; for a dry run, resolves to the text that describes it. */
async function takeOrDescribe(line: SnapshotLine, io: Io, load: LoadCommands): Promise<string | undefined> {
  const { out, dryRun } = line;
  let ending = 'nothing was written';
  try {
    const bytes = await readFile(line.plan).catch((cause) => {
      throw systemProblem('read', `the plan ${line.plan}`, cause);
    });
    // The last day that is over in UTC.
    const asOf = line.asOf ?? addDays(utcDay(io.clock()), -1);
    const parseLine = planLineParser(io.clock(), await load(true));
    const plan = bindPlan(line.plan, bytes, { asOf, demands: line.demands }, parseLine);
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
