import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../../src/platform/files.ts';

const root = mkdtempSync(join(tmpdir(), 'asof-folder-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('makeFolder', () => {
  it('makes a folder and those above it, all with the mode', () => {
    makeFolder(join(root, 'a/b/c'), 0o700);
    for (const name of ['a', 'a/b', 'a/b/c']) expect(statSync(join(root, name)).mode & 0o777).toBe(0o700);
  });

  it('leaves one that is there as it is, also behind a link', () => {
    const there = join(root, 'there');
    mkdirSync(there);
    chmodSync(there, 0o755);
    writeFileSync(join(there, 'kept'), '');
    symlinkSync(there, join(root, 'link'));
    for (const name of ['there', 'link', '.', 'there/']) makeFolder(join(root, name), 0o700);
    expect(statSync(there).mode & 0o777).toBe(0o755);
    expect(existsSync(join(there, 'kept'))).toBe(true);
  });

  it('refuses a path through a file, and a file', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolder(join(root, 'file/x/y'))).toThrow(/ENOTDIR/);
    expect(() => makeFolder(join(root, 'file'))).toThrow(/EEXIST/);
  });

  it('ends if the system lets nobody make a folder', () => {
    for (const path of ['/proc/nope', '/proc/nope/x', '/proc/nope/x/y'])
      expect(() => makeFolder(path)).toThrow(/ENOENT.*\/proc\/nope/);
  });
});
