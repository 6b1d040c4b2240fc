import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../../src/maintenance/check.ts';
import { copyStore } from '../../../src/maintenance/copy.ts';
import { digestOfStore } from '../../../src/maintenance/digest.ts';
import { openDraft, openWriter } from '../../../src/store/open.ts';
import type { StoreView } from '../../../src/store/store.ts';
import type { StoreDraft } from '../../../src/store/writer.ts';
import { runs } from '../../support/arbitrary.ts';
import { importMixed, mixedImports } from '../../support/encodings.ts';
import { type Engine, engines, onEveryEngine, sqlite } from '../../support/engines.ts';
import { digestOf, facts, failureOf, importFiles, reading, withStore } from '../../support/scratch-store.ts';

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
  const writer = await openWriter(address);
  await writer.follow(followed);
  await writer.recordChange({
    seriesId: 'S1',
    changedOn: '2025-01-20',
    field: 'title',
    before: 'a',
    after: 'One',
  });
  await writer.commit();
  return address;
}

/** A store that stops giving series after some of them, as a process that is killed does. */
const stopAfter = (count: number) => {
  const controller = new AbortController();
  const onProgress = ({ stage, done }: { stage: string; done: number }) => {
    if (stage === 'copy' && done >= count) controller.abort(new Error('stopped'));
  };
  return { signal: controller.signal, onProgress, rowsAtOnce: 1000 };
};

