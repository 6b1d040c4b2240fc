import { type Ask, type QueryAnswer, rowsOf, textsOf } from '../../answering/answer.ts';
import { composed, eachOf } from '../../answering/composed.ts';
import { type History, historyOf } from '../../answering/history.ts';
import { descriptionOf, kindTexts, noteOutside } from '../../answering/notes.ts';
import { type Question, type Reading, requestParams } from '../../answering/question.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { pagesOf } from '../../client/pagination.ts';
import {
  type KnownOnDays,
  type KnownValue,
  newestOnDays,
  realTimePeriodsOf,
} from '../../domain/series/newest-values.ts';
import { type FrequencySince, frequencyOn } from '../../domain/series/series.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import { DailyTransformers, type Vintages } from '../../domain/series/transformer.ts';
import { addDays, type Day, type Frequency } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Coverage, WideRow } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import { type Params, type ParamTexts, param } from '../../operations/param.ts';
import { observations } from '../../operations/series/observations.ts';
import { revisions } from '../../operations/series/revisions.ts';
import { vintages } from '../../operations/series/vintages.ts';
import { type NamedValues, text } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import {
  asOfDates,
  type PanelColumn,
  type PanelForm,
  type PanelPoint,
  type PanelRow,
  panelRows,
  type RealTimePanelQuery,
} from './panel-rows.ts';
import { countsOwnPeriods, unitsParams } from './shared.ts';

/** Answers with the newest values known on each of some days. */
export function answerRealTimePanel(
  query: PanelForm & RealTimePanelQuery,
  context: Ask,
): Promise<QueryAnswer<PanelRow | WideRow>> {
  return composed<PanelRow | WideRow>(context, async (counting) => {
    // A chart shows the rows of the long form; a line has one value a day, the newest one.
    const asked = counting.drawn ? { ...query, last: 1, wide: false } : query;
    return panelRows(await panelColumns(asked, counting), asked, 'as_of');
  });
}

/** Resolves the series of a panel that had begun by its last as-of date. */
export function panelSeries(query: RealTimePanelQuery, context: Ask): Promise<readonly ResolvedSeries[]> {
  return resolveSeries(query, knownDays(query).at(-1), context);
}

/** Reads the columns of a panel on its as-of dates; notes what they are based on. */
export async function panelColumns(
  query: RealTimePanelQuery,
  counting: Ask,
): Promise<readonly PanelColumn[]> {
  const series = await panelSeries(query, counting);
  const days = knownDays(query);
  // Few vintages may answer any number of days.
  counting.allow?.(series.length * days.length * (query.last ?? 1));
  const known =
    (await askService(series, days, query, counting)) ??
    (await eachOf(series, counting, (one) => knownOfSeries(one, days, query, counting)));
  await noteKnown(known, days, counting);
  const columns = known.flatMap((one) => one.columns);
  if (query.known_before_each !== true) return columns;
  // The values known before a day are those known on the previous day.
  return columns.map(({ points, ...column }) => ({
    ...column,
    points: new Map(Array.from(points, ([day, point]) => [addDays(day, 1), point])),
  }));
}

function knownDays(query: RealTimePanelQuery): readonly Day[] {
  const days = asOfDates(query);
  return query.known_before_each === true ? days.map((day) => addDays(day, -1)) : days;
}

/** Counts what a real-time panel reads. */
export async function readingOfRealTimePanel(query: RealTimePanelQuery, context: Ask): Promise<Reading> {
  const days = knownDays(query);
  const series = await panelSeries(query, context);
  const asked = await serviceRequests(series, days, query, context);
  return { series, ...(asked === undefined ? { days: days.length } : { panels: asked.length }) };
}

type KnownColumns = {
  readonly placed: Omit<PlacedDays, 'covered' | 'publications'>;
  readonly columns: readonly PanelColumn[];
};

