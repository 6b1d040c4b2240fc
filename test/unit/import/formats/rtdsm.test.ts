import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { lines, type Row, readAll, refuses, sourceFile, workbook } from '../../../support/source-file.ts';

const rtdsm = formatOfKind('rtdsm');
const number = (text: string) => ({ number: text });
const file = (...rows: Row[]) => sourceFile('ROUTPUTQvQd.xlsx', workbook(rows));
const header = ['DATE', 'ROUTPUT65Q4', 'ROUTPUT66Q1'];

describe('a CSV file of the Real-Time Data Set', () => {
  const csv = (...rows: string[]) => sourceFile('data.csv', `${rows.join('\n')}\n`);
  const quarters = ['1947:01', '1947:02', '1947:03', '1947:04', '1948:01'];

  test.each([
    ['1947:01 and so on, and counts to 04', quarters],
    ['1947:Q1', ['1947:Q1', '1947:Q2', '1947:Q3', '1947:Q4', '1948:Q1']],
  ])('has quarters where it writes %s', async (_, labels) => {
    const rows = labels.map((label, index) => `${label},${306 + index}.4,#N/A`);
    const records = await readAll(rtdsm, csv('DATE,ROUTPUT65Q4,ROUTPUT66Q1', ...rows));
    expect(lines(records.statements).filter((line) => !line.endsWith(','))).toEqual([
      'ROUTPUT,1947-01-01,1965-11-15,306.4',
      'ROUTPUT,1947-04-01,1965-11-15,307.4',
      'ROUTPUT,1947-07-01,1965-11-15,308.4',
      'ROUTPUT,1947-10-01,1965-11-15,309.4',
      'ROUTPUT,1948-01-01,1965-11-15,310.4',
    ]);
    expect(records.implied).toEqual([{ seriesId: 'ROUTPUT', frequency: 'Q' }]);
  });

  test.each([
    ['a variable that is quarterly', 'ROUTPUT65Q4', ['1947-01-01', '1947-04-01']],
    ['a variable that is monthly', 'EMPLOY65M4', ['1947-01-01', '1947-02-01']],
  ])('with few rows has the periods of %s', async (_, column, dates) => {
    const records = await readAll(rtdsm, csv(`DATE,${column}`, '1947:01,1', '1947:02,2'));
    expect(records.statements.map(({ date }) => date)).toEqual(dates);
  });

  test('has months where its labels exceed 04', async () => {
    const records = await readAll(rtdsm, csv('DATE,X65Q4', '1947:03,1', '1947:04,2', '1947:05,3'));
    expect(records.statements.map(({ date }) => date)).toEqual(['1947-03-01', '1947-04-01', '1947-05-01']);
  });

  refuses(rtdsm, 'data.csv', {
    ', row 2: "1947-01": this could be a month or a quarter, and the file is too short to decide it; write 1947:Q1 for quarters':
      csv('DATE,X65Q4', '1947:01,1', '1947:02,2'),
  });
});

