import { type Ask, type QueryAnswer, textsOf } from '../../answering/answer.ts';
import { composed, eachOf } from '../../answering/composed.ts';
import { historyOf } from '../../answering/history.ts';
import { descriptionOf, kindTexts, noteMeanings, noteOutside, someSeries } from '../../answering/notes.ts';
import { type Question, type Reading, requestParams, transformationIn } from '../../answering/question.ts';
import { type ResolvedSeries, resolveSeries } from '../../answering/series-ids.ts';
import { pagesOf } from '../../client/pagination.ts';
import { lastDayOver } from '../../domain/calendar/zones.ts';
import { type KnownOnDays, type KnownValue, newestOnDays } from '../../domain/series/newest-values.ts';
import { type FrequencySince, frequencyOn } from '../../domain/series/series.ts';
import type { Transformation } from '../../domain/series/transformation.ts';
import { DailyTransformers, type Vintages } from '../../domain/series/transformer.ts';
import { addDays, type Day, dayNumber, type Frequency, later } from '../../domain/values/date.ts';
import { groupBy } from '../../domain/values/groups.ts';
import { Problem } from '../../errors/problem.ts';
import type { WideRow } from '../../operations/envelope.ts';
import type { Operation } from '../../operations/operation.ts';
import { type Params, type ParamTexts, param } from '../../operations/param.ts';
import { observations } from '../../operations/series/observations.ts';
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
  pointsOf,
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
  const { last = 1, instants } = query;
  // Few vintages may answer any number of days.
  counting.allow?.(series.length * (instants ?? days).length * last);
  if (instants !== undefined) return columnsAt(instants, series, query, counting);
  const wanted = series.map((one) => ({ series: one, last }));
  const known =
    (await askService(series, days, query, counting)) ??
    (await historiesOnDays(wanted, days, query, counting));
  const columns = known.flatMap((one) => one.columns);
  if (query.known_before_each !== true) return columns;
  // The values known before a day are those known on the previous day.
  const next = days.map((day) => addDays(day, 1));
  return columns.map((column) => ({ ...column, days: next }));
}

/** Reads the columns of a panel by instants: for each series, those of the as-of dates to which they come. */
async function columnsAt(
  instants: readonly string[],
  series: readonly ResolvedSeries[],
  query: RealTimePanelQuery,
  context: Ask,
): Promise<readonly PanelColumn[]> {
  const { last = 1 } = query;
  const placed = await eachOf(series, context, async (one) => ({
    series: one,
    ...(await daysOfInstants(one.id, instants, context)),
  }));
  const wanted = placed.map((one) => {
    return { series: one.series, last, days: [...new Set(one.days.values())].sort() };
  });
  const days = [...new Set(wanted.flatMap((one) => one.days))].sort();
  const known = await historiesOnDays(wanted, days, query, context);
  const untimed = placed.filter(({ hasAllTimes }) => !hasAllTimes).map(({ series: { id } }) => id);
  const text = `some vintages of ${someSeries(untimed)} have no time that a calendar gives, or several: each counts once its day has ended`;
  if (untimed.length > 0) context.note?.({ kind: 'known at', text });
  return known.flatMap(({ columns }, i) =>
    columns.map((column) => {
      const pointOn = pointsOf(column);
      const points = instants.map((instant) => pointOn(placed[i]?.days.get(instant) ?? ''));
      return { ...column, days: instants, points };
    }),
  );
}

/** Finds the as-of dates of what was known of a series at some instants (ascending). */
async function daysOfInstants(id: string, instants: readonly string[], context: Ask) {
  const { client, signal } = context;
  const since: { readonly day: Day; readonly known: string; readonly isTimed: boolean }[] = [];
  const [first = '', last = ''] = [instants[0]?.slice(0, 10), instants.at(-1)?.slice(0, 10)];
  let coveredTo = '';
  for await (const page of pagesOf(client, vintages, textsOf({ id }), {}, signal)) {
    coveredTo = page.coverage?.covered_to ?? '';
    for (const { as_of_date: day, known_since: known, released_at } of page.results) {
      if (typeof known !== 'string')
        throw new Problem('bad-answer', `the service does not say since when vintages of ${id} are known`, {
          field: 'known_at',
        });
      since.push({ day, known, isTimed: typeof released_at === 'string' });
    }
  }
  since.reverse();
  // Only near the end of the coverage does the day itself count, and not only the vintages up to it.
  const near = instants.filter(
    (instant) => addDays(instant.slice(0, 10), 1) > coveredTo && lastDayOver(instant) <= coveredTo,
  );
  const days = new Map(coveredTo === '' ? [] : await daysByService(id, near, context));
  let next = 0;
  for (const instant of instants) {
    while ((since[next]?.known ?? '~') <= instant) next += 1;
    // Every vintage up to a day that has ended everywhere is known.
    if (!days.has(instant)) days.set(instant, later(since[next - 1]?.day ?? '', lastDayOver(instant)));
  }
  const around = since.filter(({ day }) => day >= addDays(first, -1) && day <= addDays(last, 1));
  return { id, days, hasAllTimes: around.every(({ isTimed }) => isTimed) };
}

