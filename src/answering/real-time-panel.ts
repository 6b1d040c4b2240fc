import { addDays, type Day } from '../domain/series/date.ts';
import { listed } from '../errors/wording.ts';
import { commandNaming } from '../operations/operation.ts';
import type { Ask, QueryAnswer } from './answer.ts';
import { composed, eachOf } from './composed.ts';
import { type KnownColumns, knownOfSeries } from './history.ts';
import { noteOutside } from './notes.ts';
import { longPanel, type PanelColumn, widePanel } from './panel.ts';
import { asOfDates, type PanelRow, type RealTimePanelQuery, type WideRow } from './panel-query.ts';
import type { Reading } from './question.ts';
import { type ResolvedSeries, resolveSeries } from './series-ids.ts';
import { askService, serviceRequests } from './service-panel.ts';

/** The newest value of several series known on each day of a rhythm. */
export function answerRealTimePanel(query: RealTimePanelQuery, context: Ask): Promise<QueryAnswer> {
  // A chart shows the rows of the long form.
  const isWide = query.wide && context.chart !== true;
  return isWide ? answerWideRealTimePanel(query, context) : answerLongRealTimePanel(query, context);
}

function answerLongRealTimePanel(query: RealTimePanelQuery, context: Ask): Promise<QueryAnswer<PanelRow>> {
  return composed(context, async (counting) => {
    // A line of a chart has one value a day, the newest of those requested.
    const asked = counting.chart === true ? { ...query, last: 1 } : query;
    const columns = await columnsOf(await panelSeries(query, counting), asked, counting);
    return longPanel(columns, query.sort, (day) => day);
  });
}

function answerWideRealTimePanel(query: RealTimePanelQuery, context: Ask): Promise<QueryAnswer<WideRow>> {
  return composed(context, async (counting) => {
    const columns = await columnsOf(await panelSeries(query, counting), query, counting);
    return widePanel(columns, query.sort, 'as_of', query.withDates);
  });
}

/** The series of a panel, of those that had begun by its last as-of date. */
export function panelSeries(query: RealTimePanelQuery, context: Ask): Promise<readonly ResolvedSeries[]> {
  return resolveSeries({ ...query, asOf: knownDays(query).at(-1) }, context);
}

/** The columns of a panel on its as-of dates; notes what they are based on. */
export async function columnsOf(
  series: readonly ResolvedSeries[],
  query: RealTimePanelQuery,
  counting: Ask,
): Promise<readonly PanelColumn[]> {
  const days = knownDays(query);
  // Few vintages may answer any number of days.
  counting.allow?.(series.length * days.length * (query.last ?? 1));
  const known =
    (await askService(series, days, query, counting)) ??
    (await eachOf(series, counting, (one) => knownOfSeries(one, days, query, counting)));
  await noteKnown(known, days, counting);
  const columns = known.flatMap((one) => one.columns);
  return query.knownBefore === true ? columns.map(dayLater) : columns;
}

/** A column of what was known before each day, made from what was known on the previous day. */
function dayLater(column: PanelColumn): PanelColumn {
  return { ...column, points: new Map([...column.points].map(([day, point]) => [addDays(day, 1), point])) };
}

function knownDays(query: RealTimePanelQuery): readonly Day[] {
  const days = asOfDates(query);
  return query.knownBefore === true ? days.map((day) => addDays(day, -1)) : days;
}

/** Notes what was known of series is based on: coverage, samples, days beyond the coverage. */
export async function noteKnown(
  known: readonly Pick<KnownColumns, 'placed'>[],
  days: readonly Day[],
  context: Ask,
): Promise<void> {
  const { note, naming = commandNaming } = context;
  if (note === undefined) return;
  const placed = known.map((one) => one.placed);
  const series = placed.map((one) => one.series);
  await noteOutside(series, [...days.slice(0, 1), ...days.slice(-1)], context);
  noteKinds(placed, note);
  if (placed.some(({ beyondCoverage }) => beyondCoverage.length > 0))
    note({
      kind: 'beyond',
      text: `as-of dates after the coverage of a series have no value; ${naming.param('beyond', 'repeat')} shows the newest that is known`,
    });
}

function noteKinds(placed: readonly KnownColumns['placed'][], note: NonNullable<Ask['note']>): void {
  for (const kind of ['sampled', 'fetched']) {
    const ids = placed.flatMap(({ series, kinds }) =>
      [...kinds.values()].includes(kind) ? [series.id] : [],
    );
    if (ids.length === 0) continue;
    const verb = ids.length === 1 ? 'is' : 'are';
    const text = `${listed(ids, 'and')} ${verb} ${kind}: each row shows the newest vintage on its as-of date`;
    note({ kind: 'sampled', text });
  }
}

/** What a real-time panel reads. */
export async function readingOfRealTimePanel(query: RealTimePanelQuery, context: Ask): Promise<Reading> {
  const days = knownDays(query);
  const series = await panelSeries(query, context);
  const asked = await serviceRequests(series, days, query, context);
  if (asked !== undefined) return { series, panels: asked.length };
  return { series, days: days.length };
}
