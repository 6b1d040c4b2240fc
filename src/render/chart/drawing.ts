import type { Day } from '../../domain/series/date.ts';
import type { Cell, Row } from '../../operations/envelope.ts';

/** One value of a row as a chart takes it: on which line it lies, where, and how high. */
export type Mark = {
  /** What tells lines apart; rows with the same key make one line. */
  readonly line: string;
  /** The line's name for people. */
  readonly label: string;
  readonly unit: string;
  /** How often the line has a value (`M`, `Q` …), which tells where one is missing; empty where nobody knows. */
  readonly frequency: string;
  /** A day or a maturity, as the drawing's axis wants it. */
  readonly at: string;
  /** The exact text of the value; null is a gap. */
  readonly value: Cell;
};

/** What the rows tell together. */
export type Told = {
  /** The day of knowledge that was asked for. */
  readonly asOf?: Day;
  /** The newest day of publication. */
  readonly published?: Day;
  /** The labels of the lines that have values. */
  readonly lines: readonly string[];
};

/** How the rows of a command are drawn; without one they cannot be. */
export type Drawing = {
  /** What the values stand over: days, to scale, or maturities of a curve, evenly. */
  readonly axis: 'day' | 'maturity';
  /** Whether a value stands until the next (`steps`), or leads to it in a straight line. */
  readonly form: 'line' | 'steps';
  /** The last value of steps stands until this day, where it is later. */
  readonly until?: (told: Told) => Day | undefined;
  /** What stands above: the subtitle says what the title leaves open, such as the day of knowledge. */
  readonly words: (told: Told) => { readonly title: string; readonly subtitle: string };
  /** Longer names of lines, in order: what a label stands for. None where the title says it. */
  readonly key: (told: Told) => readonly (readonly [label: string, name: string])[];
  readonly marks: (row: Row) => readonly Mark[];
};

/** The size of a chart in text, in cells of a terminal. */
export type TextSize = {
  readonly width: number;
  /** The lines that there are, or undefined where a chart may be as high as it looks best. */
  readonly height: number | undefined;
};
