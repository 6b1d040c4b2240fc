import { addDays, type Day, earlier } from '../domain/series/date.ts';
import type { IndexQuery } from '../domain/series/search.ts';
import { type SearchedSeries, searchableWords } from '../domain/series/words.ts';
import { type YieldSeries, yieldSeries } from '../domain/treasury/curve.ts';
import { defined } from '../platform/defined.ts';
import type {
  AllSeriesView,
  DatesQuery,
  ObservationQuery,
  RateSummary,
  RevisionQuery,
  Series,
  SeriesQuery,
  StoredObservation,
  StoreState,
  StoreView,
  VintageOnDay,
  VintageQuery,
} from '../store/store.ts';

/** The yield series of each state of a store, because they are needed again and again. */
const known = new WeakMap<StoreState, Promise<readonly Series[]>>();

/**
 * A view of a store in which the maturities of the curves are series too, under the ids of FRED. A series that the
 * store itself holds under such an id answers instead. A rate is known from its trade date on, and never revised.
 */
export function yieldSeriesView(view: StoreView): StoreView {
  return {
    state: (seriesId) => view.state(seriesId),
    series: new SeriesWithYields(view),
    rates: view.rates,
    filings: view.filings,
    sources: view.sources,
  };
}

class SeriesWithYields implements AllSeriesView {
  readonly #view: StoreView;

  constructor(view: StoreView) {
    this.#view = view;
  }

