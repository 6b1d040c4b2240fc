import { Problem } from '../../errors/problem.ts';
import type { Database, Transaction } from './connection.ts';

/**
 * How Citus distributes the tables of a store: tables of series by the id of the series, tables of filings by the
 * issuer. All rows of a series are on one node, which answers questions about it from one snapshot. All other tables
 * stay on the coordinator.
 */
const distributions: readonly string[] = [
  "create_distributed_table('asof.series', 'id', colocate_with => 'none')",
  "create_distributed_table('asof.fact', 'series', colocate_with => 'asof.series')",
  "create_distributed_table('asof.respelling', 'series', colocate_with => 'asof.series')",
  "create_distributed_table('asof.vintage', 'series', colocate_with => 'asof.series')",
  "create_distributed_table('asof.description_change', 'series', colocate_with => 'asof.series')",
  "create_distributed_table('asof.word', 'series', colocate_with => 'asof.series')",
  "create_distributed_table('asof.filing', 'issuer_cik', colocate_with => 'none')",
  "create_distributed_table('asof.trade', 'issuer_cik', colocate_with => 'asof.filing')",
  "create_distributed_table('asof.symbol', 'issuer_cik', colocate_with => 'asof.filing')",
];

/** On workers, older versions also read what was committed after the transaction began. */
const oldest = [11, 2] as const;

/** Throws a Problem unless the database has a version of Citus that reads from one snapshot on each node. */
export async function checkCitus(transaction: Transaction, { shown }: Database): Promise<void> {
  const version = await citusVersion(transaction);
  if (version === undefined)
    throw new Problem('local-io', `cannot distribute the store ${shown}: the database has no Citus`, {
      hints: [
        'a superuser installs it with `create extension citus` on every node',
        'without --distribute the store works on one server',
      ],
    });
  const [major = 0, minor = 0] = version.split(/\D/).map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new Problem(
    'local-io',
    `cannot distribute the store ${shown}: its Citus is ${version}, and asof needs ${oldest.join('.')} or newer`,
    { hints: ['update Citus: `alter extension citus update`'] },
  );
}

async function citusVersion(transaction: Transaction): Promise<string | undefined> {
  const row = await transaction.row<{ readonly version: string }>(
    "select extversion as version from pg_extension where extname = 'citus'",
  );
  return row?.version;
}

/** Makes a transaction use one connection to each node, because parallel ones do not see what it wrote. */
const sequential = "set local citus.multi_shard_modify_mode to 'sequential'";

/** Prepares a transaction that changes a distributed store: it uses one connection to each node. */
export async function onOneConnection(transaction: Transaction): Promise<void> {
  if (await isDistributed(transaction)) await transaction.run(sequential);
}

/** Distributes the tables of a store that are not distributed yet, with their rows. */
export async function distributeTables(transaction: Transaction): Promise<void> {
  await transaction.run(sequential);
  for (const call of distributions) {
    const table = /'([^']+)'/.exec(call)?.[1] ?? '';
    await transaction.run(
      `select ${call} where not exists (select 1 from pg_dist_partition where logicalrelid = '${table}'::regclass)`,
    );
  }
}

/** Whether a database has Citus. */
export async function hasCitus(transaction: Transaction): Promise<boolean> {
  return (await citusVersion(transaction)) !== undefined;
}

/** Whether Citus distributes a store. */
export async function isDistributed(transaction: Transaction): Promise<boolean> {
  if (!(await hasCitus(transaction))) return false;
  const series = await transaction.row(
    "select 1 from pg_dist_partition where logicalrelid = 'asof.series'::regclass",
  );
  return series !== undefined;
}

/** Distributes the tables that a migration added, if the store is distributed. */
export async function keepDistributed(transaction: Transaction): Promise<void> {
  if (await isDistributed(transaction)) await distributeTables(transaction);
}
