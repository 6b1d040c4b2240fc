import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { addDays } from '../../../../../src/domain/series/date.ts';
import { formatOfKind } from '../../../../../src/import/formats/recognise.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { pointsIn, readAll, tempFile } from '../../../../support/temp-files.ts';

const treasuryParCsv = formatOfKind('treasury-par-csv');
const treasuryRealCsv = formatOfKind('treasury-real-csv');

const par = (text: string) => tempFile('par.csv', text).then((file) => pointsIn(treasuryParCsv, file));
const real = (text: string) => tempFile('real.csv', text).then((file) => pointsIn(treasuryRealCsv, file));

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

  it('names its source on every point', async () => {
    const batches = await readAll(treasuryParCsv, await tempFile('a.csv', 'Date,1 Mo\n1/30/24,5.55\n'));
    expect(batches).toEqual([
      {
        points: [
          {
            curveType: 'PAR',
            tradeDate: '2024-01-30',
            maturity: '1M',
            rate: '5.55',
            source: 'U.S. Treasury',
          },
        ],
      },
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

  it('skips empty rows, which spreadsheets leave at the end', async () => {
    expect(await par('Date,3 Mo\n1/30/24,1\n,\n\n')).toEqual(['2024-01-30 PAR 3M 1']);
  });

  const noRate = 'not a rate; a cell without one is empty or "N/A"';
  const noDate = 'not a date of the form M/D/YYYY, M/D/YY or YYYY-MM-DD';
  it.each([
    ['an unknown maturity', 'Date,1 Mo,40 Yr\n', ', row 1, column "40 Yr": not a maturity that asof knows'],
    [
      'a column that is not a maturity',
      'Date,1 Mo,Note\n',
      ', row 1, column "Note": not a maturity that asof knows',
    ],
    [
      'two columns of one maturity',
      'Date,1 Mo,1 Month\n',
      ', row 1, column "1 Month": a second column for 1M',
    ],
    ['no date column', '1 Mo,2 Mo\n', ', row 1: the header has no date column'],
    ['no column of rates', 'Date\n1/30/24\n', ', row 1: the header has no column of rates'],
    ['no rows', 'Date,1 Mo\r\n', ': the file has no row of rates'],
    ['blank rows only', 'Date,1 Mo\n,\n', ': the file has no row of rates'],
    ['a row cut short', 'Date,1 Mo,3 Mo\n1/30/24,1,2\n1/31/24,1', ', row 3: 2 cells, but the header has 3'],
    ['a row too long', 'Date,1 Mo\n1/30/24,1,2\n', ', row 2: 3 cells, but the header has 2'],
    ['a rate in words', 'Date,1 Mo\n1/30/24,5.55%\n', `, row 2, column "1 Mo": "5.55%": ${noRate}`],
    ['a rate with a comma', 'Date,1 Mo\n1/30/24,"5,55"\n', `, row 2, column "1 Mo": "5,55": ${noRate}`],
    [
      'a day that does not exist',
      'Date,1 Mo\n02/30/2024,1\n',
      `, row 2, column "Date": "2024-02-30": ${noDate}`,
    ],
    ['a rate without a date', 'Date,1 Mo\n,1\n', `, row 2, column "Date": "": ${noDate}`],
    ['a broken quote', 'Date,1 Mo\n1/30/24,"1\n', 'CSV'],
  ])('refuses a file with %s', async (_, text, detail) => {
    const file = await tempFile('par.csv', text);
    await expect(pointsIn(treasuryParCsv, file)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(detail === 'CSV' ? file.path : `${file.path}${detail}`),
    });
  });
});

describe('a file of rates that no curve can have', () => {
  it.each([
    [
      'a Saturday',
      'Date,10 Yr\n2024-03-30,4.20\n',
      ', row 2, column "10 Yr": "4.20": 2024-03-30 is a Saturday, on which no curve is published; are month and day exchanged?',
    ],
    ['a Sunday', 'Date,10 Yr\n2024-03-31,4.20\n', '2024-03-31 is a Sunday'],
    [
      '1.5 months too early',
      'Date,1.5 Month\n2025-02-14,4.30\n',
      'there is no 1.5M rate before 2025-02-18; are the columns shifted?',
    ],
    ['2 months too early', 'Date,2 Mo\n2018-10-15,2.30\n', 'there is no 2M rate before 2018-10-16'],
    ['4 months too early', 'Date,4 Mo\n2022-10-18,4.00\n', 'there is no 4M rate before 2022-10-19'],
    ['1 month too early', 'Date,1 Mo\n2001-07-30,3.60\n', 'there is no 1M rate before 2001-07-31'],
    ['20 years too early', 'Date,20 Yr\n1993-09-30,5.90\n', 'there is no 20Y rate before 1993-10-01'],
    [
      'only zeros',
      'Date,1 Mo,2 Yr,10 Yr\n2017-04-13,0.81,1.21,2.24\n2017-04-14,0,0.00,0\n',
      ', row 3: "2017-04-14": all rates are zero, as of no trade date',
    ],
    [
      'Christmas Day',
      'Date,10 Yr\n2024-12-24,4.59\n2024-12-25,4.59\n',
      ', row 3, column "10 Yr": "4.59": the bond market is closed on 2024-12-25, Christmas Day, and no curve is published',
    ],
    [
      'basis points',
      'Date,2 Yr,10 Yr\n2024-03-28,4.59,450\n',
      ', row 2, column "10 Yr": "450": rates are in percent, and none is above 30; are these basis points?',
    ],
    [
      'negative basis points',
      'Date,5 YR\n2021-08-03,-191\n',
      ', row 2, column "5 YR": "-191": rates are in percent',
    ],
    [
      'a fraction',
      'Date,10 Yr\n2024-03-28,0.0437\n',
      ', row 2, column "10 Yr": "0.0437": rates are in percent with two decimals; is this a fraction, or did a program compute it?',
    ],
    [
      'a computed rate',
      'Date,10 Yr\n2024-03-28,4.3700000000000001\n',
      '"4.3700000000000001": rates are in percent',
    ],
    [
      'monthly averages',
      'Date,10 Yr\n2024-01-02,4.06\n2024-02-01,4.21\n2024-03-01,4.21\n',
      ': these are monthly figures, such as averages; a curve has the rates of trade dates',
    ],
    ['two monthly averages', 'Date,10 Yr\n2024-02-01,4.21\n2024-03-01,4.21\n', ': these are monthly figures'],
    [
      'weekly averages',
      'Date,10 Yr\n2024-01-19,4.11\n2024-01-05,4.01\n2024-01-12,3.99\n',
      ': these are weekly figures, such as averages',
    ],
    [
      'quarterly averages',
      'Date,10 Yr\n2023-08-01,4.15\n2023-11-01,4.44\n2024-02-01,4.16\n',
      ': these are quarterly figures',
    ],
    [
      'month and day in an open order',
      'Date,10 Yr\n02/01/2024,4.21\n03/01/2024,4.19\n',
      ', row 2, column "Date": "02/01/2024": the month or the day could come first, and no date of the file decides it',
    ],
  ])('is refused for %s', async (_, text, detail) => {
    await expect(par(text)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining(detail),
    });
  });

  it('is not one with zeros of less than a year, or with two dates of different months', async () => {
    expect(await par('Date,1 Mo,3 Mo\n2011-12-20,0.00,0.00\n')).toHaveLength(2);
    expect(await par('Date,10 Yr\n2024-01-31,3.99\n2024-03-01,4.19\n')).toHaveLength(2);
  });

  it('is read where the day comes first in its dates', async () => {
    expect(await par('Date,10 Yr\n30/01/2024,4.06\n01/02/2024,3.87\n')).toEqual([
      '2024-01-30 PAR 10Y 4.06',
      '2024-02-01 PAR 10Y 3.87',
    ]);
  });

  it('is refused for real rates before their maturity, and has a single one of zero', async () => {
    await expect(real('Date,20 YR\n2004-07-26,2.4\n')).rejects.toThrow(
      'there is no 20Y rate before 2004-07-27',
    );
    await expect(real('Date,30 YR\n2010-02-19,2.2\n')).rejects.toThrow(
      'there is no 30Y rate before 2010-02-22',
    );
    expect(await real('Date,20 YR\n2012-07-12,0.00\n')).toEqual(['2012-07-12 TIPS 20Y 0.00']);
  });
});

