import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFiles } from '../../../src/import/import.ts';
import type { ImportOptions } from '../../../src/import/options.ts';
import { openWriter } from '../../../src/store/open.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { allStatements, newStorePath, reading } from '../../support/scratch-store.ts';
import { namedWorkbook } from '../../support/workbook.ts';
import { zipOf } from '../../support/zip-writer.ts';

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
  (await reading(store, (view) => view.rates.yields({ curveType: 'PAR', limit: 100 })))
    .map(({ tradeDate, maturity, rate, source }) => `${tradeDate} ${maturity} ${rate} ${source}`)
    .reverse();

/** The ten-year rates of the first two trade dates of 2015, as the Federal Reserve published them. */
const published = ['2015-01-02 10Y 2.12 Federal Reserve H.15', '2015-01-05 10Y 2.04 Federal Reserve H.15'];

const observation = (date: string, start: string, value: string) => ({
  realtime_start: start,
  realtime_end: '9999-12-31',
  date,
  value,
});

const answer = (rows: readonly object[], type: number) => ({
  realtime_start: '1776-07-04',
  realtime_end: '9999-12-31',
  observation_start: '1600-01-01',
  observation_end: '9999-12-31',
  units: 'lin',
  output_type: type,
  file_type: 'json',
  order_by: 'observation_date',
  sort_order: 'asc',
  count: rows.length,
  offset: 0,
  limit: 100000,
  observations: rows,
});

const api = JSON.stringify(
  answer(
    [observation('2015-01-02', '2015-01-05', '2.12'), observation('2015-01-05', '2015-01-06', '2.04')],
    1,
  ),
);

const byVintage = JSON.stringify(
  answer(
    [
      { date: '2015-01-01', DGS10_20150105: '.', DGS10_20150106: '.' },
      { date: '2015-01-02', DGS10_20150105: '2.12', DGS10_20150106: '2.12' },
      { date: '2015-01-05', DGS10_20150106: '2.04' },
    ],
    2,
  ),
);

const files: readonly (readonly [what: string, name: string, content: () => Content, options: Options])[] = [
  [
    'ALFRED’s columns',
    'alfred.csv',
    () =>
      'observation_date,DGS10_20150105,DGS10_20150106\n2015-01-01,,.\n2015-01-02,2.12,2.12\n2015-01-05,,2.04\n',
    {},
  ],
  [
    'ALFRED’s real-time periods',
    'alfred.csv',
    () =>
      'period_start_date,DGS10,realtime_start_date,realtime_end_date\n2015-01-02,2.12,2015-01-05,\n2015-01-05,2.04,2015-01-06,\n',
    {},
  ],
  ['an answer of FRED’s API', 'DGS10.json', () => api, { series: 'DGS10' }],
  ['an answer of FRED’s API by vintage date', 'DGS10.json', () => byVintage, {}],
  [
    'a FRED download beside another series',
    'fredgraph.csv',
    () => 'observation_date,DGS10,DFF\n2015-01-02,2.12,0.12\n2015-01-03,,0.12\n2015-01-05,2.04,0.12\n',
    { asOf: '2015-01-07' },
  ],
  [
    'a workbook of FRED',
    'fredgraph.xlsx',
    () =>
      namedWorkbook({
        README: [['FRED Graph Observations']],
        Daily: [
          ['observation_date', 'DGS10'],
          [{ day: '2015-01-02' }, { number: '2.12' }],
          [{ day: '2015-01-05' }, { number: '2.04' }],
        ],
      }),
    {},
  ],
  [
    'a panel of one day',
    '2015-01-07.csv',
    () => 'date,DGS10,DFF\n2015-01-02,2.12,0.12\n2015-01-05,2.04,0.12\n',
    {},
  ],
  [
    'a table of figures',
    'mine.csv',
    () => 'date,value\n2015-01-02,2.12\n2015-01-05,2.04\n',
    { series: 'DGS10', asOf: '2015-01-07' },
  ],
  [
    'asof’s own CSV',
    'facts.csv',
    () =>
      'series_id,date,as_of_date,value\nDGS10,2015-01-02,2015-01-05,2.12\nDGS10,2015-01-05,2015-01-06,2.04\n',
    {},
  ],
];

describe('rates that arrive as a series of FRED', () => {
  it.each(files)('are rates of the curve and no series, in %s', async (_, name, content, options) => {
    const { store } = await importOne(name, content(), options);
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
    const [, name, content, options] = files.find(([what]) => what.includes('beside another')) ?? [];
    const { store } = await importOne(name ?? '', content?.() ?? '', options);
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

  it.each([
    [
      'a rate that the file revises',
      'observation_date,DGS10_20150105,DGS10_20150106\n2015-01-02,2.12,2.13\n',
      'column "DGS10": "2015-01-02": it is 2.12 as of 2015-01-05 and 2.13 as of 2015-01-06, but a curve has one rate for each trade date',
    ],
    [
      'a rate that the file withdraws',
      'observation_date,DGS10_20150105,DGS10_20150106\n2015-01-02,2.12,.\n',
      'column "DGS10": "2015-01-02": 2.12 as of 2015-01-05 is withdrawn as of 2015-01-06, but a curve has one rate for each trade date',
    ],
    [
      'monthly averages',
      'observation_date,DGS10_20150501\n2015-01-01,1.88\n2015-02-01,1.98\n2015-03-01,2.04\n2015-04-01,1.94\n',
      'column "DGS10": these are monthly figures, such as averages; a curve has the rates of trade dates',
    ],
    [
      'a Saturday',
      'observation_date,DGS10_20150105\n2015-01-03,2.12\n',
      'column "DGS10": "2.12 of 2015-01-03": 2015-01-03 is a Saturday, on which no curve is published',
    ],
  ])('are refused for %s', async (_, content, reason) => {
    await expect(importOne('alfred.csv', content)).rejects.toThrow(reason);
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
    await (await writer.series('DGS10')).merge(held, { replace: false });
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
});

describe('a zip archive of a daily download of FRED', () => {
  const archive = zipOf([
    { name: 'README.txt', content: 'FRED Graph Observations\nFederal Reserve Economic Data\n' },
    {
      name: 'Daily.csv',
      content: 'observation_date,DGS10,DGS2\n2015-01-02,2.12,0.66\n2015-01-05,2.04,0.68\n',
    },
    {
      name: 'Daily,_7-Day.csv',
      content: 'observation_date,DFF\n2015-01-02,0.12\n2015-01-03,0.12\n2015-01-04,0.12\n2015-01-05,0.12\n',
    },
    { name: 'Monthly.csv', content: 'observation_date,UNRATE\n2014-11-01,5.8\n2014-12-01,5.6\n' },
  ]);

  it('takes --as-of for its series, and has rates of the curve beside them', async () => {
    const { store } = await importOne('fredgraph.zip', archive, { asOf: '2015-01-09' });
    expect(await ratesIn(store)).toEqual([
      '2015-01-02 10Y 2.12 Federal Reserve H.15',
      '2015-01-02 2Y 0.66 Federal Reserve H.15',
      '2015-01-05 10Y 2.04 Federal Reserve H.15',
      '2015-01-05 2Y 0.68 Federal Reserve H.15',
    ]);
    const statements = await reading(store, (view) => allStatements(view, 'UNRATE'));
    expect(statements.map(({ date, asOf, value }) => [date, asOf, value])).toEqual([
      ['2014-11-01', '2015-01-09', '5.8'],
      ['2014-12-01', '2015-01-09', '5.6'],
    ]);
  });
});
