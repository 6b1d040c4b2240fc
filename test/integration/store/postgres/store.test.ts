import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Statements } from '../../../../src/domain/series/statements.ts';
import { checkStore } from '../../../../src/maintenance/check.ts';
import { addAlias, listAliases } from '../../../../src/maintenance/series.ts';
import { openStore, openWriter, readStoreIfAny, writing } from '../../../../src/store/open.ts';
import { Database } from '../../../../src/store/postgres/connection.ts';
import { agreeing, onePerKey, runs } from '../../../support/arbitrary.ts';
import { asAsofCsv } from '../../../support/encodings.ts';
import { digestOfSchema, inDatabase, newSchemaAddress, schemaOf } from '../../../support/engines.ts';
import { filing } from '../../../support/filings.ts';
import { emptyModel, expectKnowledge, importInto } from '../../../support/knowledge.ts';
import {
  allStatements,
  facts,
  failureOf,
  importFiles,
  importFilings,
  reading,
} from '../../../support/scratch-store.ts';

const first = { date: '2014-10-01', asOf: '2015-01-30', value: '1' };
const second = { date: '2014-10-01', asOf: '2015-02-27', value: '2' };
const third = { date: '2014-10-01', asOf: '2015-03-27', value: '3' };

const old = { 'a.csv': facts('OLD 2014-10-01 2015-01-30 1') };

async function newStore(): Promise<string> {
  const address = newSchemaAddress();
  await importFiles(address, old);
  return address;
}

/** An import that has written a statement about a series, and goes on. */
async function begun(address: string, seriesId: string) {
  const writer = await openWriter(address);
  await (await writer.series(seriesId)).merge(new Statements(seriesId, [first]), { replace: false });
  await writer.finish([seriesId]);
  return writer;
}

function valuesOf(address: string, seriesId: string): Promise<readonly string[]> {
  return reading(address, async (view) =>
    (await allStatements(view, seriesId)).map(({ value }) => value ?? '-'),
  );
}

/** The rows that a plan reads of a table, by the JSON of `explain analyze`. */
function rowsRead(plan: object, table: string): number {
  type Plan = { readonly [name: string]: unknown; readonly Plans?: readonly Plan[] };
  const within = (one: Plan): number =>
    (one['Relation Name'] === table ? Number(one['Actual Rows']) * Number(one['Actual Loops']) : 0) +
    (one.Plans ?? []).reduce((sum, each) => sum + within(each), 0);
  return within(plan as Plan);
}

describe('a page of filings', () => {
  it('reads about as many trades as it has, however many filings there are', async () => {
    const address = newSchemaAddress();
    const dayOf = (i: number) => new Date(Date.UTC(2020, 0, 1 + (i % 1000))).toISOString().slice(0, 10);
    const filings = Array.from({ length: 6000 }, (_, i) =>
      filing({
        filingId: `${String(i % 400).padStart(10, '0')}-20-${String(i).padStart(6, '0')}`,
        issuerCik: String(i % 400).padStart(10, '0'),
        filedOn: dayOf(i),
        transactionDate: dayOf(i),
      }),
    );
    await importFilings(address, filings);
    const compiled = vi.spyOn(Database.prototype, 'compiled');
    const pages = [{ from: '2020-06-01' }, { from: '2020-06-01', transactionCode: 'P' }];
    for (const query of pages) {
      const found = await reading(address, (view) => view.filings.page({ ...query, limit: 20 }));
      expect(found.map(({ filedOn }) => filedOn)).toEqual(
        filings
          .map(({ filedOn }) => filedOn)
          .sort()
          .reverse()
          .slice(0, 20),
      );
    }
    await reading(address, (view) =>
      view.filings.filedTrades({ code: 'P', before: '2022-01-01', limit: 20 }),
    );
    const sent = new Set(
      compiled.mock.results.map(({ value }) => value).filter(({ text }) => /trade/.test(text)),
    );
    expect(sent.size).toBe(3);
    compiled.mockRestore();
    const values = { from: '2020-06-01', transactionCode: 'P', limit: 20, code: 'P', before: '2022-01-01' };
    await inDatabase(async (client) => {
      await client.query(`analyze ${schemaOf(address)}.filing, ${schemaOf(address)}.trade`);
      for (const { text, names } of sent) {
        const { rows } = await client.query(
          `explain (analyze, format json) ${text}`,
          names.map((name: string) => values[name as keyof typeof values]),
        );
        expect(rowsRead(rows[0]['QUERY PLAN'][0].Plan, 'trade')).toBeLessThan(100);
      }
    }, address);
  });
});

