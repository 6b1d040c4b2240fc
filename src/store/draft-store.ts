import { existsSync } from 'node:fs';
import { Problem } from '../errors/problem.ts';
import { isDatabase, refuseForeign } from './address.ts';
import type { StoreContents } from './contents.ts';
import { readAndClose, unfinishedEnding } from './open.ts';
import type { StoreView } from './store.ts';
import type { TransactionWriter } from './writer.ts';

/**
 * A store in the making, which nobody reads before it is published. A killed process leaves a part, which the next
 * one continues.
 */
export interface StoreDraft {
  /** Whether an earlier process made a part of it. */
  readonly isBegun: boolean;
  /** Calls `work` in a transaction and commits it. */
  write(work: (writer: TransactionWriter) => Promise<void>): Promise<void>;
  read<T>(work: (view: StoreView & StoreContents) => Promise<T>): Promise<T>;
  /** Makes it the store at its address, in one step. */
  publish(): Promise<void>;
  /** Removes what it holds, so that it can be begun again. */
  discard(): Promise<void>;
}

/** Begins a store at an address, or continues one that was begun there; `replace` allows replacing a file. */
export async function openDraft(address: string, copyOf: string, replace = false): Promise<StoreDraft> {
  refuseForeign(address);
  if (isDatabase(address)) return databaseDraft(address, copyOf);
  if (replace && existsSync(address)) (await import('./sqlite/copy.ts')).checkReplaceable(address);
  return fileDraft(address, replace);
}

/** A file beside the path, which is renamed at the end. */
function fileDraft(path: string, replace: boolean): StoreDraft {
  if (existsSync(path) && !replace)
    throw new Problem('bad-input', `${path} exists already`, {
      hints: ['name a new file', '`asof store merge` adds the facts of one store to another'],
    });
  const draft = path + unfinishedEnding;
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
    async publish() {
      const { publishCopy } = await import('./sqlite/copy.ts');
      publishCopy(draft, path, replace);
    },
    async discard() {
      (await import('./sqlite/draft.ts')).removeDraft(draft);
    },
  };
}

/** The store itself, marked as unfinished until the end. */
async function databaseDraft(address: string, copyOf: string): Promise<StoreDraft> {
  const [{ openPostgresWriter }, { openPostgresStore }, { emptyCopy, finishCopy }] = await Promise.all([
    import('./postgres/writer.ts'),
    import('./postgres/reader.ts'),
    import('./postgres/draft.ts'),
  ]);
  const writer = (isBegun: boolean) => openPostgresWriter(address, 'everything', { of: copyOf, isBegun });
  // The mark comes first, so that an address that cannot take a copy is refused before anything is read.
  await ended(await writer(false), async () => undefined);
  return {
    isBegun: true,
    write: async (work) => ended(await writer(true), work),
    read: async (work) => readAndClose(await openPostgresStore(address, true), work),
    publish: () => finishCopy(address, copyOf),
    discard: () => emptyCopy(address, copyOf),
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
