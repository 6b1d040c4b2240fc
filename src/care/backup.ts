import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { flush } from '../platform/files.ts';
import { isDatabase } from '../store/address.ts';
import { checkDraftable, readStore, unfinishedEnding } from '../store/open.ts';
import { checkStore } from './check.ts';
import { type CopyOptions, type CopySummary, copyInto, copyStore, countOf, refuseSame } from './copy.ts';

/** How a store is backed up. */
export type BackupOptions = CopyOptions & {
  /** Writes a new dated file, and keeps as many of the newest dated files. Default: writes the file that is named. */
  readonly keep?: number | undefined;
  /** The time in the name of a dated file. Default: now. */
  readonly clock?: (() => Date) | undefined;
};

/** What a backup holds, and which older backups it took the place of. */
export type BackupSummary = CopySummary & { readonly removed: readonly string[] };

/** How a backup becomes the store again. */
export type RestoreOptions = Omit<CopyOptions, 'replace' | 'onProgress'> & {
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
};

/** The number of series that are checked, then copied, then read again and compared. */
export type RestoreProgress = {
  readonly stage: 'check' | 'copy' | 'compare';
  readonly done: number;
  readonly total: number;
};

/**
 * Writes a store into a file that appears when it is complete and was read again and compared. With `keep` the file is a
 * new one with the time in its name, and older ones of that rule are removed when it is complete.
 */
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
    const [first] = await view.sources.imports();
    const backups = new DatedBackups(to, from);
    await backups.refuseOther(first && `${first.importedAt} ${first.sha256}`);
    const began = clock();
    if (options.dryRun === true) {
      const [store, removed] = [backups.newPath(began), backups.beyond(keep - 1)];
      return { ...(await countOf(view)), store, removed, dryRun: true };
    }
    let [store, removed]: [string, readonly string[]] = ['', []];
    const { openFileDraft, publishCopy } = await import('../store/sqlite/copy.ts');
    const publish = async (draft: string) => {
      store = backups.newPath(began);
      removed = backups.beyond(keep - 1);
      publishCopy(draft, store, false);
      await flush(backups.folder);
      await removeBackups(removed, store);
    };
    const copied = await copyInto(view, async () => openFileDraft(backups.draft, { publish }), options);
    return { ...copied, store, removed };
  });
}

/** Removes backups; a Problem, after all others are removed, for one that is in use or cannot be removed. */
async function removeBackups(paths: readonly string[], made: string): Promise<void> {
  const { removeStore } = await import('../store/sqlite/copy.ts');
  let failure: Problem | undefined;
  for (const path of paths) {
    try {
      removeStore(path);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failure ??= new Problem('local-io', `${made} is complete, but ${path} stays: ${error.detail}`, {
        hints: ['the next backup tries again to remove it'],
        cause: error,
      });
    }
  }
  if (failure !== undefined) throw failure;
}

/** A file that the rule made: the name of its store, the time (UTC), and a number if another one has that time. */
const datedName = /^(.*)-(\d{4}-\d\d-\d\dT\d{6}Z)(?:-(\d{1,4}))?\.db$/s;

/** The backups that one rule made: `NAME-2026-03-15T031500Z.db` and its like, beside each other in a folder. */
class DatedBackups {
  readonly folder: string;
  readonly #name: string;

  /** `place` is a folder, or the path of the files without the time; in a folder they are named as the store. */
  constructor(place: string, store: string) {
    const isFolder =
      /[\\/]$/.test(place) || statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
    this.folder = isFolder ? place : dirname(place);
    const named = isFolder ? store : place;
    this.#name = isFolder && isDatabase(store) ? 'asof' : basename(named).replace(/\.db$/i, '');
  }

  /** The file that is written until a backup is complete. */
  get draft(): string {
    return join(this.folder, `${this.#name}.db${unfinishedEnding}`);
  }

  /** The path of a new backup, which no file has. */
  newPath(time: Date): string {
    const stamp = time.toISOString().replace(/:|\.\d+/g, '');
    // After all that have this time, because the order of the names is that of the backups.
    const [, , last, before = '1'] = datedName.exec(basename(this.#found().at(-1) ?? '')) ?? [];
    let number = last === stamp ? Number(before) + 1 : 1;
    const path = () => join(this.folder, `${this.#name}-${stamp}${number === 1 ? '' : `-${number}`}.db`);
    while (lstatSync(path(), { throwIfNoEntry: false }) !== undefined) number += 1;
    return path();
  }

  /** The backups besides as many of the newest, oldest first. */
  beyond(newest: number): readonly string[] {
    const found = this.#found();
    return found.slice(0, Math.max(0, found.length - newest));
  }

  /** Refuses to write beside backups of another store, or those of an emptied one: stores differ in their first import. */
  async refuseOther(first: string | undefined): Promise<void> {
    const path = this.#found().at(-1);
    if (path === undefined) return;
    const { firstImportOf } = await import('../store/sqlite/copy.ts');
    const other = firstImportOf(path);
    if (other === undefined || other === first) return;
    throw new Problem(
      'bad-input',
      `${path} is a backup of another store: this rule would remove it in time`,
      {
        hints: [`name the backups of this store, such as ${join(this.folder, 'NAME')}`],
      },
    );
  }

  /** The paths of the files that the rule made, oldest first. */
  #found(): readonly string[] {
    const dated = namesIn(this.folder).flatMap((entry) => {
      const [, name, time = '', number = '1'] = datedName.exec(entry) ?? [];
      return name === this.#name ? [{ entry, order: `${time} ${number.padStart(4, '0')}` }] : [];
    });
    return dated.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ entry }) => join(this.folder, entry));
  }
}

/** The names of the files in a folder; none if there is no folder. */
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

/**
 * Puts a backup in the place of a store, in one step: until then the store stays as it is. Refuses a damaged backup, and a
 * store that another process has open. A store in PostgreSQL must be empty.
 */
export async function restoreStore(
  file: string,
  to: string,
  { onProgress, ...options }: RestoreOptions = {},
): Promise<CopySummary> {
  if (isDatabase(file))
    throw new Problem('bad-input', 'a backup is a file', {
      hints: ['`asof store copy` copies from a database'],
    });
  refuseSame(file, to);
  await refuseTaken(to);
  const { faults } = await checkStore(file, {
    signal: options.signal,
    onProgress: (progress) => onProgress?.({ stage: 'check', ...progress }),
  });
  const [fault] = faults;
  if (fault !== undefined)
    throw new Problem('local-io', `${file} is damaged: ${fault.subject}: ${fault.fault}`, {
      hints: [`\`asof store check --store ${file}\` lists every fault`, 'restore an older backup'],
    });
  return copyStore(file, to, { ...options, onProgress, replace: true });
}

/** Refuses a place that no backup can take. */
async function refuseTaken(to: string): Promise<void> {
  try {
    await checkDraftable(to, true);
  } catch (error) {
    if (!(error instanceof Problem) || !isDatabase(to)) throw error;
    throw error.with({
      hints: [
        `a restore replaces no store in a database: drop its schema first, or name another with schema=NAME`,
      ],
    });
  }
  if (isDatabase(to) || statSync(to, { throwIfNoEntry: false }) === undefined) return;
  (await import('../store/sqlite/copy.ts')).refuseUsed(to);
}
