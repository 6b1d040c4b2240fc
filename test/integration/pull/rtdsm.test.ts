import { describe, expect, it } from 'vitest';
import { undoableImports, undoStoreImport } from '../../../src/maintenance/undo.ts';
import type { PullOptions } from '../../../src/pull/options.ts';
import { scratchFolder } from '../../support/folders.ts';
import { loopbackPhiladelphia, notFoundPage, realRoutput } from '../../support/pull/loopback-files.ts';
import { contentOf, puller } from '../../support/pull/pulling.ts';
import { dataPath, testData } from '../../support/repository.ts';
import {
  allStatements,
  importFiles,
  importPaths,
  newStorePath,
  reading,
} from '../../support/scratch-store.ts';
import { workbook } from '../../support/source-file.ts';
import { realTimeAnswers } from '../../support/suites/series-files.ts';

const march = '2024-03-01T12:00:00Z';
const april = '2024-04-01T12:00:00Z';

/** A workbook of one variable; an absent value is a blank cell. */
function workbookOf(
  columns: Readonly<Record<string, readonly (string | null)[]>>,
  quarters: readonly string[],
) {
  const names = Object.keys(columns);
  const rows = quarters.map((quarter, row) => [
    quarter,
    ...names.map((name) => {
      const value = columns[name]?.[row] ?? null;
      return value === null || value.startsWith('#') ? value : { number: value };
    }),
  ]);
  return workbook([['DATE', ...names], ...rows]);
}

const quarters = ['2023:Q2', '2023:Q3', '2023:Q4'];
const newest = { RCON23Q4: ['10.5', '11', null], RCON24Q1: ['10.5', '11.25', '12'] };
const small = workbookOf(newest, quarters);

async function smallRcon(options: Partial<PullOptions> = {}) {
  const server = await loopbackPhiladelphia({ rconqvqd: small });
  const { store, pull } = puller(server, { request: { rtdsm: ['RCON'] }, ...options });
  const statements = () =>
    reading(store, async (view) =>
      (await allStatements(view, 'RCON')).map(({ date, asOf, value }) => `${date} ${asOf} ${value}`),
    );
  return { server, store, pull, statements };
}

const ofSmall = [
  '2023-04-01 2023-11-15 10.5',
  '2023-04-01 2024-02-15 10.5',
  '2023-07-01 2023-11-15 11',
  '2023-07-01 2024-02-15 11.25',
  '2023-10-01 2023-11-15 null',
  '2023-10-01 2024-02-15 12',
];

