import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../errors/problem.ts';
import { Gathering } from '../../platform/promises.ts';
import { partsIn, type StoreEngine, type WriteTransaction } from '../sql/parts.ts';
import type { ImportsCollide, Values } from '../sql/session.ts';
import type { Store, StoreOptions, StoreState, StoreView, WholeView } from '../store.ts';
import { Database, Transaction } from './connection.ts';
import { engineOf } from './engine.ts';
import { lists } from './lists.ts';
import { ImportLocks } from './locks.ts';
import { Nodes } from './nodes.ts';
import type { SeriesInState } from './pages.ts';
import { checkFormat, distributeStore, hasTable, prepareStore } from './schema.ts';
import { type Shard, shardsOfSeries } from './shards.ts';

/** The stores in databases. */
export const databases: StoreEngine & {
  openStore(address: string, options: StoreOptions): Promise<Store>;
  openStoreIfAny(address: string): Promise<Store | undefined>;
} = {
  async openStore(address, { statementSeconds }) {
    const database = await Database.open(address, undefined, statementSeconds);
    return database.opened('read', (transaction) => openedStore(transaction, address));
  },
  async openStoreIfAny(address) {
    const database = await Database.open(address);
    return database.opened('read', async (transaction) =>
      (await hasTable(transaction)) ? openedStore(transaction, address) : undefined,
    );
  },
  async openTransaction(address, copyOf, needed) {
    if (copyOf !== undefined)
      throw new Problem('bad-input', 'only a store in a file can begin as a copy of the sample', {
        hints: ['leave out --with-sample'],
      });
    return beginWriting(address, needed);
  },
  openCopy: (address) => beginWriting(address, 'everything', refuseContent),
  checkFree: (address) =>
    Database.once(address, 'read', async (transaction) => {
      if (await hasTable(transaction)) await refuseContent(transaction);
    }),
  init: (address, distribute) => Database.once(address, 'write', distribute ? distributeStore : prepareStore),
};

async function openedStore(transaction: Transaction, address: string): Promise<Store> {
  await checkFormat(transaction);
  const [distributed] = await Promise.all([transaction.isDistributed(), checkFinished(transaction)]);
  const shards = distributed ? await shardsOfSeries(transaction) : undefined;
  return new PostgresStore(transaction.database, address, shards);
}

/** Some series of each of 32 shards: a statement costs a node a millisecond, and a page of rows 100 kilobytes here. */
const seriesOfShards = 128;

class PostgresStore implements Store {
  readonly address: string;
  readonly #database: Database;
  readonly #reads = new Set<Promise<unknown>>();
  /** Undefined for a store that is not distributed. */
  readonly #nodes: Nodes | undefined;
  readonly answering?: () => Promise<number>;
  readonly seriesTogether?: number;
  readonly #known = new Map<string, SeriesInState>();
  #closed = false;
  #newest: StoreState | undefined;

  constructor(database: Database, address: string, shards: readonly Shard[] | undefined) {
    this.#database = database;
    this.address = address;
    if (shards === undefined) return;
    const nodes = new Nodes(database, shards);
    this.#nodes = nodes;
    this.answering = () => this.#whileOpen(() => nodes.answering());
    this.seriesTogether = seriesOfShards;
  }

