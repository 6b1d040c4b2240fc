import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import type { ImportFormat } from '../../../src/import/formats/format.ts';
import { formatOfKind, recognise } from '../../../src/import/formats/recognise.ts';
import { h15Csv, treasuryXml } from '../../../src/import/formats/treasury.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { createService, owner } from '../../../src/service/service.ts';
import { scratchFolder, tempFolder } from '../folders.ts';
import { dataPath, readData, trueAnswers } from '../repository.ts';
import {
  curveOf,
  digestOf,
  failureOf,
  importPaths,
  newStorePath,
  observationsIn,
  reading,
  withStore,
} from '../scratch-store.ts';
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
    ['recordings/ecb', /^quarterly_/, 'ecb-vintage'],
    ['recordings/ecb', /log/, 'ecb-log'],
    ['macro/fred-api', /^GDP-observations-/, 'fred-api'],
    ['macro/fred-api', /series\.json$/, 'fred-series'],
    [
      'macro/fred-api',
      /^GDP-vintagedates|^catalogue-(?!.*(?:series|_dates)\.json)/,
      'a response of the FRED API, but not of ',
    ],
    ['macro/fred-api', /^catalogue-releases?_dates/, 'fred-release-dates'],
    ['recordings/calendar', /./, 'ics'],
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
function fromFirstDaysOn(text: string): string {
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

/**
 * The value and its as-of date that the service gives for a date as of a day, newest first; empty where it gives
 * none.
 */
async function answersOf(path: string, questions: readonly { series: string; date: string; asOf: string }[]) {
  return withStore(path, async (store) => {
    const service = createService({ store });
    const answers: { value: string; asOfDate: string }[] = [];
    for (const { series, date, asOf } of questions) {
      const { results } = await service.answer(
        observations,
        [
          ['id', series],
          ['as_of', asOf],
          ['from', date],
          ['to', date],
        ],
        owner,
      );
      const [row] = results;
      answers.push({ value: String(row?.value ?? ''), asOfDate: String(row?.as_of_date ?? '').slice(0, 10) });
    }
    return answers;
  });
}

/**
 * Tests that a store of the real files of a data folder gives the published answers, 100 about each of these
 * workbooks.
 */
export function publishedAnswersSuite(data: string, variables: readonly string[]): void {
  describe('a store of real files', () => {
    const path = newStorePath(scratchFolder());

    beforeAll(async () => {
      await importPaths(path, [dataPath(data, 'macro/fred-api/GDP-observations-all-realtime.json')]);
      await importPaths(path, [join(data, 'macro/rtdsm')]);
    });

    it('gives the 400 true answers about GDP, with their vintage dates', async () => {
      const rows = trueAnswers('gdp-as-of.tsv');
      const questions = rows.map(({ series_id = '', date = '', as_of = '' }) => ({
        series: series_id,
        date,
        asOf: as_of,
      }));
      expect(questions.length).toBe(400);
      expect(await answersOf(path, questions)).toEqual(
        rows.map(({ value, as_of_date }) => ({ value, asOfDate: as_of_date })),
      );
    });

    it('gives every true answer about the Real-Time Data Set', async () => {
      const { given, expected } = await realTimeAnswers(path, variables);
      expect(given.length).toBe(100 * variables.length);
      expect(given).toEqual(expected);
    });

    it('gives the first releases that FRED counts, from the first vintage on', async () => {
      const { observations: released } = JSON.parse(
        readData(data, 'macro/fred-api/GDP-observations-output_type4.json').toString('utf8'),
      ) as { observations: { date: string; value: string; realtime_start: string }[] };
      const rows = await reading(path, (view) =>
        observationsIn(view, { seriesId: 'GDP', firstRelease: true, limit: 1000 }),
      );
      const oldest = rows.at(-1)?.date ?? '';
      expect(rows.length).toBeGreaterThan(125);
      expect([...rows].reverse()).toEqual(
        released
          .filter(({ date, value }) => date >= oldest && value !== '.')
          .map(({ date, value, realtime_start }) => ({ date, value, asOfDate: realtime_start })),
      );
    });
  });
}

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

/** The answers of a store about some variables of the Real-Time Data Set, and the true ones; without a figure ''. */
export async function realTimeAnswers(path: string, variables: readonly string[]) {
  const rows = trueAnswers('rtdsm-as-of.tsv').filter(({ rtdsm_variable = '' }) =>
    variables.includes(rtdsm_variable.toUpperCase()),
  );
  const questions = rows.map(({ rtdsm_variable = '', date = '', vintage = '' }) => ({
    series: rtdsm_variable.toUpperCase(),
    date,
    asOf: vintage,
  }));
  const numberIn = (value: string) => (value === '' ? '' : Number(value));
  return {
    given: (await answersOf(path, questions)).map(({ value }) => numberIn(value)),
    expected: rows.map(({ value = '' }) => numberIn(value)),
  };
}
