import { addDays } from '../../../domain/series/date.ts';
import { Problem } from '../../../errors/problem.ts';
import type { Envelope } from '../../../operations/envelope.ts';
import type { OutputLayout, TextRenderer } from '../../renderer.ts';
import { type Chart, ChartBuilder, type ChartLine, type HorizontalRange } from '../chart.ts';
import type { ChartOptions } from '../drawing.ts';
import type { ChartPoint } from '../runs.ts';
import {
  colours,
  element,
  escapeXml,
  gap,
  margin,
  type SvgBlock,
  textBlock,
  textElement,
  usualWidth,
} from './elements.ts';
import { drawPanels, usualPlot } from './panels.ts';

/** A chart as an SVG file for a report, without scripts or embedded fonts; the same rows give the same bytes. */
export class SvgRenderer implements TextRenderer {
  readonly #builder: ChartBuilder;
  readonly #options: ChartOptions;

  constructor({ drawing, chart = {} }: OutputLayout) {
    if (drawing === undefined) throw new Error('svg needs a drawing');
    this.#builder = new ChartBuilder(drawing, chart);
    this.#options = chart;
  }

  page(envelope: Envelope): string {
    this.#builder.add(envelope);
    return '';
  }

  end(): string {
    return `${drawChart(this.#builder.build(), this.#options)}\n`;
  }
}

/** The least width of a picture, and the least height of the plot of a panel. */
const [narrowest, lowestPlot] = [240, 40];

function drawChart(chart: Chart, options: ChartOptions): string {
  const { width = usualWidth, height: wanted } = options;
  if (width < narrowest) throw tooSmall('width', narrowest, width);
  const drawn = drawAt(chart, options, undefined);
  const count = chart.panels.length;
  if (wanted === undefined || count === 0) return drawn.svg;
  // All but the plots is as high at any height.
  const plot = usualPlot(count) + Math.floor((wanted - drawn.height) / count);
  if (plot < lowestPlot)
    throw tooSmall('height', drawn.height - count * (usualPlot(count) - lowestPlot), wanted);
  return drawAt(chart, options, plot, wanted).svg;
}

function tooSmall(what: string, needed: number, wanted: number): Problem {
  return new Problem('bad-input', `this chart needs a ${what} of ${needed}, and ${wanted} was asked for`);
}

function drawAt(
  chart: Chart,
  { width = usualWidth, grey = false }: ChartOptions,
  plot: number | undefined,
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
  const style = { width, grey, ...(plot !== undefined && { plot }) };
  const body = chart.panels.length === 0 ? drawNoValues(head.end, width) : drawPanels(chart, head.end, style);
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

function nameOf({ label }: ChartLine, heading: string): string {
  if (heading === '' || heading === label) return label;
  return heading.startsWith(`${label}, `) ? heading : `${label}, ${heading}`;
}

function describeLine({ runs }: ChartLine, range: HorizontalRange): string {
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
