import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sumOfFile } from '../../../src/snapshot/manifest.ts';
import { syncOrLink } from '../../../src/snapshot/snapshot.ts';
import { scratchFolder } from '../../support/folders.ts';

/** The error code with which the system refuses links, if it does. */
let refuseLink: string | undefined;

/** The owner that the system reports for the old file, if it is not the real one: only root can change it. */
let oldOwner: { readonly uid?: number; readonly gid?: number } = {};

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    link: async (from: string, to: string) => {
      if (refuseLink !== undefined) throw Object.assign(new Error(refuseLink), { code: refuseLink });
      return real.link(from, to);
    },
    lstat: async (of: string) => Object.assign(await real.lstat(of), of === old && oldOwner),
  };
});

let folder = '';
let [path, old] = ['', ''];

beforeEach(() => {
  refuseLink = undefined;
  oldOwner = {};
  folder = scratchFolder();
  mkdirSync(join(folder, 'new'));
  mkdirSync(join(folder, 'old'));
  [path, old] = [join(folder, 'new', 'a.csv'), join(folder, 'old', 'a.csv')];
  writeFileSync(path, 'one\ntwo\n');
});

const syncedOrLinked = async (before: string | undefined = old) =>
  syncOrLink(path, await sumOfFile(path), before);
const inode = (file: string) => statSync(file).ino;

describe('the checksum of a file', () => {
  it.each([0, 1, 65_536, 200_001])('of %i bytes is its size and SHA-256', async (bytes) => {
    const content = Buffer.alloc(bytes, 'asof');
    writeFileSync(path, content);
    expect(await sumOfFile(path)).toEqual({
      bytes,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
  });
});

describe('a file that is written again', () => {
  it('becomes a second name of the old one where that holds the same', async () => {
    writeFileSync(old, 'one\ntwo\n');
    const before = inode(old);
    expect(await syncedOrLinked()).toBe(true);
    expect([inode(path), inode(old)]).toEqual([before, before]);
    expect(readdirSync(join(folder, 'new'))).toEqual(['a.csv']);
  });

  it.each([
    ['differs, in as many bytes', 'one\ntwx\n'],
    ['is longer', 'one\ntwo\n\n'],
    ['is empty', ''],
  ])('stays where the old one %s', async (_, content) => {
    writeFileSync(old, content);
    expect(await syncedOrLinked()).toBe(false);
    expect(inode(path)).not.toBe(inode(old));
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('stays where there is no old one, or none that is a file', async () => {
    expect(await syncedOrLinked()).toBe(false);
    expect(await syncedOrLinked(undefined)).toBe(false);
    mkdirSync(old);
    expect(await syncedOrLinked()).toBe(false);
    const same = join(folder, 'same.csv');
    writeFileSync(same, 'one\ntwo\n');
    symlinkSync(same, join(folder, 'old', 'link'));
    expect(await syncedOrLinked(join(folder, 'old', 'link'))).toBe(false);
  });

  async function expectCopy(change: () => void): Promise<void> {
    writeFileSync(old, 'one\ntwo\n');
    for (const one of [old, path]) chmodSync(one, 0o644);
    change();
    const { mode, uid, gid } = statSync(path);
    expect(await syncedOrLinked()).toBe(true);
    expect(inode(path)).not.toBe(inode(old));
    expect(statSync(path)).toMatchObject({ mode, uid, gid });
  }

  it.each([
    ['may be read by fewer', 0o600],
    ['may be written by more', 0o666],
  ])('is a copy where the old one %s', async (_, mode) => {
    await expectCopy(() => chmodSync(old, mode));
  });

  it.each([
    ['user', { uid: 65_534 }],
    ['group', { gid: 65_534 }],
  ])('is a copy where the old one is of another %s', async (_, owner) => {
    await expectCopy(() => {
      oldOwner = owner;
    });
  });

  it.each(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOSPC'])(
    'is a copy where links are impossible (%s)',
    async (code) => {
      writeFileSync(old, 'one\ntwo\n');
      refuseLink = code;
      expect(await syncedOrLinked()).toBe(true);
      expect(inode(path)).not.toBe(inode(old));
      expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
      expect(readdirSync(join(folder, 'new'))).toEqual(['a.csv']);
    },
  );
});
