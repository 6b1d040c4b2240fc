import { addDays } from '../../domain/values/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { ChartOptions, OutputLayout, TextRenderer } from '../renderer.ts';
import { cellWidth, cut, wrap } from '../terminal-text.ts';
import { type Axis, horizontalAxis, logAxis, valueAxis } from './axes.ts';
import { type Chart, type ChartPanel, type ChartPoint, chartRenderer, decimate } from './chart.ts';
import { abbreviate, placeLabels, spreadOut } from './labels.ts';

/** Renders a chart as SVG, without scripts or embedded fonts; the same rows give the same bytes. */
export function svgRenderer({
  drawing,
  chart: options = {},
}: Pick<OutputLayout, 'drawing' | 'chart'>): TextRenderer {
  if (drawing === undefined) throw new Error('svg needs a drawing');
  return chartRenderer(drawing, options, (chart) => `${drawChart(chart, options)}\n`);
}

const [usualWidth, margin, gap, textSize] = [720, 20, 8, 12];

/** The usual height of a plot, by the number of panels. */
const usualPlots = [0, 270, 175, 140];

/** The least width of a picture, and the least height of a plot. */
const [narrowest, lowestPlot] = [240, 40];

const colours = { text: '#111827', soft: '#4b5563', axis: '#9ca3af', grid: '#e5e7eb', band: '#e5e7eb' };

/** Line colours that colour-blind people tell apart, too, and that are dark enough for text on white. */
const lineColours = '#1d4ed8 #906c00 #111827 #90486c #482400 #246c48 #0000b4 #6c4800'.split(' ');

const greys = ['#111827', '#6b7280'];

const dashes = [undefined, '6 3', '2 3', '8 3 2 3'];

function drawChart(chart: Chart, { width = usualWidth, height: wanted, grey = false }: ChartOptions): string {
  if (width < narrowest) throw tooSmall('width', narrowest, width);
  const count = chart.panels.length;
  const usual = usualPlots[count] ?? 120;
  const drawn = drawAt(chart, width, usual, grey);
  if (wanted === undefined || count === 0) return drawn.svg;
  // The parts besides the plots have the same height at any height.
  const plot = usual + Math.floor((wanted - drawn.height) / count);
  if (plot < lowestPlot) throw tooSmall('height', drawn.height - count * (usual - lowestPlot), wanted);
  return drawAt(chart, width, plot, grey, wanted).svg;
}

function tooSmall(what: string, needed: number, wanted: number): Problem {
  return new Problem('bad-input', `this chart needs a ${what} of ${needed}, and ${wanted} was asked for`);
}

/** A part of a picture, and where it ends. */
type SvgBlock = { readonly elements: readonly string[]; readonly end: number };

function drawAt(chart: Chart, width: number, plot: number, grey: boolean, least = 0) {
  const { title, subtitle, panels, key, source } = chart;
  const heading = [
    { content: title, size: 17, colour: colours.text, bold: true },
    { content: subtitle, size: 13 },
  ];
  const head = textBlock(heading, margin, width);
  const body: SvgBlock =
    panels.length > 0
      ? drawPanels(chart, head.end, width, plot, grey)
      : {
          elements: [textElement('no values', width / 2, head.end + 70, { size: 14, anchor: 'middle' })],
          end: head.end + 120,
        };
  const notes = [...key, ...(source === '' ? [] : [`Source: ${source}`])];
  const foot = textBlock(
    notes.map((content) => ({ content, size: 11 })),
    body.end + gap,
    width,
  );
  const height = Math.max(least, Math.ceil(foot.end + margin - gap));
  const description = [subtitle, describeChart(chart)].filter((text) => text !== '').join('. ');
  const root = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'font-family': 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif',
  };
  const svg = element('svg', root, [
    element('title', {}, escapeXml(title)),
    element('desc', {}, escapeXml(description)),
    element('rect', { width, height, fill: '#ffffff' }),
    ...head.elements,
    ...body.elements,
    ...foot.elements,
  ]);
  return { svg, height };
}

/** Describes a chart for people who cannot see it: the ends and the extremes of each line. */
function describeChart({ panels, range, bars }: Chart): string {
  if (panels.length === 0) return 'There are no values.';
  const at = ([x, y]: ChartPoint) =>
    `${y} (${range.kind === 'day' ? addDays('1970-01-01', x) : range.names[x]})`;
  const sentences = panels.flatMap(({ heading, lines }) =>
    lines.map(({ label, runs }) => {
      const apart = [...new Set([label, heading])].filter((text) => text !== '').join(', ');
      const points = bars ? runs.flatMap((run) => run.slice(-1)) : runs.flat();
      const byValue = points.toSorted(([, a], [, b]) => a - b);
      const greatest = byValue.find(([, value]) => value === byValue.at(-1)?.[1]);
      const [first, last, lowest, highest] = [points[0], points.at(-1), byValue[0], greatest].map(
        (point = [0, 0]) => at(point),
      );
      const name = heading.startsWith(`${label}, `) ? heading : apart;
      return `${name}: from ${first} to ${last}, lowest ${lowest}, highest ${highest}.`;
    }),
  );
  return sentences.join(' ');
}

