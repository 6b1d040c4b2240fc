import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkStore } from '../../../../src/maintenance/check.ts';
import { copyStore } from '../../../../src/maintenance/copy.ts';
import { removeSeries, renameSeries } from '../../../../src/maintenance/series.ts';
import { undoStoreImport } from '../../../../src/maintenance/undo.ts';
import { initStore, openAccess, openWriter } from '../../../../src/store/open.ts';
import { Database } from '../../../../src/store/postgres/connection.ts';
import { databaseWithCitus, postgres } from '../../../support/engines.ts';
import { filing } from '../../../support/filings.ts';
import { root } from '../../../support/repository.ts';
import { facts, importFiles, importFilings, reading } from '../../../support/scratch-store.ts';

// The contract of stores runs here on PostgreSQL: all its statements are recorded, and each transaction begins anew.
vi.mock('../../../support/engines.ts', async (original) => {
  const engines = await original<typeof import('../../../support/engines.ts')>();
  const contract: typeof engines.contract = (cases) =>
    describe('on PostgreSQL', () => cases(engines.postgres));
  return { ...engines, contract };
});

/** The statements that were sent, but those that make and distribute tables, with the parameters of some runs. */
const recorded = new Map<string, (readonly unknown[])[]>();
const sources = new Map<string, string>();
const { compiled } = Database.prototype;
vi.spyOn(Database.prototype, 'compiled').mockImplementation(function (this: Database, sql) {
  const made = compiled.call(this, sql);
  sources.set(made.text, sql);
  return made;
});
const query = pg.Client.prototype.query as (...given: readonly unknown[]) => unknown;
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
  const [sent] = given as [{ readonly text?: string; readonly values?: readonly unknown[] }];
  const sql = sources.get(sent.text ?? '');
  if (sql !== undefined && !isMigration(sql)) {
    const oneLine = sql.replaceAll(/\s+/g, ' ').trim();
    const runs = recorded.get(oneLine) ?? [];
    if (runs.length < 20) runs.push(sent.values ?? []);
    recorded.set(oneLine, runs);
  }
  const answer = query.apply(this, given);
  // A pooler may give each transaction another connection: none finds what an earlier one left in its session.
  if (/^(?:commit|rollback)$/.test(sent.text ?? String(given[0])))
    Promise.resolve(query.call(this, 'discard all')).catch(() => undefined);
  return answer;
});

function isMigration(sql: string): boolean {
  return (
    /^\s*(?:--.*\s*)*(?:create|alter|do)\b/.test(sql) || /set format = |citus|pg_dist_partition/.test(sql)
  );
}

await import('../contract-suites.ts');

const page = join(root, 'test/integration/store/postgres/statements.md');

/** Where Citus runs a statement. */
type Place = 'one shard' | 'shards of the keys' | 'every shard' | 'the coordinator';

type Routed = { readonly sql: string; readonly place: Place; readonly tables: readonly string[] };

/** Distributed tables, by what they are distributed by. */
const keys: Readonly<Record<string, readonly string[]>> = {
  series: ['series', 'fact', 'respelling', 'vintage', 'description_change', 'series_change'],
  issuer: ['filing', 'trade', 'symbol'],
};

/** What a table is distributed by; nothing for a table of the coordinator. */
const keyOf = (table = '') => Object.keys(keys).find((key) => keys[key]?.includes(table));

