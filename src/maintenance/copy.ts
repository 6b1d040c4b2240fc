// Why: docs/decisions/copies.md

import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { planFilings } from '../domain/insider/merge-filings.ts';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { flush, identityOf } from '../platform/files.ts';
import { pause } from '../platform/promises.ts';
import { isDatabase, shownAddress } from '../store/address.ts';
import { checkFree, openCopy, readStore } from '../store/open.ts';
import { copySeries, type OpenedCopy, type WriteTransaction } from '../store/sql/parts.ts';
import type { WholeView } from '../store/store.ts';
import { checkStore } from './check.ts';
import { allFilings, allPoints, digestOfStore } from './digest.ts';

/** Options of a copy. */
export type CopyOptions = {
  /** Reads and counts, but writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Allows the complete copy to replace a file at its address. */
  readonly replace?: boolean | undefined;
  /** Stops the copy, of which nothing stays. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
};

/** The number of series checked (for a restore), copied, or compared. */
export type CopyProgress = {
  readonly stage: 'check' | 'copy' | 'compare';
  readonly done: number;
  readonly total: number;
};

/** The contents of a copy. */
export type CopySummary = {
  /** The address of the copy, without a password. */
  readonly store: string;
  readonly dryRun: boolean;
  readonly series: number;
  readonly facts: number;
  readonly rates: number;
  readonly trades: number;
  readonly imports: number;
  readonly followed: number;
  readonly aliases: number;
  /** The looks at calendars of releases. */
  readonly looks: number;
  /** The SHA-256 of everything in both stores; empty for a dry run. */
  readonly digest: string;
};

/** Options of a backup. */
export type BackupOptions = CopyOptions & {
  /** The number of dated files to keep, with a new one. Default: writes the named file. */
  readonly keep?: number | undefined;
  /** The time in the name of a dated file. Default: now. */
  readonly clock?: (() => Date) | undefined;
};

/** The contents of a backup, and the older backups that it replaced. */
export type BackupSummary = CopySummary & { readonly removed: readonly string[] };

/** Options of a restore. */
export type RestoreOptions = Omit<CopyOptions, 'replace'>;

/** Copies everything into a new store; no one can open it before it is compared. */
export async function copyStore(from: string, to: string, options: CopyOptions = {}): Promise<CopySummary> {
  refuseSame(from, to);
  return readStore(from, async (view) => {
    const store = shownAddress(to);
    if (options.dryRun !== true)
      return { ...(await copyInto(view, (copy) => openCopy(to, copy), options)), store };
    await checkFree(to, options.replace);
    return { ...(await countOf(view)), store, dryRun: true };
  });
}

/** Copies a view into a new store, compares the two, and commits if they are equal. */
async function copyInto(
  view: WholeView,
  open: (copy: OpenedCopy) => Promise<WriteTransaction>,
  { replace, signal, onProgress }: CopyOptions,
): Promise<Omit<CopySummary, 'store'>> {
  const report = (stage: CopyProgress['stage'], done: number, total: number) => {
    onProgress?.({ stage, done, total });
    return pause(signal);
  };
  const pausing = (stage: CopyProgress['stage']) => (done: number, total: number) =>
    report(stage, done, total);
  const { length: total } = await view.contents.seriesIds();
  const { copyPages } = view.contents;
  const fill =
    copyPages &&
    ((file: string) =>
      copyPages(file, (share) => {
        signal?.throwIfAborted();
        onProgress?.({ stage: 'copy', done: Math.floor(share * total), total });
      }));
  let to = await open({ replace, fill });
  try {
    // Pages carry along damage and wrong indexes, which a copy by rows makes anew.
    if (to.isFilled === true && (await to.contents.faults()).length > 0) {
      await to.rollback();
      to = await open({ replace });
    }
    if (to.isFilled !== true) await copyAll(view, to, pausing('copy'));
    const digest = await digestOfStore(view, pausing('compare'));
    if ((await digestOfStore(to, pausing('compare'))) !== digest)
      throw new Problem('local-io', 'the copy differs from what was written; asof removed it', {
        hints: ['`asof store check` checks the store that was copied, and another disk may hold the copy'],
      });
    await to.commit(true);
    return { ...(await countOf(view)), dryRun: false, digest };
  } catch (error) {
    await to.rollback();
    throw error;
  }
}

/** Throws for two addresses of the same store. */
export function refuseSame(from: string, to: string): void {
  const fileOf = (address: string) => (isDatabase(address) ? undefined : identityOf(address)) ?? address;
  if (fileOf(from) !== fileOf(to)) return;
  throw new Problem('bad-input', `${shownAddress(to)} is the store itself`, {
    hints: ['name another address'],
  });
}

async function countOf(view: WholeView): Promise<Omit<CopySummary, 'store' | 'dryRun'>> {
  const { series, described, facts } = await view.contents.totals();
  const rates = (await view.rates.summaries()).reduce((sum, { count }) => sum + count, 0);
  const { trades } = await view.filings.counts();
  const [imports, followed] = [(await view.sources.imports()).length, (await view.sources.followed()).length];
  const { length: aliases } = await view.aliases.all();
  const { length: looks } = await view.calendar.sightings();
  return { series: series + described, facts, rates, trades, imports, followed, aliases, looks, digest: '' };
}

async function copyAll(
  from: WholeView,
  to: WriteTransaction,
  pause: (done: number, total: number) => Promise<void>,
): Promise<void> {
  const ids = await from.contents.seriesIds();
  const pauseAtEnd = () => pause(ids.length, ids.length);
  for (const [index, id] of ids.entries()) {
    await pause(index, ids.length);
    await copySeries(id, from, to, id);
  }
  for await (const points of allPoints(from)) {
    await pauseAtEnd();
    await to.rates.put(points);
  }
  for await (const filings of allFilings(from)) {
    await pauseAtEnd();
    // A filing may have trades in two batches.
    const held = await to.filings.stored(filings);
    await to.filings.put(planFilings([...held.values()], filings, { replace: true }).put, held);
  }
  for (const alias of await from.aliases.all()) await to.aliases.put(alias);
  for (const sighting of await from.calendar.sightings()) await to.calendar.put(sighting);
  for (const record of await from.sources.followed()) await to.sources.putFollowed(record);
  // The copy does not know what the imports changed.
  for (const entry of await from.sources.imports()) await to.sources.addImport(entry, null);
}

/** Writes a store into a file and reads it again; with `keep` into a new dated file, and removes the oldest. */
export async function backupStore(
  from: string,
  to: string,
  { keep, clock = () => new Date(), ...options }: BackupOptions = {},
): Promise<BackupSummary> {
  if (isDatabase(to))
    throw new Problem('bad-input', 'a backup is a file', {
      hints: ['`asof store copy` copies into a database'],
    });
  if (keep === undefined) return { ...(await copyStore(from, to, options)), removed: [] };
  return readStore(from, async (view) => {
    const backups = datedBackups(to, from);
    const { files } = await import('../store/sqlite/writer.ts');
    // Read before the copy: of two backups at once, none removes the other.
    const found = backups.found();
    const [newest, [first]] = [found.at(-1), await view.sources.imports()];
    const other = newest && files.firstImportOf(newest);
    if (other !== undefined && other !== (first && `${first.importedAt} ${first.sha256}`))
      throw new Problem('bad-input', `${newest} is a backup of another store: --keep would remove it later`, {
        hints: [`name the backups of this store, such as ${join(backups.folder, 'NAME')}`],
      });
    const store = backups.newPath(clock());
    const removed = found.slice(0, Math.max(0, found.length - keep + 1));
    if (options.dryRun === true) return { ...(await countOf(view)), store, removed, dryRun: true };
    const { draftOf } = backups;
    const copied = await copyInto(view, (copy) => files.openCopy(store, { ...copy, draftOf }), {
      ...options,
      replace: false,
    });
    await flush(backups.folder);
    await removeBackups(
      removed.filter((path) => existsSync(path)),
      store,
    );
    return { ...copied, store, removed };
  });
}

/** Removes backups; throws a Problem for one that is in use or cannot be removed. */
async function removeBackups(paths: readonly string[], made: string): Promise<void> {
  const { files } = await import('../store/sqlite/writer.ts');
  for (const path of paths)
    await files.remove(path).catch((error) => {
      if (!(error instanceof Problem)) throw error;
      throw new Problem('local-io', `${made} is complete, but ${path} stays: ${error.detail}`, {
        hints: ['the next backup tries again to remove it'],
        cause: error,
      });
    });
}

/** The name of a dated backup: store, time (UTC), and a number if another file has that time. */
const datedName = /^(.*)-(\d{4}-\d\d-\d\dT\d{6}Z)(?:-(\d{1,4}))?\.db$/s;

/** Finds the dated backups of a place in one folder: `NAME-2026-03-15T031500Z.db` and later ones. */
function datedBackups(place: string, store: string) {
  // `place` is a folder, for files named as the store, or the path of the files without the time.
  const isFolder = /[\\/]$/.test(place) || statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? place : dirname(place);
  const named = isFolder ? store : place;
  const own = isFolder && isDatabase(store) ? 'asof' : basename(named).replace(/\.db$/i, '');
  /** Lists the backups, oldest first. */
  const found = (): readonly string[] => {
    const dated = namesIn(folder).flatMap((entry) => {
      const [, name, time = '', number = '1'] = datedName.exec(entry) ?? [];
      return name === own ? [{ entry, order: `${time} ${number.padStart(4, '0')}` }] : [];
    });
    return dated.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ entry }) => join(folder, entry));
  };
  const newPath = (time: Date): string => {
    const stamp = time.toISOString().replace(/:|\.\d+/g, '');
    // After all files with this time, because the names sort in the order of the backups.
    const [, , last, before = '1'] = datedName.exec(basename(found().at(-1) ?? '')) ?? [];
    let number = last === stamp ? Number(before) + 1 : 1;
    const path = () => join(folder, `${own}-${stamp}${number === 1 ? '' : `-${number}`}.db`);
    while (lstatSync(path(), { throwIfNoEntry: false }) !== undefined) number += 1;
    return path();
  };
  return { folder, draftOf: join(folder, `${own}.db`), found, newPath };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw systemProblem('read', folder, error);
  }
}

