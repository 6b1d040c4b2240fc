import { summaryOfTitle } from '../../domain/search/word-index.ts';
import { rowsOfOthers } from '../../domain/series/table-columns.ts';
import type { Day } from '../../domain/values/date.ts';
import { formatDateSet, parseDateSet } from '../../domain/values/date-set.ts';
import { addAllWords, moveDates } from '../sql/series-rows.ts';
import { tables } from '../sql/tables.ts';
import { applicationId, type Connection, currentFormat, formatOf, SqliteSession } from './connection.ts';
import { engineOf } from './engine.ts';

type FileMigration = (connection: Connection, session: SqliteSession) => Promise<void>;

/** The steps from each format to the next; `user_version` is the number of steps taken. */
const migrations = [
  `
  create table series (
    key integer primary key,
    id text not null unique,
    title text, units text, frequency text, seasonal_adjustment text, source text,
    implied_frequency text, implied_source text, stated_covered_to text,
    spacing_frequency text not null default '',
    normalised_by text not null default '',
    observation_count integer not null default 0,
    date_count integer not null default 0,
    fact_count integer not null default 0,
    first_vintage text, last_vintage text, covered_to text,
    version integer not null default 0
  ) strict;

  ${tables.ofFacts}
  ${tables.ofCurves}

  -- What insiders filed: known from filed_on on. purchases marks what clusters of purchases are made of.
  create table filing (
    key integer primary key,
    filing_id text not null unique,
    ${tables.columnsOfFilings}
  ) strict;
  create unique index newest_filings on filing (filed_on desc, filing_id);
  create index purchases_of_issuer on filing (issuer_cik) where purchases = 1;
  create table trade (
    filing integer not null references filing (key),
    ${tables.columnsOfTrades},
    primary key (filing, row)
  ) strict, without rowid;
  -- The trading symbols under which each was filed.
  create table symbol (
    symbol text not null,
    filing integer not null references filing (key),
    primary key (symbol, filing)
  ) strict, without rowid;
  create table import (
    id integer primary key,
    ${tables.columnsOfImports}
  ) strict;

  -- One row; revision changes with every import that changed anything.
  create table store (
    only integer primary key check (only = 1),
    revision integer not null,
    sample integer not null default 0
  ) strict;
  insert into store (only, revision) values (1, 0);

  -- For queries with the sqlite3 shell.
  create view observation as
    select s.id as series_id, f.date, f.as_of_date, f.value
    from fact f join series s on s.key = f.series;
  create view insider_trade as
    ${tables.filedTrades}
    from filing f join trade t on t.filing = f.key;
  `,
  // The origin of vintages (vintage-kind.ts). Older imports get it from the source of a series.
  // FRED's files are of several kinds: the log decides if all of them are of one kind; otherwise it is unknown.
  `
  alter table series add column stated_vintage_kind text;
  alter table series add column vintage_kind text not null default '';
  alter table vintage add column kind text not null default '';
  update vintage set kind = (
    select case
      when source in ('Philadelphia Fed Real-Time Data Set', 'FRED-MD', 'FRED-QD', 'FRED dated panel') then 'sampled'
      when source like '%; %' then 'unknown'
      when source <> 'FRED' or kinds = 'asof-csv' then ''
      when kinds = 'alfred-wide' then 'exact'
      when kinds = 'fred-csv' then 'fetched'
      else 'unknown'
    end
    from (select coalesce(implied_source, '') as source from series where key = vintage.series)
    join (
      select group_concat(distinct kind) as kinds from import
      where kind in ('alfred-wide', 'asof-csv', 'fred-api', 'fred-csv')
    )
  );
  update series set vintage_kind = coalesce((
    select group_concat(kind, '; ') from (
      select distinct iif(kind = '', 'exact', kind) as kind from vintage where series = series.key order by 1
    )
  ), '');
  `,
  // An older rule for blank cells read files of these kinds; workbooks of the Real-Time Data Set have none.
  async (connection: Connection) => {
    connection.exec(`
      alter table import add column outdated integer not null default 0;
      update import set outdated = 1 where kind in ('alfred-wide', 'dated-panel', 'fred-csv', 'fred-md', 'fred-qd');
    `);
    dropRowsOfOthers(connection);
  },
  tables.ofFollowing,
  // For clusters of sales and other codes, whose filings are not marked.
  'create index filings_of_issuer on filing (issuer_cik)',
  `
  -- The entries of the log that one import made have one number.
  alter table import add column number integer;

  ${tables.ofImportChanges}
  `,
  // For clusters of the newest trades, and signals of the newest filings, without reading all issuers.
  `
  create index trades_by_day on trade (transaction_code, transaction_date) where is_derivative = 0;
  create index newest_purchases on filing (filed_on) where purchases = 1;
  `,
  // The words by which a search finds series.
  async (connection: Connection, session: SqliteSession) => {
    connection.exec(`
      create table word (
        word text not null,
        series integer not null,
        primary key (word, series)
      ) strict, without rowid;
    `);
    await addAllWords(session);
  },
  // Dates without a stated frequency stay as published, and fiscal years beside calendar years stay apart.
  async (connection: Connection, session: SqliteSession) => {
    // Dates that are in a vintage only because an answer was clipped: they may have been published before.
    connection.exec("alter table vintage add column clipped text not null default ''");
    await moveDates(session, engineOf(session).series);
  },
  tables.ofAliases,
  `${tables.ofCalendars}
  alter table series add column release text;
  `,
  // What ranks the series that a search finds, beside their words.
  async (connection: Connection) => {
    connection.exec(`
      alter table series add column title_length integer not null default 0;
      alter table series add column title_areas text not null default '';
    `);
    summariseTitles(connection);
    connection.exec(
      'create index series_summary on series (key, first_vintage, id, title_length, title_areas)',
    );
  },
  // In PostgreSQL, what an undo needs is beside the series.
  `${tables.ofSeriesChanges}
  insert into series_change (series, import, version, content)
    select s.key, c.import, c.version, c.content from import_change c join series s on 'series ' || s.id = c.subject;
  delete from import_change where subject like 'series %';
  `,
] as const satisfies { readonly length: typeof currentFormat } & readonly (string | FileMigration)[];

