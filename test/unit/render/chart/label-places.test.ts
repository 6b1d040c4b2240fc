import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelRow, spread } from '../../../../src/render/chart/label-places.ts';

describe('labels in a row', () => {
  const room = { from: 0, to: 30, gap: 2 };
  it.each<readonly [string, readonly number[], readonly number[], readonly number[] | undefined]>([
    ['stand in the middle of their places', [5, 15], [4, 4], [3, 13]],
    ['stay inside', [0, 30], [4, 4], [0, 26]],
    ['are not written closer than the gap', [5, 10], [4, 4], undefined],
    ['nor where one alone is too long', [5], [40], undefined],
  ])('%s', (_, centres, widths, starts) => {
    expect(labelRow(centres, widths, room)).toEqual(starts);
  });
});

describe('labels below each other', () => {
  it.each<readonly [string, readonly number[], readonly number[]]>([
    ['stand where they want to', [2, 7], [2, 7]],
    ['give way to each other', [5, 5, 5], [5, 6, 7]],
    ['stay inside', [9, 9], [8, 9]],
    ['keep their order', [9, 0, 9], [8, 0, 9]],
  ])('%s', (_, wanted, places) => {
    expect(spread(wanted, { from: 0, to: 9, distance: 1 })).toEqual(places);
  });

  it('never meet and never leave where there is room for all', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 21 }), (wanted) => {
        const places = spread(wanted, { from: 0, to: 20, distance: 1 });
        expect(new Set(places).size).toBe(wanted.length);
        expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...places)).toBeLessThanOrEqual(20);
      }),
    );
  });
});
