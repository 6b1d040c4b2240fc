import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { isShippedSample } from '../platform/installation.ts';
import type { AccessOptions, AccessStore, Lock } from './access-store.ts';
import { isDatabase, locatedAt, sampleName } from './address.ts';
import type { InitResult, OpenedCopy, StoreEngine, WriteTransaction } from './sql/parts.ts';
import { ImportsCollide } from './sql/session.ts';
import { openSqliteStore } from './sqlite/reader.ts';
import type { Store, StoreOptions, WholeView } from './store.ts';
import type { StoreWriter } from './writer.ts';

const databases = async () => (await import('./postgres/store.ts')).databases;

/** Opens the store at an address for reading. */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  const place = locatedAt(address);
  if (!isDatabase(place)) return openSqliteStore(place, options);
  return (await databases()).openStore(place, options);
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
  const place = locatedAt(address);
  const store = isDatabase(place)
    ? await (await databases()).openStoreIfAny(place)
    : existsSync(place) && (await openSqliteStore(place, {}));
  return store ? readAndClose(store, work) : undefined;
}

async function readAndClose<T>(store: Store, work: (view: WholeView) => Promise<T>): Promise<T> {
  try {
    return await store.read(work);
  } finally {
    await store.close();
  }
}

/** Returns the engine that writes to an address; throws for the sample, which is read-only. */
async function engineAt(address: string): Promise<StoreEngine> {
  const place = locatedAt(address);
  if (isDatabase(place)) return databases();
  if (isShippedSample(place))
    throw new Problem('bad-input', 'the sample that asof ships is read-only', {
      hints: [`\`asof store copy ${sampleName} FILE\` makes a store of your own from it`],
    });
  return (await import('./sqlite/writer.ts')).files;
}

/** Opens a store for one import, a new one as a copy of `copyOf`; first takes the `needed` locks. */
export async function openWriter(
  address: string,
  copyOf?: string,
  needed?: ImportsCollide['needed'],
): Promise<StoreWriter> {
  // Loaded here: a query writes nothing.
  const { StoreWriter } = await import('./writer.ts');
  return new StoreWriter(await (await engineAt(address)).openTransaction(address, copyOf, needed));
}

/** Makes an empty store, or brings an older one up to date; `distribute` spreads it over the nodes of Citus. */
export async function initStore(address: string, distribute: boolean): Promise<InitResult> {
  return (await engineAt(address)).init(address, distribute);
}

/** Begins a copy at a free address, which nobody can read before it commits. */
export async function openCopy(address: string, options: OpenedCopy): Promise<WriteTransaction> {
  return (await engineAt(address)).openCopy(address, options);
}

/** Throws if something exists at an address; `replace` allows a store in a file there. */
export async function checkFree(address: string, replace = false): Promise<void> {
  await (await engineAt(address)).checkFree(address, replace);
}

/** An import that knows its locks succeeds; only a fault of the server repeats collisions. */
const mostCollisions = 10;

/** Calls `work` with a writer and rolls back if it fails; retries if another import needs the same series. */
export async function writing<T>(
  address: string,
  work: (writer: StoreWriter) => Promise<T>,
  copyOf?: string,
): Promise<T> {
  let needed: ImportsCollide['needed'] | undefined;
  for (let collisions = 1; ; collisions += 1) {
    const writer = await openWriter(address, copyOf, needed);
    try {
      return await work(writer);
    } catch (error) {
      await writer.rollback();
      if (!(error instanceof ImportsCollide)) throw error;
      if (collisions === mostCollisions) throw error.cause ?? error;
      needed = error.needed;
    }
  }
}

/** Opens the access store at an address; creates it if it does not exist. */
export async function openAccess(address: string, options: AccessOptions): Promise<AccessStore> {
  locatedAt(address);
  return isDatabase(address)
    ? (await import('./postgres/access.ts')).openPostgresAccess(address)
    : (await import('./sqlite/access.ts')).openSqliteAccess(address, options);
}

/**
 * Takes the lock of the file at `path`; undefined while another process holds it.
 * Tries again every `step` milliseconds, `total` milliseconds in all.
 */
export async function openLock(
  path: string,
  { total, step } = { total: 0, step: 1 },
  signal?: AbortSignal,
): Promise<Lock | undefined> {
  const { takeLock } = await import('./sqlite/access.ts');
  for (let waited = 0; ; waited += step) {
    const lock = await takeLock(path);
    if (lock !== undefined || waited >= total) return lock;
    await delay(step, undefined, signal && { signal });
  }
}