describe('a packed file of curves', () => {
  // Tuesday and Wednesday of each week from 1991 on, without the holidays that fall on them.
  const days = Array.from({ length: 3600 }, (_, i) => addDays('1991-01-01', Math.floor(i / 2) * 7 + (i % 2)))
    .filter((day) => !/-(?:01-0[12]|06-(?:19|20)|07-0[45]|11-1[12]|12-2[56])$/.test(day))
    .map((day, i) => `${day},${(i * 7919) % 30}.${i % 97}`);
  const packed = gzipSync(`Date,3 Mo\n${days.join('\n')}\n`);

  it('is read like an unpacked one', async () => {
    expect(await pointsIn(treasuryParCsv, await tempFile('a.csv.gz', packed))).toHaveLength(days.length);
  });

  it('is refused when it is cut short, also after many rows', async () => {
    const file = await tempFile('a.csv.gz', packed.subarray(0, -9));
    await expect(pointsIn(treasuryParCsv, file)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `${file.path}: the gzip data is damaged or cut short: unexpected end of file`,
    });
  });
});

describe('the real curve of the Treasury', () => {
  it('is read from the Treasury and from its archive', async () => {
    const points = ['2003-01-22 TIPS 5Y 1.75', '2003-01-22 TIPS 10Y 2.43'];
    expect(await real('Date,5Yr,10Yr,20Yr\r\n2003-01-22,1.75,2.43,N/A\r\n')).toEqual(points);
    expect(await real('Date,"5 YR","10 YR","20 YR"\n01/22/2003,1.75,2.43,\n')).toEqual(points);
  });

  it('refuses a maturity that it does not have', async () => {
    await expect(real('Date,5 YR,3 Mo\n01/02/2003,1,2\n')).rejects.toThrow(
      'row 1, column "3 Mo": not a maturity that asof knows',
    );
  });
});

