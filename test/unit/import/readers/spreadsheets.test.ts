import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DateOrder } from '../../../../src/domain/values/date.ts';
import { addDays, type Day } from '../../../../src/domain/values/date.ts';
import type { SourceFile } from '../../../../src/import/files/source-file.ts';
import { formatOfKind } from '../../../../src/import/formats/recognise.ts';
import { readCsvBody } from '../../../../src/import/readers/csv.ts';
import { runs } from '../../../support/arbitrary.ts';
import { lines, readAll, refuses, sourceFile, tempFile } from '../../../support/source-file.ts';

const fredCsv = formatOfKind('fred-csv');
const asOf = '2015-02-27';

const gdp = ['GDP,2014-07-01,2015-02-27,17599.8', 'GDP,2014-10-01,2015-02-27,17701.3'];

/** The figures that are read from a FRED download of that content, as lines of asof's own CSV. */
async function figuresIn(file: SourceFile): Promise<string[]> {
  const { statements } = await readAll(fredCsv, file, { asOf });
  return lines(statements).filter((line) => !line.endsWith(','));
}

describe('a FRED download that a program has written again', () => {
  const titles = [
    'FRED Graph Observations,,',
    'Help: https://fredhelp.stlouisfed.org,,',
    ',,',
    'GDP,"Gross Domestic Product, Billions of Dollars, Quarterly, Seasonally Adjusted Annual Rate",',
    'Frequency: Quarterly,,',
  ].join('\r\n');
  const written: Readonly<Record<string, string>> = {
    'as FRED writes it': 'observation_date,GDP\n2014-07-01,17599.8\n2014-10-01,17701.3\n',
    'with American dates': 'observation_date,GDP\r\n7/1/2014,17599.8\r\n10/1/2014,17701.3\r\n1/1/2015,.\r\n',
    'with semicolons, decimal commas and German dates':
      'observation_date;GDP\r\n01.07.2014;17599,8\r\n01.10.2014;17701,3\r\n',
    'with tabs': 'observation_date\tGDP\r\n2014-07-01\t17599.8\r\n2014-10-01\t17701.3\r\n',
    'with tabs and decimal commas': 'observation_date\tGDP\n2014-07-01\t17599,8\n2014-10-01\t17701,3\n',
    'with slashes after the year': 'observation_date,GDP\n2014/7/1,17599.8\n2014/10/1,17701.3\n',
    'with its header in capitals': 'OBSERVATION_DATE,GDP\n2014-07-01,17599.8\n2014-10-01,17701.3\n',
    'with the row numbers of a data frame of Python':
      ',observation_date,GDP\n0,2014-07-01,17599.8\n1,2014-10-01,17701.3\n',
    'with the row numbers of a data frame that was read and written twice':
      'Unnamed: 0,index,DATE,GDP\n0,271,2014-07-01,17599.8\n1,272,2014-10-01,17701.3\n',
    'with the row numbers of R and American dates':
      '"","DATE","GDP"\n"1","7/1/2014",17599.8\n"2","10/1/2014",17701.3\n"3","1/13/2015",NaN\n',
    'with cells beyond the header and rows without figures':
      'observation_date,GDP,,\r\n2014-07-01,17599.8,,\r\n,,,\r\n2014-10-01,17701.3,,\r\n,,,\r\n\r\n',
    'with commas at the end of rows alone':
      'observation_date,GDP\n2014-07-01,17599.8,\n2014-10-01,17701.3,,\n',
    'with times at midnight':
      'observation_date,GDP\n2014-07-01 00:00:00,17599.8\n2014-10-01T00:00:00.000Z,17701.3\n',
    'with times at midnight, as Excel shows them':
      'observation_date,GDP\n7/1/2014 0:00,17599.8\n10/1/2014 12:00:00 AM,17701.3\n1/1/2015 0:00,.\n',
    'from an .xls with titles above the header': `${titles}\r\nobservation_date,GDP,\r\n2014-07-01,17599.8,\r\n2014-10-01,17701.3,\r\n`,
    'with the separator on its own line':
      'sep=;\r\nobservation_date;GDP\r\n01/07/2014;17599,8\r\n01/10/2014;17701,3\r\n13/01/2015;\r\n',
  };
  test.each(Object.entries(written))('is read %s', async (_, content) => {
    expect(await figuresIn(sourceFile('fredgraph.csv', content))).toEqual(gdp);
  });

  const utf16 = (text: string) => Buffer.from(`${text}\tGDP\r\n2014-07-01\t17599,8\r\n`, 'utf16le');
  test.each([
    ['little-endian with its mark', utf16('\ufeffobservation_date')],
    ['little-endian without a mark', utf16('observation_date')],
    ['big-endian with its mark', utf16('\ufeffobservation_date').swap16()],
    ['big-endian without a mark', utf16('observation_date').swap16()],
  ])('is read from UTF-16, %s', async (_, content) => {
    expect(await figuresIn(await tempFile('fredgraph.txt', content))).toEqual([gdp[0]]);
  });

  refuses(
    fredCsv,
    'fredgraph.csv',
    {
      ', row 7, column "GDP": "x": neither a decimal number nor . or #N/A or NA or blank':
        'FRED Graph Observations,\nFrequency: Quarterly,\n,\nobservation_date,GDP\n2014-07-01,1\n,\n2014-10-01,x\n',
      ', row 3, column "GDP": "17.701": "17599,8" in row 2 has the other decimal sign, so one of them may separate thousands':
        'observation_date;GDP\n2014-07-01;17599,8\n2014-10-01;17.701\n',
      ', row 3: "first": a column without a name can have only row numbers':
        ',DATE,GDP\n0,2014-07-01,1\nfirst,2014-10-01,2\n',
      ', row 2: 3 cells, but the header has 2; is a comma part of a number or text that is not quoted?':
        'observation_date,GDP,\n2014-07-01,1,2\n',
    },
    { asOf },
  );

  test('has no value for NaN, and the exact values of exponents and of seventeen digits', async () => {
    const cells = [
      '2014-07-01,NaN',
      '2014-08-01,1e-05',
      '2014-09-01,0.30000000000000004',
      '2014-10-01,1.5E+3',
    ];
    const content = `observation_date,X\n${cells.join('\n')}\n`;
    expect(await figuresIn(sourceFile('fredgraph.csv', content))).toEqual([
      'X,2014-08-01,2015-02-27,0.00001',
      'X,2014-09-01,2015-02-27,0.30000000000000004',
      'X,2014-10-01,2015-02-27,1500',
    ]);
  });
});

