import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../../src/import/formats/recognise.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const fredMd = formatOfKind('fred-md');
const fredQd = formatOfKind('fred-qd');

const panel = (name: string, ...rows: string[]) =>
  sourceFile(name, `${['sasdate,RPI,CMRMTSPLx,S&P 500', 'Transform:,5,5,5', ...rows].join('\r\n')}\r\n`);

describe('a FRED-MD panel', () => {
  test('states its columns on the last day of the month in its name, and may end in empty rows', async () => {
    const records = await readAll(
      fredMd,
      panel('2016-02.csv', '1/1/1959,2289.8,.,4.5', '2/1/1959,2299.6,1,', ',,,', ','),
    );
    expect(lines(records.statements)).toEqual([
      'RPI,1959-01-01,2016-02-29,2289.8',
      'RPI,1959-02-01,2016-02-29,2299.6',
      'CMRMTSPLX,1959-01-01,2016-02-29,',
      'CMRMTSPLX,1959-02-01,2016-02-29,1',
      'S&P 500,1959-01-01,2016-02-29,4.5',
      'S&P 500,1959-02-01,2016-02-29,',
    ]);
    expect(records.implied).toEqual([
      { seriesId: 'RPI', frequency: 'M' },
      { seriesId: 'CMRMTSPLX', frequency: 'M' },
      { seriesId: 'S&P 500', frequency: 'M' },
    ]);
  });

  test.each([
    ['2015-01.csv', '2015-01-31'],
    ['2015-01-md.csv', '2015-01-31'],
    ['2024-12-qd.csv', '2024-12-31'],
    ['2015-2m.csv', '2015-02-28'],
    ['FRED-MD_2020m05.csv', '2020-05-31'],
    ['2015-01.CSV', '2015-01-31'],
  ])('named %s is the vintage of %s', async (name, vintage) => {
    const records = await readAll(fredMd, panel(name, '1/1/1959,1,1,1'));
    expect(records.coverage.map(({ coveredTo }) => coveredTo)).toEqual([vintage, vintage, vintage]);
  });

  test('takes its date from --as-of before its name', async () => {
    const records = await readAll(fredMd, panel('2015-01.csv', '1/1/1959,1,1,1'), { asOf: '2015-01-28' });
    expect(records.statements.map(({ asOf }) => asOf)).toEqual(['2015-01-28', '2015-01-28', '2015-01-28']);
  });

  test.each(['current.csv', '2015-13.csv', 'x2015-01.csv', '2015-01-30.csv'])(
    'named %s needs --as-of',
    async (name) => {
      expect(await refusalOf(fredMd, panel(name, '1/1/1959,1,1,1'))).toBe(
        `Problem: ${name}: the file name is not the month of its vintage, such as 2015-01.csv; pass --as-of`,
      );
    },
  );

  test('with two-digit years begins in 1959 and continues past 1999', async () => {
    const rows = ['1/1/59,1,,', '12/1/99,2,,', '1/1/00,3,,', '12/1/14,4,,'];
    const records = await readAll(fredMd, panel('2015-01.csv', ...rows));
    const rpi = records.statements.filter(({ seriesId }) => seriesId === 'RPI');
    expect(rpi.map(({ date }) => date)).toEqual(['1959-01-01', '1999-12-01', '2000-01-01', '2014-12-01']);
  });

  test('with two-digit years that do not ascend is refused, because the century is unclear', async () => {
    expect(await refusalOf(fredMd, panel('2015-01.csv', '1/1/47,1,,', '1/1/59,1,,'))).toBe(
      'Problem: 2015-01.csv, row 4: "1959-01-01": with two-digit years, dates must ascend; the row above has 2047-01-01',
    );
  });

  test.each([
    ['13/1/1959,1,1,1', 'row 3: "1959-01-13": not a date: use M/D/YYYY, the first day of a month'],
    ['1/13/59,1,1,1', 'row 3: "1/13/59": not a date: use M/D/YYYY, the first day of a month'],
    ['1/1/1959,1,1,x', 'row 3, column "S&P 500": "x": neither a decimal number nor . or #N/A or NA or blank'],
    [',1,1,1', 'row 3: "": not a date: use M/D/YYYY, the first day of a month'],
  ])('is refused with the row %s', async (row, message) => {
    expect(await refusalOf(fredMd, panel('2015-01.csv', row))).toBe(`Problem: 2015-01.csv, ${message}`);
  });

  test('without figures is refused', async () => {
    expect(await refusalOf(fredMd, panel('2015-01.csv'))).toBe(
      'Problem: 2015-01.csv: the file has a header and no rows of figures',
    );
  });
});

describe('a FRED-QD panel', () => {
  test('has another row of notes, and quarterly dates', async () => {
    const rows = ['sasdate,GDPC1', 'factors,0', 'transform,5', '3/1/1959,3121.936'];
    const records = await readAll(fredQd, sourceFile('2021-04.csv', rows.join('\n')));
    expect(lines(records.statements)).toEqual(['GDPC1,1959-03-01,2021-04-30,3121.936']);
    expect(records.implied).toEqual([{ seriesId: 'GDPC1', frequency: 'Q' }]);
  });
});
