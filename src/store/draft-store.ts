import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { Problem } from '../errors/problem.ts';
import type { Lock } from './access-store.ts';
import { isDatabase, refuseForeign } from './address.ts';
import type { StoreContents } from './contents.ts';
import { readAndClose, unfinishedEnding } from './open.ts';
import type { StoreView } from './store.ts';
import type { TransactionWriter } from './writer.ts';

/**
 * An unfinished store, which nobody can read before it is published. If its process is killed, the next one continues
 * it.
 */
export interface StoreDraft {
  /** Whether an earlier process wrote a part of it. */
  readonly isBegun: boolean;
  /** Calls `work` in a transaction and commits it. */
  write(work: (writer: TransactionWriter) => Promise<void>): Promise<void>;
  read<T>(work: (view: StoreView & StoreContents) => Promise<T>): Promise<T>;
  /** Makes it the store at its address, in one step. */
  publish(): Promise<void>;
  /** Removes what it holds, so that it can be begun again. */
  discard(): Promise<void>;
  /** Lets another process continue it; must be called at the end, also after a failure. */
  close(): Promise<void>;
}

/**
 * Begins a store at an address, or continues one that was begun there; `replace` allows replacing a file. Only one
 * process at a time can make a store in a file, so that it publishes exactly what it has read again.
 */
export async function openDraft(address: string, copyOf: string, replace = false): Promise<StoreDraft> {
  if (isDatabase(address)) return databaseDraft(address, copyOf);
  await checkDraftable(address, replace);
  const { publishCopy, refuseUsed } = await import('./sqlite/copy.ts');
  // The store behind a link is replaced, not the link.
  const path = existsSync(address) ? realpathSync(address) : address;
  return openFileDraft(path + unfinishedEnding, {
    begin: () => existsSync(path) && refuseUsed(path),
    publish: async (draft) => publishCopy(draft, path, replace),
  });
}

/** Where a draft in a file goes. */
type DraftPlace = {
  /** Refuses, before anything is written, what cannot be published. */
  readonly begin?: () => unknown;
  /** Makes the complete draft a store. */
  readonly publish: (draft: string) => Promise<void>;
};

/** Begins or continues a draft in a file; a Problem while another process has it. */
export async function openFileDraft(draft: string, { begin, publish }: DraftPlace): Promise<StoreDraft> {
  const { lockDraft, removeIfDamaged } = await import('./sqlite/copy.ts');
  const lock = await lockDraft(draft);
  try {
    begin?.();
    if (existsSync(draft)) removeIfDamaged(draft);
    return fileDraft(draft, publish, lock);
  } catch (error) {
    await lock.close();
    throw error;
  }
}

/** Refuses an address at which something exists already; `replace` allows a store in a file there. */
export async function checkDraftable(address: string, replace = false): Promise<void> {
  refuseForeign(address);
  if (isDatabase(address)) return (await import('./postgres/draft.ts')).checkEmpty(address);
  if (lstatSync(address, { throwIfNoEntry: false }) === undefined) return;
  const found = existsSync(address) ? 'exists already' : 'is a link to a file that does not exist';
  if (!replace || !existsSync(address))
    throw new Problem('bad-input', `${address} ${found}`, {
      hints: ['name a new file', '`asof store merge` adds the facts of one store to another'],
    });
  (await import('./sqlite/copy.ts')).checkReplaceable(address);
}

/** A draft in a file of its own. */
function fileDraft(draft: string, publish: DraftPlace['publish'], lock: Lock): StoreDraft {
  return {
    isBegun: existsSync(draft),
    async write(work) {
      const { openSqliteWriter } = await import('./sqlite/writer.ts');
      await ended(await openSqliteWriter(draft), work);
    },
    async read(work) {
      const { openSqliteStore } = await import('./sqlite/reader.ts');
      return readAndClose(await openSqliteStore(draft, {}), work);
    },
    publish: () => publish(draft),
    async discard() {
      (await import('./sqlite/draft.ts')).removeDraft(draft);
    },
    close: () => lock.close(),
  };
}

/** A draft in the store itself, which is marked as unfinished until the end. */
async function databaseDraft(address: string, copyOf: string): Promise<StoreDraft> {
  refuseForeign(address);
  const [{ openPostgresWriter }, { openPostgresStore }, { emptyCopy, finishCopy }] = await Promise.all([
    import('./postgres/writer.ts'),
    import('./postgres/reader.ts'),
    import('./postgres/draft.ts'),
  ]);
  const writer = (isBegun: boolean) => openPostgresWriter(address, 'everything', { of: copyOf, isBegun });
  // The mark comes first, so that an address that cannot take a copy is refused before anything is read.
  await ended(await writer(false), async () => undefined);
  let read: number | undefined;
  return {
    isBegun: true,
    write: async (work) => ended(await writer(true), work),
    read: async (work) =>
      readAndClose(await openPostgresStore(address, true), async (view) => {
        read = (await view.state()).revision;
        return work(view);
      }),
    publish: () => finishCopy(address, copyOf, read),
    discard: () => emptyCopy(address, copyOf),
    close: async () => undefined,
  };
}

async function ended(
  writer: TransactionWriter,
  work: (writer: TransactionWriter) => Promise<void>,
): Promise<void> {
  try {
    await work(writer);
    await writer.commit();
  } catch (error) {
    await writer.rollback();
    throw error;
  }
}