/** Asks for the as-of dates of instants (ascending); instants between two with the same day have that day. */
async function daysByService(
  id: string,
  instants: readonly string[],
  context: Ask,
): Promise<readonly (readonly [instant: string, day: Day])[]> {
  const dayOf = async (known_at: string): Promise<Day> => {
    const { as_of } = await context.client.ask(observations, textsOf({ id, known_at, limit: 1 }));
    if (as_of === undefined)
      throw new Problem('bad-answer', `the service does not say on which day ${id} is known at ${known_at}`);
    return as_of;
  };
  const [first, last] = [instants[0], instants.at(-1)];
  if (first === undefined || last === undefined) return [];
  const from = await dayOf(first);
  const to = first === last ? from : await dayOf(last);
  if (from === to) return instants.map((instant) => [instant, from]);
  if (instants.length === 2)
    return [
      [first, from],
      [last, to],
    ];
  const middle = Math.ceil(instants.length / 2);
  const before = await daysByService(id, instants.slice(0, middle), context);
  return [...before, ...(await daysByService(id, instants.slice(middle), context))];
}

function knownDays(query: RealTimePanelQuery): readonly Day[] {
  const days = asOfDates(query);
  return query.known_before_each === true ? days.map((day) => addDays(day, -1)) : days;
}

/** Returns what a real-time panel reads. */
export async function readingOfRealTimePanel(query: RealTimePanelQuery, context: Ask): Promise<Reading> {
  const series = await panelSeries(query, context);
  const asked = await serviceRequests(series, knownDays(query), query, context);
  return { series, reads: asked === undefined ? 'histories' : { requests: asked.length } };
}

type KnownColumns = { readonly placed: PlacedDays; readonly columns: readonly PanelColumn[] };

/** Adds notes on what the values of series are based on: coverage, samples, days beyond the coverage. */
async function noteKnown(
  known: readonly Pick<KnownColumns, 'placed'>[],
  days: readonly Day[],
  context: Ask,
): Promise<void> {
  const { note, naming } = context;
  const series = known.map((one) => one.placed.series);
  await noteOutside(series, [...days.slice(0, 1), ...days.slice(-1)], context);
  const ids = [...new Set(series.map(({ id }) => id))];
  for (const text of kindTexts(ids, context))
    note?.({ kind: 'sampled', text: `${text}: each row shows the newest vintage up to its as-of date` });
  await noteMeanings(series, context);
  const text = `as-of dates after the coverage of a series have no value; ${naming.param('beyond', 'repeat')} shows the newest that is known`;
  if (known.some(({ placed }) => placed.beyondCoverage.length > 0)) note?.({ kind: 'beyond', text });
}

type ColumnsQuery = Pick<RealTimePanelQuery, 'beyond' | 'lag' | 'last'> & NamedValues;

/** The history of a series, and its newest values on some days. */
export type HistoryOnDays = KnownColumns & {
  readonly vintages: Vintages;
  /** Computes transformed values; undefined without a transformation. */
  readonly transformers: DailyTransformers | undefined;
};

