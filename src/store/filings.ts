import type { TradePlace } from '../domain/insider/cluster.ts';
import type { Filing } from '../domain/insider/filing.ts';
import type { Day } from '../domain/series/date.ts';

/**
 * Selects trades, newest filing date first, then by filing and row; `from` and `to` bound the filing date, inclusive.
 */
export type FilingsQuery = {
  readonly ticker?: string;
  /** A part of the name of any reporting owner, in any case. */
  readonly ownerName?: string;
  readonly transactionCode?: string;
  readonly from?: Day;
  readonly to?: Day;
  /** The trade that a page continues after. */
  readonly after?: { readonly filedOn: Day; readonly filingId: string; readonly row: number };
  readonly limit: number;
};

/**
 * Selects the trades that clusters of a code are made of: of all issuers, of some, or of those that ever filed under
 * a ticker; filed on or before `asOf`.
 */
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
  /** The trading symbols of all filings, ascending. */
  symbols(): Promise<readonly string[]>;
  /** The number of filings with trades, and of their trades. */
  counts(): Promise<{ readonly filings: number; readonly trades: number }>;
  /**
   * The trades that clusters are made of, in batches of one issuer each: those in shares with a code, and all trades
   * in shares in amendments.
   */
  clusterTrades(query: ClusterTradesQuery): AsyncIterable<readonly Filing[]>;
  /** The trades in shares with a code, by trade date. */
  tradePlaces(query: DaysOfTradesQuery): Promise<DaysOfTrades<TradePlace>>;
  /** The trades that clusters are made of, by filing date. */
  filedTrades(query: DaysOfTradesQuery): Promise<DaysOfTrades<FiledTrade>>;
  /** The newest filing date up to a day; undefined without any. */
  coveredTo(upTo?: Day): Promise<Day | undefined>;
}
