import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { scratchFolder, tempFolder } from '../folders.ts';
import { curveOf, digestOf, failureOf, importPaths, newStorePath } from '../scratch-store.ts';
import { fromFirstDaysOn } from './series-files.ts';

/** Tests of stores that hold the real curves of a data folder. */
export function realCurvesSuite(data: string): void {
  const treasury = join(data, 'treasury');
  const folder = scratchFolder();

  describe('a store of the real curves', () => {
    const path = newStorePath(folder);

    beforeAll(async () => {
      await importPaths(
        path,
        ['par-csv', 'par-xml', 'h15-dfii'].map((name) => join(treasury, name)),
      );
    });

    it('takes the CSV of the Treasury, its XML feed and H.15 without a conflict', async () => {
      // Read off the archive's row 1/2/90, the first of last year's file, and the last five columns of H.15.
      expect(await curveOf(path, '1990-01-02')).toEqual(
        ['3M 7.83', '6M 7.89', '1Y 7.81', '2Y 7.87', '3Y 7.9', '5Y 7.87', '7Y 7.98', '10Y 7.94', '30Y 8'].map(
          (point) => `${point} U.S. Treasury`,
        ),
      );
      expect((await curveOf(path, '2025-12-31')).length).toBe(14);
      expect((await curveOf(path, '2022-11-01', 'TIPS')).length).toBe(5);
    });

    // What is left of the wrong blocks once the rates before the first days are gone.
    const later = tempFolder({
      'tips.csv': fromFirstDaysOn(
        readFileSync(join(treasury, 'tips-csv/treasury_real_yield_all.csv'), 'utf8'),
      ),
    });

    it('refuses the wrong TIPS file at once, because its rates begin before their maturity', async () => {
      const before = digestOf(path);
      expect(await failureOf(importPaths(path, [join(treasury, 'tips-csv')]))).toMatch(
        /there is no 20Y rate before 2004-07-27/,
      );
      expect(digestOf(path)).toEqual(before);
    });

    it('refuses the rest of that file with its 185 conflicts, and writes nothing', async () => {
      const before = digestOf(path);
      const failure = await failureOf(importPaths(path, [later]));
      const [first, ...conflicts] = failure.split('\n');
      expect(first).toBe('185 conflicts; nothing was imported:');
      expect(conflicts.length).toBe(185);
      expect(conflicts.every((line) => / TIPS (2004-\d\d-\d\d 20Y|2010-\d\d-\d\d 30Y): /.test(line))).toBe(
        true,
      );
      expect(digestOf(path)).toEqual(before);
    });

    it('refuses the right TIPS files over the wrong one with as many conflicts', async () => {
      const wrong = newStorePath(folder);
      await importPaths(wrong, [later]);
      expect(await failureOf(importPaths(wrong, [join(treasury, 'h15-dfii')]))).toMatch(/^185 conflicts; /);
    });
  });
}
