import { existsSync } from 'node:fs';
import { Problem } from '../errors/problem.ts';
import { isDatabase } from './address.ts';
import type { StoreContents } from './contents.ts';
import { openWriter, readAndClose, readStore } from './open.ts';
import type { StoreView } from './store.ts';
import type { TransactionWriter } from './writer.ts';

/** A store in the making. Nobody reads it before it is published; a process that is killed leaves a part, and the next goes on. */
export interface StoreDraft {
  /** Whether a part of it was made before. */
  readonly isBegun: boolean;
  /** Calls `work` in a transaction and commits it. */
  write(work: (writer: TransactionWriter) => Promise<void>): Promise<void>;
  read<T>(work: (view: StoreView & StoreContents) => Promise<T>): Promise<T>;
  /** Makes it the store at its address, in one step. */
  publish(): Promise<void>;
  /** Removes it; where only the owner of the database can, says how. */
  discard(): Promise<string>;
}

/** Begins a store at an address, or goes on with one that was begun there; `replace` allows a file in its place. */
export async function openDraft(address: string, copyOf: string, replace = false): Promise<StoreDraft> {
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
  const draft = `${path}.unfinished`;
  return {
    isBegun: existsSync(draft),
    write: async (work) => ended(await openWriter(draft), work),
    read: (work) => readStore(draft, work),
    async publish() {
      const { publishCopy } = await import('./sqlite/copy.ts');
      publishCopy(draft, path, replace);
    },
    async discard() {
      (await import('./sqlite/draft.ts')).removeDraft(draft);
      return 'it is removed: copy again';
    },
  };
}

/** The store itself, which is marked until the end. */
async function databaseDraft(address: string, copyOf: string): Promise<StoreDraft> {
  const [{ openPostgresWriter }, { openPostgresStore }, { finishCopy }] = await Promise.all([
    import('./postgres/writer.ts'),
    import('./postgres/reader.ts'),
    import('./postgres/draft.ts'),
  ]);
  // The mark comes first, so that an address that cannot take a copy is refused before anything is read.
  await ended(await openPostgresWriter(address, 'everything', copyOf), async () => undefined);
  return {
    isBegun: true,
    write: async (work) => ended(await openPostgresWriter(address, 'everything', copyOf), work),
    read: async (work) => readAndClose(await openPostgresStore(address, true), work),
    publish: () => finishCopy(address),
    discard: async () => 'drop its schema, and copy again',
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
