import { describe, expect, it } from 'vitest';
import { printable } from '../../../src/render/printable.ts';
import { cellWidth, cut } from '../../../src/render/terminal-text.ts';

// Widths: Unicode's EastAsianWidth.txt (W and F are two cells) and emoji-test.txt.
describe('the width in terminal cells of', () => {
  it.each([
    ['ASCII', 'GDPC1', 5],
    ['an empty text', '', 0],
    ['Latin with marks', 'Zürich', 6],
    ['a combining mark', 'e\u0301', 1],
    ['ideographs', '国内総生産', 10],
    ['Hangul', '한국', 4],
    ['fullwidth forms', 'ＧＤＰ', 6],
    ['an emoji', '📈', 2],
    ['a family of joined emoji', '👩‍👩‍👧', 2],
    ['a flag', '🇺🇸', 2],
    ['an ellipsis', '…', 1],
    ['the picture of a control character', '␛', 1],
  ])('%s', (_, text, width) => {
    expect(cellWidth(text)).toBe(width);
  });
});

describe('cutting a text', () => {
  it.each([
    ['leaves a text that fits', 'GDPC1', 5, 'GDPC1'],
    ['marks the cut', 'GDPC1', 4, 'GDP…'],
    ['keeps a wide character whole or drops it', '国内総', 4, '国…'],
    ['keeps joined emoji together', '👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['keeps a mark with its letter', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['to one cell leaves only the ellipsis', 'GDPC1', 1, '…'],
  ])('%s', (_, text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });
});

describe('printable text stays unchanged:', () => {
  it.each(['Gross Domestic Product', 'Zürich', '国内総生産', '👩‍👩‍👧', 'می‌خواهم'])('%s', (text) => {
    expect(printable(text)).toBe(text);
  });
});
