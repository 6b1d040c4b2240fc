// Why: docs/decisions/copies.md
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { flush, identityOf } from '../platform/files.ts';
import { isDatabase, shownAddress } from '../store/address.ts';
import { checkDraftable, openDraft, readStore, unfinishedEnding } from '../store/open.ts';
import type { Followed, WholeView } from '../store/store.ts';
import type { StoreDraft, StoreWriter } from '../store/writer.ts';
import { checkStore } from './check.ts';
import { allFilings, allPoints, digestOfSeries, digestOfStore } from './digest.ts';

/** Options of a copy. */
export type CopyOptions = {
  /** Reads and counts, but writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Allows the complete copy to replace a file at its address. */
  readonly replace?: boolean | undefined;
  /** Stops the copy; the next one continues it. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
  /** The number of rows in one transaction; does not affect the result. */
  readonly rowsAtOnce?: number | undefined;
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
  /** The number of series that an earlier, stopped copy had written. */
  readonly already: number;
  readonly rates: number;
  readonly trades: number;
  readonly imports: number;
  readonly followed: number;
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

/** Copies everything into a new store, or continues a stopped copy; no one can open it before it is compared. */
export async function copyStore(from: string, to: string, options: CopyOptions = {}): Promise<CopySummary> {
  refuseSame(from, to);
  return readStore(from, async (view) => {
    const store = shownAddress(to);
    if (options.dryRun === true) {
      await checkDraftable(to, options.replace);
      return { ...(await countOf(view)), store, dryRun: true };
    }
    return {
      ...(await copyInto(view, () => openDraft(to, shownAddress(from), options.replace), options)),
      store,
    };
  });
}

/** Copies a view into the draft of `open`, compares the two, and publishes the draft if they are equal. */
async function copyInto(
  view: WholeView,
  open: () => Promise<StoreDraft>,
  options: CopyOptions,
): Promise<Omit<CopySummary, 'store'>> {
  const run = async () => {
    const draft = await open();
    try {
      return await new StoreCopy(view, draft, options).run();
    } finally {
      await draft.close();
    }
  };
  // If a stopped copy left data that the store lacks, the first run discards everything, and the second copies.
  const copied = (await run()) ?? (await run());
  if (copied !== undefined) return copied;
  throw new Problem('local-io', 'the copy differs from what was written; asof removed it', {
    hints: ['`asof store check` checks the store that was copied, and another disk may hold the copy'],
  });
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
  return { series: series + described, facts, already: 0, rates, trades, imports, followed, digest: '' };
}

type CopiedPart = (writer: StoreWriter) => Promise<number>;

class StoreCopy {
  readonly #from: WholeView;
  readonly #to: StoreDraft;
  readonly #options: CopyOptions;
  readonly #digests = new Map<string, string>();
  #already = 0;

  constructor(from: WholeView, to: StoreDraft, options: CopyOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
  }

  /** Makes and publishes the copy; undefined if it differed from the store and was discarded. */
  async run(): Promise<Omit<CopySummary, 'store'> | undefined> {
    await this.#writeParts();
    await this.#pause();
    const digest = await digestOfStore(this.#from, this.#digests);
    const copied = await this.#to.read(async (view) => digestOfStore(view, await this.#digestsOf(view)));
    if (copied !== digest) {
      await this.#to.discard();
      return undefined;
    }
    await this.#to.publish();
    return { ...(await countOf(this.#from)), already: this.#already, dryRun: false, digest };
  }

  async #writeParts(): Promise<void> {
    const { rowsAtOnce = 200_000 } = this.#options;
    const parts = this.#parts(
      await this.#to.read(async (view) => ({
        digests: await this.#digestsOf(view),
        imports: (await view.sources.imports()).length,
        followed: await view.sources.followed(),
      })),
    );
    let part = await parts.next();
    while (part.done !== true)
      await this.#to.write(async (writer) => {
        for (let rows = 0; part.done !== true && rows < rowsAtOnce; part = await parts.next()) {
          rows += await part.value(writer);
          await this.#pause();
        }
      });
  }

  async *#parts(held: {
    readonly digests: ReadonlyMap<string, string>;
    readonly imports: number;
    readonly followed: readonly Followed[];
  }): AsyncGenerator<CopiedPart> {
    const [from, replace] = [this.#from, { replace: true }];
    const ids = await from.contents.seriesIds();
    const known = new Set(ids);
    for (const id of held.digests.keys())
      if (!known.has(id)) yield async (writer) => Number(await writer.removeSeries(id));
    for (const [index, id] of ids.entries()) {
      yield (writer) => this.#copySeries(id, held.digests.get(id), writer);
      this.#options.onProgress?.({ stage: 'copy', done: index + 1, total: ids.length });
    }
    for await (const points of allPoints(from))
      yield async (writer) => {
        await writer.mergePoints(points, replace);
        return points.length;
      };
    for await (const filings of allFilings(from))
      yield async (writer) => {
        await writer.mergeFilings(filings, replace);
        return filings.length;
      };
    yield async (writer) => {
      for (const { source, name } of held.followed) await writer.unfollow(source, name);
      for (const record of await from.sources.followed()) await writer.follow(record);
      const entries = (await from.sources.imports()).slice(held.imports);
      for (const entry of entries) await writer.recordImport(entry);
      return entries.length;
    };
  }

  /** Writes one series, unless its digest in the copy (`held`) is equal. */
  async #copySeries(id: string, held: string | undefined, writer: StoreWriter): Promise<number> {
    const { contents, series } = this.#from;
    const digest = (await digestOfSeries(this.#from, id)) ?? '';
    this.#digests.set(id, digest);
    const own = digest === held ? undefined : await contents.series(id);
    if (own === undefined) {
      this.#already += 1;
      return 100;
    }
    await writer.putSeries(own, contents.changes(id));
    for (const change of await series.descriptionChanges(id)) await writer.recordChange(change);
    return 100 + own.vintages.length + own.figures.factCount;
  }

  async #digestsOf(view: WholeView): Promise<ReadonlyMap<string, string>> {
    const digests = new Map<string, string>();
    const ids = await view.contents.seriesIds();
    for (const [index, id] of ids.entries()) {
      digests.set(id, (await digestOfSeries(view, id)) ?? '');
      await this.#pause();
      this.#options.onProgress?.({ stage: 'compare', done: index + 1, total: ids.length });
    }
    return digests;
  }

  /** Lets the process receive a signal, which it can only between two turns of the event loop. */
  async #pause(): Promise<void> {
    await tick();
    this.#options.signal?.throwIfAborted();
  }
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
    const [first] = await view.sources.imports();
    const backups = new DatedBackups(to, from);
    await backups.refuseOther(first && `${first.importedAt} ${first.sha256}`);
    const began = clock();
    if (options.dryRun === true) {
      const [store, removed] = [backups.newPath(began), backups.beyond(keep - 1)];
      return { ...(await countOf(view)), store, removed, dryRun: true };
    }
    let [store, removed]: [string, readonly string[]] = ['', []];
    const { files } = await import('../store/sqlite/writer.ts');
    const publish = async (draft: string) => {
      store = backups.newPath(began);
      removed = backups.beyond(keep - 1);
      await files.publishCopy(draft, store, false);
      await flush(backups.folder);
      await removeBackups(removed, store);
    };
    const copied = await copyInto(view, async () => files.openDraft(backups.draft, publish), options);
    return { ...copied, store, removed };
  });
}

