import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitWidths, gap } from '../../../../src/render/table.ts';

const text = (natural: number) => ({ natural, least: Math.min(natural, 8) });
const rigid = (natural: number) => ({ natural, least: natural });

describe('the widths of columns', () => {
  it.each([
    ['are the natural ones if there is room', [rigid(10), text(20)], 32, [10, 20]],
    ['take from the widest first', [text(30), text(12)], 34, [20, 12]],
    ['take equally from equals', [text(30), text(30)], 42, [20, 20]],
    ['never take from a column that may not be cut', [rigid(30), text(12)], 40, [30, 8]],
    ['leave out columns from the end', [rigid(30), text(12), rigid(4)], 40, [30, 8]],
    ['give texts their full width once other columns are left out', [text(20), rigid(30)], 24, [20]],
    ['cut the first column rather than leave it out', [text(30), rigid(30)], 12, [12]],
    ['keep the first column whole if it may not be cut', [rigid(30), rigid(30)], 12, [30]],
    ['are empty for no columns', [], 80, []],
  ])('%s', (_, wishes, width, expected) => {
    expect(fitWidths(wishes, width)).toEqual(expected);
  });

  const wish = fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }))
    .map(([a, b]) => ({ natural: Math.max(a, b), least: Math.min(a, b) }));

  it('fit the line, stay between least and natural, and leave no room for another column', () => {
    fc.assert(
      fc.property(
        fc.array(wish, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 60, max: 200 }),
        (wishes, width) => {
          const widths = fitWidths(wishes, width);
          const total = (all: readonly number[]) =>
            all.reduce((sum, one) => sum + one, 0) + gap * (all.length - 1);
          expect(total(widths)).toBeLessThanOrEqual(width);
          for (const [i, cells] of widths.entries()) {
            expect(cells).toBeGreaterThanOrEqual(wishes[i]?.least ?? Number.NaN);
            expect(cells).toBeLessThanOrEqual(wishes[i]?.natural ?? Number.NaN);
          }
          if (widths.length === wishes.length) return;
          expect(total(wishes.slice(0, widths.length + 1).map(({ least }) => least))).toBeGreaterThan(width);
        },
      ),
    );
  });
});
