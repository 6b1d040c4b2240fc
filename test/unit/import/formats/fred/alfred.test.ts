import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SourceFile } from '../../../../../src/import/files/source-file.ts';
import { formatOfKind, recognise } from '../../../../../src/import/formats/recognise.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { alfredReadmeText } from '../../../../support/alfred.ts';
import { testData } from '../../../../support/repository.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';
import { namedWorkbook, type Row, workbookMembers } from '../../../../support/workbook.ts';
import { zipOf } from '../../../../support/zip-writer.ts';

const alfredFirstReleases = formatOfKind('alfred-first-releases');
const alfredPeriods = formatOfKind('alfred-periods');

const alfredWide = formatOfKind('alfred-wide');
const fredCsv = formatOfKind('fred-csv');
const alfredReadme = formatOfKind('alfred-readme');
const alfredWorkbook = formatOfKind('alfred-xlsx');
const fredWorkbook = formatOfKind('fred-xlsx');

const file = (name: string, ...rows: string[]) => sourceFile(name, `${rows.join('\n')}\n`);
const kindOf = async (of: SourceFile) => (await recognise(of)).kind;

// Published by the BEA on 30 January and 27 February 2015: the first and the second value of 2014Q4.
const published = ['GDP,2014-10-01,2015-01-30,17710.7', 'GDP,2014-10-01,2015-02-27,17701.3'];

describe('an ALFRED download by real-time period', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'as ALFRED writes it',
      'obs._by_real-time_period.csv',
      [
        'period_start_date,GDP,realtime_start_date,realtime_end_date',
        '2014-10-01,17710.7,2015-01-30,2015-02-26',
        '2014-10-01,17701.3,2015-02-27,',
      ],
    ],
    [
      'with a dot for an open end',
      'obs._by_real-time_period.csv',
      [
        'period_start_date,GDP,realtime_start_date,realtime_end_date',
        '2014-10-01,17710.7,2015-01-30,2015-02-26',
        '2014-10-01,17701.3,2015-02-27,.',
      ],
    ],
    [
      'as older files have it',
      'GDP.csv',
      [
        'observation_date,realtime_start_date,realtime_end_date,GDP',
        '2014-10-01,2015-01-30,2015-02-26,17710.7',
        '2014-10-01,2015-02-27,9999-12-31,17701.3',
      ],
    ],
    [
      'separated by tabs',
      'GDP_1.txt',
      [
        'observation_date\tGDP\trealtime_start_date\trealtime_end_date',
        '2014-10-01\t17710.7\t2015-01-30\t2015-02-26',
        '2014-10-01\t17701.3\t2015-02-27\t9999-12-31',
      ],
    ],
    [
      'as pyfredapi writes it, with the index of the data frame',
      'gdp.csv',
      [
        ',realtime_start,realtime_end,date,GDP',
        '0,2015-01-30,2015-02-26,2014-10-01,17710.7',
        '1,2015-02-27,9999-12-31,2014-10-01,17701.3',
      ],
    ],
  ])('%s states each value on the first day of its period', async (_, name, rows) => {
    const of = file(name, ...rows);
    expect(await kindOf(of)).toBe('alfred-periods');
    const { statements, coverage } = await readAll(alfredPeriods, of);
    expect(lines(statements)).toEqual(published);
    expect(coverage).toEqual([{ seriesId: 'GDP', coveredTo: '2015-02-27' }]);
  });

  test.each([
    [
      'fredapi',
      ',realtime_start,date,value',
      '0,2015-01-30,2014-10-01,17710.7',
      '1,2015-02-27,2014-10-01,17701.3',
    ],
    [
      'fredapi with timestamps',
      ',date,realtime_start,value',
      '0,2014-10-01 00:00:00,2015-01-30 00:00:00,17710.7',
      '1,2014-10-01 00:00:00,2015-02-27 00:00:00,17701.3',
    ],
    [
      'pyfredapi',
      'realtime_start,realtime_end,date,value',
      '2015-01-30,2015-02-26,2014-10-01,17710.7',
      '2015-02-27,9999-12-31,2014-10-01,17701.3',
    ],
  ])('of %s is of the series of --series, because it has a column value', async (_, ...rows) => {
    const of = file('gdp.csv', ...rows);
    expect(await kindOf(of)).toBe('alfred-periods');
    expect(lines((await readAll(alfredPeriods, of, { series: 'GDP' })).statements)).toEqual(published);
    expect(await refusalOf(alfredPeriods, of)).toContain(
      'the file does not name its series; pass --series ID',
    );
  });

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

  const header = 'period_start_date,GDP,realtime_start_date,realtime_end_date';
  test.each([
    [
      'a gap between two periods',
      ['2014-10-01,1,2015-01-30,2015-02-20', '2014-10-01,2,2015-02-27,'],
      'row 2, column "realtime_end_date": "2015-02-20": the period of 2014-10-01 ends before the response does (9999-12-31), and the next, row 3, begins on 2015-02-27',
    ],
    [
      'two periods that overlap',
      ['2014-10-01,1,2015-01-30,2015-02-27', '2014-10-01,2,2015-02-27,'],
      'row 3, column "realtime_start_date": "2015-02-27": the period of 2014-10-01 from 2015-02-27 overlaps the one in row 2',
    ],
    [
      'a text that is no date',
      ['2014-10-32,1,2015-01-30,'],
      'row 2, column "period_start_date": "2014-10-32": there is no such date',
    ],
    [
      'a text for a value',
      ['2014-10-01,n.a.,2015-01-30,'],
      'row 2, column "GDP": "n.a.": neither a decimal number nor . (not available)',
    ],
  ])('is refused with %s', async (_, rows, reason) => {
    expect(await refusalOf(alfredPeriods, file('x.csv', header, ...rows))).toContain(reason);
  });
});

