import { describe, expect, it } from 'vitest';
import { open } from '../../../src/index.ts';
import { linesOf } from '../../support/command.ts';
import { askedStore, type CommandMode, commandModes } from '../../support/command-modes.ts';
import { newFolder } from '../../support/folders.ts';
import { testData } from '../../support/repository.ts';

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

const { store, run, library } = askedStore(
  [`${testData}/macro/fred-api/GDP-observations-all-realtime.json.gz`],
  { 'unrate.csv': unemployment },
);

/** Checks a file, which comes from standard input. */
function check(text: string, flags = '', mode: CommandMode = 'embedded') {
  return run(mode, `check - ${flags}`.trim(), text);
}

const header = 'row,day,column,series_id,value,known,known_date,first_known,value_date,kind';

describe.each(commandModes)('a check, %s,', (mode) => {
  it('passes values that were known on their day, with a summary', async () => {
    const text = 'day,GDP,UNRATE\n2015-01-30,17710.7,5.60\n2015-02-06,1.77107e4,5.7\n2015-01-08,,5.8\n';
    const { code, out, err } = await check(text, '', mode);
    expect({ code, out }).toEqual({ code: 0, out: `${header}\n` });
    expect(err).toBe('asof: standard input: all 5 values were known on their day\n');
  });

  it('finds a value that is used before its publication, and says when that was', async () => {
    const text = 'day,GDP,UNRATE\n2015-01-29,17710.7,5.6\n2015-01-31,17710.7,5.7\n';
    const { code, out, err } = await check(text, '', mode);
    expect(code).toBe(1);
    expect(linesOf(out)).toEqual([
      header,
      '2,2015-01-29,GDP,GDP,17710.7,17599.8,2014-07-01,2015-01-30,2014-10-01,ahead',
      '3,2015-01-31,UNRATE,UNRATE,5.7,5.6,2014-12-01,2015-02-06,2015-01-01,ahead',
    ]);
    expect(err).toContain('2 of 4 values were not known on their day: 2 became known later');
  });

  it('finds a revised value, and the day of its revision', async () => {
    // BEA revised the fourth quarter of 2014 to 17701.3 on 27 February, and to 17703.7 on 27 March.
    const { code, out } = await check('day,GDP\n2015-02-10,17703.7\n', '', mode);
    expect(code).toBe(1);
    expect(linesOf(out).at(-1)).toBe(
      '2,2015-02-10,GDP,GDP,17703.7,17710.7,2014-10-01,2015-03-27,2014-10-01,ahead',
    );
  });

  it('finds a value that no vintage has', async () => {
    const { code, out, err } = await check('day,UNRATE\n2015-02-10,4.9\n', '', mode);
    expect(code).toBe(1);
    expect(linesOf(out).at(-1)).toBe('2,2015-02-10,UNRATE,UNRATE,4.9,5.7,2015-01-01,,,never');
    expect(err).toContain('1 of 1 value was not known on its day: 1 in no vintage');
  });

  it('passes an older value that was known, and counts it', async () => {
    const text = 'day,UNRATE\n2015-02-10,5.6\n';
    const { code, out, err } = await check(text, '', mode);
    expect({ code, out }).toEqual({ code: 0, out: `${header}\n` });
    expect(err).toContain('the only value was known on its day; 1 older than the newest known');
    const { out: all } = await check(text, '--all-rows', mode);
    expect(linesOf(all).at(-1)).toBe(
      '2,2015-02-10,UNRATE,UNRATE,5.6,5.7,2015-01-01,2015-01-09,2014-12-01,old',
    );
  });

  it('holds a value against its own period, where the file has a column of dates', async () => {
    const text =
      'day,UNRATE,UNRATE_date\n2015-02-10,5.8,2014-11-01\n2015-02-10,5.5,2014-12-01\n2015-02-10,5.5,2015-02-01\n';
    const { code, out } = await check(text, '', mode);
    expect(code).toBe(1);
    expect(linesOf(out).slice(1)).toEqual([
      '3,2015-02-10,UNRATE,UNRATE,5.5,5.6,2014-12-01,,,never',
      '4,2015-02-10,UNRATE,UNRATE,5.5,,,2015-03-06,2015-02-01,ahead',
    ]);
  });

  it('takes what a join wrote', async () => {
    const days = folder.write('days.csv', 'n,day\n1,2015-01-29\n2,2014-12-23\n3,2015-03-06\n');
    const joined = async (more: string, ids = 'GDP UNRATE') =>
      (await run(mode, `join ${days} --on day ${ids} --strict --csv -q${more}`)).out;
    for (const more of ['', ' --lag 1', ' --with-dates --with-age', ' --lag 2 --with-dates'])
      expect(await check(await joined(more), '--on day --strict -q', mode)).toMatchObject({ code: 0 });
    // On the day of its publication a figure is not known before the day.
    const moved = (await joined('', 'GDP')).replace('2015-01-29', '2014-12-23');
    expect((await check(moved, '--on day -q', mode)).code).toBe(0);
    expect((await check(moved, '--on day --strict -q', mode)).code).toBe(1);
  });

  it('holds growth rates against those of the vintage of the day, at their digits', async () => {
    const text = 'day,growth\n2015-01-30,2.5437\n2015-01-30,6.4\n2015-01-30,2.1\n';
    const { code, out } = await check(text, '--column growth=GDP --units pca --digits 1', mode);
    expect(code).toBe(1);
    // The rate that followed from the revision of 27 February was 2.3, from that of March 2.4: none was 2.1.
    expect(
      linesOf(out)
        .slice(1)
        .map((line) => line.split(',').slice(0, 6).join(',')),
    ).toEqual(['4,2015-01-30,growth,GDP,2.1,2.5']);
  });

  it('says how many requests it takes', async () => {
    const { err } = await check('day,UNRATE\n2015-02-10,5.6\n', '--dry-run', mode);
    expect(err).toMatch(/^asof: this check takes at most \d+ requests\n$/);
  });
});

