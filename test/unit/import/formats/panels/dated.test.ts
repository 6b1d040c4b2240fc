import { describe, expect, test } from 'vitest';
import { formatOfKind } from '../../../../../src/import/formats/recognise.ts';
import { lines, readAll, refusalOf, sourceFile } from '../../../../support/source-file.ts';

const datedPanel = formatOfKind('dated-panel');

const file = (name: string, ...rows: string[]) => sourceFile(name, `${rows.join('\n')}\n`);

const monthly = file(
  '2016-07-29.csv',
  'date,PAYEMS,GDPC1',
  '2015-10-01,1,',
  '2015-11-01,,',
  '2015-12-01,3,10',
  '2016-01-01,4,',
  '2016-02-01,5,.',
  '2016-03-01,6,',
  '2016-04-01,7,',
  '2016-05-01,8,',
  '2016-06-01,,12',
  '2016-07-01,,',
);

describe('a dated panel', () => {
  test('states its columns on the day in its name; empty months within a quarter state nothing, other empty cells that it has no figure', async () => {
    const records = await readAll(datedPanel, monthly);
    expect(lines(records.statements)).toEqual([
      'PAYEMS,2015-10-01,2016-07-29,1',
      'PAYEMS,2015-11-01,2016-07-29,',
      'PAYEMS,2015-12-01,2016-07-29,3',
      'PAYEMS,2016-01-01,2016-07-29,4',
      'PAYEMS,2016-02-01,2016-07-29,5',
      'PAYEMS,2016-03-01,2016-07-29,6',
      'PAYEMS,2016-04-01,2016-07-29,7',
      'PAYEMS,2016-05-01,2016-07-29,8',
      'PAYEMS,2016-06-01,2016-07-29,',
      'PAYEMS,2016-07-01,2016-07-29,',
      'GDPC1,2015-12-01,2016-07-29,10',
      'GDPC1,2016-03-01,2016-07-29,',
      'GDPC1,2016-06-01,2016-07-29,12',
    ]);
  });

  test('with monthly rows has monthly columns, and quarterly ones with figures in the last months of quarters only', async () => {
    expect((await readAll(datedPanel, monthly)).implied).toEqual([
      { seriesId: 'PAYEMS', frequency: 'M' },
      { seriesId: 'GDPC1', frequency: 'Q' },
    ]);
  });

  test('takes a single figure in the last month of a quarter for monthly', async () => {
    const records = await readAll(
      datedPanel,
      file('2016-07-29.csv', 'date,A', '2016-02-01,', '2016-03-01,1', '2016-04-01,'),
    );
    expect(records.implied).toEqual([{ seriesId: 'A', frequency: 'M' }]);
  });

  test.each([
    ['daily', ['2016-03-01,1', '2016-03-02,2', '2016-06-01,3']],
    ['quarterly', ['2016-03-01,1', '2016-06-01,2']],
  ])('with %s rows implies nothing', async (_, rows) => {
    expect((await readAll(datedPanel, file('2016-07-29.csv', 'date,A', ...rows))).implied).toEqual([]);
  });

  test('takes its date from --as-of before its name, and is refused without either', async () => {
    const records = await readAll(datedPanel, monthly, { asOf: '2016-07-31' });
    expect(records.coverage[0]?.coveredTo).toBe('2016-07-31');
    expect(await refusalOf(datedPanel, file('panel.csv', 'date,A', '2016-03-01,1'))).toBe(
      'Problem: panel.csv: the file name is not its vintage date, such as 2016-07-29.csv; pass --as-of',
    );
  });
});