/** Adds notes on what the values of series are based on: coverage, samples, days beyond the coverage. */
async function noteKnown(
  known: readonly Pick<KnownColumns, 'placed'>[],
  days: readonly Day[],
  context: Ask,
): Promise<void> {
  const { note, naming } = context;
  if (note === undefined) return;
  const placed = known.map((one) => one.placed);
  const series = placed.map((one) => one.series);
  await noteOutside(series, [...days.slice(0, 1), ...days.slice(-1)], context);
  const ids = series.map(({ id }) => id);
  for (const text of kindTexts(ids, context))
    note({ kind: 'sampled', text: `${text}: each row shows the newest vintage up to its as-of date` });
  if (placed.some(({ beyondCoverage }) => beyondCoverage.length > 0))
    note({
      kind: 'beyond',
      text: `as-of dates after the coverage of a series have no value; ${naming.param('beyond', 'repeat')} shows the newest that is known`,
    });
}

type ColumnsQuery = Pick<RealTimePanelQuery, 'beyond' | 'lag' | 'last' | 'transformation'>;

/**
 * Finds a series' newest values on each of the days (ascending), from its history or day by day.
 * The latter is for a service without a history, or whose vintages cannot show that answers meet the demands.
 */
async function knownOfSeries(
  series: ResolvedSeries,
  days: readonly Day[],
  query: ColumnsQuery,
  context: Ask,
): Promise<KnownColumns> {
  if (query.transformation !== undefined) return historyOnDays(series, days, query, context);
  const placed = await placeDays(series, days, query.beyond, context);
  const isShown = meetsDemands(placed, context);
  const history = isShown ? await ifOffered(() => historyOf({ id: series.id }, context)) : undefined;
  if (history !== undefined) return columnsFrom(history, placed, query, context);
  const lacking = placed.publications === undefined ? vintages : isShown ? revisions : undefined;
  const known = await knownDayByDay(placed, query, lacking, context);
  return { placed, columns: columnsOn(known, placed, query) };
}

function meetsDemands({ publications }: PlacedDays, { basis: { demands } }: Ask): boolean {
  if (demands.exact === true) return publications?.every(({ kind }) => kind === 'exact') === true;
  return publications !== undefined || demands.maxAge === undefined;
}

/** The history of a series, and its newest values on some days. */
export type HistoryOnDays = KnownColumns & {
  readonly vintages: Vintages;
  /** Computes transformed values; undefined without a transformation. */
  readonly transformers: DailyTransformers | undefined;
};

/** Reads the histories of series, and finds the newest values that each needs on each day (ascending). */
export async function historiesOnDays(
  wanted: readonly { readonly series: ResolvedSeries; readonly last: number }[],
  days: readonly Day[],
  query: ColumnsQuery,
  context: Ask,
): Promise<readonly HistoryOnDays[]> {
  const all = wanted.map((one) => ({ id: one.series.id, ...one }));
  const found = await eachOf(all, context, ({ series, last }) =>
    historyOnDays(series, days, { ...query, last }, context),
  );
  await noteKnown(found, days, context);
  return found;
}

async function historyOnDays(
  series: ResolvedSeries,
  days: readonly Day[],
  query: ColumnsQuery,
  context: Ask,
): Promise<HistoryOnDays> {
  const placed = await placeDays(series, days, query.beyond, context);
  return columnsFrom(await historyOf({ id: series.id }, context), placed, query, context);
}

async function columnsFrom(
  history: History,
  placed: PlacedDays,
  query: ColumnsQuery,
  context: Ask,
): Promise<HistoryOnDays> {
  const { vintages } = history;
  const { last = 1, lag = 0, transformation } = query;
  const { series, covered, beyondCoverage } = placed;
  const { id } = series;
  const lastDay = beyondCoverage.at(-1) ?? covered.at(-1);
  const frequencies = transformation === undefined ? [] : await history.frequencies();
  const transformers = transformation && new DailyTransformers(id, frequencies, transformation, lastDay);
  const found = newestOnDays(vintages, covered, lag + last, transformers);
  const known = found.map((one) => ({ ...one, values: one.values.slice(lag) }));
  if (countsOwnPeriods(transformation)) noteFrequencies(id, known, frequencies, transformation, context);
  return { placed, vintages, transformers, columns: columnsOn(known, placed, query) };
}

