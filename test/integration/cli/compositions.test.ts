import { beforeAll, describe, expect, it, vi } from 'vitest';
import { compared } from '../../../src/questions/rates/curve.ts';
import { tablePages } from '../../../src/questions/rates/yield-table.ts';
import { asof, linesOf } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { table } from '../../support/sec-tables.ts';

// The commands do real work, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const folder = newFolder();
const store = folder.path('store.db');

const holidays = ['2025-01-20', '2025-02-17', '2025-05-26', '2025-06-19', '2025-07-04'];

// The first 150 days from Thursday, 2025-01-02, on that are neither on a weekend nor a holiday.
const days = Array.from({ length: 217 }, (_, i) => new Date(Date.UTC(2025, 0, 2 + i)))
  .filter((day) => day.getUTCDay() % 6 !== 0)
  .map((day) => day.toISOString().slice(0, 10))
  .filter((day) => !holidays.includes(day));

beforeAll(async () => {
  const par = folder.write(
    'par.csv',
    `DATE,DGS1MO,DGS2,DGS10\n${days.map((day, i) => `${day},${i % 7 === 0 ? '.' : '3.5'},${(4 + i / 100).toFixed(2)},5.00`).join('\n')}\n`,
  );
  const { code, err } = await asof(['import', par, '--store', store]);
  if (code !== 0) throw new Error(err);
});

async function rows(...line: string[]): Promise<readonly string[]> {
  const { code, out, err } = await asof([...line, '--store', store]);
  if (code !== 0) throw new Error(err);
  return linesOf(out);
}

describe('asof yields --wide', () => {
  it('has one row per date and one column per maturity, empty if there is no rate', async () => {
    const [header = '', ...dates] = await rows('yields', '--wide');
    expect(header).toBe('trade_date,1M,1.5M,2M,3M,4M,6M,1Y,2Y,3Y,5Y,7Y,10Y,20Y,30Y');
    expect(dates.map((row) => row.slice(0, 10))).toEqual([...days].reverse());
    expect(dates[0]).toBe('2025-08-06,3.5,,,,,,,5.49,,,,5.00,,');
    expect(dates.at(-1)).toBe('2025-01-02,,,,,,,,4.00,,,,5.00,,');
  });

  it('counts dates by --limit', async () => {
    const [, ...dates] = await rows('yields', '--wide', '--limit', '3', '--columns', 'trade_date,2Y');
    expect(dates).toEqual(['2025-08-06,5.49', '2025-08-05,5.48', '2025-08-04,5.47']);
  });

  it('shows one maturity if one is requested, and a missing rate in JSON as null', async () => {
    const given = ['--maturity', '1m', '--from', '2025-05-26', '--to', '2025-05-29'];
    expect((await rows('yields', '--wide', ...given))[0]).toBe('trade_date,1M');
    const json = JSON.parse((await rows('yields', '--wide', '--to', '2025-01-02', '--json')).join('\n'));
    expect(json).toMatchObject({ object: 'yield_table', results_count: 1, has_more: false });
    expect(json.results[0]).toMatchObject({ trade_date: '2025-01-02T00:00:00Z', '1M': null, '10Y': '5.00' });
  });

  it('has a header even without rows', async () => {
    expect(await rows('yields', '--wide', '--type', 'tips')).toEqual(['trade_date,5Y,7Y,10Y,20Y,30Y']);
  });

  it('takes no cursor', async () => {
    expect((await asof(['yields', '--wide', '--cursor', 'x', '--store', store])).code).toBe(2);
  });
});

describe('the dates of a service in disorder', () => {
  it('are refused: two rows of one date would be wrong', async () => {
    const rates = (...trade_dates: readonly string[]) => ({
      ...{ object: 'yield_series', request_id: '', status: 'ok', has_more: false },
      results: trade_dates.map((trade_date) => ({
        ...{ trade_date, maturity: '1M', rate: '1' },
        ...{ curve_type: 'PAR', source: '' },
      })),
      results_count: trade_dates.length,
    });
    async function* pages() {
      yield rates('2025-01-03', '2025-01-02');
      yield rates('2025-01-03');
    }
    const shown = async () => {
      for await (const _ of tablePages(pages(), ['1M']));
    };
    await expect(shown()).rejects.toMatchObject({ kind: 'bad-answer' });
  });
});

