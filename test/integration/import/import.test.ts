import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importFiles, importLog } from '../../../src/import/import.ts';
import { ImportRefusal } from '../../../src/import/load/conflict.ts';
import type { ImportOptions, ImportProgress } from '../../../src/import/options.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { readData, testData } from '../../support/repository.ts';
import { allStatements, facts, newStorePath, reading } from '../../support/scratch-store.ts';
import { zipOf } from '../../support/source-file.ts';

const folder = scratchFolder();
const clock = () => new Date('2026-01-15T12:00:00Z');

const importing = (paths: readonly string[], options: Partial<ImportOptions> = {}) =>
  importFiles(paths, { store: newStorePath(folder), clock, ...options });
const asOf = '2015-02-27';

const statementsIn = async (path: string, seriesId: string) =>
  (await reading(path, (store) => allStatements(store, seriesId))).map(({ date, asOf, value }) =>
    [date, asOf, value ?? ''].join(' '),
  );

/** Two files of one statement each. */
const twoFiles = {
  'a.csv': facts('A 2020-01-01 2020-02-01 1'),
  'b.csv': facts('B 2020-01-01 2020-02-01 1'),
};
const oneFile = () => join(tempFolder(twoFiles), 'a.csv');

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
      imports: [1],
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
    const files = tempFolder(twoFiles);
    const progress: ImportProgress[] = [];
    await importing([files], { onProgress: (made) => progress.push(made) });
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
    const stop = new AbortController();
    const onProgress = (made: ImportProgress) => {
      if (made.stage === stage) stop.abort(new Error('stopped'));
    };
    await expect(
      importing([tempFolder(twoFiles)], { store, signal: stop.signal, onProgress }),
    ).rejects.toThrow('stopped');
    expect(existsSync(store)).toBe(false);
  });

  it.each([
    [{ kind: 'csv' }, 'unknown kind of file "csv"'],
    [{ rename: { B: 'C' } }, '--id B=…: the files have no series B'],
    [{ dateFormat: 'YYYY' }, 'date format "YYYY": use M/D/YYYY or D/M/YYYY'],
  ])('refuses the options %j', async (options, detail) => {
    const store = newStorePath(folder);
    await expect(importing([oneFile()], { store, ...options })).rejects.toMatchObject({
      kind: 'bad-input',
      detail,
    });
    expect(existsSync(store)).toBe(false);
  });

  it('refuses an empty list of paths', async () => {
    await expect(importing([])).rejects.toMatchObject({
      kind: 'bad-input',
      detail: 'nothing to import: name files or folders',
    });
  });

  it.each([
    ['M/D/YYYY', ['2015-01-02', '2015-01-05']],
    ['dd.mm.yyyy', ['2015-02-01', '2015-05-01']],
    ['mdy', ['2015-01-02', '2015-01-05']],
  ])('reads dates in the order %s', async (dateFormat, dates) => {
    const ambiguous = tempFolder({ 'Y.csv': 'Date,Y\n1/2/2015,1\n1/5/2015,2\n' });
    const { store } = await importing([ambiguous], { asOf, dateFormat, projections: true });
    expect(await statementsIn(store, 'Y')).toEqual(dates.map((date, i) => `${date} ${asOf} ${i + 1}`));
  });
});

const gdp = 'observation_date,GDP\n2014-07-01,17599.8\n';

describe('files that no format recognises', () => {
  const unknown = { 'GDP.csv': gdp, 'README.txt': 'FRED Graph Observations\n', 'paper.pdf': '%PDF-1.7 …' };
  const files = tempFolder({ ...unknown, 'empty.csv': '' });

  it('are all named in one refusal, with the flag that leaves them out', async () => {
    await expect(importing([files], { asOf })).rejects.toMatchObject({
      kind: 'bad-input',
      detail: [
        '3 of 4 files cannot be read; nothing was imported:',
        `  ${files}/README.txt: not a format that asof reads; it starts with "FRED Graph Observations"`,
        `  ${files}/empty.csv: the file is empty (0 bytes)`,
        `  ${files}/paper.pdf: this looks like a PDF document; save its table as CSV`,
      ].join('\n'),
      hints: ['--skip-unknown leaves out the files that no format recognises'],
    });
  });

  it('are left out and named with --skip-unknown; an empty file is not among them', async () => {
    await expect(importing([files], { asOf, skipUnknown: true })).rejects.toMatchObject({
      detail: `${files}/empty.csv: the file is empty (0 bytes)`,
    });
    const result = await importing([tempFolder(unknown)], { asOf, skipUnknown: true });
    expect(result.files.map(({ file }) => basename(file))).toEqual(['GDP.csv']);
    expect(result.skipped.map((path) => basename(path))).toEqual(['README.txt', 'paper.pdf']);
  });

  it('are refused if they are all there is', async () => {
    const path = join(files, 'README.txt');
    await expect(importing([path], { skipUnknown: true })).rejects.toThrow(
      `no file to import: ${path} left out`,
    );
  });
});

