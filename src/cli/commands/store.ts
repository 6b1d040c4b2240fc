import { existsSync } from 'node:fs';
import type { RestoreProgress } from '../../care/backup.ts';
import type { CopySummary } from '../../care/copy.ts';
import { Problem } from '../../errors/problem.ts';
import { counted } from '../../errors/wording.ts';
import type { StoreInitLine, StoreLine } from '../../lines/line.ts';
import { addressIn, importIn } from '../../lines/store-commands.ts';
import { print } from '../../platform/sink.ts';
import { isDatabase, shownAddress } from '../../store/address.ts';
import { initStore } from '../../store/open.ts';
import { defaultStorePath, storeToRead, storeToWrite } from '../config/places.ts';
import { printRows, rowPrinter } from '../run/rows.ts';
import { ofStore } from '../run/session.ts';
import { confirm } from '../terminal/confirm.ts';
import { exitCode, type Io } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';
import { progress } from '../terminal/progress.ts';
import { shortened } from './import.ts';

/** `asof store …`: what cares for a store. */
export async function runStore(line: StoreInitLine | StoreLine, io: Io): Promise<number> {
  switch (line.command) {
    case 'store init':
      return init(line, io);
    case 'store info':
      return info(line, io);
    case 'store check':
      return check(line, io);
    case 'store backup':
      return backup(line, io);
    case 'store restore':
      return restore(line, io);
    case 'store copy':
      return copy(line, io);
    case 'store merge':
      return merge(line, io);
    case 'store undo':
      return undo(line, io);
    case 'series rename':
    case 'series rm':
      return changeSeries(line, io);
  }
}

async function init({ store, distribute, messages }: StoreInitLine, io: Io): Promise<number> {
  const address = storeToWrite(io, store);
  const created = await initStore(address, distribute);
  const messagesTo = messagesOf(messages, io);
  messagesTo.note(
    `asof: ${created ? 'made the store' : 'the store was there before:'} ${shownAddress(address)}`,
  );
  if (distribute) messagesTo.note('asof: Citus distributes it, facts by series and filings by issuer');
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
  const { backupStore } = await import('../../care/backup.ts');
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
  const { restoreStore } = await import('../../care/backup.ts');
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
    throw io.stderr.isTTY === true ? await shortened(error) : error;
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
    return printRows(line.output, care.undoFields, imports.map(care.undoRow), io);
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
  const printUndone = await rowPrinter(line.output, care.undoneFields, io);
  if (dryRun) {
    await printUndone(found.subjects.map(care.undoneRow));
    note(`asof: dry run: would take back ${named}: ${of} of ${store}`);
    return exitCode.success;
  }
  await confirm(`take back ${named}: ${of} of ${store}`, yes, io);
  const { empty, subjects } = await undoStoreImport(address, { number: found.number, signal: io.signal });
  const { format, file, columns } = line.output;
  if ((format ?? file ?? columns) !== undefined) await printUndone(subjects.map(care.undoneRow));
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

async function changeSeries(line: StoreLine, io: Io): Promise<number> {
  const { args, dryRun, yes, messages: flags } = line;
  const [id = '', other = ''] = args.map((text) => text.toUpperCase());
  const into = storeToChange(line, io);
  const isRenamed = line.command === 'series rename';
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
