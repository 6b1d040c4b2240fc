import { describe, expect, it } from 'vitest';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { readData, testData } from '../../../support/repository.ts';
import { linesIn, readAll, realFile, refusalOf, refuses, sourceFile } from '../../../support/source-file.ts';

const log = formatOfKind('ecb-log');
const vintage = formatOfKind('ecb-vintage');

const excerptText = readData(testData, 'recordings/ecb/rtd-log-excerpt.csv').toString();

/** The header and the rows of 2001-01-03, with which the log begins. */
const beginning = sourceFile('log.csv', `${excerptText.split('\n').slice(0, 32).join('\n')}\n`);

/** The beginning, and the deletion of its periods in the recorded form. */
const deleted = sourceFile(
  'log.csv',
  excerptText
    .split('\n')
    .map((line, at, all) => {
      const [key, period] = [line.split(',')[6] ?? '', all[at - 31]?.split(',')[6] ?? ''];
      return at > 31 && at < 63 ? line.replace(`,${key},`, `,${period},`) : line;
    })
    .filter((_, at) => at < 63)
    .concat('')
    .join('\n'),
);

/** A log with these rows after the columns of the key: period, value, action, VALID_FROM, VALID_TO. */
function logText(...rows: readonly string[]): string {
  const header = 'KEY,FREQ,TIME_PERIOD,OBS_VALUE,ACTION,VALID_FROM,VALID_TO';
  return `${[header, ...rows.map((row) => `RTD.Q.S0.S.X.E,Q,${row}`)].join('\n')}\n`;
}

const logFile = (...rows: readonly string[]) => sourceFile('log.csv', logText(...rows));

