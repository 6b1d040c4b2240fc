import { describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import {
  cluster,
  envelope,
  filing,
  instant,
  problem,
  reply,
  serve,
} from '../../../support/service-double.ts';

const observation = (date: string, value: string, asOf = '2020-01-01') => ({
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

const years = ['2015', '2014', '2013', '2012', '2011'].map((year) => observation(`${year}-01-01`, year));

const vintages = ['2015-03-27', '2015-02-27', '2015-01-30', '2014-12-23'].map((day) => ({
  as_of_date: instant(day),
  added: 1,
  revised: 0,
  withdrawn: 0,
}));

const days = ['2024-12-24', '2024-12-23', '2024-12-20'];

const ratesOf = (maturities: readonly string[], curve_type: string, percent: number) =>
  days.flatMap((day) =>
    maturities.map((maturity, i) => ({
      trade_date: instant(day),
      maturity,
      rate: `${percent}.${i}`,
      curve_type,
      source: 'Treasury',
    })),
  );
const rates = ratesOf(['1M', '1.5M', '2Y', '10Y'], 'PAR', 4);
const curve = rates.slice(0, 4);

const spreadOf = (long_maturity: string, short_maturity: string) =>
  days.map((day) => ({
    trade_date: instant(day),
    long_rate: '4.59',
    short_rate: '4.29',
    spread_bps: '30.00',
    long_maturity,
    short_maturity,
  }));
const spreads = spreadOf('10Y', '2Y');

const series = (id: string) => ({
  id,
  title: '',
  units: '',
  observation_count: 1,
  last_updated: instant('2015-01-30'),
  source: '',
});

const filings = ['2015-01-20', '2015-01-19', '2015-01-16'].map((day, i) => ({ ...filing(day, i), row: 1 }));

/** The path of each object, after `/v1/`. */
const paths = {
  series_list: 'series',
  series: 'series/GDP',
  observation_series: 'series/GDP/observations',
  revision_series: 'series/GDP/revisions',
  vintage_list: 'series/GDP/vintages',
  yield_series: 'treasury/yields',
  yield_curve: 'treasury/yields/curve',
  yield_spread: 'treasury/yields/spread',
  insider_filings: 'insider/filings',
  insider_clusters: 'insider/clusters',
} as const;

type Objects = { readonly [name in keyof typeof paths]?: readonly unknown[] };

/** Serves rows in the order in which they are given, at most `most` on a page, and overlooks every parameter. */
const serving = (rows: Objects, most = 1000) =>
  serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const found = Object.entries({ series: [series('GDP')], ...rows }).find(
      ([object]) => pathname === `/v1/${paths[object as keyof Objects]}`,
    );
    if (found === undefined) return problem(response, 404, 'not-found', 'no such endpoint');
    const [object, all] = found;
    const begin = Number(searchParams.get('cursor') ?? 0);
    const end = begin + Math.min(most, Number(searchParams.get('limit') ?? most));
    const more = end < all.length ? { has_more: true, next_cursor: `${end}` } : {};
    return reply(response, 200, envelope(object, all.slice(begin, end), more));
  });

const run = (line: string, url: string, ...more: readonly string[]) =>
  asof([...line.split(' '), '--no-header', '--base-url', url, '--retries', '0', ...more]);

describe('a service that gives its rows in another order', () => {
  const listed = 'obs GDP --columns date';
  it.each<[line: string, rows: Objects, count: number]>([
    ['revisions GDP --date 2014-10-01', { revision_series: published.slice(0, 3) }, 3],
    ['revisions GDP', { revision_series: published }, 5],
    ['vintages GDP', { vintage_list: vintages }, 4],
    ['curve', { yield_curve: curve }, 4],
    ['yields', { yield_series: rates }, 12],
    [listed, { observation_series: years }, 5],
    [`${listed} --limit 9`, { observation_series: years }, 5],
  ])(
    'gives the same lines as one that keeps it, if they are one page: asof %s',
    async (line, rows, count) => {
      const turned = Object.entries(rows).map(([object, all]) => [object, all.toReversed()]);
      const kept = await run(line, (await serving(rows)).url);
      const found = await run(line, (await serving(Object.fromEntries(turned))).url);
      expect(found).toEqual({ ...kept, code: 0, err: '' });
      expect(linesOf(found.out)).toHaveLength(count);
    },
  );

  it.each([listed, `${listed} --limit 2`, `${listed} --first 2`])(
    'is not believed if it needs more pages: asof %s',
    async (line) => {
      const { url } = await serving({ observation_series: years.toReversed() }, 2);
      expect(await run(line, url)).toMatchObject({ code: 8, err: expect.stringContaining('out of order') });
    },
  );

  it('does not turn the sign of what a revision changed', async () => {
    const { url } = await serving({ revision_series: published.slice(0, 3).toReversed() });
    const { out } = await run('revisions GDP --date 2014-10-01 --columns as_of_date,value,change', url);
    // 17701.3 - 17710.7 and 17703.7 - 17701.3.
    expect(linesOf(out)).toEqual([
      '2015-01-30,17710.7,',
      '2015-02-27,17701.3,-9.4',
      '2015-03-27,17703.7,2.4',
    ]);
  });

  it('is asked for the newest curve on or before a day', async () => {
    const { url } = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const row = (day: string) => ({ ...curve[3], trade_date: instant(day) });
      if (pathname.endsWith('/curve'))
        return reply(response, 200, envelope('yield_curve', [row(String(searchParams.get('date')))]));
      const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? '9'];
      const found = ['2024-12-26', ...days].filter((day) => from <= day && day <= to);
      const rows = found.slice(0, Number(searchParams.get('limit'))).map(row);
      const more = rows.length < found.length ? { has_more: true, next_cursor: 'x' } : {};
      return reply(response, 200, envelope('yield_series', rows, more));
    });
    expect(await run('curve --on-or-before --date 2024-12-25 --columns trade_date', url)).toEqual({
      code: 0,
      out: '2024-12-24\n',
      err: 'asof: no curve on 2024-12-25; the newest one before it is from 2024-12-24\n',
    });
  });
});

