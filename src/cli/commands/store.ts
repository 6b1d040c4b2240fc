import { existsSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { counted, grouped } from '../../errors/wording.ts';
import { type CommandSpec, messages, option, output, store, toggle } from '../../lines/command.ts';
import type { BackupSummary, CopySummary, RestoreOptions } from '../../maintenance/copy.ts';
import type { StoreInfo } from '../../maintenance/info.ts';
import type { UndoneImport } from '../../maintenance/undo.ts';
import type { ArgumentSpec } from '../../operations/typed-line.ts';
import { integer } from '../../operations/value.ts';
import { print } from '../../platform/sink.ts';
import { isDatabase, sampleName, shownAddress } from '../../store/address.ts';
import { initStore } from '../../store/open.ts';
import { defaultStorePath, replacedSample, storeToRead, storeToWrite } from '../config/settings.ts';
import { preparedTable, printTable } from '../run/rows.ts';
import { ofStore } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';
import { askLine } from '../terminal/prompt.ts';
import { command, type RunnableCommand, shortened } from './command.ts';

const yes = toggle('yes', 'do not ask for confirmation (required without a terminal)', 'y');

const changes = {
  dryRun: toggle('dry-run', 'show what would change, write nothing'),
  ...{ yes, store, messages },
} as const;

const rows = { ...output, flags: output.flags.filter(({ name }) => name !== 'fail-empty') };

const address = (name: string, about: string): ArgumentSpec => ({
  name,
  complete: 'files',
  about: `${about}: a file, or postgres://…`,
});

const initCommand = command({
  words: 'store init',
  summary: 'Make an empty store, or distribute one over Citus',
  about: `An import creates its own store. This command creates an empty store, such as for a service that
starts before the first import; it brings a store of an older asof up to date.

With --distribute, Citus spreads the store over the nodes of the cluster: facts by series, filings
by issuer. --store is the address of the coordinator. Existing facts stay.`,
  examples: `
# an empty store (needs a name that no store has)
asof store init --store mine.db
# a store on a cluster (needs Citus)
asof store init --distribute --store postgres://importer@db.example.org/markets
`,
  parts: {
    distribute: toggle('distribute', 'distribute the store over the nodes of Citus'),
    store,
    messages,
  },
  async run({ store, distribute, messages }, io) {
    const address = storeToWrite(io, store);
    const said = { made: 'made the store', updated: 'updated the store', unchanged: 'store already exists:' };
    messages.note(`asof: ${said[await initStore(address, distribute)]} ${shownAddress(address)}`);
    if (distribute) messages.note('asof: Citus distributes it, facts by series and filings by issuer');
  },
});

const infoCommand = command({
  words: 'store info',
  summary: 'Show the contents, size and format of a store',
  examples: `
# what the store holds
asof store info
# for a script
asof store info --json
`,
  parts: { rows, store, messages },
  async run({ rows, store }, io) {
    const { storeInfo } = await import('../../maintenance/info.ts');
    const info = await ofStore(storeToRead(io, store), storeInfo);
    const columns = Object.keys(info) as (keyof StoreInfo)[];
    await printTable(rows, { card: true, columns }, [info], io);
  },
});

const checkCommand = command({
  words: 'store check',
  summary: 'Check a store for damage and inconsistent derived data',
  about: `Reads everything, asks the engine for damage, and recomputes all derived data. Prints a line for each
fault, and exits with code 1 if it finds any.`,
  examples: `
# check the store for damage
asof store check
# every month from cron (needs a store at that address)
asof store check --store postgres://reader@db.example.org/markets
`,
  parts: { store, messages },
  async run({ store, messages }, io) {
    const bar = messages.progress();
    const { checkStore } = await import('../../maintenance/check.ts');
    const { series, changes, faults } = await ofStore(storeToRead(io, store), (address) =>
      checkStore(address, {
        signal: io.signal,
        onProgress: ({ done, total }) => bar.show(() => 'reading', { done, total, unit: 'series' }),
      }),
    );
    bar.clear();
    for (const { subject, fault } of faults) await print(`${subject}: ${fault}\n`, io);
    const found = faults.length === 0 ? 'no fault' : counted(faults.length, 'fault');
    messages.note(`asof: checked ${grouped(series)} series with ${grouped(changes)} changes: ${found}`);
    return faults.length === 0 ? exitCode.success : exitCode.differences;
  },
});

const backupCommand = command({
  words: 'store backup',
  summary: 'Back up a store into a verified file, also while in use',
  about: `The file appears when it is complete and checked. --yes replaces an existing file.

With --keep, each run writes a new file, such as asof-2026-03-15T031500Z.db for the name asof.db or a
folder, and then removes the oldest of these files, and no others.`,
  examples: `
# a backup while the store is in use
asof store backup backup.db
# every night from cron: a dated file; keeps the newest seven
asof store backup backups/ --keep 7 -q
`,
  args: [{ name: 'file', complete: 'files', about: 'backup file; with --keep, also a folder' }],
  parts: {
    keep: option('keep', 'write a new file named by the time (UTC), and keep the newest n', integer(1)),
    dryRun: toggle('dry-run', 'count what the backup would contain, write nothing'),
    yes,
    store,
    messages,
  },
  async run({ args: [to], keep, store, ...line }, io) {
    const file = addressIn(to);
    const replace = keep === undefined && !isDatabase(file) && existsSync(file);
    if (replace && !line.dryRun) await confirm(`replace ${file}`, line.yes, io);
    const { backupStore } = await import('../../maintenance/copy.ts');
    await ofStore(storeToRead(io, store), (from) =>
      copied(line, io, (options) => backupStore(from, file, { ...options, keep, clock: io.clock, replace })),
    );
  },
});

const restoreCommand = command({
  words: 'store restore',
  summary: 'Replace a store with a backup',
  about: `Checks the backup, copies it beside the store, checks the copy, and then replaces the store in one step.
Refuses a damaged backup, and a store that another process has open, such as a service. A store in
PostgreSQL must be empty.`,
  examples: `
# check a backup, and show its contents (needs a backup)
asof store restore backup.db --dry-run
# replace your store with the backup (needs a backup)
asof store restore backup.db --yes
`,
  args: [{ name: 'file', complete: 'files', about: 'the backup' }],
  parts: { dryRun: toggle('dry-run', 'check the backup, write nothing'), yes, store, messages },
  async run({ args: [from], store, ...line }, io) {
    const [file, into] = [addressIn(from), storeToWrite(io, store)];
    const { restoreStore } = await import('../../maintenance/copy.ts');
    if (!line.dryRun && (isDatabase(into) || existsSync(into)))
      await confirm(`replace ${shownAddress(into)} by ${file}`, line.yes, io);
    await copied(line, io, (options) => restoreStore(file, into, options));
  },
});

const copyCommand = command({
  words: 'store copy',
  summary: 'Copy a store, also between a file and PostgreSQL',
  about: `Copies one state of the store: facts, descriptions, curves, filings, the log and the followed sources.
The copy appears when it is complete and checked.`,
  examples: `
# what a copy would contain (needs a store of your own)
asof store copy mine.db copy.db --dry-run
# into PostgreSQL (needs a database)
asof store copy mine.db postgres://importer@db.example.org/markets
`,
  args: [address('from', 'the store'), address('to', 'the new store')],
  parts: { dryRun: toggle('dry-run', 'count what the copy would contain, write nothing'), yes, messages },
  async run({ args, ...line }, io) {
    const [from, to] = [addressIn(args[0]), addressIn(args[1])];
    if (!line.dryRun) await confirm(`copy ${shownAddress(from)} to ${shownAddress(to)}`, line.yes, io);
    const { copyStore } = await import('../../maintenance/copy.ts');
    await copied(line, io, (options) => copyStore(from, to, options));
  },
});

const mergeCommand = command({
  words: 'store merge',
  summary: 'Add all data of another store to a store',
  about: `Works like one import: one transaction, and one entry in the log. Contradictions stop the merge, and
asof lists all of them.`,
  examples: `
# what a colleague's store would add (needs two stores)
asof store merge theirs.db --store mine.db --dry-run
# the series of the sample that your store lacks (needs a store of your own)
asof store merge sample --skip-known --yes
# add it, unless values contradict each other (needs two stores)
asof store merge theirs.db --store mine.db --yes
`,
  args: [address('from', 'the other store, such as sample')],
  parts: {
    merge: toggle('merge', 'add to a series that came from another source'),
    replace: toggle('replace', 'replace known values with those of the other store'),
    skipKnown: toggle('skip-known', 'leave out the series that the store has already'),
    ...changes,
  },
  async run({ args, merge, replace, skipKnown, dryRun, yes, store, messages }, io) {
    const [from, into] = [addressIn(args[0]), storeToWrite(io, store)];
    if (!dryRun) await confirm(`merge ${shownAddress(from)} into ${shownAddress(into)}`, yes, io);
    const bar = messages.progress();
    const [{ mergeStore }, { importReport }] = await Promise.all([
      import('../../maintenance/merge.ts'),
      import('../../import/report.ts'),
    ]);
    const onProgress = ({ rows }: { readonly rows: number }) => bar.show(() => `${grouped(rows)} rows`);
    const { clock, signal } = io;
    try {
      const options = { merge, replace, skipKnown, dryRun, clock, signal, onProgress };
      const result = await mergeStore(from, into, options);
      for (const text of importReport(result)) messages.note(text);
      if (result.created && into === defaultStorePath(io) && from !== sampleName)
        messages.note(replacedSample);
    } catch (error) {
      throw await shortened(error, io);
    }
  },
});

const undoneTable = {
  columns: ['subject', 'goes', 'vintages', 'removed', 'restored', 'firstDate', 'lastDate'],
} as const;

function undoneRecords({ subjects }: UndoneImport) {
  return subjects.map(({ first, last, ...subject }) => ({ ...subject, firstDate: first, lastDate: last }));
}

const undoCommand = command({
  words: 'store undo',
  summary: 'Undo an import',
  about: `Restores everything that the import changed: facts, descriptions, coverage, rates, filings, the log and
the progress of pulls. Refuses, and names the later imports, if they changed the same series, trade
dates or filings.`,
  examples: `
# what the last import changed (needs a store with an import)
asof store undo --dry-run
# undo it (needs a store with an import)
asof store undo --yes
# the imports that can be undone (needs a store of your own)
asof store undo --list
`,
  args: [{ name: 'import', about: 'number of the import, as in --list (default the last)', optional: true }],
  parts: { list: toggle('list', 'list the imports that can be undone'), rows, ...changes },
  async run({ args, list, rows, dryRun, yes, store: flag, messages }, io) {
    const { note } = messages;
    const address = storeToChange(io, flag);
    const { undoableImports, undoStoreImport } = await import('../../maintenance/undo.ts');
    if (list) {
      const imports = await undoableImports(address);
      if (imports.length === 0) note('asof: no import can be undone');
      const listed = imports.map(({ number, ...others }) => ({ ...others, import: number }));
      return printTable(rows, { columns: ['import', 'importedAt', 'files'] }, listed, io);
    }
    const [typed] = args;
    if (typed !== undefined && !/^[1-9]\d{0,14}$/.test(typed))
      throw new Problem(
        'bad-input',
        `import ${JSON.stringify(typed)}: use the number that \`asof store undo --list\` shows`,
      );
    const number = typed === undefined ? undefined : Number(typed);
    // Refused before anybody is asked.
    const found = await undoStoreImport(address, { number, dryRun: true, signal: io.signal });
    await preparedTable(rows, undoneTable, undoneRecords(found), io);
    const what = `${undoneText(found)} of ${found.store}`;
    if (dryRun) {
      await printTable(rows, undoneTable, undoneRecords(found), io);
      return note(`asof: dry run: would undo ${what}`);
    }
    await confirm(`undo ${what}`, yes, io);
    const undone = await undoStoreImport(address, { number: found.number, signal: io.signal });
    if ((rows.format ?? rows.file ?? rows.columns) !== undefined)
      await printTable(rows, undoneTable, undoneRecords(undone), io);
    note(`asof: undid ${what}`);
    if (!undone.empty) return;
    note(`asof: ${found.store} is empty now`);
    if (address === defaultStorePath(io))
      note('asof: this empty store now answers; remove the file to use the shipped sample again');
  },
});

function undoneText({ number, files, importedAt, series, rates, filings, looks }: UndoneImport): string {
  const named = `${files.slice(0, 3).join(', ')}${files.length > 3 ? ' …' : ''}`;
  const of = [
    ...(series.length > 0 || rates + filings + looks === 0
      ? [counted(series.length, 'series', 'series')]
      : []),
    ...(rates > 0 ? [counted(rates, 'rate')] : []),
    ...(filings > 0 ? [counted(filings, 'filing')] : []),
    ...(looks > 0 ? [looksText(looks)] : []),
  ];
  return `import ${number} of ${importedAt} (${named}): ${of.join(', ')}`;
}

function looksText(looks: number): string {
  return counted(looks, 'look at a calendar', 'looks at calendars');
}

function seriesCommand(
  spec: Omit<CommandSpec, 'flags' | 'read'>,
  verb: 'rename' | 'remove',
): RunnableCommand {
  return command({
    ...spec,
    parts: changes,
    async run({ args, dryRun, yes, messages: { note }, store: named }, io) {
      const [id = '', other = ''] = args.map((text) => text.toUpperCase());
      const into = storeToChange(io, named);
      const { renameSeries, removeSeries } = await import('../../maintenance/series.ts');
      const change = (options: { readonly dryRun: boolean }) =>
        verb === 'rename' ? renameSeries(into, id, other, options) : removeSeries(into, id, options);
      // Refused before anybody is asked.
      const { facts, vintages, aliases, store } = await change({ dryRun: true });
      const place = verb === 'rename' ? `to ${other} in` : 'from';
      const names = aliases.length === 0 ? '' : ` and ${counted(aliases.length, 'alias', 'aliases')},`;
      const size = `${counted(facts, 'fact')} in ${counted(vintages, 'vintage')}`;
      const what = `${id}, ${size},${names} ${place} ${store}`;
      if (dryRun) return note(`asof: dry run: would ${verb} ${what}`);
      await confirm(`${verb} ${what}`, yes, io);
      await change({ dryRun: false });
      note(`asof: ${verb}d ${what}`);
    },
  });
}

const renameCommand = seriesCommand(
  {
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
      { name: 'new', about: 'the new id, not yet in use' },
    ],
  },
  'rename',
);

