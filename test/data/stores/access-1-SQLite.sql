create table api_key (
  id text primary key, hash text not null unique, name text not null, plan text not null,
  start text not null, created_at text not null, revoked_at text
) strict;
create table usage (
  key_id text not null, window text not null, began text not null, count integer not null,
  primary key (key_id, window)
) strict, without rowid;
pragma application_id = 1634955115;
pragma user_version = 1;
