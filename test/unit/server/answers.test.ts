import { PassThrough } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';
import { createResponseCache } from '../../../src/server/answers.ts';
import { acceptedFormat, readQuery } from '../../../src/server/endpoints.ts';
import { codingFor, createLog, readableLine } from '../../../src/server/respond.ts';
import { type OpenService, Services, TableWorkers } from '../../../src/server/tables/service-lease.ts';

// RFC 9110, 12.5.1: the most specific range that matches decides, and a weight of 0 means "not acceptable".
describe('Accept', () => {
  it.each<[format: string | undefined, ranges: readonly (string | undefined)[]]>([
    [
      'json',
      [
        ...[undefined, '', '*/*', 'application/*', 'application/json', 'APPLICATION/JSON'],
        ...['application/json; charset=utf-8', 'application/json;q=0.1, */*;q=0'],
        ...['text/html, application/json;q=0.1', 'text/csv;q=0.9, application/json'],
        'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      ],
    ],
    [
      'csv',
      ['text/csv', 'TEXT/CSV; charset=utf-8', 'text/*', 'text/csv, */*;q=0.1', 'application/json;q=0, */*'],
    ],
    ['ndjson', ['application/x-ndjson']],
    ['parquet', ['application/vnd.apache.parquet, text/csv;q=0.5']],
    [undefined, ['text/html', 'application/xml', 'application/json;q=0', '*/*;q=0']],
  ])('chooses the format %s', (format, ranges) => {
    for (const accept of ranges) expect([accept, acceptedFormat(accept)]).toEqual([accept, format]);
  });

  it('gives way to the format of a query, which is not among the parameters of the question', () => {
    const texts = [['as_of', '2015-01-30']];
    expect(readQuery('as_of=2015-01-30&format=csv', 'application/json')).toEqual({ texts, format: 'csv' });
    expect(readQuery('q=format', undefined)).toEqual({ texts: [['q', 'format']], format: 'json' });
  });

  it.each([
    ['format=excel', 'invalid \'format\' "excel": use json, csv, ndjson, parquet or answer'],
    ['format=csv&format=json', "parameter 'format' is given more than once"],
  ])('does not help the query %s, which is refused', (query, detail) => {
    expect(() => readQuery(query, undefined)).toThrow(detail);
  });
});

// RFC 9110, 12.5.3.
describe('Accept-Encoding', () => {
  it.each<[coding: string | undefined, accepted: readonly (string | undefined)[]]>([
    ['gzip', ['gzip', 'GZIP', 'x-gzip', 'br;q=0.1, gzip;q=0.5', 'br;q=0, *', 'x-gzip;q=0.9, gzip;q=0']],
    ['gzip', ['gzip;q=0.5, identity;q=0.5']],
    ['br', ['br', 'gzip, deflate, br', '*', 'gzip;q=0.5, br;q=0.5']],
    [undefined, [undefined, '', 'deflate', 'identity', 'gzip;q=0, br;q=0', 'identity;q=1, gzip;q=0.5']],
    [undefined, ['identity, *;q=0', 'gzip;q=nonsense']],
  ])('chooses the coding %s', (coding, accepted) => {
    for (const accept of accepted) expect([accept, codingFor(accept, 5000)]).toEqual([accept, coding]);
  });

  it('chooses none for a short body', () => {
    expect([codingFor('gzip', 1023), codingFor('gzip', 1024)]).toEqual([undefined, 'gzip']);
  });
});

describe('a response cache', () => {
  /** The most bytes of one entry, a sixteenth of those of the cache. */
  const most = 2 * 1024 * 1024;
  const body = (tag: string, size: number) => ({
    tag,
    headers: {},
    parts: ['', '', Buffer.alloc(size), ''] as const,
  });

  it('drops the entries that were not used for longest when its size is exceeded', () => {
    const cache = createResponseCache();
    for (const name of 'abcdefghijklmnop') cache.set(name, body(name, most - 1));
    expect(cache.get('a')?.tag).toBe('a');
    cache.set('q', body('q', most - 1));
    expect(['a', 'b', 'c', 'q'].map((name) => cache.has(name))).toEqual([true, false, true, true]);
  });

  it('replaces an entry without counting it twice', () => {
    const cache = createResponseCache();
    cache.set('first', body('first', most - 5));
    for (let i = 0; i < 100; i += 1) cache.set('again', body(String(i), most - 5));
    expect([cache.get('first')?.tag, cache.get('again')?.tag]).toEqual(['first', '99']);
  });

  it('keeps no entry that would push out most others', () => {
    const cache = createResponseCache();
    cache.set('small', body('small', most - 10));
    cache.set('large', body('large', most + 1));
    expect([cache.has('small'), cache.has('large')]).toEqual([true, false]);
  });
});

describe('a line of the log for people', () => {
  const time = '2026-03-15T12:00:01.250Z';
  const request = { request_id: 'req_1', method: 'GET', route: '/v1/ping', ms: 1.5, key: null };

  it.each<readonly [shown: string, entry: object]>([
    ['asof serves on http://[::1]:8787', { msg: 'asof serves on http://[::1]:8787', url: 'http://x' }],
    ['request_id=req_1 method=GET route=/v1/ping ms=1.5 status=200', { ...request, status: 200 }],
    [
      'error: cannot open it disk I/O error',
      { level: 'error', msg: 'cannot open it', err: { message: 'disk I/O error' } },
    ],
    ['warning: there is no key yet', { level: 'warn', msg: 'there is no key yet' }],
    // A text that would forge a line.
    ['a\\u{a}12:00:02 b\\u{1b}[2J', { msg: 'a\n12:00:02 b\u001B[2J' }],
  ])('shows %s', (shown, entry) => {
    expect(readableLine(JSON.stringify({ time, level: 'info', ...entry }))).toBe(`12:00:01 ${shown}\n`);
  });

  it('is written only where it is asked for; elsewhere each line is JSON', async () => {
    const written = async (readable: boolean) => {
      const stream = new PassThrough();
      createLog(stream, { readable }).info('ready');
      await nextTick();
      await nextTick();
      return String(stream.read());
    };
    expect(await written(true)).toMatch(/^\d\d:\d\d:\d\d ready\n$/);
    expect(JSON.parse(await written(false))).toMatchObject({ level: 'info', msg: 'ready' });
  });
});

describe('a service that is replaced', () => {
  /** A service with a name, which records whether it was closed. */
  function newService(name: string): OpenService & { closed: boolean } {
    const fail = () => Promise.reject(new Error('no test asks this service'));
    const refusal = (reason: string) => new Problem('plan-upgrade-required', reason);
    const answers = { answer: fail, answerTogether: () => [fail()], reply: fail, refusal };
    const made = {
      service: {
        ...answers,
        state: async () => name,
        status: fail,
        followed: fail,
        overdue: fail,
        answering: fail,
      },
      address: name,
      tables: new TableWorkers({ address: name }),
      closed: false,
      close: async () => {
        made.closed = true;
      },
    };
    return made;
  }

  it('stays open until the requests that began with it have ended', async () => {
    const [first, second] = [newService('first'), newService('second')];
    const services = new Services(first);
    const [one, two] = [services.lease(), services.lease()];
    services.replace(second);
    expect(await services.lease().service.state()).toBe('second');
    expect(await one.service.state()).toBe('first');
    one.release();
    one.release();
    expect(first.closed).toBe(false);
    two.release();
    expect([first.closed, second.closed]).toEqual([true, false]);
  });

  it('is closed at once when it is not in use', () => {
    const first = newService('first');
    new Services(first).replace(newService('second'));
    expect(first.closed).toBe(true);
  });

  it('is closed after its last request', async () => {
    const first = newService('first');
    const services = new Services(first);
    const lease = services.lease();
    const closed = services.close();
    expect(first.closed).toBe(false);
    lease.release();
    await closed;
    expect(first.closed).toBe(true);
  });
});
