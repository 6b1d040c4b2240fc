import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import type { Cell, Row } from '../../../src/operations/envelope.ts';
import type { Field } from '../../../src/operations/field.ts';
import { parquetRenderer } from '../../../src/render/formats/parquet.ts';
import { renderPages } from '../../../src/render/renderer.ts';
import { asof, statements } from '../../support/command.ts';
import { contractStore } from '../../support/contract-cases.ts';
import { scratchFolder } from '../../support/folders.ts';
import { queryDuckDb, readParquet } from '../../support/parquet.ts';
import { envelope, field, layout, observation, observationFields } from '../../support/rows.ts';

const folder = scratchFolder();
let files = 0;

/** A file of these pages. */
async function written(fields: readonly Field[], ...pages: readonly (readonly Row[])[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  const output = renderPages(
    parquetRenderer(layout(fields)),
    pages.map((rows) => envelope(rows)),
  );
  for await (const chunk of output) chunks.push(Buffer.from(chunk));
  const path = join(folder, `${files}.parquet`);
  files += 1;
  writeFileSync(path, Buffer.concat(chunks));
  return path;
}

/** The type and the texts that DuckDB reads from a column of these cells. */
async function column(type: Field['type'], cells: readonly (Cell | undefined)[]) {
  const rows = cells.map((cell): Row => (cell === undefined ? {} : { c: cell }));
  const { types, rows: read } = await readParquet(await written([field('c', type)], rows));
  return { type: types.c, cells: read.map(([cell]) => cell) };
}

/** A number with 18 decimals as DuckDB prints it. */
function withAllDecimals(text: string): string {
  const [whole, decimals = ''] = text.split('.');
  return `${whole}.${decimals.padEnd(18, '0')}`;
}

/** A number in units of 18 decimals. */
function inUnits(text: string): bigint {
  return BigInt(withAllDecimals(text).replace('.', ''));
}

const digits = (most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most });
const number = fc
  .tuple(fc.constantFrom('', '-'), digits(20), fc.option(digits(18)))
  .map(([sign, whole, decimals]) => `${sign}${whole}${decimals === null ? '' : `.${decimals}`}`);

