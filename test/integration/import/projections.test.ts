import { describe, expect, test } from 'vitest';
import { onEveryEngine } from '../../support/engines.ts';
import {
  facts,
  failureOf,
  type ImportFlags,
  importFiles,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

onEveryEngine((engine) => {
  // A download of 2025, dated by mistake as if it had been there in 2008.
  const months = Array.from({ length: 70 }, (_, i) => {
    const month = String((i % 12) + 1).padStart(2, '0');
    return `${2008 + Math.floor(i / 12)}-${month}-01,${i}`;
  });
  const unrate = { 'UNRATE.csv': `observation_date,UNRATE\n${months.join('\n')}\n` };
  const in2008 = { asOf: '2008-09-16' };

  describe('a file dated by hand whose dates begin after its day', () => {
    test.each([false, true])('is refused with the count and an example (dry run: %s)', async (dryRun) => {
      const path = engine.newAddress();
      const failure = await failureOf(importFiles(path, unrate, { ...in2008, dryRun }));
      // Of 70 months from January 2008, nine had begun on 16 September.
      expect(failure).toMatch(
        /UNRATE\.csv: 61 dates begin after 2008-09-16 \(the first is 2008-10-01 of UNRATE\); was the file downloaded that day\?$/,
      );
      expect(await engine.digest(path)).toBeUndefined();
    });

    test('is accepted with --projections, and its summary counts them', async () => {
      const path = engine.newAddress();
      const [summary] = await importFiles(path, unrate, { ...in2008, projections: true });
      expect(summary).toMatchObject({ statementsNew: 70, projections: 61 });
      await reading(path, async (view) => {
        const rows = await observationsIn(view, { seriesId: 'UNRATE', asOf: '2008-09-16', limit: 1 });
        expect(rows).toMatchObject([{ date: '2013-10-01', value: '69' }]);
      });
    });

    test('is read if the cells of those dates are blank', async () => {
      const blank = unrate['UNRATE.csv'].replace(/(2008-1\d-01|20(?:09|1\d)-\d\d-01),\d+/g, '$1,');
      const [summary] = await importFiles(engine.newAddress(), { 'UNRATE.csv': blank }, in2008);
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
      const [summary] = await importFiles(engine.newAddress(), files, flags);
      expect(summary).toMatchObject({ projections: 0 });
    });
  });

  test('a line of asof’s own CSV whose date begins after its as-of date is refused', async () => {
    const files = {
      'facts.csv': facts(
        'X 2020-04-01 2020-05-01 1',
        'X 2020-07-01 2020-05-01 2',
        'X 2020-10-01 2020-06-01 3',
      ),
    };
    expect(await failureOf(importFiles(engine.newAddress(), files))).toMatch(
      /facts\.csv: 2 dates begin after the day as of which their values are stated \(the first is 2020-07-01 of X as of 2020-05-01\); are these the days of publication\?$/,
    );
    const [summary] = await importFiles(engine.newAddress(), files, { projections: true });
    expect(summary).toMatchObject({ statementsNew: 3, projections: 2 });
  });

  test('a file of ALFRED is read as it is, and its summary counts the projections', async () => {
    const files = {
      'GDPPOT.csv':
        'observation_date,GDPPOT_20240207\n2024-01-01,22600.1\n2024-04-01,22725.3\n2034-10-01,27720.4\n',
    };
    const [summary] = await importFiles(engine.newAddress(), files);
    expect(summary).toMatchObject({ statementsNew: 3, projections: 2 });
  });
});
