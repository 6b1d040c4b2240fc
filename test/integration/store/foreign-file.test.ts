import { copyFileSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { scratchFolder } from '../../support/folders.ts';
import { digestOf, facts, failureOf, importFiles, newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const small = facts('GDP 2014-10-01 2015-01-30 17710.7');

/** Enough series that a store of them fills many pages. */
const wide = facts(...Array.from({ length: 2000 }, (_, i) => `S${i} 2020-01-01 2020-02-01 1`));

async function storeOf(content: string): Promise<string> {
  const path = newStorePath(folder);
  await importFiles(path, { 'facts.csv': content });
  return path;
}

describe('a file that is not a store of this asof cannot be read or written, and stays unchanged', () => {
  const newer = (db: Database) => db.pragma('user_version = 999');

  test.each<[string, (path: string) => Promise<void> | void, RegExp]>([
    [
      'a newer store',
      async (path) => {
        copyFileSync(await storeOf(small), path);
        const db = openDatabase(path);
        newer(db);
        db.close();
      },
      /was made by a newer asof \(store format 999; this one reads up to \d+\)/,
    ],
    [
      'another program’s database',
      (path) => {
        const db = openDatabase(path);
        db.exec('create table t (a)');
        db.close();
      },
      /is not an asof store/,
    ],
    ['a text', (path) => writeFileSync(path, 'date,value\n'.repeat(200)), /it is not an asof store/],
    ['an empty file', (path) => writeFileSync(path, ''), /is not an asof store/],
    [
      'a store cut short',
      async (path) => {
        copyFileSync(await storeOf(wide), path);
        truncateSync(path, 20_480);
      },
      /it is damaged/,
    ],
    ['a folder', (path) => mkdirSync(path), /it is not a file/],
  ])('%s', async (_, make, message) => {
    const path = newStorePath(folder);
    mkdirSync(dirname(path), { recursive: true });
    await make(path);
    const digest = () => (statSync(path).isFile() ? digestOf(path) : 'a folder');
    const before = digest();
    const listing = async () => {
      const store = await openStore(path);
      try {
        await store.read((view) => view.series.search({ text: '', limit: 1000 }));
      } finally {
        await store.close();
      }
    };
    expect(await failureOf(listing())).toMatch(message);
    expect(
      await failureOf(
        importFiles(path, {
          'facts.csv': wide,
        }),
      ),
    ).toMatch(message);
    expect(digest()).toBe(before);
  });
});
