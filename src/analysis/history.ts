import { pagesOf } from '../client/pagination.ts';
import type { Day, Frequency } from '../domain/series/date.ts';
import { type KnownValue, newestKnown } from '../domain/series/newest-values.ts';
import { realTimePeriodsOf } from '../domain/series/real-time-periods.ts';
import type { Change } from '../domain/series/revision-history.ts';
import {
  type FrequencySince,
  frequencyOn,
  impliedFrequencies,
  parseFrequency,
} from '../domain/series/series.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { Transformer, Vintages } from '../domain/series/transformer.ts';
import { Problem } from '../errors/problem.ts';
import { revisions, seriesShow } from '../operations/figures.ts';
import type { QueryParams } from '../operations/param.ts';
import { type QueryContext, rowsOf, textsOf } from './answer.ts';
import { countsOwnPeriods } from './one-frequency.ts';
import type { PanelColumn, PanelPoint } from './panel.ts';
import type { RealTimePanelQuery } from './query.ts';
import { addPoints, type PlacedDays, placeDays } from './real-time-periods.ts';
import type { ResolvedSeries } from './series-ids.ts';

/** Every vintage of a series, and the frequency that was known from each day on. */
export type History = { readonly vintages: Vintages; readonly frequencies: readonly FrequencySince[] };

/** Every vintage of a series, or of some of its dates, from all published values, read in one pass over the changes. */
export async function historyOf(
  params: QueryParams,
  { client, signal }: Pick<QueryContext, 'client' | 'signal'>,
): Promise<History> {
  const { id, from, to } = params;
  const changes = new Map<Day, Change[]>();
  const stated = new StatedFrequencies();
  for await (const page of pagesOf(client, revisions, textsOf(params), {}, signal))
    for (const row of page.results) {
      const { date, value, as_of_date: asOf } = row;
      stated.add(row);
      const known = changes.get(date);
      if (known === undefined) changes.set(date, [{ asOf, value }]);
      else known.push({ asOf, value });
    }
  // Another service may give the changes of a date in another order.
  for (const known of changes.values())
    if (known.some(({ asOf }, i) => asOf < (known[i - 1]?.asOf ?? ''))) known.sort(byDay);
  const isPart = from !== undefined || to !== undefined;
  const frequencies = await stated.ofAll({ id: String(id), isPart }, changes, { client, signal });
  return { vintages: new Vintages(changes), frequencies };
}

function byDay(one: Change, other: Change): number {
  return one.asOf < other.asOf ? -1 : 1;
}

/** The frequencies that published values state, each for its own day of publication. */
export class StatedFrequencies {
  readonly #byDay = new Map<Day, Frequency>();

  add({ as_of_date: asOf, frequency }: { readonly as_of_date: Day; readonly frequency?: unknown }): void {
    this.#byDay.set(asOf, parseFrequency(String(frequency ?? '')) ?? '');
  }

