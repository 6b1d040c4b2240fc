import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
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
import { type BackupOptions, backupStore, copyStore, restoreStore } from '../../../src/maintenance/copy.ts';
import { digestOfStore } from '../../../src/maintenance/digest.ts';
import { initStore } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/driver.ts';
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

const changed = (store: string, date = '2015-01-01') =>
  importFiles(store, { 'more.csv': facts(`GDP ${date} 2015-04-29 2`) });

/** Passes a view to `work` while another connection has the store open. */
const whileOpen = (store: string, work: () => Promise<void>) =>
  withStore(store, async (open) => {
    await open.read((view) => view.contents.seriesIds());
    await work();
  });

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

/** Stops a copy when it is written, before it was compared. */
const stopping = {
  onProgress: ({ stage }: { readonly stage: string }) => {
    if (stage === 'compare') throw new Error('stopped');
  },
};

/** Backs a store up into a folder, at an hour of 2026-03-15, keeping one unless another number is given. */
const back = (store: string, folder: string, hour: string, options: BackupOptions = {}) =>
  backupStore(store, folder, { keep: 1, clock: () => new Date(`2026-03-15T${hour}:00:00Z`), ...options });

/** The name of the backup of that hour. */
const of = (hour: string) => `asof-2026-03-15T${hour}0000Z.db`;

onEveryEngine((engine) => {
  describe('backups with dated names', () => {
    it('are as many as are kept, the newest ones, each with what the store held then', async () => {
      const store = await newStore('GDP', engine.newAddress());
      const place = join(scratchFolder(), 'bk.db');
      const digests: string[] = [];
      for (const day of ['14', '15', '16', '17']) {
        await importFiles(store, { 'more.csv': facts(`GDP 2015-01-01 2015-04-${day} ${day}`) });
        const clock = () => new Date(`2026-03-${day}T03:15:00.9Z`);
        const { digest, removed } = await backupStore(store, place, { keep: 2, clock });
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
    for (let i = 0; i < 11; i += 1) await back(store, folder, '03', { keep: 2 });
    expect(filesIn(folder)).toEqual(['asof-2026-03-15T030000Z-10.db', 'asof-2026-03-15T030000Z-11.db']);
  });

  it('keep the new one also where the clock is behind the names of the others', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await back(store, folder, '', { clock: () => new Date('2030-01-01T00:00:00Z') });
    const { store: made, removed } = await back(store, folder, '03');
    expect(filesIn(folder)).toEqual([basename(made)]);
    expect(removed.map((path) => basename(path))).toEqual(['asof-2030-01-01T000000Z.db']);
  });

  it('remove no file that another rule or a person made', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    for (const name of [
      'bk.db',
      'bk-2026-01-01T000000Z-before-update.db',
      'bk-2026-01-01.db',
      'bk2-2026-01-01T000000Z.db',
      'x-bk-2026-01-01T000000Z.db',
      'bk-2026-01-01T000000Z.db.gz',
    ])
      writeFileSync(join(folder, name), 'mine');
    mkdirSync(join(folder, 'bk-2026-01-02T000000Z.db'));
    symlinkSync(join(folder, 'bk.db'), join(folder, 'bk-2026-01-03T000000Z.db'));
    const before = filesIn(folder);
    await back(store, join(folder, 'bk'), '01');
    const { store: made } = await back(store, join(folder, 'bk'), '02');
    expect(filesIn(folder)).toEqual([...before, basename(made)].sort());
  });

  it('leave a file alone that has their name and is no store, and say that it stays', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    const path = join(folder, 'asof-2026-01-01T000000Z.db');
    writeFileSync(path, 'mine');
    const { detail } = await problemOf(back(store, folder, '03'));
    expect(detail).toContain(`${of('03')} is complete, but ${path} stays: `);
    expect(filesIn(folder)).toEqual([basename(path), of('03')]);
  });

  it('leave a backup alone that somebody reads, say that it stays, and remove it the next time', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    const { store: first } = await back(store, folder, '01');
    await whileOpen(first, async () => {
      const { detail } = await problemOf(back(store, folder, '02'));
      expect(detail).toContain(`${first} stays: ${first} is a store in use`);
    });
    await back(store, folder, '03');
    expect(filesIn(folder)).toEqual([of('03')]);
  });

  it.each([
    ['of another store', () => newStore('UNRATE')],
    ['of a store that was emptied', emptyStore],
  ])('%s do not take the place of those of this one', async (_, begin) => {
    const [store, other, folder] = [await newStore(), await begin(), scratchFolder()];
    await back(store, folder, '01');
    expect((await problemOf(back(other, folder, '02'))).detail).toContain('is a backup of another store');
    expect(filesIn(folder)).toEqual([of('01')]);
  });

  it('are not removed by a backup that fails, of which nothing stays', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await back(store, folder, '01');
    await expect(back(store, folder, '02', stopping)).rejects.toThrow('stopped');
    expect(filesIn(folder)).toEqual([of('01')]);
    await back(store, folder, '03');
    expect(filesIn(folder)).toEqual([of('03')]);
  });

  it('made by two processes at once are both complete, and neither removes the other', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await back(store, folder, '00');
    await Promise.all(['01', '02'].map((hour) => back(store, folder, hour)));
    expect(filesIn(folder)).toEqual([of('01'), of('02')]);
    const digests = await Promise.all(filesIn(folder).map((name) => digestIn(join(folder, name))));
    expect(new Set(digests)).toEqual(new Set([await digestIn(store)]));
  });

  it('cannot be made in a folder that cannot be written, which the message names', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await back(store, folder, '01');
    for (const readable of [dirname(dirname(store)), dirname(store), folder]) chmodSync(readable, 0o555);
    chmodSync(store, 0o444);
    const { kind, detail } = await withoutRights(() => problemOf(back(store, folder, '02')));
    expect(kind).toBe('local-io');
    expect(detail).toMatch(new RegExp(`${folder}.*: its folder cannot be written`));
    expect(filesIn(folder)).toEqual([of('01')]);
  });

  it('are named in a dry run, which writes and removes nothing', async () => {
    const [store, folder] = [await newStore(), scratchFolder()];
    await back(store, folder, '01');
    const dry = await back(store, folder, '02', { dryRun: true });
    expect([dry.store, ...dry.removed].map((path) => basename(path))).toEqual([of('02'), of('01')]);
    expect(filesIn(folder)).toEqual([of('01')]);
  });
});

