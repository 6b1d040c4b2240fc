import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { seriesIdForm } from '../../../../../src/domain/series/series.ts';
import type { SourceFile } from '../../../../../src/import/files/source-file.ts';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import { testData } from '../../../../support/repository.ts';
import {
  alfredReadmeText,
  lines,
  namedWorkbook,
  type Row,
  readAll,
  refusalOf,
  refuses,
  sourceFile,
} from '../../../../support/source-file.ts';

const alfredPeriods = formatOfKind('alfred-periods');
const alfredReadme = formatOfKind('alfred-readme');
const alfredWorkbook = formatOfKind('alfred-xlsx');
const fredWorkbook = formatOfKind('fred-xlsx');

const file = (name: string, ...rows: readonly string[]) => sourceFile(name, `${rows.join('\n')}\n`);
const kindOf = async (of: SourceFile) => (await recognise(of)).kind;

// Published by the BEA on 30 January and 27 February 2015: the first and the second value of 2014Q4.
const published = ['GDP,2014-10-01,2015-01-30,17710.7', 'GDP,2014-10-01,2015-02-27,17701.3'];

describe('an ALFRED download by real-time period', () => {
  const header = 'period_start_date,GDP,realtime_start_date,realtime_end_date';
  const openEnd = '2014-10-01,17701.3,2015-02-27,.';
  const layouts: Readonly<Record<string, readonly string[]>> = {
    'as ALFRED writes it': [
      header,
      '2014-10-01,17710.7,2015-01-30,2015-02-26',
      '2014-10-01,17701.3,2015-02-27,',
    ],
    'with a dot for an open end': [header, '2014-10-01,17710.7,2015-01-30,2015-02-26', openEnd],
    'as older files have it': [
      'observation_date,realtime_start_date,realtime_end_date,GDP',
      '2014-10-01,2015-01-30,2015-02-26,17710.7',
      '2014-10-01,2015-02-27,9999-12-31,17701.3',
    ],
    'separated by tabs': [
      'observation_date\tGDP\trealtime_start_date\trealtime_end_date',
      '2014-10-01\t17710.7\t2015-01-30\t2015-02-26',
      '2014-10-01\t17701.3\t2015-02-27\t9999-12-31',
    ],
    'as pyfredapi writes it, with the index of the data frame': [
      ',realtime_start,realtime_end,date,GDP',
      '0,2015-01-30,2015-02-26,2014-10-01,17710.7',
      '1,2015-02-27,9999-12-31,2014-10-01,17701.3',
    ],
    'as pyfredapi writes it with a column value': [
      'realtime_start,realtime_end,date,value',
      '2015-01-30,2015-02-26,2014-10-01,17710.7',
      '2015-02-27,9999-12-31,2014-10-01,17701.3',
    ],
    'as fredapi writes it': [
      ',realtime_start,date,value',
      '0,2015-01-30,2014-10-01,17710.7',
      '1,2015-02-27,2014-10-01,17701.3',
    ],
    'as fredapi writes it with timestamps': [
      ',date,realtime_start,value',
      '0,2014-10-01 00:00:00,2015-01-30 00:00:00,17710.7',
      '1,2014-10-01 00:00:00,2015-02-27 00:00:00,17701.3',
    ],
  };
  test.each(Object.entries(layouts))(
    '%s states each value on the first day of its period',
    async (_, rows) => {
      const of = file('x.csv', ...rows);
      expect(await kindOf(of)).toBe('alfred-periods');
      const isNamed = rows[0]?.includes('GDP') === true;
      const { statements, coverage } = await readAll(alfredPeriods, of, isNamed ? {} : { series: 'GDP' });
      expect(lines(statements)).toEqual(published);
      expect(coverage).toEqual([{ seriesId: 'GDP', coveredTo: '2015-02-27' }]);
      if (!isNamed)
        expect(await refusalOf(alfredPeriods, of)).toContain(
          'the file does not name its series; pass --series ID',
        );
    },
  );

  test('says by a dot or a blank cell that there is no figure', async () => {
    const of = file(
      'x.csv',
      ',realtime_start,date,value',
      '0,2015-01-30,2014-10-01,1',
      '1,2015-02-27,2014-10-01,NaN',
      '2,2015-02-27,2014-07-01,.',
    );
    expect(lines((await readAll(alfredPeriods, of, { series: 'X' })).statements)).toEqual([
      'X,2014-10-01,2015-01-30,1',
      'X,2014-10-01,2015-02-27,',
      'X,2014-07-01,2015-02-27,',
    ]);
  });

  refuses(alfredPeriods, 'x.csv', {
    ', row 2, column "realtime_end_date": "2015-02-20": the period of 2014-10-01 ends before the response does (9999-12-31), and the next, row 3, begins on 2015-02-27': `${header}\n2014-10-01,1,2015-01-30,2015-02-20\n2014-10-01,2,2015-02-27,\n`,
    ', row 3, column "realtime_start_date": "2015-02-27": the period of 2014-10-01 from 2015-02-27 overlaps the one in row 2': `${header}\n2014-10-01,1,2015-01-30,2015-02-27\n2014-10-01,2,2015-02-27,\n`,
    ', row 2, column "period_start_date": "2014-10-32": there is no such date': `${header}\n2014-10-32,1,2015-01-30,\n`,
    ', row 2, column "GDP": "n.a.": neither a decimal number nor . (not available)': `${header}\n2014-10-01,n.a.,2015-01-30,\n`,
  });
});

