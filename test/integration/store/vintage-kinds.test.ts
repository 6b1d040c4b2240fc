import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { currentFormat, openDatabase } from '../../../src/store/sqlite/connection.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import { withoutRights } from '../../support/rights.ts';
import {
  digestOf,
  type Files,
  importFiles,
  importPaths,
  newStorePath,
  reading,
} from '../../support/scratch-store.ts';

const folder = scratchFolder();

const alfred = 'observation_date,GDPC1_20150130,GDPC1_20150227\n2014-10-01,16311.6,16294.7\n';
const fred = 'observation_date,GDPC1\n2014-10-01,16294.7\n';
const own = 'series_id,date,as_of_date,value\nBREAD,2024-02-01,2024-03-12,2.001\n';
const metadata = (kind: string) => `series_id,vintage_kind\nBREAD,${kind}\n`;

/** An answer of FRED that lists what it had on some days. */
function fredApi(start: string, end: string, rows: readonly (readonly [from: string, to: string])[]): string {
  const observations = rows.map(([realtime_start, realtime_end], i) => ({
    realtime_start,
    realtime_end,
    date: '2014-10-01',
    value: String(16311.6 - i),
  }));
  const head = { realtime_start: start, realtime_end: end, units: 'lin', output_type: 1, count: rows.length };
  return JSON.stringify({ ...head, observations });
}

/** An answer of FRED about some days, whose rows read `2014-10-01 2015-01-30 2015-02-26 16311.6`. */
function answerOf(start: string, end: string, ...rows: readonly string[]): Files {
  const observations = rows.map((row) => {
    const [date, realtime_start, realtime_end, value] = row.split(' ');
    return { date, realtime_start, realtime_end, value };
  });
  const head = { realtime_start: start, realtime_end: end, units: 'lin', output_type: 1, count: rows.length };
  return { 'a.json': JSON.stringify({ ...head, observations }) };
}

/** A new store with files, imported one after the other. */
async function storeOf(...imports: readonly (readonly [Files, Parameters<typeof importFiles>[2]?])[]) {
  const path = newStorePath(folder);
  for (const [files, flags] of imports) await importFiles(path, files, flags);
  return path;
}

/** The kinds of a series' vintages by date, and what the series says of all. */
function kindsOf(path: string, seriesId: string) {
  return reading(path, async (view) => {
    const page = await view.series.vintages({ seriesId, limit: 1000 });
    const kinds = page?.rows.map(({ asOfDate, kind }) => [asOfDate, kind] as const) ?? [];
    return { series: page?.series.vintageKind, vintages: Object.fromEntries(kinds) };
  });
}

describe('how vintages came about follows from the format', () => {
  test.each<[format: string, Files, Parameters<typeof importFiles>[2], string, string]>([
    ['an ALFRED download: exact', { 'a.csv': alfred }, {}, 'GDPC1', 'exact'],
    ['a FRED download: fetched', { 'a.csv': fred }, { asOf: '2015-03-01' }, 'GDPC1', 'fetched'],
    [
      'a FRED answer with real-time periods: exact',
      {
        'a.json': fredApi('1776-07-04', '9999-12-31', [
          ['2015-01-30', '2015-02-26'],
          ['2015-02-27', '9999-12-31'],
        ]),
      },
      { series: 'GDPC1' },
      'GDPC1',
      'exact',
    ],
    [
      'a FRED answer of one day: fetched',
      { 'a.json': fredApi('2015-03-01', '2015-03-01', [['2015-03-01', '2015-03-01']]) },
      { series: 'GDPC1' },
      'GDPC1',
      'fetched',
    ],
    [
      'a dated panel: sampled',
      { '2016-07-29.csv': 'date,PAYEMS\n2016-06-01,144175\n' },
      {},
      'PAYEMS',
      'sampled',
    ],
    [
      'FRED-MD: sampled',
      { '2016-02.csv': 'sasdate,INDPRO\nTransform:,5\n1/1/1959,21.9665\n' },
      {},
      'INDPRO',
      'sampled',
    ],
    [
      'FRED-QD: sampled',
      { '2021-04.csv': 'sasdate,GDPC1\nfactors,0\ntransform,5\n3/1/1959,3121.9\n' },
      {},
      'GDPC1',
      'sampled',
    ],
    ["asof's own CSV: exact", { 'a.csv': own }, {}, 'BREAD', 'exact'],
  ])('%s', async (_, files, flags, id, kind) => {
    const { series, vintages } = await kindsOf(await storeOf([files, flags]), id);
    expect(series).toBe(kind);
    expect(new Set(Object.values(vintages))).toEqual(new Set([kind]));
  });

  it('of a workbook of the Real-Time Data Set is sampled', async () => {
    const path = newStorePath(folder);
    await importPaths(path, [join(testData, 'macro/rtdsm/ROUTPUTQvQd.xlsx')]);
    const { series, vintages } = await kindsOf(path, 'ROUTPUT');
    expect([series, vintages['1965-11-15']]).toEqual(['sampled', 'sampled']);
  });
});

