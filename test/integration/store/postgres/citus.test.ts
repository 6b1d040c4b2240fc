import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initStore, openStoreIfAny } from '../../../../src/store/open.ts';
import { agreeing, onePerKey, runs } from '../../../support/arbitrary.ts';
import { asAsofCsv } from '../../../support/encodings.ts';
import { databaseWithCitus, newSchemaAddress } from '../../../support/engines.ts';
import { emptyModel, expectKnowledge, importInto } from '../../../support/knowledge.ts';
import { facts, failureOf, importFiles, observationsIn, reading } from '../../../support/scratch-store.ts';

let database: Awaited<ReturnType<typeof databaseWithCitus>>;
beforeAll(async () => {
  database = await databaseWithCitus();
});
afterAll(() => database.remove());

let count = 0;
const newAddress = () => `${database.address}?schema=s${++count}`;

async function query(sql: string) {
  const client = new pg.Client({ connectionString: database.address });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

const valuesOf = (address: string) =>
  reading(address, (view) => observationsIn(view, { seriesId: 'GDP', limit: 9 }));

describe('a store that Citus distributes', () => {
  it('has the facts of a series together, filings by issuer, and the rest on the coordinator', async () => {
    const address = newAddress();
    expect(await initStore(address, true)).toBe(true);
    const rows = await query(
      `select logicalrelid::text as table, distributed_by as by, colocated_with as beside from pg_dist_partition
       where logicalrelid::text like 's${count}.%' order by 1`,
    );
    const s = `s${count}`;
    expect(rows).toEqual([
      { table: `${s}.description_change`, by: 'series', beside: `"${s}".series` },
      { table: `${s}.fact`, by: 'series', beside: `"${s}".series` },
      { table: `${s}.filing`, by: 'issuer_cik', beside: 'none' },
      { table: `${s}.respelling`, by: 'series', beside: `"${s}".series` },
      { table: `${s}.series`, by: 'id', beside: 'none' },
      { table: `${s}.symbol`, by: 'issuer_cik', beside: `"${s}".filing` },
      { table: `${s}.trade`, by: 'issuer_cik', beside: `"${s}".filing` },
      { table: `${s}.vintage`, by: 'series', beside: `"${s}".series` },
      { table: `${s}.word`, by: 'series', beside: `"${s}".series` },
    ]);
  });

  it('keeps the facts that it had before, and is distributed once', async () => {
    const address = newAddress();
    await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 17710.7') });
    expect(await initStore(address, true)).toBe(false);
    expect(await initStore(address, true)).toBe(false);
    expect(await valuesOf(address)).toEqual([
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
      { numRuns: runs(6) },
    );
  });

  it('is distributed anew where a migration adds a table', async () => {
    const address = newAddress();
    await initStore(address, true);
    const schema = `s${count}`;
    // As if an older asof had made it without this table.
    await query(`delete from pg_dist_partition where logicalrelid = '${schema}.symbol'::regclass;
      drop table ${schema}.symbol;
      create table ${schema}.symbol (symbol text collate "C", issuer_cik text collate "C", filing_id text collate "C",
        primary key (symbol, issuer_cik, filing_id));
      update ${schema}.store set format = 1`);
    await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
    expect(
      await query(
        `select 1 as found from pg_dist_partition where logicalrelid = '${schema}.symbol'::regclass`,
      ),
    ).toEqual([{ found: 1 }]);
  });

  it('needs Citus 11.2, which reads from one snapshot of a node', async () => {
    await query(
      "set allow_system_table_mods = on; update pg_extension set extversion = '11.1-1' where extname = 'citus'",
    );
    const address = newAddress();
    expect(await failureOf(initStore(address, true))).toContain(
      'its Citus is 11.1-1, and asof needs 11.2 or newer',
    );
    await query(
      "set allow_system_table_mods = on; update pg_extension set extversion = '12.1-1' where extname = 'citus'",
    );
    expect(await openStoreIfAny(address)).toBeUndefined();
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
    expect(await openStoreIfAny(address)).toBeUndefined();
    expect(await initStore(address, false)).toBe(true);
    expect(await initStore(address, false)).toBe(false);
    expect(await reading(address, (view) => view.series.search({ text: '', limit: 9 }))).toEqual([]);
  });
});
