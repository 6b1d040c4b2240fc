import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { newKey } from '../../../src/server/keys/gate.ts';
import { TableWorkers } from '../../../src/server/tables/service-lease.ts';
import { bodyOf, type HttpService, newHttpService, ownHttpService } from '../../support/http-service.ts';
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

  it.each([asOf, '/v1/series/GDP/observations?format=csv'])(
    'to HEAD has the headers of GET and no body: %s',
    async (path) => {
      const get = await http.get(path);
      const head = await http.ask(path, { method: 'HEAD', headers: { 'x-api-key': http.keys.pro } });
      const stable = ({ headers }: Response) =>
        [...headers].filter(([name]) => !/^(x-request-id|ratelimit-remaining)$/.test(name));
      expect([head.status, stable(head), await head.text()]).toEqual([200, stable(get), '']);
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    },
  );

  it('reads a query as forms write it', async () => {
    const found = async (query: string) =>
      (await bodyOf(http.get(`/v1/series?${query}`))).results.map(({ id }) => id);
    expect(await found('q=gross+domestic&match=title')).toEqual(['GDP']);
    expect(await found('q=gross%20domestic&match=title&')).toEqual(['GDP']);
    expect((await bodyOf(http.get('/v1/series?limit=1+%2b'))).detail).toContain('"1 +"');
    expect(await found('q=%47%44%50')).toEqual(['GDP']);
    expect(await found('q')).toEqual(['DGS10', 'DGS1MO', 'GDP', 'UNRATE']);
  });

  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['br', 'br', brotliDecompressSync],
    ['identity', null, (bytes: Buffer) => bytes],
  ])('comes in the coding that the client asks for: %s', async (accept, coding, decode) => {
    const long = '/v1/series/UNRATE/observations';
    const response = await http.get(long, { 'accept-encoding': accept });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { headers } = response;
    expect([headers.get('content-encoding'), headers.get('content-length')]).toEqual([
      coding,
      String(bytes.length),
    ]);
    const plain = await bodyOf(http.get(long));
    expect(JSON.parse(decode(bytes).toString())).toEqual({ ...plain, request_id: expect.any(String) });
    expect(bytes.length < 4000).toBe(coding !== null);
    const short = await http.get('/v1/ping', { 'accept-encoding': accept });
    expect(short.headers.get('content-encoding')).toBeNull();
  });

  it('that is given again needs no query of the store, is the same, and has a new request id', async () => {
    const first = await bodyOf(http.get(`${asOf}&limit=2`));
    const before = http.queries();
    const response = await http.get(`${asOf}&limit=2`);
    const second = await bodyOf(response);
    expect(http.queries()).toBe(before);
    expect({ ...second, request_id: '' }).toEqual({ ...first, request_id: '' });
    expect(second.request_id).not.toBe(first.request_id);
    expect(response.headers.get('x-request-id')).toBe(second.request_id);
  });
});

