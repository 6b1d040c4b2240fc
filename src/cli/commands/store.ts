import { existsSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import { counted, grouped } from '../../errors/wording.ts';
import { toggle } from '../../lines/command.ts';
import type { MessageFlags } from '../../lines/line.ts';
import { messages, output, store } from '../../lines/shared-parts.ts';
import type { CopyProgress, CopySummary } from '../../maintenance/copy.ts';
import type { StoreInfo } from '../../maintenance/info.ts';
import type { UndoneImport } from '../../maintenance/undo.ts';
import type { FieldType } from '../../operations/field.ts';
import type { ArgumentSpec } from '../../operations/typed-line.ts';
import { print } from '../../platform/sink.ts';
import { isDatabase, shownAddress } from '../../store/address.ts';
import { initStore } from '../../store/open.ts';
import { defaultStorePath, storeToChange, storeToRead, storeToWrite } from '../config/places.ts';
import { column, optionalColumn, printTable, type RecordTable, tablePrinter } from '../run/rows.ts';
import { ofStore } from '../run/session.ts';
import { confirm } from '../terminal/confirm.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf, progress } from '../terminal/messages.ts';
import { changes, command } from './command.ts';

const dryRun = (about: string) => toggle('dry-run', about);

const rows = { ...output, flags: output.flags.filter(({ name }) => name !== 'fail-empty') };

const address = (name: string, about: string): ArgumentSpec => ({
  name,
  complete: 'files',
  about: `${about}: a file, or postgres://…`,
});

const initCommand = command({
  words: 'store init',
  heading: 'Files',
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
  parts: {
    distribute: toggle('distribute', 'distribute the store over the nodes of Citus'),
    store,
    messages,
  },
  async run({ store, distribute, messages }, io) {
    const address = storeToWrite(io, store);
    const created = await initStore(address, distribute);
    const { note } = messagesOf(messages, io);
    note(`asof: ${created ? 'made the store' : 'the store was there before:'} ${shownAddress(address)}`);
    if (distribute) note('asof: Citus distributes it, facts by series and filings by issuer');
  },
});

const info =
  (type: FieldType, makes = column<StoreInfo>) =>
  (name: keyof StoreInfo, description: string) =>
    makes(name, type, description, (info) => info[name]);
const [text, count, day] = [info('text'), info('integer'), info('text', optionalColumn)];

const infoTable: RecordTable<StoreInfo> = {
  card: true,
  columns: [
    text('store', 'Address of the store.'),
    text('engine', 'SQLite or PostgreSQL.'),
    count('format', 'Format of its tables.'),
    count('bytes', 'Size on the disk, indexes included.'),
    info('boolean')('sample', 'Whether it is the shipped sample.'),
    count('revision', 'Grows with every import that changes anything.'),
    count('series', 'Series with values.'),
    count('described', 'Series with a description and without values.'),
    count('facts', 'Changes of values.'),
    day('first_vintage', 'First vintage of all series.'),
    day('last_vintage', 'Last vintage of all series.'),
    day('least_covered_to', 'The series that ends first is covered to this day.'),
    day('covered_to', 'The series that ends last is covered to this day.'),
    count('par_rates', 'Rates of par curves.'),
    day('par_covered_to', 'Last trade date of par curves.'),
    count('real_rates', 'Rates of real curves.'),
    day('real_covered_to', 'Last trade date of real curves.'),
    count('filings', 'Filings of insiders.'),
    count('trades', 'Trades in these filings.'),
    day('filings_covered_to', 'Last filing date.'),
    count('imports', 'Entries of the log of imports.'),
    day('last_import', 'Time of the last import.'),
    count('outdated_imports', 'Files that an older rule read; import them again.'),
    count('followed', 'What it follows at live sources.'),
    day('followed_up_to', 'All that it follows reaches this day.'),
  ],
};

const infoCommand = command({
  words: 'store info',
  heading: 'Files',
  summary: 'Show what a store holds, its size and its format',
  examples: `
# what the store holds
asof store info
# for a script
asof store info --json
`,
  parts: { rows, store, messages },
  async run({ rows, store }, io) {
    const { storeInfo } = await import('../../maintenance/info.ts');
    await printTable(rows, infoTable, [await ofStore(storeToRead(io, store), storeInfo)], io);
  },
});

const checkCommand = command({
  words: 'store check',
  heading: 'Files',
  summary: 'Check that a store is whole, and that its figures follow from its facts',
  about: `Reads everything, asks the engine what is damaged, and computes again what the store derives from
its facts. Prints a line for each fault and exits with code 1 if there is any.`,
  examples: `
# whether the store is whole
asof store check
# every month from cron (needs a store at that address)
asof store check --store postgres://reader@db.example.org/markets
`,
  parts: { store, messages },
  async run({ store, messages }, io) {
    const bar = progress(io, messages.quiet);
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
    const { note } = messagesOf(messages, io);
    note(`asof: checked ${grouped(series)} series with ${grouped(changes)} changes: ${found}`);
    return faults.length === 0 ? exitCode.success : exitCode.differences;
  },
});

const backupCommand = command({
  words: 'store backup',
  heading: 'Files',
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
  parts: {
    keep: {
      flags: [
        {
          name: 'keep',
          value: 'n',
          about: 'write a new file with the time (UTC) in its name, and keep the newest n such files',
        },
      ],
      read: (line) => line.count('keep'),
    },
    dryRun: dryRun('count what the backup would hold, write nothing'),
    yes: changes.yes,
    store,
    messages,
  },
  async run({ args: [to], keep, dryRun, yes, store, messages }, io) {
    const file = addressIn(to);
    const replace = keep === undefined && !isDatabase(file) && existsSync(file);
    if (replace && !dryRun) await confirm(`replace ${file}`, yes, io);
    const { backupStore } = await import('../../maintenance/copy.ts');
    const { clock, signal } = io;
    await ofStore(storeToRead(io, store), (from) =>
      copied('backup', messages, io, async (onProgress) => {
        const summary = await backupStore(from, file, { keep, clock, dryRun, replace, signal, onProgress });
        const gone = summary.removed.map((path) => `${dryRun ? 'would remove' : 'removed'} ${path}`);
        return [...copyLines(summary, 'backup'), ...gone];
      }),
    );
  },
});

const restoreCommand = command({
  words: 'store restore',
  heading: 'Files',
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
  parts: { dryRun: dryRun('check the backup, write nothing'), yes: changes.yes, store, messages },
  async run({ args: [from], dryRun, yes, store, messages }, io) {
    const [file, into] = [addressIn(from), storeToWrite(io, store)];
    const { restoreStore } = await import('../../maintenance/copy.ts');
    const { signal } = io;
    if (!dryRun && (isDatabase(into) || existsSync(into)))
      await confirm(`replace ${shownAddress(into)} by ${file}`, yes, io);
    await copied('restore', messages, io, async (onProgress) =>
      copyLines(await restoreStore(file, into, { dryRun, signal, onProgress }), 'restore'),
    );
  },
});

const copyCommand = command({
  words: 'store copy',
  heading: 'Files',
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
  parts: { dryRun: dryRun('count what the copy would hold, write nothing'), yes: changes.yes, messages },
  async run({ args, dryRun, yes, messages }, io) {
    const [from, to] = [addressIn(args[0]), addressIn(args[1])];
    if (!dryRun) await confirm(`copy ${shownAddress(from)} to ${shownAddress(to)}`, yes, io);
    const { copyStore } = await import('../../maintenance/copy.ts');
    const { signal } = io;
    await copied('copy', messages, io, async (onProgress) =>
      copyLines(await copyStore(from, to, { dryRun, signal, onProgress }), 'copy'),
    );
  },
});

const mergeCommand = command({
  words: 'store merge',
  heading: 'Files',
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
  parts: {
    merge: toggle('merge', 'add to a series that came from another source'),
    replace: toggle('replace', 'replace known values by different ones of the other store'),
    ...changes,
    messages,
  },
  async run({ args, merge, replace, dryRun, yes, store, messages }, io) {
    const [from, into] = [addressIn(args[0]), storeToWrite(io, store)];
    if (!dryRun) await confirm(`merge ${shownAddress(from)} into ${shownAddress(into)}`, yes, io);
    const bar = progress(io, messages.quiet);
    const [{ mergeStore }, { importReport }] = await Promise.all([
      import('../../maintenance/merge.ts'),
      import('../../import/report.ts'),
    ]);
    const onProgress = ({ rows }: { readonly rows: number }) => bar.show(() => `${grouped(rows)} rows`);
    const { clock, signal } = io;
    try {
      const result = await mergeStore(from, into, { merge, replace, dryRun, clock, signal, onProgress });
      bar.clear();
      const replacesSample = into === defaultStorePath(io) ? 'for good' : false;
      for (const text of importReport(result, replacesSample)) messagesOf(messages, io).note(text);
    } catch (error) {
      bar.clear();
      throw io.stderr.isTTY === true ? await (await import('./import.ts')).shortened(error) : error;
    }
  },
});

/** The imports that can be taken back. */
const undoableTable: RecordTable<Pick<UndoneImport, 'number' | 'importedAt' | 'files'>> = {
  columns: [
    column('import', 'integer', 'Number of the import.', ({ number }) => number),
    column('imported_at', 'text', 'When it was made.', ({ importedAt }) => importedAt),
    column('files', 'list', 'Its files.', ({ files }) => files),
  ],
};

/** What taking an import back changes, with a row for each subject. */
const undoneTable: RecordTable<UndoneImport['subjects'][number]> = {
  columns: [
    column('subject', 'text', 'A series, a curve, filings or what is followed.', ({ subject }) => subject),
    column('goes', 'boolean', 'Whether nothing of the series is left.', ({ goes }) => goes),
    column('vintages', 'integer', 'Vintages that go.', ({ vintages }) => vintages),
    column('removed', 'integer', 'Statements, rates or filings that go.', ({ removed }) => removed),
    column(
      'restored',
      'integer',
      'Values, rates, filings or bookmarks that are again what they were.',
      ({ restored }) => restored,
    ),
    optionalColumn('first_date', 'day', 'The first date that changes.', ({ first }) => first),
    optionalColumn('last_date', 'day', 'The last date that changes.', ({ last }) => last),
  ],
};

const undoCommand = command({
  words: 'store undo',
  heading: 'Files',
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
  parts: { list: toggle('list', 'list the imports that can be taken back'), rows, ...changes, messages },
  async run({ args, list, rows, dryRun, yes, store: flag, messages }, io) {
    const { note } = messagesOf(messages, io);
    const address = storeToChange(io, flag);
    const { undoableImports, undoStoreImport } = await import('../../maintenance/undo.ts');
    if (list) {
      const imports = await undoableImports(address);
      if (imports.length === 0) note('asof: no import can be taken back');
      return printTable(rows, undoableTable, imports, io);
    }
    const number = importIn(args[0]);
    // What cannot be taken back is refused before anybody is asked.
    const found = await undoStoreImport(address, { number, dryRun: true, signal: io.signal });
    const what = `${undoneText(found)} of ${found.store}`;
    const printUndone = await tablePrinter(rows, undoneTable, io);
    if (dryRun) {
      await printUndone(found.subjects);
      return note(`asof: dry run: would take back ${what}`);
    }
    await confirm(`take back ${what}`, yes, io);
    const { empty, subjects } = await undoStoreImport(address, { number: found.number, signal: io.signal });
    const { format, file, columns } = rows;
    if ((format ?? file ?? columns) !== undefined) await printUndone(subjects);
    note(`asof: took back ${what}`);
    if (empty) note(`asof: ${found.store} is empty now`);
    if (empty && address === defaultStorePath(io))
      note('asof: while it exists, the shipped sample does not answer: remove the file to have it again');
  },
});

/** `import 3 of 2026-03-15T12:00:00Z (gdp.csv): 2 series, 5 rates`. */
function undoneText({ number, files, importedAt, series, rates, filings }: UndoneImport): string {
  const named = `${files.slice(0, 3).join(', ')}${files.length > 3 ? ' …' : ''}`;
  const of = [
    ...(series.length > 0 || rates + filings === 0 ? [counted(series.length, 'series', 'series')] : []),
    ...(rates > 0 ? [counted(rates, 'rate')] : []),
    ...(filings > 0 ? [counted(filings, 'filing')] : []),
  ];
  return `import ${number} of ${importedAt} (${named}): ${of.join(', ')}`;
}

/** The number of an import; undefined for the last. */
function importIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Problem(
    'bad-input',
    `import ${JSON.stringify(text)}: use the number that \`asof store undo --list\` shows`,
  );
}

/** `asof store …`: the maintenance of a store. */
export const commands = [
  initCommand,
  infoCommand,
  checkCommand,
  backupCommand,
  restoreCommand,
  copyCommand,
  mergeCommand,
  undoCommand,
];

type CopyKind = 'backup' | 'restore' | 'copy';

const stages = { check: 'checking', copy: 'copying', compare: 'comparing' } as const;

/** Calls `work`, shows how far it is, and says what it gives; where it is stopped, that it can go on. */
async function copied(
  what: CopyKind,
  messages: MessageFlags,
  io: Io,
  work: (onProgress: (progress: CopyProgress) => void) => Promise<readonly string[]>,
): Promise<void> {
  const bar = progress(io, messages.quiet);
  const { note } = messagesOf(messages, io);
  try {
    const lines = await work(({ stage, done, total }) =>
      bar.show(() => stages[stage], { done, total, unit: 'series' }),
    );
    bar.clear();
    for (const text of lines) note(`asof: ${text}`);
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

function addressIn(text = ''): string {
  if (text !== '') return text;
  throw new Problem('bad-input', 'the address of a store is empty', {
    hints: ['name a file, or postgres://…'],
  });
}
