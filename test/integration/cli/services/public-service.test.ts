import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { asof, linesOf, transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import {
  cluster,
  type Double,
  filing,
  instant,
  problem,
  reply,
  serve,
} from '../../../support/service-double.ts';

/** The observations of GDP that the service holds, newest first. */
const gdp = [
  ['2014-10-01', '17710.7', '2015-01-30'],
  ['2014-07-01', '17599.8', '2014-12-23'],
  ['2014-04-01', '17328.2', '2014-09-26'],
].map(([date = '', value, day = '']) => ({ date: instant(date), value, as_of_date: instant(day) }));

const series = (id: string) => ({
  id,
  title: '',
  observation_count: 3,
  last_updated: '2015-01-30T13:30:00Z',
});

const trade = { ...filing('2015-01-20'), officer_title: '', price_per_share: '', is_director: true };
/** A cluster as the description prints it: without a word on since when it could be seen. */
const purchases = cluster('2015-01-16');

const limits = { plan: 'pro', monthly_limit: 100000, rate_per_minute: 60, vintage_access: true };
const rates = ['2Y', '10Y'].map((maturity, i) => ({
  trade_date: instant('2015-01-30'),
  maturity,
  rate: `${i + 1}.5`,
  curve_type: 'PAR',
}));

/** The object of each path, and its results. */
const answers: Readonly<Record<string, readonly [object: string, results: readonly object[]]>> = {
  '/v1/ping': ['ping', [{ status: 'ok', message: 'pong', ...limits }]],
  '/v1/series': ['series_list', [series('GDP')]],
  '/v1/series/GDP': ['series', [series('GDP')]],
  '/v1/series/GDP/observations': ['observation_series', gdp],
  '/v1/treasury/yields/curve': ['yield_curve', rates],
  '/v1/insider/filings': ['insider_filings', [trade]],
  '/v1/insider/clusters': ['insider_clusters', [purchases]],
};

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'f3b1c6',
  'x-powered-by': 'Something',
  'cf-ray': '8d2f-FRA',
  'ratelimit-limit': '60',
  'ratelimit-remaining': '59',
  // When the window of its limits ends, as a Unix time: an hour after the time of the tests.
  'ratelimit-reset': String(Date.parse('2026-03-15T13:00:00Z') / 1000),
};

type Instead = (path: string, response: ServerResponse, request: IncomingMessage) => boolean;

/**
 * A service that speaks exactly as the public description prints: envelopes of `object` and `results` alone, rows
 * without unit or source, empty titles and prices, no `limit`, no description of its parameters, and other headers.
 * `instead` answers first, where it returns true.
 */
const publicService = (instead: Instead = () => false): Promise<Double> =>
  serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (instead(pathname, response, request)) return;
    const [object, all = []] = answers[pathname] ?? [];
    if (object === undefined)
      return reply(response, 404, '<html>nothing here</html>', { 'content-type': 'text/html' });
    if (object !== 'observation_series') return reply(response, 200, { object, results: all }, headers);
    const asOf = searchParams.get('as_of');
    const results = gdp.filter((row) => asOf === null || row.as_of_date <= instant(asOf));
    reply(response, 200, { object, ...(asOf !== null && { as_of: asOf }), results }, headers);
  });

const run = (line: string, url: string) => asof([...line.split(' '), '--base-url', url, '--retries', '0']);

/** Runs a line with a service of its own. */
const ask = async (line: string, instead?: Instead) => run(line, (await publicService(instead)).url);

