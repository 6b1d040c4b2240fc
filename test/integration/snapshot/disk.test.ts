import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Manifest, sumOfFile } from '../../../src/snapshot/manifest.ts';
import {
  beginRun,
  giveUp,
  keepFile,
  placeOf,
  publish,
  sweepAfter,
  syncOrLink,
} from '../../../src/snapshot/snapshot.ts';
import { asof, importedStore } from '../../support/command.ts';
import { newFolder, scratchFolder, withoutRights } from '../../support/folders.ts';

type Promises = typeof import('node:fs/promises');

/** The calls that reach the disk, in order, and those that fail. */
const disk = vi.hoisted(() => {
  const state = {
    events: [] as string[],
    /** The code of the error with which a call fails. */
    failure: (_event: string): string | undefined => undefined,
    /** The owner that the system reports for a file, if it is not the real one: only root can change it. */
    ownerOf: (_path: string): object => ({}),
  };
  const call = (kind: string, path: string, isNamed = true): void => {
    const event = `${kind} ${path.slice(path.lastIndexOf('/') + 1)}`;
    state.events.push(event);
    const code = state.failure(event);
    if (code !== undefined)
      throw Object.assign(new Error(event), { code, syscall: kind, ...(isNamed && { path }) });
  };
  const wrapped =
    <A extends readonly unknown[], R>(kind: string, work: (...given: A) => Promise<R>, place = 0) =>
    async (...given: A) => {
      call(kind, String(given[place]));
      return work(...given);
    };
  const recorded = (real: Promises) => ({
    ...real,
    mkdir: wrapped('write', real.mkdir),
    writeFile: wrapped('write', real.writeFile),
    symlink: wrapped('write', real.symlink, 1),
    link: wrapped('link', real.link),
    rename: wrapped('rename', real.rename, 1),
    async open(path: string, flags = 'r', mode?: number) {
      if (/[aw]/.test(flags)) call('write', path);
      const handle = await real.open(path, flags, mode);
      const write = handle.writeFile.bind(handle);
      // The system does not name the path of an open file.
      return Object.assign(handle, {
        sync: async () => call('sync', path, false),
        writeFile: async (content: string) => {
          call('write', path, false);
          return write(content);
        },
      });
    },
    lstat: async (path: string) => Object.assign(await real.lstat(path), state.ownerOf(path)),
  });
  return { state, recorded };
});

vi.mock('node:fs/promises', async (original) => disk.recorded(await original<Promises>()));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return { ...real, promises: disk.recorded(real.promises) };
});

const calls = () => disk.state.events.filter((event) => /^(sync|rename)/.test(event));

let folder = '';
let out = '';
beforeEach(() => {
  Object.assign(disk.state, { events: [], failure: () => undefined, ownerOf: () => ({}) });
  folder = scratchFolder();
  out = join(folder, 'snap');
});

describe('a file that is written again', () => {
  let [path, old] = ['', ''];
  beforeEach(() => {
    for (const name of ['new', 'old']) mkdirSync(join(folder, name));
    [path, old] = [join(folder, 'new', 'a.csv'), join(folder, 'old', 'a.csv')];
    for (const one of [path, old]) writeFileSync(one, 'one\ntwo\n', { mode: 0o644 });
  });

  const synced = async (before: string | undefined = old) => syncOrLink(path, await sumOfFile(path), before);
  const inode = (file: string) => statSync(file).ino;

  it.each([0, 200_001])('of %i bytes has its size and SHA-256 as checksum', async (bytes) => {
    const content = Buffer.alloc(bytes, 'asof');
    writeFileSync(path, content);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(await sumOfFile(path)).toEqual({ bytes, sha256 });
  });

  it('becomes a second name of the old one where that holds the same', async () => {
    const before = inode(old);
    expect(await synced()).toBe(true);
    expect([inode(path), inode(old)]).toEqual([before, before]);
    expect(readdirSync(join(folder, 'new'))).toEqual(['a.csv']);
  });

  it.each([
    ['differs, in as many bytes', 'one\ntwx\n'],
    ['is longer', 'one\ntwo\n\n'],
  ])('stays where the old one %s', async (_, content) => {
    writeFileSync(old, content);
    expect(await synced()).toBe(false);
    expect(inode(path)).not.toBe(inode(old));
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });

  it('stays where there is no old one, or none that is a file', async () => {
    expect(await synced(join(folder, 'none.csv'))).toBe(false);
    expect(await syncOrLink(path, await sumOfFile(path), undefined)).toBe(false);
    expect(await synced(join(folder, 'old'))).toBe(false);
    symlinkSync(old, join(folder, 'link'));
    expect(await synced(join(folder, 'link'))).toBe(false);
  });

  it.each<readonly [what: string, change: () => void]>([
    ['may be read by fewer', () => chmodSync(old, 0o600)],
    ['is of another user', () => Object.assign(disk.state, { ownerOf: ownedBy({ uid: 65_534 }) })],
    ['is of another group', () => Object.assign(disk.state, { ownerOf: ownedBy({ gid: 65_534 }) })],
    ['may not be linked', () => Object.assign(disk.state, { failure: refusing(/^link/, 'EPERM') })],
  ])('is a copy where the old one %s', async (_, change) => {
    change();
    const { mode, uid, gid } = statSync(path);
    expect(await synced()).toBe(true);
    expect(inode(path)).not.toBe(inode(old));
    expect(statSync(path)).toMatchObject({ mode, uid, gid });
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(readdirSync(join(folder, 'new'))).toEqual(['a.csv']);
  });

  const ownedBy = (owner: object) => (file: string) => (file === old ? owner : {});
});

