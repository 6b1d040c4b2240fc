import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { mergeStore } from '../../../src/maintenance/merge.ts';
import { addAlias, listAliases } from '../../../src/maintenance/series.ts';
import { undoStoreImport } from '../../../src/maintenance/undo.ts';
import { transcript } from '../../support/command.ts';
import { type Engine, onEveryEngine, sqlite } from '../../support/engines.ts';
import { scratchFolder } from '../../support/folders.ts';
import { asking } from '../../support/modes.ts';
import {
  contentOf,
  type Files,
  facts,
  importFiles,
  newStorePath,
  reading,
} from '../../support/scratch-store.ts';

const folder = scratchFolder();
const flow = 'OECD.SDD.STES:DSD_STES_REVISIONS@DF_STES_REVISIONS(4.0)';
const header =
  'DATAFLOW,REF_AREA,FREQ,MEASURE,UNIT_MEASURE,ACTIVITY,EDITION,TIME_PERIOD,OBS_VALUE,OBS_STATUS,UNIT_MULT,DECIMALS,BASE_PER';

/** A file of editions, each as `202310 2015-Q1 100 2010`: edition, period, value and base year. */
function editions(...rows: readonly string[]): string {
  const lines = rows.map((row) => {
    const [edition, period, value, base] = row.split(' ');
    return `${flow},EA20,Q,B1GQ_Q,XDC,_T,${edition},${period},${value},A,6,0,${base}`;
  });
  return `${[header, ...lines].join('\n')}\n`;
}

const files = {
  old: { 'a.csv': editions('202309 2015-Q1 100 2010', '202401 2015-Q1 101 2010') },
  between: { 'b.csv': editions('202402 2015-Q1 110 2015') },
  new: { 'c.csv': editions('202509 2015-Q1 130 2020') },
};

const id = 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T';

describe.each([
  ['old', 'between', 'new'],
  ['new', 'old', 'between'],
  ['between', 'new', 'old'],
] as const)('editions of three bases, imported in the order %s, %s, %s', (...order) => {
  const store = newStorePath(folder);
  const asked = asking(store, async () => {
    for (const name of order) await importFiles(store, files[name]);
  });

  transcript(
    `
    # have in each row the unit of its edition
    $ asof revisions ${id} --columns value,as_of_date,unit -q
    value,as_of_date,unit
    100,2023-10-01,"National currency, millions, constant prices, base period 2010"
    101,2024-02-01,"National currency, millions, constant prices, base period 2010"
    110,2024-03-01,"National currency, millions, constant prices, base period 2015"
    130,2025-10-01,"National currency, millions, constant prices, base period 2020"
    $ asof observations ${id} --as-of 2024-02-29 --columns value,unit -q
    value,unit
    101,"National currency, millions, constant prices, base period 2010"
    $ asof observations ${id} --columns value,unit
    value,unit
    130,"National currency, millions, constant prices, base period 2020"

    # as of a day say nothing of later bases
    $ asof revisions ${id} --as-of 2024-02-29 --columns value,unit -q
    value,unit
    100,"National currency, millions, constant prices, base period 2010"
    101,"National currency, millions, constant prices, base period 2010"
    $ asof revisions ${id} --as-of 2024-03-01 --columns value
    value
    100
    101
    110
    ! asof: ${id} is sampled: these are the first samples with each value
    ! asof: the unit of ${id} changed on 2024-03-01: "National currency, millions, constant prices, base period 2010" -> "National currency, millions, constant prices, base period 2015"; compare growth rates, not levels (--units pch)

    # are named where levels of two bases are compared
    $ asof diff ${id} 2024-02-29 2024-03-31 --columns old,new
    old,new
    101,110
    …
    ! asof: ${id}: the unit is "National currency, millions, constant prices, base period 2010" on 2024-02-29, and "National currency, millions, constant prices, base period 2015" on 2024-03-31; compare growth rates, not levels (--units pch)
    `,
    () => asked.as('embedded'),
  );
});

const clock = () => new Date('2026-01-15T12:00:00Z');

async function storeOf(engine: Engine, ...all: readonly Files[]): Promise<string> {
  const store = engine.newAddress();
  for (const one of all) await importFiles(store, one);
  return store;
}

