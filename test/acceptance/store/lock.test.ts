import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeLock } from '../../../src/store/sqlite/lock.ts';
import { scratchFolder } from '../../support/scratch-store.ts';

const folder = scratchFolder();

describe('a lock', () => {
  test('is held by one, and free again when it is closed', () => {
    const path = join(folder, 'a.lock');
    const held = takeLock(path);
    expect(takeLock(path)).toBeUndefined();
    held?.close();
    takeLock(path)?.close();
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
  ])('is refused at once where %s stands', (name, put, message) => {
    const path = join(folder, name);
    put(path);
    expect(() => takeLock(path)).toThrow(message);
    expect(existsSync(`${path}.elsewhere`)).toBe(false);
  });
});
