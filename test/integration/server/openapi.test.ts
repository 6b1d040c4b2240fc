import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestParams } from '../../../src/answering/question.ts';
import { requestPath } from '../../../src/client/remote/client.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { questions } from '../../../src/questions/table.ts';
import { endpoints } from '../../../src/server/endpoints.ts';
import { shownPages } from '../../../src/server/open-pages.ts';
import { answered, contractStore, refused } from '../../support/contract-cases.ts';
import { scratchFolder } from '../../support/folders.ts';
import {
  Description,
  type HttpService,
  type Json,
  newHttpService,
  ownHttpService,
} from '../../support/http-service.ts';
import { operations } from '../../support/operations.ts';

const folder = scratchFolder();
let http: HttpService;
let description: Json;
let api: Description;

beforeAll(async () => {
  http = await newHttpService({ explorer: true, newStore: () => contractStore(folder) });
  description = (await (await http.ask('/v1/openapi.json')).json()) as Json;
  api = new Description(description);
});
afterAll(() => http.close());

/** The points where a response breaks the description of its endpoint. */
async function faults(path: string, response: Response): Promise<readonly unknown[]> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return api.faults(path, response, isJson ? JSON.parse(text) : text);
}

const valueAt = (...place: readonly string[]) => api.at(place);
const parametersOf = (path: string) =>
  (valueAt('paths', path, 'get', 'parameters') as Json[]).map(({ name }) => name);

describe('the OpenAPI description', () => {
  it('is valid by a public validator', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(description));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect([description.openapi, (description.info as Json).version]).toEqual(['3.1.0', '1.0.0']);
  });

  it('has every operation of the table with every parameter, and all that needs no key', () => {
    const paths = description.paths as Record<string, { get: { parameters?: Json[]; security?: unknown } }>;
    const open = ['/healthz', '/readyz', '/v1/openapi.json', '/errors/{suffix}'];
    expect(Object.keys(paths)).toEqual([...endpoints.map(({ path }) => path), ...open]);
    for (const { path, params } of operations) {
      const { parameters, security } = paths[path]?.get ?? {};
      expect(parameters?.map(({ name, in: place, required }) => [name, place, required])).toEqual(
        Object.entries(params).map(([name, param]) => [name, param.in, param.required]),
      );
      expect(security).toBeUndefined();
    }
    expect(description.security).toEqual([{ ApiKey: [] }]);
    expect(valueAt('components', 'securitySchemes', 'ApiKey')).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: expect.stringContaining('key'),
    });
  });

  it.each([
    ['/v1/ping', ''],
    ['/v1/series/{id}', '404'],
    ['/v1/series/{id}/observations', '403 404'],
  ])('names the statuses of %s', (path, own) => {
    const statuses = ['200', '304', '400', '401', '406', '429', '500', ...own.split(' ').filter(Boolean)];
    expect(Object.keys(valueAt('paths', path, 'get', 'responses') as Json)).toEqual([
      ...statuses.sort(),
      'default',
    ]);
  });

  it('has the parameters of the questions that take several answers, by names of the form of the contract', () => {
    const diff =
      'ids days from to units digits frequency aggregate partial all_rows skip_missing exact max_age';
    expect(parametersOf('/v1/diff')).toEqual(diff.split(' '));
    const panel = ['ids', 'as_of', 'as_of_each', 'known_before_each', 'with_dates', 'wide'];
    expect(parametersOf('/v1/panel')).toEqual(expect.arrayContaining(panel));
    // A client sends these.
    const sent = Object.keys(requestParams(questions.panel));
    expect(parametersOf('/v1/panel')).toEqual(expect.arrayContaining(sent));
    expect(parametersOf('/v1/observations')).not.toContain('cursor');
  });

  it('offers every format of every answer with its media type, and lists the type of JSON alone', async () => {
    for (const { path } of endpoints) {
      expect(valueAt('paths', path, 'parameters')).toEqual([{ $ref: '#/components/parameters/Format' }]);
      const content = valueAt('paths', path, 'get', 'responses', '200', 'content') as Json;
      expect(Object.keys(content)).toEqual(['application/json']);
    }
    const { schema, description: words } = valueAt('components', 'parameters', 'Format') as {
      readonly schema: { readonly enum: readonly string[] };
      readonly description: string;
    };
    expect(schema.enum).toEqual(['json', 'csv', 'ndjson', 'parquet', 'answer']);
    for (const format of schema.enum) {
      const { headers } = await http.get(`/v1/series/GDP/observations?format=${format}`);
      expect(words).toContain((headers.get('content-type') ?? '').split(';')[0]);
    }
  });

  it('announces the extensions of the contract, and names the public address', () => {
    for (const name of ['match', 'release', 'covered_to', 'seasonal_adjustment'])
      expect(JSON.stringify(description)).toContain(`"${name}"`);
    expect(description.servers).toEqual([{ url: 'https://data.example/asof' }]);
  });
});

