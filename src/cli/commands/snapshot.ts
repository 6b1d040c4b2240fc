import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { addDays, type Day, utcDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { version } from '../../platform/installation.ts';
import type { Source } from '../../snapshot/manifest.ts';
import { lockPath, type Place, placeOf, sweepHalfDone } from '../../snapshot/place.ts';
import { lineOf, manifestName, readPlan } from '../../snapshot/plan.ts';
import {
  beginRun,
  giveUp,
  publish,
  type Run,
  type Settled,
  settleFile,
  sweepAfter,
} from '../../snapshot/run.ts';
import type { Lock } from '../../store/store.ts';
import { type DataFlags, withRemoteFlags, withStoreFlag, withTalkFlags } from '../options/flags.ts';
import { typedKnowledgeDay } from '../options/knowledge.ts';
import { inOneLine } from '../plan/one-line.ts';
import { type BoundLine, boundLine } from '../plan/plan-line.ts';
import { writeLines } from '../plan/plan-run.ts';
import { type Session, withSession } from '../run/session.ts';
import type { Shell } from '../shell.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { talk } from '../terminal/messages.ts';
import { importLogText } from './import-log.ts';

type SnapshotFlags = DataFlags & { readonly out: string; readonly asOf?: string; readonly dryRun?: boolean };

/** What a snapshot command works with. */
type Setting = { readonly io: Io; readonly done: (code: number) => void; readonly shell: Shell };

const about = `

A line of a plan is the name of a file and an asof command that reads, # begins a comment:

  gdp.csv        observations GDP GDPC1 --from 2000-01-01
  curve.csv      curve --on-or-before
  clusters.json  insider clusters --min-insiders 3

The day bounds every line, which may name an earlier one itself. DIR becomes a link to a
folder beside it, and is switched when all files are complete; any failure leaves it as it
was. manifest.json in it says what each file is.`;

/** `asof snapshot`: the files of a plan, all as of one day and out of one state of the data, in one step. */
export function snapshotCommand(command: Command, setting: Setting): void {
  withTalkFlags(withRemoteFlags(withStoreFlag(command)))
    .summary(command.description())
    .description(command.description() + about)
    .argument('<plan>', 'a text file; each line is a file name and an asof command')
    .requiredOption('--out <dir>', 'where the snapshot stands: a link that is switched when it is complete')
    .option('--as-of <date>', 'the day that bounds everything (yesterday, the last day that is over in UTC)')
    .option('--dry-run', 'say what would be run and written, and write nothing')
    .action(async (plan: string) => setting.done(await runSnapshot(plan, command.opts(), setting)));
}

async function runSnapshot(plan: string, flags: SnapshotFlags, { io, shell }: Setting): Promise<number> {
  const after = { text: '; nothing was written' };
  try {
    const bytes = await planBytes(plan);
    const day = dayOf(flags, io);
    const lines = await checkedLines(plan, bytes, day, shell, io);
    const place = await placeOf(flags.out);
    if (place.current !== undefined) after.text = `; ${flags.out} is as it was`;
    if (flags.dryRun === true) {
      io.stdout.write(announcement(lines, flags.out, day));
      return exitCode.success;
    }
    const lock = await lockOf(place, flags.out, io);
    try {
      // Another run may have been at it meanwhile.
      const current = await placeOf(flags.out);
      await makeSnapshot(lines, { plan, bytes, day, place: current, flags, shell, io });
    } finally {
      await lock.close();
    }
    return exitCode.success;
  } catch (error) {
    throw io.signal.aborted ? error : inOneLine(error, { after: after.text });
  }
}

async function planBytes(plan: string): Promise<Uint8Array> {
  try {
    return await readFile(plan);
  } catch (cause) {
    throw systemProblem('read', `the plan ${plan}`, cause);
  }
}

/** The last day that is over everywhere that counts days as the data do: in UTC. */
function dayOf({ asOf, ...flags }: SnapshotFlags, io: Io): Day {
  return asOf === undefined
    ? addDays(utcDay(io.clock()), -1)
    : typedKnowledgeDay('as_of', asOf, io, talk({ ...flags, verbose: false }, io));
}

async function checkedLines(
  plan: string,
  bytes: Uint8Array,
  day: Day,
  shell: Shell,
  io: Io,
): Promise<readonly BoundLine[]> {
  const lines: BoundLine[] = [];
  for (const line of readPlan(bytes, plan)) {
    const bound = boundLine(line, day, shell, io).catch((error) => {
      throw inOneLine(error, { before: `${plan} line ${line.number}: ` });
    });
    lines.push(await bound);
  }
  return lines;
}

function announcement(lines: readonly BoundLine[], out: string, day: Day): string {
  const texts = lines.map(({ name, words }) => `${name}: asof ${lineOf(words)}\n`);
  return `${texts.join('')}${manifestName}: what they are, as of ${day}\n${out} would show these\n`;
}

/** So long a run waits for another to end, looking so often. */
const patience = { milliseconds: 5000, pace: 100 } as const;

async function lockOf(place: Place, out: string, { signal }: Io): Promise<Lock> {
  const { openLock } = await import('../../store/open.ts');
  for (let waited = 0; ; waited += patience.pace) {
    const lock = await openLock(lockPath(place));
    if (lock !== undefined) return lock;
    if (waited >= patience.milliseconds)
      throw new Problem('local-io', `another asof snapshot is writing ${out}`, {
        hints: ['try again when it is done'],
      });
    await delay(patience.pace, undefined, { signal });
  }
}

/** A run, from its beginning to its end. */
type Making = {
  readonly plan: string;
  readonly bytes: Uint8Array;
  readonly day: Day;
  readonly place: Place;
  readonly flags: SnapshotFlags;
  readonly shell: Shell;
  readonly io: Io;
};

async function makeSnapshot(lines: readonly BoundLine[], making: Making): Promise<void> {
  const { place, day, flags, io } = making;
  const started = io.clock().getTime();
  await sweepHalfDone(place);
  // The one line that -v asks for comes at the end.
  const quiet = { ...flags, verbose: false, quiet: flags.debug !== true };
  const run = await beginRun(place, day);
  try {
    const files = await withSession(quiet, io, (session) => fill(run, lines, session, making));
    io.signal.throwIfAborted();
    await publish(run, files.manifest);
    const said = talk(flags, io);
    await sweepAfter(run).catch(({ message }: Error) => said.warn(`asof: an old run stays: ${message}`));
    said.detail(summary(files.settled, making, io.clock().getTime() - started));
  } catch (error) {
    await giveUp(run).catch(() => undefined);
    throw error;
  }
}

async function fill(run: Run, lines: readonly BoundLine[], session: Session, making: Making) {
  const { plan, bytes, day, flags, shell, io } = making;
  const explain = (error: unknown, { number, name }: BoundLine) =>
    inOneLine(error, { before: `${plan} line ${number} (${name}): ` });
  const running = { session, shell, flags, day, folder: run.folder, explain };
  const { rows, also: source } = await writeLines(lines, running, sourceOf);
  const settled: Settled[] = [];
  for (const [i, { name, words, asOf }] of lines.entries()) {
    io.signal.throwIfAborted();
    settled.push(await settleFile(run, { name, command: lineOf(words), as_of: asOf, rows: rows[i] ?? 0 }));
  }
  const manifest = {
    asof: version(),
    as_of: day,
    plan_sha256: createHash('sha256').update(bytes).digest('hex'),
    source,
    files: settled.map(({ record }) => record),
  };
  return { settled, manifest };
}

async function sourceOf(client: Client): Promise<Source> {
  const { mode, where, sample, imports = [] } = await client.origin();
  if (mode === 'remote') return { service: where };
  const log = createHash('sha256')
    .update(await importLogText(imports))
    .digest('hex');
  // Where the sample lies on a machine says nothing about it.
  const store = sample ? ({ sample: true } as const) : { store: resolve(where) };
  return { ...store, imports: imports.length, imports_sha256: log };
}

function summary(settled: readonly Settled[], { day, flags }: Making, milliseconds: number): string {
  const count = (number: number, noun: string) =>
    `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
  const rows = settled.reduce((sum, { record }) => sum + record.rows, 0);
  const unchanged = settled.filter((one) => one.unchanged).length;
  return `asof: ${flags.out} as of ${day}: ${count(settled.length, 'file')}, ${count(rows, 'row')}, ${unchanged} unchanged, ${milliseconds} ms`;
}
