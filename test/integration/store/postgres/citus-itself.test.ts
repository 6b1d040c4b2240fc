import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import type { Problem } from '../../../../src/errors/problem.ts';
import { checkStore } from '../../../../src/maintenance/check.ts';
import { openStore } from '../../../../src/store/open.ts';
import { Database } from '../../../../src/store/postgres/connection.ts';
import { shardOf, shardsOfSeries } from '../../../../src/store/postgres/shards.ts';
import type { StoreView } from '../../../../src/store/store.ts';
import { citus, citusAddress, inDatabase, schemaOf } from '../../../support/engines.ts';
import { facts, importFiles, reading } from '../../../support/scratch-store.ts';

// The contract of stores runs here on Citus itself, where there is one: every new store is distributed.
vi.mock('../../../../src/store/postgres/schema.ts', async (original) => {
  const schema = await original<typeof import('../../../../src/store/postgres/schema.ts')>();
  return { ...schema, prepareStore: schema.distributeStore };
});
vi.mock('../../../support/engines.ts', async (original) => {
  const engines = await original<typeof import('../../../support/engines.ts')>();
  const contract: typeof engines.contract = (cases) => describe('on Citus', () => cases(citus));
  return { ...engines, contract, onEveryEngine: contract };
});

if (citusAddress === undefined)
  it.skip('the contract holds on Citus: ASOF_TEST_CITUS names no database with it');
