import { addDays, type Day } from '../domain/series/date.ts';
import { listed } from '../errors/wording.ts';
import { commandNaming } from '../operations/operation.ts';
import type { QueryAnswer, QueryContext } from './answer.ts';
import { realTimePanelDrawing } from './charts.ts';
import { type ComposedContext, composed, eachOf } from './composed.ts';
import { noteOutside } from './coverage.ts';
import { columnsOfHistory, needsHistory } from './history.ts';
import type { PanelRow, WideRow } from './layouts.ts';
import { longPanel, type PanelColumn, undescribed, widePanel } from './panel.ts';
import { asOfDates, type RealTimePanelQuery } from './query.ts';
import type { Reading } from './question.ts';
import { newestValues, type PlacedDays, planOf, requestsIn } from './real-time-periods.ts';
import { type ResolvedSeries, resolveSeries } from './series-ids.ts';
import { askService, serviceRequests } from './service-panel.ts';

/** The newest value of several series known on each day of a rhythm. */
export function answerRealTimePanel(query: RealTimePanelQuery, context: QueryContext): Promise<QueryAnswer> {
  // A chart shows the rows of the long form.
  const isWide = query.wide && context.chart !== true;
  return isWide ? answerWideRealTimePanel(query, context) : answerLongRealTimePanel(query, context);
}

/** The same panel with a row for each as-of date and series. */
function answerLongRealTimePanel(
  query: RealTimePanelQuery,
  context: QueryContext,
): Promise<QueryAnswer<PanelRow>> {
  return composed(context, async (counting) => {
    // The descriptions come first: a chart of too many series is refused before their values are requested.
    const isDrawn = counting.chart === true;
    const series = await panelSeries(query, counting);
    const drawing = isDrawn && (await realTimePanelDrawing(series, query, counting));
    // A line has one value a day, the newest of those requested.
    const columns = await columnsOf(series, isDrawn ? { ...query, last: 1 } : query, counting);
    return { ...longPanel(columns, query.sort, (day) => day), ...(drawing && { drawing }) };
  });
}

/** The same panel with a row for each as-of date and a column for each series. */
function answerWideRealTimePanel(
  query: RealTimePanelQuery,
  context: QueryContext,
): Promise<QueryAnswer<WideRow>> {
  return composed(context, async (counting) => {
    const columns = await columnsOf(await panelSeries(query, counting), query, counting);
    return widePanel(columns, query.sort, 'as_of', query.withDates);
  });
}

/** The series of a panel, of those that had begun by its last as-of date. */
export function panelSeries(
  query: RealTimePanelQuery,
  context: QueryContext,
): Promise<readonly ResolvedSeries[]> {
  return resolveSeries({ ...query, asOf: knownDays(query).at(-1) }, context);
}

/** The columns of a panel on its as-of dates; notes what they are based on. */
export async function columnsOf(
  series: readonly ResolvedSeries[],
  query: RealTimePanelQuery,
  counting: ComposedContext,
): Promise<readonly PanelColumn[]> {
  const days = knownDays(query);
  // Few vintages may answer any number of days.
  counting.allow?.(series.length * days.length * (query.last ?? 1));
  const columns =
    (await serviceColumns(series, days, query, counting)) ??
    (needsHistory(query)
      ? await historyColumns(series, days, query, counting)
      : await newestColumns(series, days, query, counting));
  return query.knownBefore === true ? columns.map(dayLater) : columns;
}

/** A column of what was known before each day, made from what was known on the previous day. */
function dayLater(column: PanelColumn): PanelColumn {
  return { ...column, points: new Map([...column.points].map(([day, point]) => [addDays(day, 1), point])) };
}

/** The days as of which the rows of a panel were known. */
function knownDays(query: RealTimePanelQuery): readonly Day[] {
  const days = asOfDates(query);
  return query.knownBefore === true ? days.map((day) => addDays(day, -1)) : days;
}

/** What a service that offers panels answers in a few requests for all series; undefined for any other service. */
async function serviceColumns(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  counting: ComposedContext,
): Promise<readonly PanelColumn[] | undefined> {
  const requests = await serviceRequests(series, days, query, counting);
  if (requests === undefined) return undefined;
  counting.expect(counting.requests() + requests.length + undescribed(series) + counting.checks());
  const found = await askService(requests, series, days, query, counting);
  if (found === undefined) return undefined;
  await notePlaced(found.placed, days, counting);
  return found.columns;
}

