import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExpectedAnswers } from '../../../../src/client/client.ts';
import { embeddedClient } from '../../../../src/client/open.ts';
import type { Problem } from '../../../../src/errors/problem.ts';
import { checkStore } from '../../../../src/maintenance/check.ts';
import { removeSeries } from '../../../../src/maintenance/series.ts';
import { undoStoreImport } from '../../../../src/maintenance/undo.ts';
import type { ParamTexts } from '../../../../src/operations/param.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { initStore, openStore, readStoreIfAny } from '../../../../src/store/open.ts';
import { hashOf } from '../../../../src/store/postgres/shards.ts';
import type { ObservationQuery, Store } from '../../../../src/store/store.ts';
import { agreeing, onePerKey, runs } from '../../../support/arbitrary.ts';
import { asAsofCsv } from '../../../support/encodings.ts';
import { databaseWithCitus, inDatabase, newSchemaAddress } from '../../../support/engines.ts';
import { filing } from '../../../support/filings.ts';
import {
  asOf,
  emptyModel,
  expectKnowledge,
  firstReleases,
  importInto,
  type ModelStatement,
} from '../../../support/knowledge.ts';
import {
  facts,
  failureOf,
  importFiles,
  importFilings,
  observationsIn,
  reading,
  withStore,
} from '../../../support/scratch-store.ts';

const ids = Array.from({ length: 40 }, (_, i) => `S${String(i).padStart(2, '0')}`);
const months = ['2020-01-01', '2020-02-01', '2020-03-01', '2020-04-01'];
const days = ['2020-05-10', '2020-06-10', '2020-07-10'];

/** Values that each vintage changes for some dates, and withdraws for others. */
const made: readonly ModelStatement[] = ids.flatMap((series, s) =>
  months.flatMap((date, m) =>
    days.map((day, d) => ({
      series,
      date,
      asOf: day,
      value: (s + m + d) % 7 === 0 ? null : `${s}.${(m * d) % 3}`,
    })),
  ),
);
const known = importInto(emptyModel, made).after;
const files = asAsofCsv(made)[0]?.files ?? {};

let citus: Awaited<ReturnType<typeof databaseWithCitus>>;
let count = 0;
const newAddress = () => `${citus.address}?schema=s${++count}`;
const address = newSchemaAddress();
beforeAll(async () => {
  await importFiles(address, files);
  citus = await databaseWithCitus();
});
afterAll(() => citus.remove());

let sent: { readonly text: string; readonly values: readonly unknown[] }[] = [];
const query = pg.Client.prototype.query as (...given: readonly unknown[]) => unknown;
vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
  const [config] = given as [string | { readonly text: string; readonly values?: readonly unknown[] }];
  const { text, values = [] } = typeof config === 'string' ? { text: config } : config;
  sent.push({ text, values });
  return query.apply(this, given);
});
beforeEach(() => {
  sent = [];
});

/** Pages of several series that are asked for at once. */
async function pagesOf(store: Store, asked: readonly string[], bounds: Omit<ObservationQuery, 'seriesId'>) {
  if (store.readTogether === undefined) throw new Error('this store reads one by one');
  return store.readTogether((view) =>
    Promise.all(asked.map((seriesId) => view.series.observations({ ...bounds, seriesId }))),
  );
}

