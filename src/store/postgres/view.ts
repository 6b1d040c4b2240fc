import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { KeptChange, Statement } from '../../domain/series/revision-history.ts';
import type { IndexQuery } from '../../domain/series/search-index.ts';
import { type KeptKind, kindOf } from '../../domain/series/series.ts';
import type { CurveType } from '../../domain/treasury/curve.ts';
import type { StoreContents } from '../contents.ts';
import {
  type ClusterTradesQuery,
  type DaysOfTradesQuery,
  type FilingsQuery,
  wholeDays,
} from '../filing-queries.ts';
import { type SeriesRow, seriesOf } from '../series-record.ts';
import { frequenciesIn } from '../statements.ts';
import type {
  CurveQuery,
  ObservationQuery,
  SeriesQuery,
  SpreadQuery,
  StoreState,
  StoreView,
  VintageQuery,
  YieldsQuery,
} from '../store.ts';
import { readClusterTrades, readFiledTrades, readTradePlaces } from './cluster-trades.ts';
import type { Transaction } from './connection.ts';
import {
  readContents,
  readFaults,
  readKeptChanges,
  readSeriesIds,
  readSeriesTotals,
  readSize,
} from './contents.ts';
import { newestCurve, readCurve, readRates, readSpread, readYields } from './curves.ts';
import { countFilings, newestFiling, readAcceptedFilings, readFilings, readSymbols } from './filings.ts';
import { readDescriptionChanges, readFollowed, readImports } from './following.ts';
import { readDates, readSeries, searchSeries } from './series.ts';
import { readFirstDate, readObservations, readRevisions, readStatements } from './statements.ts';
import {
  readCompleteVintages,
  readNewestVintage,
  readUnstatedDates,
  readVintageCounts,
  vintageOnDay,
} from './vintages.ts';
import { readSearchable, searchEntries } from './words.ts';

/** Reads the state of a store, or of one of its series. */
type StateReader = (transaction: Transaction, seriesId: string | undefined) => Promise<StoreState>;

/**
 * A view of a store through a transaction that reads one state. It sends statements together if none of them needs the
 * answer to another.
 */
export class PostgresView implements StoreView, StoreContents {
  readonly #stateOf: StateReader;
  readonly #states = new Map<string | undefined, Promise<StoreState>>();
  #transaction: Transaction | undefined;

  constructor(transaction: Transaction, stateOf: StateReader) {
    this.#transaction = transaction;
    this.#stateOf = stateOf;
  }

  /** Ends the view; its methods fail from now on. */
  end(): void {
    this.#transaction = undefined;
  }

  async state(seriesId?: string) {
    const transaction = this.#open();
    const known = this.#states.get(seriesId) ?? this.#stateOf(transaction, seriesId);
    this.#states.set(seriesId, known);
    return known;
  }

