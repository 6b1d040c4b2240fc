import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Statements } from '../../../src/domain/series/statements.ts';
import { importFiles } from '../../../src/import/import.ts';
import type { ImportConflict } from '../../../src/import/load/conflict.ts';
import type { ImportOptions } from '../../../src/import/options.ts';
import { importReport } from '../../../src/import/report.ts';
import { openWriter } from '../../../src/store/open.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import {
  allStatements,
  facts,
  importFiles as importTexts,
  newStorePath,
  reading,
} from '../../support/scratch-store.ts';
import { zipOf } from '../../support/source-file.ts';

const folder = scratchFolder();
const clock = () => new Date('2026-01-15T12:00:00Z');

type Content = string | Uint8Array;
type Options = Partial<ImportOptions>;

/** Imports one file into a store, a new one if none is given. */
async function importOne(name: string, content: Content, options: Options = {}) {
  const store = options.store ?? newStorePath(folder);
  const path = join(tempFolder({ [name]: content }), name);
  return importFiles([path], { clock, ...options, store });
}

const ratesIn = async (store: string) =>
  (await reading(store, (view) => view.rates.yields({ curveType: 'PAR', limit: 1000 })))
    .map(({ tradeDate, maturity, rate, source }) => `${tradeDate} ${maturity} ${rate} ${source}`)
    .reverse();
const datesIn = async (store: string) => [
  ...new Set((await ratesIn(store)).map((rate) => rate.split(' ', 1).join(''))),
];

/** The ten-year rates of the first two trade dates of 2015, as the Federal Reserve published them. */
const published = ['2015-01-02 10Y 2.12 Federal Reserve H.15', '2015-01-05 10Y 2.04 Federal Reserve H.15'];

const observation = (date: string, start: string, value: string) => ({
  realtime_start: start,
  realtime_end: '9999-12-31',
  date,
  value,
});
const api = JSON.stringify({
  realtime_start: '1776-07-04',
  realtime_end: '9999-12-31',
  units: 'lin',
  output_type: 1,
  count: 2,
  observations: [
    observation('2015-01-02', '2015-01-05', '2.12'),
    observation('2015-01-05', '2015-01-06', '2.04'),
  ],
});
const besideFunds =
  'observation_date,DGS10,DFF\n2015-01-02,2.12,0.12\n2015-01-03,,0.12\n2015-01-05,2.04,0.12\n';
const asOf = '2015-01-07';

const files: Readonly<Record<string, readonly [name: string, content: Content, options?: Options]>> = {
  'ALFRED’s columns': [
    'alfred.csv',
    'observation_date,DGS10_20150105,DGS10_20150106\n2015-01-01,,.\n2015-01-02,2.12,2.12\n2015-01-05,,2.04\n',
  ],
  'an answer of FRED’s API': ['DGS10.json', api, { series: 'DGS10' }],
  'a FRED download beside another series': ['fredgraph.csv', besideFunds, { asOf }],
  'asof’s own CSV': [
    'facts.csv',
    facts('DGS10 2015-01-02 2015-01-05 2.12', 'DGS10 2015-01-05 2015-01-06 2.04'),
  ],
};