/** Files of one vintage each, of which the second states no unit. */
const ofOneVintage = {
  dollars: { 'v1.csv': 'series_id,date,as_of_date,value,units\nX,2020-02-01,2020-06-01,2,Dollars\n' },
  unsaid: { 'v2.csv': 'series_id,date,as_of_date,value\nX,2020-02-01,2020-06-15,21\n' },
  euro: { 'v3.csv': 'series_id,date,as_of_date,value,units\nX,2020-02-01,2020-07-01,20,Euro\n' },
};

onEveryEngine((engine) => {
  describe('a vintage without a unit', () => {
    const rowsAsOf = (store: string, asOf: string) =>
      reading(store, async (view) => {
        const page = await view.series.observations({ seriesId: 'X', asOf, limit: 9 });
        return page?.rows.map(({ value }) => `${value} ${page.series.units}`);
      });

    it.each([
      ['dollars', 'unsaid', 'euro'],
      ['dollars', 'euro', 'unsaid'],
      ['unsaid', 'dollars', 'euro'],
      ['unsaid', 'euro', 'dollars'],
      ['euro', 'dollars', 'unsaid'],
      ['euro', 'unsaid', 'dollars'],
    ] as const)('has the one known on its day, in the order of imports %s, %s, %s', async (...order) => {
      const store = await storeOf(engine, ...order.map((name) => ofOneVintage[name]));
      expect(await rowsAsOf(store, '2020-06-10')).toEqual(['2 Dollars']);
      expect(await rowsAsOf(store, '2020-06-20')).toEqual(['21 Dollars']);
      expect(await rowsAsOf(store, '2020-07-01')).toEqual(['20 Euro']);
      expect((await checkStore(store)).faults).toEqual([]);
    });

    it('has none where only a later one states it', async () => {
      const store = await storeOf(engine, ofOneVintage.euro, ofOneVintage.unsaid);
      expect(await rowsAsOf(store, '2020-06-20')).toEqual(['21 ']);
      expect(await rowsAsOf(store, '2020-07-01')).toEqual(['20 Euro']);
      const merged = engine.newAddress();
      await mergeStore(store, merged, { clock });
      expect(await contentOf(merged)).toEqual(await contentOf(store));
    });

    it('has the one of a description, which is known from the start', async () => {
      const described = { 'm.csv': 'series_id,units\nX,Euro\n' };
      const store = await storeOf(engine, ofOneVintage.unsaid, described, ofOneVintage.euro);
      expect(await rowsAsOf(store, '2020-06-20')).toEqual(['21 Euro']);
      const merged = engine.newAddress();
      await mergeStore(store, merged, { clock });
      expect(await contentOf(merged)).toEqual(await contentOf(store));
    });
  });

  describe('two units are a conflict, in any order of files, if they are', () => {
    const metadata = { 'm.csv': 'series_id,units\nX,Yen\n' };
    const euro = {
      'e.csv': 'series_id,date,as_of_date,value,units\nX,2020-03-01,2020-06-01,3,Euro\n',
    };

    it.each([
      ['of one vintage', 'X units as of 2020-06-01', ofOneVintage.dollars, euro],
      ['of a description and a vintage', 'X units', ofOneVintage.dollars, metadata],
    ])('%s', async (_, field, one, other) => {
      const orders = [
        [one, other],
        [other, one],
      ] as const;
      for (const [first, second] of orders) {
        const store = await storeOf(engine, first);
        const refusal = {
          list: [expect.stringContaining(`${field}: `)],
          hints: ['--replace accepts the new ones'],
        };
        await expect(importFiles(store, second)).rejects.toMatchObject(refusal);
        expect(await contentOf(store)).toEqual(await contentOf(await storeOf(engine, first)));
        await importFiles(store, second, { replace: true });
        await expect(importFiles(engine.newAddress(), { ...first, ...second })).rejects.toMatchObject(
          refusal,
        );
      }
    });
  });

  describe('a merge of stores whose vintages have different units', () => {
    it.each([
      [['new'], ['old', 'between']],
      [['old', 'new'], ['between']],
      [
        ['old', 'between'],
        ['old', 'new'],
      ],
    ] as const)('holds what a store of all files holds, and undoes: %j and %j', async (one, other) => {
      const into = await storeOf(engine, ...one.map((name) => files[name]));
      const before = await contentOf(into);
      const from = await storeOf(sqlite, ...other.map((name) => files[name]));
      const all = [...new Set([...one, ...other])].map((name) => files[name]);
      await mergeStore(from, into, { clock });
      expect(await contentOf(into)).toEqual(await contentOf(await storeOf(engine, ...all)));
      expect((await checkStore(into)).faults).toEqual([]);
      await undoStoreImport(into);
      expect(await contentOf(into)).toEqual(before);
    });

    it('is equal to a copy on the other engine, with the units of its vintages and its aliases', async () => {
      const from = await storeOf(sqlite, files.old, files.between);
      await addAlias(from, 'EA.GDP', id);
      const copy = engine.newAddress();
      await copyStore(from, copy);
      const merged = engine.newAddress();
      await mergeStore(from, merged, { clock });
      for (const one of [copy, merged]) {
        expect(await contentOf(one)).toEqual(await contentOf(from));
        expect(await listAliases(one)).toEqual(await listAliases(from));
        const { source, publishers, vintageKind } = (await seriesIn(one)) ?? {};
        expect([source, publishers, vintageKind]).toEqual(['OECD', 'OECD', 'sampled']);
      }
    });

    it.each([
      ['the first', true],
      ['the second', false],
    ])('has the units of all where only %s states them', async (_, isFirst) => {
      const stated = files.old;
      const unstated = { 'a.csv': facts(`${id} 2015-01-01 2024-03-01 110`) };
      const both = isFirst ? [stated, unstated] : [unstated, stated];
      const into = await storeOf(engine, ...both.slice(0, 1));
      await mergeStore(await storeOf(sqlite, ...both.slice(1)), into, { clock });
      const { units, changes } = await unitsIn(into);
      expect([units, daysOf(changes)]).toEqual([unit('2010'), ['2023-10-01']]);
    });

    it('keeps a change of a description on a day without a vintage', async () => {
      const metadata = (units: string) => ({ 'm.csv': `series_id,units\nGDP,${units}\n` });
      const into = await storeOf(engine, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') }, metadata('Old'));
      await importFiles(into, metadata('New'), { redescribe: true });
      const before = await unitsIn(into, 'GDP');
      expect(before.changes).toHaveLength(1);
      const from = await storeOf(sqlite, { 'a.csv': facts('GDP 2014-10-01 2015-02-27 2') }, metadata('Old'));
      await mergeStore(from, into, { clock });
      expect(await unitsIn(into, 'GDP')).toEqual(before);
    });

    it('is refused where one vintage has two units, with both, and --replace takes those of the other', async () => {
      const into = await storeOf(engine, files.old, files.between);
      const from = await storeOf(sqlite, {
        'd.csv': editions('202309 2015-Q1 100 2015', '202401 2015-Q1 101 2015', '202402 2015-Q1 110 2020'),
      });
      const before = await engine.digest(into);
      await expect(mergeStore(from, into, { clock })).rejects.toMatchObject({
        list: [
          `${from}: ${id} units as of 2023-10-01 and 1 later vintage: "${unit('2015')}", against "${unit('2010')}"`,
          `${from}: ${id} units as of 2024-03-01: "${unit('2020')}", against "${unit('2015')}"`,
        ],
        hints: ['--replace accepts the new ones'],
      });
      expect(await engine.digest(into)).toBe(before);
      await mergeStore(from, into, { clock, replace: true });
      const { units, changes } = await unitsIn(into);
      expect([units, daysOf(changes)]).toEqual([unit('2020'), ['2023-10-01', '2024-03-01']]);
    });

    it('is refused where one store has another unit for a series without a vintage', async () => {
      const into = await storeOf(engine, { 'm.csv': `series_id,units\n${id},Percent\n` });
      await expect(mergeStore(await storeOf(sqlite, files.old), into, { clock })).rejects.toMatchObject({
        list: [expect.stringContaining(`"${unit('2010')}", against "Percent"`)],
      });
    });
  });
});

function daysOf(changes: readonly { readonly changedOn: string }[]): readonly string[] {
  return changes.map(({ changedOn }) => changedOn);
}

function unit(base: string): string {
  return `National currency, millions, constant prices, base period ${base}`;
}

function seriesIn(store: string) {
  return reading(store, (view) => view.series.find(id));
}

function unitsIn(store: string, series = id) {
  return reading(store, async (view) => ({
    units: (await view.series.find(series))?.units,
    changes: await view.series.descriptionChanges(series),
  }));
}
