import { describe, expect, it } from 'vitest';
import type { Filing } from '../../../src/domain/insider/filing.ts';
import { insiderClusters, insiderFilings } from '../../../src/operations/index.ts';
import { filing, owner } from '../../support/filings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { importFilings, newStorePath } from '../../support/scratch-store.ts';
import { ask, problemOf } from '../../support/service.ts';

const folder = scratchFolder();

async function storeOf(filings: readonly Filing[], path = newStorePath(folder)): Promise<string> {
  await importFilings(path, filings);
  return path;
}

let made = 0;
/** A purchase by each of `count` insiders of an issuer on a day. */
function cluster(issuer: string, day: string, size: number, ticker: string | null = `T${issuer}`): Filing[] {
  return Array.from({ length: size }, (_, place) => {
    made += 1;
    const filingId = `0000000001-26-${String(made).padStart(6, '0')}`;
    const owners = [owner({ cik: `${issuer}${place}` })];
    return filing({
      filingId,
      issuerCik: issuer,
      ticker,
      owners,
      transactionDate: day,
      filedOn: '2026-01-12',
    });
  });
}

describe('insider clusters', () => {
  it('come newest last trade first, then largest, then by ticker, issuer and first trade', async () => {
    const path = await storeOf([
      ...cluster('1', '2026-01-02', 3, 'B'),
      ...cluster('2', '2026-01-02', 4, 'Z'),
      ...cluster('3', '2026-01-05', 3, 'Z'),
      ...cluster('4', '2026-01-02', 3, 'A'),
      ...cluster('5', '2026-01-02', 3, null),
      ...cluster('0', '2026-01-02', 3, 'B'),
    ]);
    const { results } = await ask(path, insiderClusters, []);
    const order = results.map(({ issuer_cik }) => issuer_cik);
    expect(order).toEqual(['3', '2', '5', '4', '0', '1']);
  });

  it('of a ticker are those in which a filing states it, not all of the issuer', async () => {
    const path = await storeOf([
      ...cluster('1', '2025-01-02', 3, 'OLD'),
      ...cluster('1', '2026-01-02', 2, 'NEW'),
      ...cluster('9', '2026-01-02', 3, 'NEW'),
    ]);
    const dates = async (ticker: string) =>
      (await ask(path, insiderClusters, [['ticker', ticker]])).results.map(
        ({ issuer_cik, date_last }) => `${issuer_cik} ${String(date_last).slice(0, 10)}`,
      );
    expect(await dates('old')).toEqual(['1 2025-01-02']);
    expect(await dates('NEW')).toEqual(['9 2026-01-02']);
  });

  it('list the trades of each insider', async () => {
    const [row] = (
      await ask(await storeOf(cluster('7', '2026-01-02', 1)), insiderClusters, [['min_insiders', '1']])
    ).results;
    expect(row).toMatchObject({
      ticker: 'T7',
      cluster_size: 1,
      total_shares: '10',
      total_value: '15',
      average_price: '1.5000',
      price_low: '1.50',
      insiders: [
        {
          owner_name: 'Smith Stan',
          officer_title: null,
          shares: '10',
          price_per_share: '1.50',
          transaction_date: '2026-01-02',
          is_director: true,
          is_officer: false,
          owner_cik: '70',
          filing_date: '2026-01-12',
          value: '15',
        },
      ],
    });
  });

  it('have no sum of shares if a trade does not state its number', async () => {
    const [one, ...others] = cluster('7', '2026-01-02', 3);
    const path = await storeOf([...(one === undefined ? [] : [{ ...one, shares: null }]), ...others]);
    const [row] = (await ask(path, insiderClusters, [])).results;
    expect(row).toMatchObject({ total_shares: null, total_value: '30', transaction_count: 3 });
  });

  it('never mix two states of the data: after an import, the second page is refused', async () => {
    const path = await storeOf([...cluster('1', '2026-01-02', 3), ...cluster('2', '2026-01-02', 3)]);
    const { next_cursor = '' } = await ask(path, insiderClusters, [['limit', '1']]);
    await storeOf(cluster('3', '2026-01-02', 3), path);
    const problem = await problemOf(path, insiderClusters, [
      ['limit', '1'],
      ['cursor', next_cursor],
    ]);
    expect(problem).toMatchObject({ field: 'cursor', detail: expect.stringContaining('changed') });
  });
});

describe('insider filings', () => {
  it('leave out what was filed after the as-of date, and count days back from it', async () => {
    const path = await storeOf(
      ['2025-12-01', '2025-12-02', '2025-12-31', '2026-01-02'].map((filedOn, i) =>
        filing({ filingId: `0000000002-26-00000${i}`, filedOn, transactionDate: '2025-11-30' }),
      ),
    );
    const days = async (...given: readonly (readonly [string, string])[]) =>
      (await ask(path, insiderFilings, given)).results.map(({ filing_date }) =>
        String(filing_date).slice(5, 10),
      );
    expect(await days(['as_of', '2025-12-31'])).toEqual(['12-31', '12-02']);
    expect(await days(['as_of', '2025-12-31'], ['days', '31'])).toEqual(['12-31', '12-02', '12-01']);
    expect(await days(['as_of', '2025-12-31'], ['to', '2026-01-10'])).toEqual(['12-31', '12-02', '12-01']);
    expect(await days(['days', '14'])).toEqual(['01-02']);
    expect(await days(['days', '13'])).toEqual([]);
  });

  it('state joint filers by the first officer or director, the others by name and CIK', async () => {
    const fund = owner({ cik: '9', name: 'Fund LP', isDirector: false, isTenPercent: true });
    const kin = owner({ cik: null, name: 'Kin', isDirector: false });
    const path = await storeOf([filing({ owners: [fund, owner(), kin], is10b51: false })]);
    const [row] = (await ask(path, insiderFilings, [])).results;
    expect(row).toMatchObject({ owner_name: 'Smith Stan', is_10b5_1: false });
    expect(row).toMatchObject({ other_owners: ['Fund LP', 'Kin'], other_owner_ciks: ['9', null] });
    expect((await ask(path, insiderFilings, [['owner_name', 'fund l']])).results).toHaveLength(1);
  });
});