const removeCommand = seriesCommand(
  {
    words: 'series rm',
    summary: 'Remove a series from your store, with its vintages and its description',
    examples: `
# what would be removed (needs a store with the series)
asof series rm OLD --dry-run
# remove a series with its history (needs a store with the series)
asof series rm OLD --yes
`,
    args: [{ name: 'id', complete: 'ids', about: 'the series' }],
  },
  'remove',
);

const aliasCommand = command({
  words: 'series alias',
  summary: 'Give a series a short name, list the short names, or remove one',
  about: `Questions take an alias in place of an id. Rows show the id of the series, and a note says which series the
alias is; columns of a wide panel and of a join have their names as typed. A snapshot records which series an
alias stood for. asof series rename, series rm and pull take ids only: a renamed series keeps its aliases, a
removed one loses them. No series can take the name of an alias.`,
  examples: `
# a short name for a series (needs a store with the series)
asof series alias EA.GDP ecb:RTD.Q.S0.S.G_GDPM_TO_C.E
# the short names of your store (needs a store with the series)
asof series alias
# remove one; the series stays (needs a store with the alias)
asof series alias --rm EA.GDP
`,
  args: [
    { name: 'name', complete: 'aliases', about: 'the alias (default: list all)', optional: true },
    { name: 'id', complete: 'ids', about: 'the series', optional: true },
  ],
  parts: {
    rm: toggle('rm', 'remove the alias'),
    dryRun: changes.dryRun,
    rows,
    store,
    messages,
  },
  async run({ args: [name, id], rm, dryRun, rows, store: flag, messages: { note } }, io) {
    const { addAlias, listAliases, removeAlias } = await import('../../maintenance/series.ts');
    if (name === undefined) {
      if (rm) throw new Problem('bad-input', '--rm needs the name of an alias');
      const aliases = await ofStore(storeToRead(io, flag), listAliases);
      if (aliases.length === 0) note('asof: the store has no aliases');
      return printTable(rows, { columns: ['name', 'id', 'title'] }, aliases, io);
    }
    if (rm !== (id === undefined))
      throw new Problem('bad-input', rm ? '--rm takes the alias alone' : `${name} needs the id of a series`, {
        hints: ['asof series alias NAME ID', 'asof series alias --rm NAME'],
      });
    const into = storeToChange(io, flag);
    const options = { dryRun };
    const alias = await (id === undefined
      ? removeAlias(into, name, options)
      : addAlias(into, name, id, options));
    const verb = dryRun ? ['would be', 'would no longer be'] : ['is', 'is no longer'];
    note(`asof: ${dryRun ? 'dry run: ' : ''}${alias.name} ${verb[Number(rm)]} ${alias.id}`);
  },
});

