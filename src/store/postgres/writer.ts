import { Problem } from '../../errors/problem.ts';
import type { ImportsCollide } from '../collision.ts';
import { type StoreDraft, StoreWriter } from '../writer.ts';
import { Database, type Transaction } from './connection.ts';
import { filingsIn } from './filings.ts';
import { ImportLocks } from './locks.ts';
import { ratesIn } from './rates.ts';
import { openPostgresStore } from './reader.ts';
import { checkFinished, hasTable, prepareStore } from './schema.ts';
import { seriesTables } from './series-rows.ts';
import { descriptionsIn, sourcesIn } from './sources.ts';

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
    ...seriesTables(transaction, locks),
    descriptions: descriptionsIn(transaction),
    rates: ratesIn(transaction, locks),
    filings: filingsIn(transaction, locks),
    sources: sourcesIn(transaction),
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
