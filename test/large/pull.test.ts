import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { realTimeVariables } from '../../src/domain/series/real-time-data-set.ts';
import { monthEnd } from '../../src/domain/values/date.ts';
import { zipMembers } from '../../src/import/files/walk.ts';
import { readSheets } from '../../src/import/readers/xlsx.ts';
import { scratchFolder } from '../support/folders.ts';
import { loopbackPhiladelphia, loopbackStLouis, publish } from '../support/pull/loopback-files.ts';
import { contentOf, puller } from '../support/pull/pulling.ts';
import { differences, rawWorkbook } from '../support/raw-statements.ts';
import { largeData, readData } from '../support/repository.ts';
import { allStatements, importFiles, importPaths, newStorePath, reading } from '../support/scratch-store.ts';
import { onlyFile, textOf } from '../support/source-file.ts';
import { realTimeAnswers } from '../support/suites/series-files.ts';

const scratch = scratchFolder();

const names = readdirSync(join(largeData, 'macro/rtdsm')).map((name) => name.replace('.xlsx', ''));

describe('the catalogue of the Real-Time Data Set', () => {
  it('knows all 25 workbooks', () => expect(names.length).toBe(25));

  it.each(names)('states the frequencies that the workbook %s has', async (name) => {
    const [, id = '', vintages = '', data = ''] = /^(\w+)([MQ])v([MQ])d$/.exec(name) ?? [];
    const variable = realTimeVariables.get(id.toUpperCase());
    expect([variable?.frequency, variable?.vintages]).toEqual([data, expect.arrayContaining([vintages])]);
    const [sheet] = await readSheets(await onlyFile(join(largeData, `macro/rtdsm/${name}.xlsx`)), 'heads');
    const [, vintage] = sheet?.rows[0] ?? [];
    expect(vintage).toMatch(new RegExp(`^${id}\\d\\d${vintages}\\d+$`, 'i'));
    expect(sheet?.rows[1]?.[0]).toMatch(data === 'Q' ? /^\d{4}:Q[1-4]$/ : /^\d{4}:\d\d$/);
  });
});

it('asof pull rtdsm gives the 300 true answers about ROUTPUT, CPI and EMPLOY', async () => {
  const workbooks = names.map((name) => [
    name.toLowerCase(),
    readData(largeData, `macro/rtdsm/${name}.xlsx`),
  ]);
  const server = await loopbackPhiladelphia(Object.fromEntries(workbooks));
  const variables = ['ROUTPUT', 'CPI', 'EMPLOY'];
  const { store, pull } = puller(server, { request: { rtdsm: variables } });
  expect((await pull('2024-04-01T12:00:00Z')).ends).toEqual(variables.map((name) => `${name} pulled`));
  const { given, expected } = await realTimeAnswers(store, variables);
  expect(given.length).toBe(300);
  expect(given).toEqual(expected);
});

/** The figures of a store about a series, as `date as-of-day value`; a number may have other digits at its end. */
async function figuresIn(store: string, seriesId: string): Promise<readonly string[]> {
  const all = await reading(store, (view) => allStatements(view, seriesId));
  return all
    .flatMap(({ date, asOf, value }) => (value === null ? [] : [`${date} ${asOf} ${Number(value)}`]))
    .sort();
}

/** Expects two stores to say the same about a series, in every statement, vintage and description. */
async function expectSame(store: string, other: string, seriesId: string): Promise<void> {
  const [{ series: one, ...pulled }, { series: two, ...imported }] = [
    await contentOf(store, seriesId),
    await contentOf(other, seriesId),
  ];
  expect(isDeepStrictEqual(pulled, imported), `the facts of ${seriesId}`).toBe(true);
  expect(one).toEqual(two);
}

