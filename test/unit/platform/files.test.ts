import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceFile } from '../../../src/platform/config-file.ts';
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

describe('replaceFile', () => {
  const content = (name: string) => readFileSync(join(root, name), 'utf8');

  it('writes a new file with the mode, and leaves no draft', async () => {
    await replaceFile(join(root, 'new.json'), 'new', 0o600);
    expect([content('new.json'), statSync(join(root, 'new.json')).mode & 0o777]).toEqual(['new', 0o600]);
    expect(readdirSync(root).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('replaces the file that a symbolic link points to, and the link stays', async () => {
    writeFileSync(join(root, 'target.json'), 'old');
    symlinkSync('target.json', join(root, 'link.json'));
    await replaceFile(join(root, 'link.json'), 'new', 0o600);
    expect([content('target.json'), lstatSync(join(root, 'link.json')).isSymbolicLink()]).toEqual([
      'new',
      true,
    ]);
  });

  it('leaves the file as it was where a folder has taken its place', async () => {
    mkdirSync(join(root, 'taken'));
    writeFileSync(join(root, 'taken/kept'), '');
    await expect(replaceFile(join(root, 'taken'), 'new', 0o600)).rejects.toMatchObject({ syscall: 'rename' });
    expect(existsSync(join(root, 'taken/kept'))).toBe(true);
    expect(readdirSync(root).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
