import { cellWidth, cut, wrap } from '../../terminal-text.ts';

/** The usual width of a picture, and its margin, in user units of the SVG. */
export const usualWidth = 720;
export const margin = 20;
/** The distance between elements that belong together. */
export const gap = 8;

/** The colours of everything but lines. */
export const colours = {
  text: '#111827',
  soft: '#4b5563',
  axis: '#9ca3af',
  grid: '#e5e7eb',
  band: '#e5e7eb',
};

/** Elements, and the vertical position where they end. */
export type SvgBlock = { readonly elements: readonly string[]; readonly end: number };

type TextStyle = {
  readonly size: number;
  readonly colour: string;
  readonly bold?: boolean;
  /** The part of the text that is at `x` (default: its beginning). */
  readonly anchor?: 'middle' | 'end';
};

/** Makes a text element with its base line at `y`. */
export function textElement(
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

/** Makes texts below each other at the left margin, wrapped to the width of the picture. */
export function textBlock(
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

/** The width of a character in the widest of the common fonts, relative to the font size. */
const [widestCell, widestBold] = [0.62, 0.75];

/** Estimates the width of a text in a wide font. */
export function estimateWidth(content: string, size: number, bold = false): number {
  return cellWidth(content) * size * (bold ? widestBold : widestCell);
}

function cellsPerLine(width: number, size: number, bold = false): number {
  return Math.floor((width - 2 * margin) / size / (bold ? widestBold : widestCell));
}

/** Cuts a text to the width between the margins. */
export function cutToWidth(content: string, size: number, width: number): string {
  return cut(content, cellsPerLine(width, size));
}

/**
 * Makes an XML element. Attributes keep their order; numbers have at most two decimals; text content must be escaped.
 */
export function element(
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

/** Writes a coordinate with at most two decimals. */
export function formatCoordinate(value: number): string {
  return String(Number(value.toFixed(2)));
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** The characters that XML 1.0 cannot contain; printable texts have no control characters. */
const forbidden = /[\u{FFFE}\u{FFFF}]/gu;

/** Escapes a printable text for XML. */
export function escapeXml(text: string): string {
  return text
    .replace(forbidden, '\uFFFD')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function attributeText(value: string | number): string {
  return typeof value === 'number' ? formatCoordinate(value) : escapeXml(value);
}
