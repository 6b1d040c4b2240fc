import type { Filing } from '../../domain/insider/filing.ts';
import type { Day, Frequency } from '../../domain/series/date.ts';
import type { KeptChange } from '../../domain/series/revision-history.ts';
import type { KeptKind, VintageKind } from '../../domain/series/series.ts';
import type {
  ObservationQuery,
  Revision,
  Series,
  StoreContents,
  StoredObservation,
  VintageCounts,
} from '../store.ts';
import type { SqlSession } from './session.ts';

/** What an engine does in its own way in a transaction; everything else is the same for every engine. */
export type Engine = {
  /** Whether a new row can get the id of a removed one. */
  readonly reusesIds: boolean;
  readonly series: SeriesTables;
  readonly filings: FilingTables;
  readonly contents: EngineContents;
};

/** The queries about series whose plans differ by engine, and how it writes the rows of series. */
export type SeriesTables = {
  /** The column of `series` that the tables of a series name. */
  readonly key: 'id' | 'key';
  /** The columns of `series` that only the engine reads. */
  readonly ownColumns: string;
  /** The condition of the series whose id has `@part`. */
  readonly withPart: string;
  observations(
    query: ObservationQuery & DayBounds & { readonly asOf: Day },
    series: Promise<SeriesOnDay>,
  ): Promise<readonly StoredObservation[]>;
  revisions(query: {
    readonly id: string;
    readonly from: Day;
    readonly to: Day;
  }): Promise<readonly Kept<Revision>[]>;
  /** Vintages, newest first; a first value and a value after a withdrawal count as added. */
  vintages(
    query: DayBounds & { readonly id: string; readonly limit: number },
  ): Promise<readonly Kept<VintageCounts>[]>;
  latestChanges(id: string, from: Day, to: Day): Promise<readonly ChangeCells[]>;
  create(id: string): Promise<number>;
  remove(id: string, table: KeptChange['kind'], rows: readonly KeptChange[]): Promise<void>;
  removeWords(id: string): Promise<void>;
  /** Counts what a series holds, and gives it a new version; an import derives the rest. */
  summarise(
    id: string,
    derived: { readonly spacing: Frequency; readonly coveredTo: Day; readonly vintageKind: string },
  ): Promise<void>;
  /** Gives a series another id, with all its rows but its words. */
  rename(from: string, to: string): Promise<void>;
};

/** A filing, and the issuer by which its rows are found. */
type FilingPlace = Pick<Filing, 'filingId' | 'issuerCik'>;

/** A series as its table holds it; `key` is its number, where an engine numbers series. */
export type SeriesRow = Series & {
  /** What metadata states about all vintages. */
  readonly statedKind: VintageKind | null;
  readonly dateCount: number;
  readonly factCount: number;
  readonly key?: number;
};

type Kept<T extends { readonly kind: VintageKind }> = Omit<T, 'kind'> & { readonly kind: KeptKind };

/** A series and its newest vintage, as they are read for a page. */
type SeriesOnDay = readonly [
  series: SeriesRow | undefined,
  newest: { readonly asOf: Day; readonly kind: KeptKind } | undefined,
];

/** Bounds of days; `from` and `to` are inclusive, `before` is not. */
type DayBounds = { readonly from: Day; readonly to: Day; readonly before: Day };

/** A change of the text of a date, as a row. */
export type ChangeCells = readonly [date: Day, asOf: Day, value: string | null];

/** How an engine joins filings `f` with their trades `t` and their symbols. */
export type FilingTables = {
  /** Every trade with its filing. */
  readonly filed: string;
  /** The same of the filings that are marked for clusters of purchases. */
  readonly marked: string;
  /** The order of trades by issuer, in which those of a filing follow each other. */
  readonly byIssuer: string;
  /** Every trade, read by its date. */
  readonly tradesByDay: string;
  /** The condition of filings under the ticker `@ticker`. */
  readonly ofSymbol: string;
  /** A query for the issuers that ever filed under `@ticker`. */
  readonly issuersOfSymbol: string;
  /** The columns by which no two filings are the same. */
  readonly filingKey: string;
  /** The columns by which trades and symbols belong to filings, with their types. */
  readonly owner: Readonly<Record<string, string>>;
  ownersOf(
    session: SqlSession,
    filings: readonly FilingPlace[],
  ): Promise<(filing: FilingPlace) => readonly unknown[]>;
  /** The condition of the rows of filings in a table, by their `@ids` and issuers, `@ciks`. */
  ofFilings(table: 'filing' | 'symbol' | 'trade'): string;
};

/** What only an engine knows about its contents. */
export type EngineContents = Pick<StoreContents, 'size'> & {
  /** A query for id, ticker, owners, names and symbols of each filing. */
  readonly derivedOfFilings: string;
  /** A query for id, title, units and words of each series. */
  readonly wordsOfSeries: string;
  /** Damage that the engine finds, with the faults of what is derived. */
  faults(derived: () => Promise<readonly string[]>): Promise<readonly string[]>;
};
