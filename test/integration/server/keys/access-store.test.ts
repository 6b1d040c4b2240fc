import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../../src/server/keys/gate.ts';
import { openAccess } from '../../../../src/store/open.ts';
import { openDatabase } from '../../../../src/store/sqlite/connection.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { digestOf } from '../../../support/scratch-store.ts';

const now = new Date('2026-01-15T12:00:00Z');
const newPath = () => join(scratchFolder(), 'deep', 'access.db');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('an access store', () => {
  it('is readable only by its owner, like its journal and its lock', async () => {
    const path = newPath();
    const store = await openAccess(path, { counting: true });
    await store.addKey(newKey({ name: 'Ada', plan: 'pro', now }).stored);
    expect(['', '-wal', '-shm', '.lock'].map((suffix) => modeOf(path + suffix))).toEqual([
      '600',
      '600',
      '600',
      '600',
    ]);
    expect(modeOf(join(path, '..'))).toBe('700');
    await store.close();
  });

  it('lets one process count; others can change keys meanwhile', async () => {
    const path = newPath();
    const first = await openAccess(path, { counting: true });
    const link = `${path}-link`;
    symlinkSync(path, link);
    for (const name of [path, link])
      await expect(openAccess(name, { counting: true })).rejects.toThrow(
        'another asof serve counts requests',
      );
    const other = await openAccess(path, { counting: false });
    const before = await first.version();
    await other.addKey(newKey({ name: 'Ada', plan: 'pro', now }).stored);
    expect(await first.version()).toBeGreaterThan(before);
    await other.close();
    await first.close();
    await (await openAccess(path, { counting: true })).close();
  });

  it('reports that another process has locked it, and works again afterwards', async () => {
    const path = newPath();
    const store = await openAccess(path, { counting: true });
    const other = openDatabase(path);
    other.exec('begin immediate');
    const usage = [{ keyId: 'k', window: 'day', began: now, count: 3 }] as const;
    await expect(store.saveUsage(usage)).rejects.toThrow('is locked by another process');
    other.exec('rollback');
    await store.saveUsage(usage);
    expect(await store.usage()).toEqual(usage);
    other.close();
    await store.close();
  });

  it.each<[string, (path: string) => void, string]>([
    ['that is no database', (path) => writeFileSync(path, 'key,name\n'.repeat(200)), 'cannot use the store'],
    [
      'of somebody else',
      (path) => openDatabase(path).exec('create table t (a)').close(),
      'is not an access store of asof',
    ],
    [
      'of a newer asof',
      (path) =>
        openDatabase(path)
          .exec('create table t (a); pragma application_id = 1634955115; pragma user_version = 99')
          .close(),
      'was made by a newer asof',
    ],
  ])('refuses a file %s and leaves it unchanged', async (_, make, reason) => {
    const path = join(scratchFolder(), 'access.db');
    make(path);
    const before = digestOf(path);
    await expect(openAccess(path, { counting: true })).rejects.toThrow(reason);
    await expect(openAccess(path, { counting: true })).rejects.toThrow(reason);
    expect(digestOf(path)).toBe(before);
  });
});
