import type { Operation, Page, Position } from './operation.ts';

/** A page of what was found for one row more than its limit, which tells whether more follow, and where they begin. */
export function pageOf<T, R>(
  found: readonly T[],
  limit: number,
  rowOf: (one: T) => R,
  positionOf: (last: T) => Position,
): Pick<Page<R>, 'rows' | 'next'> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map((one) => rowOf(one)),
    ...(found.length > limit && last !== undefined && { next: positionOf(last) }),
  };
}

/** How much of a limit rows take: one each, or one for all that agree in the fields which the operation counts by. */
export function limitTaken(
  { limitCounts }: Pick<Operation, 'limitCounts'>,
  rows: readonly { readonly [field: string]: unknown }[],
): number {
  if (limitCounts === undefined) return rows.length;
  return new Set(rows.map((row) => JSON.stringify(limitCounts.map((name) => row[name])))).size;
}
