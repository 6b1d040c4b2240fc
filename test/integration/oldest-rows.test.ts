import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, open } from '../../src/index.ts';
import { openStore } from '../../src/store/open.ts';
import { contractStore, now } from '../support/contract-cases.ts';
import { scratchFolder } from '../support/folders.ts';
import { type Running, startService } from '../support/modes.ts';

const clock = () => now;
const folder = scratchFolder();
let service: Running;
let asof: Asof;
let remote: Asof;

beforeAll(async () => {
  const path = await contractStore(folder);
  service = await startService({ openStore: () => openStore(path), clock });
  asof = await open(path, { clock });
  remote = await open(service.url, { key: service.key, clock });
});
afterAll(async () => {
  await Promise.all([asof.close(), remote.close()]);
  await service.stop();
});

type Listing = (
  from: Asof,
  extent: { readonly first?: number },
) => Promise<{ readonly rows: readonly unknown[]; readonly hasMore: boolean }>;

/** Every listing whose rows are newest first. */
const listings: Readonly<Record<string, Listing>> = {
  observations: (from, extent) => from.observations('GDP', { asOf: '2020-12-31', ...extent }),
  'first releases': (from, extent) => from.observations('GDP', { release: 'first', ...extent }),
  vintages: (from, extent) => from.vintages('GDP', extent),
  yields: (from, extent) => from.yields(extent),
  'yields by date': (from, extent) => from.yieldTable(extent),
  spread: (from, extent) => from.spread({ long: '2Y', short: '1M', ...extent }),
  'insider filings': (from, extent) => from.insiderFilings({ from: '2025-01-01', ...extent }),
  'insider clusters': (from, extent) => from.insiderClusters({ minInsiders: 1, days: 1, ...extent }),
  'signals of clusters': (from, extent) =>
    from.insiderClusters({ minInsiders: 1, days: 1, signals: true, ...extent }),
};

describe.each([
  ['a store', () => asof],
  ['a service', () => remote],
])('the oldest rows that %s has', (_, from) => {
  it.each(Object.entries(listings))('are the last ones of the listing: %s', async (_name, listing) => {
    const { rows } = await listing(from(), {});
    expect(rows.length).toBeGreaterThan(0);
    for (const first of [1, rows.length, rows.length + 1]) {
      const oldest = await listing(from(), { first });
      expect([oldest.rows, oldest.hasMore]).toEqual([rows.slice(-first), false]);
    }
  });

  it('are those of whole clusters where trades are explained', async () => {
    const { rows } = await from().insiderClusters({ minInsiders: 1, days: 1, explain: true });
    const last = rows.at(-1);
    const oldest = await from().insiderClusters({ minInsiders: 1, days: 1, explain: true, first: 1 });
    expect(oldest.rows).toEqual(
      rows.filter((row) => row.issuer_cik === last?.issuer_cik && row.date_first === last?.date_first),
    );
  });

  it('are refused of a listing that is not newest first', async () => {
    const outcome = await Reflect.apply(from().seriesSearch, undefined, ['gdp', { first: 1 }]).catch(
      (error: unknown) => error,
    );
    expect(String(outcome)).toContain("unknown parameter 'first'");
  });
});
