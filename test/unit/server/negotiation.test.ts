import { describe, expect, it } from 'vitest';
import { acceptedFormat, readQuery } from '../../../src/server/endpoints.ts';
import { codingFor } from '../../../src/server/respond.ts';

// RFC 9110, 12.5.1: the most specific range that matches decides, and a weight of 0 means "not acceptable".
describe('Accept allows JSON', () => {
  it.each([
    undefined,
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
    expect(acceptedFormat(accept)).toBe('json');
  });

  it.each(['text/html', 'application/xml', 'application/json;q=0', 'application/json;q=0, */*', '*/*;q=0'])(
    'but not as %j',
    (accept) => {
      expect(acceptedFormat(accept)).not.toBe('json');
    },
  );
});

describe('Accept chooses a format', () => {
  it.each([
    ['text/csv', 'csv'],
    ['TEXT/CSV; charset=utf-8', 'csv'],
    ['text/*', 'csv'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['text/csv;q=0.9, application/json', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['application/vnd.apache.parquet, text/csv;q=0.5', 'parquet'],
    ['application/json;q=0, */*', 'csv'],
    ['text/html', undefined],
    ['*/*;q=0', undefined],
  ])('from %j', (accept, format) => {
    expect(acceptedFormat(accept)).toBe(format);
  });

  it('unless the query names one, which is not among the parameters of the question', () => {
    expect(readQuery('as_of=2015-01-30&format=csv', 'application/json')).toEqual({
      texts: [['as_of', '2015-01-30']],
      format: 'csv',
    });
    expect(readQuery('q=format', undefined)).toEqual({ texts: [['q', 'format']], format: 'json' });
  });

  it.each([
    ['format=excel', 'invalid \'format\' "excel": use json, csv, ndjson or parquet'],
    ['format=csv&format=json', "parameter 'format' is given more than once"],
  ])('and refuses the query %s', (query, detail) => {
    expect(() => readQuery(query, undefined)).toThrow(detail);
  });
});

// RFC 9110, 12.5.3.
describe('Accept-Encoding chooses a coding', () => {
  it.each([
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['x-gzip;q=0.9, gzip;q=0', 'gzip'],
    ['identity, *;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    [undefined, undefined],
  ])('from %j', (accept, coding) => {
    expect(codingFor(accept, 5000)).toBe(coding);
  });

  it('never for a short body', () => {
    expect(codingFor('gzip', 100)).toBeUndefined();
  });
});
