import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abbreviate, placeLabels, spreadOut } from '../../../../src/render/chart/labels.ts';

describe('labels in a row', () => {
  const room = { from: 0, to: 30, gap: 2 };
  it.each<readonly [string, readonly number[], readonly number[], readonly number[] | undefined]>([
    ['are centred at their places', [5, 15], [4, 4], [3, 13]],
    ['stay between the limits', [0, 30], [4, 4], [0, 26]],
    ['are refused if they are closer than the gap', [5, 10], [4, 4], undefined],
    ['are refused if one is too long', [5], [40], undefined],
  ])('%s', (_, centres, widths, starts) => {
    expect(placeLabels(centres, widths, room)).toEqual(starts);
  });
});

describe('labels below each other', () => {
  it.each<readonly [string, readonly number[], readonly number[]]>([
    ['stay where they are if there is room', [2, 7], [2, 7]],
    ['move apart', [5, 5, 5], [5, 6, 7]],
    ['stay between the limits', [9, 9], [8, 9]],
    ['keep their order', [9, 0, 9], [8, 0, 9]],
  ])('%s', (_, wanted, places) => {
    expect(spreadOut(wanted, { from: 0, to: 9, distance: 1 })).toEqual(places);
  });

  it('never meet and never leave the limits if there is room for all', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 21 }), (wanted) => {
        const places = spreadOut(wanted, { from: 0, to: 20, distance: 1 });
        expect(new Set(places).size).toBe(wanted.length);
        expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...places)).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe('the abbreviations', () => {
  it.each<readonly [names: readonly string[], most: number, short: readonly string[]]>([
    [['GDP', 'GDPC1'], 8, ['GDP', 'GDPC1']],
    [['CONSUMPTION', 'INVESTMENT'], 8, ['CONSUMP…', 'INVESTM…']],
    // The common beginning is cut off where the rest fits better.
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT'], 8, ['…FOOD', '…RENT']],
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT', 'GDP'], 8, ['…FOOD', '…RENT', 'GDP']],
    [['DE.PRICES.FOODSTUFFS', 'DE.PRICES.RENT'], 8, ['…FOODST…', '…RENT']],
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT', 'FR.PRICES.FOOD'], 8, ['…FOOD', '…RENT', 'FR.PRIC…']],
    [['DE.PRICES', 'DE.PRICES.RENT'], 8, ['DE.PRIC…', '….RENT']],
    [['指数指数指数食料', '指数指数指数家賃'], 8, ['…食料', '…家賃']],
    [['LONG NAME \u{1F600}', 'LONG NAME \u{1F680}'], 8, ['…\u{1F600}', '…\u{1F680}']],
    // A curve that is compared with itself.
    [['2024-03-28', '2024-03-28'], 8, ['2024-03…', '2024-03…']],
    [['2024-03-28', '2024-03-28'], 10, ['2024-03-28', '2024-03-28']],
    [[], 8, []],
  ])('of %j in %d cells are %j', (names, most, short) => {
    expect(abbreviate(names, most)).toEqual(short);
  });
});
