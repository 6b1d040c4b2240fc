// Why: docs/decisions/citus.md
import pg from 'pg';
import { Problem } from '../../errors/problem.ts';
import type { InitResult } from '../sql/parts.ts';
import { addAllWords, moveDates } from '../sql/series-rows.ts';
import { tables, tablesOfSeries } from '../sql/tables.ts';
import { lockNumber, type Transaction } from './connection.ts';
import { engineOf } from './engine.ts';
import { lists } from './lists.ts';

type MigrationStep = string | ((transaction: Transaction) => Promise<void>);

/**
 * The steps from each format to the next; `store.format` is the number of steps taken.
 * Citus distributes rows by the series or issuer in each primary key (see `distributions`).
 */
const migrations: readonly MigrationStep[] = [
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

  ${tables.ofFacts}
  alter table asof.vintage add column kind text not null default '';
  ${tables.ofCurves}

  -- What insiders filed: known from filed_on on. purchases marks what clusters of purchases are made of.
  create table asof.filing (
    filing_id text collate "C" not null,
    ${tables.columnsOfFilings},
    primary key (issuer_cik, filing_id)
  );
  create index filing_by_id on asof.filing (filing_id);
  create index newest_filings on asof.filing (filed_on desc, filing_id);
  create index purchases_of_issuer on asof.filing (issuer_cik) where purchases = 1;
  create table asof.trade (
    issuer_cik text collate "C" not null,
    filing_id text collate "C" not null,
    ${tables.columnsOfTrades},
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
    ${tables.columnsOfImports},
    outdated boolean not null default false
  );

  ${tables.ofFollowing}

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
    ${tables.filedTrades}
    from asof.filing f join asof.trade t using (issuer_cik, filing_id);
  `,
  `
  -- For filings that an import replaces.
  create index symbol_of_filing on asof.symbol (filing_id);
  `,
  // The source of an incomplete copy: nobody reads such a store, and only the copy writes to it.
  'alter table asof.store add column if not exists unfinished text',
  `
  -- The entries of the log that one import made have one number.
  alter table asof.import add column if not exists number bigint;

  ${tables.ofImportChanges}
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
  // Dates without a stated frequency stay as published, and fiscal years beside calendar years stay apart.
  async (transaction) => {
    // Dates that are in a vintage only because an answer was clipped: they may have been published before.
    await transaction.run(
      "alter table asof.vintage add column if not exists clipped text not null default ''",
    );
    await moveDates(transaction, engineOf(transaction).series);
  },
  tables.ofAliases,
  `${tables.ofCalendars}
  alter table asof.series add column if not exists release text;
  `,
  // An import that fails or is only tried would use up numbers.
  'alter table asof.import alter column id drop identity if exists',
  // On Citus, what an undo needs is beside the series.
  `${tables.ofSeriesChanges}
  insert into asof.series_change (series, import, version, content)
    select substr(subject, 8), import, version, content from asof.import_change where subject like 'series %';
  delete from asof.import_change where subject like 'series %';
  `,
  // Lists of series and filings on the coordinator, which are made after every migration.
  async () => undefined,
];

const currentFormat = migrations.length;

