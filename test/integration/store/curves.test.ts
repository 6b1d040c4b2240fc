import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import {
  digestOf,
  type Files,
  failureOf,
  importFiles,
  importPaths,
  newStorePath,
  reading,
  scratchFolder,
} from '../../support/scratch-store.ts';
import { hasShared, shared } from '../../support/source-file.ts';

const folder = scratchFolder();
const treasury = join(shared, 'data/treasury');

const h15 = (...rows: readonly string[]): Files => ({
  'h15.csv': `DATE,DGS1MO,DGS10\n${rows.join('\n')}\n`,
});
const site = (...rows: readonly string[]): Files => ({
  'par.csv': `Date,1 Mo,10 Yr\n${rows.join('\n')}\n`,
});

async function importAll(steps: readonly Files[], replace = false): Promise<string> {
  const path = newStorePath(folder);
  for (const files of steps) await importFiles(path, files, { replace });
  return path;
}

/** The curve of a day as `1M 4.1 source`. */
function curveOf(path: string, date: string, curveType: 'PAR' | 'TIPS' = 'PAR'): Promise<readonly string[]> {
  return reading(path, async (store) => {
    const points = await store.curve({ curveType, date, onOrBefore: false });
    return points.map(({ maturity, rate, source }) => `${maturity} ${rate} ${source}`);
  });
}

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
  ])('%s, whichever came first', async (_, steps, expected) => {
    for (const order of [steps, [...steps].reverse()]) {
      expect(await curveOf(await importAll(order), '2024-01-02')).toEqual(expected);
    }
  });

  test('rates that differ are refused whole, in both orders, each listed', async () => {
    const steps = [
      h15('2024-01-02,4.1,3.9', '2024-01-03,4.2,3.8'),
      site('2024-01-02,4.15,3.90', '2024-01-03,4.2,3.7', '2024-01-04,4.3,3.6'),
    ];
    const [first = {}, second = {}] = steps;
    const path = await importAll([first]);
    const before = digestOf(path);
    expect(
      (await failureOf(importFiles(path, second))).split('\n').map((line) => line.replace(/^.*csv: /, '')),
    ).toEqual([
      '2 conflicts; nothing was imported:',
      'PAR 2024-01-02 1M: 4.15 (U.S. Treasury), against 4.1 (Federal Reserve H.15)',
      'PAR 2024-01-03 10Y: 3.7 (U.S. Treasury), against 3.8 (Federal Reserve H.15)',
    ]);
    expect(digestOf(path)).toEqual(before);
    const other = await importAll([second]);
    expect(await failureOf(importFiles(other, first))).toMatch(/^2 conflicts; nothing was imported:/);
    expect(await failureOf(importFiles(newStorePath(folder), { ...first, ...second }))).toMatch(
      /^2 conflicts;/,
    );

    await importFiles(path, second, { replace: true });
    expect(await curveOf(path, '2024-01-02')).toEqual(['1M 4.15 U.S. Treasury', '10Y 3.90 U.S. Treasury']);
    expect(await curveOf(path, '2024-01-03')).toEqual([
      '1M 4.2 Federal Reserve H.15',
      '10Y 3.7 U.S. Treasury',
    ]);
  });

  test('a fuller text is a change that a cache must notice; what is known already is none', async () => {
    const revision = (path: string) => reading(path, async (view) => (await view.state()).revision);
    const path = await importAll([h15('2024-01-02,4.1,3.9')]);
    const first = await revision(path);
    await importFiles(path, h15('2024-01-02,4.1,.'));
    expect(await revision(path)).toBe(first);
    await importFiles(path, h15('2024-01-02,4.10,.'));
    expect(await revision(path)).not.toBe(first);
  });

  test('points in any cuts and orders make one curve', async () => {
    const days = ['2024-01-02', '2024-01-03', '2024-01-04'];
    const rates: readonly (readonly string[])[] = [
      ['4.1', '4.10'],
      ['0', '-0', '0.0'],
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
      { numRuns: runs(15) },
    );
  });
});

describe.skipIf(!hasShared)('the real curves (skipped where ../shared is not at hand)', () => {
  const path = newStorePath(folder);

  beforeAll(async () => {
    await importPaths(
      path,
      ['par-csv', 'par-xml', 'h15-dfii'].map((name) => join(treasury, name)),
    );
  });

  test('Treasury’s CSV, its XML feed and H.15 agree', async () => {
    // Read off the archive's row 1/2/90, the first of last year's file, and the last five columns of H.15.
    expect(await curveOf(path, '1990-01-02')).toEqual(
      ['3M 7.83', '6M 7.89', '1Y 7.81', '2Y 7.87', '3Y 7.9', '5Y 7.87', '7Y 7.98', '10Y 7.94', '30Y 8'].map(
        (point) => `${point} U.S. Treasury`,
      ),
    );
    expect((await curveOf(path, '2025-12-31')).length).toBe(14);
    expect((await curveOf(path, '2022-11-01', 'TIPS')).length).toBe(5);
  });

  test('the wrong TIPS file is refused over the right one, with its 185 conflicts, and nothing is written', async () => {
    const before = digestOf(path);
    const failure = await failureOf(importPaths(path, [join(treasury, 'tips-csv')]));
    const [first, ...conflicts] = failure.split('\n');
    expect(first).toBe('185 conflicts; nothing was imported:');
    expect(conflicts.length).toBe(185);
    expect(conflicts.every((line) => / TIPS (2004-\d\d-\d\d 20Y|2010-\d\d-\d\d 30Y): /.test(line))).toBe(
      true,
    );
    expect(digestOf(path)).toEqual(before);
  });

  test('and the right one over the wrong one, as often', async () => {
    const wrong = newStorePath(folder);
    await importPaths(wrong, [join(treasury, 'tips-csv')]);
    expect(await failureOf(importPaths(wrong, [join(treasury, 'h15-dfii')]))).toMatch(/^185 conflicts; /);
  });
});
