import { type Day, type Rhythm, schedule } from '../domain/series/date.ts';
import type { Transformation } from '../domain/series/transformation.ts';
import { Problem } from '../errors/problem.ts';

/** Oldest or newest row first. */
export type SortOrder = 'asc' | 'desc';

/** How the values of a query are transformed; without it they are as published. */
type Transformed = { readonly transformation?: Transformation };

/** The series that a query is about. */
type OfSeries = {
  /** Ids as typed; one with `*` means every series that matches. */
  readonly ids: readonly string[];
  /** Whether ids that no series has are left out; otherwise they are a Problem. */
  readonly skipMissing?: boolean;
};

/** How a panel is laid out: long, or `wide` with a column for each series. */
type PanelForm = OfSeries & Transformed & { readonly wide: boolean; readonly sort: SortOrder };

/** Several series as known on one day, aligned by date. */
export type PanelQuery = PanelForm & {
  readonly asOf?: Day;
  readonly from?: Day;
  readonly to?: Day;
};

/**
 * What a real-time panel shows on as-of dates after the coverage of a series: nothing, the newest known value, or a
 * failure.
 */
export type Beyond = (typeof beyondChoices)[number];

/** The choices for dates beyond the coverage; the first is the default. */
export const beyondChoices = ['empty', 'repeat', 'fail'] as const;

/** The newest values of several series known on each day of a rhythm, or on given days. */
export type RealTimePanelQuery = PanelForm & {
  /** The rhythm, or the days in any order. */
  readonly each: Rhythm | readonly Day[];
  /** Whether each day shows only what was known before it. */
  readonly knownBefore?: boolean;
  /** How many of the newest values each day shows (default 1). */
  readonly last?: number;
  /** How many of the newest values are skipped (default 0). */
  readonly lag?: number;
  readonly beyond: Beyond;
  /** Whether the wide form has the observation date beside each value. */
  readonly withDates: boolean;
  readonly from?: Day;
  readonly to?: Day;
};

/**
 * The days of a real-time panel, ascending; a Problem if a bound is missing or no day is between the bounds. Each day
 * shows what was known on it, or with `knownBefore` on the day before.
 */
export function asOfDates({
  each,
  from,
  to,
}: Pick<RealTimePanelQuery, 'each' | 'from' | 'to'>): readonly Day[] {
  if (typeof each !== 'string') {
    const days = [...new Set(each)].filter((day) => day >= (from ?? '') && day <= (to ?? '~')).sort();
    if (days.length === 0) throw new Problem('bad-input', 'there is no as-of date', { field: 'asOfEach' });
    return days;
  }
  if (from === undefined || to === undefined)
    throw new Problem('bad-input', 'a real-time panel needs the first and the last as-of date');
  const days = schedule(each, from, to);
  if (days.length === 0)
    throw new Problem('bad-input', `there is no ${each} from ${from} to ${to}`, { field: 'asOfEach' });
  return days;
}