  async find(id: string): Promise<Series | undefined> {
    return (await this.#view.series.find(id)) ?? (definitionOf(id) && this.#found(id));
  }

  async search(query: SeriesQuery): Promise<readonly Series[]> {
    const { text, after = '', limit } = query;
    const isAsked = ({ id }: Pick<Series, 'id'>) =>
      id > after && id.includes(text.toUpperCase()) && (query.ids?.includes(id) ?? true);
    const rates = yieldSeries.some(isAsked) ? this.#all() : [];
    const [held, matching] = await Promise.all([this.#view.series.search(query), rates]);
    const ids = new Set(held.map(({ id }) => id));
    const added = matching.filter((one) => isAsked(one) && !ids.has(one.id));
    if (added.length === 0) return held;
    return [...held, ...added].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  async searchEntries(query: IndexQuery): Promise<readonly SearchedSeries[]> {
    const all = await this.#begunBy(query.upTo);
    const ids = all.map(({ id }) => id);
    const held = await this.#view.series.searchEntries({ ...query, ids: [...query.ids, ...ids] });
    const known = new Set(held.map(({ id }) => id));
    return [...held, ...all.filter(({ id }) => !known.has(id))];
  }

  async searchable(what: 'ids' | 'words', upTo?: Day): Promise<readonly string[]> {
    const begun = await this.#begunBy(upTo);
    const added = begun.flatMap((one) => (what === 'ids' ? one.id : searchableWords(one)));
    return [...new Set([...(await this.#view.series.searchable(what, upTo)), ...added])];
  }

  async observations(query: ObservationQuery) {
    const series = await this.#answering(query.seriesId);
    if (series === undefined) return this.#view.series.observations(query);
    const { asOf, firstRelease, from, to, before, limit } = query;
    const begin = firstRelease === true ? addDays(series.firstVintage, 1) : undefined;
    const last = [to, asOf, before && addDays(before, -1)].flatMap((day) => day ?? []);
    const first = [from, begin].flatMap((day) => day ?? []);
    const rows = await this.#rates(series.id, { from: first.sort().at(-1), to: last.sort()[0], limit });
    const vintage = await this.#vintageOn(series, asOf);
    return { series: await this.#coveredOn(series, asOf), vintage, rows };
  }

  async dates(query: DatesQuery) {
    const { seriesId, from, to, before, limit } = query;
    const series = await this.#answering(seriesId);
    if (series === undefined) return this.#view.series.dates(query);
    const last = before === undefined ? to : earlier(to ?? before, addDays(before, -1));
    const rates = await this.#rates(seriesId, { from, to: last, limit });
    return { series, rows: rates.map(({ date }) => date) };
  }

  async revisions(query: RevisionQuery) {
    const { seriesId, from, to } = query;
    const series = await this.#answering(seriesId);
    if (series === undefined) return this.#view.series.revisions(query);
    const rates = await this.#rates(seriesId, { from, to, limit: Number.MAX_SAFE_INTEGER });
    return {
      series,
      rows: rates.map(({ date, asOfDate, value }) => ({ date, asOfDate, value, kind: 'exact' as const })),
    };
  }

  impliedFrequencies(seriesId: string) {
    return this.#view.series.impliedFrequencies(seriesId);
  }

  async vintages(query: VintageQuery) {
    const { seriesId, from, to, before, limit } = query;
    const series = await this.#answering(seriesId);
    if (series === undefined) return this.#view.series.vintages(query);
    const last = before === undefined ? to : earlier(to ?? before, addDays(before, -1));
    const rates = await this.#rates(seriesId, { from, to: last, limit });
    const counts = { added: 1, revised: 0, withdrawn: 0, kind: 'exact' as const };
    const rows = rates.map(({ asOfDate }) => ({ asOfDate, ...counts }));
    return { series, firstDate: series.firstVintage, rows };
  }

  statements(seriesId: string) {
    return this.#view.series.statements(seriesId);
  }

  completeVintages(seriesId: string) {
    return this.#view.series.completeVintages(seriesId);
  }

  descriptionChanges(seriesId: string) {
    return this.#view.series.descriptionChanges(seriesId);
  }

  /** The yield series for an id; undefined if the store holds a series of that id, or no rates. */
  async #answering(id: string): Promise<Series | undefined> {
    if (definitionOf(id) === undefined || (await this.#view.series.find(id)) !== undefined) return undefined;
    return this.#found(id);
  }

  async #found(id: string): Promise<Series | undefined> {
    return (await this.#all()).find((series) => series.id === id);
  }

  async #begunBy(day: Day = '~'): Promise<readonly Series[]> {
    return (await this.#all()).filter(({ firstVintage }) => firstVintage <= day);
  }

  async #all(): Promise<readonly Series[]> {
    const state = await this.#view.state();
    const before = known.get(state);
    if (before !== undefined) return before;
    const described = this.#describe(state.revision);
    known.set(state, described);
    described.catch(() => known.delete(state));
    return described;
  }

  async #describe(version: number): Promise<readonly Series[]> {
    const summaries = await this.#view.rates.summaries();
    if (summaries.length === 0) return [];
    const described: Series[] = [];
    for (const definition of yieldSeries) {
      const summary = await this.#summaryOf(definition, summaries);
      if (summary === undefined) continue;
      const { curveType } = definition.rate;
      const covered = summaries.filter((other) => other.curveType === curveType).map(({ last }) => last);
      described.push({
        id: definition.id,
        title: definition.title,
        units: 'Percent',
        frequency: 'D',
        seasonalAdjustment: 'NSA',
        source: summary.sources.join('; '),
        observationCount: summary.count,
        firstVintage: summary.first,
        lastVintage: summary.last,
        coveredTo: covered.sort().at(-1) ?? summary.last,
        vintageKind: 'exact',
        version,
      });
    }
    return described;
  }

  /** The series, covered to the newest curve up to a day. */
  async #coveredOn(series: Series, day: Day | undefined): Promise<Series> {
    const curveType = definitionOf(series.id)?.rate.curveType;
    if (day === undefined || day >= series.coveredTo || curveType === undefined) return series;
    return { ...series, coveredTo: (await this.#view.rates.coveredTo(curveType, day)) ?? series.coveredTo };
  }

  /** The newest trade date up to a day, which is its vintage. */
  async #vintageOn({ id, lastVintage }: Series, asOf: Day | undefined): Promise<VintageOnDay> {
    const [newest] =
      asOf === undefined || asOf >= lastVintage
        ? [{ asOfDate: lastVintage }]
        : await this.#rates(id, { from: undefined, to: asOf, limit: 1 });
    return { newest: newest && { asOf: newest.asOfDate, kind: 'exact' } };
  }

  /** How many days have the rate, or both rates of a spread. */
  async #summaryOf(
    { rate, less }: YieldSeries,
    summaries: readonly RateSummary[],
  ): Promise<Omit<RateSummary, 'curveType' | 'maturity'> | undefined> {
    const summary = summaries.find(
      ({ curveType, maturity }) => curveType === rate.curveType && maturity === rate.maturity,
    );
    if (less === undefined || summary === undefined) return summary;
    const { curveType, maturity: long } = rate;
    const every = Number.MAX_SAFE_INTEGER;
    const pairs = await this.#view.rates.spread({ curveType, long, short: less.maturity, limit: every });
    const [newest, oldest] = [pairs[0], pairs.at(-1)];
    if (newest === undefined || oldest === undefined) return undefined;
    const { sources } = summary;
    return { count: pairs.length, first: oldest.tradeDate, last: newest.tradeDate, sources };
  }

  /** The values of a yield series, newest first. */
  async #rates(
    id: string,
    { from, to, limit }: { from: Day | undefined; to: Day | undefined; limit: number },
  ): Promise<readonly StoredObservation[]> {
    const definition = definitionOf(id);
    if (definition === undefined) return [];
    const { rate, less } = definition;
    const range = { ...defined({ from, to }), limit };
    if (less === undefined) {
      const points = await this.#view.rates.yields({ ...rate, ...range });
      return points.map(({ tradeDate, rate: value }) => ({ date: tradeDate, value, asOfDate: tradeDate }));
    }
    const { curveType, maturity: long } = rate;
    const pairs = await this.#view.rates.spread({ curveType, long, short: less.maturity, ...range });
    const { difference } = await import('../domain/series/arithmetic.ts');
    return pairs.map((pair) => ({
      date: pair.tradeDate,
      value: difference(pair.long, pair.short),
      asOfDate: pair.tradeDate,
    }));
  }
}

function definitionOf(id: string): YieldSeries | undefined {
  return yieldSeries.find((series) => series.id === id);
}
