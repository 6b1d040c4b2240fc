import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { formatNames } from '../../src/render/output.ts';
import { openStore } from '../../src/store/open.ts';
import { contractStore, oddId } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { behindPrefix, type Running, startService } from '../support/modes.ts';
import { newSchemaAddress } from '../support/postgres/schemas.ts';
import { builtProgram } from '../support/repository.ts';

const folder = scratchFolder();
let store = '';
let database = '';
let running: Running;
let proxy: Omit<Running, 'key'>;

beforeAll(async () => {
  store = await contractStore(folder);
  database = await contractStore(folder, newSchemaAddress());
  running = await startService({ openStore: () => openStore(store) });
  proxy = await behindPrefix(running.url, '/data/v0');
});
afterAll(async () => {
  await proxy.stop();
  await running.stop();
});

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** Runs the built command with only these variables; replaces request ids and the base address of error types. */
function run(line: readonly string[], variables: Readonly<Record<string, string>>): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: folder, ...variables };
  const child = spawn(process.execPath, [builtProgram, ...line], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (data) => out.push(data));
  child.stderr.on('data', (data) => err.push(data));
  // Latin-1 keeps every byte: some formats are binary.
  const text = (chunks: readonly Buffer[]) =>
    Buffer.concat(chunks)
      .toString('latin1')
      .replace(/req_[0-9a-f]{32}/g, 'req_')
      .replace(/"type": ".*\/errors\//g, '"type": "errors/');
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out: text(out), err: text(err) }));
  });
}

/**
 * The same command line over the store, which gives the same bytes in a database, and over its service behind a
 * prefix.
 */
async function bothWays(line: readonly string[]): Promise<readonly [embedded: Ended, remote: Ended]> {
  const [embedded, remote, inDatabase] = await Promise.all([
    run(line, { ASOF_STORE: store }),
    run(line, { ASOF_BASE_URL: proxy.url, ASOF_API_KEY: running.key }),
    run(line, { ASOF_STORE: database }),
  ]);
  expect(inDatabase).toEqual(embedded);
  return [embedded, remote];
}

/** A command line for every operation, and the first columns of its CSV. */
const lines: Readonly<Record<string, readonly [line: readonly string[], columns: string]>> = {
  // Only a service counts requests.
  ping: [
    ['ping', '--columns', 'status,message,plan,monthly_limit,daily_limit,rate_per_minute,vintage_access'],
    'status,message,plan',
  ],
  series_search: [['series', 'search', 'gdp'], 'id,title,units'],
  series_show: [['series', 'show', oddId], 'id,title,units'],
  observations: [['observations', 'gdp', oddId, '--as-of', '2020-12-31'], 'date,value,as_of_date'],
  revisions: [['revisions', 'gdp', '--date', '2020-03-01'], 'date,value,as_of_date'],
  vintages: [['vintages', 'gdp'], 'as_of_date,added,revised'],
  curve: [['curve', '--date', '2026-01-15', '--on-or-before'], 'trade_date,maturity,rate'],
  yields: [['yields', '--type', 'tips'], 'trade_date,maturity,rate'],
  spread: [['spread'], 'trade_date,long_rate,short_rate,spread_bps'],
  insider_filings: [
    ['insider', 'filings', '--from', '2025-01-01'],
    'filing_date,transaction_date,accession_number',
  ],
  insider_clusters: [['insider', 'clusters'], 'ticker,issuer_name,cluster_size'],
  insider_cluster_explanations: [
    ['insider', 'clusters', '--explain'],
    'ticker,date_first,date_last,verdict,reason',
  ],
  insider_cluster_signals: [['insider', 'clusters', '--signals'], 'day,ticker,cluster_size,total_value'],
};

/** The operations whose rows can be drawn. */
const drawable: ReadonlySet<string> = new Set([
  'observations',
  'revisions',
  'vintages',
  'curve',
  'yields',
  'spread',
]);

