import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importLog, importFiles as importPaths } from '../../../src/import/import.ts';
import { scratchFolder } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import { newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();

/** A store that asof 0.1.0 made of a FRED download and a file of statements. */
function oldStore(): string {
  const path = newStorePath(folder);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, readData(join(testData, 'stores'), 'format-1-two-kinds.db'));
  return path;
}

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const outdatedIn = async (store: string) =>
  (await importLog(store)).filter(({ outdated }) => outdated).map(({ file }) => file);

describe('a store of asof 0.1.0, in whose files blank cells said nothing,', () => {
  test('names the files to import again, and not those without blank cells', async () => {
    const store = oldStore();
    expect((await importLog(store)).map(({ file }) => file)).toEqual(['UNRATE.csv', 'bread.csv']);
    expect(await outdatedIn(store)).toEqual(['UNRATE.csv']);
  });

  test('says so after every import, until the same file was imported again', async () => {
    const store = oldStore();
    const other = written('other.csv', 'series_id,date,as_of_date,value\nBREAD,2024-03-01,2024-05-15,2.1\n');
    expect((await importPaths([other], { store })).outdated).toEqual(['UNRATE.csv']);
    const again = written('again.csv', 'observation_date,UNRATE\n2014-11-01,5.8\n2014-12-01,5.6\n');
    const { outdated } = await importPaths([again], { store, asOf: '2015-01-09' });
    expect(outdated).toEqual([]);
    expect(await outdatedIn(store)).toEqual([]);
  });

  test('is not every store: what is imported now is read by the rule of now', async () => {
    const store = newStorePath(folder);
    const file = written('new.csv', 'observation_date,X\n2014-11-01,5.8\n2014-12-01,\n');
    expect((await importPaths([file], { store, asOf: '2015-01-09' })).outdated).toEqual([]);
    expect(await outdatedIn(store)).toEqual([]);
  });
});
