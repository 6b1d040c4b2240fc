import { createReadStream } from 'node:fs';
import { readSheet } from 'read-excel-file/node';
import { describe, expect, test } from 'vitest';
import { formatOfKind, recognise } from '../../../../src/import/formats/recognise.ts';
import { dataPath, testData } from '../../../support/repository.ts';
import {
  lines,
  namedWorkbook,
  type Row,
  readAll,
  realFile,
  refusalOf,
  refuses,
  sourceFile,
} from '../../../support/source-file.ts';

const format = formatOfKind('seco-realtime');
const path = 'recordings/swiss/realtime_database-gdp.xlsx';
const published = () => realFile(testData, path);

/** The cells of a sheet as another program reads them. */
function cellsOf(sheet: string) {
  return readSheet(createReadStream(dataPath(testData, path)), sheet);
}

function dayIn(cell: unknown): string {
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : '';
}

describe('the Swiss real-time workbook', () => {
  test('is recognised', async () => {
    expect((await recognise(published())).kind).toBe('seco-realtime');
  });

  test.each(['gdp_cssa', 'gdp'])('has every cell of the sheet %s, and no other value', async (sheet) => {
    const cells = await cellsOf(sheet);
    const days = (cells[9] ?? []).map(dayIn);
    const id = `SECO:${sheet.toUpperCase()}`;
    const expected = cells.slice(11).flatMap((row) => {
      const date = dayIn(row[0]);
      return row.flatMap((cell, column) =>
        typeof cell === 'number' ? [`${id},${date},${days[column]},${cell}`] : [],
      );
    });
    const { statements } = await readAll(format, published());
    const own = statements.filter(({ seriesId, value }) => seriesId === id && value !== null);
    expect(lines(own).sort()).toEqual(expected.sort());
    expect(expected.length).toBe(sheet === 'gdp' ? 12790 : 4329);
  });

  test('has 99 releases of GDP by day, and 26 without sport events', async () => {
    const { coverage, notes } = await readAll(format, published());
    const days = (id: string) => coverage.filter(({ seriesId }) => seriesId === id);
    expect(days('SECO:GDP').map(({ coveredTo }) => coveredTo)).toHaveLength(99);
    expect(days('SECO:GDP_CSSA').map(({ coveredTo }) => coveredTo)).toHaveLength(26);
    expect(days('SECO:GDP')[0]).toEqual({ seriesId: 'SECO:GDP', coveredTo: '2000-05-25', whole: true });
    expect(notes).toEqual([]);
  });

  test('describes its series by the first rows of their sheets', async () => {
    expect((await readAll(format, published())).metadata).toEqual([
      {
        seriesId: 'SECO:GDP_CSSA',
        title: 'Switzerland, QNA: Gross Domestic Product (Sport event adjusted)',
        units: 'Mio. CHF, real',
        seasonalAdjustment: 'seasonally and sport event adjusted',
      },
      {
        seriesId: 'SECO:GDP',
        title: 'Switzerland, QNA: Gross Domestic Product',
        units: 'Mio. CHF, real',
        seasonalAdjustment: 'seasonally adjusted',
      },
    ]);
  });

  // In percent on the quarter before, as SECO announced it and news agencies reported it on that day.
  test.each([
    ['SECO:GDP', '2009-03-03', '2008-10-01', '-0.3'],
    ['SECO:GDP', '2009-06-02', '2009-01-01', '-0.8'],
    ['SECO:GDP', '2013-11-28', '2013-04-01', '0.5'],
    ['SECO:GDP', '2013-11-28', '2013-07-01', '0.5'],
    ['SECO:GDP', '2020-06-03', '2020-01-01', '-2.6'],
    ['SECO:GDP_CSSA', '2024-09-03', '2024-01-01', '0.3'],
    ['SECO:GDP_CSSA', '2024-09-03', '2024-04-01', '0.5'],
    ['SECO:GDP_CSSA', '2024-11-29', '2024-01-01', '0.1'],
    ['SECO:GDP_CSSA', '2024-11-29', '2024-04-01', '0.4'],
    ['SECO:GDP_CSSA', '2024-11-29', '2024-07-01', '0.2'],
    ['SECO:GDP', '2024-11-29', '2024-04-01', '0.6'],
    ['SECO:GDP', '2024-11-29', '2024-07-01', '0.4'],
  ])('gives the growth of %s published on %s for %s', async (id, day, quarter, percent) => {
    const { statements } = await readAll(format, published());
    const figures = statements.filter(({ seriesId, asOf }) => seriesId === id && asOf === day);
    const at = figures.findIndex(({ date }) => date === quarter);
    const [before, now] = figures.slice(at - 1, at + 1).map(({ value }) => Number(value));
    expect((100 * ((now ?? 0) / (before ?? 0) - 1)).toFixed(1)).toBe(percent);
  });
});

const number = (text: string) => ({ number: text });