  /**
   * The frequencies by day that all dates of a series state. Those of a part of them are the same if they never differ
   * from that of the series now, since it only becomes finer; otherwise every date is read.
   */
  async ofAll(
    {
      id,
      isPart,
      asOf = '~',
    }: { readonly id: string; readonly isPart: boolean; readonly asOf?: Day | undefined },
    changes: ReadonlyMap<Day, readonly Change[]>,
    { client, signal }: Pick<QueryContext, 'client' | 'signal'>,
  ): Promise<readonly FrequencySince[]> {
    if (isPart) {
      const [described] = (await client.ask(seriesShow, [['id', id]])).results;
      const now = parseFrequency(String(described?.frequency ?? '')) ?? '';
      if ([...this.#byDay.values()].some((frequency) => frequency !== now))
        for (const row of await rowsOf({ client, signal }, revisions, { id }))
          if (row.as_of_date <= asOf) this.add(row);
    }
    return this.#from(changes);
  }

  /** The frequencies by day, oldest first; if the service states none, those that the spacing of dates implies. */
  #from(changes: ReadonlyMap<Day, readonly Change[]>): readonly FrequencySince[] {
    const stated = [...this.#byDay].map(([since, frequency]) => ({ since, frequency }));
    if (stated.some(({ frequency }) => frequency !== ''))
      return stated.sort((one, other) => (one.since < other.since ? -1 : 1));
    return impliedFrequencies(new Map([...changes].map(([date, [first]]) => [date, first?.asOf ?? ''])));
  }
}

/** Computes the transformed values of a series on each day, by the frequency that was known then. */
export class DailyTransformers {
  readonly #id: string;
  readonly #frequencies: readonly FrequencySince[];
  readonly #transformation: Transformation;
  readonly #made = new Map<Frequency, Transformer | undefined>();

  /** A Problem if the values that are known on the last day cannot be transformed. */
  constructor(
    id: string,
    frequencies: readonly FrequencySince[],
    transformation: Transformation,
    last: Day = '~',
  ) {
    this.#id = id;
    this.#frequencies = frequencies;
    this.#transformation = transformation;
    const known = frequencies.findLast(({ since }) => since <= last);
    if (known !== undefined) this.#made.set(known.frequency, this.#transformer(known.frequency));
  }

  /** What computes the values on a day; undefined if no value has a result then. */
  on(day: Day): Transformer | undefined {
    const frequency = frequencyOn(this.#frequencies, day);
    if (!this.#made.has(frequency)) this.#made.set(frequency, this.#transformerOrNone(frequency));
    return this.#made.get(frequency);
  }

  #transformer(frequency: Frequency): Transformer {
    return new Transformer(this.#id, frequency, this.#transformation);
  }

  /** Before the last day, too few dates may have been known to compare, or only coarser ones. */
  #transformerOrNone(frequency: Frequency): Transformer | undefined {
    try {
      return this.#transformer(frequency);
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    }
  }
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
  /** Compute transformed values; undefined if the values are not transformed. */
  readonly transformers: DailyTransformers | undefined;
};

/** The newest values of a series on each of the days (ascending), computed once for all days between two changes. */
export async function columnsOfHistory(
  series: ResolvedSeries,
  days: readonly Day[],
  query: Pick<RealTimePanelQuery, 'beyond' | 'lag' | 'last' | 'transformation'>,
  context: QueryContext,
): Promise<HistoryColumns> {
  const { last: count = 1, lag = 0, beyond, transformation } = query;
  const placed = await placeDays(series, days, beyond, context);
  const history = await historyOf({ id: series.id }, context);
  const { vintages, frequencies } = history;
  const last = days.at(-1);
  const transformers = transformation && new DailyTransformers(series.id, frequencies, transformation, last);
  const changed = vintages.daysOfChange(vintages.dates);
  const periods = realTimePeriodsOf(
    placed.covered,
    changed.map((asOf) => ({ asOf, adds: true, revises: false, withdraws: false })),
  );
  const points = Array.from({ length: count }, () => new Map<Day, PanelPoint>());
  const used = new Map<Frequency, Day>();
  for (const { days: within, since } of periods) {
    const frequency = since === undefined ? '' : frequencyOn(frequencies, since);
    if (frequency !== '' && !used.has(frequency)) used.set(frequency, within[0] ?? '');
    const known = since === undefined ? [] : newestOn(since, lag + count, vintages, transformers);
    for (const [i, column] of points.entries()) {
      const value = known[lag + i];
      // A day on which nothing is known has one row, which says so.
      if (value === undefined && i > 0) continue;
      addPoints(column, within, value, placed.kinds);
    }
  }
  if (countsOwnPeriods(transformation) && used.size > 1) {
    const each = Array.from(used, ([frequency, since]) => `${frequency} from ${since} on`).join(', ');
    const text = `by the spacing of the dates known on each day ${series.id} is ${each}, and its ${transformation.units} too`;
    context.note?.({ kind: 'remark', text });
  }
  addPoints(points[0] ?? new Map(), placed.beyondCoverage, undefined, placed.kinds);
  return {
    placed,
    vintages,
    transformers,
    columns: points.map((column, i) => ({ series: placed.series, points: column, lag: lag + i })),
  };
}

function newestOn(
  day: Day,
  count: number,
  vintages: Vintages,
  transformers: DailyTransformers | undefined,
): readonly KnownValue[] {
  const transformer = transformers?.on(day);
  if (transformers !== undefined && transformer === undefined) return [];
  return newestKnown(vintages, day, count, transformer);
}
