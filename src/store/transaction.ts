import type { Filing } from '../domain/insider/filing.ts';
import type { HeldFiling } from '../domain/insider/merge-filings.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import type { DateSetText } from '../domain/series/date-set.ts';
import type { HeldVintage, RowPlan } from '../domain/series/merge-plan.ts';
import type { Change } from '../domain/series/revision-history.ts';
import type { KeptKind } from '../domain/series/series.ts';
import type { CurvePoint, CurveType, Maturity } from '../domain/treasury/curve.ts';
import type { DescriptionChange, Followed } from './followed.ts';
import type { SeriesRecord } from './series-record.ts';
import type { ImportRecord, LoggedImport, SourcesView } from './store.ts';

/** A day before every day that a series can have. */
export const firstDay: Day = '1600-01-01';

/** A day after every day that a series can have. */
export const lastDay: Day = '2999-12-31';

/** What an import needs to know about a series before it writes. */
export type SeriesStart = {
  readonly record: SeriesRecord;
  readonly normalisedBy: Frequency;
  /** Empty without coverage. */
  readonly coveredTo: Day;
  /** Empty without a vintage. */
  readonly newestVintage: Day;
  readonly version: number;
  /** Whether this import created it. */
  readonly isNew: boolean;
};

/** The rows of one series as an engine reads and writes them, all in one transaction. */
export interface SeriesRows {
  /** The row of the series, which is created if it is missing. */
  begin(): Promise<SeriesStart>;
  putRecord(record: Pick<SeriesRecord, 'stated' | 'implied'>): Promise<void>;
  setFrequency(frequency: Frequency): Promise<void>;
  /** The vintages, oldest first. */
  vintages(): Promise<readonly HeldVintage[]>;
  /** The changes of text of the dates between two days (inclusive), each date's oldest first. */
  changes(from: Day, to: Day): Promise<ReadonlyMap<Day, readonly Change[]>>;
  /** The latest change of text of each date between two days (inclusive). */
  latestChanges(from: Day, to: Day): Promise<ReadonlyMap<Day, readonly Change[]>>;
  /** The distinct texts of dates that vintages have. */
  dateSets(): Promise<readonly DateSetText[]>;
  /** The kinds of the vintages up to a day. Default: of all. */
  kinds(upTo?: Day): Promise<readonly KeptKind[]>;
  apply(plan: Partial<RowPlan>): Promise<void>;
  /** Counts what the series holds, and gives it a new version. The engine derives the rest from the vintages. */
  summarise(derived: {
    readonly spacing: Frequency;
    readonly coveredTo: Day;
    readonly vintageKind: string;
  }): Promise<void>;
}

/** The changes of the descriptions of series. */
interface DescriptionRows {
  /** The changes of a series, oldest first. */
  of(seriesId: string): Promise<readonly DescriptionChange[]>;
  /** Adds a change; of several on one day, keeps the text before the first. */
  add(change: DescriptionChange): Promise<void>;
  replace(seriesId: string, changes: readonly DescriptionChange[]): Promise<void>;
}

/** The rates of a store as an import reads and writes them. */
interface RateRows {
  /** The rates of a curve between two trade dates (inclusive). */
  held(range: {
    readonly curveType: CurveType;
    readonly from: Day;
    readonly to: Day;
  }): Promise<readonly CurvePoint[]>;
  /** Writes rates; each replaces the held one of its curve, trade date and maturity. */
  put(points: readonly CurvePoint[]): Promise<void>;
  remove(curveType: CurveType, maturity: Maturity, tradeDates: readonly Day[]): Promise<void>;
}

/** The filings of a store as an import reads and writes them. */
interface FilingRows {
  /** Those of the filings that the store holds, by id. */
  held(filings: readonly Filing[]): Promise<ReadonlyMap<string, HeldFiling>>;
  /** Writes new and changed filings with their new and changed trades; `held` are those that the store has. */
  put(filings: readonly HeldFiling[], held: ReadonlyMap<string, HeldFiling>): Promise<void>;
  /** Removes filings with their trades. */
  remove(filings: readonly FilingPlace[]): Promise<void>;
}

/** A filing, and the issuer by which its rows are found. */
export type FilingPlace = Pick<Filing, 'filingId' | 'issuerCik'>;

/** What is followed, and the log of imports with what each changed, as an import reads and writes them. */
interface SourceRows extends SourcesView {
  putFollowed(record: Followed): Promise<void>;
  /** Stops following; false if it was not followed. */
  removeFollowed(source: string, name: string): Promise<boolean>;
  /** Adds an entry to the log for the import with a number, for a new one, or for none (null). Returns the number. */
  addImport(record: ImportRecord & Partial<LoggedImport>, number?: number | null): Promise<number>;
  /** Removes an import, and what is recorded of its changes, from the log. */
  removeImport(number: number): Promise<void>;
  /** What the imports from a number on changed. */
  changes(from: number): Promise<readonly ImportChange[]>;
  putChanges(changes: readonly ImportChange[]): Promise<void>;
  /**
   * Notes that the newest recorded change of a series leads to another version; with `from` only if it led to that
   * one.
   */
  moveVersion(seriesId: string, to: number, from?: number): Promise<void>;
}

/**
 * What an import changed in one subject, in the form that a store keeps: `series GDP`, `curve PAR`, `filings`,
 * `followed`.
 */
export type ImportChange = {
  readonly import: number;
  readonly subject: string;
  /** The version of a series after the import; 0 for any other subject. */
  readonly version: number;
  /** JSON. */
  readonly content: string;
};

/** A transaction of an engine: it reads and writes rows, and decides nothing about them. */
export interface WriteTransaction {
  readonly address: string;
  readonly created: boolean;
  series(id: string): SeriesRows;
  records(seriesIds: readonly string[]): Promise<ReadonlyMap<string, SeriesRecord>>;
  withStatements(seriesIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Removes a series with its rows; false for an unknown id. */
  removeSeries(id: string): Promise<boolean>;
  renameSeries(from: string, to: string): Promise<void>;
  readonly descriptions: DescriptionRows;
  readonly rates: RateRows;
  readonly filings: FilingRows;
  readonly sources: SourceRows;
  /** Ends the transaction; `changed` says whether the state of the data differs from the one before. */
  commit(changed: boolean): Promise<void>;
  rollback(): Promise<void>;
}
