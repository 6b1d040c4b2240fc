import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../../src/operations/operation.ts';
import { ping } from '../../../../src/operations/ping.ts';
import { yields } from '../../../../src/operations/rates/yields.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { seriesSearch, seriesShow } from '../../../../src/operations/series/series.ts';
import { vintages } from '../../../../src/operations/series/vintages.ts';
import {
  answering,
  clientOf,
  type Double,
  envelope,
  failedPing,
  failure,
  gdp,
  inside,
  pinged,
  pong,
  problem,
  reply,
  row,
  serve,
  textsOf,
} from '../../../support/service-double.ts';

describe('an answer of the contract', () => {
  it('is the envelope as it came', async () => {
    const sent = envelope('ping', [{ ...pong, our_addition: [1] }], { an_addition: true });
    const { url } = await answering(sent);
    const client = clientOf(url);
    expect(await client.ask(ping, [])).toEqual(sent);
    expect(await client.origin()).toEqual({ mode: 'remote', where: url, sample: false });
    await client.close();
  });

  it('may be compressed', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const { url, asked } = await answering(gzipSync(JSON.stringify(pinged)), 200, headers);
    expect(await clientOf(url).ask(ping, [])).toEqual(pinged);
    expect(asked[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it('may write midnight in other ways, and end with an empty cursor', async () => {
    const other = { ...row, date: '2014-10-01T00:00:00.000Z', as_of_date: '2015-01-30T00:00:00+00:00' };
    const { url } = await answering(envelope('observation_series', [other], { next_cursor: null }));
    expect(await clientOf(url).ask(observations, gdp)).toEqual(envelope('observation_series', [inside(row)]));
  });

  it('may lack the fields that asof adds to the contract', async () => {
    const series = {
      ...{ id: 'GDP', title: 'GDP', units: 'Bil. of $', source: 'BEA' },
      ...{ observation_count: 1, last_updated: '2015-01-30T08:31:00Z' },
    };
    const { url } = await answering(envelope('series', [series]));
    expect((await clientOf(url).ask(seriesShow, gdp)).results).toEqual([series]);
  });

  it('is asked for with the key in X-API-Key, below the prefix, and nowhere else', async () => {
    const { url, asked } = await answering(pinged);
    await clientOf(`${url}/data/`, { key: 'secret', userAgent: 'asof/1' }).ask(ping, []);
    const [request] = asked;
    expect([request?.method, request?.url]).toEqual(['GET', '/data/v1/ping']);
    expect(request?.headers).toMatchObject({ 'x-api-key': 'secret', 'user-agent': 'asof/1' });
    expect(request?.headers.authorization).toBeUndefined();
  });
});

describe('a problem document', () => {
  it.each([
    [400, 'validation-error', 'validation-error'],
    [401, 'unauthorized', 'unauthorized'],
    [403, 'plan-upgrade-required', 'plan-upgrade-required'],
    [405, 'about:blank', 'method-not-allowed'],
    [406, 'about:blank', 'not-acceptable'],
    [414, 'about:blank', 'uri-too-long'],
    [429, 'rate-limit-exceeded', 'rate-limit-exceeded'],
    [431, 'about:blank', 'header-fields-too-large'],
    [500, 'internal-error', 'internal-error'],
    [503, 'about:blank', 'service-unavailable'],
  ])('with status %i and type %s is the Problem %s', async (status, type, kind) => {
    const said = { instance: '/v1/ping', request_id: 'req_7', field: 'from' };
    const { url } = await serve((_, response) => problem(response, status, type, 'what went wrong', said));
    const { kind: found, detail, instance, requestId, field } = await failedPing(clientOf(url));
    expect([found, detail]).toEqual([kind, 'what went wrong']);
    expect([instance, requestId, field]).toEqual(['/v1/ping', 'req_7', 'from']);
  });

  it('may lack the request id, which then is that of the header', async () => {
    const { url } = await serve((_, response) =>
      problem(response, 500, 'internal-error', 'x', { request_id: undefined }, { 'x-request-id': 'req_9' }),
    );
    expect((await failedPing(clientOf(url))).requestId).toBe('req_9');
  });

  const saying = (detail: string) => serve((_, response) => problem(response, 404, 'not-found', detail));

  it('of an unknown series is not-found', async () => {
    const { url } = await saying("series 'GDP' not found");
    const { kind, detail } = await failure(clientOf(url).ask(observations, gdp));
    expect([kind, detail]).toEqual(['not-found', "series 'GDP' not found"]);
  });

  const noEndpoint = 'no such endpoint';
  const others = 'this service does not offer it; everything else works';
  it.each<[path: string, operation: Operation, prefix: string, detail: string, hint: string]>([
    ['/v1/ping', ping, '/x', noEndpoint, 'is the base URL right?'],
    ['/v1/series/GDP/observations', observations, '', noEndpoint, 'is the base URL right?'],
    ['/v1/series/GDP/vintages', vintages, '', noEndpoint, others],
    // No series was asked for.
    ['/v1/treasury/yields', yields, '', "series 'yields' not found", others],
    ['/v1/series/GDP/vintages', vintages, '/v1', noEndpoint, 'the base URL is given without /v1'],
  ])('with 404 for %s means that the service lacks it', async (path, operation, prefix, said, hint) => {
    const { url } = await saying(said);
    const given = operation.path.includes('{id}') ? gdp : [];
    const { kind, detail, hints } = await failure(clientOf(url + prefix).ask(operation, given));
    expect([kind, detail, hints]).toEqual([
      'bad-answer',
      `the service at ${url}${prefix} has no ${path}`,
      [hint],
    ]);
  });

  it('says how long to wait, as a number or as a date', async () => {
    for (const [header, seconds] of [
      ['3600', 3600],
      [new Date(Date.now() + 100_000).toUTCString(), 100],
    ] as const) {
      const { url } = await serve((_, response) =>
        problem(response, 429, 'rate-limit-exceeded', 'no', {}, { 'retry-after': header }),
      );
      const found = await failedPing(clientOf(url));
      expect(Math.abs((found.retryAfter ?? 0) - seconds)).toBeLessThanOrEqual(2);
      expect(found.hints).toEqual([`try again in ${found.retryAfter} s`]);
    }
  });

  it('that repeats the key is shown without it', async () => {
    const key = 'asof_live_sk_abcdefghij';
    const { url } = await serve((request, response) =>
      problem(response, 401, 'unauthorized', `no such key: ${request.headers['x-api-key']}`, {
        instance: key,
      }),
    );
    const found = await failedPing(clientOf(url, { key }));
    expect(found.detail).toBe('no such key: (redacted)');
    expect(JSON.stringify([found, found.detail, found.instance])).not.toContain(key);
  });
});

/** A service of the contract alone, which looks for `q` in ids, with an OpenAPI description if one is given. */
function plainService(description?: unknown): Promise<Double> {
  const ids = ['AGG', 'CPIAUCSL', 'GDP', 'GDPC1', 'PCE'];
  return serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/v1/openapi.json' && description !== undefined)
      return reply(response, 200, description);
    if (pathname !== '/v1/series') return problem(response, 404, 'not-found', 'no such endpoint');
    const found = ids.filter((id) => id.includes((searchParams.get('q') ?? '').toUpperCase()));
    const others = { units: '', observation_count: 1, last_updated: '2015-01-30T00:00:00Z', source: '' };
    return reply(
      response,
      200,
      envelope(
        'series_list',
        found.map((id) => ({ id, title: id, ...others })),
      ),
    );
  });
}

const urlsOf = ({ asked }: Double) => asked.map((request) => request.url);
const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });
const inPath = (item: object) => ({ paths: { '/v1/series': item } });