/** The first columns and rows of the published sheets, with changes to cells by their row and column from 1. */
async function beginnings(
  changes: Readonly<Record<string, string>>,
  more: Readonly<Record<string, readonly Row[]>> = {},
) {
  const sheets = await Promise.all(
    ['gdp_cssa', 'gdp'].map(async (sheet): Promise<[string, readonly Row[]]> => {
      const cells = (await cellsOf(sheet)).slice(0, 16).map((row) => row.slice(0, 8));
      const rows = cells.map((row, index) =>
        row.map((cell, column) => {
          if (cell instanceof Date) return { day: dayIn(cell) };
          const text =
            changes[`${sheet} ${index + 1} ${column + 1}`] ?? String(cell ?? '').replace('&', 'and');
          return typeof cell === 'number' ? number(text) : text;
        }),
      );
      return [sheet, rows];
    }),
  );
  return sourceFile('realtime.xlsx', namedWorkbook({ ...Object.fromEntries(sheets), ...more }));
}

describe('a sheet of the Swiss workbook without the word time above its quarters', () => {
  test.each([
    ['gdp', { 'gdp 11 1': 'zeit' }, 'zeit'],
    ['gdp', { 'gdp 11 1': '' }, ''],
    ['gdp', { 'gdp 11 2': 'spring' }, 'time'],
    ['gdp_cssa', { 'gdp_cssa 11 1': 'zeit' }, 'zeit'],
  ])('is refused by its name: %s with %j', async (sheet, changes, value) => {
    expect(await refusalOf(format, await beginnings(changes))).toContain(
      `Problem: realtime.xlsx/${sheet}, row 11, column "1": "${value}": a sheet of figures has the word time here`,
    );
  });

  test('and without figures is left out by its name, unless it has the explanations or nothing', async () => {
    const texts = {
      info: [['Version of', number('2014')]],
      remarks: [['See the paper']],
      Sheet3: [['', ' ']],
    };
    const { notes, metadata } = await readAll(format, await beginnings({}, texts));
    expect(notes).toEqual(['sheet remarks is left out: it has no figures']);
    expect(metadata.map(({ seriesId }) => seriesId)).toEqual(['SECO:GDP_CSSA', 'SECO:GDP']);
  });
});

/** A sheet with these days, quarters and rows of figures. */
function sheetOf(days: Row, quarters: Row, ...figures: Row[]) {
  const titles: Row[] = [
    ['Switzerland, exports'],
    ['Mio. CHF, real, seasonally adjusted'],
    ['Sources: SECO'],
  ];
  const blank: Row[] = Array.from({ length: 6 }, () => []);
  return sourceFile(
    'realtime.xlsx',
    namedWorkbook({ exports: [...titles, ...blank, ['', ...days], ['time', ...quarters], ...figures] }),
  );
}

describe('a Swiss real-time workbook', () => {
  test('without a day for a release leaves it out by name', async () => {
    const file = sheetOf(
      ['', '2000-08-29'],
      ['2000q2', '2000q3', '2000q4'],
      ['1980-01-01', number('1.5'), number('2.5'), ''],
      ['1980-04-01', number('3'), '', ''],
    );
    const { statements, notes } = await readAll(format, file);
    expect(lines(statements)).toEqual([
      'SECO:EXPORTS,1980-01-01,2000-08-29,2.5',
      'SECO:EXPORTS,1980-04-01,2000-08-29,',
    ]);
    expect(notes).toEqual(['SECO:EXPORTS: row 10 has no day for 1 release, left out: 2000q2']);
  });

  const quarters = ['2000q2', '2000q3'];
  const one = ['1980-01-01', number('1'), number('2')];
  refuses(format, 'realtime.xlsx', {
    '/exports, row 10, column "2000q3": "2000-05-25": this day of release is the same as that of 2000q2, 2000-05-25':
      sheetOf(['2000-05-25', '2000-05-25'], quarters, one),
    '/exports, row 10, column "2000q3": "2000-05-24": this day of release is earlier than that of 2000q2, 2000-05-25':
      sheetOf(['2000-05-25', '2000-05-24'], quarters, one),
    '/exports, row 10, column "2000q3": "soon": not a date: use YYYY-MM-DD': sheetOf(
      ['2000-05-25', 'soon'],
      quarters,
      one,
    ),
    '/exports, row 11, column "2000q2": this quarter of release follows 2000q3': sheetOf(
      ['2000-05-25', '2000-05-26'],
      ['2000q3', '2000q2'],
      one,
    ),
    '/exports, row 11, column "3": "spring": not a quarter of release, such as 2014q3': sheetOf(
      ['2000-05-25', '2000-08-29'],
      ['2000q2', 'spring'],
      one,
    ),
    '/exports, row 12, column "2000q3": "n.a.": neither a decimal number nor blank': sheetOf(
      ['2000-05-25', '2000-08-29'],
      quarters,
      ['1980-01-01', number('1'), 'n.a.'],
    ),
    '/exports, row 13, column "time": "1980-02-01": not a date: use the first day of a quarter': sheetOf(
      ['2000-05-25', '2000-08-29'],
      quarters,
      one,
      ['1980-02-01', number('1'), number('2')],
    ),
    '/exports, row 13, column "time": "1980-01-01": quarters must ascend; the row above has 1980-01-01':
      sheetOf(['2000-05-25', '2000-08-29'], quarters, one, one),
  });
});
