import { addDays } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { ChartOptions, OutputLayout, TextRenderer } from '../renderer.ts';
import { cellWidth, cut, wrap } from '../terminal-text.ts';
import { type Axis, horizontalAxis, logAxis, valueAxis } from './axes.ts';
import {
  type Chart,
  type ChartPanel,
  type ChartPoint,
  ChartRenderer,
  decimate,
  type HorizontalRange,
} from './chart.ts';
import { abbreviate, placeLabels, spreadOut } from './labels.ts';

/** Renders a chart as SVG, without scripts or embedded fonts; the same rows give the same bytes. */
export function svgRenderer({
  drawing,
  chart: options = {},
}: Pick<OutputLayout, 'drawing' | 'chart'>): TextRenderer {
  if (drawing === undefined) throw new Error('svg needs a drawing');
  return new ChartRenderer(drawing, options, (chart) => `${drawChart(chart, options)}\n`);
}

/** The least width of a picture, and the least height of a plot. */
const [narrowest, lowestPlot] = [240, 40];

function drawChart(chart: Chart, options: ChartOptions): string {
  const { width = usualWidth, height: wanted } = options;
  if (width < narrowest) throw tooSmall('width', narrowest, width);
  const count = chart.panels.length;
  const usual = usualPlots[count] ?? 120;
  const drawn = drawAt(chart, options, usual);
  if (wanted === undefined || count === 0) return drawn.svg;
  // The parts besides the plots have the same height at any height.
  const plot = usual + Math.floor((wanted - drawn.height) / count);
  if (plot < lowestPlot) throw tooSmall('height', drawn.height - count * (usual - lowestPlot), wanted);
  return drawAt(chart, options, plot, wanted).svg;
}

function tooSmall(what: string, needed: number, wanted: number): Problem {
  return new Problem('bad-input', `this chart needs a ${what} of ${needed}, and ${wanted} was asked for`);
}

function drawAt(
  chart: Chart,
  { width = usualWidth, grey = false }: ChartOptions,
  plot: number,
  least = 0,
): { readonly svg: string; readonly height: number } {
  const head = textBlock(
    [
      { content: chart.title, size: 17, colour: colours.text, bold: true },
      { content: chart.subtitle, size: 13, colour: colours.soft },
    ],
    margin,
    width,
  );
  const isEmpty = chart.panels.length === 0;
  const body = isEmpty ? drawNoValues(head.end, width) : drawPanels(chart, head.end, { width, plot, grey });
  const source = chart.source === '' ? [] : [`Source: ${chart.source}`];
  const notes = [...chart.key, ...source].map((content) => ({ content, size: 11, colour: colours.soft }));
  const foot = textBlock(notes, body.end + gap, width);
  const height = Math.max(least, Math.ceil(foot.end + margin - gap));
  const svg = element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'font-family': 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif',
    },
    [
      element('title', {}, escapeXml(chart.title)),
      element(
        'desc',
        {},
        escapeXml([chart.subtitle, describeChart(chart)].filter((text) => text !== '').join('. ')),
      ),
      element('rect', { width, height, fill: '#ffffff' }),
      ...head.elements,
      ...body.elements,
      ...foot.elements,
    ],
  );
  return { svg, height };
}

function drawNoValues(top: number, width: number): SvgBlock {
  const style = { size: 14, colour: colours.soft, anchor: 'middle' } as const;
  return { elements: [textElement('no values', width / 2, top + 70, style)], end: top + 120 };
}

/** Describes a chart for people who cannot see it: the ends and the extremes of each line. */
function describeChart(chart: Chart): string {
  if (chart.panels.length === 0) return 'There are no values.';
  const sentences = chart.panels.flatMap(({ heading, lines }) =>
    lines.map((line) => `${nameOf(line, heading)}: ${describeLine(line, chart.range)}.`),
  );
  return sentences.join(' ');
}

type SvgLine = ChartPanel['lines'][number];

function nameOf({ label }: SvgLine, heading: string): string {
  if (heading === '' || heading === label) return label;
  return heading.startsWith(`${label}, `) ? heading : `${label}, ${heading}`;
}

