import { existsSync } from 'node:fs';
import type { CopySummary, RestoreProgress } from '../../care/copy.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import { type CommandSpec, messagesIn, outputIn } from '../../lines/command.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import type { ArgumentSpec, Flag } from '../../operations/flag.ts';
import type { TypedLine } from '../../operations/typed-line.ts';
import { print } from '../../platform/sink.ts';
import { isDatabase, shownAddress } from '../../store/address.ts';
import { initStore } from '../../store/open.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import { printRows, rowPrinter } from '../run/rows.ts';
import { ofStore } from '../run/session.ts';
import { confirm } from '../terminal/confirm.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf, progress } from '../terminal/messages.ts';
import { command, type OtherCommand } from './command.ts';

const { store, messages, output } = sharedFlags;

const yes: Flag = { name: 'yes', short: 'y', about: 'do not ask; needed where there is no terminal' };

const address = (name: string, about: string): ArgumentSpec => ({
  name,
  complete: 'files',
  about: `${about}: a file, or postgres://…`,
});

/** Declares a command about a store; `flags` are those besides the flags about messages. */
function storeCommand({
  flags,
  ...spec
}: Pick<CommandSpec, 'words' | 'summary' | 'about' | 'examples' | 'args' | 'flags'> & {
  readonly run: (line: StoreLine, io: Io) => Promise<number>;
}): OtherCommand {
  return command({
    ...spec,
    heading: spec.words.startsWith('series') ? 'Series' : 'Files',
    flags: [...flags, ...messages],
    read: valuesIn,
  });
}

type StoreLine = ReturnType<typeof valuesIn>;

function valuesIn(line: TypedLine) {
  return {
    args: line.args,
    store: line.text('store'),
    merge: line.has('merge'),
    replace: line.has('replace'),
    list: line.has('list'),
    distribute: line.has('distribute'),
    keep: line.count('keep'),
    dryRun: line.has('dry-run'),
    yes: line.has('yes'),
    output: outputIn(line),
    messages: messagesIn(line),
  };
}

const dryRun = (about: string): Flag => ({ name: 'dry-run', about });

const changes: readonly Flag[] = [dryRun('show what would change, write nothing'), yes, store];

const rows = output.filter(({ name }) => name !== 'fail-empty');

