import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Statement, Statements } from '../../../src/domain/series/statements.ts';
import { openStore, openWriter } from '../../../src/store/open.ts';
import type { Store, StoreView } from '../../../src/store/store.ts';
import type { StoreWriter } from '../../../src/store/writer.ts';
import { contract } from '../../support/engines.ts';
import { filing } from '../../support/filings.ts';
import {
  allStatements,
  facts,
  importFiles,
  importFilings,
  observationsIn,
  reading,
  withStore,
} from '../../support/scratch-store.ts';

const keep = { replace: false };

function statement(text: string): Statement {
  const [seriesId = '', date = '', asOf = '', value] = text.split(' ');
  return { seriesId, date, asOf, value: value ?? null };
}

const latestIn = async (view: StoreView) =>
  (await observationsIn(view, { seriesId: 'GDP', limit: 9 })).map(({ value }) => value);

const findGdp = (view: StoreView) => view.series.find('GDP');

contract((engine) => {
  /** A new store with these statements; without any, with one observation of GDP. */
  async function newStore(...lines: readonly string[]): Promise<string> {
    const address = engine.newAddress();
    const said = lines.length > 0 ? lines : ['GDP 2014-10-01 2015-01-30 17710.7'];
    await importFiles(address, { 'facts.csv': facts(...said) });
    return address;
  }

  async function writing<T>(address: string, work: (writer: StoreWriter) => Promise<T>): Promise<T> {
    const writer = await openWriter(address);
    const result = await work(writer);
    await writer.commit();
    return result;
  }

  const add = (address: string, ...lines: readonly string[]) =>
    importFiles(address, { 'more.csv': facts(...lines) }, { replace: true });

  const revise = (address: string) => add(address, 'GDP 2014-10-01 2015-02-27 17701.3');

  it('the imports of a store have numbers without a gap, also after one that was tried and one that failed', async () => {
    const address = await newStore();
    await importFiles(address, { 'a.csv': facts('A 2014-10-01 2015-01-30 1') }, { dryRun: true });
    const refused = importFiles(address, { 'b.csv': facts('GDP 2014-10-01 2015-01-30 1') });
    await expect(refused).rejects.toThrow('against 17710.7');
    await importFiles(address, { 'a.csv': facts('A 2014-10-01 2015-01-30 1') });
    const imports = await reading(address, (view) => view.sources.imports());
    expect(imports.map(({ number }) => number)).toEqual([1, 2]);
  });

  describe('what a store follows', () => {
    const record = {
      source: 'fred',
      name: 'GDP',
      since: '2025-01-20T18:00:00.000Z',
      bookmark: '{"vintage":"2024-12-19"}',
      upTo: '2025-01-20',
      lastRun: '2025-01-20T18:00:01.000Z',
      left: '',
    };
    const begun = { ...record, bookmark: '', upTo: undefined, lastRun: undefined, left: 'everything' };
    const followed = (address: string) => reading(address, (view) => view.sources.followed());

    it('is written with the facts, replaced by later records, and forgotten on demand', async () => {
      const address = await newStore();
      expect(await followed(address)).toEqual([]);
      await writing(address, (writer) => writer.follow(begun));
      expect(await followed(address)).toEqual([begun]);
      await writing(address, (writer) => writer.follow({ ...record, since: 'later' }));
      // Following began with the first record.
      expect(await followed(address)).toEqual([record]);
      for (const was of [true, false])
        expect(await writing(address, (writer) => writer.unfollow('fred', 'GDP'))).toBe(was);
      expect(await followed(address)).toEqual([]);
    });

    it('changes no state of the data, and is gone with a transaction that is rolled back', async () => {
      const address = await newStore();
      const before = await reading(address, (view) => view.state());
      await writing(address, (writer) => writer.follow(record));
      expect(await reading(address, (view) => view.state())).toEqual(before);
      const writer = await openWriter(address);
      await writer.follow({ ...record, name: 'UNRATE' });
      await writer.rollback();
      expect(await followed(address)).toEqual([record]);
    });
  });

  describe('the changes of a description', () => {
    it('are kept by day, oldest first; of several on one day the first text before counts', async () => {
      const address = await newStore();
      const change = { seriesId: 'GDP', changedOn: '2025-01-20', field: 'title', before: 'a', after: 'b' };
      const later = { ...change, changedOn: '2025-02-01', before: 'c', after: 'd' };
      await writing(address, async (writer) => {
        for (const one of [later, change, { ...change, before: 'b', after: 'c' }])
          await writer.recordChange(one);
      });
      const changes = await reading(address, (view) => view.series.descriptionChanges('GDP'));
      expect(changes).toEqual([{ ...change, after: 'c' }, later]);
    });

    it('give each day the unit that the series had', async () => {
      const address = await newStore('GDP 1990-01-01 2015-01-30 1', 'GDP 1990-01-01 2018-01-30 2');
      const change = {
        seriesId: 'GDP',
        field: 'units',
        changedOn: '2015-06-01',
        before: 'ECU',
        after: 'euro',
      };
      const later = { ...change, changedOn: '2018-01-30', before: 'euro', after: 'thousand euro' };
      await importFiles(address, { 'm.csv': 'series_id,units\nGDP,thousand euro\n' });
      await writing(address, async (writer) => {
        for (const one of [change, later]) await writer.recordChange(one);
      });
      const unitOn = (asOf?: string) =>
        reading(address, async (view) => {
          const query = { seriesId: 'GDP', limit: 1, ...(asOf !== undefined && { asOf }) };
          return (await view.series.observations(query))?.series.units;
        });
      expect(await Promise.all(['2015-05-31', '2015-06-01', '2018-01-29', '2018-01-30'].map(unitOn))).toEqual(
        ['ECU', 'euro', 'euro', 'thousand euro'],
      );
      expect(await unitOn()).toBe('thousand euro');
    });
  });

  describe('a read of a store', () => {
    it('answers everything from one state, even if an import commits meanwhile', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        await store.read(async (view) => {
          const before = [await view.state(), await latestIn(view)];
          await revise(address);
          expect([await view.state(), await latestIn(view)]).toEqual(before);
          expect((await allStatements(view, 'GDP')).length).toBe(1);
          expect((await view.sources.imports()).length).toBe(1);
        });
        expect(await store.read(latestIn)).toEqual(['17701.3']);
      });
    });

    it('answers everything about one series from one state, even if an import commits after the first answer', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        let revised = false;
        const said = await store.read(async (view) => {
          const before = await latestIn(view);
          if (!revised) await revise(address);
          revised = true;
          return [before, await latestIn(view)];
        }, 'GDP');
        expect(said[0]).toEqual(said[1]);
        expect(await store.read(latestIn, 'GDP')).toEqual(['17701.3']);
      });
    });

    it('streams from the same state as its other answers, even if an import commits during the stream', async () => {
      const days = Array.from({ length: 7000 }, (_, i) =>
        new Date(i * 86_400_000).toISOString().slice(0, 10),
      );
      const valued = (value: string) => days.map((day) => `GDP ${day} 2015-01-30 ${value}`);
      const address = await newStore(...valued('1'));
      await withStore(address, async (store) => {
        const values: (string | null)[] = [];
        await store.read(async (view) => {
          for await (const batch of view.series.statements('GDP')) {
            if (values.length === 0) await add(address, ...valued('2'));
            values.push(...batch.map(({ value }) => value));
          }
          const page = await view.series.observations({ seriesId: 'GDP', limit: 1 });
          expect(page?.rows).toMatchObject([{ value: '1' }]);
        });
        expect([values.length, new Set(values)]).toEqual([7000, new Set(['1'])]);
        const now = await store.read((view) => allStatements(view, 'GDP'));
        expect(new Set(now.map(({ value }) => value))).toEqual(new Set(['2']));
      });
    });

    it('runs at the same time as other reads, each in the newest state at its start', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        await store.read(async (outer) => {
          await outer.state('GDP');
          await revise(address);
          const inner = await Promise.all(Array.from({ length: 5 }, () => store.read(latestIn)));
          expect(inner.flat()).toEqual(Array(5).fill('17701.3'));
          expect(await latestIn(outer)).toEqual(['17710.7']);
        });
      });
    });

    it('rejects with the error of its work and leaves the store usable', async () => {
      await withStore(await newStore(), async (store) => {
        const failure = new Error('the reader is gone');
        const failing = store.read(async (view) => {
          await latestIn(view);
          throw failure;
        });
        await expect(failing).rejects.toBe(failure);
        expect(await store.read(latestIn)).toEqual(['17710.7']);
      });
    });

    it('can leave a stream before its end', async () => {
      const address = engine.newAddress();
      const ids = Array.from({ length: 5 }, (_, i) => `000000000${i}`);
      await importFilings(
        address,
        ids.map((issuerCik) => filing({ filingId: issuerCik, issuerCik })),
      );
      await withStore(address, async (store) => {
        const first = await store.read(async (view) => {
          for await (const batch of view.filings.clusterTrades({ code: 'P' }))
            return batch.map(({ issuerCik }) => issuerCik);
          return [];
        });
        expect(first).toEqual(['0000000000']);
        expect((await store.read((view) => view.filings.page({ limit: 9 }))).length).toBe(5);
      });
    });

    it('ends its view when its work ends', async () => {
      await withStore(await newStore(), async (store) => {
        const view = await store.read(async (given) => given);
        await expect(findGdp(view)).rejects.toThrow('ended');
        await expect(allStatements(view, 'GDP')).rejects.toThrow('ended');
      });
    });

    it('fails after the store is closed, but finishes if it began before', async () => {
      const store = await openStore(await newStore());
      const begun = store.read(async (view) => {
        await tick();
        return latestIn(view);
      });
      await store.close();
      expect(await begun).toEqual(['17710.7']);
      await expect(store.read(latestIn)).rejects.toThrow('closed');
    });
  });

  describe('the state of a store', () => {
    const stateOf = (store: Store) => store.read((view) => view.state());

    it('stays the same object until an import changes something, then has a new name and revision', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        const before = await stateOf(store);
        expect(await stateOf(store)).toBe(before);
        await add(address, 'GDP 2014-10-01 2015-01-30 17710.7');
        expect(await stateOf(store)).toBe(before);
        await revise(address);
        const after = await stateOf(store);
        expect(after.revision).toBeGreaterThan(before.revision);
        expect(after.name).not.toBe(before.name);
      });
    });

    it('has a new name after a change of a description alone, also for the series itself', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        const states = () =>
          store.read(async (view) => [(await view.state()).name, (await view.state('GDP')).name]);
        const before = await states();
        const description = { 'm.csv': 'series_id,title\nGDP,Gross Domestic Product\n' };
        await importFiles(address, description);
        const after = await states();
        for (const [i, name] of after.entries()) expect(name).not.toBe(before[i]);
        await importFiles(address, description);
        expect(await states()).toEqual(after);
      });
    });

    it('has a different name in another store with the same number of imports', async () => {
      const [one, other] = [await newStore(), await newStore('GDP 2014-10-01 2015-01-30 2')];
      const [first, second] = [await withStore(one, stateOf), await withStore(other, stateOf)];
      expect([first.revision, first.sample]).toEqual([second.revision, second.sample]);
      expect(first.name).not.toBe(second.name);
    });

    it('gives a new version only to the series that an import changed', async () => {
      const address = await newStore('A 2014-10-01 2015-01-30 1', 'B 2014-10-01 2015-01-30 1');
      const versions = () =>
        reading(address, async (view) => [
          (await view.series.find('A'))?.version,
          (await view.series.find('B'))?.version,
        ]);
      const [a = 0, b] = await versions();
      await add(address, 'A 2014-10-01 2015-02-27 2', 'B 2014-10-01 2015-01-30 1');
      expect(await versions()).toEqual([a + 1, b]);
    });
  });

  describe('the dates of a series', () => {
    it('are all that ever had a value, newest first, page by page', async () => {
      const address = await newStore(
        'A 2014-01-01 2015-01-30 1',
        'A 2014-04-01 2015-01-30 1',
        'A 2014-04-01 2015-02-27 ',
        'A 2014-07-01 2015-02-27 2',
        'A 2014-07-01 2015-03-27 3',
        'A 2014-10-01 2015-03-27 4',
      );
      await reading(address, async (view) => {
        const rows = async (query: object) =>
          (await view.series.dates({ seriesId: 'A', limit: 9, ...query }))?.rows;
        expect(await rows({})).toEqual(['2014-10-01', '2014-07-01', '2014-04-01', '2014-01-01']);
        expect(await rows({ limit: 2 })).toEqual(['2014-10-01', '2014-07-01']);
        expect(await rows({ limit: 2, before: '2014-07-01' })).toEqual(['2014-04-01', '2014-01-01']);
        expect(await rows({ from: '2014-04-01', to: '2014-07-01' })).toEqual(['2014-07-01', '2014-04-01']);
      });
    });
  });

  describe('a store without the requested data', () => {
    it('returns undefined for an unknown series and no rows for everything else', async () => {
      await reading(await newStore(), async ({ series, rates, filings, ...view }) => {
        const none = { seriesId: 'NONE', limit: 9 };
        expect([
          await series.find('NONE'),
          await series.observations(none),
          await series.history(none),
          await series.dates(none),
          await series.vintages(none),
        ]).toEqual([undefined, undefined, undefined, undefined, undefined]);
        const [curve, limit] = [{ curveType: 'PAR' } as const, 9];
        expect([
          await allStatements({ series, rates, filings, ...view }, 'NONE'),
          await series.completeVintages('NONE'),
          await series.search({ text: 'NONE', limit }),
          await rates.curve({ ...curve, date: '2015-01-02', onOrBefore: true }),
          await rates.yields({ ...curve, limit }),
          await rates.spread({ ...curve, long: '10Y', short: '2Y', limit }),
          await filings.page({ limit }),
        ]).toEqual([[], [], [], [], [], [], []]);
      });
    });
  });

  describe('a writer', () => {
    it('makes its changes visible at its commit, not before', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        const writer = await openWriter(address);
        expect(writer.created).toBe(false);
        await (await writer.series('GDP')).merge(
          new Statements('GDP', [statement('GDP 2014-10-01 2015-02-27 17701.3')]),
          keep,
        );
        await writer.finish(['GDP']);
        expect(await store.read(latestIn)).toEqual(['17710.7']);
        await writer.commit();
        expect(await store.read(latestIn)).toEqual(['17701.3']);
      });
    });

    it('leaves an existing store unchanged and creates no new one when it rolls back', async () => {
      const address = await newStore();
      const before = await engine.digest(address);
      for (const where of [address, engine.newAddress()]) {
        const writer = await openWriter(where);
        expect(writer.created).toBe(where !== address);
        await (await writer.series('X')).merge(
          new Statements('X', [statement('X 2014-10-01 2015-02-27 1')]),
          keep,
        );
        await writer.mergeFilings([filing()], keep);
        await writer.finish(['X']);
        await writer.rollback();
        expect(await engine.digest(where)).toBe(where === address ? before : undefined);
      }
    });
  });
});