describe('an ALFRED download of first releases only', () => {
  test('states each value on the day of its release, is sampled, and says that revisions are missing', async () => {
    const of = file(
      'obs.,_initial_release_only.csv',
      'period_start_date,ICSA,realtime_start_date',
      '2018-11-03,214000,2018-11-08',
      '2018-11-10,216000,2018-11-15',
    );
    const format = await recognise(of);
    expect([format.kind, format.vintageKind]).toEqual(['alfred-first-releases', 'sampled']);
    const { statements, notes } = await readAll(format, of);
    expect(lines(statements)).toEqual([
      'ICSA,2018-11-03,2018-11-08,214000',
      'ICSA,2018-11-10,2018-11-15,216000',
    ]);
    expect(notes).toEqual(['first releases only: later revisions are not in this file']);
  });
});

describe('the README of an ALFRED download', () => {
  const text = alfredReadmeText({
    id: 'GDPC1',
    title: ['Real Gross Domestic Product, 1 Decimal', 'Real Gross Domestic Product'],
    units: ['Billions of Chained 2009 Dollars', 'Billions of Chained 2017 Dollars'],
    frequency: ['Quarterly'],
    adjustment: ['Seasonally Adjusted Annual Rate'],
  });
  const described = {
    seriesId: 'GDPC1',
    title: 'Real Gross Domestic Product',
    units: 'Billions of Chained 2017 Dollars',
    frequency: 'Q',
    seasonalAdjustment: 'SAAR',
    source: 'FRED',
  };
  const metadataIn = async (content: string) => {
    const of = sourceFile('README.txt', content);
    expect(await kindOf(of)).toBe('alfred-readme');
    return (await readAll(alfredReadme, of)).metadata;
  };

  test('describes the series as it is now', async () => {
    expect(await metadataIn(text)).toEqual([described]);
  });

  test.each([
    ['blanks in a line', text.replace('Quarterly', `Quarterly${' '.repeat(500_000)}`)],
    ['blanks and a dot in a line', text.replace('Quarterly', `Quarterly${' '.repeat(500_000)}.`)],
    ['dashes in a line', text.replace('-\r\n', `${'-'.repeat(500_000)}\r.\r\n`)],
  ])('is read at once, however many %s it has', async (_, damaged) => {
    const { metadata } = await readAll(alfredReadme, sourceFile('README.txt', damaged));
    expect(metadata).toEqual([expect.objectContaining({ seriesId: 'GDPC1', title: described.title })]);
  });

  test('may have the texts beside the headings', async () => {
    const beside = [
      'Title:               Real Gross Domestic Product',
      'Series ID:           GDPC1',
      'Seasonal Adjustment: Seasonally Adjusted Annual Rate',
      'Frequency:           Quarterly',
      'Units:               Billions of Chained 2017 Dollars',
      'Notes:               ALFRED, BEA Account Code: A191RX',
    ];
    expect(await metadataIn(beside.join('\n'))).toEqual([described]);
  });

  test('may have a weekly series, and a title over two lines', async () => {
    const weekly = text
      .replace('Series ID: GDPC1', 'Series ID: ICSA')
      .replace(/Quarterly {2}/, 'Weekly, Ending Saturday  ')
      .replace(/(\r\nSource\r\n)/, '\r\nand Its Components$1');
    const title = 'Real Gross Domestic Product and Its Components';
    expect(await metadataIn(weekly)).toEqual([{ ...described, seriesId: 'ICSA', frequency: 'W', title }]);
  });

  refuses(alfredReadme, 'README.txt', {
    [`, column "Series ID": "*": not a series id: ${seriesIdForm}`]: text.replace('ID: GDPC1', 'ID: *'),
  });
});

