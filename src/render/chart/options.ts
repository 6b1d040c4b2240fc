/** How a chart looks, where it is not as usual. */
export type ChartOptions = {
  /** Units of an SVG file, or cells of a chart in text. */
  readonly width?: number;
  readonly height?: number;
  readonly title?: string;
  /** Whether lines are told apart by shades of grey and dashes, for print. */
  readonly grey?: boolean;
  /** Whether values are on a logarithmic scale. */
  readonly log?: boolean;
  /** What each line is at the first date that all lines have; the other values are in proportion. */
  readonly index?: number;
};

/** The size of a text chart, in terminal cells. */
export type TextSize = {
  readonly width: number;
  /** The lines available; undefined if the chart may have any height. */
  readonly height: number | undefined;
};
