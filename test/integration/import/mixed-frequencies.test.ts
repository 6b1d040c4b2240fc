import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../support/arbitrary.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { asOf, emptyModel, importInto, type ModelStatement } from '../../support/knowledge.ts';
import {
  allStatements,
  type Files,
  failureOf,
  type ImportFlags,
  importFiles,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

onEveryEngine((engine) => {
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

  const importAll = async (...steps: readonly Step[]) => {
    const path = engine.newAddress();
    for (const { files, flags } of steps) await importFiles(path, files, flags);
    return path;
  };

  describe('a download of series of several frequencies', () => {
    const mixed = [
      '2024-07-01,29374.914,4.3',
      '2024-08-01,,4.2',
      '2024-09-01,,4.1',
      '2024-10-01,29700.580,4.1',
    ];
    const withDots = mixed.map((row) => row.replace(',,', ',.,'));
    const quarters = ['2024-07-01 29374.914', '2024-10-01 29700.580'];

    test.each([
      ['into an empty store', [download('2025-01-30', ...mixed)]],
      ['with dots for blank cells', [download('2025-01-30', ...withDots)]],
      ['into a store that knows the quarterly series', [described, download('2025-01-30', ...mixed)]],
      ['before the series is described', [download('2025-01-30', ...mixed), described]],
      [
        'again with --replace',
        [
          described,
          ...[{}, { replace: true }].map((flags): Step => {
            const { files } = download('', ...mixed);
            return { files, flags: { asOf: '2025-01-30', ...flags } };
          }),
        ],
      ],
    ])('keeps the quarterly series quarterly and whole, imported %s', async (_, steps) => {
      const path = await importAll(...steps);
      expect(await shown(path, 'GDP')).toEqual(quarters);
      expect(await shown(path, 'UNRATE')).toEqual([
        '2024-07-01 4.3',
        '2024-08-01 4.2',
        '2024-09-01 4.1',
        '2024-10-01 4.1',
      ]);
      await reading(path, async (view) => {
        expect((await view.series.find('GDP'))?.frequency).toBe('Q');
        expect((await allStatements(view, 'GDP')).map(({ date }) => date)).toEqual([
          '2024-07-01',
          '2024-10-01',
        ]);
      });
    });

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
            const path = await importAll(...shuffled);
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
        { numRuns: runs(40, engine) },
      );
    });
  });

  describe('a vintage without figures for dates that were known', () => {
    const alfred = (...rows: readonly string[]): Step => ({
      files: { 'alfred.csv': `observation_date,GDPX_19951027,GDPX_19960119\n${rows.join('\n')}\n` },
    });

    test('answers without them, so that two base years never stand in one column', async () => {
      // The 1996 benchmark began in 1959; ALFRED's file has blank cells for what it did not publish.
      const path = await importAll(alfred('1958-10-01,1880.9,', '1959-07-01,1931.3,2217.5'));
      expect(await shown(path, 'GDPX', '1996-01-18')).toEqual(['1958-10-01 1880.9', '1959-07-01 1931.3']);
      expect(await shown(path, 'GDPX', '1996-01-19')).toEqual(['1959-07-01 2217.5']);
    });

    test('is a vintage even if it has no figure at all', async () => {
      const path = await importAll(alfred('1958-10-01,1880.9,', '1959-07-01,1931.3,'));
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
      const [summary] = await importFiles(engine.newAddress(), {
        'alfred.csv':
          'observation_date,GDPX_19951027,GDPX_19960119\n1958-10-01,1880.9,\n1995-07-01,,2217.5\n1995-10-01,,\n',
      });
      expect(summary).toMatchObject({ statementsNew: 6, withdrawn: 1 });
    });
  });

  describe('figures of another frequency than their series', () => {
    const monthly: Step = {
      files: {
        'VALUE.csv': `DATE,VALUE\n${['01', '02', '03', '04', '05'].map((m) => `2024-${m}-01,${m}`).join('\n')}\n`,
      },
      flags: { asOf: '2024-06-30', series: 'GDP' },
    };
    const quarterly: Step = {
      files: {
        'GDP.csv': `DATE,GDP\n${['01', '04', '07', '10'].map((m) => `2023-${m}-01,${m}`).join('\n')}\n`,
      },
      flags: { asOf: '2024-01-30' },
    };

    test.each([
      ['a series described as quarterly', [described, monthly]],
      ['a series whose figures were quarterly', [quarterly, monthly]],
      ['a series whose figures were monthly', [monthly, quarterly]],
    ])('are refused for %s, with one reason', async (_, steps) => {
      const [first, second] = steps;
      if (first === undefined || second === undefined) throw new Error('two steps');
      const path = await importAll(first);
      const before = await engine.digest(path);
      for (const replace of [false, true]) {
        const failure = await failureOf(importFiles(path, second.files, { ...second.flags, replace }));
        expect(failure).toMatch(
          /^1 conflict; nothing was imported:\n.*: GDP frequency: "[MQ]", against "[MQ]", by the figures of the files$/,
        );
      }
      expect(await engine.digest(path)).toEqual(before);
    });
  });
});
