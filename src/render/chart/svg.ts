import type { Layout, TextRenderer } from '../renderer.ts';
import { type Chart, gathering } from './chart.ts';
import { description } from './description.ts';
import { panelsOf } from './svg-panels.ts';
import { type Drawn, gap, ink, margin, paragraph, text, width } from './svg-text.ts';
import { element, xmlText } from './xml.ts';

/** A chart as an SVG file for a report: text alone, without scripts or fonts of its own; the same rows give the same bytes. */
export function svg({ drawing }: Layout): TextRenderer {
  if (drawing === undefined) throw new Error('a command without a drawing cannot be drawn');
  const rows = gathering(drawing);
  return {
    page: (page) => {
      rows.add(page);
      return '';
    },
    end: () => `${svgOf(rows.chart())}\n`,
  };
}

function svgOf(chart: Chart): string {
  const head = paragraph(
    [
      { content: chart.title, size: 17, colour: ink.text, bold: true },
      { content: chart.subtitle, size: 13, colour: ink.soft },
    ],
    margin,
  );
  const drawn = chart.panels.length === 0 ? nothing(head.end) : panelsOf(chart, head.end);
  const source = chart.source === '' ? [] : [`Source: ${chart.source}`];
  const notes = [...chart.key, ...source].map((content) => ({ content, size: 11, colour: ink.soft }));
  const foot = paragraph(notes, drawn.end + gap);
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
      element('title', {}, xmlText(chart.title)),
      element(
        'desc',
        {},
        xmlText([chart.subtitle, description(chart)].filter((text) => text !== '').join('. ')),
      ),
      element('rect', { width, height, fill: '#ffffff' }),
      ...head.elements,
      ...drawn.elements,
      ...foot.elements,
    ],
  );
}

function nothing(top: number): Drawn {
  const elements = [text('no values', width / 2, top + 70, { size: 14, colour: ink.soft, anchor: 'middle' })];
  return { elements, end: top + 120 };
}
