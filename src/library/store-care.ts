import type { ImportResult } from '../import/import.ts';
import type { CheckOptions, CheckSummary } from '../maintenance/check.ts';
import type {
  BackupOptions,
  BackupSummary,
  CopyOptions,
  CopySummary,
  RestoreOptions,
} from '../maintenance/copy.ts';
import type { StoreInfo } from '../maintenance/info.ts';
import type { StoreMergeOptions } from '../maintenance/merge.ts';
import type { ChangedSeries, SeriesChangeOptions } from '../maintenance/series.ts';
import type { UndoneImport, UndoOptions } from '../maintenance/undo.ts';
import { abortSignal, callable, flag, integer, seriesId, word } from '../operations/value.ts';
import type { LoggedImport } from '../store/store.ts';
import type { Kinds } from './arguments.ts';
import type { DeclaredMethods, Session } from './session.ts';

/** The store to care for, and what all calls of an opened asof share. */
type CareSource = {
  /** Its address; a Problem if a service answers. */
  readonly address: () => string;
  /** The same for a change; the sample is read-only. */
  readonly written: () => Promise<string>;
  /** Closes its files until the next call. */
  readonly rest: () => Promise<void>;
  readonly session: Session;
  readonly signal: AbortSignal;
};

/** The care of a store: `asof.store`. */
export class StoreCare {
  readonly #source: CareSource;

  constructor(source: CareSource) {
    this.#source = source;
    source.session.guardAll(this, methods, 'store.');
  }

  /** What the store holds, its size and its format. */
  async info(): Promise<StoreInfo> {
    const { storeInfo } = await import('../maintenance/info.ts');
    return storeInfo(this.#source.address());
  }

  /** The log: every file of every import, oldest first, with the number by which undo() takes the import back. */
  async imports(): Promise<readonly LoggedImport[]> {
    const { importLog } = await import('../import/import.ts');
    return importLog(this.#source.address());
  }

  /** Reads everything, and computes again what the store derives; without damage there are no faults. */
  async check(options: CheckOptions = {}): Promise<CheckSummary> {
    const { checkStore } = await import('../maintenance/check.ts');
    return checkStore(this.#source.address(), this.#stoppable(options));
  }

  /**
   * Writes the store into a file, which appears when it is complete and was read again and compared; with `keep` into a new
   * dated file, of which the newest are kept.
   */
  async backup(file: string, options: BackupOptions = {}): Promise<BackupSummary> {
    const { backupStore } = await import('../maintenance/copy.ts');
    return backupStore(this.#source.address(), file, this.#stoppable(options));
  }

  /** Puts a backup in the place of the store in one step, if nothing else has it open and the backup is not damaged. */
  async restore(file: string, options: RestoreOptions = {}): Promise<CopySummary> {
    const address = await this.#source.written();
    const { restoreStore } = await import('../maintenance/copy.ts');
    await this.#source.rest();
    return restoreStore(file, address, this.#stoppable(options));
  }

  /** Copies everything into a new store, of the same kind or the other; continues a copy that was stopped. */
  async copyTo(address: string, options: CopyOptions = {}): Promise<CopySummary> {
    const { copyStore } = await import('../maintenance/copy.ts');
    return copyStore(this.#source.address(), address, this.#stoppable(options));
  }

  /**
   * Adds everything that another store holds, in one transaction, like an import: an ImportRefusal lists
   * contradictions.
   */
  async merge(from: string, options: StoreMergeOptions = {}): Promise<ImportResult> {
    const { mergeStore } = await import('../maintenance/merge.ts');
    return mergeStore(from, await this.#source.written(), this.#stoppable(options));
  }

  /** Takes an import back, by default the last one, as if it had never been made. */
  async undo(options: UndoOptions = {}): Promise<UndoneImport> {
    const { undoStoreImport } = await import('../maintenance/undo.ts');
    return undoStoreImport(await this.#source.written(), this.#stoppable(options));
  }

  /** Gives a series another id; refused if a series has it, or if the store follows the series. */
  async renameSeries(id: string, to: string, options: SeriesChangeOptions = {}): Promise<ChangedSeries> {
    const { renameSeries } = await import('../maintenance/series.ts');
    return renameSeries(await this.#source.written(), id, to, options);
  }

  /** Removes a series with everything that the store keeps of it; refused if the store follows it. */
  async removeSeries(id: string, options: SeriesChangeOptions = {}): Promise<ChangedSeries> {
    const { removeSeries } = await import('../maintenance/series.ts');
    return removeSeries(await this.#source.written(), id, options);
  }

  #stoppable<T extends { readonly signal?: AbortSignal | undefined }>(options: T): T {
    const { signal } = this.#source;
    return {
      ...options,
      signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
    };
  }
}

const restoreKinds = {
  dryRun: flag,
  signal: abortSignal,
  onProgress: callable,
  rowsAtOnce: integer(1),
} satisfies Kinds<RestoreOptions>;

const copyKinds = { ...restoreKinds, replace: flag } satisfies Kinds<CopyOptions>;

const changeKinds = { dryRun: flag } satisfies Kinds<SeriesChangeOptions>;

const options = { noun: 'option' } as const;

const { prototype } = StoreCare;

const methods: DeclaredMethods<StoreCare, keyof StoreCare> = {
  info: { method: prototype.info, args: [] },
  imports: { method: prototype.imports, args: [] },
  check: {
    method: prototype.check,
    args: [],
    params: {
      ...options,
      kinds: { signal: abortSignal, onFault: callable, onProgress: callable } satisfies Kinds<CheckOptions>,
    },
  },
  backup: {
    method: prototype.backup,
    args: [{ name: 'file', kind: word }],
    params: {
      ...options,
      kinds: { ...copyKinds, keep: integer(1), clock: callable } satisfies Kinds<BackupOptions>,
    },
  },
  restore: {
    method: prototype.restore,
    args: [{ name: 'file', kind: word }],
    params: { ...options, kinds: restoreKinds },
  },
  merge: {
    method: prototype.merge,
    args: [{ name: 'from', kind: word }],
    params: {
      ...options,
      kinds: {
        merge: flag,
        replace: flag,
        dryRun: flag,
        clock: callable,
        signal: abortSignal,
        onProgress: callable,
      } satisfies Kinds<StoreMergeOptions>,
    },
  },
  undo: {
    method: prototype.undo,
    args: [],
    params: {
      ...options,
      kinds: { number: integer(1), dryRun: flag, signal: abortSignal } satisfies Kinds<UndoOptions>,
    },
  },
  renameSeries: {
    method: prototype.renameSeries,
    args: [
      { name: 'id', kind: seriesId },
      { name: 'to', kind: seriesId },
    ],
    params: { ...options, kinds: changeKinds },
  },
  removeSeries: {
    method: prototype.removeSeries,
    args: [{ name: 'id', kind: seriesId }],
    params: { ...options, kinds: changeKinds },
  },
  copyTo: {
    method: prototype.copyTo,
    args: [{ name: 'address', kind: word }],
    params: { ...options, kinds: copyKinds },
  },
};
