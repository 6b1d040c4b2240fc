import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { ordersOf } from '../../support/arbitrary.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder } from '../../support/folders.ts';
import { testData } from '../../support/repository.ts';
import {
  type Files,
  type ImportFlags,
  importFiles,
  importPaths,
  newStorePath,
  reading,
} from '../../support/scratch-store.ts';

const folder = scratchFolder();

const alfred = 'observation_date,GDPC1_20150130,GDPC1_20150227\n2014-10-01,16311.6,16294.7\n';
const fred = 'observation_date,GDPC1\n2014-10-01,16294.7\n';
const own = 'series_id,date,as_of_date,value\nBREAD,2024-02-01,2024-03-12,2.001\n';
const metadata = (id: string, field: string, text: string) => ({
  'm.csv': `series_id,${field}\n${id},${text}\n`,
});

/** An answer of FRED about some days, whose rows read `2014-10-01 2015-01-30 2015-02-26 16311.6`. */
function answerOf(start: string, end: string, ...rows: readonly string[]): Files {
  const observations = rows.map((row) => {
    const [date, realtime_start, realtime_end, value] = row.split(' ');
    return { date, realtime_start, realtime_end, value };
  });
  const head = { realtime_start: start, realtime_end: end, units: 'lin', output_type: 1, count: rows.length };
  return { 'a.json': JSON.stringify({ ...head, observations }) };
}

type Step = readonly [Files, (ImportFlags | undefined)?];

