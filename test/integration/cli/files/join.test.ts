import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { asof, linesOf, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { askedStore, commandModes } from '../../../support/modes.ts';
import { queryDuckDb, readParquet } from '../../../support/parquet.ts';
import { testData } from '../../../support/repository.ts';

const folder = newFolder();

const made = `series_id,date,as_of_date,value
SALES,2019-12-01,2020-01-15,100
SALES,2020-01-01,2020-02-15,110
SALES,2019-12-01,2020-03-15,120
SALES,2020-02-01,2020-03-15,132
SALES,2020-02-01,2020-03-20,
SALES,2020-03-01,2020-04-15,150
SALES,2020-02-01,2020-04-15,130
SALES_AGE,2020-01-01,2020-02-15,40
`;

const trades = folder.write(
  'trades.csv',
  'id,day,note\n7,2020-03-16,"a, ""b"""\n3,2020-01-01,Ærø\n5,2020-02-15,"two\nlines"\n7,2020-03-16,\n',
);

const { store, as, run, library } = askedStore(
  [
    `${testData}/macro/fred-api/GDP-observations-all-realtime.json.gz`,
    `${testData}/treasury/par-csv/daily-treasury-rates-2025.csv`,
  ],
  { 'made.csv': made },
);

describe.each(commandModes)('a join, %s,', (mode) => {
  // The value of SALES for February was withdrawn on 20 March; that for January is of 15 February. BEA published 6.4 for
  // the third quarter of 2014 on 23 December, and 2.5 for the fourth on 30 January. The yields are the Treasury's.
  transcript(
    `
    # refuses a series with the name of another column that it adds
    $ asof join ${trades} --on day SALES SALES_age --with-age -q
    ! asof: two columns have the name SALES_age
    !       leave out the dates and ages, or type the id of the series in another letter case
    [exit 2]

    # puts what was known on its day beside each row, and copies the row
    $ asof join ${trades} --on day SALES --beyond repeat -q
    id,day,note,SALES
    7,2020-03-16,"a, ""b""",132
    3,2020-01-01,Ærø,
    5,2020-02-15,"two
    lines",110
    7,2020-03-16,,132

    # uses what was published before the day with --strict
    $ asof join - --on day SALES --beyond repeat -q --strict
    < day
    < 2020-03-16
    < 2020-03-15
    < 2020-01-01
    day,SALES
    2020-03-16,132
    2020-03-15,110
    2020-01-01,

    # reads dates in the order that --date-format says, and says how if it is left out
    $ asof join - --on day SALES --beyond repeat --date-format M/D/YYYY -q
    < day
    < 3/16/2020
    < 04/01/2020
    day,SALES
    3/16/2020,132
    04/01/2020,110
    $ asof join - --on day SALES --beyond repeat --date-format d/m/y -q
    < day
    < 16/3/2020
    < 1.4.2020
    day,SALES
    16/3/2020,132
    1.4.2020,110
    $ asof join - --on day SALES
    < day
    < 3/16/2020
    ! asof: standard input, row 2, column "day": "3/16/2020" is not a date: use YYYY-MM-DD
    !       --date-format M/D/YYYY or D/M/YYYY says what comes first
    [exit 2]
    $ asof join - --on day SALES --date-format YMD
    < day
    ! asof: --date-format "YMD": use M/D/YYYY or D/M/YYYY
    [exit 2]
    $ asof join - --on day SALES --date-format dmy --known-at
    < day
    ! asof: use either --date-format or --known-at
    [exit 2]

    # says once that a time of day is not used, unless --strict bounds the day; midnight is a day
    $ asof join - --on day SALES --beyond repeat
    < day
    < 2020-03-16T00:00:00
    < 2020-03-16 09:31
    < 2020-03-17 10:00:00-05:00
    day,SALES
    2020-03-16T00:00:00,132
    2020-03-16 09:31,132
    2020-03-17 10:00:00-05:00,132
    ! asof: standard input, row 3, column "day": the time in "2020-03-16 09:31" is not used: what was published later on that day counts as known; --strict counts only what was published before the day
    $ asof join - --on day SALES --beyond repeat --strict
    < day
    < 2020-03-16 09:31
    day,SALES
    2020-03-16 09:31,132
    $ asof join - --on day SALES --beyond repeat
    < day
    < 2020-03-16T00:00:00+01:00
    day,SALES
    2020-03-16T00:00:00+01:00,132

    # has the date and the age of each value on request, and passes over the newest with a lag
    $ asof join - --on day SALES --beyond repeat -q --with-dates --with-age
    < day
    < 2020-03-19
    < 2020-03-20
    day,SALES,SALES_date,SALES_age
    2020-03-19,132,2020-02-01,4
    2020-03-20,110,2020-01-01,34
    $ asof join - --on day SALES --beyond repeat -q --lag 1
    < day
    < 2020-03-16
    day,SALES_lag1
    2020-03-16,110

    # computes growth within the vintage of each day
    $ asof join - --on day gdp --units pca --digits 1 -q
    < day
    < 2015-01-30
    < 2015-01-29
    day,gdp
    2015-01-30,2.5
    2015-01-29,6.4

    # puts yields beside macro series
    $ asof join - --on day SALES DGS10 --beyond repeat -q
    < day
    < 2025-03-15
    < 2025-03-07
    day,SALES,DGS10
    2025-03-15,150,4.31
    2025-03-07,150,4.32

    # leaves cells after the coverage of a series empty, and says so
    $ asof join - --on day SALES
    < day
    < 2020-04-15
    < 2020-04-16
    day,SALES
    2020-04-15,150
    2020-04-16,
    ! asof: SALES is covered to 2020-04-15
    ! asof: as-of dates after the coverage of a series have no value; --beyond repeat shows …
    $ asof join - --on day SALES --beyond fail
    < day
    < 2020-04-16
    ! asof: SALES is covered to 2020-04-15: its value on 2020-04-16 is not known
    [exit 9]

    # reports every series that there is no answer about, and writes nothing
    $ asof join ${trades} --on day SALES NONE GDQ
    ! asof: series 'NONE' not found
    ! …
    !       also not found: GDQ; did you mean GDP?
    ! …
    [exit 3]

    # says how many requests it takes
    $ asof join ${trades} --on day SALES --dry-run
    ! asof: this join takes at most … requests
    `,
    () => as(mode),
  );
});

/** Joins a text with GDP; 17710.7 is of 30 January 2015. */
const joinGdp = (text: string | Buffer, flags = '') =>
  run('embedded', `join - --on day GDP -q${flags}`, text);

describe('the rows of a join', () => {
  const plan = folder.write('plan.txt', `x.csv join ${trades} --on day GDP\n`);

  transcript(
    `
    # are of the day that is written on them, in any of the ways of writing it
    $ asof join - --on day GDP -q
    < day,x
    < 2015-01-30,1
    < 2015-01-29,2
    < 20150130,3
    < 2015-01-30 23:59:00,4
    < 2015-01-29T23:59:59.999Z,5
    day,x,GDP
    2015-01-30,1,17710.7
    2015-01-29,2,17599.8
    20150130,3,17710.7
    2015-01-30 23:59:00,4,17710.7
    2015-01-29T23:59:59.999Z,5,17599.8

    # come without a header on request, keep their separator in TSV, and are the same where they are written again
    $ asof join - --on day GDP -q --no-header
    < day
    < 2015-01-30
    2015-01-30,17710.7
    $ asof join - --on day GDP -q -f tsv
    < day\tx
    < 2015-01-30\t1
    day\tx\tGDP
    2015-01-30\t1\t17710.7
    $ asof join ${trades} --on day SALES -q --beyond repeat --columns id,day,note,SALES
    id,day,note,SALES
    7,2020-03-16,"a, ""b""",132
    3,2020-01-01,Ærø,
    5,2020-02-15,"two
    lines",110
    7,2020-03-16,,132

    # have cells by name in JSON, where a missing one is null
    $ asof join - --on day GDP -q -f ndjson --with-dates --with-age
    < day,x
    < 2015-01-30,
    {"day":"2015-01-30","x":null,"GDP":"17710.7","GDP_date":"2014-10-01T00:00:00Z","GDP_age":0}

    # of a file without rows are the header alone, with all columns
    $ asof join - --on day GDP -q
    < day,x
    day,x,GDP
    $ asof join - --on day GDP -q -f ndjson
    < day,x

    # of tomorrow are of what is known today, with --strict
    $ asof join - --on day GDP -q --strict --beyond repeat --columns day --no-header
    < day
    < 2026-03-16
    < 2026-03-17
    2026-03-16
    2026-03-17

    # are no line of a plan
    $ asof snapshot ${plan} --out ${folder.path('out')}
    ! …: a plan cannot use join: it reads a file, which may change …
    [exit 2]
    `,
    () => as('embedded'),
  );

  it('are the same from a compressed file with a byte-order mark, semicolons and other line ends', async () => {
    const semicolons = '\uFEFFday;x\r\n2015-01-30;1,5\r\n';
    expect((await joinGdp(gzipSync(semicolons))).out).toBe('day,x,GDP\n2015-01-30,"1,5",17710.7\n');
  });

  it.each<readonly [text: string | Buffer, message: string]>([
    ['day\n2015-01-30\n01/30/2015\n', 'standard input, row 3, column "day": "01/30/2015" is not a date: use'],
    ['day\n2015-02-30\n', '"2015-02-30" is not a date: there is no such date'],
    ['day\n""\n', 'row 2, column "day": "" is not a date'],
    ['day\n2026-03-17\n', 'row 2, column "day": "2026-03-17" is in the future: nothing is known as of'],
    ['date\n2015-01-30\n', 'standard input has no column "day": it has date'],
    ['day,GDP\n2015-01-30,1\n', 'standard input has a column GDP already'],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'standard input: a workbook is not read'],
  ])('are refused as %j', async (text, message) => {
    const { code, out, err } = await joinGdp(text);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
  });

  it.each([
    ['join /nowhere/x.csv --on day GDP', 10, 'cannot read /nowhere/x.csv'],
    [`join ${trades} --on day GDP -f svg`, 2, 'this query has no chart'],
    [`join ${trades} --on day GDP --columns nope`, 2, "unknown column 'nope'"],
  ])('need what is missing or wrong in: %s', async (line, code, message) => {
    expect(await run('embedded', line)).toEqual({ code, out: '', err: expect.stringContaining(message) });
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
    expect(read.rows.map(({ SALES }) => SALES)).toEqual(['22', null, null, '22']);
    await expect(library().join(rows, 'SALES', {} as never)).rejects.toThrow("parameter 'on' is missing");
    await expect(library().join(3 as never, 'SALES', { on: 'day' })).rejects.toThrow(
      "invalid 'table' 3: use the path of a file, or a list of rows",
    );
    await expect(library().join(rows, 'SALES', { on: 'dya' })).rejects.toThrow(
      'the table has no column "dya": it has day, price',
    );
  });
});

