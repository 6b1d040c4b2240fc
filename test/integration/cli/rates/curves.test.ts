import { beforeAll, describe, expect, it } from 'vitest';
import { compared } from '../../../../src/questions/rates/rates.ts';
import { asof, linesOf, transcript } from '../../../support/command.ts';
import { scratchFolder } from '../../../support/folders.ts';
import { importFiles, newStorePath } from '../../../support/scratch-store.ts';

const store = newStorePath(scratchFolder());
const surroundings = () => ({ env: { ASOF_STORE: store } });

const holidays = ['2025-01-20', '2025-02-17', '2025-05-26', '2025-06-19', '2025-07-04'];

// The first 150 days from Thursday, 2025-01-02, on that are neither on a weekend nor a holiday.
const days = Array.from({ length: 217 }, (_, i) => new Date(Date.UTC(2025, 0, 2 + i)))
  .filter((day) => day.getUTCDay() % 6 !== 0)
  .map((day) => day.toISOString().slice(0, 10))
  .filter((day) => !holidays.includes(day));

beforeAll(async () => {
  const rates = (i: number) => `${i % 7 === 0 ? '.' : '3.5'},${(4 + i / 100).toFixed(2)},5.00`;
  const rows = days.map((day, i) => `${day},${rates(i)}\n`);
  await importFiles(store, { 'par.csv': `DATE,DGS1MO,DGS2,DGS10\n${rows.join('')}` });
});

describe('asof yields --wide', () => {
  it('has one row per date and one column per maturity, empty if there is no rate', async () => {
    const [header = '', ...dates] = linesOf((await asof(['yields', '--wide'], surroundings())).out);
    expect(header).toBe('trade_date,1M,1.5M,2M,3M,4M,6M,1Y,2Y,3Y,5Y,7Y,10Y,20Y,30Y');
    expect(dates.map((row) => row.slice(0, 10))).toEqual([...days].reverse());
    expect(dates[0]).toBe('2025-08-06,3.5,,,,,,,5.49,,,,5.00,,');
    expect(dates.at(-1)).toBe('2025-01-02,,,,,,,,4.00,,,,5.00,,');
  });

  transcript(
    `
    # counts dates by --limit
    $ asof yields --wide --limit 3 --columns trade_date,2Y
    trade_date,2Y
    2025-08-06,5.49
    2025-08-05,5.48
    2025-08-04,5.47

    # shows one maturity if one is requested, and has a header even without rows
    $ asof yields --wide --maturity 1m --from 2025-05-26 --to 2025-05-28
    trade_date,1M
    2025-05-28,3.5
    2025-05-27,3.5
    $ asof yields --wide --type tips
    trade_date,5Y,7Y,10Y,20Y,30Y
    ! …
    `,
    surroundings,
  );

  it('has a missing rate in JSON as null', async () => {
    const { out } = await asof(['yields', '--wide', '--to', '2025-01-02', '--json'], surroundings());
    const { object, results_count, has_more, results } = JSON.parse(out);
    expect([object, results_count, has_more]).toEqual(['yield_table', 1, false]);
    expect(results[0]).toMatchObject({ trade_date: '2025-01-02T00:00:00Z', '1M': null, '10Y': '5.00' });
  });
});

describe('asof curve', () => {
  transcript(
    `
    # says how to look back from a day without a curve
    $ asof curve --date today
    trade_date,maturity,rate,curve_type,source
    ! asof: no curve on 2026-03-15, a Sunday; --on-or-before takes the newest one before it
    $ asof curve --date 2025-08-06 --columns maturity,source
    maturity,source
    1M,Federal Reserve H.15
    2Y,Federal Reserve H.15
    10Y,Federal Reserve H.15

    # with --vs puts another curve beside it, with the change in basis points
    $ asof curve --date 2025-08-06 --vs 2025-01-02
    maturity,rate,vs_rate,change_bps,trade_date,vs_trade_date,curve_type
    1M,3.5,,,2025-08-06,2025-01-02,PAR
    2Y,5.49,4.00,149.00,2025-08-06,2025-01-02,PAR
    10Y,5.00,5.00,0.00,2025-08-06,2025-01-02,PAR

    # with --vs is the newest curve without --date, and looks back with --on-or-before
    $ asof curve --vs 2026-01-01 --on-or-before --columns maturity,trade_date,vs_trade_date,source --no-header
    1M,2025-08-06,2025-08-06,Federal Reserve H.15
    2Y,2025-08-06,2025-08-06,Federal Reserve H.15
    10Y,2025-08-06,2025-08-06,Federal Reserve H.15
    ! asof: no curve on 2026-01-01; the newest one before it is from 2025-08-06

    # with --vs says when there is no curve on one of the days, and how to look back
    $ asof curve --vs 2024-01-01
    …
    1M,3.5,,,2025-08-06,,PAR
    …
    ! asof: no curve on 2024-01-01; --on-or-before takes the newest one before it
    $ asof curve --date 2025-06-01 --vs 2025-08-06
    …
    1M,,3.5,,,2025-08-06,PAR
    …
    ! asof: no curve on 2025-06-01, a Sunday; --on-or-before takes the newest one before it
    $ asof curve --vs 2024-01-01 --on-or-before
    …
    ! asof: no curve on or before 2024-01-01
    $ asof curve --vs soon --on-or-before
    ! asof: --vs "soon": use YYYY-MM-DD…
    …
    [exit 2]
    `,
    surroundings,
  );

  it('with --vs names the sources of both', () => {
    const [own, other] = ['A', 'B'].map((source) => ({
      ...{ object: 'yield_curve', request_id: '', status: 'ok', results_count: 1, has_more: false },
      results: [{ trade_date: '2025-01-02', maturity: '2Y', rate: '1', curve_type: 'PAR', source }],
    }));
    expect(own && other && compared(own, other).results[0]?.source).toBe('A; B');
  });
});

describe('a rate that ends before its curve', () => {
  it('is covered on a day as far as the curve was', async () => {
    const path = newStorePath(scratchFolder());
    await importFiles(path, {
      'par.csv': 'DATE,DGS2,DGS10\n2020-02-13,1.44,1.61\n2020-02-14,1.42,1.59\n2020-02-20,1.39,\n',
    });
    const coveredOn = async (day: string) => {
      const line = ['obs', 'DGS10', '--limit', '1', '--json'];
      const { out } = await asof(line, { env: { ASOF_STORE: path }, now: `${day}T00:00:00Z` });
      return JSON.parse(out).covered_to;
    };
    // 16 February 2020 was a Sunday.
    expect(await coveredOn('2020-02-16')).toBe('2020-02-14T00:00:00Z');
    expect(await coveredOn('2020-02-20')).toBe('2020-02-20T00:00:00Z');
  });
});
