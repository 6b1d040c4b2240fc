import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { operations } from '../../../src/operations/index.ts';
import { newKey } from '../../../src/server/keys/gate.ts';
import { serviceOf } from '../../../src/server/service-lease.ts';
import { TableWorkers } from '../../../src/server/table-workers.ts';
import { newQuarterlyStore } from '../../support/example-stores.ts';
import { bodyOf, type HttpService, newHttpService, shortestAddress } from '../../support/http-service.ts';
import { facts, importFiles } from '../../support/scratch-store.ts';

let http: HttpService;
beforeAll(async () => {
  http = await newHttpService();
});
afterAll(() => http.close());

const errors = 'https://data.example/asof/errors';
const asOf = '/v1/series/GDP/observations?as_of=2015-01-30';
const unknownKey = newKey({ name: 'x', plan: 'pro', now: new Date() }).secret;

describe('an answer', () => {
  it('is the envelope of the contract', async () => {
    const response = await http.get(`${asOf}&limit=1`);
    const { request_id, next_cursor, ...body } = await bodyOf(response);
    expect(body).toEqual({
      object: 'observation_series',
      status: 'ok',
      as_of: '2015-01-30',
      series: { id: 'GDP', title: 'Gross Domestic Product', frequency: 'Q' },
      // Members of our own, which the contract allows.
      covered_to: '2015-01-30T00:00:00Z',
      vintage: {
        as_of_date: '2015-01-30T00:00:00Z',
        vintage_kind: 'exact',
      },
      results: [
        {
          date: '2014-10-01T00:00:00Z',
          value: '17710.7',
          as_of_date: '2015-01-30T00:00:00Z',
          series_id: 'GDP',
          unit: 'Billions of Dollars',
          frequency: 'Q',
          source: 'BEA',
        },
      ],
      results_count: 1,
      has_more: true,
    });
    expect(next_cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(request_id).toMatch(/^req_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(response.headers.get('x-request-id')).toBe(request_id);
  });

  it('has the headers of the rulings', async () => {
    const { status, headers } = await http.get(asOf);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toEqual({
      'content-type': 'application/json',
      'content-length': expect.stringMatching(/^\d+$/),
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^W\/"[\w-]+"$/),
      vary: 'Accept, Accept-Encoding, X-API-Key',
      'ratelimit-limit': '1000000',
      'ratelimit-remaining': expect.stringMatching(/^9999\d\d$/),
      'ratelimit-reset': '60',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });

  it('comes for every operation of the table', async () => {
    for (const operation of operations) {
      const response = await http.get(shortestAddress(operation));
      const { object } = await bodyOf(response);
      expect([operation.path, response.status, object]).toEqual([operation.path, 200, operation.object]);
    }
  });

  it('goes through all pages by their cursors', async () => {
    const dates: string[] = [];
    let cursor = '';
    do {
      const next = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await bodyOf(http.get(`/v1/series/UNRATE/observations?limit=40${next}`));
      dates.push(...page.results.map(({ date }) => String(date)));
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    expect(dates).toHaveLength(150);
    expect(new Set(dates).size).toBe(150);
  });

  it('depends on the plan', async () => {
    const plansOf = async (key: string) =>
      (await bodyOf(http.get('/v1/ping', { 'x-api-key': key }))).results[0]?.plan;
    expect([await plansOf(http.keys.pro), await plansOf(http.keys.free)]).toEqual(['pro', 'free']);
  });

  it('keeps characters beyond ASCII, in the length as well', async () => {
    const response = await http.get('/v1/series/UNRATE');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(JSON.parse(bytes.toString()).results[0].title).toBe('Unemployment – "the" rate');
  });

  it('to HEAD has the headers of GET and no body', async () => {
    const [get, head] = [
      await http.get(asOf),
      await http.ask(asOf, { method: 'HEAD', headers: { 'x-api-key': http.keys.pro } }),
    ];
    const stable = ({ headers }: Response) =>
      [...headers].filter(([name]) => !/^(x-request-id|ratelimit-remaining)$/.test(name));
    expect(head.status).toBe(200);
    expect(stable(head)).toEqual(stable(get));
    expect(await head.text()).toBe('');
  });

  it('reads a query as forms write it', async () => {
    const found = async (query: string) =>
      (await bodyOf(http.get(`/v1/series?${query}`))).results.map(({ id }) => id);
    expect(await found('q=gdp')).toEqual(['GDP']);
    expect(await found('q=gross+domestic&match=title')).toEqual(['GDP']);
    expect(await found('q=gross%20domestic&match=title&')).toEqual(['GDP']);
    const { detail } = await bodyOf(http.get('/v1/series?limit=1+%2b'));
    expect(detail).toContain('"1 +"');
    expect(await found('q=%47%44%50')).toEqual(['GDP']);
    expect(await found('q')).toEqual(['DGS10', 'DGS1MO', 'GDP', 'UNRATE']);
  });
});

describe('a failure', () => {
  type Case = readonly [
    what: string,
    path: string,
    init: RequestInit | undefined,
    problem: { type: string; title: string; status: number; detail: unknown; field?: string },
  ];
  const validation = (detail: unknown, field?: string) => ({
    type: `${errors}/validation-error`,
    title: 'Validation Error',
    status: 400,
    detail,
    ...(field !== undefined && { field }),
  });
  const unauthorized = (detail: string) => ({
    type: `${errors}/unauthorized`,
    title: 'Unauthorized',
    status: 401,
    detail,
  });
  const noEndpoint = {
    type: `${errors}/not-found`,
    title: 'Not Found',
    status: 404,
    detail: expect.stringContaining('no such endpoint'),
  };
  const blank = (status: number, title: string) => ({
    type: 'about:blank',
    title,
    status,
    detail: expect.any(String),
  });
  const invalid = unauthorized('invalid API key');
  const missing = unauthorized('missing X-API-Key header');
  const own = (headers: Record<string, string> = {}): RequestInit => ({
    headers: {
      get 'x-api-key'() {
        return http.keys.pro;
      },
      ...headers,
    },
  });
  const method = (name: string): RequestInit => ({ ...own(), method: name });
  const key = (text: string): RequestInit => ({ headers: { 'x-api-key': text } });

  const cases: readonly Case[] = [
    ['no key', '/v1/ping', undefined, missing],
    ['an unknown key', '/v1/ping', key(unknownKey), invalid],
    ['a key of the wrong form', '/v1/ping', key('hello'), invalid],
    ['an empty key', '/v1/ping', key(''), invalid],
    [
      'a key in Authorization',
      '/v1/ping',
      { headers: { authorization: `Bearer ${unknownKey}` } },
      unauthorized('missing X-API-Key header: send the key in it, the header Authorization is not read'),
    ],
    ['no key, before an endpoint that does not exist', '/v1/nothing', undefined, missing],
    ['no key, before a wrong method', '/v1/ping', { method: 'POST' }, missing],
    ['no key at the root of the version', '/v1', undefined, missing],
    ['an endpoint that does not exist', '/v1/nothing', own(), noEndpoint],
    ['a slash too many', '/v1/ping/', own(), noEndpoint],
    ['an id that is empty', '/v1/series/', own(), noEndpoint],
    ['a path outside of the version', '/nothing', undefined, noEndpoint],
    ['the root', '/', undefined, noEndpoint],
    ['an error page that does not exist', '/errors/nothing', undefined, noEndpoint],
    ['an error page named like a property', '/errors/constructor', undefined, noEndpoint],
    ['POST', '/v1/ping', method('POST'), blank(405, 'Method Not Allowed')],
    ['OPTIONS', '/v1/ping', method('OPTIONS'), blank(405, 'Method Not Allowed')],
    ['DELETE of a series', '/v1/series/GDP', method('DELETE'), blank(405, 'Method Not Allowed')],
    [
      'a wrong method before wrong parameters',
      '/v1/ping?x=1',
      method('PUT'),
      blank(405, 'Method Not Allowed'),
    ],
    ['POST to a probe', '/healthz', { method: 'POST' }, blank(405, 'Method Not Allowed')],
    [
      'POST to the description, without a key',
      '/v1/openapi.json',
      { method: 'POST' },
      blank(405, 'Method Not Allowed'),
    ],
    ...['/healthz', '/readyz', '/v1/openapi.json', '/docs', '/errors/unauthorized'].map(
      (target): Case => [
        `a body for ${target}`,
        target,
        { headers: { 'content-length': '3' } },
        validation('a request to this service has no body'),
      ],
    ),
    [
      'a body',
      '/v1/ping',
      own({ 'content-length': '3' }),
      validation('a request to this service has no body'),
    ],
    ['a body in chunks', '/v1/ping', own({ 'transfer-encoding': 'chunked' }), validation(expect.any(String))],
    ['a client that takes no JSON', '/v1/ping', own({ accept: 'text/html' }), blank(406, 'Not Acceptable')],
    [
      'an unknown parameter',
      '/v1/ping?asof=1',
      own(),
      validation("unknown parameter 'asof': use none", 'asof'),
    ],
    ['a repeated parameter', `${asOf}&as_of=2015-01-30`, own(), validation(expect.any(String), 'as_of')],
    ['a parameter without a name', '/v1/ping?=1', own(), validation(expect.any(String), '')],
    [
      'a date in another form',
      asOf.replace('01-30', '1-30'),
      own(),
      validation("invalid 'as_of' date: use YYYY-MM-DD format", 'as_of'),
    ],
    [
      'a date that does not exist',
      '/v1/series/GDP/observations?from=2024-02-30',
      own(),
      validation("invalid 'from' date: use YYYY-MM-DD format", 'from'),
    ],
    [
      'broken percent-encoding',
      '/v1/series?q=%zz',
      own(),
      validation("invalid 'q': the percent-encoding is broken", 'q'),
    ],
    ['bytes that are no UTF-8', '/v1/series?q=%ff', own(), validation(expect.any(String), 'q')],
    [
      'broken percent-encoding in the path',
      '/v1/series/%zz',
      own(),
      validation("invalid 'id': the percent-encoding is broken", 'id'),
    ],
    [
      'an invalid cursor',
      `${asOf}&cursor=x`,
      own(),
      validation(expect.stringContaining("invalid 'cursor'"), 'cursor'),
    ],
    ['an unknown series', '/v1/series/GDPX', own(), { ...noEndpoint, detail: "series 'GDPX' not found" }],
    [
      'an unknown series with a slash',
      '/v1/series/A%2FB/observations',
      own(),
      { ...noEndpoint, detail: "series 'A/B' not found" },
    ],
    [
      'wrong parameters before an unknown series',
      '/v1/series/GDPX/observations?x=1',
      own(),
      validation(expect.any(String), 'x'),
    ],
    ['an address that is too long', `/v1/series?q=${'x'.repeat(9000)}`, own(), blank(414, 'URI Too Long')],
  ];

  it.each(cases)('of %s is a problem document', async (_, path, init, expected) => {
    const response = await http.ask(path, init);
    const { instance, request_id, ...problem } = await bodyOf(response);
    expect(problem).toEqual(expected);
    expect(response.status).toBe(expected.status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toBe(request_id);
    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(instance).toBe(path.split('?')[0]);
    expect(response.headers.get('allow')).toBe(expected.status === 405 ? 'GET, HEAD' : null);
    expect(response.headers.has('www-authenticate')).toBe(expected.status === 401);
  });

  it('of the plan comes after wrong parameters and before an unknown series', async () => {
    const free = { 'x-api-key': http.keys.free };
    const statusOf = async (path: string) => (await http.get(path, free)).status;
    expect(await statusOf('/v1/series/GDP/observations')).toBe(200);
    expect(await statusOf(asOf)).toBe(403);
    expect(await statusOf(asOf.replace('GDP', 'GDPX'))).toBe(403);
    expect(await statusOf(`${asOf}&limit=0`)).toBe(400);
    expect(await statusOf('/v1/series/GDP/observations?release=first')).toBe(403);
  });

  it('of the plan comes even if another plan has just had the answer', async () => {
    expect((await http.get(asOf)).status).toBe(200);
    expect((await http.get(asOf, { 'x-api-key': http.keys.free })).status).toBe(403);
    const { headers } = await http.get(asOf);
    const known = { 'x-api-key': http.keys.free, 'if-none-match': headers.get('etag') ?? '' };
    expect((await http.get(asOf, known)).status).toBe(403);
  });

  it('of the plan names the page where it can be upgraded', async () => {
    const other = await newHttpService({ billingUrl: 'https://pay.example' });
    const { detail, type } = await bodyOf(other.get(asOf, { 'x-api-key': other.keys.free }));
    expect(type).toBe(`${errors}/plan-upgrade-required`);
    expect(detail).toContain('upgrade at https://pay.example');
    await other.close();
  });
});

describe('a bug', () => {
  it('is 500 without its cause, which is in the log', async () => {
    const other = await newHttpService({
      service: (made) => Object.assign(made, { reply: () => Promise.reject(new Error('the abacus fell')) }),
    });
    const response = await other.get(asOf);
    const text = await response.text();
    expect([response.status, JSON.parse(text).type]).toEqual([500, `${errors}/internal-error`]);
    expect(text).not.toContain('abacus');
    expect(text).not.toContain('.ts');
    await new Promise(setImmediate);
    expect(other.log()).toContain('the abacus fell');
    expect(other.log()).toContain(JSON.parse(text).request_id);
    await other.close();
  });

  it('of the machine under the store is 500 too', async () => {
    const other = await newHttpService();
    other.replace({
      service: { ...unused, state: () => gone(), followed: () => gone() },
      ...noStore,
      close: async () => undefined,
    });
    const response = await other.get(asOf);
    expect([response.status, (await bodyOf(response)).title]).toEqual([500, 'Internal Error']);
    const ready = await other.ask('/readyz');
    const { detail, checks } = await bodyOf(ready);
    expect([ready.status, detail, checks]).toEqual([
      503,
      'store is unhealthy',
      { store: 'unhealthy', access: 'healthy' },
    ]);
    await other.close();
  });
});

/** What a service answers besides what a test asks it. */
const unused = {
  answer: gone,
  answerTogether: () => [gone()],
  reply: gone,
  refusal: (reason: string) => new Problem('plan-upgrade-required', reason),
  status: gone,
};

/** What else belongs to a service, without a store. */
const noStore = { address: '', tables: new TableWorkers({ address: '' }) };

function gone(): Promise<never> {
  return Promise.reject(new Problem('local-io', 'the disk is gone'));
}

describe('quotas', () => {
  it('are exact when requests come at once, and refuse with the time to wait', async () => {
    const other = await newHttpService();
    other.clock.now = new Date('2026-01-15T12:00:17.500Z');
    const three = { 'x-api-key': other.keys.three };
    const answers = await Promise.all(Array.from({ length: 50 }, () => other.get('/v1/ping', three)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(47);
    for (const response of refused) {
      expect(await bodyOf(response)).toMatchObject({
        type: `${errors}/rate-limit-exceeded`,
        title: 'Rate Limit Exceeded',
        detail: 'rate limit of 3 requests per minute exceeded',
      });
      expect(
        ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) =>
          response.headers.get(name),
        ),
      ).toEqual(['43', '3', '0', '43']);
    }
    other.clock.now = new Date('2026-01-15T12:01:00.000Z');
    expect((await other.get('/v1/ping', three)).status).toBe(200);
    await other.close();
  });

  it.each([
    ['an unknown endpoint', '/v1/nothing', {}, 404],
    ['a wrong method', '/v1/ping', { method: 'POST' }, 405],
    ['a bad parameter', '/v1/ping?x=1', {}, 400],
    ['an unknown series', '/v1/series/GDPX', {}, 404],
    ['HEAD', '/v1/ping', { method: 'HEAD' }, 200],
  ])('count %s', async (_, path, init, status) => {
    const other = await newHttpService();
    const request = () => other.ask(path, { ...init, headers: { 'x-api-key': other.keys.three } });
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await request()).status);
    expect(statuses).toEqual([status, status, status, 429]);
    await other.close();
  });

  it('come before the endpoint, the method and the parameters', async () => {
    const other = await newHttpService();
    const three = { 'x-api-key': other.keys.three };
    for (let i = 0; i < 3; i += 1) await other.get('/v1/ping', three);
    const statuses = [];
    for (const path of ['/v1/nothing', '/v1/ping?x=1', '/v1/series/GDPX'])
      statuses.push((await other.get(path, three)).status);
    statuses.push((await other.ask('/v1/ping', { method: 'POST', headers: three })).status);
    expect(statuses).toEqual([429, 429, 429, 429]);
    await other.close();
  });

  it('are shown by ping with what the key has used, each request of it counted and no answer reused', async () => {
    const other = await newHttpService();
    const ping = async (plan: 'pro' | 'three', headers: Record<string, string> = {}) => {
      const response = await other.get('/v1/ping', { 'x-api-key': other.keys[plan], ...headers });
      const etag = response.headers.get('etag') ?? '';
      return { status: response.status, etag, row: (await bodyOf(response)).results[0] };
    };
    const first = await ping('pro');
    expect(first.row).toMatchObject({ daily_limit: 1_000_000, daily_used: 1, monthly_used: 1 });
    await other.get('/v1/series/GDP');
    const third = await ping('pro', { 'if-none-match': first.etag });
    expect(third).toMatchObject({ status: 200, row: { daily_used: 3, monthly_used: 3 } });
    expect((await ping('three')).row).toMatchObject({ daily_used: 1, monthly_used: 1 });
    other.clock.now = new Date('2026-01-16T00:00:00Z');
    expect((await ping('pro')).row).toMatchObject({ daily_used: 1, monthly_used: 4 });
    other.clock.now = new Date('2026-02-01T00:00:00Z');
    expect((await ping('pro')).row).toMatchObject({ daily_used: 1, monthly_used: 1 });
    await other.close();
  });

  it('count 304, and neither probes, the description, error pages nor bad keys', async () => {
    const other = await newHttpService();
    const three = { 'x-api-key': other.keys.three };
    const etag = (await other.get('/v1/series/GDP', three)).headers.get('etag') ?? '';
    for (const path of ['/healthz', '/readyz', '/v1/openapi.json', '/docs', '/errors/unauthorized'])
      expect((await other.get(path, three)).status).toBe(200);
    for (let i = 0; i < 10; i += 1)
      expect((await other.get('/v1/ping', { 'x-api-key': `${other.keys.three.slice(0, -1)}!` })).status).toBe(
        401,
      );
    const known = { ...three, 'if-none-match': etag };
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await other.get('/v1/series/GDP', known)).status);
    expect(statuses).toEqual([304, 304, 429]);
    await other.close();
  });
});

describe('an ETag', () => {
  const tagOf = async (of: HttpService, path: string, headers: Record<string, string> = {}) =>
    (await of.get(path, headers)).headers.get('etag') ?? '';

  it('saves a query of the store, and the body', async () => {
    const other = await newHttpService();
    const tag = await tagOf(other, asOf);
    const before = other.queries();
    for (const known of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
      const response = await other.get(asOf, { 'if-none-match': known });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', tag]);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(response.headers.get('ratelimit-limit')).toBe('1000000');
    }
    // The same holds for an answer that is not cached, because its query is spelled differently.
    expect((await other.get(`${asOf}&`, { 'if-none-match': tag })).status).toBe(304);
    expect(other.queries()).toBe(before);
    await other.close();
  });

  it('that is another one gives the whole answer', async () => {
    const response = await http.get(asOf, { 'if-none-match': 'W/"x", "y"' });
    expect([response.status, (await bodyOf(response)).results_count]).toEqual([200, 2]);
  });

  it('differs between queries, plans and objects, and not between orders of parameters', async () => {
    const free = { 'x-api-key': http.keys.free };
    const observations = '/v1/series/GDP/observations';
    const tags = [
      await tagOf(http, asOf),
      await tagOf(http, `${asOf}&limit=3`),
      await tagOf(http, asOf.replace('01-30', '01-29')),
      await tagOf(http, observations),
      await tagOf(http, observations, free),
      await tagOf(http, '/v1/series/GDP'),
      await tagOf(http, '/v1/ping'),
    ];
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf(http, `${observations}?limit=3&as_of=2015-01-30`)).toBe(tags[1]);
  });

  it('changes with an import, at once', async () => {
    const other = await newHttpService();
    const tag = await tagOf(other, asOf);
    await importFiles(other.path, { 'more.csv': facts('GDP 2014-04-01 2014-10-30 17328.2') });
    const response = await other.get(asOf, { 'if-none-match': tag });
    expect([response.status, (await bodyOf(response)).results_count]).toEqual([200, 3]);
    expect(response.headers.get('etag')).not.toBe(tag);
    await other.close();
  });

  it('changes with the day where the answer does', async () => {
    const other = await newHttpService();
    const paths = ['/v1/treasury/yields/curve', '/v1/treasury/yields/curve?date=2015-01-05', asOf];
    const before = await Promise.all(paths.map((path) => tagOf(other, path)));
    other.clock.now = new Date('2026-01-16T00:00:00Z');
    const after = await Promise.all(paths.map((path) => tagOf(other, path)));
    expect(after.map((tag, i) => tag === before[i])).toEqual([false, true, true]);
    await other.close();
  });

  it('changes with the store, also where both count the same imports', async () => {
    const other = await newHttpService();
    const tag = await tagOf(other, asOf);
    const third = await newHttpService();
    expect(await tagOf(third, asOf)).toBe(tag);
    await importFiles(other.path, { 'a.csv': facts('GDP 2014-04-01 2014-10-30 1') });
    await importFiles(third.path, { 'b.csv': facts('GDP 2014-04-01 2014-10-30 2') });
    expect(await tagOf(other, asOf)).not.toBe(await tagOf(third, asOf));
    await other.close();
    await third.close();
  });
});

