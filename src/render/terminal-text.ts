import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
// Characters of one cell and one code unit; what most texts consist of needs no look at its graphemes.
const plain = /^[ -~…]*$/;

/** How many cells of a terminal's line a printable text takes: two for wide characters and emoji, none for combining marks. */
export function cellWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** What a reader sees as one character never takes more than two cells, however many code points make it up. */
function graphemeWidth(grapheme: string): number {
  return Math.min(2, stringWidth(grapheme));
}

/** The text in at most `width` cells, ending in `…` where something is cut off; characters are never split. */
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
