import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { digestOfStore } from '../../../src/maintenance/digest.ts';
import { openDraft, writing } from '../../../src/store/open.ts';
import type { StoreView } from '../../../src/store/store.ts';
import type { StoreDraft } from '../../../src/store/writer.ts';
import { runs } from '../../support/arbitrary.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { contract, type Engine } from '../../support/engines.ts';
import { facts, failureOf, importFiles, reading } from '../../support/scratch-store.ts';

const digestIn = (address: string) => reading(address, (view) => digestOfStore(view));
const more = { 'more.csv': facts('S7 2015-04-01 2015-07-30 9', 'NEW 2015-04-01 2015-07-30 9') };

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

/** Begins a copy, and stops it after some series, as a process that is killed does. */
async function beginCopy(address: string, copy: string, series = 1): Promise<void> {
  const controller = new AbortController();
  const onProgress = ({ stage, done }: { stage: string; done: number }) => {
    if (stage === 'copy' && done >= series) controller.abort(new Error('stopped'));
  };
  const begun = copyStore(address, copy, { signal: controller.signal, onProgress, rowsAtOnce: 1000 });
  await expect(begun).rejects.toThrow('stopped');
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
    });

    it('goes on where a stopped one left off, also after the store has changed', async () => {
      const [address, copy] = [await newStore(engine, 30), engine.newAddress()];
      await beginCopy(address, copy, 25);
      expect(await failureOf(reading(copy, (view) => view.contents.seriesIds()))).toMatch(
        /no such file|unfinished copy/,
      );
      await importFiles(address, more);
      const { already, digest } = await copyStore(address, copy);
      expect(already).toBeGreaterThan(5);
      expect(already).toBeLessThan(25);
      await expectCopy(address, copy, digest);
    });

    it('is that of the store that is named, where a stopped copy was of another one', async () => {
      const [other, address, copy] = [await newStore(engine, 30), engine.newAddress(), engine.newAddress()];
      await importFiles(address, {
        'facts.csv': facts('S1 2014-10-01 2015-01-30 7'),
        'real.csv': 'Date,5Yr\n2015-01-02,0.12\n2015-01-05,0.10\n',
      });
      // Its curves, and what it follows, are written last.
      const onProgress = ({ stage }: { stage: string }) => {
        if (stage === 'compare') throw new Error('stopped');
      };
      await expect(copyStore(other, copy, { onProgress })).rejects.toThrow('stopped');
      const copied = await copyStore(address, copy);
      expect(copied).toMatchObject({ series: 1, rates: 2, followed: 0 });
      await expectCopy(address, copy, copied.digest);
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

  describe('a copy in the making', () => {
    const isFile = engine.name === 'SQLite';

    it('answers nothing and takes no import, by whichever name; a dry run counts as if it were not there', async () => {
      const [address, copy] = [await newStore(engine), engine.newAddress()];
      await beginCopy(address, copy);
      expect(await copyStore(address, copy, { dryRun: true })).toMatchObject({ series: 4, facts: 9 });
      if (isFile) expect(existsSync(copy)).toBe(false);
      const named = isFile ? `${copy}.unfinished` : copy;
      const message = isFile
        ? /is what a stopped copy to .*asof\.db has written/
        : /is an unfinished copy of/;
      for (const work of [
        () => reading(named, (view) => view.contents.seriesIds()),
        () => checkStore(named),
        () => importFiles(named, more),
      ])
        expect(await failureOf(work())).toMatch(message);
      expect((await copyStore(address, copy)).series).toBe(4);
    });

    it('is published as it was read again, also where a second process copies to the same address', async () => {
      const copy = engine.newAddress();
      const write = (draft: StoreDraft, rate: string) =>
        draft.write(async (writer) => {
          const point = { curveType: 'PAR', tradeDate: '2015-01-02', maturity: '1M', source: 'x' } as const;
          await writer.mergePoints([{ ...point, rate }], { replace: true });
        });
      const ratesIn = (view: StoreView) => view.rates.yields({ curveType: 'PAR', limit: 9 });
      const first = await openDraft(copy, 'mine.db');
      await write(first, '0.02');
      await first.read(ratesIn);
      if (isFile) {
        await expect(openDraft(copy, 'other.db')).rejects.toThrow(/another process writes .*unfinished/);
        await first.publish();
      } else {
        const second = await openDraft(copy, 'mine.db');
        await write(second, '0.03');
        await expect(first.publish()).rejects.toThrow(/another process copies to/);
        await second.read(ratesIn);
        await second.publish();
      }
      await first.close();
      expect(await reading(copy, ratesIn)).toMatchObject([{ rate: isFile ? '0.02' : '0.03' }]);
    });
  });

  it('a store is not copied into itself', async () => {
    const address = await newStore(engine);
    await expect(copyStore(address, address)).rejects.toThrow(/is the store itself/);
  });
});
