import { describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { rateRow, spreadRow } from '../../support/rates-service.ts';
import { envelope, problem, reply, serve } from '../../support/service-double.ts';

const instant = (day: string) => `${day}T00:00:00Z`;

const observation = (date: string, value: string, asOf: string) => ({
  date: instant(date),
  value,
  as_of_date: instant(asOf),
  series_id: 'GDP',
  unit: '',
  frequency: 'Q',
  source: '',
});

/** What GDP of two quarters was on the days on which it was published, newest quarter first. */
const published = [
  observation('2014-10-01', '17710.7', '2015-01-30'),
  observation('2014-10-01', '17701.3', '2015-02-27'),
  observation('2014-10-01', '17703.7', '2015-03-27'),
  observation('2014-07-01', '17535.4', '2014-10-30'),
  observation('2014-07-01', '17555.2', '2014-11-25'),
];

const vintage = (day: string) => ({ as_of_date: instant(day), added: 1, revised: 0, withdrawn: 0 });
const vintages = ['2015-03-27', '2015-02-27', '2015-01-30', '2014-12-23'].map(vintage);

const rates = ['2024-12-24', '2024-12-23', '2024-12-20'].flatMap((day) =>
  ['1M', '1.5M', '2Y', '10Y'].map((maturity, i) => rateRow([day, maturity, `4.${i}`, 'PAR'])),
);
const curve = rates.slice(0, 4);

const spreads = ['2024-12-24', '2024-12-23', '2024-12-20'].map((day) =>
  spreadRow(day, ['10Y', '4.59'], ['2Y', '4.29']),
);

const series = (id: string) => ({
  id,
  title: '',
  units: '',
  observation_count: 1,
  last_updated: instant('2015-01-30'),
  source: '',
});

const filing = (day: string, row: number) => ({
  filing_date: instant(day),
  transaction_date: instant(day),
  accession_number: '0000000007-15-000001',
  ticker: 'SVN',
  issuer_name: 'Seven',
  owner_name: 'Bo',
  transaction_code: 'P',
  shares: '100',
  row,
});
const filings = [filing('2015-01-20', 1), filing('2015-01-19', 1), filing('2015-01-16', 2)].map((one, i) => ({
  ...one,
  accession_number: `0000000007-15-00000${i}`,
}));

const cluster = (last: string, trades: readonly string[] = [last]) => ({
  ticker: 'SVN',
  issuer_name: 'Seven',
  cluster_size: 3,
  total_shares: '300',
  total_value: '',
  date_first: instant('2015-01-02'),
  date_last: instant(last),
  insiders: trades.map((day) => ({
    owner_name: 'Bo',
    shares: '100',
    transaction_date: instant(day),
    is_director: true,
    is_officer: false,
  })),
});

type Answers = { readonly [path: string]: readonly unknown[] };

/** Serves rows at paths, in the order in which they are given, at most `most` on a page. */
const serving = (answers: Answers, most = 1000) =>
  serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const rows = answers[pathname];
    if (rows === undefined) return problem(response, 404, 'not-found', 'no such endpoint');
    const begin = Number(searchParams.get('cursor') ?? 0);
    const end = begin + Math.min(most, Number(searchParams.get('limit') ?? most));
    const more = end < rows.length ? { has_more: true, next_cursor: `${end}` } : {};
    return reply(response, 200, envelope(objects[pathname] ?? '', rows.slice(begin, end), more));
  });

const objects: Readonly<Record<string, string>> = {
  '/v1/series': 'series_list',
  '/v1/series/GDP': 'series',
  '/v1/series/GDP/revisions': 'revision_series',
  '/v1/series/GDP/vintages': 'vintage_list',
  '/v1/treasury/yields': 'yield_series',
  '/v1/treasury/yields/curve': 'yield_curve',
  '/v1/treasury/yields/spread': 'yield_spread',
  '/v1/insider/filings': 'insider_filings',
  '/v1/insider/clusters': 'insider_clusters',
};

const run = (line: string, url: string) =>
  asof([...line.split(' '), '--csv', '--no-header', '--base-url', url, '--retries', '0']);

