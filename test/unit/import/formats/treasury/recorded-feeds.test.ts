import { describe, expect, it } from 'vitest';
import { treasuryXml } from '../../../../../src/import/formats/treasury.ts';
import { recordedBody } from '../../../../support/recordings.ts';
import { readAll, sourceFile } from '../../../../support/source-file.ts';

const feeds = [
  ...['real_yield_curve_2003', 'real_yield_curve_2004', 'real_yield_curve_2010'],
  ...['yield_curve_2009', 'yield_curve_2010', 'yield_curve_2023', 'yield_curve_2024'],
];
const text = (name: string) => recordedBody(`treasury/daily_treasury_${name}.xml`).toString();
const read = (content: string) => readAll(treasuryXml, sourceFile('feed.xml', content));

/** The rates of a feed as `2010-01-04 BC_10YEAR 3.85`, read with a pattern. */
function ratesIn(xml: string): string[] {
  return [...xml.matchAll(/<m:properties>([\s\S]*?)<\/m:properties>/g)].flatMap(([, entry = '']) => {
    const [, day = ''] = /<d:NEW_DATE[^>]*>(\d{4}-\d{2}-\d{2})T/.exec(entry) ?? [];
    const rates = [...entry.matchAll(/<d:((?:BC|TC)_(?!30YEARDISPLAY)\w+)[^>]*>([^<]+)</g)];
    return rates.map(([, name, rate]) => `${day} ${name} ${rate}`);
  });
}

const nameOf = (maturity: string, curveType: string) =>
  `${curveType === 'PAR' ? 'BC' : 'TC'}_${maturity.slice(0, -1).replace('.', '_')}${maturity.endsWith('M') ? 'MONTH' : 'YEAR'}`;

describe('a recorded feed of Treasury', () => {
  it.each(feeds)('gives every rate of %s, digit by digit, and no other', async (name) => {
    const xml = text(name);
    const { points } = await read(xml);
    const found = points.map(
      ({ tradeDate, maturity, curveType, rate }) => `${tradeDate} ${nameOf(maturity, curveType)} ${rate}`,
    );
    expect(found.length).toBeGreaterThan(700);
    expect(found.sort()).toEqual(ratesIn(xml).sort());
  });

  it('has a day without a curve where only the rate for display is stated', async () => {
    const { points } = await read(text('yield_curve_2010'));
    expect(text('yield_curve_2010')).toContain('2010-10-11T00:00:00');
    expect(points.filter(({ tradeDate }) => tradeDate === '2010-10-11')).toEqual([]);
  });
});
