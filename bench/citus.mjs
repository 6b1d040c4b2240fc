import pg from 'pg';
import { cpuOfCluster } from './cpu.mjs';
import { timedAsof } from './measure.mjs';

/**
 * Yields what `measure` yields for a new store on Citus, which is dropped afterwards; nothing unless ASOF_TEST_CITUS names
 * a database with Citus on this machine. `measure` takes the address of the store, and the CPU time of all nodes in seconds.
 */
export async function* onCitus(measure) {
  const address = process.env.ASOF_TEST_CITUS;
  if (address === undefined) return;
  const nodes = await query(
    address,
    `select result as folder from run_command_on_workers('show data_directory')
     union all select current_setting('data_directory')`,
  );
  const schema = `bench_${process.pid}`;
  const store = `${address}?schema=${schema}`;
  try {
    timedAsof(['store', 'init', '--distribute', '--store', store]);
    yield* measure(store, () => nodes.reduce((sum, { folder: data }) => sum + cpuOfCluster({ data }), 0));
  } finally {
    await query(address, `drop schema if exists ${schema} cascade`);
  }
}

/** Runs SQL on a new connection, and returns its rows. */
export async function query(address, text) {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