const [revisionsPath, vintagesPath] = ['/v1/series/GDP/revisions', '/v1/series/GDP/vintages'];
const [yieldsPath, curvePath] = ['/v1/treasury/yields', '/v1/treasury/yields/curve'];
const spreadPath = '/v1/treasury/yields/spread';
const [filingsPath, clustersPath] = ['/v1/insider/filings', '/v1/insider/clusters'];
const clusters = ['2015-01-20', '2015-01-16', '2015-01-12'].map((day) => cluster(day));

describe('a service that gives its rows in another order', () => {
  const about = { '/v1/series/GDP': [series('GDP')] };
  it.each<[string, string, readonly unknown[], number]>([
    ['revisions GDP --date 2014-10-01', revisionsPath, published.slice(0, 3), 1000],
    ['revisions GDP', revisionsPath, published, 1000],
    ['vintages GDP', vintagesPath, vintages, 1000],
    ['vintages GDP', vintagesPath, vintages, 2],
    ['vintages GDP --limit 3', vintagesPath, vintages, 2],
    ['curve', curvePath, curve, 1000],
    ['yields', yieldsPath, rates, 1000],
    ['yields', yieldsPath, rates, 5],
    ['yields --limit 7', yieldsPath, rates, 5],
    ['yields --first 3', yieldsPath, rates, 5],
    ['spread', spreadPath, spreads, 2],
    ['insider filings --from 2015-01-01', filingsPath, filings, 2],
    ['insider clusters', clustersPath, clusters, 2],
  ])('gives the same lines as one that keeps it: asof %s', async (line, path, rows, most) => {
    const [kept, turned] = await Promise.all([
      serving({ ...about, [path]: rows }, most),
      serving({ ...about, [path]: rows.toReversed() }, most),
    ]);
    const [expected, found] = [await run(line, kept.url), await run(line, turned.url)];
    expect(found).toEqual({ ...expected, code: 0, err: '' });
    expect(linesOf(found.out).length).toBeGreaterThan(0);
  });

  it('does not turn the sign of what a revision changed', async () => {
    const { url } = await serving({ ...about, [revisionsPath]: published.slice(0, 3).toReversed() });
    const { out } = await run('revisions GDP --date 2014-10-01 --columns as_of_date,value,change', url);
    // 17701.3 - 17710.7 and 17703.7 - 17701.3.
    expect(linesOf(out)).toEqual([
      '2015-01-30,17710.7,',
      '2015-02-27,17701.3,-9.4',
      '2015-03-27,17703.7,2.4',
    ]);
  });

  it('is asked no further for an answer that it gave whole', async () => {
    const { url, asked } = await serving({ [yieldsPath]: rates.toReversed() });
    expect((await run('yields', url)).code).toBe(0);
    expect(asked).toHaveLength(1);
  });
});

