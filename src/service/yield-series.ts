// Why: docs/decisions/rates-as-series.md
import type { indexOf } from '../domain/search/word-index.ts';
import { type YieldSeries, yieldSeries } from '../domain/treasury/curve.ts';
import { addDays, type Day } from '../domain/values/date.ts';
import { defined } from '../platform/defined.ts';
import type {
  AllSeriesView,
  ObservationQuery,
  RateSummary,
  RatesView,
  Series,
  StoredObservation,
  StoreState,
  StoreView,
} from '../store/store.ts';

const every = Number.MAX_SAFE_INTEGER;

type ValueQuery = { readonly [K in keyof ObservationQuery]?: ObservationQuery[K] | undefined };

/** The yield series of each state, one by its id or all; they are read often. */
const known = new WeakMap<StoreState, Map<string, Promise<unknown>>>();

/**
 * Adds the maturities of curves to a view as series with FRED's ids; stored series take precedence.
 * A rate is known from its trade date on, and never revised.
 */
export function yieldSeriesView(view: StoreView): StoreView {
  return { ...view, series: { ...view.series, ...seriesWithYields(view) } };
}

const definitions = yieldSeries.map((definition) => {
  const { id, title } = definition;
  return { id, title, units: 'Percent', definition };
});

let indexed: ReturnType<typeof indexOf<(typeof definitions)[number]>> | undefined;

/** Returns the index of all yield series; a stored series with the same id has another key. */
async function yieldIndex() {
  // Loaded here: only a search needs it.
  const { indexOf } = await import('../domain/search/word-index.ts');
  indexed ??= indexOf(definitions);
  return indexed;
}

/** Tells whether there is a value up to a day, by the newest one: to describe a series reads all. */
async function hasBegun(
  { rate, less }: YieldSeries,
  rates: RatesView,
  upTo: Day | undefined,
): Promise<boolean> {
  const newest = { limit: 1, ...defined({ to: upTo }) };
  const { curveType, maturity } = rate;
  const found =
    less === undefined
      ? await rates.yields({ ...rate, ...newest })
      : await rates.spread({ curveType, long: maturity, short: less.maturity, ...newest });
  return found.length > 0;
}