/** `asof store …` and `asof series rename|rm`: what cares for a store. */
export const commands = [
  storeCommand({
    words: 'store init',
    summary: 'Make an empty store, or distribute one over Citus',
    about: `Every import makes the store that it needs. This command makes an empty one, such as for a service
that starts before the first import.

With --distribute, Citus spreads the store over the nodes of the cluster: facts by series, filings
by issuer. The address is that of the coordinator. A store that has facts keeps them.`,
    examples: `
# an empty store (needs a name that no store has)
asof store init --store mine.db
# a store on a cluster (needs Citus)
asof store init --distribute --store postgres://importer@db.example.org/markets
`,
    args: [],
    flags: [{ name: 'distribute', about: 'distribute the store over the nodes of Citus' }, store],
    run: init,
  }),
  storeCommand({
    words: 'store info',
    summary: 'Show what a store holds, its size and its format',
    examples: `
# what the store holds
asof store info
# for a script
asof store info --json
`,
    args: [],
    flags: [...rows, store],
    run: info,
  }),
  storeCommand({
    words: 'store check',
    summary: 'Check that a store is whole, and that its figures follow from its facts',
    about: `Reads everything, asks the engine what is damaged, and computes again what the store derives from
its facts. Prints a line for each fault and exits with code 1 if there is any.`,
    examples: `
# whether the store is whole
asof store check
# every month from cron (needs a store at that address)
asof store check --store postgres://reader@db.example.org/markets
`,
    args: [],
    flags: [store],
    run: check,
  }),
  storeCommand({
    words: 'store backup',
    summary: 'Write a store into a file, verified, while it is in use',
    about: `The file appears when it is complete and was read again and compared. A backup that was stopped goes
on where it stopped. --yes replaces a file that exists.

With --keep, each run writes a file of its own, such as asof-2026-03-15T031500Z.db for the name asof.db
or a folder. When it is complete, the oldest of these files are removed; no other file is.`,
    examples: `
# a backup while the store is in use
asof store backup backup.db
# every night from cron: a dated file, of which the newest seven stay
asof store backup backups/ --keep 7 -q
`,
    args: [
      {
        name: 'file',
        complete: 'files',
        about: 'the backup, which is a store itself; with --keep also a folder',
      },
    ],
    flags: [
      {
        name: 'keep',
        value: 'n',
        about: 'write a new file with the time (UTC) in its name, and keep the newest n such files',
      },
      dryRun('count what the backup would hold, write nothing'),
      yes,
      store,
    ],
    run: backup,
  }),
  storeCommand({
    words: 'store restore',
    summary: 'Put a backup in the place of a store',
    about: `Checks the backup, copies it beside the store, reads the copy again, and puts it in the place of the
store in one step: until then the store stays as it is. A damaged backup is refused, and so is a store
that another process has open, such as a service. A store in PostgreSQL must be empty.`,
    examples: `
# whether a backup is whole, and what it holds (needs a backup)
asof store restore backup.db --dry-run
# the backup in the place of your store (needs a backup)
asof store restore backup.db --yes
`,
    args: [{ name: 'file', complete: 'files', about: 'the backup' }],
    flags: [dryRun('check the backup, write nothing'), yes, store],
    run: restore,
  }),
  storeCommand({
    words: 'store copy',
    summary: 'Copy a store, also from a file into PostgreSQL and back',
    about: `Copies facts, descriptions, curves, filings, the log of imports and what the store follows, from one
state of it. The copy appears when it is complete and was read again and compared; one that was
stopped goes on where it stopped.`,
    examples: `
# what a copy would hold (needs a store of your own)
asof store copy mine.db copy.db --dry-run
# into PostgreSQL (needs a database)
asof store copy mine.db postgres://importer@db.example.org/markets
`,
    args: [address('from', 'the store'), address('to', 'the new store')],
    flags: [dryRun('count what the copy would hold, write nothing'), yes],
    run: copy,
  }),
  storeCommand({
    words: 'store merge',
    summary: 'Add everything that another store holds to a store',
    about: `One transaction, by the rules of an import: contradictions refuse it, and all of them are listed. The
log has it as one import.`,
    examples: `
# what a colleague's store would add (needs two stores)
asof store merge theirs.db --store mine.db --dry-run
# add it; contradictions are listed and refuse it (needs two stores)
asof store merge theirs.db --store mine.db --yes
`,
    args: [address('from', 'the other store')],
    flags: [
      { name: 'merge', about: 'add to a series that came from another source' },
      { name: 'replace', about: 'replace known values by different ones of the other store' },
      ...changes,
    ],
    run: merge,
  }),
  storeCommand({
    words: 'store undo',
    summary: 'Take an import back, as if it had never been',
    about: `Everything that the import changed is again what it was: facts, descriptions, coverage, rates, filings,
the log, and how far a pull had come. While later imports are about the same series, trade dates or
filings, it is refused, and names them.`,
    examples: `
# what the last import changed (needs a store with an import)
asof store undo --dry-run
# take it back (needs a store with an import)
asof store undo --yes
# the imports that can be taken back (needs a store of your own)
asof store undo --list
`,
    args: [{ name: 'import', about: 'its number, as --list shows it (default the last)', optional: true }],
    flags: [{ name: 'list', about: 'list the imports that can be taken back' }, ...rows, ...changes],
    run: undo,
  }),
  storeCommand({
    words: 'series rename',
    summary: 'Give a series of your store another id',
    examples: `
# what would change (needs a store with the series)
asof series rename OLD NEW --dry-run
# another id for a series (needs a store with the series)
asof series rename OLD NEW --yes
`,
    args: [
      { name: 'id', complete: 'ids', about: 'the series' },
      { name: 'new', about: 'its new id, which no series has' },
    ],
    flags: changes,
    run: (line, io) => changeSeries(line, io, true),
  }),
  storeCommand({
    words: 'series rm',
    summary: 'Remove a series from your store, with its vintages and its description',
    examples: `
# what would be removed (needs a store with the series)
asof series rm OLD --dry-run
# remove a series with its history (needs a store with the series)
asof series rm OLD --yes
`,
    args: [{ name: 'id', complete: 'ids', about: 'the series' }],
    flags: changes,
    run: (line, io) => changeSeries(line, io, false),
  }),
];

