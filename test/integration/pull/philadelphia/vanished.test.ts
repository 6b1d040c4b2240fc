import { describe, expect, it } from 'vitest';
import { undoStoreImport } from '../../../../src/maintenance/undo.ts';
import { loopbackPhiladelphia, realRoutput } from '../../../support/pull/loopback-files.ts';
import { contentOf, puller } from '../../../support/pull/pulling.ts';
import { allStatements, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';
import { workbook } from '../../../support/source-file.ts';

type Columns = Readonly<Record<string, readonly (string | null)[]>>;

/** A workbook of quarters from 2022:Q4 on, or of those that `rows` takes. */
function workbookOf(columns: Columns, rows: (quarter: string) => boolean = () => true) {
  const quarters = ['2022:Q4', '2023:Q1', '2023:Q2', '2023:Q3', '2023:Q4', '2024:Q1'];
  const cells = quarters.flatMap((quarter, row) =>
    rows(quarter) ? [[quarter, ...Object.values(columns).map((column) => numberOf(column[row]))]] : [],
  );
  return workbook([['DATE', ...Object.keys(columns)], ...cells]);
}

function numberOf(text: string | null | undefined) {
  return text === null || text === undefined ? '#N/A' : { number: text };
}

const before: Columns = {
  RCON23Q3: ['10', '11', '12', null],
  RCON23Q4: ['10', '11', '12', '13', null],
  RCON24Q1: ['10', '11.5', '12', '13', '14', null],
};
const grown: Columns = { ...before, RCON24Q2: ['10', '11.5', '12', '13', '14', '15'] };

/** A store that pulled a workbook in March, and the bank's workbook since then. */
async function since(now: Buffer, first = workbookOf(before)) {
  const server = await loopbackPhiladelphia({ rconqvqd: first });
  const { store, pull } = puller(server, { request: { rtdsm: ['RCON'] } });
  await pull('2024-03-01T12:00:00Z');
  server.workbooks.rconqvqd = now;
  const statements = () =>
    reading(store, async (view) =>
      (await allStatements(view, 'RCON')).map(({ date, asOf, value }) => `${date} ${asOf} ${value}`),
    );
  return { server, store, pull, statements, held: await statements() };
}

const june = '2024-06-01T12:00:00Z';
const july = '2024-07-01T12:00:00Z';

const without = (name: string, columns: Columns = grown) =>
  Object.fromEntries(Object.entries(columns).filter(([column]) => column !== name));

const file = 'RCONQvQd.xlsx of the Philadelphia Fed: RCON';
const cutRows = 'RCONQvQd.xlsx lacks rows that the store has: nothing of it is stored';
const waysOut = [
  'if the file was cut, asof pull takes it when it is whole again',
  'if not, asof pull rtdsm RCON --full --replace takes the new figures, and asof store undo takes them back',
];

describe('a workbook of the Real-Time Data Set that has lost', () => {
  it.each([
    [
      'its last row',
      workbookOf(grown, (quarter) => quarter < '2023:Q4'),
      [': the date 2023-10-01 is gone, with 1 stored figure'],
    ],
    [
      'its first row',
      workbookOf(grown, (quarter) => quarter > '2022:Q4'),
      [': the date 2022-10-01 is gone, with 3 stored figures'],
    ],
    [
      'two rows of the end',
      workbookOf(before, (quarter) => quarter < '2023:Q3'),
      [': the dates 2023-07-01 to 2023-10-01 are gone, with 3 stored figures'],
    ],
    [
      'a row and a column',
      workbookOf(without('RCON23Q4'), (quarter) => quarter < '2023:Q4'),
      [
        ': the vintage 2023-11-15 is gone, with 1 stored figure',
        ': the date 2023-10-01 is gone, with 1 stored figure',
      ],
    ],
  ])('%s is named in every run and stored in no part, also with --full', async (_, now, lines) => {
    const { server, pull, statements, held } = await since(now);
    for (const full of [false, true, false]) {
      const { ends, said, hints, notes, subjects, followed } = await pull(june, { full });
      expect(ends).toEqual(['RCON conflict: bad-answer']);
      expect(said).toMatch(/contradicts the stored data on RCON: \d conflicts?; asof keeps the stored data/);
      expect([hints, notes.includes(cutRows)]).toEqual([waysOut, true]);
      expect(subjects[0]?.problem?.list).toEqual(lines.map((line) => `${file}${line}`));
      expect(followed[0]?.upTo).toBe('2024-02-15');
      expect(await statements()).toEqual(held);
    }
    server.workbooks.rconqvqd = workbookOf(grown);
    expect((await pull(july)).ends).toEqual(['RCON pulled']);
    expect(await statements()).toEqual(expect.arrayContaining([...held, '2024-01-01 2024-05-15 15']));
    expect((await pull(july)).ends).toEqual(['RCON nothing-new']);
  });

  it.each([
    ['its first vintage', 'RCON23Q3', '2023-08-15', 3],
    ['its last vintage', 'RCON24Q1', '2024-02-15', 2],
  ])('%s is named in every run, and its new vintages are stored', async (_, name, day, count) => {
    const { pull, statements, held } = await since(workbookOf(without(name)));
    for (const full of [false, true, false]) {
      const { ends, hints, subjects } = await pull(june, { full });
      expect([ends, hints]).toEqual([['RCON conflict: bad-answer'], waysOut]);
      expect(subjects[0]?.problem?.list).toEqual([
        `${file}: the vintage ${day} is gone, with ${count} stored figures`,
      ]);
    }
    expect(await statements()).toEqual(expect.arrayContaining([...held, '2024-01-01 2024-05-15 15']));
  });

  it('a vintage says so beside a figure that was corrected', async () => {
    const corrected = { ...without('RCON23Q3'), RCON24Q1: ['10', '11.75', '12', '13', '14', null] };
    const { pull } = await since(workbookOf(corrected));
    expect((await pull(june)).subjects[0]?.problem?.list).toEqual([
      `${file}: the vintage 2023-08-15 is gone, with 3 stored figures`,
      `${file} 2023-01-01 as of 2024-02-15: 11.75, against 11.5`,
    ]);
  });

  it('a vintage that repeated the one before it changes no answer, and is no contradiction', async () => {
    const { RCON23Q3 = [] } = before;
    const repeated = { ...before, RCON23Q4: RCON23Q3 };
    const { pull } = await since(workbookOf(without('RCON23Q4')), workbookOf(repeated));
    expect((await pull(june)).ends).toEqual(['RCON pulled']);
  });

  it('vintages and rows is taken with --full --replace, which answers as the workbook does, and taken back', async () => {
    const now = workbookOf(without('RCON23Q4'), (quarter) => quarter > '2022:Q4');
    const { store, pull, statements, held } = await since(now);
    expect((await pull(june, { full: true, replace: true })).ends).toEqual(['RCON pulled']);
    const asOf = async (day: string) =>
      (await reading(store, (view) => observationsIn(view, { seriesId: 'RCON', asOf: day, limit: 9 })))
        .filter(({ value }) => value !== null)
        .map(({ date, value }) => `${date} ${value}`)
        .sort();
    const ofAugust = ['2023-01-01 11', '2023-04-01 12'];
    expect([await asOf('2023-09-01'), await asOf('2023-12-01')]).toEqual([ofAugust, ofAugust]);
    expect((await asOf('2024-06-01')).at(0)).toBe('2023-01-01 11.5');
    expect((await pull(july)).ends).toEqual(['RCON nothing-new']);
    expect((await pull(july, { full: true })).ends).toEqual(['RCON pulled']);
    await undoStoreImport(store, {});
    await undoStoreImport(store, {});
    expect(await statements()).toEqual(held);
  });

  it('vintages from before --since is no contradiction', async () => {
    const server = await loopbackPhiladelphia({ rconqvqd: workbookOf(before) });
    const { pull } = puller(server, { request: { rtdsm: ['RCON'] } });
    await pull('2024-03-01T12:00:00Z', { since: '2023-11-01' });
    server.workbooks.rconqvqd = workbookOf(without('RCON23Q3'));
    expect((await pull(june)).ends).toEqual(['RCON pulled']);
  });

  it('a row is named if an import brought it', async () => {
    const server = await loopbackPhiladelphia({
      rconqvqd: workbookOf(before, (quarter) => quarter < '2023:Q4'),
    });
    const { store, pull } = puller(server, { request: { rtdsm: ['RCON'] } });
    await importFiles(store, { 'RCON.csv': 'DATE,RCON23Q4,RCON24Q1\n2023:Q3,13,13\n2023:Q4,#N/A,14\n' });
    expect((await pull(june)).subjects[0]?.problem?.list).toEqual([
      `${file}: the date 2023-10-01 is gone, with 1 stored figure`,
    ]);
  });
});

describe('the first pull of a workbook', () => {
  it('notes a last vintage without a later quarter than the one before it', async () => {
    const server = await loopbackPhiladelphia({
      rconqvqd: workbookOf(grown, (quarter) => quarter < '2024:Q1'),
    });
    const { pull } = puller(server, { request: { rtdsm: ['RCON'] } });
    const { ends, notes } = await pull(june);
    expect([ends, notes]).toEqual([
      ['RCON pulled'],
      ['the vintage of 2024-05-15 has nothing after 2023-10-01, no more than that of 2024-02-15'],
    ]);
  });

  it('refuses a workbook without a row between others', async () => {
    const server = await loopbackPhiladelphia({
      rconqvqd: workbookOf(grown, (quarter) => quarter !== '2023:Q2'),
    });
    const { pull } = puller(server, { request: { rtdsm: ['RCON'] } });
    const { ends, said, followed } = await pull(june);
    expect([ends, followed]).toEqual([['RCON failed: bad-answer'], []]);
    expect(said).toMatch(/a row is missing between those of 2023-01-01 and 2023-07-01$/);
  });
});

describe('the workbooks of quarterly and of monthly vintages of a variable', () => {
  it('may have different vintages, which are missing in neither', async () => {
    const monthly = {
      RCON24M1: ['10', '11', '12', '13', null],
      RCON24M2: ['10', '11.5', '12', '13', '14', null],
    };
    const server = await loopbackPhiladelphia({
      rconqvqd: workbookOf(before),
      rconmvqd: workbookOf(monthly),
    });
    const { pull } = puller(server, { request: { rtdsm: ['RCON', 'RCONMvQd'] } });
    for (const [instant, outcome] of [
      ['2024-03-01T12:00:00Z', 'pulled'],
      [june, 'nothing-new'],
    ] as const)
      expect((await pull(instant)).ends).toEqual([`RCON ${outcome}`, `RCONMvQd ${outcome}`]);
    expect((await pull(july, { full: true })).ends).toEqual(['RCON pulled', 'RCONMvQd pulled']);
  });

  it('name what one of them has lost, row by row and vintage by vintage', async () => {
    const server = await loopbackPhiladelphia({ routputqvqd: realRoutput });
    const { store, pull } = puller(server, { request: { rtdsm: ['ROUTPUT'] } });
    await pull('2024-03-01T12:00:00Z');
    const { vintages } = await contentOf(store, 'ROUTPUT');
    expect(vintages).toHaveLength(234);
    const short = workbook([
      ['DATE', 'ROUTPUT24Q1'],
      ['2023:Q4', { number: '22672.859' }],
    ]);
    server.workbooks.routputqvqd = short;
    const { ends, subjects, notes } = await pull(june);
    expect([ends, notes.length]).toEqual([['ROUTPUT conflict: bad-answer'], 1]);
    expect(subjects[0]?.problem?.list).toEqual([
      expect.stringMatching(/: the vintages 1965-11-15 to 2023-11-15 are gone, with 43,964 stored figures$/),
      expect.stringMatching(/: the dates 1947-01-01 to 2023-07-01 are gone, with 307 stored figures$/),
    ]);
    expect((await contentOf(store, 'ROUTPUT')).vintages).toEqual(vintages);
  });
});
