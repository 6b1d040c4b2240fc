import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeLock } from '../../../src/store/sqlite/access.ts';
import { scratchFolder } from '../../support/folders.ts';

const folder = scratchFolder();

describe('a lock', () => {
  test('is held by one process at a time, until it is closed', async () => {
    const path = join(folder, 'a.lock');
    const held = await takeLock(path);
    expect(await takeLock(path)).toBeUndefined();
    await held?.close();
    await (await takeLock(path))?.close();
    expect(held).toBeDefined();
  });

  test.each<[string, (path: string) => void, RegExp]>([
    ['a pipe', (path) => void spawnSync('mkfifo', [path]), /cannot lock .*: it is not a file$/],
    ['a link to nowhere', (path) => symlinkSync(`${path}.elsewhere`, path), /: it is not a file$/],
    [
      'a file of something else',
      (path) => writeFileSync(path, 'dear diary, '.repeat(100)),
      /: it is not a lock; remove it$/,
    ],
  ])('cannot be taken on %s', async (name, put, message) => {
    const path = join(folder, name);
    put(path);
    await expect(takeLock(path)).rejects.toThrow(message);
    expect(existsSync(`${path}.elsewhere`)).toBe(false);
  });
});
