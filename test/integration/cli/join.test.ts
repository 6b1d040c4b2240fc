import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { askedStore, commandModes } from '../../support/command-modes.ts';
import { newFolder } from '../../support/folders.ts';
import { testData } from '../../support/repository.ts';

const folder = newFolder();

const made = `series_id,date,as_of_date,value
SALES,2019-12-01,2020-01-15,100
SALES,2020-01-01,2020-02-15,110
SALES,2019-12-01,2020-03-15,120
SALES,2020-02-01,2020-03-15,132
SALES,2020-02-01,2020-03-20,
SALES,2020-03-01,2020-04-15,150
SALES,2020-02-01,2020-04-15,130
`;

const trades = folder.write(
  'trades.csv',
  'id,day,note\n7,2020-03-16,"a, ""b"""\n3,2020-01-01,Ærø\n5,2020-02-15,"two\nlines"\n7,2020-03-16,\n',
);

const { store, run, library } = askedStore(
  [
    `${testData}/macro/fred-api/GDP-observations-all-realtime.json.gz`,
    `${testData}/treasury/par-csv/daily-treasury-rates-2025.csv`,
  ],
  { 'made.csv': made },
);

/** The text of a file of trades, joined with GDP in the store; `2015-01-30` gives 17710.7. */
const joinGdp = (text: string | Buffer, flags = '') =>
  run('embedded', `join - --on day GDP -q${flags}`, text);

describe.each(commandModes)('a join, %s,', (mode) => {
  const repeat = '--beyond repeat -q';

  it('puts what was known on its day beside each row, and copies the row', async () => {
    const { out, err, code } = await run(mode, `join ${trades} --on day SALES ${repeat}`);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out).toBe(
      'id,day,note,SALES\n7,2020-03-16,"a, ""b""",132\n3,2020-01-01,Ærø,\n5,2020-02-15,"two\nlines",110\n7,2020-03-16,,132\n',
    );
  });

  it('uses what was published before the day with --strict', async () => {
    const { out } = await run(mode, `join ${trades} --on day SALES ${repeat} --strict --columns day,SALES`);
    expect(linesOf(out)).toEqual([
      'day,SALES',
      '2020-03-16,132',
      '2020-01-01,',
      '2020-02-15,100',
      '2020-03-16,132',
    ]);
    const { out: published } = await run(
      mode,
      `join - --on day SALES ${repeat} --strict`,
      'day\n2020-03-15\n',
    );
    expect(linesOf(published)).toEqual(['day,SALES', '2020-03-15,110']);
  });

  it('has the date and the age of each value on request', async () => {
    const { out } = await run(
      mode,
      `join - --on day SALES ${repeat} --with-dates --with-age`,
      'day\n2020-03-19\n2020-03-20\n',
    );
    // The value for February was withdrawn on 20 March; that for January is of 15 February.
    expect(linesOf(out)).toEqual([
      'day,SALES,SALES_date,SALES_age',
      '2020-03-19,132,2020-02-01,4',
      '2020-03-20,110,2020-01-01,34',
    ]);
  });

  it('passes over the newest observations with a lag', async () => {
    const { out } = await run(mode, `join - --on day SALES ${repeat} --lag 1`, 'day\n2020-03-16\n');
    expect(linesOf(out)).toEqual(['day,SALES_lag1', '2020-03-16,110']);
  });

  it('computes growth within the vintage of each day', async () => {
    const { out } = await run(
      mode,
      'join - --on day gdp --units pca --digits 1 -q',
      'day\n2015-01-30\n2015-01-29\n',
    );
    // BEA published 6.4 for the third quarter on 23 December 2014, and 2.5 for the fourth on 30 January.
    expect(linesOf(out)).toEqual(['day,gdp', '2015-01-30,2.5', '2015-01-29,6.4']);
  });

  it('puts yields beside macro series', async () => {
    const { out } = await run(mode, `join - --on day SALES DGS10 ${repeat}`, 'day\n2025-03-15\n2025-03-07\n');
    // Treasury's par yields of 14 and 7 March 2025.
    expect(linesOf(out)).toEqual(['day,SALES,DGS10', '2025-03-15,150,4.31', '2025-03-07,150,4.32']);
  });

  it('leaves cells after the coverage of a series empty, and says so', async () => {
    const { out, err } = await run(mode, 'join - --on day SALES', 'day\n2020-04-15\n2020-04-16\n');
    expect(linesOf(out)).toEqual(['day,SALES', '2020-04-15,150', '2020-04-16,']);
    expect(err).toContain('SALES is covered to 2020-04-15');
    expect(err).toContain('as-of dates after the coverage of a series have no value; --beyond repeat shows');
    const refused = await run(mode, 'join - --on day SALES --beyond fail', 'day\n2020-04-16\n');
    expect(refused).toMatchObject({ code: 9, out: '' });
    expect(refused.err).toContain('SALES is covered to 2020-04-15: its value on 2020-04-16 is not known');
  });

  it('reports every series that there is no answer about, and writes nothing', async () => {
    const { code, out, err } = await run(mode, `join ${trades} --on day SALES NONE GDQ`);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain("series 'NONE' not found");
    expect(err).toContain('also not found: GDQ\n');
  });

  it('says how many requests it takes', async () => {
    const { err, out } = await run(mode, `join ${trades} --on day SALES --dry-run`);
    expect(err).toMatch(/^asof: this join takes at most \d+ requests\n$/);
    expect(out).toBe('');
  });
});

