import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { newSchemaAddress } from '../../../support/engines.ts';
import { type Pooler, startPooler } from '../../../support/postgres/pooler.ts';
import { facts, importFiles, observationsIn, withStore } from '../../../support/scratch-store.ts';

const { pooler } = vi.hoisted((): { pooler: { running?: Pooler } } => ({ pooler: {} }));

// The suites of a store and of keys run again here, through the pooler.
vi.mock('../../../support/engines.ts', async (original) => {
  const engines = await original<typeof import('../../../support/engines.ts')>();
  const through = (address: string) => pooler.running?.through(address) ?? address;
  const engine = {
    ...engines.postgres,
    newAddress: () => through(engines.postgres.newAddress()),
    newAccessAddress: () => through(engines.postgres.newAccessAddress()),
  };
  return { ...engines, onEveryEngine: (cases: (given: unknown) => void) => cases(engine) };
});
pooler.running = await startPooler();
afterAll(() => pooler.running?.close());
await import('../access-contract.test.ts');
await import('../contract.test.ts');

describe('a pooler in transaction mode', () => {
  it('may give a store another connection for each transaction, also while it streams', async () => {
    const address = pooler.running?.through(newSchemaAddress()) ?? '';
    await importFiles(address, { 'a.csv': facts('GDP 2014-10-01 2015-01-30 1') });
    const before = pooler.running?.moved() ?? 0;
    await withStore(address, async (store) => {
      for (let i = 0; i < 10; i += 1) {
        await store.read(async (view) => {
          expect((await observationsIn(view, { seriesId: 'GDP', limit: 9 })).length).toBe(1);
          for await (const batch of view.series.statements('GDP')) expect(batch.length).toBe(1);
          for await (const _ of view.filings.clusterTrades({ code: 'P' }))
            throw new Error('there are no trades');
        });
        // A transaction that begins before the last one has ended stays on its connection.
        await delay(20);
      }
    });
    expect((pooler.running?.moved() ?? 0) - before).toBeGreaterThan(5);
  });
});
