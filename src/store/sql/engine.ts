import type { Filing } from '../../domain/insider/filing.ts';
import type { SeriesKey, TitleSummary } from '../../domain/search/word-index.ts';
import type { DatedValues, StoredChange } from '../../domain/series/revision-history.ts';
import type {
  DescriptionChange,
  FrequencySince,
  StoredKind,
  VintageKind,
} from '../../domain/series/series.ts';
import type { Day, Frequency } from '../../domain/values/date.ts';
import type { ObservationQuery, Series, StoreContents, StoredObservation } from '../store.ts';
import type { SqlSession } from './session.ts';

/** The operations that differ between engines, in one transaction. */
export type Engine = {
  readonly series: SeriesTables;
  readonly filings: FilingTables;
  readonly size: StoreContents['size'];
  /** Lists damage that the engine finds. */
  readonly damage: () => Promise<readonly string[]>;
  readonly copyPages?: StoreContents['copyPages'];
  /** Lists the lists of the engine that differ from their tables; absent if it has none. */
  readonly listFaults?: () => Promise<readonly string[]>;
};

/** A word, and the list of its series, which may be JSON. */
export type WordCells = readonly [word: string, series: string | readonly SeriesKey[]];

/** The queries and writes of series that differ between engines. */
export type SeriesTables = {
  /** The column of `series` that the tables of a series refer to. */
  readonly key: 'id' | 'key';
  /** The columns of `series` that only the engine reads. */
  readonly ownColumns: string;
  /** The table that lists of all series read: each row of `series`. */
  readonly list: string;
  /** The condition for an id that contains `@part`. */
  readonly withPart: string;
  /** Finds the words that begin with one of some texts; a word may come twice. */
  begunWords(starts: readonly string[]): Promise<readonly WordCells[]>;
  /** Reads a page with its series; undefined if the series is unknown. */
  page(query: PageQuery, columns: SeriesColumns): Promise<StoredPage | undefined>;
  /** Reads the latest change of each of these dates of series, and perhaps of further ones. */
  latestChanges(
    wanted: ReadonlyMap<string, ReadonlySet<Day>>,
  ): Promise<readonly (readonly [id: string, ...ChangeCells])[]>;
  /** Makes series, and returns the version with which they begin. */
  create(ids: readonly string[]): Promise<number>;
  remove(id: string, table: StoredChange['kind'], rows: DatedValues): Promise<void>;
  removeWords(id: string): Promise<void>;
  /** The columns `title_length` and `title_areas` of `series`; absent if a search reads titles. */
  readonly summaries?: {
    /** The rows of `series` whose keys are `@keys`. */
    readonly byKeys: string;
    put(id: string, summary: TitleSummary): Promise<void>;
  };
  /** Returns what a change writes into the row of a series besides its version, with the types. */
  readonly newState: () => Readonly<Record<string, readonly [type: 'text', value: string]>>;
};

/** A filing and its issuer, by which its rows are found. */
type FilingPlace = Pick<Filing, 'filingId' | 'issuerCik'>;

/** A row of the table `series`; `key` is a number in SQLite. */
export type SeriesRow = Series & {
  /** The kind that metadata states for all vintages. */
  readonly statedKind: VintageKind | null;
  readonly dateCount: number;
  readonly factCount: number;
  readonly normalisedBy: Frequency;
  readonly key?: number;
};

/** The columns of a series, with its newest unit and with that of the day `@asOf`. */
export type SeriesColumns = { readonly newest: string; readonly onDay: string };

/** Selects a page; `from` and `to` are inclusive, `before` is exclusive. */
export type PageQuery = ObservationQuery & {
  readonly from: Day;
  readonly to: Day;
  readonly before: Day;
  readonly asOf: Day;
};

export type StoredVintageDate = { readonly asOf: Day; readonly kind: StoredKind };

/** A page with its series and the newest vintage up to its day. */
export type StoredPage = {
  readonly series: SeriesRow;
  /** The changes of its unit, oldest first, if the series is described as of today. */
  readonly units?: readonly Pick<DescriptionChange, 'before' | 'changedOn' | 'field'>[];
  readonly newest: StoredVintageDate | undefined;
  readonly rows: readonly StoredObservation[];
  /** The frequencies that the spacing of dates implies, if the engine knows them. */
  readonly frequencies?: readonly FrequencySince[];
};

/** A change of a date's text, as a row. */
export type ChangeCells = readonly [date: Day, asOf: Day, value: string | null];

/** The joins between filings `f`, their trades `t` and their symbols. */
export type FilingTables = {
  /** Every trade with its filing. */
  readonly filed: string;
  /** The same, for the newest filings in an order of theirs. */
  readonly newest: string;
  /** Every trade of the filings that are marked for clusters of purchases. */
  readonly marked: string;
  /** The order of trades by issuer, in which trades of one filing are adjacent. */
  readonly byIssuer: string;
  /** Every trade, read by its date. */
  readonly tradesByDay: string;
  /** The condition for filings under the ticker `@ticker`. */
  readonly ofSymbol: string;
  /** True if that needs the issuers of the ticker, `@issuers`, by which Citus finds the shards. */
  readonly needsIssuers: boolean;
  /** A query for the issuers that ever filed under `@ticker`. */
  readonly issuersOfSymbol: string;
  /** The tables with every symbol, and with the day of each filing. */
  readonly symbols: string;
  readonly days: string;
  /** The columns by which trades and symbols refer to filings, with their types. */
  readonly owner: Readonly<Record<string, string>>;
  /** The join of such a table `t` with its filings `p`. */
  readonly ofOwner: string;
  ownersOf(
    session: SqlSession,
    filings: readonly FilingPlace[],
  ): Promise<(filing: FilingPlace) => readonly unknown[]>;
  /** Returns the condition for a table's rows of filings, by their `@ids` and issuers, `@ciks`. */
  ofFilings(table: 'filing' | 'symbol' | 'trade'): string;
};
