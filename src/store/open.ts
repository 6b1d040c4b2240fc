import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { Problem } from '../errors/problem.ts';
import type { AccessOptions, AccessStore, Lock } from './access-store.ts';
import { isDatabase, refuseForeign } from './address.ts';
import { ImportsCollide } from './sql/session.ts';
import { openSqliteStore } from './sqlite/reader.ts';
import type { Store, StoreOptions, WholeView } from './store.ts';
import type { StoreDraft, StoreWriter } from './writer.ts';

const files = async () => (await import('./sqlite/writer.ts')).files;
const databases = async () => (await import('./postgres/store.ts')).databases;

/** Opens the store at an address for reading. */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  checkAddress(address);
  if (!isDatabase(address)) return openSqliteStore(address, options);
  return (await databases()).openStore(address);
}

/** The end of the path of an unfinished copy. */
export const unfinishedEnding = '.unfinished';

function checkAddress(address: string): void {
  refuseForeign(address);
  if (isDatabase(address) || !address.endsWith(unfinishedEnding)) return;
  const of = address.slice(0, -unfinishedEnding.length);
  throw new Problem('local-io', `${address} is an unfinished copy to ${of}`, {
    hints: ['run the same `asof store copy` or `asof store backup` again to complete it'],
  });
}

/** Opens the store at an address for reading; undefined if there is no store. */
export async function openStoreIfAny(address: string): Promise<Store | undefined> {
  checkAddress(address);
  if (!isDatabase(address)) return existsSync(address) ? openSqliteStore(address, {}) : undefined;
  return (await databases()).openStoreIfAny(address);
}

/** Opens the store at an address and calls `work` with a view of one state. */
export async function readStore<T>(address: string, work: (view: WholeView) => Promise<T>): Promise<T> {
  return readAndClose(await openStore(address), work);
}

/** Opens the store at an address and calls `work` like `readStore`; undefined if there is no store. */
export async function readStoreIfAny<T>(
  address: string,
  work: (view: WholeView) => Promise<T>,
): Promise<T | undefined> {
  const store = await openStoreIfAny(address);
  return store && readAndClose(store, work);
}

async function readAndClose<T>(store: Store, work: (view: WholeView) => Promise<T>): Promise<T> {
  try {
    return await store.read(work);
  } finally {
    await store.close();
  }
}

/** Opens a store for one import, a new one as a copy of `copyOf`; first takes the `needed` locks. */
export async function openWriter(
  address: string,
  copyOf?: string,
  needed?: ImportsCollide['needed'],
): Promise<StoreWriter> {
  checkAddress(address);
  if (!isDatabase(address)) return (await files()).openWriter(address, copyOf);
  if (copyOf !== undefined)
    throw new Problem('bad-input', 'only a store in a file can begin as a copy of the sample', {
      hints: ['leave out --with-sample'],
    });
  return (await databases()).openWriter(address, needed);
}

/** Makes an empty store, false if one exists; `distribute` spreads the store over the nodes of Citus. */
export async function initStore(address: string, distribute: boolean): Promise<boolean> {
  if (isDatabase(address)) return (await databases()).init(address, distribute);
  if (distribute)
    throw new Problem('bad-input', `${address} is a file: --distribute is for a database with Citus`, {
      hints: ['--store postgres://USER@HOST/DATABASE names a store in PostgreSQL'],
    });
  const writer = await openWriter(address);
  const { created } = writer;
  if (created) await writer.commit();
  else await writer.rollback();
  return created;
}

/** Calls `work` with a writer and rolls back if it fails; retries if another import needs the same series. */
export async function writing<T>(
  address: string,
  work: (writer: StoreWriter) => Promise<T>,
  copyOf?: string,
): Promise<T> {
  let needed: ImportsCollide['needed'] | undefined;
  for (;;) {
    const writer = await openWriter(address, copyOf, needed);
    try {
      return await work(writer);
    } catch (error) {
      await writer.rollback();
      if (!(error instanceof ImportsCollide)) throw error;
      needed = error.needed;
    }
  }
}

/** Begins a draft of a store, or continues one not in use; `replace` allows replacing a file. */
export async function openDraft(address: string, copyOf: string, replace = false): Promise<StoreDraft> {
  if (isDatabase(address)) return (await databases()).openDraft(address, copyOf);
  await checkDraftable(address, replace);
  const { openDraft, publishCopy, refuseUsed } = await files();
  // The store behind a link is replaced, not the link.
  const path = existsSync(address) ? realpathSync(address) : address;
  if (existsSync(path)) refuseUsed(path);
  return openDraft(path + unfinishedEnding, (draft) => publishCopy(draft, path, replace));
}

/** Throws if something exists at an address; `replace` allows a store in a file there. */
export async function checkDraftable(address: string, replace = false): Promise<void> {
  refuseForeign(address);
  if (isDatabase(address)) return (await databases()).checkEmpty(address);
  if (lstatSync(address, { throwIfNoEntry: false }) === undefined) return;
  const found = existsSync(address) ? 'exists already' : 'is a link to a file that does not exist';
  if (!replace || !existsSync(address))
    throw new Problem('bad-input', `${address} ${found}`, {
      hints: ['name a new file', '`asof store merge` adds the facts of one store to another'],
    });
  (await files()).checkReplaceable(address);
}

/** Opens the access store at an address; creates it if it does not exist. */
export async function openAccess(address: string, options: AccessOptions): Promise<AccessStore> {
  refuseForeign(address);
  return isDatabase(address)
    ? (await import('./postgres/access.ts')).openPostgresAccess(address)
    : (await import('./sqlite/access.ts')).openSqliteAccess(address, options);
}

/** Takes the lock of the file at `path`; undefined while another process holds it. */
export async function openLock(path: string): Promise<Lock | undefined> {
  return (await import('./sqlite/access.ts')).takeLock(path);
}
