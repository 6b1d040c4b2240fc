import { describe, expect, it } from 'vitest';
import { acceptsJson, codingFor } from '../../../src/server/respond.ts';

// RFC 9110, 12.5.1: the most specific range that matches decides, and a weight of 0 means "not acceptable".
describe('Accept allows JSON', () => {
  it.each([
    null,
    '',
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/problem+json',
    'text/html, application/json;q=0.1',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json;q=0.1, */*;q=0',
  ])('as %j', (accept) => {
    expect(acceptsJson(accept)).toBe(true);
  });

  it.each(['text/html', 'application/xml', 'application/json;q=0', 'application/json;q=0, */*', '*/*;q=0'])(
    'but not as %j',
    (accept) => {
      expect(acceptsJson(accept)).toBe(false);
    },
  );
});

// RFC 9110, 12.5.3.
describe('Accept-Encoding chooses a coding', () => {
  it.each([
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['x-gzip;q=0.9, gzip;q=0', 'gzip'],
    ['identity, *;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    [null, undefined],
  ])('from %j', (accept, coding) => {
    expect(codingFor(accept, 5000)).toBe(coding);
  });

  it('never for a short body', () => {
    expect(codingFor('gzip', 100)).toBeUndefined();
  });
});
