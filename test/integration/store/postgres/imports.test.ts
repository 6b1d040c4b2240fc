import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWriter, writing } from '../../../../src/store/open.ts';
import { agreeing, onePerKey, runs } from '../../../support/arbitrary.ts';
import { asAsofCsv } from '../../../support/encodings.ts';
import { digestOfSchema, inDatabase, newSchemaAddress } from '../../../support/engines.ts';
import { emptyModel, expectKnowledge, importInto } from '../../../support/knowledge.ts';
import {
  allStatements,
  facts,
  failureOf,
  importFiles,
  observationsIn,
  reading,
} from '../../../support/scratch-store.ts';

const keep = { replace: false };
const first = { date: '2014-10-01', asOf: '2015-01-30', value: '1' };
const second = { date: '2014-10-01', asOf: '2015-02-27', value: '2' };

const statement = (seriesId: string, said = first) => [{ seriesId, ...said }];

async function newStore(): Promise<string> {
  const address = newSchemaAddress();
  await importFiles(address, { 'a.csv': facts('OLD 2014-10-01 2015-01-30 1') });
  return address;
}

function valuesOf(address: string, seriesId: string): Promise<readonly string[]> {
  return reading(address, async (view) =>
    (await allStatements(view, seriesId)).map(({ value }) => value ?? '-'),
  );
}

describe('imports into a store in PostgreSQL', () => {
  it('of different series run side by side', async () => {
    const address = await newStore();
    const slow = await openWriter(address);
    await (await slow.series('SLOW')).merge(statement('SLOW'), keep);
    await slow.finish(['SLOW']);
    await importFiles(address, { 'b.csv': facts('QUICK 2014-10-01 2015-01-30 7') });
    expect(await valuesOf(address, 'QUICK')).toEqual(['7']);
    expect(await valuesOf(address, 'SLOW')).toEqual([]);
    await slow.commit();
    expect(await valuesOf(address, 'SLOW')).toEqual(['1']);
  });

  it('of the same series wait for each other, and the second sees what the first wrote', async () => {
    const address = await newStore();
    const earlier = await openWriter(address);
    await (await earlier.series('X')).merge(statement('X'), keep);
    await earlier.finish(['X']);
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

  it('that need the same series in opposite orders all succeed', async () => {
    const address = await newStore();
    const ids = ['A', 'B', 'C', 'D', 'E', 'F'];
    const oneAfterTheOther = (order: readonly string[], said: typeof first) =>
      writing(address, async (writer) => {
        for (const id of order) {
          await (await writer.series(id)).merge(statement(id, said), keep);
          await delay(10);
        }
        await writer.finish(order);
        await writer.commit();
      });
    const orders = [ids, [...ids].reverse(), [...ids.slice(3), ...ids.slice(0, 3)]];
    const said = [first, second, { ...first, asOf: '2015-03-27', value: '3' }];
    await Promise.all(orders.map((order, i) => oneAfterTheOther(order, said[i] ?? first)));
    for (const id of ids) expect(await valuesOf(address, id)).toEqual(['1', '2', '3']);
  });

  it('of more series than an import can lock one by one are whole, also two at once', async () => {
    const address = await newStore();
    const ids = Array.from({ length: 700 }, (_, i) => `S${i}`);
    const lines = (value: number, asOf: string) => ids.map((id) => `${id} 2014-10-01 ${asOf} ${value}`);
    await Promise.all([
      importFiles(address, { 'a.csv': facts(...lines(1, '2015-01-30')) }),
      importFiles(address, { 'b.csv': facts(...lines(2, '2015-02-27').reverse()) }),
    ]);
    const counted = await inDatabase((client) => {
      const schema = new URL(address).searchParams.get('schema');
      return client.query(
        `select count(*)::int as n, count(distinct series)::int as ids from ${schema}.fact where series <> 'OLD'`,
      );
    });
    expect(counted.rows).toEqual([{ n: 1400, ids: 700 }]);
  });

  it('at random, several at once, give what the list of their statements says', async () => {
    const pieces = fc.tuple(agreeing, fc.integer({ min: 2, max: 4 }));
    await fc.assert(
      fc.asyncProperty(pieces, async ([statements, count]) => {
        const said = onePerKey(statements.map((item) => item.said));
        const address = newSchemaAddress();
        const parts = Array.from({ length: count }, (_, part) => said.filter((_, i) => i % count === part));
        await Promise.all(
          parts.flatMap((part) =>
            part.length === 0
              ? []
              : asAsofCsv(part).map(({ files, flags }) =>
                  importFiles(address, files, { merge: true, projections: true, ...flags }),
                ),
          ),
        );
        await expectKnowledge(address, importInto(emptyModel, said).after);
      }),
      { numRuns: runs(15) },
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

  it.each([
    ['while the import writes', false],
    ['before it commits', true],
  ])('change nothing if the server ends their connection %s', async (_, finishes) => {
    const address = await newStore();
    const before = await digestOfSchema(address);
    const writer = await openWriter(address);
    await (await writer.series('X')).merge(statement('X'), keep);
    if (finishes) await writer.finish(['X']);
    await inDatabase((client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'asof' and query like $1`,
        [`%${new URL(address).searchParams.get('schema')}%`],
      ),
    );
    await delay(50);
    const message = await failureOf(
      finishes ? writer.commit() : writer.series('Y').then((series) => series.merge(statement('Y'), keep)),
    );
    expect(message).toMatch(/^cannot reach the store postgres:\/\/asof@127\.0\.0\.1/);
    await writer.rollback();
    expect(await digestOfSchema(address)).toBe(before);
    await importFiles(address, { 'x.csv': facts('X 2014-10-01 2015-01-30 1') });
    expect(await valuesOf(address, 'X')).toEqual(['1']);
  });

  it('by two processes that both make the store leave one store with the facts of both', async () => {
    const address = newSchemaAddress();
    await Promise.all(
      ['A', 'B', 'C'].map((id) => importFiles(address, { 'a.csv': facts(`${id} 2014-10-01 2015-01-30 1`) })),
    );
    const found = await reading(address, async (view) => {
      const values = [];
      for (const seriesId of ['A', 'B', 'C'])
        values.push(...(await observationsIn(view, { seriesId, limit: 9 })));
      return values.map(({ value }) => value);
    });
    expect(found).toEqual(['1', '1', '1']);
  });
});
