import { type Axis, horizontalAxis, logAxis, valueAxis } from '../axes.ts';
import type { Chart, ChartLine, ChartPanel } from '../chart.ts';
import { abbreviate, placeLabels, spreadOut } from '../labels.ts';
import { type ChartPoint, decimate } from '../runs.ts';
import {
  colours,
  cutToWidth,
  element,
  estimateWidth,
  formatCoordinate,
  gap,
  margin,
  type SvgBlock,
  textElement,
} from './elements.ts';

/** Line colours; they differ in lightness too, and each is dark enough for text on white. */
const lineColours: readonly string[] = [
  '#1d4ed8',
  '#c2410c',
  '#047857',
  '#7e22ce',
  '#a16207',
  '#be123c',
  '#0e7490',
  '#374151',
];

/** The greys of lines and the dashes that tell them apart. */
const greys: readonly string[] = ['#111827', '#6b7280'];
const dashes: readonly string[] = ['', '6 3', '2 3', '8 3 2 3'];

function colourOf(line: number, grey: boolean): string {
  const palette = grey ? greys : lineColours;
  return palette[line % palette.length] ?? colours.text;
}

function dashOf(line: number, grey: boolean): Readonly<Record<string, string>> {
  const dash = grey ? (dashes[(line >> 1) % dashes.length] ?? '') : '';
  return dash === '' ? {} : { 'stroke-dasharray': dash };
}

/** The font size of all texts in the panels. */
const textSize = 12;

/** The horizontal extent of the panels, and the axis that they share. */
type PanelFrame = {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly horizontal: Axis;
  /** Whether dots are large, as those of maturities. */
  readonly marked: boolean;
  readonly grey: boolean;
  readonly bands: Chart['bands'];
};

/** How large panels are, and whether they are in greys; without a height, that of a plot is the usual one. */
export type PanelStyle = { readonly width: number; readonly plot?: number; readonly grey: boolean };

/** A panel with its vertical extent and axis. */
type SvgPanel = {
  readonly panel: ChartPanel;
  readonly axis: Axis;
  readonly top: number;
  readonly bottom: number;
};

/** The height of a plot, by the number of panels. */
const plotHeights = [0, 270, 175, 140];

/** The usual height of the plot of a panel, in a chart of so many. */
export function usualPlot(panels: number): number {
  return plotHeights[panels] ?? 120;
}

/** Draws the panels of a chart below each other, over one horizontal axis. */
export function drawPanels(chart: Chart, from: number, style: PanelStyle): SvgBlock {
  const { width, plot = usualPlot(chart.panels.length), grey } = style;
  let top = from + gap;
  const placed = chart.panels.map((panel): SvgPanel => {
    const upper = top + (panel.heading === '' ? gap : 30);
    top = upper + plot + 2 * gap;
    const axisOf = chart.log ? logAxis : valueAxis;
    const axis = axisOf(panel.low, panel.high, Math.max(2, Math.round(plot / 50)));
    return { panel, axis, top: upper, bottom: upper + plot };
  });
  const labels = placed.flatMap(({ axis }) => axis.ticks.map(({ label }) => label));
  const names = chart.panels.flatMap(({ lines }) => (lines.length > 1 ? namesOf(lines) : []));
  const left = margin + longest(labels, false) + gap;
  const right = width - margin - gap - longest(names, true);
  const horizontal = horizontalAxis(
    chart.range,
    (axis) => labelStarts(axis, left, right, width) !== undefined,
  );
  const { range, bands } = chart;
  const frame = { left, right, horizontal, marked: range.kind === 'maturity', grey, bands, width };
  const bottom = placed.at(-1)?.bottom ?? top;
  return {
    elements: [...placed.flatMap((panel) => drawPanel(panel, frame)), ...drawAxis(frame, bottom)],
    end: bottom + 30,
  };
}

function longest(texts: readonly string[], bold: boolean): number {
  return Math.max(0, ...texts.map((text) => estimateWidth(text, textSize, bold)));
}

/** The longest name beside a line, in cells. */
const longestName = 24;

function namesOf(lines: ChartPanel['lines']): readonly string[] {
  return abbreviate(
    lines.map(({ label }) => label),
    longestName,
  );
}