describe('the OpenAPI description describes as it is on the wire', () => {
  /** The path of a request; undefined where no URL can ask for it, and the client answers by itself. */
  function pathOrNothing(operation: Operation, given: ParamTexts): string | undefined {
    try {
      return requestPath(operation, given);
    } catch {
      return undefined;
    }
  }

  it('every answer and every refusal of the contract cases', async () => {
    const wrong: unknown[] = [];
    let checked = 0;
    for (const [operation, given] of [...answered, ...refused]) {
      const target = pathOrNothing(operation, given);
      if (target === undefined) continue;
      const found = await faults(operation.path, await http.get(target));
      if (found.length > 0) wrong.push([target, found]);
      checked += 1;
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(150);
  });

  it.each<[path: string, query: string, status: number, who: 'free' | 'no key' | 'pro']>([
    ['/v1/series/{id}/observations', '', 200, 'free'],
    ['/v1/series/{id}/observations', '?as_of=2020-12-31', 403, 'free'],
    ['/v1/observations', '?ids=GDP,UNRATE&as_of=2020-12-31', 200, 'pro'],
    ['/v1/panel', '?ids=GDP,UNRATE', 200, 'pro'],
    ['/v1/panel', '?ids=GDP,UNRATE&wide=true&as_of=2020-12-31', 200, 'pro'],
    ['/v1/panel', '?ids=GDP&as_of_each=2020-12-31,2021-01-01', 200, 'pro'],
    ['/v1/panel', '?ids=GDP&as_of=2020-12-31', 403, 'free'],
    ['/v1/panel', '?ids=GDPX', 404, 'pro'],
    ['/v1/diff', '?ids=GDP&days=2020-12-31,2021-01-01', 200, 'pro'],
    ['/v1/diff', '?ids=GDP&days=2020-12-31', 400, 'pro'],
    ['/v1/ping', '', 401, 'no key'],
    ['/healthz', '', 200, 'no key'],
    ['/readyz', '', 200, 'no key'],
    ['/v1/openapi.json', '', 200, 'no key'],
    ['/errors/unauthorized', '', 200, 'no key'],
    ['/errors/nothing', '', 404, 'no key'],
  ])('%s%s, which is %i for %s', async (path, query, status, who) => {
    const headers = who === 'no key' ? {} : { 'x-api-key': http.keys[who] };
    const response = await http.ask(path.replace('{id}', 'GDP') + query, { headers });
    const described = path.replace(/^\/errors\/.*/, '/errors/{suffix}');
    expect([response.status, await faults(described, response)]).toEqual([status, []]);
  });

  it('other formats, a quota used up, a wrong method, and a service that stops', async () => {
    const other = await ownHttpService();
    const three = { 'x-api-key': other.keys.three };
    const [unread] = [await other.get('/v1/ping', { ...three, accept: 'text/html' })];
    for (let i = 0; i < 2; i += 1) await other.get('/v1/ping', three);
    const pro = { 'x-api-key': other.keys.pro };
    for (const [status, response] of [
      [406, unread],
      [429, await other.get('/v1/ping', three)],
      [405, await other.ask('/v1/ping', { method: 'POST', headers: pro })],
    ] as const)
      expect([response.status, await faults('/v1/ping', response)]).toEqual([status, []]);
    other.stop.now = true;
    const stopping = await other.ask('/readyz');
    expect([stopping.status, await faults('/readyz', stopping)]).toEqual([503, []]);
  });

  it('and an answer that is not as described is detected', async () => {
    const right = (await (await http.get('/v1/ping')).json()) as { results: Json[] };
    expect(await faults('/v1/ping', Response.json(right))).toEqual([]);
    const [row] = right.results;
    for (const wrong of [
      { extra: 1 },
      { results: [{ ...row, extra: 1 }] },
      { results: [{ ...row, monthly_limit: '5' }] },
      { object: 'series' },
      { request_id: 'x' },
      { has_more: undefined },
      { request_id: undefined },
    ])
      expect(await faults('/v1/ping', Response.json({ ...right, ...wrong }))).not.toEqual([]);
  });
});

describe('every path of a service', () => {
  /** The required parameters of the endpoints that have any. */
  const required: Readonly<Record<string, string>> = {
    '/v1/series/{id}/revisions': '?date=2020-03-01',
    '/v1/observations': '?ids=GDP',
    '/v1/panel': '?ids=GDP',
    '/v1/diff': '?ids=GDP&days=2020-12-31,2021-01-01',
  };
  const routes = [
    ...endpoints.map(({ path }) => path.replace('{id}', 'GDP') + (required[path] ?? '')),
    ...['/healthz', '/readyz', '/v1/openapi.json', '/errors/unauthorized'],
    ...shownPages({ explorer: true }).keys(),
  ];

  it.each(routes)('%s allows only GET and HEAD, and refuses other methods with Allow', async (path) => {
    const headers = { 'x-api-key': http.keys.pro };
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await http.ask(path, { method, headers });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      expect(await response.json()).toMatchObject({ status: 405, title: 'Method Not Allowed' });
    }
  });
});