describe('an answer that is given again', () => {
  it('needs no query of the store, is the same, and has a new request id', async () => {
    const other = await newHttpService();
    const first = await bodyOf(other.get(asOf));
    const before = other.queries();
    const response = await other.get(asOf);
    const second = await bodyOf(response);
    expect(other.queries()).toBe(before);
    expect({ ...second, request_id: '' }).toEqual({ ...first, request_id: '' });
    expect(second.request_id).not.toBe(first.request_id);
    expect(response.headers.get('x-request-id')).toBe(second.request_id);
    await other.close();
  });

  it('is computed again on the next day', async () => {
    const other = await newHttpService();
    const path = '/v1/treasury/yields/curve';
    await other.get(path);
    other.clock.now = new Date('2026-01-16T00:00:00Z');
    const before = other.queries();
    await other.get(path);
    expect(other.queries()).toBeGreaterThan(before);
    await other.close();
  });
});

describe('a body in a coding', () => {
  const long = '/v1/series/UNRATE/observations';
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.1, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0', null],
    ['deflate', null],
    ['identity', null],
    ['identity;q=1, gzip;q=0.5', null],
    ['', null],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
  ])('for Accept-Encoding: %s', async (accept, coding) => {
    const plain = await bodyOf(http.get(long));
    const response = await http.get(long, { 'accept-encoding': accept });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const body =
      coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
    expect(JSON.parse(body.toString())).toEqual({ ...plain, request_id: expect.any(String) });
    expect(bytes.length < 4000).toBe(coding !== null);
  });

  it('only where it pays', async () => {
    const response = await http.get('/v1/ping', { 'accept-encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBeNull();
  });
});

