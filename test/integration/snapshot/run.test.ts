import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Manifest, sumOfFile } from '../../../src/snapshot/manifest.ts';
import { beginRun, giveUp, keepFile, placeOf, publish, sweepAfter } from '../../../src/snapshot/snapshot.ts';
import { scratchFolder } from '../../support/folders.ts';

/** The calls that reached the disk, in order, and the call that fails. */
const system = vi.hoisted(() => {
  const state: { events: string[]; refused: RegExp | undefined } = { events: [], refused: undefined };
  const step = (event: string): void => {
    if (state.refused?.test(event)) throw Object.assign(new Error(event), { code: 'EIO' });
    state.events.push(event);
  };
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  return {
    state,
    /** The functions of `fs/promises`, with those that reach the disk recorded. */
    recorded: (real: typeof import('node:fs/promises')) => ({
      ...real,
      async open(path: string, flags: string) {
        const handle = await real.open(path, flags);
        return { sync: async () => step(`sync ${nameOf(path)}`), close: () => handle.close() };
      },
      async rename(from: string, to: string) {
        step(`rename ${nameOf(from)} to ${nameOf(to)}`);
        await real.rename(from, to);
      },
    }),
  };
});

vi.mock('node:fs/promises', async (original) =>
  system.recorded(await original<typeof import('node:fs/promises')>()),
);
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return { ...real, promises: system.recorded(real.promises) };
});

let out = '';
beforeEach(() => {
  system.state.events = [];
  system.state.refused = undefined;
  out = join(scratchFolder(), 'snap');
});

const content: Readonly<Record<string, string>> = { 'a.csv': 'one\n', 'b.csv': 'two\n' };
const manifest: Manifest = {
  asof: '1.2.3',
  as_of: '2015-02-01',
  plan_sha256: '',
  source: { service: 'https://data.example.com' },
  files: [],
};

/** A run with two files that is ready to be published. */
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

describe('a run', () => {
  it('is completely on disk before it is shown, and then the link is too', async () => {
    const { run, made, name } = await newRun();
    await publish(run, made);
    expect(system.state.events).toEqual([
      'sync a.csv',
      'sync b.csv',
      'sync manifest.json',
      `sync ${name}`,
      'rename .snap.link to snap',
      `sync ${basename(run.place.folder)}`,
    ]);
    expect(readlinkSync(out)).toBe(name);
  });

  it('writes nothing again that did not change, its manifest included', async () => {
    const first = await newRun();
    await publish(first.run, first.made);
    system.state.events = [];
    const { run, made, name } = await newRun();
    await publish(run, made);
    expect(system.state.events.filter((event) => event.startsWith('sync'))).toEqual([
      `sync ${name}`,
      `sync ${basename(run.place.folder)}`,
    ]);
    for (const file of [...Object.keys(content), 'manifest.json'])
      expect(statSync(join(out, file)).ino).toBe(statSync(join(first.run.folder, file)).ino);
  });

  it.each([/^sync a\.csv/, /^sync manifest/, /^sync \.snap/, /^rename \.snap\.link/])(
    'that fails at %s leaves the previous run, and can be removed without a trace',
    async (step) => {
      const first = await newRun();
      await publish(first.run, first.made);
      const before = readdirSync(first.run.place.folder);
      system.state.refused = step;
      const run = await beginRun(await placeOf(out), '2015-02-01');
      const work = async () => {
        const path = join(run.folder, 'a.csv');
        writeFileSync(path, 'other\n');
        await keepFile(run, { name: 'a.csv', ...(await sumOfFile(path)) });
        await publish(run, { ...manifest, as_of: '2015-02-02' });
      };
      await expect(work()).rejects.toMatchObject({ code: 'EIO' });
      await giveUp(run);
      expect(readlinkSync(out)).toBe(first.name);
      expect(readFileSync(join(out, 'a.csv'), 'utf8')).toBe('one\n');
      expect(readdirSync(first.run.place.folder)).toEqual(before);
    },
  );

  it('that is shown is not removed any more, even if a later step fails', async () => {
    const { run, made, name } = await newRun();
    system.state.refused = new RegExp(`^sync ${basename(run.place.folder)}$`);
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
    const left = readdirSync(join(out, '..'));
    expect(left.filter((name) => name !== 'snap').sort()).toEqual(names.slice(1).sort());
  });

  it('does not put its link over one that a killed run left', async () => {
    const { run, made } = await newRun();
    symlinkSync('.snap.half', join(run.place.folder, '.snap.link'));
    await expect(publish(run, made)).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
