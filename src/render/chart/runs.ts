/** A place on the axis below, and a value. */
export type Point = readonly [x: number, y: number];

/** A place with a value, or with none. */
export type Reading = readonly [x: number, y: number | null];

/** The unbroken runs of readings from left to right: they break where there is no value, and at distances above `longest`. */
export function runsOf(readings: readonly Reading[], longest: number): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  let open: Point[] | undefined;
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

/** The same as steps: each value stands until the next reading, the last one until `end`; none stands after a withdrawal. */
export function stepsOf(readings: readonly Reading[], end: number): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  let open: Point[] | undefined;
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
 * The points of a run that a picture of limited width can tell apart: of those in one column the first, the least, the
 * greatest and the last, in their order. The drawn line is the same.
 */
export function decimated(run: readonly Point[], columnOf: (x: number) => number): readonly Point[] {
  const kept: Point[] = [];
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

function valueAt(run: readonly Point[], index: number): number {
  return run[index]?.[1] ?? 0;
}