describe('a service that contradicts the contract or itself is not believed', () => {
  const [first, second] = [rates[0], rates[1]];
  it.each<[string, string, string, readonly unknown[], number, string]>([
    ['a maturity twice', 'curve', curvePath, [...curve, curve[3]], 9, '.maturity is "10Y" a second time'],
    [
      'a curve of two days',
      'curve',
      curvePath,
      [...curve.slice(0, 2), ...rates.slice(6, 8)],
      9,
      'results[2].trade_date is 2024-12-23, but 2024-12-24 in the row before: a curve is of one day',
    ],
    [
      'a rate twice',
      'yields',
      yieldsPath,
      [first, second, { ...second, rate: '9.9' }],
      9,
      'results[2].trade_date is "2024-12-24T00:00:00Z" and .maturity is "1.5M" a second time',
    ],
    [
      'a rate again on a later page',
      'yields',
      yieldsPath,
      [first, second, second, ...rates.slice(2)],
      2,
      'the service gives 2024-12-24, 1.5M again, or out of order, on a later page',
    ],
    [
      'a row before the last one of the page before',
      'yields',
      yieldsPath,
      [...rates.slice(4, 8), ...rates.slice(0, 4)],
      4,
      'the service gives 2024-12-24, 1M again, or out of order, on a later page',
    ],
    [
      'a revision twice',
      'revisions GDP',
      revisionsPath,
      [published[0], { ...published[0], value: '1' }],
      9,
      '.as_of_date is "2015-01-30T00:00:00Z" a second time',
    ],
    [
      'a date of revisions on two pages',
      'revisions GDP',
      revisionsPath,
      published,
      2,
      'the service splits the rows of 2014-10-01 over two pages',
    ],
    ['a vintage twice', 'vintages GDP', vintagesPath, [...vintages, vintages[3]], 9, 'a second time'],
    [
      'a vintage again',
      'vintages GDP',
      vintagesPath,
      [...vintages, vintages[3]],
      4,
      'gives 2014-12-23 again',
    ],
    [
      'a spread that is not the difference of its rates',
      'spread',
      spreadPath,
      [spreads[0], { ...spreads[1], spread_bps: '-30.00' }],
      9,
      'results[1].spread_bps is "-30.00", but 4.59 less 4.29 is 30.00 basis points',
    ],
    ['a day of spreads twice', 'spread', spreadPath, [...spreads, spreads[2]], 9, 'a second time'],
    [
      'a series twice',
      'series search --match id',
      '/v1/series',
      ['A', 'B', 'A'].map(series),
      9,
      '.id is "A" a second time',
    ],
    [
      'a series again',
      'series search --match id',
      '/v1/series',
      ['A', 'B', 'B', 'C'].map(series),
      2,
      'gives B again',
    ],
    [
      'a row of a filing twice',
      'insider filings --from 2015-01-01',
      filingsPath,
      [filings[0], filings[0]],
      9,
      'a second time',
    ],
    [
      'a row of a filing again',
      'insider filings --from 2015-01-01',
      filingsPath,
      [filings[0], filings[1], filings[1], filings[2]],
      2,
      'gives 0000000007-15-000001, 1 again',
    ],
    [
      'a cluster with a trade after its last',
      'insider clusters',
      clustersPath,
      [cluster('2015-01-16', ['2015-01-16', '2015-01-17'])],
      9,
      'results[0].insiders has a trade outside 2015-01-02 to 2015-01-16, the dates of the cluster',
    ],
    [
      'a cluster that ends before it begins',
      'insider clusters',
      clustersPath,
      [cluster('2015-01-01', [])],
      9,
      'outside 2015-01-02 to 2015-01-01',
    ],
  ])('%s', async (_, line, path, rows, most, words) => {
    const { url } = await serving({ '/v1/series/GDP': [series('GDP')], [path]: rows }, most);
    const { code, err } = await run(line, url);
    expect([code, err]).toEqual([8, expect.stringContaining(words)]);
  });

  it.each(['30', '30.0', '30.00', '30.004'])('but a spread may have other decimals: %s', async (points) => {
    const { url } = await serving({ [spreadPath]: spreads.map((row) => ({ ...row, spread_bps: points })) });
    expect((await run('spread', url)).code).toBe(0);
  });

  it.each([
    ['filings', 'insider filings --from 2015-01-01', filingsPath],
    ['series', 'series search --match id', '/v1/series'],
  ])('a cursor of %s that leads back to an earlier page', async (_, line, path) => {
    let given = 0;
    const { url, asked } = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (pathname !== path) return problem(response, 404, 'not-found', 'no such endpoint');
      given += 1;
      const row =
        path === filingsPath
          ? { ...filings[0], accession_number: `0000000007-15-${100000 + given}` }
          : series(`A${given}`);
      const next = searchParams.get('cursor') === 'a' ? 'b' : 'a';
      return reply(
        response,
        200,
        envelope(objects[path] ?? '', [row], { has_more: true, next_cursor: next }),
      );
    });
    const { code, err } = await run(line, url);
    expect([code, err]).toEqual([8, expect.stringContaining('the service repeats a page of a listing')]);
    expect(asked.length).toBeLessThan(6);
  });
});