async function init({ store, distribute, messages }: StoreLine, io: Io): Promise<number> {
  const address = storeToWrite(io, store);
  const created = await initStore(address, distribute);
  const { note } = messagesOf(messages, io);
  note(`asof: ${created ? 'made the store' : 'the store was there before:'} ${shownAddress(address)}`);
  if (distribute) note('asof: Citus distributes it, facts by series and filings by issuer');
  return exitCode.success;
}

async function info(line: StoreLine, io: Io): Promise<number> {
  const { storeInfo, infoFields } = await import('../../care/info.ts');
  const found = await ofStore(storeToRead(io, line.store), storeInfo);
  return printRows(line.output, infoFields, [found], io, { card: true });
}

async function check(line: StoreLine, io: Io): Promise<number> {
  const bar = progress(io, line.messages.quiet);
  const { checkStore } = await import('../../care/check.ts');
  const { series, changes, faults } = await ofStore(storeToRead(io, line.store), (address) =>
    checkStore(address, {
      signal: io.signal,
      onProgress: ({ done, total }) => bar.show(() => 'reading', { done, total, unit: 'series' }),
    }),
  );
  bar.clear();
  for (const { subject, fault } of faults) await print(`${subject}: ${fault}\n`, io);
  const read = `${series.toLocaleString('en-US')} series with ${changes.toLocaleString('en-US')} changes`;
  const { note } = messagesOf(line.messages, io);
  if (faults.length === 0) note(`asof: checked ${read}: no fault`);
  else note(`asof: checked ${read}: ${counted(faults.length, 'fault')}`);
  return faults.length === 0 ? exitCode.success : exitCode.differences;
}

async function backup(line: StoreLine, io: Io): Promise<number> {
  const file = addressIn(line, 0);
  const { keep, dryRun, yes } = line;
  const replace = keep === undefined && !isDatabase(file) && existsSync(file);
  if (replace && !dryRun) await confirm(`replace ${file}`, yes, io);
  const { backupStore } = await import('../../care/copy.ts');
  const { clock, signal } = io;
  return ofStore(storeToRead(io, line.store), (from) =>
    copied('backup', line, io, async (onProgress) => {
      const summary = await backupStore(from, file, { keep, clock, dryRun, replace, signal, onProgress });
      const gone = summary.removed.map((path) => `${dryRun ? 'would remove' : 'removed'} ${path}`);
      return [...copyLines(summary, 'backup'), ...gone];
    }),
  );
}

async function restore(line: StoreLine, io: Io): Promise<number> {
  const [file, into] = [addressIn(line, 0), storeToWrite(io, line.store)];
  const { dryRun, yes } = line;
  const { restoreStore } = await import('../../care/copy.ts');
  const { signal } = io;
  if (!dryRun && (isDatabase(into) || existsSync(into)))
    await confirm(`replace ${shownAddress(into)} by ${file}`, yes, io);
  return copied('restore', line, io, async (onProgress) =>
    copyLines(await restoreStore(file, into, { dryRun, signal, onProgress }), 'restore'),
  );
}