/** The newest value of each series on each day, with few requests. */
async function newestColumns(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  counting: ComposedContext,
): Promise<readonly PanelColumn[]> {
  const { planned, made, left, checks } = await planAll(series, days, query, counting);
  counting.expect(made + left + checks);
  const plans = planned.map((plan) => ({ id: plan.series.id, plan }));
  const columns = await eachOf(plans, counting, async ({ plan }) => ({
    series: plan.series,
    points: await newestValues(plan, counting),
  }));
  await noteAll(
    columns.map((column) => column.series),
    planned,
    notedDays(days, counting),
    counting,
  );
  return columns;
}

/** Several values of each series on each day, or transformed ones, from all published values. */
async function historyColumns(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  counting: ComposedContext,
): Promise<readonly PanelColumn[]> {
  const done = await eachOf(series, counting, (one) => columnsOfHistory(one, days, query, counting));
  await notePlaced(
    done.map(({ placed }) => placed),
    days,
    counting,
  );
  return done.flatMap(({ columns }) => columns);
}

/** The places of days in the histories of series, as far as notes need them. */
type Placed = Pick<PlacedDays, 'beyondCoverage' | 'kinds' | 'series'>;

function notePlaced(placed: readonly Placed[], days: readonly Day[], counting: ComposedContext) {
  return noteAll(
    placed.map(({ series }) => series),
    placed,
    notedDays(days, counting),
    counting,
  );
}

/** Notes what the columns of a panel are based on: coverage, samples, days beyond the coverage. */
export async function noteAll(
  answered: readonly ResolvedSeries[],
  placed: readonly Placed[],
  noted: readonly Day[],
  counting: ComposedContext,
): Promise<void> {
  await noteOutside(answered, noted, counting);
  noteKinds(placed, counting);
  const { note, naming = commandNaming } = counting;
  if (placed.some(({ beyondCoverage }) => beyondCoverage.length > 0))
    note?.({
      kind: 'beyond',
      text: `as-of dates after the coverage of a series have no value; ${naming.param('beyond', 'repeat')} shows the newest that is known`,
    });
}

/** The days that notes are about: the first and the last. */
export function notedDays(days: readonly Day[], { note }: ComposedContext): readonly Day[] {
  return note === undefined ? [] : [...days.slice(0, 1), ...days.slice(-1)];
}

/** Notes which series show samples or fetched values on any of the days. */
function noteKinds(plans: readonly Pick<PlacedDays, 'kinds' | 'series'>[], { note }: QueryContext): void {
  if (note === undefined) return;
  for (const kind of ['sampled', 'fetched']) {
    const ids = plans.flatMap(({ series, kinds }) => ([...kinds.values()].includes(kind) ? [series.id] : []));
    if (ids.length === 0) continue;
    const verb = ids.length === 1 ? 'is' : 'are';
    const text = `${listed(ids, 'and')} ${verb} ${kind}: each row shows the newest vintage on its as-of date`;
    note({ kind: 'sampled', text });
  }
}

/** What a real-time panel reads. */
export async function readingOfRealTimePanel(
  query: RealTimePanelQuery,
  context: QueryContext,
): Promise<Reading> {
  const days = knownDays(query);
  const series = await panelSeries(query, context);
  const asked = await serviceRequests(series, days, query, context);
  if (asked !== undefined) return { series, panels: asked.length };
  // A day may take the revisions of its newest date and, where these lack it, a request of its own.
  return { series, history: true, days: days.length * (needsHistory(query) ? 1 : 2) };
}

async function planAll(
  series: readonly ResolvedSeries[],
  days: readonly Day[],
  query: RealTimePanelQuery,
  context: ComposedContext,
) {
  const planned = await eachOf(series, context, (one) => planOf(one, days, query.beyond, context));
  const left = planned.reduce((sum, plan) => sum + requestsIn(plan), 0);
  const described =
    notedDays(days, context).length === 0 ? 0 : undescribed(planned.map((plan) => plan.series));
  return { planned, left, made: context.requests(), checks: described + context.checks() };
}
