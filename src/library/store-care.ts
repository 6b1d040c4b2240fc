import type { CheckOptions } from '../maintenance/check.ts';
import type { BackupOptions, CopyOptions, RestoreOptions } from '../maintenance/copy.ts';
import type { StoreMergeOptions } from '../maintenance/merge.ts';
import type { SeriesChangeOptions } from '../maintenance/series.ts';
import type { UndoOptions } from '../maintenance/undo.ts';
import { abortSignal, callable, flag, integer, seriesId, word } from '../operations/value.ts';
import type { Kinds, Signature } from './call.ts';
import type { Session } from './session.ts';

type CareSource = {
  /** Returns the address; throws a Problem if a service answers. */
  readonly address: () => string;
  /** Returns the address for a change; throws for the sample, which is read-only. */
  readonly written: () => Promise<string>;
  /** Closes the store's files until the next call. */
  readonly rest: () => Promise<void>;
  readonly session: Session;
};

const stopping = { signal: abortSignal, onProgress: callable };
const checkKinds = { ...stopping, onFault: callable } satisfies Kinds<CheckOptions>;
const restoreKinds = { ...stopping, dryRun: flag } satisfies Kinds<RestoreOptions>;
const copyKinds = { ...restoreKinds, replace: flag } satisfies Kinds<CopyOptions>;
const backupKinds = { ...copyKinds, keep: integer(1), clock: callable } satisfies Kinds<BackupOptions>;
const changeKinds = { dryRun: flag } satisfies Kinds<SeriesChangeOptions>;
const undoKinds = { number: integer(1), dryRun: flag, signal: abortSignal } satisfies Kinds<UndoOptions>;
const mergeKinds = {
  ...{ merge: flag, replace: flag, dryRun: flag },
  ...{ clock: callable, signal: abortSignal, onProgress: callable },
} satisfies Kinds<StoreMergeOptions>;

const named = (name: string) => [{ name, kind: word }];

const copies = () => import('../maintenance/copy.ts');
const series = () => import('../maintenance/series.ts');

/** Returns the methods for maintenance of a store. */
export function storeCare({ address, written, rest, session }: CareSource) {
  const { stoppable } = session;
  const method = <A extends unknown[], T>(
    name: string,
    args: Signature['args'],
    kinds: NonNullable<Signature['params']>['kinds'] | undefined,
    work: (...asked: A) => Promise<T>,
  ) =>
    session.guarded(
      { name: `store.${name}`, args, ...(kinds !== undefined && { params: { noun: 'option', kinds } }) },
      work,
    );
  return {
    /** Returns the contents of the store, its size and its format. */
    info: method('info', [], undefined, async () => {
      const { storeInfo } = await import('../maintenance/info.ts');
      return storeInfo(address());
    }),

    /** Returns the log: every file of every import, oldest first, with the numbers that undo() takes. */
    imports: method('imports', [], undefined, async () => {
      const { importLog } = await import('../import/import.ts');
      return importLog(address());
    }),

    /** Reads everything, and computes derived data again; without damage there are no faults. */
    check: method('check', [], checkKinds, async (options: CheckOptions = {}) => {
      const { checkStore } = await import('../maintenance/check.ts');
      return checkStore(address(), stoppable(options));
    }),

    /**
     * Writes the store into a file, which appears after it was read again and compared.
     * With `keep`, writes a new dated file, and keeps only the newest ones.
     */
    backup: method('backup', named('file'), backupKinds, async (file: string, options: BackupOptions = {}) =>
      (await copies()).backupStore(address(), file, stoppable(options)),
    ),

    /** Replaces the store with an undamaged backup in one step, while no other process has the store open. */
    restore: method(
      'restore',
      named('file'),
      restoreKinds,
      async (file: string, options: RestoreOptions = {}) => {
        const into = await written();
        const { restoreStore } = await copies();
        await rest();
        return restoreStore(file, into, stoppable(options));
      },
    ),

    /** Copies everything into a new store, of the same kind or the other. */
    copyTo: method('copyTo', named('address'), copyKinds, async (into: string, options: CopyOptions = {}) =>
      (await copies()).copyStore(address(), into, stoppable(options)),
    ),

    /** Adds everything from another store in one transaction; throws an ImportRefusal that lists contradictions. */
    merge: method(
      'merge',
      named('from'),
      mergeKinds,
      async (from: string, options: StoreMergeOptions = {}) => {
        const { mergeStore } = await import('../maintenance/merge.ts');
        return mergeStore(from, await written(), stoppable(options));
      },
    ),

    /** Undoes an import. Default: the last one. */
    undo: method('undo', [], undoKinds, async (options: UndoOptions = {}) => {
      const { undoStoreImport } = await import('../maintenance/undo.ts');
      return undoStoreImport(await written(), stoppable(options));
    }),

    /** Gives a series another id; refused if a series has it, or if the store follows the series. */
    renameSeries: method(
      'renameSeries',
      [
        { name: 'id', kind: seriesId },
        { name: 'to', kind: seriesId },
      ],
      changeKinds,
      async (id: string, to: string, options: SeriesChangeOptions = {}) =>
        (await series()).renameSeries(await written(), id, to, options),
    ),

    /** Removes a series with all its data; refused if the store follows the series. */
    removeSeries: method(
      'removeSeries',
      [{ name: 'id', kind: seriesId }],
      changeKinds,
      async (id: string, options: SeriesChangeOptions = {}) =>
        (await series()).removeSeries(await written(), id, options),
    ),
  };
}