describe('a service that contradicts the contract or itself is not believed', () => {
  const [first, second] = [rates[0], rates[1]];
  const [search, filed] = ['series search --match id', 'insider filings --from 2015-01-01'];
  const real = 'spread --type tips --long 10Y --short 5Y';
  const realSpreads = spreadOf('10Y', '5Y');
  const listed = (...ids: readonly string[]) => ({ series_list: ids.map(series) });
  const again = <Row>(rows: readonly Row[]) => [...rows.slice(0, 2), ...rows.slice(1, 3)];
  const short = [cluster('2015-01-16', ['2015-01-16', '2015-01-17']), cluster('2015-01-01', [])];
  const turnedDays = [...rates.slice(4, 8), ...rates.slice(0, 4)];

  const points = 'spread_bps is "-30.00", but 4.59 less 4.29 is 30.00 basis points';
  const moved = 'results[2].trade_date is 2024-12-23, but 2024-12-24 in the row before';
  const twoDays = [...curve.slice(0, 2), ...rates.slice(6, 8)];
  const restated = [first, second, { ...second, rate: '9.9' }];
  const later = 'again, or out of order';
  const turnedPoints = [{ ...spreads[0], spread_bps: '-30.00' }];
  const twoValues = [published[0], { ...published[0], value: '1' }];

  it.each<[line: string, words: string, most: number, rows: Objects]>([
    ['curve', '.maturity is "10Y" a second time', 9, { yield_curve: [...curve, curve[3]] }],
    ['curve', moved, 9, { yield_curve: twoDays }],
    ['yields', '.maturity is "1.5M" a second time', 9, { yield_series: restated }],
    ['yields', `gives 2024-12-24, 1.5M ${later}`, 2, { yield_series: again(rates) }],
    ['yields', `gives 2024-12-24, 1M ${later}`, 4, { yield_series: turnedDays }],
    ['obs GDP', 'gives 2014-01-01 again', 2, { observation_series: again(years) }],
    [
      'revisions GDP',
      '.as_of_date is "2015-01-30T00:00:00Z" a second time',
      9,
      { revision_series: twoValues },
    ],
    ['revisions GDP', 'splits the rows of 2014-10-01 over two pages', 2, { revision_series: published }],
    ['vintages GDP', 'a second time', 9, { vintage_list: [...vintages, vintages[3]] }],
    ['vintages GDP', 'gives 2014-12-23 again', 4, { vintage_list: [...vintages, vintages[3]] }],
    ['spread', points, 9, { yield_spread: turnedPoints }],
    ['spread', 'a second time', 9, { yield_spread: [...spreads, spreads[2]] }],
    [search, '.id is "A" a second time', 9, listed('A', 'B', 'A')],
    [search, 'gives B again', 2, listed('A', 'B', 'B', 'C')],
    [filed, 'a second time', 9, { insider_filings: [filings[0], filings[0]] }],
    [filed, 'gives 0000000007-15-000001, 1 again', 2, { insider_filings: again(filings) }],
    ['insider clusters', 'has a trade outside 2015-01-02 to 2015-01-16', 9, { insider_clusters: short }],
    ['insider clusters', 'outside 2015-01-02 to 2015-01-01', 9, { insider_clusters: short.slice(1) }],
    ['yields --maturity 10Y', '"1M", but 10Y was asked for', 9, { yield_series: rates }],
    ['yields --type tips', '"PAR", but TIPS was asked for', 9, { yield_series: rates }],
    ['spread --long 5Y', '"10Y", but 5Y was asked for', 9, { yield_spread: spreads }],
    ['spread --short 5Y', '"2Y", but 5Y was asked for', 9, { yield_spread: spreads }],
    [real, 'curve_type is missing, but TIPS was asked for', 9, { yield_spread: realSpreads }],
  ])('asof %s: %s', async (line, words, most, rows) => {
    const { code, err } = await run(line, (await serving(rows, most)).url);
    expect([code, err]).toEqual([8, expect.stringContaining(words)]);
  });

  it.each(['30', '30.0', '30.00', '30.004'])('but a spread may have other decimals: %s', async (points) => {
    const { url } = await serving({ yield_spread: spreads.map((row) => ({ ...row, spread_bps: points })) });
    expect((await run('spread', url)).code).toBe(0);
  });

  it.each([
    ['filings', filed, (n: number) => ({ ...filings[0], accession_number: `0000000007-15-${100000 + n}` })],
    ['series', search, (n: number) => series(`A${n}`)],
    ['rates', 'yields', () => rates[0]],
  ])('a cursor of %s that leads back to an earlier page', async (_, line, row) => {
    const { url, asked } = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const object = Object.entries(paths).find(([, path]) => pathname === `/v1/${path}`)?.[0];
      if (object === undefined) return problem(response, 404, 'not-found', 'no such endpoint');
      const next_cursor = searchParams.get('cursor') === 'a' ? 'b' : 'a';
      return reply(response, 200, envelope(object, [row(asked.length)], { has_more: true, next_cursor }));
    });
    const { code, err } = await run(line, url);
    expect([code, err]).toEqual([
      8,
      expect.stringMatching(/repeats a page of a listing|again, or out of order/),
    ]);
    expect(asked.length).toBeLessThan(6);
  });
});

