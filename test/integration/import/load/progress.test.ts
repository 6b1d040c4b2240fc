import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { LoadProgress } from '../../../../src/import/load/registry.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { facts, importPaths, newStorePath } from '../../../support/scratch-store.ts';
import { zipOf } from '../../../support/zip-writer.ts';

const folder = scratchFolder();

/** Three thousand statements of a series, enough to be read in several batches. */
function statementsOf(series: string): string {
  const day = (i: number) => new Date(Date.UTC(1990, 0, 1 + i)).toISOString().slice(0, 10);
  return facts(...Array.from({ length: 12_000 }, (_, i) => `${series} ${day(i)} 2025-01-01 ${i}.5`));
}

/** The progress that an import of these files reports. */
async function reported(bufferSize: number, files: Readonly<Record<string, string | Buffer>>) {
  const store = newStorePath(folder);
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(dirname(store), 'files', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  });
  const progress: LoadProgress[] = [];
  const onProgress = async (made: LoadProgress) => void progress.push(made);
  await importPaths(store, paths, { bufferSize, onProgress });
  return { progress, sizes: paths.map((path) => statSync(path).size) };
}

const [a, b] = [statementsOf('A'), statementsOf('B')];

describe('the progress of an import', () => {
  it.each<
    readonly [what: string, files: Readonly<Record<string, string | Buffer>>, total: number | undefined]
  >([
    ['plain files', { 'a.csv': a, 'b.csv': b }, undefined],
    ['packed files, as stored', { 'a.csv.gz': gzipSync(a), 'b.csv.gz': gzipSync(b) }, undefined],
    [
      'members of an archive, unpacked',
      { 'x.zip': zipOf([a, b].map((content, i) => ({ name: `${i}.csv`, content }))) },
      a.length + b.length,
    ],
  ])('is reported in bytes of %s', async (_, files, total) => {
    const { progress: all, sizes } = await reported(1000, files);
    const expected = total ?? sizes.reduce((sum, size) => sum + size, 0);
    expect(new Set(all.map((one) => one.total))).toEqual(new Set([expected]));
    const done = all.map((one) => one.done);
    expect(done).toEqual([...done].sort((x, y) => x - y));
    expect(done[0]).toBe(0);
    expect(done.at(-1)).toBeLessThanOrEqual(expected);
    expect(done.at(-1)).toBeGreaterThan(expected * 0.75);
  });

  it('counts what waits in memory only once it is stored', async () => {
    const { progress: all, sizes } = await reported(Number.POSITIVE_INFINITY, { 'a.csv': a, 'b.csv': b });
    expect(new Set(all.map(({ done }) => done))).toEqual(new Set([0, sizes[0]]));
  });
});