describe('asof curve', () => {
  it('says how to look back from a day without a curve', async () => {
    const { code, out, err } = await asof(['curve', '--date', 'today', '--store', store]);
    expect([code, linesOf(out)]).toEqual([0, ['trade_date,maturity,rate,curve_type,source']]);
    expect(err).toBe(
      'asof: no curve on 2026-03-15, a Sunday; --on-or-before takes the newest one before it\n',
    );
    expect((await asof(['curve', '--date', '2025-08-06', '--store', store])).err).toBe('');
  });
});

describe('asof curve --vs', () => {
  it('puts another curve beside it, with the change in basis points', async () => {
    expect(await rows('curve', '--date', '2025-08-06', '--vs', '2025-01-02')).toEqual([
      'maturity,rate,vs_rate,change_bps,trade_date,vs_trade_date,curve_type',
      '1M,3.5,,,2025-08-06,2025-01-02,PAR',
      '2Y,5.49,4.00,149.00,2025-08-06,2025-01-02,PAR',
      '10Y,5.00,5.00,0.00,2025-08-06,2025-01-02,PAR',
    ]);
  });

  it('names the sources of both if that column is chosen', async () => {
    const line = ['curve', '--date', '2025-08-06', '--vs', '2025-01-02', '--columns', 'maturity,source'];
    expect((await rows(...line)).slice(1)).toEqual(
      ['1M', '2Y', '10Y'].map((name) => `${name},Federal Reserve H.15`),
    );
    const [own, other] = ['A', 'B'].map((source) => ({
      ...{ object: 'yield_curve', request_id: '', status: 'ok', results_count: 1, has_more: false },
      results: [{ trade_date: '2025-01-02', maturity: '2Y', rate: '1', curve_type: 'PAR', source }],
    }));
    expect(own && other && compared(own, other).results[0]?.source).toBe('A; B');
  });

  it('is beside the newest curve without --date, and looks back with --on-or-before', async () => {
    const line = [
      'curve',
      '--vs',
      '2026-01-01',
      '--on-or-before',
      '--columns',
      'maturity,trade_date,vs_trade_date',
    ];
    const { out, err } = await asof([...line, '--store', store]);
    expect(linesOf(out)[1]).toBe('1M,2025-08-06,2025-08-06');
    expect(err).toBe('asof: no curve on 2026-01-01; this is 2025-08-06\n');
  });

  it.each([
    ['the other day', ['--vs', '2024-01-01'], '1M,3.5,,,2025-08-06,,PAR', '2024-01-01'],
    [
      'the day itself',
      ['--date', '2025-06-01', '--vs', '2025-08-06'],
      '1M,,3.5,,,2025-08-06,PAR',
      '2025-06-01, a Sunday',
    ],
  ])('says when there is no curve of %s, and how to look back', async (_, flags, row, day) => {
    const { out, err } = await asof(['curve', ...flags, '--store', store]);
    expect(linesOf(out)[1]).toBe(row);
    expect(err).toBe(`asof: no curve on ${day}; --on-or-before takes the newest one before it\n`);
  });

  it('says if there is no earlier curve', async () => {
    const { err } = await asof(['curve', '--vs', '2024-01-01', '--on-or-before', '--store', store]);
    expect(err).toBe('asof: no curve on or before 2024-01-01\n');
  });

  it.each([
    ['--vs', 'soon'],
    ['--vs', 'soon', '--on-or-before'],
  ])('names the flag of a bad date: %s %s', async (...flags) => {
    const { code, err } = await asof(['curve', ...flags, '--store', store]);
    expect(code).toBe(2);
    expect(err).toContain('--vs "soon": use YYYY-MM-DD');
  });
});

describe('an empty filter of asof insider', () => {
  it.each([
    ['filings', '--ticker'],
    ['filings', '--owner'],
    ['filings', '--code'],
    ['clusters', '--ticker'],
  ])('is refused, and does not select everything: %s %s=', async (command, flag) => {
    for (const text of ['', ' ']) {
      const { code, out, err } = await asof(['insider', command, `${flag}=${text}`, '--store', store]);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain(`${flag} "${text}": it is blank; leave it out for all`);
    }
  });
});