describe('a restore', () => {
  /** A store, its backup, and what the backup holds; the store has changed since. */
  async function changedStore() {
    const store = await newStore();
    const backup = join(scratchFolder(), 'b.db');
    const { digest } = await copyStore(store, backup);
    await changed(store);
    return { store, backup, digest, before: await digestIn(store) };
  }

  it('into PostgreSQL replaces no store, and names the way out', async () => {
    const { backup } = await changedStore();
    const address = await newStore('UNRATE', postgres.newAddress());
    const { detail, hints } = await problemOf(restoreStore(backup, address));
    expect(detail).toContain('exists already and is not empty');
    expect(hints.join()).toContain('drop its schema first');
  });

  it('puts the backup in the place of the store, which keeps its mode, and leaves nothing beside it', async () => {
    const { store, backup, digest } = await changedStore();
    chmodSync(store, 0o600);
    await restoreStore(backup, store);
    expect(await digestIn(store)).toBe(digest);
    expect(statSync(store).mode & 0o777).toBe(0o600);
    expect(filesIn(dirname(store))).toEqual([basename(store)]);
    await changed(store);
  });

  it('of a damaged backup is refused, and the store stays as it was', async () => {
    const { store, backup, before } = await changedStore();
    const [cut, wrong] = [join(scratchFolder(), 'cut.db'), join(scratchFolder(), 'wrong.db')];
    for (const path of [cut, wrong]) cpSync(backup, path);
    truncateSync(cut, 20_480);
    expect((await problemOf(restoreStore(cut, store))).detail).toMatch(/cut\.db.*is damaged/);
    const db = openDatabase(wrong);
    db.exec("update series set first_vintage = '2001-01-01'");
    db.close();
    expect((await problemOf(restoreStore(wrong, store))).detail).toMatch(/wrong\.db is damaged: GDP: /);
    expect(await digestIn(store)).toBe(before);
  });

  it('over a store that somebody has open is refused, and the store stays as it was', async () => {
    const { store, backup, before } = await changedStore();
    await whileOpen(store, async () => {
      const { detail, hints } = await problemOf(restoreStore(backup, store));
      expect(detail).toBe(`${store} is a store in use`);
      expect(hints.join()).toContain('asof serve');
    });
    expect(await digestIn(store)).toBe(before);
  });

  it('that fails leaves the store as it was, with its log', async () => {
    const { store, backup, before } = await changedStore();
    await expect(restoreStore(backup, store, stopping)).rejects.toThrow('stopped');
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

  it('of the store itself is refused', async () => {
    const { backup } = await changedStore();
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

describe('a copy to a file', () => {
  /** A store, and the address of a file in a new folder; there is a copy of the store, which has changed since. */
  async function storeAndCopy() {
    const [store, copy] = [await newStore(), sqlite.newAddress()];
    const { digest } = await copyStore(store, copy);
    await changed(store);
    return { store, copy, digest };
  }

  /** A store, and a path in a folder. */
  async function storeAndPath() {
    const path = sqlite.newAddress();
    mkdirSync(dirname(path), { recursive: true });
    return { store: await newStore(), path };
  }

  it('replaces a file where that is asked for, but none that is open, although nobody reads or writes it now', async () => {
    const { store, copy, digest: first } = await storeAndCopy();
    await whileOpen(copy, () =>
      expect(copyStore(store, copy, { replace: true })).rejects.toThrow(/is a store in use/),
    );
    expect(await digestIn(copy)).toBe(first);
    // It was refused before the store was copied.
    expect(filesIn(dirname(copy))).toEqual([basename(copy)]);
    const { digest } = await copyStore(store, copy, { replace: true });
    expect(digest).not.toBe(first);
    expect(await digestIn(copy)).toBe(digest);
  });

  it('replaces the store that a link leads to, and not the link', async () => {
    const { store, copy } = await storeAndCopy();
    const link = join(dirname(copy), 'link.db');
    symlinkSync(copy, link);
    const { digest } = await copyStore(store, link, { replace: true });
    expect(await digestIn(copy)).toBe(digest);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it.each([{ replace: true }, { replace: false }])(
    'does not write through a link to nothing (%o)',
    async (how) => {
      const { store, path } = await storeAndPath();
      symlinkSync('nowhere.db', path);
      await expect(copyStore(store, path, how)).rejects.toThrow(/is a link to a file that does not exist/);
      expect(readdirSync(dirname(path))).toEqual([basename(path)]);
    },
  );

  it('replaces no file that is not a store', async () => {
    const { store, path } = await storeAndPath();
    writeFileSync(path, 'date,value\n');
    const refused = copyStore(store, path, { replace: true });
    await expect(refused).rejects.toThrow(/is no store that a backup could/);
    expect(readFileSync(path, 'utf8')).toBe('date,value\n');
    expect(filesIn(dirname(path))).toEqual([basename(path)]);
  });
});