/** The dates in a file of `date` cells, one a row. */
async function datesIn(cells: readonly string[], dateOrder?: DateOrder): Promise<string[]> {
  const file = sourceFile('x.csv', `date,value\n${cells.map((cell) => `${cell},1`).join('\n')}\n`);
  const dates: string[] = [];
  const ordered = { ...file, ...(dateOrder !== undefined && { dateOrder }) };
  for await (const { rows } of readCsvBody(ordered, () => undefined))
    dates.push(...Array.from(rows, (row) => row.cells[0] ?? ''));
  return dates;
}

describe('the order of month and day in dates such as 1/30/2015', () => {
  test.each([
    ['a day above 12 comes second', '1/2/2015 1/30/2015', '2015-01-02 2015-01-30'],
    ['a day above 12 comes first', '1/2/2015 30/1/2015', '2015-02-01 2015-01-30'],
    ['the numbers are equal', '1/1/2015 2/2/2015', '2015-01-01 2015-02-02'],
    ['the day comes before points', '01.02.2015 03.02.2015', '2015-02-01 2015-02-03'],
    ['months of several years begin on the first', '12/1/2014 1/1/2015', '2014-12-01 2015-01-01'],
    ['quarters of several years begin on the first', '01/10/2014 01/01/2015', '2014-10-01 2015-01-01'],
    ['the year comes first', '2015/2/1 2015.2.2 2015-2-3', '2015-02-01 2015-02-02 2015-02-03'],
    ['dates of before 1900 stay as they are, as in Excel', '1899-12-01 1/31/1900', '1899-12-01 1900-01-31'],
  ])('is known where %s', async (_, cells, dates) => {
    expect(await datesIn(cells.split(' '))).toEqual(dates.split(' '));
  });

  test('is refused where nothing in the file decides it, with the way out', async () => {
    await expect(datesIn(['1/1/2015', '1/2/2015', '1/5/2015'])).rejects.toMatchObject({
      detail:
        'x.csv, row 3, column "date": "1/2/2015": the month or the day could come first, and no date of the file decides it',
      hints: [
        '--date-format M/D/YYYY if the month comes first',
        '--date-format D/M/YYYY if the day comes first',
      ],
    });
  });

  test('is the stated one where nothing in the file decides it', async () => {
    expect(await datesIn(['1/2/2015', '1/5/2015'], 'M/D/YYYY')).toEqual(['2015-01-02', '2015-01-05']);
    expect(await datesIn(['1/2/2015', '1/5/2015'], 'D/M/YYYY')).toEqual(['2015-02-01', '2015-05-01']);
  });

  test('is refused where the file has both, with both rows', async () => {
    await expect(datesIn(['1/30/2015', '2/2/2015', '31/1/2015'])).rejects.toThrow(
      'x.csv, row 4, column "date": "31/1/2015": the day comes first here, and the month in row 2: "1/30/2015"',
    );
  });

  test('is found for every run of a month of days, in both orders', async () => {
    const start = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1960-01-01', days));
    const order = fc.constantFrom<DateOrder>('M/D/YYYY', 'D/M/YYYY');
    const writtenAs = (day: Day, order: DateOrder) => {
      const [year, month, date] = day.split('-').map(Number);
      return order === 'M/D/YYYY' ? `${month}/${date}/${year}` : `${date}/${month}/${year}`;
    };
    await fc.assert(
      fc.asyncProperty(start, order, async (first, written) => {
        const days = Array.from({ length: 31 }, (_, index) => addDays(first, index));
        expect(await datesIn(days.map((day) => writtenAs(day, written)))).toEqual(days);
      }),
      { numRuns: runs(40) },
    );
  });
});
