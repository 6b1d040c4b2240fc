import { Problem } from '../../errors/problem.ts';
import { Database, type Transaction } from './connection.ts';
import { hasStore } from './schema.ts';

type Unfinished = { readonly unfinished: string | null };

/** Refuses a store that is an unfinished copy. */
export async function checkFinished(transaction: Transaction, { shown }: Database): Promise<void> {
  const row = await transaction.row<Unfinished>('select unfinished from asof.store');
  if (row === undefined || row.unfinished === null) return;
  throw new Problem('local-io', `${shown} is an unfinished copy of ${row.unfinished}`, {
    hints: ['`asof store copy` with the same two addresses completes it'],
  });
}

/** The store that an unfinished copy copies, and whether this process has already begun or resumed the copy. */
type CopyMark = { readonly of: string; readonly isBegun: boolean };

/**
 * Marks an empty store as an unfinished copy, or resumes one; refuses any other store that holds something. Removes
 * everything that a stopped copy of another store wrote.
 */
export async function markCopy(
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
    if (!(await hasStore(transaction, database.schema))) return;
    const row = await transaction.row<Unfinished>('select unfinished from asof.store');
    if (row?.unfinished === null) await refuseContent(transaction, database.shown);
  });
}

/**
 * Completes a copy, so that everybody can read it. Throws a Problem if another process replaced it by another copy, or
 * wrote to it after this process read its state with this revision.
 */
export async function finishCopy(
  address: string,
  copyOf: string,
  revision: number | undefined,
): Promise<void> {
  await Database.once(address, 'write', async (transaction, database) => {
    await markCopy(transaction, database, { of: copyOf, isBegun: true });
    const finished = await transaction.run(
      'update asof.store set unfinished = null where revision = @revision',
      { revision },
    );
    if (finished === 1) return;
    throw new Problem('local-io', `another process copies to ${database.shown} meanwhile`, {
      hints: ['copy again when it has ended'],
    });
  });
}

/** Removes everything that a copy wrote, so that it can begin again. */
export async function emptyCopy(address: string, copyOf: string): Promise<void> {
  await Database.once(address, 'write', async (transaction, database) => {
    await markCopy(transaction, database, { of: copyOf, isBegun: true });
    await removeContent(transaction);
  });
}