const ofOneKey = /\b(?:series|id|issuer_cik) = @/;
const ofKeys = /\b(?:series|id|issuer_cik) = any\(/;

let database: Awaited<ReturnType<typeof databaseWithCitus>>;
let client: pg.Client;
let routed: readonly Routed[] = [];

afterAll(async () => {
  await client.end();
  await database.remove();
});

/** The shards that a statement reads or writes, by its plan. */
async function shardsOf(sql: string, values: readonly unknown[]): Promise<ReadonlySet<string>> {
  const names: string[] = [];
  const text = sql.replace(/^declare batches no scroll cursor for /, '').replace(/@(\w+)/g, (_, name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const { rows } = await client.query({ text: `explain (format json) ${text}`, values: [...values] });
  // The plan of a modification names the whole table, and then the shards of it.
  const named = JSON.stringify(rows).matchAll(/"Relation Name":"\w+_shard(\d+)"/g);
  return new Set([...named].map(([, shard = '']) => shard));
}

async function route(sql: string, runs: readonly (readonly unknown[])[]): Promise<Routed> {
  const tables = [...new Set([...sql.matchAll(/\basof\.(\w+)/g)].map(([, name = '']) => name))].sort();
  const at = (place: Place): Routed => ({ sql, place, tables });
  if (tables.every((table) => keyOf(table) === undefined)) return at('the coordinator');
  // Its rows come from an array or from values: Citus sends each to the shard of its key.
  if (/^insert into asof\.\w+ \((?:series|id)\b/.test(sql)) return at('one shard');
  // An import locks the rows of one shard after the other.
  if (/ for update(?: nowait)?$/.test(sql)) return at('one shard');
  if (sql.startsWith('insert into') || ofKeys.test(sql)) return at('shards of the keys');
  if (!ofOneKey.test(sql)) return at('every shard');
  for (const values of runs) if ((await shardsOf(sql, values)).size > 1) return at('every shard');
  return at('one shard');
}

/** Without those that are another one, in the same place, with fewer conditions: chance decides which of them the suites send. */
function widest(statements: readonly Routed[]): readonly Routed[] {
  const partsOf = (sql: string) => sql.split(/ and | where |(?= order by )/);
  const split = statements.map((one) => ({ one, parts: partsOf(one.sql) }));
  const isWithin = (parts: readonly string[], others: readonly string[]) => {
    let found = 0;
    for (const other of others) if (other === parts[found]) found += 1;
    return found === parts.length && found < others.length;
  };
  return split
    .filter(
      ({ one, parts }) => !split.some((wide) => wide.one.place === one.place && isWithin(parts, wide.parts)),
    )
    .map(({ one }) => one);
}

function documentOf(statements: readonly Routed[]): string {
  const section = (title: string, about: string, place: Place, key?: string) => {
    const own = statements.filter(
      (one) => one.place === place && (key === undefined || keyOf(one.tables[0]) === key),
    );
    const blocks = own.map(
      ({ sql }) => `\`\`\`sql\n${sql.replaceAll(/(.{1,108})(?: |$)/g, '$1\n  ').trim()}\n\`\`\`\n`,
    );
    return [`## ${title}\n`, `${about}\n`, ...blocks];
  };
  const alone = 'No other shard takes part.';
  return [
    ...section(
      'One shard, by the series',
      'Each table of these has the id of one series.',
      'one shard',
      'series',
    ),
    ...section('The shards of the series that an import names', alone, 'shards of the keys', 'series'),
    ...section('The shards of some issuers', alone, 'shards of the keys', 'issuer'),
    ...section(
      'Every shard of the series',
      'Each shard does its part, and the coordinator puts the rows in order.',
      'every shard',
      'series',
    ),
    ...section(
      'Every shard of the filings',
      'Joins are by the issuer, so that each shard joins its own rows.',
      'every shard',
      'issuer',
    ),
    ...section('The coordinator', 'These name no distributed table.', 'the coordinator'),
  ].join('\n');
}

/** Sends the statements that the suites leave out, or send by chance. */
async function sendTheRest(): Promise<void> {
  const address = postgres.newAddress();
  const [said, again] = ['GDP 2014-10-01 2015-01-30', 'GDP 2014-10-01 2015-02-27'];
  await importFiles(address, { 'a.csv': facts(`${said} 1.5`, `${again} 1.50`) });
  await importFiles(address, { 'b.csv': facts(`${again} 2`) }, { replace: true });
  for (const issuerCik of ['0000000001', '0000000002'])
    await importFilings(address, [filing({ issuerCik })], { replace: true });
  const day = '2015-01-30';
  const range = { from: day, to: day, limit: 9 };
  await reading(address, async ({ filings, rates, series, state }) => {
    const after = { filedOn: day, filingId: 'x', row: 1 };
    for (const query of [{}, { ticker: 'MAIA' }])
      await filings.page({ ...range, ...query, ownerName: 'b', transactionCode: 'P', after });
    for (const query of [{}, { issuerCiks: ['1'] }, { ticker: 'MAIA' }])
      for (const uncounted of [false, true])
        for await (const _ of filings.clusterTrades({ ...query, asOf: day, code: 'P', uncounted }));
    for (const code of ['P', 'S']) {
      await filings.tradePlaces({ code, before: day, limit: 9 });
      await filings.filedTrades({ code, before: day, limit: 9 });
    }
    await series.wordEntries({ words: ['a'], starts: ['b'] });
    await series.seriesEntries({ keys: ['GDP'], ids: ['GDP'], part: 'X' });
    await series.seriesIds();
    await series.impliedFrequencies('GDP');
    await series.search({ text: '', ids: ['GDP'], limit: 9 });
    const curve = { curveType: 'PAR' } as const;
    await rates.yields({ ...curve, ...range, maturity: '10Y', after: { tradeDate: day, maturity: '1Y' } });
    for (const onOrBefore of [true, false]) await rates.curve({ ...curve, date: day, onOrBefore });
    await state('GDP');
  });
  // The first page as of a day reads what the next one knows.
  for (const firstRelease of [true, false])
    await reading(address, async ({ series }) => {
      for (const asOf of [undefined, day, day])
        await series.observations({
          ...{ ...range, seriesId: 'GDP', before: day, firstRelease },
          ...(asOf !== undefined && { asOf }),
        });
    });
  const copy = postgres.newAddress();
  await copyStore(address, copy);
  await checkStore(copy);
  const changed = { 'c.csv': facts(`${again} 3`), 'p.csv': 'Date,"1 Mo"\n2015-01-02,0.02\n' };
  await importFiles(copy, changed, { replace: true });
  const writer = await openWriter(copy);
  await writer.mergeFilings([filing({ filingId: '0000000001-26-000009' })], { replace: false });
  const counts = { series: 0, statementsNew: 1, statementsKnown: 0, withdrawn: 0 };
  await writer.recordImport({ importedAt: day, file: 'f', kind: 'k', sha256: '', ...counts });
  await writer.commit();
  for (const _ of [1, 2]) await undoStoreImport(copy);
  await renameSeries(copy, 'GDP', 'NEW');
  await removeSeries(copy, 'NEW');
  const access = await openAccess(postgres.newAddress(), { counting: true });
  const [began, ends] = [new Date('2026-01-15T00:00:00Z'), new Date('2026-01-16T00:00:00Z')];
  const windows = (['minute', 'day', 'month'] as const).map((window) => ({ window, began }));
  await access.count?.(
    'k',
    1,
    windows.map((one) => ({ ...one, ends, limit: 10 })),
  );
  await access.saveUsage(windows.map((one) => ({ ...one, keyId: 'k', count: 1 })));
  await access.close();
}

describe('the statements of a store that Citus distributes', () => {
  const sqlOf = (statements: readonly Routed[]) => statements.map(({ sql }) => sql);

  beforeAll(async () => {
    await sendTheRest();
    const all = [...recorded];
    database = await databaseWithCitus();
    await initStore(database.address, true);
    await (await openAccess(database.address, { counting: false })).close();
    client = new pg.Client({ connectionString: database.address });
    await client.connect();
    routed = widest(await Promise.all(all.map(([sql, runs]) => route(sql, runs))));
  });

  it('never join a table of the coordinator, or one with another key, with a distributed one', () => {
    expect(sqlOf(routed.filter(({ tables }) => new Set(tables.map(keyOf)).size > 1))).toEqual([]);
  });

  it('about one series or one issuer need one shard, by the plan of PostgreSQL for the same partitions', () => {
    const ofOne = routed.filter(
      ({ sql, tables }) => tables.some(keyOf) && /\b(?:series|issuer_cik) = @/.test(sql),
    );
    expect(ofOne.length).toBeGreaterThan(15);
    expect(sqlOf(ofOne.filter(({ place }) => place !== 'one shard'))).toEqual([]);
  });

  it('that write use nothing that Citus has not in a modification', () => {
    const modify = routed.filter(
      ({ sql, place }) => place !== 'the coordinator' && /^(?:update|delete)/.test(sql),
    );
    expect(modify.length).toBeGreaterThan(5);
    const refused = /\busing\b|\bunnest\(|gen_random_uuid|\bnow\(|\brandom\(|nextval/;
    const many = modify.filter(({ place }) => place !== 'one shard');
    expect(sqlOf(modify).filter((sql) => refused.test(sql))).toEqual([]);
    expect(sqlOf(many).filter((sql) => /\(select|\bfrom \(/.test(sql))).toEqual([]);
  });

  it('of every shard use nothing that Citus has only within one', () => {
    const every = routed.filter(({ place }) => place === 'every shard' || place === 'shards of the keys');
    expect(every.length).toBeGreaterThan(5);
    // Citus makes rows of one series distinct in their shard.
    const refused =
      /\bwith\b|\bover \(|distinct on \((?!series)|\bunion\b|^select \(|for update|lateral|, \(select/;
    expect(sqlOf(every).filter((sql) => refused.test(sql))).toEqual([]);
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
