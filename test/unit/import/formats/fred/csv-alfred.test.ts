import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../../src/import/formats/recognise.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const alfredWide = formatOfKind('alfred-wide');

const file = (...rows: string[]) => sourceFile('GDPC1_2.csv', `${rows.join('\n')}\n`);

describe('an ALFRED download', () => {
  test.each(['observation_date', 'date', 'Date', 'DATE'])(
    'that begins with %s states each column on its vintage date, for one or several series',
    async (name) => {
      const records = await readAll(
        alfredWide,
        file(
          `${name},GDPC1_20150130,GDPC1_2015-02-27,T10Y_2_20150130`,
          '2014-07-01,16205.6,16205.6,.',
          '2014-10-01,16311.6,16294.7,1.5',
        ),
      );
      expect(lines(records.statements)).toEqual([
        'GDPC1,2014-07-01,2015-01-30,16205.6',
        'GDPC1,2014-10-01,2015-01-30,16311.6',
        'GDPC1,2014-07-01,2015-02-27,16205.6',
        'GDPC1,2014-10-01,2015-02-27,16294.7',
        'T10Y_2,2014-07-01,2015-01-30,',
        'T10Y_2,2014-10-01,2015-01-30,1.5',
      ]);
      expect(records.coverage).toEqual([
        { seriesId: 'GDPC1', coveredTo: '2015-01-30', whole: true },
        { seriesId: 'GDPC1', coveredTo: '2015-02-27', whole: true },
        { seriesId: 'T10Y_2', coveredTo: '2015-01-30', whole: true },
      ]);
    },
  );

  test.each([
    [
      'a column without a vintage',
      'DATE,GDPC1_20150130,GDP',
      'row 1, column "GDP": not a series and its vintage date, such as GDPC1_20150130',
    ],
    [
      'an invalid vintage date',
      'DATE,GDPC1_20150230,X',
      'row 1, column "GDPC1_20150230": not a series and its vintage date, such as GDPC1_20150130',
    ],
    [
      'a repeated vintage',
      'DATE,GDPC1_20150130,GDPC1_2015-01-30',
      'column "GDPC1_2015-01-30": column GDPC1_20150130 already has GDPC1 as of 2015-01-30',
    ],
  ])('is refused with %s', async (_, header, message) => {
    expect(await refusalOf(alfredWide, file(header, '2014-10-01,1,2'))).toBe(
      `Problem: GDPC1_2.csv, ${message}`,
    );
  });
});
