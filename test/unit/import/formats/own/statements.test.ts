import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../../src/import/formats/recognise.ts';
import { textHead } from '../../../../../src/import/readers/csv.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const asofCsv = formatOfKind('asof-csv');

const file = (...rows: string[]) => sourceFile('facts.csv', `${rows.join('\n')}\n`);
const header = 'series_id,date,as_of_date,value';

describe("asof's own CSV", () => {
  test('states each line exactly, and an empty value as a withdrawal', async () => {
    const rows = [
      'GDP,2014-10-01,2015-01-30,17710.70',
      'GDP,2014-10-01,2015-02-27,',
      'S&P 500,2014-10-01,2015-02-27,-0.5',
    ];
    expect(lines((await readAll(asofCsv, file(header, ...rows))).statements)).toEqual(rows);
  });

  test('takes its columns in any order and its ids in lower case, and expands exponents', async () => {
    const records = await readAll(
      asofCsv,
      file('value,series_id,as_of_date,date', '1.5e3,gdp,2015-01-30,2014-10-01'),
    );
    expect(lines(records.statements)).toEqual(['GDP,2014-10-01,2015-01-30,1500']);
  });

  test('covers each series to the last day of its statements', async () => {
    const records = await readAll(
      asofCsv,
      file(header, 'A,2014-10-01,2015-02-27,1', 'B,2014-10-01,2016-01-01,1', 'A,2014-10-01,2015-01-30,2'),
    );
    expect(records.coverage).toEqual([
      { seriesId: 'A', coveredTo: '2015-02-27' },
      { seriesId: 'B', coveredTo: '2016-01-01' },
    ]);
  });

  test('states no metadata and no source', async () => {
    const records = await readAll(asofCsv, file(header, 'A,2014-10-01,2015-02-27,1'));
    expect([records.metadata, records.implied, asofCsv.source]).toEqual([[], [], undefined]);
  });

  test.each([
    [
      'a value',
      'GDP,2014-10-01,2015-01-30,1,5',
      'row 2: 5 cells, but the header has 4; is the file truncated?',
    ],
    [
      'a value',
      'GDP,2014-10-01,2015-01-30,0x1f',
      'row 2, column "value": "0x1f": neither a decimal number nor empty, as a withdrawal is',
    ],
    [
      'a value',
      'GDP,2014-10-01,2015-01-30,.',
      'row 2, column "value": ".": neither a decimal number nor empty, as a withdrawal is',
    ],
    ['a date', 'GDP,2014-02-30,2015-01-30,1', 'row 2, column "date": "2014-02-30": there is no such date'],
    [
      'a vintage',
      'GDP,2014-10-01,2/30/2015,1',
      'row 2, column "as_of_date": "2015-02-30": there is no such date',
    ],
    [
      'an id',
      ',2014-10-01,2015-01-30,1',
      'row 2, column "series_id": "": not a series id: use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit',
    ],
  ])('is refused for an invalid field, %s: %s', async (_, row, message) => {
    expect(await refusalOf(asofCsv, file(header, row))).toBe(`Problem: facts.csv, ${message}`);
  });

  test.each([
    ['observations', 'date,value,as_of_date,series_id,unit,frequency,source'],
    ['revisions', 'date,value,as_of_date,series_id,unit,frequency,source,change,percent,days'],
    ['a panel', 'as_of,series_id,date,value,as_of_date'],
  ])(
    'is recognised in the answer to a query (%s) and refused, because the answer lacks statements',
    async (_, columns) => {
      expect(asofCsv.recognise(textHead(columns, 'x.csv'))).toBe(true);
      const message = await refusalOf(asofCsv, file(columns, columns.replace(/[^,]+/g, '1')));
      expect(message).toContain(
        'the answer to a query, which lacks statements; import what asof facts writes',
      );
    },
  );

  test('is refused with an unknown column', async () => {
    expect(await refusalOf(asofCsv, file(`${header},note`, 'A,2014-10-01,2015-02-27,1,x'))).toBe(
      'Problem: facts.csv, row 1, column "note": unknown column; the columns are series_id, date, as_of_date, value, vintage_kind',
    );
  });
});
