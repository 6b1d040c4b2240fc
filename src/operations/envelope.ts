import type { Day } from '../domain/series/date.ts';

/** What a field of a row may hold; numbers of facts are decimal texts, missing is null. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** One result: field names to cells. */
export type Row = { readonly [field: string]: Cell };

/** The short summary of a series that an observations answer carries when it is as of a day. */
export type SeriesSummary = { readonly id: string; readonly title: string; readonly frequency: string };

/** Which days the knowledge of a series spans, and its first date, as date-times; null where no date ever had a value. */
export type Coverage = {
  readonly first_vintage: string;
  readonly last_vintage: string;
  readonly first_date: string | null;
  readonly covered_to: string;
};

/** The contract's answer to every operation; the result type in both modes. */
export type Envelope = {
  readonly object: string;
  readonly request_id: string;
  readonly status: string;
  readonly as_of?: Day;
  readonly series?: SeriesSummary;
  /** Our addition, in answers about vintages. */
  readonly coverage?: Coverage;
  readonly results: readonly Row[];
  readonly results_count: number;
  readonly has_more: boolean;
  readonly next_cursor?: string;
};
