import type { Day } from '../domain/series/date.ts';
import type { Cell, Row } from './envelope.ts';

/** One value of a row as a point of a chart. */
export type ChartMark = {
  /** The key of the line; marks with the same key make one line. */
  readonly line: string;
  readonly label: string;
  readonly unit: string;
  /** How often the line has a value (`M`, `Q` …), which shows where one is missing; empty if unknown. */
  readonly frequency: string;
  /** A day or a maturity, as the axis of the drawing requires. */
  readonly at: string;
  /** The exact text of the value; null is a gap. */
  readonly value: Cell;
  /** Where the value is from; without it, the row says it. */
  readonly source?: Row[string] | undefined;
};

/** Facts about all rows of a chart together. */
export type ChartSummary = {
  readonly asOf?: Day;
  readonly published?: Day;
  /** The labels of the lines that have values. */
  readonly lines: readonly string[];
};

/** How a chart draws the rows of a command. */
export type Drawing = {
  /** The horizontal axis: days, to scale, or the maturities of a curve, evenly spaced. */
  readonly axis: 'day' | 'maturity';
  /** Whether each value holds until the next; otherwise a straight line joins the values. */
  readonly stepped?: boolean;
  /** The day until which the last step holds, if it is later than that step. */
  readonly until?: (summary: ChartSummary) => Day | undefined;
  /** The title, and below it in parts what that leaves open, such as the as-of date. */
  readonly words: (summary: ChartSummary) => { readonly title: string; readonly subtitle: readonly string[] };
  /** The full names of lines, in order; without them, the title has them. */
  readonly key?: (summary: ChartSummary) => readonly (readonly [label: string, name: string])[];
  readonly marks: (row: Row) => readonly ChartMark[];
  /** Times that are shaded; one without a last day goes on to the end of the chart. */
  readonly bands?: readonly { readonly from: Day; readonly to?: Day }[];
};