/** Reads the histories of series, and finds the newest values that each needs on each day (ascending). */
export async function historiesOnDays(
  wanted: readonly {
    readonly series: ResolvedSeries;
    readonly last: number;
    /** The days of this series, if they are not those of all. */
    readonly days?: readonly Day[];
  }[],
  days: readonly Day[],
  query: ColumnsQuery,
  context: Ask,
): Promise<readonly HistoryOnDays[]> {
  const { lag = 0 } = query;
  const all = wanted.map((one) => ({ id: one.series.id, ...one }));
  const found = await eachOf(all, context, async ({ id, series, last, days: own = days }) => {
    const transformation = transformationIn(query, series);
    const history = await historyOf({ id }, context, { described: transformation !== undefined });
    const placed = await placeDays(series, own, query.beyond, history, context);
    const { vintages } = history;
    const frequencies = transformation === undefined ? [] : await history.frequencies();
    const transformers = transformation && new DailyTransformers(id, frequencies, transformation, own.at(-1));
    const newest = newestOnDays(vintages, placed.covered, lag + last, transformers);
    const known = newest.map((one) => ({ ...one, values: one.values.slice(lag) }));
    if (countsOwnPeriods(transformation)) noteFrequencies(id, known, frequencies, transformation, context);
    return { placed, vintages, transformers, columns: columnsOn(known, placed, { ...query, last }) };
  });
  await noteKnown(found, days, context);
  return found;
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

/** Makes a column for each of the newest values, known on days in order; days with the same value share a point. */
function columnsOn(
  known: readonly Pick<KnownOnDays, 'days' | 'values'>[],
  { series, days, beyondCoverage, kinds }: PlacedDays,
  { last = 1, lag = 0 }: ColumnsQuery,
): readonly PanelColumn[] {
  const nothing: Pick<KnownOnDays, 'days' | 'values'> = { days: beyondCoverage, values: [] };
  return Array.from({ length: last }, (_, i) => {
    const points: (PanelPoint | undefined)[] = [];
    for (const { days: own, values } of [...known, nothing]) {
      const { date, value, asOf: asOfDate } = values[i] ?? {};
      let point: PanelPoint | undefined;
      for (let left = own.length; left > 0; left -= 1) {
        const kind = kinds[points.length];
        // A day without a value has one row, which says so.
        if (date === undefined && i > 0) point = undefined;
        else if (point === undefined || point.kind !== kind) point = { date, value, asOfDate, kind };
        points.push(point);
      }
    }
    return { series, days, points, lag: lag + i };
  });
}

type PlacedDays = {
  readonly series: ResolvedSeries;
  readonly days: readonly Day[];
  /** Days (ascending) up to the coverage. */
  readonly covered: readonly Day[];
  /** Days after the coverage, which have no value. */
  readonly beyondCoverage: readonly Day[];
  /** The kind of the newest vintage on each covered day; undefined before the first vintage. */
  readonly kinds: readonly (string | undefined)[];
};

async function placeDays(
  series: ResolvedSeries,
  days: readonly Day[],
  beyond: RealTimePanelQuery['beyond'],
  history: Pick<Awaited<ReturnType<typeof historyOf>>, 'vintagesUpTo'>,
  context: Ask,
): Promise<PlacedDays> {
  const { id } = series;
  const { basis, client } = context;
  const { exact, maxAge } = basis.demands;
  const last = days.at(-1) ?? '';
  const listed = await history.vintagesUpTo(last).catch((error) => {
    const isLacking = error instanceof Problem && error.missing;
    if (isLacking && exact !== true && maxAge === undefined) return undefined;
    throw error;
  });
  const row = listed?.row ?? (beyond === 'repeat' ? series.row : await descriptionOf(series, context));
  const placed = placedDays({ ...series, ...defined({ row }) }, days, beyond);
  if (listed === undefined) return { ...placed, kinds: [] };
  const { known } = listed;
  let next = 0;
  const kinds = placed.covered.map((day) => {
    while ((known[next]?.asOf ?? '~') <= day) next += 1;
    const since = known[next - 1];
    if (exact === true && since?.kind === 'exact' && day > since.asOf)
      basis.requireNoGap(id, since.asOf, known[next]?.kind);
    return since?.kind;
  });
  const { covered_to: coveredTo } = listed.row ?? {};
  basis.add(id, last, typeof coveredTo === 'string' ? coveredTo : undefined, distinct(kinds));
  // A publication after the last day may show that the last vintage is not the last publication before it.
  if (exact === true) await client.ask(observations, textsOf({ id, as_of: last, limit: 1 }));
  return { ...placed, kinds };
}

function distinct(kinds: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(kinds)].flatMap((kind) => kind ?? []);
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
  return { series, days, covered, beyondCoverage };
}

/** The most rows of one request (about 15 MB), the most days that it lists, and the most characters of its ids. */
const mostRows = 100_000;
const mostListed = 450;
const mostOfIds = 1500;

/** Parameters that a service applies; a client chooses days and columns itself. */
const sentParams = ['last', 'lag', 'beyond'];

type PanelRequest = { readonly series: readonly ResolvedSeries[]; readonly texts: ParamTexts };

/** Makes a request for the series of each units on days (ascending); undefined if no service answers them all. */
async function serviceRequests(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  context: Pick<Ask, 'basis' | 'client'>,
): Promise<readonly PanelRequest[] | undefined> {
  const requests: PanelRequest[] = [];
  for (const group of groupBy(series, ({ units = query.units }) => units).values()) {
    const texts = await serviceRequest(group, days, query, context);
    if (texts === undefined) return undefined;
    requests.push({ series: group, texts });
  }
  return requests;
}