describe('a service that says no more than the public description prints', () => {
  transcript(
    `
    # answers about itself and its series
    $ asof ping --columns plan,monthly_limit,daily_limit,daily_used --no-header
    pro,100000,,
    $ asof ping -v
    …
    ! …; 59 of 60 requests left for 3600 s
    …
    $ asof series search gdp --match id --columns id,title,units,source --no-header
    GDP,,,
    $ asof series show GDP --columns id,title,observation_count --no-header
    GDP,,3

    # answers about the values of a series, also as of a day
    $ asof obs GDP
    date,value,as_of_date,series_id,unit,frequency,source
    2014-10-01,17710.7,2015-01-30,GDP,,,
    2014-07-01,17599.8,2014-12-23,GDP,,,
    2014-04-01,17328.2,2014-09-26,GDP,,,
    $ asof obs GDP --as-of 2014-12-31 --columns date,value --no-header
    2014-07-01,17599.8
    2014-04-01,17328.2
    $ asof obs GDP --as-of 2015-01-30 --limit 1 --columns date,value --no-header
    2014-10-01,17710.7
    $ asof diff GDP 2014-12-31 2015-01-30 --columns date,old,new --no-header
    2014-10-01,,17710.7
    $ asof panel GDP --as-of 2014-12-31 --columns date,value --no-header
    2014-07-01,17599.8
    2014-04-01,17328.2

    # answers about rates and insiders
    $ asof curve --columns maturity,rate,source --no-header
    2Y,1.5,
    10Y,2.5,
    $ asof insider filings --from 2015-01-01 --columns owner_name,officer_title,price_per_share,is_officer --no-header
    Bo,,,
    $ asof insider filings --as-of 2015-01-31 --columns owner_name --no-header
    Bo
    ! asof: filed in the last 30 days; --from shows earlier ones
    $ asof insider clusters --code p --columns ticker,cluster_size,total_value,date_last --no-header
    SVN,3,,2015-01-16
    `,
    async () => ({ env: { ASOF_BASE_URL: (await publicService()).url } }),
  );

  it.each([
    ['insider clusters --code S', "does not announce the parameter 'transaction_code'"],
    ['insider filings --as-of 2015-01-31 --code p', "does not announce the parameter 'transaction_code'"],
    ['curve --type tips', 'curve_type is "PAR", but TIPS was asked for'],
    ['curve --date 2015-01-29', 'trade_date is "2015-01-30T00:00:00Z", but 2015-01-29 was asked for'],
    ['insider filings --ticker AAPL --from 2015-01-01', 'ticker is "SVN", but AAPL was asked for'],
    ['insider filings --as-of 2015-01-19', 'not yet known on 2015-01-19'],
    ['insider clusters --min-insiders 4', 'cluster_size is 3: fewer than 4'],
    ['obs GDP --exact', 'the service does not say how the vintages of GDP came about\n'],
    ['obs GDP --max-age 5', 'the service does not say to which day GDP is covered\n'],
  ])('is not believed where it answers another question, or cannot answer: asof %s', async (line, words) => {
    const { code, out, err } = await ask(line);
    expect([code, out, err]).toEqual([8, '', expect.stringContaining(words)]);
  });

  it('gives JSON with the members of the contract', async () => {
    const { results, ...envelope } = JSON.parse((await ask('obs GDP --limit 2 --json')).out);
    const told = { object: 'observation_series', request_id: 'f3b1c6', status: 'ok' };
    expect(envelope).toEqual({ ...told, results_count: 2, has_more: true });
    expect(results[0]).toEqual({ ...gdp[0], series_id: 'GDP', unit: '', frequency: '', source: '' });
  });

  it('may give other members with the names of those that asof adds', async () => {
    const told = { object: 'observation_series', results: gdp, vintage: 'May', covered_to: 7 };
    const found = await ask('obs GDP --columns value --limit 1 --no-header', (path, response) => {
      if (path.endsWith('/observations')) reply(response, 200, told);
      return path.endsWith('/observations');
    });
    expect(found).toEqual({ code: 0, out: '17710.7\n', err: '' });
  });

  /** A service with clusters as of a day. */
  const announcing =
    (row: object): Instead =>
    (path, response, { url }) => {
      const parameters = [{ name: 'as_of', in: 'query' }];
      const description = { paths: { '/v1/insider/clusters': { get: { parameters } } } };
      const as_of = new URL(url ?? '', 'http://x').searchParams.get('as_of');
      const answer = { object: 'insider_clusters', as_of, results: [row] };
      reply(response, 200, path === '/v1/openapi.json' ? description : answer);
      return true;
    };

  it('and as of a day repeats it, but not since when its clusters are known: none is shown or sealed', async () => {
    const folder = newFolder();
    const plan = folder.write('plan.txt', 'clusters.csv insider clusters\n');
    const sealing = `snapshot ${plan} --out ${folder.path('desk')} --as-of 2015-01-31`;
    const words = 'detected_on is missing: nothing says that it was known on 2015-01-31';
    for (const line of ['insider clusters --as-of 2015-01-31', sealing]) {
      const { code, out, err } = await ask(line, announcing(purchases));
      expect([code, out, err]).toEqual([8, '', expect.stringContaining(words)]);
    }
    expect(folder.has('desk')).toBe(false);
  });

  it.each([
    ['date_last', { date_last: instant('2015-02-01') }],
    ['insiders', { insiders: [{ ...purchases.insiders[0], transaction_date: instant('2015-02-01') }] }],
  ])('and gives a cluster whose %s is after the as-of date is not believed', async (field, late) => {
    const row = { ...purchases, detected_on: instant('2015-01-20'), ...late };
    const { code, out, err } = await ask('insider clusters --as-of 2015-01-31', announcing(row));
    expect([code, out]).toEqual([8, '']);
    expect(err).toMatch(/results\[0\]\.(date_last|insiders) is .*: it holds a day after 2015-01-31/);
    expect(err).toContain(`results[0].${field} is `);
  });
});

