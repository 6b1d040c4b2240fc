import { addDays, type Day, earlier } from '../domain/series/date.ts';
import type { IndexQuery } from '../domain/series/search.ts';
import { type FrequencySince, frequencyOn } from '../domain/series/series.ts';
import type { SearchedSeries } from '../domain/series/words.ts';
import type { FilingsView } from './filings.ts';
import type {
  AllSeriesView,
  DatesQuery,
  ObservationQuery,
  RateSummary,
  RatesView,
  RevisionQuery,
  Series,
  SeriesQuery,
  StoreState,
  StoreView,
  VintageQuery,
} from './store.ts';

const every = Number.MAX_SAFE_INTEGER;

/** The states of what is known of one state of a store, by the day up to which it is known. */
const states = new WeakMap<StoreState, Map<Day, StoreState>>();

/**
 * A view of what is known on a day, usually today: nothing in it was published, quoted or filed later. What it says of
 * a series in an answer as of an earlier day was known on that day.
 */
export function knownView(view: StoreView, day: Day): StoreView {
  return {
    state: async (seriesId) => knownState(await view.state(seriesId), day),
    series: new KnownSeries(view.series, day),
    rates: knownRates(view.rates, day),
    filings: knownFilings(view.filings, day),
    sources: view.sources,
  };
}

