import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestParams } from '../../../src/answering/question.ts';
import { operations } from '../../../src/operations/index.ts';
import { questions } from '../../../src/questions/table.ts';
import { endpoints } from '../../../src/server/endpoints.ts';
import { Description, type Json } from '../../support/description.ts';
import { type HttpService, newHttpService, shortestAddress } from '../../support/http-service.ts';

let http: HttpService;
let description: Json;
let api: Description;

beforeAll(async () => {
  http = await newHttpService();
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

const valueAt = (place: readonly string[]) => api.at(place);

describe('the OpenAPI description', () => {
  it('is valid by a public validator', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(description));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect([description.openapi, (description.info as Json).version]).toEqual(['3.1.0', '1.0.0']);
  });

  it('would not be valid with something missing', async () => {
    const { info: _info, ...rest } = structuredClone(description);
    expect((await new Validator().validate(rest)).valid).toBe(false);
  });

  it('has every operation of the table with every parameter, and all that needs no key', () => {
    const paths = description.paths as Record<string, { get: { parameters?: Json[]; security?: unknown } }>;
    expect(Object.keys(paths)).toEqual([
      ...endpoints.map(({ path }) => path),
      '/healthz',
      '/readyz',
      '/v1/openapi.json',
      '/errors/{suffix}',
    ]);
    for (const { path, params } of operations) {
      const described = paths[path]?.get.parameters?.map(({ name, in: place, required }) => [
        name,
        place,
        required,
      ]);
      expect(described).toEqual(
        Object.entries(params).map(([name, param]) => [name, param.in, param.required]),
      );
      expect(paths[path]?.get.security).toBeUndefined();
    }
    expect(description.security).toEqual([{ ApiKey: [] }]);
    expect(valueAt(['components', 'securitySchemes', 'ApiKey'])).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: expect.stringContaining('key'),
    });
  });

  it.each([
    ['/v1/ping', ['200', '304', '400', '401', '406', '429', '500', 'default']],
    ['/v1/series/{id}', ['200', '304', '400', '401', '404', '406', '429', '500', 'default']],
    [
      '/v1/series/{id}/observations',
      ['200', '304', '400', '401', '403', '404', '406', '429', '500', 'default'],
    ],
  ])('names the statuses of %s', (path, statuses) => {
    expect(Object.keys(valueAt(['paths', path, 'get', 'responses']) as Json)).toEqual(statuses);
  });

  it('has the parameters of the questions that take several answers, by names of the form of the contract', () => {
    const names = (path: string) =>
      (valueAt(['paths', path, 'get', 'parameters']) as Json[]).map(({ name }) => name);
    expect(names('/v1/diff')).toEqual(
      'ids days from to units digits frequency aggregate partial all_rows skip_missing exact max_age'.split(
        ' ',
      ),
    );
    expect(names('/v1/panel')).toEqual(
      expect.arrayContaining(['ids', 'as_of', 'as_of_each', 'known_before_each', 'with_dates', 'wide']),
    );
    expect(names('/v1/observations')).not.toContain('cursor');
  });

  it('has every parameter that a client sends for a panel', () => {
    const announced = (valueAt(['paths', '/v1/panel', 'get', 'parameters']) as Json[]).map(
      ({ name }) => name,
    );
    expect(announced).toEqual(expect.arrayContaining(Object.keys(requestParams(questions.panel))));
  });

  it('offers every format of every answer, and lists the type of JSON alone', () => {
    for (const { path } of endpoints) {
      expect(valueAt(['paths', path, 'parameters'])).toEqual([{ $ref: '#/components/parameters/Format' }]);
      expect(Object.keys(valueAt(['paths', path, 'get', 'responses', '200', 'content']) as Json)).toEqual([
        'application/json',
      ]);
    }
  });

  it.each(['json', 'csv', 'ndjson', 'parquet'])('names the media type of the format %s', async (format) => {
    const { schema, description: words } = valueAt(['components', 'parameters', 'Format']) as {
      readonly schema: { readonly enum: readonly string[] };
      readonly description: string;
    };
    const answer = await http.get(`/v1/series/GDP/observations?format=${format}`);
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
    expect([schema.enum.includes(format), words.includes(type)]).toEqual([true, true]);
  });

  it('announces the extensions of the contract', () => {
    const text = JSON.stringify(description);
    for (const name of ['match', 'release', 'covered_to', 'seasonal_adjustment'])
      expect(text).toContain(`"${name}"`);
  });

  it('names the public address', () => {
    expect(description.servers).toEqual([{ url: 'https://data.example/asof' }]);
  });
});