  async findSeries(id: string) {
    const series = await readSeries(this.#open(), id);
    return series && seriesOf(series);
  }

  async searchSeries(query: SeriesQuery) {
    return searchSeries(this.#open(), query);
  }

  async searchEntries(query: IndexQuery) {
    return searchEntries(this.#open(), query);
  }

  async searchable(what: 'ids' | 'words', upTo?: Day) {
    return readSearchable(this.#open(), what, upTo);
  }

  async observations(query: ObservationQuery) {
    const transaction = this.#open();
    const [series, newest, rows] = await Promise.all([
      readSeries(transaction, query.seriesId),
      readNewestVintage(transaction, query),
      readObservations(transaction, query),
    ]);
    if (series === undefined) return undefined;
    const vintage = vintageOnDay(newest, series.statedKind, query.firstRelease === true);
    return { series: seriesOf(series), rows, vintage };
  }

  async dates(query: Omit<ObservationQuery, 'asOf' | 'firstRelease'>) {
    const transaction = this.#open();
    const [series, rows] = await Promise.all([
      readSeries(transaction, query.seriesId),
      readDates(transaction, query),
    ]);
    return series && { series: seriesOf(series), rows };
  }

  async revisions(seriesId: string, date: Day) {
    const transaction = this.#open();
    const [series, rows] = await Promise.all([
      readSeries(transaction, seriesId),
      readRevisions(transaction, seriesId, date),
    ]);
    return series && { series: seriesOf(series), rows: withKinds(rows, series) };
  }

  async impliedFrequencies(seriesId: string) {
    return frequenciesIn(await readUnstatedDates(this.#open(), seriesId));
  }

  async vintages(query: VintageQuery) {
    const transaction = this.#open();
    const [series, firstDate, rows] = await Promise.all([
      readSeries(transaction, query.seriesId),
      readFirstDate(transaction, query.seriesId),
      readVintageCounts(transaction, query),
    ]);
    return series && { series: seriesOf(series), firstDate, rows: withKinds(rows, series) };
  }

  async curve(query: CurveQuery) {
    return readCurve(this.#open(), query);
  }

  async yields(query: YieldsQuery) {
    return readYields(this.#open(), query);
  }

  async spread(query: SpreadQuery) {
    return readSpread(this.#open(), query);
  }

  async rates() {
    return readRates(this.#open());
  }

  async filings(query: FilingsQuery) {
    return readFilings(this.#open(), query);
  }

  async acceptedFilings(accessionNumbers: readonly string[]) {
    return readAcceptedFilings(this.#open(), accessionNumbers);
  }

  async symbols() {
    return readSymbols(this.#open());
  }

  async filingCounts() {
    return countFilings(this.#open());
  }

  async coveredTo(what: CurveType | 'filings', upTo?: Day) {
    return what === 'filings' ? newestFiling(this.#open(), upTo) : newestCurve(this.#open(), what, upTo);
  }

  clusterTrades(query: ClusterTradesQuery): AsyncIterable<readonly Filing[]> {
    return this.#stream((transaction) => readClusterTrades(transaction, query));
  }

  async tradePlaces(query: DaysOfTradesQuery) {
    const transaction = this.#open();
    const read = (limit: number) => readTradePlaces(transaction, { ...query, limit });
    return wholeDays(query.limit, ({ date }) => date, read);
  }

  async filedTrades(query: DaysOfTradesQuery) {
    const transaction = this.#open();
    const read = (limit: number) => readFiledTrades(transaction, { ...query, limit });
    return wholeDays(query.limit, ({ filedOn }) => filedOn, read);
  }

  statements(seriesId: string): AsyncIterable<readonly Statement[]> {
    return this.#stream((transaction) => readStatements(transaction, seriesId));
  }

  async completeVintages(seriesId: string) {
    return readCompleteVintages(this.#open(), seriesId);
  }

  async seriesIds() {
    return readSeriesIds(this.#open());
  }

  async contents(seriesId: string) {
    return readContents(this.#open(), seriesId);
  }

  changes(seriesId: string): AsyncIterable<readonly KeptChange[]> {
    return this.#stream((transaction) => readKeptChanges(transaction, seriesId));
  }

  async seriesTotals() {
    return readSeriesTotals(this.#open());
  }

  async size() {
    const transaction = this.#open();
    return readSize(transaction, transaction.schema);
  }

  async faults() {
    const transaction = this.#open();
    return readFaults(transaction, transaction.schema);
  }

  async imports() {
    return readImports(this.#open());
  }

  async followed() {
    return readFollowed(this.#open());
  }

  async descriptionChanges(seriesId: string) {
    return readDescriptionChanges(this.#open(), seriesId);
  }

  async *#stream<T>(read: (transaction: Transaction) => AsyncIterable<T>): AsyncGenerator<T> {
    for await (const batch of read(this.#open())) {
      yield batch;
      this.#open();
    }
  }

  #open(): Transaction {
    if (this.#transaction === undefined) throw new Error('this view of the store has ended');
    return this.#transaction;
  }
}

function withKinds<T extends { readonly kind: KeptKind }>(rows: readonly T[], { statedKind }: SeriesRow) {
  return rows.map((row) => ({ ...row, kind: kindOf(row.kind, statedKind ?? undefined) }));
}
