import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import type { ImportFormat } from '../../../src/import/formats/format.ts';
import { formatOfKind, recognise } from '../../../src/import/formats/recognise.ts';
import { h15Csv, treasuryXml } from '../../../src/import/formats/treasury.ts';
import { onlyFile, pointsIn, readAll, realFile, tempFile } from '../source-file.ts';

/** Tests that asof recognises the format of every real file in a data folder. */
export function recognitionSuite(data: string): void {
  /** The files of folders by their names, and their format or the reason why they are refused. */
  const expected: readonly (readonly [folder: string, names: RegExp, kind: string])[] = [
    ['treasury/par-csv', /./, 'treasury-par-csv'],
    ['treasury/par-xml', /./, 'treasury-xml'],
    ['treasury/tips-csv', /./, 'treasury-real-csv'],
    ['treasury/h15-dfii', /./, 'h15-csv'],
    ['macro/rtdsm', /./, 'rtdsm'],
    ['macro/fred-md', /./, 'fred-md'],
    ['macro/fred-qd', /./, 'fred-qd'],
    ['macro/dated-panel', /./, 'dated-panel'],
    ['macro/fred-api', /^GDP-observations-/, 'fred-api'],
    ['macro/fred-api', /series\.json$/, 'fred-series'],
    [
      'macro/fred-api',
      /^GDP-vintagedates|^catalogue-(?!.*series\.json)/,
      'a response of the FRED API, but not of ',
    ],
    ['sec/ownership-xml', /^(?!.*(?:\.txt|RSU_|multi_))/, 'sec-ownership-xml'],
    ['sec/ownership-xml', /\.txt$|RSU_|multi_/, 'sec-submission-text'],
    ['sec/form345', /./, 'sec-form345'],
    ['sec/form345-maia-reencoded', /./, 'sec-form345'],
    ['sec/submissions-json', /./, 'sec-submissions-json'],
  ];

  describe('every real file', () => {
    it.each(expected)('of %s that matches %s is recognised as %s', async (folder, names, kind) => {
      const files = (await sourceFiles([join(data, folder)])).filter(({ name }) => names.test(name));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const found = await recognise(file).then(
          (format) => format.kind,
          (error: Error) => error.message,
        );
        if (kind.startsWith('a ')) expect(found).toContain(`${file.path}: this looks like ${kind}`);
        else expect([file.path, found]).toEqual([file.path, kind]);
      }
    });
  });
}

type CurveFolder = 'par-csv' | 'par-xml' | 'h15-dfii' | 'tips-csv';

/** Tests that real Treasury files in a data folder give all of their rates: in each file `moreThan` this number. */
export function treasurySuite(data: string, moreThan: Readonly<Record<CurveFolder, number>>): void {
  const treasury = join(data, 'treasury');
  const text = (name: string) => readFileSync(join(treasury, name), 'utf8');
  const counted = (content: string, pattern: RegExp) => content.match(pattern)?.length ?? 0;
  // Cells that begin like a number, except the first of each line.
  const cells = /(?<=,)-?\d+(\.\d+)?(?=[,\r\n]|$)/g;
  const folders: readonly (readonly [CurveFolder, ImportFormat, RegExp])[] = [
    ['par-xml', treasuryXml, /<d:BC_\w+(MONTH|YEAR) [^>]*>-?[\d.]+</g],
    ['h15-dfii', h15Csv, /^\d{4}-\d\d-\d\d,-?\d/gm],
    ['par-csv', formatOfKind('treasury-par-csv'), cells],
  ];
  const files = folders.flatMap(([folder, ...how]) =>
    readdirSync(join(treasury, folder)).map((file) => [`${folder}/${file}`, folder, ...how] as const),
  );

  describe('a real file of Treasury rates', () => {
    it.each(files)('gives as many points as %s has rates', async (name, folder, format, pattern) => {
      const count = counted(text(name), pattern);
      expect(count).toBeGreaterThan(moreThan[folder]);
      expect(await pointsIn(format, await onlyFile(join(treasury, name)))).toHaveLength(count);
    });

    it('gives as many points as the real rates of another publisher have outside of two wrong blocks', async () => {
      const written = text('tips-csv/treasury_real_yield_all.csv');
      const right = withoutWrongBlocks(written);
      const [count, rest] = [counted(written, cells), counted(right, cells)];
      expect(count).toBeGreaterThan(moreThan['tips-csv']);
      const ratesOf = (file: string, year: string) =>
        counted(text(`h15-dfii/${file}`), new RegExp(`^${year}-\\d\\d-\\d\\d,-?\\d`, 'gm'));
      expect(count - rest).toBe(ratesOf('DFII20.csv', '2004') + ratesOf('DFII30.csv', '2010'));
      const file = await tempFile('tips.csv', right);
      expect(await pointsIn(formatOfKind('treasury-real-csv'), file)).toHaveLength(rest);
    });
  });
}

