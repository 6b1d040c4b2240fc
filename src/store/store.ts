import type { Sighting } from '../domain/calendar/sighting.ts';
import type { TradePlace } from '../domain/insider/cluster.ts';
import type { Filing } from '../domain/insider/filing.ts';
import type { IndexedSeries, SearchIndex } from '../domain/search/word-index.ts';
import type { StoredVintage } from '../domain/series/merge-plan.ts';
import type { DatedChange, StoredChange } from '../domain/series/revision-history.ts';
import type {
  DescriptionChange,
  FrequencySince,
  SeriesMetadata,
  VintageKind,
} from '../domain/series/series.ts';
import type { Statement } from '../domain/series/statements.ts';
import type { CurveMaturity, CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
import type { Day, Frequency } from '../domain/values/date.ts';

/** A series that has at least one statement. */
export type Series = {
  readonly id: string;
  readonly title: string;
  readonly units: string;
  readonly frequency: Frequency;
  readonly seasonalAdjustment: string;
  readonly source: string;
  /** The publishers whose formats its vintages came in, as `source` names them. */
  readonly publishers: string;
  /** The release in which its publisher says it appears, `fred:50`; empty if unknown. */
  readonly release: string;
  /** The number of dates with a value in the newest vintage. */
  readonly observationCount: number;
  readonly firstVintage: Day;
  readonly lastVintage: Day;
  readonly coveredTo: Day;
  /** The origin of its vintages in the words of `kindsText`: `sampled`, or `exact; sampled`. */
  readonly vintageKind: string;
  /** Grows with every import that changes the series; all pages of a listing must have one version. */
  readonly version: number;
};

/** A value as of a day, and its day of publication. */
export type StoredObservation = { readonly date: Day; readonly value: string; readonly asOfDate: Day };

/** Selects rows between two days (inclusive), newest first, `before` a day. */
type DaysQuery = {
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

type SeriesDaysQuery = DaysQuery & { readonly seriesId: string };

export type ObservationQuery = SeriesDaysQuery & {
  readonly asOf?: Day;
  /** True for each date's first published value instead of the value as of `asOf`. */
  readonly firstRelease?: boolean;
};

/** A vintage date with the numbers of dates it changed. */
export type VintageCounts = {
  readonly asOfDate: Day;
  readonly added: number;
  readonly revised: number;
  readonly withdrawn: number;
  readonly kind: VintageKind;
};

type VintageDate = { readonly asOf: Day; readonly kind: VintageKind };

type VintageOnDay = {
  readonly newest: VintageDate | undefined;
  /** The kinds of all vintages up to the day, in the words of `kindsText`; only for first releases. */
  readonly kinds?: string;
};

/** Selects rates, newest trade date first, then shortest maturity; days are inclusive. */
type YieldsQuery = {
  readonly curveType: CurveType;
  readonly maturity?: Maturity;
  readonly from?: Day;
  readonly to?: Day;
  readonly after?: { readonly tradeDate: Day; readonly maturity: string };
  readonly limit: number;
};

/** The days and the sorted sources of the rates of one maturity. */
export type RateSummary = CurveMaturity & {
  readonly count: number;
  readonly first: Day;
  readonly last: Day;
  readonly sources: readonly string[];
};

export type RatePair = {
  readonly tradeDate: Day;
  readonly long: string;
  readonly short: string;
  /** The source of both, or each, separated by `; `. */
  readonly source: string;
};

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

/** An entry of the import log as it is stored. */
export type LoggedImport = ImportRecord & {
  /** The number of the import; null if an older asof made it, or if the store was copied afterwards. */
  readonly number: number | null;
  /** True if the file was read by an older rule for blank cells and not imported again since. */
  readonly outdated: boolean;
};

/** An import in parts that has not come to its end. */
export type UnfinishedImport = {
  /** The paths of the import, as the user named them. */
  readonly paths: string;
  /** Names the parts by the content of the files and the options. */
  readonly key: string;
  /** The number of parts that are stored. */
  readonly parts: number;
  /** The number of series in these parts, and in all. */
  readonly series: number;
  readonly total: number;
  /** The numbers of the imports that stored the parts, oldest first. */
  readonly imports: readonly number[];
};

export type StoreState = {
  /** Differs between stores, and between the states of one store. */
  readonly name: string;
  /** Grows with every import that changes anything. */
  readonly revision: number;
  readonly sample: boolean;
};

type SeriesPage<T> = { readonly series: Series; readonly rows: readonly T[] };

type ObservationsPage = SeriesPage<StoredObservation> & {
  readonly vintage: VintageOnDay;
  /** What `impliedFrequencies` lists, if the engine read it with the page. */
  readonly frequencies?: readonly FrequencySince[];
};

/** The series in a view; pages of unknown series are undefined. */
export interface AllSeriesView extends SearchIndex<IndexedSeries> {
  find(id: string): Promise<Series | undefined>;
  /** Lists series by a text in the id (in any case) or by ids, ascending; a page continues `after` an id. */
  search(query: {
    readonly text: string;
    readonly ids?: readonly string[];
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly Series[]>;
  observations(query: ObservationQuery): Promise<ObservationsPage | undefined>;
  /** Lists the dates that ever had a value, newest first. */
  dates(query: SeriesDaysQuery): Promise<SeriesPage<Day> | undefined>;
  /** Lists changes of values, newest date first and each date's oldest first, and their vintages, oldest first. */
  history(query: {
    readonly seriesId: string;
    readonly from?: Day | undefined;
    readonly to?: Day | undefined;
  }): Promise<(SeriesPage<DatedChange> & { readonly vintages: readonly VintageDate[] }) | undefined>;
  /** Lists the frequencies implied by spacing, each with its first day, oldest first; none if one is stated. */
  impliedFrequencies(seriesId: string): Promise<readonly FrequencySince[]>;
  /** Lists every day with a statement about a series, and the first date with a value in any vintage. */
  vintages(
    query: SeriesDaysQuery,
  ): Promise<(SeriesPage<VintageCounts> & { readonly firstDate: Day | undefined }) | undefined>;
  /** Yields every statement about a series, by date and then as-of date, in batches. */
  statements(seriesId: string): AsyncIterable<readonly Statement[]>;
  completeVintages(seriesId: string): Promise<readonly VintageDate[]>;
  /** Lists the changes of a series' description, oldest first. */
  descriptionChanges(seriesId: string): Promise<readonly DescriptionChange[]>;
}

export interface RatesView {
  /** Returns the curve of exactly `date`, or the newest one on or before that day. */
  curve(query: {
    readonly curveType: CurveType;
    readonly date: Day;
    readonly onOrBefore: boolean;
  }): Promise<readonly CurvePoint[]>;
  yields(query: YieldsQuery): Promise<readonly CurvePoint[]>;
  spread(
    query: DaysQuery & {
      readonly curveType: CurveType;
      readonly long: Maturity;
      readonly short: Maturity;
    },
  ): Promise<readonly RatePair[]>;
  /** Lists the maturities that have rates, by curve type and then shortest first; or one of them. */
  summaries(only?: {
    readonly curveType: CurveType;
    readonly maturity: Maturity;
  }): Promise<readonly RateSummary[]>;
  /** Returns the newest trade date of a curve type up to a day, if any. */
  coveredTo(curveType: CurveType, upTo?: Day): Promise<Day | undefined>;
}

/** Selects trades, newest filing date first; bounds are inclusive filing dates. */
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

/** Selects trades for clusters; `ticker` may be an issuer's earlier symbol. */
type ClusterTradesQuery = {
  readonly code: string;
  readonly issuerCiks?: readonly string[];
  readonly ticker?: string;
  readonly asOf?: Day;
  /** True to include trades with the code that never count, such as derivatives. */
  readonly uncounted?: boolean;
};

/** Selects trades before a day, newest first, about `limit` of them. */
export type DaysOfTradesQuery = { readonly code: string; readonly before: string; readonly limit: number };

export type FiledTrade = Omit<TradePlace, 'date'> & {
  readonly date: TradePlace['date'] | null;
  readonly filedOn: Day;
};

/** The trades of whole days, newest first; `before` continues them. */
export type DaysOfTrades<T> = { readonly trades: readonly T[]; readonly before: string | undefined };

export interface FilingsView {
  page(query: FilingsQuery): Promise<readonly Filing[]>;
  /** Returns those of the accession numbers that are stored with a time of acceptance. */
  accepted(accessionNumbers: readonly string[]): Promise<ReadonlySet<string>>;
  symbols(): Promise<readonly string[]>;
  /** Counts the filings that have trades, and their trades. */
  counts(): Promise<{ readonly filings: number; readonly trades: number }>;
  /** Yields the trades in shares with a code, and all in amendments, in batches of one issuer each. */
  clusterTrades(query: ClusterTradesQuery): AsyncIterable<readonly Filing[]>;
  tradePlaces(query: DaysOfTradesQuery): Promise<DaysOfTrades<TradePlace>>;
  filedTrades(query: DaysOfTradesQuery): Promise<DaysOfTrades<FiledTrade>>;
  /** Returns the newest filing date up to a day, if any. */
  coveredTo(upTo?: Day): Promise<Day | undefined>;
}

/** A short name that a user gave to a series. */
export type Alias = { readonly name: string; readonly seriesId: string };

/** The facts in one state of a store, by subject. */
export interface StoreView {
  /**
   * Returns the state behind every answer of this view; the same object for the same state.
   * With a series, the state of its answers, which other imports leave unchanged if the engine can tell.
   */
  state(seriesId?: string): Promise<StoreState>;
  readonly series: AllSeriesView;
  readonly rates: RatesView;
  readonly filings: FilingsView;
  readonly aliases: {
    /** Lists aliases by name. */
    all(): Promise<readonly Alias[]>;
    /** Returns the id of the series that a name stands for; the series may be missing. */
    idOf(name: string): Promise<string | undefined>;
  };
  readonly calendar: {
    /** Lists what calendars listed, by calendar and then oldest first; `upTo` is the last day of a look at plans, `from` of a release. */
    sightings(query?: {
      readonly upTo?: Day | undefined;
      readonly from?: Day | undefined;
    }): Promise<readonly Sighting[]>;
  };
  readonly sources: {
    /** Lists imports, oldest first. */
    imports(): Promise<readonly LoggedImport[]>;
    /** Returns the number of the newest import whose changes are forgotten; 0 without one. */
    forgotten(): Promise<number>;
    /** Lists imports in parts that have not ended, by their paths. */
    unfinished(): Promise<readonly UnfinishedImport[]>;
    /** Lists followed items by source and name. */
    followed(): Promise<readonly Followed[]>;
  };
}

/** The counts of a series; days are empty without a vintage. */
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
  readonly stated: SeriesMetadata;
  /** Implied by the formats of its files; used for fields that are not stated. */
  readonly implied: SeriesMetadata;
};

/** Everything stored about a series except its changes. */
export type SeriesContents = SeriesDescription & {
  readonly id: string;
  /** The frequency that moved its dates. */
  readonly normalisedBy: Frequency;
  /** Empty without coverage. */
  readonly coveredTo: string;
  readonly figures: SeriesFigures;
  /** Oldest first. */
  readonly vintages: readonly StoredVintage[];
};

/** The stored form of a store's data, for copies and checks. */
export interface StoreContents {
  /** Lists the ids of all series, including those that are only described, ascending. */
  seriesIds(): Promise<readonly string[]>;
  series(seriesId: string): Promise<SeriesContents | undefined>;
  /** Yields the changes of a series by date and then as-of date, in batches. */
  changes(seriesId: string): AsyncIterable<readonly StoredChange[]>;
  /** Counts over all series; days are null in an empty store. */
  totals(): Promise<{
    readonly series: number;
    readonly described: number;
    readonly facts: number;
    readonly firstVintage: string | null;
    readonly lastVintage: string | null;
    /** The first and the last day to which series are covered. */
    readonly leastCovered: string | null;
    readonly covered: string | null;
  }>;
  size(): Promise<{ readonly format: number; readonly bytes: number }>;
  /** Lists damage that the engine finds, and contradictions between filings and derived data, as texts. */
  faults(): Promise<readonly string[]>;
  /** Copies everything into a new file, with the share that is done after each part; absent if no file has the data. */
  copyPages?: ((file: string, onPart: (share: number) => void) => Promise<void>) | undefined;
}

export interface WholeView extends StoreView {
  readonly contents: StoreContents;
}

export type StoreOptions = {
  /** The most facts of series to keep in memory, for pages of series that are asked for again. Default: none. */
  readonly mostKept?: number;
  /** Fails for a store whose later imports this process could not see. */
  readonly live?: boolean;
  /** The time limit of a statement to a database, in seconds. Default: that of the server. */
  readonly statementSeconds?: number;
};

export interface Store {
  /** The path or address that opened the store; it may hold a password (see `shownAddress`). */
  readonly address: string;
  /**
   * Calls `work` with a view of the newest state, and returns its result; the view ends with `work`.
   * With the series that it asks for first, a read waits for no other part of the store.
   */
  read<T>(work: (view: WholeView) => Promise<T>, seriesId?: string): Promise<T>;
  /** Returns the share of the store that answers, from 0 to 1; absent if the engine has no parts. */
  answering?(): Promise<number>;
  /** Calls `work` like `read`, for queries of many series at once; absent if the engine reads in this process. */
  readTogether?<T>(work: (view: StoreView) => Promise<T>): Promise<T>;
  /** The number of series that are best read together; absent without a preference. */
  readonly seriesTogether?: number;
  /** Closes unused files, so that another file can take their place; absent if the engine has no files. */
  rest?(): Promise<void>;
  close(): Promise<void>;
}

/** An item, such as a series, followed at a live source. */
export type Followed = {
  readonly source: string;
  /** The item in the words of the source: `GDP`. */
  readonly name: string;
  readonly since: string;
  /** Where the next pull resumes, in the words of the source; empty before the first fact. */
  readonly bookmark: string;
  /** The last day with everything that the source published. */
  readonly upTo: Day | undefined;
  readonly lastRun: string | undefined;
  /** What the last run left undone, in words; empty if nothing. */
  readonly left: string;
};

/** A function that lists followed items; absent if a service answers. */
export type AskFollowed = () => Promise<readonly Followed[]>;

/** Summarises how fresh the followed items are, by the stalest; undefined if an item has no value yet. */
export function freshnessOf(followed: readonly Followed[]) {
  // An undefined value counts as the oldest.
  const oldest = (texts: readonly (string | undefined)[]) =>
    texts.map((text) => text ?? '').sort()[0] || undefined;
  return {
    count: followed.length,
    upTo: oldest(followed.map(({ upTo }) => upTo)),
    lastRun: oldest(followed.map(({ lastRun }) => lastRun)),
    unfinished: followed.filter(({ left }) => left !== '').length,
  };
}