/** Makes the request for a panel on days (ascending); undefined if no service answers it at once. */
async function serviceRequest(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  { client, basis: { demands } }: Pick<Ask, 'basis' | 'client'>,
): Promise<ParamTexts | undefined> {
  const [from, to, ids] = [days[0], days.at(-1), series.map(({ id }) => id)];
  // Whether vintages are exact also depends on vintages after the days.
  if (client.offers === undefined || demands.exact === true || from === undefined || to === undefined)
    return undefined;
  const { as_of_each: each, known_before_each, last = 1 } = query;
  const rhythm = typeof each === 'string' && known_before_each !== true ? each : undefined;
  const isListed = rhythm === undefined && days.length <= mostListed;
  const count = isListed || rhythm !== undefined ? days.length : dayNumber(to) - dayNumber(from) + 1;
  const names = ids.join(',');
  const isTooLong = encodeURIComponent(names).length > mostOfIds || ids.length * count * last > mostRows;
  if (isTooLong || ids.some((id) => /[,*]/.test(id))) return undefined;
  const [{ units = query.units } = {}] = series;
  // A service that knows only the units of all series is asked for those of each in turn.
  const values: NamedValues = { ...query, units };
  const isPlain = transformationIn(values) === undefined;
  const sent = [...sentParams, ...(isPlain ? [] : Object.keys(unitsParams))]
    .map((name) => [name, values[name]] as const)
    .filter(([, value]) => value !== undefined);
  const asked = isListed ? { as_of_each: days.join(',') } : { as_of_each: rhythm ?? 'day', from, to };
  const texts = Object.entries({ ids: names, ...asked, ...Object.fromEntries(sent) }).map(
    ([name, value]) => [name, String(value)] as const,
  );
  return (await client.offers(serviceOperation(query.panel), texts)) ? texts : undefined;
}

/** Makes the operation of a service that answers a question; no parameter checks its rows. */
function serviceOperation(question: Question): Operation<Params, PanelRow> {
  const { name, endpoint } = question;
  if (endpoint === undefined) throw new Error(`no service is asked for ${name}`);
  const params = Object.entries(requestParams(question)).map(([key, { namesSeries }]) => [
    key,
    { ...param(text, '', '', { extension: true }), ...defined({ namesSeries }) },
  ]);
  return {
    ...{ ...endpoint, ...endpoint.layout, name },
    command: { words: question.command?.words ?? name, heading: endpoint.heading },
    params: Object.fromEntries(params),
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
  const operation = serviceOperation(query.panel);
  const answered = new Map<ResolvedSeries, readonly AnsweredDay[]>();
  for (const { series: group, texts } of requests) {
    const answer = await client.ask(operation, texts, { once: true }).catch((error) => {
      if (!(error instanceof Problem) || signal.aborted) throw error;
      return undefined;
    });
    const known = answer && readDays(answer.results, new Set(days));
    for (const one of group) {
      const found = known?.get(one.id);
      if (found?.size !== days.length) return undefined;
      answered.set(
        one,
        days.flatMap((day) => found.get(day) ?? []),
      );
    }
  }
  const columns = await eachOf(series, context, async (one) => {
    const row = await descriptionOf(one, context);
    const found = answered.get(one) ?? [];
    const kinds = found.map(({ kind }) => kind);
    const to = typeof row?.covered_to === 'string' ? row.covered_to : undefined;
    basis.add(one.id, days.at(-1), to, distinct(kinds));
    const placed = { ...placedDays({ ...one, ...defined({ row }) }, days, query.beyond), kinds };
    const covered = found.slice(0, placed.covered.length);
    const periods = covered.map(({ day, values }) => ({ days: [day], values }));
    return { placed, columns: columnsOn(periods, placed, query) };
  });
  await noteKnown(columns, days, context);
  return columns;
}

type AnsweredDay = { readonly day: Day; readonly kind: string | undefined; readonly values: KnownValue[] };

/** Reads what was known by series and day; undefined if a row is out of order or cannot have been known. */
function readDays(
  rows: readonly PanelRow[],
  days: ReadonlySet<Day>,
): ReadonlyMap<string, ReadonlyMap<Day, AnsweredDay>> | undefined {
  const known = new Map<string, Map<Day, AnsweredDay>>();
  for (const { as_of: day, series_id: id, date, value, as_of_date: asOf, vintage_kind } of rows) {
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