const refusing = (calls: RegExp, code: string) => (event: string) => (calls.test(event) ? code : undefined);

describe('a run', () => {
  const content: Readonly<Record<string, string>> = { 'a.csv': 'one\n', 'b.csv': 'two\n' };
  const manifest: Manifest = {
    asof: '1.2.3',
    as_of: '2015-02-01',
    plan_sha256: '',
    source: { service: 'https://data.example.com' },
    files: [],
  };

  /** A run with these files that is ready to be published. */
  async function newRun(files = content) {
    const run = await beginRun(await placeOf(out), '2015-02-01');
    const records = [];
    for (const [name, text] of Object.entries(files)) {
      const path = join(run.folder, name);
      writeFileSync(path, text);
      const record = { name, command: '', as_of: '2015-02-01', rows: 1, ...(await sumOfFile(path)) };
      await keepFile(run, record);
      records.push(record);
    }
    return { run, made: { ...manifest, files: records }, name: basename(run.folder) };
  }

  it('is completely on disk before it is shown, and then the link is too', async () => {
    const { run, made, name } = await newRun();
    await publish(run, made);
    expect(calls()).toEqual([
      'sync a.csv',
      'sync b.csv',
      'sync manifest.json',
      `sync ${name}`,
      'rename snap',
      `sync ${basename(folder)}`,
    ]);
    expect(readlinkSync(out)).toBe(name);
  });

  it('writes nothing again that did not change, its manifest included', async () => {
    const first = await newRun();
    await publish(first.run, first.made);
    disk.state.events = [];
    const { run, made, name } = await newRun();
    await publish(run, made);
    const syncs = calls().filter((event) => event.startsWith('sync'));
    expect(syncs).toEqual([`sync ${name}`, `sync ${basename(folder)}`]);
    for (const file of [...Object.keys(content), 'manifest.json'])
      expect(statSync(join(out, file)).ino).toBe(statSync(join(first.run.folder, file)).ino);
  });

  it.each([/^sync a\.csv/, /^sync manifest/, /^sync \.snap/, /^rename snap/])(
    'that fails at %s leaves the previous run, and can be removed without a trace',
    async (step) => {
      const first = await newRun();
      await publish(first.run, first.made);
      const before = readdirSync(folder);
      disk.state.failure = refusing(step, 'EIO');
      const run = await beginRun(await placeOf(out), '2015-02-01');
      const path = join(run.folder, 'a.csv');
      writeFileSync(path, 'other\n');
      const work = async () => {
        await keepFile(run, { name: 'a.csv', ...(await sumOfFile(path)) });
        await publish(run, { ...manifest, as_of: '2015-02-02' });
      };
      await expect(work()).rejects.toMatchObject({ code: 'EIO' });
      await giveUp(run);
      expect(readlinkSync(out)).toBe(first.name);
      expect(readFileSync(join(out, 'a.csv'), 'utf8')).toBe('one\n');
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  it('that is shown is not removed any more, even if a later step fails', async () => {
    const { run, made, name } = await newRun();
    disk.state.failure = refusing(new RegExp(`^sync ${basename(folder)}$`), 'EIO');
    await expect(publish(run, made)).rejects.toMatchObject({ code: 'EIO' });
    await giveUp(run);
    expect(readlinkSync(out)).toBe(name);
    expect(readdirSync(out).sort()).toEqual(['a.csv', 'b.csv', 'manifest.json']);
  });

  it('replaces an empty folder, and removes all runs but the previous one', async () => {
    mkdirSync(out);
    const names: string[] = [];
    for (let time = 0; time < 3; time += 1) {
      const { run, made, name } = await newRun();
      await publish(run, made);
      await sweepAfter(run);
      names.push(name);
    }
    expect(readdirSync(folder).sort()).toEqual([...names.slice(1), 'snap'].sort());
  });

  it('does not put its link over one that a killed run left', async () => {
    const { run, made } = await newRun();
    symlinkSync('.snap.half', join(folder, '.snap.link'));
    await expect(publish(run, made)).rejects.toMatchObject({ code: 'EEXIST' });
  });
});

describe('asof snapshot', () => {
  const data = newFolder();
  let store = '';
  beforeAll(async () => {
    store = await importedStore(data);
    for (const path of [data.path('.'), store]) chmodSync(path, 0o755);
  });
  beforeEach(() => writeFileSync(join(folder, 'plan.txt'), 'gdp.csv obs GDP\npanel.csv panel GDP UNRATE\n'));

  const snapshot = (day: string) =>
    asof(['snapshot', join(folder, 'plan.txt'), '--out', out, '--as-of', day, '--store', store, '-q']);
  const success = { code: 0, out: '', err: '' };
  const runs = () => readdirSync(folder).filter((name) => /^\.snap\.\d/.test(name));

  /** Expects the complete snapshot of a day, as its manifest and the store have it. */
  async function expectComplete(day: string): Promise<void> {
    expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).as_of).toBe(day);
    expect(await asof(['verify', out, '--store', store])).toEqual(success);
  }

  it('leaves the snapshot before it in place, at whichever write the disk is full', async () => {
    let writes = 0;
    const fullFrom = (first: number) => {
      writes = 0;
      disk.state.failure = (event) => {
        if (!/^(write|link)/.test(event)) return undefined;
        writes += 1;
        return writes >= first ? 'ENOSPC' : undefined;
      };
    };
    fullFrom(4);
    expect((await snapshot('2015-01-30')).code).toBe(10);
    expect([existsSync(out), runs()]).toEqual([false, []]);
    disk.state.failure = () => undefined;
    expect(await snapshot('2015-01-30')).toEqual(success);
    const named = new Set<string | undefined>();
    for (let write = 1; ; write += 1) {
      fullFrom(write);
      const { code, err } = await snapshot('2015-02-27');
      disk.state.failure = () => undefined;
      if (code === 0) break;
      const [, path] =
        /cannot write to \S*\/(\S+): the disk is full; \S+snap is unchanged\n$/.exec(err) ?? [];
      expect([code, path]).toEqual([10, expect.any(String)]);
      named.add(path?.replace(/-02-27-\w{12}$/, ''));
      await expectComplete('2015-01-30');
      expect(runs()).toHaveLength(1);
    }
    expect([...named]).toEqual(['.snap.2015', 'gdp.csv', 'panel.csv', 'manifest.json', '.snap.link']);
    await expectComplete('2015-02-27');
  });

  it('without the right to write into its folder, or to its lock, leaves the snapshot before it in place', async () => {
    expect(await snapshot('2015-01-30')).toEqual(success);
    for (const [path, mode] of [
      [folder, 0o555],
      [join(folder, '.snap.lock'), 0],
    ] as const) {
      chmodSync(folder, 0o777);
      const { mode: before } = statSync(path);
      chmodSync(path, mode);
      const { code, err } = await withoutRights(() => snapshot('2015-02-27'));
      chmodSync(path, before);
      // Whether the lock or only its folder cannot be written depends on who runs the tests.
      expect([code, err]).toEqual([
        10,
        expect.stringMatching(
          /^asof: cannot lock \S+\.snap\.lock: (permission denied|the disk is full, or its folder cannot be written); \S+snap is unchanged\n$/,
        ),
      ]);
    }
    await expectComplete('2015-01-30');
  });
});