describe('a workbook of the Real-Time Data Set', () => {
  test('states each column on the 15th of its quarter’s middle month', async () => {
    const records = await readAll(rtdsm, file(header, ['1947:Q1', number('306.4'), number('306.5')]));
    expect(lines(records.statements)).toEqual([
      'ROUTPUT,1947-01-01,1965-11-15,306.4',
      'ROUTPUT,1947-01-01,1966-02-15,306.5',
    ]);
    expect(records.implied).toEqual([{ seriesId: 'ROUTPUT', frequency: 'Q' }]);
    expect(records.coverage).toEqual([
      { seriesId: 'ROUTPUT', coveredTo: '1965-11-15', whole: true },
      { seriesId: 'ROUTPUT', coveredTo: '1966-02-15', whole: true },
    ]);
  });

  test.each([
    ['EMPLOY64M12', '1964-12-15', 'EMPLOY'],
    ['EMPLOY64M2', '1964-02-15', 'EMPLOY'],
    ['ROUTPUT60Q1', '1960-02-15', 'ROUTPUT'],
    ['ROUTPUT99Q3', '1999-08-15', 'ROUTPUT'],
    ['ROUTPUT00Q1', '2000-02-15', 'ROUTPUT'],
    ['ROUTPUT59Q2', '2059-05-15', 'ROUTPUT'],
    ['rinvbf65Q4', '1965-11-15', 'RINVBF'],
    ['M265Q4', '1965-11-15', 'M2'],
  ])('reads %s as the vintage of %s of %s', async (column, vintage, seriesId) => {
    const records = await readAll(rtdsm, file(['DATE', column], ['1947:Q1', number('1')]));
    expect(records.coverage).toEqual([{ seriesId, coveredTo: vintage, whole: true }]);
  });

  test('may have monthly dates', async () => {
    const records = await readAll(
      rtdsm,
      file(header, ['1947:01', number('1'), null], ['1947:12', number('2'), null]),
    );
    expect(lines(records.statements)).toEqual([
      'ROUTPUT,1947-01-01,1965-11-15,1',
      'ROUTPUT,1947-12-01,1965-11-15,2',
      'ROUTPUT,1947-01-01,1966-02-15,',
      'ROUTPUT,1947-12-01,1966-02-15,',
    ]);
    expect(records.implied).toEqual([{ seriesId: 'ROUTPUT', frequency: 'M' }]);
  });

  test.each([
    ['306.39999999999998', '306.4'],
    ['8.5000000000000006E-2', '0.085'],
    ['1E-7', '0.0000001'],
    ['1.5e+21', '1500000000000000000000'],
    ['100', '100'],
    ['-0.10', '-0.1'],
  ])('gives the stored double %s as %s', async (stored, text) => {
    const records = await readAll(rtdsm, file(['DATE', 'P65Q4'], ['1947:Q1', number(stored)]));
    expect(records.statements.map(({ value }) => value)).toEqual([text]);
  });

  test('says that it has no figure by #N/A and by an empty cell, wherever it is', async () => {
    const { statements } = await readAll(
      rtdsm,
      file(
        ['DATE', 'P65Q4', 'P66Q1'],
        ['1947:Q1', null, '#N/A'],
        ['1947:Q2', number('1'), number('1')],
        ['1947:Q3', null, number('2')],
        [null, null, null],
        ['1947:Q4', number('3'), null],
        ['1948:Q1', '#N/A', null],
      ),
    );
    expect(statements.map(({ date, asOf, value }) => `${date} ${asOf.slice(0, 4)} ${value}`)).toEqual([
      ...['1947-01-01 1965 null', '1947-04-01 1965 1', '1947-07-01 1965 null', '1947-10-01 1965 3'],
      ...['1948-01-01 1965 null', '1947-01-01 1966 null', '1947-04-01 1966 1', '1947-07-01 1966 2'],
      ...['1947-10-01 1966 null', '1948-01-01 1966 null'],
    ]);
  });

  const q1: Row = ['1947:Q1', number('1'), number('2')];
  const at = (date: string | null, ...cells: Row) => file(header, [date, ...cells]);
  const ones = [number('1'), number('1')];
  const noDate = 'not a date: use 1947:Q1 or 1947:01, in one form throughout';
  const noVintage = 'not a variable and its vintage, such as ROUTPUT65Q4 or EMPLOY64M12';
  const noNumber = 'neither a decimal number nor #N/A or blank';
  refuses(rtdsm, 'ROUTPUTQvQd.xlsx', {
    [`, row 2, column "ROUTPUT66Q1": "n.a.": ${noNumber}`]: at('1947:Q1', number('1'), 'n.a.'),
    [`, row 2, column "ROUTPUT65Q4": "true": ${noNumber}`]: at('1947:Q1', true, number('1')),
    [`, row 2: "1947:Q5": ${noDate}`]: at('1947:Q5', ...ones),
    [`, row 2: "1947:13": ${noDate}`]: at('1947:13', ...ones),
    [`, row 2: "": ${noDate}`]: at(null, ...ones),
    ', row 3: "1947-01-01": row 2 already has this date': file(header, q1, q1),
    [`, row 3: "1947:04": ${noDate}`]: file(header, q1, ['1947:04', ...ones]),
    ', column "p65q4": column P65Q4 already has P as of 1965-11-15': file(['DATE', 'P65Q4', 'p65q4'], q1),
    ', row 1, column "RG66Q1": not a vintage of P, as the first column is': file(
      ['DATE', 'P65Q4', 'RG66Q1'],
      q1,
    ),
    [`, row 1, column "NOTES": ${noVintage}`]: file(['DATE', 'P65Q4', 'NOTES'], q1),
    [`, row 1, column "P65M13": ${noVintage}`]: file(['DATE', 'P65M13'], q1),
    ', row 1: the file has dates and no series': file(['DATE'], ['1947:Q1']),
    ': the file has a header and no rows': file(header),
    ': the workbook has 2 sheets; expected one': workbook([header, q1], [header, q1]),
    ': the zip archive is damaged or cut short: …': workbook([header, q1]).subarray(0, 300),
  });
});