describe('a series with vintages of several kinds', () => {
  const imports = [
    [{ 'a.csv': alfred }],
    [{ 'b.csv': fred }, { asOf: '2015-02-27' }],
    [{ 'b.csv': fred }, { asOf: '2015-03-15' }],
  ] as const;

  test.each([
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
  ])(
    'decides it by vintage, and a day of publication wins, imported in the order %i %i %i',
    async (...order) => {
      const path = await storeOf(...order.map((i) => imports[i as 0 | 1 | 2]));
      expect(await kindsOf(path, 'GDPC1')).toEqual({
        series: 'exact; fetched',
        vintages: { '2015-01-30': 'exact', '2015-02-27': 'exact', '2015-03-15': 'fetched' },
      });
    },
  );

  it('has none of publication on the first day of an answer about later days, and exact ones after it', async () => {
    const rows = ['2024-01-01 2024-06-14 2024-06-20 2', '2024-01-01 2024-06-21 2024-06-30 3'];
    const path = await storeOf([answerOf('2024-06-14', '2024-06-30', ...rows), { series: 'X' }]);
    expect((await kindsOf(path, 'X')).vintages).toEqual({ '2024-06-14': 'fetched', '2024-06-21': 'exact' });
  });

  const ofX = { series: 'X' } as const;
  const whole = answerOf(
    '1776-07-04',
    '2024-06-30',
    '2024-01-01 2024-03-15 2024-06-13 1',
    '2024-01-01 2024-06-14 2024-06-30 2',
    '2024-02-01 2024-06-14 2024-06-30 3',
  );
  const clipped = (...added: readonly string[]) =>
    answerOf(
      '2024-06-14',
      '2024-06-30',
      '2024-01-01 2024-06-14 2024-06-30 2',
      '2024-02-01 2024-06-14 2024-06-30 3',
      ...added,
    );
  const earlier = 'series_id,date,as_of_date,value\nX,2023-12-01,2024-01-15,9\n';
  const added = '2023-12-01 2024-06-14 2024-06-30 9';

  it.each([
    [
      'a value that the exact one lacks',
      [
        [whole, ofX],
        [clipped(added), ofX],
      ],
      'fetched',
    ],
    [
      'nothing that the exact one lacks',
      [
        [whole, ofX],
        [clipped(), ofX],
      ],
      'exact',
    ],
    [
      'a value that was published before',
      [
        [whole, ofX],
        [clipped(added), ofX],
        [{ 'e.csv': earlier }, { merge: true }],
      ],
      'exact',
    ],
    [
      'a value that was another before',
      [
        [whole, ofX],
        [clipped(added), ofX],
        [{ 'e.csv': earlier.replace(',9', ',8') }, { merge: true }],
      ],
      'fetched',
    ],
  ] as const)(
    'is exact on the first day of a window only without its values, in any order: %s',
    async (_, imports, kind) => {
      const [one, two, three] = imports;
      const orders =
        three === undefined
          ? [
              [one, two],
              [two, one],
            ]
          : [
              [one, two, three],
              [one, three, two],
              [two, one, three],
              [two, three, one],
              [three, one, two],
              [three, two, one],
            ];
      for (const order of orders) {
        const path = await storeOf(
          ...order.map(([files, flags]) => [files, { merge: true, ...flags }] as const),
        );
        expect((await kindsOf(path, 'X')).vintages['2024-06-14']).toBe(kind);
        // Frequencies move dates, and the kinds stay.
        await importFiles(path, { 'm.csv': 'series_id,frequency\nX,M\n' });
        expect((await kindsOf(path, 'X')).vintages['2024-06-14']).toBe(kind);
      }
    },
  );

  it('has none of publication on the first day of a file of real-time periods, which does not say where it begins', async () => {
    const rows = [
      '2014-07-01,1,2015-01-30,9999-12-31',
      '2014-10-01,2,2015-01-30,2015-02-26',
      '2014-10-01,3,2015-02-27,9999-12-31',
    ];
    const path = await storeOf([
      { 'p.csv': ['period_start_date,X,realtime_start_date,realtime_end_date', ...rows, ''].join('\n') },
    ]);
    expect((await kindsOf(path, 'X')).vintages).toEqual({ '2015-01-30': 'fetched', '2015-02-27': 'exact' });
  });

  it('keeps them when a stated frequency moves its dates', async () => {
    const quarter = 'series_id,frequency\nGDPC1,Q\n';
    const path = await storeOf(...imports, [{ 'm.csv': quarter }]);
    expect((await kindsOf(path, 'GDPC1')).series).toBe('exact; fetched');
  });
});

