import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { checkStore } from '../../../src/maintenance/check.ts';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { removeSeries, renameSeries } from '../../../src/maintenance/series.ts';
import { undoableImports, undoStoreImport } from '../../../src/maintenance/undo.ts';
import { openWriter } from '../../../src/store/open.ts';
import { runs } from '../../support/arbitrary.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { onEveryEngine, sqlite } from '../../support/engines.ts';
import { root } from '../../support/repository.ts';
import { contentOf, facts, failureOf, importFiles, reading } from '../../support/scratch-store.ts';
import { documentOf, trade } from '../../support/sec-documents.ts';

const logOf = (address: string) =>
  reading(address, async (view) =>
    (await view.sources.imports()).map(({ file, statementsNew }) => [file, statementsNew]),
  );

onEveryEngine((engine) => {
  /** A store into which some imports were made. */
  async function storeOf(...imports: readonly string[][]): Promise<string> {
    const address = engine.newAddress();
    for (const [i, lines] of imports.entries()) await importFiles(address, { [`${i}.csv`]: facts(...lines) });
    return address;
  }

  describe('an import that is taken back', () => {
    it('is as if it had never been, for any imports and any of the last', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, fc.nat(), fc.boolean(), async (imports, count, replace) => {
          const [address, never] = [engine.newAddress(), engine.newAddress()];
          const kept = imports.slice(0, Math.max(1, imports.length - 1 - (count % 3)));
          for (const one of imports) await importMixed(address, one, { replace });
          for (const one of kept) await importMixed(never, one, { replace });
          for (let i = kept.length; i < imports.length; i += 1) await undoStoreImport(address);
          expect(await contentOf(address)).toEqual(await contentOf(never));
          expect((await logOf(address)).map(([, count]) => count)).toEqual(
            (await logOf(never)).map(([, count]) => count),
          );
          expect((await checkStore(address)).faults).toEqual([]);
        }),
        { numRuns: runs(8, engine) },
      );
    });

    it('may be any that no later one is about, and the later ones stay', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, fc.nat(), async (imports, which) => {
          const address = engine.newAddress();
          for (const one of imports) await importMixed(address, one);
          const undone = which % imports.length;
          const [at] = (await undoableImports(address)).slice(imports.length - 1 - undone);
          const before = await engine.digest(address);
          try {
            await undoStoreImport(address, { number: at?.number ?? 0 });
          } catch (error) {
            expect(error).toBeInstanceOf(Problem);
            expect((error as Problem).message).toMatch(
              /^later imports are about the same:\n {2}import \d+: /,
            );
            expect(await engine.digest(address)).toBe(before);
            return;
          }
          const never = engine.newAddress();
          for (const [i, one] of imports.entries()) if (i !== undone) await importMixed(never, one);
          if (imports.length > 1) expect(await contentOf(address)).toEqual(await contentOf(never));
          else
            expect(await contentOf(address)).toEqual({ series: [], others: [], symbols: [], followed: [] });
        }),
        { numRuns: runs(8, engine) },
      );
    });

    it('gives back the values, texts and titles that it replaced', async () => {
      const address = engine.newAddress();
      const title = (text: string) => `series_id,title\nGDP,${text}\n`;
      await importFiles(address, {
        'a.csv': facts('GDP 2014-10-01 2015-01-30 1.5'),
        'm.csv': title('Product'),
      });
      const before = await contentOf(address);
      await importFiles(
        address,
        { 'b.csv': facts('GDP 2014-10-01 2015-01-30 1.6'), 'm.csv': title('Gross Product') },
        { replace: true },
      );
      await undoStoreImport(address);
      expect(await contentOf(address)).toEqual(before);
      await importFiles(address, { 'c.csv': facts('GDP 2014-10-01 2015-01-30 1.500') });
      await undoStoreImport(address);
      expect(await contentOf(address)).toEqual(before);
    });

    it('is refused while later ones are about the same, which it names, and nothing changes', async () => {
      const address = await storeOf(
        ['GDP 2014-10-01 2015-01-30 1', 'CPI 2014-10-01 2015-01-30 1'],
        ['UNRATE 2014-10-01 2015-01-30 1'],
        // The same again: it would be missing if the first import had never been.
        ['CPI 2014-10-01 2015-01-30 1'],
      );
      const before = await engine.digest(address);
      const [last, , first] = await undoableImports(address);
      expect(await failureOf(undoStoreImport(address, { number: first?.number ?? 0 }))).toBe(
        `later imports are about the same:\n  import ${last?.number}: CPI`,
      );
      expect(await engine.digest(address)).toBe(before);
      await undoStoreImport(address, { number: last?.number ?? 0 });
      expect(await undoStoreImport(address, { number: first?.number ?? 0 })).toMatchObject({
        series: ['CPI', 'GDP'],
        rates: 0,
        filings: 0,
      });
      expect(await reading(address, (view) => view.contents.seriesIds())).toEqual(['UNRATE']);
    });

    it('of a dry run changes nothing', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1']);
      const before = await engine.digest(address);
      expect(await undoStoreImport(address, { dryRun: true })).toMatchObject({
        series: ['GDP'],
        dryRun: true,
      });
      expect(await engine.digest(address)).toBe(before);
    });

    it('that is stopped changes nothing', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1'], ['CPI 2014-10-01 2015-01-30 1']);
      const before = await engine.digest(address);
      const stop = new AbortController();
      const undone = undoStoreImport(address, { signal: stop.signal });
      stop.abort();
      await expect(undone).rejects.toMatchObject({ name: 'AbortError' });
      expect(await engine.digest(address)).toBe(before);
      expect(await undoStoreImport(address)).toMatchObject({ series: ['CPI'] });
    });

    it('says of each series, curve and filing what changes, and whether anything is left', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1', 'GDP 2014-07-01 2015-01-30 2']);
      await importFiles(
        address,
        {
          'b.csv': facts(
            'GDP 2014-10-01 2015-02-27 3',
            'GDP 2014-07-01 2015-01-30 9',
            'GDP 2014-04-01 2015-01-30 4',
            'CPI 2014-10-01 2015-01-30 1',
            'CPI 2015-01-01 2015-02-27 1',
          ),
          'par.csv': 'Date,"1 Mo","10 Yr"\n2015-01-02,0.02,2.12\n2015-01-05,0.02,2.04\n',
          '0000000001-26-000001.xml': documentOf({ tables: trade() }),
        },
        { filedOn: '2026-01-05', replace: true },
      );
      const other = { goes: false, vintages: 0, restored: 0 };
      expect((await undoStoreImport(address)).subjects).toEqual([
        { ...other, subject: 'PAR curve', removed: 4, first: '2015-01-02', last: '2015-01-05' },
        { ...other, subject: 'filings', removed: 1, first: null, last: null },
        {
          subject: 'CPI',
          goes: true,
          vintages: 2,
          removed: 2,
          restored: 0,
          first: '2014-10-01',
          last: '2015-01-01',
        },
        // A vintage, a statement more in the one before, and a value that was replaced.
        {
          subject: 'GDP',
          goes: false,
          vintages: 1,
          removed: 2,
          restored: 1,
          first: '2014-04-01',
          last: '2014-10-01',
        },
      ]);
      expect(await undoStoreImport(address)).toMatchObject({ empty: true, subjects: [{ subject: 'GDP' }] });
    });

    it('sets back what a pull had reached, so that the next pull asks again', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1']);
      const record = {
        source: 'fred',
        name: 'GDP',
        since: 'x',
        upTo: undefined,
        lastRun: undefined,
        left: '',
      };
      const entry = {
        importedAt: 'x',
        file: 'window',
        kind: 'fred-api',
        sha256: '0',
        series: 1,
        statementsNew: 1,
        statementsKnown: 0,
        withdrawn: 0,
      };
      for (const bookmark of ['first', 'second']) {
        const writer = await openWriter(address);
        await writer.recordImport(entry);
        await writer.follow({ ...record, bookmark });
        await writer.commit();
      }
      const bookmarks = () =>
        reading(address, async (view) => (await view.sources.followed()).map(({ bookmark }) => bookmark));
      await undoStoreImport(address);
      expect(await bookmarks()).toEqual(['first']);
      await undoStoreImport(address);
      expect(await bookmarks()).toEqual([]);
    });

    it('keeps the coverage that a pull without news added afterwards', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1'], ['GDP 2014-10-01 2015-02-27 2']);
      const writer = await openWriter(address);
      (await writer.series('GDP')).cover('2015-03-20');
      await writer.finish(['GDP']);
      await writer.commit();
      await undoStoreImport(address);
      expect(await reading(address, (view) => view.series.find('GDP'))).toMatchObject({
        coveredTo: '2015-03-20',
        lastVintage: '2015-01-30',
      });
    });

    it('follows its series to a new id, and leaves out one that was removed', async () => {
      const address = await storeOf(
        ['OTHER 2014-10-01 2015-01-30 1'],
        ['GDP 2014-10-01 2015-01-30 1', 'CPI 2014-10-01 2015-01-30 1'],
      );
      await renameSeries(address, 'GDP', 'PRODUCT');
      await removeSeries(address, 'CPI');
      expect(await undoStoreImport(address)).toMatchObject({ series: ['PRODUCT'] });
      expect(await reading(address, (view) => view.contents.seriesIds())).toEqual(['OTHER']);
    });
  });

  it('the number of an import that was taken back is not given to another one', async () => {
    const [gdp, cpi, m2] = ['GDP', 'CPI', 'M2'].map((id) => ({
      'a.csv': facts(`${id} 2014-10-01 2015-01-30 1`),
    }));
    const address = engine.newAddress();
    await importFiles(address, gdp ?? {});
    await importFiles(address, cpi ?? {});
    const newest = async () => (await undoableImports(address))[0]?.number ?? 0;
    const second = await newest();
    await undoStoreImport(address, { number: second });
    await importFiles(address, m2 ?? {});
    expect(await newest()).toBeGreaterThan(second);
    expect(await failureOf(undoStoreImport(address, { number: second }))).toBe(
      `the store has no import ${second} that can be taken back`,
    );
    const third = await newest();
    await undoStoreImport(address);
    await undoStoreImport(address);
    await importFiles(address, gdp ?? {});
    expect(await newest()).toBeGreaterThan(third);
    expect(await reading(address, (view) => view.contents.seriesIds())).toEqual(['GDP']);
    expect((await checkStore(address)).faults).toEqual([]);
  });

  describe('what cannot be taken back', () => {
    it('is said: an unknown import, a store without imports, the imports of a copy', async () => {
      const address = await storeOf(['GDP 2014-10-01 2015-01-30 1']);
      expect(await failureOf(undoStoreImport(address, { number: 99 }))).toBe(
        'the store has no import 99 that can be taken back',
      );
      const copy = engine.newAddress();
      await copyStore(address, copy);
      expect(await failureOf(undoStoreImport(copy))).toBe(
        'the store has no import that can be taken back: an older asof made them, or they were made before it was copied',
      );
      await importFiles(copy, { 'more.csv': facts('GDP 2014-10-01 2015-02-27 2') });
      await undoStoreImport(copy);
      expect(await contentOf(copy)).toEqual(await contentOf(address));
      await undoStoreImport(address);
      expect(await failureOf(undoStoreImport(address))).toBe('the store has no import to take back');
    });
  });
});

describe('a store of an older asof', () => {
  it('keeps its imports, and takes back those that are made from now on', async () => {
    const path = sqlite.newAddress();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, gunzipSync(readFileSync(join(root, 'test/data/stores/format-1-one-kind.db.gz'))));
    const before = await contentOf(path);
    expect(await failureOf(undoStoreImport(path))).toBe(
      'the store has no import that can be taken back: an older asof made them, or they were made before it was copied',
    );
    const ids = await reading(path, (view) => view.contents.seriesIds());
    await importFiles(
      path,
      { 'more.csv': facts(`${ids[0]} 2031-10-01 2025-02-27 2`, 'NEW 2014-10-01 2015-02-27 2') },
      { merge: true, projections: true },
    );
    await undoStoreImport(path);
    expect(await contentOf(path)).toEqual(before);
  });
});
