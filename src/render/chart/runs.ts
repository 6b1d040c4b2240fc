/** A position on the horizontal axis, and a value. */
export type ChartPoint = readonly [x: number, y: number];

/** A position on the horizontal axis, and its value or null for none. */
export type ChartReading = readonly [x: number, y: number | null];

/** Splits readings into unbroken runs, from left to right: at a missing value, and at a distance above `longest`. */
export function splitIntoRuns(
  readings: readonly ChartReading[],
  longest: number,
): readonly (readonly ChartPoint[])[] {
  const runs: ChartPoint[][] = [];
  let open: ChartPoint[] | undefined;
  let before = Number.NEGATIVE_INFINITY;
  for (const [x, y] of readings) {
    if (y === null || x - before > longest) open = undefined;
    if (y === null) continue;
    if (open === undefined) {
      open = [];
      runs.push(open);
    }
    open.push([x, y]);
    before = x;
  }
  return runs;
}

/** Turns readings into steps: each value holds until the next reading, the last one until `end`; null ends a run. */
export function toSteps(readings: readonly ChartReading[], end: number): readonly (readonly ChartPoint[])[] {
  const runs: ChartPoint[][] = [];
  let open: ChartPoint[] | undefined;
  for (const [i, [x, y]] of readings.entries()) {
    if (y === null) {
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = [];
      runs.push(open);
    }
    open.push([x, y]);
    const until = readings[i + 1]?.[0] ?? end;
    if (until > x) open.push([until, y]);
  }
  return runs;
}

/**
 * Drops the points of a run that the resolution cannot show: keeps the first, lowest, highest and last point of each
 * column, in their order. The drawn line stays the same.
 */
export function decimate(run: readonly ChartPoint[], columnOf: (x: number) => number): readonly ChartPoint[] {
  const kept: ChartPoint[] = [];
  for (let from = 0; from < run.length; ) {
    const column = columnOf(run[from]?.[0] ?? 0);
    let [low, high, to] = [from, from, from];
    for (; to < run.length && columnOf(run[to]?.[0] ?? 0) === column; to += 1) {
      if (valueAt(run, to) < valueAt(run, low)) low = to;
      if (valueAt(run, to) > valueAt(run, high)) high = to;
    }
    for (const index of [...new Set([from, low, high, to - 1])].sort((a, b) => a - b))
      kept.push(run[index] ?? [0, 0]);
    from = to;
  }
  return kept;
}

function valueAt(run: readonly ChartPoint[], index: number): number {
  return run[index]?.[1] ?? 0;
}
