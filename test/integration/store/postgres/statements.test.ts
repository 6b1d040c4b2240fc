import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkStore } from '../../../../src/maintenance/check.ts';
import { copyStore } from '../../../../src/maintenance/copy.ts';
import { removeSeries, renameSeries } from '../../../../src/maintenance/series.ts';
import { undoStoreImport } from '../../../../src/maintenance/undo.ts';
import { initStore, openAccess, openWriter } from '../../../../src/store/open.ts';
import { databaseWithCitus, postgres } from '../../../support/engines.ts';
import { filing } from '../../../support/filings.ts';
import { type RecordedStatement, recordStatements } from '../../../support/postgres/recorded-statements.ts';
import { root } from '../../../support/repository.ts';
import { facts, importFiles, reading } from '../../../support/scratch-store.ts';

// The suites below run again here, on PostgreSQL alone, so that their statements are recorded.
vi.mock('../../../support/engines.ts', async (original) => {
  const engines = await original<typeof import('../../../support/engines.ts')>();
  const { postgres } = engines;
  return {
    ...engines,
    engines: [postgres],
    onEveryEngine: (cases: (engine: unknown) => void) => cases(postgres),
  };
});
vi.mock('../../../support/arbitrary.ts', async (original) => ({
  ...(await original<typeof import('../../../support/arbitrary.ts')>()),
  runs: () => 2,
}));
const recorded = recordStatements();
await import('../../maintenance/check.test.ts');
await import('../../maintenance/copy.test.ts');
await import('../../maintenance/merge.test.ts');
await import('../../maintenance/series.test.ts');
await import('../../maintenance/undo.test.ts');
await import('../access-contract.test.ts');
await import('../contract.test.ts');
await import('../curves.test.ts');
await import('../filings.test.ts');
await import('../observations.test.ts');

const page = join(root, 'test/integration/store/postgres/statements.md');

/** Where Citus runs a statement. */
type Place = 'one shard' | 'shards of the keys' | 'every shard' | 'the coordinator';

type Routed = { readonly sql: string; readonly place: Place; readonly tables: readonly string[] };

/** Distributed tables, by what they are distributed by. */
const keys: Readonly<Record<string, readonly string[]>> = {
  series: ['series', 'fact', 'respelling', 'vintage', 'description_change', 'word'],
  issuer: ['filing', 'trade', 'symbol'],
};

const distributed = Object.values(keys).flat();

let database: Awaited<ReturnType<typeof databaseWithCitus>>;
let client: pg.Client;
let routed: readonly Routed[] = [];

beforeAll(async () => {
  database = await databaseWithCitus();
  await initStore(database.address, true);
  await (await openAccess(database.address, { counting: false })).close();
  client = new pg.Client({ connectionString: database.address });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.remove();
});