describe('a failure', () => {
  type Expected = { type: string; title: string; status: number; detail: unknown; field?: string };
  type Case = readonly [what: string, path: string, init: RequestInit, expected: Expected];

  const invalid = (detail: unknown, field?: string): Expected => ({
    ...{ type: `${errors}/validation-error`, title: 'Validation Error', status: 400, detail },
    ...(field !== undefined && { field }),
  });
  const unauthorized = (detail: string): Expected => ({
    ...{ type: `${errors}/unauthorized`, title: 'Unauthorized', status: 401, detail },
  });
  const notFound = (detail: unknown): Expected => ({
    ...{ type: `${errors}/not-found`, title: 'Not Found', status: 404, detail },
  });
  const blank = (status: number, title: string): Expected => ({
    ...{ type: 'about:blank', title, status, detail: expect.any(String) },
  });
  const missing = unauthorized('missing X-API-Key header');
  const noEndpoint = notFound(expect.stringContaining('no such endpoint'));
  const noMethod = blank(405, 'Method Not Allowed');
  const noBody = invalid('a request to this service has no body');
  const withHeader = (name: string, value: string): RequestInit => ({ headers: { [name]: value } });

  async function expectProblem(path: string, init: RequestInit, expected: Expected): Promise<void> {
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
  }

  it.each<Case>([
    ['no key', '/v1/ping', {}, missing],
    ['an unknown key', '/v1/ping', withHeader('x-api-key', unknownKey), unauthorized('invalid API key')],
    ['an empty key', '/v1/ping', withHeader('x-api-key', ''), unauthorized('invalid API key')],
    ['a key in Authorization', '/v1/ping', withHeader('authorization', `Bearer ${unknownKey}`), missing],
    ['no key, before an endpoint that does not exist', '/v1/nothing', {}, missing],
    ['no key, before a wrong method', '/v1/ping', { method: 'POST' }, missing],
    ['no key at the root of the version', '/v1', {}, missing],
    ['a path outside of the version', '/nothing', {}, noEndpoint],
    ['an error page that does not exist', '/errors/nothing', {}, noEndpoint],
    ['POST to the description, without a key', '/v1/openapi.json', { method: 'POST' }, noMethod],
    ['a body for a page that needs no key', '/healthz', withHeader('content-length', '3'), noBody],
  ])('of %s is a problem document', async (_, path, init, expected) => {
    await expectProblem(path, init, expected);
  });

  it.each<Case>([
    ['an endpoint that does not exist', '/v1/nothing', {}, noEndpoint],
    ['a slash too many', '/v1/ping/', {}, noEndpoint],
    ['an id that is empty', '/v1/series/', {}, noEndpoint],
    ['a wrong method before wrong parameters', '/v1/ping?x=1', { method: 'PUT' }, noMethod],
    ['a body', '/v1/ping', withHeader('content-length', '3'), noBody],
    ['a body in chunks', '/v1/ping', withHeader('transfer-encoding', 'chunked'), noBody],
    ['no JSON', '/v1/ping', withHeader('accept', 'text/html'), blank(406, 'Not Acceptable')],
    ['an unknown parameter', '/v1/ping?asof=1', {}, invalid("unknown parameter 'asof': use none", 'asof')],
    ['a parameter without a name', '/v1/ping?=1', {}, invalid(expect.any(String), '')],
    ...[
      ['broken percent-encoding', '/v1/series?q=%zz', 'q'],
      ['bytes that are no UTF-8', '/v1/series?q=%ff', 'q'],
      ['broken percent-encoding in the path', '/v1/series/%zz', 'id'],
    ].map(([what = '', path = '', name = '']): Case => {
      return [what, path, {}, invalid(`invalid '${name}': the percent-encoding is broken`, name)];
    }),
    ['an unknown series with a slash', '/v1/series/A%2FB', {}, notFound("series 'A/B' not found")],
    ['a long address', `/v1/series?q=${'x'.repeat(9000)}`, {}, blank(414, 'URI Too Long')],
  ])('of a valid key, for %s, is a problem document', async (_, path, init, expected) => {
    await expectProblem(
      path,
      { ...init, headers: { 'x-api-key': http.keys.pro, ...init.headers } },
      expected,
    );
  });

  it('of the plan comes even if another plan has just had the answer', async () => {
    const { headers } = await http.get(asOf);
    const free = { 'x-api-key': http.keys.free };
    const known = { ...free, 'if-none-match': headers.get('etag') ?? '' };
    const statuses = [await http.get(asOf, free), await http.get(asOf, known)].map(({ status }) => status);
    expect(statuses).toEqual([403, 403]);
  });
});

describe('a bug', () => {
  it('is 500 without its cause, which is in the log', async () => {
    const other = await ownHttpService({
      service: (made) => Object.assign(made, { reply: () => Promise.reject(new Error('the abacus fell')) }),
    });
    const response = await other.get(asOf);
    const text = await response.text();
    expect([response.status, JSON.parse(text).type]).toEqual([500, `${errors}/internal-error`]);
    expect(text).not.toMatch(/abacus|\.ts/);
    await new Promise(setImmediate);
    expect(other.log()).toContain('the abacus fell');
    expect(other.log()).toContain(JSON.parse(text).request_id);
  });

  it('of the machine under the store is 500 too', async () => {
    const other = await ownHttpService();
    other.replace({ service: unused, ...noStore });
    const response = await other.get(asOf);
    expect([response.status, (await bodyOf(response)).title]).toEqual([500, 'Internal Error']);
    const ready = await other.ask('/readyz');
    const { detail, checks } = await bodyOf(ready);
    expect([ready.status, detail, checks]).toEqual([
      503,
      'store is unhealthy',
      { store: 'unhealthy', access: 'healthy' },
    ]);
  });
});

/** A service that answers nothing. */
const unused = {
  answer: gone,
  answerTogether: () => [gone()],
  reply: gone,
  refusal: (reason: string) => new Problem('plan-upgrade-required', reason),
  state: gone,
  status: gone,
  followed: gone,
  overdue: gone,
  answering: gone,
};

/** What else belongs to a service, without a store. */
const noStore = { address: '', tables: new TableWorkers({ address: '' }), close: async () => undefined };