/** `asof store …`, and the commands of `asof series` that change a store. */
export const commands = [
  initCommand,
  infoCommand,
  checkCommand,
  backupCommand,
  restoreCommand,
  copyCommand,
  mergeCommand,
  undoCommand,
  renameCommand,
  removeCommand,
  aliasCommand,
];

const stages = { check: 'checking', copy: 'copying', compare: 'comparing' } as const;

/** Runs `work` with its progress, and prints the result. */
async function copied(
  { dryRun, messages }: { readonly dryRun: boolean; readonly messages: Messages },
  io: Io,
  work: (options: RestoreOptions) => Promise<CopySummary & Partial<Pick<BackupSummary, 'removed'>>>,
): Promise<void> {
  const { note } = messages;
  const bar = messages.progress();
  try {
    const { removed = [], ...summary } = await work({
      dryRun,
      signal: io.signal,
      onProgress: ({ stage, done, total }) => bar.show(() => stages[stage], { done, total, unit: 'series' }),
    });
    for (const text of copyLines(summary)) note(`asof: ${text}`);
    for (const path of removed) note(`asof: ${dryRun ? 'would remove' : 'removed'} ${path}`);
  } catch (error) {
    if (io.signal.aborted) note(`asof: stopped; nothing was written`);
    throw error;
  }
}

