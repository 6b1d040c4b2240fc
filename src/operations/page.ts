import { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from './envelope.ts';

/** Where a listing continues: after this key, in this version of the data. */
export type PagePosition = { readonly key: readonly string[]; readonly version?: number };

/** One page of rows, and where the next page begins. */
export type Page<R = Row> = Pick<
  Envelope,
  'as_of' | 'coverage' | 'covered_to' | 'series' | 'unknown_ticker' | 'vintage'
> & {
  readonly rows: readonly R[];
  readonly next?: PagePosition;
};

/** The most rows of a page whose limit counts something with several rows, such as dates. */
const mostRows = 1000;

/** Returns how many groups of rows fit on a page, by their sizes; at least one. */
export function countInPage(sizes: readonly number[]): number {
  let rows = 0;
  const over = sizes.findIndex((size) => {
    rows += size;
    return rows > mostRows;
  });
  return over < 0 ? sizes.length : Math.max(1, over);
}

/** Makes a page from `limit + 1` rows; the additional row shows that another page follows. */
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

/** Makes the Problem for a cursor whose first page came from older data. */
export function changedSince(): Problem {
  return new Problem('data-changed', 'the data changed since the first page; start again', {
    field: 'cursor',
  });
}

/** Refuses a cursor whose first page came from another version of the data. */
export function checkVersion(position: PagePosition | undefined, version: number): void {
  if (position !== undefined && position.version !== version) throw changedSince();
}
