import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { digestOfStore } from '../../../src/maintenance/digest.ts';
import { storeInfo } from '../../../src/maintenance/info.ts';
import { removeSeries } from '../../../src/maintenance/series.ts';
import { writing } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { runs } from '../../support/arbitrary.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { contract, type Engine, sqlite } from '../../support/engines.ts';
import { facts, importFiles, reading } from '../../support/scratch-store.ts';

const digestIn = (address: string) => reading(address, (view) => digestOfStore(view));

const followed = {
  source: 'fred',
  name: 'GDP',
  since: '2025-01-20T18:00:00.000Z',
  bookmark: '{"vintage":"2024-12-19"}',
  upTo: '2025-01-20',
  lastRun: undefined,
  left: 'everything',
};
const change = { seriesId: 'S1', changedOn: '2025-01-20', field: 'title', before: 'a', after: 'One' };

/** A store of some series, with a rate, something that it follows and a changed title. */
async function newStore(engine: Engine, series = 3): Promise<string> {
  const address = engine.newAddress();
  const lines = Array.from({ length: series }, (_, i) => [
    `S${i} 2014-10-01 2015-01-30 1.50`,
    `S${i} 2014-10-01 2015-02-27 2`,
    `S${i} 2015-01-01 2015-02-27 3.${i}`,
  ]);
  await importFiles(address, {
    'facts.csv': facts(...lines.flat()),
    'metadata.csv': 'series_id,title\nS1,One\nONLY,Described\n',
    'par.csv': 'Date,"1 Mo","10 Yr"\n2015-01-02,0.02,2.12\n2015-01-05,0.02,2.04\n',
  });
  await writing(address, async (writer) => {
    await writer.follow(followed);
    await writer.recordChange(change);
    await writer.commit();
  });
  return address;
}

/** Expects that a copy holds the same as its store, and has no fault. */
async function expectCopy(address: string, copy: string, digest: string): Promise<void> {
  expect(await digestIn(copy)).toBe(digest);
  expect(await digestIn(address)).toBe(digest);
  expect((await checkStore(copy)).faults).toEqual([]);
}

contract((engine) => {
  describe('a copy of a store', () => {
    it('holds the same as the store, whatever was imported, and has no fault', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, async (imports) => {
          const [address, copy] = [engine.newAddress(), engine.newAddress()];
          for (const one of imports) await importMixed(address, one);
          const { digest } = await copyStore(address, copy);
          await expectCopy(address, copy, digest);
        }),
        { numRuns: runs(6, engine) },
      );
    });

    it('takes the log, what is followed and changed descriptions with it', async () => {
      const [address, copy] = [await newStore(engine), engine.newAddress()];
      // An import of three files.
      const counts = { series: 4, facts: 9, rates: 4, imports: 3, followed: 1 };
      expect(await copyStore(address, copy)).toMatchObject(counts);
      const all = (store: string) =>
        reading(store, async (view) => [
          // What an import changed is known where it was made.
          (await view.sources.imports()).map((entry) => ({ ...entry, number: null })),
          await view.sources.followed(),
          await view.series.descriptionChanges('S1'),
        ]);
      expect(await all(copy)).toEqual(await all(address));
      for (const store of [address, copy]) {
        expect(await storeInfo(store)).toMatchObject({ imports: 1 });
        expect(await reading(store, (view) => view.sources.imports())).toHaveLength(3);
      }
    });

    it('that is stopped leaves nothing', async () => {
      const [address, copy] = [await newStore(engine), engine.newAddress()];
      const onProgress = ({ stage }: { stage: string }) => {
        if (stage === 'compare') throw new Error('stopped');
      };
      await expect(copyStore(address, copy, { onProgress })).rejects.toThrow('stopped');
      expect(await engine.digest(copy)).toBeUndefined();
      const { digest } = await copyStore(address, copy);
      await expectCopy(address, copy, digest);
    });

    it('is refused where a store is already, and writes nothing in a dry run', async () => {
      const [address, other] = [await newStore(engine), await newStore(engine)];
      const before = await engine.digest(other);
      for (const dryRun of [false, true])
        await expect(copyStore(address, other, { dryRun })).rejects.toThrow(/exists already/);
      expect(await engine.digest(other)).toBe(before);
      const copy = engine.newAddress();
      const counts = { dryRun: true, series: 4, facts: 9 };
      expect(await copyStore(address, copy, { dryRun: true })).toMatchObject(counts);
      expect(await engine.digest(copy)).toBeUndefined();
    });
  });

  it('a copy by pages stops when it is told to, and leaves nothing', async () => {
    const [address, copy] = [await newStore(sqlite), sqlite.newAddress()];
    const stop = new AbortController();
    const onProgress = ({ stage }: { stage: string }) => {
      if (stage === 'copy') stop.abort();
    };
    await expect(copyStore(address, copy, { onProgress, signal: stop.signal })).rejects.toThrow(/abort/i);
    expect(readdirSync(dirname(copy)).filter((name) => name.startsWith(basename(copy)))).toEqual([]);
  });

  it('a copy has another state than the store, also after changes that are in no log', async () => {
    const address = await newStore(sqlite);
    const copies = [sqlite.newAddress(), sqlite.newAddress()];
    const names: string[] = [];
    const note = async (store: string) =>
      names.push(await reading(store, async (view) => (await view.state()).name));
    for (const copy of copies) {
      await copyStore(address, copy);
      await note(copy);
      await removeSeries(address, `S${copies.indexOf(copy)}`);
      await note(address);
    }
    expect(new Set(names).size).toBe(4);
  });

  it('a copy makes the index of words anew where that of the store is wrong', async () => {
    const [address, copy] = [await newStore(sqlite), sqlite.newAddress()];
    const db = openDatabase(address);
    db.exec("delete from word where word = 's1'");
    db.close();
    expect((await checkStore(address)).faults).toHaveLength(1);
    const { digest } = await copyStore(address, copy);
    await expectCopy(address, copy, digest);
  });

  it('a store is not copied into itself', async () => {
    const address = await newStore(engine);
    await expect(copyStore(address, address)).rejects.toThrow(/is the store itself/);
  });
});
