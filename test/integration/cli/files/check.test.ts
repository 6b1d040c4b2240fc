import { describe, expect, it } from 'vitest';
import { open } from '../../../../src/index.ts';
import { transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';
import { testData } from '../../../support/repository.ts';

const folder = newFolder();

// BLS's unemployment rate for six months, as it came out; the rate for December was 5.6 at first.
const unemployment = `series_id,date,as_of_date,value
UNRATE,2014-10-01,2014-11-07,5.8
UNRATE,2014-11-01,2014-12-05,5.8
UNRATE,2014-12-01,2015-01-09,5.6
UNRATE,2015-01-01,2015-02-06,5.7
UNRATE,2015-02-01,2015-03-06,5.5
UNRATE,2015-03-01,2015-04-03,5.5
`;

const { store, as, run, library } = askedStore(
  [`${testData}/macro/fred-api/GDP-observations-all-realtime.json.gz`],
  { 'unrate.csv': unemployment },
);

const days = folder.write('days.csv', 'n,day\n1,2015-01-29\n2,2014-12-23\n3,2015-03-06\n');
const joined = folder.path('joined.csv');

describe.each(commandModes)('a check, %s,', (mode) => {
  // BEA revised the fourth quarter of 2014 to 17701.3 on 27 February, and to 17703.7 on 27 March.
  transcript(
    `
    # passes values that were known on their day, with a summary
    $ asof check -
    < day,GDP,UNRATE
    < 2015-01-30,17710.7,5.60
    < 2015-02-06,1.77107e4,5.7
    < 2015-01-08,,5.8
    row,day,column,series_id,value,known,known_date,first_known,value_date,kind
    ! asof: standard input: all 5 values were known on their day

    # finds values that were published or revised later, and when, and those that no vintage has
    $ asof check -
    < day,GDP,UNRATE
    < 2015-01-29,17710.7,5.6
    < 2015-01-31,17710.7,5.7
    < 2015-02-10,17703.7,4.9
    row,day,column,series_id,value,known,known_date,first_known,value_date,kind
    2,2015-01-29,GDP,GDP,17710.7,17599.8,2014-07-01,2015-01-30,2014-10-01,ahead
    3,2015-01-31,UNRATE,UNRATE,5.7,5.6,2014-12-01,2015-02-06,2015-01-01,ahead
    4,2015-02-10,GDP,GDP,17703.7,17710.7,2014-10-01,2015-03-27,2014-10-01,ahead
    4,2015-02-10,UNRATE,UNRATE,4.9,5.7,2015-01-01,,,never
    ! asof: standard input: 4 of 6 values were not known on their day: 3 became known later, 1 in no vintage
    [exit 1]

    # passes an older value that was known, and counts it
    $ asof check - --all-rows --no-header
    < day,UNRATE
    < 2015-02-10,5.6
    2,2015-02-10,UNRATE,UNRATE,5.6,5.7,2015-01-01,2015-01-09,2014-12-01,old
    ! asof: standard input: the only value was known on its day; 1 older than the newest known

    # holds a value against its own period, where the file has a column of dates
    $ asof check - -q --no-header
    < day,UNRATE,UNRATE_date
    < 2015-02-10,5.8,2014-11-01
    < 2015-02-10,5.5,2014-12-01
    < 2015-02-10,5.5,2015-02-01
    3,2015-02-10,UNRATE,UNRATE,5.5,5.6,2014-12-01,,,never
    4,2015-02-10,UNRATE,UNRATE,5.5,,,2015-03-06,2015-02-01,ahead
    [exit 1]

    # takes what a join wrote
    $ asof join ${days} --on day GDP UNRATE --strict --lag 1 -q -o ${joined}
    $ asof check ${joined} --on day --strict -q --no-header
    $ asof join ${days} --on day GDP UNRATE --strict --lag 2 --with-dates --with-age -q -o ${joined}
    $ asof check ${joined} --on day --strict -q --no-header

    # holds growth rates against those of the vintage of the day, at their digits
    $ asof check - --column growth=GDP --units pca --digits 1 -q --columns row,column,series_id,value,known
    < day,growth
    < 2015-01-30,2.5437
    < 2015-01-30,6.4
    < 2015-01-30,2.1
    row,column,series_id,value,known
    4,growth,GDP,2.1,2.5
    [exit 1]

    # takes the digits of columns that have units of their own, and no digits where no column has
    $ asof join ${days} --on day GDP:saar UNRATE --digits 1 -q -o ${joined}
    $ asof check ${joined} --on day --digits 1 -q --no-header
    $ asof check - --column growth=GDP:saar --digits 1 -q --columns row,known --no-header
    < day,growth
    < 2015-01-30,2.5
    < 2015-01-30,2.1
    3,2.5
    [exit 1]
    $ asof check - --digits 1
    < day,GDP
    < 2015-01-30,17710.7
    ! asof: --digits needs --units or --frequency: published values keep their digits
    [exit 2]

    # refuses a folder, and reads no file in it
    $ asof check ${folder.path('.')}
    ! asof: cannot read ${folder.path('.')}: it is a folder
    [exit 10]

    # says how many requests it takes
    $ asof check - --dry-run
    < day,UNRATE
    < 2015-02-10,5.6
    ! asof: this check takes at most … requests
    `,
    () => as(mode),
  );
});

describe('the values that a check compares', () => {
  // ALFRED's first vintage of GDP is of 4 December 1991. It has 5589.0 for the first quarter of 1991, as an older
  // one may have; the third quarter had not begun on 1 June, so that nobody can have published 5707.4.
  transcript(
    `
    # are those of the columns with the name of a series; it names the others
    $ asof check - --no-header
    < day,price,unrate,signal
    < 2015-02-10,1,5.7,up
    ! asof: not checked, as no series has the name: price and signal
    ! asof: standard input: the only value was known on its day

    # are those that are named
    $ asof check - --column u=UNRATE -q --columns row,column,series_id,kind --no-header
    < day,u,UNRATE
    < 2015-01-31,5.7,5.7
    2,u,UNRATE,ahead
    [exit 1]
    $ asof check - --column u=UNRATES
    < day,u
    < 2015-01-31,5.7
    ! asof: series 'UNRATES' not found
    ! …
    [exit 3]

    # are what was known before the day with --strict
    $ asof check - -q --no-header
    < day,UNRATE
    < 2015-02-06,5.7
    $ asof check - -q --no-header --strict
    < day,UNRATE
    < 2015-02-06,5.7
    2,2015-02-06,UNRATE,UNRATE,5.7,5.6,2014-12-01,2015-02-06,2015-01-01,ahead
    [exit 1]

    # are not compared on days before the first vintage, and a note says so
    $ asof check - --all-rows --no-header
    < day,GDP
    < 1991-06-01,5589.0
    < 1991-12-04,5707.4
    2,1991-06-01,GDP,GDP,5589.0,,,,,before
    3,1991-12-04,GDP,GDP,5707.4,5707.4,1991-07-01,1991-12-04,1991-07-01,known
    ! asof: GDP is covered from 1991-12-04
    ! asof: standard input: the only value was known on its day; 1 before the first vintage not checked
    $ asof check - -q --no-header
    < day,GDP
    < 1991-06-01,5707.4
    2,1991-06-01,GDP,GDP,5707.4,,,1991-12-04,1991-07-01,ahead
    [exit 1]
    $ asof check -
    < day,GDP
    < 1991-06-01,5589.0
    ! asof: GDP has no vintage up to 1991-06-01
    ! asof: standard input has no value that can be checked: 1 before the first vintage
    [exit 2]

    # are newer than a lag allows, which is a fault
    $ asof check - --no-header
    < day,UNRATE_lag1
    < 2015-02-10,5.7
    < 2015-02-10,5.6
    2,2015-02-10,UNRATE_lag1,UNRATE,5.7,5.6,2014-12-01,2015-02-06,2015-01-01,newer
    ! asof: standard input: all 2 values were known on their day; 1 newer than the lag allows
    [exit 1]
    $ asof check - --lag 1 -q --no-header
    < day,UNRATE,UNRATE_date
    < 2015-02-10,5.7,2015-01-01
    < 2015-02-10,5.6,2014-12-01
    2,2015-02-10,UNRATE,UNRATE,5.7,5.7,2015-01-01,2015-02-06,2015-01-01,newer
    [exit 1]

    # are not compared on days after the coverage, and a note says so
    $ asof check - --no-header --all-rows
    < day,UNRATE,UNRATE_date
    < 2015-04-03,5.5,2015-03-01
    < 2015-05-01,5.5,2015-03-01
    2,2015-04-03,UNRATE,UNRATE,5.5,5.5,2015-03-01,2015-04-03,2015-03-01,known
    3,2015-05-01,UNRATE,UNRATE,5.5,,,,,beyond
    ! asof: UNRATE is covered to 2015-04-03
    ! asof: as-of dates after the coverage of a series have no value; …
    ! asof: standard input: the only value was known on its day; 1 after the coverage not checked
    $ asof check - --no-header --beyond repeat
    < day,UNRATE
    < 2015-04-03,5.5
    < 2015-05-01,5.5
    ! asof: UNRATE is covered to 2015-04-03
    ! asof: standard input: all 2 values were known on their day
    $ asof check - --beyond fail
    < day,UNRATE
    < 2015-05-01,5.5
    ! asof: UNRATE is covered to 2015-04-03: its value on 2015-05-01 is not known
    [exit 9]

    # do not include cells that are empty or hold no value
    $ asof check - --no-header
    < day,UNRATE
    < 2015-02-10,
    < 2015-02-10,NaN
    < 2015-02-10,.
    < 2015-02-10,None
    < 2015-02-10,n/a
    < 2015-02-10,NULL
    < 2015-02-10,<NA>
    < 2015-02-10,5.7
    ! asof: standard input: the only value was known on its day
    `,
    () => as('embedded'),
  );

  it.each([
    ['day,UNRATE\n2015-02-10,NA\n', '', 'standard input has no value that can be checked\n'],
    ['day,UNRATE\n2015-05-01,5.5\n', '', 'has no value that can be checked: 1 after the coverage\n'],
    ['day,UNRATE\n', '', 'standard input has no rows to check\n'],
    ['day,UNRATE\n2015-02-10,5.7%\n', '', 'row 2, column "UNRATE": "5.7%" is not a number'],
    ['UNRATE,day\n5.7,2015-02-10\n', '', 'row 2, column "UNRATE": "5.7" is not a date'],
    ['UNRATE,day\n5.7,2015-02-10\n', '', 'from the first column, unless --on names another'],
    ['day,x\n2015-02-10,1\n', '', 'standard input has no column with the name of a series'],
    ['day,x\n2015-02-10,1\n', '', 'asof check --column NAME=ID names a column and its series'],
    ['day,UNRATE,UNRATE_date\n2015-02-10,5.7,May\n', '', 'column "UNRATE_date": "May" is not a date'],
    ['day,UNRATE\n2015-02-10,5.7\n', ' --column u=UNRATE', 'has no column "u"'],
    ['day,UNRATE\n2015-02-10,5.7\n', ' --column =UNRATE', 'use NAME, or NAME=ID'],
    ['day,u\n2015-02-10,5.7\n', ' --column u=UNRATE --column u=GDP', 'the column "u" is named twice'],
    ['day,UNRATE\n2015-02-10,5.7\n', ' --on date', 'has no column "date": it has day, UNRATE'],
  ])('are refused in %j%s', async (text, flags, message) => {
    const { code, err } = await run('embedded', `check -${flags}`, text);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ['UNRATE', ['history id=UNRATE']],
    ['UNRATE:pch', ['history id=UNRATE described=true']],
  ])('of %s read its frequencies only to transform it', async (column, histories) => {
    const { err } = await run('embedded', `check - -v --column u=${column}`, 'day,u\n2015-02-10,5.7\n');
    expect(err.match(/history id=UNRATE\b[^:]*/g)).toEqual(histories);
  });

  it('are given by the library too', async () => {
    const notes: string[] = [];
    const noting = await open(store, { onNote: ({ kind, text }) => notes.push(`${kind}: ${text}`) });
    const rows = [{ day: '2015-01-31', u: 5.7 }];
    const { rows: found } = await library().check(rows, { columns: { u: 'UNRATE' } });
    expect(found).toMatchObject([{ row: 0, known: '5.6', first_known: '2015-02-06', kind: 'ahead' }]);
    await noting.check([{ day: '2015-01-31', UNRATE: '5.6' }]);
    expect(notes).toEqual(['passed: the table: the only value was known on its day']);
    await expect(noting.check([{ day: '2015-01-31', x: 1 }])).rejects.toMatchObject({
      hints: [expect.stringMatching(/NAME.*ID.* names a column and its series$/)],
    });
    await noting.close();
  });
});
