import type { Day } from '../domain/series/date.ts';

/** What a field of a row may hold; numbers of facts are decimal texts, missing is null. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** One result: field names to cells. */
export type Row = { readonly [field: string]: Cell };

/** A row whose columns depend on the query: its day, and a value or null in each other column. */
export type WideRow = { readonly [column: string]: string | null };

/** The short description of a series in an observations answer as of a day. */
export type SeriesSummary = { readonly id: string; readonly title: string; readonly frequency: string };

/** The first and last vintage of a series, its first date (null without any), and the day it is covered to. */
export type Coverage = {
  readonly first_vintage: Day;
  readonly last_vintage: Day;
  readonly first_date: Day | null;
  readonly covered_to: Day;
};

/**
 * The vintage that an answer is from: the newest one on or before its day, and how it came about. First releases come
 * from many vintages: their kinds are those of all up to the day, without a date.
 */
export type AnswerVintage = {
  /** Null before the first vintage, and of first releases. */
  readonly as_of_date: Day | null;
  /** Empty before the first vintage; several kinds are separated by `; `. */
  readonly vintage_kind: string;
};

/** A ticker without any filing in the store, and the ticker in the store that is spelled most like it. */
export type UnknownTicker = { readonly ticker: string; readonly nearest: string | null };

/** The contract's answer to every operation, with days as `YYYY-MM-DD`; the same embedded and remote. */
export type Envelope<R = Row> = {
  readonly object: string;
  readonly request_id: string;
  readonly status: string;
  readonly as_of?: Day;
  readonly series?: SeriesSummary;
  /** Our addition, in answers about vintages. */
  readonly coverage?: Coverage;
  /** Our addition, in answers about the values of a series. */
  readonly vintage?: AnswerVintage;
  /** Our addition: the last day that the data cover, of a series, a kind of curve, or filings; null without data. */
  readonly covered_to?: Day | null;
  /** Our addition, for a wide panel: by column, the kinds of the vintages that its values come from. */
  readonly vintage_kinds?: { readonly [column: string]: string };
  /** Our addition, for answers without filings of a ticker. */
  readonly unknown_ticker?: UnknownTicker;
  /** Our addition: the ids that no series has, which the answer leaves out because it was asked to. */
  readonly missing?: readonly string[];
  readonly results: readonly R[];
  readonly results_count: number;
  readonly has_more: boolean;
  readonly next_cursor?: string;
};

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

/** What names a row among those of its listing, as a text; undefined if the row lacks a part of it. */
export function identityOf(identity: readonly string[], row: Row): string | undefined {
  const cells = identity.map((field) => row[field]);
  const isNamed =
    cells.length > 0 && cells.every((cell) => cell !== undefined && cell !== null && cell !== '');
  return isNamed ? cells.join(', ') : undefined;
}
