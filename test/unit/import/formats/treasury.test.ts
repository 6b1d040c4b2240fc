import { describe, expect, it } from 'vitest';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { h15Csv, treasuryXml } from '../../../../src/import/formats/treasury.ts';
import { recordedBody } from '../../../support/repository.ts';
import { pointsIn, readAll, refuses, sourceFile } from '../../../support/source-file.ts';

const treasuryParCsv = formatOfKind('treasury-par-csv');
const treasuryRealCsv = formatOfKind('treasury-real-csv');

const par = (text: string) => pointsIn(treasuryParCsv, sourceFile('par.csv', text));
const real = (text: string) => pointsIn(treasuryRealCsv, sourceFile('real.csv', text));

describe('the par curve of the Treasury', () => {
  it('is read by the names of its columns, in any order', async () => {
    const text = 'Date,"1 Mo","1.5 Month","10 Yr"\n02/18/2025,4.37,4.38,4.55\n';
    const turned = '"10 Yr",Date,"1.5 Month","1 Mo"\n4.55,02/18/2025,4.38,4.37\n';
    const points = ['2025-02-18 PAR 1M 4.37', '2025-02-18 PAR 1.5M 4.38', '2025-02-18 PAR 10Y 4.55'];
    expect(await par(text)).toEqual(points);
    expect((await par(turned)).sort()).toEqual([...points].sort());
    expect(await par(',Date,1 Mo,1.5 Month,10 Yr\n0,2025-02-18,4.37,4.38,4.55\n')).toEqual(points);
  });

  it('has no rate for an empty cell or N/A, and the published digits otherwise', async () => {
    expect(await par('Date,1 Mo,3 Mo,30 Yr\r\n1/30/90,,7.83,8\r\n1/31/90,N/A,-0.00,8.040')).toEqual([
      '1990-01-30 PAR 3M 7.83',
      '1990-01-30 PAR 30Y 8',
      '1990-01-31 PAR 3M -0.00',
      '1990-01-31 PAR 30Y 8.040',
    ]);
  });

  it.each([
    ['1/16/90', '1990-01-16'],
    ['12/31/99', '1999-12-31'],
    ['1/31/00', '2000-01-31'],
    ['02/29/2024', '2024-02-29'],
    ['6/13/24', '2024-06-13'],
    ['1/18/89', '2089-01-18'],
    ['2022-10-19', '2022-10-19'],
  ])('dates the row %s to %s', async (date, day) => {
    expect(await par(`Date,3 Mo\n${date},1\n`)).toEqual([`${day} PAR 3M 1`]);
  });

  it('may end in empty rows, and have its days first', async () => {
    expect(await par('Date,3 Mo\n1/30/24,1\n,\n\n')).toEqual(['2024-01-30 PAR 3M 1']);
    expect(await par('Date,10 Yr\n30/01/2024,4.06\n01/02/2024,3.87\n')).toEqual([
      '2024-01-30 PAR 10Y 4.06',
      '2024-02-01 PAR 10Y 3.87',
    ]);
  });

  const noRate = 'neither a decimal number nor empty or "N/A"';
  const noDate = 'not a date: use M/D/YYYY, M/D/YY or YYYY-MM-DD';
  refuses(treasuryParCsv, 'par.csv', {
    ', row 1, column "40 Yr": not a maturity that asof knows': 'Date,1 Mo,40 Yr\n',
    ', row 1, column "Note": not a maturity that asof knows': 'Date,1 Mo,Note\n',
    ', row 1, column "1 Month": a second column for 1M': 'Date,1 Mo,1 Month\n',
    ', row 1: the header has no date column': '1 Mo,2 Mo\n',
    ', row 1: the header has no column of rates': 'Date\n1/30/24\n',
    ': the file has no row of rates': ['Date,1 Mo\r\n', 'Date,1 Mo\n,\n'],
    [`, row 2, column "1 Mo": "5.55%": ${noRate}`]: 'Date,1 Mo\n1/30/24,5.55%\n',
    [`, row 2, column "1 Mo": "5,55": ${noRate}`]: 'Date,1 Mo\n1/30/24,"5,55"\n',
    ', row 2, column "Date": "2024-02-30": there is no such date': 'Date,1 Mo\n02/30/2024,1\n',
    [`, row 2, column "Date": "": ${noDate}`]: 'Date,1 Mo\n,1\n',
    ', row 2, column "Date": "02/01/2024": the month or the day could come first, and no date of the file decides it':
      'Date,10 Yr\n02/01/2024,4.21\n03/01/2024,4.19\n',
  });
});