describe('pages of many series that are asked for together', () => {
  it.each<[string, Omit<ObservationQuery, 'seriesId'>]>([
    ['as they are known now', { limit: 1000 }],
    ['as of a day', { limit: 1000, asOf: '2020-06-15' }],
    ['from one date to another', { limit: 1000, from: '2020-02-01', to: '2020-03-01' }],
    ['with a limit', { limit: 2, asOf: '2020-06-10' }],
    ['of first releases', { limit: 1000, firstRelease: true, asOf: '2020-07-10' }],
  ])('are those of each series, %s', async (_, bounds) => {
    const pages = await withStore(address, (store) => pagesOf(store, ids, bounds));
    const { asOf: day, from = '', to = '9', limit, firstRelease } = bounds;
    for (const [i, id] of ids.entries()) {
      const rows = (firstRelease === true ? firstReleases : asOf)(known, id, day);
      expect(pages[i]?.rows).toEqual(rows.filter(({ date }) => date >= from && date <= to).slice(0, limit));
      expect(pages[i]?.series.id).toBe(id);
      expect(pages[i]?.vintage.newest?.asOf).toBe(days.findLast((one) => one <= (day ?? '9')));
    }
  });

  it('have none for a series that does not exist, and the same for one that is asked for twice', async () => {
    const asked = ['S01', 'NONE', 'S01', "'; --"];
    const pages = await withStore(address, (store) => pagesOf(store, asked, { limit: 9 }));
    const own = asOf(known, 'S01');
    expect(pages.map((page) => page?.rows)).toEqual([own, undefined, own, undefined]);
  });

  it('take as many statements as the page of one series', async () => {
    const count = (asked: readonly string[]) =>
      withStore(address, async (store) => {
        await pagesOf(store, ['S00'], { limit: 9 });
        sent = [];
        await pagesOf(store, asked, { limit: 9 });
        return sent.length;
      });
    expect(await count(ids)).toBe(await count(['S01']));
  });

  it('are asked for by shard on Citus, and each table by the series of one shard', async () => {
    await importFiles(citus.address, files);
    await initStore(citus.address, true);
    const placed = await inDatabase(
      (client) =>
        client.query<{ id: string; shard: string }>(
          "select id, get_shard_id_for_distribution_column('asof.series', id) as shard from unnest($1::text[]) as id",
          [ids],
        ),
      citus.address,
    );
    const shardOf = new Map(placed.rows.map(({ id, shard }) => [id, shard]));
    sent = [];
    await withStore(citus.address, async (open) => {
      const pages = await pagesOf(open, ids, { limit: 9 });
      expect(pages.map((page) => page?.rows)).toEqual(ids.map((id) => asOf(known, id)));
    });
    const aboutFacts = sent.filter(({ text }) => /\bfact\b/.test(text));
    expect(aboutFacts.length).toBe(new Set(shardOf.values()).size);
    const asked = aboutFacts.map(({ values }) => [values[0]].flat().map(String));
    expect(asked.flat().sort()).toEqual([...ids].sort());
    for (const own of asked) expect(new Set(own.map((id) => shardOf.get(id))).size).toBe(1);
    for (const { text, values } of aboutFacts) {
      // The conditions of the series, its vintage and its facts.
      const conditions = text.match(/= each\.id and (?:series|id) = any\(\$1::text\[\]\)/g);
      expect(conditions?.length ?? 0).toBe(Array.isArray(values[0]) ? 3 : 0);
    }
  });
});

describe('a client of a store in PostgreSQL that is told what comes next', () => {
  const question = (id: string): ParamTexts => [
    ['id', id],
    ['limit', '1000'],
  ];

  it('gives the answers that it gives without that, in fewer statements', async () => {
    const client = embeddedClient(await openStore(address));
    const asked = [...ids.slice(0, 20), 'NONE', ...ids.slice(20)].map(question);
    const answers = async (expected?: ExpectedAnswers) => {
      const given = await Promise.allSettled(
        asked.map((texts) => client.ask(observations, texts, expected && { expected })),
      );
      return given.map((one) =>
        one.status === 'fulfilled' ? one.value.results : (one.reason as Problem).detail,
      );
    };
    const before = await answers();
    const oneByOne = sent.length;
    const expected = await client.expect?.(observations, asked);
    sent = [];
    expect(await answers(expected)).toEqual(before);
    // A page alone is one statement; together, pages also have the beginning and end of a transaction.
    expect(sent.length).toBeLessThan(oneByOne / 3);
    expect(before[20]).toBe("series 'NONE' not found");
    await client.close();
  });

  it('says of each answer why it cannot be had when the store cannot be reached', async () => {
    const client = embeddedClient(await openStore(address));
    const expected = await client.expect?.(observations, ids.map(question));
    const connect = vi.spyOn(pg.Pool.prototype, 'connect').mockImplementation(async () => {
      throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    });
    const failures = await Promise.allSettled(
      ids.slice(0, 3).map((id) => client.ask(observations, question(id), expected && { expected })),
    );
    connect.mockRestore();
    const kinds = failures.map((one) => one.status === 'rejected' && (one.reason as Problem).kind);
    expect(kinds).toEqual(['unreachable', 'unreachable', 'unreachable']);
    await client.close();
  });
});

