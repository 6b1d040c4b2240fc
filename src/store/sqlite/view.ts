import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { KeptChange, Statement } from '../../domain/series/revision-history.ts';
import type { IndexQuery } from '../../domain/series/search-index.ts';
import type { CurveType } from '../../domain/treasury/curve.ts';
import type { StoreContents } from '../contents.ts';
import {
  type ClusterTradesQuery,
  type DaysOfTradesQuery,
  type FilingsQuery,
  wholeDays,
} from '../filing-queries.ts';
import type {
  CurveQuery,
  LoggedImport,
  ObservationQuery,
  PageCache,
  SeriesQuery,
  SpreadQuery,
  StoredObservation,
  StoreState,
  StoreView,
  VintageQuery,
  YieldsQuery,
} from '../store.ts';
import type { Connection } from './connection.ts';
import { asProblem } from './connection.ts';
import {
  readContents,
  readFaults,
  readKeptChanges,
  readSeriesIds,
  readSeriesTotals,
  readSize,
} from './contents.ts';
import { readCurve, readRates, readSpread, readYields } from './curves.ts';
import {
  countFilings,
  readAcceptedFilings,
  readClusterTrades,
  readFiledTrades,
  readFilings,
  readTradePlaces,
} from './filings.ts';
import { readDescriptionChanges, readFollowed } from './following.ts';
import { type KeyedSeriesRow, readObservations, readSeries, searchSeries, seriesOf } from './series.ts';
import {
  readCompleteVintages,
  readDates,
  readFirstDate,
  readRevisions,
  readStatements,
  readVintageCounts,
  readVintageOn,
} from './statements.ts';
import { readWords, searchEntries } from './words.ts';

/** The store of a view. */
type Viewed = {
  readonly path: string;
  readonly pages: PageCache | undefined;
  readonly stateOf: (connection: Connection) => StoreState;
};

/** A view of a store through a connection that holds a read transaction. */
export class SqliteView implements StoreView, StoreContents {
  readonly #store: Viewed;
  #connection: Connection | undefined;

  constructor(store: Viewed, connection: Connection) {
    this.#store = store;
    this.#connection = connection;
  }

  /** Ends the view; its methods fail from now on. */
  end(): void {
    this.#connection = undefined;
  }

  state() {
    return this.#answer(this.#store.stateOf);
  }

