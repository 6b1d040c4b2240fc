import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFiles, importLog } from '../../../src/import/import.ts';
import { ImportRefusal } from '../../../src/import/load/conflict.ts';
import type { ImportProgress } from '../../../src/import/options.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { allStatements, facts, newStorePath, reading } from '../../support/scratch-store.ts';

const folder = scratchFolder();
const clock = () => new Date('2026-01-15T12:00:00Z');

const statementsIn = async (path: string, seriesId: string) =>
  (await reading(path, (store) => allStatements(store, seriesId))).map(({ date, asOf, value }) =>
    [date, asOf, value ?? ''].join(' '),
  );

describe('importFiles', () => {
  it('imports files and folders, and gives what each file brought', async () => {
    const store = newStorePath(folder);
    const files = tempFolder({
      'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7', 'GDP 2014-10-01 2015-02-27 17701.3'),
      'more/b.csv': 'series_id,title\nGDP,Gross Domestic Product\n',
    });
    const result = await importFiles([join(files, 'a.csv'), join(files, 'more')], { store, clock });
    const none = {
      filings: 0,
      statementsNew: 0,
      statementsKnown: 0,
      withdrawn: 0,
      projections: 0,
      notes: [],
    };
    expect(result).toEqual({
      store,
      created: true,
      dryRun: false,
      files: [
        { file: join(files, 'a.csv'), kind: 'asof-csv', series: 1, vintages: 2, ...none, statementsNew: 2 },
        {
          file: join(files, 'more/b.csv'),
          kind: 'metadata-csv',
          series: 0,
          vintages: 0,
          ...none,
          described: { added: 1, changed: 0, known: 0 },
        },
      ],
      skipped: [],
      outdated: [],
    });
    expect(await statementsIn(store, 'GDP')).toEqual([
      '2014-10-01 2015-01-30 17710.7',
      '2014-10-01 2015-02-27 17701.3',
    ]);
    expect(await importLog(store)).toMatchObject([
      { file: join(files, 'a.csv'), kind: 'asof-csv', statementsNew: 2, importedAt: clock().toISOString() },
      { file: join(files, 'more/b.csv'), kind: 'metadata-csv', statementsNew: 0 },
    ]);
  });

  it('takes the vintage date, the series and the new id of a file from its options', async () => {
    const store = newStorePath(folder);
    const file = join(tempFolder({ 'x.csv': 'DATE,VALUE\n2014-10-01,1.5\n' }), 'x.csv');
    const options = { store, clock, asOf: '2015-01-30', series: 'gdp', rename: { gdp: 'gdp.us' } };
    expect((await importFiles([file], options)).files).toMatchObject([
      { kind: 'fred-csv', statementsNew: 1 },
    ]);
    expect(await statementsIn(store, 'GDP.US')).toEqual(['2014-10-01 2015-01-30 1.5']);
  });

  it('writes nothing in a dry run', async () => {
    const store = newStorePath(folder);
    const file = join(tempFolder({ 'a.csv': facts('A 2020-01-01 2020-02-01 1') }), 'a.csv');
    const result = await importFiles([file], { store, clock, dryRun: true });
    expect(result).toMatchObject({ created: true, dryRun: true, files: [{ statementsNew: 1 }] });
    expect(existsSync(store)).toBe(false);
  });

  it('throws a refusal that lists the conflicts as data, and writes nothing', async () => {
    const store = newStorePath(folder);
    const files = tempFolder({
      'a.csv': facts('A 2020-01-01 2020-02-01 1'),
      'b.csv': facts('A 2020-01-01 2020-02-01 2', 'A 2020-02-01 2020-03-01 3'),
    });
    await importFiles([join(files, 'a.csv')], { store, clock });
    const refusal: unknown = await importFiles([join(files, 'b.csv')], { store, clock }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(ImportRefusal);
    const b = join(files, 'b.csv');
    expect(refusal).toMatchObject({
      kind: 'bad-input',
      detail: `1 conflict; nothing was imported:\n  ${b}: A 2020-01-01 as of 2020-02-01: 2, against 1`,
      hints: ['--replace accepts the new ones'],
      conflicts: [
        {
          kind: 'value',
          file: b,
          seriesId: 'A',
          date: '2020-01-01',
          asOf: '2020-02-01',
          held: '1',
          given: '2',
        },
      ],
    });
    expect(await statementsIn(store, 'A')).toEqual(['2020-01-01 2020-02-01 1']);
    const accepted = await importFiles([b], { store, clock, replace: true });
    expect(accepted.files).toMatchObject([{ statementsNew: 2 }]);
    expect(await statementsIn(store, 'A')).toEqual(['2020-01-01 2020-02-01 2', '2020-02-01 2020-03-01 3']);
  });

  it('reports its progress in files while it recognises them, then in bytes', async () => {
    const store = newStorePath(folder);
    const files = tempFolder({
      'a.csv': facts('A 2020-01-01 2020-02-01 1'),
      'b.csv': facts('B 2020-01-01 2020-02-01 1'),
    });
    const progress: ImportProgress[] = [];
    await importFiles([files], { store, clock, onProgress: (made) => progress.push(made) });
    expect(progress.slice(0, 2)).toEqual([
      { stage: 'recognise', file: join(files, 'a.csv'), done: 1, total: 2 },
      { stage: 'recognise', file: join(files, 'b.csv'), done: 2, total: 2 },
    ]);
    expect(new Set(progress.slice(2).map(({ stage }) => stage))).toEqual(new Set(['load']));
    expect(progress.at(-1)).toMatchObject({ file: join(files, 'b.csv'), rows: 1 });
  });

  it.each([
    ['before it recognises the files', 'recognise'],
    ['while it loads them', 'load'],
  ])('stops %s when its signal is aborted, and writes nothing', async (_, stage) => {
    const store = newStorePath(folder);
    const files = tempFolder({
      'a.csv': facts('A 2020-01-01 2020-02-01 1'),
      'b.csv': facts('B 2020-01-01 2020-02-01 1'),
    });
    const stop = new AbortController();
    const onProgress = (made: ImportProgress) => {
      if (made.stage === stage) stop.abort(new Error('stopped'));
    };
    await expect(importFiles([files], { store, clock, signal: stop.signal, onProgress })).rejects.toThrow(
      'stopped',
    );
    expect(existsSync(store)).toBe(false);
  });

  it.each([
    [{ asOf: '2015-1-30' }, 'asOf "2015-1-30": use YYYY-MM-DD'],
    [{ filedOn: '2015-02-30' }, 'filedOn "2015-02-30": there is no such date'],
    [
      { series: '=' },
      'series "=": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    ],
    [
      { rename: { A: '=' } },
      'rename "=": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    ],
    [{ kind: 'csv' }, 'unknown kind of file "csv"'],
    [{ rename: { B: 'C' } }, '--id B=…: the files have no series B'],
  ])('refuses the options %j', async (options, detail) => {
    const store = newStorePath(folder);
    const file = join(tempFolder({ 'a.csv': facts('A 2020-01-01 2020-02-01 1') }), 'a.csv');
    await expect(importFiles([file], { store, clock, ...options })).rejects.toMatchObject({
      kind: 'bad-input',
      detail,
    });
    expect(existsSync(store)).toBe(false);
  });

  it('refuses an empty list of paths', async () => {
    await expect(importFiles([], { store: newStorePath(folder) })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: 'nothing to import: name files or folders',
    });
  });
});
