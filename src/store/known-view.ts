import { type FrequencySince, frequencyOn, unitOn } from '../domain/series/series.ts';
import { addDays, type Day, earlier, later } from '../domain/values/date.ts';
import { entryOf } from '../domain/values/groups.ts';
import type {
  AllSeriesView,
  FilingsView,
  RateSummary,
  RatesView,
  Series,
  StoreState,
  StoreView,
  WholeView,
} from './store.ts';

const every = Number.MAX_SAFE_INTEGER;

/** The states of known data, by the state of the store and the last known day. */
const states = new WeakMap<StoreState, Map<Day, StoreState>>();

/** Limits a view to what was known on a day: nothing in the result was published, quoted or filed later. */
export function knownView(view: StoreView, day: Day): StoreView {
  return {
    ...view,
    state: async (seriesId) => knownState(await view.state(seriesId), day),
    series: knownSeries(view.series, day),
    rates: knownRates(view.rates, day),
    filings: knownFilings(view.filings, day),
  };
}

/** Finds a series that is known on a day, by its id or an alias; returns its id. */
export async function idKnown(view: StoreView, day: Day, name: string): Promise<string | undefined> {
  const { series } = knownView(view, day);
  const found = await series.find(name);
  const id = found === undefined ? await view.aliases.idOf(name) : undefined;
  return (id === undefined ? found : await series.find(id))?.id;
}

/** Returns the state of what is known on a day; the next day, more of the same data may be known. */
function knownState(state: StoreState, day: Day): StoreState {
  const byDay = entryOf(states, state, () => new Map<Day, StoreState>());
  return entryOf(byDay, day, () => {
    const { revision, sample } = state;
    let name: string | undefined;
    return {
      get name() {
        name ??= `${state.name}-${day}`;
        return name;
      },
      revision,
      sample,
    };
  });
}

function knownSeries(all: AllSeriesView, day: Day): AllSeriesView {
  const upTo = (other: Day = day) => earlier(other, day);
  const frequenciesOf = new Map<string, Promise<readonly FrequencySince[]>>();

  const impliedFrequencies = async (seriesId: string) => {
    const known = frequenciesOf.get(seriesId) ?? all.impliedFrequencies(seriesId);
    frequenciesOf.set(seriesId, known);
    return (await known).filter(({ since }) => since <= day);
  };

  const knownOn = async (other: Day, series: Series): Promise<Series> => {
    const known = { ...series, coveredTo: earlier(series.coveredTo, other) };
    if (series.lastVintage <= other) return known;
    const frequencies = await impliedFrequencies(series.id);
    return frequencies.length === 0 ? known : { ...known, frequency: frequencyOn(frequencies, other) };
  };

  const described = async (series: Series): Promise<Series> => {
    if (series.coveredTo <= day) return knownOn(day, series);
    const page = await all.observations({ seriesId: series.id, asOf: day, limit: 1 });
    return knownOn(day, page?.series ?? series);
  };

  /** Limits a series to what is known on the day of this view; undefined before its first vintage. */
  const knownOf = async (series: Series | undefined): Promise<Series | undefined> => {
    if (series === undefined || series.firstVintage > day) return undefined;
    const known = await described(series);
    if (series.lastVintage <= day) return known;
    const query = { seriesId: series.id, asOf: day };
    const [values, releases] = await Promise.all([
      all.observations({ ...query, limit: every }),
      all.observations({ ...query, limit: 1, firstRelease: true }),
    ]);
    return {
      ...known,
      observationCount: values?.rows.length ?? 0,
      lastVintage: values?.vintage.newest?.asOf ?? series.firstVintage,
      vintageKind: releases?.vintage.kinds ?? series.vintageKind,
    };
  };

  const history: AllSeriesView['history'] = async (query) => {
    const page = await all.history(query);
    if (page === undefined || page.series.firstVintage > day) return undefined;
    const series = await described(page.series);
    if (page.series.lastVintage <= day) return { ...page, series };
    const isKnown = ({ asOf }: { readonly asOf: Day }) => asOf <= day;
    return { series, rows: page.rows.filter(isKnown), vintages: page.vintages.filter(isKnown) };
  };

  const observations: AllSeriesView['observations'] = async (query) => {
    const { asOf, seriesId } = query;
    const page = await all.observations(query);
    if (page === undefined || page.series.firstVintage > day) return undefined;
    if (page.frequencies !== undefined) frequenciesOf.set(seriesId, Promise.resolve(page.frequencies));
    // A rate may end before its curve, which then was covered up to another day.
    const { lastVintage, coveredTo } = page.series;
    if (asOf === undefined && later(lastVintage, coveredTo) > day)
      return observations({ ...query, asOf: day });
    return { ...page, series: await knownOn(upTo(asOf), page.series) };
  };

  const dates: AllSeriesView['dates'] = async (query) => {
    const page = await all.dates(query);
    if (page === undefined || page.series.firstVintage > day) return undefined;
    const series = await described(page.series);
    if (page.series.lastVintage <= day) return { ...page, series };
    const { seriesId, from, before, limit } = query;
    const to = before === undefined ? query.to : earlier(query.to ?? before, addDays(before, -1));
    const revised = await history({ seriesId, from, to });
    const known = new Set(revised?.rows.map(({ date }) => date));
    return { series, rows: [...known].slice(0, limit) };
  };

  return {
    find: async (id) => knownOf(await all.find(id)),
    async search(query) {
      const found: Series[] = [];
      for (let after = query.after; ; ) {
        const page = await all.search({ ...query, ...(after !== undefined && { after }) });
        for (const series of page) {
          const known = await knownOf(series);
          if (known !== undefined) found.push(known);
        }
        after = page.at(-1)?.id;
        if (found.length >= query.limit || page.length < query.limit) return found.slice(0, query.limit);
      }
    },
    wordEntries: (query) => all.wordEntries(query),
    seriesEntries: (query) => all.seriesEntries({ ...query, upTo: upTo(query.upTo) }),
    seriesIds: (other) => all.seriesIds(upTo(other)),
    observations,
    dates,
    history,
    impliedFrequencies,
    async vintages(query) {
      const page = await all.vintages({ ...query, to: upTo(query.to) });
      const series = await knownOf(page?.series);
      if (page === undefined || series === undefined) return undefined;
      if (page.series.lastVintage <= day) return { ...page, series };
      const known = await dates({ seriesId: query.seriesId, limit: every });
      return { ...page, series, firstDate: known?.rows.at(-1) };
    },
    async *statements(seriesId) {
      for await (const batch of all.statements(seriesId)) yield batch.filter(({ asOf }) => asOf <= day);
    },
    completeVintages: async (seriesId) =>
      (await all.completeVintages(seriesId)).filter(({ asOf }) => asOf <= day),
    descriptionChanges: async (seriesId) =>
      (await all.descriptionChanges(seriesId)).filter(({ changedOn }) => changedOn <= day),
  };
}