describe('rates that arrive as a series of FRED', () => {
  it.each(Object.entries(files))('are rates of the curve and no series, in %s', async (_, file) => {
    const { store } = await importOne(...file);
    expect(await ratesIn(store)).toEqual(published);
    expect(await reading(store, (view) => view.series.find('DGS10'))).toBeUndefined();
  });

  it('are named in a note on their file', async () => {
    const { files: summaries } = await importOne('api.json', api, { series: 'DGS10' });
    expect(summaries).toMatchObject([
      {
        statementsNew: 2,
        notes: ['DGS10 is a maturity of the curves: each rate is known from its trade date'],
      },
    ]);
  });

  it('leave the other series of their file as they are', async () => {
    const { store } = await importOne('fredgraph.csv', besideFunds, { asOf });
    const funds = await reading(store, (view) => allStatements(view, 'DFF'));
    expect(funds.map(({ date, asOf, value }) => [date, asOf, value])).toEqual(
      ['2015-01-02', '2015-01-03', '2015-01-05'].map((date) => [date, '2015-01-07', '0.12']),
    );
  });

  it('are known if the Treasury’s own file has them, and a conflict if it has others', async () => {
    const treasury = 'Date,"2 Yr","10 Yr"\n2015-01-02,0.66,2.12\n2015-01-05,0.68,2.04\n';
    const { store } = await importOne('par.csv', treasury);
    const { files: summaries } = await importOne('api.json', api, { store, series: 'DGS10' });
    expect(summaries[0]).toMatchObject({ statementsNew: 0, statementsKnown: 2 });
    await expect(
      importOne('api.json', api.replace('2.04', '2.05'), { store, series: 'DGS10' }),
    ).rejects.toThrow('PAR 2015-01-05 10Y: 2.05 (Federal Reserve H.15), against 2.04 (');
  });

  const header = 'observation_date,DGS10_20150105,DGS10_20150106\n';
  const oneRate = 'but a curve has one rate for each trade date';
  it.each([
    [
      `${header}2015-01-02,2.12,2.13\n`,
      `"2015-01-02": it is 2.12 as of 2015-01-05 and 2.13 as of 2015-01-06, ${oneRate}`,
    ],
    [
      `${header}2015-01-02,2.12,.\n`,
      `"2015-01-02": 2.12 as of 2015-01-05 is withdrawn as of 2015-01-06, ${oneRate}`,
    ],
    [
      'observation_date,DGS10_20150501\n2015-01-01,1.88\n2015-02-01,1.98\n2015-03-01,2.04\n2015-04-01,1.94\n',
      'these are monthly figures, such as averages; a curve has the rates of trade dates',
    ],
    [
      'observation_date,DGS10_20150105\n2015-01-03,2.12\n',
      '"2.12 of 2015-01-03": 2015-01-03 is a Saturday, on which no curve is published',
    ],
  ])('are refused for %j: %s', async (content, reason) => {
    await expect(importOne('alfred.csv', content)).rejects.toThrow(`column "DGS10": ${reason}`);
  });

  it('are a series with its revisions under an id that --id gives them', async () => {
    const content = 'observation_date,DGS10_20150105,DGS10_20150106\n2015-01-02,2.12,2.13\n';
    const { store } = await importOne('alfred.csv', content, { rename: { DGS10: 'DGS10.V' } });
    const statements = await reading(store, (view) => allStatements(view, 'DGS10.V'));
    expect(statements.map(({ asOf, value }) => [asOf, value])).toEqual([
      ['2015-01-05', '2.12'],
      ['2015-01-06', '2.13'],
    ]);
    expect(await ratesIn(store)).toEqual([]);
  });

  it('stay a series in a store in which an older version of asof made them one', async () => {
    const store = newStorePath(folder);
    const writer = await openWriter(store);
    const held = [{ seriesId: 'DGS10', date: '2015-01-02', asOf: '2015-01-05', value: '2.12' }];
    await (await writer.series('DGS10')).merge(new Statements('DGS10', held), { replace: false });
    await writer.finish(['DGS10']);
    await writer.commit();
    await importOne('api.json', api, { store, series: 'DGS10' });
    const statements = await reading(store, (view) => allStatements(view, 'DGS10'));
    expect(statements.map(({ date, value }) => [date, value])).toEqual([
      ['2015-01-02', '2.12'],
      ['2015-01-05', '2.04'],
    ]);
    expect(await ratesIn(store)).toEqual([]);
  });

  it('are read from a zip archive beside the series that take --as-of', async () => {
    const archive = zipOf([
      { name: 'README.txt', content: 'FRED Graph Observations\nFederal Reserve Economic Data\n' },
      { name: 'Daily.csv', content: 'observation_date,DGS10\n2015-01-02,2.12\n2015-01-05,2.04\n' },
      { name: 'Monthly.csv', content: 'observation_date,UNRATE\n2014-11-01,5.8\n2014-12-01,5.6\n' },
    ]);
    const { store } = await importOne('fredgraph.zip', archive, { asOf: '2015-01-09' });
    expect(await ratesIn(store)).toEqual(published);
    const statements = await reading(store, (view) => allStatements(view, 'UNRATE'));
    expect(statements.map(({ date, asOf, value }) => [date, asOf, value])).toEqual([
      ['2014-11-01', '2015-01-09', '5.8'],
      ['2014-12-01', '2015-01-09', '5.6'],
    ]);
  });
});

