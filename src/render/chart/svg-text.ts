import { cellWidth, cut } from '../terminal-text.ts';
import { wrapped } from './wrapped.ts';
import { element, xmlText } from './xml.ts';

/** The width of the picture in its own units, and the margin around what is in it. */
export const width = 720;
export const margin = 20;
/** The distance between things that belong together. */
export const gap = 8;

/** Colours of everything but lines. */
export const ink = { text: '#111827', soft: '#4b5563', axis: '#9ca3af', grid: '#e5e7eb' };

/** Elements, and how far down they reach. */
export type Drawn = { readonly elements: readonly string[]; readonly end: number };

/** How a text looks. */
type Type = {
  readonly size: number;
  readonly colour: string;
  readonly bold?: boolean;
  readonly anchor?: 'middle' | 'end';
};

/** A text whose base line begins, or has its middle or end, at a place. */
export function text(content: string, x: number, y: number, { size, colour, bold, anchor }: Type): string {
  const weight = bold === true ? { 'font-weight': 600 } : {};
  const anchored = anchor === undefined ? {} : { 'text-anchor': anchor };
  return element('text', { x, y, 'font-size': size, fill: colour, ...weight, ...anchored }, xmlText(content));
}

/** Texts below each other at the left margin, each in as many lines as it takes. */
export function paragraph(texts: readonly (Type & { readonly content: string })[], top: number): Drawn {
  let end = top;
  const elements = texts.flatMap(({ content, ...type }) =>
    wrapped(content, cellsOf(type.size, type.bold)).map((line) => {
      end += Math.round(type.size * 1.4);
      return text(line, margin, end - 4, type);
    }),
  );
  return { elements, end };
}

/** What a character takes in the widest of common fonts, in proportion to its size. */
const [widestCell, widestBold] = [0.62, 0.75];

/** How wide a text is about, where the font is a wide one. */
export function wide(content: string, size: number, bold = false): number {
  return cellWidth(content) * size * (bold ? widestBold : widestCell);
}

/** How many cells of text fit between the margins. */
function cellsOf(size: number, bold = false): number {
  return Math.floor((width - 2 * margin) / size / (bold ? widestBold : widestCell));
}

/** As much of a text as fits between the margins. */
export function cutToLine(content: string, size: number): string {
  return cut(content, cellsOf(size));
}
