// Why: docs/decisions/citus.md
import pg from 'pg';
import { Problem } from '../../errors/problem.ts';
import { addAllWords, moveDates } from '../sql/series-rows.ts';
import { Database, lockNumber, type Transaction } from './connection.ts';
import { seriesById } from './series.ts';

/**
 * One step from each format to the next; the format of a store is the number of steps taken (`store.format`).
 *
 * Every table of a series has the id of the series in its primary key, and the tables of filings that of the issuer, so
 * that Citus can distribute them by it (`distributions` says how). Texts are compared by their bytes, as asof sorts them.
 */
const migrations: readonly (string | ((transaction: Transaction) => Promise<void>))[] = [
  `
  create table asof.series (
    id text collate "C" primary key,
    title text, units text, frequency text, seasonal_adjustment text, source text,
    implied_frequency text, implied_source text, stated_covered_to date, stated_vintage_kind text,
    spacing_frequency text not null default '',
    normalised_by text not null default '',
    vintage_kind text not null default '',
    observation_count bigint not null default 0,
    date_count bigint not null default 0,
    fact_count bigint not null default 0,
    first_vintage date, last_vintage date, covered_to date,
    version bigint not null default 0,
    -- Another text after every change, also in a store that was restored from a copy.
    state text not null default ''
  );

  -- Numeric changes of knowledge: from as_of_date on, the value of date was value (null: withdrawn).
  create table asof.fact (
    series text collate "C" not null,
    date date not null,
    as_of_date date not null,
    value text,
    primary key (series, date, as_of_date)
  );

  -- Statements that repeat the number known with another text (1.5, then 1.50).
  create table asof.respelling (
    series text collate "C" not null,
    date date not null,
    as_of_date date not null,
    value text not null,
    primary key (series, date, as_of_date)
  );

  -- On which dates each day made statements, as published; what each said is the value known on that day.
  create table asof.vintage (
    series text collate "C" not null,
    as_of_date date not null,
    dates text not null,
    complete boolean not null default false,
    kind text not null default '',
    primary key (series, as_of_date)
  );

  -- Fields of a series' description that changed, such as its units.
  create table asof.description_change (
    series text collate "C" not null,
    changed_on date not null,
    field text collate "C" not null,
    before text not null,
    after text not null,
    primary key (series, changed_on, field)
  );

  create table asof.curve (
    curve_type text collate "C" not null,
    trade_date date not null,
    months double precision not null,
    maturity text not null,
    rate text not null,
    source text collate "C" not null,
    primary key (curve_type, trade_date, months)
  );

  -- What insiders filed: known from filed_on on. purchases marks what clusters of purchases are made of.
  create table asof.filing (
    filing_id text collate "C" not null,
    accession_number text,
    form_type text not null,
    filed_on date not null,
    accepted_at text,
    original_filed_on text,
    period_of_report text,
    issuer_cik text collate "C" not null,
    issuer_name text,
    ticker text,
    owners text not null,
    owner_names text not null,
    is_10b5_1 integer,
    purchases integer not null default 0,
    primary key (issuer_cik, filing_id)
  );
  create index filing_by_id on asof.filing (filing_id);
  create index newest_filings on asof.filing (filed_on desc, filing_id);
  create index purchases_of_issuer on asof.filing (issuer_cik) where purchases = 1;
  create table asof.trade (
    issuer_cik text collate "C" not null,
    filing_id text collate "C" not null,
    row integer not null,
    is_derivative integer not null,
    security_title text,
    transaction_date text,
    transaction_code text collate "C",
    acquired_disposed text,
    shares text,
    price_per_share text,
    shares_owned_after text,
    ownership text,
    primary key (issuer_cik, filing_id, row)
  );
  -- The trading symbols under which each was filed.
  create table asof.symbol (
    symbol text collate "C" not null,
    issuer_cik text collate "C" not null,
    filing_id text collate "C" not null,
    primary key (symbol, issuer_cik, filing_id)
  );

  create table asof.import (
    id bigint generated always as identity primary key,
    imported_at text not null,
    file text not null,
    kind text not null,
    sha256 text not null,
    series bigint not null,
    statements_new bigint not null,
    statements_known bigint not null,
    withdrawn bigint not null,
    outdated boolean not null default false
  );

  -- What the store follows at live sources; bookmark says, in the words of the source, how far its facts reach.
  create table asof.followed (
    source text collate "C" not null,
    name text collate "C" not null,
    since text not null,
    bookmark text not null,
    up_to date,
    last_run text,
    left_undone text not null,
    primary key (source, name)
  );

  -- One row; revision changes with every import that changed anything, and state becomes another text.
  create table asof.store (
    only_row integer primary key check (only_row = 1),
    format integer not null,
    revision bigint not null,
    state text not null
  );
  insert into asof.store values (1, 0, 0, gen_random_uuid()::text);

  -- For queries with psql.
  create view asof.observation as
    select series as series_id, date, as_of_date, value from asof.fact;
  create view asof.insider_trade as
    select f.filed_on, f.filing_id, t.row, f.form_type, f.issuer_cik, f.issuer_name, f.ticker, f.owners, t.is_derivative,
      t.security_title, t.transaction_date, t.transaction_code, t.acquired_disposed, t.shares, t.price_per_share,
      t.shares_owned_after, t.ownership
    from asof.filing f join asof.trade t using (issuer_cik, filing_id);
  `,
  `
  -- For filings that an import replaces.
  create index symbol_of_filing on asof.symbol (filing_id);
  `,
  // What a store is a copy of that is not complete: nobody reads it, and only the copy writes to it.
  'alter table asof.store add column if not exists unfinished text',
  `
  -- The entries of the log that one import made have one number.
  alter table asof.import add column if not exists number bigint;

  -- What an import has to know to be taken back: by subject, what was there before (JSON).
  create table if not exists asof.import_change (
    import bigint not null,
    subject text collate "C" not null,
    version bigint not null,
    content text not null,
    primary key (import, subject)
  );
  create index if not exists changes_of_subject on asof.import_change (subject, import);
  `,
  `
  -- Clusters of the newest trades, and signals of the newest filings, without reading all issuers.
  create index if not exists trades_by_day
    on asof.trade (transaction_code, transaction_date collate "C", issuer_cik, filing_id) where is_derivative = 0;
  create index if not exists newest_purchases on asof.filing (filed_on) where purchases = 1;
  `,
  async (transaction) => {
    await transaction.run(`
      -- The words by which a search finds series.
      create table if not exists asof.word (
        series text collate "C" not null,
        word text collate "C" not null,
        primary key (series, word)
      );
      create index if not exists series_of_word on asof.word (word, series);
    `);
    await addAllWords(transaction);
  },
  // Dates that nothing states a frequency for stay as published, and fiscal years beside calendar years stay alone.
  async (transaction) => {
    // The dates of a vintage that only a clipped answer put on its day: they may have been published before.
    await transaction.run(
      "alter table asof.vintage add column if not exists clipped text not null default ''",
    );
    await moveDates(transaction, seriesById(transaction));
  },
];