/** A new store with files, imported one after the other. */
async function storeOf(...imports: readonly Step[]) {
  const path = newStorePath(folder);
  for (const [files, flags] of imports) await importFiles(path, files, { merge: true, ...flags });
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

const ofX = { series: 'X' } as const;

describe('how vintages came about follows from the format', () => {
  const open = ['2014-10-01 2015-01-30 2015-02-26 16311.6', '2014-10-01 2015-02-27 9999-12-31 16310.6'];
  const oneDay = '2014-10-01 2015-03-01 2015-03-01 16311.6';
  const qd = 'sasdate,X\nfactors,0\ntransform,5\n3/1/1959,3121.9\n';
  test.each<[format: string, kind: string, id: string, Files, ImportFlags?]>([
    ['an ALFRED download', 'exact', 'GDPC1', { 'a.csv': alfred }],
    ['a FRED download', 'fetched', 'GDPC1', { 'a.csv': fred }, { asOf: '2015-03-01' }],
    ['a FRED answer with periods', 'exact', 'X', answerOf('1776-07-04', '9999-12-31', ...open), ofX],
    ['a FRED answer of one day', 'fetched', 'X', answerOf('2015-03-01', '2015-03-01', oneDay), ofX],
    ['a dated panel', 'sampled', 'X', { '2016-07-29.csv': 'date,X\n2016-06-01,144175\n' }],
    ['FRED-MD', 'sampled', 'X', { '2016-02.csv': 'sasdate,X\nTransform:,5\n1/1/1959,21.9665\n' }],
    ['FRED-QD', 'sampled', 'X', { '2021-04.csv': qd }],
    ["asof's own CSV", 'exact', 'BREAD', { 'a.csv': own }],
  ])('%s: %s', async (_, kind, id, files, flags) => {
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
  const imports: readonly Step[] = [
    [{ 'a.csv': alfred }],
    [{ 'b.csv': fred }, { asOf: '2015-02-27' }],
    [{ 'b.csv': fred }, { asOf: '2015-03-15' }],
  ];

  test.each([
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
  ])(
    'decides it by vintage, and a day of publication wins, imported in the order %i %i %i',
    async (...order) => {
      const path = await storeOf(...order.flatMap((i) => imports.slice(i, i + 1)));
      const kinds = {
        series: 'exact; fetched',
        vintages: { '2015-01-30': 'exact', '2015-02-27': 'exact', '2015-03-15': 'fetched' },
      };
      expect(await kindsOf(path, 'GDPC1')).toEqual(kinds);
      // A stated frequency moves the dates, and the kinds stay.
      await importFiles(path, metadata('GDPC1', 'frequency', 'Q'));
      expect(await kindsOf(path, 'GDPC1')).toEqual(kinds);
    },
  );

  it('has none of publication on the first day of an answer about later days, and exact ones after it', async () => {
    const rows = ['2024-01-01 2024-06-14 2024-06-20 2', '2024-01-01 2024-06-21 2024-06-30 3'];
    const path = await storeOf([answerOf('2024-06-14', '2024-06-30', ...rows), ofX]);
    expect((await kindsOf(path, 'X')).vintages).toEqual({ '2024-06-14': 'fetched', '2024-06-21': 'exact' });
  });

  const both = ['2024-01-01 2024-06-14 2024-06-30 2', '2024-02-01 2024-06-14 2024-06-30 3'];
  const before = '2024-01-01 2024-03-15 2024-06-13 1';
  const whole: Step = [answerOf('1776-07-04', '2024-06-30', before, ...both), ofX];
  const clipped = (...added: readonly string[]): Step => [
    answerOf('2024-06-14', '2024-06-30', ...both, ...added),
    ofX,
  ];
  const added = '2023-12-01 2024-06-14 2024-06-30 9';
  const earlier = (value: string): Step => [
    { 'e.csv': `series_id,date,as_of_date,value\nX,2023-12-01,2024-01-15,${value}\n` },
  ];

  it.each<[string, readonly Step[], string]>([
    ['a value that the exact one lacks', [whole, clipped(added)], 'fetched'],
    ['nothing that the exact one lacks', [whole, clipped()], 'exact'],
    ['a value that was published before', [whole, clipped(added), earlier('9')], 'exact'],
    ['a value that was another before', [whole, clipped(added), earlier('8')], 'fetched'],
  ])(
    'is exact on the first day of a window only without its values, in any order: %s',
    async (_, steps, kind) => {
      for (const order of ordersOf(steps)) {
        const path = await storeOf(...order);
        expect((await kindsOf(path, 'X')).vintages['2024-06-14']).toBe(kind);
        await importFiles(path, metadata('X', 'frequency', 'M'));
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
    const header = 'period_start_date,X,realtime_start_date,realtime_end_date';
    const path = await storeOf([{ 'p.csv': [header, ...rows, ''].join('\n') }]);
    expect((await kindsOf(path, 'X')).vintages).toEqual({ '2015-01-30': 'fetched', '2015-02-27': 'exact' });
  });
});

describe('metadata', () => {
  const sampled = metadata('BREAD', 'vintage_kind', 'sampled');

  test.each<[string, readonly Step[]]>([
    ['before', [[sampled], [{ 'a.csv': own }]]],
    ['after', [[{ 'a.csv': own }], [sampled]]],
  ])('states the kind of vintages that their file leaves open, imported %s it', async (_, imports) => {
    expect((await kindsOf(await storeOf(...imports), 'BREAD')).series).toBe('sampled');
  });

  it('does not change the kind that a format implies', async () => {
    const path = await storeOf([{ 'a.csv': alfred }], [metadata('GDPC1', 'vintage_kind', 'sampled')]);
    expect((await kindsOf(path, 'GDPC1')).series).toBe('exact');
  });

  it('that contradicts held metadata is refused, and any other word with its place', async () => {
    const path = await storeOf([{ 'a.csv': own, ...sampled }]);
    await expect(importFiles(path, metadata('BREAD', 'vintage_kind', 'exact'))).rejects.toThrow(
      'm.csv: BREAD vintage kind: "exact", against "sampled"',
    );
    await expect(importFiles(path, metadata('BREAD', 'vintage_kind', 'monthly'))).rejects.toThrow(
      'm.csv, row 2, column "vintage_kind": "monthly": not one of exact, fetched, sampled, unknown',
    );
  });
});

describe('asof facts', () => {
  it('writes the kind of each vintage, and an import of what it wrote gives the same kinds', async () => {
    const path = await storeOf(
      [{ 'a.csv': alfred }],
      [{ 'b.csv': fred }, { asOf: '2015-03-15' }],
      [{ 'c.csv': 'series_id,date,as_of_date,value,vintage_kind\nGDPC1,,2015-04-01,,unknown\n' }],
    );
    const { out } = await asof(['facts', 'GDPC1', '--store', path]);
    const statements = out.split('\n').map((line) => line.split(',').slice(0, 5).join());
    expect(statements).toEqual([
      'series_id,date,as_of_date,value,vintage_kind',
      'GDPC1,2014-10-01,2015-01-30,16311.6,exact',
      'GDPC1,2014-10-01,2015-02-27,16294.7,exact',
      'GDPC1,2014-10-01,2015-03-15,16294.7,fetched',
      'GDPC1,2014-10-01,2015-04-01,,unknown',
      'GDPC1,,2015-04-01,,unknown',
      '',
    ]);
    const copy = await storeOf([{ 'facts.csv': out }]);
    expect(await kindsOf(copy, 'GDPC1')).toEqual(await kindsOf(path, 'GDPC1'));
  });
});
