import type { Engine, EngineContents, FilingTables } from '../sql/engine.ts';
import type { Transaction } from './connection.ts';
import { isDistributed } from './schema.ts';
import { seriesById } from './series.ts';

/** What PostgreSQL does in its own way. */
export function engineOf(transaction: Transaction): Engine {
  return {
    reusesIds: false,
    series: seriesById(transaction),
    filings: filingTables,
    contents: schemaContents(transaction),
  };
}

const filed = 'asof.filing f join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id';

/** Filings by their issuers, by which Citus finds the shards of their rows. */
const filingTables: FilingTables = {
  filed,
  marked: filed,
  byIssuer: 'f.issuer_cik, f.filing_id, t.row',
  tradesByDay: 'asof.trade',
  ofSymbol:
    '(f.issuer_cik, f.filing_id) in (select issuer_cik, filing_id from asof.symbol where symbol = @ticker)',
  issuersOfSymbol: 'select issuer_cik from asof.symbol where symbol = @ticker',
  filingKey: 'issuer_cik, filing_id',
  owner: { issuer_cik: 'text', filing_id: 'text' },
  ownersOf:
    async () =>
    ({ issuerCik, filingId }) => [issuerCik, filingId],
  ofFilings: () => 'issuer_cik = any(@ciks::text[]) and filing_id = any(@ids::text[])',
};

/** What PostgreSQL knows about the store in a schema. */
function schemaContents(transaction: Transaction): EngineContents {
  const { schema } = transaction;
  return {
    derivedOfFilings: `select f.filing_id as id, f.ticker, f.owners, f.owner_names as names, array_agg(s.symbol) as symbols
      from asof.filing f
        left join asof.symbol s on s.issuer_cik = f.issuer_cik and s.filing_id = f.filing_id
      group by f.issuer_cik, f.filing_id`,
    wordsOfSeries: `select s.id, s.title, s.units, array_agg(w.word) as words
      from asof.series s left join asof.word w on w.series = s.id group by s.id`,
    async size() {
      const ofTable = (await isDistributed(transaction))
        ? `case when c.oid in (select logicalrelid from pg_dist_partition) then citus_total_relation_size(c.oid)
           else pg_total_relation_size(c.oid) end`
        : 'pg_total_relation_size(c.oid)';
      const [store, sizes] = await Promise.all([
        transaction.row<{ readonly format: number }>('select format from asof.store'),
        transaction.row<{ readonly bytes: number }>(
          `select coalesce(sum(${ofTable}), 0)::bigint as bytes
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = @schema and c.relkind = 'r'`,
          { schema },
        ),
      ]);
      return { format: store?.format ?? 0, bytes: sizes?.bytes ?? 0 };
    },
    async faults(derived) {
      const faults: string[] = [];
      const indexes = await transaction.column<string>(
        `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
           join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = @schema and not (i.indisvalid and i.indisready) order by 1`,
        { schema },
      );
      for (const name of indexes) faults.push(`the index ${name} is not valid`);
      for (const [table, parent, joined, id] of belongings) {
        const orphans = await transaction.rows<{ id: string; count: number }>(
          `select ${id} as id, count(*) as count from asof.${table} t
           where not exists (select 1 from asof.${parent} p where ${joined}) group by 1 order by 1 limit 100`,
        );
        for (const { id: of, count } of orphans)
          faults.push(`${count} rows of ${table} belong to no ${parent}: ${of}`);
      }
      return [...faults, ...(await derived())];
    },
  };
}

const [ofSeries, ofFiling] = ['p.id = t.series', 'p.issuer_cik = t.issuer_cik and p.filing_id = t.filing_id'];

/** Tables whose rows belong to rows of another: the table, the other one, the join, and the id to report. */
const belongings = [
  ['fact', 'series', ofSeries, 't.series'],
  ['respelling', 'series', ofSeries, 't.series'],
  ['vintage', 'series', ofSeries, 't.series'],
  ['description_change', 'series', ofSeries, 't.series'],
  ['word', 'series', ofSeries, 't.series'],
  ['trade', 'filing', ofFiling, 't.filing_id'],
  ['symbol', 'filing', ofFiling, 't.filing_id'],
] as const;
