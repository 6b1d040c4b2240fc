import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { asof, statements } from '../../support/command.ts';
import { contractStore } from '../../support/contract-cases.ts';
import { queryDuckDb, readParquet } from '../../support/duckdb.ts';
import { scratchFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';

const folder = scratchFolder();
let store = '';
beforeAll(async () => {
  store = await contractStore(folder);
});

const [day, text, integer, list] = ['DATE', 'VARCHAR', 'BIGINT', 'VARCHAR[]'];
const decimal = 'DECIMAL(38,18)';
const observation = {
  date: day,
  value: decimal,
  as_of_date: day,
  series_id: text,
  unit: text,
  frequency: text,
  source: text,
};
const yields = { trade_date: day, maturity: text, rate: decimal, curve_type: text, source: text };

/** Every command that gives rows, the types of its columns, and how many rows it gives. */
const commands: readonly (readonly [line: string, types: Readonly<Record<string, string>>, rows: number])[] =
  [
    [
      'ping',
      {
        status: text,
        message: text,
        plan: text,
        monthly_limit: integer,
        monthly_used: integer,
        daily_limit: integer,
        daily_used: integer,
        rate_per_minute: integer,
        vintage_access: 'BOOLEAN',
      },
      1,
    ],
    [
      'series search',
      {
        id: text,
        title: text,
        units: text,
        frequency: text,
        observation_count: integer,
        last_updated: day,
        source: text,
      },
      // Two series, and those of the curves' maturities.
      12,
    ],
    [
      'series show GDP --columns id,covered_to,first_vintage',
      { id: text, covered_to: day, first_vintage: day },
      1,
    ],
    ['obs GDP* --as-of 2020-12-31', observation, 10],
    ['obs GDP --as-of 2020-06-01', observation, 0],
    [
      'revisions GDP --date 2020-03-01',
      { ...observation, change: decimal, percent: decimal, days: integer },
      2,
    ],
    ['vintages GDP', { as_of_date: day, added: integer, revised: integer, withdrawn: integer }, 2],
    [
      'diff GDP 2020-12-31 2021-01-01',
      {
        series_id: text,
        date: day,
        old: decimal,
        new: decimal,
        change: decimal,
        percent: decimal,
        kind: text,
      },
      10,
    ],
    [
      'panel GDP UNRATE --as-of 2020-12-31',
      { as_of: day, series_id: text, date: day, value: decimal, as_of_date: day },
      10,
    ],
    ['panel GDP UNRATE --wide', { date: day, GDP: decimal, UNRATE: decimal }, 10],
    [
      'panel GDP A --as-of-each month-end --from 2020-01-01 --to 2020-12-31 --wide',
      { as_of: day, GDP: decimal, A: decimal },
      12,
    ],
    ['curve --date 2026-01-14', yields, 3],
    [
      'curve --date 2026-01-14 --vs 2026-01-13 --columns maturity,rate,vs_rate,change_bps',
      { maturity: text, rate: decimal, vs_rate: decimal, change_bps: decimal },
      3,
    ],
    ['yields --type tips', yields, 2],
    ['yields --wide --columns trade_date,1M,10Y', { trade_date: day, '1M': decimal, '10Y': decimal }, 3],
    [
      'spread',
      {
        trade_date: day,
        long_rate: decimal,
        short_rate: decimal,
        spread_bps: decimal,
        long_maturity: text,
        short_maturity: text,
      },
      3,
    ],
  ];

/** Commands with many columns, and the types of some of them. */
const filings: readonly (readonly [line: string, types: Readonly<Record<string, string>>])[] = [
  [
    'insider filings --from 2025-01-01',
    { filing_date: day, is_director: 'BOOLEAN', other_owners: list, row: integer, accepted_at: text },
  ],
  ['insider clusters', { ticker: text, cluster_size: integer, date_last: day, accession_numbers: list }],
];

/** The same command as CSV and as Parquet. */
async function bothWays(line: string) {
  const words = [...line.split(' '), '--store', store, '-q'];
  const file = join(folder, 'x.parquet');
  const [asCsv, asParquet] = [await asof(words), await asof([...words, '-o', file])];
  expect(asParquet).toEqual({ ...asCsv, out: '' });
  const [header = [], ...rows]: string[][] = parse(asCsv.out);
  return { header, rows, read: await readParquet(file), code: asCsv.code };
}

/** A cell of CSV as DuckDB prints it in a column of this type: a missing value is NULL, a missing list is empty. */
function worded(cell: string, type: string): string | null {
  const scale = Number(/^DECIMAL\(\d+,(\d+)\)$/.exec(type)?.[1] ?? -1);
  if (cell === '') return type === list ? '' : null;
  // Texts word the largest integer of the contract; a column of integers has the number.
  if (type === integer && cell === 'unlimited') return '2147483647';
  if (scale === -1) return cell;
  const [whole = '', decimals = ''] = cell.split('.');
  return scale === 0 ? whole : `${whole}.${decimals.padEnd(scale, '0')}`;
}

describe('every command writes the rows of its CSV to Parquet, exactly', () => {
  it.each(commands)('%s', async (line, types, count) => {
    const { header, rows, read } = await bothWays(line);
    expect(read.types).toEqual(types);
    expect(Object.keys(read.types)).toEqual(header);
    expect(rows).toHaveLength(count);
    expect(read.rows).toEqual(
      rows.map((cells) => cells.map((cell, i) => worded(cell, read.types[header[i] ?? ''] ?? ''))),
    );
  });

  it.each(filings)('%s', async (line, types) => {
    const { header, rows, read } = await bothWays(line);
    expect(read.types).toMatchObject(types);
    expect(rows.length).toBeGreaterThan(0);
    expect(read.rows).toEqual(
      rows.map((cells) => cells.map((cell, i) => worded(cell, read.types[header[i] ?? ''] ?? ''))),
    );
  });

  it('with what CSV leaves out, as JSON', async () => {
    const file = join(folder, 'insiders.parquet');
    const line = ['insider', 'clusters', '--columns', 'insiders', '--store', store];
    await asof([...line, '-o', file]);
    const { rows } = await readParquet(file);
    const asJson = JSON.parse((await asof([...line, '--json'])).out).results;
    const expected = asJson.map(({ insiders }: { insiders: unknown[] }) =>
      insiders.map((insider) => JSON.stringify(insider)).join(';'),
    );
    expect(rows.map(([cell]) => cell)).toEqual(expected);
  });
});

describe('parquet', () => {
  it('is not shown on a terminal: exit 2, before any query runs', async () => {
    const line = ['obs', 'GDP', '-f', 'parquet', '--store', join(folder, 'none.db')];
    expect(await asof(line, { stdoutIsTerminal: true })).toEqual({
      code: 2,
      out: '',
      err: 'asof: parquet is a binary format, which a terminal cannot show\n      -o FILE.parquet writes it to a file\n',
    });
  });

  it('refuses a number with too many digits: exit 2, and leaves no file', async () => {
    const [facts, own, file] = ['long.csv', 'long.db', 'long.parquet'].map((name) => join(folder, name));
    writeFileSync(
      facts ?? '',
      statements(['L,2020-01-01,2020-02-01,1', `L,2020-02-01,2020-03-01,${'12'.repeat(20)}`]),
    );
    await asof(['import', facts ?? '', '--store', own ?? '']);
    expect(await asof(['obs', 'L', '--store', own ?? '', '-o', file ?? ''])).toEqual({
      code: 2,
      out: '',
      err:
        `asof: column 'value' has '${'12'.repeat(20)}', and numbers in Parquet have at most 20 digits before the point and 18 after it\n` +
        '      -f csv writes every digit; --columns leaves it out\n',
    });
    expect(existsSync(file ?? '')).toBe(false);
  });

  it('has the same columns for a day with decimals and one without, so that DuckDB adds up both exactly', async () => {
    const [own, whole, fine] = ['s.db', 'whole.parquet', 'fine.parquet'].map((name) => join(folder, name));
    const given = join(folder, 's.csv');
    writeFileSync(
      given,
      statements(['S,2020-01-01,2020-02-01,100', 'S,2020-01-01,2020-03-01,0.30000000000000004']),
    );
    await asof(['import', given, '--store', own ?? '']);
    await asof(['obs', 'S', '--as-of', '2020-02-15', '--store', own ?? '', '-o', whole ?? '']);
    await asof(['obs', 'S', '--as-of', '2020-03-15', '--store', own ?? '', '-o', fine ?? '']);
    for (const files of [`['${whole}', '${fine}']`, `['${fine}', '${whole}']`]) {
      const sum = await queryDuckDb(`select sum(value)::varchar from read_parquet(${files})`);
      expect(sum).toEqual([['100.300000000000000040']]);
    }
  });

  it('is loaded for no other format', async () => {
    const parts = join(builtProgram, '..', 'parts');
    // The magic number of a Parquet file, as the library spells it.
    const withMagic = [builtProgram, ...readdirSync(parts).map((name) => join(parts, name))].filter((path) =>
      readFileSync(path, 'utf8').includes(String(0x31524150)),
    );
    // The reader of tables has it too.
    expect(withMagic).toHaveLength(2);
    const hook = join(folder, 'loaded.cjs');
    writeFileSync(
      hook,
      "process.on('exit', () => console.error(Object.keys(require('node:module')._cache).join('\\n')));\n",
    );
    const loadedFor = async (format: string) => {
      const line = ['-r', hook, builtProgram, 'obs', 'GDP', '--store', store, '-f', format];
      const child = spawn(process.execPath, line, { stdio: ['ignore', 'ignore', 'pipe'] });
      let paths = '';
      child.stderr.on('data', (data) => {
        paths += data;
      });
      await new Promise((resolve) => child.on('close', resolve));
      return paths.split('\n').filter((path) => withMagic.includes(path)).length;
    };
    for (const format of ['csv', 'json', 'table', 'markdown']) expect(await loadedFor(format)).toBe(0);
    expect(await loadedFor('parquet')).toBe(withMagic.length);
  });

  it('goes through a pipe byte by byte', async () => {
    const [file, piped] = ['gdp.parquet', 'piped.parquet'].map((name) => join(folder, name));
    await asof(['obs', 'GDP', '--store', store, '-o', file ?? '']);
    const line = `"$0" "$1" obs GDP --store "$2" -f parquet | cat > "$3"`;
    const child = spawn('sh', ['-c', line, process.execPath, builtProgram, store, piped ?? '']);
    await new Promise((resolve) => child.on('close', resolve));
    expect(readFileSync(piped ?? '').equals(readFileSync(file ?? ''))).toBe(true);
  });
});