describe('the rows of a join', () => {
  it.each([
    ['2015-01-30', '17710.7'],
    ['2015-01-29', '17599.8'],
    ['20150130', '17710.7'],
    ['2015-01-30 23:59:00', '17710.7'],
    ['2015-01-29T23:59:59.999Z', '17599.8'],
  ])('are of the day that %s is written on', async (day, value) => {
    expect((await joinGdp(`day,x\n${day},1\n`)).out).toBe(`day,x,GDP\n${day},1,${value}\n`);
  });

  it('are the same from a compressed file, with another separator and other line ends', async () => {
    const semicolons = '\uFEFFday;x\r\n2015-01-30;1,5\r\n';
    expect((await joinGdp(gzipSync(semicolons))).out).toBe('day,x,GDP\n2015-01-30,"1,5",17710.7\n');
    expect((await joinGdp('day\tx\n2015-01-30\t1\n', ' -f tsv')).out).toBe(
      'day\tx\tGDP\n2015-01-30\t1\t17710.7\n',
    );
  });

  it('are the same whether they are copied or written again', async () => {
    const copied = await run('embedded', `join ${trades} --on day SALES GDP -q --beyond repeat --csv`);
    const anew = await run(
      'embedded',
      `join ${trades} --on day SALES GDP -q --beyond repeat --csv --columns id,day,note,SALES,GDP`,
    );
    expect(copied.out).toBe(anew.out);
  });

  it('come without a header on request, and into a file', async () => {
    const file = folder.path('joined.csv');
    const { out } = await joinGdp('day\n2015-01-30\n', ` --no-header -o ${file}`);
    expect(out).toBe('');
    expect(folder.read('joined.csv')).toBe('2015-01-30,17710.7\n');
  });

  it('have cells by name in JSON, where a missing one is null', async () => {
    const { out } = await joinGdp('day,x\n2015-01-30,\n', ' --json --with-dates --with-age');
    const { object, results } = JSON.parse(out);
    expect({ object, results }).toEqual({
      object: 'join',
      results: [{ day: '2015-01-30', x: null, GDP: '17710.7', GDP_date: '2014-10-01T00:00:00Z', GDP_age: 0 }],
    });
  });

  it('of a file without rows are the header alone, with all columns', async () => {
    expect((await joinGdp('day,x\n')).out).toBe('day,x,GDP\n');
    expect((await joinGdp('day,x\n', ' -f ndjson')).out).toBe('');
  });

  it.each([
    [
      'day\n2015-01-30\n01/30/2015\n',
      '',
      'standard input, row 3, column "day": "01/30/2015" is not a date: use YYYY-MM-DD',
    ],
    ['day\n2015-02-30\n', '', '"2015-02-30" is not a date: there is no such date'],
    ['day\n""\n', '', 'row 2, column "day": "" is not a date'],
    [
      'day\n2026-03-17\n',
      '',
      'row 2, column "day": "2026-03-17" is in the future: nothing is known as of that date yet',
    ],
    ['date\n2015-01-30\n', '', 'standard input has no column "day": it has date'],
    ['day,GDP\n2015-01-30,1\n', '', 'standard input has a column GDP already'],
    ['day,x\n2015-01-30\n', '', 'standard input, row 2: 1 cell, but the header has 2'],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), '', 'standard input: a workbook is not read'],
  ])('are refused as %j', async (text, flags, message) => {
    const { code, out, err } = await joinGdp(text, flags);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  it('of tomorrow are of what is known today, with --strict', async () => {
    const { code, out } = await joinGdp('day\n2026-03-16\n2026-03-17\n', ' --strict --beyond repeat');
    expect(code).toBe(0);
    expect(linesOf(out)).toHaveLength(3);
  });

  it.each([
    ['join /nowhere/x.csv --on day GDP', 10, 'cannot read /nowhere/x.csv'],
    [`join ${trades} GDP`, 2, "required option '--on <column>' not specified"],
    [`join ${trades} --on day`, 2, "missing required argument 'id'"],
    [`join ${trades} --on day GDP --lag x`, 2, '--lag'],
    [`join ${trades} --on day GDP -f svg`, 2, 'this command has none'],
    [`join ${trades} --on day GDP --columns nope`, 2, "unknown column 'nope'"],
  ])('need what is missing or wrong in: %s', async (line, code, message) => {
    const ended = await run('embedded', line);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(message);
  });

  it('are no line of a plan', async () => {
    const plan = folder.write('plan.txt', `x.csv join ${trades} --on day GDP\n`);
    const { code, err } = await asof(['snapshot', plan, '--out', folder.path('out'), '--store', store]);
    expect(code).toBe(2);
    expect(err).toContain('a join reads a file, which may change: it is no line of a plan');
  });
});

describe('a join in the library', () => {
  it('takes rows or the path of a file', async () => {
    const rows = [
      { day: '2020-03-16', price: 1.5 },
      { day: '2020-01-01', price: 2 },
    ];
    const joined = await library().join(rows, 'SALES', { on: 'day', beyond: 'repeat', withAge: true });
    expect(joined.rows).toEqual([
      { day: '2020-03-16', price: 1.5, SALES: '132', SALES_age: 1 },
      { day: '2020-01-01', price: 2, SALES: null, SALES_age: null },
    ]);
    const read = await library().join(trades, ['SALES'], { on: 'day', strict: true, units: 'chg' });
    expect(read.rows.map(({ id, SALES }) => [id, SALES])).toEqual([
      ['7', '22'],
      ['3', null],
      ['5', null],
      ['7', '22'],
    ]);
    await expect(library().join(rows, 'SALES', {} as never)).rejects.toThrow("parameter 'on' is missing");
    await expect(library().join(3 as never, 'SALES', { on: 'day' })).rejects.toThrow(
      "invalid 'table' 3: use the path of a file, or a list of rows",
    );
    await expect(library().join(rows, 'SALES', { on: 'dya' })).rejects.toThrow(
      'the table has no column "dya": it has day, price',
    );
  });
});