function gone(): Promise<never> {
  return Promise.reject(new Problem('local-io', 'the disk is gone'));
}

describe('quotas', () => {
  it('are exact when requests come at once, and refuse with the time to wait', async () => {
    const other = await ownHttpService();
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
      const shown = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
      expect(shown.map((name) => response.headers.get(name))).toEqual(['43', '3', '0', '43']);
    }
    other.clock.now = new Date('2026-01-15T12:01:00.000Z');
    expect((await other.get('/v1/ping', three)).status).toBe(200);
  });

  it('count every request, and come before the endpoint, the method and the parameters', async () => {
    const other = await ownHttpService();
    const cases = [
      ['/v1/nothing', 'GET', 404],
      ['/v1/ping', 'POST', 405],
      ['/v1/ping?x=1', 'GET', 400],
      ['/v1/series/GDPX', 'GET', 404],
      ['/v1/ping', 'HEAD', 200],
    ] as const;
    for (const [minute, [path, method, status]] of cases.entries()) {
      other.clock.now = new Date(Date.UTC(2026, 0, 15, 12, minute));
      const statuses: number[] = [];
      for (let i = 0; i < 4; i += 1)
        statuses.push((await other.ask(path, { method, headers: { 'x-api-key': other.keys.three } })).status);
      expect([path, method, ...statuses]).toEqual([path, method, status, status, status, 429]);
    }
  });

  it('are shown by ping with what the key has used, each request of it counted and no answer reused', async () => {
    const other = await ownHttpService();
    const ping = async (plan: 'pro' | 'three', headers: Record<string, string> = {}) => {
      const response = await other.get('/v1/ping', { 'x-api-key': other.keys[plan], ...headers });
      const etag = response.headers.get('etag') ?? '';
      return { status: response.status, etag, row: (await bodyOf(response)).results[0] };
    };
    const first = await ping('pro');
    expect(first.row).toMatchObject({ plan: 'pro', daily_limit: 1_000_000, daily_used: 1, monthly_used: 1 });
    await other.get('/v1/series/GDP');
    const third = await ping('pro', { 'if-none-match': first.etag });
    expect(third).toMatchObject({ status: 200, row: { daily_used: 3, monthly_used: 3 } });
    expect((await ping('three')).row).toMatchObject({ plan: 'three', daily_used: 1, monthly_used: 1 });
    other.clock.now = new Date('2026-01-16T00:00:00Z');
    expect((await ping('pro')).row).toMatchObject({ daily_used: 1, monthly_used: 4 });
    other.clock.now = new Date('2026-02-01T00:00:00Z');
    expect((await ping('pro')).row).toMatchObject({ daily_used: 1, monthly_used: 1 });
  });

  it('count 304, and neither probes, the description, error pages nor bad keys', async () => {
    const other = await ownHttpService();
    const three = { 'x-api-key': other.keys.three };
    const etag = (await other.get('/v1/series/GDP', three)).headers.get('etag') ?? '';
    for (const path of ['/healthz', '/readyz', '/v1/openapi.json', '/docs', '/errors/unauthorized'])
      expect((await other.get(path, three)).status).toBe(200);
    const bad = { 'x-api-key': `${other.keys.three.slice(0, -1)}!` };
    for (let i = 0; i < 10; i += 1) expect((await other.get('/v1/ping', bad)).status).toBe(401);
    const known = { ...three, 'if-none-match': etag };
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await other.get('/v1/series/GDP', known)).status);
    expect(statuses).toEqual([304, 304, 429]);
  });
});

