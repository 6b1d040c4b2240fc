import { pagesOf } from '../client/pagination.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import { newestKnown } from '../domain/series/newest-values.ts';
import { realTimePeriodsOf } from '../domain/series/real-time-periods.ts';
import type { Change } from '../domain/series/revision-history.ts';
import { frequencyOf, parseFrequency } from '../domain/series/series.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { Transformer, Vintages } from '../domain/series/transformer.ts';
import { revisions } from '../operations/figures.ts';
import { type QueryContext, textsOf } from './answer.ts';
import type { PanelColumn, PanelPoint } from './panel.ts';
import type { QueryParams, RealTimePanelQuery } from './query.ts';
import { addPoints, type PlacedDays, placeDays } from './real-time-periods.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** Every vintage of a series, and its frequency. */
export type History = { readonly vintages: Vintages; readonly frequency: Frequency };

/** Every vintage of a series, or of some of its dates, from all published values, read in one pass over the changes. */
export async function historyOf(
  params: QueryParams,
  { client, signal }: Pick<QueryContext, 'client' | 'signal'>,
): Promise<History> {
  const changes = new Map<Day, Change[]>();
  let stated: Frequency | undefined;
  for await (const page of pagesOf(client, revisions, textsOf(params), {}, signal))
    for (const { date, value, as_of_date: asOf, frequency } of page.results) {
      stated ??= parseFrequency(frequency ?? '');
      const known = changes.get(date);
      if (known === undefined) changes.set(date, [{ asOf, value }]);
      else known.push({ asOf, value });
    }
  // Another service may give the changes of a date in another order.
  for (const known of changes.values())
    if (known.some(({ asOf }, i) => asOf < (known[i - 1]?.asOf ?? ''))) known.sort(byDay);
  return { vintages: new Vintages(changes), frequency: stated ?? frequencyOf(changes.keys()) };
}

function byDay(one: Change, other: Change): number {
  return one.asOf < other.asOf ? -1 : 1;
}

/** The computation of a series' transformed values; undefined if its values are not transformed. */
function transformerOf(
  id: string,
  { frequency }: History,
  transformation: Transformation | undefined,
): Transformer | undefined {
  return transformation && new Transformer(id, frequency, transformation);
}

/** Whether a panel needs the history of its series, and not just the newest value on each day. */
export function needsHistory({ last = 1, lag = 0, transformation }: RealTimePanelQuery): boolean {
  return last > 1 || lag > 0 || transformation !== undefined;
}

/** The columns of a series in a panel, one for each of the newest values, and the places of the days in its history. */
export type HistoryColumns = {
  readonly placed: PlacedDays;
  readonly columns: readonly PanelColumn[];
  readonly vintages: Vintages;
  /** Computes transformed values; undefined if the values are not transformed. */
  readonly transformer: Transformer | undefined;
};

/** The newest values of a series on each of the days (ascending), computed once for all days between two changes. */
export async function columnsOfHistory(
  series: ResolvedSeries,
  days: readonly Day[],
  query: Pick<RealTimePanelQuery, 'beyond' | 'lag' | 'last' | 'transformation'>,
  context: QueryContext,
): Promise<HistoryColumns> {
  const { last = 1, lag = 0, beyond, transformation } = query;
  const placed = await placeDays(series, days, beyond, context);
  const history = await historyOf({ id: series.id }, context);
  const transformer = transformerOf(series.id, history, transformation);
  const { vintages } = history;
  const changed = vintages.daysOfChange(vintages.dates);
  const periods = realTimePeriodsOf(
    placed.covered,
    changed.map((asOf) => ({ asOf, adds: true, revises: false, withdraws: false })),
  );
  const points = Array.from({ length: last }, () => new Map<Day, PanelPoint>());
  for (const { days: within, since } of periods) {
    const known = since === undefined ? [] : newestKnown(vintages, since, lag + last, transformer);
    for (const [i, column] of points.entries()) {
      const value = known[lag + i];
      // A day on which nothing is known has one row, which says so.
      if (value === undefined && i > 0) continue;
      addPoints(column, within, value, placed.kinds);
    }
  }
  addPoints(points[0] ?? new Map(), placed.beyondCoverage, undefined, placed.kinds);
  return {
    placed,
    vintages,
    transformer,
    columns: points.map((column, i) => ({ series: placed.series, points: column, lag: lag + i })),
  };
}