describe('a FRED data list', () => {
  it('is read from its zip with the README left out, each file with its own frequency', async () => {
    // Lines of a data list that FRED made on 2018-07-11.
    const quarterly = 'DATE\tDRCCLACBN\tGFDEBTN\r\n1990-10-01\t\t3364820\r\n1991-01-01\t5.31\t3465189\r\n';
    const weekly = 'DATE\tIC4WSA\tICSA\r\n1967-01-21\t\t217000\r\n1967-01-28\t209000\t204000\r\n';
    const archive = zipOf([
      { name: 'List_README.txt', content: 'Data List: List\r\nData Updated: 2018-07-11\r\n' },
      { name: 'List_Quarterly_End_of_Period.txt', content: quarterly },
      { name: 'List_Weekly_Ending_Saturday.txt', content: weekly },
    ]);
    const path = join(tempFolder({ 'List.zip': archive }), 'List.zip');
    const { store, skipped, files } = await importing([path], { asOf: '2018-07-11' });
    expect(skipped.map((one) => basename(one))).toEqual(['List_README.txt']);
    expect(files.map(({ series }) => series)).toEqual([2, 2]);
    expect(await statementsIn(store, 'ICSA')).toContain('1967-01-28 2018-07-11 204000');
    expect(await statementsIn(store, 'GFDEBTN')).toContain('1991-01-01 2018-07-11 3465189');
  });
});

describe('a flag that only some files of an import take', () => {
  const periods =
    'period_start_date,ICSA,realtime_start_date,realtime_end_date\n2015-01-03,297000,2015-01-08,\n';
  const files = tempFolder({
    'fred.csv': 'observation_date,UNRATE\n2015-01-01,5.7\n2015-02-01,5.5\n',
    'alfred.csv': 'observation_date,GDPC1_20150130\n2014-07-01,16205.6\n2014-10-01,16311.6\n',
    'periods.csv': periods,
  });

  it('dates the files that do not date themselves, and a note says which do', async () => {
    const { store, files: read } = await importing([files], { asOf: '2015-03-06' });
    const notes = ['the file states when its figures were known; --as-of 2015-03-06 is ignored'];
    expect(read.map((file) => [basename(file.file), file.notes])).toEqual([
      ['alfred.csv', notes],
      ['fred.csv', []],
      ['periods.csv', notes],
    ]);
    expect(await statementsIn(store, 'UNRATE')).toEqual([
      '2015-01-01 2015-03-06 5.7',
      '2015-02-01 2015-03-06 5.5',
    ]);
    expect((await statementsIn(store, 'GDPC1'))[0]).toBe('2014-07-01 2015-01-30 16205.6');
    expect(await statementsIn(store, 'ICSA')).toEqual(['2015-01-03 2015-01-08 297000']);
  });

  it('withdraws with --complete the dates of whole vintages only', async () => {
    const earlier = facts('UNRATE 2014-12-01 2015-01-09 5.6', 'ICSA 2014-12-27 2014-12-31 298000');
    const { store } = await importing([tempFolder({ 'asof.csv': earlier })]);
    const result = await importing([files], { store, asOf: '2015-03-06', complete: true, merge: true });
    expect(result.files.map(({ withdrawn }) => withdrawn)).toEqual([0, 1, 0]);
  });
});

describe('standard input', () => {
  const stdin = (...chunks: readonly Buffer[]) => Readable.from(chunks);

  it.each([
    ['plain', Buffer.from(gdp)],
    ['packed', gzipSync(gdp)],
  ])('is imported as the path -, %s', async (_, content) => {
    const halves = stdin(content.subarray(0, 5), content.subarray(5));
    const { store, files } = await importing(['-'], { asOf, stdin: halves });
    expect(files).toMatchObject([{ file: 'standard input', kind: 'fred-csv', statementsNew: 1 }]);
    expect(await statementsIn(store, 'GDP')).toEqual(['2014-07-01 2015-02-27 17599.8']);
  });

  it('can be of a kind that --kind names, and is refused twice, empty and as a zip archive', async () => {
    const { files } = await importing(['-'], { asOf, stdin: stdin(Buffer.from(gdp)), kind: 'dated-panel' });
    expect(files).toMatchObject([{ kind: 'dated-panel' }]);
    await expect(importing(['-', '-'], { stdin: stdin() })).rejects.toThrow(
      'standard input (-) can be read only once',
    );
    await expect(importing(['-'], { stdin: stdin() })).rejects.toThrow(
      'standard input: the file is empty (0 bytes)',
    );
    const zip = stdin(zipOf([{ name: 'a.csv', content: gdp }]));
    await expect(importing(['-'], { stdin: zip })).rejects.toThrow(
      'standard input: a zip archive cannot be read from standard input',
    );
  });
});

