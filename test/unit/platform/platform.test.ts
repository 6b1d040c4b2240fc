import * as fs from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeFolder } from '../../../src/platform/files.ts';
import { userFolders } from '../../../src/platform/installation.ts';
import { Gathering } from '../../../src/platform/promises.ts';
import { tempFolder } from '../../support/folders.ts';

const modeOf = (path: string) => fs.statSync(path).mode & 0o777;

describe('makeFolder', () => {
  const root = tempFolder({ file: '', 'there/kept': '' });

  it('makes a folder and those above it, all with the mode', () => {
    makeFolder(join(root, 'a/b/c'), 0o700);
    expect(['a', 'a/b', 'a/b/c'].map((name) => modeOf(join(root, name)))).toEqual([0o700, 0o700, 0o700]);
  });

  it('leaves one that is there as it is, also behind a link', () => {
    fs.chmodSync(join(root, 'there'), 0o755);
    fs.symlinkSync('there', join(root, 'link'));
    for (const name of ['there', 'link', '.', 'there/']) makeFolder(join(root, name), 0o700);
    expect(modeOf(join(root, 'there'))).toBe(0o755);
    expect(fs.readdirSync(join(root, 'there'))).toEqual(['kept']);
  });

  it('refuses a path through a file, and a file', () => {
    expect(() => makeFolder(join(root, 'file/x/y'))).toThrow(/ENOTDIR/);
    expect(() => makeFolder(join(root, 'file'))).toThrow(/EEXIST/);
  });

  it('ends if the system lets nobody make a folder', () => {
    for (const path of ['/proc/nope', '/proc/nope/x', '/proc/nope/x/y'])
      expect(() => makeFolder(path)).toThrow(/ENOENT.*\/proc\/nope/);
  });
});

// https://specifications.freedesktop.org/basedir-spec/latest/
describe('the folders of a user of Linux', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['in those of the XDG variables', '/d', '/c', { data: '/d/asof', config: '/c/asof' }],
    [
      'below the home where the XDG variables are empty',
      '',
      '',
      { data: join(homedir(), '.local/share/asof'), config: join(homedir(), '.config/asof') },
    ],
  ])('are %s', (_, data, config, folders) => {
    vi.stubEnv('XDG_DATA_HOME', data);
    vi.stubEnv('XDG_CONFIG_HOME', config);
    expect(userFolders()).toMatchObject(folders);
  });
});

describe('gathered calls', () => {
  /** A read that calls made together share. */
  function coalesced<T>(read: () => Promise<T>): () => Promise<T> {
    const together = new Gathering<T>();
    return () => together.join('', read).outcome;
  }

  it('share one read when they are made before it begins', async () => {
    let reads = 0;
    const read = coalesced(async () => {
      reads += 1;
      return reads;
    });
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    expect(await read()).toBe(2);
  });

  it('never get a result from before they asked', async () => {
    let value = 'old';
    const read = coalesced(async () => {
      const seen = value;
      await tick();
      return seen;
    });
    const first = read();
    value = 'changed before the read';
    await tick();
    value = 'changed during the read';
    const second = read();
    expect(await first).toBe('changed before the read');
    expect(await second).toBe('changed during the read');
  });

  it('all fail when their read fails, and the next call reads again', async () => {
    let broken = true;
    const read = coalesced(async () => {
      if (broken) throw new Error('locked');
      return 'read';
    });
    const outcomes = await Promise.allSettled([read(), read()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    expect(await read()).toBe('read');
  });
});