/** A real feed, in which the rates of a day are zero as they were on 2017-04-14 in the feed of that year. */
const month = readData(testData, 'treasury/par-xml/2018.xml').toString();
const [zeroed = ''] = (month.match(/<entry>[\s\S]*?<\/entry>/g) ?? []).filter((entry) =>
  entry.includes('2018-10-17T'),
);
const feed = month.replace(
  zeroed,
  zeroed.replace(/(<d:BC_[^>]*>)[^<]*/g, (_, tag: string) => `${tag}0.00`),
);

/** Files of curves with a day of zeros. */
const withZeros: readonly (readonly [what: string, name: string, content: string])[] = [
  ['the feed of the Treasury', 'feed.xml', feed],
  [
    'the table of the Treasury',
    'par.csv',
    'Date,1 Mo,10 Yr\n10/16/18,2.18,3.16\n10/17/18,0,0\n10/18/18,2.18,3.17\n',
  ],
  [
    'rates of asof',
    'rates.csv',
    `trade_date,maturity,rate,curve_type,source\n${['16,3.16', '17,0.00', '18,3.17'].map((row) => `2018-10-${row.replace(',', ',10Y,')},PAR,U.S. Treasury\n`).join('')}`,
  ],
  [
    'columns of ALFRED',
    'alfred.csv',
    'observation_date,DGS10_20181022\n2018-10-16,3.16\n2018-10-17,0\n2018-10-18,3.17\n',
  ],
];

describe('a file of curves with a day of zeros', () => {
  it.each(withZeros)(
    'is imported without that day if skipDays names it, and else refused: %s',
    async (_, ...file) => {
      await expect(importOne(...file)).rejects.toMatchObject({
        kind: 'bad-input',
        detail: expect.stringContaining('"2018-10-17": all rates are zero, as of no trade date'),
        hints: ['--skip-days 2018-10-17 imports the other days of the file'],
      });
      const result = await importOne(...file, { skipDays: ['2018-10-17'] });
      expect(result.files).toMatchObject([{ skippedDays: ['2018-10-17'] }]);
      const dates = await datesIn(result.store);
      expect(dates).toEqual(expect.arrayContaining(['2018-10-16', '2018-10-18']));
      expect(dates).not.toContain('2018-10-17');
      expect(importReport(result)).toContainEqual(
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
    expect(await datesIn(store)).toEqual(['2024-12-24', '2024-12-26']);
  });
});

describe('an import that leaves conflicts out', () => {
  /** Imports days of a curve over others. */
  async function overHeld(held: string, given: string) {
    const path = newStorePath(folder);
    const csv = (days: string) => ({ 'par.csv': `Date,1 Yr,2 Yr\n${days}\n` });
    await importTexts(path, csv(held));
    const conflicts: ImportConflict[] = [];
    await importTexts(path, csv(given), { onConflicts: (found) => conflicts.push(...found) });
    const rates = (await ratesIn(path)).map((rate) => rate.replace(' U.S. Treasury', ''));
    return { conflicts, rates };
  }

  it('keeps the rates of the store, adds those beside them, and names each contradiction', async () => {
    const { conflicts, rates } = await overHeld(
      '2024-01-02,4.80,4.33',
      '2024-01-02,4.80,4.39\n2024-01-03,4.81,4.33',
    );
    expect(rates.sort()).toEqual([
      '2024-01-02 1Y 4.80',
      '2024-01-02 2Y 4.33',
      '2024-01-03 1Y 4.81',
      '2024-01-03 2Y 4.33',
    ]);
    const held = { tradeDate: '2024-01-02', maturity: '2Y', rate: '4.33' };
    expect(conflicts).toMatchObject([{ kind: 'rate', held, given: { rate: '4.39' } }]);
  });

  it('without a contradiction names none', async () => {
    const { conflicts, rates } = await overHeld('2024-01-02,4.80,4.33', '2024-01-02,4.80,4.330');
    expect(conflicts).toEqual([]);
    expect(rates.sort()).toEqual(['2024-01-02 1Y 4.80', '2024-01-02 2Y 4.330']);
  });
});