describe('the built program, with a store in a file or a database and with a service of the same store,', () => {
  it('is tested with every operation', () => {
    expect(operations.map(({ name }) => name).filter((name) => lines[name] === undefined)).toEqual([]);
  });

  const everyFormat = Object.entries(lines).flatMap(([name, [line, columns]]) =>
    formatNames.map((format) => [name, format, line, columns] as const),
  );
  it.each(everyFormat)('writes the same bytes of %s as %s', async (name, format, line, columns) => {
    const [embedded, remote] = await bothWays([...line, '-f', format]);
    expect(remote).toEqual(embedded);
    if ((format === 'svg' || format === 'png') && !drawable.has(name)) {
      expect([embedded.code, embedded.out]).toEqual([2, '']);
      return;
    }
    expect(embedded.code).toBe(0);
    if (format === 'csv') expect(embedded.out).toMatch(new RegExp(`^${columns}`));
    else expect(embedded.out.length).toBeGreaterThan(50);
  });

  it.each([
    ['observations of a pattern', ['obs', 'GDP*', '--limit', '3'], 0, 5],
    ['observations, oldest first', ['obs', 'GDP', '--sort', 'asc', '--all'], 0, 11],
    ['first releases', ['obs', 'GDP', '--first-release'], 0, 2],
    ['an as-of day that is not covered', ['obs', 'GDP', '--as-of', '2020-06-01'], 0, 1],
    ['no rows, which fail', ['obs', 'GDP', '--as-of', '2020-06-01', '--fail-empty'], 9, 1],
    ['a search by title', ['series', 'search', 'domestic', '--match', 'title'], 0, 2],
    ['an unknown series', ['obs', 'GDPX'], 3, 0],
    ['one unknown series of two', ['obs', 'GDPX', 'GDP', '--limit', '2'], 3, 0],
    ['an unknown series as a problem document', ['obs', 'GDPX', '--json'], 3, 0],
    ['a bad date', ['obs', 'GDP', '--from', '2020-02-30'], 2, 0],
    ['a bad date of a curve', ['curve', '--date', 'soon', '--on-or-before'], 2, 0],
    ['a curve beside another', ['curve', '--date', '2026-01-14', '--vs', '2026-01-13'], 0, 4],
    ['rates by date', ['yields', '--wide', '--limit', '2'], 0, 3],
    ['explained clusters', ['insider', 'clusters', '--explain', '--as-of', '2026-01-14'], 0, 5],
    ['clusters of sales', ['insider', 'clusters', '--code', 'S', '--min-insiders', '1'], 0, 2],
    ['filings of a name', ['insider', 'filings', '--owner', 'fund', '--from', '2025-01-01'], 0, 3],
    ['two ways to bound filings', ['insider', 'filings', '--days', '3', '--from', '2025-01-01'], 2, 0],
    ['an invalid cursor', ['yields', '--cursor', 'nonsense'], 2, 0],
  ])('ends in the same way after %s', async (_, line, code, rows) => {
    const [embedded, remote] = await bothWays(line);
    expect(remote).toEqual(embedded);
    expect([embedded.code, embedded.out.split('\n').length - 1]).toEqual([code, rows]);
  });

  it.each([
    ['several series', ['obs', 'GDP', oddId]],
    ['a pattern', ['obs', 'GDP*']],
    ['an as-of day', ['obs', 'GDP', '--as-of', '2020-12-31']],
    ['revisions', ['revisions', 'gdp', '--date', '2020-03-01']],
    ['a spread', ['spread']],
    ['a curve', ['curve', '--date', '2026-01-15', '--on-or-before']],
    ['two curves', ['curve', '--date', '2026-01-14', '--vs', '2026-01-13']],
    ['all but an unknown series', ['obs', 'GDPX', 'GDP', '--skip-missing']],
    ['rates over time', ['yields', '--maturity', '10Y']],
    ['a panel', ['panel', 'GDP', oddId, '--as-of', '2020-12-31']],
    [
      'a real-time panel',
      ['panel', 'GDP', '--as-of-each', 'month-end', '--from', '2020-01-01', '--to', '2020-12-31'],
    ],
    ['vintages', ['vintages', 'GDP']],
  ])('draws the same chart of %s', async (_, line) => {
    const [embedded, remote] = await bothWays([...line, '--plot']);
    expect(remote).toEqual(embedded);
    expect(Buffer.from(embedded.out, 'latin1').toString('utf8')).toMatch(/^ *└[─┬]+$/m);
  });

  it('writes the same files with --output', async () => {
    const file = join(folder, 'out.json');
    const contents: string[] = [];
    for (const variables of [
      { ASOF_STORE: store },
      { ASOF_BASE_URL: running.url, ASOF_API_KEY: running.key },
    ]) {
      expect(await run(['obs', 'GDP', '-o', file], variables)).toEqual({ code: 0, out: '', err: '' });
      contents.push(readFileSync(file, 'utf8').replace(/req_[0-9a-f]{32}/g, 'req_'));
    }
    expect(contents[1]).toBe(contents[0]);
    expect(JSON.parse(contents[0] ?? '').results).toHaveLength(10);
  });

  it('exits as soon as it has answered', async () => {
    const started = performance.now();
    await run(['ping'], { ASOF_BASE_URL: running.url, ASOF_API_KEY: running.key });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('never shows the key of the service', async () => {
    const variables = { ASOF_BASE_URL: proxy.url, ASOF_API_KEY: running.key };
    for (const line of [
      ['ping', '--debug'],
      ['obs', 'GDPX', '--debug'],
      ['obs', 'GDP', '--cursor', 'x', '--json', '--debug'],
    ]) {
      const { out, err } = await run(line, variables);
      expect(out + err).not.toContain(running.key.slice(-20));
      expect(err).toContain('x-api-key: (redacted)');
    }
  });
});
