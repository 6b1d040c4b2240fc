import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSeries, type SearchMatch } from '../../../src/domain/search/search.ts';
import type { SearchedSeries } from '../../../src/domain/search/words.ts';
import { checkStore } from '../../../src/maintenance/check.ts';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { removeSeries, renameSeries } from '../../../src/maintenance/series.ts';
import { undoStoreImport } from '../../../src/maintenance/undo.ts';
import { seriesSearch } from '../../../src/operations/series/series.ts';
import { createService, owner, type Service } from '../../../src/service/service.ts';
import { runs } from '../../support/arbitrary.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { everyPage } from '../../support/http-service.ts';
import { importFiles, withStore } from '../../support/scratch-store.ts';

const ids = 'GDP GDPC1 UNRATE PAYEMS CPIAUCSL DFF FEDFUNDS DGS10 URNX T10Y2Y HOUST5F TX1 A'
  .concat(' ECB:RTD.Q.S0.S.G_GDPM_TO_C.E OECD:STES_REV.CHE.Q.B1GQ_Q.XDC._T')
  .split(' ');
const words =
  'Unemployment Rate Rates in Texas Gross Domestic Product Real Consumer Price Index for All Federal'
    .concat(' Funds 10 1 Year Market Yield Employees Total Nonfarm House S&P 500 a É U.S. Germany Mexico')
    .concat(' Net Exports Netherlands')
    .split(' ');
const titles = fc.array(fc.constantFrom(...words), { maxLength: 5 }).map((all) => all.join(' '));
const catalogue = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...ids),
    title: fc.oneof({ weight: 4, arbitrary: titles }, fc.constant('')),
    units: fc.constantFrom('Percent', 'Billions of Dollars', ''),
    hasFacts: fc.constantFrom(true, true, true, false),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 9 },
);
type Catalogue = typeof catalogue extends fc.Arbitrary<infer T> ? T : never;

const synonyms =
  'jobs inflation core cpi fed funds 10y ten year gdp growth unemployment unemploymnt housing treasury'
    .concat(' yields euro area eurozone switzerland swiss us u.s. america german prices labor market')
    .concat(' trade balance poland south korea')
    .split(' ');
/** A word with a letter less, a letter more or two letters exchanged. */
const typo = fc
  .tuple(fc.constantFrom(...words, ...synonyms, ...ids), fc.nat(9), fc.constantFrom('less', 'more', 'swap'))
  .map(([word, place, change]) => {
    const at = place % word.length;
    const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
    if (change === 'less') return before + after;
    if (change === 'more') return `${before}x${letter}${after}`;
    return before + after.slice(0, 1) + letter + after.slice(1);
  });
const start = fc
  .tuple(fc.constantFrom(...words, ...ids), fc.integer({ min: 1, max: 6 }))
  .map(([word, length]) => word.slice(0, length));
const texts = fc
  .array(fc.oneof(typo, start, fc.constantFrom(...synonyms), fc.constantFrom('zzqq', '&', 'the')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(' '));
const matches = fc.constantFrom<SearchMatch>('words', 'words', 'words', 'title', 'any');

async function fill(address: string, all: Catalogue, curves: boolean): Promise<void> {
  const lines = all.map(({ id, title, units }) => `${id},${title},${units}`);
  const facts = all.flatMap(({ id, hasFacts }) => (hasFacts ? [`${id},2020-01-02,2020-02-01,1`] : []));
  await importFiles(address, { 'm.csv': ['series_id,title,units', ...lines, ''].join('\n') });
  if (facts.length > 0)
    await importFiles(address, { 'f.csv': ['series_id,date,as_of_date,value', ...facts, ''].join('\n') });
  if (curves) await importFiles(address, { 'c.csv': 'Date,"2 Yr","10 Yr"\n2015-01-02,0.66,2.12\n' });
}

async function search(service: Service, q: string, match: string, limit: number) {
  const texts = Object.entries({ q, match, limit: String(limit) });
  const pages = await everyPage((cursor) => service.answer(seriesSearch, [...texts, ...cursor], owner));
  return pages.flatMap(({ results }) => results);
}

/** Searches with the index, and in the whole list of series. */
async function expectSame(address: string, asked: readonly (readonly [string, SearchMatch, number])[]) {
  await withStore(address, async (store) => {
    const service = createService({ store, clock: () => new Date('2026-01-01') });
    const all = (await search(service, '', 'id', 1000)) as unknown as readonly SearchedSeries[];
    for (const [q, match, limit] of asked) {
      const rows = await search(service, q, match, limit);
      const listed = await findSeries(all, q, match);
      expect(
        rows.map(({ id, matched }) => `${id} ${matched}`),
        `${match} ${q}`,
      ).toEqual(listed.map(({ series, matched }) => `${series.id} ${matched}`));
    }
  });
}

describe('a search by the index of words', () => {
  onEveryEngine((engine) => {
    it('finds what a search in the list of all series finds, in the same order', async () => {
      const questions = fc.array(fc.tuple(texts, matches, fc.constantFrom(1, 3, 1000)), {
        minLength: 20,
        maxLength: 20,
      });
      await fc.assert(
        fc.asyncProperty(catalogue, fc.boolean(), questions, async (all, curves, asked) => {
          const address = engine.newAddress();
          await fill(address, all, curves);
          await expectSame(address, asked);
        }),
        { numRuns: runs(10, engine) },
      );
    });

    it('finds words with letters that a database sorts in another order than JavaScript', async () => {
      const address = engine.newAddress();
      const of = (id: string, title: string) => ({ id, title, hasFacts: true, units: '' as const });
      await fill(address, [of('A', '\u{1d4d0}rea one'), of('B', '\uff45uro two'), of('C', 'Euro')], false);
      const asked = ['\u{1d4d0}re \uff45ur', '\uff45ur \u{1d4d0}re', '\u{1d4d0}re eu'];
      await expectSame(
        address,
        asked.map((q) => [q, 'words', 1000] as const),
      );
    });

    it('follows titles that change, series that are renamed, removed or copied, and imports that are taken back', async () => {
      const address = engine.newAddress();
      const asked = ['texas', 'unemployment', 'texs', 'price', 'new', 'old'].map(
        (q) => [q, 'words', 1000] as const,
      );
      const found = (q: string, of = address) =>
        withStore(of, async (store) => {
          const rows = await search(createService({ store }), q, 'words', 10);
          return rows.map(({ id, matched }) => `${id} ${matched}`);
        });
      const of = (id: string, title: string) => ({ id, title, hasFacts: true, units: 'Percent' as const });
      await fill(address, [of('OLD', 'Unemployment in Texas'), of('CPI', 'Consumer Price Index')], false);
      expect(await found('texas')).toEqual(['OLD title']);
      const retitled = 'series_id,title\nCPI,Prices in Texas\n';
      await importFiles(address, { 'again.csv': retitled }, { replace: true });
      expect(await found('texas')).toEqual(['CPI title', 'OLD title']);
      await undoStoreImport(address);
      expect(await found('texas')).toEqual(['OLD title']);
      await renameSeries(address, 'OLD', 'NEW');
      expect(await found('new')).toEqual(['NEW id']);
      const copy = engine.newAddress();
      await copyStore(address, copy);
      expect(await found('texas', copy)).toEqual(['NEW title']);
      for (const store of [address, copy]) {
        await expectSame(store, asked);
        expect((await checkStore(store)).faults).toEqual([]);
      }
      await removeSeries(address, 'NEW');
      await expectSame(address, asked);
      expect((await checkStore(address)).faults).toEqual([]);
    });
  });
});
