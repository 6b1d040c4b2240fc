import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Explaining, explained } from '../../../src/analysis/cluster-explanation.ts';
import type { Client } from '../../../src/client/client.ts';
import { embeddedClient } from '../../../src/client/embedded.ts';
import type { Filing } from '../../../src/domain/insider/filing.ts';
import type { Row } from '../../../src/operations/envelope.ts';
import { insiderClusters } from '../../../src/operations/index.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { openStore } from '../../../src/store/open.ts';
import { alikeFilings, days } from '../../support/alike-filings.ts';
import { changedClient } from '../../support/changed-client.ts';
import { filing, owner } from '../../support/filings.ts';
import { scratchFolder } from '../../support/folders.ts';
import { importFilings, newStorePath } from '../../support/scratch-store.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = scratchFolder();
const clock = () => new Date('2026-03-15T12:00:00Z');

/** What is asked of a client of a store that holds these filings. */
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

/** The clusters of a store as they are and as they are explained, and what was said. */
async function explanation(client: Client, more: Partial<Explaining> = {}, given: ParamTexts = []) {
  const warnings: string[] = [];
  const clusters = await client.ask(insiderClusters, [...shortRule, ...given]);
  const { results } = await explained(clusters, {
    client,
    signal: new AbortController().signal,
    days: 4,
    warn: (text) => warnings.push(text),
    ...more,
  });
  return { clusters: clusters.results, rows: results, warnings };
}

/** Filings of a few days in January; each is of an owner of its own. */
const filed = (place: number, changes: Partial<Filing>) =>
  filing({
    filingId: `0000000001-26-00000${place}`,
    owners: [owner({ cik: `000000000${place}`, name: `Owner ${place}` })],
    filedOn: '2026-01-12',
    transactionDate: '2026-01-10',
    ...changes,
  });