it.each(names)('asof pull rtdsm stores every cell of the workbook %s, as an import does', async (name) => {
  const path = `macro/rtdsm/${name}.xlsx`;
  const id = name.replace(/[MQ]v[MQ]d$/, '').toUpperCase();
  const server = await loopbackPhiladelphia({ [name.toLowerCase()]: readData(largeData, path) });
  const { store, pull } = puller(server, { request: { rtdsm: [name] } });
  const { ends, notes } = await pull('2024-04-01T12:00:00Z');
  expect([ends, notes]).toEqual([[`${id} pulled`], []]);
  const imported = newStorePath(scratch);
  await importPaths(imported, [join(largeData, path)]);
  await expectSame(store, imported, id);
  const cells = (await rawWorkbook(largeData, `${name}.xlsx`)).filter((line) => !line.endsWith(' '));
  expect(differences(await figuresIn(store, id), cells.sort())).toEqual([]);
  expect(await pull('2024-04-02T12:00:00Z', { full: true })).toMatchObject({
    ends: [`${id} pulled`],
    notes: [],
  });
});

/** The figures of a panel by column, as `date as-of-day value`; a quarter is dated by its first month. */
function rawColumns(
  text: string,
  asOf: string,
  firstMonth: (month: number) => number,
): Map<string, string[]> {
  const [header = [], ...rows] = text.split(/\r?\n/).map((line) => line.split(','));
  const figures = new Map(header.slice(1).map((name) => [name.toUpperCase(), [] as string[]]));
  for (const [label = '', ...cells] of rows) {
    const [month, , year] = label.split('/');
    if (year === undefined) continue;
    const date = `${year}-${String(firstMonth(Number(month))).padStart(2, '0')}-01`;
    for (const [i, cell] of cells.entries())
      if (cell !== '')
        figures.get((header[i + 1] ?? '').toUpperCase())?.push(`${date} ${asOf} ${Number(cell)}`);
  }
  return figures;
}

it('asof pull fred-md stores every cell of nine files in an archive, as an import does', async () => {
  const archive = readData(largeData, 'macro/fred-md/fred-md-vintages.zip');
  const server = await loopbackStLouis();
  publish(server, 'historical-vintages-of-fred-md-2015-01-to-2024-03.zip', archive, 'archive');
  const members = await zipMembers(archive, 'fred-md-vintages.zip');
  const expected = new Map<string, string[]>();
  for (const file of members) {
    const text = await textOf(file);
    const month = file.name.slice(0, 7);
    const columns = rawColumns(text, monthEnd(`${month}-01`), (number) => number);
    for (const [id, lines] of columns) expected.set(id, [...(expected.get(id) ?? []), ...lines]);
    if (month === '2024-03') publish(server, 'monthly/2024-03-md.csv', text, 'current.csv');
  }
  const { store, pull } = puller(server, { request: { 'fred-md': [] } });
  // The months between the nine have no file.
  expect((await pull('2024-04-01T12:00:00Z')).ends).toEqual(['FRED-MD left: bad-answer']);
  const imported = newStorePath(scratch);
  await importPaths(imported, [join(largeData, 'macro/fred-md/fred-md-vintages.zip')]);
  expect(expected.size).toBeGreaterThan(126);
  for (const [id, lines] of expected) {
    if (lines.length === 0) continue;
    await expectSame(store, imported, id);
    expect([id, differences(await figuresIn(store, id), lines.sort())]).toEqual([id, []]);
  }
});

it('asof pull fred-qd stores every cell of the file, as an import does', async () => {
  const text = readData(largeData, 'macro/fred-qd/fredqd.csv').toString();
  const server = await loopbackStLouis();
  publish(server, 'quarterly/2021-04-qd.csv', text, 'current.csv');
  const { store, pull } = puller(server, { request: { 'fred-qd': [] } });
  expect((await pull('2021-05-01T12:00:00Z')).ends).toEqual(['FRED-QD pulled']);
  const imported = newStorePath(scratch);
  await importFiles(imported, { '2021-04.csv': text });
  const expected = rawColumns(text, '2021-04-30', (month) => month - 2);
  expect(expected.size).toBeGreaterThan(240);
  for (const [id, lines] of expected) {
    await expectSame(store, imported, id);
    expect([id, differences(await figuresIn(store, id), lines.sort())]).toEqual([id, []]);
  }
});
