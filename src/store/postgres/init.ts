import { checkCitus, distributeTables } from './citus.ts';
import { Database } from './connection.ts';
import { prepareStore } from './schema.ts';

/**
 * Makes the store in a database if there is none, and distributes it over the nodes of Citus if that is wanted; true if
 * there was none. A Problem, and no change, where the database has no Citus.
 */
export async function initPostgresStore(address: string, distribute: boolean): Promise<boolean> {
  const database = await Database.open(address, 1);
  try {
    return await database.inTransaction('write', async (transaction) => {
      if (distribute) await checkCitus(transaction, database);
      const created = await prepareStore(transaction, database);
      if (distribute) await distributeTables(transaction);
      return created;
    });
  } finally {
    await database.close();
  }
}
