import { describe, expect, it } from 'vitest';
import { requestPath } from '../../../../src/client/remote/client.ts';
import { parseBaseUrl } from '../../../../src/client/remote/settings.ts';
import { Problem } from '../../../../src/errors/problem.ts';
import type { Operation } from '../../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../../src/operations/param.ts';
import { ping } from '../../../../src/operations/ping.ts';
import { curve } from '../../../../src/operations/rates/yields.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { seriesSearch, seriesShow } from '../../../../src/operations/series/series.ts';

function failure(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('a base URL', () => {
  it.each([
    ['http://localhost:8787', 'http://localhost:8787', 'http://localhost:8787', ''],
    ['https://data.example.com/', 'https://data.example.com', 'https://data.example.com', ''],
    ['https://Example.COM:443/a/b//', 'https://example.com/a/b', 'https://example.com', '/a/b'],
    [' http://[::1]:80/x ', 'http://[::1]/x', 'http://[::1]', '/x'],
  ])('%s is %s', (text, href, origin, prefix) => {
    expect(parseBaseUrl(text)).toEqual({ href, origin, prefix });
  });

  it.each([
    ['', 'it is not a URL'],
    ['data.example.com', 'it is not a URL'],
    ['localhost:8787', 'it does not begin with http:// or https://'],
    ['ftp://data.example.com', 'it does not begin with http:// or https://'],
    ['https://data.example.com/?key=1', "it may not have a '?' or a '#'"],
    ['https://data.example.com/#v1', "it may not have a '?' or a '#'"],
    ['https://someone:hunter2@data.example.com', 'it may not hold a user name or a password'],
  ])('%j is refused: %s', (text, reason) => {
    const { kind, detail, hints, ...others } = failure(() => parseBaseUrl(text));
    expect([kind, detail]).toEqual(['bad-input', `invalid base URL: ${reason}`]);
    expect(JSON.stringify([hints, others])).not.toContain('hunter2');
  });
});

describe('the path of a request', () => {
  const dated = { id: 'GDP', as_of: '' };
  const full: ParamTexts = [
    ['as_of', '2015-01-30'],
    ['id', 'GDP'],
    ['limit', '5'],
  ];
  const twice = (name: string, ...texts: readonly string[]): ParamTexts => texts.map((text) => [name, text]);

  it.each<[Operation, ParamTexts, string]>([
    [ping, [], '/v1/ping'],
    [curve, [['date', '2024-01-02']], '/v1/treasury/yields/curve?date=2024-01-02'],
    [seriesShow, [['id', 'S&P 500/%?#é']], '/v1/series/S%26P%20500%2F%25%3F%23%C3%A9'],
    [seriesSearch, [['q', 'a b&c=d']], '/v1/series?q=a%20b%26c%3Dd'],
    [observations, full, '/v1/series/GDP/observations?as_of=2015-01-30&limit=5'],
    [observations, Object.entries(dated), '/v1/series/GDP/observations?as_of='],
    [observations, twice('id', 'GDP', 'GNP'), '/v1/series/GDP/observations?id=GNP'],
    [ping, twice('x', '1', '2'), '/v1/ping?x=1&x=2'],
  ])('of $name with %j is %s', (operation, given, path) => {
    expect(requestPath(operation, given)).toBe(path);
  });

  it.each(['', '.', '..'])('never holds the id %j, which would lead to another endpoint', (id) => {
    const { kind, detail } = failure(() => requestPath(observations, [['id', id]]));
    expect([kind, detail]).toEqual(['not-found', `series '${id}' not found`]);
  });

  it('needs its path parameters', () => {
    const { kind, detail, field } = failure(() => requestPath(observations, []));
    expect([kind, detail, field]).toEqual(['validation-error', "parameter 'id' is missing", 'id']);
  });
});