/** Removes backups; throws a Problem at the end for one that is in use or cannot be removed. */
async function removeBackups(paths: readonly string[], made: string): Promise<void> {
  const { files } = await import('../store/sqlite/writer.ts');
  let failure: Problem | undefined;
  for (const path of paths) {
    try {
      await files.remove(path);
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

/** The name of a dated backup: store, time (UTC), and a number if another file has that time. */
const datedName = /^(.*)-(\d{4}-\d\d-\d\dT\d{6}Z)(?:-(\d{1,4}))?\.db$/s;

/** Dated backups in one folder: `NAME-2026-03-15T031500Z.db` and later ones. */
class DatedBackups {
  readonly folder: string;
  readonly #name: string;

  /** `place` is a folder, for files named as the store, or the path of the files without the time. */
  constructor(place: string, store: string) {
    const isFolder =
      /[\\/]$/.test(place) || statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
    this.folder = isFolder ? place : dirname(place);
    const named = isFolder ? store : place;
    this.#name = isFolder && isDatabase(store) ? 'asof' : basename(named).replace(/\.db$/i, '');
  }

  get draft(): string {
    return join(this.folder, `${this.#name}.db${unfinishedEnding}`);
  }

  newPath(time: Date): string {
    const stamp = time.toISOString().replace(/:|\.\d+/g, '');
    // After all files with this time, because the names sort in the order of the backups.
    const [, , last, before = '1'] = datedName.exec(basename(this.#found().at(-1) ?? '')) ?? [];
    let number = last === stamp ? Number(before) + 1 : 1;
    const path = () => join(this.folder, `${this.#name}-${stamp}${number === 1 ? '' : `-${number}`}.db`);
    while (lstatSync(path(), { throwIfNoEntry: false }) !== undefined) number += 1;
    return path();
  }

  /** Lists all backups except the newest ones, oldest first. */
  beyond(newest: number): readonly string[] {
    const found = this.#found();
    return found.slice(0, Math.max(0, found.length - newest));
  }

  /** Throws for backups of another or an emptied store; stores differ in their first import. */
  async refuseOther(first: string | undefined): Promise<void> {
    const path = this.#found().at(-1);
    if (path === undefined) return;
    const { files } = await import('../store/sqlite/writer.ts');
    const other = files.firstImportOf(path);
    if (other === undefined || other === first) return;
    throw new Problem('bad-input', `${path} is a backup of another store: --keep would remove it later`, {
      hints: [`name the backups of this store, such as ${join(this.folder, 'NAME')}`],
    });
  }

  #found(): readonly string[] {
    const dated = namesIn(this.folder).flatMap((entry) => {
      const [, name, time = '', number = '1'] = datedName.exec(entry) ?? [];
      return name === this.#name ? [{ entry, order: `${time} ${number.padStart(4, '0')}` }] : [];
    });
    return dated.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ entry }) => join(this.folder, entry));
  }
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
  (await import('../store/sqlite/writer.ts')).files.refuseUsed(to);
}
