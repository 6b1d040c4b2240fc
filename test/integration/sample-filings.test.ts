import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { openClient } from '../../src/client/open.ts';
import { samplePath } from '../../src/index.ts';
import type { Row } from '../../src/operations/envelope.ts';
import { operations } from '../../src/operations/index.ts';
import { clustersAmong } from '../support/insider-oracle.ts';
import { readData, testData } from '../support/repository.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient({ store: samplePath() });
});
afterAll(() => client?.close());

async function ask(name: string, given: Readonly<Record<string, string>>): Promise<readonly Row[]> {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return (await client.ask(operation, Object.entries(given))).results;
}

const day = (value: unknown) => String(value).slice(0, 10);

describe('the sample has filings', () => {
  it.each([
    // The headers of these submissions give the time in Washington: 20:18:10 on 8 November 2022 was already the 9th
    // in UTC.
    ['TSLA', '0000899243-22-035394', '2022-11-08', '2022-11-09T01:18:10Z', 'Musk Elon', 9],
    ['MAIA', '0001878313-26-000062', '2026-06-02', null, 'Vitoc Vlad', 1],
  ])('of %s: %s was filed on %s', async (ticker, number, filed, accepted_at, owner_name, trades) => {
    const rows = await ask('insider_filings', { ticker, from: filed, to: filed });
    const own = rows.filter(({ accession_number }) => accession_number === number);
    expect(own).toHaveLength(trades);
    expect(own[0]).toMatchObject({ filing_date: filed, accepted_at, owner_name });
  });

  it('of nine issuers', async () => {
    const rows = await ask('insider_filings', { from: '1990-01-01', limit: '1000' });
    expect(rows).toHaveLength(182);
    const issuers = new Set(rows.map(({ ticker }) => ticker));
    expect([...issuers].sort()).toEqual(['AFRM', 'FLWS', 'MAIA', 'ME', 'NTRA', 'PLTR', 'RVMD', 'SQ', 'TSLA']);
  });
});

/**
 * Added up by hand from the tables of the SEC's layout: offerings at one price, purchases in the market, and trades
 * that a later filing repeats (of 2022-08-01, 2025-02-24 and 2025-11-25..28), which count once.
 */
const byHand = [
  ['2026-06-01', '2026-06-01', 3, 3, '149700', '203775.79', '2026-06-02', 3],
  ['2025-12-22', '2025-12-22', 3, 3, '179737', '219998.088', '2025-12-23', 3],
  ['2025-11-21', '2025-12-05', 3, 14, '196185', '209793.3365', '2025-11-28', 3],
  ['2024-11-01', '2024-11-01', 4, 4, '232800', '584328', '2024-11-04', 4],
  ['2024-03-14', '2024-03-14', 5, 5, '452731', '529695.27', '2024-03-15', 4],
  ['2022-07-28', '2022-08-01', 10, 12, '284500', '1413500', '2022-08-02', 10],
] as const;

describe('the sample has clusters of purchases of MAIA', () => {
  it.each(byHand)('from %s to %s: %i insiders, %i trades', async (...expected) => {
    const [first, last] = expected;
    const rows = await ask('insider_clusters', { ticker: 'MAIA', from: last, to: last });
    expect(
      rows.map((row) => [
        day(row.date_first),
        day(row.date_last),
        row.cluster_size,
        row.transaction_count,
        row.total_shares,
        row.total_value,
        day(row.detected_on),
        row.size_when_detected,
      ]),
    ).toEqual([expected]);
    const before = new Date(Date.parse(expected[6]) - 86_400_000).toISOString().slice(0, 10);
    const earlier = await ask('insider_clusters', { ticker: 'MAIA', as_of: before });
    expect(earlier.filter((row) => day(row.date_last) >= first)).toEqual([]);
  });

  it('eight in all, and none of another issuer', async () => {
    const rows = await ask('insider_clusters', {});
    expect(rows.map(({ ticker }) => ticker)).toEqual(Array(8).fill('MAIA'));
  });

  it('fewer of them with more insiders', async () => {
    expect(await ask('insider_clusters', { min_insiders: '11' })).toEqual([]);
    const ten = await ask('insider_clusters', { min_insiders: '10' });
    expect(ten.map(({ date_last }) => day(date_last))).toEqual(['2022-08-01']);
  });
});

type Trade = {
  readonly owner: string;
  readonly date: string;
  readonly filed: string;
  readonly facts: string;
  readonly place: number;
};