/** Tells whether a schema has a table; asks the catalog, because the server may cache a missing name. */
export async function hasTable(
  transaction: Transaction,
  table: 'store' | 'access' = 'store',
): Promise<boolean> {
  const found = await transaction.row(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = @schema and c.relname = @table`,
    { schema: transaction.database.schema, table },
  );
  return found !== undefined;
}

/** Throws a Problem if the schema has no store, or a store of another format. */
export async function checkFormat(transaction: Transaction): Promise<void> {
  const { schema, shown } = transaction.database;
  const format = await readFormat(transaction, 'store', currentFormat);
  if (format === undefined)
    throw new Problem('local-io', `there is no store in the schema ${schema} of ${shown}`, {
      hints: [
        '`asof store init` or `asof import` with --store and this address makes one',
        'schema=NAME in the address names another schema',
      ],
    });
  if (format < currentFormat)
    throw new Problem('local-io', `${shown} was made by an older asof`, {
      hints: ['`asof store init` by a user who may change its tables brings it up to date'],
    });
}

/** Reads the format in a table, undefined without the table; throws for a format of a newer asof. */
async function readFormat(
  transaction: Transaction,
  table: 'store' | 'access',
  newest: number,
): Promise<number | undefined> {
  if (!(await hasTable(transaction, table))) return undefined;
  const [format = 0] = await transaction.column<number>(`select format from asof.${table}`);
  if (format <= newest) return format;
  const what = table === 'store' ? '' : 'the access store ';
  throw new Problem(
    'local-io',
    `${what}${transaction.database.shown} was made by a newer asof (${table} format ${format}; this one reads up to ${newest})`,
    { hints: ['update asof'] },
  );
}

/** Makes tables of the newest format, or brings older ones up to date, with their number of `steps` in `table`. */
export async function prepareTables(
  transaction: Transaction,
  table: 'store' | 'access',
  steps: readonly MigrationStep[],
): Promise<InitResult> {
  const read = () => readFormat(transaction, table, steps.length);
  if ((await read()) === steps.length) return 'unchanged';
  const { schema } = transaction.database;
  // Another process may make or migrate them at the same time.
  await transaction.run('select pg_advisory_xact_lock(@key)', {
    key: lockNumber(`${table} format of ${schema}`),
  });
  const format = await read();
  // A user whose schema exists needs no right to create one.
  const isThere = await transaction.row('select 1 from pg_namespace where nspname = @schema', { schema });
  if (isThere === undefined)
    await transaction.run(`create schema if not exists ${pg.escapeIdentifier(schema)}`);
  const distributed = table === 'store' && format !== undefined && (await transaction.isDistributed());
  if (distributed) await transaction.run(sequential);
  for (const step of steps.slice(format ?? 0))
    await (typeof step === 'string' ? transaction.run(step) : step(transaction));
  await transaction.run(`update asof.${table} set format = ${steps.length}`);
  if (distributed) await distributeTables(transaction);
  else if (table === 'store') await lists.make(transaction, false);
  return format === undefined ? 'made' : 'updated';
}

/** Makes the schema a store of the current format and distributes it. */
export async function distributeStore(transaction: Transaction): Promise<InitResult> {
  await checkCitus(transaction);
  const result = await prepareStore(transaction);
  await distributeTables(transaction);
  return result;
}

/** Makes the schema a store of the current format. */
export function prepareStore(transaction: Transaction): Promise<InitResult> {
  return prepareTables(transaction, 'store', migrations);
}

/** Distributes series by id and filings by issuer: one node answers about a series from one snapshot. */
const distributions = [
  ['series', 'id', 'none'],
  ...tablesOfSeries.map((table) => [table, 'series', 'asof.series'] as const),
  ['filing', 'issuer_cik', 'none'],
  ['trade', 'issuer_cik', 'asof.filing'],
  ['symbol', 'issuer_cik', 'asof.filing'],
] as const;

/** The oldest usable Citus; older versions also read later commits on workers. */
const oldest = [11, 2] as const;

/** Throws a Problem unless the database has a version of Citus that reads from one snapshot on each node. */
async function checkCitus(transaction: Transaction): Promise<void> {
  const version = await transaction.citusVersion();
  const refused = (reason: string, ...hints: readonly string[]) =>
    new Problem('local-io', `cannot distribute the store ${transaction.database.shown}: ${reason}`, {
      hints,
    });
  if (version === undefined)
    throw refused(
      'the database has no Citus',
      'a superuser installs it with `create extension citus` on every node',
      'without --distribute the store works on one server',
    );
  const [major = 0, minor = 0] = version.split(/\D/).map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw refused(
    `its Citus is ${version}, and asof needs ${oldest.join('.')} or newer`,
    'update Citus: `alter extension citus update`',
  );
}

/** Makes a transaction use one connection to each node, because parallel ones do not see its writes. */
const sequential = "set local citus.multi_shard_modify_mode to 'sequential'";

async function distributeTables(transaction: Transaction): Promise<void> {
  await transaction.run(sequential);
  for (const [table, column, beside] of distributions)
    await transaction.run(
      `select create_distributed_table('asof.${table}', '${column}', colocate_with => '${beside}')
       where not exists (select 1 from pg_dist_partition where logicalrelid = 'asof.${table}'::regclass)`,
    );
  // An older asof distributed the words.
  const words = await transaction.row(
    "select 1 from pg_dist_partition where logicalrelid = 'asof.word'::regclass",
  );
  if (words !== undefined) await transaction.run("select undistribute_table('asof.word')");
  await lists.make(transaction, true);
}
