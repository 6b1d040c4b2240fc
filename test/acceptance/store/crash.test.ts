import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openWriter } from '../../../src/store/open.ts';
import { openDatabase } from '../../../src/store/sqlite/connection.ts';
import { scratchFolder } from '../../support/folders.ts';
import { builtProgram as asof } from '../../support/repository.ts';
import {
  digestOf,
  facts,
  failureOf,
  importFiles,
  manyStatements,
  newStorePath,
  observationsIn,
  reading,
} from '../../support/scratch-store.ts';

const folder = scratchFolder();
const large = join(folder, 'large.csv');
const middle = join(folder, 'middle.csv');
const small = facts('GDP 2014-10-01 2015-01-30 17710.7');

beforeAll(() => {
  // Importing the large file takes seconds, most of them after the first rows were written.
  writeFileSync(large, manyStatements(700_000, 20_000));
  writeFileSync(middle, manyStatements(60_000, 20_000));
});

async function storeOf(content: string): Promise<string> {
  const path = newStorePath(folder);
  await importFiles(path, { 'facts.csv': content });
  return path;
}

function run(args: readonly string[], uid?: number) {
  const options = { encoding: 'utf8', ...(uid !== undefined && { uid }) } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [asof, ...args], options);
  return { status, stdout, stderr };
}

const importing = (path: string, file: string) =>
  spawn(process.execPath, [asof, 'import', file, '--store', path]);

function ended(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: string | null }> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
}

/** Kills an import as soon as it has written to the file beside its store that has this ending. */
async function killWriting(path: string, isWritten: (name: string) => boolean): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const child = importing(path, large);
  const end = ended(child);
  const written = () =>
    readdirSync(dirname(path)).some(
      (name) =>
        isWritten(name) &&
        (statSync(join(dirname(path), name), { throwIfNoEntry: false })?.size ?? 0) > 500_000,
    );
  while (!written() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  expect(await end).toEqual({ code: null, signal: 'SIGKILL' });
}

const seriesIn = (path: string) =>
  reading(path, async (store) => (await store.series.search({ text: '', limit: 1000 })).map(({ id }) => id));

const many = ['S0', 'S1', 'S2'];

describe('an import that is killed in the middle', () => {
  test('while it creates a store leaves none, and the next import creates it', async () => {
    const path = newStorePath(folder);
    await killWriting(path, (name) => name.startsWith(`${basename(path)}.new-`));
    expect(existsSync(path)).toBe(false);
    const again = run(['import', middle, '--store', path]);
    expect(again.stderr).toContain('made a new store');
    expect(again.status).toBe(0);
    expect(await seriesIn(path)).toEqual(many);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  test('while it adds to a store loses nothing, and the next import adds it', async () => {
    const path = await storeOf(small);
    const before = digestOf(path);
    await killWriting(path, (name) => name === `${basename(path)}-wal`);
    expect(digestOf(path)).toBe(before);
    expect(await seriesIn(path)).toEqual(['GDP']);
    expect(await reading(path, (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }))).toEqual([
      { date: '2014-10-01', value: '17710.7', asOfDate: '2015-01-30' },
    ]);
    expect(run(['import', middle, '--store', path]).status).toBe(0);
    expect(await seriesIn(path)).toEqual(['GDP', ...many]);
    const check = openDatabase(path, { readonly: true });
    expect(check.pragma('integrity_check', { simple: true })).toBe('ok');
    check.close();
  });
});

describe('two imports at once', () => {
  test('into a new store: one creates it, the other adds to it or fails with a reason, and nothing is damaged', async () => {
    const path = newStorePath(folder);
    mkdirSync(dirname(path), { recursive: true });
    const other = join(dirname(path), 'other.csv');
    writeFileSync(other, small);
    const codes = (await Promise.all([ended(importing(path, middle)), ended(importing(path, other))])).map(
      ({ code }) => code,
    );
    expect(codes).toContain(0);
    for (const code of codes) expect([0, 10]).toContain(code);
    for (const file of [middle, other]) expect(run(['import', file, '--store', path]).status).toBe(0);
    expect(await seriesIn(path)).toEqual(['GDP', ...many]);
  });

  test('into one store: the second fails with a hint if the first takes long', async () => {
    const path = await storeOf(small);
    const writer = await openWriter(path);
    const file = join(dirname(path), 'more.csv');
    writeFileSync(file, facts('GDP 2014-10-01 2015-02-27 17701.3'));
    const { status, stderr } = run(['import', file, '--store', path]);
    await writer.rollback();
    expect(status).toBe(10);
    expect(stderr).toContain('another import is writing to it; try again when it is done');
    expect(run(['import', file, '--store', path]).status).toBe(0);
  });

  test('that create the same store: the one that finishes later does not replace the first', async () => {
    const path = newStorePath(folder);
    const writer = await openWriter(path);
    mkdirSync(dirname(path), { recursive: true });
    const file = join(dirname(path), 'small.csv');
    writeFileSync(file, small);
    expect(run(['import', file, '--store', path]).status).toBe(0);
    const before = digestOf(path);
    await expect(writer.commit()).rejects.toThrow(`another command made the store ${path} meanwhile`);
    expect(digestOf(path)).toBe(before);
    expect(await seriesIn(path)).toEqual(['GDP']);
  });
});

describe('a store without a write-ahead log', () => {
  async function plainStore(): Promise<string> {
    const path = await storeOf(small);
    const db = openDatabase(path);
    db.pragma('journal_mode = delete');
    db.close();
    return path;
  }

  test('has the same bytes after a failed import, and accepts a valid one', async () => {
    const path = await plainStore();
    const before = digestOf(path);
    const contradiction = facts('GDP 2014-10-01 2015-01-30 1');
    expect(await failureOf(importFiles(path, { 'other.csv': contradiction }))).toMatch(/^1 conflict;/);
    expect(digestOf(path)).toBe(before);
    await importFiles(path, { 'more.csv': facts('GDP 2014-10-01 2015-02-27 17701.3') });
    expect(await reading(path, async (store) => (await store.series.find('GDP'))?.lastVintage)).toBe(
      '2015-02-27',
    );
  });

  test('can be read during an import', async () => {
    const path = await plainStore();
    const writer = await openWriter(path);
    // More than SQLite keeps in memory before it writes to the file.
    const wide = `1.${'5'.repeat(300)}`;
    const days = Array.from({ length: 100_000 }, (_, i) => new Date(Date.UTC(1700, 0, 1) + i * 86_400_000));
    const statements = days.map((day) => ({
      seriesId: 'X',
      date: day.toISOString().slice(0, 10),
      asOf: '2020-01-01',
      value: wide,
    }));
    await (await writer.series('X')).merge(statements, { replace: false });
    expect(await seriesIn(path)).toEqual(['GDP']);
    await writer.finish(['X']);
    await writer.commit();
    expect(await seriesIn(path)).toEqual(['GDP', 'X']);
  });
});
