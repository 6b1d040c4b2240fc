import { addDays, type Day, earlier } from '../domain/series/date.ts';
import type { IndexQuery } from '../domain/series/search-index.ts';
import { type FrequencySince, frequencyOn } from '../domain/series/series.ts';
import type { SearchedSeries } from '../domain/series/words.ts';
import type { CurveType } from '../domain/treasury/curve.ts';
import type { ClusterTradesQuery, DaysOfTradesQuery, FilingsQuery } from './filing-queries.ts';
import type {
  CurveQuery,
  ObservationQuery,
  RateSummary,
  Series,
  SeriesQuery,
  SpreadQuery,
  StoreState,
  StoreView,
  VintageQuery,
  YieldsQuery,
} from './store.ts';

const every = Number.MAX_SAFE_INTEGER;

/** The states of what is known of one state of a store, by the day up to which it is known. */
const states = new WeakMap<StoreState, Map<Day, StoreState>>();

/**
 * A view of what is known on a day, usually today: nothing in it was published, quoted or filed later. What it says of
 * a series in an answer as of an earlier day was known on that day.
 */
export class KnownView implements StoreView {
  readonly #view: StoreView;
  readonly #day: Day;
  readonly #frequencies = new Map<string, Promise<readonly FrequencySince[]>>();

  constructor(view: StoreView, day: Day) {
    this.#view = view;
    this.#day = day;
  }

  /** The state of what is known on the day: the next day, more of the same data may be known. */
  async state(seriesId?: string): Promise<StoreState> {
    const state = await this.#view.state(seriesId);
    const byDay = states.get(state) ?? new Map<Day, StoreState>();
    const day = this.#day;
    const { revision, sample } = state;
    const known = byDay.get(day) ?? {
      get name() {
        return `${state.name}-${day}`;
      },
      revision,
      sample,
    };
    states.set(state, byDay.set(day, known));
    return known;
  }

  async findSeries(id: string) {
    const series = await this.#view.findSeries(id);
    return series && this.#known(series);
  }

  async searchSeries(query: SeriesQuery) {
    const found: Series[] = [];
    for (let after = query.after; ; ) {
      const page = await this.#view.searchSeries({ ...query, ...(after !== undefined && { after }) });
      for (const series of page) {
        const known = await this.#known(series);
        if (known !== undefined) found.push(known);
      }
      after = page.at(-1)?.id;
      if (found.length >= query.limit || page.length < query.limit) return found.slice(0, query.limit);
    }
  }

  searchEntries(query: IndexQuery): Promise<readonly SearchedSeries[]> {
    return this.#view.searchEntries({ ...query, upTo: earlier(query.upTo ?? this.#day, this.#day) });
  }

  searchable(what: 'ids' | 'words', upTo = this.#day) {
    return this.#view.searchable(what, earlier(upTo, this.#day));
  }