/** What a data folder holds of the panels, read off the files. */
type PanelFacts = {
  /** Cells of FRED-MD: the row of that date in the column of that name. */
  readonly fredMd: readonly (readonly [
    file: string,
    id: string,
    date: string,
    asOf: string,
    value: string,
  ])[];
  /** The series of FRED-QD. */
  readonly fredQd: number;
};

/** Tests of real panels in a data folder. */
export function panelsSuite(data: string, facts: PanelFacts): void {
  describe('a real panel', () => {
    it.each(facts.fredMd)('of FRED-MD in %s gives %s for %s', async (name, seriesId, date, asOf, value) => {
      const members = await sourceFiles([join(data, 'macro/fred-md/fred-md-vintages.zip')]);
      const file = members.find((member) => member.name === name);
      if (file === undefined) throw new Error(`no ${name}`);
      const { statements } = await readAll(formatOfKind('fred-md'), file);
      expect(statements).toContainEqual({ seriesId, date, asOf, value });
    });

    it('of FRED-QD is quarterly', async () => {
      const file = realFile(data, 'macro/fred-qd/fredqd.csv');
      const { implied, statements } = await readAll(formatOfKind('fred-qd'), file, { asOf: '2021-04-30' });
      expect(implied).toHaveLength(facts.fredQd);
      expect(implied.filter(({ frequency }) => frequency !== 'Q')).toEqual([]);
      const output = { seriesId: 'GDPC1', date: '2021-03-01', asOf: '2021-04-30', value: '19087.568' };
      expect(statements).toContainEqual(output);
    });

    it.each([
      ['2016-07-29', 'PAYEMS', '2016-06-01', '144175'],
      ['2016-08-05', 'UNRATE', '2016-07-01', '4.9'],
    ])('of %s gives %s for %s', async (vintage, seriesId, date, value) => {
      const file = realFile(data, `macro/dated-panel/${vintage}.csv`);
      const { statements } = await readAll(formatOfKind('dated-panel'), file);
      expect(statements).toContainEqual({ seriesId, date, asOf: vintage, value });
    });

    it('has three quarterly series among 29', async () => {
      const file = realFile(data, 'macro/dated-panel/2017-01-27.csv');
      const { implied } = await readAll(formatOfKind('dated-panel'), file);
      expect(implied).toHaveLength(29);
      const quarterly = implied.filter(({ frequency }) => frequency === 'Q').map(({ seriesId }) => seriesId);
      expect(quarterly).toEqual(['GDPC1', 'ULCNFB', 'A261RX1Q020SBEA']);
    });
  });
}

/**
 * The text of `tips-csv/treasury_real_yield_all.csv` without its two wrong blocks: the 20-year rates of 2004 and the
 * 30-year rates of 2010, which stand at the wrong days.
 */
function withoutWrongBlocks(text: string): string {
  return blanked(text, (day, column) => day.startsWith(column === 4 ? '2004' : '2010'));
}

/** That text without the rates from before the day on which the Treasury first published them. */
export function fromFirstDaysOn(text: string): string {
  return blanked(text, (day, column) => day < (column === 4 ? '2004-07-27' : '2010-02-22'));
}

function blanked(text: string, isWrong: (day: string, column: 4 | 5) => boolean): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)(,.*)$/gm, (line, day: string) => {
    const end = line.endsWith('\r') ? '\r' : '';
    const cells = line.trimEnd().split(',');
    for (const column of [4, 5] as const) if (isWrong(day, column)) cells[column] = 'N/A';
    return cells.join(',') + end;
  });
}
