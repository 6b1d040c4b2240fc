import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { progressLine, type Share } from '../../../src/render/progress-line.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Any grapheme takes at most two cells, however many code points it has. */
function cellsOf(line: string): number {
  const widths = Array.from(graphemes.segment(line), ({ segment }) => Math.min(2, stringWidth(segment)));
  return widths.reduce((sum, width) => sum + width, 0);
}

describe('the line of long work', () => {
  it.each<readonly [text: string, share: Share | undefined, seconds: number, line: string]>([
    ['2 requests', undefined, 3, '2 requests'],
    ['', { done: 12_000, unit: 'rows' }, 3, '12,000 rows, 4,000 rows/s'],
    ['', { done: 7, unit: 'requests' }, 2, '7 requests, 3.5 requests/s'],
    ['', { done: 1, unit: 'series' }, 300, '1 series, 0.0033 series/s'],
    ['', { done: 0, unit: 'rows' }, 3, '0 rows'],
    ['', { done: 5, unit: 'rows' }, 0, '5 rows'],
    ['a.csv', { done: 1, total: 4 }, 2, '[#####...............] 1 of 4, 6 s left, a.csv'],
    ['a.csv', { done: 0, total: 4 }, 2, '[....................] 0 of 4, a.csv'],
    ['', { done: 19, total: 1000 }, 2, '[....................] 19 of 1,000'],
    ['', { done: 20, total: 1000 }, 2, '[....................] 20 of 1,000, 1 min 38 s left'],
    ['', { done: 4, total: 4 }, 2, '[####################] 4 of 4'],
    ['', { done: 5, total: 4 }, 2, '[####################] 5 of 4'],
    ['', { done: 0, total: 0 }, 2, '[....................] 0 of 0'],
    [
      '',
      { done: 250_000, total: 1_000_000, unit: 'rows' },
      2,
      '[#####...............] 250,000 of 1,000,000 rows, 125,000 rows/s, 6 s left',
    ],
    [
      '9 rows of b.csv',
      { done: 10_250_000, total: 41_000_000, unit: 'bytes' },
      2,
      '[#####...............] 10.3 of 41.0 MB, 5.1 MB/s, 6 s left, 9 rows of b.csv',
    ],
    [
      '',
      { done: 500, total: 2000, unit: 'bytes' },
      1,
      '[#####...............] 0.5 of 2.0 kB, 0.5 kB/s, 3 s left',
    ],
    [
      '',
      { done: 3e9, total: 4e9, unit: 'bytes' },
      60,
      '[###############.....] 3.0 of 4.0 GB, 50.0 MB/s, 20 s left',
    ],
    ['', { done: 1, total: 2 }, 59.2, '[##########..........] 1 of 2, 1 min 0 s left'],
    ['', { done: 1, total: 2 }, 125, '[##########..........] 1 of 2, 2 min 5 s left'],
    ['', { done: 1, total: 2 }, 3660, '[##########..........] 1 of 2, 1 h 1 min left'],
  ])('%j %j after %d s', (text, share, seconds, line) => {
    expect(progressLine(text, share, seconds * 1000, 100)).toBe(line);
  });

  it.each([
    [79, '[##########..........] 1 of 2 files, 0.25 files/s, 4 s left, looking at data/gdp.csv'.slice(0, 78)],
    [60, '[##########..........] 1 of 2 files, 0.25 files/s, 4 s left'.slice(0, 59)],
    [58, '1 of 2 files, 0.25 files/s, 4 s left, looking at data/gdp.csv'.slice(0, 57)],
    [20, '1 of 2 files, 0.25 f'.slice(0, 19)],
    [1, ''],
  ])('in %d cells keeps what it can', (width, kept) => {
    const share = { done: 1, total: 2, unit: 'files' };
    expect(progressLine('looking at data/gdp.csv', share, 4000, width)).toBe(`${kept}…`);
  });

  it('is never wider than allowed, and passes no control character of a file name on', () => {
    const count = fc.nat({ max: 1e12 });
    const share = fc.record({ done: count, total: count, unit: fc.constantFrom('rows', 'bytes') });
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(text, share, count, fc.integer({ min: 1, max: 120 }), (words, done, elapsed, width) => {
        const line = progressLine(words, done, elapsed, width);
        expect(cellsOf(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E]/u);
      }),
    );
  });
});