  read<T>(work: (view: WholeView) => Promise<T>, seriesId?: string): Promise<T> {
    const nodes = this.#nodes;
    const isShort = seriesId !== undefined && this.#database.readsAlone;
    const read = () => this.#read(work, isShort ? OneStatement : Transaction);
    return this.#whileOpen(
      nodes === undefined || seriesId === undefined ? read : () => nodes.reading(seriesId, read),
    );
  }

  readTogether<T>(work: (view: StoreView) => Promise<T>): Promise<T> {
    const kind = this.#nodes === undefined ? TransactionTogether : TransactionByShard;
    return this.#whileOpen(() => this.#read(work, kind));
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

  async #read<T>(work: (view: WholeView) => Promise<T>, kind = Transaction): Promise<T> {
    const transaction = await this.#database.begin('read', kind);
    try {
      const answer = await work(this.#viewOf(transaction));
      if (transaction.isFromOneState) return answer;
    } catch (error) {
      if (transaction.isFromOneState) throw error;
    } finally {
      transaction.end('commit');
    }
    return this.#read(work);
  }

  #viewOf(transaction: Transaction): WholeView {
    const states = new Map<string | undefined, Promise<StoreState>>();
    return {
      state: (seriesId) => {
        const known = states.get(seriesId) ?? this.#stateOf(transaction, seriesId);
        states.set(seriesId, known);
        return known;
      },
      ...partsIn(transaction, engineOf(transaction, this.#known)),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#reads]);
    await this.#database.close();
  }

  async #stateOf(transaction: Transaction, seriesId: string | undefined): Promise<StoreState> {
    if (seriesId !== undefined) {
      const own = await transaction.row<{ readonly name: string; readonly revision: number }>(
        `select state as name, version as revision from asof.series
         where id = @seriesId and first_vintage is not null`,
        { seriesId },
      );
      if (own !== undefined) return { ...own, sample: false };
    }
    const whole = await transaction.row<{ readonly name: string; readonly revision: number }>(
      'select state as name, revision from asof.store',
    );
    if (whole === undefined) throw new Error(`the store ${this.#database.shown} has no state`);
    const known = this.#newest;
    if (known?.name === whole.name) return known;
    const state = { ...whole, sample: false };
    this.#newest = state;
    return state;
  }
}

/** A read of one series, which needs no transaction for one page; any other statement, or several, begin one. */
class OneStatement extends Transaction {
  #count = 0;
  #needsNone = true;
  #moment: Promise<void> | undefined;
  #isLate = false;

  /** False if a statement came after the first was sent alone, or if dates need a transaction: the read starts again. */
  override get isFromOneState(): boolean {
    return super.isFromOneState && !this.#isLate && (this.begins || this.database.readsAlone);
  }

  override async rows<Row extends object>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    await this.#decided(false);
    return super.rows(sql, values);
  }

  override async rowAlone<Row extends object>(sql: string, values: Values): Promise<Row | undefined> {
    await this.#decided(true);
    return this.namedRow<Row>(sql, values);
  }

  override async run(sql: string, values: Values = {}): Promise<number> {
    await this.#decided(false);
    return super.run(sql, values);
  }

  async #decided(needsNone: boolean): Promise<void> {
    if (!this.begins) {
      this.#isLate = true;
      throw new Error('one statement does not suffice');
    }
    this.#count += 1;
    this.#needsNone &&= needsNone;
    this.#moment ??= new Promise((resolve) => {
      setImmediate(() => {
        this.begins = this.#count > 1 || !this.#needsNone;
        resolve();
      });
    });
    await this.#moment;
  }
}

/** A transaction that joins statements that differ only in `@id`, to save time. */
class TransactionTogether extends Transaction {
  readonly #ids = new Map<string, string[]>();
  readonly #gathering = new Gathering<ReadonlyMap<string, readonly object[]>>();

  override rowAlone<Row extends object>(sql: string, values: Values): Promise<Row | undefined> {
    return this.row<Row>(sql, values);
  }

  override async rows<Row extends object>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    const { id, ...others } = values;
    if (typeof id !== 'string') return super.rows(sql, values);
    const key = JSON.stringify([sql, others]);
    const ids = this.#ids.get(key) ?? [];
    ids.push(id);
    this.#ids.set(key, ids);
    const { outcome } = this.#gathering.join(key, () => {
      this.#ids.delete(key);
      return this.#rowsOfEach(sql, others, ids);
    });
    return ((await outcome).get(id) ?? []) as readonly Row[];
  }

  /** Runs a statement for several ids at once; each id's rows have the statement's order. */
  async #rowsOfEach(sql: string, others: Values, asked: readonly string[]) {
    const ids = [...new Set(asked)];
    const found = await Promise.all(
      (await this.groupsOf(ids)).map((own) => this.#rowsOfGroup(sql, others, own)),
    );
    return new Map(found.flat());
  }

  async #rowsOfGroup(sql: string, others: Values, ids: readonly string[]) {
    const [only] = ids;
    if (only !== undefined && ids.length === 1)
      return [[only, await super.rows(sql, { ...others, id: only })] as const];
    const rows = await super.rows<{ readonly asked: number }>(
      `select asked, one.* from unnest(@ids::text[]) with ordinality as each(id, asked)
       cross join lateral (${this.ofEach(sql)}) as one`,
      { ...others, ids },
    );
    const found = ids.map((id) => [id, [] as object[]] as const);
    for (const { asked, ...row } of rows) found[asked - 1]?.[1].push(row);
    return found;
  }

  /** Splits ids into those that one statement may ask for. */
  protected async groupsOf(ids: readonly string[]): Promise<readonly (readonly string[])[]> {
    return [ids];
  }

  /** Returns a statement about `@id` for the `id` of `each`. */
  protected ofEach(sql: string): string {
    return sql.replaceAll(/@id\b/g, 'each.id');
  }
}

