import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { removeSeries, renameSeries } from '../../../src/maintenance/series.ts';
import { writing } from '../../../src/store/open.ts';
import type { WholeView } from '../../../src/store/store.ts';
import { runs } from '../../support/arbitrary.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { contract } from '../../support/engines.ts';
import { facts, failureOf, importFiles, observationsIn, reading } from '../../support/scratch-store.ts';

/** Everything that a store keeps of a series, without its id. */
async function keptOf(view: WholeView, id: string): Promise<string> {
  const kept: unknown[] = [await view.contents.series(id), await view.series.descriptionChanges(id)];
  for await (const changes of view.contents.changes(id)) kept.push(...changes);
  return JSON.stringify(kept).replaceAll(`"${id}"`, '"the id"');
}

contract((engine) => {
  async function newStore(): Promise<string> {
    const address = engine.newAddress();
    await importFiles(address, {
      'facts.csv': facts(
        'GDP 2014-10-01 2015-01-30 1',
        'GDP 2014-10-01 2015-02-27 2',
        'CPI 2014-10-01 2015-01-30 3',
      ),
      'metadata.csv': 'series_id,title\nGDP,Product\n',
    });
    return address;
  }

  describe('a series that is renamed', () => {
    it('keeps everything under its new id, whatever was imported', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, async (imports) => {
          const address = engine.newAddress();
          for (const one of imports) await importMixed(address, one);
          const ids = await reading(address, (view) => view.contents.seriesIds());
          for (const id of ids) {
            const before = await reading(address, (view) => keptOf(view, id));
            await renameSeries(address, id, 'RENAMED');
            expect(await reading(address, (view) => keptOf(view, 'RENAMED'))).toBe(before);
            expect(await reading(address, (view) => view.contents.series(id))).toBeUndefined();
            await renameSeries(address, 'RENAMED', id);
          }
          expect((await checkStore(address)).faults).toEqual([]);
        }),
        { numRuns: runs(5, engine) },
      );
    });

    it('takes later imports under its new id', async () => {
      const address = await newStore();
      expect(await renameSeries(address, 'gdp', 'product')).toMatchObject({
        id: 'GDP',
        to: 'PRODUCT',
        facts: 2,
        vintages: 2,
      });
      await importFiles(address, { 'more.csv': facts('PRODUCT 2015-01-01 2015-04-30 4') });
      const values = await reading(address, (view) =>
        observationsIn(view, { seriesId: 'PRODUCT', limit: 9 }),
      );
      expect(values.map(({ value }) => value)).toEqual(['4', '2']);
    });

    it.each([
      ['GDP', 'CPI', 'the store has a series CPI already'],
      ['GDP', 'GDP', 'GDP is the id that the series has'],
      ['NONE', 'OTHER', "series 'NONE' not found"],
      ['GDP', 'DGS10', 'DGS10 is the id of a maturity of the curves, and no series can take it'],
      ['GDP', '=', '"=" is not a series id'],
    ])('is refused from %s to %s: %s, …', async (from, to, text) => {
      const address = await newStore();
      const before = await engine.digest(address);
      expect(await failureOf(renameSeries(address, from, to))).toContain(text);
      expect(await engine.digest(address)).toBe(before);
    });
  });

  describe('a series that is removed', () => {
    it('is gone with its vintages, and the others are as they were', async () => {
      const address = await newStore();
      const other = await reading(address, (view) => keptOf(view, 'CPI'));
      expect(await removeSeries(address, 'GDP', { dryRun: true })).toMatchObject({ facts: 2, vintages: 2 });
      expect(await reading(address, (view) => view.contents.seriesIds())).toEqual(['CPI', 'GDP']);
      await removeSeries(address, 'GDP');
      await reading(address, async (view) => {
        expect(await view.contents.seriesIds()).toEqual(['CPI']);
        expect(await keptOf(view, 'CPI')).toBe(other);
        expect(await view.series.descriptionChanges('GDP')).toEqual([]);
      });
      expect((await checkStore(address)).faults).toEqual([]);
      await importFiles(address, { 'again.csv': facts('GDP 2014-10-01 2015-02-27 5') });
      expect(await reading(address, (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }))).toEqual([
        { date: '2014-10-01', value: '5', asOfDate: '2015-02-27' },
      ]);
    });

    it.each([
      ['eurostat', 'EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA', 'ESTAT:EI_NA_Q_VTG.Q.SCA.CLV05_MEUR.EA'],
      ['oecd', 'EA20+DEU.Q.B1GQ_Q.XDC._T', 'OECD:STES_REV.DEU.Q.B1GQ_Q.XDC._T'],
      ['ecb', 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E', 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E'],
      ['rtdsm', 'RGMvQd', 'RG'],
    ])('is refused while the store follows it at %s as %s', async (source, name, id) => {
      const address = engine.newAddress();
      await importFiles(address, { 'a.csv': facts(`${id} 2014-10-01 2015-01-30 1`) });
      await writing(address, async (writer) => {
        const nothing = { upTo: undefined, lastRun: undefined, left: '' };
        await writer.follow({ source, name, since: 'x', bookmark: 'y', ...nothing });
        await writer.commit();
      });
      const refused = `the store follows ${name} at ${source}`;
      expect(await failureOf(removeSeries(address, id))).toContain(refused);
      expect(await failureOf(renameSeries(address, id, 'NEW'))).toContain(refused);
      await importFiles(address, { 'b.csv': facts('OTHER 2014-10-01 2015-01-30 1') });
      expect(await failureOf(renameSeries(address, 'OTHER', id))).toContain(refused);
    });

    it('is refused while the store follows it, as renaming it is', async () => {
      const address = await newStore();
      const follow = (name: string) =>
        writing(address, async (writer) => {
          const nothing = { upTo: undefined, lastRun: undefined, left: '' };
          await writer.follow({ source: 'fred', name, since: 'x', bookmark: 'y', ...nothing });
          await writer.commit();
        });
      await follow('GDP');
      expect(await failureOf(removeSeries(address, 'GDP'))).toContain('the store follows GDP at fred');
      expect(await failureOf(renameSeries(address, 'GDP', 'NEW'))).toContain('the store follows GDP at fred');
      await follow('UNRATE');
      expect(await failureOf(renameSeries(address, 'CPI', 'UNRATE'))).toContain(
        'the store follows UNRATE at fred',
      );
      expect(await failureOf(removeSeries(address, 'NONE'))).toBe("series 'NONE' not found");
    });
  });
});
