import { describe, expect, test } from 'vitest';
import { sqlite as engine } from '../../../support/engines.ts';
import {
  type Files,
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  observationsIn,
  reading,
} from '../../../support/scratch-store.ts';

type Step = { readonly files: Files; readonly flags?: ImportFlags };

const fred: Step = {
  files: { 'download.csv': 'observation_date,X\n2020-01-01,1\n' },
  flags: { asOf: '2020-05-01' },
};
const alfred: Step = { files: { 'vintages.csv': 'observation_date,X_20200601\n2020-01-01,2\n' } };
const panel: Step = { files: { '2020-07-01.csv': 'date,X,Y\n2020-01-01,3,3\n2020-02-01,,4\n' } };
const own: Step = { files: { 'facts.csv': facts('X 2020-01-01 2020-08-01 4') } };
const metadata = (header: string, row: string): Step => ({
  files: { 'metadata.csv': `series_id,${header}\nX,${row}\n` },
});
const ofAgency = metadata('source', 'Agency');
const ofFred = metadata('source', 'FRED');
const titled = metadata('title,units', 'Things made,Pieces');

function together(...steps: readonly Step[]): Step {
  const files = steps.flatMap(({ files: own }, i) =>
    Object.entries(own).map(([name, text]) => [`${i}/${name}`, text]),
  );
  return { files: Object.fromEntries(files), flags: Object.assign({}, ...steps.map(({ flags }) => flags)) };
}

async function importAll(steps: readonly Step[], flags: ImportFlags = {}): Promise<string> {
  const path = engine.newAddress();
  for (const step of steps) await importFiles(path, step.files, { ...step.flags, ...flags });
  return path;
}

async function seriesIn(path: string): Promise<readonly string[]> {
  return reading(path, async (view) => {
    const series = await view.series.search({ text: '', limit: 100 });
    return series.map(({ id, source, title, units }) => [id, source, title, units].join('|'));
  });
}

const bothWays = <T>(a: T, b: T): readonly (readonly [T, T])[] => [
  [a, b],
  [b, a],
];

describe('a series has one source', () => {
  test.each<[string, Step, Step]>([
    ['FRED and a panel', alfred, panel],
    ["FRED and asof's own facts that metadata give to an agency", alfred, together(own, ofAgency)],
    ['a panel and FRED again', panel, fred],
  ])('%s: the second import fails in both orders and leaves the store unchanged', async (_, a, b) => {
    for (const [first, second] of bothWays(a, b)) {
      const path = await importAll([first]);
      const before = await engine.digest(path);
      expect(await failureOf(importFiles(path, second.files, second.flags))).toMatch(
        /^1 conflict; nothing was imported:\n {2}X is from "[^"]+"; this import brings it from "[^"]+"$/,
      );
      expect(await engine.digest(path)).toEqual(before);
    }
  });

  test('an import from several sources fails, in any order of files', async () => {
    for (const pair of bothWays(alfred, panel)) {
      const path = engine.newAddress();
      expect(await failureOf(importFiles(path, together(...pair).files))).toMatch(
        /^1 conflict; nothing was imported:\n {2}X comes from several sources at once: "FRED( dated panel)?" and "FRED( dated panel)?"$/,
      );
      expect(await engine.digest(path)).toBeUndefined();
    }
  });

  test.each<[string, readonly Step[], string]>([
    ['two formats of one source', [alfred, fred], 'X|FRED|X|'],
    ["asof's own facts, which name no source", [alfred, own], 'X|FRED|X|'],
    ['facts given to the same source by metadata', [alfred, together(own, ofFred)], 'X|FRED|X|'],
    ['a description, which is no fact', [alfred, titled], 'X|FRED|Things made|Pieces'],
    ['a better name for the source', [alfred, ofAgency], 'X|Agency|X|'],
    ['facts whose source only metadata name', [together(own, ofAgency)], 'X|Agency|X|'],
  ])('%s: accepted in both orders', async (_, steps, expected) => {
    for (const order of [steps, [...steps].reverse()]) {
      expect(await seriesIn(await importAll(order))).toEqual([expected]);
    }
  });
});

