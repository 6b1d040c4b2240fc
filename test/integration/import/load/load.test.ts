import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../../support/engines.ts';
import {
  type Files,
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  observationsIn,
  reading,
} from '../../../support/scratch-store.ts';

onEveryEngine((engine) => {
  async function importAll(...contents: readonly string[]): Promise<string> {
    const path = engine.newAddress();
    for (const content of contents) await importFiles(path, { 'facts.csv': content });
    return path;
  }

  describe('the example of the rulings', () => {
    const steps = [
      facts('X 2020-04-01 2021-01-05 5'),
      facts('X 2020-04-01 2021-03-05 5'),
      facts('X 2020-04-01 2021-02-07 7'),
    ];
    test.each([
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ])(
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
      const first = facts(
        'X 2020-01-01 2020-05-01 1',
        'X 2020-02-01 2020-05-01',
        'Y 2020-01-01 2020-06-01 2',
      );
      const second = facts('X 2020-01-01 2020-05-01 1.0', 'X 2020-01-01 2020-06-01');
      const summaries = await importFiles(path, { 'a.csv': first, 'b.csv': second });
      const none = { filings: 0, projections: 0, notes: [] };
      expect(summaries.map(({ file: _, ...counts }) => counts)).toEqual([
        {
          ...none,
          kind: 'asof-csv',
          series: 2,
          vintages: 2,
          statementsNew: 3,
          statementsKnown: 0,
          withdrawn: 0,
        },
        {
          ...none,
          kind: 'asof-csv',
          series: 1,
          vintages: 2,
          statementsNew: 1,
          statementsKnown: 1,
          withdrawn: 1,
        },
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

    test.each<[string, Files, ImportFlags, string]>([
      [
        'a statement of a day in the future',
        { 'a.csv': facts('X 2020-01-01 2026-01-15 1', 'X 2020-01-01 2026-01-16 1') },
        {},
        'a.csv: "2026-01-16": X is dated in the future; today is at most 2026-01-15',
      ],
      [
        'a whole vintage of such a day',
        { 'a.csv': 'observation_date,X\n2020-01-01,1\n' },
        { asOf: '2026-01-16' },
        'a.csv: "2026-01-16": X is dated in the future; today is at most 2026-01-15',
      ],
      [
        'a curve of such a day',
        { 'a.csv': 'DATE,DGS10\n2026-01-16,4.2\n' },
        {},
        'a.csv: "2026-01-16": the PAR curve is dated in the future; today is at most 2026-01-15',
      ],
      [
        '--as-of for a file that says its days itself',
        { 'a.csv': facts('X 2020-01-01 2020-05-01 1') },
        { asOf: '2020-05-01' },
        'a.csv: --as-of does not apply to asof-csv: the file states when its figures were known',
      ],
      [
        '--complete for a file that is no whole vintage',
        { 'a.csv': facts('X 2020-01-01 2020-05-01 1') },
        { complete: true },
        'a.csv: --complete does not apply to asof-csv: it is for files of whole vintages',
      ],
      [
        '--series for a file that names its series',
        { 'a.csv': facts('X 2020-01-01 2020-05-01 1') },
        { series: 'Y' },
        'a.csv: --series does not apply to asof-csv: the file names its series (--id OLD=NEW renames one)',
      ],
      [
        'a second file that is broken',
        { 'a.csv': facts('X 2020-01-01 2020-05-01 1'), 'b.csv': facts('X 2020-01-01 2020-06-01 1e') },
        {},
        'b.csv, row 2, column "value": "1e": neither a decimal number nor empty, as a withdrawal is',
      ],
    ])(
      'fails for %s, creates no store and changes no byte of an existing one',
      async (_, files, flags, message) => {
        const fresh = engine.newAddress();
        expect(await failureOf(importFiles(fresh, files, flags))).toMatch(endsWith(message));
        expect(await engine.digest(fresh)).toBeUndefined();
        const path = await importAll(facts('OTHER 2020-01-01 2020-05-01 1'));
        const before = await engine.digest(path);
        expect(await failureOf(importFiles(path, files, flags))).toMatch(endsWith(message));
        expect(await engine.digest(path)).toEqual(before);
      },
    );
  });

  test.each<[string, Files, ImportFlags, readonly string[]]>([
    [
      'may be moved',
      { '2026-02.csv': 'observation_date,X\n2020-01-01,1\n' },
      { asOf: '2026-01-16' },
      ['pass the date on which the figures were known with --as-of'],
    ],
    ['a line states', { 'a.csv': facts('X 2020-01-01 2026-01-16 1') }, {}, []],
    ['a curve is of', { 'a.csv': 'DATE,DGS10\n2026-01-16,4.2\n' }, {}, []],
  ])(
    'an import of a day to come names --as-of as the way out only where the file takes it: a day that %s',
    async (_, files, flags, hints) => {
      await expect(importFiles(engine.newAddress(), files, flags)).rejects.toMatchObject({ hints });
    },
  );

  function endsWith(text: string): RegExp {
    return new RegExp(`/${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  }

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
    const monthEnds = 'observation_date,X\n2020-03-31,1\n2020-06-30,2\n';
    const middle = facts('X 2020-07-15 2021-03-05');

    async function state(path: string) {
      return reading(path, async (view) => ({
        revision: (await view.state()).revision,
        series: await view.series.find('X'),
        dates: (await observationsIn(view, { seriesId: 'X', limit: 9 })).map(({ date }) => date),
      }));
    }

    test('changes the version of the series, whose dates imply another frequency then, and no date', async () => {
      const path = engine.newAddress();
      await importFiles(path, { 'x.csv': monthEnds }, { asOf: '2021-03-05', complete: true });
      const before = await state(path);
      expect(before.series?.frequency).toBe('Q');
      expect(before.dates).toEqual(['2020-06-30', '2020-03-31']);
      await importFiles(path, { 'facts.csv': middle });
      const after = await state(path);
      expect(after.series?.frequency).toBe('BW');
      expect(after.dates).toEqual(before.dates);
      expect(after.revision).toBeGreaterThan(before.revision);
      expect(after.series?.version).toBeGreaterThan(before.series?.version ?? Number.NaN);
    });

    test('leads to the same frequency in any order of imports', async () => {
      const steps: readonly [Files, ImportFlags][] = [
        [{ 'facts.csv': facts('X 2020-07-01 2021-04-05') }, { merge: true }],
        [
          { 'x.csv': 'observation_date,X\n2020-01-01,.\n2020-06-30,1\n' },
          { asOf: '2021-03-05', complete: true, merge: true },
        ],
        [
          { 'x.csv': 'observation_date,X\n2020-03-31,1.00\n' },
          { asOf: '2021-04-05', complete: true, merge: true },
        ],
      ];
      const orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ];
      const frequencies = new Set<string | undefined>();
      for (const order of orders) {
        const path = engine.newAddress();
        for (const i of order) await importFiles(path, ...(steps[i] ?? [{}, {}]));
        frequencies.add((await state(path)).series?.frequency);
      }
      expect([...frequencies]).toEqual(['D']);
    });
  });
});
