import { fonts } from './plot-data.ts';

/** A place in pixels of CSS. */
export type PenPoint = readonly [x: number, y: number];

type Stroke = {
  readonly colour: string;
  readonly width?: number;
  readonly dash?: readonly number[];
  readonly opacity?: number;
};

type PenText = {
  readonly colour: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly size?: number;
  readonly isBold?: boolean;
};

/** What a chart draws by itself, on a canvas or into a picture, in pixels of CSS. */
export type Pen = {
  readonly lines: (runs: readonly (readonly PenPoint[])[], stroke: Stroke) => void;
  readonly area: (from: PenPoint, to: PenPoint, colour: string) => void;
  readonly dots: (points: readonly PenPoint[], radius: number, colour: string) => void;
  /** Writes a text whose baseline begins, or ends, at a point. */
  readonly text: (text: string, at: PenPoint, style: PenText) => void;
};

/** Draws on a canvas; `ground` is around texts. */
export function canvasPen(ctx: CanvasRenderingContext2D, ratio: number, ground: string): Pen {
  const within = (draw: () => void) => {
    ctx.save();
    ctx.scale(ratio, ratio);
    draw();
    ctx.restore();
  };
  return {
    lines: (runs, { colour, width = 1, dash = [], opacity = 1 }) =>
      within(() => {
        Object.assign(ctx, { strokeStyle: colour, lineWidth: width, globalAlpha: opacity });
        ctx.setLineDash([...dash]);
        ctx.beginPath();
        for (const run of runs)
          for (const [i, [x, y]] of run.entries()) ctx[i === 0 ? 'moveTo' : 'lineTo'](x, y);
        ctx.stroke();
      }),
    area: ([x, y], [right, bottom], colour) =>
      within(() => {
        ctx.fillStyle = colour;
        ctx.fillRect(x, y, right - x, bottom - y);
      }),
    dots: (points, radius, colour) =>
      within(() => {
        ctx.fillStyle = colour;
        for (const [x, y] of points) {
          ctx.beginPath();
          ctx.arc(x, y, radius, 0, 2 * Math.PI);
          ctx.fill();
        }
      }),
    text: (text, [x, y], { colour, anchor = 'start', size = 12, isBold = false }) =>
      within(() => {
        const font = `${isBold ? '600 ' : ''}${size}px ${fonts}`;
        const textAlign = anchor === 'middle' ? 'center' : anchor;
        Object.assign(ctx, {
          font,
          textAlign,
          textBaseline: 'alphabetic',
          fillStyle: colour,
          strokeStyle: ground,
          lineWidth: 3,
          lineJoin: 'round',
        });
        ctx.strokeText(text, x, y);
        ctx.fillText(text, x, y);
      }),
  };
}

/** Writes elements of SVG to a list. */
export function svgPen(elements: string[], ground: string): Pen {
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
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
