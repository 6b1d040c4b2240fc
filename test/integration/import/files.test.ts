import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importFiles } from '../../../src/import/import.ts';
import type { ImportOptions } from '../../../src/import/options.ts';
import { scratchFolder, tempFolder } from '../../support/folders.ts';
import { allStatements, newStorePath, reading } from '../../support/scratch-store.ts';
import { zipOf } from '../../support/zip-writer.ts';

const folder = scratchFolder();
const clock = () => new Date('2026-01-15T12:00:00Z');

const importing = (paths: readonly string[], options: Partial<ImportOptions> = {}) =>
  importFiles(paths, { store: newStorePath(folder), clock, asOf: '2015-02-27', ...options });

const gdp = 'observation_date,GDP\n2014-07-01,17599.8\n';
const readme = 'FRED Graph Observations\nFederal Reserve Economic Data\n';

describe('files that no format recognises', () => {
  const files = tempFolder({
    'GDP.csv': gdp,
    'README.txt': readme,
    'paper.pdf': '%PDF-1.7 …',
    'empty.csv': '',
  });

  it('are all named in one refusal, with the flag that leaves them out', async () => {
    await expect(importing([files])).rejects.toMatchObject({
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
    await expect(importing([files], { skipUnknown: true })).rejects.toMatchObject({
      detail: `${files}/empty.csv: the file is empty (0 bytes)`,
    });
    const others = tempFolder({ 'GDP.csv': gdp, 'README.txt': readme, 'paper.pdf': '%PDF-1.7 …' });
    const result = await importing([others], { skipUnknown: true });
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

/** Lines of a data list that FRED made on 2018-07-11: a text for each frequency, and a README. */
const dataList = {
  'MyDeepLearning_README.txt': [
    'Data List: MyDeepLearning',
    'Data Updated: 2018-07-11',
    '',
    'FRED (Federal Reserve Economic Data)',
    'Link: https://fred.stlouisfed.org',
  ],
  'MyDeepLearning_Quarterly_End_of_Period.txt': [
    'DATE\tDRCCLACBN\tDRCCLACBS\tDRSFRMACBN\tDRSFRMACBS\tGFDEBTN',
    '1990-10-01\t\t\t\t\t3364820',
    '1991-01-01\t5.31\t5.26\t3.18\t3.10\t3465189',
    '1991-04-01\t5.35\t5.48\t3.07\t3.16\t3537988',
  ],
  'MyDeepLearning_Weekly_Ending_Saturday.txt': [
    'DATE\tIC4WSA\tICNSA\tICSA',
    '1967-01-21\t\t277000\t217000',
    '1967-01-28\t209000\t252000\t204000',
    '1967-02-04\t211000\t274000\t216000',
  ],
};

describe('a FRED data list', () => {
  it('is read from its zip with the README left out, each file with its own frequency', async () => {
    const store = newStorePath(folder);
    const members = Object.entries(dataList).map(([name, rows]) => ({
      name,
      content: `${rows.join('\r\n')}\r\n`,
    }));
    const files = tempFolder({ 'MyDeepLearning.zip': zipOf(members) });
    const result = await importing([join(files, 'MyDeepLearning.zip')], { store, asOf: '2018-07-11' });
    expect(result.skipped.map((path) => basename(path))).toEqual(['MyDeepLearning_README.txt']);
    const claims = await reading(store, (open) => allStatements(open, 'ICSA'));
    expect(claims.find(({ date }) => date === '1967-01-28')).toMatchObject({
      asOf: '2018-07-11',
      value: '204000',
    });
    const debt = await reading(store, (open) => allStatements(open, 'GFDEBTN'));
    expect(debt.find(({ date }) => date === '1991-01-01')).toMatchObject({ value: '3465189' });
    expect(result.files.map(({ series }) => series)).toEqual([5, 3]);
  });
});

describe('a flag that only some files of an import take', () => {
  const files = tempFolder({
    'fred.csv': 'observation_date,UNRATE\n2015-01-01,5.7\n2015-02-01,5.5\n',
    'alfred.csv': 'observation_date,GDPC1_20150130\n2014-07-01,16205.6\n2014-10-01,16311.6\n',
    'periods.csv':
      'period_start_date,ICSA,realtime_start_date,realtime_end_date\n2015-01-03,297000,2015-01-08,\n',
  });

  it('dates the files that do not date themselves, and a note says which do', async () => {
    const store = newStorePath(folder);
    const result = await importing([files], { store, asOf: '2015-03-06' });
    const notes = ['the file states when its figures were known; --as-of 2015-03-06 is ignored'];
    expect(result.files.map(({ file, notes }) => [basename(file), notes])).toEqual([
      ['alfred.csv', notes],
      ['fred.csv', []],
      ['periods.csv', notes],
    ]);
    const days = async (id: string) =>
      (await reading(store, (open) => allStatements(open, id))).map(({ asOf }) => asOf);
    expect(await days('UNRATE')).toEqual(['2015-03-06', '2015-03-06']);
    expect(await days('GDPC1')).toEqual(['2015-01-30', '2015-01-30']);
    expect(await days('ICSA')).toEqual(['2015-01-08']);
  });

  it('withdraws with --complete the dates of whole vintages only', async () => {
    const store = newStorePath(folder);
    const earlier = tempFolder({
      'asof.csv':
        'series_id,date,as_of_date,value\nUNRATE,2014-12-01,2015-01-09,5.6\nICSA,2014-12-27,2014-12-31,298000\n',
    });
    await importing([earlier], { store, asOf: undefined });
    const result = await importing([files], { store, asOf: '2015-03-06', complete: true, merge: true });
    expect(result.files.map(({ withdrawn }) => withdrawn)).toEqual([0, 1, 0]);
  });
});

describe('standard input', () => {
  it('is imported as the path -, packed or not', async () => {
    for (const content of [Buffer.from(gdp), gzipSync(gdp)]) {
      const store = newStorePath(folder);
      const stdin = Readable.from([content.subarray(0, 5), content.subarray(5)]);
      const result = await importing(['-'], { store, stdin });
      expect(result.files).toMatchObject([{ file: 'standard input', kind: 'fred-csv', statementsNew: 1 }]);
      expect(await reading(store, (open) => allStatements(open, 'GDP'))).toMatchObject([
        { value: '17599.8' },
      ]);
    }
  });

  it('can be of a kind that --kind names, and is refused twice, empty and as a zip archive', async () => {
    const stdin = () => Readable.from([Buffer.from(gdp)]);
    expect((await importing(['-'], { stdin: stdin(), kind: 'dated-panel' })).files).toMatchObject([
      { kind: 'dated-panel' },
    ]);
    await expect(importing(['-', '-'], { stdin: stdin() })).rejects.toThrow(
      'standard input (-) can be read only once',
    );
    await expect(importing(['-'], { stdin: Readable.from([]) })).rejects.toThrow(
      'standard input: the file is empty (0 bytes)',
    );
    const zip = Readable.from([zipOf([{ name: 'a.csv', content: gdp }])]);
    await expect(importing(['-'], { stdin: zip })).rejects.toThrow(
      'standard input: a zip archive cannot be read from standard input',
    );
  });
});

describe('a file of metadata', () => {
  it('reports which descriptions are new, changed and known, and each change', async () => {
    const store = newStorePath(folder);
    const header = 'series_id,title,units\n';
    const files = tempFolder({
      'a.csv': `${header}GDP,Gross Domestic Product,Billions of Dollars\nCPI,Prices,Index\n`,
      'b.csv': `${header}GDP,Gross Domestic Product,Bil. of $\nCPI,,Index\nUNRATE,Unemployment Rate,Percent\n`,
    });
    const [first] = (await importing([join(files, 'a.csv')], { store, asOf: undefined })).files;
    expect(first?.described).toEqual({ added: 2, changed: 0, known: 0 });
    const [second] = (await importing([join(files, 'b.csv')], { store, asOf: undefined, replace: true }))
      .files;
    expect(second?.described).toEqual({ added: 1, changed: 1, known: 1 });
    expect(second?.notes).toEqual(['GDP units: "Bil. of $", before "Billions of Dollars"']);
  });
});

describe('the format of dates', () => {
  const ambiguous = tempFolder({ 'Y.csv': 'Date,Y\n1/2/2015,1\n1/5/2015,2\n' });

  it.each([
    ['M/D/YYYY', ['2015-01-02', '2015-01-05']],
    ['dd.mm.yyyy', ['2015-02-01', '2015-05-01']],
    ['mdy', ['2015-01-02', '2015-01-05']],
  ])('can be stated as %s', async (dateFormat, dates) => {
    const store = newStorePath(folder);
    await importing([ambiguous], { store, dateFormat, projections: true });
    expect((await reading(store, (open) => allStatements(open, 'Y'))).map(({ date }) => date)).toEqual(dates);
  });

  it('is refused if it is no order of month and day', async () => {
    await expect(importing([ambiguous], { dateFormat: 'YYYY' })).rejects.toThrow(
      'date format "YYYY": use M/D/YYYY or D/M/YYYY',
    );
  });
});
