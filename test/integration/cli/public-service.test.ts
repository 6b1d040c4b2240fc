import { describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { cluster, publicService } from '../../support/public-service.ts';
import { problem, reply } from '../../support/service-double.ts';

const run = (line: string, url: string) => asof([...line.split(' '), '--base-url', url, '--retries', '0']);

describe('a service that says no more than the public description prints', () => {
  it.each([
    ['ping --columns plan,monthly_limit,daily_limit,daily_used', ['pro,100000,,']],
    ['series search gdp --match id --columns id,title,units,source', ['GDP,,,']],
    ['series show GDP --columns id,title,observation_count', ['GDP,,3']],
    [
      'obs GDP',
      [
        '2014-10-01,17710.7,2015-01-30,GDP,,,',
        '2014-07-01,17599.8,2014-12-23,GDP,,,',
        '2014-04-01,17328.2,2014-09-26,GDP,,,',
      ],
    ],
    ['obs GDP --as-of 2014-12-31 --columns date,value', ['2014-07-01,17599.8', '2014-04-01,17328.2']],
    ['obs GDP --as-of 2015-01-30 --limit 1 --columns date,value', ['2014-10-01,17710.7']],
    ['obs GDP --limit 2 --columns date', ['2014-10-01', '2014-07-01']],
    ['diff GDP 2014-12-31 2015-01-30 --columns date,old,new', ['2014-10-01,,17710.7']],
    ['panel GDP --as-of 2014-12-31 --columns date,value', ['2014-07-01,17599.8', '2014-04-01,17328.2']],
    ['curve --columns maturity,rate,source', ['2Y,1.5,', '10Y,2.5,']],
    [
      'insider filings --from 2015-01-01 --columns owner_name,officer_title,price_per_share,is_officer',
      ['Berg Bo,,,'],
    ],
    [
      'insider filings --as-of 2015-01-31 --columns owner_name',
      ['Berg Bo'],
      'asof: filed in the last 30 days; --from shows earlier ones\n',
    ],
    ['insider clusters --columns ticker,cluster_size,total_value,date_last', ['SVN,3,,2015-01-16']],
    ['insider clusters --code p --columns ticker', ['SVN']],
  ])('answers asof %s', async (line, rows, err = '') => {
    const { url } = await publicService();
    const answer = await run(`${line} --no-header --csv`, url);
    const found = answer.out === '' ? [] : linesOf(answer.out);
    expect({ code: answer.code, rows: found, err: answer.err }).toEqual({ code: 0, rows, err });
  });

  it.each([
    ['insider clusters --as-of 2015-01-31', 'cannot answer as of a day'],
    ['insider clusters --code S', "does not announce the parameter 'transaction_code'"],
    ['insider clusters --ticker svn', "does not announce the parameter 'ticker'"],
    ['insider clusters --from 2015-01-01', "does not announce the parameter 'from'"],
    ['insider clusters --min-value 1', "does not announce the parameter 'min_value'"],
    ['insider filings --as-of 2015-01-31 --code p', "does not announce the parameter 'transaction_code'"],
    ['series search gdp', "does not announce the parameter 'match'"],
    ['insider clusters --signals', 'has no /v1/insider/clusters/signals'],
    ['obs GDP --first-release', "does not announce the parameter 'release'"],
    ['curve --type tips', 'curve_type is "PAR", but TIPS was asked for'],
    ['curve --date 2015-01-29', 'trade_date is "2015-01-30T00:00:00Z", but 2015-01-29 was asked for'],
    ['insider filings --ticker AAPL --from 2015-01-01', 'ticker is "SVN", but AAPL was asked for'],
    ['insider filings --as-of 2015-01-19', 'not yet known on 2015-01-19'],
    ['insider clusters --min-insiders 4', 'cluster_size is 3: fewer than 4'],
    ['insider clusters --days 1 --min-insiders 4', 'fewer than 4'],
    ['vintages GDP', 'has no /v1/series/GDP/vintages'],
    ['spread', 'has no /v1/treasury/yields/spread'],
  ])('is not believed where it answers another question, or cannot answer: asof %s', async (line, words) => {
    const { url } = await publicService();
    const { code, out, err } = await run(line, url);
    expect([code, out, err]).toEqual([8, '', expect.stringContaining(words)]);
  });

  it('gives JSON with the members of the contract', async () => {
    const { url } = await publicService();
    const { out } = await run('obs GDP --limit 2 --json', url);
    const { results, ...envelope } = JSON.parse(out);
    expect(envelope).toEqual({
      object: 'observation_series',
      request_id: 'f3b1c6',
      status: 'ok',
      results_count: 2,
      has_more: true,
    });
    expect(results[0]).toEqual({
      date: '2014-10-01T00:00:00Z',
      value: '17710.7',
      as_of_date: '2015-01-30T00:00:00Z',
      series_id: 'GDP',
      unit: '',
      frequency: '',
      source: '',
    });
  });

  it('says with -v how long its limit lasts, though it gives the time at which it ends', async () => {
    const { url } = await publicService();
    expect((await run('ping -v', url)).err).toContain('; 59 of 60 requests left for 3600 s\n');
  });

  it('and as of a day repeats it, but not since when its clusters are known: none is shown or sealed', async () => {
    const parameters = [{ name: 'as_of', in: 'query' }];
    const description = { paths: { '/v1/insider/clusters': { get: { parameters } } } };
    const { url } = await publicService((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (pathname === '/v1/openapi.json') reply(response, 200, description);
      else {
        const as_of = searchParams.get('as_of');
        reply(response, 200, { object: 'insider_clusters', as_of, results: [cluster] });
      }
      return true;
    });
    const words = 'detected_on is missing: nothing says that it was known on 2015-01-31';
    const shown = await run('insider clusters --as-of 2015-01-31', url);
    expect([shown.code, shown.out, shown.err]).toEqual([8, '', expect.stringContaining(words)]);
    const folder = newFolder();
    const plan = folder.write('plan.txt', 'clusters.csv insider clusters\n');
    const line = `snapshot ${plan} --out ${folder.path('desk')} --as-of 2015-01-31`;
    const sealed = await run(line, url);
    expect([sealed.code, sealed.err]).toEqual([8, expect.stringContaining(words)]);
    expect(folder.has('desk')).toBe(false);
  });

  it.each([
    ['date_last', { date_last: '2015-02-01T00:00:00Z' }],
    ['insiders', { insiders: [{ ...cluster.insiders[0], transaction_date: '2015-02-01T00:00:00Z' }] }],
  ])('and gives a cluster whose %s is after the as-of date is not believed', async (field, late) => {
    const parameters = [{ name: 'as_of', in: 'query' }];
    const description = { paths: { '/v1/insider/clusters': { get: { parameters } } } };
    const row = { ...cluster, detected_on: '2015-01-20T00:00:00Z', ...late };
    const { url } = await publicService(({ url: path }, response) => {
      const answer = { object: 'insider_clusters', as_of: '2015-01-31', results: [row] };
      reply(response, 200, path === '/v1/openapi.json' ? description : answer);
      return true;
    });
    const { code, out, err } = await run('insider clusters --as-of 2015-01-31', url);
    expect([code, out]).toEqual([8, '']);
    expect(err).toContain(`results[0].${field} is `);
    expect(err).toContain(': it holds a day after 2015-01-31');
  });
});

describe('what only a remark needs', () => {
  const counted = (asked: readonly { readonly url?: string | undefined }[]) =>
    asked.map(({ url }) => url).filter((url) => url !== '/v1/openapi.json');

  it('costs one request: one observation as of a day takes two in all', async () => {
    const { url, asked } = await publicService();
    expect((await run('obs GDP --as-of 2015-01-30 --limit 1', url)).code).toBe(0);
    expect(counted(asked)).toEqual([
      '/v1/series/GDP/observations?as_of=2015-01-30&limit=1',
      '/v1/series/GDP',
    ]);
  });

  it('is not asked for with -q', async () => {
    const { url, asked } = await publicService();
    expect((await run('obs GDP --as-of 2015-01-30 --limit 1 -q', url)).code).toBe(0);
    expect(counted(asked)).toHaveLength(1);
  });

  it.each([429, 500, 503])('never fails an answer, and is asked for once: %i', async (status) => {
    const { url, asked } = await publicService((request, response) => {
      if (request.url !== '/v1/series/GDP') return false;
      problem(response, status, 'about:blank', 'not now', {}, { 'retry-after': '1' });
      return true;
    });
    const line = ['obs', 'GDP', '--as-of', '2015-01-30', '--columns', 'value', '--base-url', url];
    const { code, out, err } = await asof(line);
    expect([code, linesOf(out).length, err]).toEqual([0, 4, '']);
    expect(counted(asked)).toHaveLength(2);
    expect((await asof([...line, '-v'])).err).toContain('asof: no description of GDP: ');
  });

  it('is not asked for of further series where the first description says nothing of it', async () => {
    const { url, asked } = await publicService((request, response) => {
      if (!/^\/v1\/series\/X\d/.test(request.url ?? '')) return false;
      const body = request.url?.includes('/observations')
        ? { object: 'observation_series', as_of: '2015-01-30', results: [] }
        : {
            object: 'series',
            results: [
              { id: request.url?.slice(-2), observation_count: 0, last_updated: '2015-01-30T00:00:00Z' },
            ],
          };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    });
    expect((await run('obs X1 X2 X3 X4 --as-of 2015-01-30', url)).code).toBe(0);
    expect(counted(asked)).toHaveLength(5);
  });

  it('is read from at most three pages of the list, where a series does not exist', async () => {
    const { url, asked } = await publicService((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      if (pathname === '/v1/series/GDPP/observations') {
        problem(response, 404, 'not-found', "series 'GDPP' not found");
        return true;
      }
      if (pathname !== '/v1/series') return false;
      const page = Number(searchParams.get('cursor') ?? 0);
      const results = [
        {
          id: `GDP${page}`,
          observation_count: 1,
          last_updated: '2015-01-30T00:00:00Z',
          title: 'x',
          units: '',
          source: '',
        },
      ];
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ object: 'series_list', results, next_cursor: `${page + 1}` }));
      return true;
    });
    const { code, err } = await run('obs GDPP', url);
    expect([code, err]).toEqual([3, expect.stringContaining('did you mean GDP0, GDP1 or GDP2?')]);
    expect(counted(asked)).toHaveLength(4);
  });
});
