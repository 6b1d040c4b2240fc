import { Problem } from '../../errors/problem.ts';
import { Database, type Transaction } from './connection.ts';

type Unfinished = { readonly unfinished: string | null };

/** Refuses a store that is a copy in the making. */
export async function checkFinished(transaction: Transaction, { shown }: Database): Promise<void> {
  const row = await transaction.row<Unfinished>('select unfinished from asof.store');
  if (row === undefined || row.unfinished === null) return;
  throw new Problem('local-io', `${shown} is an unfinished copy of ${row.unfinished}`, {
    hints: ['`asof store copy` with the same two addresses completes it'],
  });
}

/** Makes an empty store a copy in the making, or goes on with one; refuses a store that holds anything. */
export async function beginCopy(
  transaction: Transaction,
  { shown }: Database,
  copyOf: string,
): Promise<void> {
  const row = await transaction.row<Unfinished>('select unfinished from asof.store');
  // One statement each: no statement of Citus may name tables with different keys.
  const rows = await Promise.all(
    ['series', 'curve', 'filing', 'import'].map((table) =>
      transaction.row(`select 1 as held from asof.${table} limit 1`),
    ),
  );
  if (row?.unfinished === null && rows.some((held) => held !== undefined))
    throw new Problem('bad-input', `the store ${shown} exists already and is not empty`, {
      hints: [
        '`asof store merge` adds the facts of one store to another',
        'schema=NAME in the address names another schema',
      ],
    });
  await transaction.run(
    'update asof.store set unfinished = @copyOf where unfinished is distinct from @copyOf',
    {
      copyOf,
    },
  );
}

/** Lets everybody read a copy. */
export async function finishCopy(address: string): Promise<void> {
  const database = await Database.open(address, 1);
  try {
    await database.inTransaction('write', (transaction) =>
      transaction.run('update asof.store set unfinished = null'),
    );
  } finally {
    await database.close();
  }
}
