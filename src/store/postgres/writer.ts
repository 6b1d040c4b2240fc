import type { ImportsCollide } from '../collision.ts';
import { StoreWriter } from '../writer.ts';
import { Database, type Transaction } from './connection.ts';
import { checkFinished, markCopy } from './draft.ts';
import { filingsIn } from './filings.ts';
import { ImportLocks } from './locks.ts';
import { ratesIn } from './rates.ts';
import { prepareStore } from './schema.ts';
import { seriesTables } from './series-rows.ts';
import { descriptionsIn, sourcesIn } from './sources.ts';

/**
 * Opens the store in a database for one import, and takes the locks that the import is known to need; creates the store
 * if it does not exist. With `copy`, which needs an empty store or an unfinished copy, nobody can read the store before
 * `finishCopy`.
 */
export async function openPostgresWriter(
  address: string,
  locked: ImportsCollide['needed'] = [],
  copy?: Parameters<typeof markCopy>[2],
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
