import { parseSeriesId, seriesIdForm } from '../domain/series/series.ts';
import { Problem, refused } from '../errors/problem.ts';
import { readFor } from '../operations/typed-line.ts';
import { formatForFile } from '../render/formats.ts';
import { type CommandSpec, connectionIn, demandsIn, fileIn, messagesIn } from './command.ts';
import { seriesIn } from './line-values.ts';
import { sharedFlags } from './shared-flags.ts';

const { store, connection, messages, file } = sharedFlags;

const snapshot: CommandSpec = {
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
  args: [{ name: 'plan', about: 'text file; each line is a file name and an asof command' }],
  flags: [
    { name: 'out', value: 'dir', about: 'link to the newest complete snapshot', required: true },
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
  read: (line) => ({
    command: 'snapshot',
    plan: line.arg(0),
    out: line.text('out') ?? '',
    asOf: line.asOf(),
    demands: demandsIn(line),
    dryRun: line.has('dry-run'),
    connection: connectionIn(line),
    messages: messagesIn(line),
  }),
};

const verify: CommandSpec = {
  words: 'verify',
  heading: 'Files',
  summary: 'Check a snapshot against its manifest and its data',
  about: `First compares every file with manifest.json. Then runs the command of each file again as
of the recorded date and compares the bytes. These commands ask the first of:

  1. the service or store that a flag, a variable or a setting names
  2. the store that the snapshot came from, if it is on this machine, or the sample
  3. your own store

Without any of these, verify compares only the files and says so.

Prints one line for each difference and exits with code 1 if there is any.`,
  args: [{ name: 'dir', about: 'a snapshot' }],
  flags: [...connection, ...messages],
  read: (line) => ({
    command: 'verify',
    folder: line.arg(0),
    connection: connectionIn(line),
    messages: messagesIn(line),
  }),
};

const facts: CommandSpec = {
  words: 'facts',
  heading: 'Files',
  summary: 'Write every published value of series, as CSV that import reads',
  args: [
    {
      name: 'id',
      about: 'series ids; one with * (quoted) means every series whose id matches',
      several: true,
    },
  ],
  flags: [
    {
      name: 'metadata',
      about: 'write titles, units, frequencies, sources and coverage instead, as CSV that import reads',
    },
    sharedFlags.skipMissing,
    file,
    store,
    ...messages,
  ],
  read(line) {
    const target = fileIn(line);
    if (target !== undefined && (formatForFile(target) ?? 'csv') !== 'csv')
      throw new Problem('bad-input', `--output ${JSON.stringify(target)}: facts writes only CSV`, {
        hints: ['use -o FILE.csv'],
      });
    return {
      command: 'facts',
      ...seriesIn(line, line.args),
      metadata: line.has('metadata'),
      file: target,
      store: line.text('store'),
      messages: messagesIn(line),
    };
  },
};

const importFiles: CommandSpec = {
  words: 'import',
  heading: 'Files',
  summary: 'Import files of vintages, curves and filings into your store',
  args: [{ name: 'files', about: 'files and folders; - is standard input', optional: true, several: true }],
  flags: [
    {
      name: 'kind',
      value: 'kind',
      about: 'format of the files (default: by content; see asof help formats)',
    },
    { name: 'series', value: 'id', about: 'series id for files that do not name one' },
    { name: 'id', value: 'old=new', about: 'import a series under another id', repeatable: true },
    { ...sharedFlags.asOf, about: 'as-of date of files that hold one vintage and do not date it' },
    {
      name: 'date-format',
      value: 'form',
      about: 'M/D/YYYY or D/M/YYYY: whether 1/2/2024 is in January or in February',
    },
    { name: 'filed-on', value: 'date', about: 'filing date of ownership XML that does not state it' },
    { name: 'merge', about: 'add to a series that came from another source' },
    { name: 'replace', about: 'replace known values by different ones of the same vintage date' },
    { name: 'complete', about: 'withdraw the dates that a complete vintage does not list' },
    { name: 'projections', about: 'accept values of periods that begin after their as-of date' },
    {
      name: 'skip-days',
      value: 'dates',
      about: 'leave out the curves of these trade dates, separated by commas',
    },
    { name: 'skip-unknown', about: 'skip files of unknown formats, such as a README' },
    { name: 'with-sample', about: 'start a new store as a copy of the shipped sample' },
    { name: 'dry-run', about: 'read and check everything, write nothing' },
    { name: 'log', about: 'list all imports, with the sha256 of each file' },
    store,
    ...messages,
  ],
  read(line) {
    const into = line.text('store');
    if (line.has('log')) {
      if (line.args.length > 0) throw new Problem('bad-input', '--log lists past imports and takes no files');
      return { command: 'import-log', store: into };
    }
    if (line.args.length === 0) throw new Problem('bad-input', 'nothing to import: name files or folders');
    return {
      command: 'import',
      paths: line.args,
      kind: line.text('kind'),
      series: line.value('series', seriesId),
      rename: Object.fromEntries(line.texts('id').map((text) => readFor('--id', text, renaming))),
      asOf: line.day('as-of'),
      dateFormat: line.text('date-format'),
      filedOn: line.day('filed-on'),
      merge: line.has('merge'),
      replace: line.has('replace'),
      complete: line.has('complete'),
      projections: line.has('projections'),
      skipDays: line.days('skip-days'),
      skipUnknown: line.has('skip-unknown'),
      withSample: line.has('with-sample'),
      dryRun: line.has('dry-run'),
      store: into,
      messages: messagesIn(line),
      resolved: line.resolved,
    };
  },
};

function seriesId(text: string): string {
  const id = parseSeriesId(text);
  if (id === undefined) throw refused({ reason: `not a series id: ${seriesIdForm}` });
  return id;
}

function renaming(text: string): readonly [from: string, to: string] {
  const [from, to, ...rest] = text.split('=');
  if (from === undefined || to === undefined || rest.length > 0) throw refused({ reason: 'use OLD=NEW' });
  return [seriesId(from), seriesId(to)];
}

/** The commands that read and write files. */
export const fileCommands: readonly CommandSpec[] = [snapshot, verify, facts, importFiles];