/** Writes a Parquet file with DuckDB. */
async function written(name: string, select: string, options = ''): Promise<string> {
  const path = folder.path(name);
  await queryDuckDb(`copy (${select}) to '${path}' (format parquet${options})`);
  return path;
}

describe('a Parquet file', () => {
  const quiet = (line: string) => asof([...line.split(' '), '--store', store, '-q']);
  const typed = `select * from (values
    (1::bigint, date '2015-01-30', timestamp '2015-01-30 14:30:00.25', 98.4::double, 0.1::float, 'Ærø, "a"', true, 12.340::decimal(38, 10), time '14:30:00.25'),
    (9007199254740993::bigint, date '2015-01-29', timestamp '2015-01-29', 1e-7::double, null, null, false, (-0.05)::decimal(38, 10), time '00:00:00')
  ) as t(n, day, traded, price, weight, note, live, exact, hour)`;

  it('is joined with the cells that DuckDB wrote, exactly', async () => {
    const { out, code } = await quiet(`join ${await written('a.parquet', typed)} --on day GDP --csv`);
    expect(code).toBe(0);
    expect(linesOf(out)).toEqual([
      'n,day,traded,price,weight,note,live,exact,hour,GDP',
      '1,2015-01-30,2015-01-30T14:30:00.25,98.4,0.1,"Ærø, ""a""",true,12.34,14:30:00.25,17710.7',
      '9007199254740993,2015-01-29,2015-01-29,1e-7,,,false,-0.05,00:00:00,17599.8',
    ]);
  });

  // At 20:00 on 29 January in New York it was 01:00 on 30 January in UTC, the day on which 17710.7 came out.
  it('with a zone has the day of a time in UTC, and that of any other time, or of a CSV file, as it is written', async () => {
    const file = await written(
      'zones.parquet',
      `select timestamptz '2015-01-29 20:00:00-05' as zoned, timestamp '2015-01-29 20:00:00' as plain`,
    );
    const csv = folder.write('zones.csv', 'zoned\n2015-01-29T20:00:00-05:00\n');
    const last = async (line: string) => linesOf((await quiet(`join ${line} GDP --csv`)).out)[1];
    expect(await last(`${file} --on zoned`)).toBe('2015-01-30T01:00:00Z,2015-01-29T20:00:00,17710.7');
    expect(await last(`${file} --on plain`)).toBe('2015-01-30T01:00:00Z,2015-01-29T20:00:00,17599.8');
    expect(await last(`${csv} --on zoned`)).toBe('2015-01-29T20:00:00-05:00,17599.8');
    const known = `select timestamptz '2015-01-29 20:00:00-05' as day, 17710.7 as "GDP"`;
    expect(await quiet(`check ${await written('known.parquet', known)}`)).toMatchObject({ code: 0 });
  });

  it('of text has the types in Parquet that all texts of a column have', async () => {
    const path = folder.write(
      'own.csv',
      'day,at,px,code,note,none\n2015-01-30,2015-01-30 14:30,98.40,007,3,\n2015-02-02,2015-02-02T09:00:00.25,-7,010,x,\n',
    );
    const output = folder.path('own.parquet');
    expect((await quiet(`join ${path} --on day GDP -o ${output}`)).code).toBe(0);
    const { types, rows } = await readParquet(output);
    expect(Object.entries(types).map(([name, type]) => `${name} ${type}`)).toEqual([
      ...['day DATE', 'at TIMESTAMP', 'px DECIMAL(38,18)', 'code VARCHAR', 'note VARCHAR', 'none VARCHAR'],
      'GDP DECIMAL(38,18)',
    ]);
    expect(rows[1]?.slice(0, 5)).toEqual([
      '2015-02-02',
      '2015-02-02 09:00:00.25',
      '-7.000000000000000000',
      '010',
      'x',
    ]);
    const { out } = await quiet(`join ${path} --on day GDP --json`);
    expect(JSON.parse(out).results[0]).toMatchObject({ px: '98.40', at: '2015-01-30 14:30' });
  });

  it('keeps the types of its columns in Parquet', async () => {
    const output = folder.path('joined.parquet');
    const line = `join ${await written('b.parquet', typed)} --on traded GDP --with-dates --with-age -o ${output}`;
    expect((await quiet(line)).code).toBe(0);
    const { types, rows } = await readParquet(output);
    expect(Object.entries(types).map(([name, type]) => `${name} ${type}`)).toEqual([
      ...['n BIGINT', 'day DATE', 'traded TIMESTAMP', 'price DOUBLE', 'weight FLOAT', 'note VARCHAR'],
      ...['live BOOLEAN', 'exact DECIMAL(38,10)', 'hour VARCHAR'],
      // Beside doubles, as a program computes with both.
      ...['GDP DOUBLE', 'GDP_date DATE', 'GDP_age BIGINT'],
    ]);
    // The cells of the file itself, and those of GDP.
    const cells = await queryDuckDb(`select columns(*)::varchar from '${folder.path('b.parquet')}'`);
    expect(rows.map((row) => row.slice(0, 9))).toEqual(cells);
    expect(rows.map((row) => row.slice(9))).toEqual([
      ['17710.7', '2014-10-01', '0'],
      ['17599.8', '2014-07-01', '37'],
    ]);
  });

  it('has infinite numbers as texts in JSON, which has no such numbers, and missing ones as null', async () => {
    const numbers = `'inf'::double as up, '-inf'::float as down, 'nan'::double as none, ['inf'::double, 1.5] as list`;
    const file = await written('infinite.parquet', `select date '2015-01-30' as day, ${numbers}`);
    const cells = { up: 'Infinity', down: '-Infinity', none: null, list: '["Infinity",1.5]' };
    const { out } = await quiet(`join ${file} --on day GDP --json`);
    expect(JSON.parse(out).results).toMatchObject([cells]);
    expect(JSON.parse((await quiet(`join ${file} --on day GDP -f ndjson`)).out)).toMatchObject(cells);
    const output = folder.path('infinite-joined.parquet');
    await quiet(`join ${file} --on day GDP -o ${output}`);
    expect((await readParquet(output)).rows[0]?.slice(1, 4)).toEqual(['inf', '-inf', null]);
  });

  it('keeps every digit and the zone of its columns in Parquet', async () => {
    const path = await written(
      'wide.parquet',
      `select * from (values
        (date '2015-01-30', timestamptz '2015-01-30 08:29:00-05', 1234567890123456789012345.1::decimal(38, 1), 18446744073709551615::ubigint, (-128)::tinyint, 65535::usmallint, 4294967295::uinteger, (-7)::integer),
        (date '2015-01-29', timestamptz '2015-01-29 00:00:00.5+00', -0.1::decimal(38, 1), 9223372036854775808::ubigint, null, 0, 2147483648, null)
      ) as t(day, zoned, huge, big, tiny, port, many, own)`,
    );
    const output = folder.path('wide-joined.parquet');
    expect(await quiet(`join ${path} --on day GDP -o ${output}`)).toMatchObject({ code: 0, err: '' });
    const { types, rows } = await readParquet(output);
    expect(types).toMatchObject({
      ...{ zoned: 'TIMESTAMP WITH TIME ZONE', huge: 'DECIMAL(38,1)', big: 'UBIGINT', tiny: 'TINYINT' },
      ...{ port: 'USMALLINT', many: 'UINTEGER', own: 'INTEGER', GDP: 'DECIMAL(38,18)' },
    });
    const cells = await queryDuckDb(`select columns(*)::varchar from '${path}'`);
    expect(rows.map((row) => row.slice(0, 8))).toEqual(cells);
    const { out } = await quiet(`join ${path} --on day GDP --csv --columns zoned,huge,big`);
    expect(linesOf(out).slice(1)).toEqual([
      '2015-01-30T13:29:00Z,1234567890123456789012345.1,18446744073709551615',
      '2015-01-29T00:00:00.5Z,-0.1,9223372036854775808',
    ]);
  });

  it('with a zone has instants for --known-at', async () => {
    const path = await written(
      'instants.parquet',
      `select * from (values (timestamptz '2015-01-30 23:00:00+00'), (timestamptz '2015-02-01 13:30:00+00')) as t(time)`,
    );
    // No calendar gives the time of the release of 30 January, so it counts from the day after.
    const { out, err } = await quiet(`join ${path} --on time GDP --known-at --csv`);
    expect([err, linesOf(out).slice(1)]).toEqual([
      '',
      ['2015-01-30T23:00:00Z,17599.8', '2015-02-01T13:30:00Z,17710.7'],
    ]);
  });

  it.each(['snappy', 'gzip', 'brotli', 'uncompressed'])(
    'is read with every row group, packed by %s',
    async (codec) => {
      const many = `select i, date '2014-01-01' + (i % 700)::int as day from range(5000) as t(i)`;
      const path = await written(`${codec}.parquet`, many, `, compression ${codec}, row_group_size 2048`);
      const lines = linesOf((await quiet(`join ${path} --on day GDP --csv`)).out).slice(1);
      expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(Array.from(Array(5000).keys()));
      // 2015-01-30 is 394 days after 2014-01-01.
      expect(lines.slice(4593, 4595)).toEqual(['4593,2015-01-29,17599.8', '4594,2015-01-30,17710.7']);
    },
  );

  it('is refused with the place of a cell that is not a day, or if it is broken', async () => {
    const path = await written('c.parquet', `select * from (values ('2015-01-30'), ('30.1.2015')) as t(day)`);
    const place = 'c.parquet, row 2, column "day": "30.1.2015" is not a date: use YYYY-MM-DD';
    const refused = (message: string) => ({ code: 2, err: expect.stringContaining(message) });
    expect(await quiet(`join ${path} --on day GDP`)).toMatchObject(refused(place));
    const broken = folder.write('broken.parquet', 'PAR1 is not enough');
    const unreadable = 'broken.parquet: the Parquet data cannot be read';
    expect(await quiet(`join ${broken} --on day GDP`)).toMatchObject(refused(unreadable));
  });

  it('that asof wrote, or that holds doubles, has its numbers compared exactly by a check', async () => {
    const panel = folder.path('panel.parquet');
    await quiet(`panel GDP --as-of-each month-end --from 2014-10-01 --to 2015-03-31 --wide -o ${panel}`);
    expect(await quiet(`check ${panel}`)).toMatchObject({ code: 0 });
    const moved = (days: number, type: string) =>
      written(`${type}.parquet`, `select as_of + (${days}) as day, "GDP"::${type} as "GDP" from '${panel}'`);
    expect(await quiet(`check ${await moved(1, 'double')}`)).toMatchObject({ code: 0 });
    const { code, out } = await quiet(`check ${await moved(-7, 'float')} --csv`);
    expect(code).toBe(1);
    // 17710.7 came out on 30 January 2015, and 17701.3 on 27 February.
    expect(linesOf(out)).toContain(
      '3,2015-01-24,GDP,GDP,17710.7,17599.8,2014-07-01,2015-01-30,2014-10-01,ahead',
    );
  });
});
