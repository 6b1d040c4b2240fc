import type { Day } from '../../domain/values/date.ts';

/** A text for each position; null is a gap, and undefined is no position of the line. */
export type PlotValues = readonly (string | null | undefined)[];

/** A line of a chart; its colour is a CSS variable. */
export type PlotLine = {
  readonly label: string;
  readonly colour: string;
  readonly width?: number;
  /** `steps` last until the next value, `dots` are not joined. Default: `line`. */
  readonly form?: 'line' | 'steps' | 'dots';
  readonly values: PlotValues;
  readonly isHidden?: boolean;
  /** True for a line of `otherUnit`, whose scale is to the right. */
  readonly isOther?: boolean;
};

/** All that a chart shows over days or maturities; later lines cover earlier ones. */
export type PlotData = {
  readonly axis: 'day' | 'maturity';
  /** Days in ascending order, or maturities at even distances. */
  readonly at: readonly string[];
  readonly lines: readonly PlotLine[];
  /** Faint lines behind the others. */
  readonly faint?: readonly PlotValues[];
  readonly unit: string;
  readonly otherUnit?: string | undefined;
  readonly isLog?: boolean;
  /** The first and last days on show. Default: all. */
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  /** Times to shade. */
  readonly bands?: readonly { readonly from: Day; readonly to: Day }[];
  readonly marks?: readonly { readonly day: Day; readonly label: string }[];
  /** Days with a tick on the time axis. */
  readonly ticks?: readonly Day[];
};

const positions = new WeakMap<PlotData['at'], readonly number[]>();

/** Returns the positions on the axis: seconds since 1970 of days, or numbers of maturities. */
export function positionsOf({ axis, at }: Pick<PlotData, 'at' | 'axis'>): readonly number[] {
  if (axis === 'maturity') return at.map((_, i) => i);
  const known = positions.get(at) ?? at.map(secondsOf);
  positions.set(at, known);
  return known;
}

export function secondsOf(day: Day): number {
  return Date.parse(day) / 1000;
}

export function dayAt(seconds: number): Day {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** Returns the colour of a CSS variable, in the scheme of the page. */
export function colourOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

export const fonts = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';
