import { describe, expect, it } from 'vitest';
import type { Filing } from '../../../src/domain/insider/filing.ts';
import { insiderClusters } from '../../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../../src/operations/insiders/filings.ts';
import { currentFormat, openDatabase } from '../../../src/store/sqlite/connection.ts';
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

describe('clusters of other codes', () => {
  const sales = (place: number, changes: Partial<Filing> = {}) =>
    filing({
      filingId: `0000000009-26-00000${place}`,
      issuerCik: '9',
      ticker: 'NIN',
      owners: [owner({ cik: `9${place}` })],
      transactionCode: 'S',
      acquiredDisposed: 'D',
      sharesOwnedAfter: '50',
      transactionDate: '2026-01-02',
      filedOn: '2026-01-05',
      ...changes,
    });

  it('say their code, which clusters of purchases do not', async () => {
    const path = await storeOf([...[1, 2, 3].map((place) => sales(place)), ...cluster('7', '2026-01-02', 3)]);
    const found = async (...given: readonly (readonly [string, string])[]) =>
      (await ask(path, insiderClusters, given)).results.map((row) => [
        row.ticker,
        'transaction_code' in row,
        row.transaction_code,
      ]);
    expect(await found(['transaction_code', 's'])).toEqual([['NIN', true, 'S']]);
    expect(await found()).toEqual([['T7', false, undefined]]);
    expect(await found(['transaction_code', 'P'])).toEqual([['T7', false, undefined]]);
  });

  it('count a block of shares that two filers report as sold once, unless both sold all they had', async () => {
    const sizes = async (sharesOwnedAfter: string) => {
      const path = await storeOf([
        sales(1, { sharesOwnedAfter }),
        sales(2, { sharesOwnedAfter, ownership: 'I' }),
      ]);
      const given = [['transaction_code', 'S'] as const, ['min_insiders', '1'] as const];
      return (await ask(path, insiderClusters, given)).results.map((row) => row.cluster_size);
    };
    // Ten shares were sold: of purchases, five held afterwards would be too few to say that it was one block.
    expect([await sizes('5'), await sizes('0')]).toEqual([[1], [2]]);
  });

  it('of a store that an asof made which knew only those of purchases are found as well', async () => {
    const path = await storeOf([...[1, 2, 3].map((place) => sales(place)), ...cluster('7', '2026-01-02', 3)]);
    const given = [['transaction_code', 'S'] as const];
    const answer = await ask(path, insiderClusters, given);
    const db = openDatabase(path);
    db.exec(
      'drop table word; drop index newest_purchases; drop index trades_by_day; drop index filings_of_issuer; drop table import_change; alter table import drop column number; alter table vintage drop column clipped; pragma user_version = 4',
    );
    db.close();
    const { request_id: _, ...others } = await ask(path, insiderClusters, given);
    const { request_id: __, ...expected } = answer;
    expect(others).toEqual(expected);
    const again = openDatabase(path, { readonly: true });
    expect(again.pragma('user_version', { simple: true })).toBe(currentFormat);
    again.close();
  });

  it('are worth at least the minimum, and one of no known value is not', async () => {
    const path = await storeOf([
      ...cluster('1', '2026-01-02', 3),
      ...cluster('2', '2026-01-02', 4),
      ...cluster('3', '2026-01-02', 3).map((one) => ({ ...one, pricePerShare: null })),
    ]);
    const of = async (least: string) =>
      (await ask(path, insiderClusters, [['min_value', least]])).results.map((row) => row.total_value);
    expect([await of('45'), await of('46'), await of('61')]).toEqual([['60', '45'], ['60'], []]);
  });
});
