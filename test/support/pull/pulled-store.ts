import type { PullOptions, PullSummary } from '../../../src/pull/options.ts';
import { pull } from '../../../src/pull/pull.ts';
import { allStatements, importFiles, reading } from '../scratch-store.ts';
import { type HistoryRow, type LoopbackFred, type LoopbackSeries, loopbackKey } from './loopback-fred.ts';

/** Time that passes only while somebody sleeps. */
export class VirtualTime {
  #now = Date.parse('2025-01-20T18:00:00Z');
  /** Every sleep, in milliseconds. */
  readonly sleeps: number[] = [];

  readonly timing = {
    now: () => this.#now,
    sleep: async (milliseconds: number) => {
      this.sleeps.push(milliseconds);
      this.#now += milliseconds;
    },
  };
}

/** Pulls from a loopback FRED as on its day, without waiting. */
export function pullFrom(
  fred: LoopbackFred,
  store: string,
  options: Partial<PullOptions> = {},
): Promise<PullSummary> {
  return pull({
    store,
    settings: { fred: { url: fred.url, key: loopbackKey } },
    env: {},
    clock: () => new Date(`${fred.state.today}T18:00:00Z`),
    timing: new VirtualTime().timing,
    ...options,
  });
}

/**
 * The part of a history that was published up to a day; `end` is the end of periods that have not ended on that day.
 */
export function historyUpTo(rows: readonly HistoryRow[], day: string, end = day): readonly HistoryRow[] {
  return rows
    .filter((row) => row.realtime_start <= day)
    .map((row) => (row.realtime_end > day ? { ...row, realtime_end: end } : row));
}

/** Imports a whole history up to a day as `asof import` does, from one recorded answer. */
export async function importHistory(store: string, series: LoopbackSeries, day: string): Promise<void> {
  const observations = historyUpTo(series.rows, day);
  const answer = { realtime_start: '1776-07-04', realtime_end: day, observations };
  await importAnswer(store, series.description, answer);
}

/** Imports an answer of FRED as `asof import` does, with the description of its series beside it. */
export async function importAnswer(
  store: string,
  description: LoopbackSeries['description'],
  answer: {
    readonly realtime_start: string;
    readonly realtime_end: string;
    readonly observations: readonly HistoryRow[];
  },
): Promise<void> {
  const count = answer.observations.length;
  const head = { units: 'lin', output_type: 1, count, offset: 0, limit: 100_000 };
  await importFiles(store, {
    [`${description.id}-series.json`]: JSON.stringify({ seriess: [description] }),
    [`${description.id}-observations.json`]: JSON.stringify({ ...head, ...answer }),
  });
}

/** Everything that a store says about a series: its description, its vintages, and every statement. */
export function contentOf(store: string, id: string) {
  return reading(store, async (view) => {
    const { version: _version, ...series } = (await view.series.find(id)) ?? { version: 0 };
    const vintages = await view.series.vintages({ seriesId: id, limit: 1_000_000 });
    return { series, vintages: vintages?.rows, statements: await allStatements(view, id) };
  });
}
