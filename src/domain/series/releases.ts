import { Problem } from '../../errors/problem.ts';
import { addDays, type Day } from './date.ts';

/** A moment in the life of values: the n-th release, days after the first release, or the end of the record. */
export type Horizon =
  | { readonly kind: 'release'; readonly number: number }
  | { readonly kind: 'after'; readonly days: number }
  | { readonly kind: 'final' };

const usualHorizons: readonly Horizon[] = [
  { kind: 'release', number: 1 },
  { kind: 'release', number: 2 },
  { kind: 'release', number: 3 },
  { kind: 'final' },
];

/** The name of a horizon as a column: `release_2`, `after_90d` or `final`. */
export function horizonName(horizon: Horizon): string {
  if (horizon.kind === 'release') return `release_${horizon.number}`;
  return horizon.kind === 'after' ? `after_${horizon.days}d` : 'final';
}

/** The horizons of a query, each once; without any, the default ones. Statistics of revisions need at least two. */
export function checkHorizons(horizons: readonly Horizon[], stats: boolean): readonly Horizon[] {
  if (horizons.length === 0) return usualHorizons;
  const names = horizons.map(horizonName);
  const repeated = names.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) throw new Problem('bad-input', `${repeated} is named twice`);
  if (stats && horizons.length === 1)
    throw new Problem('bad-input', `statistics of revisions need two horizons, and ${names[0]} is one`, {
      hints: ['name more, such as 1 and final'],
    });
  return stats ? inOrder(horizons) : horizons;
}

/** Horizons in the order of their values in time: releases, days after the first one, the newest value. */
function inOrder(horizons: readonly Horizon[]): readonly Horizon[] {
  const kinds = ['release', 'after', 'final'];
  const placeOf = (one: Horizon) =>
    one.kind === 'release' ? one.number : one.kind === 'after' ? one.days : 0;
  return [...horizons].sort(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || placeOf(a) - placeOf(b),
  );
}

/** The day of a horizon of a date; undefined if it is after the record, or the first release is not on record. */
export function dayOfHorizon(
  horizon: Horizon,
  released: Day | undefined,
  { vintages, until }: { readonly vintages: readonly Day[]; readonly until: Day },
): Day | undefined {
  if (horizon.kind === 'final') return until;
  if (released === undefined) return undefined;
  if (horizon.kind === 'release') {
    const first = vintages.indexOf(released);
    return first === -1 ? undefined : vintages[first + horizon.number - 1];
  }
  const day = addDays(released, horizon.days);
  return day <= until ? day : undefined;
}