/** A panel with its place and its axis; the names of its lines if it has several. */
type PlacedPanel = ChartPanel & {
  readonly names: readonly string[];
  readonly axis: Axis;
  readonly top: number;
  readonly bottom: number;
};

type ToCoordinate = (value: number) => number;

/** What the panels of a chart share. */
type PanelFrame = {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly x: ToCoordinate;
  readonly chart: Chart;
  readonly grey: boolean;
};

const longestName = 24;

function drawPanels(chart: Chart, from: number, width: number, plot: number, grey: boolean): SvgBlock {
  let bottom = from - gap;
  const panels = chart.panels.map((panel): PlacedPanel => {
    const top = bottom + 2 * gap + (panel.heading === '' ? gap : 30);
    bottom = top + plot;
    const axisOf = chart.log ? logAxis : valueAxis;
    const axis = axisOf(panel.low, panel.high, Math.max(2, Math.round(plot / 50)));
    const labels = panel.lines.map(({ label }) => label);
    return { ...panel, names: labels.length > 1 ? abbreviate(labels, longestName) : [], axis, top, bottom };
  });
  const longest = (texts: readonly string[], bold: boolean) =>
    Math.max(0, ...texts.map((text) => estimateWidth(text, textSize, bold)));
  const labels = panels.flatMap(({ axis }) => axis.ticks.map(({ label }) => label));
  const left = margin + longest(labels, false) + gap;
  const names = panels.flatMap((panel) => panel.names);
  const right = width - margin - gap - longest(names, true);
  const across = (place: number) => left + place * (right - left);
  const labelStarts = ({ ticks, place }: Axis) =>
    placeLabels(
      ticks.map(({ at }) => across(place(at))),
      ticks.map(({ label }) => estimateWidth(label, textSize)),
      { from: margin, to: width - margin, gap: 12 },
    );
  const horizontal = horizontalAxis(chart.range, (axis) => labelStarts(axis) !== undefined);
  const x: ToCoordinate = (value) => across(horizontal.place(value));
  const starts = labelStarts(horizontal) ?? [];
  const ticks = horizontal.ticks.flatMap(({ at, label }, i) => [
    drawRule(x(at), bottom, x(at), bottom + 5, colours.axis),
    textElement(label, (starts[i] ?? x(at)) + estimateWidth(label, textSize) / 2, bottom + 20, {
      anchor: 'middle',
    }),
  ]);
  const frame = { left, right, width, x, chart, grey };
  return {
    elements: [
      ...panels.flatMap((panel) => drawPanel(panel, frame)),
      drawRule(left, bottom, right, bottom, colours.axis),
      ...ticks,
    ],
    end: bottom + 30,
  };
}

function drawPanel(panel: PlacedPanel, frame: PanelFrame): readonly string[] {
  const { axis, top, bottom, lines, names } = panel;
  const { left, right, width, x, chart, grey } = frame;
  const y: ToCoordinate = (value) => bottom - axis.place(value) * (bottom - top);
  const heading = cut(panel.heading, cellsPerLine(width, textSize));
  const shaded = { height: bottom - top, fill: colours.band, 'fill-opacity': 0.7 };
  const places = placeNames(panel, { x, y });
  return [
    ...chart.bands.map(([first, last]) =>
      element('rect', { x: x(first), y: top, width: x(last) - x(first), ...shaded }),
    ),
    ...(heading === '' ? [] : [textElement(heading, margin, top - 16)]),
    ...axis.ticks.flatMap(({ at, label }) => [
      drawRule(left, y(at), right, y(at), at === 0 || y(at) === bottom ? colours.axis : colours.grid),
      textElement(label, left - gap, y(at) + 4, { anchor: 'end' }),
    ]),
    ...lines.flatMap((line, i) => drawLine(line, i, y, frame)),
    ...names.map((name, i) => {
      const [at, height] = places[i] ?? [0, 0];
      return textElement(name, at, height + 4, { colour: colourOf(i, grey), bold: true });
    }),
  ];
}

/** A place of the picture, from its left and its top. */
type PicturePlace = readonly [x: number, y: number];

/** How far above or below the end of a line its name may be. */
const nameShifts = [0, -13, 13, -26, 26];

