import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn as spawnPty } from 'node-pty';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { scratchFolder } from '../../support/folders.ts';
import { builtProgram as asof } from '../../support/repository.ts';
import { digestOf, facts, importPaths, manyStatements, newStorePath } from '../../support/scratch-store.ts';

const folder = scratchFolder();
let store = '';

beforeAll(async () => {
  const file = join(folder, 'facts.csv');
  writeFileSync(file, manyStatements(150_000, 500));
  writeFileSync(join(folder, 'small.csv'), facts('GDP 2014-10-01 2015-01-30 17710.7'));
  store = newStorePath(folder);
  await importPaths(store, [file]);
});

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [asof, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

function ended(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)));
}

/** Kills a command as soon as a file is larger than some bytes. */
async function killed(args: readonly string[], file: string, size: number): Promise<void> {
  const child = spawn(process.execPath, [asof, ...args]);
  const end = ended(child);
  const written = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  while (written() < size && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2));
  child.kill('SIGKILL');
  expect(await end).toBe('SIGKILL');
}

describe('a backup', () => {
  it('that is killed leaves no file, and the same command completes it', async () => {
    const backup = newStorePath(folder);
    const args = ['store', 'backup', backup, '--store', store];
    const before = digestOf(store);
    await killed(args, `${backup}.unfinished`, 1);
    expect(existsSync(backup)).toBe(false);
    expect(digestOf(store)).toBe(before);
    const again = run(...args);
    expect(again.stderr).toContain('read again and compared');
    expect(again.status).toBe(0);
    expect(existsSync(`${backup}.unfinished`)).toBe(false);
    expect(run('store', 'check', '--store', backup).status).toBe(0);
    const facts = ['facts', 'S7', 'S299'];
    expect(run(...facts, '--store', backup).stdout).toBe(run(...facts, '--store', store).stdout);
  });

  it('on a full disk fails with the reason and leaves no file at its path', () => {
    const backup = newStorePath(folder);
    // A process may write no more than 2 MiB into one file, as on a disk with so much room.
    const limited = `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`;
    const line = [process.execPath, asof, 'store', 'backup', backup, '--store', store];
    const { status, stderr } = spawnSync('sh', ['-c', limited, ...line], { encoding: 'utf8' });
    expect(stderr).toMatch(/^asof: cannot use the store .*\n/);
    expect(status).toBe(10);
    expect(existsSync(backup)).toBe(false);
  });

  it('with a dated name removes no other on a full disk, and is continued when there is room', () => {
    const place = scratchFolder();
    const args = [asof, 'store', 'backup', place, '--keep', '1', '--store', store];
    expect(spawnSync(process.execPath, args).status).toBe(0);
    const before = readdirSync(place);
    const limited = `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`;
    const { status, stderr } = spawnSync('sh', ['-c', limited, process.execPath, ...args], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([10, expect.stringMatching(/^asof: cannot use the store .*\n/)]);
    expect(readdirSync(place)).toEqual(expect.arrayContaining(before));
    expect(spawnSync(process.execPath, args).status).toBe(0);
    const after = readdirSync(place);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
  });

  it('is made by one of two commands that run at once; the other says so', async () => {
    const place = scratchFolder();
    const started = [1, 2].map(() => {
      const child = spawn(process.execPath, [
        asof,
        'store',
        'backup',
        place,
        '--keep',
        '3',
        '--store',
        store,
      ]);
      return new Promise<number | null>((resolve) => child.once('close', resolve));
    });
    const codes = await Promise.all(started);
    // One that begins after the other has ended succeeds too.
    expect(codes).toContain(0);
    expect(codes.every((code) => code === 0 || code === 10)).toBe(true);
    expect(readdirSync(place)).toHaveLength(codes.filter((code) => code === 0).length);
  });
});

describe('a store on a full disk', () => {
  // A process may write nothing into any file, so that SQLite cannot make the files that readers share.
  const limited = `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`;
  const onFullDisk = (...args: readonly string[]) =>
    spawnSync('sh', ['-c', limited, process.execPath, asof, ...args], { encoding: 'utf8' });

  it('answers, and refuses changes with the reason', () => {
    const path = newStorePath(folder);
    cpSync(store, path);
    const facts = ['facts', 'S7', 'S299'];
    expect(onFullDisk(...facts, '--store', path)).toMatchObject({
      status: 0,
      stdout: run(...facts, '--store', store).stdout,
    });
    const { status, stderr } = onFullDisk('series', 'rm', 'S7', '--yes', '--store', path);
    expect(stderr).toMatch(/^asof: cannot use the store .*: the disk is full or reports an error\n/);
    expect(status).toBe(10);
  });
});

describe('taking an import back', () => {
  it('that is killed in the middle changes nothing, and the same command does it', async () => {
    const path = newStorePath(folder);
    await importPaths(path, [join(folder, 'small.csv')]);
    await importPaths(path, [join(folder, 'facts.csv')]);
    const before = run('facts', 'S7', '--store', path).stdout;
    const args = ['store', 'undo', '--yes', '--store', path];
    await killed(args, `${path}-wal`, 500_000);
    expect(run('facts', 'S7', '--store', path).stdout).toBe(before);
    expect(run('store', 'check', '--store', path).status).toBe(0);
    expect(run(...args)).toMatchObject({ status: 0, stderr: expect.stringContaining(': 300 series of ') });
    expect(run('series', 'search', '--csv', '--no-header', '--columns', 'id', '--store', path).stdout).toBe(
      'GDP\n',
    );
  });

  it('waits for no import that is writing: it says so, and changes nothing', async () => {
    const path = newStorePath(folder);
    await importPaths(path, [join(folder, 'small.csv')]);
    const other = openDatabase(path);
    other.exec('begin immediate');
    const { status, stderr } = run('store', 'undo', '--yes', '--store', path);
    other.exec('rollback');
    other.close();
    expect(stderr).toContain('another import is writing to it');
    expect(status).toBe(10);
    expect(run('store', 'undo', '--yes', '--store', path).status).toBe(0);
  });
});

/** What a terminal shows of a command to which something is typed when it asks. */
function onTerminal(args: readonly string[], answer: string): Promise<{ code: number; text: string }> {
  const held = ['-c', '"$@"; code=$?; sleep 0.2; exit $code', 'sh'];
  const pty = spawnPty('sh', [...held, process.execPath, asof, ...args], {
    cols: 200,
    rows: 40,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm' },
  });
  let text = '';
  pty.onData((data) => {
    if (!text.includes('[y/N]') && (text + data).includes('[y/N]')) pty.write(answer);
    text += data;
  });
  return new Promise((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode, text })));
}

describe('on a terminal', () => {
  it('a copy asks first; only yes makes it', async () => {
    const copy = newStorePath(folder);
    const args = ['store', 'copy', store, copy];
    for (const answer of ['\r', 'n\r', '\u0003', '\u0004']) {
      const { code, text } = await onTerminal(args, answer);
      expect(text).toContain(`copy ${store} to ${copy}? [y/N]`);
      expect(text).toContain('nothing was changed');
      expect(code).toBe(130);
    }
    expect(existsSync(copy)).toBe(false);
    const { code, text } = await onTerminal(args, 'y\r');
    expect(text).toContain('read again and compared');
    expect(code).toBe(0);
    expect(existsSync(copy)).toBe(true);
  });
});
