import type { instantRules } from '../domain/calendar/zones.ts';
import type { Day } from '../domain/values/date.ts';
import { Problem } from '../errors/problem.ts';

/** A field's content: numbers of facts are decimal texts, missing is null. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

export type Row = { readonly [field: string]: Cell };

/** A row whose columns depend on the query. */
export type WideRow = { readonly [column: string]: string | null };

/** The short description of a series in its observations as of a day. */
export type SeriesSummary = { readonly id: string; readonly title: string; readonly frequency: string };

/** What a series covers; `first_date` is null without dates. */
export type Coverage = {
  readonly first_vintage: Day;
  readonly last_vintage: Day;
  readonly first_date: Day | null;
  readonly covered_to: Day;
};

/**
 * The vintage of an answer: the newest one on or before its day.
 * First releases come from many vintages; they have all kinds, and no date.
 */
export type AnswerVintage = {
  /** Null before the first vintage, and for first releases. */
  readonly as_of_date: Day | null;
  /** Empty before the first vintage; several kinds are separated by `; `. */
  readonly vintage_kind: string;
};

/** An instant, and how it became an as-of date: by the `time` of a release, or else by the end of the day before. */
export type KnownInstant = {
  readonly instant: string;
  readonly rule: (typeof instantRules)[number];
  /** The day on which a calendar with the release was last seen; null without one. */
  readonly seen?: string | null;
};

/** The contract's answer to an operation, the same embedded and remote. */
export type Envelope<R = Row> = {
  readonly object: string;
  readonly request_id: string;
  readonly status: string;
  readonly as_of?: Day;
  /** Our addition: how the instant that was asked for became the as-of date. */
  readonly known_at?: KnownInstant;
  readonly series?: SeriesSummary;
  readonly coverage?: Coverage;
  readonly vintage?: AnswerVintage;
  /** Our addition: the last day covered by the data of a series, a kind of curve, or filings; null without data. */
  readonly covered_to?: Day | null;
  /** Our addition, for a wide panel: the kinds of vintages behind each column. */
  readonly vintage_kinds?: { readonly [column: string]: string };
  /** Our addition: a ticker without filings, and the stored ticker with the nearest spelling. */
  readonly unknown_ticker?: { readonly ticker: string; readonly nearest: string | null };
  /** Our addition: ids that no series has, left out as requested. */
  readonly missing?: readonly string[];
  /** Our addition: the ids of the series that the aliases in the request stand for. */
  readonly aliases?: { readonly [alias: string]: string };
  readonly results: readonly R[];
  readonly results_count: number;
  readonly has_more: boolean;
  readonly next_cursor?: string;
};

/** Rows by column, valid until the next page is read. */
export type ColumnPage = {
  readonly rows: number;
  /** Returns the cells of a field. */
  readonly cellsOf: (field: string) => readonly (Cell | undefined)[];
};

/** The fields that rows are ordered by, most significant first. */
export type RowOrder = readonly {
  readonly field: string;
  readonly falling?: boolean;
  readonly rank?: (cell: string) => number;
}[];

/** Returns the text that identifies a row in its listing; undefined if a field for it is missing. */
export function identityOf(identity: readonly string[], row: Row): string | undefined {
  const cells = identity.map((field) => row[field]);
  const isNamed =
    cells.length > 0 && cells.every((cell) => cell !== undefined && cell !== null && cell !== '');
  return isNamed ? cells.join(', ') : undefined;
}

/** Where a listing continues: after this key, in this version of the data. */
export type PagePosition = { readonly key: readonly string[]; readonly version?: number };

/** One page of rows, and where the next page begins. */
export type Page<R = Row> = Pick<
  Envelope,
  'as_of' | 'coverage' | 'covered_to' | 'known_at' | 'series' | 'unknown_ticker' | 'vintage'
> & { readonly rows: readonly R[]; readonly next?: PagePosition };

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

/** Cuts `limit + 1` rows to a page; the additional row shows that another page follows. */
export function cutToPage<T>(
  found: readonly T[],
  limit: number,
  positionOf: (last: T) => PagePosition,
): Pick<Page<T>, 'rows' | 'next'> {
  const rows = found.length > limit ? found.slice(0, limit) : found;
  const last = rows === found ? undefined : rows.at(-1);
  return { rows, ...(last !== undefined && { next: positionOf(last) }) };
}

/** Makes a page from `limit + 1` rows. */
export function pageOf<T, R>(
  found: readonly T[],
  limit: number,
  rowOf: (one: T) => R,
  positionOf: (last: T) => PagePosition,
): Pick<Page<R>, 'rows' | 'next'> {
  const { rows, ...more } = cutToPage(found, limit, positionOf);
  return { rows: rows.map((one) => rowOf(one)), ...more };
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
