import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asof, open, samplePath } from '../../src/index.ts';
import { rawFredQd } from '../support/raw-statements.ts';
import { testData } from '../support/repository.ts';
import { publishedAnswersSuite } from '../support/suites/series-files.ts';

let asof: Asof;
beforeAll(async () => {
  asof = await open(samplePath());
});
afterAll(() => asof.close());

describe('the sample has filings', () => {
  it.each([
    // The headers of these submissions give the time in Washington: 20:18:10 on 8 November 2022 was already the 9th
    // in UTC.
    ['TSLA', '0000899243-22-035394', '2022-11-08', '2022-11-09T01:18:10Z', 'Musk Elon', 9],
    ['MAIA', '0001878313-26-000062', '2026-06-02', null, 'Vitoc Vlad', 1],
  ])('of %s: %s was filed on %s', async (ticker, number, filed, accepted_at, owner_name, trades) => {
    const { rows } = await asof.insiderFilings({ ticker, from: filed, to: filed });
    const own = rows.filter(({ accession_number }) => accession_number === number);
    expect(own).toHaveLength(trades);
    expect(own[0]).toMatchObject({ filing_date: filed, accepted_at, owner_name });
  });

  it('of nine issuers', async () => {
    const { rows } = await asof.insiderFilings({ from: '1990-01-01', limit: 1000 });
    expect(rows).toHaveLength(182);
    const issuers = new Set(rows.map(({ ticker }) => ticker));
    expect([...issuers].sort()).toEqual(['AFRM', 'FLWS', 'MAIA', 'ME', 'NTRA', 'PLTR', 'RVMD', 'SQ', 'TSLA']);
  });
});

describe('the sample has clusters of purchases of MAIA', () => {
  // Added up by hand from the tables of the SEC's layout: offerings at one price, purchases in the market, and trades
  // that a later filing repeats (of 2022-08-01, 2025-02-24 and 2025-11-25..28), which count once.
  it.each([
    ['2026-06-01', '2026-06-01', 3, 3, '149700', '203775.79', '2026-06-02', 3],
    ['2025-12-22', '2025-12-22', 3, 3, '179737', '219998.088', '2025-12-23', 3],
    ['2025-11-21', '2025-12-05', 3, 14, '196185', '209793.3365', '2025-11-28', 3],
    ['2024-11-01', '2024-11-01', 4, 4, '232800', '584328', '2024-11-04', 4],
    ['2024-03-14', '2024-03-14', 5, 5, '452731', '529695.27', '2024-03-15', 4],
    ['2022-07-28', '2022-08-01', 10, 12, '284500', '1413500', '2022-08-02', 10],
  ] as const)('from %s to %s: %i insiders, %i trades', async (...expected) => {
    const [first, last, , , , , detected] = expected;
    const { rows } = await asof.insiderClusters({ ticker: 'MAIA', from: last, to: last });
    const shown = rows.map((row) => [
      ...[row.date_first, row.date_last, row.cluster_size, row.transaction_count],
      ...[row.total_shares, row.total_value, row.detected_on, row.size_when_detected],
    ]);
    expect(shown).toEqual([expected]);
    const before = new Date(Date.parse(detected) - 86_400_000).toISOString().slice(0, 10);
    const earlier = await asof.insiderClusters({ ticker: 'MAIA', asOf: before });
    expect(earlier.rows.filter(({ date_last }) => date_last >= first)).toEqual([]);
  });

  it('eight in all, none of another issuer, and fewer with more insiders', async () => {
    const { rows } = await asof.insiderClusters();
    expect(rows.map(({ ticker }) => ticker)).toEqual(Array(8).fill('MAIA'));
    const ten = await asof.insiderClusters({ minInsiders: 10 });
    expect(ten.rows.map(({ date_last }) => date_last)).toEqual(['2022-08-01']);
    expect((await asof.insiderClusters({ minInsiders: 11 })).rows).toEqual([]);
  });
});

describe('a series of the sample with an id of FRED', () => {
  it.each([
    ['GDPC1', 'GDPC1', 1],
    ['PCECC96', 'PCECC96', 1],
    ['GCEC1', 'GCEC1', 1],
    ['EXPGSC1', 'EXPGSC1', 1],
    ['IMPGSC1', 'IMPGSC1', 1],
    ['P', 'GDPCTPI', 3],
    ['UNRATE', 'UNRATE', 4],
    ['CPIAUCSL', 'CPIAUCSL', 4],
    ['CPILFESL', 'CPILFESL', 4],
  ])(
    'agrees with FRED-QD in every quarter known in the spring of 2021: %s is %s',
    async (id, column, decimals) => {
      const known = quarters((await asof.observations(id, { asOf: '2021-05-15' })).rows);
      const published = [...rawFredQd(testData, column)].filter(([quarter]) => known.has(quarter));
      expect(published.length).toBeGreaterThanOrEqual(248);
      // The largest difference between equal figures that are rounded to this number of decimals.
      const rounding = 0.5 * 10 ** -decimals + 1e-6;
      const apart = published.filter(
        ([quarter, value]) => !(Math.abs(value - (known.get(quarter) ?? Number.NaN)) <= rounding),
      );
      expect(apart).toEqual([]);
    },
  );
});

/** The means of quarters: of one figure of a quarterly series, three of a monthly one; part of a quarter is left out. */
function quarters(rows: readonly { readonly date: string; readonly value: string }[]): Map<string, number> {
  const found = new Map<string, number[]>();
  for (const { date, value } of rows) {
    const month = Math.floor((Number(date.slice(5, 7)) - 1) / 3) * 3 + 1;
    const quarter = `${date.slice(0, 4)}-${String(month).padStart(2, '0')}-01`;
    found.set(quarter, [...(found.get(quarter) ?? []), Number(value)]);
  }
  const size = Math.max(...Array.from(found.values(), (figures) => figures.length));
  const full = [...found].filter(([, figures]) => figures.length === size);
  return new Map(
    full.map(([quarter, figures]) => [quarter, figures.reduce((sum, one) => sum + one, 0) / size]),
  );
}

publishedAnswersSuite(testData, ['ROUTPUT']);
