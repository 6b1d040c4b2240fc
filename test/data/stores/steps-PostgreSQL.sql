create table asof.series ( id text collate "C" primary key, title text, units text, frequency text, seasonal_adjustment text, source text, implied_frequency text, implied_source text, stated_covered_to date, stated_vintage_kind text, spacing_frequency text not null default '', normalised_by text not null default '', vintage_kind text not null default '', observation_count bigint not null default 0, date_count bigint not null default 0, fact_count bigint not null default 0, first_vintage date, last_vintage date, covered_to date, version bigint not null default 0, state text not null default '' );
create table asof.fact ( series text collate "C" not null, date date not null, as_of_date date not null, value text, primary key (series, date, as_of_date) );
create table asof.respelling ( series text collate "C" not null, date date not null, as_of_date date not null, value text not null, primary key (series, date, as_of_date) );
create table asof.vintage ( series text collate "C" not null, as_of_date date not null, dates text not null, complete boolean not null default false, primary key (series, as_of_date) );
alter table asof.vintage add column kind text not null default '';
create table asof.curve ( curve_type text collate "C" not null, trade_date date not null, months double precision not null, maturity text not null, rate text not null, source text collate "C" not null, primary key (curve_type, trade_date, months) );
create table asof.filing ( filing_id text collate "C" not null, accession_number text, form_type text not null, filed_on date not null, accepted_at text, original_filed_on text, period_of_report text, issuer_cik text collate "C" not null, issuer_name text, ticker text, owners text not null, owner_names text not null, is_10b5_1 integer, purchases integer not null default 0, primary key (issuer_cik, filing_id) );
create index filing_by_id on asof.filing (filing_id);
create index newest_filings on asof.filing (filed_on desc, filing_id);
create index purchases_of_issuer on asof.filing (issuer_cik) where purchases = 1;
create table asof.trade ( issuer_cik text collate "C" not null, filing_id text collate "C" not null, row integer not null, is_derivative integer not null, security_title text, transaction_date text, transaction_code text collate "C", acquired_disposed text, shares text, price_per_share text, shares_owned_after text, ownership text, primary key (issuer_cik, filing_id, row) );
create table asof.symbol ( symbol text collate "C" not null, issuer_cik text collate "C" not null, filing_id text collate "C" not null, primary key (symbol, issuer_cik, filing_id) );
create table asof.import ( id bigint generated always as identity primary key, imported_at text not null, file text not null, kind text not null, sha256 text not null, series bigint not null, statements_new bigint not null, statements_known bigint not null, withdrawn bigint not null, outdated boolean not null default false );
create table asof.followed ( source text collate "C" not null, name text collate "C" not null, since text not null, bookmark text not null, up_to date, last_run text, left_undone text not null, primary key (source, name) );
create table asof.description_change ( series text collate "C" not null, changed_on date not null, field text collate "C" not null, before text not null, after text not null, primary key (series, changed_on, field) );
create table asof.store ( only_row integer primary key check (only_row = 1), format integer not null, revision bigint not null, state text not null );
insert into asof.store values (1, 0, 0, gen_random_uuid()::text);
create view asof.observation as select series as series_id, date, as_of_date, value from asof.fact;
create view asof.insider_trade as select f.filed_on, f.filing_id, t.row, f.form_type, f.issuer_cik, f.issuer_name, f.ticker, f.owners, t.is_derivative, t.security_title, t.transaction_date, t.transaction_code, t.acquired_disposed, t.shares, t.price_per_share, t.shares_owned_after, t.ownership from asof.filing f join asof.trade t using (issuer_cik, filing_id);

create index symbol_of_filing on asof.symbol (filing_id);

alter table asof.store add column if not exists unfinished text

alter table asof.import add column if not exists number bigint;
create table if not exists asof.import_change ( import bigint not null, subject text collate "C" not null, version bigint not null, content text not null, primary key (import, subject) );
create index if not exists changes_of_subject on asof.import_change (subject, import);

create index if not exists trades_by_day on asof.trade (transaction_code, transaction_date collate "C", issuer_cik, filing_id) where is_derivative = 0;
create index if not exists newest_purchases on asof.filing (filed_on) where purchases = 1;

create table if not exists asof.word ( series text collate "C" not null, word text collate "C" not null, primary key (series, word) );
create index if not exists series_of_word on asof.word (word, series);

alter table asof.vintage add column if not exists clipped text not null default ''

create table if not exists asof.alias ( name text collate "C" not null, series_id text collate "C" not null, primary key (name) );

create table if not exists asof.calendar_look ( source text collate "C" not null, scope text collate "C" not null, lists text collate "C" not null, first_day date not null, last_day date not null, seen_at text collate "C" not null, listing text collate "C" not null, primary key (source, scope, lists, first_day, last_day, seen_at) );
create table if not exists asof.calendar_listing ( listing text collate "C" not null, entries text not null, primary key (listing) );
alter table asof.series add column if not exists release text;

alter table asof.import alter column id drop identity if exists

create table if not exists asof.series_change ( series text collate "C" not null, import bigint not null, version bigint not null, content text not null, primary key (series, import) );
create index if not exists series_of_import on asof.series_change (import);
insert into asof.series_change (series, import, version, content) select substr(subject, 8), import, version, content from asof.import_change where subject like 'series %'; delete from asof.import_change where subject like 'series %';