describe('a change log of the ECB', () => {
  it('states replaced values from VALID_FROM on, and deletions from VALID_TO on', async () => {
    const statements = await linesIn(log, deleted);
    expect(statements.length).toBe(62);
    expect(statements.filter((line) => line.includes(',2001-01-03,')).length).toBe(31);
    expect(statements.filter((line) => line.endsWith(',2021-09-08,')).length).toBe(31);
    expect(statements[0]).toBe('ECB:RTD.Q.S0.S.G_GDPM_TO_C.E,1991-01-01,2001-01-03,1274000.74');
    expect(statements).toContain('ECB:RTD.Q.S0.S.G_GDPM_TO_C.E,1998-07-01,2021-09-08,');
  });

  it('is refused if it deletes periods that it has not stated, as an excerpt does', async () => {
    const file = sourceFile('log.csv', excerptText);
    expect(await refusalOf(log, file)).toMatch(
      /^Problem: log\.csv, row 33, column "TIME_PERIOD": "2011-04-01": this row deletes a period that no earlier row states/,
    );
    const late = logFile(
      '2020-Q1,,Delete,,2021-09-08T15:30:00.000+02:00',
      '2020-Q1,1,Replace,2021-09-08T15:30:01.000+02:00,',
    );
    expect(await refusalOf(log, late)).toMatch(/^Problem: log\.csv, row 2, .*so the log is an excerpt/);
  });

  it('describes its series by the attributes of the ECB', async () => {
    const { metadata, coverage } = await readAll(log, beginning);
    expect(metadata).toEqual([
      {
        seriesId: 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E',
        title:
          'Euro area (moving concept in the Real Time database context) - Gross domestic product at market price - Chain linked volumes - Euro',
        units: 'Millions of EUR',
        frequency: 'Q',
        seasonalAdjustment: 'SA',
        source: 'ECB Real-Time Database',
      },
    ]);
    expect(coverage).toMatchObject([{ coveredTo: '2001-01-03' }]);
  });

  it('begins with the figures that the ECB’s file of that month has', async () => {
    const file = realFile(testData, 'recordings/ecb/quarterly_200101.csv');
    const valuesOf = (lines: readonly string[]) =>
      lines.map((line) => line.split(',')).map(([, date, , value]) => `${date} ${value}`);
    const gdp = (await linesIn(vintage, file)).filter((line) =>
      line.startsWith('ECB:ESA.Q.I2.S.0000.B1QG00.'),
    );
    const logged = (await linesIn(log, beginning)).filter((line) => line.includes(',2001-01-03,'));
    expect(valuesOf(gdp)).toEqual(expect.arrayContaining([...valuesOf(logged)]));
  });

  it('orders rows by their full time stamps, whichever comes first in the file', async () => {
    const rows = [
      '2020-Q1,0,Replace,2020-06-03T15:30:00.000+02:00,',
      '2020-Q1,2,Replace,2021-09-08T15:30:01.000+02:00,',
      '2020-Q1,1,Replace,2021-01-20T15:30:01.000+01:00,',
      '2020-Q1,,Delete,,2021-01-20T15:30:00.000+01:00',
      '2020-Q1,,Delete,,2021-09-08T15:30:00.000+02:00',
      '2020-Q2,9,Replace,2021-01-20T14:30:00.000Z,',
      '2020-Q2,,Delete,,2021-01-20T15:30:01.000+01:00',
    ];
    const stated = [
      '2020-01-01,2020-06-03,0',
      '2020-01-01,2021-01-20,1',
      '2020-04-01,2021-01-20,',
      '2020-01-01,2021-09-08,2',
    ];
    for (const file of [logFile(...rows), logFile(...[...rows].reverse())])
      expect((await linesIn(log, file)).sort()).toEqual(
        stated.map((line) => `ECB:RTD.Q.S0.S.X.E,${line}`).sort(),
      );
  });

  it('keeps all digits of a value, and reads an empty one as none', async () => {
    const file = logFile(
      '2020-Q1,1274000.7400000001,Replace,2021-01-20T15:30:00.000+01:00,',
      '2020-Q2,0.10000000000000001,Replace,2021-01-20T15:30:00.000+01:00,',
      '2020-Q3,,Replace,2021-01-20T15:30:00.000+01:00,',
    );
    const values = (await linesIn(log, file)).map((line) => line.split(',').at(-1));
    expect(values).toEqual(['1274000.7400000001', '0.10000000000000001', '']);
  });

  it('says so if it has no deletions, which the ECB leaves out for keys with wildcards', async () => {
    const { notes } = await readAll(log, logFile('2020-Q1,1,Replace,2021-01-20T15:30:00.000+01:00,'));
    expect(notes).toEqual(['the log has no deletions; the ECB leaves them out if the key has wildcards']);
  });

  const first = '2020-Q1,1,Replace,2021-01-20T15:30:00.000+01:00,';
  const other = `RTD.Q.US.S.X.E,Q,${first}\n`;
  refuses(log, 'log.csv', {
    ': the last line has no end, so the file is probably cut short': logText(first).trimEnd(),
    ', row 2: 6 cells, but the header has 7; is the file truncated, or is this a footer?': logText(
      first.slice(0, -1),
    ),
    ', row 2, column "VALID_FROM": "2021-01-20T15:30": not a time with its offset, such as 2001-01-03T15:30:00.000+01:00':
      logText('2020-Q1,1,Replace,2021-01-20T15:30,'),
    ', row 2, column "VALID_FROM": "2021-02-30T15:30:00+01:00": not a time…': logText(
      '2020-Q1,1,Replace,2021-02-30T15:30:00+01:00,',
    ),
    ', row 2, column "VALID_FROM": "": not a time…': logText('2020-Q1,1,Replace,,'),
    ', row 2, column "VALID_TO": "2021-01-20T15:30:00.000+01:00": a row with Replace has a time in VALID_FROM alone':
      logText(`${first}2021-01-20T15:30:00.000+01:00`),
    ', row 2, column "VALID_FROM": "2021-01-20T15:30:00.000+01:00": a row with Delete has a time in VALID_TO alone':
      logText('2020-Q1,,Delete,2021-01-20T15:30:00.000+01:00,2021-01-20T15:30:00.000+01:00'),
    ', row 2, column "OBS_VALUE": "1": a row with Delete has no value': logText(
      '2020-Q1,1,Delete,,2021-01-20T15:30:00.000+01:00',
    ),
    ', row 2, column "ACTION": "Append": neither Replace nor Delete': logText(
      '2020-Q1,1,Append,2021-01-20T15:30:00.000+01:00,',
    ),
    ', row 2, column "OBS_VALUE": "n/a": neither a decimal number nor empty': logText(
      '2020-Q1,n/a,Replace,2021-01-20T15:30:00.000+01:00,',
    ),
    ', row 2, column "TIME_PERIOD": "2020-01": not a period of the frequency Q…': logText(
      '2020-01,1,Replace,2021-01-20T15:30:00.000+01:00,',
    ),
    ', row 3: "2020-01-01": row 2 states something else of the same period at the same time': [
      logText(first, '2020-Q1,2,Replace,2021-01-20T15:30:00.000+01:00,'),
      logText(first, '2020-Q1,,Delete,,2021-01-20T14:30:00.000Z'),
    ],
    ': a log of 2 series without deletions: the ECB leaves them out if a key has wildcards': `${logText(first)}${other}`,
    ', row 2, column "KEY": "EXR.D.USD.EUR.SP00.A": not of the Real-Time Database (RTD): other flows of the ECB have no vintages, or date them in another way': `${logText().trimEnd()}\nEXR.D.USD.EUR.SP00.A,D,2024-01-02,1.0956,Replace,2024-01-02T15:57:01.000+01:00,\n`,
    ', row 1: it has no column VALID_TO': logText(first).replace('VALID_TO', 'VALID_UNTIL'),
  });
});