describe('a search of a service that does not announce match', () => {
  it('by any text is refused by name, and not sent', async () => {
    const service = await plainService();
    const search = clientOf(service.url).ask(seriesSearch, textsOf('q=gdp&match=any'));
    await expect(search).rejects.toMatchObject({
      kind: 'bad-answer',
      missing: true,
      detail: `the service at ${service.url} does not announce the parameter 'match'`,
      hints: [expect.stringContaining('this service has only match=id')],
    });
    expect(urlsOf(service)).toEqual(['/v1/openapi.json']);
  });

  it('by id is the contract’s own, and reads the description once', async () => {
    const service = await plainService({});
    const client = clientOf(service.url);
    const { results } = await client.ask(seriesSearch, textsOf('q=gdp&match=id'));
    expect(results.map(({ id }) => id)).toEqual(['GDP', 'GDPC1']);
    await client.ask(seriesSearch, textsOf('q=pce&match=id'));
    expect(urlsOf(service)).toEqual(['/v1/openapi.json', '/v1/series?q=gdp', '/v1/series?q=pce']);
  });

  it('refuses a value that no service knows as the service would', async () => {
    const { url } = await plainService();
    const search = clientOf(url).ask(seriesSearch, textsOf('match=all'));
    await expect(search).rejects.toMatchObject({ kind: 'validation-error', field: 'match' });
  });
});

