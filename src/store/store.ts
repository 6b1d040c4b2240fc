import type { Filing } from '../domain/insider/filing.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import type { Clash } from '../domain/series/revision-history.ts';
import type { SeriesMetadata } from '../domain/series/series.ts';
import type { Statement } from '../domain/series/statement.ts';
import type { CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';

/** A series as the store knows it; it exists from its first statement on. */
export type Series = {
  readonly id: string;
  readonly title: string;
  readonly units: string;
  readonly frequency: Frequency;
  readonly seasonalAdjustment: string;
  readonly source: string;
  /** Dates that have a value in the latest state of knowledge. */
  readonly observationCount: number;
  readonly firstVintage: Day;
  readonly lastVintage: Day;
  readonly coveredTo: Day;
  /** Grows with every import that changed the series, so that pages of two states are never mixed. */
  readonly version: number;
};

/** The value of one date as known at a time, with the day on which that value was first published. */
export type ObservationRow = { readonly date: Day; readonly value: string; readonly asOfDate: Day };

/** Which values of a series, newest date first; bounds are inclusive, `before` is exclusive and continues a page. */
export type ObservationQuery = {
  readonly seriesId: string;
  readonly asOf?: Day;
  /** Each date's first published value instead of its value on `asOf`. */
  readonly firstRelease?: boolean;
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

/** One change of a date's value; null where it was withdrawn. */
export type Revision = { readonly asOfDate: Day; readonly value: string | null };

/** Which days of publication, newest first; bounds are inclusive, `before` is exclusive and continues a page. */
export type VintageQuery = {
  readonly seriesId: string;
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

/** A day on which a series was published, and how many of its dates got a value, another value, or lost theirs. */
export type VintageCounts = {
  readonly asOfDate: Day;
  readonly added: number;
  readonly revised: number;
  readonly withdrawn: number;
};

/** Which series, by id; `after` is exclusive and continues a page. */
export type SeriesQuery = {
  readonly text: string;
  readonly match: 'id' | 'title' | 'any';
  readonly after?: readonly string[];
  readonly limit: number;
};

/** Which curve: that of exactly `date`, or the newest on or before it. */
export type CurveQuery = {
  readonly curveType: CurveType;
  readonly date: Day;
  readonly onOrBefore: boolean;
};

/** Which rates, newest trade date first, then shortest maturity; bounds are inclusive, `after` is exclusive and continues a page. */
export type YieldsQuery = {
  readonly curveType: CurveType;
  readonly maturity?: Maturity;
  readonly from?: Day;
  readonly to?: Day;
  readonly after?: { readonly tradeDate: Day; readonly maturity: string };
  readonly limit: number;
};

/** Which two rates of a day: only days that have both, newest first; bounds are inclusive, `before` is exclusive and continues a page. */
export type SpreadQuery = {
  readonly curveType: CurveType;
  readonly long: Maturity;
  readonly short: Maturity;
  readonly from?: Day;
  readonly to?: Day;
  readonly before?: Day;
  readonly limit: number;
};

/** The rates of two maturities on one day. */
export type RatePair = { readonly tradeDate: Day; readonly long: string; readonly short: string };

/**
 * Which trades of filings, newest filing date first, then by filing and row; bounds on the filing date are inclusive,
 * `after` is exclusive and continues a page.
 */
export type FilingsQuery = {
  readonly ticker?: string;
  /** A part of the name of any owner, in any case. */
  readonly ownerName?: string;
  readonly transactionCode?: string;
  readonly from?: Day;
  readonly to?: Day;
  readonly after?: { readonly filedOn: Day; readonly filingId: string; readonly row: number };
  readonly limit: number;
};

/** Which issuers' purchases: all, or of those that ever filed under a ticker; filed on or before `asOf`. */
export type PurchasesQuery = { readonly ticker?: string; readonly asOf?: Day };

/** One file that was imported, and what it brought. */
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

/** What a store is: where it lies, whether it is the shipped sample, and a number that every import changes. */
export type StoreInfo = { readonly path: string; readonly sample: boolean; readonly revision: number };

/** The facts, read-only. Every method answers from one state of knowledge; rows come in the contract's order. */
export interface Store {
  info(): Promise<StoreInfo>;
  findSeries(id: string): Promise<Series | undefined>;
  searchSeries(query: SeriesQuery): Promise<readonly Series[]>;
  observations(query: ObservationQuery): Promise<readonly ObservationRow[]>;
  /** Every change of one date's value, oldest first. */
  revisions(seriesId: string, date: Day): Promise<readonly Revision[]>;
  /** Every day on which anything was stated of a series, also one that changed nothing. */
  vintages(query: VintageQuery): Promise<readonly VintageCounts[]>;
  /** The newest day up to `asOf` on which anything was stated of a series. */
  vintageUpTo(seriesId: string, asOf: Day): Promise<Day | undefined>;
  /** The first date that ever had a value. */
  firstDate(seriesId: string): Promise<Day | undefined>;
  curve(query: CurveQuery): Promise<readonly CurvePoint[]>;
  yields(query: YieldsQuery): Promise<readonly CurvePoint[]>;
  spread(query: SpreadQuery): Promise<readonly RatePair[]>;
  filings(query: FilingsQuery): Promise<readonly Filing[]>;
  /**
   * The trades that clusters are made of, each batch those of one issuer: open-market purchases of shares, and every
   * trade in shares of an amendment.
   */
  purchases(query: PurchasesQuery): AsyncIterable<readonly Filing[]>;
  /** Every statement about a series, by date and then as-of day, in batches. */
  statements(seriesId: string): AsyncIterable<readonly Statement[]>;
  /** The days of which a vintage speaks for every date of a series, ascending. */
  completeVintages(seriesId: string): Promise<readonly Day[]>;
  imports(): Promise<readonly ImportRecord[]>;
  close(): Promise<void>;
}

/** What the store holds of a series besides numbers, and who stated it. */
export type SeriesRecord = {
  readonly stated: SeriesMetadata;
  /** Implied by the formats of its files, used where nothing is stated. */
  readonly implied: SeriesMetadata;
  /** Whether any statement about it had been imported before this import began. */
  readonly begun: boolean;
};

/** How statements that the store already has a differing word on are met. */
export type MergeOptions = { readonly replace: boolean };

/** What a merge of statements did. */
export type Merged = {
  readonly added: number;
  readonly known: number;
  readonly withdrawn: number;
  readonly clashes: readonly Clash[];
  /** Whether the store holds anything else than before, be it only a fuller text of a number. */
  readonly changed: boolean;
};

/** A curve point that differs from the one the store holds. */
export type PointClash = { readonly held: CurvePoint; readonly given: CurvePoint };

/** What a merge of curve points did. */
export type MergedPoints = {
  readonly added: number;
  readonly known: number;
  readonly clashes: readonly PointClash[];
  /** Whether the store holds anything else than before, be it only a fuller text of a rate. */
  readonly changed: boolean;
};

/** A trade of a filing that contradicts the one that the store holds, and in what. */
export type FilingClash = {
  readonly held: Filing;
  readonly given: Filing;
  readonly fields: readonly (keyof Filing)[];
};

/** What a merge of filings did, in trades. */
export type MergedFilings = {
  readonly added: number;
  readonly known: number;
  readonly clashes: readonly FilingClash[];
  /** Whether the store holds anything else than before, be it only what one of two records left out. */
  readonly changed: boolean;
};

/** A whole vintage as its file lists it (without `dates`: as the store lists it): with `complete`, every date of the series that is not listed was withdrawn. */
export type WholeVintage = { readonly asOf: Day; readonly dates?: ReadonlySet<Day> };

/** The one writer of a store, inside one transaction: nothing of it is seen by anyone until it is committed. */
export interface StoreWriter {
  /** Whether this import made the store. */
  readonly created: boolean;
  readonly path: string;
  record(seriesId: string): SeriesRecord | undefined;
  putRecord(seriesId: string, record: Pick<SeriesRecord, 'stated' | 'implied'>): void;
  /** Adds statements of one series, in any order; the result does not depend on the order of calls. */
  merge(seriesId: string, statements: readonly Statement[], options: MergeOptions): Merged;
  /** Makes a vintage speak for every date of its series, also for those that are imported later. */
  complete(seriesId: string, vintage: WholeVintage, options: MergeOptions): Merged;
  /** Says that an import speaks for a series up to a day. */
  cover(seriesId: string, to: Day): void;
  mergePoints(points: readonly CurvePoint[], options: MergeOptions): MergedPoints;
  /** Adds trades of filings, in any order; the result does not depend on the order of calls. */
  mergeFilings(filings: readonly Filing[], options: MergeOptions): MergedFilings;
  recordImport(record: ImportRecord): void;
  /** Brings what is derived (dates put on their periods, counts, coverage) up to date; once for each series, at the end. */
  settle(seriesId: string): readonly Clash[];
  commit(): void;
  /** Leaves the store as it was; a store that this import made is gone. */
  rollback(): void;
}