describe('asof pull rtdsm', () => {
  it('stores what an import of the workbook stores, and gives the 100 true answers about ROUTPUT', async () => {
    const server = await loopbackPhiladelphia();
    const { store, pull } = puller(server, { request: { rtdsm: ['routput'] } });
    expect(await pull(march)).toMatchObject({
      ends: ['ROUTPUT pulled'],
      asked: ['ROUTPUTQvQd.xlsx'],
      subjects: [{ counts: { new_vintages: 234 } }],
      followed: [{ source: 'rtdsm', name: 'ROUTPUT', upTo: '2024-02-15', left: '' }],
    });
    const imported = newStorePath(scratchFolder());
    await importPaths(imported, [dataPath(testData, 'macro/rtdsm/ROUTPUTQvQd.xlsx')]);
    const [one, other] = [await contentOf(store, 'ROUTPUT'), await contentOf(imported, 'ROUTPUT')];
    expect(one.statements).toEqual(other.statements);
    expect(one.vintages).toEqual(other.vintages);
    expect(one.series).toMatchObject({ title: 'Real GNP/GDP', frequency: 'Q', vintageKind: 'sampled' });
    const { given, expected } = await realTimeAnswers(store, ['ROUTPUT']);
    expect(given.length).toBe(100);
    expect(given).toEqual(expected);
  });

  it('asks once in every run, and reads a workbook only if its hash has changed', async () => {
    const { server, pull, statements } = await smallRcon();
    expect(await pull(march)).toMatchObject({ ends: ['RCON pulled'], asked: ['RCONQvQd.xlsx'] });
    expect(await statements()).toEqual(ofSmall);
    expect(await pull(march, { request: undefined })).toMatchObject({
      ends: ['RCON nothing-new'],
      asked: ['RCONQvQd.xlsx'],
    });
    const columns = { ...newest, RCON24Q2: ['10.5', '11.25', '12.5'] };
    server.workbooks.rconqvqd = workbookOf(columns, quarters);
    expect(await pull('2024-06-01T12:00:00Z', { request: undefined })).toMatchObject({
      ends: ['RCON pulled'],
      subjects: [{ counts: { new_vintages: 1, revised: 1 } }],
      followed: [{ upTo: '2024-05-15' }],
    });
  });

  it('takes blank cells and #N/A alike for figures that were not known', async () => {
    const { server, pull, statements } = await smallRcon();
    const columns = { ...newest, RCON23Q4: ['10.5', '11', '#N/A'] };
    server.workbooks.rconqvqd = workbookOf(columns, quarters);
    await pull(march);
    expect(await statements()).toEqual(ofSmall);
  });

  it('stores no vintage before its middle of the quarter, and reads the same workbook again then', async () => {
    const { pull, statements } = await smallRcon();
    expect(await pull('2024-02-14T12:00:00Z')).toMatchObject({
      ends: ['RCON pulled'],
      notes: ['the vintage of 2024-02-15 counts from that day on'],
      followed: [{ upTo: '2023-11-15' }],
    });
    expect(await statements()).toEqual(ofSmall.filter((line) => line.includes(' 2023-11-15 ')));
    expect((await pull('2024-02-14T23:00:00Z')).ends).toEqual(['RCON nothing-new']);
    expect((await pull('2024-02-15T12:00:00Z')).ends).toEqual(['RCON pulled']);
    expect(await statements()).toEqual(ofSmall);
    expect((await pull('2024-02-15T13:00:00Z')).ends).toEqual(['RCON nothing-new']);
  });

  it('begins with --since, in later runs too', async () => {
    const { server, pull, statements } = await smallRcon();
    await pull(march, { since: '2024-01-01' });
    server.workbooks.rconqvqd = workbookOf({ ...newest, RCON23Q3: ['10', null, null] }, quarters);
    await pull(april);
    expect(await statements()).toEqual(ofSmall.filter((line) => line.includes(' 2024-02-15 ')));
  });

  it('names a correction of an old vintage in every run, keeps what is stored, and takes it with --replace', async () => {
    const { server, store, pull, statements } = await smallRcon();
    await pull(march);
    const corrected = { ...newest, RCON23Q4: ['10.75', '11', null], RCON24Q2: ['1', '2', '3'] };
    server.workbooks.rconqvqd = workbookOf(corrected, quarters);
    for (const instant of ['2024-06-01T12:00:00Z', '2024-06-02T12:00:00Z']) {
      const again = await pull(instant, { request: undefined });
      expect(again).toMatchObject({
        ends: ['RCON conflict: bad-answer'],
        said: expect.stringContaining('contradicts the stored data on RCON: 1 conflict'),
        hints: [
          'asof pull rtdsm RCON --full --replace takes the new figures, and asof store undo takes them back',
        ],
      });
      expect(again.subjects[0]?.problem?.list).toEqual([
        'RCONQvQd.xlsx of the Philadelphia Fed: RCON 2023-04-01 as of 2023-11-15: 10.75, against 10.5',
      ]);
    }
    const ofSummer = ['2023-04-01 2024-05-15 1', '2023-07-01 2024-05-15 2', '2023-10-01 2024-05-15 3'];
    expect(await statements()).toEqual([...ofSmall, ...ofSummer].sort());
    const taken = await pull('2024-06-03T12:00:00Z', { full: true, replace: true });
    expect(taken.ends).toEqual(['RCON pulled']);
    expect(await statements()).toContain('2023-04-01 2023-11-15 10.75');
    expect((await pull('2024-06-04T12:00:00Z')).ends).toEqual(['RCON nothing-new']);
    await undoStoreImport(store, {});
    expect(await statements()).toContain('2023-04-01 2023-11-15 10.5');
  });

  it('forgets with keepUndo what an older pull changed, also where nothing is new', async () => {
    const { store, pull } = await smallRcon();
    await pull(march);
    expect((await pull('2024-06-04T12:00:00Z', { keepUndo: 400 * 86_400 })).ends).toEqual([
      'RCON nothing-new',
    ]);
    expect((await undoableImports(store)).length).toBe(1);
    await pull('2024-06-04T12:00:00Z', { keepUndo: 7 * 86_400 });
    expect(await undoableImports(store)).toEqual([]);
    await expect(undoStoreImport(store)).rejects.toThrow('is too old to undo');
  });

  it('keeps a series from another source as it is, and says which', async () => {
    const { store, pull, statements } = await smallRcon();
    const mine = 'series_id,date,as_of_date,value\nRCON,2020-01-01,2020-02-01,1\n';
    await importFiles(store, { 'RCON.csv': mine });
    await importFiles(
      store,
      { 'RCON_2020-05-01.csv': 'DATE,RCON_20200501\n2020-01-01,2\n' },
      { merge: true },
    );
    const before = await statements();
    const refused = await pull(march);
    expect(refused).toMatchObject({
      ends: ['RCON conflict: bad-answer'],
      hints: ['--store FILE pulls into another store'],
    });
    expect(refused.subjects[0]?.problem?.list[0]).toMatch(
      /^RCON is from .*; this import brings it from "Philadelphia Fed Real-Time Data Set"$/,
    );
    expect(await statements()).toEqual(before);
  });

  it.each([
    ['ROUTPUT', 'ROUTPUT', 'ROUTPUTQvQd.xlsx'],
    ['routputqvqd', 'ROUTPUT', 'ROUTPUTQvQd.xlsx'],
    ['routputMvQd', 'ROUTPUTMvQd', 'ROUTPUTMvQd.xlsx'],
    ['ROUTPUTMvQd.xlsx', 'ROUTPUTMvQd', 'ROUTPUTMvQd.xlsx'],
    ['employ', 'EMPLOY', 'EMPLOYMvMd.xlsx'],
    ['cpi', 'CPI', 'CPIQvMd.xlsx'],
  ])('asked for %s follows %s and asks for %s', async (typed, name, file) => {
    const server = await loopbackPhiladelphia();
    const { pull } = puller(server, { request: { rtdsm: [typed] } });
    const { asked, subjects } = await pull(march);
    expect([asked, subjects[0]?.name]).toEqual([[file], name]);
  });

  it('refuses a variable that there is none of, with names like it, and asks nothing', async () => {
    const server = await loopbackPhiladelphia();
    const { pull } = puller(server, { request: { rtdsm: ['ROUTPUT', 'ROUTPOT'] } });
    await expect(pull(march)).rejects.toMatchObject({
      kind: 'not-found',
      message: expect.stringContaining('has no such variable: "ROUTPOT"'),
      hints: ['did you mean ROUTPUT or NOUTPUT?', 'asof pull rtdsm --list shows what it has'],
    });
    expect(server.asked).toEqual([]);
  });

  it.each(['ROUTPUXQvQd', 'ROUTPUTQvMd'])(
    'takes the page for the unlisted workbook %s for its absence, and does not follow it',
    async (name) => {
      const server = await loopbackPhiladelphia();
      const { pull } = puller(server, { request: { rtdsm: [name] } });
      expect(await pull(march)).toMatchObject({
        ends: [`${name} failed: not-found`],
        said: `the Philadelphia Fed has no such variable: "${name}"`,
        followed: [],
      });
    },
  );

  it.each([
    [
      'a web page',
      notFoundPage,
      /a web page in place of the workbook RCONQvQd\.xlsx: http:\S+\/xlsx\/RCONQvQd\.xlsx; asof stored nothing/,
    ],
    [
      'a web page with the type of a workbook',
      { ...notFoundPage, type: 'application/zip' },
      /a web page in place of/,
    ],
    [
      'a workbook with the type of a page',
      { status: 200, body: small, type: 'text/html' },
      /a web page in place of/,
    ],
    ['an answer of another kind', { status: 200, body: '{}', type: 'text/plain' }, /is not the workbook/],
    ['no byte', { status: 200, body: '', type: 'text/plain' }, /is not the workbook/],
  ])(
    'that gets %s in place of a workbook stores nothing, and is whole in the next run',
    async (_, reply, reason) => {
      const { server, pull, statements } = await smallRcon({ retries: 2 });
      server.trouble = () => reply;
      const failed = await pull(march);
      expect([failed.ends, failed.asked.length]).toEqual([['RCON failed: bad-answer'], 3]);
      expect(failed.said).toMatch(reason);
      const wayOut = failed.hints.some((hint) => hint.includes('asof import FILE reads a downloaded one'));
      expect(wayOut).toBe(failed.said.includes('web page'));
      server.trouble = () => undefined;
      expect((await pull(march)).ends).toEqual(['RCON pulled']);
      expect(await statements()).toEqual(ofSmall);
    },
  );

  it.each([
    [
      'of another variable',
      workbook([
        ['DATE', 'RG24Q1'],
        ['2023:Q4', { number: '1' }],
      ]),
      /vintages of RG, not of RCON/,
    ],
    [
      'with a renamed column of dates',
      workbook([
        ['PERIOD', 'RCON24Q1'],
        ['2023:Q4', { number: '1' }],
      ]),
      /cannot read/,
    ],
    [
      'with a renamed vintage',
      workbook([
        ['DATE', 'RCON2024'],
        ['2023:Q4', { number: '1' }],
      ]),
      /looks like fred-xlsx/,
    ],
    [
      'with a second sheet',
      workbook([['DATE', 'RCON24Q1']], [['NOTES', 'X']]),
      /like rtdsm, but in a workbook/,
    ],
    ['with a text in place of a figure', workbookOf({ RCON24Q1: ['#REF!'] }, ['2023:Q4']), /#REF!/],
    ['without a row of figures', workbook([['DATE', 'RCON24Q1']]), /no rows/],
  ])('refuses a workbook %s, and stores nothing', async (_, content, reason) => {
    const { server, pull } = await smallRcon();
    server.workbooks.rconqvqd = content;
    const refused = await pull(march);
    expect(refused.ends).toEqual(['RCON failed: bad-answer']);
    expect(refused.said).toMatch(reason);
    expect(refused.followed.filter(({ bookmark }) => bookmark !== '')).toEqual([]);
  });

  it('that is told of an overload waits, tries again, and then names it as a failure of the source', async () => {
    const { server, pull, statements } = await smallRcon({ retries: 2 });
    server.trouble = (number) =>
      number < 2 ? { status: 504, body: '<html><title>504 Gateway Time-out</title></html>' } : undefined;
    const served = await pull(march);
    expect([served.ends, served.asked.length]).toEqual([['RCON pulled'], 3]);
    expect(served.waited).toBeGreaterThan(1000);
    expect(await statements()).toEqual(ofSmall);
    server.trouble = () => ({ status: 504, body: '' });
    expect(await pull(april)).toMatchObject({
      ends: ['RCON failed: service-unavailable'],
      said: expect.stringContaining('answered with HTTP 504'),
    });
    expect(await statements()).toEqual(ofSmall);
  });

  it('stores nothing of a workbook that is cut at any kilobyte, though the server says that it is whole', async () => {
    const server = await loopbackPhiladelphia();
    const { store, pull } = puller(server, { request: { rtdsm: ['ROUTPUT'] } });
    await importFiles(store, { 'x.csv': 'series_id,date,as_of_date,value\nX,2020-01-01,2020-02-01,1\n' });
    for (let size = 0; size < realRoutput.length; size += 1024) {
      server.workbooks.routputqvqd = realRoutput.subarray(0, size);
      const { ends, followed } = await pull(march);
      expect([size, ends, followed[0]?.bookmark ?? '']).toEqual([size, ['ROUTPUT failed: bad-answer'], '']);
    }
    expect(await reading(store, (view) => view.series.find('ROUTPUT'))).toBeUndefined();
    server.workbooks.routputqvqd = realRoutput;
    expect((await pull(march)).ends).toEqual(['ROUTPUT pulled']);
  });

  it('--replace is refused for a source that revises its figures', async () => {
    const { pull } = await smallRcon();
    await expect(pull(march, { request: { fred: ['GDP'] }, replace: true })).rejects.toThrow(
      '--replace does not apply to fred: it is for treasury, sec, rtdsm, ',
    );
  });
});
