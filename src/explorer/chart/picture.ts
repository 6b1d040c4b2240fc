import type uPlot from 'uplot';
import {
  drawAbove,
  drawBehind,
  frameOf,
  type Pen,
  type PlotFrame,
  placesPerDot,
  runsOf,
  upright,
} from './overlay.ts';
import { colourOf, fonts, type PlotData, type PlotLine, positionsOf } from './plot-data.ts';

/** The texts around a saved chart. */
export type PictureWords = {
  readonly title: string;
  readonly subtitle: string;
  readonly source: string;
};

const margin = 16;

/** Returns a chart as SVG, with the places, colours and axes that are on the page; `description` is a sentence. */
export function svgOf(plot: uPlot, data: PlotData, words: PictureWords, description: string): string {
  const ground = colourOf('--ground');
  const [texts, chart]: [string[], string[]] = [[], []];
  const width = plot.width + 2 * margin;
  let end = margin;
  const write = (text: string, size: number, colour: string, isBold = false) => {
    for (const line of wrapped(text, (width - 2 * margin) / (size * (isBold ? 0.6 : 0.54)))) {
      end += Math.round(size * 1.4);
      svgPen(texts, ground).text(line, [margin, end - 4], { size, colour, isBold });
    }
  };
  write(words.title, 18, colourOf('--text'), true);
  write(words.subtitle, 13, colourOf('--soft'));
  const units = [data.unit, data.otherUnit].filter((unit) => unit !== undefined && unit !== '');
  write(units.join(' (left) and ') + (units.length > 1 ? ' (right)' : ''), 12, colourOf('--soft'));
  const top = end + 8;
  const pen = svgPen(chart, ground);
  const frame = frameOf(plot);
  drawBehind(pen, data, frame);
  drawAxes(pen, plot, frame);
  for (const line of data.lines) if (line.isHidden !== true) drawLine(pen, line, data, frame);
  drawAbove(pen, data, frame);
  end = top + plot.height + 4;
  write(words.source === '' ? 'asof' : `Source: ${words.source}; asof`, 11, colourOf('--soft'));
  const height = end + margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="${escapeXml(fonts)}">`,
    `<title>${escapeXml(words.title)}</title><desc>${escapeXml(description)}</desc>`,
    `<rect width="${width}" height="${height}" fill="${ground}"/>`,
    ...texts,
    `<g transform="translate(${margin} ${top})">`,
    ...chart,
    '</g></svg>\n',
  ].join('\n');
}

/** The ticks of an axis, which uPlot keeps where its types do not tell. */
type DrawnAxis = uPlot.Axis & { readonly _splits?: readonly number[]; readonly _values?: readonly string[] };

function drawAxes(pen: Pen, { axes }: uPlot, { left, right, top, bottom, x, y }: PlotFrame): void {
  const [grid, soft] = [colourOf('--grid'), colourOf('--soft')];
  for (const [i, { _splits = [], _values = [], scale }] of (axes as readonly DrawnAxis[]).entries())
    for (const [j, split] of _splits.entries()) {
      const label = _values[j] ?? '';
      const isOther = scale === 'other';
      if (i === 0) {
        pen.lines([upright(x(split), top, bottom + 5)], { colour: grid });
        pen.text(label, [x(split), bottom + 20], { colour: soft, anchor: 'middle' });
      } else {
        if (!isOther)
          pen.lines(
            [
              [
                [left - 5, y(split)],
                [right, y(split)],
              ],
            ],
            { colour: grid },
          );
        const place = isOther ? right + 8 : left - 8;
        pen.text(label, [place, y(split, isOther) + 4], { colour: soft, anchor: isOther ? 'start' : 'end' });
      }
    }
}

function drawLine(
  pen: Pen,
  { values, form, width = 1.5, isOther, ...line }: PlotLine,
  data: PlotData,
  frame: PlotFrame,
) {
  const colour = colourOf(line.colour);
  const runs = runsOf(values, data, frame, isOther);
  const stepped = runs.map((run) =>
    run.flatMap(([x, y], i) => [...(i === 0 ? [] : [[x, run[i - 1]?.[1] ?? y] as const]), [x, y] as const]),
  );
  if (form !== 'dots') pen.lines(form === 'steps' ? stepped : runs, { colour, width });
  const points = runs.flat();
  const every = form === 'dots' ? placesPerDot(points.length, frame.right - frame.left) : 1;
  const dots = points.filter((_, i) => i % every === 0);
  if (form !== undefined && form !== 'line') pen.dots(dots, 2, colour);
  // As uPlot does, where the places of all lines have room.
  else if (placesOn(data, frame) <= (frame.right - frame.left) / 12) pen.dots(points, 3, colour);
}

function placesOn(data: PlotData, { first, last }: PlotFrame): number {
  return positionsOf(data).filter((place) => place >= first && place <= last).length;
}

function wrapped(text: string, most: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > most && lines.at(-1) !== '') lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.filter((line) => line !== '');
}

/** Writes elements of SVG to a list. */
function svgPen(elements: string[], ground: string): Pen {
  const write = (
    name: string,
    attributes: Readonly<Record<string, string | number | undefined>>,
    content = '',
  ) => {
    const given = Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined
        ? []
        : [`${key}="${escapeXml(typeof value === 'number' ? rounded(value) : value)}"`],
    );
    elements.push(
      `<${[name, ...given].join(' ')}${content === '' ? '/>' : `>${escapeXml(content)}</${name}>`}`,
    );
  };
  return {
    lines(runs, { colour, width = 1, dash = [], opacity }) {
      const d = runs.map((run) =>
        run.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`).join(''),
      );
      const dashes = dash.length === 0 ? undefined : dash.join(' ');
      if (d.join('') !== '')
        write('path', {
          ...{
            d: d.join(''),
            fill: 'none',
            stroke: colour,
            'stroke-width': width,
            'stroke-linejoin': 'round',
          },
          ...{ 'stroke-dasharray': dashes, 'stroke-opacity': opacity },
        });
    },
    area: ([x, y], [right, bottom], fill) =>
      write('rect', { x, y, width: right - x, height: bottom - y, fill }),
    dots(points, r, fill) {
      for (const [cx, cy] of points) write('circle', { cx, cy, r, fill });
    },
    text: (text, [x, y], { colour, anchor, size = 12, isBold = false }) =>
      write(
        'text',
        {
          ...{
            x,
            y,
            fill: colour,
            'font-size': size,
            'text-anchor': anchor,
            'font-weight': isBold ? 600 : undefined,
          },
          ...{ stroke: ground, 'stroke-width': 3, 'stroke-linejoin': 'round', 'paint-order': 'stroke' },
        },
        text,
      ),
  };
}

function rounded(value: number): string {
  return String(Number(value.toFixed(2)));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for XML, which cannot contain some control characters. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

/** Turns an SVG into a PNG of twice its size. */
export async function pngOf(svg: Blob): Promise<Blob> {
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('this browser makes no PNG of the picture; save it as SVG');
  return blob;
}