describe('a workbook of FRED', () => {
  const n = (number: string) => ({ number });
  const day = (text: string) => ({ day: text });
  const readme: Row[] = alfredReadmeText({
    id: 'GDP',
    title: ['Gross Domestic Product'],
    units: ['Billions of Dollars'],
    frequency: ['Quarterly'],
    adjustment: ['Seasonally Adjusted Annual Rate'],
  })
    .split('\r\n')
    .map((line) => [line.replaceAll('&', '&amp;')]);
  const described = [
    {
      seriesId: 'GDP',
      title: 'Gross Domestic Product',
      units: 'Billions of Dollars',
      frequency: 'Q',
      seasonalAdjustment: 'SAAR',
      source: 'FRED',
    },
  ];
  const book = (sheets: Parameters<typeof namedWorkbook>[0]) => sourceFile('x.xlsx', namedWorkbook(sheets));
  const old = (name: string) => sourceFile(name, readFileSync(join(testData, 'macro/xls', name)));
  const asOf = '2015-01-30';

  test.each<[string, SourceFile]>([
    [
      'with vintages side by side',
      book({
        README: readme,
        'Vintages Starting 2015-01-30': [
          ['observation_date', 'GDP_20150130', 'GDP_20150227'],
          [day('2014-10-01'), n('17710.700000000001'), n('17701.3')],
        ],
      }),
    ],
    [
      'by real-time period',
      book({
        README: readme,
        'Obs. By Real-Time Period': [
          ['period_start_date', 'GDP', 'realtime_start_date', 'realtime_end_date'],
          [day('2014-10-01'), n('17710.7'), day('2015-01-30'), day('2015-02-26')],
          [day('2014-10-01'), n('17701.3'), day('2015-02-27'), null],
        ],
      }),
    ],
    ['as an old .xls', old('GDP_2_Vintages.xls')],
  ])('from ALFRED %s is read with its README', async (_, of) => {
    expect(await kindOf(of)).toBe('alfred-xlsx');
    const { statements, metadata } = await readAll(alfredWorkbook, of);
    expect(lines(statements)).toEqual(published);
    expect(metadata).toEqual(described);
  });

  test('as an old .xls with a title above the header is of the day of --as-of', async () => {
    const of = old('fredgraph.xls');
    expect(await kindOf(of)).toBe('fred-xlsx');
    const { statements } = await readAll(fredWorkbook, of, { asOf });
    expect(lines(statements)).toEqual([
      'GDP,2014-07-01,2015-01-30,17599.8',
      'GDP,2014-10-01,2015-01-30,17710.7',
    ]);
  });

  test('from ALFRED with first releases only is read as samples', async () => {
    const of = book({
      README: readme,
      'Obs., Initial Release Only': [
        ['period_start_date', 'ICSA', 'realtime_start_date'],
        [day('2018-11-03'), n('214000'), day('2018-11-08')],
      ],
    });
    expect(await kindOf(of)).toBe('alfred-xlsx');
    expect((await readAll(alfredWorkbook, of)).statements).toEqual([
      { seriesId: 'ICSA', date: '2018-11-03', asOf: '2018-11-08', value: '214000', kind: 'sampled' },
    ]);
  });

  test.each<[string, string, Row, Row]>([
    ['FRED', 'fred-xlsx', ['observation_date', 'GDP'], [day('2014-10-01'), n('17710.7')]],
    ['FRED in its old form', 'fred-xlsx', ['DATE', 'GDP'], [day('2014-10-01'), n('17710.7')]],
    ['rates', 'fred-xlsx', ['observation_date', 'DGS10'], [day('2024-01-02'), n('3.95')]],
    ['ALFRED', 'alfred-xlsx', ['observation_date', 'GDP_20150130'], [day('2014-10-01'), n('17710.7')]],
    ['the Real-Time Data Set', 'rtdsm', ['DATE', 'ROUTPUT65Q4'], ['1947:Q1', n('306.4')]],
  ])(
    'that a spreadsheet made of the CSV of %s is recognised by its columns: %s',
    async (_, kind, ...rows) => {
      expect(await kindOf(book({ Sheet1: rows }))).toBe(kind);
    },
  );

  test('of a graph has the figures of the day of --as-of, below titles and in sheets by frequency', async () => {
    const of = book({
      README: [['FRED Graph Observations'], ['Federal Reserve Economic Data']],
      Quarterly: [
        ['observation_date', 'GDP'],
        [day('2014-07-01'), n('17599.8')],
        [day('2014-10-01'), n('17710.7')],
      ],
      Monthly: [['FRED Graph'], [null], ['observation_date', 'UNRATE'], [day('2014-12-01'), n('5.6')]],
    });
    const format = await recognise(of);
    expect([format.kind, format.vintageKind]).toEqual(['fred-xlsx', 'fetched']);
    expect(lines((await readAll(fredWorkbook, of, { asOf })).statements)).toEqual([
      'GDP,2014-07-01,2015-01-30,17599.8',
      'GDP,2014-10-01,2015-01-30,17710.7',
      'UNRATE,2014-12-01,2015-01-30,5.6',
    ]);
    expect(await refusalOf(fredWorkbook, of)).toContain('pass --as-of');
  });

  refuses(
    fredWorkbook,
    'x.xlsx',
    {
      ': not a readable workbook…': readFileSync(join(testData, 'macro/xls/fredgraph.xls')).subarray(0, 2000),
      ': the workbook has no sheet of figures': book({ README: readme }),
      '/Obs. Notes: not a sheet of FRED or ALFRED: no column observation_date or period_start_date': book({
        README: readme,
        'Obs. Notes': [['Note'], ['x']],
      }),
    },
    { asOf },
  );
});
