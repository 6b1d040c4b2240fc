import { describe, expect, test } from 'vitest';
import { contract } from '../../support/engines.ts';
import { type Files, facts, failureOf, importFiles, reading } from '../../support/scratch-store.ts';

const h15 = (...rows: readonly string[]): Files => ({ 'h15.csv': `DATE,DGS1MO,DGS10\n${rows.join('\n')}\n` });
const site = (...rows: readonly string[]): Files => ({ 'par.csv': `Date,1 Mo,10 Yr\n${rows.join('\n')}\n` });

contract((engine) => {
  async function importAll(...steps: readonly Files[]): Promise<string> {
    const path = engine.newAddress();
    for (const files of steps) await importFiles(path, files);
    return path;
  }

  /** The curve of a day as `1M 4.1 source`. */
  function curveOf(path: string, date: string): Promise<readonly string[]> {
    return reading(path, async (store) => {
      const points = await store.rates.curve({ curveType: 'PAR', date, onOrBefore: false });
      return points.map(({ maturity, rate, source }) => `${maturity} ${rate} ${source}`);
    });
  }

  test('the summary of the rates counts the days of each maturity of each curve, and names their sources', async () => {
    const real = 'Date,"5 YR","10 YR"\n2024-01-02,1.7,1.74\n2024-01-03,1.66,1.73\n';
    const summaries = (path: string) => reading(path, (view) => view.rates.summaries());
    const path = await importAll({ 'gdp.csv': facts('GDP 2014-07-01 2014-12-23 17599.8') });
    expect(await summaries(path)).toEqual([]);
    await importFiles(path, h15('2024-01-02,4.1,3.9', '2024-01-03,.,3.8'));
    await importFiles(path, { ...site('2024-01-04,4.2,3.7'), 'real.csv': real });
    const texts = (await summaries(path)).map(
      ({ curveType, maturity, count, first, last, sources }) =>
        `${curveType} ${maturity} ${count} ${first} ${last} ${[...sources].sort().join('; ')}`,
    );
    expect(texts.sort()).toEqual([
      'PAR 10Y 3 2024-01-02 2024-01-04 Federal Reserve H.15; U.S. Treasury',
      'PAR 1M 2 2024-01-02 2024-01-04 Federal Reserve H.15; U.S. Treasury',
      'TIPS 10Y 2 2024-01-02 2024-01-03 U.S. Treasury',
      'TIPS 5Y 2 2024-01-02 2024-01-03 U.S. Treasury',
    ]);
  });

  describe('a curve has one rate for each type, trade date and maturity', () => {
    test('rates of different files stand side by side, in any order of import', async () => {
      const steps = [h15('2024-01-02,4.1,.'), site('2024-01-02,,3.9')];
      for (const order of [steps, [...steps].reverse()])
        expect(await curveOf(await importAll(...order), '2024-01-02')).toEqual([
          '1M 4.1 Federal Reserve H.15',
          '10Y 3.9 U.S. Treasury',
        ]);
    });

    test('an import with different rates fails and lists each of them, in both orders', async () => {
      const first = h15('2024-01-02,4.1,3.9', '2024-01-03,4.2,3.8');
      const second = site('2024-01-02,4.15,3.90', '2024-01-03,4.2,3.7', '2024-01-04,4.3,3.6');
      const path = await importAll(first);
      const before = await engine.digest(path);
      const failure = await failureOf(importFiles(path, second));
      expect(failure.split('\n').map((line) => line.replace(/^.*csv: /, ''))).toEqual([
        '2 conflicts; nothing was imported:',
        'PAR 2024-01-02 1M: 4.15 (U.S. Treasury), against 4.1 (Federal Reserve H.15)',
        'PAR 2024-01-03 10Y: 3.7 (U.S. Treasury), against 3.8 (Federal Reserve H.15)',
      ]);
      expect(await engine.digest(path)).toEqual(before);
      expect(await failureOf(importAll(second, first))).toMatch(/^2 conflicts; nothing was imported:/);
      expect(await failureOf(importAll({ ...first, ...second }))).toMatch(/^2 conflicts;/);

      await importFiles(path, second, { replace: true });
      expect(await curveOf(path, '2024-01-02')).toEqual(['1M 4.15 U.S. Treasury', '10Y 3.90 U.S. Treasury']);
      expect(await curveOf(path, '2024-01-03')).toEqual([
        '1M 4.2 Federal Reserve H.15',
        '10Y 3.7 U.S. Treasury',
      ]);
    });

    test('a fuller text changes the state of the store; a known rate does not', async () => {
      const revision = (path: string) => reading(path, async (view) => (await view.state()).revision);
      const path = await importAll(h15('2024-01-02,4.1,3.9'));
      const first = await revision(path);
      await importFiles(path, h15('2024-01-02,4.1,.'));
      expect(await revision(path)).toBe(first);
      await importFiles(path, h15('2024-01-02,4.10,.'));
      expect(await revision(path)).not.toBe(first);
    });
  });
});