onEveryEngine((from) => {
  describe.each(engines)('a copy into $name', (to) => {
    it('holds the same as the store, whatever was imported, and has no fault', async () => {
      await fc.assert(
        fc.asyncProperty(mixedImports, async (imports) => {
          const address = from.newAddress();
          for (const one of imports) await importMixed(address, one);
          const copy = to.newAddress();
          const { digest } = await copyStore(address, copy);
          expect(await digestIn(copy)).toBe(digest);
          expect(await digestIn(address)).toBe(digest);
          for (const store of [address, copy]) expect((await checkStore(store)).faults).toEqual([]);
        }),
        { numRuns: runs(8, from) },
      );
    });

    it('takes the log, what is followed and changed descriptions with it', async () => {
      const address = await newStore(from);
      const copy = to.newAddress();
      expect(await copyStore(address, copy)).toMatchObject({
        series: 4,
        facts: 9,
        rates: 4,
        imports: 3,
        followed: 1,
      });
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
      const address = await newStore(from, 30);
      const copy = to.newAddress();
      await expect(copyStore(address, copy, stopAfter(25))).rejects.toThrow('stopped');
      expect(await failureOf(reading(copy, (view) => view.contents.seriesIds()))).toMatch(
        /no such file|unfinished copy/,
      );
      await importFiles(address, {
        'more.csv': facts('S7 2015-04-01 2015-07-30 9', 'NEW 2015-04-01 2015-07-30 9'),
      });
      const { already, digest } = await copyStore(address, copy);
      expect(already).toBeGreaterThan(5);
      expect(already).toBeLessThan(25);
      expect(await digestIn(copy)).toBe(digest);
      expect(await digestIn(address)).toBe(digest);
    });

    it('is that of the store that is named, where a stopped copy was of another one', async () => {
      const [other, address] = [await newStore(from, 30), from.newAddress()];
      await importFiles(address, {
        'facts.csv': facts('S1 2014-10-01 2015-01-30 7'),
        'real.csv': 'Date,5Yr\n2015-01-02,0.12\n2015-01-05,0.10\n',
      });
      const copy = to.newAddress();
      // Its curves, and what it follows, are written last.
      const stopped = copyStore(other, copy, {
        ...stopAfter(0),
        onProgress: ({ stage }) => {
          if (stage === 'compare') throw new Error('stopped');
        },
      });
      await expect(stopped).rejects.toThrow('stopped');
      const { digest, series, rates, followed } = await copyStore(address, copy);
      expect([series, rates, followed]).toEqual([1, 2, 0]);
      expect(await digestIn(copy)).toBe(digest);
      expect(await digestIn(address)).toBe(digest);
      expect((await checkStore(copy)).faults).toEqual([]);
    });

    it('is refused where a store is already, and writes nothing in a dry run', async () => {
      const [address, other] = [await newStore(from), await newStore(to)];
      const before = await to.digest(other);
      await expect(copyStore(address, other)).rejects.toThrow(/exists already/);
      await expect(copyStore(address, other, { dryRun: true })).rejects.toThrow(/exists already/);
      expect(await to.digest(other)).toBe(before);
      const copy = to.newAddress();
      expect(await copyStore(address, copy, { dryRun: true })).toMatchObject({
        dryRun: true,
        series: 4,
        facts: 9,
      });
      expect(await to.digest(copy)).toBeUndefined();
    });
  });

  describe('a copy in the making', () => {
    it('takes no import', async () => {
      const address = await newStore(from);
      const copy = from.newAddress();
      await expect(copyStore(address, copy, stopAfter(1))).rejects.toThrow('stopped');
      if (from.name === 'PostgreSQL')
        await expect(importFiles(copy, { 'more.csv': facts('S7 2015-04-01 2015-07-30 9') })).rejects.toThrow(
          /is an unfinished copy of/,
        );
      else expect(existsSync(copy)).toBe(false);
    });

    it('answers nothing, by whichever name', async () => {
      const address = await newStore(from);
      const copy = from.newAddress();
      await expect(copyStore(address, copy, stopAfter(1))).rejects.toThrow('stopped');
      const named = from.name === 'PostgreSQL' ? copy : `${copy}.unfinished`;
      const message =
        from.name === 'PostgreSQL'
          ? /is an unfinished copy of/
          : /is what a stopped copy to .*asof\.db has written/;
      expect(await failureOf(reading(named, (view) => view.contents.seriesIds()))).toMatch(message);
      expect(await failureOf(checkStore(named))).toMatch(message);
      await expect(importFiles(named, { 'a.csv': facts('S7 2015-04-01 2015-07-30 9') })).rejects.toThrow(
        message,
      );
      expect((await copyStore(address, copy)).series).toBe(4);
    });

    it('is counted by a dry run as if it were not there', async () => {
      const [address, copy] = [await newStore(from), from.newAddress()];
      await expect(copyStore(address, copy, stopAfter(1))).rejects.toThrow('stopped');
      expect(await copyStore(address, copy, { dryRun: true })).toMatchObject({ series: 4, facts: 9 });
    });

    it('is published as it was read again, also where a second process copies to the same address', async () => {
      const copy = from.newAddress();
      const write = (draft: StoreDraft, rate: string) =>
        draft.write(async (writer) => {
          const point = { curveType: 'PAR', tradeDate: '2015-01-02', maturity: '1M', source: 'x' } as const;
          await writer.mergePoints([{ ...point, rate }], { replace: true });
        });
      const ratesIn = (view: StoreView) => view.rates.yields({ curveType: 'PAR', limit: 9 });
      const first = await openDraft(copy, 'mine.db');
      await write(first, '0.02');
      await first.read(ratesIn);
      if (from.name === 'PostgreSQL') {
        const second = await openDraft(copy, 'mine.db');
        await write(second, '0.03');
        await expect(first.publish()).rejects.toThrow(/another process copies to/);
        await second.read(ratesIn);
        await second.publish();
      } else {
        await expect(openDraft(copy, 'other.db')).rejects.toThrow(/another process writes .*unfinished/);
        await first.publish();
      }
      await first.close();
      const rates = await reading(copy, ratesIn);
      expect(rates.map(({ rate }) => rate)).toEqual([from.name === 'PostgreSQL' ? '0.03' : '0.02']);
    });
  });

  it('a store is not copied into itself', async () => {
    const address = await newStore(from);
    await expect(copyStore(address, address)).rejects.toThrow(/is the store itself/);
  });
});

