import { describe, expect, it } from 'vitest';
import { treasuryXml } from '../../../../../src/import/formats/treasury.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { pointsIn, readAll, tempFile } from '../../../../support/temp-files.ts';

const namespaces =
  'xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"';
const feed = (...entries: string[]) =>
  `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>\r\n<feed ${namespaces} xmlns="http://www.w3.org/2005/Atom">\n<title type="text">DailyTreasuryYieldCurveRateData</title>\n${entries.join('\n')}\n</feed>`;
const entry = (properties: string) =>
  `<entry>\n<content type="application/xml">\n<m:properties>\n${properties}\n</m:properties>\n</content>\n</entry>`;
const date = '<d:NEW_DATE m:type="Edm.DateTime">2025-02-18T00:00:00</d:NEW_DATE>';
const rate = (name: string, text: string) => `<d:${name} m:type="Edm.Double">${text}</d:${name}>`;
const read = (text: string | Uint8Array) =>
  tempFile('2025.xml', text).then((file) => pointsIn(treasuryXml, file));

describe('the feed of the Treasury', () => {
  it('gives each rate as published, from one entry or several', async () => {
    const first = entry(
      date + rate('BC_1MONTH', '4.37') + rate('BC_1_5MONTH', '4.380') + rate('BC_10YEAR', '4.55'),
    );
    const points = ['2025-02-18 PAR 1M 4.37', '2025-02-18 PAR 1.5M 4.380', '2025-02-18 PAR 10Y 4.55'];
    expect(await read(feed(first))).toEqual(points);
    const second = entry(date.replace('02-18', '02-19') + rate('BC_2YEAR', '007.50'));
    expect(await read(feed(first, second))).toEqual([...points, '2025-02-19 PAR 2Y 007.50']);
  });

  it('has no rate if the element is absent, empty or null, and ignores the one for display', async () => {
    const properties = `${date}<d:BC_1MONTH m:type="Edm.Double" m:null="true"/><d:BC_2MONTH m:null="true">0</d:BC_2MONTH><d:BC_3MONTH />`;
    expect(await read(feed(entry(properties + rate('BC_30YEARDISPLAY', '0'))))).toEqual([]);
  });

  it('may be of the real curve', async () => {
    expect(await read(feed(entry(date + rate('TC_5YEAR', '-1.65') + rate('TC_30YEAR', '2.31'))))).toEqual([
      '2025-02-18 TIPS 5Y -1.65',
      '2025-02-18 TIPS 30Y 2.31',
    ]);
  });

  it('names its source on every point', async () => {
    const batches = await readAll(
      treasuryXml,
      await tempFile('a.xml', feed(entry(date + rate('BC_1YEAR', '4')))),
    );
    const point = { curveType: 'PAR', tradeDate: '2025-02-18', maturity: '1Y', rate: '4' };
    expect(batches).toEqual([{ points: [{ ...point, source: 'U.S. Treasury' }] }]);
  });

  it('has a day without a curve where an entry has no rates, as on Columbus Day of 2010', async () => {
    const columbusDay = `<d:Id m:type="Edm.Int32">3458</d:Id>
<d:NEW_DATE m:type="Edm.DateTime">2010-10-11T00:00:00</d:NEW_DATE>
<d:BC_30YEARDISPLAY m:type="Edm.Double">0.00</d:BC_30YEARDISPLAY>`;
    const before = `<d:NEW_DATE m:type="Edm.DateTime">2010-10-08T00:00:00</d:NEW_DATE>${rate('BC_10YEAR', '2.41')}`;
    const file = await tempFile('2010.xml', feed(entry(before), entry(columbusDay)));
    const point = { curveType: 'PAR', tradeDate: '2010-10-08', maturity: '10Y', rate: '2.41' };
    expect(await readAll(treasuryXml, file)).toEqual([
      {
        points: [{ ...point, source: 'U.S. Treasury' }],
        notes: ['2010-10-11 has no rates: a day without a curve'],
      },
    ]);
  });

  const good = entry(date + rate('BC_1MONTH', '1'));
  const late = (properties: string) => feed(good, entry(`${date}\n${properties}`));
  const cases: readonly [string, string | Uint8Array, string][] = [
    ['without entries', feed(), ': the feed has no entry'],
    ['that is not a feed', '<table><row/></table>', ': this XML is not a feed'],
    [
      'with an unknown maturity',
      late(rate('BC_40YEAR', '1')),
      ', row 15, column "BC_40YEAR": not a maturity that asof knows',
    ],
    [
      'with a maturity that the real curve does not have',
      late(rate('TC_2YEAR', '1')),
      ', row 15, column "TC_2YEAR": not a maturity that asof knows',
    ],
    [
      'with a rate on a weekend',
      feed(entry(date.replace('02-18', '02-22') + rate('BC_1YEAR', '4'))),
      ', row 6, column "BC_1YEAR": "4": 2025-02-22 is a Saturday',
    ],
    [
      'with a rate from before its maturity',
      feed(entry(date.replace('02-18', '02-14') + rate('BC_1_5MONTH', '4'))),
      ', row 6, column "BC_1_5MONTH": "4": there is no 1.5M rate before 2025-02-18',
    ],
    [
      'with zeros only, as on Good Friday of 2017 in the old feed',
      feed(entry(date.replace('2025-02-18', '2017-04-14') + rate('BC_1MONTH', '0') + rate('BC_10YEAR', '0'))),
      ', row 6: "2017-04-14": all rates are zero, as of no trade date',
    ],
    ['with a rate in words', late(rate('BC_1YEAR', 'n/a')), ', row 15, column "BC_1YEAR": "n/a": not a rate'],
    [
      'with a rate of entities',
      late(rate('BC_1YEAR', '4&#46;5')),
      ', row 15, column "BC_1YEAR": "4&#46;5": not a rate',
    ],
    [
      'with elements in a rate',
      late(rate('BC_1YEAR', '<x>1</x>')),
      ', row 15, column "BC_1YEAR": elements instead of a rate',
    ],
    [
      'with a repeated rate',
      late(rate('BC_1YEAR', '1') + rate('BC_1YEAR', '1')),
      ', row 15, column "BC_1YEAR": the element appears twice in one entry',
    ],
    [
      'with an entry without a date',
      feed(entry(rate('BC_1YEAR', '1'))),
      ', row 6, column "NEW_DATE": "": not a date of the form YYYY-MM-DDT00:00:00',
    ],
    [
      'with a day that does not exist',
      feed(entry(date.replace('02-18', '02-30'))),
      ', row 6, column "NEW_DATE": "2025-02-30T00:00:00": not a date',
    ],
    [
      'with a time of day',
      feed(entry(date.replace('T00', 'T05'))),
      ', row 6, column "NEW_DATE": "2025-02-18T05:00:00": not a date',
    ],
    ['with an empty entry', feed(good, '<entry><id/></entry>'), ', row 11: an entry without properties'],
    [
      'with other rates',
      feed(entry(date + rate('ROUND_B1_YIELD_4WK_2', '1'))),
      ', row 4: an entry without BC_… or TC_… rates',
    ],
    [
      'when it is cut short between entries',
      feed(good).replace('</feed>', ''),
      ", row 2: the XML is broken or cut short: Unclosed tag 'feed'.",
    ],
    [
      'when it is cut short in an entry',
      feed(good).slice(0, -60),
      ': the XML is broken or cut short: it ends within feed > entry > content > m:properties',
    ],
    [
      'with text after its end',
      `${feed(good)}<feed></feed>`,
      ', row 11: the XML is broken or cut short: Multiple possible root nodes found.',
    ],
    [
      'with a document type',
      `<!DOCTYPE feed [<!ENTITY a "b">]>${feed(good)}`,
      ': XML with a document type declaration is not read',
    ],
    [
      'that is not UTF-8',
      Buffer.from(feed(entry(date + rate('BC_1YEAR', '\xe9'))), 'latin1'),
      ': this is not UTF-8 text',
    ],
  ];
  it.each(cases)('is refused %s', async (_, text, detail) => {
    const file = await tempFile('2025.xml', text);
    await expect(pointsIn(treasuryXml, file)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(file.path + detail),
    });
  });

  it.each([
    [feed(good), true],
    [feed(), true],
    [feed(good).replace('DailyTreasuryYieldCurveRateData', ''), true],
    [feed(good).slice(0, 400), true],
    [feed().replace('YieldCurve', 'RealYieldCurve'), true],
    [feed().replace('YieldCurve', 'Bill'), false],
    ['<html><feed>BC_1MONTH</feed></html>', false],
  ])('is recognised by its root and its rates (%#)', (head, expected) => {
    expect(treasuryXml.recognise(textHead(head, 'a.xml'))).toBe(expected);
  });
});
