/** The tables of every engine whose rows belong to a series, by their column `series`. */
export const tablesOfSeries = [
  'fact',
  'respelling',
  'vintage',
  'description_change',
  'series_change',
] as const;

/**
 * The tables that every engine has after its first migrations, as PostgreSQL writes them.
 * Texts are compared by their bytes, as asof sorts them.
 */
export const tables = {
  ofFacts: `
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
    primary key (series, as_of_date)
  );
  `,
  ofCurves: `
  create table asof.curve (
    curve_type text collate "C" not null,
    trade_date date not null,
    months double precision not null,
    maturity text not null,
    rate text not null,
    source text collate "C" not null,
    primary key (curve_type, trade_date, months)
  );
  `,
  columnsOfFilings: `
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
    purchases integer not null default 0`,
  columnsOfTrades: `
    row integer not null,
    is_derivative integer not null,
    security_title text,
    transaction_date text,
    transaction_code text collate "C",
    acquired_disposed text,
    shares text,
    price_per_share text,
    shares_owned_after text,
    ownership text`,
  columnsOfImports: `
    imported_at text not null,
    file text not null,
    kind text not null,
    sha256 text not null,
    series bigint not null,
    statements_new bigint not null,
    statements_known bigint not null,
    withdrawn bigint not null`,
  ofFollowing: `
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

  -- Fields of a series' description that changed, such as its units.
  create table asof.description_change (
    series text collate "C" not null,
    changed_on date not null,
    field text collate "C" not null,
    before text not null,
    after text not null,
    primary key (series, changed_on, field)
  );
  `,
  ofImportChanges: `
  -- What an import has to know to be taken back, besides series: by subject, what was there before (JSON).
  create table if not exists asof.import_change (
    import bigint not null,
    subject text collate "C" not null,
    version bigint not null,
    content text not null,
    primary key (import, subject)
  );
  create index if not exists changes_of_subject on asof.import_change (subject, import);
  `,
  ofSeriesChanges: `
  -- What an import has to know of a series to be taken back: what it was before (JSON), and its version afterwards.
  create table if not exists asof.series_change (
    series text collate "C" not null,
    import bigint not null,
    version bigint not null,
    content text not null,
    primary key (series, import)
  );
  create index if not exists series_of_import on asof.series_change (import);
  `,
  ofAliases: `
  -- Short names of series; never the id of a series.
  create table if not exists asof.alias (
    name text collate "C" not null,
    series_id text collate "C" not null,
    primary key (name)
  );
  `,
  ofCalendars: `
  -- When a calendar of releases was looked at, and which days it covered.
  create table if not exists asof.calendar_look (
    source text collate "C" not null,
    scope text collate "C" not null,
    lists text collate "C" not null,
    first_day date not null,
    last_day date not null,
    seen_at text collate "C" not null,
    listing text collate "C" not null,
    primary key (source, scope, lists, first_day, last_day, seen_at)
  );

  -- What looks saw (JSON), by its SHA-256: a calendar is looked at daily and changes weekly.
  create table if not exists asof.calendar_listing (
    listing text collate "C" not null,
    entries text not null,
    primary key (listing)
  );
  `,
  filedTrades: `
    select f.filed_on, f.filing_id, t.row, f.form_type, f.issuer_cik, f.issuer_name, f.ticker, f.owners, t.is_derivative,
      t.security_title, t.transaction_date, t.transaction_code, t.acquired_disposed, t.shares, t.price_per_share,
      t.shares_owned_after, t.ownership`,
};
