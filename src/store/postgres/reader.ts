import type { StoreContents } from '../contents.ts';
import type { Store, StoreState, StoreView } from '../store.ts';
import { Database, type Transaction } from './connection.ts';
import { checkFinished } from './draft.ts';
import { checkFormat, hasStore } from './schema.ts';
import { PostgresView } from './view.ts';

/**
 * Opens the store in a database for reading; a user with the right to read its tables needs no other. A copy in the making is
 * refused, but to the one who makes it.
 */
export async function openPostgresStore(address: string, unfinished = false): Promise<Store> {
  const database = await Database.open(address);
  try {
    await database.inTransaction('read', async (transaction) => {
      await checkFormat(transaction, database);
      if (!unfinished) await checkFinished(transaction, database);
    });
    return new PostgresStore(database, address);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the store in a database for reading; undefined if its schema holds none. */
export async function openPostgresStoreIfAny(address: string): Promise<Store | undefined> {
  const database = await Database.open(address);
  try {
    const found = await database.inTransaction('read', async (transaction) => {
      const found = await hasStore(transaction, database.schema);
      if (found) await checkFormat(transaction, database);
      if (found) await checkFinished(transaction, database);
      return found;
    });
    if (found) return new PostgresStore(database, address);
  } catch (error) {
    await database.close();
    throw error;
  }
  await database.close();
  return undefined;
}

class PostgresStore implements Store {
  readonly address: string;
  readonly #database: Database;
  readonly #reads = new Set<Promise<unknown>>();
  #closed = false;
  #newest: StoreState | undefined;

  constructor(database: Database, address: string) {
    this.#database = database;
    this.address = address;
  }

  async read<T>(work: (view: StoreView & StoreContents) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error(`the store ${this.#database.shown} is closed`);
    const reading = this.#read(work);
    this.#reads.add(reading);
    try {
      return await reading;
    } finally {
      this.#reads.delete(reading);
    }
  }

  async #read<T>(work: (view: StoreView & StoreContents) => Promise<T>): Promise<T> {
    const transaction = await this.#database.begin('read');
    const view = new PostgresView(transaction, (of, seriesId) => this.#stateOf(of, seriesId));
    try {
      return await work(view);
    } finally {
      view.end();
      transaction.finish();
    }
  }

  /** Closes the connections once no read needs them. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#reads]);
    await this.#database.close();
  }

  async #stateOf(transaction: Transaction, seriesId: string | undefined): Promise<StoreState> {
    const [whole, own] = await Promise.all([
      transaction.row<{ readonly name: string; readonly revision: number }>(
        'select state as name, revision from asof.store',
      ),
      seriesId === undefined
        ? undefined
        : transaction.row<{ readonly name: string }>(
            'select state as name from asof.series where id = @seriesId and first_vintage is not null',
            { seriesId },
          ),
    ]);
    if (whole === undefined) throw new Error(`the store ${this.#database.shown} has no state`);
    if (own !== undefined) return { ...whole, ...own, sample: false };
    const known = this.#newest;
    if (known?.name === whole.name) return known;
    const state = { ...whole, sample: false };
    this.#newest = state;
    return state;
  }
}
