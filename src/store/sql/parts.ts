import { searchableNames, symbolsOf } from '../../domain/insider/filing.ts';
import { type SearchedSeries, searchableWords } from '../../domain/search/words.ts';
import { monthsOf } from '../../domain/treasury/curve.ts';
import type { StoreContents } from '../store.ts';
import type { Engine, EngineContents } from './engine.ts';
import { filingsIn } from './filings.ts';
import { ratesIn } from './rates.ts';
import { seriesIn } from './series.ts';
import { seriesRows, seriesWrites } from './series-rows.ts';
import { type ImportsCollide, listOf, type SqlSession } from './session.ts';
import { descriptionsIn, sourcesIn } from './sources.ts';

/** Returns the parts of a store in a transaction: a view reads them, and an import also writes. */
export function partsIn(session: SqlSession, engine: Engine) {
  return {
    ...seriesWrites(session, engine.series),
    series: seriesIn(session, engine.series),
    descriptions: descriptionsIn(session),
    rates: ratesIn(session),
    filings: filingsIn(session, engine.filings),
    sources: sourcesIn(session, engine),
    contents: contentsIn(session, engine),
  };
}

/** A transaction of an engine; it decides nothing about rows. */
export type WriteTransaction = ReturnType<typeof partsIn> & {
  readonly address: string;
  readonly created: boolean;
  /** Ends the transaction; `changed` is true if the data changed. */
  readonly commit: (changed: boolean) => Promise<void>;
  readonly rollback: () => Promise<void>;
};

/** What is written to the stores of one engine. */
export type StoreEngine = {
  /** Begins an import, into a new store as a copy of `copyOf`; first takes the `needed` locks. */
  openTransaction(
    address: string,
    copyOf?: string,
    needed?: ImportsCollide['needed'],
  ): Promise<WriteTransaction>;
  /** Begins a copy, unreadable until it commits; `draftOf` is where a file has its draft. */
  openCopy(address: string, replace: boolean, draftOf?: string): Promise<WriteTransaction>;
  /** Throws if a copy cannot take an address; `replace` allows replacing a file. */
  checkFree(address: string, replace: boolean): void | Promise<void>;
  /** Makes an empty store, false if one exists. */
  init(address: string, distribute: boolean): Promise<boolean>;
};

function contentsIn(session: SqlSession, { series: tables, contents: engine }: Engine): StoreContents {
  return {
    size: engine.size,
    faults: () => engine.faults(() => readFaults(session, engine)),
    seriesIds: () => session.column<string>('select id from asof.series order by id'),
    series: (id) => seriesRows(session, tables, id).contents(),
    changes: (id) => seriesRows(session, tables, id).allChanges(),
    async totals() {
      const row = await session.row<Awaited<ReturnType<StoreContents['totals']>>>(
        `select count(*) filter (where first_vintage is not null) as series, count(*) filter (where first_vintage is null) as described,
           coalesce(sum(fact_count), 0)::bigint as facts, min(first_vintage) as "firstVintage", max(last_vintage) as "lastVintage",
           min(covered_to) filter (where first_vintage is not null) as "leastCovered", max(covered_to) filter (where first_vintage is not null) as covered
         from asof.series`,
      );
      if (row === undefined) throw new Error('an aggregate has no row');
      return row;
    },
  };
}

type DerivedOfFiling = readonly [
  id: string,
  ticker: string | null,
  owners: string,
  names: string,
  symbols: string | readonly string[],
];

type IndexedSeries = readonly [
  id: string,
  title: string | null,
  units: string | null,
  words: string | readonly string[] | null,
];

/** Lists wrong numbers of months, and derived data that contradict the rows they derive from. */
async function readFaults(session: SqlSession, engine: EngineContents): Promise<readonly string[]> {
  const rates = await session.rows<{ readonly maturity: string; readonly months: number }>(
    'select distinct maturity, months from asof.curve',
  );
  const faults = rates.flatMap(({ maturity, months }) =>
    monthsOf(maturity) === months ? [] : [`a rate of ${maturity} is kept as one of ${months} months`],
  );
  for await (const batch of session.batches<DerivedOfFiling>(engine.derivedOfFilings))
    for (const filing of batch) faults.push(...filingFaults(filing));
  for await (const batch of session.batches<IndexedSeries>(engine.wordsOfSeries))
    for (const [id, title, units, words] of batch)
      faults.push(...wordFaults({ id, title, units }, listOf<string>(words ?? [])));
  return faults;
}

function filingFaults([id, ticker, owners, names, symbols]: DerivedOfFiling): readonly string[] {
  const listed = [...listOf<string>(symbols)].sort().join(', ');
  const expected = [...symbolsOf(ticker)].sort().join(', ');
  const named = searchableNames(JSON.parse(owners));
  return [
    ...(listed === expected
      ? []
      : [`filing ${id} is listed under ${listed || 'no symbol'}, not ${expected || 'none'}`]),
    ...(named === names ? [] : [`filing ${id} is not found by the names of its owners`]),
  ];
}

function wordFaults(series: SearchedSeries, words: readonly string[]): readonly string[] {
  const [kept, expected] = [words, searchableWords(series)].map((all) => [...all].sort().join(' '));
  return kept === expected ? [] : [`${series.id} is found by the words ${kept || 'none'}, not ${expected}`];
}