describe('probes and pages, without a key', () => {
  it('say that the process answers, and that it is ready', async () => {
    expect(await bodyOf(http.ask('/healthz'))).toEqual({ status: 'ok' });
    expect(await bodyOf(http.ask('/readyz'))).toEqual({
      status: 'ok',
      checks: { store: 'healthy', access: 'healthy' },
    });
  });

  it('say how fresh a store is that follows live sources: of several, the oldest counts', async () => {
    const other = await newHttpService();
    const upTo = ['2026-11-20', '2026-11-18'];
    const followed = upTo.map((day, i) => ({
      ...{ source: 'fred', name: `S${i}`, since: '2026-01-01T00:00:00.000Z', bookmark: '', upTo: day },
      lastRun: `${day}T02:30:00.000Z`,
      left: i === 0 ? '' : 'everything after 2026-11-18',
    }));
    const state = async () => 'x';
    const service = { ...unused, state, followed: async () => followed };
    other.replace({ service, ...noStore, close: async () => undefined });
    expect(await bodyOf(other.ask('/readyz'))).toEqual({
      status: 'ok',
      checks: { store: 'healthy', access: 'healthy' },
      followed: { count: 2, up_to: '2026-11-18', last_run: '2026-11-18T02:30:00.000Z', unfinished: 1 },
    });
    await other.close();
  });

  it('say 503 while the service shuts down, which still answers', async () => {
    const other = await newHttpService();
    other.stop.now = true;
    const ready = await other.ask('/readyz');
    expect(ready.headers.get('content-type')).toBe('application/problem+json');
    expect(await bodyOf(ready)).toMatchObject({
      type: 'about:blank',
      status: 503,
      detail: 'the service is shutting down',
    });
    expect((await other.ask('/healthz')).status).toBe(200);
    expect((await other.get('/v1/ping')).status).toBe(200);
    await other.close();
  });

  it('name access when counts cannot be written', async () => {
    const other = await newHttpService();
    await other.close();
    const { detail } = await bodyOf(other.ask('/readyz'));
    expect(detail).toContain('access is unhealthy');
  });

  it.each([
    'validation-error',
    'unauthorized',
    'plan-upgrade-required',
    'not-found',
    'rate-limit-exceeded',
    'internal-error',
  ])('explain %s', async (suffix) => {
    const response = await http.ask(`/errors/${suffix}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ]);
    expect((await response.text()).length).toBeGreaterThan(100);
  });
});

describe('the log', () => {
  it('has a JSON line for each request, with the pattern of its endpoint and the id of its key', async () => {
    const other = await newHttpService();
    const response = await other.get(asOf);
    await other.ask('/healthz');
    await other.get('/v1/nothing');
    await new Promise(setImmediate);
    const lines = other
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/v1/series/{id}/observations', 200],
      ['GET', '/healthz', 200],
      ['GET', null, 404],
    ]);
    expect(lines[0]).toMatchObject({
      request_id: response.headers.get('x-request-id'),
      key: expect.stringMatching(/^k_[0-9a-f]{8}$/),
      ms: expect.any(Number),
    });
    await other.close();
  });

  it('has no key, in any place where a client puts it', async () => {
    const other = await newHttpService();
    const { pro } = other.keys;
    await other.get('/v1/ping');
    await other.get(`/v1/series/${pro}`);
    await other.get(`/v1/ping?key=${pro}`);
    await other.get(`/v1/ping?${pro}=1`);
    await other.get(`/${pro}`);
    await other.ask('/v1/ping', {
      headers: { authorization: `Bearer ${pro}`, cookie: pro, 'user-agent': pro },
    });
    await new Promise(setImmediate);
    expect(other.log().split('\n')).toHaveLength(7);
    expect(other.log()).not.toContain(pro.slice(13));
    await other.close();
  });
});

describe('a store that takes the place of another', () => {
  it('answers from then on, and the one before is closed when its last request is done', async () => {
    const other = await newHttpService();
    const path = await newQuarterlyStore();
    await importFiles(path, { 'more.csv': facts('NEW 2014-04-01 2014-10-30 1') });
    expect((await other.get('/v1/series/NEW')).status).toBe(404);
    const { openStore } = await import('../../../src/store/open.ts');
    other.replace(serviceOf({ store: await openStore(path), clock: () => other.clock.now }));
    expect((await other.get('/v1/series/NEW')).status).toBe(200);
    await other.close();
  });
});
