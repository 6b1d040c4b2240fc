import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { addDays, utcDay } from '../../domain/values/date.ts';
import { systemProblem } from '../../errors/system-errors.ts';
import { counted, lineOf } from '../../errors/wording.ts';
import {
  asOf,
  type ConnectionFlags,
  connection,
  demands,
  messages,
  textOption,
  toggle,
} from '../../lines/command.ts';
import { planLineParser } from '../../lines/parse.ts';
import { samplePath } from '../../platform/installation.ts';
import { print } from '../../platform/sink.ts';
import { type Manifest, manifestName } from '../../snapshot/manifest.ts';
import { type BoundPlan, bindPlan, inOneLine, type ParseLine } from '../../snapshot/plan.ts';
import { placeOf, snapshot } from '../../snapshot/snapshot.ts';
import {
  compareCommands,
  compareFiles,
  type Finding,
  type OpenedSnapshot,
  openSnapshot,
} from '../../snapshot/verify.ts';
import { isDatabase } from '../../store/address.ts';
import { chosenBaseUrl, storeToRead } from '../config/settings.ts';
import { type SessionFlags, withClient } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { type Messages, messagesOf } from '../terminal/messages.ts';
import { command } from './command.ts';

const snapshotPlan = command({
  words: 'snapshot',
  heading: 'Files',
  summary: 'Write all files of a plan as of one date, or none',
  about: `Each line of a plan is a file name and an asof command that reads data; # begins a comment:

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
  parts: {
    out: textOption('out', 'dir', 'link to the newest complete snapshot', {
      complete: 'folders',
      required: true,
    }),
    asOf: asOf('as-of date of all files (default yesterday in UTC)'),
    demands: {
      ...textOption(
        'max-age',
        'days',
        'longest gap between the end of the data and the as-of date (else exit 9)',
      ),
      read: demands.read,
    },
    dryRun: toggle('dry-run', 'print the commands and the files, and write nothing'),
    connection,
    messages,
  },
  async run({ args: [name = ''], out = '', asOf: day, demands, dryRun, connection, messages }, io, load) {
    let ending = 'nothing was written';
    const texts: string[] = [];
    try {
      const bytes = await readFile(name).catch((cause) => {
        throw systemProblem('read', `the plan ${name}`, cause);
      });
      // The last day that is over in UTC.
      const asOf = day ?? addDays(utcDay(io.clock()), -1);
      const plan = bindPlan(name, bytes, { asOf, demands }, planLineParser(io.clock(), await load(true)));
      const { current } = await placeOf(out);
      if (current !== undefined) ending = `${out} is unchanged`;
      if (dryRun)
        texts.push(
          ...plan.lines.map((line) => `${line.name}: asof ${lineOf(line.words)}`),
          `${manifestName}: the commands and checksums of these files, as of ${asOf}`,
          `${out} would contain these files`,
        );
      else await take(plan, out, { connection, messages }, io);
    } catch (error) {
      throw io.signal.aborted ? error : inOneLine(error, { after: `; ${ending}` });
    }
    // A failure of stdout does not concern the snapshot.
    for (const text of texts) await print(`${text}\n`, io);
  },
});

async function take(
  plan: BoundPlan,
  out: string,
  { connection, messages }: SessionFlags,
  io: Io,
): Promise<void> {
  const started = io.clock().getTime();
  const { done, note, warn } = messages;
  const bar = messages.progress();
  const session = { connection, messages: ofRequests(messages, io) };
  const { files, rows, unchanged } = await withClient(session, io, (client) =>
    snapshot(plan, {
      out,
      client,
      signal: io.signal,
      onLine: (name, ended) => bar.show(() => name, { done: ended, total: plan.lines.length }),
      note: (text) => note(`asof: ${text}`),
      warn: (text) => warn(`asof: ${text}`),
    }),
  );
  const counts = `${counted(files, 'file')}, ${counted(rows, 'row')}, ${unchanged} unchanged`;
  done(`asof: ${out} as of ${plan.asOf}: ${counts}, ${io.clock().getTime() - started} ms`);
}

/** Returns messages about the requests of a snapshot, which only `--debug` prints. */
function ofRequests({ flags: { debug } }: Messages, io: Io): Messages {
  return messagesOf({ quiet: !debug, verbose: false, debug }, io);
}

const verifySnapshot = command({
  words: 'verify',
  heading: 'Files',
  summary: 'Check a snapshot against its manifest and the current data',
  about: `First compares every file with manifest.json. Then runs the command of each file again as
of the recorded date and compares the bytes. The commands read the first of these that exists:

  1. the service or store that a flag, a variable or a setting names
  2. the store that the snapshot came from, if it is here, or the sample
  3. your own store

Without any of these, verify compares only the files and says so.

Prints one line for each difference and exits with code 1 if there is any.`,
  examples: `
# check that the commands still give the same files (needs a snapshot)
asof verify desk
# the same, with the data of a service (needs a service at that address)
asof verify desk --base-url https://data.example.org
`,
  args: [{ name: 'dir', complete: 'folders', about: 'a snapshot' }],
  parts: { connection, messages },
  async run({ args: [folder = ''], messages, connection }, io, load) {
    try {
      const parseLine = planLineParser(io.clock(), await load(true));
      const opened = await openSnapshot(folder);
      const findings =
        'what' in opened ? [opened] : findingsOf(opened, { folder, connection, messages }, parseLine, io);
      const names = new Set<string>();
      // As they come: findings about files appear even if the data cannot be read.
      for await (const { name, what } of findings) {
        names.add(name);
        await print(`${name} ${what}\n`, io);
      }
      if (names.size === 0) return exitCode.success;
      messages.note(`asof: ${folder} differs from its manifest or its data: ${[...names].join(', ')}`);
      return exitCode.differences;
    } catch (error) {
      throw io.signal.aborted ? error : inOneLine(error, {});
    }
  },
});

async function* findingsOf(
  opened: OpenedSnapshot,
  { folder, connection, messages }: SessionFlags & { readonly folder: string },
  parseLine: ParseLine,
  io: Io,
): AsyncGenerator<Finding> {
  const { manifest } = opened;
  const source = sourceOf(manifest, connection, io);
  if (source === undefined)
    messages.note('asof: no store or service to compare with: only the files were read');
  const inFiles = await compareFiles(opened);
  yield* inFiles;
  const comparing = { parseLine, signal: io.signal };
  const inData =
    source === undefined
      ? []
      : await withClient({ connection: source, messages: ofRequests(messages, io) }, io, (client) =>
          compareCommands(opened, { client, ...comparing }),
        );
  yield* inData;
  if (inFiles.length + inData.length > 0) return;
  const how = source === undefined ? '' : ', and as their commands give them';
  const files = counted(manifest.files.length, 'file');
  messages.done(`asof: ${folder} as of ${manifest.as_of}: ${files} as recorded${how}`);
}

function sourceOf({ source }: Manifest, flags: ConnectionFlags, io: Io): ConnectionFlags | undefined {
  if (chosenBaseUrl(io, flags) !== undefined) return flags;
  const { namedBy, isSample } = storeToRead(io, flags.store);
  if (flags.store !== undefined || namedBy !== undefined) return flags;
  if ('sample' in source) return { ...flags, store: samplePath() };
  if ('store' in source && (isDatabase(source.store) || existsSync(source.store)))
    return { ...flags, store: source.store };
  return isSample ? undefined : flags;
}

/** `asof snapshot` and `asof verify`: writes the files of a plan as of one date, and compares them later. */
export const commands = [snapshotPlan, verifySnapshot];
