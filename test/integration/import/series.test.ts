import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import { type Engine, onEveryEngine, sqlite } from '../../support/engines.ts';
import { asOf, emptyModel, importInto, type ModelStatement } from '../../support/knowledge.ts';
import {
  allStatements,
  type Files,
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

type Step = { readonly files: Files; readonly flags?: ImportFlags };

const described: Step = {
  files: {
    'GDP-series.json': JSON.stringify({ seriess: [{ id: 'GDP', title: 'GDP', frequency_short: 'Q' }] }),
  },
};

const download = (day: string, ...rows: readonly string[]): Step => ({
  files: { 'fredgraph.csv': `observation_date,GDP,UNRATE\n${rows.join('\n')}\n` },
  flags: { asOf: day },
});

const shown = async (path: string, seriesId: string, day?: string) =>
  reading(path, async (view) => {
    const rows = await observationsIn(view, {
      seriesId,
      limit: 100,
      ...(day !== undefined && { asOf: day }),
    });
    return rows.map(({ date, value }) => `${date} ${value}`).reverse();
  });

const importAll = async (steps: readonly Step[], engine: Engine = sqlite, more: ImportFlags = {}) => {
  const path = engine.newAddress();
  for (const { files, flags } of steps) await importFiles(path, files, { ...flags, ...more });
  return path;
};

describe('a download of series of several frequencies', () => {
  const monthly = ['2024-07-01 4.3', '2024-08-01 4.2', '2024-09-01 4.1', '2024-10-01 4.1'];
  const quarters = ['2024-07-01 29374.914', '2024-10-01 29700.580'];
  const rows = ['2024-07-01,29374.914,4.3', '2024-08-01,,4.2', '2024-09-01,,4.1', '2024-10-01,29700.580,4.1'];
  const mixed = download('2025-01-30', ...rows);
  const replaced = { ...mixed, flags: { ...mixed.flags, replace: true } };

  test.each<[string, readonly Step[]]>([
    ['into an empty store', [mixed]],
    ['with dots for blank cells', [download('2025-01-30', ...rows.map((row) => row.replace(',,', ',.,')))]],
    ['into a store that knows the quarterly series', [described, mixed]],
    ['before the series is described', [mixed, described]],
    ['again with --replace', [described, mixed, replaced]],
  ])('keeps the quarterly series quarterly and whole, imported %s', async (_, steps) => {
    const path = await importAll(steps);
    expect(await shown(path, 'GDP')).toEqual(quarters);
    expect(await shown(path, 'UNRATE')).toEqual(monthly);
    await reading(path, async (view) => {
      expect((await view.series.find('GDP'))?.frequency).toBe('Q');
      expect((await allStatements(view, 'GDP')).map(({ date }) => date)).toEqual([
        '2024-07-01',
        '2024-10-01',
      ]);
    });
  });

  onEveryEngine((engine) => {
    test('answers as the list of its statements does, for any blank cells, in any order of imports', async () => {
      const months = Array.from({ length: 9 }, (_, i) => `2024-${String(i + 1).padStart(2, '0')}-01`);
      const quarterStarts = months.filter((_, i) => i % 3 === 0);
      const cell = fc.option(fc.constantFrom('1', '2', '3.50'), { nil: null, freq: 3 });
      const vintage = fc
        .record({
          quarterly: fc.array(cell, { minLength: 3, maxLength: 3 }),
          monthly: fc.array(cell, { minLength: 9, maxLength: 9 }),
        })
        // The figures of a column show its frequency, so there must be some.
        .filter(({ quarterly }) => quarterly.filter((value) => value !== null).length > 1)
        .filter(({ monthly }) =>
          monthly.some((value, i) => value !== null && (monthly[i + 1] ?? null) !== null),
        );
      await fc.assert(
        fc.asyncProperty(
          fc.array(vintage, { minLength: 1, maxLength: 4 }),
          fc.nat(4),
          fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
          async (vintages, place, order) => {
            const said: ModelStatement[] = [];
            const imports: Step[] = vintages.map(({ quarterly, monthly }, i) => {
              const day = `2025-0${i + 1}-15`;
              for (const [q, date] of quarterStarts.entries())
                said.push({ series: 'GDP', date, asOf: day, value: quarterly[q] ?? null });
              for (const [m, date] of months.entries())
                said.push({ series: 'UNRATE', date, asOf: day, value: monthly[m] ?? null });
              const rows = months.map((date, m) => {
                const gdp = m % 3 === 0 ? (quarterly[m / 3] ?? '') : '';
                return `${date},${gdp},${monthly[m] ?? ''}`;
              });
              return download(day, ...rows);
            });
            imports.splice(place, 0, described);
            const shuffled = imports
              .map((step, i) => ({ step, at: order[i] ?? 0 }))
              .sort((a, b) => a.at - b.at)
              .map(({ step }) => step);
            const path = await importAll(shuffled, engine);
            const known = importInto(emptyModel, said).after;
            await reading(path, async (view) => {
              for (const seriesId of ['GDP', 'UNRATE'])
                for (const day of ['2025-01-20', '2025-02-20', '2025-03-20', '2025-12-31'])
                  expect(await observationsIn(view, { seriesId, asOf: day, limit: 100 })).toEqual(
                    asOf(known, seriesId, day),
                  );
            });
          },
        ),
        { numRuns: runs(24, engine) },
      );
    });
  });
});

describe('a vintage without figures for dates that were known', () => {
  const alfred = (...rows: readonly string[]): Step => ({
    files: { 'alfred.csv': `observation_date,GDPX_19951027,GDPX_19960119\n${rows.join('\n')}\n` },
  });

  test('answers without them, so that two base years never stand in one column', async () => {
    // The 1996 benchmark began in 1959; ALFRED's file has blank cells for what it did not publish.
    const path = await importAll([alfred('1958-10-01,1880.9,', '1959-07-01,1931.3,2217.5')]);
    expect(await shown(path, 'GDPX', '1996-01-18')).toEqual(['1958-10-01 1880.9', '1959-07-01 1931.3']);
    expect(await shown(path, 'GDPX', '1996-01-19')).toEqual(['1959-07-01 2217.5']);
  });

  test('is a vintage even if it has no figure at all', async () => {
    const path = await importAll([alfred('1958-10-01,1880.9,', '1959-07-01,1931.3,')]);
    expect(await shown(path, 'GDPX', '1996-01-19')).toEqual([]);
    await reading(path, async (view) => {
      const page = await view.series.vintages({ seriesId: 'GDPX', limit: 9 });
      expect(page?.rows).toMatchObject([
        { asOfDate: '1996-01-19', added: 0, revised: 0, withdrawn: 2 },
        { asOfDate: '1995-10-27', added: 2, revised: 0, withdrawn: 0 },
      ]);
    });
  });

  test('counts what it takes back as withdrawals, and not what was never published', async () => {
    const { files } = alfred('1958-10-01,1880.9,', '1995-07-01,,2217.5', '1995-10-01,,');
    const [summary] = await importFiles(sqlite.newAddress(), files);
    expect(summary).toMatchObject({ statementsNew: 6, withdrawn: 1 });
  });
});

describe('figures of another frequency than their series', () => {
  const inMonths = (months: string, year: number) =>
    months.split(' ').map((month) => `${year}-${month}-01,${month}\n`);
  const monthly: Step = {
    files: { 'VALUE.csv': `DATE,VALUE\n${inMonths('01 02 03 04 05', 2024).join('')}` },
    flags: { asOf: '2024-06-30', series: 'GDP' },
  };
  const quarterly: Step = {
    files: { 'GDP.csv': `DATE,GDP\n${inMonths('01 04 07 10', 2023).join('')}` },
    flags: { asOf: '2024-01-30' },
  };

  test.each<[string, Step, Step]>([
    ['a series described as quarterly', described, monthly],
    ['a series whose figures were quarterly', quarterly, monthly],
    ['a series whose figures were monthly', monthly, quarterly],
  ])('are refused for %s, with one reason', async (_, first, second) => {
    const path = await importAll([first]);
    const before = await sqlite.digest(path);
    for (const replace of [false, true]) {
      const failure = await failureOf(importFiles(path, second.files, { ...second.flags, replace }));
      expect(failure).toMatch(
        /^1 conflict; nothing was imported:\n.*: GDP frequency: "[MQ]", against "[MQ]", by the figures of the files$/,
      );
    }
    expect(await sqlite.digest(path)).toEqual(before);
  });
});

describe('a file dated by hand whose dates begin after its day', () => {
  // A download of 2025, dated by mistake as if it had been there in 2008.
  const months = Array.from({ length: 70 }, (_, i) => {
    const month = String((i % 12) + 1).padStart(2, '0');
    return `${2008 + Math.floor(i / 12)}-${month}-01,${i}`;
  });
  const unrate = { 'UNRATE.csv': `observation_date,UNRATE\n${months.join('\n')}\n` };
  const in2008 = { asOf: '2008-09-16' };

  test.each([false, true])('is refused with the count and an example (dry run: %s)', async (dryRun) => {
    const path = sqlite.newAddress();
    const failure = await failureOf(importFiles(path, unrate, { ...in2008, dryRun }));
    // Of 70 months from January 2008, nine had begun on 16 September.
    expect(failure).toMatch(
      /UNRATE\.csv: 61 dates begin after the day as of which their values are stated \(the first is 2008-10-01 of UNRATE as of 2008-09-16\); is that the day of publication\?$/,
    );
    expect(await sqlite.digest(path)).toBeUndefined();
  });

  test('is accepted with --projections, and its summary counts them', async () => {
    const path = sqlite.newAddress();
    const [summary] = await importFiles(path, unrate, { ...in2008, projections: true });
    expect(summary).toMatchObject({ statementsNew: 70, projections: 61 });
    await reading(path, async (view) => {
      const rows = await observationsIn(view, { seriesId: 'UNRATE', asOf: '2008-09-16', limit: 1 });
      expect(rows).toMatchObject([{ date: '2013-10-01', value: '69' }]);
    });
  });

  test('is read if the cells of those dates are blank', async () => {
    const blank = unrate['UNRATE.csv'].replace(/(2008-1\d-01|20(?:09|1\d)-\d\d-01),\d+/g, '$1,');
    const [summary] = await importFiles(sqlite.newAddress(), { 'UNRATE.csv': blank }, in2008);
    expect(summary).toMatchObject({ statementsNew: 70, projections: 0, withdrawn: 0 });
  });

  test.each<[string, Readonly<Record<string, string>>, ImportFlags]>([
    [
      'a quarter that a panel dates by its last month, while the quarter lasts',
      { '2016-07-29.csv': 'date,A,GDPC1\n2016-03-01,1,7\n2016-04-01,1,\n2016-06-01,1,8\n2016-09-01,,9\n' },
      { asOf: '2016-07-29' },
    ],
    ['a day on which it was stated', { 'a.csv': facts('X 2020-05-01 2020-05-01 1') }, {}],
  ])('is not %s', async (_, files, flags) => {
    const [summary] = await importFiles(sqlite.newAddress(), files, flags);
    expect(summary).toMatchObject({ projections: 0 });
  });
});

describe('projections', () => {
  test('in a line of asof’s own CSV are refused', async () => {
    const files = {
      'facts.csv': facts(
        'X 2020-04-01 2020-05-01 1',
        'X 2020-07-01 2020-05-01 2',
        'X 2020-10-01 2020-06-01 3',
      ),
    };
    expect(await failureOf(importFiles(sqlite.newAddress(), files))).toMatch(
      /facts\.csv: 2 dates begin after the day as of which their values are stated \(the first is 2020-07-01 of X as of 2020-05-01\); is that the day of publication\?$/,
    );
    const [summary] = await importFiles(sqlite.newAddress(), files, { projections: true });
    expect(summary).toMatchObject({ statementsNew: 3, projections: 2 });
  });

  test('of ALFRED are read as they are, and counted in the summary of their file', async () => {
    const rows = '2024-01-01,22600.1\n2024-04-01,22725.3\n2034-10-01,27720.4\n';
    const files = { 'GDPPOT.csv': `observation_date,GDPPOT_20240207\n${rows}` };
    const [summary] = await importFiles(sqlite.newAddress(), files);
    expect(summary).toMatchObject({ statementsNew: 3, projections: 2 });
  });
});

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
const ownOf = (source: string): Step => ({
  files: {
    [`${source}.csv`]: `series_id,date,as_of_date,value,source\nX,2020-01-01,2020-08-01,4,${source}\n`,
  },
});
const titled = metadata('title,units', 'Things made,Pieces');

function together(...steps: readonly Step[]): Step {
  const files = steps.flatMap(({ files: own }, i) =>
    Object.entries(own).map(([name, text]) => [`${i}/${name}`, text]),
  );
  return { files: Object.fromEntries(files), flags: Object.assign({}, ...steps.map(({ flags }) => flags)) };
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
    ["asof's own facts, which name their source in a column", ownOf('Agency'), ownOf('FRED')],
    ['FRED and facts that name another source in a column', alfred, ownOf('Agency')],
  ])('%s: the second import fails in both orders and leaves the store unchanged', async (_, a, b) => {
    for (const [first, second] of bothWays(a, b)) {
      const path = await importAll([first]);
      const before = await sqlite.digest(path);
      expect(await failureOf(importFiles(path, second.files, second.flags))).toMatch(
        /^1 conflict; nothing was imported:\n {2}X is from "[^"]+"; this import brings it from "[^"]+"$/,
      );
      expect(await sqlite.digest(path)).toEqual(before);
    }
  });

  test('an import from several sources fails, in any order of files', async () => {
    for (const pair of bothWays(alfred, panel)) {
      const path = sqlite.newAddress();
      expect(await failureOf(importFiles(path, together(...pair).files))).toMatch(
        /^1 conflict; nothing was imported:\n {2}X comes from several sources at once: "FRED( dated panel)?" and "FRED( dated panel)?"$/,
      );
      expect(await sqlite.digest(path)).toBeUndefined();
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
    ['of facts that name them in a column', [ownOf('B'), ownOf('C'), ownOf('A')], 'X|A; B; C|X|'],
    ['one of which a column names', [alfred, ownOf('Agency')], 'X|Agency; FRED|X|'],
    ['of descriptions', [together(own, ofAgency), ofFred], 'X|Agency; FRED|X|'],
  ])('%s: named in the same order for any order of imports', async (_, steps, expected) => {
    const [first, ...rest] = steps;
    const rotated = first === undefined ? [] : [...rest, first];
    for (const order of [steps, [...steps].reverse(), rotated]) {
      expect((await seriesIn(await importAll(order, sqlite, { merge: true })))[0]).toBe(expected);
    }
    expect((await seriesIn(await importAll([together(...steps)], sqlite, { merge: true })))[0]).toBe(
      expected,
    );
  });

  test('after a merge, either source can be imported again', async () => {
    const path = await importAll([alfred, panel], sqlite, { merge: true });
    await importFiles(path, { 'more.csv': 'observation_date,X_20200901\n2020-01-01,5\n' });
    await importFiles(path, { '2020-10-01.csv': 'date,X,Y\n2020-01-01,6,3\n2020-02-01,,4\n' });
    expect((await seriesIn(path))[0]).toBe('X|FRED; FRED dated panel|X|');
  });

  test('after a merge, facts of either source or of both can be imported again, also into a new store', async () => {
    const path = await importAll([ownOf('B'), ownOf('A')], sqlite, { merge: true });
    for (const again of [ownOf('A'), ownOf('B'), ownOf('A; B'), ownOf('B; A')]) {
      await importFiles(path, again.files);
      expect(await seriesIn(path)).toEqual(['X|A; B|X|']);
    }
    expect(await seriesIn(await importAll([ownOf('A; B')]))).toEqual(['X|A; B|X|']);
    expect(await failureOf(importFiles(path, ownOf('A; C').files))).toContain(
      'X is from "A" and "B"; this import brings it from "A" and "C"',
    );
  });

  test('is offered where a description alone names another source, beside --replace', async () => {
    const path = await importAll([together(own, ofAgency)]);
    await expect(importFiles(path, ofFred.files)).rejects.toMatchObject({
      list: [expect.stringMatching(/metadata\.csv: X source: "FRED", against "Agency"$/)],
      hints: ['--replace accepts the new ones', '--merge accepts both sources in one series'],
    });
    await importFiles(path, ofFred.files, { merge: true });
    expect(await seriesIn(path)).toEqual(['X|Agency; FRED|X|']);
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
});

describe('metadata', () => {
  const line = (title: string, units: string, adjustment: string) =>
    metadata('title,units,seasonal_adjustment', `${title},${units},${adjustment}`);
  const other = ['B', 'V', 'NSA'] as const;

  test('that contradicts the store makes the import fail in both orders, naming each field', async () => {
    for (const [first, second] of bothWays<readonly [string, string, string]>(['A', 'U', 'SA'], other)) {
      const path = await importAll([own, line(...first)]);
      const before = await sqlite.digest(path);
      const failure = await failureOf(importFiles(path, line(...second).files));
      expect(failure).toMatch(/^3 conflicts; nothing was imported:/);
      for (const [i, field] of ['title', 'units', 'seasonal adjustment'].entries())
        expect(failure).toContain(`X ${field}: "${second[i]}", against "${first[i]}"`);
      expect(await sqlite.digest(path)).toEqual(before);
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