describe('a Parquet file, read by DuckDB,', () => {
  it('says how many pages a column has, of texts with more bytes than characters too', async () => {
    const text = (i: number, letter: string, length: number) =>
      String(Math.floor(i / 3)).padStart(length, letter);
    const rows = Array.from({ length: 50_000 }, (_, i) => ({
      c: text(i, '…', 20),
      long: text(i, 'x', 50),
    }));
    const file = readFileSync(await written([field('c', 'text'), field('long', 'text')], rows));
    const { row_groups: [group] = [] } = parquetMetadata(new Uint8Array(file).buffer);
    const pages = group?.columns.map(({ meta_data }) => meta_data?.encoding_stats?.map(({ count }) => count));
    // At most 1 MiB of bytes, or one text more.
    const bytes = [rows[0]?.c, rows[0]?.long].map((cell = '') => Buffer.byteLength(cell) * rows.length);
    expect(pages).toEqual(bytes.map((size) => [Math.ceil(size / 2 ** 20)]));
  });

  it('has exact numbers, days, and the as-of date in its metadata', async () => {
    const path = await written(
      observationFields,
      [observation('2014-10-01', '17710.70')],
      [observation('2014-07-01', '-0.125')],
    );
    expect(await readParquet(path)).toEqual({
      types: {
        date: 'DATE',
        value: 'DECIMAL(38,18)',
        as_of_date: 'DATE',
        series_id: 'VARCHAR',
        unit: 'VARCHAR',
        frequency: 'VARCHAR',
        source: 'VARCHAR',
      },
      rows: [
        ['2014-10-01', '17710.700000000000000000'],
        ['2014-07-01', '-0.125000000000000000'],
      ].map((cells) => [
        ...cells,
        '2015-01-30',
        'GDP',
        'Billions of Dollars, Seasonally Adjusted Annual Rate',
        'Q',
        'FRED',
      ]),
    });
    const metadata = await queryDuckDb(
      `select key::varchar, value::varchar from parquet_kv_metadata('${path}')`,
    );
    expect(metadata).toEqual([['as_of', '2015-01-31']]);
  });

  it('has the type of every column even without rows', async () => {
    const fields = (['decimal', 'day', 'integer', 'boolean', 'text', 'list'] as const).map((type) =>
      field(type, type),
    );
    expect(await readParquet(await written(fields, []))).toEqual({
      types: {
        decimal: 'DECIMAL(38,18)',
        day: 'DATE',
        integer: 'BIGINT',
        boolean: 'BOOLEAN',
        text: 'VARCHAR',
        list: 'VARCHAR[]',
      },
      rows: [],
    });
  });

  const nines = '9'.repeat(20);
  const [most, least] = [`${nines}.${'9'.repeat(18)}`, `-${nines}.${'9'.repeat(18)}`];
  it.each<readonly [what: string, cells: readonly (Cell | undefined)[], read: readonly (string | null)[]]>([
    ['whole numbers', ['5', '-12', '0', '007'], ['5', '-12', '0', '7']],
    ['zeros beyond the last decimal place', [`1.5${'0'.repeat(20)}`], ['1.5']],
    ['missing ones', ['1.5', null, undefined, ''], ['1.5', null, null, null]],
    ['nothing but missing ones', [null, null], [null, null]],
    ['38 digits', [most, least], [most, least]],
    ['exponents', ['1.5e3', '-2E-3'], ['1500', '-0.002']],
  ])('keeps %s', async (_, cells, read) => {
    expect(await column('decimal', cells)).toEqual({
      type: 'DECIMAL(38,18)',
      cells: read.map((text) => (text === null ? null : withAllDecimals(text))),
    });
  });

  it.each<
    readonly [type: Field['type'], cells: readonly (Cell | undefined)[], read: readonly (string | null)[]]
  >([
    [
      'day',
      ['1600-01-01', '1969-12-31', '2024-02-29', null, ''],
      ['1600-01-01', '1969-12-31', '2024-02-29', null, null],
    ],
    [
      'integer',
      [0, -1, 2147483648, Number.MAX_SAFE_INTEGER, null],
      ['0', '-1', '2147483648', '9007199254740991', null],
    ],
    ['boolean', [true, false, null, ''], ['true', 'false', null, null]],
    ['text', ['', null, 'é|,"\n', '日本 🏦'], [null, null, 'é|,"\n', '日本 🏦']],
    ['list', [['a', 'b;c'], [], null, [{ name: 'x' }, 1]], ['a;b;c', '', null, '{"name":"x"};1']],
    // DuckDB leaves NULL out when it joins a list, but would show the text "null".
    [
      'list',
      [
        ['a', null, 'b'],
        [null, 'c'],
      ],
      ['a;b', 'c'],
    ],
  ])('keeps cells of the type %s', async (type, cells, read) => {
    expect((await column(type, cells)).cells).toEqual(read);
  });

  it('keeps any numbers of up to 20 digits and 18 decimals exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(number), { minLength: 1, maxLength: 20 }), async (texts) => {
        const { cells } = await column('decimal', texts);
        const numbers = texts.map((text) => (text === null ? null : inUnits(text)));
        expect(cells.map((cell) => (cell == null ? null : inUnits(cell)))).toEqual(numbers);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    // Among texts, U+FF5E is after U+1F600, and among bytes before it.
    ['texts that come again', 'text', ['b', '\u{1F600}', null, '\uFF5E', 'é', 'B'], 3000],
    ['texts that are all different', 'text', undefined, 3000],
    ['days that come again', 'day', ['1999-12-31', '1969-07-20', null, '2000-01-01'], 300],
  ] as const)('bounds %s by the order of bytes, or of days', async (_, type, some, count) => {
    const cells = Array.from({ length: count }, (_, i) =>
      some === undefined ? `t${i}` : some[i % some.length],
    );
    const rows = cells.map((c): Row => ({ c: c ?? null }));
    const path = await written([field('c', type)], rows);
    const inOrder = cells
      .flatMap((cell) => cell ?? [])
      .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const missing = cells.filter((cell) => cell === null).length;
    const bounds = `select stats_min_value, stats_max_value, stats_null_count from parquet_metadata('${path}')`;
    expect(await queryDuckDb(bounds)).toEqual([[inOrder[0], inOrder.at(-1), String(missing)]]);
    const found = await queryDuckDb(`select count(*) from '${path}' where c = '${inOrder.at(-1)}'`);
    expect(found).toEqual([[String(inOrder.filter((cell) => cell === inOrder.at(-1)).length)]]);
  });

  it('keeps texts of more than a page', async () => {
    const texts = Array.from({ length: 3000 }, (_, i) => `${i} `.repeat(200));
    const { cells } = await column('text', texts);
    expect(cells).toEqual(texts);
  });

  it('has the same bytes for any paging, and row groups of bounded size', async () => {
    const rows = Array.from(
      { length: 50_001 },
      (_, i): Row => ({ i, value: `${i}.${i % 7}`, id: `S${i % 3}` }),
    );
    const fields = [field('i', 'integer'), field('value', 'decimal'), field('id')];
    const whole = await written(fields, rows);
    const paged = await written(fields, rows.slice(0, 999), [], rows.slice(999, 50_000), rows.slice(50_000));
    expect(readFileSync(paged).equals(readFileSync(whole))).toBe(true);
    const query = `select count(*), sum(i), sum(value) from '${whole}'`;
    const sum = rows.reduce((total, { value }) => total + BigInt(String(value).replace('.', '')), 0n);
    expect(await queryDuckDb(query)).toEqual([
      ['50001', '1250025000', withAllDecimals(String(sum).replace(/(\d)$/, '.$1'))],
    ]);
    const groups = `select distinct row_group_num_rows from parquet_metadata('${whole}') order by 1`;
    expect(await queryDuckDb(groups)).toEqual([['1'], ['50000']]);
  });
});

