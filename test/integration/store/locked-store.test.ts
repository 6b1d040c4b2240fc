import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { newQuarterlyStore } from '../../support/example-stores.ts';
import { facts, importFiles } from '../../support/scratch-store.ts';

/** A store as a backup leaves it: without a write-ahead log, so that a commit locks readers out. */
async function plainStore(): Promise<string> {
  const path = await newQuarterlyStore();
  const db = openDatabase(path);
  db.pragma('journal_mode = delete');
  db.close();
  return path;
}

function journalOf(path: string): unknown {
  const db = openDatabase(path, { readonly: true });
  try {
    return db.pragma('journal_mode', { simple: true });
  } finally {
    db.close();
  }
}

describe('a store without a write-ahead log', () => {
  it('is waited for while an import has it locked, and the process goes on meanwhile', async () => {
    const path = await plainStore();
    const store = await openStore(path);
    const db = openDatabase(path);
    db.exec('begin exclusive');
    const order: string[] = [];
    const reads = Array.from({ length: 9 }, () =>
      store.read(async (view) => {
        order.push((await view.series.find('GDP'))?.id ?? '');
      }),
    );
    for (let i = 0; i < 3; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push('turn');
    }
    db.exec('commit');
    db.close();
    await Promise.all(reads);
    expect(order).toEqual([...Array(3).fill('turn'), ...Array(9).fill('GDP')]);
    await store.close();
  });

  it('gets one when an import commits', async () => {
    const path = await plainStore();
    await importFiles(path, { 'more.csv': facts('NEW 2014-04-01 2014-10-30 1') });
    expect(journalOf(path)).toBe('wal');
  });

  it('gets one when a service opens it', async () => {
    const path = await plainStore();
    const store = await openStore(path, { live: true });
    expect(journalOf(path)).toBe('wal');
    await store.close();
  });
});
