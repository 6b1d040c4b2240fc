import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../../src/operations/param.ts';
import { ping } from '../../../../src/operations/ping.ts';
import { yields } from '../../../../src/operations/rates/yields.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { seriesShow } from '../../../../src/operations/series/series.ts';
import { vintages } from '../../../../src/operations/series/vintages.ts';
import { clientOf, failure, gdp, inside, row } from '../../../support/remote-client.ts';
import { envelope, pong, problem, reply, serve } from '../../../support/service-double.ts';

const json = { 'content-type': 'application/json' };

describe('an answer of the contract', () => {
  it('is the envelope as it came', async () => {
    const sent = envelope('ping', [{ ...pong, our_addition: [1] }], { an_addition: true });
    const { url } = await serve((_, response) => reply(response, 200, sent));
    const client = clientOf(url);
    expect(await client.ask(ping, [])).toEqual(sent);
    expect(await client.origin()).toEqual({ mode: 'remote', where: url, sample: false });
    await client.close();
  });

  it('may be compressed', async () => {
    const sent = envelope('ping', [pong]);
    const { url, asked } = await serve((_, response) =>
      reply(response, 200, gzipSync(JSON.stringify(sent)), { ...json, 'content-encoding': 'gzip' }),
    );
    expect(await clientOf(url).ask(ping, [])).toEqual(sent);
    expect(asked[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it('may write midnight in other ways, and end with an empty cursor', async () => {
    const other = { ...row, date: '2014-10-01T00:00:00.000Z', as_of_date: '2015-01-30T00:00:00+00:00' };
    const { url } = await serve((_, response) =>
      reply(response, 200, envelope('observation_series', [other], { next_cursor: null })),
    );
    expect(await clientOf(url).ask(observations, gdp)).toEqual(envelope('observation_series', [inside(row)]));
  });

  it('may lack the fields that asof adds to the contract', async () => {
    const series = {
      id: 'GDP',
      title: 'GDP',
      units: 'Bil. of $',
      observation_count: 1,
      last_updated: '2015-01-30T08:31:00Z',
      source: 'BEA',
    };
    const { url } = await serve((_, response) => reply(response, 200, envelope('series', [series])));
    expect((await clientOf(url).ask(seriesShow, gdp)).results).toEqual([series]);
  });

  it('is asked for with the key in X-API-Key, below the prefix, and nowhere else', async () => {
    const { url, asked } = await serve((_, response) => reply(response, 200, envelope('ping', [pong])));
    await clientOf(`${url}/data/`, { key: 'secret', userAgent: 'asof/1' }).ask(ping, []);
    const [request] = asked;
    expect([request?.method, request?.url]).toEqual(['GET', '/data/v1/ping']);
    expect(request?.headers).toMatchObject({ 'x-api-key': 'secret', 'user-agent': 'asof/1' });
    expect(request?.headers.authorization).toBeUndefined();
  });

  it('is asked for without a key where there is none', async () => {
    const { url, asked } = await serve((_, response) =>
      problem(response, 401, 'unauthorized', 'missing X-API-Key header'),
    );
    expect((await failure(clientOf(url).ask(ping, []))).detail).toBe('missing X-API-Key header');
    expect(asked[0]?.headers['x-api-key']).toBeUndefined();
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
    const { url } = await serve((_, response) =>
      problem(response, status, type, 'what went wrong', { instance: '/v1/ping', request_id: 'req_7' }),
    );
    const { kind: found, detail, instance, requestId } = await failure(clientOf(url).ask(ping, []));
    expect([found, detail, instance, requestId]).toEqual([kind, 'what went wrong', '/v1/ping', 'req_7']);
  });

  it('names the field at fault', async () => {
    const { url } = await serve((_, response) =>
      problem(response, 400, 'validation-error', "invalid 'from' date: use YYYY-MM-DD format", {
        field: 'from',
      }),
    );
    expect((await failure(clientOf(url).ask(observations, gdp))).field).toBe('from');
  });

  it('may lack the request id, which then is that of the header', async () => {
    const { url } = await serve((_, response) =>
      problem(response, 500, 'internal-error', 'x', { request_id: undefined }, { 'x-request-id': 'req_9' }),
    );
    expect((await failure(clientOf(url).ask(ping, []))).requestId).toBe('req_9');
  });

  it('of an unknown series is not-found', async () => {
    const { url } = await serve((_, response) =>
      problem(response, 404, 'not-found', "series 'GDP' not found"),
    );
    const { kind, detail } = await failure(clientOf(url).ask(observations, gdp));
    expect([kind, detail]).toEqual(['not-found', "series 'GDP' not found"]);
  });

  it.each<[string, Operation, ParamTexts, string, string]>([
    ['of an endpoint', observations, gdp, 'no such endpoint', '/v1/series/GDP/observations'],
    ['of a series where none was asked for', yields, [], "series 'yields' not found", '/v1/treasury/yields'],
  ])('with 404 %s means that the service lacks the endpoint', async (_, operation, given, detail, path) => {
    const { url } = await serve((_request, response) => problem(response, 404, 'not-found', detail));
    const found = await failure(clientOf(`${url}/x`).ask(operation, given));
    expect([found.kind, found.detail]).toEqual(['bad-answer', `the service at ${url}/x has no ${path}`]);
  });

  it.each<[Operation, ParamTexts, string, string]>([
    [ping, [], '', 'is the base URL right?'],
    [observations, gdp, '', 'is the base URL right?'],
    [vintages, gdp, '', 'this service does not offer it; everything else works'],
    [yields, [], '', 'this service does not offer it; everything else works'],
    [vintages, gdp, '/v1', 'the base URL is given without /v1'],
  ])('with 404 for $path says what may be done', async (operation, given, prefix, hint) => {
    const { url } = await serve((_, response) => problem(response, 404, 'not-found', 'no such endpoint'));
    expect((await failure(clientOf(url + prefix).ask(operation, given))).hints).toEqual([hint]);
  });

  it('says how long to wait, as a number or as a date', async () => {
    for (const [header, seconds] of [
      ['3600', 3600],
      [new Date(Date.now() + 100_000).toUTCString(), 100],
    ] as const) {
      const { url } = await serve((_, response) =>
        problem(
          response,
          429,
          'rate-limit-exceeded',
          'daily limit of 500 requests exceeded',
          {},
          { 'retry-after': header },
        ),
      );
      const found = await failure(clientOf(url).ask(ping, []));
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
    const found = await failure(clientOf(url, { key }).ask(ping, []));
    expect(found.detail).toBe('no such key: (redacted)');
    expect(JSON.stringify([found, found.detail, found.instance])).not.toContain(key);
  });
});
