import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { embeddedClient } from '../../../src/client/open.ts';
import { pagesOf } from '../../../src/client/pagination.ts';
import type { Filing } from '../../../src/domain/insider/filing.ts';
import { insiderClusterExplanations, insiderClusters } from '../../../src/operations/insiders/clusters.ts';
import type { RowOf } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { openStore } from '../../../src/store/open.ts';
import { alikeFilings, days } from '../../support/alike-filings.ts';
import { filing, owner } from '../../support/filings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { importFilings, newStorePath } from '../../support/scratch-store.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = scratchFolder();
const clock = () => new Date('2026-03-15T12:00:00Z');

/** Asks a client of a store that holds these filings. */
async function withClient<T>(filings: readonly Filing[], ask: (client: Client) => Promise<T>): Promise<T> {
  const path = newStorePath(folder);
  await importFilings(path, filings);
  const client = embeddedClient(await openStore(path), clock);
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}

const shortRule: ParamTexts = [
  ['min_insiders', '2'],
  ['days', '4'],
];

/** A trade as a cluster and its explanation name it. */
type NamedTrade = Pick<Explanation, 'accession_number' | 'owner_name' | 'shares' | 'transaction_date'>;

type Explanation = RowOf<typeof insiderClusterExplanations>;

/** The clusters of a store, and their explanations. */
async function explained(filings: readonly Filing[], texts: ParamTexts = []) {
  return withClient(filings, async (client) => {
    const asked = [...shortRule, ...texts];
    const clusters = await client.ask(insiderClusters, asked);
    const { results } = await client.ask(insiderClusterExplanations, asked);
    return { clusters: clusters.results, rows: results };
  });
}

/** Filings of a few days in January, each by another owner. */
const filed = (place: number, changes: Partial<Filing>) =>
  filing({
    filingId: `0000000001-26-00000${place}`,
    owners: [owner({ cik: `000000000${place}`, name: `Owner ${place}` })],
    filedOn: '2026-01-12',
    transactionDate: '2026-01-10',
    ...changes,
  });
const summaries = (rows: readonly Explanation[]) =>
  rows.map(({ accession_number, verdict, reason }) =>
    [String(accession_number).slice(-1), verdict, reason].join(' ').trim(),
  );