async function rowsOf(sql: string) {
  const client = new pg.Client({ connectionString: citus.address });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

describe('a store that Citus distributes', () => {
  it('finds the shard of an id by the hash that PostgreSQL computes of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'Z', '0', '.', 'é', '日', '𝄞'), maxLength: 40 })),
        async (texts) => {
          const { rows } = await inDatabase(
            (client) => client.query('select hashtext(one) as hash from unnest($1::text[]) as one', [texts]),
            citus.address,
          );
          expect(texts.map((text) => ({ hash: hashOf(text) }))).toEqual(rows);
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('has the facts of a series together, filings by issuer, and the rest on the coordinator', async () => {
    const address = newAddress();
    expect(await initStore(address, true)).toBe('made');
    const rows = await rowsOf(
      `select concat_ws(' ', logicalrelid, distributed_by, colocated_with) as text from pg_dist_partition
       where logicalrelid::text like 's${count}.%' order by 1`,
    );
    expect(rows.map(({ text }) => text.replaceAll(/"?s\d+"?\./g, ''))).toEqual([
      'description_change series series',
      'fact series series',
      'filing issuer_cik none',
      'respelling series series',
      'series id none',
      'series_change series series',
      'symbol issuer_cik filing',
      'trade issuer_cik filing',
      'vintage series series',
    ]);
  });

  it('keeps the facts that it had before, and is distributed once', async () => {
    const address = newAddress();
    await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
    expect(await initStore(address, true)).toBe('unchanged');
    expect(await initStore(address, true)).toBe('unchanged');
    expect(await reading(address, (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }))).toEqual([
      { date: '2014-10-01', asOfDate: '2015-01-30', value: '17710.7' },
    ]);
  });

  it('answers as the list of its statements says, for imports in any order', async () => {
    await fc.assert(
      fc.asyncProperty(agreeing, async (statements) => {
        const said = onePerKey(statements.map((item) => item.said));
        const address = newAddress();
        await initStore(address, true);
        for (const part of [said.filter((_, i) => i % 2 === 1), said.filter((_, i) => i % 2 === 0)])
          for (const { files, flags } of part.length === 0 ? [] : asAsofCsv(part))
            await importFiles(address, files, { merge: true, projections: true, ...flags });
        await expectKnowledge(address, importInto(emptyModel, said).after);
      }),
      { numRuns: runs(4) },
    );
  });

  it('lists series, tickers and days of filings on the coordinator, as they are after each change', async () => {
    const address = newAddress();
    await initStore(address, true);
    const schema = `s${count}`;
    const listed = () =>
      withStore(address, (store) =>
        store.read(async ({ series, filings }) => {
          const [found, tickers, day] = await Promise.all([
            series.search({ text: '', limit: 9 }),
            filings.symbols(),
            filings.coveredTo(),
          ]);
          const ofTicker = await filings.page({ ticker: 'maia', limit: 9 });
          return {
            ids: found.map(({ id, lastVintage }) => `${id} ${lastVintage}`),
            tickers,
            day,
            ofTicker: ofTicker.length,
          };
        }),
      );
    await importFiles(address, {
      'a.csv': facts('GDP 2014-10-01 2015-01-30 1', 'CPI 2014-10-01 2015-01-16 1'),
    });
    await importFilings(address, [filing({ ticker: 'MAIA', filedOn: '2026-01-05' })]);
    expect(await listed()).toEqual({
      ids: ['CPI 2015-01-16', 'GDP 2015-01-30'],
      tickers: ['MAIA'],
      day: '2026-01-05',
      ofTicker: 1,
    });
    await importFiles(address, { 'b.csv': facts('GDP 2014-10-01 2015-02-27 2') });
    await removeSeries(address, 'CPI');
    // Imported again, the filing has another issuer and another day.
    await importFilings(address, [filing({ issuerCik: '0000000002', filedOn: '2026-01-06' })], {
      replace: true,
    });
    expect(await listed()).toEqual({
      ids: ['GDP 2015-02-27'],
      tickers: ['MAIA'],
      day: '2026-01-06',
      ofTicker: 1,
    });
    expect(await rowsOf(`select issuer_cik from ${schema}.listed_symbol`)).toEqual([
      { issuer_cik: '0000000002' },
    ]);
    await undoStoreImport(address);
    expect(await listed()).toMatchObject({ ids: ['GDP 2015-01-30'] });
    // An import of which nothing is known but the id.
    await importFiles(address, { 'units.csv': 'series_id,units\nNAMED,\n' });
    expect((await checkStore(address)).faults).toEqual([]);
    await rowsOf(`delete from ${schema}.listed_symbol`);
    expect((await checkStore(address)).faults).toEqual([
      {
        subject: 'store',
        fault: 'listed_symbol differs from symbol (rows: 1); `asof store init --distribute` makes it again',
      },
    ]);
    await initStore(address, true);
    expect((await checkStore(address)).faults).toEqual([]);
  });

  it('is distributed anew where a migration adds a table', async () => {
    const address = newAddress();
    await initStore(address, true);
    const symbol = `s${count}.symbol`;
    // As if an older asof had made it without this table.
    await rowsOf(`delete from pg_dist_partition where logicalrelid = '${symbol}'::regclass;
      drop table ${symbol};
      create table ${symbol} (symbol text collate "C", issuer_cik text collate "C", filing_id text collate "C",
        primary key (symbol, issuer_cik, filing_id));
      update s${count}.store set format = 1`);
    await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
    const found = `select 1 as found from pg_dist_partition where logicalrelid = '${symbol}'::regclass`;
    expect(await rowsOf(found)).toEqual([{ found: 1 }]);
  });

  it('needs Citus 11.2, which reads from one snapshot of a node', async () => {
    const beVersion = (version: string) =>
      rowsOf(`set allow_system_table_mods = on;
        update pg_extension set extversion = '${version}' where extname = 'citus'`);
    await beVersion('11.1-1');
    const address = newAddress();
    expect(await failureOf(initStore(address, true))).toContain(
      'its Citus is 11.1-1, and asof needs 11.2 or newer',
    );
    await beVersion('12.1-1');
    expect(await readStoreIfAny(address, async () => true)).toBeUndefined();
  });
});

describe('a database without Citus', () => {
  it('refuses to distribute a store, says why, and is left without one', async () => {
    const address = newSchemaAddress();
    await expect(initStore(address, true)).rejects.toMatchObject({
      kind: 'local-io',
      detail: expect.stringMatching(/^cannot distribute the store postgres:.*: the database has no Citus$/),
      hints: expect.arrayContaining([expect.stringContaining('create extension citus')]),
    });
    expect(await readStoreIfAny(address, async () => true)).toBeUndefined();
    expect(await initStore(address, false)).toBe('made');
    expect(await initStore(address, false)).toBe('unchanged');
    expect(await reading(address, (view) => view.series.search({ text: '', limit: 9 }))).toEqual([]);
  });
});
