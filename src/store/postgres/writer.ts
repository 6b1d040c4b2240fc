// Why: docs/decisions/locks-of-imports.md
import { Problem } from '../../errors/problem.ts';
import { rowsIn } from '../sql/parts.ts';
import { ImportsCollide, type PartLocks } from '../sql/session.ts';
import { type StoreDraft, StoreWriter } from '../writer.ts';
import { Database, lockNumber, type Transaction } from './connection.ts';
import { engineOf } from './engine.ts';
import { openPostgresStore } from './reader.ts';
import { checkFinished, hasTable, prepareStore } from './schema.ts';

/**
 * Opens the store in a database for one import, and takes the locks that the import is known to need; creates the store
 * if it does not exist. With `copy`, which needs an empty store or an unfinished copy, nobody can read the store before
 * it is published.
 */
export async function openPostgresWriter(
  address: string,
  locked: ImportsCollide['needed'] = [],
  copy?: CopyMark,
): Promise<StoreWriter> {
  const database = await Database.open(address, 1);
  try {
    const transaction = await database.begin('write');
    try {
      const created = await prepareStore(transaction, database);
      if (copy === undefined) await checkFinished(transaction, database);
      else await markCopy(transaction, database, copy);
      const locks = await ImportLocks.take(transaction, database.schema, locked);
      return writerOn({ database, transaction, locks, created });
    } catch (error) {
      transaction.abandon();
      throw error;
    }
  } catch (error) {
    await database.close();
    throw error;
  }
}

type Opened = {
  readonly database: Database;
  readonly transaction: Transaction;
  readonly locks: ImportLocks;
  readonly created: boolean;
};

function writerOn({ database, transaction, locks, created }: Opened): StoreWriter {
  return new StoreWriter({
    address: database.shown,
    created,
    ...rowsIn(transaction, engineOf(transaction), locks),
    async commit(changed) {
      try {
        // This comes last, because it locks a row that imports of other series wait for.
        if (changed)
          await transaction.run(
            'update asof.store set revision = revision + 1, state = gen_random_uuid()::text',
          );
        await transaction.commit();
      } catch (error) {
        transaction.abandon();
        throw error;
      } finally {
        await database.close();
      }
    },
    async rollback() {
      transaction.abandon();
      await database.close();
    },
  });
}

type Unfinished = { readonly unfinished: string | null };

/** The store that an unfinished copy copies, and whether this process has already begun or resumed the copy. */
type CopyMark = { readonly of: string; readonly isBegun: boolean };

/**
 * Marks an empty store as an unfinished copy, or resumes one; refuses any other store that holds something. Removes
 * everything that a stopped copy of another store wrote.
 */
async function markCopy(
  transaction: Transaction,
  { shown }: Database,
  { of: copyOf, isBegun }: CopyMark,
): Promise<void> {
  const row = await transaction.row<Unfinished>('select unfinished from asof.store');
  const before = row?.unfinished ?? null;
  if (before === copyOf) return;
  if (isBegun)
    throw new Problem(
      'local-io',
      before === null
        ? `another process completed the copy ${shown} meanwhile`
        : `another process copies ${before} to ${shown} meanwhile`,
      { hints: ['copy again when it has ended'] },
    );
  if (before === null) await refuseContent(transaction, shown);
  else await removeContent(transaction);
  await transaction.run('update asof.store set unfinished = @copyOf', { copyOf });
}

async function refuseContent(transaction: Transaction, shown: string): Promise<void> {
  // Each table has its own statement, because Citus allows no statement on tables with different keys.
  const rows = await Promise.all(
    ['series', 'curve', 'filing', 'import'].map((table) =>
      transaction.row(`select 1 as held from asof.${table} limit 1`),
    ),
  );
  if (rows.every((held) => held === undefined)) return;
  throw new Problem('bad-input', `the store ${shown} exists already and is not empty`, {
    hints: [
      '`asof store merge` adds the facts of one store to another',
      'schema=NAME in the address names another schema',
    ],
  });
}

async function removeContent(transaction: Transaction): Promise<void> {
  const tables = [
    ...['fact', 'respelling', 'vintage', 'description_change', 'word', 'series', 'curve'],
    ...['symbol', 'trade', 'filing', 'import_change', 'import', 'followed'],
  ];
  for (const table of tables) await transaction.run(`delete from asof.${table}`);
}

