import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject } from 'vitest';

const made = new Set<string>();

// Here, not in the functions below: vitest ignores a hook that is set within a test.
afterAll(async () => {
  if (made.size === 0) return;
  await inDatabase(async (client) => {
    for (const schema of made) await client.query(`drop schema if exists ${schema} cascade`);
  });
});

/** The address of a schema that does not exist yet; it is removed when the test file has ended. */
export function newSchemaAddress(): string {
  const schema = `s_${randomBytes(6).toString('hex')}`;
  made.add(schema);
  return addressOf(schema);
}

/** The address of a schema in the database of the tests. */
function addressOf(schema: string): string {
  return `${inject('postgres')}/postgres?schema=${schema}`;
}

/** The schema of an address. */
export function schemaOf(address: string): string {
  return new URL(address).searchParams.get('schema') ?? 'asof';
}

/** Calls `work` with a connection of the superuser. */
export async function inDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: `${inject('postgres')}/postgres` });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The columns that differ between two stores with the same facts. */
const arbitrary = "'state'";

/** A digest of every row of every table of a schema; undefined without a table. */
export function digestOfSchema(address: string): Promise<string | undefined> {
  const schema = schemaOf(address);
  return inDatabase(async (client) => {
    const tables = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = $1 and table_type = 'BASE TABLE' order by 1`,
      [schema],
    );
    if (tables.rows.length === 0) return undefined;
    const hash = createHash('sha256');
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(
        `select (to_jsonb(t) - ${arbitrary})::text as row from ${schema}."${name}" as t order by 1`,
      );
      hash.update(JSON.stringify([name, rows.map(({ row }) => row)]));
    }
    return hash.digest('hex');
  });
}