describe('a service whose description', () => {
  const reference = {
    components: { parameters: { Match: parameter('match') } },
    ...inPath({ get: { parameters: [{ $ref: '#/components/parameters/Match' }] } }),
  };

  it.each([
    ['the parameter', inPath({ get: { parameters: [parameter('match')] } })],
    ['the parameter for the whole path', inPath({ parameters: [parameter('match')], get: {} })],
    ['the parameter by reference', reference],
  ])('announces %s is asked with it', async (_, description) => {
    const service = await plainService(description);
    await clientOf(service.url).ask(seriesSearch, textsOf('q=gdp&match=any'));
    expect(urlsOf(service)).toEqual(['/v1/openapi.json', '/v1/series?q=gdp&match=any']);
  });

  it.each([
    ['another parameter', inPath({ get: { parameters: [parameter('q')] } })],
    ['it elsewhere', { paths: { '/v1/series/{id}': { get: { parameters: [parameter('match')] } } } }],
    ['it as a header', inPath({ get: { parameters: [{ ...parameter('match'), in: 'header' }] } })],
    ['nothing of sense', inPath({ get: { parameters: 'match' } })],
    ['no object', ['match']],
  ])('announces %s is not asked with it', async (_, description) => {
    const service = await plainService(description);
    const search = clientOf(service.url).ask(seriesSearch, textsOf('q=gdp&match=any'));
    await expect(search).rejects.toMatchObject({ missing: true });
    expect(urlsOf(service)).toEqual(['/v1/openapi.json']);
  });
});

describe('first releases', () => {
  it('of a service that does not announce them are not asked for: it would answer with other values', async () => {
    const service = await plainService({ paths: {} });
    const { kind, detail } = await failure(
      clientOf(service.url).ask(observations, textsOf('id=GDP&release=first')),
    );
    const words = `the service at ${service.url} does not announce the parameter 'release'`;
    expect([kind, detail, urlsOf(service)]).toEqual(['bad-answer', words, ['/v1/openapi.json']]);
  });

  it('of a service that announces them, whatever it calls the id, are asked for', async () => {
    const template = '/v1/series/{series_id}/observations';
    const description = { paths: { [template]: { get: { parameters: [parameter('release')] } } } };
    const empty = envelope('observation_series', []);
    const { url } = await serve((request, response) =>
      reply(response, 200, request.url === '/v1/openapi.json' ? description : empty),
    );
    const page = await clientOf(url).ask(observations, textsOf('id=GDP&release=first'));
    expect(page.results).toEqual([]);
  });
});

describe('an answer to an instant', () => {
  const instant = '2015-01-30T13:29:00Z';
  const how = { instant, rule: 'day before', seen: null };
  const described = {
    paths: { '/v1/series/{id}/observations': { get: { parameters: [parameter('known_at')] } } },
  };
  /** What a client says of a service that announces `known_at` and answers with these members and a row. */
  const asked = async (
    members: Readonly<Record<string, unknown>>,
    published: string,
    description: object = described,
  ) => {
    const answer = envelope(
      'observation_series',
      [{ ...row, as_of_date: `${published}T00:00:00Z` }],
      members,
    );
    const { url } = await serve((request, response) =>
      reply(response, 200, request.url === '/v1/openapi.json' ? description : answer),
    );
    return clientOf(url).ask(observations, [...gdp, ['known_at', instant]]);
  };
  const series = { id: 'GDP', title: 'GDP', frequency: 'Q' };

  it('has the day to which the instant came, and no later row', async () => {
    const members = { as_of: '2015-01-29', known_at: how, series };
    expect(await asked(members, '2015-01-29')).toMatchObject(members);
    await expect(asked(members, '2015-01-30')).rejects.toThrow('not yet known on 2015-01-29');
  });

  it.each([
    [{ series }, 'known_at is missing'],
    [{ as_of: '2015-01-29', series }, 'known_at is missing'],
    [{ known_at: how, series }, 'as_of is missing'],
    [{ as_of: '2015-01-29', known_at: { ...how, instant: '2015-01-30T13:30:00Z' } }, 'known_at is {'],
    // It is the 31st on the first islands from 10:00 UTC on; no place has the 1st.
    [{ as_of: '2015-02-01', known_at: how }, 'which is no day that had begun at'],
  ])('is refused with %j: %s', async (members, reason) => {
    await expect(asked(members, '2015-01-29')).rejects.toThrow(reason);
  });

  it('is not asked of a service that does not announce it, and not without it', async () => {
    await expect(asked({}, '2015-01-29', { paths: {} })).rejects.toThrow(
      "does not announce the parameter 'known_at'",
    );
  });
});