function noteFrequencies(
  id: string,
  known: readonly KnownOnDays[],
  frequencies: readonly FrequencySince[],
  { units }: Transformation,
  { note }: Ask,
): void {
  const used = new Map<Frequency, Day>();
  for (const { days, since } of known) {
    const frequency = since === undefined ? '' : frequencyOn(frequencies, since);
    if (frequency !== '' && !used.has(frequency)) used.set(frequency, days[0] ?? '');
  }
  if (used.size < 2) return;
  const each = Array.from(used, ([frequency, since]) => `${frequency} from ${since} on`).join(', ');
  const text = `judging by the dates known on each day, ${id} is ${each}; its ${units} follows that frequency`;
  note?.({ kind: 'remark', text });
}

/** Makes a column for each of the newest values; days with the same value share a point. */
function columnsOn(
  known: readonly Pick<KnownOnDays, 'days' | 'values'>[],
  { series, beyondCoverage, kinds }: KnownColumns['placed'],
  { last = 1, lag = 0 }: ColumnsQuery,
): readonly PanelColumn[] {
  const nothing: Pick<KnownOnDays, 'days' | 'values'> = { days: beyondCoverage, values: [] };
  return Array.from({ length: last }, (_, i) => {
    const points = new Map<Day, PanelPoint>();
    for (const { days, values } of [...known, nothing]) {
      const { date, value, asOf: asOfDate } = values[i] ?? {};
      // A day without a value has one row, which says so.
      if (date === undefined && i > 0) continue;
      let point: PanelPoint | undefined;
      for (const day of days) {
        const kind = kinds.get(day);
        if (point === undefined || point.kind !== kind) point = { date, value, asOfDate, kind };
        points.set(day, point);
      }
    }
    return { series, points, lag: lag + i };
  });
}

/** The most requests for one series, one for each period. */
const mostDayByDay = 1000;

/** Requests the newest values on days, once for each real-time period; the service lacks `lacking`. */
async function knownDayByDay(
  { series: { id }, covered, publications }: PlacedDays,
  { last = 1, lag = 0 }: ColumnsQuery,
  lacking: Operation | undefined,
  context: Ask,
): Promise<readonly KnownOnDays[]> {
  const changed = publications?.flatMap(({ asOf, changes }) => (changes ? [asOf] : []));
  const periods = realTimePeriodsOf(covered, changed ?? covered);
  if (lacking !== undefined && periods.length > mostDayByDay)
    throw new Problem(
      'bad-answer',
      `the service has no ${lacking.path.replace('{id}', id)}; without it ${id} takes ${periods.length} requests, more than ${mostDayByDay}`,
      { hints: ['ask for fewer as-of dates'] },
    );
  return Promise.all(
    periods.map(async ({ days, since }) => {
      const [day = ''] = days;
      const values = since === undefined ? [] : await newestAsOf(id, day, lag + last, context);
      return { days, since, values: values.slice(lag) };
    }),
  );
}

async function newestAsOf(id: string, day: Day, count: number, context: Ask): Promise<readonly KnownValue[]> {
  // Two rows show in which order a service gives them; with one row, finding that out takes another request.
  const rows = await rowsOf(context, observations, { id, as_of: day }, { limit: Math.max(2, count) });
  return rows.map(({ date, value, as_of_date: asOf }) => ({ date, value, asOf }));
}

type Publication = { readonly asOf: Day; readonly changes: boolean; readonly kind: string };

type PlacedDays = {
  readonly series: ResolvedSeries;
  /** Days (ascending) up to the coverage. */
  readonly covered: readonly Day[];
  /** Days after the coverage, which have no value. */
  readonly beyondCoverage: readonly Day[];
  /** The kind of the newest vintage on each day; no day before the first vintage. */
  readonly kinds: ReadonlyMap<Day, string>;
  /** The vintages up to the last day, ascending, if the service lists them. */
  readonly publications?: readonly Publication[];
};

async function placeDays(
  series: ResolvedSeries,
  days: readonly Day[],
  beyond: RealTimePanelQuery['beyond'],
  context: Ask,
): Promise<PlacedDays> {
  const last = days.at(-1) ?? '';
  const listed = await ifOffered(() => publicationsOf(series, last, context));
  const row = listed?.row ?? (beyond === 'repeat' ? series.row : await descriptionOf(series, context));
  const placed = placedDays({ ...series, ...defined({ row }) }, days, beyond);
  if (listed === undefined) return { ...placed, kinds: new Map() };
  const { publications } = listed;
  const kindOf = new Map(publications.map(({ asOf, kind }) => [asOf, kind]));
  const kinds = new Map<Day, string>();
  for (const { days: known, since } of realTimePeriodsOf(placed.covered, [...kindOf.keys()]))
    if (since !== undefined) for (const day of known) kinds.set(day, kindOf.get(since) ?? '');
  context.basis.add(series.id, last, listed.row?.covered_to, [...new Set(kinds.values())]);
  // A publication after the last day may show that the last vintage is not the last publication before it.
  if (context.basis.demands.exact === true) await newestAsOf(series.id, last, 1, context);
  return { ...placed, kinds, publications };
}

