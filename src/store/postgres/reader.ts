import { setImmediate as endOfTurn } from 'node:timers/promises';
import { viewIn } from '../sql/parts.ts';
import type { Values } from '../sql/session.ts';
import type { Store, StoreState, StoreView, WholeView } from '../store.ts';
import { Database, Transaction } from './connection.ts';
import { engineOf } from './engine.ts';
import { checkFinished, checkFormat, hasCitus, hasTable, isDistributed } from './schema.ts';

/**
 * Opens the store in a database for reading, which needs only the right to read its tables. Refuses an unfinished copy
 * unless `unfinished` is true, as the process that makes the copy sets it.
 */
export async function openPostgresStore(address: string, unfinished = false): Promise<Store> {
  const database = await Database.open(address);
  return database.opened('read', (transaction) => openedStore(transaction, database, address, unfinished));
}

/** Opens the store in a database for reading; undefined if its schema holds no store. */
export async function openPostgresStoreIfAny(address: string): Promise<Store | undefined> {
  const database = await Database.open(address);
  return database.opened('read', async (transaction) => {
    if (!(await hasTable(transaction, database.schema))) return undefined;
    return openedStore(transaction, database, address, false);
  });
}

async function openedStore(
  transaction: Transaction,
  database: Database,
  address: string,
  unfinished: boolean,
): Promise<Store> {
  await checkFormat(transaction, database);
  const [distributed] = await Promise.all([
    isDistributed(transaction),
    unfinished ? undefined : checkFinished(transaction, database),
  ]);
  return new PostgresStore(database, address, distributed);
}

class PostgresStore implements Store {
  readonly address: string;
  readonly #database: Database;
  readonly #reads = new Set<Promise<unknown>>();
  #distributed: boolean;
  #closed = false;
  #newest: StoreState | undefined;

  constructor(database: Database, address: string, distributed: boolean) {
    this.#database = database;
    this.address = address;
    this.#distributed = distributed;
  }

  read<T>(work: (view: WholeView) => Promise<T>): Promise<T> {
    return this.#whileOpen(() => this.#read(work));
  }

  readTogether<T>(work: (view: StoreView) => Promise<T>): Promise<T> {
    return this.#whileOpen(async () => {
      if (!this.#distributed) {
        const { result, citus } = await this.#read(async (view, transaction) => {
          const [citus, [result]] = await Promise.all([
            hasCitus(transaction),
            Promise.allSettled([work(view)]),
          ]);
          return { citus, result };
        }, TransactionTogether);
        // An operator can distribute a store while it is open; it then refuses these statements, or is slow.
        this.#distributed = citus && (await this.#database.inTransaction('read', isDistributed));
        if (!this.#distributed) {
          if (result.status === 'rejected') throw result.reason;
          return result.value;
        }
      }
      // On Citus, the node of a series answers a statement about that series alone.
      return this.#read(work);
    });
  }

  async #whileOpen<T>(read: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error(`the store ${this.#database.shown} is closed`);
    const reading = read();
    this.#reads.add(reading);
    try {
      return await reading;
    } finally {
      this.#reads.delete(reading);
    }
  }

  async #read<T>(
    work: (view: WholeView, transaction: Transaction) => Promise<T>,
    kind = Transaction,
  ): Promise<T> {
    const transaction = await this.#database.begin('read', kind);
    try {
      return await work(this.#viewOf(transaction), transaction);
    } finally {
      transaction.finish();
    }
  }

  #viewOf(transaction: Transaction): WholeView {
    const states = new Map<string | undefined, Promise<StoreState>>();
    return {
      state: (seriesId) => {
        const known = states.get(seriesId) ?? this.#stateOf(transaction, seriesId);
        states.set(seriesId, known);
        return known;
      },
      ...viewIn(transaction, engineOf(transaction)),
    };
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

/** The rows of a statement by the id that they are about. */
type RowsByIds = ReadonlyMap<string, readonly object[]>;

/**
 * A transaction that joins the statements of one turn of the event loop that differ only in `@id` into one, which the
 * server runs for each id. This saves most of the time if there are many series with few rows each.
 */
class TransactionTogether extends Transaction {
  readonly #waiting = new Map<string, { readonly ids: string[]; readonly found: Promise<RowsByIds> }>();

  override async rows<Row extends object>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    const { id, ...others } = values;
    if (typeof id !== 'string') return super.rows(sql, values);
    const key = JSON.stringify([sql, others]);
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) waiting.ids.push(id);
    const { found } = waiting ?? this.#wait(key, id, sql, others);
    return ((await found).get(id) ?? []) as readonly Row[];
  }

  #wait(key: string, id: string, sql: string, others: Values) {
    const ids = [id];
    const found = endOfTurn().then(() => {
      this.#waiting.delete(key);
      return this.#rowsOfEach(sql, others, ids);
    });
    const waiting = { ids, found };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  /** The rows of a statement for each of several ids; each id's rows have the statement's order. */
  async #rowsOfEach(sql: string, others: Values, asked: readonly string[]): Promise<RowsByIds> {
    const ids = [...new Set(asked)];
    const [only] = ids;
    if (only !== undefined && ids.length === 1)
      return new Map([[only, await super.rows(sql, { ...others, id: only })]]);
    const rows = await super.rows<{ readonly asked: number }>(
      `select asked, one.* from unnest(@ids::text[]) with ordinality as each(id, asked)
       cross join lateral (${sql.replaceAll(/@id\b/g, 'each.id')}) as one`,
      { ...others, ids },
    );
    const found = ids.map((id) => [id, [] as object[]] as const);
    for (const { asked, ...row } of rows) found[asked - 1]?.[1].push(row);
    return new Map(found);
  }
}