describe('every answer is as described', () => {
  it('of every operation', async () => {
    for (const operation of operations)
      expect(await faults(operation.path, await http.get(shortestAddress(operation)))).toEqual([]);
  });

  const observations = '/v1/series/{id}/observations';
  it.each<[string, string, string]>([
    [observations, '/v1/series/GDP/observations?as_of=2015-01-30', 'pro'],
    [observations, '/v1/series/UNRATE/observations?limit=3', 'free'],
    [observations, '/v1/series/UNRATE/observations?as_of=1999-01-01', 'pro'],
    [observations, '/v1/series/GDP/observations?release=first', 'pro'],
    [observations, '/v1/series/GDP/observations?as_of=2015-01-30', 'free'],
    [observations, '/v1/series/GDP/observations?as_of=2015-1-30', 'pro'],
    [observations, '/v1/series/GDPX/observations', 'pro'],
    ['/v1/series', '/v1/series?limit=1', 'pro'],
    ['/v1/series', '/v1/series?q=gross&match=any', 'pro'],
    ['/v1/series', '/v1/series?limit=0', 'pro'],
    ['/v1/series/{id}', '/v1/series/GDPX', 'pro'],
    ['/v1/treasury/yields/curve', '/v1/treasury/yields/curve?date=2015-01-05', 'pro'],
    ['/v1/treasury/yields/curve', '/v1/treasury/yields/curve?curve_type=TIPS', 'pro'],
    ['/v1/treasury/yields', '/v1/treasury/yields?maturity=10Y', 'pro'],
    ['/v1/observations', '/v1/observations?ids=GDP,UNRATE&as_of=2015-01-30', 'pro'],
    ['/v1/panel', '/v1/panel?ids=GDP,UNRATE', 'pro'],
    ['/v1/panel', '/v1/panel?ids=GDP,UNRATE&wide=true&as_of=2015-01-30', 'pro'],
    ['/v1/panel', '/v1/panel?ids=GDP&as_of_each=2015-01-30,2015-04-29', 'pro'],
    ['/v1/panel', '/v1/panel?ids=GDP&as_of=2015-01-30', 'free'],
    ['/v1/panel', '/v1/panel?ids=GDPX', 'pro'],
    ['/v1/diff', '/v1/diff?ids=GDP&days=2015-01-30,2015-04-29', 'pro'],
    ['/v1/diff', '/v1/diff?ids=GDP&days=2015-01-30', 'pro'],
    ['/v1/ping', '/v1/ping', 'no key'],
    ['/healthz', '/healthz', 'no key'],
    ['/readyz', '/readyz', 'no key'],
    ['/v1/openapi.json', '/v1/openapi.json', 'no key'],
    ['/errors/{suffix}', '/errors/unauthorized', 'no key'],
    ['/errors/{suffix}', '/errors/nothing', 'no key'],
  ])('%s: %s by %s', async (path, target, who) => {
    const key = who === 'no key' ? {} : { 'x-api-key': http.keys[who as 'pro' | 'free'] };
    expect(await faults(path, await http.ask(target, { headers: key }))).toEqual([]);
  });

  it('of a client that takes no JSON, of a quota used up, of a wrong method, of a service that stops', async () => {
    const other = await newHttpService();
    const three = { 'x-api-key': other.keys.three };
    expect(await faults('/v1/ping', await other.get('/v1/ping', { ...three, accept: 'text/html' }))).toEqual(
      [],
    );
    for (let i = 0; i < 2; i += 1) await other.get('/v1/ping', three);
    const refused = await other.get('/v1/ping', three);
    expect([refused.status, await faults('/v1/ping', refused)]).toEqual([429, []]);
    expect(
      await faults(
        '/v1/ping',
        await other.ask('/v1/ping', { method: 'POST', headers: { 'x-api-key': other.keys.pro } }),
      ),
    ).toEqual([]);
    other.stop.now = true;
    const stopping = await other.ask('/readyz');
    expect([stopping.status, await faults('/readyz', stopping)]).toEqual([503, []]);
    await other.close();
  });

  it('and an answer that is not as described is detected', async () => {
    const wrong = (body: unknown) => Response.json(body);
    const right = (await (await http.get('/v1/ping')).json()) as { results: Json[] };
    expect(await faults('/v1/ping', wrong(right))).toEqual([]);
    const [row] = right.results;
    for (const body of [
      { ...right, extra: 1 },
      { ...right, results: [{ ...row, extra: 1 }] },
      { ...right, results: [{ ...row, monthly_limit: '5' }] },
      { ...right, object: 'series' },
      { ...right, request_id: 'x' },
      { ...right, has_more: undefined },
      { ...right, request_id: undefined },
    ])
      expect(await faults('/v1/ping', wrong(body))).not.toEqual([]);
  });
});
