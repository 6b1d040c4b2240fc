import { addDays } from '../../../domain/series/date.ts';
import type { Envelope } from '../../../operations/envelope.ts';
import type { OutputLayout, TextRenderer } from '../../renderer.ts';
import { type Chart, ChartBuilder, type ChartLine, type HorizontalRange } from '../chart.ts';
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
  width,
} from './elements.ts';
import { drawPanels } from './panels.ts';

/** A chart as an SVG file for a report, without scripts or embedded fonts; the same rows give the same bytes. */
export class SvgRenderer implements TextRenderer {
  readonly #builder: ChartBuilder;

  constructor({ drawing }: OutputLayout) {
    if (drawing === undefined) throw new Error('svg needs a drawing');
    this.#builder = new ChartBuilder(drawing);
  }

  page(envelope: Envelope): string {
    this.#builder.add(envelope);
    return '';
  }

  end(): string {
    return `${drawChart(this.#builder.build())}\n`;
  }
}

function drawChart(chart: Chart): string {
  const head = textBlock(
    [
      { content: chart.title, size: 17, colour: colours.text, bold: true },
      { content: chart.subtitle, size: 13, colour: colours.soft },
    ],
    margin,
  );
  const body = chart.panels.length === 0 ? drawNoValues(head.end) : drawPanels(chart, head.end);
  const source = chart.source === '' ? [] : [`Source: ${chart.source}`];
  const notes = [...chart.key, ...source].map((content) => ({ content, size: 11, colour: colours.soft }));
  const foot = textBlock(notes, body.end + gap);
  const height = Math.ceil(foot.end + margin - gap);
  return element(
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
}

function drawNoValues(top: number): SvgBlock {
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
