import type { Day } from '../domain/series/date.ts';
import { observations } from '../operations/index.ts';
import { type Asking, type QueryAnswer, rowsOf } from './answer.ts';
import { type ComposedAsking, composed, eachOf, estimated, pagesExpected } from './composed.ts';
import { noteOutside } from './coverage.ts';
import { panelOf, pointOf } from './panel-layout.ts';
import { asOfDates, type PanelQuery, type RealTimePanelQuery } from './query.ts';
import { newestValues, planOf, requestsIn } from './real-time-periods.ts';
import { type MeantSeries, seriesMeant } from './series-ids.ts';

/** Several series as known on one day, aligned by date. */
export function answerPanel(query: PanelQuery, asking: Asking): Promise<QueryAnswer> {
  return composed(asking, (counting) => compose(query, counting));
}

async function compose(query: PanelQuery, asking: ComposedAsking) {
  const { ids, asOf, from, to } = query;
  const series = await seriesMeant(ids, asking);
  // The length of a series takes a request, unless a pattern matched it.
  if (series.every(({ row }) => row !== undefined))
    asking.expect(asking.requests() + (await requestsLeft(query, series, asking)));
  const params = {
    ...(asOf !== undefined && { as_of: asOf }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  const { done, failures } = await eachOf(series, async (one) => {
    const rows = await rowsOf(asking, observations, { id: one.id, ...params });
    const points = rows.map((row) => pointOf(row, asOf));
    return { series: one, points: new Map(points.map((point) => [String(point.date), point])) };
  });
  await noteOutside(
    done.map((column) => column.series),
    notedDays(query, asking),
    asking,
  );
  return {
    ...panelOf(done, { ...query, first: 'date' }),
    ...(asOf !== undefined && { asOf }),
    failures: failures.map(({ of: { id }, error }) => ({ id, error })),
  };
}

function notedDays({ asOf }: PanelQuery, { note }: Asking): readonly Day[] {
  return asOf === undefined || note === undefined ? [] : [asOf];
}

async function requestsLeft(
  query: PanelQuery,
  series: readonly MeantSeries[],
  asking: ComposedAsking,
): Promise<number> {
  const pages = await Promise.all(series.map((one) => pagesExpected(one, asking)));
  const described = notedDays(query, asking).length === 0 ? 0 : undescribed(series);
  return pages.reduce((sum, count) => sum + count, 0) + described + asking.checks();
}

/** The number of series whose coverage takes a request. */
function undescribed(series: readonly MeantSeries[]): number {
  return series.filter(({ row }) => row === undefined).length;
}

/** How many requests a panel takes, in words. */
export function estimatePanel(query: PanelQuery, asking: Asking): Promise<string> {
  return estimated(asking, async (counting) => {
    const series = await seriesMeant(query.ids, counting);
    return `this panel takes about ${await requestsLeft(query, series, counting)} requests`;
  });
}

/** The newest value of several series that was known on each day of a rhythm. */
export function answerRealTimePanel(query: RealTimePanelQuery, asking: Asking): Promise<QueryAnswer> {
  return composed(asking, async (counting) => {
    const { planned, noted, made, left, checks } = await planAll(query, counting);
    counting.expect(made + left + checks);
    const { done, failures } = await eachOf(planned.done, async (plan) => ({
      series: plan.series,
      points: await newestValues(plan, counting),
    }));
    await noteOutside(
      done.map((column) => column.series),
      noted,
      counting,
    );
    return {
      ...panelOf(done, { ...query, first: 'as_of' }),
      failures: [
        ...planned.failures.map(({ of: { id }, error }) => ({ id, error })),
        ...failures.map(({ of: { series }, error }) => ({ id: series.id, error })),
      ],
    };
  });
}

/** How many requests a real-time panel takes, in words; makes those that plan it. */
export function estimateRealTimePanel(query: RealTimePanelQuery, asking: Asking): Promise<string> {
  return estimated(asking, async (counting) => {
    const { made, left, checks } = await planAll(query, counting);
    return `this panel takes ${made + left + checks} requests: ${made} to plan it (made now), ${left} for values, ${checks} to check coverage and that nothing changed`;
  });
}

async function planAll(query: RealTimePanelQuery, asking: ComposedAsking) {
  const days = asOfDates(query);
  const series = await seriesMeant(query.ids, asking);
  const planned = await eachOf(series, (one) => planOf(one, days, asking));
  const left = planned.done.reduce((sum, plan) => sum + requestsIn(plan), 0);
  const noted: readonly Day[] = asking.note === undefined ? [] : [...days.slice(0, 1), ...days.slice(-1)];
  const described = noted.length === 0 ? 0 : undescribed(planned.done.map((plan) => plan.series));
  return { planned, noted, left, made: asking.requests(), checks: described + asking.checks() };
}
