import type { Filing } from '../domain/insider/filing.ts';
import type { FilingsPlan } from '../domain/insider/merge-filings.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import type { MergeCounts, MergeOptions, WholeVintage } from '../domain/series/merge-plan.ts';
import type { Statement, StatementConflict } from '../domain/series/revision-history.ts';
import type { SearchIndex } from '../domain/series/search-index.ts';
import type { FrequencySince, SeriesMetadata, VintageKind } from '../domain/series/series.ts';
import type { SearchedSeries } from '../domain/series/words.ts';
import type { CurveMaturity, CurvePoint, CurveType, Maturity, PointsPlan } from '../domain/treasury/curve.ts';
import type { StoreContents } from './contents.ts';
import type { FilingsView } from './filing-queries.ts';
import type { DescriptionChange, Followed } from './followed.ts';

/** A series that has at least one statement. */
export type Series = {
  readonly id: string;
  readonly title: string;
  readonly units: string;
  readonly frequency: Frequency;
  readonly seasonalAdjustment: string;
  readonly source: string;
  /** The dates that have a value in the newest vintage. */
  readonly observationCount: number;
  readonly firstVintage: Day;
  readonly lastVintage: Day;
  readonly coveredTo: Day;
  /** How its vintages came about, in the words of `kindsText`: `sampled`, or `exact; sampled`. */
  readonly vintageKind: string;
  /** Grows with every import that changes the series; the pages of a listing must all be of one version. */
  readonly version: number;
};

/** The value of a date as of a day, and the day on which that value was published. */
export type StoredObservation = { readonly date: Day; readonly value: string; readonly asOfDate: Day };

