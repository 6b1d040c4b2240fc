import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/client/client.ts';
import { remoteClient } from '../../../../src/client/remote/client.ts';
import type { Envelope } from '../../../../src/operations/envelope.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { seriesSearch } from '../../../../src/operations/series/series.ts';
import { type Double, envelope, problem, reply, serve } from '../../../support/service-double.ts';

function clientOf(baseUrl: string): Client {
  return remoteClient({ baseUrl, env: {}, retries: 0, timeout: 5 });
}

function series(id: string, title: string) {
  return { id, title, units: '', observation_count: 1, last_updated: '2015-01-30T00:00:00Z', source: '' };
}

const catalogue = [
  series('AGG', 'Aggregates, GDP and others'),
  series('CPIAUCSL', 'Consumer Price Index, All Urban'),
  series('GDP', 'Gross Domestic Product'),
  series('GDPC1', 'Real Gross Domestic Product'),
  series('GDPDEF', 'Price Deflator'),
  series('PCE', 'Personal Consumption, share of GDP'),
];

/** A service of the contract alone: `q` looks in ids, pages of two rows, and no OpenAPI description. */
function plainService(description?: unknown): Promise<Double> {
  return serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    if (pathname === '/v1/openapi.json' && description !== undefined)
      return reply(response, 200, description);
    if (pathname !== '/v1/series') return problem(response, 404, 'not-found', 'no such endpoint');
    const found = catalogue.filter(({ id }) => id.includes((searchParams.get('q') ?? '').toUpperCase()));
    const begin = Number(searchParams.get('cursor') ?? 0);
    const rows = found.slice(begin, begin + Math.min(2, Number(searchParams.get('limit') ?? 100)));
    const end = begin + rows.length;
    const more = end < found.length ? { has_more: true, next_cursor: String(end) } : {};
    return reply(response, 200, envelope('series_list', rows, more));
  });
}

function ids({ results }: Envelope): unknown[] {
  return results.map(({ id }) => id);
}

describe('a search of a service that does not announce match', () => {
  it.each(['any', 'title', 'words'])('by %s is refused by name, and not sent', async (match) => {
    const { url, asked } = await plainService();
    const search = [
      ['q', 'gdp'],
      ['match', match],
    ] as const;
    await expect(clientOf(url).ask(seriesSearch, search)).rejects.toMatchObject({
      kind: 'bad-answer',
      missing: true,
      detail: `the service at ${url} does not announce the parameter 'match'`,
      hints: [expect.stringContaining('this service has only match=id')],
    });
    expect(asked.map((request) => request.url)).toEqual(['/v1/openapi.json']);
  });

  it('by id is the contract’s own', async () => {
    const { url, asked } = await plainService();
    expect(
      ids(
        await clientOf(url).ask(seriesSearch, [
          ['q', 'gdp'],
          ['match', 'id'],
        ]),
      ),
    ).toEqual(['GDP', 'GDPC1']);
    expect(asked.map((request) => request.url)).toEqual(['/v1/openapi.json', '/v1/series?q=gdp']);
  });

  it('refuses a value that no service knows as the service would', async () => {
    const { url } = await plainService();
    await expect(clientOf(url).ask(seriesSearch, [['match', 'all']])).rejects.toMatchObject({
      kind: 'validation-error',
      field: 'match',
    });
  });
});

const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string' } });

describe('a service that announces a parameter', () => {
  const withMatches = (...choices: string[]) => {
    const match = { ...parameter('match'), schema: { type: 'string', enum: choices } };
    return { paths: { '/v1/series': { get: { parameters: [match] } } } };
  };
  const byWords = [
    ['q', 'gdp'],
    ['match', 'words'],
  ] as const;

  it('without the value that is asked for, as an older asof does, is not asked with it', async () => {
    const { url, asked } = await plainService(withMatches('id', 'title', 'any'));
    await expect(clientOf(url).ask(seriesSearch, byWords)).rejects.toMatchObject({ missing: true });
    expect(asked.some((request) => request.url?.includes('match'))).toBe(false);
  });

  it('with the value that is asked for is asked with it', async () => {
    const { url, asked } = await plainService(withMatches('id', 'words'));
    await clientOf(url).ask(seriesSearch, byWords);
    expect(asked.map((request) => request.url)).toEqual(['/v1/openapi.json', '/v1/series?q=gdp&match=words']);
  });

  it.each([
    ['in the operation', { paths: { '/v1/series': { get: { parameters: [parameter('match')] } } } }],
    ['for the whole path', { paths: { '/v1/series': { parameters: [parameter('match')], get: {} } } }],
    [
      'by reference',
      {
        components: { parameters: { Match: parameter('match') } },
        paths: { '/v1/series': { get: { parameters: [{ $ref: '#/components/parameters/Match' }] } } },
      },
    ],
  ])('%s is asked with it', async (_, description) => {
    const { url, asked } = await plainService(description);
    await clientOf(url).ask(seriesSearch, [
      ['q', 'gdp'],
      ['match', 'any'],
    ]);
    expect(asked.map((request) => request.url)).toEqual(['/v1/openapi.json', '/v1/series?q=gdp&match=any']);
  });

  it.each([
    ['another parameter', { paths: { '/v1/series': { get: { parameters: [parameter('q')] } } } }],
    ['it elsewhere', { paths: { '/v1/series/{id}': { get: { parameters: [parameter('match')] } } } }],
    [
      'it as a header',
      { paths: { '/v1/series': { get: { parameters: [{ ...parameter('match'), in: 'header' }] } } } },
    ],
    ['nothing of sense', { paths: { '/v1/series': { get: { parameters: 'match' } } } }],
    ['no object', ['match']],
  ])('but not: %s', async (_, description) => {
    const { url, asked } = await plainService(description);
    const search = [
      ['q', 'gdp'],
      ['match', 'any'],
    ] as const;
    await expect(clientOf(url).ask(seriesSearch, search)).rejects.toMatchObject({ missing: true });
    expect(asked.some((request) => request.url?.includes('match'))).toBe(false);
  });

  it('is asked for its description once', async () => {
    const { url, asked } = await plainService();
    const client = clientOf(url);
    await client.ask(seriesSearch, [
      ['q', 'gdp'],
      ['match', 'id'],
    ]);
    await client.ask(seriesSearch, [
      ['q', 'pce'],
      ['match', 'id'],
    ]);
    expect(asked.filter((request) => request.url === '/v1/openapi.json')).toHaveLength(1);
  });
});

describe('first releases', () => {
  it('of a service that does not announce them are not asked for: it would answer with other values', async () => {
    const { url, asked } = await plainService({ paths: {} });
    await expect(
      clientOf(url).ask(observations, [
        ['id', 'GDP'],
        ['release', 'first'],
      ]),
    ).rejects.toMatchObject({
      kind: 'bad-answer',
      detail: `the service at ${url} does not announce the parameter 'release'`,
    });
    expect(asked.map((request) => request.url)).toEqual(['/v1/openapi.json']);
  });

  it('of a service that announces them are asked for', async () => {
    const template = '/v1/series/{series_id}/observations';
    const description = { paths: { [template]: { get: { parameters: [parameter('release')] } } } };
    const { url } = await serve((request, response) =>
      reply(
        response,
        200,
        request.url === '/v1/openapi.json' ? description : envelope('observation_series', []),
      ),
    );
    const page = await clientOf(url).ask(observations, [
      ['id', 'GDP'],
      ['release', 'first'],
    ]);
    expect(page.results).toEqual([]);
  });
});
