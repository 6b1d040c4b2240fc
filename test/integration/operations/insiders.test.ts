import { describe, expect, it } from 'vitest';
import type { Filing } from '../../../src/domain/insider/filing.ts';
import { open } from '../../../src/index.ts';
import { insiderClusters } from '../../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../../src/operations/insiders/filings.ts';
import { owner as anyone, createService } from '../../../src/service/service.ts';
import { days, filing, owner } from '../../support/filings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { ask, problemOf } from '../../support/http-service.ts';
import { importFiles, importFilings, newStorePath, withStore } from '../../support/scratch-store.ts';
import { documentOf, trade } from '../../support/sec-documents.ts';
import { textsOf } from '../../support/service-double.ts';

const folder = scratchFolder();

async function storeOf(...filings: readonly Filing[]): Promise<string> {
  const path = newStorePath(folder);
  await importFilings(path, filings);
  return path;
}

/** A purchase of 10 January by an owner and in a filing of that number. */
const bought = (place: number, changes: Partial<Filing> = {}) =>
  filing({
    filingId: `0000000001-26-00000${place}`,
    owners: [owner({ cik: `000000000${place}`, name: `Owner ${place}` })],
    filedOn: '2026-01-12',
    transactionDate: '2026-01-10',
    ...changes,
  });
const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });

describe('insider clusters', () => {
  it('list the trades of each insider', async () => {
    const path = await storeOf(bought(1, { ticker: 'SVN' }), bought(2, { shares: null }));
    expect((await ask(path, insiderClusters, 'min_insiders=1')).results).toMatchObject([
      {
        ...{ ticker: 'MAIA', cluster_size: 2, transaction_count: 2, total_shares: null, total_value: '15' },
        ...{ average_price: '1.5000', price_low: '1.50', price_high: '1.50' },
        insiders: [
          {
            ...{ owner_name: 'Owner 1', owner_cik: '0000000001', officer_title: null, shares: '10' },
            ...{ price_per_share: '1.50', value: '15', is_director: true, is_officer: false },
            ...{ transaction_date: '2026-01-10', filing_date: '2026-01-12' },
          },
          { owner_name: 'Owner 2', shares: null, value: null },
        ],
      },
    ]);
  });

  it('have the issuer name of the newest filing that states one', async () => {
    const path = await storeOf(
      bought(1, { issuerName: 'Old Name', ticker: 'OLD' }),
      bought(2, { filedOn: '2026-01-13', issuerName: 'New Name', ticker: 'NEW' }),
      bought(3, { filedOn: '2026-01-14', issuerName: null, ticker: null }),
    );
    const { results } = await ask(path, insiderClusters, 'min_insiders=1');
    expect(results).toMatchObject([{ issuer_name: 'New Name', ticker: 'NEW', issuer_cik: '0001878313' }]);
  });

  it('are found again after an import, in a store that is open', async () => {
    const path = await storeOf(bought(1));
    await withStore(path, async (store) => {
      const service = createService({ store, clock: () => new Date('2026-02-04T12:00:00Z') });
      const count = async () =>
        (await service.answer(insiderClusters, textsOf('min_insiders=1'), anyone)).results_count;
      expect(await count()).toBe(1);
      await importFiles(path, { 'doc4.xml': documentOf({ tables: trade() }) }, { filedOn: '2023-05-12' });
      expect(await count()).toBe(2);
    });
  });

  it('refuse a cursor of a cluster that is gone, even after the same number of imports', async () => {
    const clusters = (issuerCik: string) =>
      storeOf(bought(1, { issuerCik }), bought(2, { issuerCik, transactionDate: '2026-01-01' }));
    const query = 'min_insiders=1&days=1&limit=1';
    const { next_cursor } = await ask(await clusters('1'), insiderClusters, query);
    const next = `${query}&cursor=${next_cursor}`;
    expect(await problemOf(await clusters('2'), insiderClusters, next)).toMatchObject({
      ...{ field: 'cursor', detail: expect.stringContaining('start again') },
    });
    const { results } = await ask(await clusters('1'), insiderClusters, next);
    expect(results).toMatchObject([{ date_last: '2026-01-01' }]);
  });

  const sold = (place: number) =>
    bought(place, { transactionCode: 'S', acquiredDisposed: 'D', issuerCik: '9' });

  it('of another code say it, which clusters of purchases do not', async () => {
    const path = await storeOf(...[1, 2, 3].flatMap((place) => [bought(place), sold(place + 3)]));
    const found = async (query: string) =>
      (await ask(path, insiderClusters, query)).results.map(({ issuer_cik, ...row }) => [
        ...[issuer_cik, 'transaction_code' in row, row.transaction_code],
      ]);
    expect(await found('transaction_code=s')).toEqual([['9', true, 'S']]);
    for (const query of ['', 'transaction_code=P'])
      expect(await found(query)).toEqual([['0001878313', false, undefined]]);
  });
});

