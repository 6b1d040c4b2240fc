import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, newHttpService, ownHttpService } from '../../support/http-service.ts';

const app = 'https://app.example';
let http: HttpService;

beforeAll(async () => {
  http = await newHttpService({ corsOrigins: [app, 'http://localhost:3000'] });
});
afterAll(() => http.close());

/** What a browser asks before a page sends a request with a key (Fetch Standard, CORS-preflight fetch). */
function preflight(service: HttpService, origin: string): Promise<Response> {
  const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' };
  return service.ask('/v1/series/GDP/observations', { method: 'OPTIONS', headers: { origin, ...asked } });
}

const allowedOrigin = ({ headers }: Response) => headers.get('access-control-allow-origin');
const listed = ({ headers }: Response, name: string) =>
  (headers.get(`access-control-${name}`) ?? '').toLowerCase().split(', ');

describe('a page of an origin that the operator lists', () => {
  it('may ask without a key whether it may send one', async () => {
    const response = await preflight(http, app);
    expect([response.status, allowedOrigin(response), await response.text()]).toEqual([204, app, '']);
    expect(listed(response, 'allow-methods')).toEqual(['get', 'head']);
    const headers = ['x-api-key', 'if-none-match', 'accept'];
    expect(listed(response, 'allow-headers')).toEqual(expect.arrayContaining(headers));
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it.each(['/v1/ping', '/v1/series/GDPX', '/v1/panel?ids=GDP&format=csv', '/v1/nothing', '/healthz'])(
    'may read the answer of %s, and how many requests are left',
    async (target) => {
      const response = await http.get(target, { origin: app });
      expect(allowedOrigin(response)).toBe(app);
      const limits = ['ratelimit-remaining', 'ratelimit-reset', 'retry-after'];
      const needed = [...limits, 'x-request-id', 'link', 'etag'];
      expect(listed(response, 'expose-headers')).toEqual(expect.arrayContaining(needed));
      const refused = await http.ask('/v1/ping', { headers: { origin: app } });
      expect([refused.status, allowedOrigin(refused)]).toEqual([401, app]);
    },
  );
});

describe('a page of another origin', () => {
  it.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'may not send a key or read an answer: %s',
    async (origin) => {
      const asked = await preflight(http, origin);
      expect([asked.status, allowedOrigin(asked)]).toEqual([401, null]);
      const answer = await http.get('/v1/ping', { origin });
      expect([answer.status, allowedOrigin(answer)]).toEqual([200, null]);
      expect(answer.headers.get('vary')).toContain('Origin');
    },
  );

  it('gets no answer from a cache that was meant for a listed one', async () => {
    expect((await http.get('/v1/ping', { origin: app })).headers.get('vary')).toContain('Origin');
    expect((await http.get('/v1/ping')).headers.get('vary')).toContain('Origin');
  });
});

it('a list with * lets pages of every origin in', async () => {
  const open = await ownHttpService({ corsOrigins: ['*'] });
  expect(allowedOrigin(await preflight(open, 'https://anybody.example'))).toBe('*');
  expect(allowedOrigin(await open.get('/v1/ping', { origin: 'https://anybody.example' }))).toBe('*');
});

it('a service without a list says nothing to pages of other origins', async () => {
  const closed = await ownHttpService();
  const asked = await preflight(closed, app);
  expect([asked.status, allowedOrigin(asked)]).toEqual([401, null]);
  const answer = await closed.get('/v1/ping', { origin: app });
  const vary = 'Accept, Accept-Encoding, X-API-Key';
  expect([allowedOrigin(answer), answer.headers.get('vary')]).toEqual([null, vary]);
});