function seriesWithYields(view: StoreView): Partial<AllSeriesView> {
  const { series: stored, rates } = view;
  const remembered = async <T>(name: string, describing: (version: number) => Promise<T>): Promise<T> => {
    const state = await view.state();
    const ofState = known.get(state) ?? new Map<string, Promise<unknown>>();
    known.set(state, ofState);
    const before = ofState.get(name);
    if (before !== undefined) return before as Promise<T>;
    const described = describing(state.revision);
    ofState.set(name, described);
    described.catch(() => ofState.delete(name));
    return described;
  };
  const all = () => remembered('', (version) => describeAll(rates, version));
  /** Describes one alone if it is the first that is asked for; to describe all takes as long as seven. */
  const describedAs = async (definition: YieldSeries) => {
    const names = [...(known.get(await view.state())?.keys() ?? [])];
    if (names.some((name) => name !== definition.id))
      return (await all()).find(({ id }) => id === definition.id);
    return remembered(definition.id, (version) => describeOne(definition, rates, version));
  };
  const begunBy = async (day: Day = '~') => (await all()).filter(({ firstVintage }) => firstVintage <= day);
  const found = async (id: string) => {
    const definition = yieldSeries.find((one) => one.id === id);
    const series = definition && (await describedAs(definition));
    return definition && series && { definition, series };
  };
  /** Finds the yield series of a query; undefined if a stored series has its id, or there are no rates. */
  const asked = async ({ seriesId, ...query }: ValueQuery & { readonly seriesId: string }) => {
    const isYield = yieldSeries.some(({ id }) => id === seriesId);
    const one = isYield && (await stored.find(seriesId)) === undefined ? await found(seriesId) : undefined;
    return one && { ...one, rows: await ratesOf(one, rates, query) };
  };
  return {
    find: async (id) => (await stored.find(id)) ?? (await found(id))?.series,
    async search(query) {
      const { text, after = '', limit } = query;
      const isAsked = ({ id }: Pick<Series, 'id'>) =>
        id > after && id.includes(text.toUpperCase()) && (query.ids?.includes(id) ?? true);
      const matching = yieldSeries.some(isAsked) ? all() : [];
      const [held, yields] = await Promise.all([stored.search(query), matching]);
      const ids = new Set(held.map(({ id }) => id));
      const added = yields.filter((one) => isAsked(one) && !ids.has(one.id));
      if (added.length === 0) return held;
      return [...held, ...added].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
    async wordEntries(query) {
      return [...(await stored.wordEntries(query)), ...(await (await yieldIndex()).wordEntries(query))];
    },
    async seriesEntries(query) {
      const asked = await (await yieldIndex()).seriesEntries(query);
      const ids = [...query.ids, ...asked.map(({ id }) => id)];
      const [held, begun] = await Promise.all([
        stored.seriesEntries({ ...query, ids }),
        Promise.all(asked.map(({ definition }) => hasBegun(definition, rates, query.upTo))),
      ]);
      const added = new Map(asked.flatMap((one, i) => (begun[i] === true ? [[one.id, one] as const] : [])));
      for (const { id } of held) added.delete(id);
      return [...held, ...added.values()];
    },
    async seriesIds(upTo) {
      const begun = await begunBy(upTo);
      return [...new Set([...(await stored.seriesIds(upTo)), ...begun.map(({ id }) => id)])];
    },
    async observations(query) {
      const answer = await asked(query);
      if (answer === undefined) return stored.observations(query);
      const { definition, series, rows } = answer;
      const { asOf = '~' } = query;
      const [newest] =
        asOf < series.lastVintage
          ? await ratesOf(answer, rates, { to: asOf, limit: 1 })
          : [{ asOfDate: series.lastVintage }];
      const covered =
        asOf < series.coveredTo ? await rates.coveredTo(definition.rate.curveType, asOf) : undefined;
      return {
        series: { ...series, coveredTo: covered ?? series.coveredTo },
        vintage: { newest: newest && { asOf: newest.asOfDate, kind: 'exact' } },
        rows,
      };
    },
    async dates(query) {
      const answer = await asked(query);
      if (answer === undefined) return stored.dates(query);
      return { series: answer.series, rows: answer.rows.map(({ date }) => date) };
    },
    async history(query) {
      const answer = await asked(query);
      if (answer === undefined) return stored.history(query);
      const { series, rows } = answer;
      return {
        series,
        rows: rows.map(({ date, value, asOfDate: asOf }) => ({ date, asOf, value })),
        vintages: rows.map(({ asOfDate: asOf }) => ({ asOf, kind: 'exact' as const })).reverse(),
      };
    },
    async vintages(query) {
      const answer = await asked(query);
      if (answer === undefined) return stored.vintages(query);
      const { series } = answer;
      const counts = { added: 1, revised: 0, withdrawn: 0, kind: 'exact' as const };
      const rows = answer.rows.map(({ asOfDate }) => ({ asOfDate, ...counts }));
      return { series, firstDate: series.firstVintage, rows };
    },
  };
}

async function describeAll(rates: RatesView, version: number): Promise<readonly Series[]> {
  const summaries = await rates.summaries();
  if (summaries.length === 0) return [];
  const described = yieldSeries.map((definition) => describe(definition, rates, summaries, version));
  return (await Promise.all(described)).flatMap((series) => series ?? []);
}

async function describeOne(definition: YieldSeries, rates: RatesView, version: number) {
  return describe(definition, rates, await rates.summaries(definition.rate), version);
}

async function describe(
  definition: YieldSeries,
  rates: RatesView,
  summaries: readonly RateSummary[],
  version: number,
): Promise<Series | undefined> {
  const summary = await summaryOf(definition, rates, summaries);
  if (summary === undefined) return undefined;
  return {
    id: definition.id,
    title: definition.title,
    units: 'Percent',
    frequency: 'D',
    seasonalAdjustment: 'NSA',
    source: summary.sources.join('; '),
    publishers: summary.sources.join('; '),
    release: 'fred:18',
    observationCount: summary.count,
    firstVintage: summary.first,
    lastVintage: summary.last,
    coveredTo: (await rates.coveredTo(definition.rate.curveType)) ?? summary.last,
    vintageKind: 'exact',
    version,
  };
}

/** Counts the days with the rate, or with both rates of a spread. */
async function summaryOf(
  { rate, less }: YieldSeries,
  rates: RatesView,
  summaries: readonly RateSummary[],
): Promise<Omit<RateSummary, 'curveType' | 'maturity'> | undefined> {
  const { curveType, maturity: long } = rate;
  const summary = summaries.find((one) => one.curveType === curveType && one.maturity === long);
  if (less === undefined || summary === undefined) return summary;
  const pairs = await rates.spread({ curveType, long, short: less.maturity, limit: every });
  const [newest, oldest] = [pairs[0], pairs.at(-1)];
  if (newest === undefined || oldest === undefined) return undefined;
  const { sources } = summary;
  return { count: pairs.length, first: oldest.tradeDate, last: newest.tradeDate, sources };
}

async function ratesOf(
  { definition, series }: { readonly definition: YieldSeries; readonly series: Series },
  rates: RatesView,
  { firstRelease, from, to, asOf, before, limit = every }: ValueQuery,
): Promise<readonly StoredObservation[]> {
  const begin = firstRelease === true ? addDays(series.firstVintage, 1) : undefined;
  const first = [from, begin].flatMap((day) => day ?? []);
  const last = [to, asOf, before && addDays(before, -1)].flatMap((day) => day ?? []);
  const range = { ...defined({ from: first.sort().at(-1), to: last.sort()[0] }), limit };
  const { rate, less } = definition;
  if (less === undefined) {
    const points = await rates.yields({ ...rate, ...range });
    return points.map(({ tradeDate, rate: value }) => ({ date: tradeDate, value, asOfDate: tradeDate }));
  }
  const { curveType, maturity: long } = rate;
  // Loaded here: it takes the package of decimals.
  const { difference } = await import('../domain/values/arithmetic.ts');
  const pairs = await rates.spread({ curveType, long, short: less.maturity, ...range });
  return pairs.map((pair) => ({
    date: pair.tradeDate,
    value: difference(pair.long, pair.short),
    asOfDate: pair.tradeDate,
  }));
}