describe('the clusters worked out from the source tables alone', () => {
  it('are those that the service answers', async () => {
    const spans = naiveClusters(rawPurchases(), 3, 14);
    const rows = await ask('insider_clusters', { ticker: 'MAIA' });
    const found = rows.map((row) => `${day(row.date_first)} ${day(row.date_last)} ${row.cluster_size}`);
    expect(found.sort()).toEqual(spans.sort());
  });

  it.each([0, 50_000, 300_000, 500_000])(
    'give a signal on the first day on which they were known to be worth %i dollars',
    async (least) => {
      const rows = await ask('insider_cluster_signals', {
        ticker: 'MAIA',
        ...(least > 0 && { min_value: String(least) }),
      });
      const found = rows.map((row) =>
        [
          ...[row.day, row.date_first, row.date_last].map(day),
          row.cluster_size,
          Number(row.total_value).toFixed(2),
        ].join(' '),
      );
      const expected = naiveSignals(rawPurchases(), least);
      expect(expected.length).toBeGreaterThan(0);
      expect(found.sort()).toEqual(expected.sort());
    },
  );
});

/** The purchases in the tables; one that an owner reports again later counts once. No block has two filers. */
function rawPurchases(): readonly Trade[] {
  const table = (name: string) => {
    const text = readData(testData, `sec/form345-maia-reencoded/${name}.tsv`).toString('utf8');
    const [columns = [], ...records] = text
      .trim()
      .split('\n')
      .map((line) => line.replace('\r', '').split('\t'));
    return records.map((cells) => Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ''])));
  };
  const isoDay = (text = '') => {
    const date = new Date(`${text} UTC`);
    return date.toISOString().slice(0, 10);
  };
  const filed = new Map(table('SUBMISSION').map((row) => [row.ACCESSION_NUMBER, isoDay(row.FILING_DATE)]));
  const owners = new Map(
    table('REPORTINGOWNER')
      .filter((row) => /Director|Officer/.test(row.RPTOWNER_RELATIONSHIP ?? ''))
      .map((row) => [row.ACCESSION_NUMBER, row.RPTOWNERCIK ?? '']),
  );
  const trades = table('NONDERIV_TRANS')
    .filter((row) => row.TRANS_CODE === 'P')
    .map((row) => ({
      owner: owners.get(row.ACCESSION_NUMBER) ?? '',
      date: isoDay(row.TRANS_DATE),
      filed: filed.get(row.ACCESSION_NUMBER) ?? '',
      facts: `${row.ACCESSION_NUMBER} ${row.TRANS_SHARES} ${row.TRANS_PRICEPERSHARE}`,
    }));
  const seen = new Map<string, number>();
  return trades
    .filter(({ owner }) => owner !== '')
    .map((trade) => {
      const alike = `${trade.date} ${trade.facts}`;
      const place = (seen.get(alike) ?? 0) + 1;
      seen.set(alike, place);
      return { ...trade, place };
    });
}

/** The signals in trades of which none is amended: on every filing date everything is computed again. */
function naiveSignals(trades: readonly Trade[], least: number): string[] {
  const signals: string[] = [];
  const ranges: string[][] = [];
  for (const today of [...new Set(trades.map(({ filed }) => filed))].sort()) {
    const known = trades.filter(({ filed }) => filed <= today);
    for (const cluster of clustersAmong(
      known.map((trade) => ({ ...trade, who: trade.owner })),
      { minInsiders: 3, days: 14 },
    )) {
      const dates = [...cluster].map(({ date }) => date).sort();
      const [first = '', last = ''] = [dates[0], dates.at(-1)];
      // What a later filing reports again counts once.
      const once = new Map([...cluster].map((one) => [repeatedOf(one), one.facts]));
      const value = [...once.values()].reduce((sum, facts) => sum + worthOf(facts), 0);
      const isKnown = ranges.some(([from = '', to = '']) => from <= last && first <= to);
      if (isKnown || value >= least) ranges.push([first, last]);
      if (isKnown || value < least) continue;
      const size = new Set([...cluster].map(({ owner }) => owner)).size;
      signals.push(`${today} ${first} ${last} ${size} ${value.toFixed(2)}`);
    }
  }
  return signals;
}

const worthOf = (facts: string) => {
  const [, shares, price] = facts.split(' ');
  return Number(shares) * Number(price);
};
/** What two reports of one trade share; rows of one filing are told apart by their place among those alike. */
const repeatedOf = ({ owner, date, facts, place }: Trade) =>
  [owner, date, ...facts.split(' ').slice(1).map(Number), place].join(' ');

function naiveClusters(trades: readonly Trade[], least: number, days: number): string[] {
  const joined = clustersAmong(
    trades.map((trade) => ({ ...trade, who: trade.owner })),
    { minInsiders: least, days },
  );
  return joined.map((one) => {
    const dates = [...one].map(({ date }) => date).sort();
    return `${dates[0]} ${dates.at(-1)} ${new Set([...one].map(({ owner }) => owner)).size}`;
  });
}
