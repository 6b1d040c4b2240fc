import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { checkStore } from '../../../src/maintenance/check.ts';
import { backupStore, copyStore, restoreStore } from '../../../src/maintenance/copy.ts';
import { digestOfStore } from '../../../src/maintenance/digest.ts';
import { initStore } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { onEveryEngine, postgres, sqlite } from '../../support/engines.ts';
import { scratchFolder, withoutRights } from '../../support/folders.ts';
import { facts, importFiles, reading, withStore } from '../../support/scratch-store.ts';

const digestIn = (address: string) => reading(address, (view) => digestOfStore(view));

/** A store with one series, whose first file differs from that of other names. */
async function newStore(id = 'GDP', address = sqlite.newAddress()): Promise<string> {
  await importFiles(address, { 'facts.csv': facts(`${id} 2014-10-01 2015-01-30 1.50`) });
  return address;
}

async function emptyStore(): Promise<string> {
  const address = sqlite.newAddress();
  await initStore(address, false);
  return address;
}

const at = (time: string) => ({ clock: () => new Date(time) });

/** The names of the files in a folder, in order. */
const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !/-(wal|shm)$/.test(name))
    .sort();

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (failure: unknown) => failure,
  );
  if (error instanceof Problem) return error;
  throw error;
}

onEveryEngine((engine) => {
  describe('backups with dated names', () => {
    it('are as many as are kept, the newest ones, each with what the store held then', async () => {
      const store = await newStore('GDP', engine.newAddress());
      const place = join(scratchFolder(), 'bk.db');
      const digests: string[] = [];
      for (const day of ['14', '15', '16', '17']) {
        await importFiles(store, { 'more.csv': facts(`GDP 2015-01-01 2015-04-${day} ${day}`) });
        const { digest, removed } = await backupStore(store, place, {
          keep: 2,
          ...at(`2026-03-${day}T03:15:00.9Z`),
        });
        digests.push(digest);
        expect(removed.map((path) => basename(path))).toEqual(
          Number(day) < 16 ? [] : [`bk-2026-03-${Number(day) - 2}T031500Z.db`],
        );
      }
      const folder = join(place, '..');
      expect(filesIn(folder)).toEqual(['bk-2026-03-16T031500Z.db', 'bk-2026-03-17T031500Z.db']);
      const held = await Promise.all(filesIn(folder).map((name) => digestIn(join(folder, name))));
      expect(held).toEqual(digests.slice(2));
    });
  });

  describe('a restored store', () => {
    it('holds what the backup holds, and has no fault', async () => {
      const store = await newStore();
      const backup = join(scratchFolder(), 'b.db');
      await copyStore(store, backup);
      const address = engine.newAddress();
      const { digest } = await restoreStore(backup, address);
      expect(await digestIn(address)).toBe(digest);
      expect(digest).toBe(await digestIn(store));
      expect((await checkStore(address)).faults).toEqual([]);
    });
  });
});

