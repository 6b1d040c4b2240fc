import { checkCitus, distributeTables } from './citus.ts';
import { Database } from './connection.ts';
import { prepareStore } from './schema.ts';

/**
 * Creates the store in a database if it does not exist; true if it created it. With `distribute`, distributes it over
 * the nodes of Citus; without Citus it then throws a Problem and changes nothing.
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