/** The format that this asof writes. */
const currentFormat = migrations.length;

/** Whether a schema has a table; asks the catalog, because the server may cache that a name did not exist. */
export async function hasTable(
  transaction: Transaction,
  schema: string,
  table: 'store' | 'access' = 'store',
): Promise<boolean> {
  const found = await transaction.row(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = @schema and c.relname = @table`,
    { schema, table },
  );
  return found !== undefined;
}

/** Checks that a store can be read; throws a Problem if the schema has no store, or one of another format. */
export async function checkFormat(transaction: Transaction, database: Database): Promise<void> {
  if (!(await hasTable(transaction, database.schema)))
    throw new Problem('local-io', `there is no store in the schema ${database.schema} of ${database.shown}`, {
      hints: [
        '`asof store init` or `asof import` with --store and this address makes one',
        'schema=NAME in the address names another schema',
      ],
    });
  const format = await readFormat(transaction, database);
  if (format < currentFormat)
    throw new Problem('local-io', `${database.shown} was made by an older asof`, {
      hints: ['`asof store init` by a user who may change its tables brings it up to date'],
    });
}

/** The format of a store; throws a Problem for a format that only a newer asof can read. */
async function readFormat(transaction: Transaction, { shown }: Database): Promise<number> {
  const row = await transaction.row<{ format: number }>('select format from asof.store');
  const format = row?.format ?? 0;
  if (format > currentFormat)
    throw new Problem(
      'local-io',
      `${shown} was made by a newer asof (store format ${format}; this one reads up to ${currentFormat})`,
      { hints: ['update asof'] },
    );
  return format;
}

/** Makes the schema a store of the current format within a transaction; true if it was not a store before. */
export async function prepareStore(transaction: Transaction, database: Database): Promise<boolean> {
  if (
    (await hasTable(transaction, database.schema)) &&
    (await readFormat(transaction, database)) === currentFormat
  )
    return false;
  // Another process may make or migrate it at the same time.
  await transaction.run('select pg_advisory_xact_lock(@key)', {
    key: lockNumber(`format of ${database.schema}`),
  });
  const found = await hasTable(transaction, database.schema);
  if (!found) {
    await checkEncoding(transaction, database);
    await createSchema(transaction, database.schema);
  }
  const format = found ? await readFormat(transaction, database) : 0;
  if (found) await onOneConnection(transaction);
  for (const step of migrations.slice(format))
    await (typeof step === 'string' ? transaction.run(step) : step(transaction));
  await transaction.run(`update asof.store set format = ${currentFormat}`);
  if (found) await keepDistributed(transaction);
  return !found;
}

/** Throws a Problem for a database that cannot hold every text. */
async function checkEncoding(transaction: Transaction, { shown }: Database): Promise<void> {
  const row = await transaction.row<{ encoding: string }>(
    "select current_setting('server_encoding') as encoding",
  );
  const encoding = row?.encoding ?? '';
  if (encoding === 'UTF8') return;
  throw new Problem('local-io', `cannot make a store in ${shown}: the database is in ${encoding}`, {
    hints: ["a database in UTF-8 is made by `create database NAME encoding 'UTF8' template template0`"],
  });
}

/** Creates a schema if it is missing; a user whose schema exists needs no right to create one. */
export async function createSchema(transaction: Transaction, schema: string): Promise<void> {
  const there = await transaction.row('select 1 from pg_namespace where nspname = @schema', { schema });
  if (there === undefined)
    await transaction.run(`create schema if not exists ${pg.escapeIdentifier(schema)}`);
}

/**
 * Creates the store in a database if it does not exist; true if it created it. With `distribute`, distributes it over
 * the nodes of Citus; without Citus it then throws a Problem and changes nothing.
 */
export async function initPostgresStore(address: string, distribute: boolean): Promise<boolean> {
  return Database.once(address, 'write', async (transaction, database) => {
    if (distribute) await checkCitus(transaction, database);
    const created = await prepareStore(transaction, database);
    if (distribute) await distributeTables(transaction);
    return created;
  });
}

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
async function checkCitus(transaction: Transaction, { shown }: Database): Promise<void> {
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

async function onOneConnection(transaction: Transaction): Promise<void> {
  if (await isDistributed(transaction)) await transaction.run(sequential);
}

/** Distributes the tables of a store that are not distributed yet, with their rows. */
async function distributeTables(transaction: Transaction): Promise<void> {
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
async function keepDistributed(transaction: Transaction): Promise<void> {
  if (await isDistributed(transaction)) await distributeTables(transaction);
}

/** Refuses a store that is an unfinished copy. */
export async function checkFinished(transaction: Transaction, { shown }: Database): Promise<void> {
  const row = await transaction.row<{ unfinished: string | null }>('select unfinished from asof.store');
  if (row === undefined || row.unfinished === null) return;
  throw new Problem('local-io', `${shown} is an unfinished copy of ${row.unfinished}`, {
    hints: ['`asof store copy` with the same two addresses completes it'],
  });
}