describe('backups with dated names', () => {
  it('of one second each have their own name, and the newest of them stays', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    for (let i = 0; i < 11; i += 1)
      await backupStore(store, folder, { keep: 2, ...at('2026-03-15T03:15:00Z') });
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T031500Z-10.db', 'asof-2026-03-15T031500Z-11.db']);
  });

  it('keep the new one also where the clock is behind the names of the others', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await backupStore(store, folder, { keep: 1, ...at('2030-01-01T00:00:00Z') });
    const { store: made, removed } = await backupStore(store, folder, {
      keep: 1,
      ...at('2026-03-15T03:15:00Z'),
    });
    expect(filesIn(folder)).toEqual([basename(made)]);
    expect(removed.map((path) => basename(path))).toEqual(['asof-2030-01-01T000000Z.db']);
  });

  it('remove no file that another rule or a person made', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    const others = [
      'bk.db',
      'bk-2026-01-01T000000Z-before-update.db',
      'bk-2026-01-01.db',
      'bk2-2026-01-01T000000Z.db',
      'x-bk-2026-01-01T000000Z.db',
      'bk-2026-01-01T000000Z.db.gz',
    ];
    for (const name of others) writeFileSync(join(folder, name), 'mine');
    mkdirSync(join(folder, 'bk-2026-01-02T000000Z.db'));
    symlinkSync(join(folder, 'bk.db'), join(folder, 'bk-2026-01-03T000000Z.db'));
    const before = filesIn(folder);
    const made: string[] = [];
    for (const hour of ['01', '02'])
      made.push(
        (await backupStore(store, join(folder, 'bk'), { keep: 1, ...at(`2026-03-15T${hour}:00:00Z`) })).store,
      );
    expect(filesIn(folder)).toEqual([...before, basename(made[1] ?? '')].sort());
  });

  it('leave a file alone that has their name and is no store, and say that it stays', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    const path = join(folder, 'asof-2026-01-01T000000Z.db');
    writeFileSync(path, 'mine');
    const { detail } = await problemOf(
      backupStore(store, folder, { keep: 1, ...at('2026-03-15T03:15:00Z') }),
    );
    expect(detail).toContain(`asof-2026-03-15T031500Z.db is complete, but ${path} stays: `);
    expect(filesIn(folder)).toEqual(['asof-2026-01-01T000000Z.db', 'asof-2026-03-15T031500Z.db']);
  });

  it('leave a backup alone that somebody reads, say that it stays, and remove it the next time', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    const { store: first } = await backupStore(store, folder, { keep: 1, ...at('2026-03-15T01:00:00Z') });
    await withStore(first, async (open) => {
      await open.read((view) => view.contents.seriesIds());
      const { detail } = await problemOf(
        backupStore(store, folder, { keep: 1, ...at('2026-03-15T02:00:00Z') }),
      );
      expect(detail).toContain(`${first} stays: ${first} is a store in use`);
    });
    await backupStore(store, folder, { keep: 1, ...at('2026-03-15T03:00:00Z') });
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T030000Z.db']);
  });

  it.each([
    ['of another store', () => newStore('UNRATE')],
    ['of a store that was emptied', emptyStore],
  ])('%s do not take the place of those of this one', async (_, begin) => {
    const [store, other, folder] = [await newStore(), await begin(), scratchFolder()];
    await backupStore(store, folder, { keep: 1, ...at('2026-03-15T01:00:00Z') });
    const { detail } = await problemOf(
      backupStore(other, folder, { keep: 1, ...at('2026-03-15T02:00:00Z') }),
    );
    expect(detail).toContain('is a backup of another store');
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T010000Z.db']);
  });

  it('are not removed by a backup that fails, which the next one continues', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await backupStore(store, folder, { keep: 1, ...at('2026-03-15T01:00:00Z') });
    const stopped = backupStore(store, folder, {
      keep: 1,
      ...at('2026-03-15T02:00:00Z'),
      onProgress: ({ stage }) => {
        if (stage === 'compare') throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T010000Z.db', 'asof.db.unfinished']);
    const { already } = await backupStore(store, folder, { keep: 1, ...at('2026-03-16T01:00:00Z') });
    expect(already).toBe(1);
    expect(filesIn(folder)).toEqual(['asof-2026-03-16T010000Z.db']);
  });

  it('do not change after their process was killed between the two steps of its publication', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    const first = await backupStore(store, folder, { keep: 2, ...at('2026-03-15T01:00:00Z') });
    linkSync(first.store, join(folder, 'asof.db.unfinished'));
    await importFiles(store, { 'more.csv': facts('GDP 2015-01-01 2015-04-29 2') });
    const second = await backupStore(store, folder, { keep: 2, ...at('2026-03-15T02:00:00Z') });
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T010000Z.db', 'asof-2026-03-15T020000Z.db']);
    expect(await digestIn(first.store)).toBe(first.digest);
    expect(await digestIn(second.store)).toBe(second.digest);
  });

  it('are made by one process at a time', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    const both = await Promise.allSettled(
      ['01', '02'].map((hour) => backupStore(store, folder, { keep: 1, ...at(`2026-03-15T${hour}:00:00Z`) })),
    );
    const refused = both.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([
      { reason: { detail: expect.stringContaining('another process writes') } },
    ]);
    expect(filesIn(folder)).toHaveLength(1);
  });

  it('cannot be made in a folder that cannot be written, which the message names', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await backupStore(store, folder, { keep: 1, ...at('2026-03-15T01:00:00Z') });
    for (const readable of [dirname(dirname(store)), dirname(store), folder]) chmodSync(readable, 0o555);
    chmodSync(store, 0o444);
    const { kind, detail } = await withoutRights(() =>
      problemOf(backupStore(store, folder, { keep: 1, ...at('2026-03-15T02:00:00Z') })),
    );
    expect([kind, detail]).toEqual([
      'local-io',
      expect.stringMatching(new RegExp(`${folder}.*: permission denied`)),
    ]);
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T010000Z.db']);
  });

  it('are named in a dry run, which writes and removes nothing', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await backupStore(store, folder, { keep: 1, ...at('2026-03-15T01:00:00Z') });
    const dry = await backupStore(store, folder, { keep: 1, dryRun: true, ...at('2026-03-15T02:00:00Z') });
    const named = [dry.store, ...dry.removed].map((path) => basename(path));
    expect(named).toEqual(['asof-2026-03-15T020000Z.db', 'asof-2026-03-15T010000Z.db']);
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T010000Z.db']);
  });
});

