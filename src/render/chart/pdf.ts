import { XMLParser } from 'fast-xml-parser';
import type PDFDocument from 'pdfkit';
import { Problem } from '../../errors/problem.ts';
import type { OutputLayout, Renderer } from '../renderer.ts';
import { svgRenderer } from './svg.ts';

/** Points for each unit of the picture, as browsers print it. */
const scale = 0.75;

/** Renders a chart as PDF: the picture of the SVG file, as vectors, in a font that every reader of PDF has. */
export function pdfRenderer(layout: OutputLayout): Renderer {
  const svg = svgRenderer(layout);
  return {
    page: (envelope) => svg.page(envelope),
    /** Throws a Problem for a text with a letter that the font lacks. */
    async *end() {
      yield* drawPdf(svg.end());
    },
  };
}

/** An element of the picture: its name with its children, and its attributes. */
type Shape = { readonly ':@'?: Readonly<Record<string, string>> } & Readonly<Record<string, unknown>>;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: false,
});

async function* drawPdf(svg: string): AsyncGenerator<Uint8Array> {
  const [root = {}] = parser.parse(svg) as readonly Shape[];
  const shapes = (root.svg ?? []) as readonly Shape[];
  const { width, height } = root[':@'] ?? {};
  const [title, description] = ['title', 'desc'].map((name) =>
    textIn(
      shapes.find((one) => name in one),
      name,
    ),
  );
  const { default: Document } = await import('pdfkit').catch((cause) => {
    throw new Problem('bad-input', 'pdf needs the package pdfkit, which is not installed', {
      hints: ['npm install pdfkit', '-o chart.svg needs no package'],
      cause,
    });
  });
  const document = new Document({
    size: [Number(width) * scale, Number(height) * scale],
    margin: 0,
    // Without the time, equal rows give equal bytes.
    info: { Title: title ?? '', Subject: description ?? '', Creator: 'asof', CreationDate: new Date(0) },
  });
  document.scale(scale);
  for (const shape of shapes) draw(document, shape);
  document.end();
  for await (const chunk of document) yield chunk as Uint8Array;
}

function textIn(shape: Shape | undefined, name: string): string {
  const [content] = (shape?.[name] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return String(content?.['#text'] ?? '');
}

function draw(document: typeof PDFDocument.prototype, shape: Shape): void {
  const style = shape[':@'] ?? {};
  const { fill, stroke, d = '' } = style;
  const at = (name: string) => Number(style[name] ?? 0);
  if ('text' in shape) write(document, textIn(shape, 'text'), style);
  if ('rect' in shape) document.rect(at('x'), at('y'), at('width'), at('height'));
  else if ('circle' in shape) document.circle(at('cx'), at('cy'), at('r'));
  else if ('line' in shape) document.moveTo(at('x1'), at('y1')).lineTo(at('x2'), at('y2'));
  else if ('path' in shape) document.path(d);
  else return;
  if (fill !== undefined && fill !== 'none') {
    document.fillOpacity(Number(style['fill-opacity'] ?? 1)).fill(fill);
    return;
  }
  const dashes = style['stroke-dasharray'];
  if (dashes === undefined) document.undash();
  // The types know only one length, and the library any number.
  else document.dash(dashes.split(' ').map(Number) as unknown as number);
  document.lineJoin(style['stroke-linejoin'] === 'round' ? 'round' : 'miter');
  document.lineCap(style['stroke-linecap'] === 'round' ? 'round' : 'butt');
  document.lineWidth(Number(style['stroke-width'] ?? 1)).stroke(stroke);
}

function write(
  document: typeof PDFDocument.prototype,
  text: string,
  style: Readonly<Record<string, string>>,
): void {
  refuseForeign(text);
  document.font(style['font-weight'] === undefined ? 'Helvetica' : 'Helvetica-Bold');
  document
    .fontSize(Number(style['font-size']))
    .fillOpacity(1)
    .fillColor(style.fill ?? 'black');
  const share = { middle: 0.5, end: 1 }[style['text-anchor'] ?? ''] ?? 0;
  const left = Number(style.x) - share * document.widthOfString(text);
  document.text(text, left, Number(style.y), { lineBreak: false, baseline: 'alphabetic' });
}

/** The characters of the fonts that every reader of PDF has: those of Windows-1252. */
const letters = new Set([
  ...String.fromCharCode(...Array.from({ length: 95 }, (_, i) => i + 0x20)),
  ...String.fromCharCode(...Array.from({ length: 96 }, (_, i) => i + 0xa0)),
  // Node's decoder of Windows-1252 takes these for control characters in some versions.
  ...'€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ',
]);

function refuseForeign(text: string): void {
  const foreign = [...text].find((letter) => !letters.has(letter));
  if (foreign === undefined) return;
  throw new Problem(
    'bad-input',
    `nothing was written: a PDF chart cannot show "${foreign}", which is in ${JSON.stringify(text)}`,
    {
      hints: ['-o chart.svg and -o chart.png have all letters', '--title sets another title'],
    },
  );
}
