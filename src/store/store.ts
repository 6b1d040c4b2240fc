import type { TradePlace } from '../domain/insider/cluster.ts';
import type { Filing } from '../domain/insider/filing.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import type { HeldVintage } from '../domain/series/merge-plan.ts';
import type { KeptChange, Statement } from '../domain/series/revision-history.ts';
import type { SearchIndex } from '../domain/series/search.ts';
import type { FrequencySince, SeriesMetadata, VintageKind } from '../domain/series/series.ts';
import type { SearchedSeries } from '../domain/series/words.ts';
import type { CurveMaturity, CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
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

/** Selects rows between two days (inclusive), newest first; a page continues `before` a day. */
type DaysQuery = {
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

type SeriesDaysQuery = DaysQuery & { readonly seriesId: string };

/** Selects values of a series. */
export type ObservationQuery = SeriesDaysQuery & {
  readonly asOf?: Day;
  /** Each date's first published value instead of its value as of `asOf`. */
  readonly firstRelease?: boolean;
};

/** A change of a date's value (null marks a withdrawal), and how the vintage of its day came about. */
export type Revision = {
  readonly date: Day;
  readonly asOfDate: Day;
  readonly value: string | null;
  readonly kind: VintageKind;
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
type VintageDate = { readonly asOf: Day; readonly kind: VintageKind };

/** The newest vintage on a day. */
type VintageOnDay = {
  readonly newest: VintageDate | undefined;
  /** The kinds of all vintages up to the day, in the words of `kindsText`; only for first releases. */
  readonly kinds?: string;
};

/** Selects rates, newest trade date first, then shortest maturity; `from` and `to` are inclusive. */
type YieldsQuery = {
  readonly curveType: CurveType;
  readonly maturity?: Maturity;
  readonly from?: Day;
  readonly to?: Day;
  readonly after?: { readonly tradeDate: Day; readonly maturity: string };
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
  readonly sample: boolean;
};

type SeriesPage<T> = { readonly series: Series; readonly rows: readonly T[] };
/** What a view answers about series, in the contract's order; a page of an unknown series is undefined. */
export interface AllSeriesView extends SearchIndex<SearchedSeries> {
  find(id: string): Promise<Series | undefined>;
  /** Series whose id contains a text in any case, or those of some ids; a page continues `after` an id. */
  search(query: {
    readonly text: string;
    readonly ids?: readonly string[];
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly Series[]>;
  observations(
    query: ObservationQuery,
  ): Promise<(SeriesPage<StoredObservation> & { readonly vintage: VintageOnDay }) | undefined>;
  /** The dates that ever had a value, newest first. */
  dates(query: SeriesDaysQuery): Promise<SeriesPage<Day> | undefined>;
  /** The changes of the values of dates, newest date first, and those of each date oldest first. */
  revisions(query: {
    readonly seriesId: string;
    readonly from?: Day | undefined;
    readonly to?: Day | undefined;
  }): Promise<SeriesPage<Revision> | undefined>;
  /** The frequencies that spacing implied, each from a day on, oldest first; none if one is stated. */
  impliedFrequencies(seriesId: string): Promise<readonly FrequencySince[]>;
  /** Every day on which anything was stated about a series, and the first date with a value in any vintage. */
  vintages(
    query: SeriesDaysQuery,
  ): Promise<(SeriesPage<VintageCounts> & { readonly firstDate: Day | undefined }) | undefined>;
  /** Every statement about a series, by date and then as-of date, in batches. */
  statements(seriesId: string): AsyncIterable<readonly Statement[]>;
  /** The vintages that speak for every date of a series, ascending. */
  completeVintages(seriesId: string): Promise<readonly VintageDate[]>;
  /** The changes of a series' description, oldest first. */
  descriptionChanges(seriesId: string): Promise<readonly DescriptionChange[]>;
}

/** What a view answers about rates. */
export interface RatesView {
  /** The curve of exactly `date`, or the newest one on or before it. */
  curve(query: {
    readonly curveType: CurveType;
    readonly date: Day;
    readonly onOrBefore: boolean;
  }): Promise<readonly CurvePoint[]>;
  yields(query: YieldsQuery): Promise<readonly CurvePoint[]>;
  /** The days that have rates of both maturities. */
  spread(
    query: DaysQuery & {
      readonly curveType: CurveType;
      readonly long: Maturity;
      readonly short: Maturity;
    },
  ): Promise<readonly RatePair[]>;
  /** Every maturity that has rates, by curve type and then shortest first. */
  summaries(): Promise<readonly RateSummary[]>;
  /** The newest trade date of a kind of curve up to a day; undefined without any. */
  coveredTo(curveType: CurveType, upTo?: Day): Promise<Day | undefined>;
}

/** Selects trades, newest filing date first; `from` and `to` bound the filing date, inclusive. */
export type FilingsQuery = {
  readonly ticker?: string;
  /** A part of the name of any reporting owner, in any case. */
  readonly ownerName?: string;
  readonly transactionCode?: string;
  readonly from?: Day;
  readonly to?: Day;
  readonly after?: { readonly filedOn: Day; readonly filingId: string; readonly row: number };
  readonly limit: number;
};

/** Selects the trades that clusters of a code are made of; `ticker` is one under which an issuer ever filed. */
type ClusterTradesQuery = {
  readonly code: string;
  readonly issuerCiks?: readonly string[];
  readonly ticker?: string;
  readonly asOf?: Day;
  /** Whether to include trades with the code that never count, such as derivatives. */
  readonly uncounted?: boolean;
};

/** Selects trades before a day, newest first, about `limit` of them. */
export type DaysOfTradesQuery = { readonly code: string; readonly before: string; readonly limit: number };

/** A trade by its issuer and filing, with the day of the filing; a date may be missing. */
export type FiledTrade = Omit<TradePlace, 'date'> & {
  readonly date: TradePlace['date'] | null;
  readonly filedOn: Day;
};

/** The trades of whole days, newest first; the remaining ones are before `before`, undefined if there are none. */
export type DaysOfTrades<T> = { readonly trades: readonly T[]; readonly before: string | undefined };

/** What a view answers about filings. */
export interface FilingsView {
  page(query: FilingsQuery): Promise<readonly Filing[]>;
  /** The accession numbers, among those given, that the store has with their time of acceptance. */
  accepted(accessionNumbers: readonly string[]): Promise<ReadonlySet<string>>;
  symbols(): Promise<readonly string[]>;
  /** The number of filings with trades, and of their trades. */
  counts(): Promise<{ readonly filings: number; readonly trades: number }>;
  /** The trades in shares with a code, and all in amendments, in batches of one issuer each. */
  clusterTrades(query: ClusterTradesQuery): AsyncIterable<readonly Filing[]>;
  /** The trades in shares with a code, by trade date. */
  tradePlaces(query: DaysOfTradesQuery): Promise<DaysOfTrades<TradePlace>>;
  /** The trades that clusters are made of, by filing date. */
  filedTrades(query: DaysOfTradesQuery): Promise<DaysOfTrades<FiledTrade>>;
  /** The newest filing date up to a day; undefined without any. */
  coveredTo(upTo?: Day): Promise<Day | undefined>;
}

/** The facts in one state of a store, by subject. */
export interface StoreView {
  /**
   * The state that every answer of this view comes from; views of the same state of a store give the same object. For
   * a series, the state of the answers about it, which stays the same when other series are imported, if the engine
   * can tell.
   */
  state(seriesId?: string): Promise<StoreState>;
  readonly series: AllSeriesView;
  readonly rates: RatesView;
  readonly filings: FilingsView;
  /** Where the facts come from. */
  readonly sources: {
    /** Oldest first. */
    imports(): Promise<readonly LoggedImport[]>;
    /** By source and name. */
    followed(): Promise<readonly Followed[]>;
  };
}

/** What a store counts of the rows of a series; days are empty without a vintage. */
export type SeriesFigures = {
  readonly observationCount: number;
  readonly dateCount: number;
  readonly factCount: number;
  readonly firstVintage: string;
  readonly lastVintage: string;
  readonly spacing: Frequency;
  readonly vintageKind: string;
};

/** The metadata of a series in a store. */
export type SeriesDescription = {
  /** Stated by metadata files. */
  readonly stated: SeriesMetadata;
  /** Implied by the formats of its files; used for fields that are not stated. */
  readonly implied: SeriesMetadata;
};

/** Everything that a store keeps of a series except its changes. */
export type SeriesContents = SeriesDescription & {
  readonly id: string;
  /** The frequency by which its dates are kept. */
  readonly normalisedBy: Frequency;
  /** Empty without coverage. */
  readonly coveredTo: string;
  readonly figures: SeriesFigures;
  /** Oldest first. */
  readonly vintages: readonly HeldVintage[];
};

/** What a store keeps, in the form in which it keeps it, for copies and checks, in the state of a view. */
export interface StoreContents {
  /** The ids of all series, including those that are only described, ascending. */
  seriesIds(): Promise<readonly string[]>;
  series(seriesId: string): Promise<SeriesContents | undefined>;
  /** The changes of a series by date and then as-of date, in batches. */
  changes(seriesId: string): AsyncIterable<readonly KeptChange[]>;
  /** All series together; days are null if there are none. */
  totals(): Promise<{
    readonly series: number;
    /** Series that are only described. */
    readonly described: number;
    readonly facts: number;
    readonly firstVintage: string | null;
    readonly lastVintage: string | null;
    /** The first and the last of the days to which series are covered. */
    readonly leastCovered: string | null;
    readonly covered: string | null;
  }>;
  size(): Promise<{ readonly format: number; readonly bytes: number }>;
  /** Damage that the engine finds, and contradictions in what it derives from filings: a text for each fault. */
  faults(): Promise<readonly string[]>;
}

/** A view that also gives what the store keeps, as it keeps it. */
export interface WholeView extends StoreView {
  readonly contents: StoreContents;
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
  read<T>(work: (view: WholeView) => Promise<T>): Promise<T>;
  /** Like `read`, for work that asks about many series at once; absent if the engine gains nothing by it. */
  readTogether?<T>(work: (view: StoreView) => Promise<T>): Promise<T>;
  /** Closes the files that no read needs just now, so that another can take their place; absent if it has none. */
  rest?(): Promise<void>;
  close(): Promise<void>;
}
