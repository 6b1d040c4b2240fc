-- The roles of a store in PostgreSQL, for psql as a superuser in the database of the store. docs/guide/scale.md explains them.
\getenv importer IMPORTER_PASSWORD
\getenv reader READER_PASSWORD
\getenv keys KEYS_PASSWORD

create role importer login password :'importer';
create role reader login password :'reader';
create schema asof authorization importer;
grant usage on schema asof to reader;
alter default privileges for role importer in schema asof grant select on tables to reader;

create role keys login password :'keys';
create schema keys authorization keys;