describe('the recognition of a curve', () => {
  it.each([
    ['Date,"1 Mo","2 Mo"\n', true, false],
    ['Date,1 Mo,30 Yr\r\n1/2/90,1,2', true, false],
    ['Date,2 Yr,40 Yr\n', true, false],
    ['Date,5Yr,7Yr,10Yr,20Yr,30Yr\r\n', false, true],
    ['Date,"5 YR","7 YR","10 YR","20 YR","30 YR"\n', false, true],
    ['Date,"5 YR","30 YR"', false, true],
    // A part of the par table, whose spelling it has.
    ['Date,10 Yr\n', true, true],
    ['Date,"5 Yr","7 Yr","10 Yr"\n', true, true],
    ['date,GDP,10YR_RATE\n', false, false],
    ['DATE,DFII10\n', false, false],
    ['date,5YR,7YR\n', false, false],
    ['Date,Close\n', false, false],
    ['5 Yr,7 Yr\n', false, false],
    ['', false, false],
  ])('finds in %j: par %s, real %s', (head, isPar, isReal) => {
    expect([
      treasuryParCsv.recognise(textHead(head, 'a.csv')),
      treasuryRealCsv.recognise(textHead(head, 'a.csv')),
    ]).toEqual([isPar, isReal]);
  });
});