/** Splits days (ascending) at the end of a series' coverage; if `beyond` is `fail`, none may be after it. */
function placedDays(series: ResolvedSeries, days: readonly Day[], beyond: RealTimePanelQuery['beyond']) {
  const { id, row } = series;
  const to = typeof row?.covered_to === 'string' ? row.covered_to : '';
  if (beyond === 'fail' && to === '')
    throw new Problem('bad-answer', `the service does not say to which day ${id} is covered`);
  const covered = beyond === 'repeat' || to === '' ? days : days.filter((day) => day <= to);
  const beyondCoverage = days.slice(covered.length);
  const [first] = beyondCoverage;
  if (beyond === 'fail' && first !== undefined)
    throw new Problem('too-old', `${id} is covered to ${to}: its value on ${first} is not known`, {
      field: 'beyond',
    });
  return { series, covered, beyondCoverage };
}

async function ifOffered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Problem && error.missing) return undefined;
    throw error;
  }
}

async function publicationsOf({ id }: ResolvedSeries, last: Day, { client, signal }: Ask) {
  const publications: Publication[] = [];
  let row: Coverage | undefined;
  const texts = textsOf({ id, to: last });
  for await (const page of pagesOf(client, vintages, texts, { whole: true }, signal)) {
    row ??= page.coverage;
    for (const { as_of_date: asOf, added, revised, withdrawn, vintage_kind: kind } of page.results)
      publications.push({ asOf, changes: added + revised + withdrawn > 0, kind: kind ?? '' });
  }
  return { publications: publications.reverse(), row };
}

/** The most rows of one request (about 15 MB), and the most characters of its days and of its ids. */
const mostRows = 100_000;
const mostOfDays = 6000;
const mostOfIds = 1500;

/** Parameters that a service applies; a client chooses days and columns itself. */
const sentParams = ['last', 'lag', 'beyond', ...Object.keys(unitsParams)];

/** Makes the requests for a panel on days (ascending); undefined if one by one the series take fewer requests. */
async function serviceRequests(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  { client, basis: { demands } }: Pick<Ask, 'basis' | 'client'>,
): Promise<readonly ParamTexts[] | undefined> {
  // Whether vintages are exact also depends on vintages after the days.
  if (client.offers === undefined || demands.exact === true) return undefined;
  const ids = series.map(({ id }) => id);
  if (days.length === 0 || ids.some((id) => /[,*]/.test(id))) return undefined;
  const values: NamedValues = query;
  const options = sentParams.flatMap((name) =>
    values[name] === undefined ? [] : [[name, String(values[name])] as const],
  );
  const parts = daysAsked(days, query).flatMap(({ texts, count }) =>
    grouped(ids, mostRows / (count * (query.last ?? 1))).map((some) => [
      ['ids', some.join(',')] as const,
      ...texts,
      ...options,
    ]),
  );
  const [first] = parts;
  // One by one, each series takes two requests: its vintages and its revisions.
  if (first === undefined || parts.length > 2 * ids.length) return undefined;
  return (await client.offers(serviceOperation(query.panel), first)) ? parts : undefined;
}

function daysAsked(
  days: readonly Day[],
  { as_of_each: each, known_before_each }: RealTimePanelQuery,
): readonly { readonly texts: ParamTexts; readonly count: number }[] {
  if (typeof each !== 'string' || known_before_each === true)
    return pieces(days, mostOfDays / '2015-01-30%2C'.length).map((list) => ({
      texts: [['as_of_each', list.join(',')]],
      count: list.length,
    }));
  const range = { as_of_each: each, from: days[0] ?? '', to: days.at(-1) ?? '' };
  return [{ texts: textsOf(range), count: days.length }];
}

