import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../folders.ts';
import { ecbFiles, fileKeyOf, loopbackEcb } from '../pull/loopback-ecb.ts';
import { puller } from '../pull/pulling.ts';
import { importPaths, newStorePath, observationsIn, reading } from '../scratch-store.ts';

/** The values of a series in a store as of a day, by quarter. */
async function valuesIn(
  store: string,
  seriesId: string,
  asOf: string,
): Promise<Readonly<Record<string, string>>> {
  const rows = await reading(store, (view) => observationsIn(view, { seriesId, asOf, limit: 100_000 }));
  return Object.fromEntries(
    rows.map(({ date, value }) => [`${date.slice(0, 4)}-Q${(Number(date.slice(5, 7)) + 2) / 3}`, value]),
  );
}

/** The files of the ECB and a loopback that logs what changed between them say the same on every vintage. */
export function ecbVintagesSuite(data: string, count: number): void {
  const folder = join(data, 'recordings/ecb');
  const files = ecbFiles(folder);

  describe('the vintages of the ECB', () => {
    it(`are the same of all ${count} series by its log and by its files`, async () => {
      const scratch = scratchFolder();
      const imported = newStorePath(scratch);
      await importPaths(
        imported,
        files.map(({ name }) => join(folder, `${name}.gz`)),
      );
      const source = await loopbackEcb(files);
      expect(source.ids.length).toBe(count);
      const { store, pull } = puller(source, { request: { ecb: source.ids }, retries: 2 });
      // One of the copies of each log in the ECB's cache lacks its last line.
      source.state.change = (what, body, copy) =>
        what.startsWith('log') && copy === 'text/csv' ? body.replace(/[^\n]*\n$/, '') : body;
      source.state.published = 11;
      await pull('2001-11-20T12:00:00Z');
      source.state.published = files.length;
      const { stops, ends } = await pull('2003-01-15T12:00:00Z');
      const isCurrent = (end: string) => / (?:pulled|nothing-new)$/.test(end);
      expect([stops, ends.filter((end) => !isCurrent(end))]).toEqual([[], []]);
      let compared = 0;
      for (const { frozenOn, monthEnd, columns } of files)
        for (const id of source.ids) {
          const key = fileKeyOf(id.replace('ECB:', ''));
          const pulled = await valuesIn(store, id, frozenOn);
          expect(pulled, `${id} ${frozenOn}`).toEqual(await valuesIn(imported, `ECB:${key}`, monthEnd));
          const column = columns.get(key);
          if (column === undefined) continue;
          expect(pulled, `${id} ${frozenOn}`).toEqual(Object.fromEntries(column));
          compared += column.size;
        }
      expect(compared).toBe(
        files.reduce(
          (sum, { columns }) => sum + [...columns.values()].reduce((n, { size }) => n + size, 0),
          0,
        ),
      );
    });
  });
}