/** The tables of a plan by name, each with the numbers of the shards that it reads or writes. */
async function planned(sql: string, values: readonly unknown[]): Promise<ReadonlyMap<string, Set<string>>> {
  const names: string[] = [];
  const text = sql.replace(/^declare batches no scroll cursor for /, '').replace(/@(\w+)/g, (_, name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const { rows } = await client.query<{ 'QUERY PLAN': unknown }>({
    text: `explain (format json) ${text}`,
    values: [...values],
  });
  const found = new Map<string, Set<string>>();
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    const name = (node as Readonly<Record<string, unknown>>)['Relation Name'];
    if (typeof name === 'string') {
      const [table = '', shard] = name.split('_shard');
      // The plan of a modification names the whole table, and then the shards of it.
      const shards = found.get(table) ?? new Set<string>();
      if (shard !== undefined) shards.add(shard);
      found.set(table, shards);
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(rows[0]?.['QUERY PLAN']);
  return found;
}

async function route({ sql, runs }: RecordedStatement): Promise<Routed> {
  const tables = [...new Set([...sql.matchAll(/\basof\.(\w+)/g)].map(([, name = '']) => name))].sort();
  if (!tables.some((table) => distributed.includes(table))) return { sql, place: 'the coordinator', tables };
  // Its rows come from an array or from values: Citus sends each to the shard of its key.
  const inserted = /^insert into asof\.\w+ \((?:series|id)\b/.test(sql);
  if (inserted) return { sql, place: 'one shard', tables };
  if (sql.startsWith('insert into')) return { sql, place: 'shards of the keys', tables };
  let place: Place = 'one shard';
  for (const values of runs) {
    const plan = await planned(sql, values);
    const shards = new Set([...plan.values()].flatMap((own) => [...own]));
    if (shards.size <= 1) continue;
    place = /\b(?:series|id|issuer_cik) = any\(/.test(sql) ? 'shards of the keys' : 'every shard';
    break;
  }
  if (place === 'one shard' && !/\b(?:series|id|issuer_cik) = @/.test(sql)) place = 'every shard';
  if (/\b(?:series|id|issuer_cik) = any\(/.test(sql)) place = 'shards of the keys';
  return { sql, place, tables };
}

/** Without those that are another one, in the same place, with fewer conditions. */
function widest(statements: readonly Routed[]): readonly Routed[] {
  const conditions = (sql: string) => {
    const [, head = sql, where = '', tail = ''] = /^(.*? where )(.*?)( order by .*)?$/.exec(sql) ?? [];
    return { frame: head.replace(/ where $/, '') + tail, parts: where.split(' and ') };
  };
  const narrower = (one: string, other: string) => {
    const [a, b] = [conditions(one), conditions(other)];
    const whole = conditions(`${one} where `).frame;
    return (
      (a.frame === b.frame || whole === b.frame) &&
      a.parts.length < b.parts.length &&
      a.parts.every((part) => part === '' || b.parts.includes(part))
    );
  };
  return statements.filter(
    ({ sql, place }) => !statements.some((other) => other.place === place && narrower(sql, other.sql)),
  );
}

/** A statement on the lines of a page. */
function linesOf(sql: string): readonly string[] {
  const lines: string[] = [];
  for (const word of sql.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length > 110)
      lines.push(line === undefined ? word : `  ${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function documentOf(statements: readonly Routed[]): string {
  const section = (title: string, about: string, of: readonly Routed[]) => [
    `## ${title}`,
    '',
    about,
    '',
    ...of.flatMap(({ sql }) => ['```sql', ...linesOf(sql), '```', '']),
  ];
  const by = (place: Place, key?: string) =>
    statements.filter(
      (one) => one.place === place && (key === undefined || keys[key]?.includes(one.tables[0] ?? '')),
    );
  return [
    ...section(
      'One shard, by the series',
      'Each table of these has the id of one series.',
      by('one shard', 'series'),
    ),
    ...section(
      'The shards of the series that an import names',
      'No other shard takes part.',
      by('shards of the keys', 'series'),
    ),
    ...section(
      'The shards of some issuers',
      'No other shard takes part.',
      by('shards of the keys', 'issuer'),
    ),
    ...section(
      'Every shard of the series',
      'Each shard does its part, and the coordinator puts the rows in order.',
      by('every shard', 'series'),
    ),
    ...section(
      'Every shard of the filings',
      'Joins are by the issuer, so that each shard joins its own rows.',
      by('every shard', 'issuer'),
    ),
    ...section('The coordinator', 'These name no distributed table.', by('the coordinator')),
  ].join('\n');
}

/** Sends the statements that the suites leave out, or send by chance. */
async function sendTheRest(): Promise<void> {
  const address = postgres.newAddress();
  const [said, again] = ['GDP 2014-10-01 2015-01-30', 'GDP 2014-10-01 2015-02-27'];
  await importFiles(address, { 'a.csv': facts(`${said} 1.5`, `${again} 1.50`) });
  await importFiles(address, { 'b.csv': facts(`${again} 2`) }, { replace: true });
  for (const issuerCik of ['0000000001', '0000000002']) {
    const writer = await openWriter(address);
    await writer.mergeFilings([filing({ issuerCik })], { replace: true });
    await writer.commit();
  }
  const day = '2015-01-30';
  await reading(address, async (view) => {
    await view.filings.page({
      ...{ ticker: 'A', ownerName: 'b', transactionCode: 'P', from: day, to: day, limit: 9 },
      after: { filedOn: day, filingId: 'x', row: 1 },
    });
    const clusterTrades = [
      { issuerCiks: ['1'], asOf: day },
      { ticker: 'A', asOf: day },
    ];
    for (const query of clusterTrades)
      for (const uncounted of [false, true])
        for await (const _ of view.filings.clusterTrades({ ...query, code: 'P', uncounted }));
    for (const code of ['P', 'S']) {
      await view.filings.tradePlaces({ code, before: day, limit: 9 });
      await view.filings.filedTrades({ code, before: day, limit: 9 });
    }
    for (const firstRelease of [true, false]) {
      const range = { from: '2014-01-01', to: day, before: day };
      await view.series.observations({
        seriesId: 'GDP',
        ...range,
        asOf: '2015-02-27',
        firstRelease,
        limit: 9,
      });
    }
    await view.series.searchEntries({ words: ['a'], starts: ['b'], ids: ['GDP'], part: 'X' });
    for (const what of ['ids', 'words'] as const) await view.series.searchable(what);
    await view.series.impliedFrequencies('GDP');
    await view.series.search({ text: '', ids: ['GDP'], limit: 9 });
    const after = { tradeDate: day, maturity: '1Y' };
    await view.rates.yields({ curveType: 'PAR', maturity: '10Y', from: day, to: day, after, limit: 9 });
    for (const onOrBefore of [true, false])
      await view.rates.curve({ curveType: 'PAR', date: day, onOrBefore });
    await view.state('GDP');
  });
  const copy = postgres.newAddress();
  await copyStore(address, copy);
  await checkStore(copy);
  await importFiles(
    copy,
    { 'c.csv': facts(`${again} 3`), 'p.csv': 'Date,"1 Mo"\n2015-01-02,0.02\n' },
    { replace: true },
  );
  const writer = await openWriter(copy);
  await writer.mergeFilings([filing({ filingId: '0000000001-26-000009' })], { replace: false });
  await writer.recordImport({
    importedAt: day,
    file: 'f',
    kind: 'k',
    sha256: '',
    series: 0,
    statementsNew: 1,
    statementsKnown: 0,
    withdrawn: 0,
  });
  await writer.commit();
  for (const _ of [1, 2]) await undoStoreImport(copy);
  await renameSeries(copy, 'GDP', 'NEW');
  await removeSeries(copy, 'NEW');
  const access = await openAccess(postgres.newAddress(), { counting: true });
  const [began, ends] = [new Date('2026-01-15T00:00:00Z'), new Date('2026-01-16T00:00:00Z')];
  const windows = ['minute', 'day', 'month'] as const;
  await access.count?.(
    'k',
    1,
    windows.map((window) => ({ window, began, ends, limit: 10 })),
  );
  await access.saveUsage(windows.map((window) => ({ keyId: 'k', window, began, count: 1 })));
  await access.close();
}

describe('the statements of a store that Citus distributes', () => {
  beforeAll(async () => {
    await sendTheRest();
    const all: Routed[] = [];
    for (const statement of recorded()) all.push(await route(statement));
    routed = widest(all);
  });

  it('never join a table of the coordinator, or one with another key, with a distributed one', () => {
    const groups = (tables: readonly string[]) =>
      new Set(
        tables.map((table) => Object.keys(keys).find((key) => keys[key]?.includes(table)) ?? 'coordinator'),
      );
    expect(routed.filter(({ tables }) => groups(tables).size > 1).map(({ sql }) => sql)).toEqual([]);
  });

  it('about one series or one issuer need one shard, by the plan of PostgreSQL for the same partitions', () => {
    const ofOne = routed.filter(({ sql }) => /\b(?:series|issuer_cik) = @/.test(sql));
    expect(ofOne.length).toBeGreaterThan(15);
    expect(ofOne.filter(({ place }) => place !== 'one shard').map(({ sql }) => sql)).toEqual([]);
  });

  it('that write use nothing that Citus has not in a modification', () => {
    const modify = routed.filter(
      ({ sql, place }) => place !== 'the coordinator' && /^(?:update|delete)/.test(sql),
    );
    expect(modify.length).toBeGreaterThan(5);
    const refused = /\busing\b|\bunnest\(|gen_random_uuid|\bnow\(|\brandom\(|nextval/;
    expect(modify.filter(({ sql }) => refused.test(sql)).map(({ sql }) => sql)).toEqual([]);
    const many = modify.filter(({ place }) => place !== 'one shard');
    expect(many.filter(({ sql }) => /\(select|\bfrom \(/.test(sql)).map(({ sql }) => sql)).toEqual([]);
  });

  it('of every shard use nothing that Citus has only within one', () => {
    const every = routed.filter(({ place }) => place === 'every shard' || place === 'shards of the keys');
    expect(every.length).toBeGreaterThan(5);
    const refused = /\bwith\b|\bover \(|distinct on|\bunion\b|^select \(|for update|lateral|, \(select/;
    expect(every.filter(({ sql }) => refused.test(sql)).map(({ sql }) => sql)).toEqual([]);
  });

  it('are those of the reference, by the place where each runs', () => {
    const text = readFileSync(page, 'utf8');
    const mark = '<!-- generated: statements -->\n';
    const head = text.slice(0, text.indexOf(mark) + mark.length);
    const made = `${head}\n${documentOf([...routed].sort((a, b) => (a.sql < b.sql ? -1 : 1)))}<!-- end -->\n`;
    if (process.env.DOCS_REFRESH === '1') writeFileSync(page, made);
    expect(readFileSync(page, 'utf8')).toBe(made);
  });
});
