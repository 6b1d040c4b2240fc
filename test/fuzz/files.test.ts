import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formats } from '../../src/import/formats/recognise.ts';
import { ImportRefusal } from '../../src/import/load/conflict.ts';
import { type ImportOptions, importFiles, open, Problem } from '../../src/index.ts';
import { scratchFolder } from '../support/folders.ts';
import { digestOf } from '../support/scratch-store.ts';
import { mutation } from './mutation.ts';
import { damaged, originals } from './real-files.ts';
import { fuzz, fuzzTimeout } from './run.ts';

const scratch = scratchFolder();
const clock = () => new Date('2026-07-15T12:00:00Z');

const damagedFile = fc.record({
  original: fc.nat({ max: originals.length - 1 }),
  file: fc.nat({ max: 2 }),
  member: fc.option(fc.nat({ max: 20 }), { freq: 4 }),
  mutations: fc.array(mutation, { minLength: 1, maxLength: 4 }),
  held: fc.boolean(),
  replace: fc.boolean(),
  // Most formats refuse it.
  complete: fc.constantFrom(false, false, false, false, true),
});

/** A store of each original, made when a case first needs it, and the kinds of the files in it. */
const stores = new Map<number, ReturnType<typeof makeStore>>();

function heldStore(index: number): ReturnType<typeof makeStore> {
  const made = stores.get(index) ?? makeStore(index);
  stores.set(index, made);
  return made;
}

async function makeStore(index: number) {
  const store = join(scratch, `held-${index}`, 'asof.db');
  const { files, options } = originals[index] ?? { files: {}, options: {} };
  const paths = writeFiles(join(scratch, `original-${index}`), files);
  const imported = await importFiles(paths, { store, clock, ...options });
  return { store, kinds: imported.files.map(({ kind }) => kind) };
}

/** Writes files into a new folder; the paths to import, of which a single file is its own. */
function writeFiles(folder: string, files: Readonly<Record<string, Uint8Array | string>>): readonly string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const paths = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  });
  return paths.length === 1 ? paths : [folder];
}

/** Whether the curves answer a series, which then has no facts, unless the store itself holds the series. */
function isOfCurves(id: string): boolean {
  return /^(DGS|DFII|T10Y)/.test(id);
}

async function all<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const listed: T[] = [];
  for await (const row of rows) listed.push(row);
  return listed;
}

/** Everything that a store answers. */
async function contentsOf(address: string) {
  const asof = await open(address, { clock });
  try {
    const series = (await asof.seriesSearch()).rows;
    const ids = series.map(({ id }) => id);
    const facts = ids.every(isOfCurves) ? [] : await all(asof.facts('*'));
    const observations = ids.length === 0 ? [] : await all(asof.observations.all(ids));
    const from = '1600-01-01';
    return {
      series,
      facts,
      observations,
      yields: [
        ...(await asof.yields({ curveType: 'PAR', from })).rows,
        ...(await asof.yields({ curveType: 'TIPS', from })).rows,
      ],
      calendar: (await asof.calendar({ from })).rows,
      filings: (await asof.insiderFilings({ from })).rows,
      clusters: (await asof.insiderClusters({ from })).rows,
    };
  } finally {
    await asof.close();
  }
}

function checkRefusal(error: unknown, paths: readonly string[]): void {
  if (!(error instanceof Problem)) throw error;
  expect(error.kind).toBe('bad-input');
  // Conflicts are named by their series, and an option that no file takes by its name.
  if (!(error instanceof ImportRefusal) && error.field === undefined)
    expect(error.detail).toContain(paths[0]);
  // The list of conflicts below it is whole.
  expect(error.headline.length).toBeLessThan(200_000);
}

const decimal = /^-?\d+(\.\d+)?$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

async function checkStore(store: string, paths: readonly string[], options: Partial<ImportOptions>) {
  const contents = await contentsOf(store);
  for (const { value, date } of contents.observations) {
    expect(value).toMatch(decimal);
    expect(date).toMatch(day);
  }
  for (const { rate } of contents.yields) expect(rate).toMatch(decimal);
  await importFiles(paths, { store, clock, ...options });
  expect(await contentsOf(store), 'the same import again').toEqual(contents);
  if (contents.facts.length === 0) return;
  const quoted = (cell: string | null) => `"${(cell ?? '').replaceAll('"', '""')}"`;
  const lines = contents.facts.map((row) => Object.values(row).map(quoted).join());
  const copied = join(scratch, 'copy', 'asof.db');
  rmSync(dirname(copied), { recursive: true, force: true });
  const written = `${Object.keys(contents.facts[0] ?? {}).join()}\n${lines.join('\n')}\n`;
  await importFiles(writeFiles(join(scratch, 'facts'), { 'facts.csv': written }), {
    store: copied,
    clock,
    projections: true,
  });
  expect((await contentsOf(copied)).facts, 'the facts in a new store').toEqual(contents.facts);
}

describe('the import of a damaged file', () => {
  it(
    'is refused by a problem that names the file and changes nothing, or gives a store whose facts are complete',
    () =>
      fuzz('files', damagedFile, async ({ original: index, file, member, mutations, held, ...flags }) => {
        const original = originals[index];
        if (original === undefined) return;
        const paths = writeFiles(
          join(scratch, 'damaged'),
          await damaged(original, { file, member, mutations }),
        );
        const store = join(scratch, 'case', 'asof.db');
        rmSync(dirname(store), { recursive: true, force: true });
        mkdirSync(dirname(store));
        if (held) {
          copyFileSync((await heldStore(index)).store, store);
        }
        const before = digestOf(store);
        const options = { ...original.options, ...flags };
        const refused = await importFiles(paths, { store, clock, ...options }).then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (refused === undefined) return checkStore(store, paths, options);
        checkRefusal(refused.error, paths);
        expect(digestOf(store)).toBe(before);
        expect(readdirSync(dirname(store))).toEqual(existsSync(store) ? ['asof.db'] : []);
      }),
    fuzzTimeout,
  );

  it.each(originals.map((original, i) => [Object.keys(original.files).join(', '), i, original] as const))(
    'begins with files that asof imports, and whose facts are complete: %s',
    async (_, index, { files, options }) => {
      const { store } = await heldStore(index);
      await checkStore(store, writeFiles(join(scratch, 'again'), files), options);
    },
  );

  it('begins with a file of every format', async () => {
    const held = await Promise.all(originals.map((_, index) => heldStore(index)));
    const kinds = new Set(held.flatMap((one) => one.kinds));
    expect([...kinds].sort()).toEqual(formats.map(({ kind }) => kind).sort());
  });
});