describe('a file of rates that no curve can have', () => {
  const percent = 'rates are in percent';
  refuses(treasuryParCsv, 'par.csv', {
    ', row 2, column "10 Yr": "4.20": 2024-03-30 is a Saturday, on which no curve is published; are month and day exchanged?':
      'Date,10 Yr\n2024-03-30,4.20\n',
    '…: 2024-03-31 is a Sunday, …': 'Date,10 Yr\n2024-03-31,4.20\n',
    '…: there is no 1.5M rate before 2025-02-18; are the columns shifted?':
      'Date,1.5 Month\n2025-02-14,4.30\n',
    '…: there is no 2M rate before 2018-10-16; …': 'Date,2 Mo\n2018-10-15,2.30\n',
    '…: there is no 4M rate before 2022-10-19; …': 'Date,4 Mo\n2022-10-18,4.00\n',
    '…: there is no 1M rate before 2001-07-31; …': 'Date,1 Mo\n2001-07-30,3.60\n',
    '…: there is no 20Y rate before 1993-10-01; …': 'Date,20 Yr\n1993-09-30,5.90\n',
    ', row 3: "2017-04-14": all rates are zero, as of no trade date':
      'Date,1 Mo,2 Yr,10 Yr\n2017-04-13,0.81,1.21,2.24\n2017-04-14,0,0.00,0\n',
    ', row 3, column "10 Yr": "4.59": the bond market is closed on 2024-12-25, Christmas Day, and no curve is published':
      'Date,10 Yr\n2024-12-24,4.59\n2024-12-25,4.59\n',
    [`, row 2, column "10 Yr": "450": ${percent}, and none is above 30; are these basis points?`]:
      'Date,2 Yr,10 Yr\n2024-03-28,4.59,450\n',
    [`, row 2, column "5 YR": "-191": ${percent}…`]: 'Date,5 YR\n2021-08-03,-191\n',
    [`, row 2, column "10 Yr": "0.0437": ${percent} with two decimals; is this a fraction, or did a program compute it?`]:
      'Date,10 Yr\n2024-03-28,0.0437\n',
    [`…"4.3700000000000001": ${percent}…`]: 'Date,10 Yr\n2024-03-28,4.3700000000000001\n',
    ': these are monthly figures, such as averages; a curve has the rates of trade dates': [
      'Date,10 Yr\n2024-01-02,4.06\n2024-02-01,4.21\n2024-03-01,4.21\n',
      'Date,10 Yr\n2024-02-01,4.21\n2024-03-01,4.21\n',
    ],
    ': these are weekly figures, such as averages…':
      'Date,10 Yr\n2024-01-19,4.11\n2024-01-05,4.01\n2024-01-12,3.99\n',
    ': these are quarterly figures…': 'Date,10 Yr\n2023-08-01,4.15\n2023-11-01,4.44\n2024-02-01,4.16\n',
  });

  it('is not one with zeros of less than a year, or with two dates of different months', async () => {
    expect(await par('Date,1 Mo,3 Mo\n2011-12-20,0.00,0.00\n')).toHaveLength(2);
    expect(await par('Date,10 Yr\n2024-01-31,3.99\n2024-03-01,4.19\n')).toHaveLength(2);
  });
});

describe('the real curve of the Treasury', () => {
  it('is read from the Treasury and from its archive', async () => {
    const points = ['2003-01-22 TIPS 5Y 1.75', '2003-01-22 TIPS 10Y 2.43'];
    expect(await real('Date,5Yr,10Yr,20Yr\r\n2003-01-22,1.75,2.43,N/A\r\n')).toEqual(points);
    expect(await real('Date,"5 YR","10 YR","20 YR"\n01/22/2003,1.75,2.43,\n')).toEqual(points);
  });

  it('may have a single rate of zero', async () => {
    expect(await real('Date,20 YR\n2012-07-12,0.00\n')).toEqual(['2012-07-12 TIPS 20Y 0.00']);
  });

  refuses(treasuryRealCsv, 'real.csv', {
    ', row 1, column "3 Mo": not a maturity that asof knows': 'Date,5 YR,3 Mo\n01/02/2003,1,2\n',
    '…: there is no 20Y rate before 2004-07-27; …': 'Date,20 YR\n2004-07-26,2.4\n',
    '…: there is no 30Y rate before 2010-02-22; …': 'Date,30 YR\n2010-02-19,2.2\n',
  });
});

