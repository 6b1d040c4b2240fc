import type { Day } from '../../domain/series/date.ts';
import { parseDecimal, sameNumber } from '../../domain/series/decimal.ts';
import type { FredRow } from './api.ts';

/** The last value of each date of a series; null is a value that was taken back, a missing date was never known. */
export type KnownValues = Map<Day, string | null>;

/** A value at the start of a window that differs from what the store has for that day. */
export type Contradiction = {
  readonly date: Day;
  readonly held: string | null;
  readonly given: string | null;
};

/** The rows of a window that are news, and where they contradict what was known before. */
export type Stitched = {
  readonly news: readonly FredRow[];
  readonly contradictions: readonly Contradiction[];
};

/**
 * The rows of a window that state something. FRED clips real-time periods to the window: the first row of a date begins
 * with the window although its value may be older. Such a row counts only if its value differs from the one known before.
 * Where the window begins with a vintage that is known, a value that differs is no news but a contradiction. Updates
 * `known` to the end of the window.
 */
export function stitch(
  rows: readonly FredRow[],
  start: Day,
  known: KnownValues,
  startIsKnown: boolean,
): Stitched {
  const news: FredRow[] = [];
  const contradictions: Contradiction[] = [];
  const last = new Map<Day, { readonly from: Day; readonly value: string | null }>();
  for (const row of rows) {
    const { date, realtime_start: from } = row;
    const value = rowValue(row);
    if (typeof date !== 'string' || typeof from !== 'string' || value === undefined) {
      // The reader refuses it, and names its place.
      news.push(row);
      continue;
    }
    const before = last.get(date);
    if (before === undefined || before.from <= from) last.set(date, { from, value });
    const held = known.get(date);
    if (from !== start || held === undefined) {
      if (from !== start || !startIsKnown || value !== null) news.push(row);
    } else if (!sameNumber(held, value)) {
      if (startIsKnown) contradictions.push({ date, held, given: value });
      else news.push(row);
    }
  }
  for (const [date, { value }] of last) known.set(date, value);
  return { news, contradictions };
}

/** The value of a row, null where it was taken back; undefined if it is neither. */
export function rowValue({ value }: FredRow): string | null | undefined {
  if (typeof value !== 'string') return undefined;
  return value === '.' ? null : parseDecimal(value);
}
