import type { Row } from './envelope.ts';

/** A field that rows are ordered by: `falling` if larger cells come first, by `rank` where cells have one. */
type OrderedBy = {
  readonly field: string;
  readonly falling?: boolean;
  readonly rank?: (cell: string) => number;
};

/** The fields that rows are ordered by, the first one first. */
export type RowOrder = readonly OrderedBy[];

/** Compares two rows by an order: negative if `a` comes first, 0 if the order does not say. */
export function compareRows(order: RowOrder, a: Row, b: Row): number {
  for (const { field, falling, rank } of order) {
    if (a[field] === b[field]) continue;
    const cell = String(a[field] ?? '');
    const other = String(b[field] ?? '');
    if (cell === other) continue;
    // A cell without a rank, which only another service has, comes by its text.
    const ranks = rank === undefined ? 0 : rank(cell) - rank(other);
    const compared = ranks || (cell < other ? -1 : 1);
    return falling === true ? -compared : compared;
  }
  return 0;
}

/** Whether an order leaves no two rows of a listing alike: it has every field that names a row. */
export function isStrict(order: RowOrder, identity: readonly string[]): boolean {
  return identity.length > 0 && identity.every((name) => order.some(({ field }) => field === name));
}

/** What names a row among those of its listing, as a text; undefined if the row lacks a part of it. */
export function identityOf(identity: readonly string[], row: Row): string | undefined {
  const cells = identity.map((field) => row[field]);
  const isNamed =
    cells.length > 0 && cells.every((cell) => cell !== undefined && cell !== null && cell !== '');
  return isNamed ? cells.join(', ') : undefined;
}
