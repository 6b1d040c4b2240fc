import type { Day } from '../domain/series/date.ts';
import { Problem } from '../errors/problem.ts';
import type { QueryAnswer, QueryContext } from './answer.ts';
import { realTimePanelDrawing } from './charts.ts';
import { type ComposedContext, composed, eachOf, estimated } from './composed.ts';
import { noteOutside } from './coverage.ts';
import type { PanelRow, WideRow } from './layouts.ts';
import { longPanel, undescribed, widePanel } from './panel.ts';
import { asOfDates, type RealTimePanelQuery } from './query.ts';
import { newestValues, planOf, type RealTimePlan, requestsIn } from './real-time-periods.ts';
import { listed, resolveSeries } from './series-ids.ts';

/** The newest value of several series that was known on each day of a rhythm. */
export function answerRealTimePanel(query: RealTimePanelQuery, context: QueryContext): Promise<QueryAnswer> {
  // A chart shows the rows of the long form.
  const isWide = query.wide && context.chart !== true;
  return isWide ? answerWideRealTimePanel(query, context) : answerLongRealTimePanel(query, context);
}

/** The same panel with a row for each as-of date and series. */
export function answerLongRealTimePanel(
  query: RealTimePanelQuery,
  context: QueryContext,
): Promise<QueryAnswer<PanelRow>> {
  return composed(context, async (counting) => {
    // Its descriptions are asked for first: a chart of too many series is refused before their values are.
    const series = counting.chart === true && (await resolveSeries(query.ids, counting));
    const drawing = series && (await realTimePanelDrawing(series, query, counting));
    const { columns, failures } = await columnsOf(query, counting);
    return { ...longPanel(columns, query.sort), ...(drawing && { drawing }), failures };
  });
}

/** The same panel with a row for each as-of date and a column for each series. */
export function answerWideRealTimePanel(
  query: RealTimePanelQuery,
  context: QueryContext,
): Promise<QueryAnswer<WideRow>> {
  return composed(context, async (counting) => {
    const { columns, failures } = await columnsOf(query, counting);
    return { ...widePanel(columns, query.sort, 'as_of', query.withDates), failures };
  });
}

async function columnsOf(query: RealTimePanelQuery, counting: ComposedContext) {
  if (query.transformation !== undefined)
    throw new Problem(
      'bad-input',
      'a real-time panel shows values as they were published: leave out the units',
    );
  const { planned, noted, made, left, checks } = await planAll(query, counting);
  counting.expect(made + left + checks);
  const { done, failures } = await eachOf(planned.done, async (plan) => ({
    series: plan.series,
    points: await newestValues(plan, counting),
  }));
  const columns = done.map((column) => column.series);
  await noteOutside(columns, noted, counting);
  noteKinds(planned.done, counting);
  if (planned.done.some(({ beyondCoverage }) => beyondCoverage.length > 0))
    counting.note?.({ kind: 'beyond', text: 'as-of dates after the coverage of a series have no value' });
  return {
    columns: done,
    failures: [
      ...planned.failures.map(({ of: { id }, error }) => ({ id, error })),
      ...failures.map(({ of: { series }, error }) => ({ id: series.id, error })),
    ],
  };
}

/** Notes which series show samples, or what was fetched, on any of the days. */
function noteKinds(plans: readonly RealTimePlan[], { note }: QueryContext): void {
  for (const kind of ['sampled', 'fetched']) {
    const ids = plans.flatMap(({ series, kinds }) => ([...kinds.values()].includes(kind) ? [series.id] : []));
    if (ids.length === 0) continue;
    const verb = ids.length === 1 ? 'is' : 'are';
    const text = `${listed(ids, 'and')} ${verb} ${kind}: each row shows the newest vintage on its as-of date`;
    note?.({ kind: 'sampled', text });
  }
}

/** How many requests a real-time panel takes, in words; makes those that plan it. */
export function estimateRealTimePanel(query: RealTimePanelQuery, context: QueryContext): Promise<string> {
  return estimated(context, async (counting) => {
    const { made, left, checks } = await planAll(query, counting);
    return `this panel takes ${made + left + checks} requests: ${made} to plan it (made now), ${left} for values, ${checks} to check coverage and that nothing changed`;
  });
}

async function planAll(query: RealTimePanelQuery, context: ComposedContext) {
  const days = asOfDates(query);
  const series = await resolveSeries(query.ids, context);
  const planned = await eachOf(series, (one) => planOf(one, days, query.beyond, context));
  const left = planned.done.reduce((sum, plan) => sum + requestsIn(plan), 0);
  const noted: readonly Day[] = context.note === undefined ? [] : [...days.slice(0, 1), ...days.slice(-1)];
  const described = noted.length === 0 ? 0 : undescribed(planned.done.map((plan) => plan.series));
  return { planned, noted, left, made: context.requests(), checks: described + context.checks() };
}