/** A transaction that joins statements about series of one shard: Citus sends such a statement to one node. */
class TransactionByShard extends TransactionTogether {
  protected override async groupsOf(ids: readonly string[]): Promise<readonly (readonly string[])[]> {
    if (ids.length < 2) return [ids];
    return this.column<readonly string[]>(
      `select array_agg(id) as ids from unnest(@ids::text[]) as id
       group by get_shard_id_for_distribution_column('asof.series', id)`,
      { ids },
    );
  }

  /** Repeats the ids in each condition, because Citus finds the shard of each table by itself. */
  protected override ofEach(sql: string): string {
    return super.ofEach(sql.replaceAll(/\b(\w+) = @id\b/g, '($1 = @id and $1 = any(@ids::text[]))'));
  }
}

/** Begins to write to the store in a database, in one transaction, after a `check` of the store. */
async function beginWriting(
  address: string,
  locked: ImportsCollide['needed'] = [],
  check?: (transaction: Transaction) => Promise<void>,
): Promise<WriteTransaction> {
  const database = await Database.open(address, 1);
  let transaction: Transaction | undefined;
  const end = async () => {
    transaction?.end('rollback');
    await database.close();
  };
  try {
    const begun = await database.begin('write');
    transaction = begun;
    const created = (await prepareStore(begun)) === 'made';
    await checkFinished(begun);
    const distributed = await begun.isDistributed();
    const locks = await ImportLocks.take(begun, distributed, locked);
    begun.locks = locks;
    await check?.(begun);
    return {
      address: database.shown,
      created,
      ...partsIn(begun, engineOf(begun)),
      async commit(changed) {
        try {
          if (changed && distributed) await lists.update(begun, locks.locked);
          // This comes last, because it locks a row that all imports need.
          if (changed)
            await begun.run('update asof.store set revision = revision + 1, state = gen_random_uuid()::text');
          const isEnded = distributed ? await preparedBy(begun) : undefined;
          const warnings = await begun.commit();
          if (isEnded !== undefined && warnings.length > 0) await waitUntil(isEnded, database, warnings);
        } finally {
          await end();
        }
      },
      rollback: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Milliseconds between looks, and for all: Citus ends the transactions of lost nodes once a minute. */
const [looksApart, longestWait] = [1000, 180_000];

/** Returns a question: has each node ended what this transaction prepared there? */
async function preparedBy(transaction: Transaction): Promise<(database: Database) => Promise<boolean>> {
  // The name of a prepared transaction begins with the node and the process that prepared it.
  const [name = ''] = await transaction.column<string>(
    "select 'citus_' || groupid || '_' || pg_backend_pid() as name from pg_dist_local_group",
  );
  return (database) =>
    database.inTransaction('read', async (looking) => {
      const nodes = await looking.rows<{ readonly success: boolean; readonly result: string }>(
        `select success, result from run_command_on_workers(
           'select count(*) from pg_prepared_xacts where starts_with(gid, ''${name}_'')')`,
      );
      return nodes.every(({ success, result }) => success && result === '0');
    });
}

/** Waits until what a commit wrote can be read on every node; throws if that takes minutes. */
async function waitUntil(
  isEnded: (database: Database) => Promise<boolean>,
  database: Database,
  warnings: readonly string[],
): Promise<void> {
  for (let waited = 0; waited < longestWait; waited += looksApart) {
    if (await isEnded(database)) return;
    await delay(looksApart);
  }
  throw new Problem(
    'unreachable',
    `the import is stored in ${database.shown}, but some of it cannot be read yet: ${warnings.join('; ')}`,
    { hints: ['Citus completes it within a minute after that node is back; do not import it again'] },
  );
}

/** Throws for what an older asof left of a copy that was stopped. */
async function checkFinished(transaction: Transaction): Promise<void> {
  const [copyOf] = await transaction.column<string | null>('select unfinished from asof.store');
  if (copyOf === undefined || copyOf === null) return;
  throw new Problem('local-io', `${transaction.database.shown} is an unfinished copy of ${copyOf}`, {
    hints: ['drop its schema, and copy again'],
  });
}

async function refuseContent(transaction: Transaction): Promise<void> {
  // Each table has its own statement, because Citus allows no statement on tables with different keys.
  const rows = await Promise.all(
    ['series', 'curve', 'filing', 'import'].map((table) =>
      transaction.row(`select 1 as held from asof.${table} limit 1`),
    ),
  );
  if (rows.every((held) => held === undefined)) return;
  throw new Problem('bad-input', `the store ${transaction.database.shown} exists already and is not empty`, {
    hints: [
      '`asof store merge` adds the facts of one store to another',
      'schema=NAME in the address names another schema',
    ],
  });
}
