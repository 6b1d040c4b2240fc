import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import type { Cell, Row } from '../../../src/operations/envelope.ts';
import type { Field } from '../../../src/operations/field.ts';
import { ParquetRenderer } from '../../../src/render/parquet.ts';
import { renderPages } from '../../../src/render/renderer.ts';
import { queryDuckDb, readParquet } from '../../support/duckdb.ts';
import { scratchFolder } from '../../support/folders.ts';
import { envelope, field, layout, observation, observationFields } from '../../support/rows.ts';

const folder = scratchFolder();
let files = 0;

/** A file of these pages. */
async function written(fields: readonly Field[], ...pages: readonly (readonly Row[])[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  const output = renderPages(
    new ParquetRenderer(layout(fields)),
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

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));

const digits = (most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most });
const number = fc
  .tuple(fc.constantFrom('', '-'), digits(20), fc.option(digits(18)))
  .map(([sign, whole, decimals]) => `${sign}${whole}${decimals === null ? '' : `.${decimals}`}`);

describe('a Parquet file, read by DuckDB,', () => {
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

  const [nines, tiny] = ['9'.repeat(20), `0.${'0'.repeat(17)}1`];
  const [most, least] = [`${nines}.${'9'.repeat(18)}`, `-${nines}.${'9'.repeat(18)}`];
  it.each<readonly [what: string, cells: readonly (Cell | undefined)[], read: readonly (string | null)[]]>([
    ['whole numbers', ['5', '-12', '0', '007'], ['5', '-12', '0', '7']],
    ['numbers with different decimals', ['1.5', '2', '-3.125'], ['1.5', '2', '-3.125']],
    ['a decimal that is only zeros', ['4.40', '1.00'], ['4.4', '1']],
    ['zeros beyond the last decimal place', [`1.5${'0'.repeat(20)}`], ['1.5']],
    ['missing ones', ['1.5', null, undefined, ''], ['1.5', null, null, null]],
    ['nothing but missing ones', [null, null], [null, null]],
    ['what a double would round', ['9007199254740993', '0.1'], ['9007199254740993', '0.1']],
    ['a double with all its digits', ['0.30000000000000004'], ['0.30000000000000004']],
    ['38 digits', [most, least], [most, least]],
    ['18 decimals', [tiny, `-${tiny}`, '0'], [tiny, `-${tiny}`, '0']],
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
      { numRuns: 60 },
    );
  });

  it('loses nothing when it is read as one set with files of other days, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(number), { minLength: 2, maxLength: 3 }), async (days) => {
        const paths: string[] = [];
        for (const texts of days) {
          const rows = texts.map((value) => ({ value }));
          paths.push(await written([field('value', 'decimal')], rows));
        }
        const all = days.flat().map(inUnits).sort(ascending);
        for (const order of [paths, [...paths].reverse()]) {
          const list = order.map((path) => `'${path}'`).join(', ');
          const read = await queryDuckDb(`select value::varchar from read_parquet([${list}])`);
          expect(read.map(([text]) => inUnits(String(text))).sort(ascending)).toEqual(all);
        }
      }),
      { numRuns: 30 },
    );
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
  const limits = 'and numbers in Parquet have at most 20 digits before the point and 18 after it';
  it.each<readonly [type: Field['type'], cells: readonly Cell[], detail: string]>([
    ['decimal', ['1', `1${nines}`], `column 'c' has '1${nines}', ${limits}`],
    ['decimal', ['5', `-0.${zeros}01`], `column 'c' has '-0.${zeros}01', ${limits}`],
    ['decimal', ['9'.repeat(100)], `column 'c' has '${'9'.repeat(60)}…', ${limits}`],
    ['decimal', ['NaN'], "column 'c' has 'NaN', which is not a number"],
    [
      'day',
      ['2024-03-15T12:30:00Z'],
      'column \'c\' has "2024-03-15T12:30:00Z", and Parquet would hold a day without a time',
    ],
    ['integer', [1.5], "column 'c' has 1.5, and Parquet would hold an integer"],
    ['boolean', ['yes'], 'column \'c\' has "yes", and Parquet would hold true or false'],
    ['list', ['a'], 'column \'c\' has "a", and Parquet would hold a list'],
  ])('%s: %j', (type, cells, detail) => {
    const page = () =>
      new ParquetRenderer(layout([field('c', type)])).page(envelope(cells.map((c) => ({ c }))));
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
