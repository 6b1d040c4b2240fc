import { existsSync } from 'node:fs';
import type { AccessOptions, AccessStore } from './access-store.ts';
import { openSqliteStore } from './sqlite/reader.ts';
import type { Lock, Store, StoreOptions, StoreWriter } from './store.ts';

/** Opens the store at an address for reading. */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  return openSqliteStore(address, options);
}

/** Opens the store at an address for reading; undefined if there is none. */
export async function openStoreIfAny(address: string): Promise<Store | undefined> {
  return existsSync(address) ? openSqliteStore(address, {}) : undefined;
}

/** Opens the store at an address for one import; creates it if it does not exist, as a copy of `copyOf` if given. */
export async function openWriter(address: string, copyOf?: string): Promise<StoreWriter> {
  const { openSqliteWriter } = await import('./sqlite/writer.ts');
  return openSqliteWriter(address, copyOf);
}

/** Opens the access store at an address; creates it if it does not exist. */
export async function openAccess(address: string, options: AccessOptions): Promise<AccessStore> {
  const { openSqliteAccess } = await import('./sqlite/access.ts');
  return openSqliteAccess(address, options);
}

/** Takes the lock of the file at `path`; undefined while another process holds it. */
export async function openLock(path: string): Promise<Lock | undefined> {
  const { takeLock } = await import('./sqlite/lock.ts');
  return takeLock(path);
}