describe('the Parquet renderer refuses a value that it cannot hold exactly, and says what to do', () => {
  const [nines, zeros] = ['9'.repeat(20), '0'.repeat(17)];
  const limits = 'and Parquet would hold a number of at most 20 digits before the point and 18 after it';
  it.each<readonly [type: Field['type'], cells: readonly Cell[], detail: string]>([
    ['decimal', ['1', `1${nines}`], `column 'c' has "1${nines}", ${limits}`],
    ['decimal', ['5', `-0.${zeros}01`], `column 'c' has "-0.${zeros}01", ${limits}`],
    ['decimal', ['9'.repeat(100)], `column 'c' has "${'9'.repeat(59)}…, ${limits}`],
    ['decimal', ['NaN'], `column 'c' has "NaN", ${limits}`],
    [
      'day',
      ['2024-03-15T12:30:00Z'],
      'column \'c\' has "2024-03-15T12:30:00Z", and Parquet would hold a day without a time',
    ],
    ['integer', [1.5], "column 'c' has 1.5, and Parquet would hold an integer"],
    ['boolean', ['yes'], 'column \'c\' has "yes", and Parquet would hold true or false'],
    ['list', ['a'], 'column \'c\' has "a", and Parquet would hold a list'],
  ])('%s: %j', (type, cells, detail) => {
    const page = () => parquetRenderer(layout([field('c', type)])).page(envelope(cells.map((c) => ({ c }))));
    expect(page).toThrow(Problem);
    expect(page).toThrow(
      expect.objectContaining({
        kind: 'bad-input',
        detail,
        hints: [expect.stringMatching(/^-f csv .*--columns/)],
      }),
    );
  });
});

const days = join(folder, 'days.csv');
writeFileSync(
  days,
  'day,n\n2021-01-01,1\n2020-12-01,\n2020-12-01,1\n2021-02-01,3\n2019-01-01,1\n2021-01-01,\n',
);

/** Commands that give rows, each with the columns of its Parquet file and their types. */
const commands = `
ping
  status:text message:text plan:text monthly_limit:integer monthly_used:integer daily_limit:integer daily_used:integer
  rate_per_minute:integer vintage_access:boolean
series search
  id:text title:text units:text frequency:text observation_count:integer last_updated:day source:text
obs GDP* --as-of 2020-12-31
  date:day value:number as_of_date:day series_id:text unit:text frequency:text source:text
revisions GDP --date 2020-03-01
  date:day value:number as_of_date:day series_id:text unit:text frequency:text source:text change:number percent:number
  days:integer
panel GDP UNRATE --wide
  date:day GDP:number UNRATE:number
panel GDP A --as-of-each month-end --from 2020-01-01 --to 2020-12-31 --wide
  as_of:day GDP:number A:number
panel GDP A --as-of-each month-end --from 2019-06-01 --to 2020-12-31 --wide --with-dates --sort asc
  as_of:day GDP:number GDP_date:day A:number A_date:day
panel GDP A NONE --as-of-each month-end --from 2020-11-01 --to 2021-03-31 --wide --with-dates --last 2 --lag 1 --skip-missing
  as_of:day GDP_lag1:number GDP_lag1_date:day GDP_lag2:number GDP_lag2_date:day A_lag1:number A_lag1_date:day
  A_lag2:number A_lag2_date:day
panel GDP:chg GDP --as-of-each day --from 2020-11-20 --to 2021-01-05 --wide --known-before-each --beyond repeat --columns GDP,as_of
  GDP:number as_of:day
panel GDP --as-of-each month-end --from 2019-06-01 --to 2019-12-31 --wide
  as_of:day GDP:number
join ${days} --on day GDP A
  day:day n:number GDP:number A:number
join ${days} --on day GDP A --strict --beyond repeat --with-age --with-dates --columns GDP_age,n,A_date,GDP,day
  GDP_age:integer n:number A_date:day GDP:number day:day
curve --date 2026-01-14 --vs 2026-01-13 --columns maturity,rate,vs_rate,change_bps
  maturity:text rate:number vs_rate:number change_bps:number
yields --wide --columns trade_date,1M,10Y
  trade_date:day 1M:number 10Y:number
insider filings --from 2025-01-01 --columns filing_date,is_director,other_owners,row,accepted_at
  filing_date:day is_director:boolean other_owners:list row:integer accepted_at:text
insider clusters --columns ticker,cluster_size,date_last,accession_numbers
  ticker:text cluster_size:integer date_last:day accession_numbers:list
`;