/** Replaces a store by a backup in one step; throws for a damaged backup, and for a store in use. */
export async function restoreStore(
  file: string,
  to: string,
  options: RestoreOptions = {},
): Promise<CopySummary> {
  if (isDatabase(file))
    throw new Problem('bad-input', 'a backup is a file', {
      hints: ['`asof store copy` copies from a database'],
    });
  refuseSame(file, to);
  await refuseTaken(to);
  const { faults } = await checkStore(file, {
    signal: options.signal,
    onProgress: (progress) => options.onProgress?.({ stage: 'check', ...progress }),
  });
  const [fault] = faults;
  if (fault !== undefined)
    throw new Problem('local-io', `${file} is damaged: ${fault.subject}: ${fault.fault}`, {
      hints: [`\`asof store check --store ${file}\` lists every fault`, 'restore an older backup'],
    });
  return copyStore(file, to, { ...options, replace: true });
}

async function refuseTaken(to: string): Promise<void> {
  try {
    await checkFree(to, true);
  } catch (error) {
    if (!(error instanceof Problem) || !isDatabase(to)) throw error;
    throw error.with({
      hints: [
        `a restore replaces no store in a database: drop its schema first, or name another with schema=NAME`,
      ],
    });
  }
  if (isDatabase(to) || statSync(to, { throwIfNoEntry: false }) === undefined) return;
  (await import('../store/sqlite/writer.ts')).files.refuseUsed(to);
}