/** The state of what is known on the day: the next day, more of the same data may be known. */
function knownState(state: StoreState, day: Day): StoreState {
  const byDay = states.get(state) ?? new Map<Day, StoreState>();
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

class KnownSeries implements AllSeriesView {
  readonly #series: AllSeriesView;
  readonly #day: Day;
  readonly #frequencies = new Map<string, Promise<readonly FrequencySince[]>>();

  constructor(series: AllSeriesView, day: Day) {
    this.#series = series;
    this.#day = day;
  }

  async find(id: string) {
    const series = await this.#series.find(id);
    return series && this.#known(series);
  }

  async search(query: SeriesQuery) {
    const found: Series[] = [];
    for (let after = query.after; ; ) {
      const page = await this.#series.search({ ...query, ...(after !== undefined && { after }) });
      for (const series of page) {
        const known = await this.#known(series);
        if (known !== undefined) found.push(known);
      }
      after = page.at(-1)?.id;
      if (found.length >= query.limit || page.length < query.limit) return found.slice(0, query.limit);
    }
  }

  searchEntries(query: IndexQuery): Promise<readonly SearchedSeries[]> {
    return this.#series.searchEntries({ ...query, upTo: earlier(query.upTo ?? this.#day, this.#day) });
  }

  searchable(what: 'ids' | 'words', upTo = this.#day) {
    return this.#series.searchable(what, earlier(upTo, this.#day));
  }

  async observations(query: ObservationQuery): ReturnType<AllSeriesView['observations']> {
    const { asOf, seriesId } = query;
    // Asked before the series is known to need them, so that a database is asked for both at once.
    const frequencies = asOf === undefined ? undefined : this.impliedFrequencies(seriesId);
    const [page] = await Promise.all([this.#series.observations(query), frequencies]);
    if (page === undefined || page.series.firstVintage > this.#day) return undefined;
    if (asOf === undefined && page.series.lastVintage > this.#day)
      return this.observations({ ...query, asOf: this.#day });
    return { ...page, series: await this.#asKnownOn(earlier(asOf ?? this.#day, this.#day), page.series) };
  }

  async dates(query: DatesQuery): ReturnType<AllSeriesView['dates']> {
    const rows: Day[] = [];
    for (let { before } = query; ; ) {
      const page = await this.#series.dates({ ...query, ...(before !== undefined && { before }) });
      if (page === undefined || page.series.firstVintage > this.#day) return undefined;
      const series = await this.#described(page.series);
      if (page.series.lastVintage <= this.#day) return { ...page, series };
      const range = { from: page.rows.at(-1), to: page.rows[0] };
      const revised = await this.revisions({ seriesId: query.seriesId, ...range });
      const known = new Set(revised?.rows.map(({ date }) => date));
      rows.push(...page.rows.filter((date) => known.has(date)));
      before = page.rows.at(-1);
      if (rows.length >= query.limit || page.rows.length < query.limit)
        return { series, rows: rows.slice(0, query.limit) };
    }
  }

  async revisions(query: RevisionQuery): ReturnType<AllSeriesView['revisions']> {
    const page = await this.#series.revisions(query);
    if (page === undefined || page.series.firstVintage > this.#day) return undefined;
    const series = await this.#described(page.series);
    return { series, rows: page.rows.filter(({ asOfDate }) => asOfDate <= this.#day) };
  }

  async impliedFrequencies(seriesId: string) {
    const known = this.#frequencies.get(seriesId) ?? this.#series.impliedFrequencies(seriesId);
    this.#frequencies.set(seriesId, known);
    return (await known).filter(({ since }) => since <= this.#day);
  }

  async vintages(query: VintageQuery): ReturnType<AllSeriesView['vintages']> {
    const page = await this.#series.vintages({ ...query, to: earlier(query.to ?? this.#day, this.#day) });
    const series = page && (await this.#known(page.series));
    if (page === undefined || series === undefined) return undefined;
    if (page.series.lastVintage <= this.#day) return { ...page, series };
    const dates = await this.dates({ seriesId: query.seriesId, limit: every });
    return { ...page, series, firstDate: dates?.rows.at(-1) };
  }

  async *statements(seriesId: string) {
    for await (const batch of this.#series.statements(seriesId))
      yield batch.filter(({ asOf }) => asOf <= this.#day);
  }

  async completeVintages(seriesId: string) {
    return (await this.#series.completeVintages(seriesId)).filter(({ asOf }) => asOf <= this.#day);
  }

  async descriptionChanges(seriesId: string) {
    const changes = await this.#series.descriptionChanges(seriesId);
    return changes.filter(({ changedOn }) => changedOn <= this.#day);
  }

  /** The series with only what is known of it on the day of this view; undefined before its first vintage. */
  async #known(series: Series): Promise<Series | undefined> {
    const day = this.#day;
    if (series.firstVintage > day) return undefined;
    const known = await this.#described(series);
    if (series.lastVintage <= day) return known;
    const query = { seriesId: series.id, asOf: day };
    const [values, releases] = await Promise.all([
      this.#series.observations({ ...query, limit: every }),
      this.#series.observations({ ...query, limit: 1, firstRelease: true }),
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
    const page = await this.#series.observations({ seriesId: series.id, asOf: day, limit: 1 });
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

function knownRates(rates: RatesView, today: Day): RatesView {
  const yields: RatesView['yields'] = (query) =>
    rates.yields({ ...query, to: earlier(query.to ?? today, today) });
  return {
    yields,
    async curve(query) {
      if (query.date > today && !query.onOrBefore) return [];
      return rates.curve({ ...query, date: earlier(query.date, today) });
    },
    spread: (query) => rates.spread({ ...query, to: earlier(query.to ?? today, today) }),
    async summaries() {
      const known: RateSummary[] = [];
      for (const rate of await rates.summaries()) {
        const { curveType, maturity } = rate;
        const points = rate.last <= today ? [] : await yields({ curveType, maturity, limit: every });
        const [newest] = points;
        if (rate.last <= today) known.push(rate);
        else if (newest !== undefined) {
          const sources = [...new Set(points.map(({ source }) => source))].sort();
          known.push({ ...rate, count: points.length, last: newest.tradeDate, sources });
        }
      }
      return known;
    },
    coveredTo: (curveType, upTo = today) => rates.coveredTo(curveType, earlier(upTo, today)),
  };
}

function knownFilings(filings: FilingsView, today: Day): FilingsView {
  const page: FilingsView['page'] = (query) =>
    filings.page({ ...query, to: earlier(query.to ?? today, today) });
  return {
    page,
    accepted: (accessionNumbers) => filings.accepted(accessionNumbers),
    async symbols() {
      if (((await filings.coveredTo()) ?? '') <= today) return filings.symbols();
      const known = await page({ limit: every });
      return [...new Set(known.flatMap(({ ticker }) => ticker ?? []))].sort();
    },
    counts: () => filings.counts(),
    clusterTrades: (query) => filings.clusterTrades({ ...query, asOf: earlier(query.asOf ?? today, today) }),
    // Also places that are not known yet: they only say for which issuers to read the trades.
    tradePlaces: (query) => filings.tradePlaces(query),
    filedTrades: (query) =>
      filings.filedTrades({ ...query, before: earlier(query.before, addDays(today, 1)) }),
    coveredTo: (upTo = today) => filings.coveredTo(earlier(upTo, today)),
  };
}
