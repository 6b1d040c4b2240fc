import { statSync } from 'node:fs';
import type { KeptChange } from '../../domain/series/revision-history.ts';
import type { SearchedSeries } from '../../domain/series/words.ts';
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
import { type Connection, SqliteError, type SqliteSession } from './connection.ts';
import { readVintages } from './series-rows.ts';

/** What a store keeps, as it keeps it. */
export function contentsIn(session: SqliteSession): StoreContents {
  return {
    seriesIds: () => session.column<string>('select id from series order by id'),
    series: (id) =>
      session.use((connection) => {
        const row = connection
          .objects<ContentsRow & { readonly key: number }>(
            `select key, title, units, frequency, seasonal_adjustment as seasonalAdjustment, source,
        stated_vintage_kind as vintageKind, stated_covered_to as coveredTo,
        implied_frequency as impliedFrequency, implied_source as impliedSource,
        first_vintage as firstVintage, last_vintage as lastVintage, normalised_by as normalisedBy,
        covered_to as coverage, spacing_frequency as spacing, vintage_kind as keptKinds,
        observation_count as observationCount, date_count as dateCount, fact_count as factCount
      from series where id = ?`,
          )
          .get(id);
        if (row === undefined) return undefined;
        const { key, ...cells } = row;
        return contentsOf(id, cells, readVintages(connection, key));
      }),
    changes: (id) =>
      session.stream((connection) => {
        const key = connection.column<number>('select key from series where id = ?').get(id);
        const after = 'series = @key and (date, as_of_date) > (@date, @asOf)';
        const page = connection.objects<KeptChange>(
          `select date, as_of_date as asOf, value, 'fact' as kind from fact where ${after}
           union all
           select date, as_of_date, value, 'respelling' from respelling where ${after}
           order by 1, 2 limit @limit`,
        );
        return changesInPages(async ({ date, asOf }, limit) => page.all({ key, date, asOf, limit }));
      }),
    async totals() {
      const [row] = await session.rows<SeriesTotals>(
        `select count(*) filter (where first_vintage is not null) as series, count(*) filter (where first_vintage is null) as described,
           coalesce(sum(fact_count), 0) as facts, min(first_vintage) as firstVintage, max(last_vintage) as lastVintage,
           min(covered_to) filter (where first_vintage is not null) as leastCovered, max(covered_to) filter (where first_vintage is not null) as covered
         from series`,
      );
      if (row === undefined) throw new Error('an aggregate has no row');
      return row;
    },
    /** The size of the file with its write-ahead log; `format` is that of the connection. */
    size: () =>
      session.use((connection) => {
        const bytes = [session.path, `${session.path}-wal`].map(
          (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
        );
        return {
          format: Number(connection.pragma('user_version')),
          bytes: bytes.reduce((sum, size) => sum + size, 0),
        };
      }),
    faults: () => session.use(readFaults),
  };
}

function readFaults(connection: Connection): readonly string[] {
  const damaged = damagesOf(connection);
  // On damaged pages, further checks would say nothing more.
  if (damaged.length > 0) return damaged;
  const orphans = connection
    .tuples<readonly [string, number, string]>('pragma foreign_key_check')
    .all()
    .map(([table, row, parent]) => `row ${row} of ${table} belongs to no ${parent}`);
  const rates = connection.objects<KeptMaturity>('select distinct maturity, months from curve').all();
  return [
    ...orphans,
    ...rates.flatMap(maturityFaults),
    ...derivedFaults(connection),
    ...wordFaultsIn(connection),
  ];
}

/** What SQLite's own check finds; it gives up at damage that it cannot read past. */
export function damagesOf(connection: Connection): readonly string[] {
  try {
    const found = connection.column<string>('pragma integrity_check').all();
    return found.filter((text) => text !== 'ok');
  } catch (error) {
    if (error instanceof SqliteError && error.code.startsWith('SQLITE_CORRUPT')) return [error.message];
    throw error;
  }
}

function derivedFaults(connection: Connection): readonly string[] {
  const filings = connection
    .objects<Omit<DerivedOfFiling, 'symbols'> & { readonly symbols: string }>(
      `select filing_id as id, ticker, owners, owner_names as names,
         (select json_group_array(symbol) from symbol where filing = key) as symbols
       from filing`,
    )
    .iterate();
  const faults: string[] = [];
  for (const filing of filings)
    faults.push(...filingFaults({ ...filing, symbols: JSON.parse(filing.symbols) }));
  return faults;
}

/** Faults of the index: words that differ from those of their series, and words of no series. */
function wordFaultsIn(connection: Connection): readonly string[] {
  const indexed = connection
    .objects<SearchedSeries & { readonly words: string | null }>(
      `with own as materialized (select series, json_group_array(word) as words from word group by series)
       select id, title, units, words from series left join own on own.series = key order by id`,
    )
    .iterate();
  const faults: string[] = [];
  for (const { words, ...series } of indexed)
    faults.push(...wordFaults({ ...series, words: words === null ? [] : JSON.parse(words) }));
  const orphans = connection
    .column<number>('select count(*) from word where series not in (select key from series)')
    .get();
  return orphans === 0 ? faults : [...faults, `${orphans} words belong to no series`];
}