describe('imports into a store in PostgreSQL', () => {
  it('of different series run side by side', async () => {
    const address = await newStore();
    const slow = await begun(address, 'SLOW');
    await importFiles(address, { 'b.csv': facts('QUICK 2014-10-01 2015-01-30 7') });
    expect(await valuesOf(address, 'QUICK')).toEqual(['7']);
    expect(await valuesOf(address, 'SLOW')).toEqual([]);
    await slow.commit();
    expect(await valuesOf(address, 'SLOW')).toEqual(['1']);
  });

  it('of the same series wait for each other, and the second sees what the first wrote', async () => {
    const address = await newStore();
    const earlier = await begun(address, 'X');
    let done = false;
    const later = importFiles(address, { 'b.csv': facts('X 2014-10-01 2015-01-30 9') }).finally(() => {
      done = true;
    });
    const failure = failureOf(later);
    await delay(300);
    expect(done).toBe(false);
    await earlier.commit();
    expect(await failure).toContain('X 2014-10-01 as of 2015-01-30: 9, against 1');
    expect(await valuesOf(address, 'X')).toEqual(['1']);
  });

  it('of one new series wait for each other, and the second sees what the first wrote', async () => {
    const address = await newStore();
    const earlier = await begun(address, 'X');
    const later = importFiles(address, { 'b.csv': facts('X 2014-10-01 2015-02-27 1.0') });
    await delay(300);
    await earlier.commit();
    await later;
    expect(await valuesOf(address, 'X')).toEqual(['1', '1.0']);
    expect((await checkStore(address)).faults).toEqual([]);
  });

  it('of a series wait for an alias of its name, and are refused', async () => {
    const address = await newStore();
    const writer = await openWriter(address);
    await writer.putAlias({ name: 'X', seriesId: 'OLD' });
    const failure = failureOf(importFiles(address, { 'b.csv': facts('X 2014-10-01 2015-01-30 9') }));
    await delay(300);
    await writer.commit();
    expect(await failure).toBe('X is an alias of OLD: no series can take this id');
    expect((await checkStore(address)).faults).toEqual([]);
  });

  it('of a series hold up an alias of its name, which is refused then', async () => {
    const address = await newStore();
    const earlier = await begun(address, 'X');
    const failure = failureOf(addAlias(address, 'X', 'OLD'));
    await delay(300);
    await earlier.commit();
    expect(await failure).toBe('X is the id of a series, and no alias can take it');
    expect(await listAliases(address)).toEqual([]);
    expect((await checkStore(address)).faults).toEqual([]);
  });

  it('let no alias pass for a series that is removed meanwhile, or for two series', async () => {
    const address = await newStore();
    await importFiles(address, { 'b.csv': facts('Y 2014-10-01 2015-01-30 9') });
    const writer = await openWriter(address);
    await writer.putAlias({ name: 'X', seriesId: 'OLD' });
    await writer.removeSeries('Y');
    const failures = Promise.all([
      failureOf(addAlias(address, 'X', 'Y')),
      failureOf(addAlias(address, 'Z', 'Y')),
    ]);
    await delay(300);
    await writer.commit();
    expect(await failures).toEqual(['X is an alias of OLD', "series 'Y' not found"]);
    expect((await listAliases(address)).map(({ name }) => name)).toEqual(['X']);
  });

  it('that need the same series in opposite orders all succeed', async () => {
    const address = await newStore();
    const ids = ['A', 'B', 'C', 'D', 'E', 'F'];
    const oneAfterTheOther = (order: readonly string[], said: typeof first) =>
      writing(address, async (writer) => {
        for (const seriesId of order) {
          await (await writer.series(seriesId)).merge(new Statements(seriesId, [said]), { replace: false });
          await delay(10);
        }
        await writer.finish(order);
        await writer.commit();
      });
    await Promise.all([
      oneAfterTheOther(ids, first),
      oneAfterTheOther([...ids].reverse(), second),
      oneAfterTheOther([...ids.slice(3), ...ids.slice(0, 3)], third),
    ]);
    for (const id of ids) expect(await valuesOf(address, id)).toEqual(['1', '2', '3']);
  });

  it('of very many series hold up no other one, and an import of one of these waits for its end', async () => {
    const address = await newStore();
    const ids = Array.from({ length: 1200 }, (_, i) => `S${i}`);
    const lines = (asOf: string) => facts(...ids.map((id) => `${id} 2014-10-01 ${asOf} 1`));
    await importFiles(address, { 'a.csv': lines('2015-01-30') });
    const writer = await openWriter(address);
    const said = ids.map((seriesId) => new Statements(seriesId, [second]));
    await writer.prepare(said);
    for (const statements of said)
      await (await writer.series(statements.seriesId)).merge(statements, { replace: false });
    await writer.finish(ids);
    await importFiles(address, {
      'b.csv': facts('OLD 2014-10-01 2015-02-27 7', 'NEW 2014-10-01 2015-01-30 8'),
    });
    expect([await valuesOf(address, 'OLD'), await valuesOf(address, 'NEW')]).toEqual([['1', '7'], ['8']]);
    const later = importFiles(address, { 'c.csv': facts('S700 2014-10-01 2015-03-27 9') });
    await Promise.race([later, delay(300)]);
    expect(await valuesOf(address, 'S700')).toEqual(['1']);
    await writer.commit();
    await later;
    expect(await valuesOf(address, 'S700')).toEqual(['1', '2', '9']);
    expect((await checkStore(address)).faults).toEqual([]);
  });

  it('of more series than an import can lock one by one are whole, also two at once', async () => {
    const address = await newStore();
    const ids = Array.from({ length: 510 }, (_, i) => `S${i}`);
    const lines = (value: number, asOf: string) => ids.map((id) => `${id} 2014-10-01 ${asOf} ${value}`);
    await Promise.all([
      importFiles(address, { 'a.csv': facts(...lines(1, '2015-01-30')) }),
      importFiles(address, { 'b.csv': facts(...lines(2, '2015-02-27').reverse()) }),
    ]);
    const { rows } = await inDatabase((client) =>
      client.query(`select count(*)::int as n, count(distinct series)::int as ids
        from ${schemaOf(address)}.fact where series <> 'OLD'`),
    );
    expect(rows).toEqual([{ n: 1020, ids: 510 }]);
  });

  it('at random, several at once, of which one makes the store, give what the list of their statements says', async () => {
    const pieces = fc.tuple(agreeing, fc.integer({ min: 2, max: 4 }));
    await fc.assert(
      fc.asyncProperty(pieces, async ([statements, count]) => {
        const said = onePerKey(statements.map((item) => item.said));
        const address = newSchemaAddress();
        const parts = Array.from({ length: count }, (_, part) => said.filter((_, i) => i % count === part));
        const files = parts.flatMap((part) => (part.length === 0 ? [] : asAsofCsv(part)));
        await Promise.all(
          files.map((one) =>
            importFiles(address, one.files, { merge: true, projections: true, ...one.flags }),
          ),
        );
        await expectKnowledge(address, importInto(emptyModel, said).after);
      }),
      { numRuns: runs(10) },
    );
  });

  it('leave the answers about other series in the state in which they were', async () => {
    const address = newSchemaAddress();
    await importFiles(address, { 'a.csv': facts('A 2014-10-01 2015-01-30 1', 'B 2014-10-01 2015-01-30 1') });
    const states = () =>
      reading(address, async (view) => {
        const names = [];
        for (const id of ['A', 'B', undefined]) names.push((await view.state(id)).name);
        return names;
      });
    const [a, b, whole] = await states();
    await importFiles(address, { 'b.csv': facts('B 2014-10-01 2015-02-27 2') });
    const [laterA, laterB, laterWhole] = await states();
    expect(laterA).toBe(a);
    expect(laterB).not.toBe(b);
    expect(laterWhole).not.toBe(whole);
    expect(new Set([a, b, whole]).size).toBe(3);
  });

  it('change nothing if the server ends their connection before they commit', async () => {
    const address = await newStore();
    const before = await digestOfSchema(address);
    const writer = await begun(address, 'X');
    await inDatabase((client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'asof' and query like $1`,
        [`%${schemaOf(address)}%`],
      ),
    );
    await delay(50);
    expect(await failureOf(writer.commit())).toMatch(
      /^cannot reach the store postgres:\/\/asof@127\.0\.0\.1/,
    );
    await writer.rollback();
    expect(await digestOfSchema(address)).toBe(before);
    await importFiles(address, { 'x.csv': facts('X 2014-10-01 2015-01-30 1') });
    expect(await valuesOf(address, 'X')).toEqual(['1']);
  });
});

describe('a store in PostgreSQL', () => {
  it('that is missing is a failure with a way out for a reader, and none for who asks whether it is there', async () => {
    const address = newSchemaAddress();
    expect(await readStoreIfAny(address, async () => true)).toBeUndefined();
    await expect(openStore(address)).rejects.toMatchObject({
      kind: 'local-io',
      detail: expect.stringContaining(`there is no store in the schema ${schemaOf(address)}`),
      hints: expect.arrayContaining([expect.stringContaining('asof store init')]),
    });
  });

  it('of a newer asof is refused by readers and imports, and stays as it is', async () => {
    const address = await newStore();
    await inDatabase((client) => client.query(`update ${schemaOf(address)}.store set format = 99`));
    const before = await digestOfSchema(address);
    for (const open of [openStore, openWriter])
      expect(await failureOf(open(address))).toContain('was made by a newer asof (store format 99');
    expect(await digestOfSchema(address)).toBe(before);
  });

  it('shares a database with the tables of others', async () => {
    const [one, other] = [await newStore(), await newStore()];
    await importFiles(one, { 'b.csv': facts('ONLY 2014-10-01 2015-01-30 1') });
    expect(await reading(other, (view) => view.series.find('ONLY'))).toBeUndefined();
    const named = one.replace('schema=', 'options=-csearch_path%3D');
    expect(await reading(named, (view) => view.series.find('ONLY'))).toMatchObject({ id: 'ONLY' });
  });

  it('keeps a text with quotes, backslashes and other alphabets as it is', async () => {
    const address = newSchemaAddress();
    const title = `'; drop table fact; -- \\' "x" {a,b} \\N Ünïcode 国民`;
    const quoted = `"${title.replaceAll('"', '""')}"`;
    await importFiles(address, { ...old, 'm.csv': `series_id,title\nOLD,${quoted}\n` });
    expect(await reading(address, (view) => view.series.find('OLD'))).toMatchObject({ title });
  });

  it('is read from one snapshot in which nothing can be written, on whichever connection', async () => {
    const database = await Database.open(await newStore(), 3);
    const settings = await Promise.all(
      Array.from({ length: 9 }, () =>
        database.inTransaction('read', (transaction) =>
          transaction.row(
            `select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as only`,
          ),
        ),
      ),
    );
    expect(settings).toEqual(Array.from({ length: 9 }, () => ({ level: 'repeatable read', only: 'on' })));
    await database.close();
  });
});