  async observations(query: ObservationQuery): ReturnType<StoreView['observations']> {
    const { asOf, seriesId } = query;
    // Asked before the series is known to need them, so that a database is asked for both at once.
    const frequencies = asOf === undefined ? undefined : this.impliedFrequencies(seriesId);
    const [page] = await Promise.all([this.#view.observations(query), frequencies]);
    if (page === undefined || page.series.firstVintage > this.#day) return undefined;
    if (asOf === undefined && page.series.lastVintage > this.#day)
      return this.observations({ ...query, asOf: this.#day });
    return { ...page, series: await this.#asKnownOn(earlier(asOf ?? this.#day, this.#day), page.series) };
  }

  async dates(query: Omit<ObservationQuery, 'asOf' | 'firstRelease'>): ReturnType<StoreView['dates']> {
    const rows: Day[] = [];
    for (let { before } = query; ; ) {
      const page = await this.#view.dates({ ...query, ...(before !== undefined && { before }) });
      if (page === undefined || page.series.firstVintage > this.#day) return undefined;
      const series = await this.#described(page.series);
      if (page.series.lastVintage <= this.#day) return { ...page, series };
      for (const date of page.rows) if (await this.#wasKnown(query.seriesId, date)) rows.push(date);
      before = page.rows.at(-1);
      if (rows.length >= query.limit || page.rows.length < query.limit)
        return { series, rows: rows.slice(0, query.limit) };
    }
  }

  async revisions(seriesId: string, date: Day): ReturnType<StoreView['revisions']> {
    const page = await this.#view.revisions(seriesId, date);
    if (page === undefined || page.series.firstVintage > this.#day) return undefined;
    const series = await this.#described(page.series);
    return { series, rows: page.rows.filter(({ asOfDate }) => asOfDate <= this.#day) };
  }

  async impliedFrequencies(seriesId: string) {
    const known = this.#frequencies.get(seriesId) ?? this.#view.impliedFrequencies(seriesId);
    this.#frequencies.set(seriesId, known);
    return (await known).filter(({ since }) => since <= this.#day);
  }

  async vintages(query: VintageQuery): ReturnType<StoreView['vintages']> {
    const page = await this.#view.vintages({ ...query, to: earlier(query.to ?? this.#day, this.#day) });
    const series = page && (await this.#known(page.series));
    if (page === undefined || series === undefined) return undefined;
    if (page.series.lastVintage <= this.#day) return { ...page, series };
    const dates = await this.dates({ seriesId: query.seriesId, limit: every });
    return { ...page, series, firstDate: dates?.rows.at(-1) };
  }

  async curve(query: CurveQuery) {
    if (query.date > this.#day && !query.onOrBefore) return [];
    return this.#view.curve({ ...query, date: earlier(query.date, this.#day) });
  }

  yields(query: YieldsQuery) {
    return this.#view.yields({ ...query, to: earlier(query.to ?? this.#day, this.#day) });
  }

  spread(query: SpreadQuery) {
    return this.#view.spread({ ...query, to: earlier(query.to ?? this.#day, this.#day) });
  }

  async rates() {
    const known: RateSummary[] = [];
    for (const rate of await this.#view.rates()) {
      const { curveType, maturity } = rate;
      const points = rate.last <= this.#day ? [] : await this.yields({ curveType, maturity, limit: every });
      const [newest] = points;
      if (rate.last <= this.#day) known.push(rate);
      else if (newest !== undefined) {
        const sources = [...new Set(points.map(({ source }) => source))].sort();
        known.push({ ...rate, count: points.length, last: newest.tradeDate, sources });
      }
    }
    return known;
  }

  coveredTo(what: CurveType | 'filings', upTo = this.#day) {
    return this.#view.coveredTo(what, earlier(upTo, this.#day));
  }

  filings(query: FilingsQuery) {
    return this.#view.filings({ ...query, to: earlier(query.to ?? this.#day, this.#day) });
  }

  acceptedFilings(accessionNumbers: readonly string[]) {
    return this.#view.acceptedFilings(accessionNumbers);
  }

  async symbols() {
    if (((await this.#view.coveredTo('filings')) ?? '') <= this.#day) return this.#view.symbols();
    const filings = await this.filings({ limit: every });
    return [...new Set(filings.flatMap(({ ticker }) => ticker ?? []))].sort();
  }

  filingCounts() {
    return this.#view.filingCounts();
  }

  clusterTrades(query: ClusterTradesQuery) {
    return this.#view.clusterTrades({ ...query, asOf: earlier(query.asOf ?? this.#day, this.#day) });
  }

  /** Also places that are not known yet: they only say for which issuers to read the trades. */
  tradePlaces(query: DaysOfTradesQuery) {
    return this.#view.tradePlaces(query);
  }

  filedTrades(query: DaysOfTradesQuery) {
    return this.#view.filedTrades({ ...query, before: earlier(query.before, addDays(this.#day, 1)) });
  }

  async *statements(seriesId: string) {
    for await (const batch of this.#view.statements(seriesId))
      yield batch.filter(({ asOf }) => asOf <= this.#day);
  }

  async completeVintages(seriesId: string) {
    return (await this.#view.completeVintages(seriesId)).filter(({ asOf }) => asOf <= this.#day);
  }

  imports() {
    return this.#view.imports();
  }

  followed() {
    return this.#view.followed();
  }

  async descriptionChanges(seriesId: string) {
    const changes = await this.#view.descriptionChanges(seriesId);
    return changes.filter(({ changedOn }) => changedOn <= this.#day);
  }

  async #wasKnown(seriesId: string, date: Day): Promise<boolean> {
    const revised = await this.revisions(seriesId, date);
    return revised !== undefined && revised.rows.length > 0;
  }

  /** The series with only what is known of it on the day of this view; undefined before its first vintage. */
  async #known(series: Series): Promise<Series | undefined> {
    const day = this.#day;
    if (series.firstVintage > day) return undefined;
    const known = await this.#described(series);
    if (series.lastVintage <= day) return known;
    const query = { seriesId: series.id, asOf: day };
    const [values, releases] = await Promise.all([
      this.#view.observations({ ...query, limit: every }),
      this.#view.observations({ ...query, limit: 1, firstRelease: true }),
    ]);
    return {
      ...known,
      observationCount: values?.rows.length ?? 0,
      lastVintage: values?.vintage.newest?.asOf ?? series.firstVintage,
      vintageKind: releases?.vintage.kinds ?? series.vintageKind,
    };
  }

  /** The series with the coverage and the frequency that are known on the day of this view. */
  async #described(series: Series): Promise<Series> {
    const day = this.#day;
    if (series.coveredTo <= day) return this.#asKnownOn(day, series);
    const page = await this.#view.observations({ seriesId: series.id, asOf: day, limit: 1 });
    return this.#asKnownOn(day, page?.series ?? series);
  }

  /** The series with the coverage and the frequency that were known on a day. */
  async #asKnownOn(day: Day, series: Series): Promise<Series> {
    const known = { ...series, coveredTo: earlier(series.coveredTo, day) };
    if (series.lastVintage <= day) return known;
    const frequencies = await this.impliedFrequencies(series.id);
    return frequencies.length === 0 ? known : { ...known, frequency: frequencyOn(frequencies, day) };
  }
}
