import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/engine.ts';
import type { Store } from '../../../src/store/store.ts';
import { facts, importFiles, newStorePath, scratchFolder } from '../../support/scratch-store.ts';

const folder = scratchFolder();

async function withLiveStore(work: (store: Store, change: () => void) => Promise<void>): Promise<void> {
  const path = newStorePath(folder);
  await importFiles(path, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
  const store = await openStore(path, true);
  const other = openDatabase(path);
  // What an import of another process does, within one turn of this one.
  const change = () => {
    other.exec(`begin; update fact set value = '2'; update store set revision = revision + 1; commit`);
  };
  await work(store, change);
  other.close();
  await store.close().catch(() => undefined);
}

const valueIn = async (store: Store) =>
  (await store.observations({ seriesId: 'GDP', limit: 1 })).map(({ value }) => value);

describe('a store that is served', () => {
  test('answers all that is asked in one turn out of one state, and what comes later out of the next', () =>
    withLiveStore(async (store, change) => {
      const { revision } = await store.info();
      change();
      expect([await valueIn(store), (await store.info()).revision]).toEqual([['1'], revision]);
      await nextTurn();
      expect([await valueIn(store), (await store.info()).revision]).toEqual([['2'], revision + 1]);
    }));

  test('is not said to be as before by whom a reading of its own began later', () =>
    withLiveStore(async (store, change) => {
      const { revision } = await store.info();
      change();
      const values = [];
      for await (const batch of store.statements('GDP')) values.push(...batch.map(({ value }) => value));
      expect([values, (await store.info()).revision]).toEqual([['2'], revision + 1]);
    }));

  test('can be closed in the turn in which it was read', () =>
    withLiveStore(async (store) => {
      await store.info();
      await store.close();
      await nextTurn();
    }));
});