describe('a copy of a file', () => {
  it('replaces a file only where that is asked for, and never one that is in use', async () => {
    const [address, backup] = [await newStore(sqlite), sqlite.newAddress()];
    await copyStore(address, backup);
    await importFiles(address, { 'more.csv': facts('S1 2015-04-01 2015-07-30 9') });
    const { digest } = await copyStore(address, backup, { replace: true });
    expect(await digestIn(backup)).toBe(digest);
    const used = await openWriter(backup);
    await used.follow(followed);
    await used.follow({ ...followed, name: 'UNRATE' });
    const reader = reading(backup, async (view) => {
      await view.contents.seriesIds();
      await used.commit();
      const before = digestOf(backup);
      await expect(copyStore(address, backup, { replace: true })).rejects.toThrow(/is a store in use/);
      expect(digestOf(backup)).toBe(before);
    });
    await reader;
    expect(statSync(dirname(backup)).isDirectory()).toBe(true);
  });

  it('does not replace a store that another process has open, although it writes nothing just now', async () => {
    const [address, backup] = [await newStore(sqlite), sqlite.newAddress()];
    await copyStore(address, backup);
    const { digest } = await copyStore(backup, sqlite.newAddress());
    await withStore(backup, async (store) => {
      await store.read((view) => view.contents.seriesIds());
      await expect(copyStore(address, backup, { replace: true })).rejects.toThrow(/is a store in use/);
    });
    expect(await digestIn(backup)).toBe(digest);
    // It was refused before the store was copied.
    expect(readdirSync(dirname(backup)).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it('replaces the store that a link leads to, and not the link', async () => {
    const [address, backup, link] = [await newStore(sqlite), sqlite.newAddress(), sqlite.newAddress()];
    await copyStore(address, backup);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(backup, link);
    await importFiles(address, { 'more.csv': facts('S1 2015-04-01 2015-07-30 9') });
    const { digest } = await copyStore(address, link, { replace: true });
    expect(await digestIn(backup)).toBe(digest);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it.each([{ replace: true }, { replace: false }])(
    'does not write through a link to nothing (%o)',
    async (options) => {
      const [address, link] = [await newStore(sqlite), sqlite.newAddress()];
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync('nowhere.db', link);
      await expect(copyStore(address, link, options)).rejects.toThrow(
        /is a link to a file that does not exist/,
      );
      expect(readdirSync(dirname(link))).toEqual([basename(link)]);
    },
  );

  it('begins again where a stopped one left a damaged file', async () => {
    const [address, backup] = [await newStore(sqlite, 300), sqlite.newAddress()];
    await expect(copyStore(address, backup, stopAfter(299))).rejects.toThrow('stopped');
    const begun = `${backup}.unfinished`;
    truncateSync(begun, Math.floor(statSync(begun).size / 8192) * 4096);
    const { digest, already } = await copyStore(address, backup);
    expect(already).toBe(0);
    expect(readdirSync(dirname(backup))).toEqual([basename(backup)]);
    expect(await digestIn(backup)).toBe(digest);
  });

  it('replaces a store whose own copy was killed between the two steps of its publication', async () => {
    const [address, backup] = [await newStore(sqlite), sqlite.newAddress()];
    await copyStore(address, backup);
    linkSync(backup, `${backup}.unfinished`);
    await importFiles(address, { 'more.csv': facts('S1 2015-04-01 2015-07-30 9') });
    const { digest } = await copyStore(address, backup, { replace: true });
    expect(readdirSync(dirname(backup))).toEqual([basename(backup)]);
    expect(await digestIn(backup)).toBe(digest);
  });

  it('leaves a file alone that has the name of a copy in the making and is none', async () => {
    const [address, backup] = [await newStore(sqlite), sqlite.newAddress()];
    mkdirSync(dirname(backup), { recursive: true });
    writeFileSync(`${backup}.unfinished`, 'a novel\n');
    await expect(copyStore(address, backup)).rejects.toMatchObject({
      detail: expect.stringMatching(/unfinished is in the way/),
      hints: ['remove it, or name another file for the copy'],
    });
    expect(readFileSync(`${backup}.unfinished`, 'utf8')).toBe('a novel\n');
  });

  it('replaces no file that is not a store', async () => {
    const address = await newStore(sqlite);
    const csv = sqlite.newAddress();
    mkdirSync(dirname(csv), { recursive: true });
    writeFileSync(csv, 'date,value\n');
    await expect(copyStore(address, csv, { replace: true })).rejects.toThrow(
      /is no store that a backup could/,
    );
    expect(readFileSync(csv, 'utf8')).toBe('date,value\n');
    expect(existsSync(`${csv}.unfinished`)).toBe(false);
  });

  it('that was begun with what is gone from the store now is begun anew', async () => {
    const [address, backup] = [await newStore(sqlite), sqlite.newAddress()];
    const begun = sqlite.newAddress();
    await importFiles(begun, { 'par.csv': 'Date,"1 Mo","10 Yr"\n2014-12-31,0.03,2.17\n' });
    mkdirSync(dirname(backup), { recursive: true });
    renameSync(begun, `${backup}.unfinished`);
    const { digest } = await copyStore(address, backup);
    expect(await digestIn(backup)).toBe(digest);
  });
});