describe('the curves of the H.15 release', () => {
  it('are read from one series or several, without a rate for `.` and empty cells', async () => {
    const read = (text: string) => pointsIn(h15Csv, sourceFile('DGS.csv', text));
    expect(await read('DATE,DFII10\n2003-01-02,2.43\n2003-01-20,.\n')).toEqual(['2003-01-02 TIPS 10Y 2.43']);
    expect(await read('observation_date,DGS1MO,DGS10,DFII5\r\n2024-12-31,4.40,4.58,\r\n')).toEqual([
      '2024-12-31 PAR 1M 4.40',
      '2024-12-31 PAR 10Y 4.58',
    ]);
  });

  refuses(h15Csv, 'DGS.csv', {
    ', row 1, column "DFII3": not a maturity that asof knows': 'DATE,DFII3\n',
    ', row 1, column "DGS4": not a maturity that asof knows': 'DATE,DGS4\n',
    ', row 1, column "DLTIIT": not a maturity that asof knows': 'DATE,DGS10,DLTIIT\n',
    ', row 2, column "DATE": "2024-02-30": there is no such date': 'DATE,DGS1\n2/30/2024,1\n',
    ', row 2, column "DGS1": "N/A": neither a decimal number nor empty or "."': 'DATE,DGS1\n2024-01-02,N/A\n',
  });
});

const namespaces =
  'xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"';
function feed(...entries: string[]): string {
  return `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>\r\n<feed ${namespaces} xmlns="http://www.w3.org/2005/Atom">\n<title type="text">DailyTreasuryYieldCurveRateData</title>\n${entries.join('\n')}\n</feed>`;
}
function entry(properties: string): string {
  return `<entry>\n<content type="application/xml">\n<m:properties>\n${properties}\n</m:properties>\n</content>\n</entry>`;
}
const date = '<d:NEW_DATE m:type="Edm.DateTime">2025-02-18T00:00:00</d:NEW_DATE>';
const rate = (name: string, text: string) => `<d:${name} m:type="Edm.Double">${text}</d:${name}>`;