function describeLine({ runs }: SvgLine, range: HorizontalRange): string {
  const points = runs.flat();
  const [first = [0, 0] as const] = points;
  const least = points.reduce((found, point) => (point[1] < found[1] ? point : found), first);
  const greatest = points.reduce((found, point) => (point[1] > found[1] ? point : found), first);
  const last = points.at(-1) ?? first;
  const at = ([x, y]: ChartPoint) => `${y} (${positionName(x, range)})`;
  return `from ${at(first)} to ${at(last)}, lowest ${at(least)}, highest ${at(greatest)}`;
}

function positionName(x: number, range: HorizontalRange): string {
  return range.kind === 'day' ? addDays('1970-01-01', x) : (range.names[x] ?? '');
}

/** Line colours; they differ in lightness too, and are dark enough for text on white. */
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

const textSize = 12;

type PanelFrame = {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly horizontal: Axis;
  /** True for large dots, which show maturities. */
  readonly marked: boolean;
  readonly grey: boolean;
  readonly bands: Chart['bands'];
};

type SvgPanel = {
  readonly panel: ChartPanel;
  readonly axis: Axis;
  readonly top: number;
  readonly bottom: number;
};

/** The usual height of a plot, by the number of panels. */
const usualPlots = [0, 270, 175, 140];

function drawPanels(
  chart: Chart,
  from: number,
  { width, plot, grey }: Pick<PanelFrame, 'width' | 'grey'> & { readonly plot: number },
): SvgBlock {
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
  const heading = cut(panel.heading, cellsPerLine(frame.width, textSize));
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

const densePoints = 700;

function drawLine(
  { runs, dots }: SvgLine,
  number: number,
  x: ToCoordinate,
  y: ToCoordinate,
  { marked, grey }: PanelFrame,
): readonly string[] {
  const colour = colourOf(number, grey);
  // Screens resolve two columns for each user unit.
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

const usualWidth = 720;

const margin = 20;

const gap = 8;

const colours = {
  text: '#111827',
  soft: '#4b5563',
  axis: '#9ca3af',
  grid: '#e5e7eb',
  band: '#e5e7eb',
};

type SvgBlock = { readonly elements: readonly string[]; readonly end: number };

type TextStyle = {
  readonly size: number;
  readonly colour: string;
  readonly bold?: boolean;
  /** The part of the text at `x`. Default: its beginning. */
  readonly anchor?: 'middle' | 'end';
};

function textElement(
  content: string,
  x: number,
  y: number,
  { size, colour, bold, anchor }: TextStyle,
): string {
  const weight = bold === true ? { 'font-weight': 600 } : {};
  const anchored = anchor === undefined ? {} : { 'text-anchor': anchor };
  return element(
    'text',
    { x, y, 'font-size': size, fill: colour, ...weight, ...anchored },
    escapeXml(content),
  );
}

function textBlock(
  texts: readonly (TextStyle & { readonly content: string })[],
  top: number,
  width: number,
): SvgBlock {
  let end = top;
  const elements = texts.flatMap(({ content, ...style }) =>
    wrap(content, cellsPerLine(width, style.size, style.bold)).map((line) => {
      end += Math.round(style.size * 1.4);
      return textElement(line, margin, end - 4, style);
    }),
  );
  return { elements, end };
}

/** The width of a character in the widest common fonts, relative to the font size. */
const [widestCell, widestBold] = [0.62, 0.75];

function estimateWidth(content: string, size: number, bold = false): number {
  return cellWidth(content) * size * (bold ? widestBold : widestCell);
}

function cellsPerLine(width: number, size: number, bold = false): number {
  return Math.floor((width - 2 * margin) / size / (bold ? widestBold : widestCell));
}

/** Makes an XML element of escaped content; numbers have at most two decimals. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content: string | readonly string[] = '',
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  const opening = `<${name}${written.join('')}`;
  if (content.length === 0) return `${opening}/>`;
  const inner = typeof content === 'string' ? content : `\n${content.join('\n')}\n`;
  return `${opening}>${inner}</${name}>`;
}

function formatCoordinate(value: number): string {
  return String(Number(value.toFixed(2)));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 cannot contain; printable texts have no control characters. */
const forbidden = /[\u{FFFE}\u{FFFF}]/gu;

function escapeXml(text: string): string {
  return text
    .replace(forbidden, '\uFFFD')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function attributeText(value: string | number): string {
  return typeof value === 'number' ? formatCoordinate(value) : escapeXml(value);
}
