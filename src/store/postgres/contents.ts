import type { KeptChange } from '../../domain/series/revision-history.ts';
import {
  changesInPages,
  type DerivedOfFiling,
  filingFaults,
  type KeptMaturity,
  maturityFaults,
  type SeriesTotals,
  type StoreContents,
  wordFaults,
} from '../contents.ts';
import { type ContentsRow, contentsOf } from '../series-record.ts';
import type { Transaction } from './connection.ts';
import { isDistributed } from './schema.ts';
import { seriesRows } from './series-rows.ts';

/** What a store keeps, as it keeps it. */
export function contentsIn(transaction: Transaction): StoreContents {
  const { schema } = transaction;
  return {
    async seriesIds() {
      const rows = await transaction.rows<{ id: string }>('select id from asof.series order by id');
      return rows.map(({ id }) => id);
    },
    async series(id) {
      const [row, vintages] = await Promise.all([
        transaction.row<ContentsRow>(
          `select title, units, frequency, seasonal_adjustment as "seasonalAdjustment", source,
         stated_vintage_kind as "vintageKind", stated_covered_to as "coveredTo",
         implied_frequency as "impliedFrequency", implied_source as "impliedSource",
         first_vintage as "firstVintage", last_vintage as "lastVintage", normalised_by as "normalisedBy",
         covered_to as coverage, spacing_frequency as spacing, vintage_kind as "keptKinds",
         observation_count as "observationCount", date_count as "dateCount", fact_count as "factCount"
       from asof.series where id = @id`,
          { id },
        ),
        seriesRows(transaction, id).vintages(),
      ]);
      return row && contentsOf(id, row, vintages);
    },
    changes(id) {
      const after = 'series = @id and (date, as_of_date) > (@date::date, @asOf::date)';
      return changesInPages(({ date, asOf }, limit) =>
        transaction.rows<KeptChange>(
          `select date, as_of_date as "asOf", value, 'fact' as kind from asof.fact where ${after}
       union all
       select date, as_of_date, value, 'respelling' from asof.respelling where ${after}
       order by 1, 2 limit @limit`,
          { id, date, asOf, limit },
        ),
      );
    },
    async totals() {
      const row = await transaction.row<SeriesTotals>(
        `select count(*) filter (where first_vintage is not null) as series, count(*) filter (where first_vintage is null) as described,
       coalesce(sum(fact_count), 0)::bigint as facts, min(first_vintage) as "firstVintage", max(last_vintage) as "lastVintage",
       min(covered_to) filter (where first_vintage is not null) as "leastCovered", max(covered_to) filter (where first_vintage is not null) as covered
     from asof.series`,
      );
      if (row === undefined) throw new Error('an aggregate has no row');
      return row;
    },
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
    faults: () => readFaults(transaction),
  };
}

/** Tables whose rows belong to rows of another: the table, the other one, the join, and the id to report. */
const belongings = [
  ['fact', 'series', 'p.id = t.series', 't.series'],
  ['respelling', 'series', 'p.id = t.series', 't.series'],
  ['vintage', 'series', 'p.id = t.series', 't.series'],
  ['description_change', 'series', 'p.id = t.series', 't.series'],
  ['word', 'series', 'p.id = t.series', 't.series'],
  ['trade', 'filing', 'p.issuer_cik = t.issuer_cik and p.filing_id = t.filing_id', 't.filing_id'],
  ['symbol', 'filing', 'p.issuer_cik = t.issuer_cik and p.filing_id = t.filing_id', 't.filing_id'],
] as const;

/** The faults that a store can find: invalid indexes, rows without a parent, and wrongly derived columns and words. */
async function readFaults(transaction: Transaction): Promise<readonly string[]> {
  const faults: string[] = [];
  const indexes = await transaction.rows<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
       join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = @schema and not (i.indisvalid and i.indisready) order by 1`,
    { schema: transaction.schema },
  );
  for (const { name } of indexes) faults.push(`the index ${name} is not valid`);
  for (const [table, parent, joined, id] of belongings) {
    const orphans = await transaction.rows<{ id: string; count: number }>(
      `select ${id} as id, count(*) as count from asof.${table} t
       where not exists (select 1 from asof.${parent} p where ${joined}) group by 1 order by 1 limit 100`,
    );
    for (const { id: of, count } of orphans)
      faults.push(`${count} rows of ${table} belong to no ${parent}: ${of}`);
  }
  const rates = await transaction.rows<KeptMaturity>('select distinct maturity, months from asof.curve');
  faults.push(...rates.flatMap(maturityFaults));
  const filings = transaction.batches<DerivedOfFiling>(
    `select f.filing_id as id, f.ticker, f.owners, f.owner_names as names,
       array_remove(array_agg(s.symbol), null) as symbols
     from asof.filing f
       left join asof.symbol s on s.issuer_cik = f.issuer_cik and s.filing_id = f.filing_id
     group by f.issuer_cik, f.filing_id`,
    {},
  );
  for await (const batch of filings) faults.push(...batch.flatMap(filingFaults));
  const indexed = transaction.batches<Parameters<typeof wordFaults>[0]>(
    `select s.id, s.title, s.units, array_remove(array_agg(w.word), null) as words
     from asof.series s left join asof.word w on w.series = s.id group by s.id`,
    {},
  );
  for await (const batch of indexed) faults.push(...batch.flatMap(wordFaults));
  return faults;
}
