import type { AccessStore, WindowName } from '../access-store.ts';
import { keysIn, keyTables } from '../sql/access.ts';
import { Database, type Transaction } from './connection.ts';
import { prepareTables } from './schema.ts';

/** The steps from each format to the next; `access.format` is the number of steps taken. */
const migrations: readonly string[] = [
  `
  -- One row; version grows with every change of keys.
  create table asof.access (
    only_row integer primary key check (only_row = 1),
    format integer not null,
    version bigint not null
  );
  insert into asof.access values (1, 0, 0);

  create table asof.api_key (
    ${keyTables.columns}
  );

  -- The latest window of each kind that a key used, and the requests that counted in it.
  create table asof.usage (
    key_id text collate "C" primary key,
    minute_began text collate "C" not null default '', minute integer not null default 0,
    day_began text collate "C" not null default '', day integer not null default 0,
    month_began text collate "C" not null default '', month integer not null default 0,
    granted integer not null default 0
  ) with (fillfactor = 50);
  `,
  keyTables.rotation,
];

const windows: readonly WindowName[] = ['minute', 'day', 'month'];

type CountedRow = { readonly key_id: string } & Readonly<
  Record<WindowName, number> & Record<`${WindowName}_began`, string>
>;

/** Opens the access store in a database, or creates it; any number of processes may count requests. */
export async function openPostgresAccess(address: string): Promise<AccessStore> {
  const database = await Database.open(address);
  return database.opened('write', async (transaction) => {
    await prepareTables(transaction, 'access', migrations);
    return accessOf(database);
  });
}

function accessOf(database: Database): AccessStore {
  const read = <T>(work: (transaction: Transaction) => Promise<T>) => database.inTransaction('read', work);
  return {
    ...keysIn({
      read,
      change: (work) =>
        database.inTransaction('write', async (transaction) => {
          await transaction.run('update asof.access set version = version + 1');
          return work(transaction);
        }),
    }),
    async version() {
      const row = await read((transaction) =>
        transaction.row<{ version: number }>('select version from asof.access'),
      );
      return row?.version ?? 0;
    },
    async usage() {
      const rows = await read((transaction) => transaction.rows<CountedRow>('select * from asof.usage'));
      return rows.flatMap((row) =>
        windows.flatMap((window) => {
          const began = row[`${window}_began`];
          return began === ''
            ? []
            : [{ keyId: row.key_id, window, began: new Date(began), count: row[window] }];
        }),
      );
    },
    saveUsage: (records) =>
      database.inTransaction('write', async (transaction) => {
        for (const { keyId, window, began, count } of records)
          await transaction.run(
            `insert into asof.usage (key_id, ${window}_began, ${window}) values (@keyId, @began, @count)
             on conflict (key_id) do update set ${window}_began = excluded.${window}_began, ${window} = excluded.${window}`,
            { keyId, began: began.toISOString(), count },
          );
      }),
    // Locks the row of the key: processes never exceed a limit together. Does not wait for the server's disk: a
    // crash can lose the last half second of counts.
    count(keyId, wanted, given) {
      const values = Object.fromEntries(
        given.flatMap(({ window, began, ends, limit }) => [
          [`${window}Began`, began.toISOString()],
          [`${window}Ends`, ends.toISOString()],
          [`${window}Limit`, limit],
        ]),
      );
      return database.inTransaction('write', async (transaction) => {
        const unsynced = transaction.run('set local synchronous_commit to off');
        unsynced.catch(() => undefined);
        const row = await transaction.row<Omit<CountedRow, 'key_id'> & { readonly granted: number }>(
          countSql,
          { keyId, wanted, ...values },
        );
        if (row === undefined) throw new Error(`the requests of key ${keyId} were not counted`);
        const counts = windows.map((window) => ({
          window,
          began: new Date(row[`${window}_began`]),
          count: row[window],
        }));
        return { granted: row.granted, counts };
      });
    },
    close: () => database.close(),
  };
}

const each = (text: (window: WindowName) => string) => windows.map(text).join(', ');

/** Tests in SQL whether a window is open; one that begins later comes from a clock that was far ahead. */
const isOpen = (window: WindowName) =>
  `u.${window}_began >= @${window}Began and u.${window}_began <= @${window}Ends`;

const columns = `${each((window) => `${window}_began, ${window}`)}, granted`;
const atFirst = `least(@wanted::integer, ${each((window) => `@${window}Limit::integer`)})`;

const countSql = `insert into asof.usage as u (key_id, ${columns})
  values (@keyId, ${each((window) => `@${window}Began, ${atFirst}`)}, ${atFirst})
  on conflict (key_id) do update set (${columns}) = (
    select ${each((window) => `${window}_began, ${window} + granted`)}, granted from (
      select *, greatest(0, least(@wanted::integer, ${each((window) => `@${window}Limit::integer - ${window}`)})) as granted
      from (
        select ${each(
          (
            window,
          ) => `case when ${isOpen(window)} then u.${window}_began else @${window}Began end as ${window}_began,
          case when ${isOpen(window)} then u.${window} else 0 end as ${window}`,
        )}
      ) as held
    ) as counted
  )
  returning ${columns}`;
