import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { mergeStore } from '../../../src/maintenance/merge.ts';
import { undoStoreImport } from '../../../src/maintenance/undo.ts';
import { writing } from '../../../src/store/open.ts';
import { runs } from '../../support/arbitrary.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { contract, type Engine, engines } from '../../support/engines.ts';
import { contentOf, facts, failureOf, importFiles, reading } from '../../support/scratch-store.ts';

const clock = () => new Date('2026-01-15T12:00:00Z');

const gdp = 'GDP 2014-10-01 2015-01-30';

async function storeOf(engine: Engine, files: Readonly<Record<string, string>>): Promise<string> {
  const address = engine.newAddress();
  await importFiles(address, files);
  return address;
}

const other = engines[0] as Engine;

contract((engine) => {
  describe('a store that another was merged into', () => {
    it('holds what a store holds into which all was imported, whatever the two held', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, fc.nat(), async (imports, cut) => {
          const [into, from, all] = [engine.newAddress(), other.newAddress(), engine.newAddress()];
          const half = 1 + (cut % imports.length);
          for (const one of imports.slice(0, half)) await importMixed(into, one);
          for (const one of [...imports.slice(half), ...imports.slice(0, 1)]) await importMixed(from, one);
          for (const one of imports) await importMixed(all, one);
          await mergeStore(from, into, { merge: true, clock });
          expect(await contentOf(into)).toEqual(await contentOf(all));
          expect((await checkStore(into)).faults).toEqual([]);
        }),
        { numRuns: runs(10, engine) },
      );
    });

    it('keeps its own series with skipKnown, and gets those that it lacks', async () => {
      const into = await storeOf(engine, { 'a.csv': facts(`${gdp} 1.5`) });
      const from = await storeOf(other, { 'b.csv': facts(`${gdp} 2`, 'CPI 2014-10-01 2015-01-30 2') });
      await expect(mergeStore(from, into, { clock })).rejects.toThrow('1 conflict');
      await mergeStore(from, into, { skipKnown: true, clock });
      const all = facts(`${gdp} 1.5`, 'CPI 2014-10-01 2015-01-30 2');
      expect(await contentOf(into)).toEqual(await contentOf(await storeOf(engine, { 'all.csv': all })));
    });

    it('has the merge in its log, and goes on with what only the other followed', async () => {
      const into = await storeOf(engine, { 'a.csv': facts(`${gdp} 1.5`) });
      const from = await storeOf(other, { 'b.csv': facts(`${gdp} 1.50`, 'CPI 2014-10-01 2015-01-30 2') });
      await writing(from, async (writer) => {
        const nothing = { upTo: undefined, lastRun: undefined, left: '' };
        await writer.follow({ source: 'fred', name: 'CPI', since: 'x', bookmark: '', ...nothing });
        await writer.commit();
      });
      const { files } = await mergeStore(from, into, { clock });
      expect(files).toEqual([
        expect.objectContaining({ file: from, kind: 'store', statementsNew: 1, statementsKnown: 1 }),
      ]);
      await reading(into, async (view) => {
        expect((await view.sources.imports()).at(-1)).toMatchObject({
          kind: 'store',
          file: from,
          statementsNew: 1,
        });
        expect((await view.sources.followed()).map(({ name }) => name)).toEqual(['CPI']);
      });
    });

    it('gets the earlier titles of its series as a change, and loses them when the merge is undone', async () => {
      const titled = (title: string) => ({
        'm.csv': `series_id,title\nGDP,${title}\n`,
        'a.csv': facts(`${gdp} 1`),
      });
      const from = await storeOf(other, titled('Product'));
      await importFiles(from, titled('Gross Product'), { replace: true });
      const into = await storeOf(engine, titled('Gross Product'));
      const before = await contentOf(into);
      const revision = () => reading(into, async (view) => (await view.state()).revision);
      const titles = () =>
        reading(into, async (view) => (await view.series.descriptionChanges('GDP')).map((one) => one.before));
      const first = await revision();
      await mergeStore(from, into, { clock });
      expect(await titles()).toEqual(['Product']);
      const second = await revision();
      expect(second).toBeGreaterThan(first);
      await mergeStore(from, into, { clock });
      expect(await revision()).toBe(second);
      for (let i = 0; i < 2; i += 1) await undoStoreImport(into);
      expect(await contentOf(into)).toEqual(before);
    });

    it('stays as it was where the two contradict each other, and every conflict is listed', async () => {
      const into = await storeOf(engine, {
        'a.csv': facts(`${gdp} 1.5`, 'CPI 2014-10-01 2015-01-30 2'),
        'm.csv': 'series_id,title\nGDP,Product\n',
      });
      const from = await storeOf(other, {
        'b.csv': facts(`${gdp} 1.6`, 'CPI 2014-10-01 2015-01-30 3'),
        'm.csv': 'series_id,title\nGDP,Domestic Product\n',
      });
      const before = await engine.digest(into);
      const text = await failureOf(mergeStore(from, into, { clock }));
      expect(text).toContain('3 conflicts');
      expect(text).toContain(`${from}: GDP 2014-10-01 as of 2015-01-30: 1.6, against 1.5`);
      expect(text).toContain(`${from}: CPI 2014-10-01 as of 2015-01-30: 3, against 2`);
      expect(text).toContain(`${from}: GDP title: "Domestic Product", against "Product"`);
      expect(await engine.digest(into)).toBe(before);
      const dry = await mergeStore(from, into, { clock, replace: true, dryRun: true });
      expect([await engine.digest(into), dry.imports]).toEqual([before, []]);
      const { imports } = await mergeStore(from, into, { clock, replace: true });
      const log = await reading(into, (view) => view.sources.imports());
      expect(imports).toEqual([log.at(-1)?.number]);
      expect(await reading(into, async (view) => (await view.series.find('GDP'))?.title)).toBe(
        'Domestic Product',
      );
    });

    it('names both sources of a series whose descriptions name one each, with merge', async () => {
      const of = (source: string) => ({
        'a.csv': `series_id,date,as_of_date,value,source\nGDP,2014-10-01,2015-02-27,2,${source}\n`,
      });
      const into = await storeOf(engine, of('FRED'));
      const from = await storeOf(other, of('BEA'));
      await expect(mergeStore(from, into, { clock })).rejects.toThrow(
        'GDP is from "FRED"; this import brings it from "BEA"',
      );
      await mergeStore(from, into, { clock, merge: true });
      expect(await reading(into, async (view) => (await view.series.find('GDP'))?.source)).toBe('BEA; FRED');
    });

    it('takes a series from another source only with merge', async () => {
      const csv = (value: string) => `observation_date,GDP\n2014-10-01,${value}\n`;
      const into = engine.newAddress();
      await importFiles(into, { 'GDP.csv': csv('1') }, { asOf: '2015-01-30' });
      const from = await storeOf(other, {
        'a.csv': facts('GDP 2014-10-01 2015-02-27 2'),
        'm.csv': 'series_id,source\nGDP,BEA\n',
      });
      await expect(mergeStore(from, into, { clock })).rejects.toMatchObject({
        detail: expect.stringContaining('GDP is from "FRED"; this import brings it from "BEA"'),
        // `asof store merge` has no flag --id.
        hints: [
          '--skip-known leaves out the series that the store has; `asof series rename OLD NEW` in one of the stores keeps both',
          '--merge accepts both sources in one series',
        ],
      });
      await mergeStore(from, into, { clock, merge: true });
      expect(await reading(into, async (view) => (await view.series.find('GDP'))?.source)).toBe('BEA; FRED');
    });
  });
});