/** Refuses a store that holds anything, unless a stopped copy wrote it. */
export async function checkEmpty(address: string): Promise<void> {
  await Database.once(address, 'read', async (transaction, database) => {
    if (!(await hasTable(transaction, database.schema))) return;
    const row = await transaction.row<Unfinished>('select unfinished from asof.store');
    if (row?.unfinished === null) await refuseContent(transaction, database.shown);
  });
}

/** Begins a copy in the store itself, or continues one; the store is marked as unfinished until it is published. */
export async function openPostgresDraft(address: string, copyOf: string): Promise<StoreDraft> {
  const writer = (isBegun: boolean) => openPostgresWriter(address, 'everything', { of: copyOf, isBegun });
  const change = (work: (transaction: Transaction, database: Database) => Promise<void>) =>
    Database.once(address, 'write', async (transaction, database) => {
      await markCopy(transaction, database, { of: copyOf, isBegun: true });
      await work(transaction, database);
    });
  // The mark comes first, so that an address that cannot take a copy is refused before anything is read.
  await (await writer(false)).end(async () => undefined);
  let revision: number | undefined;
  return {
    write: async (work) => (await writer(true)).end(work),
    async read(work) {
      const store = await openPostgresStore(address, true);
      try {
        return await store.read(async (view) => {
          ({ revision } = await view.state());
          return work(view);
        });
      } finally {
        await store.close();
      }
    },
    // Refused if another process replaced the copy by another one, or wrote to it after this one read it.
    publish: () =>
      change(async (transaction, { shown }) => {
        const sql = 'update asof.store set unfinished = null where revision = @revision';
        if ((await transaction.run(sql, { revision })) === 1) return;
        throw new Problem('local-io', `another process copies to ${shown} meanwhile`, {
          hints: ['copy again when it has ended'],
        });
      }),
    discard: () => change(removeContent),
    close: async () => undefined,
  };
}

/** An import that needs more locks locks the whole store, because all transactions share a few thousand locks. */
const mostLocks = 500;

/**
 * The locks of one import, which its transaction holds until it ends. An import waits only for a lock whose number is
 * above those of all its locks, so that imports never wait for each other in a circle. If it needs a lower one that
 * another import holds, it fails with `ImportsCollide`, and is tried again with all these locks taken at the beginning.
 */
class ImportLocks implements PartLocks {
  readonly #transaction: Transaction;
  readonly #schema: string;
  readonly #names = new Set<string>();
  #highest: bigint | undefined;
  #everything = false;

  private constructor(transaction: Transaction, schema: string) {
    this.#transaction = transaction;
    this.#schema = schema;
  }

  /**
   * Takes the locks that an import is known to need, those of some parts of the store or of everything; waits until
   * other imports release them.
   */
  static async take(
    transaction: Transaction,
    schema: string,
    plan: ImportsCollide['needed'],
  ): Promise<ImportLocks> {
    const locks = new ImportLocks(transaction, schema);
    locks.#everything = plan === 'everything';
    const how = locks.#everything ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
    // An import that locks everything waits for the imports that hold a part, and makes later ones wait.
    await transaction.run(`select ${how}(@key)`, { key: lockNumber(`store ${schema}`) });
    if (plan !== 'everything') await locks.lock(plan);
    return locks;
  }

  async lock(names: readonly string[]): Promise<void> {
    if (this.#everything) return;
    const fresh = [...new Set(names)].filter((name) => !this.#names.has(name));
    if (fresh.length === 0) return;
    if (this.#names.size + fresh.length > mostLocks) throw new ImportsCollide('everything');
    const keys = fresh.map((name) => lockNumber(`${name} of ${this.#schema}`));
    keys.sort((a, b) => (a < b ? -1 : 1));
    const [lowest = 0n] = keys;
    const inOrder = this.#highest === undefined || lowest > this.#highest;
    const how = inOrder ? 'pg_advisory_xact_lock(key) is not null' : 'pg_try_advisory_xact_lock(key)';
    const locked = await this.#transaction.row<{ all: boolean }>(
      `select bool_and(locked) as all from (select ${how} as locked from unnest(@keys::bigint[]) as key) as each`,
      { keys },
    );
    if (locked?.all !== true) throw new ImportsCollide([...this.#names, ...fresh]);
    for (const name of fresh) this.#names.add(name);
    const highest = keys.at(-1) ?? lowest;
    if (this.#highest === undefined || highest > this.#highest) this.#highest = highest;
  }
}
