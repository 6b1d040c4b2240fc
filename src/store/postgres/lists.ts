// Why: docs/decisions/citus.md
import type { Transaction } from './connection.ts';

/** Columns of a table, by the column that distributes its rows; `primary` finds a row. */
type List = {
  readonly of: string;
  readonly key: 'id' | 'issuer_cik';
  readonly columns: string;
  readonly primary: string;
};

/**
 * What searches and lists of all series and filings read: views on one server. Citus would ask every shard, so there
 * they are tables of the coordinator, to which an import writes the rows of its own series and issuers.
 */
const kept: Readonly<Record<string, List>> = {
  listed_series: { of: 'series', key: 'id', columns: '*', primary: 'id' },
  listed_symbol: {
    of: 'symbol',
    key: 'issuer_cik',
    columns: 'symbol, issuer_cik',
    primary: 'symbol, issuer_cik',
  },
  listed_day: {
    of: 'filing',
    key: 'issuer_cik',
    columns: 'filed_on, issuer_cik',
    primary: 'filed_on, issuer_cik',
  },
};

/** Makes the lists, also again after a migration, with what is stored. */
async function makeLists(transaction: Transaction, distributed: boolean): Promise<void> {
  for (const [list, { of, key, columns, primary }] of Object.entries(kept)) {
    await transaction.run(`do $$ begin
      execute case (select relkind from pg_class where oid = to_regclass('asof.${list}'))
        when 'v' then 'drop view asof.${list}' when 'r' then 'drop table asof.${list}' else 'select 1' end;
      end $$`);
    const rows = `select ${columns} from asof.${of}`;
    if (!distributed) await transaction.run(`create view asof.${list} as ${rows}`);
    else {
      await transaction.run(`create table asof.${list} as ${rows} limit 0`);
      await transaction.run(`alter table asof.${list} add primary key (${primary})`);
      if (primary !== key) await transaction.run(`create index on asof.${list} (${key})`);
    }
  }
  if (distributed) await updateLists(transaction);
}

/** Writes the rows of these series and issuers to the lists; of all without them. */
async function updateLists(
  transaction: Transaction,
  changed?: { readonly series: readonly string[]; readonly filings: readonly string[] },
): Promise<void> {
  for (const [list, { of, key, columns }] of Object.entries(kept)) {
    const write = async (where: string, keys?: readonly string[]) => {
      await transaction.write(`delete from asof.${list}${where}`, { keys });
      await transaction.write(`insert into asof.${list} select distinct ${columns} from asof.${of}${where}`, {
        keys,
      });
    };
    if (changed === undefined) await write('');
    const keys = (key === 'id' ? changed?.series : changed?.filings) ?? [];
    for (let at = 0; at < keys.length; at += keysAtOnce)
      await write(` where ${key} = any(@keys::text[])`, keys.slice(at, at + keysAtOnce));
  }
}

const keysAtOnce = 5000;

/** Lists which lists have other rows than the tables whose rows they list. */
async function faultsOfLists(transaction: Transaction): Promise<readonly string[]> {
  if (!(await transaction.isDistributed())) return [];
  const faults: string[] = [];
  for (const [list, { of, columns }] of Object.entries(kept)) {
    const rows = async (table: string) =>
      new Set(
        await transaction.column<string>(
          `select distinct md5(t::text) as row from (select ${columns} from asof.${table}) as t`,
        ),
      );
    const [listed, stored] = [await rows(list), await rows(of)];
    const count = [...listed].filter((row) => !stored.has(row)).length;
    const others = count + [...stored].filter((row) => !listed.has(row)).length;
    if (others > 0)
      faults.push(
        `${list} differs from ${of} (rows: ${others}); \`asof store init --distribute\` makes it again`,
      );
  }
  return faults;
}

/** Makes, updates and checks the lists. */
export const lists = { make: makeLists, update: updateLists, faults: faultsOfLists };
