import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { embeddedClient } from '../../../src/client/open.ts';
import { Statements } from '../../../src/domain/series/statements.ts';
import { checkStore } from '../../../src/maintenance/check.ts';
import { samplePath } from '../../../src/platform/installation.ts';
import { openStore, openWriter } from '../../../src/store/open.ts';
import { takeLock } from '../../../src/store/sqlite/access.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
import { asof } from '../../support/command.ts';
import { scratchFolder, withoutRights } from '../../support/folders.ts';
import { testData } from '../../support/repository.ts';
import {
  digestOf,
  facts,
  failureOf,
  importFiles,
  newStorePath,
  reading,
} from '../../support/scratch-store.ts';
import { realCurvesSuite } from '../../support/suites/series-files.ts';

const folder = scratchFolder();
const small = facts('GDP 2014-10-01 2015-01-30 17710.7');
const more = facts('GDP 2014-10-01 2015-02-27 17701.3');

async function storeOf(): Promise<string> {
  const path = newStorePath(folder);
  await importFiles(path, { 'facts.csv': small });
  return path;
}

/** Runs SQL past asof. */
function changeFile(path: string, sql: string): void {
  const db = openDatabase(path);
  db.exec(sql);
  db.close();
}

/** A store as a backup leaves it: without a write-ahead log, so that a commit locks readers out. */
async function plainStore(): Promise<string> {
  const path = await storeOf();
  changeFile(path, 'pragma journal_mode = delete');
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

const seriesIn = (path: string) =>
  reading(path, async (view) => (await view.series.search({ text: '', limit: 1000 })).map(({ id }) => id));

it('a check finds a series that a search ranks by another title', async () => {
  const path = await storeOf();
  changeFile(path, 'update series set title_length = 9');
  const { faults } = await checkStore(path);
  expect(faults.length).toBeGreaterThan(0);
  for (const { fault } of faults) expect(fault).toMatch(/^(\S+) is ranked by another title than \1$/);
});

describe('a file that is not a store of this asof cannot be read or written, and stays unchanged', () => {
  it.each<[string, (path: string) => Promise<void> | void, RegExp]>([
    [
      'a newer store',
      async (path) => {
        copyFileSync(await storeOf(), path);
        changeFile(path, 'pragma user_version = 999');
      },
      /was made by a newer asof \(store format 999; this one reads up to \d+\)/,
    ],
    ['another program’s database', (path) => changeFile(path, 'create table t (a)'), /is not an asof store/],
    ['a text', (path) => writeFileSync(path, 'date,value\n'.repeat(200)), /it is not an asof store/],
    ['an empty file', (path) => writeFileSync(path, ''), /is not an asof store/],
    [
      'a store cut short',
      async (path) => {
        copyFileSync(await storeOf(), path);
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
    expect(await failureOf(seriesIn(path))).toMatch(message);
    expect(await failureOf(importFiles(path, { 'facts.csv': small }))).toMatch(message);
    expect(digest()).toBe(before);
  });
});

describe('a damaged file', () => {
  const days = Array.from({ length: 1000 }, (_, i) => new Date(i * 86_400_000).toISOString().slice(0, 10));
  const lines = (id: string) => days.map((day) => `${id} ${day} 2020-01-01 1`);

  /** A store of two series, in which the pages of one table or index are overwritten. */
  async function damagedStore(table: string): Promise<string> {
    const address = newStorePath(folder);
    await importFiles(address, { 'a.csv': facts(...lines('GDP'), ...lines('CPI')) });
    const db = openDatabase(address);
    db.pragma('wal_checkpoint(truncate)');
    const pages = db
      .prepare("select pageno from dbstat where name = ? and pagetype = 'leaf' order by pageno")
      .pluck()
      .all(table);
    const size = Number(db.pragma('page_size', { simple: true }));
    db.close();
    const file = openSync(address, 'r+');
    for (const page of pages) writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (Number(page) - 1) * size);
    closeSync(file);
    return address;
  }

  it('is a store with faults: the check names what SQLite finds and each series that cannot be read', async () => {
    const { series, faults } = await checkStore(await damagedStore('fact'));
    expect(series).toBe(2);
    expect(faults).toEqual(
      expect.arrayContaining([
        { subject: 'store', fault: expect.stringMatching(/malformed|[Pp]age/) },
        { subject: 'GDP', fault: 'it cannot be read' },
        { subject: 'CPI', fault: 'it cannot be read' },
      ]),
    );
  });

  it('whose list of series is damaged has that as a fault', async () => {
    const { faults } = await checkStore(await damagedStore('sqlite_autoindex_series_1'));
    expect(faults).toContainEqual({ subject: 'store', fault: 'the list of its series cannot be read' });
  });
});

describe('the sample', () => {
  it('has no fault', async () => {
    expect((await checkStore(samplePath())).faults).toEqual([]);
  });
});

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
      await delay(30);
      order.push('turn');
    }
    db.exec('commit');
    db.close();
    await Promise.all(reads);
    expect(order).toEqual([...Array(3).fill('turn'), ...Array(9).fill('GDP')]);
    await store.close();
  });

  it('can be read during an import that writes more than SQLite keeps in memory', async () => {
    const path = await plainStore();
    const writer = await openWriter(path);
    const statements = Array.from({ length: 20_000 }, (_, i) => ({
      date: new Date(Date.UTC(1900, 0, 1) + i * 86_400_000).toISOString().slice(0, 10),
      asOf: '2020-01-01',
      value: `1.${'5'.repeat(300)}`,
    }));
    await (await writer.series('X')).merge(new Statements('X', statements), { replace: false });
    expect(await seriesIn(path)).toEqual(['GDP']);
    await writer.finish(['X']);
    await writer.commit();
    expect(await seriesIn(path)).toEqual(['GDP', 'X']);
  });

  it('has the same bytes after a failed import, and gets a log when one commits', async () => {
    const path = await plainStore();
    const before = digestOf(path);
    const contradiction = { 'other.csv': facts('GDP 2014-10-01 2015-01-30 1') };
    expect(await failureOf(importFiles(path, contradiction))).toMatch(/^1 conflict;/);
    expect(digestOf(path)).toBe(before);
    await importFiles(path, { 'more.csv': more });
    expect(journalOf(path)).toBe('wal');
    expect(await reading(path, (view) => view.series.find('GDP'))).toMatchObject({
      lastVintage: '2015-02-27',
    });
  });
});

