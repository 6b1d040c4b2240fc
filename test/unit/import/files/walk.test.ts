import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allBytes } from '../../../../src/import/files/source-file.ts';
import { fileBytes, printablePath, sourceFiles } from '../../../../src/import/files/walk.ts';
import { tempFolder, withoutRights } from '../../../support/folders.ts';
import { onlyFile, tempFile, textOf, zipOf } from '../../../support/source-file.ts';

async function pathsIn(...typed: string[]): Promise<string[]> {
  const [folder = ''] = typed;
  return (await sourceFiles(typed)).map(({ path }) => path.replace(`${folder}/`, ''));
}

describe('the search for files', () => {
  it('gives a typed file with its base name and the path as typed', async () => {
    const path = join(tempFolder({ 'a/GDP.csv': 'x' }), 'a', 'GDP.csv');
    const file = await onlyFile(path);
    expect([file.name, file.path]).toEqual(['GDP.csv', path]);
  });

  it('walks folders recursively, sorted by name, without hidden files and folders', async () => {
    const folder = tempFolder({
      'b.csv': '1',
      'a/z.csv': '2',
      'a/b/c.csv': '3',
      '.git/x': '4',
      'a/.DS_Store': '5',
    });
    expect(await pathsIn(folder)).toEqual(['a/b/c.csv', 'a/z.csv', 'b.csv']);
  });

  it('keeps the order of typed paths, and reads a hidden file that is typed', async () => {
    const folder = tempFolder({ 'a.csv': '1', '.b.csv': '2' });
    expect((await sourceFiles([`${folder}/.b.csv`, `${folder}/a.csv`])).map(({ name }) => name)).toEqual([
      '.b.csv',
      'a.csv',
    ]);
  });

  it('follows symbolic links to files and folders, and gives a folder reached twice once', async () => {
    const folder = tempFolder({ 'real/a.csv': 'text' });
    symlinkSync(join(folder, 'real', 'a.csv'), join(folder, 'link.csv'));
    symlinkSync(join(folder, 'real'), join(folder, 'same'));
    expect(await pathsIn(folder)).toEqual(['link.csv', 'real/a.csv']);
    expect(await textOf(await onlyFile(join(folder, 'link.csv')))).toBe('text');
    expect(await sourceFiles([folder, join(folder, 'real')])).toHaveLength(2);
  });

  it('shows control characters of names escaped, and still finds the file', async () => {
    const folder = tempFolder({ 'a\u001b[31m\u202eb.csv': 'red' });
    const file = await onlyFile(folder);
    expect(file.name).toBe('a\\u{1b}[31m\\u{202e}b.csv');
    expect(await textOf(file)).toBe('red');
  });
});

describe('a path in a message', () => {
  it.each([
    ['2015-01.csv', '2015-01.csv'],
    ['Prüfung 物価.csv', 'Prüfung 物価.csv'],
    ['a\u001b]0;x\u0007', 'a\\u{1b}]0;x\\u{7}'],
    ['a\u202egpj.exe', 'a\\u{202e}gpj.exe'],
    ['a\u2028b', 'a\\u{2028}b'],
    ['', '""'],
  ])('shows %j as %s', (name, shown) => {
    expect(printablePath(name)).toBe(shown);
  });
});

