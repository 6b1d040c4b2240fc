import type { Filing } from '../../domain/insider/filing.ts';
import type { Day } from '../../domain/series/date.ts';
import type { KeptChange, Statement } from '../../domain/series/revision-history.ts';
import type { IndexQuery } from '../../domain/series/search.ts';
import type { CurveType } from '../../domain/treasury/curve.ts';
import type { StoreContents } from '../contents.ts';
import type { ClusterTradesQuery, DaysOfTradesQuery, FilingsQuery } from '../filing-queries.ts';
import { frequenciesIn } from '../statements.ts';
import type {
  CurveQuery,
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
import { asProblem, type Connection } from './connection.ts';
import { type KeyedSeriesRow, readObservations, readSeries, searchSeries, seriesOf } from './series.ts';
import {
  readCompleteVintages,
  readDates,
  readFirstDate,
  readRevisions,
  readStatements,
  readVintageCounts,
  readVintageOn,
  readVintages,
} from './statements.ts';

/** What few queries need is loaded on first use, because most queries then start faster. */
const parts = {
  contents: () => import('./contents.ts'),
  curves: () => import('./curves.ts'),
  filings: () => import('./filings.ts'),
  following: () => import('./following.ts'),
  words: () => import('./words.ts'),
};

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
    return this.#answerBy(parts.words, ({ searchEntries }, connection) => searchEntries(connection, query));
  }

  searchable(what: 'ids' | 'words', upTo?: Day) {
    return this.#answerBy(parts.words, ({ readSearchable }, connection) =>
      readSearchable(connection, what, upTo),
    );
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

  impliedFrequencies(seriesId: string) {
    return this.#answer((connection) => {
      const key = connection
        .column<number>(
          'select key from series where id = ? and frequency is null and implied_frequency is null',
        )
        .get(seriesId);
      return key === undefined ? [] : frequenciesIn(readVintages(connection, key));
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
    return this.#answerBy(parts.curves, ({ readCurve }, connection) => readCurve(connection, query));
  }

  yields(query: YieldsQuery) {
    return this.#answerBy(parts.curves, ({ readYields }, connection) => readYields(connection, query));
  }

  spread(query: SpreadQuery) {
    return this.#answerBy(parts.curves, ({ readSpread }, connection) => readSpread(connection, query));
  }

  rates() {
    return this.#answerBy(parts.curves, ({ readRates }, connection) => readRates(connection));
  }

  filings(query: FilingsQuery) {
    return this.#answerBy(parts.filings, ({ readFilings }, connection) => readFilings(connection, query));
  }

  acceptedFilings(accessionNumbers: readonly string[]) {
    return this.#answerBy(parts.filings, ({ readAcceptedFilings }, connection) =>
      readAcceptedFilings(connection, accessionNumbers),
    );
  }

  symbols() {
    return this.#answerBy(parts.filings, ({ readSymbols }, connection) => readSymbols(connection));
  }

  filingCounts() {
    return this.#answerBy(parts.filings, ({ countFilings }, connection) => countFilings(connection));
  }

  coveredTo(what: CurveType | 'filings', upTo: Day = '~') {
    return this.#answer((connection) => {
      const newest =
        what === 'filings'
          ? connection.column<Day | null>('select max(filed_on) from filing where filed_on <= ?').get(upTo)
          : connection
              .column<Day | null>(
                'select max(trade_date) from curve where curve_type = ? and trade_date <= ?',
              )
              .get(what, upTo);
      return newest ?? undefined;
    });
  }

  clusterTrades(query: ClusterTradesQuery): AsyncIterable<readonly Filing[]> {
    return this.#streamBy(parts.filings, ({ readClusterTrades }, connection) =>
      readClusterTrades(connection, query),
    );
  }

  tradePlaces(query: DaysOfTradesQuery) {
    return this.#answerBy(parts.filings, ({ readTradePlaces }, connection) =>
      readTradePlaces(connection, query),
    );
  }

  filedTrades(query: DaysOfTradesQuery) {
    return this.#answerBy(parts.filings, ({ readFiledTrades }, connection) =>
      readFiledTrades(connection, query),
    );
  }

  statements(seriesId: string): AsyncIterable<readonly Statement[]> {
    return this.#stream((connection) => readStatements(connection, seriesId));
  }

  completeVintages(seriesId: string) {
    return this.#answer((connection) => readCompleteVintages(connection, seriesId));
  }

  followed() {
    return this.#answerBy(parts.following, ({ readFollowed }, connection) => readFollowed(connection));
  }

  descriptionChanges(seriesId: string) {
    return this.#answerBy(parts.following, ({ readDescriptionChanges }, connection) =>
      readDescriptionChanges(connection, seriesId),
    );
  }

  seriesIds() {
    return this.#answerBy(parts.contents, ({ readSeriesIds }, connection) => readSeriesIds(connection));
  }

  contents(seriesId: string) {
    return this.#answerBy(parts.contents, ({ readContents }, connection) =>
      readContents(connection, seriesId),
    );
  }

  changes(seriesId: string): AsyncIterable<readonly KeptChange[]> {
    return this.#streamBy(parts.contents, ({ readKeptChanges }, connection) =>
      readKeptChanges(connection, seriesId),
    );
  }

  seriesTotals() {
    return this.#answerBy(parts.contents, ({ readSeriesTotals }, connection) => readSeriesTotals(connection));
  }

  size() {
    return this.#answerBy(parts.contents, ({ readSize }, connection) =>
      readSize(connection, this.#store.path),
    );
  }

  faults() {
    return this.#answerBy(parts.contents, ({ readFaults }, connection) => readFaults(connection));
  }

  imports() {
    return this.#answerBy(parts.contents, ({ readImports }, connection) => readImports(connection));
  }

  /**
   * A page of values. As of any day between two vintages it is the page of the first one, which may be in the cache.
   */
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

  async #answerBy<M, T>(
    load: () => Promise<M>,
    read: (part: M, connection: Connection) => T,
  ): Promise<Awaited<T>> {
    const part = await load();
    return await this.#answer((connection) => read(part, connection));
  }

  async *#streamBy<M, T>(
    load: () => Promise<M>,
    read: (part: M, connection: Connection) => Iterable<T> | AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const part = await load();
    yield* this.#stream((connection) => read(part, connection));
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
