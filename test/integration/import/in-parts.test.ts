import { appendFileSync, copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../../../src/import/files/walk.ts';
import type { ImportFile } from '../../../src/import/formats/format.ts';
import { recognise } from '../../../src/import/formats/recognise.ts';
import { importFiles as importAll, importLog } from '../../../src/import/import.ts';
import { load } from '../../../src/import/load/load.ts';
import { ImportParts } from '../../../src/import/load/parts.ts';
import type { ImportOptions, ImportProgress } from '../../../src/import/options.ts';
import { importReport } from '../../../src/import/report.ts';
import { importFiles as importByLibrary } from '../../../src/library/asof.ts';
import { checkStore } from '../../../src/maintenance/check.ts';
import { storeInfo } from '../../../src/maintenance/info.ts';
import { removeSeries } from '../../../src/maintenance/series.ts';
import { undoableImports, undoStoreImport } from '../../../src/maintenance/undo.ts';
import { writing } from '../../../src/store/open.ts';
import { runs } from '../../support/arbitrary.ts';
import { type Encoded, importMixed, mixedImports } from '../../support/encodings.ts';
import { contract } from '../../support/engines.ts';
import { tempFolder } from '../../support/folders.ts';
import { contentOf, facts, failureOf, importFiles } from '../../support/scratch-store.ts';

const clock = () => new Date('2026-01-15T12:00:00Z');

/** Two statements about each of 2,100 series: three parts. */
const seriesCount = 2100;
const statementsOf = (i: number) => [
  `S${i} 2020-01-01 2020-05-01 ${i}`,
  `S${i} 2020-02-01 2020-05-01 ${i}.5`,
];
const bySeries = Array.from({ length: seriesCount }, (_, i) => statementsOf(i)).flat();
const byDate = [0, 1].flatMap((which) => bySeries.filter((_, i) => i % 2 === which));

/** A value of a series in the second part that differs from the files. */
const contradiction = facts('S1500 2020-01-01 2020-05-01 7');

contract((engine) => {
  const importing = (address: string, file: string, options: Partial<ImportOptions> = {}) =>
    importAll([file], { store: address, clock, chunked: true, ...options });
  const fileOf = (lines: readonly string[], name = 'all.csv') =>
    join(tempFolder({ [name]: facts(...lines) }), name);
  const unfinishedIn = async (address: string) => (await storeInfo(address)).unfinished_imports;
  const seriesIn = async (address: string) => (await storeInfo(address)).series;
  const numbersIn = async (address: string) => (await importLog(address)).map(({ number }) => number);

  /** A store with the first part of a file, whose second part contradicts the store, and the failure. */
  async function stoppedStore(file: string) {
    const address = engine.newAddress();
    await importFiles(address, { 'x.csv': contradiction });
    return { address, failure: await failureOf(importing(address, file)) };
  }

  describe('an import in parts', () => {
    it.each([
      ['has its series one by one', bySeries],
      ['mentions all series again and again', byDate],
    ])('stores of a file that %s what an import at once stores, under one number', async (_, lines) => {
      const file = fileOf(lines);
      const [parted, whole] = [engine.newAddress(), engine.newAddress()];
      const result = await importing(parted, file);
      await importAll([file], { store: whole, clock });
      expect(await contentOf(parted)).toEqual(await contentOf(whole));
      expect(result.files).toMatchObject([{ file, series: seriesCount, statementsNew: 2 * seriesCount }]);
      expect(result.inParts).toEqual({ parts: 3, series: seriesCount, before: 0 });
      expect(result.imports).toEqual([1]);
      expect(importReport(result)).toContain(
        'stored in 3 parts, as import 1: `asof store undo 1` takes them back',
      );
      expect(await numbersIn(parted)).toEqual([1, 1, 1]);
      expect((await storeInfo(parted)).imports).toBe(1);
      expect(await unfinishedIn(parted)).toBe(0);
      expect((await checkStore(parted)).faults).toEqual([]);
      expect(await undoableImports(parted)).toEqual([
        { number: 1, importedAt: clock().toISOString(), files: [file] },
      ]);
      await undoStoreImport(parted);
      expect(await seriesIn(parted)).toBe(0);
    });

    it('that fails in a later part says what is stored, and the same import goes on behind it', async () => {
      const file = fileOf(bySeries);
      const { address, failure } = await stoppedStore(file);
      expect(failure).toBe(
        `1 conflict; 1,000 of 2,100 series are stored, as import 2:\n  ${file}: S1500 2020-01-01 as of 2020-05-01: 1500, against 7`,
      );
      await expect(importing(address, file)).rejects.toMatchObject({
        hints: [
          '--replace accepts the new ones',
          'with another file or option, the command begins anew and finds what is stored',
          '`asof store undo 2` takes them back',
        ],
      });
      expect([await seriesIn(address), await unfinishedIn(address)]).toEqual([1001, 1]);
      expect((await checkStore(address)).faults).toEqual([]);
      await removeSeries(address, 'S1500');
      const result = await importing(address, file);
      expect(result.files).toMatchObject([{ statementsNew: 2200, statementsKnown: 0 }]);
      expect(importReport(result)).toContain(
        'went on behind 1,000 of 2,100 series, stored by an earlier run',
      );
      expect([await seriesIn(address), await unfinishedIn(address)]).toEqual([2100, 0]);
      expect(await numbersIn(address)).toEqual([1, 2, 2, 2]);
    });

    it.each<[string, (file: string, other: string) => void]>([
      ['another file takes its place', (file, other) => renameSync(other, file)],
      ['its content is written again', (file, other) => copyFileSync(other, file)],
      ['a line is added', (file) => appendFileSync(file, '\n')],
    ])(
      'stores no part of a file when %s, and whole series of the rest when it is run again',
      async (_, change) => {
        const file = fileOf(byDate);
        const other = fileOf(byDate.toReversed(), 'other.csv');
        const address = engine.newAddress();
        await importFiles(address, { 'x.csv': facts('X 2020-01-01 2020-05-01 1') });
        let isChanged = false;
        const failing = importing(address, file, {
          onProgress({ stage, done, total }: ImportProgress) {
            if (isChanged || stage !== 'load' || done < total / 2) return;
            isChanged = true;
            change(file, other);
          },
        });
        await expect(failing).rejects.toMatchObject({
          kind: 'bad-input',
          detail: expect.stringMatching(
            /all\.csv: the file changed while it was imported; 1,000 of 2,100 series/,
          ),
        });
        expect([await seriesIn(address), await unfinishedIn(address)]).toEqual([1001, 1]);
        await importing(address, file);
        expect([await seriesIn(address), await unfinishedIn(address)]).toEqual([2101, 0]);
        expect((await checkStore(address)).faults).toEqual([]);
      },
    );

    it('says in the library, too, what is stored when a signal stops it', async () => {
      const file = fileOf(bySeries);
      const address = engine.newAddress();
      await importFiles(address, { 'x.csv': facts('X 2020-01-01 2020-05-01 1') });
      const stopping = new AbortController();
      const stopped = importByLibrary([file], {
        ...{ store: address, clock, chunked: true, signal: stopping.signal },
        onProgress({ stage, done, total }) {
          if (stage === 'load' && done > total / 2) stopping.abort();
        },
      });
      await expect(stopped).rejects.toMatchObject({
        kind: 'interrupted',
        detail: 'stopped; 1,000 of 2,100 series are stored, as import 2',
        hints: ['the same command goes on behind them', '`asof store undo 2` takes them back'],
      });
      expect(await seriesIn(address)).toBe(1001);
    });

    it.each<[string, (file: string) => [file: string, options: Partial<ImportOptions>]]>([
      ['other options', (file) => [file, { replace: true }]],
      ['another file', () => [fileOf(bySeries.filter((line) => !line.startsWith('S1500'))), {}]],
    ])('skips nothing with %s than those that stopped', async (_, again) => {
      const stopped = fileOf(bySeries);
      const { address } = await stoppedStore(stopped);
      const [file, options] = again(stopped);
      const result = await importing(address, file, options);
      expect(result.inParts?.before).toBe(0);
      expect(result.files[0]?.statementsKnown).toBe(2000);
      expect((await checkStore(address)).faults).toEqual([]);
    });

    it('has another number after an import that came between, and the undo of either begins it anew', async () => {
      const file = fileOf(bySeries);
      const { address } = await stoppedStore(file);
      await removeSeries(address, 'S1500');
      await importFiles(address, { 'y.csv': facts('OTHER 2020-01-01 2020-05-01 7') });
      await importFiles(address, { 'x.csv': facts('S2050 2020-01-01 2020-05-01 7') });
      await expect(importing(address, file)).rejects.toMatchObject({
        headline: '1 conflict; 2,000 of 2,100 series are stored, as imports 2 and 5',
        hints: expect.arrayContaining(['`asof store undo 5` and `asof store undo 2` take them back']),
      });
      await undoStoreImport(address, { number: 2 });
      expect(await unfinishedIn(address)).toBe(0);
      await undoStoreImport(address, { number: 4 });
      const result = await importing(address, file);
      expect(result.inParts).toEqual({ parts: 3, series: seriesCount, before: 0 });
      expect(result.imports).toEqual([6]);
      expect(result.files).toMatchObject([{ statementsNew: 2200, statementsKnown: 2000 }]);
    });

    it('writes nothing in a dry run, which finds the conflicts of all parts', async () => {
      const file = fileOf(bySeries);
      const address = engine.newAddress();
      await importFiles(address, {
        'x.csv': facts('S5 2020-01-01 2020-05-01 7', 'S1500 2020-01-01 2020-05-01 7'),
      });
      await expect(importing(address, file, { dryRun: true })).rejects.toThrow(
        '2 conflicts; nothing was imported',
      );
      expect(await seriesIn(address)).toBe(2);
    });

    it('refuses what it cannot read anywhere before it stores anything', async () => {
      const address = engine.newAddress();
      await importFiles(address, { 'x.csv': facts('X 2020-01-01 2020-05-01 7') });
      const file = fileOf([...bySeries, 'S2100 2020-13-01 2020-05-01 1']);
      await expect(importing(address, file)).rejects.toThrow('row 4202');
      // Also if the last part has the other id.
      for (const id of ['X', 'S2099'])
        await expect(importing(address, fileOf(bySeries), { rename: { S2100: id } })).rejects.toThrow(
          /^--id S2100=…: the files have no series S2100$/,
        );
      expect(await seriesIn(address)).toBe(1);
    });

    it('that a signal stops says what is stored, and goes on there, also in a new store with the sample', async () => {
      const address = engine.newAddress();
      const stop = new AbortController();
      const file = fileOf(bySeries);
      const isFile = !address.startsWith('postgres:');
      const onProgress = (made: ImportProgress) => {
        if (made.stage === 'load' && made.done / made.total > 0.4) stop.abort();
      };
      const options = { signal: stop.signal, onProgress, withSample: isFile };
      await expect(importing(address, file, options)).rejects.toMatchObject({
        kind: 'interrupted',
        detail: expect.stringMatching(/^stopped; 1,000 of 2,100 series are stored, as import \d+$/),
      });
      const before = await seriesIn(address);
      const result = await importing(address, file, { withSample: isFile });
      expect(result.inParts).toMatchObject({ parts: 2, before: 1000 });
      expect(await seriesIn(address)).toBe(before + 1100);
    });

    it('keeps series whole that files know by several ids, and reads curves and filings once', async () => {
      const parted = engine.newAddress();
      const file = fileOf([...bySeries, 'LATE 2020-03-01 2020-05-01 3', 'DGS10 2020-01-02 2020-01-02 1.88']);
      const options = { rename: { late: 's0' } };
      await importing(parted, file, options);
      const whole = engine.newAddress();
      await importAll([file], { store: whole, clock, ...options });
      expect(await contentOf(parted)).toEqual(await contentOf(whole));
    });

    it('of any size stores of mixed files what an import at once stores, in any order of formats', async () => {
      const inParts = async (address: string, { files, flags }: Encoded, size: number) => {
        const folder = tempFolder(files);
        const paths = Object.keys(files).map((name) => join(folder, name));
        const inputs: ImportFile[] = [];
        for (const file of await sourceFiles(paths)) inputs.push({ file, format: await recognise(file) });
        const options = {
          ...{ merge: true, projections: true, rename: new Map(), ...flags },
          ...{ latest: '2026-01-15', importedAt: clock().toISOString() },
        };
        const parts = await ImportParts.of(inputs, options, size);
        for (let at = 0; at < parts.count; at += 1)
          await writing(address, async (writer) => {
            const part = parts.part(at);
            await load(inputs, writer, { ...options, part, rename: part.rename });
            await writer.commit();
          });
        await parts.close();
      };
      await fc.assert(
        fc.asyncProperty(mixedImports, fc.integer({ min: 1, max: 3 }), async (imports, size) => {
          const [parted, whole] = [engine.newAddress(), engine.newAddress()];
          for (const one of imports) await inParts(parted, one, size);
          for (const one of imports) await importMixed(whole, one);
          expect(await contentOf(parted)).toEqual(await contentOf(whole));
        }),
        { numRuns: runs(15) },
      );
    }, 120_000);
  });
});
