import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/server/endpoints.ts';
import { pages } from '../../../src/server/open-pages.ts';
import { type HttpService, newHttpService } from '../../support/http-service.ts';

let http: HttpService;
beforeAll(async () => {
  http = await newHttpService({ explorer: true });
});
afterAll(() => http.close());

/** The required parameters of the endpoints that have any. */
const required: Readonly<Record<string, string>> = {
  '/v1/series/{id}/revisions': '?date=2014-10-01',
  '/v1/observations': '?ids=GDP',
  '/v1/panel': '?ids=GDP',
  '/v1/diff': '?ids=GDP&days=2015-01-30,2015-04-29',
};

/** Every path of a service, with an id in place of its path parameter. */
const routes = [
  ...endpoints.map(({ path }) => path.replace('{id}', 'GDP') + (required[path] ?? '')),
  ...['/healthz', '/readyz', '/v1/openapi.json', '/errors/unauthorized'],
  ...pages({ explorer: true }).keys(),
];

describe('every path of a service', () => {
  it.each(routes)('%s allows only GET and HEAD, and refuses other methods with Allow', async (path) => {
    const headers = { 'x-api-key': http.keys.pro };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await http.ask(path, { method, headers });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ status: 405, title: 'Method Not Allowed' });
    }
  });

  // RFC 9110, 13.1.2: `If-None-Match: *` asks for an answer only if the resource does not exist.
  // `/docs/` redirects to `/docs`.
  it.each(routes.filter((path) => path !== '/docs/'))(
    '%s answers If-None-Match: * with 304 and no content',
    async (path) => {
      const whole = await http.get(path);
      expect(whole.status).toBe(200);
      const response = await http.get(path, { 'if-none-match': ' * ' });
      expect([response.status, await response.text()]).toEqual([304, '']);
      // The answer of ping counts requests, so it differs each time.
      for (const name of path === '/v1/ping' ? ['vary'] : ['etag', 'cache-control', 'vary'])
        expect(response.headers.get(name)).toBe(whole.headers.get(name));
      for (const name of ['content-type', 'content-length', 'content-encoding'])
        expect(response.headers.get(name)).toBeNull();
    },
  );

  it.each(['csv', 'ndjson', 'parquet'])('of rows also answers it with 304 as %s', async (format) => {
    for (const path of ['/v1/series/GDP/observations?', '/v1/panel?ids=GDP&']) {
      const response = await http.get(`${path}format=${format}`, { 'if-none-match': '*' });
      expect([response.status, await response.text()]).toEqual([304, '']);
    }
  });

  it.each([
    ['/v1/series/NONE', 404],
    ['/v1/none', 404],
    ['/v1/panel?ids=NONE&format=csv', 404],
    ['/v1/series?limit=0', 400],
  ])(
    'that fails, as %s does, fails in the same way if the request has If-None-Match: *',
    async (path, status) => {
      const response = await http.get(path, { 'if-none-match': '*' });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ status });
    },
  );
});
