import { beforeAll, describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { queryDuckDb, readParquet } from '../../support/duckdb.ts';
import { newFolder } from '../../support/folders.ts';
import { testData } from '../../support/repository.ts';

const folder = newFolder();
const store = folder.path('parquet.db');

beforeAll(async () => {
  const gdp = `${testData}/macro/fred-api/GDP-observations-all-realtime.json.gz`;
  const { code, err } = await asof(['import', gdp, '--store', store]);
  if (code !== 0) throw new Error(err);
});

const run = (line: string) => asof([...line.split(' '), '--store', store, '-q']);

/** A Parquet file that DuckDB writes. */
async function written(name: string, select: string, options = ''): Promise<string> {
  const path = folder.path(name);
  await queryDuckDb(`copy (${select}) to '${path}' (format parquet${options})`);
  return path;
}

const rows = `select * from (values
  (1::bigint, date '2015-01-30', timestamp '2015-01-30 14:30:00.25', 98.4::double, 0.1::float, 'Ærø, "a"', true, 12.340::decimal(38, 10)),
  (9007199254740993::bigint, date '2015-01-29', timestamp '2015-01-29', 1e-7::double, null, null, false, (-0.05)::decimal(38, 10))
) as t(n, day, traded, price, weight, note, live, exact)`;

describe('a join of a Parquet file', () => {
  it('has the cells that DuckDB wrote, exactly', async () => {
    const { out, code } = await run(`join ${await written('a.parquet', rows)} --on day GDP --csv`);
    expect(code).toBe(0);
    expect(linesOf(out)).toEqual([
      'n,day,traded,price,weight,note,live,exact,GDP',
      '1,2015-01-30,2015-01-30T14:30:00.25,98.4,0.1,"Ærø, ""a""",true,12.34,17710.7',
      '9007199254740993,2015-01-29,2015-01-29,1e-7,,,false,-0.05,17599.8',
    ]);
  });

  // At 20:00 on 29 January in New York it was 01:00 on 30 January in UTC, the day on which 17710.7 came out.
  it('takes the day of a time with a zone in UTC, and that of any other time, or of a CSV file, as it is written', async () => {
    const file = await written(
      'zones.parquet',
      `select timestamptz '2015-01-29 20:00:00-05' as zoned, timestamp '2015-01-29 20:00:00' as plain`,
    );
    const csv = folder.write('zones.csv', 'zoned\n2015-01-29T20:00:00-05:00\n');
    const last = async (line: string) => linesOf((await run(line)).out)[1];
    expect(await last(`join ${file} --on zoned GDP --csv`)).toBe(
      '2015-01-30T01:00:00,2015-01-29T20:00:00,17710.7',
    );
    expect(await last(`join ${file} --on plain GDP --csv`)).toBe(
      '2015-01-30T01:00:00,2015-01-29T20:00:00,17599.8',
    );
    expect(await last(`join ${csv} --on zoned GDP --csv`)).toBe('2015-01-29T20:00:00-05:00,17599.8');
    const known = await written(
      'known.parquet',
      `select timestamptz '2015-01-29 20:00:00-05' as day, 17710.7 as "GDP"`,
    );
    expect(await run(`check ${known}`)).toMatchObject({ code: 0 });
  });

  it('has times of day as texts', async () => {
    const file = await written(
      'times.parquet',
      "select * from (values (date '2015-01-30', time '14:30:00.25'), (date '2015-01-29', time '00:00:00'), (date '2015-01-29', null)) as t(day, hour)",
    );
    const { out } = await run(`join ${file} --on day GDP --csv`);
    expect(linesOf(out).slice(1)).toEqual([
      '2015-01-30,14:30:00.25,17710.7',
      '2015-01-29,00:00:00,17599.8',
      '2015-01-29,,17599.8',
    ]);
  });

  it('keeps the types of its columns in Parquet', async () => {
    const output = folder.path('joined.parquet');
    const line = `join ${await written('b.parquet', rows)} --on traded GDP --with-dates --with-age -o ${output}`;
    expect((await run(line)).code).toBe(0);
    expect(await readParquet(output)).toEqual({
      types: {
        n: 'BIGINT',
        day: 'DATE',
        traded: 'TIMESTAMP',
        price: 'DOUBLE',
        weight: 'DOUBLE',
        note: 'VARCHAR',
        live: 'BOOLEAN',
        exact: 'DECIMAL(38,18)',
        GDP: 'DECIMAL(38,18)',
        GDP_date: 'DATE',
        GDP_age: 'BIGINT',
      },
      rows: [
        [
          '1',
          '2015-01-30',
          '2015-01-30 14:30:00.25',
          '98.4',
          '0.1',
          'Ærø, "a"',
          'true',
          '12.340000000000000000',
          '17710.700000000000000000',
          '2014-10-01',
          '0',
        ],
        [
          '9007199254740993',
          '2015-01-29',
          '2015-01-29 00:00:00',
          '1e-07',
          null,
          null,
          'false',
          '-0.050000000000000000',
          '17599.800000000000000000',
          '2014-07-01',
          '37',
        ],
      ],
    });
  });

  it.each(['snappy', 'gzip', 'brotli', 'uncompressed'])(
    'reads every row group, packed by %s',
    async (codec) => {
      const many = `select i, date '2014-01-01' + (i % 700)::int as day from range(20000) as t(i)`;
      const path = await written(`${codec}.parquet`, many, `, compression ${codec}, row_group_size 5000`);
      const { out } = await run(`join ${path} --on day GDP --csv`);
      const lines = linesOf(out).slice(1);
      expect(lines).toHaveLength(20000);
      expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(
        Array.from({ length: 20000 }, (_, i) => i),
      );
      // 2015-01-30 is 394 days after 2014-01-01.
      expect(lines.filter((line) => line.includes(',2015-01-30,'))).toContain('15094,2015-01-30,17710.7');
      expect(lines[15093]).toBe('15093,2015-01-29,17599.8');
    },
  );

  it('is refused where a day is none, or the file is broken, by its place', async () => {
    const path = await written('c.parquet', `select * from (values ('2015-01-30'), ('30.1.2015')) as t(day)`);
    const { code, err } = await run(`join ${path} --on day GDP`);
    expect(code).toBe(2);
    expect(err).toContain('c.parquet, row 2, column "day": "30.1.2015" is not a date: use YYYY-MM-DD');
    const broken = await run(`join ${folder.write('broken.parquet', 'PAR1 is not enough')} --on day GDP`);
    expect(broken.code).toBe(2);
    expect(broken.err).toContain('broken.parquet: the Parquet data cannot be read');
  });
});

it('a check of a Parquet file that asof wrote, or that holds doubles, compares its numbers exactly', async () => {
  const panel = folder.path('panel.parquet');
  const days = '--as-of-each month-end --from 2014-10-01 --to 2015-03-31 --wide';
  await run(`panel GDP ${days} -o ${panel}`);
  expect(await run(`check ${panel}`)).toMatchObject({ code: 0 });
  const doubles = await written(
    'd.parquet',
    `select as_of + 1 as day, "GDP"::double as "GDP" from '${panel}'`,
  );
  expect(await run(`check ${doubles}`)).toMatchObject({ code: 0 });
  const early = await written('e.parquet', `select as_of - 7 as day, "GDP"::float as "GDP" from '${panel}'`);
  const { code, out } = await run(`check ${early} --csv`);
  expect(code).toBe(1);
  // 17710.7 came out on 30 January 2015, and 17701.3 on 27 February.
  expect(linesOf(out)).toContain(
    '3,2015-01-24,GDP,GDP,17710.7,17599.8,2014-07-01,2015-01-30,2014-10-01,ahead',
  );
});
