import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Statement } from '../../../src/domain/series/revision-history.ts';
import { openStore, openWriter } from '../../../src/store/open.ts';
import type { Store, StoreView } from '../../../src/store/store.ts';
import type { StoreWriter } from '../../../src/store/writer.ts';
import { onEveryEngine } from '../../support/engines.ts';
import { filing } from '../../support/filings.ts';
import {
  allStatements,
  facts,
  importFiles,
  observationsIn,
  reading,
  withStore,
} from '../../support/scratch-store.ts';

const keep = { replace: false };

function statement(text: string): Statement {
  const [seriesId = '', date = '', asOf = '', value] = text.split(' ');
  return { seriesId, date, asOf, value: value ?? null };
}

const gdp = statement('GDP 2014-10-01 2015-01-30 17710.7');

const latestIn = async (view: StoreView) =>
  (await observationsIn(view, { seriesId: 'GDP', limit: 9 })).map(({ value }) => value);

onEveryEngine((engine) => {
  /** A new store with one observation of GDP. */
  async function newStore(): Promise<string> {
    const address = engine.newAddress();
    await importFiles(address, { 'facts.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
    return address;
  }

  async function writing<T>(address: string, work: (writer: StoreWriter) => Promise<T>): Promise<T> {
    const writer = await openWriter(address);
    const result = await work(writer);
    await writer.commit();
    return result;
  }

  const revise = (address: string, value: string) =>
    importFiles(address, { 'more.csv': facts(`GDP 2014-10-01 2015-02-27 ${value}`) }, { replace: true });

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

    it('is written with the facts, replaced by later records, and forgotten on demand', async () => {
      const address = await newStore();
      expect(await reading(address, (view) => view.sources.followed())).toEqual([]);
      await writing(address, (writer) => writer.follow(begun));
      expect(await reading(address, (view) => view.sources.followed())).toEqual([begun]);
      await writing(address, (writer) => writer.follow({ ...record, since: 'later' }));
      // Following began with the first record.
      expect(await reading(address, (view) => view.sources.followed())).toEqual([record]);
      expect(await writing(address, (writer) => writer.unfollow('fred', 'GDP'))).toBe(true);
      expect(await writing(address, (writer) => writer.unfollow('fred', 'GDP'))).toBe(false);
      expect(await reading(address, (view) => view.sources.followed())).toEqual([]);
    });

    it('changes no state of the data, and is gone with a transaction that is rolled back', async () => {
      const address = await newStore();
      const before = await reading(address, (view) => view.state());
      await writing(address, (writer) => writer.follow(record));
      expect(await reading(address, (view) => view.state())).toEqual(before);
      const writer = await openWriter(address);
      await writer.follow({ ...record, name: 'UNRATE' });
      await writer.rollback();
      expect((await reading(address, (view) => view.sources.followed())).map(({ name }) => name)).toEqual([
        'GDP',
      ]);
    });
  });

  describe('the changes of a description', () => {
    it('are kept by day, oldest first; of several on one day the first text before counts', async () => {
      const address = await newStore();
      const change = { seriesId: 'GDP', changedOn: '2025-01-20', field: 'title', before: 'a', after: 'b' };
      await writing(address, async (writer) => {
        await writer.recordChange({ ...change, changedOn: '2025-02-01', before: 'c', after: 'd' });
        await writer.recordChange(change);
        await writer.recordChange({ ...change, before: 'b', after: 'c' });
      });
      expect(await reading(address, (view) => view.series.descriptionChanges('GDP'))).toEqual([
        { ...change, after: 'c' },
        { ...change, changedOn: '2025-02-01', before: 'c', after: 'd' },
      ]);
    });
  });

  describe('a read of a store', () => {
    it('answers everything from one state, even if an import commits meanwhile', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        await store.read(async (view) => {
          const before = [await view.state(), await latestIn(view)];
          await revise(address, '17701.3');
          expect([await view.state(), await latestIn(view)]).toEqual(before);
          expect((await allStatements(view, 'GDP')).length).toBe(1);
          expect((await view.sources.imports()).length).toBe(1);
        });
        expect(await store.read(latestIn)).toEqual(['17701.3']);
      });
    });

    it('streams from the same state as its other answers, even if an import commits during the stream', async () => {
      const days = Array.from({ length: 7000 }, (_, i) =>
        new Date(i * 86_400_000).toISOString().slice(0, 10),
      );
      const valued = (value: string) => facts(...days.map((day) => `GDP ${day} 2015-01-30 ${value}`));
      const address = engine.newAddress();
      await importFiles(address, { 'first.csv': valued('1') });
      await withStore(address, async (store) => {
        const values: (string | null)[] = [];
        await store.read(async (view) => {
          for await (const batch of view.series.statements('GDP')) {
            if (values.length === 0)
              await importFiles(address, { 'second.csv': valued('2') }, { replace: true });
            values.push(...batch.map(({ value }) => value));
          }
          expect(await view.series.observations({ seriesId: 'GDP', limit: 1 })).toMatchObject({
            rows: [{ value: '1' }],
          });
        });
        expect([values.length, new Set(values)]).toEqual([7000, new Set(['1'])]);
        const now = await store.read((view) => allStatements(view, 'GDP'));
        expect(new Set(now.map(({ value }) => value))).toEqual(new Set(['2']));
      });
    });

    it('runs at the same time as other reads, each in the newest state at its start', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        const seen = await store.read(async (outer) => {
          await outer.state();
          await revise(address, '17701.3');
          const inner = await Promise.all(Array.from({ length: 5 }, () => store.read(latestIn)));
          return { outer: await latestIn(outer), inner };
        });
        expect(seen.outer).toEqual(['17710.7']);
        expect(seen.inner).toEqual(Array.from({ length: 5 }, () => ['17701.3']));
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
      await writing(address, (writer) =>
        writer.mergeFilings(
          ids.map((issuerCik) => filing({ filingId: issuerCik, issuerCik })),
          keep,
        ),
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
        await expect(view.series.find('GDP')).rejects.toThrow('ended');
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
        await importFiles(address, { 'again.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
        expect(await stateOf(store)).toBe(before);
        await revise(address, '17701.3');
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
      const named = async (value: string) => {
        const address = engine.newAddress();
        await importFiles(address, { 'facts.csv': facts(`GDP 2014-10-01 2015-01-30 ${value}`) });
        return withStore(address, stateOf);
      };
      const [one, other] = [await named('1'), await named('2')];
      expect([one.revision, one.sample]).toEqual([other.revision, other.sample]);
      expect(one.name).not.toBe(other.name);
    });

    it('gives a new version only to the series that an import changed', async () => {
      const address = engine.newAddress();
      await importFiles(address, {
        'a.csv': facts('A 2014-10-01 2015-01-30 1', 'B 2014-10-01 2015-01-30 1'),
      });
      const versions = () =>
        reading(address, async (view) => [
          (await view.series.find('A'))?.version,
          (await view.series.find('B'))?.version,
        ]);
      const [a = 0, b] = await versions();
      await importFiles(address, {
        'b.csv': facts('A 2014-10-01 2015-02-27 2', 'B 2014-10-01 2015-01-30 1'),
      });
      expect(await versions()).toEqual([a + 1, b]);
    });
  });

  describe('the dates of a series', () => {
    it('are all that ever had a value, newest first, page by page', async () => {
      const address = await newStore();
      await importFiles(address, {
        'a.csv': facts(
          'A 2014-01-01 2015-01-30 1',
          'A 2014-04-01 2015-01-30 1',
          'A 2014-04-01 2015-02-27 ',
          'A 2014-07-01 2015-02-27 2',
          'A 2014-07-01 2015-03-27 3',
          'A 2014-10-01 2015-03-27 4',
        ),
      });
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
      await reading(await newStore(), async (view) => {
        expect(await view.series.find('NONE')).toBeUndefined();
        expect(await view.series.observations({ seriesId: 'NONE', limit: 9 })).toBeUndefined();
        expect(await view.series.revisions({ seriesId: 'NONE' })).toBeUndefined();
        expect(await view.series.dates({ seriesId: 'NONE', limit: 9 })).toBeUndefined();
        expect(await view.series.vintages({ seriesId: 'NONE', limit: 9 })).toBeUndefined();
        expect(await allStatements(view, 'NONE')).toEqual([]);
        expect(await view.series.completeVintages('NONE')).toEqual([]);
        expect(await view.series.search({ text: 'NONE', limit: 9 })).toEqual([]);
        const curve = { curveType: 'PAR', date: '2015-01-02', onOrBefore: true } as const;
        expect(await view.rates.curve(curve)).toEqual([]);
        expect(await view.rates.yields({ curveType: 'PAR', limit: 9 })).toEqual([]);
        expect(await view.rates.spread({ curveType: 'PAR', long: '10Y', short: '2Y', limit: 9 })).toEqual([]);
        expect(await view.filings.page({ limit: 9 })).toEqual([]);
      });
    });
  });

  describe('a writer', () => {
    it('makes its changes visible at its commit, not before', async () => {
      const address = await newStore();
      await withStore(address, async (store) => {
        const writer = await openWriter(address);
        expect(writer.created).toBe(false);
        await (await writer.series('GDP')).merge([statement('GDP 2014-10-01 2015-02-27 17701.3')], keep);
        await writer.finish(['GDP']);
        expect(await store.read(latestIn)).toEqual(['17710.7']);
        await writer.commit();
        expect(await store.read(latestIn)).toEqual(['17701.3']);
      });
    });

    it('leaves an existing store unchanged and creates no new one when it rolls back', async () => {
      const address = await newStore();
      const before = await engine.digest(address);
      for (const [where, created] of [
        [address, false],
        [engine.newAddress(), true],
      ] as const) {
        const writer = await openWriter(where);
        expect(writer.created).toBe(created);
        await (await writer.series('X')).merge([statement('X 2014-10-01 2015-02-27 1')], keep);
        await writer.mergeFilings([filing()], keep);
        await writer.finish(['X']);
        await writer.rollback();
        expect(await engine.digest(where)).toBe(created ? undefined : before);
      }
    });

    it('produces the same store from batches of any size', async () => {
      const statements = Array.from({ length: 40 }, (_, i) =>
        statement(`X 2014-0${1 + (i % 9)}-01 2015-0${1 + (i % 5)}-15 ${i % 3}`),
      ).filter(({ date, asOf }, i, all) => all.findIndex((s) => s.date === date && s.asOf === asOf) === i);
      const held = async (size: number) => {
        const address = engine.newAddress();
        await writing(address, async (writer) => {
          for (let at = 0; at < statements.length; at += size)
            await (await writer.series('X')).merge(statements.slice(at, at + size), keep);
          await writer.finish(['X']);
        });
        return reading(address, async (view) => [
          await allStatements(view, 'X'),
          await view.series.find('X'),
        ]);
      };
      const whole = await held(1000);
      for (const size of [1, 7]) expect(await held(size)).toEqual(whole);
    });

    it('stores the records of series and reports whether they had statements before', async () => {
      const address = engine.newAddress();
      const stated = { seriesId: 'X', title: 'Things', frequency: 'Q' } as const;
      const implied = { seriesId: 'X', source: 'FRED' };
      await writing(address, async (writer) => {
        expect(await writer.records(['X', 'Y'])).toEqual(new Map());
        await (await writer.series('X')).putRecord({ stated, implied });
        expect(await writer.records(['X', 'Y'])).toEqual(
          new Map([['X', { stated, implied, hadStatements: false }]]),
        );
        await (await writer.series('X')).merge([statement('X 2014-10-01 2015-01-30 1')], keep);
        await writer.finish(['X']);
      });
      const writer = await openWriter(address);
      expect((await writer.records(['X'])).get('X')?.hadStatements).toBe(true);
      await writer.rollback();
      expect(await reading(address, (view) => view.series.find('X'))).toMatchObject({
        title: 'Things',
        frequency: 'Q',
        source: 'FRED',
      });
    });

    it('reports the conflicts between dates of one period by series', async () => {
      const writer = await openWriter(engine.newAddress());
      await (await writer.series('X')).merge([statement('X 2014-01-01 2015-01-30 1')], keep);
      await (await writer.series('X')).merge(
        [statement('X 2014-02-01 2015-01-30 2'), statement('X 2014-03-01 2015-01-30 2')],
        keep,
      );
      await (await writer.series('Y')).merge([statement('Y 2014-02-01 2015-01-30 2')], keep);
      const quarterly = (seriesId: string) => ({
        stated: { seriesId, frequency: 'Q' as const },
        implied: { seriesId },
      });
      for (const id of ['X', 'Y']) await (await writer.series(id)).putRecord(quarterly(id));
      const conflicts = await writer.finish(['X', 'Y']);
      expect([...conflicts.keys()]).toEqual(['X']);
      expect(conflicts.get('X')?.[0]).toEqual({
        date: '2014-01-01',
        asOf: '2015-01-30',
        held: '1',
        given: '2',
      });
      await writer.rollback();
    });

    it('extends the coverage of a series to the last day that any import speaks for', async () => {
      const address = await newStore();
      const coveredTo = () => reading(address, async (view) => (await view.series.find('GDP'))?.coveredTo);
      expect(await coveredTo()).toBe(gdp.asOf);
      for (const [day, expected] of [
        ['2015-03-15', '2015-03-15'],
        ['2015-02-01', '2015-03-15'],
      ] as const) {
        await writing(address, async (writer) => {
          (await writer.series('GDP')).cover(day);
          await writer.finish(['GDP']);
        });
        expect(await coveredTo()).toBe(expected);
      }
    });

    it('logs imports in order', async () => {
      const address = engine.newAddress();
      const record = {
        importedAt: '2026-01-15T12:00:00.000Z',
        kind: 'asof-csv',
        sha256: 'a'.repeat(64),
        series: 1,
        statementsNew: 2,
        statementsKnown: 3,
        withdrawn: 1,
      };
      const records = ['b.csv', 'a.csv'].map((file) => ({ ...record, file }));
      await writing(address, async (writer) => {
        for (const one of records) await writer.recordImport(one);
      });
      expect(await reading(address, (view) => view.sources.imports())).toEqual(
        // Entries of one transaction have one number.
        records.map((one) => ({ ...one, number: 1, outdated: false })),
      );
    });
  });
});
