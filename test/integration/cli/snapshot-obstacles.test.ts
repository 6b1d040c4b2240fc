import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { asof, type Ended, importedStore } from '../../support/command.ts';
import { newFolder, scratchFolder } from '../../support/folders.ts';
import { withoutRights } from '../../support/rights.ts';

/** A disk that is full from the n-th write on, and a system that may refuse links. */
const disk = { writes: 0, fullFrom: Number.POSITIVE_INFINITY, refusesLinks: false };

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const refused = (code: string, message: string, path?: unknown) =>
    Object.assign(new Error(`${code}: ${message}`), {
      code,
      syscall: 'write',
      ...(path !== undefined && { path }),
    });
  const write = (path?: unknown): void => {
    disk.writes += 1;
    if (disk.writes >= disk.fullFrom) throw refused('ENOSPC', 'no space left on device', path);
  };
  return {
    ...real,
    async mkdir(...given: Parameters<typeof real.mkdir>) {
      write(given[0]);
      return real.mkdir(...given);
    },
    async writeFile(...given: Parameters<typeof real.writeFile>) {
      write(given[0]);
      return real.writeFile(...given);
    },
    async symlink(...given: Parameters<typeof real.symlink>) {
      write(given[1]);
      return real.symlink(...given);
    },
    async link(...given: Parameters<typeof real.link>) {
      if (disk.refusesLinks) throw refused('EPERM', 'operation not permitted', given[0]);
      write(given[1]);
      return real.link(...given);
    },
    async open(...given: Parameters<typeof real.open>) {
      if (/[aw]/.test(String(given[1] ?? 'r'))) write(given[0]);
      const handle = await real.open(...given);
      const writeFile = handle.writeFile.bind(handle);
      return Object.assign(handle, {
        async writeFile(...content: Parameters<FileHandle['writeFile']>) {
          // The system does not name the path of an open file.
          write();
          return writeFile(...content);
        },
      });
    },
  };
});

const data = newFolder();
let store = '';
let folder = '';
let out = '';

beforeAll(async () => {
  store = await importedStore(data);
  for (const path of [data.path('.'), store]) chmodSync(path, 0o755);
});

beforeEach(() => {
  Object.assign(disk, { writes: 0, fullFrom: Number.POSITIVE_INFINITY, refusesLinks: false });
  folder = scratchFolder();
  out = join(folder, 'snap');
  writeFileSync(
    join(folder, 'plan.txt'),
    'gdp.csv obs GDP\npanel.csv panel GDP UNRATE\nlong.json obs LONG --limit 9\n',
  );
});

const snapshot = (day: string): Promise<Ended> =>
  asof(['snapshot', join(folder, 'plan.txt'), '--out', out, '--as-of', day, '--store', store]);
const success = { code: 0, out: '', err: '' };
const runs = () => readdirSync(folder).filter((name) => /^\.snap\.\d/.test(name));

/** Expects the complete snapshot of a day, as its manifest and the store have it. */
async function expectComplete(day: string): Promise<void> {
  expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).as_of).toBe(day);
  expect(await asof(['verify', out, '--store', store])).toEqual(success);
}

describe('a snapshot on a disk that becomes full', () => {
  it('leaves the snapshot before it in place, at whichever write the disk is full', async () => {
    expect(await snapshot('2015-01-30')).toEqual(success);
    let failures = 0;
    for (let write = 1; ; write += 1) {
      Object.assign(disk, { writes: 0, fullFrom: write });
      const { code, err } = await snapshot('2015-02-27');
      disk.fullFrom = Number.POSITIVE_INFINITY;
      if (code === 0) break;
      failures += 1;
      expect([code, err]).toEqual([
        10,
        expect.stringMatching(/^asof: .*cannot write to \S+: the disk is full; \S+snap is as it was\n$/),
      ]);
      await expectComplete('2015-01-30');
      expect(runs()).toHaveLength(1);
    }
    // The folder, three files with their content, the manifest, the link.
    expect(failures).toBeGreaterThanOrEqual(9);
    await expectComplete('2015-02-27');
  });

  it('leaves nothing where there was none before', async () => {
    disk.fullFrom = 4;
    expect((await snapshot('2015-01-30')).code).toBe(10);
    expect(existsSync(out)).toBe(false);
    expect(runs()).toEqual([]);
  });
});

describe('a snapshot by a user without the right to write', () => {
  it('into its folder leaves the snapshot before it in place', async () => {
    expect(await snapshot('2015-01-30')).toEqual(success);
    chmodSync(folder, 0o555);
    const { code, err } = await withoutRights(() => snapshot('2015-02-27'));
    chmodSync(folder, 0o755);
    expect(code).toBe(10);
    // Whether the lock or only its folder cannot be written depends on who runs the tests.
    expect(err).toMatch(
      /^asof: cannot lock \S+\.snap\.lock: (permission denied|the disk is full, or its folder cannot be written); \S+snap is as it was\n$/,
    );
    await expectComplete('2015-01-30');
  });

  it('to its lock leaves the snapshot before it in place', async () => {
    expect(await snapshot('2015-01-30')).toEqual(success);
    chmodSync(folder, 0o777);
    chmodSync(join(folder, '.snap.lock'), 0);
    const { code, err } = await withoutRights(() => snapshot('2015-02-27'));
    chmodSync(join(folder, '.snap.lock'), 0o600);
    expect([code, err]).toEqual([10, expect.stringContaining('.snap.lock: permission denied')]);
    await expectComplete('2015-01-30');
  });
});

describe('a snapshot of files that may not be linked, because another user owns them,', () => {
  it('copies them', async () => {
    expect(await snapshot('2015-01-30')).toEqual(success);
    disk.refusesLinks = true;
    expect(await snapshot('2015-01-30')).toEqual(success);
    await expectComplete('2015-01-30');
    expect(runs()).toHaveLength(2);
  });
});
