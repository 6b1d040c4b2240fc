import type { CheckOptions } from '../maintenance/check.ts';
import type { BackupOptions, CopyOptions, RestoreOptions } from '../maintenance/copy.ts';
import type { StoreMergeOptions } from '../maintenance/merge.ts';
import type { SeriesChangeOptions } from '../maintenance/series.ts';
import type { UndoOptions } from '../maintenance/undo.ts';
import { abortSignal, callable, flag, integer, seriesId, word } from '../operations/value.ts';
import type { Kinds, Signature } from './call.ts';
import type { Session } from './session.ts';

type CareSource = {
  /** Its address; a Problem if a service answers. */
  readonly address: () => string;
  /** The same for a change; the sample is read-only. */
  readonly written: () => Promise<string>;
  /** Closes its files until the next call. */
  readonly rest: () => Promise<void>;
  readonly session: Session;
};

const stopping = { signal: abortSignal, onProgress: callable };
const checkKinds = { ...stopping, onFault: callable } satisfies Kinds<CheckOptions>;
const restoreKinds = { ...stopping, dryRun: flag, rowsAtOnce: integer(1) } satisfies Kinds<RestoreOptions>;
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

/** Returns the methods that care for a store. */
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
    /** What the store holds, its size and its format. */
    info: method('info', [], undefined, async () => {
      const { storeInfo } = await import('../maintenance/info.ts');
      return storeInfo(address());
    }),

    /** The log: every file of every import, oldest first, with the number by which undo() takes the import back. */
    imports: method('imports', [], undefined, async () => {
      const { importLog } = await import('../import/import.ts');
      return importLog(address());
    }),

    /** Reads everything, and computes again what the store derives; without damage there are no faults. */
    check: method('check', [], checkKinds, async (options: CheckOptions = {}) => {
      const { checkStore } = await import('../maintenance/check.ts');
      return checkStore(address(), stoppable(options));
    }),

    /**
     * Writes the store into a file, which appears when it is complete and was read again and compared; with `keep` into a new
     * dated file, of which the newest are kept.
     */
    backup: method('backup', named('file'), backupKinds, async (file: string, options: BackupOptions = {}) =>
      (await copies()).backupStore(address(), file, stoppable(options)),
    ),

    /** Puts a backup in the place of the store in one step, if nothing else has it open and the backup is not damaged. */
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

    /** Copies everything into a new store, of the same kind or the other; continues a copy that was stopped. */
    copyTo: method('copyTo', named('address'), copyKinds, async (into: string, options: CopyOptions = {}) =>
      (await copies()).copyStore(address(), into, stoppable(options)),
    ),

    /**
     * Adds everything that another store holds, in one transaction, like an import: an ImportRefusal lists
     * contradictions.
     */
    merge: method(
      'merge',
      named('from'),
      mergeKinds,
      async (from: string, options: StoreMergeOptions = {}) => {
        const { mergeStore } = await import('../maintenance/merge.ts');
        return mergeStore(from, await written(), stoppable(options));
      },
    ),

    /** Takes an import back, by default the last one, as if it had never been made. */
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

    /** Removes a series with everything that the store keeps of it; refused if the store follows it. */
    removeSeries: method(
      'removeSeries',
      [{ name: 'id', kind: seriesId }],
      changeKinds,
      async (id: string, options: SeriesChangeOptions = {}) =>
        (await series()).removeSeries(await written(), id, options),
    ),
  };
}