function grouped(ids: readonly string[], size: number): readonly (readonly string[])[] {
  const longest = Math.max(...ids.map((id) => encodeURIComponent(id).length + '%2C'.length));
  return pieces(ids, Math.min(size, mostOfIds / longest));
}

function pieces<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const step = Math.max(1, Math.floor(size));
  return Array.from({ length: Math.ceil(all.length / step) }, (_, i) => all.slice(i * step, (i + 1) * step));
}

/** Makes the operation of a service that answers a question; no parameter checks its rows. */
function serviceOperation(question: Question): Operation<Params, PanelRow> {
  const { name, endpoint } = question;
  if (endpoint === undefined) throw new Error(`no service is asked for ${name}`);
  const { path, object, heading, summary, layout, knownBy } = endpoint;
  const params = Object.entries(requestParams(question)).map(([key, { namesSeries }]) => [
    key,
    { ...param(text, '', '', { extension: true }), ...defined({ namesSeries }) },
  ]);
  return {
    ...{ name, path, object, summary, description: summary, ...layout },
    ...defined({ knownBy }),
    command: { words: question.command?.words ?? name, heading },
    params: Object.fromEntries(params),
    example: {},
    run() {
      throw new Error(`a store is not asked for ${name}`);
    },
  };
}

/**
 * Asks a service for panels of series on days (ascending); undefined if an answer is incomplete or fails.
 * The requests series by series that follow then show what is wrong.
 */
async function askService(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  context: Ask,
): Promise<readonly KnownColumns[] | undefined> {
  const { client, signal, basis } = context;
  const requests = await serviceRequests(series, days, query, context);
  if (requests === undefined) return undefined;
  let answers: readonly { readonly results: readonly PanelRow[] }[];
  try {
    const operation = serviceOperation(query.panel);
    answers = await Promise.all(requests.map((texts) => client.ask(operation, texts, { once: true })));
  } catch (error) {
    if (!(error instanceof Problem) || signal.aborted) throw error;
    return undefined;
  }
  const known = readDays(answers, new Set(days));
  if (known === undefined || !series.every(({ id }) => known.get(id)?.size === days.length)) return undefined;
  return eachOf(series, context, async (one) => {
    const row = await descriptionOf(one, context);
    const found = [...(known.get(one.id)?.values() ?? [])];
    const kinds = new Map<Day, string>();
    for (const { day, kind } of found) if (kind !== undefined) kinds.set(day, kind);
    const to = typeof row?.covered_to === 'string' ? row.covered_to : undefined;
    basis.add(one.id, days.at(-1), to, [...new Set(kinds.values())]);
    const placed = { ...placedDays({ ...one, ...defined({ row }) }, days, query.beyond), kinds };
    const periods = found.map(({ day, values }) => ({ days: [day], values }));
    return { placed, columns: columnsOn(periods, placed, query) };
  });
}

type AnsweredDay = { readonly day: Day; readonly kind: string | undefined; readonly values: KnownValue[] };

/** Reads what was known by series and day; undefined if a row is out of order or cannot have been known. */
function readDays(
  answers: readonly { readonly results: readonly PanelRow[] }[],
  days: ReadonlySet<Day>,
): ReadonlyMap<string, ReadonlyMap<Day, AnsweredDay>> | undefined {
  const known = new Map<string, Map<Day, AnsweredDay>>();
  for (const { results } of answers)
    for (const { as_of: day, series_id: id, date, value, as_of_date: asOf, vintage_kind } of results) {
      const found = date === null || value === null || asOf === null ? undefined : { date, value, asOf };
      const isNothing = date === null && value === null;
      if (day === null || (asOf ?? '') > day || (found === undefined) !== isNothing) return undefined;
      if (!days.has(day)) continue;
      const ofSeries = known.get(id) ?? new Map<Day, AnsweredDay>();
      const before = ofSeries.get(day);
      const oldest = before?.values.at(-1)?.date ?? '';
      if (before !== undefined && (date ?? '') >= oldest) return undefined;
      const ofDay = before ?? { day, kind: vintage_kind ?? undefined, values: [] };
      if (found !== undefined) ofDay.values.push(found);
      known.set(id, ofSeries.set(day, ofDay));
    }
  return known;
}