describe('a path that gives no file', () => {
  it.each<[string, 'local-io' | 'bad-input', string]>([
    ['none.csv', 'local-io', 'cannot read FOLDER/none.csv: there is no such file or folder'],
    ['a.csv/b', 'local-io', 'cannot read FOLDER/a.csv/b: a part of the path is not a folder'],
    ['self', 'local-io', 'cannot read FOLDER/self: its symbolic links form a loop'],
    ['broken', 'local-io', 'cannot read FOLDER/broken/gone: there is no such file or folder'],
    ['loop', 'local-io', 'FOLDER/loop/in/again: the folder contains itself, through a symbolic link'],
    ['empty', 'bad-input', 'FOLDER/empty: the folder has no file to import (hidden files are ignored)'],
    ['hidden', 'bad-input', 'FOLDER/hidden: the folder has no file to import (hidden files are ignored)'],
  ])('is refused by its name: %s', async (path, kind, detail) => {
    const folder = tempFolder({ 'a.csv': 'x', 'hidden/.x': 'x', 'loop/in/a.csv': 'x', 'broken/a.csv': 'x' });
    mkdirSync(join(folder, 'empty'));
    symlinkSync('self', join(folder, 'self'));
    symlinkSync('nowhere', join(folder, 'broken', 'gone'));
    symlinkSync(join(folder, 'loop'), join(folder, 'loop', 'in', 'again'));
    await expect(sourceFiles([join(folder, path)])).rejects.toMatchObject({
      kind,
      detail: detail.replace('FOLDER', folder),
    });
  });

  it('is refused when it is a device', async () => {
    await expect(sourceFiles(['/dev/null'])).rejects.toMatchObject({
      kind: 'local-io',
      detail: '/dev/null: neither a file nor a folder',
    });
  });

  it('is refused when it may not be read', async () => {
    const folder = tempFolder({ 'a.csv': 'x' });
    const path = join(folder, 'a.csv');
    chmodSync(folder, 0o755);
    await expect(onlyFile(path).then(textOf)).resolves.toBe('x');
    chmodSync(path, 0);
    await withoutRights(() =>
      expect(sourceFiles([path])).rejects.toMatchObject({ detail: `cannot read ${path}: permission denied` }),
    );
  });

  it('is refused when it vanishes before it is read', async () => {
    const folder = tempFolder({ 'a.csv': 'x' });
    const path = join(folder, 'a.csv');
    const file = await onlyFile(path);
    rmSync(path);
    const gone = { kind: 'local-io', detail: `cannot read ${path}: there is no such file or folder` };
    await expect(textOf(file)).rejects.toMatchObject(gone);
    await expect(allBytes(file)).rejects.toMatchObject(gone);
    await expect(file.sha256()).rejects.toMatchObject(gone);
  });

  it('is a Problem at once, because a read that waits would outlast every signal', async () => {
    const path = join(tempFolder({}), 'pipe');
    execFileSync('mkfifo', [path]);
    // A writer that never writes: without it, the pipe would just end.
    const writer = openSync(path, constants.O_RDWR);
    try {
      await expect(fileBytes(path, 'pipe').next()).rejects.toMatchObject({
        kind: 'local-io',
        detail:
          'cannot read pipe: it has nothing to read now, and may never have; save its content to a file',
      });
    } finally {
      closeSync(writer);
    }
  });
});

describe('a file', () => {
  const text = 'line\n'.repeat(40_000);

  it('is opened from the beginning at each call, and has a head of 64 KiB', async () => {
    const file = await tempFile('a.csv', text);
    expect(await textOf(file)).toBe(text);
    expect(await textOf(file)).toBe(text);
    expect((await allBytes(file)).toString()).toBe(text);
    expect((await file.head()).toString()).toBe(text.slice(0, 65_536));
  });

  it('has the SHA-256 of its bytes on disk', async () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(await (await tempFile('abc', 'abc')).sha256()).toBe(abc);
    const packed = gzipSync('abc');
    const sum = createHash('sha256').update(packed).digest('hex');
    expect(await (await tempFile('abc.gz', packed)).sha256()).toBe(sum);
  });

  it('has as siblings the other plain files of its folder, unpacked', async () => {
    const folder = tempFolder({
      'a.csv': 'a',
      'b.json.gz': gzipSync('{}'),
      'c.zip': zipOf([{ name: 'x', content: 'x' }]),
      'd.gz': gzipSync('d').subarray(0, 12),
      'e/f.csv': 'f',
      '.g': 'g',
    });
    const siblings = await (await onlyFile(join(folder, 'a.csv'))).siblings();
    expect(siblings.map(({ name }) => name)).toEqual(['b.json']);
    expect(await Promise.all(siblings.map(textOf))).toEqual(['{}']);
  });
});

describe('file descriptors', () => {
  const openNow = () => readdirSync('/proc/self/fd').length;

  it('are closed after a file is read in full, in part, not at all, or with an error', async () => {
    const content = 'x'.repeat(600_000);
    const packed = gzipSync(content);
    const names = Array.from({ length: 9 }, (_, i) => `${i}.csv`);
    const folder = tempFolder({
      ...Object.fromEntries(names.map((name) => [name, content])),
      'p.gz': packed,
      'q.zip': zipOf(names.map((name) => ({ name, content }))),
    });
    const broken = join(tempFolder({ 'r.gz': packed.subarray(0, 200) }), 'r.gz');
    await expect(onlyFile(broken).then(textOf)).rejects.toThrow('damaged or cut short');
    const before = openNow();
    const files = await sourceFiles([folder]);
    expect(files).toHaveLength(19);
    for (const [index, file] of files.entries()) {
      await file.head();
      const stream = file.read();
      if (index % 3 === 0) await textOf(file);
      if (index % 3 === 1) for await (const _ of stream) break;
      await expect(onlyFile(broken).then(textOf)).rejects.toThrow();
    }
    for (let wait = 0; openNow() > before && wait < 100; wait += 1) await sleep(20);
    expect(openNow()).toBeLessThanOrEqual(before);
  });
});
