import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importLog, importFiles as importPaths } from '../../../src/import/import.ts';
import { scratchFolder } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import { allStatements, newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();

/** A store that asof 0.1.0 made, of a FRED download and a file of statements if no other is named. */
function oldStore(name = 'format-1-two-kinds.db'): string {
  const path = newStorePath(folder);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, readData(join(testData, 'stores'), name));
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

describe('a store of asof 0.1.0 with a quarterly series from files of monthly rows', () => {
  const held = () => oldStore('format-1-mixed-frequencies.db');
  const mixed =
    'observation_date,GDP,UNRATE\n2024-07-01,29374.914,4.3\n2024-08-01,,4.2\n2024-09-01,,4.1\n2024-10-01,29700.580,4.1\n';
  const panel = join(testData, 'macro/dated-panel/2016-07-29.csv');
  const inStore = (store: string, id: string) =>
    reading(store, async (view) => ({
      frequency: (await view.series.find(id))?.frequency,
      statements: await allStatements(view, id),
    }));

  test('knows its quarters alone: blank cells in rows of other series are nothing', async () => {
    const { frequency, statements } = await inStore(held(), 'GDP');
    expect(frequency).toBe('Q');
    expect(statements.map(({ date, value }) => [date, value])).toEqual([
      ['2024-07-01', '29374.914'],
      ['2024-10-01', '29700.580'],
    ]);
  });

  test('takes the same files again, and then knows what a new store knows of them', async () => {
    const [old, fresh] = [held(), newStorePath(folder)];
    const download = written('fredgraph.csv', mixed);
    for (const store of [old, fresh]) {
      await importPaths([download], { store, asOf: '2025-01-30' });
      await importPaths([panel], { store, merge: true });
    }
    for (const id of ['GDP', 'UNRATE', 'GDPC1', 'PAYEMS', 'ULCNFB'])
      expect(await inStore(old, id)).toEqual(await inStore(fresh, id));
    expect(await outdatedIn(old)).toEqual([]);
  });

  test.each([
    ['GDP', 'GDP,2024-04-01 29016.714,2024-07-01 29374.914,2024-10-01 29700.580,2025-01-01 29962.047'],
    ['GDPC1', 'GDPC1,2015-07-01 16440.7,2015-10-01 16471.5,2016-01-01 16515.5,2016-04-01 16570.2'],
  ])('takes quarterly figures of %s from a file of their own', async (id, rows) => {
    const store = held();
    const text = rows
      .split(',')
      .map((row, i) => (i === 0 ? `observation_date,${row}` : row.replace(' ', ',')));
    const file = written(`${id}.csv`, `${text.join('\n')}\n`);
    await importPaths([file], { store, asOf: '2025-05-01', merge: true });
    const { frequency, statements } = await inStore(store, id);
    expect(frequency).toBe('Q');
    const newest = statements.filter(({ asOf }) => asOf === '2025-05-01');
    expect(newest.map(({ date, value }) => `${date} ${value}`)).toEqual(rows.split(',').slice(1));
  });
});
