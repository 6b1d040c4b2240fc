create schema {schema};
create table {schema}.access (
  only_row integer primary key check (only_row = 1), format integer not null, version bigint not null
);
insert into {schema}.access values (1, 1, 1);
create table {schema}.api_key (
  id text collate "C" primary key, hash text not null unique, name text not null, plan text not null,
  start text not null, created_at text collate "C" not null, revoked_at text
);
create table {schema}.usage (
  key_id text collate "C" primary key,
  minute_began text collate "C" not null default '', minute integer not null default 0,
  day_began text collate "C" not null default '', day integer not null default 0,
  month_began text collate "C" not null default '', month integer not null default 0,
  granted integer not null default 0
) with (fillfactor = 50);