async function copy(line: StoreLine, io: Io): Promise<number> {
  const [from, to] = [addressIn(line, 0), addressIn(line, 1)];
  const { dryRun, yes } = line;
  if (!dryRun) await confirm(`copy ${shownAddress(from)} to ${shownAddress(to)}`, yes, io);
  const { copyStore } = await import('../../care/copy.ts');
  const { signal } = io;
  return copied('copy', line, io, async (onProgress) =>
    copyLines(await copyStore(from, to, { dryRun, signal, onProgress }), 'copy'),
  );
}

async function merge(line: StoreLine, io: Io): Promise<number> {
  const [from, into] = [addressIn(line, 0), storeToWrite(io, line.store)];
  const { dryRun, yes, merge, replace, messages: flags } = line;
  if (!dryRun) await confirm(`merge ${shownAddress(from)} into ${shownAddress(into)}`, yes, io);
  const bar = progress(io, flags.quiet);
  const [{ mergeStore }, { importReport }] = await Promise.all([
    import('../../care/merge.ts'),
    import('../../import/report.ts'),
  ]);
  const onProgress = ({ rows }: { readonly rows: number }) =>
    bar.show(() => `${rows.toLocaleString('en-US')} rows`);
  const { clock, signal } = io;
  try {
    const result = await mergeStore(from, into, { merge, replace, dryRun, clock, signal, onProgress });
    bar.clear();
    const replacesSample = into === defaultStorePath(io) ? 'for good' : false;
    for (const text of importReport(result, replacesSample)) messagesOf(flags, io).note(text);
    return exitCode.success;
  } catch (error) {
    bar.clear();
    throw io.stderr.isTTY === true ? await (await import('./import.ts')).shortened(error) : error;
  }
}

async function undo(line: StoreLine, io: Io): Promise<number> {
  const { dryRun, yes, messages: flags } = line;
  const { note } = messagesOf(flags, io);
  const address = storeToChange(line, io);
  const care = await import('../../care/undo.ts');
  const { undoableImports, undoStoreImport } = care;
  if (line.list) {
    const imports = await undoableImports(address);
    if (imports.length === 0) note('asof: no import can be taken back');
    return printRows(line.output, care.undoableTable.fields, imports.map(care.undoableTable.row), io);
  }
  const number = importIn(line);
  // What cannot be taken back is refused before anybody is asked.
  const found = await undoStoreImport(address, { number, dryRun: true, signal: io.signal });
  const { files, importedAt, series, rates, filings, store } = found;
  const named = `import ${found.number} of ${importedAt} (${files.slice(0, 3).join(', ')}${files.length > 3 ? ' …' : ''})`;
  const of = [
    ...(series.length > 0 || rates + filings === 0 ? [counted(series.length, 'series', 'series')] : []),
    ...(rates > 0 ? [counted(rates, 'rate')] : []),
    ...(filings > 0 ? [counted(filings, 'filing')] : []),
  ].join(', ');
  const printUndone = await rowPrinter(line.output, care.undoneTable.fields, io);
  if (dryRun) {
    await printUndone(found.subjects.map(care.undoneTable.row));
    note(`asof: dry run: would take back ${named}: ${of} of ${store}`);
    return exitCode.success;
  }
  await confirm(`take back ${named}: ${of} of ${store}`, yes, io);
  const { empty, subjects } = await undoStoreImport(address, { number: found.number, signal: io.signal });
  const { format, file, columns } = line.output;
  if ((format ?? file ?? columns) !== undefined) await printUndone(subjects.map(care.undoneTable.row));
  note(`asof: took back ${named}: ${of} of ${store}`);
  if (empty) note(`asof: ${store} is empty now`);
  if (empty && address === defaultStorePath(io))
    note('asof: while it exists, the shipped sample does not answer: remove the file to have it again');
  return exitCode.success;
}