describe('the values that a check compares', () => {
  it('are those of the columns with the name of a series; it names the others', async () => {
    const { err, code } = await check('day,price,unrate,signal\n2015-02-10,1,5.7,up\n');
    expect(err).toContain('not checked, as no series has the name: price and signal');
    expect(code).toBe(0);
  });

  it('are those that are named', async () => {
    const text = 'day,u,UNRATE\n2015-01-31,5.7,5.7\n';
    const { out, code } = await check(text, '--column u=UNRATE -q');
    expect(code).toBe(1);
    expect(linesOf(out)).toHaveLength(2);
    const { code: unknown, err } = await check(text, '--column u=UNRATES');
    expect(unknown).toBe(3);
    expect(err).toContain("series 'UNRATES' not found");
  });

  it('are what was known before the day with --strict', async () => {
    const text = 'day,UNRATE\n2015-02-06,5.7\n';
    expect((await check(text, '-q')).code).toBe(0);
    const { code, out } = await check(text, '--strict -q');
    expect(code).toBe(1);
    expect(linesOf(out).at(-1)).toBe(
      '2,2015-02-06,UNRATE,UNRATE,5.7,5.6,2014-12-01,2015-02-06,2015-01-01,ahead',
    );
  });

  it('are not compared on days before the first vintage, and a note says so', async () => {
    // ALFRED's first vintage of GDP is of 4 December 1991. It has 5589.0 for the first quarter of 1991, as an older
    // one may have.
    const text = 'day,GDP\n1991-06-01,5589.0\n1991-12-04,5707.4\n';
    const { code, err } = await check(text);
    expect({ code, err }).toEqual({
      code: 0,
      err: 'asof: GDP is covered from 1991-12-04\nasof: standard input: the only value was known on its day; 1 before the first vintage not checked\n',
    });
    const { out } = await check(text, '--all-rows -q');
    expect(linesOf(out)[1]).toBe('2,1991-06-01,GDP,GDP,5589.0,,,,,before');
    // A quarter that has not begun cannot have been published.
    const { out: ahead } = await check('day,GDP\n1991-06-01,5707.4\n', '-q');
    expect(linesOf(ahead)[1]).toBe('2,1991-06-01,GDP,GDP,5707.4,,,1991-12-04,1991-07-01,ahead');
    const { code: none, err: why } = await check('day,GDP\n1991-06-01,5589.0\n');
    expect(none).toBe(2);
    expect(why).toContain('has no value that can be checked: 1 before the first vintage');
  });

  it('are newer than a lag allows, which is a fault', async () => {
    const text = 'day,UNRATE_lag1\n2015-02-10,5.7\n2015-02-10,5.6\n';
    const { code, out, err } = await check(text);
    expect(code).toBe(1);
    expect(linesOf(out).slice(1)).toEqual([
      '2,2015-02-10,UNRATE_lag1,UNRATE,5.7,5.6,2014-12-01,2015-02-06,2015-01-01,newer',
    ]);
    expect(err).toContain('all 2 values were known on their day; 1 newer than the lag allows');
    const dated = 'day,UNRATE,UNRATE_date\n2015-02-10,5.7,2015-01-01\n2015-02-10,5.6,2014-12-01\n';
    const { out: beside } = await check(dated, '--lag 1 -q');
    expect(linesOf(beside).slice(1)).toEqual([
      '2,2015-02-10,UNRATE,UNRATE,5.7,5.7,2015-01-01,2015-02-06,2015-01-01,newer',
    ]);
  });

  it('are not compared on days after the coverage, and a note says so', async () => {
    const text = 'day,UNRATE\n2015-04-03,5.5\n2015-05-01,5.5\n';
    const { code, err } = await check(text);
    expect(code).toBe(0);
    expect(err).toContain('the only value was known on its day; 1 after the coverage not checked');
    expect(err).toContain('as-of dates after the coverage of a series have no value');
    expect((await check(text, '--beyond repeat')).err).toBe(
      'asof: UNRATE is covered to 2015-04-03\nasof: standard input: all 2 values were known on their day\n',
    );
    expect((await check(text, '--beyond fail')).code).toBe(9);
    const dated = 'day,UNRATE,UNRATE_date\n2015-04-03,5.5,2015-03-01\n2015-05-01,5.5,2015-03-01\n';
    const { out } = await check(dated, '--all-rows -q');
    expect(linesOf(out).at(-1)).toBe('3,2015-05-01,UNRATE,UNRATE,5.5,,,,,beyond');
  });

  it('do not include cells that are empty or hold no value', async () => {
    const { code, err } = await check(
      'day,UNRATE\n2015-02-10,\n2015-02-10,NaN\n2015-02-10,.\n2015-02-10,None\n2015-02-10,n/a\n2015-02-10,NULL\n2015-02-10,<NA>\n2015-02-10,5.7\n',
    );
    expect(code).toBe(0);
    expect(err).toContain('the only value was known');
  });

  it.each([
    ['day,UNRATE\n2015-02-10,NA\n', 'standard input has no value that can be checked\n'],
    ['day,UNRATE\n2015-05-01,5.5\n', 'has no value that can be checked: 1 after the coverage\n'],
    ['day,UNRATE\n', 'standard input has no rows to check\n'],
  ])('are not said to be missing where nothing was compared: %j', async (text, message) => {
    const { code, err } = await check(text);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it.each([
    ['day,UNRATE\n2015-02-10,5.7%\n', '', 'row 2, column "UNRATE": "5.7%" is not a number'],
    [
      'day,UNRATE\n2015-13-10,5.7\n',
      '',
      'row 2, column "day": "2015-13-10" is not a date: there is no such date',
    ],
    ['UNRATE,day\n5.7,2015-02-10\n', '', 'row 2, column "UNRATE": "5.7" is not a date'],
    ['day,x\n2015-02-10,1\n', '', 'standard input has no column with the name of a series'],
    ['day,UNRATE,UNRATE_date\n2015-02-10,5.7,January\n', '', 'column "UNRATE_date": "January" is not a date'],
    ['day,UNRATE\n2015-02-10,5.7\n', '--column unemployment=UNRATE', 'has no column "unemployment"'],
    ['day,UNRATE\n2015-02-10,5.7\n', '--column =UNRATE', 'use NAME, or NAME=ID'],
    ['day,u\n2015-02-10,5.7\n', '--column u=UNRATE --column u=GDP', 'the column "u" is named twice'],
    ['day,UNRATE\n2015-02-10,5.7\n', '--on date', 'has no column "date": it has day, UNRATE'],
    [
      'UNRATE,day\n5.7,2015-02-10\n',
      '',
      'the days are taken from the first column, unless --on names another',
    ],
  ])('need a number and a day on each row: %j', async (text, flags, message) => {
    const { code, err } = await check(text, flags);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it('are given by the library too', async () => {
    const notes: string[] = [];
    const noting = await open(store, { onNote: ({ kind, text }) => notes.push(`${kind}: ${text}`) });
    const rows = [{ day: '2015-01-31', u: 5.7 }];
    const { rows: found } = await library().check(rows, { columns: { u: 'UNRATE' } });
    expect(found.map(({ row, known, first_known, kind }) => ({ row, known, first_known, kind }))).toEqual([
      { row: 1, known: '5.6', first_known: '2015-02-06', kind: 'ahead' },
    ]);
    await noting.check([{ day: '2015-01-31', UNRATE: '5.6' }]);
    expect(notes).toEqual(['check: the table: the only value was known on its day']);
    await noting.close();
  });
});
