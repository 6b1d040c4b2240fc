import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

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