describe('an explanation of a cluster', () => {
  it('knows what its issuer’s insiders filed under another symbol, or under none', async () => {
    const fund = owner({ cik: '0000000009', name: 'Fund', isDirector: false, isTenPercent: true });
    const filings = [
      filed(1, {}),
      filed(2, { ticker: 'OLD' }),
      filed(3, { ticker: null }),
      filed(4, { ticker: null, owners: [fund] }),
      filed(5, { ticker: 'OLD', transactionDate: '2026-01-06' }),
      filed(6, { ticker: 'MAIA', issuerCik: '0000000099' }),
      filed(7, { owners: [owner({ cik: '0000000007', name: 'Kin', isDirector: false })] }),
    ];
    const { rows } = await explained(filings);
    expect(summaries(rows)).toEqual([
      '5 left out outside the span',
      '1 counted',
      '2 counted',
      '3 counted',
      '4 left out by a ten-percent owner who is neither an officer nor a director',
      '7 left out by one who is neither an officer nor a director',
    ]);
  });

  it('knows an amendment to another code, under any symbol', async () => {
    const one = filed(3, {});
    const taken = { formType: '4/A', transactionCode: 'J', ticker: null, owners: one.owners } as const;
    const filings = [filed(1, {}), filed(2, {}), one, filed(4, { ...taken, filedOn: '2026-02-20' })];
    expect(summaries((await explained(filings)).rows)).toEqual([
      '1 counted',
      '2 counted',
      '3 left out amended: 0000000001-26-000004 row 1',
    ]);
    const { rows } = await explained(filings, [['as_of', '2026-02-19']]);
    expect(summaries(rows)).toEqual(['1 counted', '2 counted', '3 counted']);
  });

  it('names the very trade that counts, also where another of its date would come to the same sums', async () => {
    const ann = { owners: [owner({ cik: '0000000003', name: 'Ann' })] };
    const again = { ...ann, filedOn: '2026-01-14' };
    const filings = [
      filed(1, { ...ann, shares: '7' }),
      // The first trade was a gift; the purchase is in a filing that counts anyway, for its other trade.
      filed(2, { ...ann, shares: '7', formType: '4/A', transactionCode: 'G', filedOn: '2026-01-13' }),
      filed(3, { ...again, shares: '7' }),
      filed(3, { ...again, shares: '8', row: 2 }),
      filed(4, {}),
    ];
    const { rows } = await explained(filings);
    expect(summaries(rows)).toEqual([
      '1 left out amended: 0000000001-26-000002 row 1',
      '4 counted',
      '3 counted',
      '3 counted',
    ]);
  });

  it('names of joint filers the insider whom the cluster counts, so that its size can be counted', async () => {
    const [ann, bob] = [owner({ cik: '0000000001', name: 'Ann' }), owner({ cik: '0000000002', name: 'Bob' })];
    const filings = [filed(1, { owners: [bob, ann], shares: '5' }), filed(2, { owners: [bob], shares: '6' })];
    const { clusters, rows } = await explained(filings);
    expect(clusters.map(({ cluster_size }) => cluster_size)).toEqual([2]);
    expect(rows.map(({ owner_name, reason }) => [owner_name, reason])).toEqual([
      ['Ann', 'one insider with the joint filers Bob'],
      ['Bob', ''],
    ]);
  });

  it('knows a joint filer by CIK, in any form of the name', async () => {
    const [ann, bob] = [owner({ cik: '0000000001', name: 'Ann' }), owner({ cik: '0000000002', name: 'Bob' })];
    const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });
    const filings = [
      filed(1, { owners: [ann, fund] }),
      filed(2, { owners: [bob, { ...fund, name: 'FUND, L.P.' }], filedOn: '2026-01-13' }),
      filed(3, {}),
    ];
    const { rows } = await explained(filings);
    expect(summaries(rows)).toEqual([
      '1 counted one insider with the joint filers Fund LP',
      '3 counted',
      '2 left out the same trade reported twice: 0000000001-26-000001 row 1',
    ]);
  });

  it('says of a derivative that it is one, although no cluster is made of derivatives', async () => {
    const option = filed(3, { isDerivative: true, row: 1001 });
    const { rows } = await explained([filed(1, {}), filed(2, {}), option]);
    expect(summaries(rows)).toEqual(['1 counted', '2 counted', '3 left out a derivative']);
  });

  it('knows the trades of its issuer, even after many filings of others', async () => {
    const others = Array.from({ length: 1100 }, (_, place) =>
      filed(9, {
        filingId: `9${String(place).padStart(6, '0')}`,
        issuerCik: '0000000099',
        filedOn: '2026-01-13',
      }),
    );
    const filings = [...others, filed(1, {}), filed(2, {})];
    const { rows } = await explained(filings, [['ticker', 'MAIA']]);
    expect(summaries(rows)).toEqual(['1 counted', '2 counted']);
  });

  it('shows each purchase near it, and counts what the cluster counts, for any filings under any symbols', async () => {
    const symbols = fc.array(fc.constantFrom('SVN', 'OLD', null), { minLength: 9, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(alikeFilings, symbols, fc.constantFrom(...days), async (some, tickers, asOf) => {
        const filings = some.map((one) => ({
          ...one,
          ticker: tickers[Number(one.filingId.slice(1))] ?? null,
        }));
        const { clusters, rows } = await explained(filings, [['as_of', asOf]]);
        for (const { date_first, date_last, transaction_count, accession_numbers, insiders } of clusters) {
          const own = rows.filter((row) => row.date_first === date_first);
          const counted = own.filter(({ verdict }) => verdict === 'counted');
          expect(counted).toHaveLength(Number(transaction_count));
          const numbers = new Set(counted.map(({ accession_number }) => accession_number));
          expect([...numbers].sort()).toEqual(accession_numbers);
          const insiderOf = ({ accession_number, transaction_date, shares, owner_name }: NamedTrade) =>
            [accession_number, transaction_date, shares, owner_name].join(' ');
          const named = insiders.map((one) => insiderOf({ accession_number: null, ...one }));
          expect(counted.map(insiderOf).sort()).toEqual(named.sort());
          const day = (cell: unknown) => Date.parse(String(cell)) / 86_400_000;
          const near = filings.filter(
            ({ transactionDate, transactionCode, filedOn }) =>
              filedOn <= asOf &&
              transactionCode === 'P' &&
              day(transactionDate) >= day(date_first) - 4 &&
              day(transactionDate) <= day(date_last) + 4,
          );
          const nameOf = (number: unknown, row: unknown) => `${number} ${row}`;
          expect(own.map(({ accession_number, row }) => nameOf(accession_number, row)).sort()).toEqual(
            near.map(({ filingId, row }) => nameOf(filingId, row)).sort(),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('pages of explanations', () => {
  const second = { issuerCik: '0000000002', transactionDate: '2026-01-01' };
  const filings = [filed(1, {}), filed(2, {}), filed(3, second), filed(4, second)];

  it('hold whole clusters: limit is the number of clusters, not of rows', async () => {
    await withClient(filings, async (client) => {
      const first = await client.ask(insiderClusterExplanations, [...shortRule, ['limit', '1']]);
      expect([summaries(first.results), first.has_more]).toEqual([['1 counted', '2 counted'], true]);
      const next = await client.ask(insiderClusterExplanations, [
        ...shortRule,
        ['limit', '1'],
        ['cursor', first.next_cursor ?? ''],
      ]);
      expect([summaries(next.results), next.has_more]).toEqual([['3 counted', '4 counted'], false]);
    });
  });

  it('are as many as a limit of clusters asks for', async () => {
    await withClient(filings, async (client) => {
      const rowsOf = async (limit: number) => {
        const { signal } = new AbortController();
        const rows: Explanation[] = [];
        for await (const page of pagesOf(client, insiderClusterExplanations, shortRule, { limit }, signal))
          rows.push(...page.results);
        return summaries(rows).length;
      };
      expect([await rowsOf(1), await rowsOf(2), await rowsOf(3)]).toEqual([2, 4, 4]);
    });
  });
});
