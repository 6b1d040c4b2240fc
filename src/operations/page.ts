import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from './envelope.ts';

/** Where a listing continues: after the row with this key, in this version of the data. */
export type PagePosition = { readonly key: readonly string[]; readonly version?: number };

/** One page of rows with the members of its envelope, and where the next page begins, if there is one. */
export type Page<R = Row> = Pick<
  Envelope,
  'as_of' | 'coverage' | 'covered_to' | 'series' | 'unknown_ticker' | 'vintage'
> & {
  readonly rows: readonly R[];
  readonly next?: PagePosition;
};

/** The most rows of a page whose limit counts what has several rows, such as dates. */
const mostRows = 1000;

/** How many of these a page holds, by the rows of each: all up to the most rows, but at least the first one. */
export function countInPage(sizes: readonly number[]): number {
  let rows = 0;
  const over = sizes.findIndex((size) => {
    rows += size;
    return rows > mostRows;
  });
  return over < 0 ? sizes.length : Math.max(1, over);
}

/** A page out of `limit + 1` rows: the additional row shows that more follow, and where the next page begins. */
export function pageOf<T, R>(
  found: readonly T[],
  limit: number,
  rowOf: (one: T) => R,
  positionOf: (last: T) => PagePosition,
): Pick<Page<R>, 'rows' | 'next'> {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map((one) => rowOf(one)),
    ...(found.length > limit && last !== undefined && { next: positionOf(last) }),
  };
}

/** The refusal of a cursor whose first page came from an older state of the data. */
export function changedSince(): Problem {
  return new Problem('data-changed', 'the data changed since the first page; start again', {
    field: 'cursor',
  });
}

/** Refuses the position of a cursor whose first page came from another version of the data. */
export function checkVersion(position: PagePosition | undefined, version: number): void {
  if (position !== undefined && position.version !== version) throw changedSince();
}
