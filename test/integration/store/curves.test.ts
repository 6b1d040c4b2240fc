import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { curveOf, type Files, failureOf, importFiles, reading } from '../../support/scratch-store.ts';

onEveryEngine((engine) => {
  const h15 = (...rows: readonly string[]): Files => ({
    'h15.csv': `DATE,DGS1MO,DGS10\n${rows.join('\n')}\n`,
  });
  const site = (...rows: readonly string[]): Files => ({
    'par.csv': `Date,1 Mo,10 Yr\n${rows.join('\n')}\n`,
  });

  async function importAll(steps: readonly Files[], replace = false): Promise<string> {
    const path = engine.newAddress();
    for (const files of steps) await importFiles(path, files, { replace });
    return path;
  }

  test('the summary of the rates counts the days of each maturity of each curve, and names their sources', async () => {
    const real = 'Date,"5 YR","10 YR"\n2024-01-02,1.7,1.74\n2024-01-03,1.66,1.73\n';
    const path = await importAll([
      h15('2024-01-02,4.1,3.9', '2024-01-03,.,3.8'),
      { ...site('2024-01-04,4.2,3.7'), 'real.csv': real },
    ]);
    const summaries = await reading(path, (view) => view.rates.summaries());
    const texts = summaries.map(
      ({ curveType, maturity, count, first, last, sources }) =>
        `${curveType} ${maturity} ${count} ${first} ${last} ${[...sources].sort().join('; ')}`,
    );
    expect(texts.sort()).toEqual([
      'PAR 10Y 3 2024-01-02 2024-01-04 Federal Reserve H.15; U.S. Treasury',
      'PAR 1M 2 2024-01-02 2024-01-04 Federal Reserve H.15; U.S. Treasury',
      'TIPS 10Y 2 2024-01-02 2024-01-03 U.S. Treasury',
      'TIPS 5Y 2 2024-01-02 2024-01-03 U.S. Treasury',
    ]);
  });

  test('a store without curves summarises no rates', async () => {
    const path = await importAll([
      { 'gdp.csv': 'series_id,date,as_of_date,value\nGDP,2014-07-01,2014-12-23,17599.8\n' },
    ]);
    expect(await reading(path, (view) => view.rates.summaries())).toEqual([]);
  });

  describe('a curve has one rate for each type, trade date and maturity', () => {
    test.each<[string, readonly Files[], readonly string[]]>([
      [
        'rates of different files stand side by side',
        [h15('2024-01-02,4.1,.'), site('2024-01-02,,3.9')],
        ['1M 4.1 Federal Reserve H.15', '10Y 3.9 U.S. Treasury'],
      ],
      [
        'of two texts of one number the fuller stays, with its source',
        [h15('2024-01-02,4.1,3.9'), site('2024-01-02,4.10,3.9')],
        ['1M 4.10 U.S. Treasury', '10Y 3.9 Federal Reserve H.15'],
      ],
    ])('%s, in any order of import', async (_, steps, expected) => {
      for (const order of [steps, [...steps].reverse()]) {
        expect(await curveOf(await importAll(order), '2024-01-02')).toEqual(expected);
      }
    });

    test('an import with different rates fails and lists each of them, in both orders', async () => {
      const steps = [
        h15('2024-01-02,4.1,3.9', '2024-01-03,4.2,3.8'),
        site('2024-01-02,4.15,3.90', '2024-01-03,4.2,3.7', '2024-01-04,4.3,3.6'),
      ];
      const [first = {}, second = {}] = steps;
      const path = await importAll([first]);
      const before = await engine.digest(path);
      expect(
        (await failureOf(importFiles(path, second))).split('\n').map((line) => line.replace(/^.*csv: /, '')),
      ).toEqual([
        '2 conflicts; nothing was imported:',
        'PAR 2024-01-02 1M: 4.15 (U.S. Treasury), against 4.1 (Federal Reserve H.15)',
        'PAR 2024-01-03 10Y: 3.7 (U.S. Treasury), against 3.8 (Federal Reserve H.15)',
      ]);
      expect(await engine.digest(path)).toEqual(before);
      const other = await importAll([second]);
      expect(await failureOf(importFiles(other, first))).toMatch(/^2 conflicts; nothing was imported:/);
      expect(await failureOf(importFiles(engine.newAddress(), { ...first, ...second }))).toMatch(
        /^2 conflicts;/,
      );

      await importFiles(path, second, { replace: true });
      expect(await curveOf(path, '2024-01-02')).toEqual(['1M 4.15 U.S. Treasury', '10Y 3.90 U.S. Treasury']);
      expect(await curveOf(path, '2024-01-03')).toEqual([
        '1M 4.2 Federal Reserve H.15',
        '10Y 3.7 U.S. Treasury',
      ]);
    });

    test('a fuller text changes the state of the store; a known rate does not', async () => {
      const revision = (path: string) => reading(path, async (view) => (await view.state()).revision);
      const path = await importAll([h15('2024-01-02,4.1,3.9')]);
      const first = await revision(path);
      await importFiles(path, h15('2024-01-02,4.1,.'));
      expect(await revision(path)).toBe(first);
      await importFiles(path, h15('2024-01-02,4.10,.'));
      expect(await revision(path)).not.toBe(first);
    });

    test('points in any batches and any order produce the same curve', async () => {
      const days = ['2024-01-02', '2024-01-03', '2024-01-04'];
      const rates: readonly (readonly string[])[] = [
        ['4.1', '4.10'],
        ['0.01', '00.01', '0.010'],
        ['-0.5', '-0.50'],
      ];
      const row = fc.record({
        day: fc.nat(2),
        spellings: fc.tuple(fc.nat(2), fc.nat(2)),
        fromSite: fc.boolean(),
      });
      const textOf = (day: number, spelling: number) =>
        rates[day]?.[spelling % (rates[day]?.length ?? 1)] ?? '';
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), async (rows) => {
          const steps = rows.map(({ day, spellings: [month, years], fromSite }) =>
            (fromSite ? site : h15)(`${days[day]},${textOf(day, month)},${textOf(day, years)}`),
          );
          const path = await importAll(steps);
          for (const [day, date] of days.entries()) {
            const points = rows
              .filter((item) => item.day === day)
              .map(({ spellings, fromSite }) => ({
                spellings,
                source: fromSite ? 'U.S. Treasury' : 'Federal Reserve H.15',
              }));
            // The longest text, of equal ones the one that sorts first; then the source that does.
            const best = (place: 0 | 1) =>
              points
                .map(({ spellings, source }) => ({ text: textOf(day, spellings[place]), source }))
                .sort(
                  (a, b) =>
                    b.text.length - a.text.length ||
                    (`${a.text} ${a.source}` < `${b.text} ${b.source}` ? -1 : 1),
                )[0];
            const expected = [best(0), best(1)].flatMap((point, i) =>
              point === undefined ? [] : [`${i === 0 ? '1M' : '10Y'} ${point.text} ${point.source}`],
            );
            expect(await curveOf(path, date)).toEqual(expected);
          }
        }),
        { numRuns: runs(15, engine) },
      );
    });
  });
});