/** The store to change; a Problem where the user has none, because the sample is not changed. */
function storeToChange(line: StoreLine, io: Io): string {
  const address = storeToWrite(io, line.store);
  if (address !== defaultStorePath(io) || existsSync(address)) return address;
  throw new Problem('local-io', `you have no store yet: there is no ${address}`, {
    hints: [
      'the shipped sample, which answers without one, is read-only',
      '`asof import --with-sample` begins a store as a copy of it; --store names another store',
    ],
  });
}

async function changeSeries(line: StoreLine, io: Io, isRenamed: boolean): Promise<number> {
  const { args, dryRun, yes, messages: flags } = line;
  const [id = '', other = ''] = args.map((text) => text.toUpperCase());
  const into = storeToChange(line, io);
  const { renameSeries, removeSeries } = await import('../../care/series.ts');
  const change = (options: { readonly dryRun: boolean }) =>
    isRenamed ? renameSeries(into, id, other, options) : removeSeries(into, id, options);
  // What cannot be done is refused before anybody is asked.
  const { facts, vintages, store } = await change({ dryRun: true });
  const what = `${id}, ${counted(facts, 'fact')} in ${counted(vintages, 'vintage')}, ${isRenamed ? `to ${other} in` : 'from'} ${store}`;
  const { note } = messagesOf(flags, io);
  if (dryRun) note(`asof: dry run: would ${isRenamed ? 'rename' : 'remove'} ${what}`);
  else {
    await confirm(`${isRenamed ? 'rename' : 'remove'} ${what}`, yes, io);
    await change({ dryRun: false });
    note(`asof: ${isRenamed ? 'renamed' : 'removed'} ${what}`);
  }
  return exitCode.success;
}

type CopyKind = 'backup' | 'restore' | 'copy';

const stages = { check: 'checking', copy: 'copying', compare: 'comparing' } as const;

/** Calls `work`, shows how far it is, and says what it gives; where it is stopped, that it can go on. */
async function copied(
  what: CopyKind,
  line: StoreLine,
  io: Io,
  work: (onProgress: (progress: RestoreProgress) => void) => Promise<readonly string[]>,
): Promise<number> {
  const bar = progress(io, line.messages.quiet);
  const { note } = messagesOf(line.messages, io);
  try {
    const lines = await work(({ stage, done, total }) =>
      bar.show(() => stages[stage], { done, total, unit: 'series' }),
    );
    bar.clear();
    for (const text of lines) note(`asof: ${text}`);
    return exitCode.success;
  } catch (error) {
    bar.clear();
    if (io.signal.aborted) note(`asof: stopped; the same command goes on with the ${what}`);
    throw error;
  }
}

function copyLines(summary: CopySummary, what: CopyKind): readonly string[] {
  const { store, series, facts, rates, trades, imports, followed, already, digest, dryRun } = summary;
  const held = [
    counted(series, 'series', 'series'),
    counted(facts, 'fact'),
    counted(rates, 'rate'),
    counted(trades, 'trade'),
    `${counted(imports, 'entry', 'entries')} of the log`,
    ...(followed > 0 ? [`${followed} followed`] : []),
  ].join(', ');
  if (dryRun) return [`dry run: ${store} would hold ${held}`];
  return [
    `${store} holds ${held}`,
    ...(already > 0
      ? [`an earlier ${what}, which was stopped, had written ${counted(already, 'series', 'series')}`]
      : []),
    `read again and compared: sha256 ${digest}`,
  ];
}

/** The address among the arguments at a place. */
function addressIn({ args }: StoreLine, place: number): string {
  const text = args[place] ?? '';
  if (text !== '') return text;
  throw new Problem('bad-input', 'the address of a store is empty', {
    hints: ['name a file, or postgres://…'],
  });
}

/** The number of the import among the arguments; undefined for the last. */
function importIn({ args: [text] }: StoreLine): number | undefined {
  if (text === undefined || /^[1-9]\d{0,14}$/.test(text))
    return text === undefined ? undefined : Number(text);
  throw new Problem(
    'bad-input',
    `import ${JSON.stringify(text)}: use the number that \`asof store undo --list\` shows`,
  );
}
