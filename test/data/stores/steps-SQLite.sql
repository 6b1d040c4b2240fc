create table series ( key integer primary key, id text not null unique, title text, units text, frequency text, seasonal_adjustment text, source text, implied_frequency text, implied_source text, stated_covered_to text, spacing_frequency text not null default '', normalised_by text not null default '', observation_count integer not null default 0, date_count integer not null default 0, fact_count integer not null default 0, first_vintage text, last_vintage text, covered_to text, version integer not null default 0 ) strict;
create table asof.fact ( series integer not null references series (key), date text not null, as_of_date text not null, value text, primary key (series, date, as_of_date) ) strict, without rowid;
create table asof.respelling ( series integer not null references series (key), date text not null, as_of_date text not null, value text not null, primary key (series, date, as_of_date) ) strict, without rowid;
create table asof.vintage ( series integer not null references series (key), as_of_date text not null, dates text not null, complete integer not null default 0, primary key (series, as_of_date) ) strict, without rowid;
create table asof.curve ( curve_type text collate "C" not null, trade_date text not null, months real not null, maturity text not null, rate text not null, source text collate "C" not null, primary key (curve_type, trade_date, months) ) strict, without rowid;
create table filing ( key integer primary key, filing_id text not null unique, accession_number text, form_type text not null, filed_on text not null, accepted_at text, original_filed_on text, period_of_report text, issuer_cik text collate "C" not null, issuer_name text, ticker text, owners text not null, owner_names text not null, is_10b5_1 integer, purchases integer not null default 0 ) strict;
create unique index newest_filings on filing (filed_on desc, filing_id);
create index purchases_of_issuer on filing (issuer_cik) where purchases = 1;
create table trade ( filing integer not null references filing (key), row integer not null, is_derivative integer not null, security_title text, transaction_date text, transaction_code text collate "C", acquired_disposed text, shares text, price_per_share text, shares_owned_after text, ownership text, primary key (filing, row) ) strict, without rowid;
create table symbol ( symbol text not null, filing integer not null references filing (key), primary key (symbol, filing) ) strict, without rowid;
create table import ( id integer primary key, imported_at text not null, file text not null, kind text not null, sha256 text not null, series integer not null, statements_new integer not null, statements_known integer not null, withdrawn integer not null ) strict;
create table store ( only integer primary key check (only = 1), revision integer not null, sample integer not null default 0 ) strict;
insert into store (only, revision) values (1, 0);
create view observation as select s.id as series_id, f.date, f.as_of_date, f.value from fact f join series s on s.key = f.series;
create view insider_trade as select f.filed_on, f.filing_id, t.row, f.form_type, f.issuer_cik, f.issuer_name, f.ticker, f.owners, t.is_derivative, t.security_title, t.transaction_date, t.transaction_code, t.acquired_disposed, t.shares, t.price_per_share, t.shares_owned_after, t.ownership from filing f join trade t on t.filing = f.key;

alter table series add column stated_vintage_kind text;
alter table series add column vintage_kind text not null default '';
alter table vintage add column kind text not null default '';
update vintage set kind = ( select case when source in ('Philadelphia Fed Real-Time Data Set', 'FRED-MD', 'FRED-QD', 'FRED dated panel') then 'sampled' when source like '%; %' then 'unknown' when source <> 'FRED' or kinds = 'asof-csv' then '' when kinds = 'alfred-wide' then 'exact' when kinds = 'fred-csv' then 'fetched' else 'unknown' end from (select coalesce(implied_source, '') as source from series where key = vintage.series) join ( select group_concat(distinct kind) as kinds from import where kind in ('alfred-wide', 'asof-csv', 'fred-api', 'fred-csv') ) );
update series set vintage_kind = coalesce(( select group_concat(kind, '; ') from ( select distinct iif(kind = '', 'exact', kind) as kind from vintage where series = series.key order by 1 ) ), '');

alter table import add column outdated integer not null default 0;
update import set outdated = 1 where kind in ('alfred-wide', 'dated-panel', 'fred-csv', 'fred-md', 'fred-qd');

create table asof.followed ( source text collate "C" not null, name text collate "C" not null, since text not null, bookmark text not null, up_to text, last_run text, left_undone text not null, primary key (source, name) ) strict, without rowid;
create table asof.description_change ( series integer not null references series (key), changed_on text not null, field text collate "C" not null, before text not null, after text not null, primary key (series, changed_on, field) ) strict, without rowid;

create index filings_of_issuer on filing (issuer_cik)

alter table import add column number integer;
create table if not exists asof.import_change ( import integer not null, subject text collate "C" not null, version integer not null, content text not null, primary key (import, subject) ) strict, without rowid;
create index if not exists changes_of_subject on asof.import_change (subject, import);

create index trades_by_day on trade (transaction_code, transaction_date) where is_derivative = 0;
create index newest_purchases on filing (filed_on) where purchases = 1;

create table word ( word text not null, series integer not null, primary key (word, series) ) strict, without rowid;

alter table vintage add column clipped text not null default ''

create table if not exists asof.alias ( name text collate "C" not null, series_id text collate "C" not null, primary key (name) ) strict, without rowid;

create table if not exists asof.calendar_look ( source text collate "C" not null, scope text collate "C" not null, lists text collate "C" not null, first_day text not null, last_day text not null, seen_at text collate "C" not null, listing text collate "C" not null, primary key (source, scope, lists, first_day, last_day, seen_at) ) strict, without rowid;
create table if not exists asof.calendar_listing ( listing text collate "C" not null, entries text not null, primary key (listing) ) strict, without rowid;
alter table series add column release text;

alter table series add column title_length integer not null default 0;
alter table series add column title_areas text not null default '';

create index series_summary on series (key, first_vintage, id, title_length, title_areas)

create table if not exists asof.series_change ( series integer not null references series (key), import integer not null, version integer not null, content text not null, primary key (series, import) ) strict, without rowid;
create index if not exists series_of_import on asof.series_change (import);
insert into series_change (series, import, version, content) select s.key, c.import, c.version, c.content from import_change c join series s on 'series ' || s.id = c.subject; delete from import_change where subject like 'series %';