describe('--merge accepts several sources in one series', () => {
  test.each<[string, readonly Step[], string]>([
    ['two', [alfred, panel], 'X|FRED; FRED dated panel|X|'],
    ['three', [together(own, ofAgency), panel, alfred], 'X|Agency; FRED; FRED dated panel|X|'],
    [
      'also under a better name of one',
      [alfred, panel, titled],
      'X|FRED; FRED dated panel|Things made|Pieces',
    ],
  ])('%s: named in the same order for any order of imports', async (_, steps, expected) => {
    const [first, ...rest] = steps;
    const rotated = first === undefined ? [] : [...rest, first];
    for (const order of [steps, [...steps].reverse(), rotated]) {
      expect((await seriesIn(await importAll(order, { merge: true })))[0]).toBe(expected);
    }
    expect((await seriesIn(await importAll([together(...steps)], { merge: true })))[0]).toBe(expected);
  });

  test('after a merge, either source can be imported again', async () => {
    const path = await importAll([alfred, panel], { merge: true });
    await importFiles(path, { 'more.csv': 'observation_date,X_20200901\n2020-01-01,5\n' });
    await importFiles(path, { '2020-10-01.csv': 'date,X,Y\n2020-01-01,6,3\n2020-02-01,,4\n' });
    expect((await seriesIn(path))[0]).toBe('X|FRED; FRED dated panel|X|');
  });
});

describe('--id OLD=NEW imports under another id', () => {
  test('statements, metadata and coverage get the new id', async () => {
    const path = await importAll([alfred]);
    const rename = new Map([['X', 'X_PANEL']]);
    await importFiles(path, together(panel, titled).files, { rename });
    expect(await seriesIn(path)).toEqual([
      'X|FRED|X|',
      'X_PANEL|FRED dated panel|Things made|Pieces',
      'Y|FRED dated panel|Y|',
    ]);
    await reading(path, async (view) => {
      expect((await view.series.find('X'))?.coveredTo).toBe('2020-06-01');
      expect((await view.series.find('X_PANEL'))?.coveredTo).toBe('2020-07-01');
      expect(await observationsIn(view, { seriesId: 'X_PANEL', limit: 9 })).toEqual([
        { date: '2020-01-01', value: '3', asOfDate: '2020-07-01' },
      ]);
    });
  });

  test('a series that the files do not contain is an error', async () => {
    const path = engine.newAddress();
    const importing = importFiles(path, alfred.files, { rename: new Map([['GDPX', 'Y']]) });
    expect(await failureOf(importing)).toBe('--id GDPX=…: the files have no series GDPX');
    expect(await engine.digest(path)).toBeUndefined();
  });
});

describe('metadata', () => {
  const line = (title: string, units: string, adjustment: string) =>
    metadata('title,units,seasonal_adjustment', `${title},${units},${adjustment}`);
  const other = ['B', 'V', 'NSA'] as const;

  test('that contradicts the store makes the import fail in both orders, naming each field', async () => {
    for (const [first, second] of bothWays<readonly [string, string, string]>(['A', 'U', 'SA'], other)) {
      const path = await importAll([own, line(...first)]);
      const before = await engine.digest(path);
      const failure = await failureOf(importFiles(path, line(...second).files));
      expect(failure).toMatch(/^3 conflicts; nothing was imported:/);
      for (const [i, field] of ['title', 'units', 'seasonal adjustment'].entries())
        expect(failure).toContain(`X ${field}: "${second[i]}", against "${first[i]}"`);
      expect(await engine.digest(path)).toEqual(before);
      await importFiles(path, line(...second).files, { replace: true });
      expect(await seriesIn(path)).toEqual([`X||${second[0]}|${second[1]}`]);
    }
  });

  test('can be imported in parts, before and after facts', async () => {
    const parts = [line('A', '', ''), line('', 'U', ''), line('', '', 'SA'), own];
    for (const order of [parts, [...parts].reverse()]) {
      const path = await importAll(order);
      expect(await seriesIn(path)).toEqual(['X||A|U']);
      await reading(path, async (view) =>
        expect((await view.series.find('X'))?.seasonalAdjustment).toBe('SA'),
      );
    }
  });

  test('alone creates no series', async () => {
    expect(await seriesIn(await importAll([titled]))).toEqual([]);
  });

  test.each([
    ['2020-07-01', '2020-08-01'],
    ['2021-01-01', '2021-01-01'],
    ['2030-01-01', '2026-01-15'],
  ])('extends the coverage of a series, but not beyond the day of the import: %s', async (day, expected) => {
    for (const order of bothWays(own, metadata('covered_to', day))) {
      const found = await reading(await importAll(order), (view) => view.series.find('X'));
      expect(found?.coveredTo).toBe(expected);
    }
  });
});