describe('a store that stays open', () => {
  it('answers from the file that is at its path now, and fails while there is none', async () => {
    const path = await storeOf();
    const other = newStorePath(folder);
    await importFiles(other, { 'facts.csv': facts('CPI 2014-10-01 2015-01-30 1') });
    const store = await openStore(path);
    const client = embeddedClient(store);
    const ids = () =>
      store.read(async (view) => (await view.series.search({ text: '', limit: 9 })).map(({ id }) => id));
    expect(await ids()).toEqual(['GDP']);
    // Both stores have one import, so only their names tell them apart.
    const watch = await client.watch();
    expect(await watch.changed()).toBe(false);
    renameSync(other, path);
    expect(await ids()).toEqual(['CPI']);
    expect(await watch.changed()).toBe(true);
    rmSync(path);
    await expect(ids()).rejects.toMatchObject({
      kind: 'local-io',
      message: `cannot open the store ${path}: there is no such file or folder`,
    });
    await importFiles(path, { 'facts.csv': small });
    expect(await ids()).toEqual(['GDP']);
    await store.close();
  });

  it('answers from a new file that has the number of the removed one', async () => {
    const path = await storeOf();
    const other = newStorePath(folder);
    await importFiles(other, { 'facts.csv': facts('GDP 2014-10-01 2015-01-30 17710') });
    const store = await openStore(path, { live: true, mostKept: 1000 });
    const read = () =>
      store.read(async (view) => {
        const page = await view.series.observations({ seriesId: 'GDP', limit: 1 });
        return [(await view.state()).name, page?.rows[0]?.value];
      });
    const [before] = [await read(), await read(), await read()];
    // A link, because few systems give a new file this number each time.
    const link = `${path}.link`;
    linkSync(path, link);
    rmSync(path);
    await expect(read()).rejects.toThrow('there is no such file or folder');
    copyFileSync(other, link);
    renameSync(link, path);
    const [name, value] = await read();
    expect([name === before?.[0], value]).toEqual([false, '17710']);
    await store.close();
  });
});

describe('a store that cannot be written', () => {
  /** Runs a command on a store that every user may read but no user may write; the same holds for its folders. */
  async function onReadOnly(path: string, line: readonly string[]) {
    const command = [...line, '--store', path];
    // Loads the modules of the command first, because the other user may not be allowed to read them.
    await asof(line[0] === 'import' ? [...command, '--dry-run'] : command);
    for (const place of [folder, dirname(path)]) chmodSync(place, 0o555);
    chmodSync(path, 0o444);
    try {
      return await withoutRights(() => asof(command));
    } finally {
      for (const place of [folder, dirname(path)]) chmodSync(place, 0o755);
    }
  }

  it.each([
    ['with a log', storeOf],
    ['without a log', plainStore],
  ])('answers queries and refuses imports, %s', async (_, begin) => {
    const path = await begin();
    for (const line of [
      ['observations', 'GDP', '--csv'],
      ['facts', 'GDP'],
    ])
      expect(await onReadOnly(path, line)).toEqual({
        code: 0,
        err: '',
        out: expect.stringContaining('17710.7'),
      });
    const file = join(folder, 'more.csv');
    writeFileSync(file, more);
    expect(await onReadOnly(path, ['import', file])).toMatchObject({ code: 10 });
  });
});

describe('a lock', () => {
  it('is held by one process at a time, until it is closed', async () => {
    const path = join(folder, 'a.lock');
    const held = await takeLock(path);
    expect(await takeLock(path)).toBeUndefined();
    await held?.close();
    await (await takeLock(path))?.close();
    expect(held).toBeDefined();
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['a pipe', (path) => void spawnSync('mkfifo', [path]), /cannot lock .*: it is not a file$/],
    ['a link to nowhere', (path) => symlinkSync(`${path}.elsewhere`, path), /: it is not a file$/],
    ['a text', (path) => writeFileSync(path, 'dear diary, '.repeat(100)), /: it is not a lock; remove it$/],
  ])('cannot be taken on %s', async (name, put, message) => {
    const path = join(folder, name);
    put(path);
    await expect(takeLock(path)).rejects.toThrow(message);
    expect(existsSync(`${path}.elsewhere`)).toBe(false);
  });
});

realCurvesSuite(testData);
