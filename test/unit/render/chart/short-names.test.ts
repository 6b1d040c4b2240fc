import { describe, expect, it } from 'vitest';
import { shortNames } from '../../../../src/render/chart/short-names.ts';

describe('short names of lines', () => {
  it.each<readonly [names: readonly string[], most: number, short: readonly string[]]>([
    [['GDP', 'GDPC1'], 8, ['GDP', 'GDPC1']],
    [['CONSUMPTION', 'INVESTMENT'], 8, ['CONSUMP…', 'INVESTM…']],
    // Told apart by what they do not share, each within the room that there is.
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT'], 8, ['…FOOD', '…RENT']],
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT', 'GDP'], 8, ['…FOOD', '…RENT', 'GDP']],
    [['DE.PRICES.FOODSTUFFS', 'DE.PRICES.RENT'], 8, ['…FOODST…', '…RENT']],
    [['DE.PRICES.FOOD', 'DE.PRICES.RENT', 'FR.PRICES.FOOD'], 8, ['…FOOD', '…RENT', 'FR.PRIC…']],
    [['DE.PRICES', 'DE.PRICES.RENT'], 8, ['DE.PRIC…', '….RENT']],
    [['指数指数指数食料', '指数指数指数家賃'], 8, ['…食料', '…家賃']],
    [['LONG NAME \u{1F600}', 'LONG NAME \u{1F680}'], 8, ['…\u{1F600}', '…\u{1F680}']],
    // The curve of a day beside itself.
    [['2024-03-28', '2024-03-28'], 8, ['2024-03…', '2024-03…']],
    [['2024-03-28', '2024-03-28'], 10, ['2024-03-28', '2024-03-28']],
    [[], 8, []],
  ])('of %j in %d cells are %j', (names, most, short) => {
    expect(shortNames(names, most)).toEqual(short);
  });
});