function summariseTitles(connection: Connection): void {
  const all = connection.tuples<readonly [key: number, title: string]>(
    'select key, coalesce(title, id) from series',
  );
  for (const [key, title] of all.all()) {
    const { length, areas } = summaryOfTitle(title);
    connection.run('update series set title_length = ?, title_areas = ? where key = ?', length, areas, key);
  }
}

/** Makes a new, empty database a store of the current format. */
export async function createSchema(connection: Connection): Promise<void> {
  connection.pragma(`application_id = ${applicationId}`);
  await migrate(connection, '');
}

/** Migrates a store to the current format, inside the caller's transaction; false if it has that format. */
export async function migrate(connection: Connection, path: string): Promise<boolean> {
  const format = formatOf(connection, path);
  if (format === currentFormat) return false;
  const session = new SqliteSession(path, connection);
  for (const step of migrations.slice(format))
    if (typeof step === 'string') connection.exec(tableWords(step));
    else await step(connection, session);
  connection.pragma(`user_version = ${currentFormat}`);
  return true;
}

/** Translates a step for SQLite, which has no type of days and numbers series. */
function tableWords(step: string): string {
  return step
    .replace(/\bseries text collate "C" not null/g, 'series integer not null references series (key)')
    .replace(/^( +\w+) date\b/gm, '$1 text')
    .replace(/ bigint\b/g, ' integer')
    .replace(/ double precision\b/g, ' real')
    .replace(/ boolean not null default false/g, ' integer not null default 0')
    .replace(/(primary key \(.*\)\n {2}\));/g, '$1 strict, without rowid;');
}

/** Removes blank cells that were read as withdrawals, but were in rows of series with another frequency. */
function dropRowsOfOthers(connection: Connection): void {
  const series = connection.column<number>(`select key from series where implied_source like 'FRED%'`).all();
  for (const key of series) {
    const vintages = connection
      .objects<{ asOf: Day; dates: string }>('select as_of_date as asOf, dates from vintage where series = ?')
      .all(key);
    const mentioned = new Set(vintages.flatMap(({ dates }) => parseDateSet(dates).days()));
    const figures = new Set(
      connection
        .column<Day>('select distinct date from fact where series = ? and value is not null')
        .all(key),
    );
    const others = rowsOfOthers(mentioned, figures);
    if (others.dates.length === 0) continue;
    for (const { asOf, dates } of vintages) {
      const own = parseDateSet(dates)
        .days()
        .filter((date) => !others.dates.includes(date));
      if (own.length > 0)
        connection.run(
          'update vintage set dates = ? where series = ? and as_of_date = ?',
          formatDateSet(own),
          key,
          asOf,
        );
    }
    connection.run(
      `update series set implied_frequency = iif(implied_frequency is null, null, @frequency),
        spacing_frequency = iif(spacing_frequency = '', '', @frequency) where key = @key`,
      { key, frequency: others.frequency },
    );
  }
}