  findSeries(id: string) {
    return this.#answer((connection) => {
      const series = readSeries(connection, id);
      return series && seriesOf(series);
    });
  }

  searchSeries(query: SeriesQuery) {
    return this.#answer((connection) => searchSeries(connection, query));
  }

  searchEntries(query: IndexQuery) {
    return this.#answer((connection) => searchEntries(connection, query));
  }

  searchableWords() {
    return this.#answer(readWords);
  }

  observations(query: ObservationQuery) {
    return this.#answer((connection) => {
      const series = readSeries(connection, query.seriesId);
      if (series === undefined) return undefined;
      const vintage = readVintageOn(connection, series, query);
      const rows = this.#page(connection, series, query, vintage.newest?.asOf);
      return { series: seriesOf(series), rows, vintage };
    });
  }

  dates(query: Omit<ObservationQuery, 'asOf' | 'firstRelease'>) {
    return this.#answer((connection) => {
      const series = readSeries(connection, query.seriesId);
      return series && { series: seriesOf(series), rows: readDates(connection, series.key, query) };
    });
  }

  revisions(seriesId: string, date: Day) {
    return this.#answer((connection) => {
      const series = readSeries(connection, seriesId);
      return series && { series: seriesOf(series), rows: readRevisions(connection, series, date) };
    });
  }

  vintages(query: VintageQuery) {
    return this.#answer((connection) => {
      const series = readSeries(connection, query.seriesId);
      return (
        series && {
          series: seriesOf(series),
          firstDate: readFirstDate(connection, series.key),
          rows: readVintageCounts(connection, series, query),
        }
      );
    });
  }

  curve(query: CurveQuery) {
    return this.#answer((connection) => readCurve(connection, query));
  }

  yields(query: YieldsQuery) {
    return this.#answer((connection) => readYields(connection, query));
  }

  spread(query: SpreadQuery) {
    return this.#answer((connection) => readSpread(connection, query));
  }

  rates() {
    return this.#answer(readRates);
  }

  filings(query: FilingsQuery) {
    return this.#answer((connection) => readFilings(connection, query));
  }

  acceptedFilings(accessionNumbers: readonly string[]) {
    return this.#answer((connection) => readAcceptedFilings(connection, accessionNumbers));
  }

  symbols() {
    return this.#answer((connection) =>
      connection.column<string>('select distinct symbol from symbol order by symbol').all(),
    );
  }

  filingCounts() {
    return this.#answer(countFilings);
  }

  coveredTo(what: CurveType | 'filings') {
    return this.#answer((connection) => {
      const newest =
        what === 'filings'
          ? connection.column<Day | null>('select max(filed_on) from filing').get()
          : connection.column<Day | null>('select max(trade_date) from curve where curve_type = ?').get(what);
      return newest ?? undefined;
    });
  }

  clusterTrades(query: ClusterTradesQuery): AsyncIterable<readonly Filing[]> {
    return this.#stream((connection) => readClusterTrades(connection, query));
  }

  tradePlaces(query: DaysOfTradesQuery) {
    const read = (limit: number) =>
      this.#answer((connection) => readTradePlaces(connection, { ...query, limit }));
    return wholeDays(query.limit, ({ date }) => date, read);
  }

  filedTrades(query: DaysOfTradesQuery) {
    const read = (limit: number) =>
      this.#answer((connection) => readFiledTrades(connection, { ...query, limit }));
    return wholeDays(query.limit, ({ filedOn }) => filedOn, read);
  }

  statements(seriesId: string): AsyncIterable<readonly Statement[]> {
    return this.#stream((connection) => readStatements(connection, seriesId));
  }

  completeVintages(seriesId: string) {
    return this.#answer((connection) => readCompleteVintages(connection, seriesId));
  }

  followed() {
    return this.#answer(readFollowed);
  }

  descriptionChanges(seriesId: string) {
    return this.#answer((connection) => readDescriptionChanges(connection, seriesId));
  }

  seriesIds() {
    return this.#answer(readSeriesIds);
  }

  contents(seriesId: string) {
    return this.#answer((connection) => readContents(connection, seriesId));
  }

  changes(seriesId: string): AsyncIterable<readonly KeptChange[]> {
    return this.#stream((connection) => readKeptChanges(connection, seriesId));
  }

  seriesTotals() {
    return this.#answer(readSeriesTotals);
  }

  size() {
    return this.#answer((connection) => readSize(connection, this.#store.path));
  }

  faults() {
    return this.#answer(readFaults);
  }

  imports() {
    return this.#answer((connection) =>
      connection
        .objects<Omit<LoggedImport, 'outdated'> & { readonly outdated: number }>(
          `select imported_at as importedAt, file, kind, sha256, series, statements_new as statementsNew,
             statements_known as statementsKnown, withdrawn, number,
             outdated and not exists (select 1 from import as again where again.id > import.id
               and again.sha256 = import.sha256 and not again.outdated) as outdated
           from import order by id`,
        )
        .all()
        .map(({ outdated, ...record }) => ({ ...record, outdated: outdated === 1 })),
    );
  }

  /** A page of values: as of any day between two vintages it is the page of the first, which may be in the cache. */
  #page(
    connection: Connection,
    series: KeyedSeriesRow,
    query: ObservationQuery,
    vintage: Day | undefined,
  ): readonly StoredObservation[] {
    const { pages } = this.#store;
    const { asOf, seriesId: _id, ...others } = query;
    if (pages === undefined || asOf === undefined) return readObservations(connection, series, query);
    const key = JSON.stringify([connection.file, series.key, series.version, vintage, others]);
    const cached = pages.get(key);
    if (cached !== undefined) return cached;
    const rows = readObservations(connection, series, query);
    pages.set(key, rows);
    return rows;
  }

  async #answer<T>(read: (connection: Connection) => T): Promise<T> {
    try {
      return read(this.#open());
    } catch (error) {
      throw asProblem(this.#store.path, error);
    }
  }

  async *#stream<T>(read: (connection: Connection) => Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
    try {
      for await (const batch of read(this.#open())) {
        yield batch;
        this.#open();
      }
    } catch (error) {
      throw asProblem(this.#store.path, error);
    }
  }

  #open(): Connection {
    if (this.#connection === undefined) throw new Error('this view of the store has ended');
    return this.#connection;
  }
}
