import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, newHttpService } from '../../support/http-service.ts';

const app = 'https://app.example';
let http: HttpService;

beforeAll(async () => {
  http = await newHttpService({ corsOrigins: [app, 'http://localhost:3000'] });
});
afterAll(() => http.close());

/** What a browser asks before a page sends a request with a key (Fetch Standard, CORS-preflight fetch). */
function preflight(service: HttpService, origin: string): Promise<Response> {
  const headers = {
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-api-key',
  };
  return service.ask('/v1/series/GDP/observations', { method: 'OPTIONS', headers });
}

const allowedOrigin = ({ headers }: Response) => headers.get('access-control-allow-origin');

describe('a page of an origin that the operator lists', () => {
  it('may ask without a key whether it may send one', async () => {
    const response = await preflight(http, app);
    expect([response.status, allowedOrigin(response), await response.text()]).toEqual([204, app, '']);
    const listed = (name: string) => (response.headers.get(name) ?? '').toLowerCase().split(', ');
    expect(listed('access-control-allow-methods')).toEqual(['get', 'head']);
    expect(listed('access-control-allow-headers')).toEqual(
      expect.arrayContaining(['x-api-key', 'if-none-match', 'accept']),
    );
    expect(Number(response.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it.each(['/v1/ping', '/v1/series/GDPX', '/v1/panel?ids=GDP&format=csv', '/v1/nothing', '/healthz'])(
    'may read the answer of %s, and how many requests are left',
    async (target) => {
      const response = await http.get(target, { origin: app });
      expect(allowedOrigin(response)).toBe(app);
      const exposed = (response.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
      const needed = [
        'ratelimit-remaining',
        'ratelimit-reset',
        'retry-after',
        'x-request-id',
        'link',
        'etag',
      ];
      expect(exposed).toEqual(expect.arrayContaining(needed));
    },
  );

  it('may read why its request was refused', async () => {
    const response = await http.ask('/v1/ping', { headers: { origin: app } });
    expect([response.status, allowedOrigin(response)]).toEqual([401, app]);
  });
});

describe('a page of another origin', () => {
  it.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'may not send a key or read an answer: %s',
    async (origin) => {
      const asked = await preflight(http, origin);
      expect([asked.status, allowedOrigin(asked)]).toEqual([401, null]);
      const answer = await http.get('/v1/ping', { origin });
      expect([answer.status, allowedOrigin(answer)]).toEqual([200, null]);
    },
  );

  it('gets no answer from a cache that was meant for a listed one', async () => {
    for (const headers of [{ origin: app }, { origin: 'https://evil.example' }, {}] as Record<
      string,
      string
    >[])
      expect((await http.get('/v1/ping', headers)).headers.get('vary')).toContain('Origin');
  });
});

it('a list with * lets pages of every origin in', async () => {
  const open = await newHttpService({ corsOrigins: ['*'] });
  expect(allowedOrigin(await preflight(open, 'https://anybody.example'))).toBe('*');
  expect(allowedOrigin(await open.get('/v1/ping', { origin: 'https://anybody.example' }))).toBe('*');
  await open.close();
});

it('a service without a list says nothing to pages of other origins', async () => {
  const closed = await newHttpService();
  const asked = await preflight(closed, app);
  expect([asked.status, allowedOrigin(asked)]).toEqual([401, null]);
  const answer = await closed.get('/v1/ping', { origin: app });
  expect([allowedOrigin(answer), answer.headers.get('vary')]).toEqual([
    null,
    'Accept, Accept-Encoding, X-API-Key',
  ]);
  await closed.close();
});
