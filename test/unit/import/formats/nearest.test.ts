import { describe, expect, it } from 'vitest';
import { recognise } from '../../../../src/import/formats/recognise.ts';
import { tempFile } from '../../../support/temp-files.ts';

/** Files as people have them, which lack one thing that a format has. */
const misses: readonly (readonly [
  what: string,
  name: string,
  content: string,
  reason: string,
  hint: string,
])[] = [
  [
    'a FRED download with bars between its cells',
    'GDP.txt',
    'observation_date|GDP\n2015-01-01|18063.529\n2015-04-01|18279.784\n',
    'like fred-csv (FRED download), but its cells are separated by |',
    'save it with commas between the cells',
  ],
  [
    'a table of a statistics program with blanks between its cells',
    'gdp.dat',
    'observation_date   GDP\n2015-01-01   18063.529\n2015-04-01   18279.784\n',
    'like fred-csv (FRED download), but its cells are separated by blanks',
    'save it with commas between the cells',
  ],
  [
    'dates and figures without a header',
    'GDP.csv',
    '2015-01-01,18063.529\n2015-04-01,18279.784\n',
    'like plain-csv (figures by date), but its first line is "2015-01-01,18063.529"',
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
  ],
  [
    'a data frame whose dates are the nameless index',
    'frame.csv',
    ',GDP,UNRATE\n2015-01-01,18063.529,5.7\n2015-04-01,18279.784,5.4\n',
    'like plain-csv (figures by date), but its first line is ",GDP,UNRATE"',
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
  ],
  [
    'a table by month',
    'unrate.csv',
    'Month,UNRATE\n2015-01-01,5.7\n2015-02-01,5.5\n',
    'like plain-csv (figures by date), but its first line is "Month,UNRATE"',
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
  ],
  [
    'dates in the last column',
    'unrate.csv',
    'UNRATE,date\n5.7,2015-01-01\n5.5,2015-02-01\n',
    'like plain-csv (figures by date), but its first line is "UNRATE,date"',
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
  ],
  [
    'a table of the World Bank with its years in the header',
    'API_NY.GDP.csv',
    'Indicator,2013,2014,2015\nGDP,16880.7,17608.1,18295.0\nCPI,106.8,108.6,108.7\n',
    'like plain-csv (figures by date), but its dates are in the header',
    'turn the table, so that each row has a date and each column a series',
  ],
  [
    'a table of vintages without the name of their series',
    'gdpc1.csv',
    'observation_date,2015-01-30,2015-02-27\n2014-07-01,16205.6,16205.6\n2014-10-01,16311.6,16294.7\n',
    'like alfred-wide (ALFRED download), but its columns name vintage dates without a series',
    'name the columns by series and vintage date, such as GDPC1_20150130',
  ],
  [
    'the panel FRED-MD without its row of transformations',
    '2015-01.csv',
    'sasdate,RPI,INDPRO\n1/1/1959,2289.8,21.9665\n2/1/1959,2299.6,22.3966\n',
    'like plain-csv (figures by date), but its first line is "sasdate,RPI,INDPRO"',
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
  ],
  [
    'a long table without days of publication',
    'long.csv',
    'series_id,date,value\nGDP,2015-01-01,18063.529\nUNRATE,2015-01-01,5.7\n',
    'like asof-csv (statements), but it has no column as_of_date',
    'name or add the columns series_id,date,as_of_date,value; as_of_date is the day on which the value of a line became known',
  ],
  [
    'a long table of vintages with other names of its columns',
    'vintages.csv',
    'variable,date,vintage_date,value\nGDP,2014-10-01,2015-01-30,17710.7\nGDP,2014-10-01,2015-02-27,17701.3\n',
    'like asof-csv (statements), but it has no column series_id, as_of_date',
    'name or add the columns series_id,date,as_of_date,value; as_of_date is the day on which the value of a line became known',
  ],
  [
    'a table of the SEC with bars between its cells',
    'SUBMISSION.txt',
    'ACCESSION_NUMBER|FILING_DATE|DOCUMENT_TYPE|ISSUERCIK\n0001-15-000001|30-JAN-2015|4|1835632\n',
    'like sec-form345 (Insider Transactions Data Set of the SEC), but its cells are separated by |',
    'save it with commas between the cells',
  ],
  [
    'notes above a header',
    'GDP.csv',
    'Source,Bureau of Economic Analysis,FRED,GDP,Release\nUnits,Billions of Dollars,SAAR,,\n\nobservation_date,GDP\n2015-01-01,18063.529\n2015-04-01,18279.784\n',
    'like plain-csv (figures by date), but its first line is "Source,Bureau of Economic Analysis,FRED,GDP,Release"',
    'begin the file with the names of the columns: Date, then the id of each series, such as Date,GDP',
  ],
];

describe('a file that is nearly of a format', () => {
  it.each(misses)('is refused with the nearest format and what is different: %s', async (...miss) => {
    const [, name, content, reason, hint] = miss;
    const file = await tempFile(name, content);
    await expect(recognise(file)).rejects.toMatchObject({
      kind: 'bad-input',
      detail: `${file.path}: ${reason}`,
      hints: expect.arrayContaining([hint]),
    });
  });

  it.each([
    ['a log', '2024-01-01 12:00 server started\n2024-01-01 12:01 server ready\n'],
    ['a letter', 'Dear Sir,\n\nplease find enclosed, as agreed, the data.\n'],
    ['a program', 'import pandas as pd\nframe = pd.read_csv("a.csv")\n'],
    ['a table of customers', 'name,city\nJane,Boston\nJohn,Chicago\n'],
  ])('is not found in a file of another kind: %s', async (_, content) => {
    await expect(recognise(await tempFile('a.txt', content))).rejects.toThrow(
      'not a format that asof reads; it starts with',
    );
  });
});
