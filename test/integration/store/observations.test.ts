import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ObservationQuery, StoreView } from '../../../src/store/store.ts';
import { runs } from '../../support/arbitrary.ts';
import { asAsofCsv } from '../../support/encodings.ts';
import { onEveryEngine } from '../../support/engines.ts';
import {
  asOf,
  emptyModel,
  firstReleases,
  importInto,
  type ModelStatement,
  type NaiveModel,
} from '../../support/knowledge.ts';
import { importFiles, reading } from '../../support/scratch-store.ts';

onEveryEngine((engine) => {
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

  beforeAll(async () => {
    known = importInto(emptyModel, made).after;
    await importFiles(path, asAsofCsv(made)[0]?.files ?? {});
  });

  describe('a page of observations, from series with few vintages and with many,', () => {
    test.each(['M', 'N'])(
      'of %s equals a slice of the list of known values, for any bounds',
      async (series) => {
        const bound = fc.option(
          fc.constantFrom(...dates, '2017-12-31', '2018-02-15', '2019-02-28', '2020-01-01'),
        );
        const day = fc.option(fc.constantFrom(...vintages(40), '2018-02-09', '2018-03-01', '2025-01-01'));
        await reading(path, (view) =>
          fc.assert(
            fc.asyncProperty(
              bound,
              bound,
              bound,
              day,
              fc.boolean(),
              fc.constantFrom(1, 2, 3, 7, 1000),
              async (from, to, before, asked, firstRelease, limit) => {
                const rows = (firstRelease ? firstReleases : asOf)(known, series, asked ?? undefined);
                const expected = rows
                  .filter(({ date }) => date >= (from ?? '') && date <= (to ?? '9') && date < (before ?? '9'))
                  .slice(0, limit);
                const query: ObservationQuery = {
                  seriesId: series,
                  firstRelease,
                  limit,
                  ...(from !== null && { from }),
                  ...(to !== null && { to }),
                  ...(before !== null && { before }),
                  ...(asked !== null && { asOf: asked }),
                };
                expect((await view.series.observations(query))?.rows).toEqual(expected);
              },
            ),
            { numRuns: runs(300, engine) },
          ),
        );
      },
    );

    test('is undefined for a series that does not exist', async () => {
      const ask = (view: StoreView) => view.series.observations({ seriesId: 'NONE', limit: 9 });
      expect(await reading(path, ask)).toBeUndefined();
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