describe('one unknown id among several, asked of such a service', () => {
  const without =
    (status: number, type: string): Instead =>
    (path, response) => {
      if (!path.includes('NOPE')) return false;
      problem(response, status, type, "series 'NOPE' not found");
      return true;
    };

  it.each([
    'obs GDP NOPE',
    'obs GDP NOPE --as-of 2015-02-01',
    'panel GDP NOPE --wide --json',
    'panel GDP NOPE --as-of 2015-02-01 --wide',
    'diff GDP NOPE 2014-12-31 2015-02-01',
  ])('prints nothing; with --skip-missing it answers about the others: asof %s', async (line) => {
    const { code, out, err } = await ask(`${line} -q`, without(404, 'not-found'));
    expect([code, out, err]).toEqual([3, '', expect.stringContaining("series 'NOPE' not found")]);
    expect(await ask(`${line} -q --skip-missing`, without(404, 'not-found'))).toEqual({
      code: 0,
      out: expect.stringContaining('17710.7'),
      err: 'asof: left out, because not found: NOPE\n',
    });
  });

  it('does not skip a failure that is not of the id', async () => {
    const line = 'obs GDP NOPE --skip-missing -q';
    expect(await ask(line, without(500, 'internal-error'))).toMatchObject({ code: 8, out: '' });
  });
});

describe('what only a remark needs', () => {
  const counted = ({ asked }: Double) =>
    asked.map(({ url }) => url).filter((url) => url !== '/v1/openapi.json');

  it('costs one request: one observation as of a day takes two in all, and one with -q', async () => {
    const line = 'obs GDP --as-of 2015-01-30 --limit 1';
    const [whole, quiet] = [await publicService(), await publicService()];
    expect((await run(line, whole.url)).code).toBe(0);
    const observations = '/v1/series/GDP/observations?as_of=2015-01-30&limit=1';
    expect(counted(whole)).toEqual([observations, '/v1/series/GDP']);
    expect((await run(`${line} -q`, quiet.url)).code).toBe(0);
    expect(counted(quiet)).toEqual([observations]);
  });

  it.each([429, 500, 503])('never fails an answer, and is asked for once: %i', async (status) => {
    const service = await publicService((path, response) => {
      if (path !== '/v1/series/GDP') return false;
      problem(response, status, 'about:blank', 'not now', {}, { 'retry-after': '1' });
      return true;
    });
    const line = ['obs', 'GDP', '--as-of', '2015-01-30', '--columns', 'value', '--base-url', service.url];
    const { code, out, err } = await asof(line);
    expect([code, linesOf(out).length, err]).toEqual([0, 4, '']);
    expect(counted(service)).toHaveLength(2);
    expect((await asof([...line, '-v'])).err).toContain('asof: no description of GDP: ');
  });

  it('is not asked for of further series where the first description says nothing of it', async () => {
    const service = await publicService((path, response) => {
      const id = /X\d/.exec(path)?.[0];
      if (id === undefined) return false;
      const about = { object: 'series', results: [series(id)] };
      const none = { object: 'observation_series', as_of: '2015-01-30', results: [] };
      reply(response, 200, path.endsWith('/observations') ? none : about);
      return true;
    });
    expect((await run('obs X1 X2 X3 X4 --as-of 2015-01-30', service.url)).code).toBe(0);
    expect(counted(service)).toHaveLength(5);
  });

  it('is read from at most three pages of the list, where a series does not exist', async () => {
    const service = await publicService((path, response, { url }) => {
      const page = Number(new URL(url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
      const results = [{ ...series(`GDP${page}`), title: 'x', units: '', source: '' }];
      if (path === '/v1/series')
        reply(response, 200, { object: 'series_list', results, next_cursor: `${page + 1}` });
      else problem(response, 404, 'not-found', "series 'GDPP' not found");
      return true;
    });
    const { code, err } = await run('obs GDPP', service.url);
    expect([code, err]).toEqual([3, expect.stringContaining('did you mean GDP0, GDP1 or GDP2?')]);
    expect(counted(service)).toHaveLength(4);
  });
});