describe('asof insider clusters --explain', () => {
  const insiders = folder.path('insiders.db');
  const numbers = Array.from({ length: 10 }, (_, i) => `0000000007-26-00000${i}`);
  const n = (place: number) => numbers[place] ?? '';
  const submission = (place: number, filed: string, form = '4', symbol = 'SVN') =>
    `${n(place)}|${filed}|01-JAN-2026||${form}|7|Seven|${symbol}`;
  const owner = (place: number, cik: number, name: string, role = 'Director') =>
    `${n(place)}|${cik}|${name}|${role}|`;
  const trade = (place: number, date: string, shares: string, rest = '100|D', code = 'P') =>
    `${n(place)}|${place}|Common|${date}|${code}|${shares}|2.50|A|${rest}`;

  beforeAll(async () => {
    const set = {
      'SUBMISSION.tsv': table(
        'ACCESSION_NUMBER|FILING_DATE|PERIOD_OF_REPORT|DATE_OF_ORIG_SUB|DOCUMENT_TYPE|ISSUERCIK|ISSUERNAME|ISSUERTRADINGSYMBOL',
        ...[1, 2, 3].map((place) => submission(place, '05-JAN-2026', '4', place === 2 ? '' : 'SVN')),
        ...[4, 5, 6, 7].map((place) => submission(place, '06-JAN-2026')),
        submission(8, '07-JAN-2026', '4/A'),
        submission(9, '30-JAN-2026'),
      ),
      'REPORTINGOWNER.tsv': table(
        'ACCESSION_NUMBER|RPTOWNERCIK|RPTOWNERNAME|RPTOWNER_RELATIONSHIP|RPTOWNER_TITLE',
        owner(1, 71, 'Anna'),
        owner(1, 79, 'Fund', 'TenPercentOwner'),
        owner(2, 72, 'Bo'),
        owner(3, 73, 'Cy'),
        owner(4, 79, 'Fund', 'TenPercentOwner'),
        owner(5, 72, 'Bo'),
        owner(6, 74, 'Di'),
        owner(7, 75, 'Ed'),
        owner(8, 73, 'Cy'),
        owner(9, 76, 'Flo'),
      ),
      'NONDERIV_TRANS.tsv': table(
        'ACCESSION_NUMBER|NONDERIV_TRANS_SK|SECURITY_TITLE|TRANS_DATE|TRANS_CODE|TRANS_SHARES|TRANS_PRICEPERSHARE|TRANS_ACQUIRED_DISP_CD|SHRS_OWND_FOLWNG_TRANS|DIRECT_INDIRECT_OWNERSHIP',
        trade(1, '01-JAN-2026', '1'),
        trade(2, '02-JAN-2026', '2'),
        trade(3, '03-JAN-2026', '3'),
        trade(4, '03-JAN-2026', '4'),
        trade(5, '02-JAN-2026', '2.0'),
        trade(6, '02-JAN-2026', '2', '100|I'),
        trade(7, '04-JAN-2027', '7'),
        trade(8, '03-JAN-2026', '30'),
        trade(9, '16-JAN-2026', '9'),
      ),
    };
    const files = Object.entries(set).map(([name, content]) => folder.write(name, content));
    const { code, err } = await asof(['import', ...files, '--store', insiders]);
    if (code !== 0) throw new Error(err);
  });

  const columns = ['--columns', 'accession_number,verdict,reason', '--no-header', '--store', insiders];

  it('says for each trade in a cluster and near it whether it counts, and why', async () => {
    const { out, err } = await asof(['insider', 'clusters', '--explain', ...columns]);
    expect(err).toBe('');
    expect(linesOf(out)).toEqual([
      `${n(1)},counted,one insider with the joint filers Fund`,
      `${n(2)},counted,`,
      `${n(5)},left out,the same trade reported twice: ${n(2)} row 1`,
      `${n(6)},left out,the same block reported by another filer: ${n(2)} row 1`,
      `${n(3)},left out,amended: ${n(8)} row 1`,
      `${n(4)},left out,by a ten-percent owner who is neither an officer nor a director`,
      `${n(8)},counted,`,
      // A trade with an impossible date is found by its filing date.
      `${n(9)},left out,outside the span`,
      `${n(7)},left out,"impossible: dated 2027-01-04, after its filing on 2026-01-06"`,
    ]);
  });

  it('explains what was known on a day', async () => {
    const { out } = await asof(['insider', 'clusters', '--explain', '--as-of', '2026-01-05', ...columns]);
    expect(linesOf(out)).toEqual([
      `${n(1)},counted,one insider with the joint filers Fund`,
      `${n(2)},counted,`,
      `${n(3)},counted,`,
    ]);
  });

  it('is one JSON document for all clusters', async () => {
    const { out } = await asof(['insider', 'clusters', '--explain', '--json', '--store', insiders]);
    const { object, results } = JSON.parse(out);
    expect([object, results.length]).toEqual(['insider_cluster_explanation', 9]);
    expect(results[0]).toMatchObject({ date_first: '2026-01-01T00:00:00Z', owner_name: 'Anna', row: 1 });
  });
});