describe('a service that lacks an extension of asof', () => {
  const plain = () =>
    serving({
      series_list: [series('GDP')],
      observation_series: years,
      revision_series: published.slice(0, 1),
    });

  it.each([
    ['series search gdp --match id --columns id,covered_to', 'GDP,\n'],
    // It does not say when its record begins.
    ['revisions GDP --date 2014-10-01 --columns value,days', '17710.7,0\n'],
  ])('leaves fields empty that it lacks: asof %s', async (line, out) => {
    expect(await run(line, (await plain()).url)).toMatchObject({ code: 0, out });
  });

  it.each([
    ['series search domestic', "does not announce the parameter 'match'", 'this service has only match=id'],
    // It gives other series than an id with this text.
    ['series search domestic --match id', 'domestic', ''],
    ['obs GDP --first-release', "does not announce the parameter 'release'", ''],
    ['yields', 'has no /v1/treasury/yields\n', ''],
    ['insider clusters --explain', 'has no /v1/insider/clusters/explanations\n', ''],
    ['insider clusters --signals', 'has no /v1/insider/clusters/signals\n', ''],
  ])('is refused with what it lacks: asof %s', async (line, words, hint) => {
    const { code, out, err } = await run(line, (await plain()).url);
    expect([code, out, err]).toEqual([8, '', expect.stringContaining(words)]);
    expect(err).toContain(hint);
  });
});

describe('data that changes between two pages', () => {
  it.each([
    [1, 0],
    [9, 8],
  ])(
    'is requested again while nothing is written, three times at most: %i changes, exit %i',
    async (changes, code) => {
      const folder = newFolder();
      let changed = 0;
      const { url } = await serve((request, response) => {
        const { searchParams } = new URL(request.url ?? '', 'http://x');
        const page = (date: string, more: Readonly<Record<string, unknown>>) =>
          reply(
            response,
            200,
            envelope('observation_series', [observation(date, `${Math.min(changed, changes)}`)], more),
          );
        if (!searchParams.has('cursor')) return page('2014-10-01', { has_more: true, next_cursor: 'x' });
        changed += 1;
        const detail = 'the data changed since the first page; start again';
        if (changed <= changes)
          return problem(response, 400, 'validation-error', detail, { field: 'cursor' });
        return page('2014-07-01', {});
      });
      const file = folder.path('out.csv');
      expect((await run(`obs GDP --columns value -o ${file}`, url)).code).toBe(code);
      expect(folder.has('out.csv') ? folder.read('out.csv') : undefined).toBe(
        code === 0 ? '1\n1\n' : undefined,
      );
      expect(changed).toBe(code === 0 ? 2 : 4);
    },
  );
});