else {
  await import('../contract-suites.ts');

  /** A connection to the node that has a series, and the name of the shard there. */
  async function nodeOf(address: string, id: string) {
    const [place] = (
      await inDatabase(
        (client) =>
          client.query(
            `select nodename as host, nodeport as port, shard_name as shard from citus_shards
               where shardid = get_shard_id_for_distribution_column($1, $2::text)`,
            [`${schemaOf(address)}.series`, id],
          ),
        address,
      )
    ).rows;
    const { pathname, username } = new URL(address);
    const { host, port } = place;
    const client = new pg.Client({ host, port, user: username, database: pathname.slice(1) });
    await client.connect();
    await client.query('set citus.enable_manual_changes_to_shards to on');
    return { client, shard: place.shard as string };
  }

  describe('an import into Citus', () => {
    it('waits for a transaction that the node of its series prepared and has not ended', async () => {
      const address = citus.newAddress();
      await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
      const { client, shard } = await nodeOf(address, 'GDP');
      try {
        // As an earlier import leaves it if its node dies between the two phases of its commit.
        await client.query('begin');
        await client.query(
          `update ${shard} set seasonal_adjustment = 'SA', version = version + 1 where id = 'GDP'`,
        );
        await client.query("prepare transaction 'asof_test'");
        let done = false;
        const importing = importFiles(address, { 'b.csv': facts('GDP 2014-10-01 2015-02-27 2') }).finally(
          () => {
            done = true;
          },
        );
        await delay(1000);
        expect(done).toBe(false);
        await client.query("commit prepared 'asof_test'");
        await importing;
        const { rows } = await client.query(
          `select seasonal_adjustment as sa, version, fact_count from ${shard} where id = 'GDP'`,
        );
        expect(rows).toEqual([{ sa: 'SA', version: '3', fact_count: '2' }]);
        expect((await checkStore(address)).faults).toEqual([]);
      } finally {
        await client.end();
      }
    });

    it('begins again if the prepared transaction made its series', async () => {
      const address = citus.newAddress();
      await importFiles(address, { 'a.csv': facts('OTHER 2014-10-01 2015-01-30 1') });
      const { client, shard } = await nodeOf(address, 'GDP');
      try {
        await client.query('begin');
        await client.query(`insert into ${shard} (id, title) values ('GDP', 'earlier')`);
        await client.query("prepare transaction 'asof_test_new'");
        const importing = importFiles(address, { 'b.csv': facts('GDP 2014-10-01 2015-02-27 2') });
        await delay(1000);
        await client.query("commit prepared 'asof_test_new'");
        await importing;
        const { rows } = await client.query(`select title, fact_count from ${shard} where id = 'GDP'`);
        expect(rows).toEqual([{ title: 'earlier', fact_count: '1' }]);
      } finally {
        await client.end();
      }
    });
  });

  describe('a store on several nodes', () => {
    it('answers about many series together as about each', async () => {
      const address = citus.newAddress();
      const ids = Array.from({ length: 30 }, (_, i) => `S${i}`);
      const lines = ids.flatMap((id, i) => [
        `${id} 2014-10-01 2015-01-30 ${i}`,
        `${id} 2014-10-01 2015-02-27 ${i}.5`,
        `${id} 2015-01-01 2015-02-27 9`,
      ]);
      await importFiles(address, { 'a.csv': facts(...lines) });
      const store = await openStore(address);
      const asked = [...ids, 'NONE', 'S3'];
      try {
        for (const [query, rows] of [
          [{ asOf: '2015-02-01' }, 1],
          [{}, 2],
          [{ firstRelease: true }, 1],
        ] as const) {
          const page = (view: StoreView) => (seriesId: string) =>
            view.series.observations({ ...query, seriesId, limit: 9 });
          const together = await store.readTogether?.((view) => Promise.all(asked.map(page(view))));
          expect(together?.[3]?.rows).toHaveLength(rows);
          for (const [i, id] of asked.entries())
            expect(together?.[i]).toEqual(await store.read((view) => page(view)(id)));
        }
      } finally {
        await store.close();
      }
    });

    it('answers and is checked as before where a node writes dates in another way', async () => {
      const address = citus.newAddress();
      await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
      const { client } = await nodeOf(address, 'GDP');
      const database = client.escapeIdentifier(client.database ?? '');
      await client.query('set citus.enable_ddl_propagation to off');
      await client.query(`alter database ${database} set datestyle to 'SQL, DMY'`);
      try {
        const answer = await reading(address, async ({ series }) => [
          await series.observations({ seriesId: 'GDP', limit: 9 }),
          await series.history({ seriesId: 'GDP' }),
        ]);
        expect(answer).toMatchObject([
          { rows: [{ date: '2014-10-01', asOfDate: '2015-01-30', value: '1' }] },
          {
            rows: [{ date: '2014-10-01', asOf: '2015-01-30', value: '1' }],
            vintages: [{ asOf: '2015-01-30' }],
          },
        ]);
        expect((await checkStore(address)).faults).toEqual([]);
      } finally {
        await client.query(`alter database ${database} reset datestyle`);
        await client.end();
      }
    });

    it('gives a program a page of a series that is new to it in one statement', async () => {
      const address = citus.newAddress();
      await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
      const store = await openStore(address);
      const sent = vi.spyOn(pg.Client.prototype, 'query');
      try {
        const query = { seriesId: 'GDP', asOf: '2015-02-01', limit: 9 };
        const page = await store.read((view) => view.series.observations(query), 'GDP');
        expect(page?.rows).toEqual([{ date: '2014-10-01', asOfDate: '2015-01-30', value: '1' }]);
        expect(sent).toHaveBeenCalledTimes(1);
      } finally {
        sent.mockRestore();
        await store.close();
      }
    });

    it('finds the shards of ids where Citus has them', async () => {
      const address = citus.newAddress();
      await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
      const ids = ['GDP', 'é', '日本語', ...Array.from({ length: 200 }, (_, i) => 'S'.repeat(i % 40) + i)];
      const nodes = await inDatabase(
        (client) =>
          client.query(
            `select groupid as node from unnest($2::text[]) with ordinality as each(id, place)
             join pg_dist_placement on shardid = get_shard_id_for_distribution_column($1, id) order by place`,
            [`${schemaOf(address)}.series`, ids],
          ),
        address,
      );
      const shards = await Database.once(address, 'read', shardsOfSeries);
      expect(ids.map((id) => ({ node: shardOf(shards, id)?.node }))).toEqual(nodes.rows);
      expect(new Set(shards.map(({ node }) => node)).size).toBeGreaterThan(1);
    });

    it('answers a program about the series of others while reads of one node wait without a limit', async () => {
      const address = citus.newAddress();
      const ids = Array.from({ length: 20 }, (_, i) => `S${i}`);
      await importFiles(address, { 'a.csv': facts(...ids.map((id) => `${id} 2014-10-01 2015-01-30 1`)) });
      const shards = await Database.once(address, 'read', shardsOfSeries);
      const nodeOfId = (id: string) => shardOf(shards, id)?.node;
      const others = ids.filter((id) => nodeOfId(id) !== nodeOfId('S0'));
      const frozen = await nodeOf(address, 'S0');
      const store = await openStore(address);
      const page = (seriesId: string) =>
        store.read((view) => view.series.observations({ seriesId, limit: 9 }), seriesId);
      try {
        await frozen.client.query(`begin; lock table ${frozen.shard} in access exclusive mode`);
        const waiting = Array.from({ length: 14 }, () => page('S0'));
        expect(others.length).toBeGreaterThan(0);
        for (const id of others) expect((await page(id))?.rows).toHaveLength(1);
        await frozen.client.query('rollback');
        for (const late of await Promise.all(waiting)) expect(late?.rows).toHaveLength(1);
      } finally {
        await frozen.client.end();
        await store.close();
      }
    });

    it('answers about the series of others while one node does not answer, and says so', async () => {
      const address = citus.newAddress();
      const ids = Array.from({ length: 20 }, (_, i) => `S${i}`);
      await importFiles(address, { 'a.csv': facts(...ids.map((id) => `${id} 2014-10-01 2015-01-30 1`)) });
      const frozen = await nodeOf(address, 'S0');
      const others: string[] = [];
      for (const id of ids) {
        const { client } = await nodeOf(address, id);
        if (client.port !== frozen.client.port) others.push(id);
        await client.end();
      }
      const store = await openStore(address, { statementSeconds: 1 });
      const find = (id: string) => store.read((view) => view.series.find(id), id);
      try {
        expect(await store.answering?.()).toBe(1);
        await frozen.client.query(`begin; lock table ${frozen.shard} in access exclusive mode`);
        const waiting = Array.from({ length: 14 }, () => find('S0').catch((error: Problem) => error));
        const began = performance.now();
        expect(others.length).toBeGreaterThan(0);
        for (const id of others) expect(await find(id)).toMatchObject({ id });
        expect(performance.now() - began).toBeLessThan(900);
        for (const refused of await Promise.all(waiting))
          expect(refused).toMatchObject({ kind: 'unreachable', retryAfter: expect.any(Number) });
        const again = performance.now();
        await expect(find('S0')).rejects.toThrow('the node with this series does not answer');
        expect(performance.now() - again).toBeLessThan(500);
        await frozen.client.query('rollback');
        await delay(5100);
        expect(await find('S0')).toMatchObject({ id: 'S0' });
      } finally {
        await frozen.client.end();
        await store.close();
      }
    });
  });
}