describe('an ETag', () => {
  const tagOf = async (of: HttpService, path: string, headers: Record<string, string> = {}) =>
    (await of.get(path, headers)).headers.get('etag') ?? '';

  it('saves a query of the store, and the body', async () => {
    const tag = await tagOf(http, asOf);
    const before = http.queries();
    for (const known of [tag, tag.slice(2), `"x", ${tag}`]) {
      const response = await http.get(asOf, { 'if-none-match': known });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', tag]);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(response.headers.get('ratelimit-limit')).toBe('1000000');
    }
    // The same holds for an answer that is not cached, because its query is spelled differently.
    expect((await http.get(`${asOf}&`, { 'if-none-match': tag })).status).toBe(304);
    expect(http.queries()).toBe(before);
    const other = await http.get(asOf, { 'if-none-match': 'W/"x", "y"' });
    expect([other.status, (await bodyOf(other)).results_count]).toEqual([200, 2]);
  });

  it('differs between queries, plans and objects, and not between orders of parameters', async () => {
    const observations = '/v1/series/GDP/observations';
    const tags = [
      await tagOf(http, asOf),
      await tagOf(http, `${asOf}&limit=3`),
      await tagOf(http, asOf.replace('01-30', '01-29')),
      await tagOf(http, observations),
      await tagOf(http, observations, { 'x-api-key': http.keys.free }),
      await tagOf(http, '/v1/series/GDP'),
      await tagOf(http, '/v1/ping'),
    ];
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf(http, `${observations}?limit=3&as_of=2015-01-30`)).toBe(tags[1]);
  });

  it('changes with an import, at once, and differs between stores that count the same imports', async () => {
    const [one, other] = [await ownHttpService(), await ownHttpService()];
    const tag = await tagOf(one, asOf);
    expect(await tagOf(other, asOf)).toBe(tag);
    await importFiles(one.path, { 'a.csv': facts('GDP 2014-04-01 2014-10-30 1') });
    await importFiles(other.path, { 'b.csv': facts('GDP 2014-04-01 2014-10-30 2') });
    const response = await one.get(asOf, { 'if-none-match': tag });
    expect([response.status, (await bodyOf(response)).results_count]).toEqual([200, 3]);
    expect(new Set([tag, response.headers.get('etag'), await tagOf(other, asOf)]).size).toBe(3);
  });

  it('changes with the day where the answer does', async () => {
    const other = await ownHttpService();
    const paths = ['/v1/treasury/yields/curve', '/v1/treasury/yields/curve?date=2015-01-05', asOf];
    const before = await Promise.all(paths.map((path) => tagOf(other, path)));
    other.clock.now = new Date('2026-01-16T00:00:00Z');
    const after = await Promise.all(paths.map((path) => tagOf(other, path)));
    expect(after.map((tag, i) => tag === before[i])).toEqual([false, true, true]);
  });
});

describe('probes and pages, without a key', () => {
  it('say that the process answers, and that it is ready', async () => {
    expect(await bodyOf(http.ask('/healthz'))).toEqual({ status: 'ok' });
    const checks = { store: 'healthy', access: 'healthy' };
    expect(await bodyOf(http.ask('/readyz'))).toEqual({ status: 'ok', checks });
  });

  it('say how fresh a store is that follows live sources: of several, the oldest counts', async () => {
    const other = await ownHttpService();
    const followed = ['2026-11-20', '2026-11-18'].map((day, i) => ({
      ...{ source: 'fred', name: `S${i}`, since: '2026-01-01T00:00:00.000Z', bookmark: '', upTo: day },
      lastRun: `${day}T02:30:00.000Z`,
      left: i === 0 ? '' : 'everything after 2026-11-18',
    }));
    const overdue = [{ release: 'fred:999', name: 'A release', date: '2026-11-17', items: 1 }];
    const service = {
      ...{ ...unused, state: async () => 'x', followed: async () => followed },
      ...{ overdue: async () => overdue, answering: async () => 0.5 },
    };
    other.replace({ service, ...noStore });
    expect(await bodyOf(other.ask('/readyz'))).toEqual({
      status: 'ok',
      checks: { store: 'healthy', access: 'healthy' },
      answering: 0.5,
      followed: {
        ...{ count: 2, up_to: '2026-11-18', last_run: '2026-11-18T02:30:00.000Z', unfinished: 1, overdue },
      },
    });
  });

  it('say 503 if no part of the store answers', async () => {
    const other = await ownHttpService();
    const service = { ...unused, state: async () => 'x', answering: async () => 0 };
    other.replace({ service, ...noStore });
    expect((await other.ask('/readyz')).status).toBe(503);
  });

  it('say 503 while the service shuts down, which still answers', async () => {
    const other = await ownHttpService();
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
  });

  it('name access when counts cannot be written', async () => {
    const other = await newHttpService();
    await other.close();
    expect((await bodyOf(other.ask('/readyz'))).detail).toContain('access is unhealthy');
  });

  it.each([
    ...['validation-error', 'unauthorized', 'plan-upgrade-required', 'not-found'],
    ...['rate-limit-exceeded', 'internal-error'],
  ])('explain %s', async (suffix) => {
    const response = await http.ask(`/errors/${suffix}`);
    const type = 'text/plain; charset=utf-8';
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect((await response.text()).length).toBeGreaterThan(100);
  });
});

describe('the log', () => {
  it('has a JSON line for each request, with the pattern of its endpoint and the id of its key', async () => {
    const other = await ownHttpService();
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
  });
});
