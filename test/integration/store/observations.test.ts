import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeSeries } from '../../../src/maintenance/series.ts';
import { knownView } from '../../../src/store/known-view.ts';
import { openStore, writing } from '../../../src/store/open.ts';
import type { ObservationQuery, Store } from '../../../src/store/store.ts';
import { runs } from '../../support/arbitrary.ts';
import { asAsofCsv } from '../../support/encodings.ts';
import { contract } from '../../support/engines.ts';
import {
  asOf,
  emptyModel,
  firstReleases,
  importInto,
  type ModelStatement,
  type NaiveModel,
} from '../../support/knowledge.ts';
import { facts, importFiles } from '../../support/scratch-store.ts';

contract((engine) => {
  const path = engine.newAddress();

  const dates = Array.from({ length: 14 }, (_, i) => monthAfter('2018-01-01', i));
  const vintages = (count: number) => Array.from({ length: count }, (_, i) => dayAfter('2018-02-10', i * 9));

  /** The store reads a few vintages and many in different ways; rows of neighbouring series must never appear. */
  const made: readonly ModelStatement[] = [
    ...revised('A', vintages(80)),
    ...revised('M', vintages(40)),
    ...revised('N', vintages(3)),
    ...revised('Z', vintages(2)),
  ];

  let known: NaiveModel = emptyModel;
  /** A plain store, and one that may keep series in memory. */
  let stores: readonly Store[] = [];

  beforeAll(async () => {
    known = importInto(emptyModel, made).after;
    await importFiles(path, asAsofCsv(made)[0]?.files ?? {});
    stores = [await openStore(path), await openStore(path, { live: true, mostKept: 100_000 })];
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  const rowsOf = (store: Store, query: ObservationQuery) =>
    store.read(async (view) => (await view.series.observations(query))?.rows);

  describe('a page of observations, from series with few vintages and with many,', () => {
    test.each(['M', 'N'])(
      'of %s equals a slice of the list of known values, for any bounds, also from memory',
      async (seriesId) => {
        const bound = fc.option(
          fc.constantFrom(...dates, '2017-12-31', '2018-02-15', '2019-02-28', '2020-01-01'),
          { nil: undefined },
        );
        const days = fc.constantFrom(...vintages(40), '2018-02-09', '2018-03-01', '2025-01-01');
        const queries = fc.record({
          from: bound,
          to: bound,
          before: bound,
          asOf: fc.option(days, { nil: undefined }),
          firstRelease: fc.boolean(),
          limit: fc.constantFrom(1, 2, 3, 7, 1000),
        });
        await fc.assert(
          fc.asyncProperty(queries, async ({ limit, firstRelease, ...bounds }) => {
            const { from = '', to = '9', before = '9' } = bounds;
            const rows = (firstRelease ? firstReleases : asOf)(known, seriesId, bounds.asOf);
            const expected = rows
              .filter(({ date }) => date >= from && date <= to && date < before)
              .slice(0, limit);
            const given = Object.entries(bounds).filter(([, value]) => value !== undefined);
            const query = { seriesId, limit, firstRelease, ...Object.fromEntries(given) };
            for (const store of stores) expect(await rowsOf(store, query)).toEqual(expected);
          }),
          { numRuns: runs(300, engine) },
        );
      },
    );

    test('is undefined for a series that does not exist', async () => {
      for (const store of stores) expect(await rowsOf(store, { seriesId: 'NONE', limit: 9 })).toBeUndefined();
    });

    test('is the same from memory on any day, on the days again, after an import, and after another', async () => {
      const ask = async (seriesId: string) => {
        for (const day of [...vintages(3), '2018-02-09', '2018-02-11', '2018-03-01', '2025-01-01']) {
          const query = { seriesId, asOf: day, limit: 10 };
          const [plain, kept] = await Promise.all(stores.map((store) => rowsOf(store, query)));
          expect(kept).toEqual(plain);
        }
      };
      for (let times = 0; times < 3; times += 1) await ask('N');
      await importFiles(path, {
        'more.csv': facts('N 2018-01-01 2018-02-15 99', 'N 2018-02-01 2018-03-15 98'),
      });
      for (let times = 0; times < 3; times += 1) await ask('N');
      await importFiles(path, { 'other.csv': facts('Z 2018-01-01 2018-02-15 99') });
      await ask('N');
      await ask('Z');
    });

    test('from memory has the vintage and the unit of its day', async () => {
      await importFiles(path, { 'u.csv': facts('U 1990-01-01 2015-01-30 1', 'U 1990-01-01 2018-01-30 2') });
      await importFiles(path, { 'units.csv': 'series_id,units\nU,euro\n' });
      const about = async (store: Store, asOf: string | undefined) => {
        const query = { seriesId: 'U', limit: 5, ...(asOf !== undefined && { asOf }) };
        const page = await store.read((view) => view.series.observations(query));
        return page && [page.series.units, page.vintage.newest?.asOf, page.rows[0]?.value];
      };
      for (let times = 0; times < 3; times += 1)
        for (const store of stores)
          expect(await about(store, '2016-05-31')).toEqual(['euro', '2015-01-30', '1']);
      await writing(path, async (writer) => {
        const change = { field: 'units', changedOn: '2016-06-01', before: 'ECU', after: 'euro' };
        await writer.recordChange({ seriesId: 'U', ...change });
        await writer.commit();
      });
      // A change of units comes with an import of the series.
      await importFiles(path, { 'u.csv': facts('U 1989-01-01 2018-01-30 2') });
      for (let times = 0; times < 3; times += 1)
        for (const store of stores) {
          expect(await about(store, '2015-01-29')).toEqual(['ECU', undefined, undefined]);
          expect(await about(store, '2016-05-31')).toEqual(['ECU', '2015-01-30', '1']);
          expect(await about(store, '2016-06-01')).toEqual(['euro', '2015-01-30', '1']);
          expect(await about(store, undefined)).toEqual(['euro', '2018-01-30', '2']);
        }
    });

    test('describes its series as it is after each import, in a store that stays open', async () => {
      const about = async (store: Store, asOf: string) =>
        store.read(async (view) => {
          const page = await knownView(view, '2020-01-01').series.observations({
            seriesId: 'D',
            limit: 1,
            asOf,
          });
          return page && [page.series.title, page.series.frequency, page.rows[0]?.value];
        });
      const check = async (first: unknown, second: unknown) => {
        for (let times = 0; times < 3; times += 1)
          for (const store of stores) {
            expect(await about(store, '2015-03-01')).toEqual(first);
            expect(await about(store, '2015-06-01')).toEqual(second);
          }
      };
      await check(undefined, undefined);
      const monthly = ['D 2015-01-01 2015-02-01 1', 'D 2015-02-01 2015-02-01 2'];
      await importFiles(path, { 'd.csv': facts(...monthly, 'D 2015-01-01 2016-01-01 9') });
      await check(['D', 'M', '2'], ['D', 'M', '2']);
      await importFiles(path, { 'd.csv': 'series_id,title\nD,Deliveries\n' });
      await check(['Deliveries', 'M', '2'], ['Deliveries', 'M', '2']);
      // Each of these days is known from 15 May 2015 on.
      const daily = ['04', '05', '06', '07', '08'].map((day) => `D 2015-05-${day} 2015-05-15 3`);
      await importFiles(path, { 'd.csv': facts(...daily) });
      await check(['Deliveries', 'M', '2'], ['Deliveries', 'D', '3']);
      await importFiles(path, { 'd.csv': 'series_id,frequency\nD,D\n' });
      await check(['Deliveries', 'D', '2'], ['Deliveries', 'D', '3']);
      await removeSeries(path, 'D');
      await check(undefined, undefined);
    });

    test('of series that a memory has no room for is the same', async () => {
      const store = await openStore(path, { mostKept: 3 });
      try {
        for (const seriesId of ['A', 'M', 'A', 'M', 'M']) {
          const query = { seriesId, asOf: '2018-04-01', limit: 9 };
          expect(await rowsOf(store, query)).toEqual(asOf(known, seriesId, '2018-04-01').slice(0, 9));
        }
      } finally {
        await store.close();
      }
    });
  });

  /** Every date revised by most vintages after it, now and then withdrawn, confirmed, or only respelled. */
  function revised(series: string, days: readonly string[]): readonly ModelStatement[] {
    return days.flatMap((day, v) =>
      dates.flatMap((date, d): ModelStatement[] => {
        const turn = (v * 7 + d * 3) % 11;
        if (date > day || turn === 0) return [];
        const value = turn === 1 ? null : turn < 4 ? '1.5' : turn === 4 ? '1.50' : `${v}.${d}`;
        return [{ series, date, asOf: day, value }];
      }),
    );
  }

  function dayAfter(day: string, count: number): string {
    return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);
  }

  function monthAfter(day: string, count: number): string {
    const month = Number(day.slice(5, 7)) - 1 + count;
    return `${Number(day.slice(0, 4)) + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`;
  }
});
