import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import type { ImportFormat } from '../../../src/import/formats/format.ts';
import { formatOfKind } from '../../../src/import/formats/recognise.ts';
import { h15Csv, treasuryXml } from '../../../src/import/formats/treasury.ts';
import { onlyFile, pointsIn, tempFile } from '../temp-files.ts';
import { withoutWrongBlocks } from './wrong-blocks.ts';

const treasuryParCsv = formatOfKind('treasury-par-csv');
const treasuryRealCsv = formatOfKind('treasury-real-csv');

/** Numbers of rates in the files of a folder, counted without asof. */
export type TreasuryCounts = {
  /** Each file of a folder has more rates than this. */
  readonly moreThan: Readonly<Record<'par-csv' | 'par-xml' | 'h15-dfii' | 'tips-csv', number>>;
  /** The rates in the XML feed. */
  readonly xml: number;
  /** The rates in either file of real rates until 2022-07-22, without the two wrong blocks. */
  readonly real: number;
};

/** Tests of real Treasury files in a data folder. */
export function treasurySuite(data: string, counts: TreasuryCounts): void {
  const folder = join(data, 'treasury');
  const filesIn = (name: string) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`);
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');

  describe('a real file of Treasury rates', () => {
    const kinds: Readonly<Record<keyof TreasuryCounts['moreThan'], readonly [ImportFormat, RegExp]>> = {
      'par-xml': [treasuryXml, /<d:BC_\w+(MONTH|YEAR) [^>]*>-?[\d.]+</g],
      'h15-dfii': [h15Csv, /^\d{4}-\d\d-\d\d,-?\d/gm],
      // Cells that begin like a number, except the first of each line.
      'par-csv': [treasuryParCsv, /(?<=,)-?\d+(\.\d+)?(?=[,\r\n]|$)/g],
      'tips-csv': [treasuryRealCsv, /(?<=,)-?\d+(\.\d+)?(?=[,\r\n]|$)/g],
    };

    const files = (['par-csv', 'par-xml', 'h15-dfii', 'tips-csv'] as const).flatMap((kind) =>
      filesIn(kind).map((name) => [name, kind] as const),
    );

    it.each(files)('gives as many points as %s has rates', async (name, kind) => {
      const [format, pattern] = kinds[kind];
      const count = text(name).match(pattern)?.length ?? 0;
      expect(count).toBeGreaterThan(counts.moreThan[kind]);
      if (kind !== 'tips-csv') {
        expect(await pointsIn(format, await onlyFile(join(folder, name)))).toHaveLength(count);
        return;
      }
      const right = withoutWrongBlocks(text(name));
      const rest = right.match(pattern)?.length ?? 0;
      const ratesOf = (file: string, year: string) =>
        text(`h15-dfii/${file}`).match(new RegExp(`^${year}-\\d\\d-\\d\\d,-?\\d`, 'gm'))?.length ?? 0;
      expect(count - rest).toBe(ratesOf('DFII20.csv', '2004') + ratesOf('DFII30.csv', '2010'));
      expect(await pointsIn(format, await tempFile('tips.csv', right))).toHaveLength(rest);
    });
  });

  describe('the par curve', () => {
    it('is the same in the XML feed and in the CSV archive, cell by cell', async () => {
      // Numbers are compared, because the CSV drops trailing zeros.
      const cell = (point: string) => point.replace(/\S+$/, (number) => String(Number(number)));
      const found: string[] = [];
      for (const file of await sourceFiles([join(folder, 'par-xml')]))
        found.push(...(await pointsIn(treasuryXml, file)));
      const days = new Set(found.map((point) => point.slice(0, 10)));
      const archive = await onlyFile(join(folder, 'par-csv/par-yield-curve-rates-1990-2022.csv'));
      const expected = (await pointsIn(treasuryParCsv, archive)).filter((point) =>
        days.has(point.slice(0, 10)),
      );
      expect(found).toHaveLength(counts.xml);
      expect(found.map(cell).sort()).toEqual(expected.map(cell).sort());
    });

    it('begins and pauses each maturity when the Treasury did', async () => {
      const days = new Map<string, string[]>();
      for (const file of await sourceFiles([join(folder, 'par-csv')])) {
        for (const point of await pointsIn(treasuryParCsv, file)) {
          const [day = '', , maturity = ''] = point.split(' ');
          days.set(maturity, [...(days.get(maturity) ?? []), day]);
        }
      }
      const sorted = (maturity: string) => (days.get(maturity) ?? []).sort();
      const firsts = ['3M', '10Y', '20Y', '1M', '2M', '4M', '1.5M'].map((maturity) => sorted(maturity)[0]);
      expect(firsts).toEqual([
        '1990-01-02',
        '1990-01-02',
        '1993-10-01',
        '2001-07-31',
        '2018-10-16',
        '2022-10-19',
        '2025-02-18',
      ]);
      expect(sorted('30Y').filter((day) => day >= '2002-02-15' && day <= '2006-02-09')).toEqual([
        '2002-02-15',
        '2006-02-09',
      ]);
    });
  });

  describe('the real curve', () => {
    const rates = async (format: ImportFormat, name: string) => {
      const found = new Map<string, string>();
      for (const file of await sourceFiles([join(folder, name)])) {
        for (const point of await pointsIn(format, file)) {
          const [day = '', , maturity = '', value = ''] = point.split(' ');
          found.set(`${day} ${maturity}`, value);
        }
      }
      return found;
    };
    const isWrongBlock = (key: string) => /^2004-.* 20Y$|^2010-.* 30Y$/.test(key);

    it('is refused from the publisher whose rates begin before their maturity', async () => {
      const file = await onlyFile(join(folder, 'tips-csv/treasury_real_yield_all.csv'));
      await expect(pointsIn(treasuryRealCsv, file)).rejects.toThrow(
        /, row \d+, column "20Yr": "2.49": there is no 20Y rate before 2004-07-27; are the columns shifted\?$/,
      );
    });

    it('is the same from both publishers on every day, except in two wrong blocks of one of them', async () => {
      const clean = await rates(h15Csv, 'h15-dfii');
      const written = text('tips-csv/treasury_real_yield_all.csv');
      const other = new Map(
        (await pointsIn(treasuryRealCsv, await tempFile('tips.csv', withoutWrongBlocks(written)))).map(
          (point) => {
            const [day = '', , maturity = '', value = ''] = point.split(' ');
            return [`${day} ${maturity}`, value];
          },
        ),
      );
      const lastDay = '2022-07-22';
      const keys = [...new Set([...clean.keys(), ...other.keys()])].filter(
        (key) => key.slice(0, 10) <= lastDay && !isWrongBlock(key),
      );
      expect(keys.length).toBe(counts.real);
      expect(keys.filter((key) => Number(clean.get(key)) !== Number(other.get(key)))).toEqual([]);
      // Both blocks have the right rates in the right order, but from the first day of the year.
      for (const [year, maturity, column] of [
        ['2004', '20Y', 4],
        ['2010', '30Y', 5],
      ] as const) {
        const inOrder = [...clean.entries()]
          .filter(([key]) => key.startsWith(year) && key.endsWith(maturity))
          .sort()
          .map(([, value]) => Number(value));
        const block = written
          .split(/\r?\n/)
          .filter((line) => line.startsWith(year))
          .map((line) => line.split(',')[column] ?? 'N/A')
          .filter((cell) => cell !== 'N/A');
        expect(block.map(Number)).toEqual(inOrder);
      }
    });
  });
}