describe('the feed of the Treasury', () => {
  const read = (text: string) => pointsIn(treasuryXml, sourceFile('2025.xml', text));

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

  it('has a day without a curve where an entry has no rates, as on Columbus Day of 2010', async () => {
    const columbusDay = `<d:Id m:type="Edm.Int32">3458</d:Id>
${date.replace('2025-02-18', '2010-10-11')}
${rate('BC_30YEARDISPLAY', '0.00')}`;
    const before = date.replace('2025-02-18', '2010-10-08') + rate('BC_10YEAR', '2.41');
    const file = sourceFile('2010.xml', feed(entry(before), entry(columbusDay)));
    expect(await pointsIn(treasuryXml, file)).toEqual(['2010-10-08 PAR 10Y 2.41']);
    expect((await readAll(treasuryXml, file)).notes).toEqual([
      '2010-10-11 has no rates: a day without a curve',
    ]);
  });

  const good = entry(date + rate('BC_1MONTH', '1'));
  const late = (properties: string) => feed(good, entry(`${date}\n${properties}`));
  refuses(treasuryXml, '2025.xml', {
    ': the feed has no entry': feed(),
    ': this XML is not a feed': '<table><row/></table>',
    ', row 15, column "BC_40YEAR": not a maturity that asof knows': late(rate('BC_40YEAR', '1')),
    ', row 15, column "TC_2YEAR": not a maturity that asof knows': late(rate('TC_2YEAR', '1')),
    ', row 6, column "BC_1YEAR": "4": 2025-02-22 is a Saturday…': feed(
      entry(date.replace('02-18', '02-22') + rate('BC_1YEAR', '4')),
    ),
    ', row 6: "2017-04-14": all rates are zero, as of no trade date': feed(
      entry(date.replace('2025-02-18', '2017-04-14') + rate('BC_1MONTH', '0') + rate('BC_10YEAR', '0')),
    ),
    ', row 15, column "BC_1YEAR": "n/a": neither a decimal number nor empty': late(rate('BC_1YEAR', 'n/a')),
    ', row 15, column "BC_1YEAR": elements instead of a rate': late(rate('BC_1YEAR', '<x>1</x>')),
    ', row 15, column "BC_1YEAR": the element appears twice in one entry': late(
      rate('BC_1YEAR', '1').repeat(2),
    ),
    ', row 6, column "NEW_DATE": "": not a date: use YYYY-MM-DDT00:00:00': feed(entry(rate('BC_1YEAR', '1'))),
    ', row 6, column "NEW_DATE": "2025-02-30T00:00:00": not a date…': feed(
      entry(date.replace('02-18', '02-30')),
    ),
    ', row 6, column "NEW_DATE": "2025-02-18T05:00:00": not a date…': feed(entry(date.replace('T00', 'T05'))),
    ', row 11: an entry without properties': feed(good, '<entry><id/></entry>'),
    ', row 4: an entry without BC_… or TC_… rates': feed(entry(date + rate('ROUND_B1_YIELD_4WK_2', '1'))),
    ", row 2: the XML is broken or cut short: Unclosed tag 'feed'.…": feed(good).replace('</feed>', ''),
    ': the XML is broken or cut short: it ends within feed > entry > content > m:properties…': feed(
      good,
    ).slice(0, -60),
    ', row 11: the XML is broken or cut short: Multiple possible root nodes found.…': `${feed(good)}<feed></feed>`,
    ': XML with a document type declaration is not read; remove its DOCTYPE': `<!DOCTYPE feed [<!ENTITY a "b">]>${feed(good)}`,
  });
});

describe('a file of curves', () => {
  it.each([
    [treasuryParCsv, 'Date,2 Yr\n2024-01-02,4.33\n', 'U.S. Treasury'],
    [
      treasuryXml,
      feed(entry(date.replace('2025-02-18', '2024-01-02') + rate('BC_2YEAR', '4.33'))),
      'U.S. Treasury',
    ],
    [h15Csv, 'DATE,DGS2\n2024-01-02,4.33\n', 'Federal Reserve H.15'],
  ])('names its source on every point (%#)', async (format, text, source) => {
    const { points } = await readAll(format, sourceFile('x', text));
    expect(points).toEqual([
      { curveType: 'PAR', tradeDate: '2024-01-02', maturity: '2Y', rate: '4.33', source },
    ]);
  });
});

/** The rates of a feed as `2010-01-04 BC_10YEAR 3.85`, read with a pattern. */
function ratesIn(xml: string): string[] {
  return [...xml.matchAll(/<m:properties>([\s\S]*?)<\/m:properties>/g)].flatMap(([, entry = '']) => {
    const [, day = ''] = /<d:NEW_DATE[^>]*>(\d{4}-\d{2}-\d{2})T/.exec(entry) ?? [];
    const rates = [...entry.matchAll(/<d:((?:BC|TC)_(?!30YEARDISPLAY)\w+)[^>]*>([^<]+)</g)];
    return rates.map(([, name, rate]) => `${day} ${name} ${rate}`);
  });
}

describe('a recorded feed of Treasury', () => {
  it.each(['real_yield_curve_2003', 'yield_curve_2010'])(
    'gives every rate of %s, digit by digit, and no other',
    async (name) => {
      const xml = recordedBody(`treasury/daily_treasury_${name}.xml`).toString();
      const { points } = await readAll(treasuryXml, sourceFile('feed.xml', xml));
      const found = points.map(({ tradeDate, maturity, curveType, rate }) => {
        const unit = maturity.endsWith('M') ? 'MONTH' : 'YEAR';
        const count = maturity.slice(0, -1).replace('.', '_');
        return `${tradeDate} ${curveType === 'PAR' ? 'BC' : 'TC'}_${count}${unit} ${rate}`;
      });
      expect(found.length).toBeGreaterThan(700);
      expect(found.sort()).toEqual(ratesIn(xml).sort());
    },
  );
});