/** The types of DuckDB by their names above. */
const duckTypes: Readonly<Record<string, string>> = {
  day: 'DATE',
  text: 'VARCHAR',
  integer: 'BIGINT',
  boolean: 'BOOLEAN',
  number: 'DECIMAL(38,18)',
  list: 'VARCHAR[]',
};

describe('asof -o FILE.parquet', () => {
  let store = '';
  beforeAll(async () => {
    store = await contractStore(folder);
  });

  /** A cell of CSV as DuckDB prints it in a column of this type: a missing value is NULL, a missing list is empty. */
  function worded(cell: string, type: string): string | null {
    if (cell === '') return type === 'list' ? '' : null;
    // Texts word the largest integer of the contract; a column of integers has the number.
    if (type === 'integer' && cell === 'unlimited') return '2147483647';
    return type === 'number' ? withAllDecimals(cell) : cell;
  }

  const cases = [...commands.matchAll(/^(\S.*)\n((?: {2}.*\n)+)/gm)];
  it.each(cases.map(([, line = '', columns = '']) => [line, columns.trim().split(/\s+/)] as const))(
    'writes the rows of the CSV of asof %s exactly',
    async (line, columns) => {
      const [names, types] = [0, 1].map((part) => columns.map((column) => column.split(':')[part] ?? ''));
      const words = [...line.split(' '), '--store', store, '-q'];
      const file = join(folder, 'x.parquet');
      const [asCsv, asParquet] = [await asof(words), await asof([...words, '-o', file])];
      expect(asParquet).toEqual({ ...asCsv, out: '' });
      const [header, ...rows]: string[][] = parse(asCsv.out);
      expect(header).toEqual(names);
      expect(rows.length).toBeGreaterThan(0);
      const read = await readParquet(file);
      expect(Object.entries(read.types)).toEqual(
        columns.map((column, i) => [names?.[i] ?? column, duckTypes[types?.[i] ?? '']]),
      );
      expect(read.rows).toEqual(rows.map((cells) => cells.map((cell, i) => worded(cell, types?.[i] ?? ''))));
    },
  );

  it('writes what CSV leaves out, as JSON', async () => {
    const file = join(folder, 'insiders.parquet');
    const line = ['insider', 'clusters', '--columns', 'insiders', '--store', store];
    await asof([...line, '-o', file]);
    const asJson = JSON.parse((await asof([...line, '--json'])).out).results;
    const expected = asJson.map(({ insiders }: { insiders: unknown[] }) =>
      insiders.map((insider) => JSON.stringify(insider)).join(';'),
    );
    expect((await readParquet(file)).rows.map(([cell]) => cell)).toEqual(expected);
  });

  it('refuses a number with too many digits: exit 2, and leaves no file', async () => {
    const [facts = '', own = '', file = ''] = ['l.csv', 'l.db', 'l.parquet'].map((name) =>
      join(folder, name),
    );
    const digits = '12'.repeat(20);
    writeFileSync(facts, statements(['L,2020-01-01,2020-02-01,1', `L,2020-02-01,2020-03-01,${digits}`]));
    await asof(['import', facts, '--store', own]);
    expect(await asof(['obs', 'L', '--store', own, '-o', file])).toEqual({
      code: 2,
      out: '',
      err:
        `asof: column 'value' has "${digits}", and Parquet would hold a number of at most 20 digits before the point and 18 after it\n` +
        '      -f csv writes it as it is; --double rounds it; --columns leaves it out\n',
    });
    expect(existsSync(file)).toBe(false);
    expect(
      await asof(['obs', 'L', '--store', own, '-o', file, '--double', '--columns', 'value']),
    ).toMatchObject({ code: 0 });
    const [[value] = []] = (await readParquet(file)).rows;
    expect(Number(value)).toBe(Number(digits));
  });

  it('does not offer --double for a number beyond every double', async () => {
    const [facts = '', own = '', file = ''] = ['m.csv', 'm.db', 'm.parquet'].map((name) =>
      join(folder, name),
    );
    writeFileSync(facts, statements(['L,2020-01-01,2020-02-01,1e399']));
    await asof(['import', facts, '--store', own]);
    const { err } = await asof(['obs', 'L', '--store', own, '-o', file]);
    expect(err).toMatch(/\n {6}-f csv writes it as it is; --columns leaves it out\n$/);
  });
});