function knownRates(all: RatesView, day: Day): RatesView {
  const upTo = (other: Day = day) => earlier(other, day);
  const yields: RatesView['yields'] = (query) => all.yields({ ...query, to: upTo(query.to) });
  return {
    yields,
    curve: async (query) =>
      query.date > day && !query.onOrBefore ? [] : all.curve({ ...query, date: upTo(query.date) }),
    spread: (query) => all.spread({ ...query, to: upTo(query.to) }),
    async summaries(only) {
      const known: RateSummary[] = [];
      for (const rate of await all.summaries(only)) {
        const { curveType, maturity } = rate;
        const points = rate.last <= day ? [] : await yields({ curveType, maturity, limit: every });
        const [newest] = points;
        if (rate.last <= day) known.push(rate);
        else if (newest !== undefined) {
          const sources = [...new Set(points.map(({ source }) => source))].sort();
          known.push({ ...rate, count: points.length, last: newest.tradeDate, sources });
        }
      }
      return known;
    },
    coveredTo: (curveType, other) => all.coveredTo(curveType, upTo(other)),
  };
}

function knownFilings(all: FilingsView, day: Day): FilingsView {
  const upTo = (other: Day = day) => earlier(other, day);
  const page: FilingsView['page'] = (query) => all.page({ ...query, to: upTo(query.to) });
  return {
    // `tradePlaces` may include trades not known yet: they only say for which issuers to read trades.
    ...all,
    page,
    async symbols() {
      if (((await all.coveredTo()) ?? '') <= day) return all.symbols();
      const known = await page({ limit: every });
      return [...new Set(known.flatMap(({ ticker }) => ticker ?? []))].sort();
    },
    clusterTrades: (query) => all.clusterTrades({ ...query, asOf: upTo(query.asOf) }),
    filedTrades: (query) => all.filedTrades({ ...query, before: earlier(query.before, addDays(day, 1)) }),
    coveredTo: (other) => all.coveredTo(upTo(other)),
  };
}

/** A statement about a series; `value` is null if it was withdrawn. */
export type FactRow = {
  readonly series_id: string;
  /** Null in a statement about every date of the series. */
  readonly date: Day | null;
  readonly as_of_date: Day;
  readonly value: string | null;
  /** The kind of that day's vintage: `exact`, `fetched`, `sampled` or `unknown`. */
  readonly vintage_kind: string;
  readonly title: string;
  /** The unit as of that day. */
  readonly units: string;
  readonly frequency: string;
  readonly seasonal_adjustment: string;
  readonly source: string;
  /** The last day that the series covers. */
  readonly covered_to: Day;
};

/** The columns of statements, in the order of a file. */
export const factColumns = [
  ...['series_id', 'date', 'as_of_date', 'value', 'vintage_kind'],
  ...['title', 'units', 'frequency', 'seasonal_adjustment', 'source', 'covered_to'],
] as const satisfies readonly (keyof FactRow)[];

/**
 * Yields every statement about a series that is known on a day in batches, each with the description of the series;
 * then one for each vintage that is about every date.
 */
export async function* factsOf(view: WholeView, day: Day, id: string): AsyncGenerator<readonly FactRow[]> {
  const { series } = knownView(view, day);
  const contents = await view.contents.series(id);
  if (contents === undefined) return;
  const { stated, implied, coveredTo } = contents;
  const { title = '', units = '', seasonalAdjustment = '' } = stated;
  const changes = await series.descriptionChanges(id);
  const rowOf = (asOf: Day, kind: string, said: Pick<FactRow, 'date' | 'value'>): FactRow => ({
    ...{ series_id: id, date: said.date, as_of_date: asOf, value: said.value, vintage_kind: kind },
    ...{ title, units: unitOn(asOf, units, changes), frequency: stated.frequency ?? implied.frequency ?? '' },
    ...{ seasonal_adjustment: seasonalAdjustment, source: implied.source ?? stated.source ?? '' },
    covered_to: earlier(coveredTo, day),
  });
  for await (const batch of series.statements(id))
    yield batch.map(({ date, asOf, value, kind = '' }) => rowOf(asOf, kind, { date, value }));
  const vintages = await series.completeVintages(id);
  yield vintages.map(({ asOf, kind }) => rowOf(asOf, kind, { date: null, value: null }));
}
