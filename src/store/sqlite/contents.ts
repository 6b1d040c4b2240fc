import { statSync } from 'node:fs';
import type { KeptChange } from '../../domain/series/revision-history.ts';
import {
  changesInPages,
  type DerivedOfFiling,
  filingFaults,
  type KeptMaturity,
  maturityFaults,
  type SeriesContents,
  type SeriesTotals,
  type StoreSize,
} from '../contents.ts';
import { type ContentsRow, contentsOf } from '../series-record.ts';
import type { LoggedImport } from '../store.ts';
import { type Connection, SqliteError } from './connection.ts';
import { readVintages } from './statements.ts';
import { wordFaultsIn } from './words.ts';

/** The ids of all series, ascending. */
export function readSeriesIds(connection: Connection): readonly string[] {
  return connection.column<string>('select id from series order by id').all();
}

/** Everything that is kept of a series except its changes; undefined for an unknown id. */
export function readContents(connection: Connection, id: string): SeriesContents | undefined {
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
}

/** Every change of a series, in batches. */
export function readKeptChanges(connection: Connection, id: string): AsyncGenerator<readonly KeptChange[]> {
  const key = connection.column<number>('select key from series where id = ?').get(id);
  const after = 'series = @key and (date, as_of_date) > (@date, @asOf)';
  const page = connection.objects<KeptChange>(
    `select date, as_of_date as asOf, value, 'fact' as kind from fact where ${after}
     union all
     select date, as_of_date, value, 'respelling' from respelling where ${after}
     order by 1, 2 limit @limit`,
  );
  return changesInPages(async ({ date, asOf }, limit) => page.all({ key, date, asOf, limit }));
}

/** The series together. */
export function readSeriesTotals(connection: Connection): SeriesTotals {
  const row = connection
    .objects<SeriesTotals>(
      `select count(*) filter (where first_vintage is not null) as series, count(*) filter (where first_vintage is null) as described,
       coalesce(sum(fact_count), 0) as facts, min(first_vintage) as firstVintage, max(last_vintage) as lastVintage,
       min(covered_to) filter (where first_vintage is not null) as leastCovered, max(covered_to) filter (where first_vintage is not null) as covered
     from series`,
    )
    .get();
  if (row === undefined) throw new Error('an aggregate has no row');
  return row;
}

/** The size of the file with its write-ahead log; `format` is that of the connection. */
export function readSize(connection: Connection, path: string): StoreSize {
  const bytes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return {
    format: Number(connection.pragma('user_version')),
    bytes: bytes.reduce((sum, size) => sum + size, 0),
  };
}

/** Damage that SQLite finds, and contradictions in what is derived from filings. */
export function readFaults(connection: Connection): readonly string[] {
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

/** The log of imports, oldest first. */
export function readImports(connection: Connection): readonly LoggedImport[] {
  return connection
    .objects<Omit<LoggedImport, 'outdated'> & { readonly outdated: number }>(
      `select imported_at as importedAt, file, kind, sha256, series, statements_new as statementsNew,
         statements_known as statementsKnown, withdrawn, number,
         outdated and not exists (select 1 from import as again where again.id > import.id
           and again.sha256 = import.sha256 and not again.outdated) as outdated
       from import order by id`,
    )
    .all()
    .map(({ outdated, ...record }) => ({ ...record, outdated: outdated === 1 }));
}