function copyLines(summary: CopySummary): readonly string[] {
  const { store, series, facts, rates, trades, imports, followed, aliases, looks, digest, dryRun } = summary;
  const held = [
    counted(series, 'series', 'series'),
    counted(facts, 'fact'),
    counted(rates, 'rate'),
    counted(trades, 'trade'),
    `${counted(imports, 'entry', 'entries')} of the log`,
    ...(followed > 0 ? [`${followed} followed`] : []),
    ...(aliases > 0 ? [counted(aliases, 'alias', 'aliases')] : []),
    ...(looks > 0 ? [looksText(looks)] : []),
  ].join(', ');
  if (dryRun) return [`dry run: ${store} would hold ${held}`];
  return [`${store} holds ${held}`, `read again and compared: sha256 ${digest}`];
}

function addressIn(text = ''): string {
  if (text !== '') return text;
  throw new Problem('bad-input', 'the address of a store is empty', {
    hints: ['name a file, or postgres://…'],
  });
}

/** Returns the store to change; throws a Problem without one, because the sample is read-only. */
function storeToChange(io: Io, flag: string | undefined): string {
  const address = storeToWrite(io, flag);
  if (address !== defaultStorePath(io) || existsSync(address)) return address;
  throw new Problem('local-io', `you have no store yet: there is no ${address}`, {
    hints: [
      'the shipped sample, which asof uses until then, is read-only',
      `\`asof store merge ${sampleName}\` makes a store with its data; --store names another store`,
    ],
  });
}

/** Asks on the terminal whether to go on, unless `yes`; throws a Problem without a terminal or a yes. */
async function confirm(question: string, yes: boolean, io: Io): Promise<void> {
  if (yes) return;
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new Problem('bad-input', `cannot ask for confirmation to ${question}: there is no terminal`, {
      hints: ['--yes continues without asking', '--dry-run shows what would change'],
    });
  const answer = await askLine(io, `${question}? [y/N] `).catch(() => '');
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem('interrupted', 'nothing was changed');
}