describe('a file of metadata', () => {
  it('reports which descriptions are new, changed and known, and each change', async () => {
    const header = 'series_id,title,units\n';
    const files = tempFolder({
      'a.csv': `${header}GDP,Gross Domestic Product,Billions of Dollars\nCPI,Prices,Index\n`,
      'b.csv': `${header}GDP,Gross Domestic Product,Bil. of $\nCPI,,Index\nUNRATE,Unemployment Rate,Percent\n`,
    });
    const first = await importing([join(files, 'a.csv')]);
    expect(first.files).toMatchObject([{ described: { added: 2, changed: 0, known: 0 } }]);
    const second = await importing([join(files, 'b.csv')], { store: first.store, replace: true });
    expect(second.files).toMatchObject([
      {
        described: { added: 1, changed: 1, known: 1 },
        notes: ['GDP units: "Bil. of $", before "Billions of Dollars"'],
      },
    ]);
  });
});

/** A store that asof 0.1.0 made, of a FRED download and a file of statements if no other is named. */
function oldStore(name = 'format-1-two-kinds.db'): string {
  const path = newStorePath(folder);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, readData(join(testData, 'stores'), name));
  return path;
}

function writtenFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const outdatedIn = async (store: string) =>
  (await importLog(store)).filter(({ outdated }) => outdated).map(({ file }) => file);

describe('a store of asof 0.1.0, in whose files blank cells said nothing,', () => {
  it('names the files to import again, and not those without blank cells', async () => {
    const store = oldStore();
    expect((await importLog(store)).map(({ file }) => file)).toEqual(['UNRATE.csv', 'bread.csv']);
    expect(await outdatedIn(store)).toEqual(['UNRATE.csv']);
  });

  it('says so after every import, until the same file was imported again', async () => {
    const store = oldStore();
    const other = writtenFile(
      'other.csv',
      'series_id,date,as_of_date,value\nBREAD,2024-03-01,2024-05-15,2.1\n',
    );
    expect((await importFiles([other], { store })).outdated).toEqual(['UNRATE.csv']);
    const again = writtenFile('again.csv', 'observation_date,UNRATE\n2014-11-01,5.8\n2014-12-01,5.6\n');
    const { outdated } = await importFiles([again], { store, asOf: '2015-01-09' });
    expect(outdated).toEqual([]);
    expect(await outdatedIn(store)).toEqual([]);
  });

  it('is not every store: what is imported now is read by the rule of now', async () => {
    const store = newStorePath(folder);
    const file = writtenFile('new.csv', 'observation_date,X\n2014-11-01,5.8\n2014-12-01,\n');
    expect((await importFiles([file], { store, asOf: '2015-01-09' })).outdated).toEqual([]);
    expect(await outdatedIn(store)).toEqual([]);
  });
});

describe('a store of asof 0.1.0 with a quarterly series from files of monthly rows', () => {
  const held = () => oldStore('format-1-mixed-frequencies.db');
  const mixed =
    'observation_date,GDP,UNRATE\n2024-07-01,29374.914,4.3\n2024-08-01,,4.2\n2024-09-01,,4.1\n2024-10-01,29700.580,4.1\n';
  const panel = join(testData, 'macro/dated-panel/2016-07-29.csv');
  const inStore = (store: string, id: string) =>
    reading(store, async (view) => ({
      frequency: (await view.series.find(id))?.frequency,
      statements: await allStatements(view, id),
    }));

  it('knows its quarters alone: blank cells in rows of other series are nothing', async () => {
    const { frequency, statements } = await inStore(held(), 'GDP');
    expect(frequency).toBe('Q');
    expect(statements.map(({ date, value }) => [date, value])).toEqual([
      ['2024-07-01', '29374.914'],
      ['2024-10-01', '29700.580'],
    ]);
  });

  it('takes the same files again, and then knows what a new store knows of them', async () => {
    const [old, fresh] = [held(), newStorePath(folder)];
    const download = writtenFile('fredgraph.csv', mixed);
    for (const store of [old, fresh]) {
      await importFiles([download], { store, asOf: '2025-01-30' });
      await importFiles([panel], { store, merge: true });
    }
    for (const id of ['GDP', 'UNRATE', 'GDPC1', 'PAYEMS', 'ULCNFB'])
      expect(await inStore(old, id)).toEqual(await inStore(fresh, id));
    expect(await outdatedIn(old)).toEqual([]);
  });

  it.each([
    ['GDP', 'GDP,2024-04-01 29016.714,2024-07-01 29374.914,2024-10-01 29700.580,2025-01-01 29962.047'],
    ['GDPC1', 'GDPC1,2015-07-01 16440.7,2015-10-01 16471.5,2016-01-01 16515.5,2016-04-01 16570.2'],
  ])('takes quarterly figures of %s from a file of their own', async (id, rows) => {
    const store = held();
    const text = rows
      .split(',')
      .map((row, i) => (i === 0 ? `observation_date,${row}` : row.replace(' ', ',')));
    const file = writtenFile(`${id}.csv`, `${text.join('\n')}\n`);
    await importFiles([file], { store, asOf: '2025-05-01', merge: true });
    const { frequency, statements } = await inStore(store, id);
    expect(frequency).toBe('Q');
    const newest = statements.filter(({ asOf }) => asOf === '2025-05-01');
    expect(newest.map(({ date, value }) => `${date} ${value}`)).toEqual(rows.split(',').slice(1));
  });
});