it('a limit of explanations counts clusters, whose trades are all listed', async () => {
  const others = [3, 4].map((place) => bought(place, { issuerCik: '2', transactionDate: '2026-01-01' }));
  const library = await open(await storeOf(bought(1), bought(2), ...others));
  const count = async (limit: number) =>
    (await library.insiderClusters({ explain: true, minInsiders: 2, limit })).rows.length;
  expect([await count(1), await count(2), await count(3)]).toEqual([2, 4, 4]);
  await library.close();
});

describe('insider filings', () => {
  it('leave out what was filed after the as-of date, and count days back from it', async () => {
    const filedOn = ['2025-12-01', '2025-12-02', '2025-12-31', '2026-01-02'];
    const path = await storeOf(
      ...filedOn.map((day, i) => bought(i, { filedOn: day, transactionDate: '2025-11-30' })),
    );
    const found = async (query: string) =>
      (await ask(path, insiderFilings, query)).results.map(({ filing_date }) => String(filing_date).slice(5));
    expect(await found('as_of=2025-12-31')).toEqual(['12-31', '12-02']);
    expect(await found('as_of=2025-12-31&days=31')).toEqual(['12-31', '12-02', '12-01']);
    expect(await found('as_of=2025-12-31&to=2026-01-10')).toEqual(['12-31', '12-02', '12-01']);
    expect(await found('days=14')).toEqual(['01-02']);
    expect(await found('days=13')).toEqual([]);
  });

  it('state joint filers by the first officer or director, the others by name and CIK', async () => {
    const kin = owner({ cik: null, name: 'Kin', isDirector: false });
    const path = await storeOf(bought(1, { owners: [fund, owner(), kin], is10b51: false }));
    const { results } = await ask(path, insiderFilings, 'owner_name=fund l');
    expect(results).toMatchObject([
      {
        ...{ owner_name: 'Smith Stan', is_10b5_1: false },
        ...{ other_owners: ['Fund LP', 'Kin'], other_owner_ciks: ['0000000009', null] },
      },
    ]);
  });

  it.each([
    ['without a date', ''],
    ['of days', 'days=2'],
    ['of days up to one to come', 'days=2&to=2026-12-31'],
    ['of days as known where the day begins first', 'days=2&as_of=2026-02-05'],
    ['of days up to one that is over', 'days=2&to=2026-02-02'],
    ['from a day', 'from=2026-02-02'],
    ['up to one to come', 'to=2026-12-31'],
  ])('have another tag when another day changes them, so that no client gets a 304: %s', async (_, query) => {
    const path = await storeOf(...days.map((filedOn, place) => bought(place, { filedOn })));
    const replies = await withStore(path, async (store) => {
      const service = (now: string) => createService({ store, clock: () => new Date(now) });
      const question = {
        ...{ operation: insiderFilings, texts: textsOf(query) },
        ...{ principal: anyone, requestId: 'req_1' },
      };
      const times = ['2026-02-04T12:00:00Z', '2026-02-05T12:00:00Z', '2026-03-20T12:00:00Z'];
      return Promise.all(times.map((now) => service(now).reply(question, () => false)));
    });
    const [first, ...others] = replies.map(({ tag, envelope }) => [tag, JSON.stringify(envelope?.results)]);
    for (const [tag, rows] of others) if (rows !== first?.[1]) expect(tag).not.toBe(first?.[0]);
  });
});
