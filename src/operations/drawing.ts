import type { Day } from '../domain/values/date.ts';
import type { Cell, Row } from './envelope.ts';

/** One value of a row in a chart. */
export type ChartMark = {
  /** The key of the line; marks with one key make one line. */
  readonly line: string;
  readonly label: string;
  readonly unit: string;
  /** How often the line has a value (`M`, `Q` …), which shows missing ones; empty if unknown. */
  readonly frequency: string;
  readonly at: string;
  /** The exact text of the value; null is a gap. */
  readonly value: Cell;
  /** The source of the value. Default: the `source` of the row. */
  readonly source?: Row[string] | undefined;
};

/** Facts about all rows of a chart together. */
export type ChartSummary = {
  readonly asOf?: Day;
  readonly published?: Day;
  readonly lines: readonly string[];
  /** True if the chart shades a time. */
  readonly shaded: boolean;
};

/** How a chart draws the rows of a command. */
export type Drawing = {
  /** The horizontal axis: days, to scale, or the maturities of a curve, evenly spaced. */
  readonly axis: 'day' | 'maturity';
  /** True if a value lasts until the next one. Default: straight lines join the values. */
  readonly stepped?: boolean;
  /** True if values are counts, drawn as bars from 0; a count of 0 has none. */
  readonly bars?: boolean;
  /** Returns the day until which the last step lasts, if later than that step. */
  readonly until?: (summary: Omit<ChartSummary, 'shaded'>) => Day | undefined;
  /** Returns the title, and in parts what it leaves open, such as the as-of date. */
  readonly words: (summary: ChartSummary) => { readonly title: string; readonly subtitle: readonly string[] };
  /** Returns the full names of lines, in order. Default: the title has them. */
  readonly key?: (summary: ChartSummary) => readonly (readonly [label: string, name: string])[];
  readonly marks: (row: Row) => readonly ChartMark[];
  /** Times to shade; one without a last day goes on to the end of the chart. */
  readonly bands?: readonly { readonly from: Day; readonly to?: Day }[];
};
