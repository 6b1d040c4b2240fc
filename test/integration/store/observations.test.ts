import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import type { ObservationQuery, Store, StoredObservation } from '../../../src/store/store.ts';
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
  /** The cache of pages, which an engine may use. */
  const pages = new Map<string, readonly StoredObservation[]>();
  /** A plain store, and one that may have a cache of pages. */
  let stores: readonly Store[] = [];

  beforeAll(async () => {
    known = importInto(emptyModel, made).after;
    await importFiles(path, asAsofCsv(made)[0]?.files ?? {});
    stores = [await openStore(path), await openStore(path, { live: true, pages })];
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  const rowsOf = (store: Store, query: ObservationQuery) =>
    store.read(async (view) => (await view.series.observations(query))?.rows);

  describe('a page of observations, from series with few vintages and with many,', () => {
    test.each(['M', 'N'])(
      'of %s equals a slice of the list of known values, for any bounds, also from a cache of pages',
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

    test('is read once for all days up to the next vintage, where there is a cache, until an import', async () => {
      pages.clear();
      const ask = async (seriesId: string) => {
        for (const day of [...vintages(3), '2018-02-09', '2018-02-11', '2018-03-01', '2025-01-01']) {
          const query = { seriesId, asOf: day, limit: 10 };
          const [plain, cached] = await Promise.all(stores.map((store) => rowsOf(store, query)));
          expect(cached).toEqual(plain);
        }
      };
      await ask('N');
      // Three vintages, and the days before the first of them.
      expect(pages.size).toBe(engine.name === 'SQLite' ? 4 : 0);
      await importFiles(path, {
        'more.csv': facts('N 2018-01-01 2018-02-15 99', 'N 2018-02-01 2018-03-15 98'),
      });
      await ask('N');
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
