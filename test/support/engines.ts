import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { addTo } from '../../src/domain/values/groups.ts';
import { scratchFolder } from './folders.ts';
import { digestOf, newStorePath } from './scratch-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the PostgreSQL server that all test files share. */
    postgres: string;
  }
}

/** An engine of stores, as the contract suite needs it. Its stores are opened, written and read by their addresses. */
export type Engine = {
  readonly name: string;
  /** The address of a store that does not exist yet; what a test makes there is removed after its file. */
  newAddress(): string;
  /** The address of an access store that does not exist yet. */
  newAccessAddress(): string;
  /** A digest of everything that the store at an address holds; undefined where there is none. */
  digest(address: string): Promise<string | undefined>;
};

const folder = scratchFolder();

/** SQLite alone, for what only files have. */
export const sqlite: Engine = {
  name: 'SQLite',
  newAddress: () => newStorePath(folder),
  newAccessAddress: () => newStorePath(folder),
  digest: async (address) => digestOf(address),
};

/** PostgreSQL alone, for suites that record its statements. */
export const postgres: Engine = {
  name: 'PostgreSQL',
  newAddress: newSchemaAddress,
  newAccessAddress: newSchemaAddress,
  digest: digestOfSchema,
};

/** The address of a database with Citus, where one is there: CONTRIBUTING.md says how to build one. */
export const citusAddress = process.env.ASOF_TEST_CITUS;

/** Citus itself: each schema is a store of few shards, as making a shard takes long. */
export const citus: Engine = {
  name: 'Citus',
  newAddress: () => newSchemaOn(citusPlace()),
  newAccessAddress: () => newSchemaOn(citusPlace()),
  digest: digestOfSchema,
};

function citusPlace(): string {
  if (citusAddress === undefined) throw new Error('ASOF_TEST_CITUS names no database');
  return `${citusAddress}?options=-c%20citus.shard_count%3D4`;
}

/** Every engine that a store can have. */
export const engines: readonly Engine[] = [sqlite, postgres];

/** Runs cases on each engine. */
export function onEveryEngine(cases: (engine: Engine) => void): void {
  for (const engine of engines) describe(`on ${engine.name}`, () => cases(engine));
}

/**
 * Runs cases of the contract of stores on SQLite. `test/integration/store/postgres/statements.test.ts` runs them on
 * PostgreSQL, and records what is sent there.
 */
export function contract(cases: (engine: Engine) => void): void {
  describe('on SQLite', () => cases(sqlite));
}

/** The addresses of the schemas that the tests may have made. */
const made = new Set<string>();

// Here, not in the functions below: vitest ignores a hook that is set within a test.
afterAll(async () => {
  const places = new Map<string, string[]>();
  for (const address of made) addTo(places, placeOf(address), schemaOf(address));
  for (const [place, schemas] of places)
    await inDatabase(async (client) => {
      for (const schema of schemas) await client.query(`drop schema if exists ${schema} cascade`);
    }, place);
}, 600_000);

/** The address of a schema that does not exist yet; it is removed when the test file has ended. */
export function newSchemaAddress(): string {
  return newSchemaOn(databaseOfTests());
}

function newSchemaOn(place: string): string {
  const address = `${place}${place.includes('?') ? '&' : '?'}schema=s_${randomBytes(6).toString('hex')}`;
  made.add(address);
  return address;
}

function databaseOfTests(): string {
  return `${inject('postgres')}/postgres`;
}

/** An address without its parameters. */
function placeOf(address: string): string {
  const [place = ''] = address.split('?');
  return place;
}

/** The schema of an address. */
export function schemaOf(address: string): string {
  return new URL(address).searchParams.get('schema') ?? 'asof';
}

/** Calls `work` with a connection of the superuser to the database of an address. */
export async function inDatabase<T>(
  work: (client: pg.Client) => Promise<T>,
  address = databaseOfTests(),
): Promise<T> {
  const client = new pg.Client({ connectionString: placeOf(address) });
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
  }, address);
}

/** The number of shards of a table in a stand-in for Citus. */
const shards = 8;

/**
 * What asof calls of Citus, over PostgreSQL's own partitions: a table is split by the hash of its distribution
 * column. As in Citus, each primary and unique key must hold that column, rows of one key are in the shards of one
 * number, and the planner leaves out the shards that a statement cannot need.
 */
const standIn = `
  create table pg_dist_partition (logicalrelid regclass primary key, distributed_by text, colocated_with text);
  create function create_distributed_table(table_name regclass, distribution_column text, colocate_with text)
  returns void language plpgsql as $$
  declare
    s text; t text; v record; views text[] := '{}'; one text;
  begin
    select n.nspname, c.relname into s, t
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = table_name;
    for v in select viewname, definition from pg_views where schemaname = s loop
      views := views || format('create view %I.%I as %s', s, v.viewname, v.definition);
      execute format('drop view %I.%I', s, v.viewname);
    end loop;
    execute format('alter table %I.%I rename to %I', s, t, t || '_whole');
    execute format('create table %I.%I (like %I.%I including all) partition by hash (%I)',
      s, t, s, t || '_whole', distribution_column);
    for i in 0..${shards - 1} loop
      execute format('create table %I.%I partition of %I.%I for values with (modulus ${shards}, remainder %s)',
        s, t || '_shard' || i, s, t, i);
    end loop;
    execute format('insert into %I.%I select * from %I.%I', s, t, s, t || '_whole');
    execute format('drop table %I.%I', s, t || '_whole');
    foreach one in array views loop execute one; end loop;
    insert into pg_dist_partition values (format('%I.%I', s, t)::regclass, distribution_column, colocate_with);
  end $$;
  create table pg_dist_shard (logicalrelid regclass, shardid bigint, shardminvalue text);
  create table pg_dist_placement (shardid bigint, groupid integer);
  create table pg_dist_local_group (groupid integer primary key);
  insert into pg_dist_local_group values (0);
  create function get_shard_id_for_distribution_column(table_name regclass, value text) returns bigint
    language sql as $$ select 102000 + hashtext(value) % 8 $$;
  set allow_system_table_mods = on;
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    values (999999, 'citus', 10, 11, false, '12.1-1');
`;

/** Makes a database with a stand-in for Citus; gives its address, and a way to remove it. */
export async function databaseWithCitus(): Promise<{
  readonly address: string;
  readonly remove: () => Promise<void>;
}> {
  const name = `citus_${randomBytes(4).toString('hex')}`;
  const address = `${inject('postgres')}/${name}`;
  await run(`${inject('postgres')}/postgres`, `create database ${name}`);
  await run(address, standIn);
  return {
    address,
    remove: () => run(`${inject('postgres')}/postgres`, `drop database ${name} with (force)`),
  };
}

async function run(address: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