/** Places the names of lines: at the end of a line that ends early if there is room, otherwise at the right. */
function placeNames(
  { lines, names, top, bottom }: PlacedPanel,
  { x, y }: { readonly x: ToCoordinate; readonly y: ToCoordinate },
): readonly PicturePlace[] {
  const drawn =
    names.length === 0
      ? []
      : lines.map(({ runs }) => runs.map((run) => run.map(([at, value]): PicturePlace => [x(at), y(value)])));
  const ends = drawn.map((runs) => runs.at(-1)?.at(-1) ?? ([0, 0] as const));
  const beside = Math.max(...ends.map(([at]) => at)) + gap;
  const taken: Box[] = [];
  const inside = ends.map(([at, height], i) => {
    const right = at + gap + estimateWidth(names[i] ?? '', textSize, true);
    if (right > beside) return undefined;
    for (const shift of nameShifts) {
      const middle = height + shift;
      const box = { left: at + gap / 2, right, top: middle - textSize / 2, bottom: middle + textSize / 2 };
      if (box.top < top || box.bottom > bottom) continue;
      if (drawn.flat().some((run) => doesCross(run, box)) || taken.some((one) => doOverlap(one, box)))
        continue;
      taken.push(box);
      return [at + gap, middle] as const;
    }
    return undefined;
  });
  const others = ends.filter((_, i) => inside[i] === undefined).map(([, height]) => height);
  const heights = [...spreadOut(others, { from: top, to: bottom, distance: 15 })];
  return inside.map((place): PicturePlace => place ?? [beside, heights.shift() ?? 0]);
}

type Box = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

function doOverlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** Tells whether a line through places crosses a box. */
function doesCross(run: readonly PicturePlace[], { left, right, top, bottom }: Box): boolean {
  return run.some(([x2, y2], i) => {
    const [x1, y1] = run[i - 1] ?? [x2, y2];
    if (x2 < left || x1 > right) return false;
    const heightAt = (x: number) => (x1 === x2 ? y1 : y1 + ((x - x1) / (x2 - x1)) * (y2 - y1));
    const heights = x1 === x2 ? [y1, y2] : [heightAt(Math.max(x1, left)), heightAt(Math.min(x2, right))];
    return Math.min(...heights) <= bottom && Math.max(...heights) >= top;
  });
}

const densePoints = 700;

/** The least and the greatest width of a bar. */
const [leastBar, mostBar] = [1.25, 6];

function drawLine(
  { runs, dots }: ChartPanel['lines'][number],
  number: number,
  y: ToCoordinate,
  { left, right, x, chart, grey }: PanelFrame,
): readonly string[] {
  const colour = colourOf(number, grey);
  // Screens resolve two columns for each user unit.
  const thinned = runs.map((run) => decimate(run, (at) => Math.floor(x(at) * 2)));
  const path = thinned.flatMap((run) =>
    run.length === 1
      ? []
      : run.map(
          ([at, value], i) =>
            `${i === 0 ? 'M' : 'L'}${formatCoordinate(x(at))} ${formatCoordinate(y(value))}`,
        ),
  );
  const bar = Math.max(leastBar, Math.min(mostBar, (0.6 * (right - left)) / runs.length));
  const line = thinned.flat().length > densePoints ? 1.25 : 1.75;
  const style = {
    stroke: colour,
    'stroke-width': chart.bars ? bar : line,
    'stroke-linejoin': 'round',
    'stroke-linecap': chart.bars ? undefined : 'round',
    'stroke-dasharray': grey ? dashes[(number >> 1) % dashes.length] : undefined,
  };
  const r = chart.range.kind === 'maturity' ? 3.5 : 2.5;
  return [
    ...(path.length === 0 ? [] : [element('path', { d: path.join(''), fill: 'none', ...style })]),
    ...dots.map(([at, value]) => element('circle', { cx: x(at), cy: y(value), r, fill: colour })),
  ];
}

function colourOf(line: number, grey: boolean): string {
  const palette = grey ? greys : lineColours;
  return palette[line % palette.length] ?? colours.text;
}

function drawRule(x1: number, y1: number, x2: number, y2: number, stroke: string): string {
  return element('line', { x1, y1, x2, y2, stroke });
}

/** The look of a text. Default: small and soft, from `x` on. */
type TextStyle = {
  readonly size?: number;
  readonly colour?: string;
  readonly bold?: boolean;
  readonly anchor?: 'middle' | 'end';
};

function textElement(content: string, x: number, y: number, style: TextStyle = {}): string {
  const { size = textSize, colour = colours.soft, bold = false, anchor } = style;
  const attributes = {
    x,
    y,
    'font-size': size,
    fill: colour,
    'font-weight': bold ? 600 : undefined,
    'text-anchor': anchor,
  };
  return element('text', attributes, escapeXml(content));
}

function textBlock(
  texts: readonly (TextStyle & { readonly content: string; readonly size: number })[],
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

/** Makes an XML element of escaped content; numbers have at most two decimals, undefined attributes are left out. */
function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content: string | readonly string[] = '',
): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (value === undefined) return '';
    return ` ${key}="${typeof value === 'number' ? formatCoordinate(value) : escapeXml(value)}"`;
  });
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
