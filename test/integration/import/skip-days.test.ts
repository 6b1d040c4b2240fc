import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFiles } from '../../../src/import/import.ts';
import type { ImportOptions } from '../../../src/import/options.ts';
import { importReport } from '../../../src/import/report.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import { newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const clock = () => new Date('2026-01-15T12:00:00Z');

type Options = Partial<ImportOptions>;

async function importOne(name: string, content: string, options: Options = {}) {
  const store = newStorePath(folder);
  return importFiles([join(tempFolder({ [name]: content }), name)], { clock, ...options, store });
}

const datesIn = async (store: string) => [
  ...new Set(
    (await reading(store, (view) => view.rates.yields({ curveType: 'PAR', limit: 1000 }))).map(
      ({ tradeDate }) => tradeDate,
    ),
  ),
];

/** A real feed, in which the rates of a day are zero as they were on 2017-04-14 in the feed of that year. */
const month = readData(testData, 'treasury/par-xml/2018.xml').toString();
const [zeroed = ''] = (month.match(/<entry>[\s\S]*?<\/entry>/g) ?? []).filter((entry) =>
  entry.includes('2018-10-17T'),
);
const feed = month.replace(
  zeroed,
  zeroed.replace(/(<d:BC_[^>]*>)[^<]*/g, (_, tag: string) => `${tag}0.00`),
);

const files: readonly (readonly [what: string, name: string, content: string, options: Options])[] = [
  ['the feed of the Treasury', 'feed.xml', feed, {}],
  [
    'the table of the Treasury',
    'par.csv',
    'Date,1 Mo,10 Yr\n10/16/18,2.18,3.16\n10/17/18,0,0\n10/18/18,2.18,3.17\n',
    {},
  ],
  ['H.15', 'h15.csv', 'DATE,DGS2,DGS10\n2018-10-16,2.87,3.16\n2018-10-17,0,0\n2018-10-18,2.87,3.17\n', {}],
  [
    'rates of asof',
    'rates.csv',
    `trade_date,maturity,rate,curve_type,source\n${['16,3.16', '17,0.00', '18,3.17'].map((row) => `2018-10-${row.replace(',', ',10Y,')},PAR,U.S. Treasury\n`).join('')}`,
    {},
  ],
  [
    'columns of ALFRED',
    'alfred.csv',
    'observation_date,DGS10_20181022\n2018-10-16,3.16\n2018-10-17,0\n2018-10-18,3.17\n',
    {},
  ],
];

describe('a file of curves with a day of zeros', () => {
  it.each(files)('is refused with the way to read %s without it', async (_, name, content, options) => {
    await expect(importOne(name, content, options)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: expect.stringContaining('"2018-10-17": all rates are zero, as of no trade date'),
      hints: ['--skip-days 2018-10-17 imports the other days of the file'],
    });
  });

  it.each(files)(
    'is imported without that day if skipDays names it: %s',
    async (_, name, content, options) => {
      const result = await importOne(name, content, { ...options, skipDays: ['2018-10-17'] });
      expect(result.files).toMatchObject([{ skippedDays: ['2018-10-17'] }]);
      const dates = await datesIn(result.store);
      expect(dates).toEqual(expect.arrayContaining(['2018-10-16', '2018-10-18']));
      expect(dates).not.toContain('2018-10-17');
      expect(importReport(result, false)).toContainEqual(
        expect.stringMatching(/: the curve of 2018-10-17 is left out, as --skip-days asks$/),
      );
    },
  );

  it('keeps every other day of the feed', async () => {
    const { store } = await importOne('feed.xml', feed, { skipDays: ['2018-10-17'] });
    const { store: whole } = await importOne('feed.xml', month);
    expect(await datesIn(store)).toEqual((await datesIn(whole)).filter((day) => day !== '2018-10-17'));
  });
});

describe('a day to skip', () => {
  it('is refused by name if no file has a curve of it', async () => {
    await expect(
      importOne('feed.xml', feed, { skipDays: ['2018-10-17', '2018-10-20'] }),
    ).rejects.toMatchObject({
      kind: 'bad-input',
      field: 'skip_days',
      detail: '--skip-days 2018-10-20: no file of this import has a curve of that day',
    });
  });

  it('may be a holiday, on which another program repeated the curve of the day before', async () => {
    const text = 'Date,2 Yr,10 Yr\n2024-12-24,4.29,4.59\n2024-12-25,4.29,4.59\n2024-12-26,4.30,4.58\n';
    await expect(importOne('par.csv', text)).rejects.toMatchObject({
      hints: ['--skip-days 2024-12-25 imports the other days of the file'],
    });
    const { store } = await importOne('par.csv', text, {
      skipDays: ['2024-12-25'],
      kind: 'treasury-par-csv',
    });
    expect(await datesIn(store)).toEqual(['2024-12-26', '2024-12-24']);
  });
});

describe('a rate that arrives as a series of FRED', () => {
  it.each([
    ['a holiday', '2024-12-25', '4.59', 'the bond market is closed on 2024-12-25, Christmas Day'],
    ['basis points', '2024-12-24', '459', 'none is above 30'],
    ['a fraction', '2024-12-24', '0.0459', 'rates are in percent with two decimals'],
  ])('is refused for %s', async (_, day, rate, reason) => {
    const text = `observation_date,DGS10_20241227\n${day},${rate}\n`;
    await expect(importOne('alfred.csv', text)).rejects.toThrow(
      `column "DGS10": "${rate} of ${day}": ${reason.startsWith('none') ? 'rates are in percent, and ' : ''}${reason}`,
    );
  });
});
