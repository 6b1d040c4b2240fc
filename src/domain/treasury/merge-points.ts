import { fullerText, sameNumber } from '../series/decimal.ts';
import type { MergeOptions } from '../series/merge-plan.ts';
import type { CurvePoint } from './curve.ts';

/** A point that differs from the one a store holds of the same curve, trade date and maturity. */
export type PointConflict = { readonly held: CurvePoint; readonly given: CurvePoint };

/** How many points a merge added, how many were known, and the points that a store has to write. */
export type PointsPlan = {
  readonly added: number;
  readonly known: number;
  readonly conflicts: readonly PointConflict[];
  readonly put: readonly CurvePoint[];
};

/** Plans to add curve points, one rate for each curve, date and maturity. `held` must have the store's points of the same days. */
export function planPoints(
  held: readonly CurvePoint[],
  points: readonly CurvePoint[],
  { replace }: MergeOptions,
): PointsPlan {
  const current = new Map(held.map((point) => [keyOf(point), point]));
  const put = new Map<string, CurvePoint>();
  const conflicts: PointConflict[] = [];
  let [added, known] = [0, 0];
  for (const given of points) {
    const key = keyOf(given);
    const before = current.get(key);
    let after = given;
    if (before === undefined) added += 1;
    else if (sameNumber(before.rate, given.rate)) {
      known += 1;
      after = preferred(before, given);
    } else if (replace) added += 1;
    else {
      conflicts.push({ held: before, given });
      continue;
    }
    if (after === before) continue;
    current.set(key, after);
    put.set(key, after);
  }
  return { added, known, conflicts, put: [...put.values()] };
}

function keyOf({ curveType, tradeDate, maturity }: CurvePoint): string {
  return `${curveType} ${tradeDate} ${maturity}`;
}

/** The point to keep of two with the same rate, in any order: the one with the fuller text, then the one whose source sorts first. */
function preferred(held: CurvePoint, given: CurvePoint): CurvePoint {
  if (held.rate !== given.rate) return fullerText(held.rate, given.rate) === held.rate ? held : given;
  return given.source < held.source ? given : held;
}
