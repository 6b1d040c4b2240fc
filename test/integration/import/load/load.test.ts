import { statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import type { LoadProgress } from '../../../../src/import/load/registry.ts';
import { onEveryEngine, sqlite } from '../../../support/engines.ts';
import { scratchFolder, tempFolder } from '../../../support/folders.ts';
import {
  type Files,
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  importPaths,
  newStorePath,
  observationsIn,
  reading,
} from '../../../support/scratch-store.ts';
import { cutText, zipOf } from '../../../support/source-file.ts';

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

onEveryEngine((engine) => {
  /** The engines share these rules, so that one case shows that the slower engine has them. */
  const few = <T>(cases: readonly T[]): readonly T[] => (engine === sqlite ? cases : cases.slice(0, 1));

  async function importAll(...contents: readonly string[]): Promise<string> {
    const path = engine.newAddress();
    for (const content of contents) await importFiles(path, { 'facts.csv': content });
    return path;
  }

  describe('the example of the rulings', () => {
    const steps = ['2021-01-05 5', '2021-03-05 5', '2021-02-07 7'].map((said) =>
      facts(`X 2020-04-01 ${said}`),
    );
    test.each(few(orders))(
      '5 in January, 5 in March, then 7 in February, imported in the order %i %i %i, gives 5 as of April',
      async (...order) => {
        const path = await importAll(...order.map((i) => steps[i] ?? ''));
        await reading(path, async (view) => {
          const known = async (asOf: string) =>
            (await observationsIn(view, { seriesId: 'X', asOf, limit: 9 })).map(
              ({ value, asOfDate }) => `${value} since ${asOfDate}`,
            );
          expect(await known('2021-01-04')).toEqual([]);
          expect(await known('2021-01-05')).toEqual(['5 since 2021-01-05']);
          expect(await known('2021-02-06')).toEqual(['5 since 2021-01-05']);
          expect(await known('2021-02-07')).toEqual(['7 since 2021-02-07']);
          expect(await known('2021-03-04')).toEqual(['7 since 2021-02-07']);
          expect(await known('2021-04-01')).toEqual(['5 since 2021-03-05']);
        });
      },
    );
  });

  describe('an import', () => {
    test('counts statements for each file and logs them with the hash of the file', async () => {
      const path = engine.newAddress();
      const files = {
        'a.csv': facts('X 2020-01-01 2020-05-01 1', 'X 2020-02-01 2020-05-01', 'Y 2020-01-01 2020-06-01 2'),
        'b.csv': facts('X 2020-01-01 2020-05-01 1.0', 'X 2020-01-01 2020-06-01'),
      };
      const summaries = await importFiles(path, files);
      const none = { kind: 'asof-csv', filings: 0, projections: 0, notes: [] };
      expect(summaries.map(({ file: _, ...counts }) => counts)).toEqual([
        { ...none, series: 2, vintages: 2, statementsNew: 3, statementsKnown: 0, withdrawn: 0 },
        { ...none, series: 1, vintages: 2, statementsNew: 1, statementsKnown: 1, withdrawn: 1 },
      ]);
      await reading(path, async (view) => {
        const log = await view.sources.imports();
        expect(log.map(({ importedAt, kind, statementsNew }) => [importedAt, kind, statementsNew])).toEqual([
          ['2026-01-15T12:00:00.000Z', 'asof-csv', 3],
          ['2026-01-15T12:00:00.000Z', 'asof-csv', 1],
        ]);
        // printf 'series_id,date,as_of_date,value\nX,2020-01-01,2020-05-01,1.0\nX,2020-01-01,2020-06-01,\n' | sha256sum
        expect(log[1]?.sha256).toBe('87288bc601c1f12ae3c21cce169eaf1cef3c2cf792a195797c233215cf61e55e');
      });
    });

    test('keeps a statement that changes nothing', async () => {
      const path = await importAll(facts('X 2020-01-01 2020-05-01 1', 'X 2020-01-01 2020-07-01 1'));
      const failure = await failureOf(importFiles(path, { 'other.csv': facts('X 2020-01-01 2020-07-01 2') }));
      expect(failure).toMatch(
        /^1 conflict; nothing was imported:\n.*X 2020-01-01 as of 2020-07-01: 2, against 1$/,
      );
    });

    test('writes nothing in a dry run', async () => {
      const fresh = engine.newAddress();
      await importFiles(fresh, { 'a.csv': facts('X 2020-01-01 2020-05-01 1') }, { dryRun: true });
      expect(await engine.digest(fresh)).toBeUndefined();
      const path = await importAll(facts('X 2020-01-01 2020-05-01 1'));
      const before = await engine.digest(path);
      await importFiles(path, { 'a.csv': facts('X 2020-01-01 2020-06-01 2') }, { dryRun: true });
      expect(await engine.digest(path)).toEqual(before);
    });

    const late = (what: string) =>
      `a.csv: "2026-01-16": ${what} is dated in the future; today is at most 2026-01-15`;
    const one = { 'a.csv': facts('X 2020-01-01 2020-05-01 1') };
    const notOfCsv = (flag: string) => `a.csv: ${flag} does not apply to asof-csv: `;
    const refusals: readonly [string, Files, ImportFlags, (readonly string[])?][] = [
      [
        'b.csv, row 2, column "value": "1e": neither a decimal number nor empty, as a withdrawal is',
        { ...one, 'b.csv': facts('X 2020-01-01 2020-06-01 1e') },
        {},
      ],
      [late('X'), { 'a.csv': facts('X 2020-01-01 2026-01-15 1', 'X 2020-01-01 2026-01-16 1') }, {}, []],
      [
        late('X'),
        { 'a.csv': 'observation_date,X\n2020-01-01,1\n' },
        { asOf: '2026-01-16' },
        ['pass the date on which the figures were known with --as-of'],
      ],
      [late('the PAR curve'), { 'a.csv': 'DATE,DGS10\n2026-01-16,4.2\n' }, {}, []],
      [`${notOfCsv('--as-of')}the file states when its figures were known`, one, { asOf: '2020-05-01' }],
      [`${notOfCsv('--complete')}it is for files of whole vintages`, one, { complete: true }],
      [`${notOfCsv('--series')}the file names its series (--id OLD=NEW renames one)`, one, { series: 'Y' }],
    ];
    test.each(few(refusals))(
      'fails for %s, creates no store and changes no byte of an existing one',
      async (message, files, flags, hints) => {
        const refused = {
          detail: expect.stringMatching(cutText(`…/${message}`)),
          ...(hints !== undefined && { hints }),
        };
        const fresh = engine.newAddress();
        await expect(importFiles(fresh, files, flags)).rejects.toMatchObject(refused);
        expect(await engine.digest(fresh)).toBeUndefined();
        const path = await importAll(facts('OTHER 2020-01-01 2020-05-01 1'));
        const before = await engine.digest(path);
        await expect(importFiles(path, files, flags)).rejects.toMatchObject(refused);
        expect(await engine.digest(path)).toEqual(before);
      },
    );
  });

  describe('an import with --replace', () => {
    const [seven, eight] = [facts('X 2020-01-01 2020-05-01 7'), facts('X 2020-01-01 2020-05-01 8')];

    test.each<[string, Files, string]>([
      ['two files, one way', { 'a.csv': seven, 'b.csv': eight }, '8, against 7'],
      ['two files, the other way', { 'a.csv': eight, 'b.csv': seven }, '7, against 8'],
      [
        'two lines of one file',
        { 'a.csv': facts('X 2020-01-01 2020-05-01', 'X 2020-01-01 2020-05-01 8') },
        '8, against withdrawn',
      ],
    ])('fails if it contradicts itself: %s', async (_, files, contradiction) => {
      const path = await importAll(facts('X 2020-01-01 2020-05-01 1'));
      const before = await engine.digest(path);
      expect(await failureOf(importFiles(path, files, { replace: true }))).toContain(
        `X 2020-01-01 as of 2020-05-01: ${contradiction}`,
      );
      expect(await engine.digest(path)).toBe(before);
    });

    test('may state one number twice', async () => {
      const path = await importAll(facts('X 2020-01-01 2020-05-01 1'));
      await importFiles(
        path,
        { 'a.csv': seven, 'b.csv': facts('X 2020-01-01 2020-05-01 7.0') },
        { replace: true },
      );
      await reading(path, async (view) =>
        expect(await observationsIn(view, { seriesId: 'X', limit: 9 })).toEqual([
          { date: '2020-01-01', value: '7.0', asOfDate: '2020-05-01' },
        ]),
      );
    });
  });

  describe('a statement that a complete vintage implied before', () => {
    async function state(path: string) {
      return reading(path, async (view) => ({
        revision: (await view.state()).revision,
        series: await view.series.find('X'),
        dates: (await observationsIn(view, { seriesId: 'X', limit: 9 })).map(({ date }) => date),
      }));
    }

    test('changes the version of the series, whose dates imply another frequency then, and no date', async () => {
      const path = engine.newAddress();
      const monthEnds = { 'x.csv': 'observation_date,X\n2020-03-31,1\n2020-06-30,2\n' };
      await importFiles(path, monthEnds, { asOf: '2021-03-05', complete: true });
      const before = await state(path);
      expect(before.series?.frequency).toBe('Q');
      expect(before.dates).toEqual(['2020-06-30', '2020-03-31']);
      await importFiles(path, { 'facts.csv': facts('X 2020-07-15 2021-03-05') });
      const after = await state(path);
      expect(after.series?.frequency).toBe('BW');
      expect(after.dates).toEqual(before.dates);
      expect(after.revision).toBeGreaterThan(before.revision);
      expect(after.series?.version).toBeGreaterThan(before.series?.version ?? Number.NaN);
    });

    test('leads to the same frequency in any order of imports', async () => {
      const whole = (day: string) => ({ asOf: day, complete: true, merge: true });
      const steps: readonly (readonly [Files, ImportFlags])[] = [
        [{ 'facts.csv': facts('X 2020-07-01 2021-04-05') }, { merge: true }],
        [{ 'x.csv': 'observation_date,X\n2020-01-01,.\n2020-06-30,1\n' }, whole('2021-03-05')],
        [{ 'x.csv': 'observation_date,X\n2020-03-31,1.00\n' }, whole('2021-04-05')],
      ];
      for (const order of few(orders)) {
        const path = engine.newAddress();
        for (const i of order) await importFiles(path, ...(steps[i] ?? [{}, {}]));
        expect([order, (await state(path)).series?.frequency]).toEqual([order, 'D']);
      }
    });
  });
});

describe('the progress of an import', () => {
  const folder = scratchFolder();
  /** Twelve thousand statements of a series, enough to be read in several batches. */
  function statementsOf(series: string): string {
    const day = (i: number) => new Date(Date.UTC(1990, 0, 1 + i)).toISOString().slice(0, 10);
    return facts(...Array.from({ length: 12_000 }, (_, i) => `${series} ${day(i)} 2025-01-01 ${i}.5`));
  }

  /** The progress that an import of these files reports. */
  async function reported(bufferSize: number, files: Readonly<Record<string, string | Buffer>>) {
    const source = tempFolder(files);
    const paths = Object.keys(files).map((name) => join(source, name));
    const progress: LoadProgress[] = [];
    const onProgress = async (made: LoadProgress) => void progress.push(made);
    await importPaths(newStorePath(folder), paths, { bufferSize, onProgress });
    return { progress, sizes: paths.map((path) => statSync(path).size) };
  }

  const [a, b] = [statementsOf('A'), statementsOf('B')];

  it.each<
    readonly [what: string, files: Readonly<Record<string, string | Buffer>>, total: number | undefined]
  >([
    ['plain files', { 'a.csv': a, 'b.csv': b }, undefined],
    ['packed files, as stored', { 'a.csv.gz': gzipSync(a), 'b.csv.gz': gzipSync(b) }, undefined],
    [
      'members of an archive, unpacked',
      { 'x.zip': zipOf([a, b].map((content, i) => ({ name: `${i}.csv`, content }))) },
      a.length + b.length,
    ],
  ])('is reported in bytes of %s', async (_, files, total) => {
    const { progress: all, sizes } = await reported(1000, files);
    const expected = total ?? sizes.reduce((sum, size) => sum + size, 0);
    expect(new Set(all.map((one) => one.total))).toEqual(new Set([expected]));
    const done = all.map((one) => one.done);
    expect(done).toEqual([...done].sort((x, y) => x - y));
    expect(done[0]).toBe(0);
    expect(done.at(-1)).toBeLessThanOrEqual(expected);
    expect(done.at(-1)).toBeGreaterThan(expected * 0.75);
  });

  it('counts what waits in memory only once it is stored', async () => {
    const { progress: all, sizes } = await reported(Number.POSITIVE_INFINITY, { 'a.csv': a, 'b.csv': b });
    expect(new Set(all.map(({ done }) => done))).toEqual(new Set([0, sizes[0]]));
  });
});