describe('a restore into PostgreSQL', () => {
  it('replaces no store, and names the way out', async () => {
    const backup = join(scratchFolder(), 'b.db');
    await copyStore(await newStore(), backup);
    const address = await newStore('UNRATE', postgres.newAddress());
    const { detail, hints } = await problemOf(restoreStore(backup, address));
    expect(detail).toContain('exists already and is not empty');
    expect(hints.join()).toContain('drop its schema first');
  });
});

describe('a restore', () => {
  /** A store, its backup, and what the backup holds; the store has changed since. */
  async function changedStore() {
    const store = await newStore();
    const backup = join(scratchFolder(), 'b.db');
    const { digest } = await copyStore(store, backup);
    await importFiles(store, { 'more.csv': facts('GDP 2015-01-01 2015-04-29 2') });
    return { store, backup, digest };
  }

  it('puts the backup in the place of the store, which keeps its mode, and leaves nothing beside it', async () => {
    const { store, backup, digest } = await changedStore();
    chmodSync(store, 0o600);
    await restoreStore(backup, store);
    expect(await digestIn(store)).toBe(digest);
    expect(statSync(store).mode & 0o777).toBe(0o600);
    expect(filesIn(join(store, '..')).filter((name) => /unfinished/.test(name))).toEqual([]);
    await importFiles(store, { 'more.csv': facts('GDP 2015-01-01 2015-04-29 2') });
  });

  it('of a damaged backup is refused, and the store stays as it was', async () => {
    const { store, backup } = await changedStore();
    const before = await digestIn(store);
    const cut = join(scratchFolder(), 'cut.db');
    cpSync(backup, cut);
    truncateSync(cut, 20_480);
    expect((await problemOf(restoreStore(cut, store))).detail).toMatch(/cut\.db.*is damaged/);
    const wrong = join(scratchFolder(), 'wrong.db');
    cpSync(backup, wrong);
    const db = openDatabase(wrong);
    db.exec("update series set first_vintage = '2001-01-01'");
    db.close();
    const { detail } = await problemOf(restoreStore(wrong, store));
    expect(detail).toMatch(/wrong\.db is damaged: GDP: /);
    expect(await digestIn(store)).toBe(before);
  });

  it('over a store that somebody has open is refused, and the store stays as it was', async () => {
    const { store, backup } = await changedStore();
    const before = await digestIn(store);
    await withStore(store, async (open) => {
      await open.read((view) => view.contents.seriesIds());
      const { detail, hints } = await problemOf(restoreStore(backup, store));
      expect(detail).toBe(`${store} is a store in use`);
      expect(hints.join()).toContain('asof serve');
    });
    expect(await digestIn(store)).toBe(before);
  });

  it('that fails leaves the store as it was, with its log', async () => {
    const { store, backup } = await changedStore();
    const before = await digestIn(store);
    const failing = restoreStore(backup, store, {
      onProgress: ({ stage }) => {
        if (stage === 'compare') throw new Error('stopped');
      },
    });
    await expect(failing).rejects.toThrow('stopped');
    expect(await digestIn(store)).toBe(before);
    const db = openDatabase(store);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  });

  it.each([
    ['cut short', (path: string) => truncateSync(path, 20_480)],
    ['with a page overwritten', (path: string) => overwrite(path, 4096)],
    ['with an overwritten list of tables', (path: string) => overwrite(path, 100)],
  ])('replaces a store that is damaged: %s', async (_, damage) => {
    const { store, backup, digest } = await changedStore();
    damage(store);
    // A log that the damaged store left must not be applied to the new one.
    cpSync(backup, `${store}-wal`);
    await restoreStore(backup, store);
    expect(existsSync(`${store}-wal`)).toBe(false);
    expect(await digestIn(store)).toBe(digest);
    expect((await checkStore(store)).faults).toEqual([]);
  });

  it('replaces no file that is not a store', async () => {
    const { backup } = await changedStore();
    const path = join(scratchFolder(), 'notes.txt');
    writeFileSync(path, 'mine');
    expect((await problemOf(restoreStore(backup, path))).detail).toContain('is no store');
    await expect(restoreStore(backup, backup)).rejects.toThrow('is the store itself');
  });
});

/** Writes 4096 bytes of nonsense over a store, from a place on. */
function overwrite(path: string, place: number): void {
  const db = openDatabase(path);
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, place, place + 4096));
}
