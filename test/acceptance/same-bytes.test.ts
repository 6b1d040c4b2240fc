import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatNames } from '../../src/render/output.ts';
import { openStore } from '../../src/store/open.ts';
import { asof, type Ended } from '../support/command.ts';
import { contractStore, oddId } from '../support/contract-cases.ts';
import { newSchemaAddress } from '../support/engines.ts';
import { scratchFolder } from '../support/folders.ts';
import { behindPrefix, type Running, startService } from '../support/modes.ts';
import { operations } from '../support/operations.ts';
import { builtProgram } from '../support/repository.ts';

const folder = scratchFolder();
let store = '';
let database = '';
let running: Running;
let proxy: Omit<Running, 'key'>;

beforeAll(async () => {
  store = await contractStore(folder);
  database = await contractStore(folder, newSchemaAddress());
  const clock = () => new Date('2026-03-15T12:00:00Z');
  running = await startService({ openStore: () => openStore(store), clock });
  proxy = await behindPrefix(running.url, '/data/v0');
});
afterAll(async () => {
  await proxy.stop();
  await running.stop();
});

/** The text without request ids and the base address of error types. */
function withoutIds(said: string): string {
  return said.replace(/req_[0-9a-f]{32}/g, 'req_').replace(/"type": ".*\/errors\//g, '"type": "errors/');
}

async function run(line: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const { code, out, err } = await asof(line, { env });
  return { code, out: withoutIds(out), err: withoutIds(err) };
}

/** What a line over the store gives, which its service behind a prefix and a database of the same content give too. */
async function everyWay(line: readonly string[], ask = run): Promise<Ended> {
  const embedded = await ask(line, { ASOF_STORE: store });
  const served = await ask(line, { ASOF_BASE_URL: proxy.url, ASOF_API_KEY: running.key });
  // Only an operator can look up the id of a request.
  expect({ ...served, err: served.err.replace(/^ +request req_\n/m, '') }).toEqual(embedded);
  expect(await ask(line, { ASOF_STORE: database })).toEqual(embedded);
  return embedded;
}

/** The same with the bytes of the file that the line writes, as Latin-1, which keeps every byte. */
const writing: typeof run = async (line, env) => {
  const file = join(folder, 'out');
  const { code, err } = await run([...line, '-o', file], env);
  return { code, out: code === 0 ? withoutIds(readFileSync(file, 'latin1')) : '', err };
};

/** A command line for every operation, the first columns of its CSV, and whether its rows can be drawn. */
const lines: Readonly<Record<string, readonly [line: string, columns: string, drawn?: 'drawn']>> = {
  // Only a service counts requests.
  ping: [
    'ping --columns status,message,plan,monthly_limit,daily_limit,rate_per_minute,vintage_access',
    'status,message,plan',
  ],
  series_search: ['series search gdp', 'id,title,units'],
  series_show: ['series show ODD', 'id,title,units'],
  observations: ['observations gdp ODD --as-of 2020-12-31', 'date,value,as_of_date', 'drawn'],
  revisions: ['revisions gdp --date 2020-03-01', 'date,value,as_of_date', 'drawn'],
  vintages: ['vintages gdp', 'as_of_date,added,revised', 'drawn'],
  calendar: ['calendar --from 2020-01-01 --to 2021-12-31', 'date,time,zone,name'],
  due: ['due --every', 'source,name,release'],
  next_release: ['next gdp ODD', 'series_id,due,time'],
  curve: ['curve --date 2026-01-15 --on-or-before', 'trade_date,maturity,rate', 'drawn'],
  yields: ['yields --type tips', 'trade_date,maturity,rate', 'drawn'],
  spread: ['spread', 'trade_date,long_rate,short_rate,spread_bps', 'drawn'],
  insider_filings: ['insider filings --from 2025-01-01', 'filing_date,transaction_date,accession_number'],
  insider_clusters: ['insider clusters', 'ticker,issuer_name,cluster_size'],
  insider_cluster_explanations: ['insider clusters --explain', 'ticker,date_first,date_last,verdict,reason'],
  insider_cluster_signals: ['insider clusters --signals', 'day,ticker,cluster_size,total_value'],
};

const wordsOf = (line: string) => line.split(' ').map((word) => (word === 'ODD' ? oddId : word));

describe('asof with a store in a file or a database, and with a service of the same store,', () => {
  // What a format makes of rows does not depend on where they come from, so two operations have every format.
  const rows = operations.flatMap(({ name }) =>
    (name === 'observations' || name === 'calendar' ? formatNames : (['csv', 'json', 'svg'] as const)).map(
      (format) => [name, format] as const,
    ),
  );
  it.each(rows)('writes the same bytes of %s as %s', async (name, format) => {
    const [line = '', columns = '', drawn] = lines[name] ?? [];
    const { code, out } = await everyWay([...wordsOf(line), '-f', format], writing);
    const isDrawn = ['svg', 'png', 'pdf'].includes(format);
    if ((isDrawn && drawn === undefined) || (format === 'ics' && name !== 'calendar')) {
      expect(code).toBe(2);
      return;
    }
    expect(code).toBe(0);
    if (format === 'csv') expect(out).toMatch(new RegExp(`^${columns}`));
    else expect(out.length).toBeGreaterThan(50);
  });

  it.each([
    ['observations of a pattern', ['obs', 'GDP*', '--limit', '3'], 0, 5],
    ['an as-of day that is not covered', ['obs', 'GDP', '--as-of', '2020-06-01'], 0, 1],
    ['no rows, which fail', ['obs', 'GDP', '--as-of', '2020-06-01', '--fail-empty'], 9, 1],
    ['an unknown series', ['obs', 'GDPX'], 3, 0],
    ['one unknown series of two', ['obs', 'GDPX', 'GDP', '--limit', '2'], 3, 0],
    ['an unknown series as a problem document', ['obs', 'GDPX', '--json'], 3, 0],
    ['a bad date', ['obs', 'GDP', '--from', '2020-02-30'], 2, 0],
    ['a bad date of a curve', ['curve', '--date', 'soon', '--on-or-before'], 2, 0],
    ['two ways to bound filings', ['insider', 'filings', '--days', '3', '--from', '2025-01-01'], 2, 0],
    ['an invalid cursor', ['yields', '--cursor', 'nonsense'], 2, 0],
  ])('ends in the same way after %s', async (_, line, code, rows) => {
    const ended = await everyWay(line);
    expect([ended.code, ended.out.split('\n').length - 1]).toEqual([code, rows]);
  });

  it('exits as soon as it has answered, when it is built', async () => {
    const started = performance.now();
    const env = { PATH: process.env.PATH, ASOF_BASE_URL: running.url, ASOF_API_KEY: running.key };
    const child = spawn(process.execPath, [builtProgram, 'obs', 'gdp'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await text(child.stdout)).toBe((await run(['obs', 'gdp'], { ASOF_STORE: store })).out);
    await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(0)));
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it.each(['ping --debug', 'obs GDPX --debug', 'obs GDP --cursor x --json --debug'])(
    'never shows the key of the service: %s',
    async (line) => {
      const { out, err } = await run(line.split(' '), {
        ASOF_BASE_URL: proxy.url,
        ASOF_API_KEY: running.key,
      });
      expect(out + err).not.toContain(running.key.slice(-20));
      expect(err).toContain('x-api-key: (redacted)');
    },
  );
});

describe('the built program', () => {
  it('writes Parquet through a pipe byte by byte', async () => {
    const [file, piped] = [join(folder, 'gdp.parquet'), join(folder, 'piped.parquet')];
    await asof(['obs', 'GDP', '--store', store, '-o', file]);
    const line = '"$0" "$1" obs GDP --store "$2" -f parquet | cat > "$3"';
    spawnSync('sh', ['-c', line, process.execPath, builtProgram, store, piped]);
    expect(readFileSync(piped).equals(readFileSync(file))).toBe(true);
  });

  it('loads the code of Parquet for no other format', () => {
    const parts = join(builtProgram, '..', 'parts');
    // The magic number of a Parquet file, as the library spells it.
    const withMagic = [builtProgram, ...readdirSync(parts).map((name) => join(parts, name))].filter((path) =>
      readFileSync(path, 'utf8').includes(String(0x31524150)),
    );
    // The reader of tables has it too.
    expect(withMagic).toHaveLength(2);
    const hook = join(folder, 'loaded.cjs');
    const loaded = "Object.keys(require('node:module')._cache).join('\\n')";
    writeFileSync(hook, `process.on('exit', () => console.error(${loaded}));\n`);
    const loadedFor = (format: string) => {
      const line = ['-r', hook, builtProgram, 'obs', 'GDP', '--store', store, '-f', format];
      const { stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' });
      return stderr.split('\n').filter((path) => withMagic.includes(path)).length;
    };
    expect(['csv', 'table', 'parquet'].map(loadedFor)).toEqual([0, 0, withMagic.length]);
  });
});