/** Selects values of a series, newest date first. `from` and `to` are inclusive; a page continues `before` a date. */
export type ObservationQuery = {
  readonly seriesId: string;
  readonly asOf?: Day;
  /** Each date's first published value instead of its value as of `asOf`. */
  readonly firstRelease?: boolean;
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

/** A change of a date's value (null marks a withdrawal), and how the vintage of its day came about. */
export type Revision = {
  readonly asOfDate: Day;
  readonly value: string | null;
  readonly kind: VintageKind;
};

/** Selects vintages of a series, newest first; `from` and `to` are inclusive, a page continues `before` a day. */
export type VintageQuery = {
  readonly seriesId: string;
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

/** A vintage date, how it came about, and how many dates the vintage added, revised and withdrew. */
export type VintageCounts = {
  readonly asOfDate: Day;
  readonly added: number;
  readonly revised: number;
  readonly withdrawn: number;
  readonly kind: VintageKind;
};

/** A vintage date, and how the vintage came about. */
export type VintageDate = { readonly asOf: Day; readonly kind: VintageKind };

/** The newest vintage on a day. */
export type VintageOnDay = {
  readonly newest: VintageDate | undefined;
  /** The kinds of all vintages up to the day, in the words of `kindsText`; only for first releases. */
  readonly kinds?: string;
};

/** Selects series whose id contains a text in any case, or those of some ids; a page continues `after` an id. */
export type SeriesQuery = {
  readonly text: string;
  readonly ids?: readonly string[];
  readonly after?: string;
  readonly limit: number;
};

/** Selects the curve of exactly `date`, or the newest one on or before it. */
export type CurveQuery = {
  readonly curveType: CurveType;
  readonly date: Day;
  readonly onOrBefore: boolean;
};

/** Selects rates, newest trade date first, then shortest maturity; `from` and `to` are inclusive. */
export type YieldsQuery = {
  readonly curveType: CurveType;
  readonly maturity?: Maturity;
  readonly from?: Day;
  readonly to?: Day;
  /** The rate that a page continues after. */
  readonly after?: { readonly tradeDate: Day; readonly maturity: string };
  readonly limit: number;
};

/**
 * Selects the days that have rates of both maturities, newest first. `from` and `to` are inclusive; a page continues
 * `before` a day.
 */
export type SpreadQuery = {
  readonly curveType: CurveType;
  readonly long: Maturity;
  readonly short: Maturity;
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

/** The days that have a rate of a maturity, and the sources of these rates, sorted. */
export type RateSummary = CurveMaturity & {
  readonly count: number;
  readonly first: Day;
  readonly last: Day;
  readonly sources: readonly string[];
};

/** The rates of two maturities on one day. */
export type RatePair = { readonly tradeDate: Day; readonly long: string; readonly short: string };

/** An entry of the import log: one file and its counts. */
export type ImportRecord = {
  readonly importedAt: string;
  readonly file: string;
  readonly kind: string;
  readonly sha256: string;
  readonly series: number;
  readonly statementsNew: number;
  readonly statementsKnown: number;
  readonly withdrawn: number;
};

/** An entry of the log as a store holds it. */
export type LoggedImport = ImportRecord & {
  /** The number of its import; null if an older asof made it, or if it was made before the store was copied. */
  readonly number: number | null;
  /** Whether the file was read by an older rule for blank cells, and was not imported again since. */
  readonly outdated: boolean;
};

/** One state of a store's data. */
export type StoreState = {
  /** Names the state: it differs between stores, and between the states of one store. */
  readonly name: string;
  /** Grows with every import that changes anything. */
  readonly revision: number;
  /** Whether the store is the sample that asof ships. */
  readonly sample: boolean;
};

/** A page of a series' rows, and the series itself. */
type SeriesPage<T> = { readonly series: Series; readonly rows: readonly T[] };
type ObservationPage = SeriesPage<StoredObservation> & { readonly vintage: VintageOnDay };

/** A page of vintages, and the first date of the series with a value in any vintage. */
type VintagePage = SeriesPage<VintageCounts> & { readonly firstDate: Day | undefined };

/** The facts in one state of a store. Rows are in the contract's order; a page of an unknown series is undefined. */
export interface StoreView extends FilingsView, SearchIndex<SearchedSeries> {
  /**
   * The state that every answer of this view comes from; views of the same state of a store give the same object. For
   * a series, the state of the answers about it, which stays the same when other series are imported, if the engine
   * can tell.
   */
  state(seriesId?: string): Promise<StoreState>;
  findSeries(id: string): Promise<Series | undefined>;
  searchSeries(query: SeriesQuery): Promise<readonly Series[]>;
  observations(query: ObservationQuery): Promise<ObservationPage | undefined>;
  /** The dates that ever had a value, newest first; then the changes of one date's value, oldest first. */
  dates(query: Omit<ObservationQuery, 'asOf' | 'firstRelease'>): Promise<SeriesPage<Day> | undefined>;
  revisions(seriesId: string, date: Day): Promise<SeriesPage<Revision> | undefined>;
  /**
   * The frequencies that the spacing of the dates of a series implied, each from a day on, oldest first; none if its
   * frequency is stated.
   */
  impliedFrequencies(seriesId: string): Promise<readonly FrequencySince[]>;
  /** Every day on which anything was stated about a series, including days that changed nothing. */
  vintages(query: VintageQuery): Promise<VintagePage | undefined>;
  curve(query: CurveQuery): Promise<readonly CurvePoint[]>;
  yields(query: YieldsQuery): Promise<readonly CurvePoint[]>;
  spread(query: SpreadQuery): Promise<readonly RatePair[]>;
  /** Every maturity that has rates, by curve type and then shortest first. */
  rates(): Promise<readonly RateSummary[]>;
  /** The newest trade date of a kind of curve, or the newest filing date, up to a day; undefined without any. */
  coveredTo(what: CurveType | 'filings', upTo?: Day): Promise<Day | undefined>;
  /** Every statement about a series, by date and then as-of date, in batches. */
  statements(seriesId: string): AsyncIterable<readonly Statement[]>;
  /** The vintages that speak for every date of a series, ascending. */
  completeVintages(seriesId: string): Promise<readonly VintageDate[]>;
  /** The log of imports, oldest first. */
  imports(): Promise<readonly LoggedImport[]>;
  /** What the store follows at live sources, by source and name. */
  followed(): Promise<readonly Followed[]>;
  /** The changes of a series' description, oldest first. */
  descriptionChanges(seriesId: string): Promise<readonly DescriptionChange[]>;
}

/** A cache of pages of observations; it may forget any of them. */
export type PageCache = {
  readonly get: (key: string) => readonly StoredObservation[] | undefined;
  readonly set: (key: string, rows: readonly StoredObservation[]) => unknown;
};

/** How a store is opened for reading; `pages` keeps pages as of a date, which last until the next vintage. */
export type StoreOptions = {
  readonly pages?: PageCache;
  /** Fails for a store whose later imports this process could not see. */
  readonly live?: boolean;
};

/** A store, open for reading. */
export interface Store {
  /** The path or address that the store was opened with, which may hold a password (`shownAddress`). */
  readonly address: string;
  /**
   * Calls `work` with a view of the newest state and returns its result. All answers of the view, streams included,
   * come from that state, even if an import commits meanwhile. The view cannot be used after `work` has ended.
   */
  read<T>(work: (view: StoreView & StoreContents) => Promise<T>): Promise<T>;
  /** Like `read`, for work that asks about many series at once; absent if the engine gains nothing by it. */
  readTogether?<T>(work: (view: StoreView) => Promise<T>): Promise<T>;
  /** Closes the files that no read needs just now, so that another can take their place; absent if it has none. */
  rest?(): Promise<void>;
  close(): Promise<void>;
}

/** The metadata of a series in a store. */
export type SeriesRecord = {
  /** Stated by metadata files. */
  readonly stated: SeriesMetadata;
  /** Implied by the formats of its files; used for fields that are not stated. */
  readonly implied: SeriesMetadata;
  /** Whether the series had any statement before this import. */
  readonly hadStatements: boolean;
};

/** The outcome of a merge; `changed` is false if the store holds the same as before. */
export type Merged = MergeCounts & { readonly changed: boolean };

/** The outcome of a merge of curve points. */
export type MergedPoints = Omit<PointsPlan, 'put'> & { readonly changed: boolean };

/** The outcome of a merge of filings, in trades. */
export type MergedFilings = Omit<FilingsPlan, 'put'> & { readonly changed: boolean };

/** A transaction that writes to a store, which has one writer at a time. Readers see nothing before the commit. */
export interface StoreWriter {
  readonly address: string;
  /** Whether this import creates the store. */
  readonly created: boolean;
  /** The records of those of the series that the store knows. */
  records(seriesIds: readonly string[]): Promise<ReadonlyMap<string, SeriesRecord>>;
  /** Those of the series that had statements before this import; other imports may write to them meanwhile. */
  withStatements(seriesIds: readonly string[]): Promise<ReadonlySet<string>>;
  putRecords(records: ReadonlyMap<string, Pick<SeriesRecord, 'stated' | 'implied'>>): Promise<void>;
  /** Adds statements of one series, in any order. The result does not depend on the order of calls. */
  merge(seriesId: string, statements: readonly Statement[], options: MergeOptions): Promise<Merged>;
  /** Makes vintages speak for every date of their series, including dates that later imports bring. */
  complete(seriesId: string, vintages: readonly WholeVintage[], options: MergeOptions): Promise<Merged>;
  /** Extends the coverage of series to the last day that this import speaks for. */
  cover(coveredTo: ReadonlyMap<string, Day>): Promise<void>;
  mergePoints(points: readonly CurvePoint[], options: MergeOptions): Promise<MergedPoints>;
  /** Adds trades of filings, in any order. The result does not depend on the order of calls. */
  mergeFilings(filings: readonly Filing[], options: MergeOptions): Promise<MergedFilings>;
  recordImport(record: ImportRecord): Promise<void>;
  /** Records that a field of a series' description changed; of several changes on one day, keeps the first text. */
  recordChange(change: DescriptionChange): Promise<void>;
  /** Follows something from now on, or updates its progress; changes no facts, nor the state of the data. */
  follow(record: Followed): Promise<void>;
  /** Stops following; false if it was not followed. The facts stay. */
  unfollow(source: string, name: string): Promise<boolean>;
  /**
   * Updates what is derived from the statements of these series: the periods of dates, counts, coverage. Must be
   * called once, after all merges. Returns the conflicts between dates of one period, by series.
   */
  finish(seriesIds: readonly string[]): Promise<ReadonlyMap<string, readonly StatementConflict[]>>;
  commit(): Promise<void>;
  /** Leaves the store as it was; a store that this import created is removed. */
  rollback(): Promise<void>;
}