function drawPanel({ panel, axis, top, bottom }: SvgPanel, frame: PanelFrame): readonly string[] {
  const { left, right, horizontal } = frame;
  const x = (value: number): number => left + horizontal.place(value) * (right - left);
  const y = (value: number): number => bottom - axis.place(value) * (bottom - top);
  const heading = cutToWidth(panel.heading, textSize, frame.width);
  return [
    ...frame.bands.map(([first, last]) =>
      element('rect', {
        x: x(first),
        y: top,
        width: x(last) - x(first),
        height: bottom - top,
        fill: colours.band,
        'fill-opacity': 0.7,
      }),
    ),
    ...(heading === ''
      ? []
      : [textElement(heading, margin, top - 16, { size: textSize, colour: colours.soft })]),
    ...axis.ticks.flatMap(({ at, label }) => [
      drawRule(left, y(at), right, y(at), at === 0 || y(at) === bottom ? colours.axis : colours.grid),
      textElement(label, left - gap, y(at) + 4, { size: textSize, colour: colours.soft, anchor: 'end' }),
    ]),
    ...panel.lines.flatMap((line, i) => drawLine(line, i, x, y, frame)),
    ...(panel.lines.length > 1 ? drawNames(panel, x, y, { top, bottom, grey: frame.grey }) : []),
  ];
}

type ToCoordinate = (value: number) => number;

/** A line of more points than this is thin. */
const densePoints = 700;

function drawLine(
  { runs, dots }: ChartLine,
  number: number,
  x: ToCoordinate,
  y: ToCoordinate,
  { marked, grey }: PanelFrame,
): readonly string[] {
  const colour = colourOf(number, grey);
  // Two columns per user unit are the resolution of a screen.
  const thinned = runs.map((run) => decimate(run, (at) => Math.floor(x(at) * 2)));
  const d = thinned.map((run) => (run.length > 1 ? pathOf(run, x, y) : '')).join('');
  const stroke = { stroke: colour, 'stroke-width': thinned.flat().length > densePoints ? 1.25 : 1.75 };
  const joints = { 'stroke-linejoin': 'round', 'stroke-linecap': 'round', ...dashOf(number, grey) };
  return [
    ...(d === '' ? [] : [element('path', { d, fill: 'none', ...stroke, ...joints })]),
    ...dots.map(([at, value]) =>
      element('circle', { cx: x(at), cy: y(value), r: marked ? 3.5 : 2.5, fill: colour }),
    ),
  ];
}

/** Draws the names of lines to the right of the panel, at the height of their ends. */
function drawNames(
  { lines }: ChartPanel,
  x: ToCoordinate,
  y: ToCoordinate,
  { top, bottom, grey }: { readonly top: number; readonly bottom: number; readonly grey: boolean },
): readonly string[] {
  const ends = lines.map(({ runs }) => runs.at(-1)?.at(-1) ?? ([0, 0] as const));
  const beside = Math.max(...ends.map(([at]) => x(at))) + gap;
  const heights = ends.map(([, value]) => y(value));
  const places = spreadOut(heights, { from: top, to: bottom, distance: 15 });
  return namesOf(lines).map((name, i) =>
    textElement(name, beside, (places[i] ?? 0) + 4, {
      size: textSize,
      colour: colourOf(i, grey),
      bold: true,
    }),
  );
}

function pathOf(run: readonly ChartPoint[], x: ToCoordinate, y: ToCoordinate): string {
  return run
    .map(([at, value], i) => `${i === 0 ? 'M' : 'L'}${formatCoordinate(x(at))} ${formatCoordinate(y(value))}`)
    .join('');
}

function labelStarts(
  { ticks, place }: Axis,
  left: number,
  right: number,
  width: number,
): readonly number[] | undefined {
  const centres = ticks.map(({ at }) => left + place(at) * (right - left));
  return placeLabels(
    centres,
    ticks.map(({ label }) => estimateWidth(label, textSize)),
    { from: margin, to: width - margin, gap: 12 },
  );
}

function drawAxis({ left, right, horizontal, width }: PanelFrame, bottom: number): readonly string[] {
  const starts = labelStarts(horizontal, left, right, width) ?? [];
  const ticks = horizontal.ticks.flatMap(({ at, label }, i) => {
    const x = left + horizontal.place(at) * (right - left);
    const middle = (starts[i] ?? x) + estimateWidth(label, textSize) / 2;
    return [
      drawRule(x, bottom, x, bottom + 5, colours.axis),
      textElement(label, middle, bottom + 20, { size: textSize, colour: colours.soft, anchor: 'middle' }),
    ];
  });
  return [drawRule(left, bottom, right, bottom, colours.axis), ...ticks];
}

function drawRule(x1: number, y1: number, x2: number, y2: number, stroke: string): string {
  return element('line', { x1, y1, x2, y2, stroke });
}