describe('metadata', () => {
  test.each([
    ['before', [[{ 'm.csv': metadata('sampled') }], [{ 'a.csv': own }]]],
    ['after', [[{ 'a.csv': own }], [{ 'm.csv': metadata('sampled') }]]],
  ] as const)(
    'states the kind of vintages that their file leaves open, imported %s it',
    async (_, imports) => {
      expect((await kindsOf(await storeOf(...imports), 'BREAD')).series).toBe('sampled');
    },
  );

  it('does not change the kind that a format implies', async () => {
    const path = await storeOf(
      [{ 'a.csv': alfred }],
      [{ 'm.csv': 'series_id,vintage_kind\nGDPC1,sampled\n' }],
    );
    expect((await kindsOf(path, 'GDPC1')).series).toBe('exact');
  });

  it('that contradicts held metadata is refused', async () => {
    const path = await storeOf([{ 'a.csv': own, 'm.csv': metadata('sampled') }]);
    await expect(importFiles(path, { 'm.csv': metadata('exact') })).rejects.toThrow(
      'm.csv: BREAD vintage kind: "exact", against "sampled"',
    );
  });

  it('with any other word is refused, with its place', async () => {
    await expect(storeOf([{ 'm.csv': metadata('monthly') }])).rejects.toThrow(
      'm.csv, row 2, column "vintage_kind": "monthly": not one of exact, fetched, sampled, unknown',
    );
  });
});

describe('asof facts', () => {
  it('writes the kind of each vintage, and an import of what it wrote gives the same kinds', async () => {
    const path = await storeOf(
      [{ 'a.csv': alfred }],
      [{ 'b.csv': fred }, { asOf: '2015-03-15' }],
      [
        { 'c.csv': 'series_id,date,as_of_date,value,vintage_kind\nGDPC1,,2015-04-01,,unknown\n' },
        { merge: true },
      ],
    );
    const { out } = await asof(['facts', 'GDPC1', '--store', path]);
    expect(out).toBe(
      `series_id,date,as_of_date,value,vintage_kind
GDPC1,2014-10-01,2015-01-30,16311.6,exact
GDPC1,2014-10-01,2015-02-27,16294.7,exact
GDPC1,2014-10-01,2015-03-15,16294.7,fetched
GDPC1,2014-10-01,2015-04-01,,unknown
GDPC1,,2015-04-01,,unknown
`,
    );
    const copy = await storeOf([{ 'facts.csv': out }]);
    expect(await kindsOf(copy, 'GDPC1')).toEqual(await kindsOf(path, 'GDPC1'));
  });
});

describe('a store of format 1, which does not know how vintages came about,', () => {
  /** A store that asof 0.1.0 made. */
  function oldStore(name: string): string {
    const path = newStorePath(folder);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, readData(join(testData, 'stores'), `${name}.db`));
    return path;
  }

  it('opens, and has the kinds that follow from the source of a series and from its log', async () => {
    const path = oldStore('format-1-one-kind');
    expect((await kindsOf(path, 'GDPC1')).series).toBe('exact');
    expect((await kindsOf(path, 'PAYEMS')).series).toBe('sampled');
  });

  it('says that the rest is unknown', async () => {
    const path = oldStore('format-1-two-kinds');
    expect(await kindsOf(path, 'UNRATE')).toEqual({
      series: 'unknown',
      vintages: { '2015-01-09': 'unknown' },
    });
    expect((await kindsOf(path, 'BREAD')).series).toBe('exact');
  });

  it('learns the rest from another import of the same files', async () => {
    const path = oldStore('format-1-two-kinds');
    await importFiles(
      path,
      { 'UNRATE.csv': 'observation_date,UNRATE\n2014-11-01,5.8\n2014-12-01,5.6\n' },
      { asOf: '2015-01-09' },
    );
    expect((await kindsOf(path, 'UNRATE')).series).toBe('fetched');
  });

  it('is brought up to date by the first reader that can write it', async () => {
    const path = oldStore('format-1-one-kind');
    await kindsOf(path, 'GDPC1');
    const db = openDatabase(path, { readonly: true });
    expect(db.pragma('user_version', { simple: true })).toBe(currentFormat);
    db.close();
  });

  it('is read in memory and stays as it is where it cannot be written', async () => {
    // Loads what a reader needs, which may be out of reach for another user.
    await kindsOf(oldStore('format-1-one-kind'), 'GDPC1');
    const path = oldStore('format-1-one-kind');
    const db = openDatabase(path);
    db.pragma('journal_mode = delete');
    db.close();
    const before = digestOf(path);
    for (const place of [folder, dirname(path)]) chmodSync(place, 0o555);
    chmodSync(path, 0o444);
    try {
      await withoutRights(async () => {
        expect((await kindsOf(path, 'GDPC1')).series).toBe('exact');
        await expect(openStore(path, { live: true })).rejects.toThrow(
          'was made by an older asof, and cannot be brought up to date',
        );
      });
      expect(digestOf(path)).toBe(before);
    } finally {
      for (const place of [folder, dirname(path)]) chmodSync(place, 0o755);
    }
  });
});
