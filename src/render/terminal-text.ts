import stringWidth from 'string-width';
import { packed } from './printable.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
// Characters of one cell and one code unit; most texts have only these, and need no segmenting.
const plain = /^[ -~…]*$/;

/** Measures a printable text in terminal cells: two for wide characters and emoji, zero for combining marks. */
export function cellWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Measures a grapheme, at most two cells for any number of code points. */
function graphemeWidth(grapheme: string): number {
  return Math.min(2, stringWidth(grapheme));
}

/** Cuts a text to `width` cells and marks the cut with `…`; never splits a grapheme. */
export function cut(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  if (plain.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Breaks a text between words into lines of at most `width` cells; cuts a longer word. */
export function wrap(text: string, width: number): readonly string[] {
  const words = text.split(' ').filter((part) => part !== '');
  return packed(
    words.map((word) => cut(word, width)),
    width,
    '',
    cellWidth,
  );
}
