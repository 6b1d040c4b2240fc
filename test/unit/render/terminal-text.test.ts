import { describe, expect, it } from 'vitest';
import { printable } from '../../../src/render/printable.ts';
import { cellWidth, cut } from '../../../src/render/terminal-text.ts';

// Widths: Unicode's EastAsianWidth.txt (W and F are two cells) and emoji-test.txt.
describe('the width in cells', () => {
  it.each([
    ['ASCII', 'GDPC1', 5],
    ['nothing', '', 0],
    ['Latin with marks', 'Zürich', 6],
    ['a mark of its own', 'e\u0301', 1],
    ['ideographs', '国内総生産', 10],
    ['Hangul', '한국', 4],
    ['fullwidth forms', 'ＧＤＰ', 6],
    ['an emoji', '📈', 2],
    ['a family of joined emoji', '👩‍👩‍👧', 2],
    ['a flag', '🇺🇸', 2],
    ['the sign of a cut', '…', 1],
    ['the picture of a control character', '␛', 1],
  ])('%s', (_, text, width) => {
    expect(cellWidth(text)).toBe(width);
  });
});

describe('cutting', () => {
  it.each([
    ['leaves what fits', 'GDPC1', 5, 'GDPC1'],
    ['marks what is cut', 'GDPC1', 4, 'GDP…'],
    ['keeps a wide character whole or not at all', '国内総', 4, '国…'],
    ['keeps joined emoji together', '👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['keeps a mark with its letter', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['to one cell leaves the sign alone', 'GDPC1', 1, '…'],
  ])('%s', (_, text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });
});

describe('what is printable stays as it is', () => {
  it.each(['Gross Domestic Product', 'Zürich', '国内総生産', '👩‍👩‍👧', 'می‌خواهم'])('%s', (text) => {
    expect(printable(text)).toBe(text);
  });
});
