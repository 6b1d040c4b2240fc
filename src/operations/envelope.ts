import type { Day } from '../domain/series/date.ts';

/** What a field of a row may hold; numbers of facts are decimal texts, missing is null. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** One result: field names to cells. */
export type Row = { readonly [field: string]: Cell };

/** The short description of a series in an observations answer as of a day. */
export type SeriesSummary = { readonly id: string; readonly title: string; readonly frequency: string };

/** The first and last vintage of a series, the day it is covered to, and its first date; null if no date ever had a value. */
export type Coverage = {
  readonly first_vintage: Day;
  readonly last_vintage: Day;
  readonly first_date: Day | null;
  readonly covered_to: Day;
};

/** The contract's answer to every operation, with days as `YYYY-MM-DD`; the same embedded and remote. */
export type Envelope<R = Row> = {
  readonly object: string;
  readonly request_id: string;
  readonly status: string;
  readonly as_of?: Day;
  readonly series?: SeriesSummary;
  /** Our addition, in answers about vintages. */
  readonly coverage?: Coverage;
  readonly results: readonly R[];
  readonly results_count: number;
  readonly has_more: boolean;
  readonly next_cursor?: string;
};