const told = (rows: readonly Row[]) =>
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
    const { rows, warnings } = await withClient(filings, (client) => explanation(client));
    expect(told(rows)).toEqual([
      '5 left out outside the span',
      '1 counted',
      '2 counted',
      '3 counted',
      '4 left out by a ten-percent owner who is neither an officer nor a director',
      '7 left out by one who is neither an officer nor a director',
    ]);
    expect(warnings).toEqual([]);
  });

  it('knows an amendment to another code, under whatever symbol', async () => {
    const one = filed(3, {});
    const taken = { formType: '4/A', transactionCode: 'J', ticker: null, owners: one.owners } as const;
    const filings = [filed(1, {}), filed(2, {}), one, filed(4, { ...taken, filedOn: '2026-02-20' })];
    await withClient(filings, async (client) => {
      const after = await explanation(client);
      expect(told(after.rows)).toEqual([
        '1 counted',
        '2 counted',
        '3 left out amended: 0000000001-26-000004 row 1',
      ]);
      const asOf = '2026-02-19';
      const before = await explanation(client, { asOf }, [['as_of', asOf]]);
      expect(told(before.rows)).toEqual(['1 counted', '2 counted', '3 counted']);
      expect([...after.warnings, ...before.warnings]).toEqual([]);
    });
  });

  it('names the very trade that counts, also where another of its date would come to the same sums', async () => {
    const ann = { owners: [owner({ cik: '0000000003', name: 'Ann' })] };
    const again = { ...ann, filedOn: '2026-01-14' };
    const filings = [
      filed(1, { ...ann, shares: '7' }),
      // The first trade was a gift; the purchase is told by a filing that counts for its other trade anyway.
      filed(2, { ...ann, shares: '7', formType: '4/A', transactionCode: 'G', filedOn: '2026-01-13' }),
      filed(3, { ...again, shares: '7' }),
      filed(3, { ...again, shares: '8', row: 2 }),
      filed(4, {}),
    ];
    const { rows, warnings } = await withClient(filings, (client) => explanation(client));
    expect(told(rows)).toEqual([
      '1 left out amended: 0000000001-26-000002 row 1',
      '4 counted',
      '3 counted',
      '3 counted',
    ]);
    expect(warnings).toEqual([]);
  });

  it('names of joint filers the insider whom the cluster counts, so that its size can be counted', async () => {
    const [ann, bob] = [owner({ cik: '0000000001', name: 'Ann' }), owner({ cik: '0000000002', name: 'Bob' })];
    const filings = [filed(1, { owners: [bob, ann], shares: '5' }), filed(2, { owners: [bob], shares: '6' })];
    const { clusters, rows } = await withClient(filings, (client) => explanation(client));
    expect(clusters.map(({ cluster_size }) => cluster_size)).toEqual([2]);
    expect(rows.map(({ owner_name, reason }) => [owner_name, reason])).toEqual([
      ['Ann', 'one insider with the joint filers Bob'],
      ['Bob', ''],
    ]);
  });

  it('knows a joint filer by CIK, however filings spell the name', async () => {
    const [ann, bob] = [owner({ cik: '0000000001', name: 'Ann' }), owner({ cik: '0000000002', name: 'Bob' })];
    const fund = owner({ cik: '0000000009', name: 'Fund LP', isDirector: false, isTenPercent: true });
    const filings = [
      filed(1, { owners: [ann, fund] }),
      filed(2, { owners: [bob, { ...fund, name: 'FUND, L.P.' }], filedOn: '2026-01-13' }),
      filed(3, {}),
    ];
    const { rows, warnings } = await withClient(filings, (client) => explanation(client));
    expect(told(rows)).toEqual([
      '1 counted one insider with the joint filers Fund LP',
      '3 counted',
      '2 left out the same trade reported twice: 0000000001-26-000001 row 1',
    ]);
    expect(warnings).toEqual([]);
  });

  it('asks for purchases alone where they explain everything, once for all clusters', async () => {
    const second = { issuerCik: '0000000002', transactionDate: '2026-01-01' };
    const filings = [filed(1, {}), filed(2, {}), filed(3, second), filed(4, second)];
    const asked: ParamTexts[] = [];
    const { rows } = await withClient(filings, (client) =>
      explanation({
        ...client,
        ask: (operation, given) => {
          asked.push(given);
          return client.ask(operation, given);
        },
      }),
    );
    expect(rows).toHaveLength(4);
    expect(asked.slice(1)).toEqual([
      [
        ['from', '2025-12-28'],
        ['transaction_code', 'P'],
        ['limit', '1000'],
      ],
    ]);
  });

  it('reads on where a page of filings ends', async () => {
    const others = Array.from({ length: 1100 }, (_, place) =>
      filed(9, {
        filingId: `9${String(place).padStart(6, '0')}`,
        issuerCik: '0000000099',
        filedOn: '2026-01-13',
      }),
    );
    const filings = [...others, filed(1, {}), filed(2, {})];
    const { rows, warnings } = await withClient(filings, (client) =>
      explanation(client, {}, [['ticker', 'MAIA']]),
    );
    expect(told(rows)).toEqual(['1 counted', '2 counted']);
    expect(warnings).toEqual([]);
  });

  it('shows each purchase near, and counts what the cluster counts, whatever was filed under whatever symbol', async () => {
    const symbols = fc.array(fc.constantFrom('SVN', 'OLD', null), { minLength: 9, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(alikeFilings, symbols, fc.constantFrom(...days), async (some, tickers, asOf) => {
        const filings = some.map((one) => ({
          ...one,
          ticker: tickers[Number(one.filingId.slice(1))] ?? null,
        }));
        const { clusters, rows, warnings } = await withClient(filings, (client) =>
          explanation(client, { asOf }, [['as_of', asOf]]),
        );
        expect(warnings).toEqual([]);
        for (const { date_first, date_last, transaction_count, accession_numbers, insiders } of clusters) {
          const own = rows.filter((row) => row.date_first === date_first);
          const counted = own.filter(({ verdict }) => verdict === 'counted');
          expect(counted).toHaveLength(Number(transaction_count));
          const numbers = new Set(counted.map(({ accession_number }) => accession_number));
          expect([...numbers].sort()).toEqual(accession_numbers);
          const insiderOf = ({ accession_number, transaction_date, shares, owner_name }: Row) =>
            [accession_number, transaction_date, shares, owner_name].join(' ');
          expect(counted.map(insiderOf).sort()).toEqual((insiders as readonly Row[]).map(insiderOf).sort());
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

describe('a service that counts otherwise than its filings tell', () => {
  const filings = [filed(1, {}), filed(2, {}), filed(3, { transactionDate: '2026-01-01' })];
  /** A client that says something else of each cluster. */
  const saying = (client: Client, more: Row, without: readonly string[] = []): Client =>
    changedClient(client, async ({ name }, answer) => {
      const page = await answer();
      if (name !== insiderClusters.name) return page;
      const results = page.results.map((row) =>
        Object.fromEntries(Object.entries({ ...row, ...more }).filter(([name]) => !without.includes(name))),
      );
      return { ...page, results: results as Row[] };
    });

  it.each<[string, Row, readonly string[], string]>([
    ['more trades', { transaction_count: 3 }, [], 'purchases in the cluster: 3; by the filings: 2'],
    ['fewer trades', { transaction_count: 1 }, [], 'purchases in the cluster: 1; by the filings: 2'],
    [
      'other filings',
      { accession_numbers: ['0000000001-26-000001', '0000000001-26-000009'] },
      [],
      'purchases in the cluster: 2; by the filings: others',
    ],
    [
      'more filings',
      { accession_numbers: ['1', '2', '3'].map((place) => `0000000001-26-00000${place}`) },
      [],
      'purchases in the cluster: 2; by the filings: others',
    ],
    [
      'fewer filings',
      { accession_numbers: ['0000000001-26-000001'] },
      [],
      'purchases in the cluster: 2; by the filings: others',
    ],
    [
      'other trades of these filings',
      { insiders: ['1', '2'].map((place) => ({ accession_number: `0000000001-26-00000${place}` })) },
      [],
      'purchases in the cluster: 2; by the filings: others',
    ],
    [
      'more insiders, and no number of trades',
      { insiders: [{}, {}, {}] },
      ['transaction_count', 'accession_numbers'],
      'purchases in the cluster: 3; by the filings: 2',
    ],
  ])('gets no verdict that contradicts it, and the user is told: %s', async (_, more, without, reason) => {
    const { rows, warnings } = await withClient(filings, (client) =>
      explanation(saying(client, more, without)),
    );
    expect(told(rows)).toEqual([`1 unclear ${reason}`, `2 unclear ${reason}`]);
    expect(warnings).toEqual([`asof: MAIA, 2026-01-10 to 2026-01-10, cannot be explained (${reason})`]);
  });

  it('is taken at its word where it does not say how much it counts, nor who the issuer is by number', async () => {
    const without = ['transaction_count', 'accession_numbers', 'insiders', 'issuer_cik'];
    const { rows, warnings } = await withClient(filings, (client) => {
      const nameless = saying(client, {}, without);
      const unnumbered = changedClient(nameless, async (_, answer) => {
        const page = await answer();
        return { ...page, results: page.results.map(({ issuer_cik: _, ...row }) => row as Row) };
      });
      return explanation(unnumbered);
    });
    expect(told(rows)).toEqual(['1 counted', '2 counted']);
    expect(warnings).toEqual([]);
  });
});