describe('an ALFRED download of first releases only', () => {
  const of = file(
    'obs.,_initial_release_only.csv',
    'period_start_date,ICSA,realtime_start_date',
    '2018-11-03,214000,2018-11-08',
    '2018-11-10,216000,2018-11-15',
  );

  test('states each value on the day of its release, is sampled, and says that revisions are missing', async () => {
    const format = await recognise(of);
    expect([format.kind, format.vintageKind]).toEqual(['alfred-first-releases', 'sampled']);
    expect(lines((await readAll(alfredFirstReleases, of)).statements)).toEqual([
      'ICSA,2018-11-03,2018-11-08,214000',
      'ICSA,2018-11-10,2018-11-15,216000',
    ]);
    const notes = [];
    for await (const batch of alfredFirstReleases.read(of, {})) notes.push(...(batch.notes ?? []));
  });
});

describe('an ALFRED download with tabs between cells', () => {
  test('is read as the one with commas', async () => {
    const of = file(
      'GDPC1_2_Vintages_Starting_1991_12_04.txt',
      'observation_date\tGDPC1_19911204\tGDPC1_19920129',
      '1991-07-01\t4843.7\t4843.7',
      '1991-10-01\t.\t4847.2',
    );
    expect(await kindOf(of)).toBe('alfred-wide');
    expect(lines((await readAll(alfredWide, of)).statements)).toEqual([
      'GDPC1,1991-07-01,1991-12-04,4843.7',
      'GDPC1,1991-10-01,1991-12-04,',
      'GDPC1,1991-07-01,1992-01-29,4843.7',
      'GDPC1,1991-10-01,1992-01-29,4847.2',
    ]);
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

  test('is read at once, however many blanks and dashes a damaged line has', async () => {
    const damaged = [
      text.replace('Quarterly', `Quarterly${' '.repeat(500_000)}`),
      text.replace('Quarterly', `Quarterly${' '.repeat(500_000)}.`),
      text.replace('-\r\n', `${'-'.repeat(500_000)}\r.\r\n`),
    ];
    for (const one of damaged) {
      const { metadata } = await readAll(alfredReadme, sourceFile('README.txt', one));
      expect(metadata).toEqual([expect.objectContaining({ seriesId: 'GDPC1', title: described.title })]);
    }
  });

  test('may have the texts beside the headings', async () => {
    const beside = [
      'Title:               Real Gross Domestic Product',
      'Series ID:           GDPC1',
      'Source:              U.S. Bureau of Economic Analysis',
      'Seasonal Adjustment: Seasonally Adjusted Annual Rate',
      'Frequency:           Quarterly',
      'Units:               Billions of Chained 2017 Dollars',
      'Notes:               ALFRED, BEA Account Code: A191RX',
    ];
    const of = file('README.txt', ...beside);
    expect(await kindOf(of)).toBe('alfred-readme');
    expect((await readAll(alfredReadme, of)).metadata).toEqual([described]);
  });

  test('describes the series as it is now', async () => {
    const of = sourceFile('README.txt', text);
    expect(await kindOf(of)).toBe('alfred-readme');
    expect((await readAll(alfredReadme, of)).metadata).toEqual([described]);
  });

  test('may have a weekly series, and a title over two lines', async () => {
    const of = sourceFile(
      'README.txt',
      text
        .replace('Series ID: GDPC1', 'Series ID: ICSA')
        .replace(/Quarterly {2}/, 'Weekly, Ending Saturday  ')
        .replace(/(\r\nSource\r\n)/, '\r\nand Its Components$1'),
    );
    expect((await readAll(alfredReadme, of)).metadata).toEqual([
      {
        ...described,
        seriesId: 'ICSA',
        frequency: 'W',
        title: 'Real Gross Domestic Product and Its Components',
      },
    ]);
  });

  test('is refused without the id of a series', async () => {
    const of = sourceFile('README.txt', text.replace('Series ID: GDPC1', 'Series ID: *'));
    expect(await refusalOf(alfredReadme, of)).toContain(
      'column "Series ID": "*": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    );
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

  test.each<[string, Readonly<Record<string, readonly Row[]>>]>([
    [
      'side by side',
      {
        README: readme,
        'Vintages Starting 2015-01-30': [
          ['observation_date', 'GDP_20150130', 'GDP_20150227'],
          [day('2014-10-01'), n('17710.700000000001'), n('17701.3')],
        ],
      },
    ],
    [
      'by real-time period',
      {
        README: readme,
        'Obs. By Real-Time Period': [
          ['period_start_date', 'GDP', 'realtime_start_date', 'realtime_end_date'],
          [day('2014-10-01'), n('17710.7'), day('2015-01-30'), day('2015-02-26')],
          [day('2014-10-01'), n('17701.3'), day('2015-02-27'), null],
        ],
      },
    ],
  ])('from ALFRED with vintages %s is read with its README', async (_, sheets) => {
    const of = sourceFile('GDP.xlsx', namedWorkbook(sheets));
    expect(await kindOf(of)).toBe('alfred-xlsx');
    const { statements, metadata } = await readAll(alfredWorkbook, of);
    expect(lines(statements)).toEqual(published);
    expect(metadata).toEqual(described);
  });

  const oldWorkbook = (name: string) => {
    const bytes = readFileSync(join(testData, 'macro/xls', name));
    return sourceFile(name, bytes);
  };

  test('from ALFRED as an old .xls is read with its README', async () => {
    const of = oldWorkbook('GDP_2_Vintages.xls');
    expect(await kindOf(of)).toBe('alfred-xlsx');
    const { statements, metadata } = await readAll(alfredWorkbook, of);
    expect(lines(statements)).toEqual(published);
    expect(metadata).toEqual(described);
  });

  test('as an old .xls with a title above the header is of the day of --as-of', async () => {
    const of = oldWorkbook('fredgraph.xls');
    expect(await kindOf(of)).toBe('fred-xlsx');
    const { statements } = await readAll(fredWorkbook, of, { asOf: '2015-01-30' });
    expect(lines(statements)).toEqual([
      'GDP,2014-07-01,2015-01-30,17599.8',
      'GDP,2014-10-01,2015-01-30,17710.7',
    ]);
  });

  test('as an old .xls that is cut off is refused', async () => {
    const bytes = readFileSync(join(testData, 'macro/xls/fredgraph.xls')).subarray(0, 2000);
    expect(await refusalOf(fredWorkbook, sourceFile('fredgraph.xls', bytes))).toMatch(
      /not a readable workbook/,
    );
  });

  test('from ALFRED with first releases only is read as samples', async () => {
    const of = sourceFile(
      'ICSA.xlsx',
      namedWorkbook({
        README: readme,
        'Obs., Initial Release Only': [
          ['period_start_date', 'ICSA', 'realtime_start_date'],
          [day('2018-11-03'), n('214000'), day('2018-11-08')],
        ],
      }),
    );
    expect(await kindOf(of)).toBe('alfred-xlsx');
    const { statements } = await readAll(alfredWorkbook, of);
    expect(statements).toEqual([
      { seriesId: 'ICSA', date: '2018-11-03', asOf: '2018-11-08', value: '214000', kind: 'sampled' },
    ]);
  });

  test.each<[string, string, Readonly<Record<string, readonly Row[]>>]>([
    [
      'FRED',
      'fred-xlsx',
      {
        GDP: [
          ['observation_date', 'GDP'],
          [day('2014-10-01'), n('17710.7')],
        ],
      },
    ],
    [
      'FRED in its old form',
      'fred-xlsx',
      {
        GDP: [
          ['DATE', 'GDP'],
          [day('2014-10-01'), n('17710.7')],
        ],
      },
    ],
    [
      'rates',
      'fred-xlsx',
      {
        S: [
          ['observation_date', 'DGS10'],
          [day('2024-01-02'), n('3.95')],
        ],
      },
    ],
    [
      'ALFRED',
      'alfred-xlsx',
      {
        GDP: [
          ['observation_date', 'GDP_20150130'],
          [day('2014-10-01'), n('17710.7')],
        ],
      },
    ],
    [
      'the Real-Time Data Set',
      'rtdsm',
      {
        Sheet1: [
          ['DATE', 'ROUTPUT65Q4'],
          ['1947:Q1', n('306.4')],
        ],
      },
    ],
  ])('that a spreadsheet made of the CSV of %s is recognised by its columns: %s', async (_, kind, sheets) => {
    expect(await kindOf(sourceFile('x.xlsx', namedWorkbook(sheets)))).toBe(kind);
  });

  test('with a sheet that asof reads as CSV only says so', async () => {
    const rows: Row[] = [
      ['series_id', 'date', 'as_of_date', 'value'],
      ['GDP', day('2014-10-01'), day('2015-01-30'), n('17710.7')],
    ];
    await expect(recognise(sourceFile('x.xlsx', namedWorkbook({ S: rows })))).rejects.toMatchObject({
      detail: 'x.xlsx: like asof-csv, but in a workbook',
      hints: ['save the sheet as CSV'],
    });
  });

  test('of a graph has the figures of the day of --as-of, below titles and in sheets by frequency', async () => {
    const of = sourceFile(
      'fredgraph.xlsx',
      namedWorkbook({
        README: [['FRED Graph Observations'], ['Federal Reserve Economic Data']],
        Quarterly: [
          ['observation_date', 'GDP'],
          [day('2014-07-01'), n('17599.8')],
          [day('2014-10-01'), n('17710.7')],
        ],
        Monthly: [['FRED Graph'], [null], ['observation_date', 'UNRATE'], [day('2014-12-01'), n('5.6')]],
      }),
    );
    const format = await recognise(of);
    expect([format.kind, format.vintageKind]).toEqual(['fred-xlsx', 'fetched']);
    expect(lines((await readAll(fredWorkbook, of, { asOf: '2015-01-30' })).statements)).toEqual([
      'GDP,2014-07-01,2015-01-30,17599.8',
      'GDP,2014-10-01,2015-01-30,17710.7',
      'UNRATE,2014-12-01,2015-01-30,5.6',
    ]);
    expect(await refusalOf(fredWorkbook, of)).toContain('pass --as-of');
  });

  test.each<[string, Readonly<Record<string, readonly Row[]>>, string]>([
    [
      'another sheet',
      { README: readme, 'Obs. Notes': [['Note'], ['x']] },
      'x.xlsx/Obs. Notes: not a sheet of FRED or ALFRED',
    ],
    ['a README alone', { README: readme }, 'x.xlsx: the workbook has no sheet of figures'],
  ])('is refused with %s', async (_, sheets, reason) => {
    expect(await refusalOf(alfredWorkbook, sourceFile('x.xlsx', namedWorkbook(sheets)))).toContain(reason);
  });

  test('is refused if it lists a sheet that it does not have', async () => {
    const members = workbookMembers({ README: readme, Quarterly: [['observation_date', 'GDP']] });
    const lacking = Object.entries(members).map(([name, content]) => ({
      name,
      content: content.replace('<Relationship Id="r2"', '<Relationship Id="r9"'),
    }));
    const of = sourceFile('x.xlsx', zipOf(lacking));
    expect(await kindOf(of)).toBe('fred-xlsx');
    expect(await refusalOf(fredWorkbook, of, { asOf: '2015-01-30' })).toBe(
      'Problem: x.xlsx: not a readable workbook: it lacks its sheet Quarterly',
    );
  });

  test('without its sheets is taken for the Real-Time Data Set, as before', async () => {
    expect(await kindOf(sourceFile('ROUTPUTQvQd.xlsx', namedWorkbook({ ROUTPUT: [['DATE']] })))).toBe(
      'rtdsm',
    );
    expect(
      fredCsv.recognise(textHead('period_start_date,GDP,realtime_start_date,realtime_end_date', 'x.csv')),
    ).toBe(false);
  });
});