/** A monthly file with two columns and these rows. */
function fileText(...rows: readonly string[]): string {
  const head = [' ,Block,', 'Name:,A.X,A.Y', 'Description:, Euro 12 - X,NA', 'comments:,,', '', ''];
  return `${[...head, ...rows].join('\n')}\n`;
}

const monthly = (name: string, ...rows: readonly string[]) => sourceFile(name, fileText(...rows));

describe('a monthly file of the ECB', () => {
  it('is one vintage of each key, dated the last day of its month', async () => {
    // Frozen on 2001-01-31, by the log of the database: a day of the month is never too early.
    const file = realFile(testData, 'recordings/ecb/quarterly_200102.csv');
    const { statements, implied, coverage, metadata } = await readAll(vintage, file);
    expect(new Set(statements.map(({ asOf }) => asOf))).toEqual(new Set(['2001-02-28']));
    expect(coverage.map(({ seriesId }) => seriesId)).toEqual([
      'ECB:Q.U2.ULC.IND.Z',
      'ECB:QRHGAJP01',
      'ECB:MUFA.Q.US.N.B8G.G.X.US.1000.Z5.ZZZZ.M.R',
      'ECB:MUFA.Q.JP.N.P50.G.X.Z5.ZZZZ.JP.1000.M.J',
      'ECB:ESA.Q.I2.S.0000.B1QG00.1000.TTTT.Q.U.A',
    ]);
    expect(implied).toContainEqual({ seriesId: 'ECB:QRHGAJP01', frequency: 'Q' });
    expect(metadata).toContainEqual({
      seriesId: 'ECB:ESA.Q.I2.S.0000.B1QG00.1000.TTTT.Q.U.A',
      title:
        'Euro 12 - Gross domestic product at market price - Constant prices - ECU/euro - Seasonally and partly working day adjusted, mixed method of adjustment',
      source: 'ECB Real-Time Database, monthly files',
    });
    expect(metadata.some(({ seriesId }) => seriesId === 'ECB:QRHGAJP01')).toBe(false);
  });

  it.each([
    ['quarterly_200101.csv', 'Q4-2000      ', '2000-10-01', 'Q'],
    ['monthly_200101.csv', 'Dec-00', '2000-12-01', 'M'],
    ['monthly_201412.csv', 'NOV-2014', '2014-11-01', 'M'],
    ['annual_200101.csv', '1999', '1999-01-01', 'A'],
  ])('%s has the period %s', async (name, label, date, frequency) => {
    const { statements, implied } = await readAll(vintage, monthly(name, `${label},1.5 ,NA `));
    expect(statements.map((one) => [one.date, one.value])).toEqual([[date, '1.5']]);
    expect(implied).toContainEqual({ seriesId: 'ECB:A.X', frequency });
  });

  it('has years from 1950 to 2049 where it writes two digits', async () => {
    const { statements } = await readAll(vintage, monthly('monthly_200101.csv', 'Jan-50,1,1', 'Dec-00,2,2'));
    expect(statements.map(({ date }) => date)).toContain('1950-01-01');
  });

  it('may have descriptions in Latin-1, further labels, and empty cells at the ends of rows', async () => {
    const text = fileText('Units:,,', 'Q3-2000,1,2,', ',,,', 'Q4-2000,3,4').replace('Euro 12 - X', 'Trésor');
    const file = sourceFile('quarterly_200101.csv', Buffer.from(text, 'latin1'));
    const { metadata, statements } = await readAll(vintage, file);
    expect(metadata).toMatchObject([{ title: 'Trésor' }]);
    expect(statements.map(({ value }) => value)).toEqual(['1', '3', '2', '4']);
  });

  it('reads columns of one key that are equal as one, and leaves out a placeholder', async () => {
    const text = fileText('Q4-2000,1,1').replaceAll('A.Y', 'A.X');
    expect(await linesIn(vintage, sourceFile('quarterly_200101.csv', text))).toEqual([
      'ECB:A.X,2000-10-01,2001-01-31,1',
    ]);
    const dummy = fileText('Q4-2000,1,NA').replace('A.Y', 'DUMMY');
    expect(await linesIn(vintage, sourceFile('quarterly_200101.csv', dummy))).toEqual([
      'ECB:A.X,2000-10-01,2001-01-31,1',
    ]);
  });

  const newest = 'Q4-2000,1,2';
  refuses(vintage, 'quarterly_200101.csv', {
    ': the last line has no end, so the file is probably cut short': fileText(newest).trimEnd(),
    ', row 7: 2 cells, but the header has 3; is the file truncated, or is this a footer?':
      fileText('Q4-2000,1'),
    ', row 7: "Q1-2000": the last period is long before 2001-01-31, so the file is probably cut short':
      fileText('Q1-2000,1,2'),
    ', row 8: "Q3-2000": the periods do not ascend': fileText(newest, 'Q3-2000,1,2'),
    ', row 8: "Q4-2000": the periods do not ascend': fileText(newest, newest),
    ', row 8: "JAN-2001": not a period, such as Q1-1999, JAN-1970 or 1991, in one form throughout': fileText(
      newest,
      'JAN-2001,1,2',
    ),
    ', row 7: "Source": not a period…': fileText('Source,1,2'),
    ', row 7, column "A.Y": "x": neither a decimal number nor NA or blank': fileText('Q4-2000,1,x'),
    ', row 2: "A.X": columns 2 and 3 have this name, and other figures': fileText(newest).replace(
      'A.Y',
      'A.X',
    ),
    ', row 2, column "3": "ECB:A/Y": not a series id: …': fileText(newest).replace('A.Y', 'A/Y'),
    ': the file has names and no rows of figures': fileText(),
  });
  refuses(vintage, 'saved.csv', {
    ': the file name is not the month of its vintage, such as quarterly_200101.csv; pass --as-of':
      fileText(newest),
  });
});
