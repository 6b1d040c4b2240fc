import type { AccessOptions, AccessStore } from './access-store.ts';
import type { Lock } from './lock.ts';
import type { Store, StoreWriter } from './store.ts';

/** Opens the store at `path` for reading, with the engine that its address names; `live` refuses one whose later imports would not be seen. */
export async function openStore(path: string, live?: boolean): Promise<Store> {
  const { openSqliteStore } = await import('./sqlite/reader.ts');
  return openSqliteStore(path, live);
}

/** Opens the store at `path` for one import; makes it where there is none, as a copy of `copyOf` if given. */
export async function openWriter(path: string, copyOf?: string): Promise<StoreWriter> {
  const { openSqliteWriter } = await import('./sqlite/writer.ts');
  return openSqliteWriter(path, copyOf);
}

/** Opens the keys and their usage at `path`; makes them where there are none. */
export async function openAccess(path: string, options: AccessOptions): Promise<AccessStore> {
  const { openSqliteAccess } = await import('./sqlite/access.ts');
  return openSqliteAccess(path, options);
}

/** Takes the lock of the file at `path`; undefined where another process has it. */
export async function openLock(path: string): Promise<Lock | undefined> {
  const { takeLock } = await import('./sqlite/lock.ts');
  return takeLock(path);
}
