import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { insiderClusters } from '../../../../src/operations/insiders/clusters.ts';
import { insiderFilings } from '../../../../src/operations/insiders/filings.ts';
import type { Operation } from '../../../../src/operations/operation.ts';
import { curve, spread, yields } from '../../../../src/operations/rates/yields.ts';
import { observations, revisions } from '../../../../src/operations/series/observations.ts';
import { seriesShow } from '../../../../src/operations/series/series.ts';
import { vintages } from '../../../../src/operations/series/vintages.ts';
import {
  answering,
  clientOf,
  envelope,
  failedPing,
  failure,
  gdp,
  inside,
  nothingOf,
  pinged,
  pong,
  reply,
  row,
  serve,
  textsOf,
} from '../../../support/service-double.ts';

const json = { 'content-type': 'application/json' };

describe('an answer outside the contract is a bad answer that names the URL', () => {
  const html = '<!doctype html><title>Sign in</title>';
  const page = { 'content-type': 'text/html; charset=utf-8' };
  const plain = { 'content-type': 'text/plain' };

  it.each<[string, number, unknown, Readonly<Record<string, string>>, string]>([
    ['an HTML page', 200, html, page, 'an HTML page'],
    ['an HTML 404', 404, html, page, 'has no /v1/ping'],
    ['a JSON 404 that is no problem', 404, { message: 'no' }, json, 'has no /v1/ping'],
    ['an HTML 403', 403, html, page, '403 and an HTML page'],
    ['a 500 without a body', 500, '', {}, '500 and an empty body'],
    ['a 503 of plain text', 503, 'later', plain, '503 and a body of type text/plain'],
    ['a status of no contract', 418, '', {}, '418 and an empty body'],
    ['a 204', 204, '', {}, '204, which is not an answer of the contract'],
    ['a 304', 304, '', {}, '304, which is not an answer of the contract'],
    ['JSON without its type', 200, pinged, {}, 'a body of no stated type'],
    ['JSON called text', 200, pinged, plain, 'type text/plain'],
    ['truncated JSON', 200, JSON.stringify(pinged).slice(0, -9), json, 'damaged or breaks off'],
    ['an empty body', 200, '', json, 'an empty body'],
    ['bytes that are no UTF-8', 200, Buffer.from([0x22, 0xff, 0x22]), json, 'damaged or breaks off'],
    ['damaged gzip', 200, Buffer.from('nope'), { ...json, 'content-encoding': 'gzip' }, 'damaged gzip'],
    ['brotli, unasked', 200, Buffer.from('x'), { ...json, 'content-encoding': 'br' }, 'as br'],
  ])('%s', async (_, status, body, headers, words) => {
    const { url } = await answering(body, status, headers);
    const { kind, detail } = await failedPing(clientOf(url));
    expect([kind, detail]).toEqual(['bad-answer', expect.stringContaining(words)]);
    expect(detail).toContain(url);
  });

  it.each<[words: string, body: unknown]>([
    ['not a JSON object', []],
    ['object is "pong", not "ping"', envelope('pong', [pong])],
    ['request_id is 7', { ...pinged, request_id: 7 }],
    ['status is 1, not a text', { ...pinged, status: 1 }],
    ['results is missing', { ...pinged, results: undefined }],
    ['results is {}', { ...pinged, results: {} }],
    ['results_count is 2, but there are 1', { ...pinged, results_count: 2 }],
    ['results_count is "1"', { ...pinged, results_count: '1' }],
    ['has_more is "no"', { ...pinged, has_more: 'no' }],
    ['is not a listing', { ...pinged, has_more: true }],
    ['results[0] is not an object', envelope('ping', ['ok'])],
    ['results[1].plan is missing', envelope('ping', [pong, { ...pong, plan: undefined }])],
    ['results[0].plan is null, not a text', envelope('ping', [{ ...pong, plan: null }])],
    ['monthly_limit is "5", not an integer', envelope('ping', [{ ...pong, monthly_limit: '5' }])],
    ['vintage_access is 1, not true or false', envelope('ping', [{ ...pong, vintage_access: 1 }])],
  ])('of which %s', async (words, body) => {
    const { url } = await answering(body);
    const { kind, detail } = await failedPing(clientOf(url));
    expect([kind, detail]).toEqual(['bad-answer', expect.stringContaining(words)]);
    expect(detail).toContain(url);
  });

  it('a body too large to be an answer, also compressed', async () => {
    const spaces = Buffer.alloc(1024 * 1024, ' ');
    const times = <T>(one: T): readonly T[] => Array.from({ length: 65 }, () => one);
    const { url: plain } = await answering(Buffer.concat(times(spaces)));
    const packed = Buffer.concat(times(gzipSync(spaces)));
    const { url: small } = await answering(packed, 200, { ...json, 'content-encoding': 'gzip' });
    for (const url of [plain, small]) {
      const { kind, detail } = await failedPing(clientOf(url));
      expect([kind, detail]).toEqual(['bad-answer', `${url}/v1/ping answered with more than 64 MiB`]);
    }
  });
});

describe('an answer that breaks the contract, or answers another query, is a bad answer', () => {
  const series = { id: 'GDP', title: 'GDP', frequency: 'Q' };
  const asOf = { as_of: '2015-01-30', series };
  const shown = { title: 'x', units: '', observation_count: 1, last_updated: row.date, source: '' };
  const rate = { trade_date: row.date, maturity: '10Y', rate: '1', curve_type: 'PAR', source: '' };
  const late = '2015-01-31T00:00:00Z';

  it.each<[words: string, operation: Operation, query: string, rows: readonly object[], more?: object]>([
    ['[1].date is "2014-10-01T00:00:00Z" a second time', observations, 'limit=1', [row, row]],
    ['as_of is "2015-01-30", but none was asked for', observations, '', [row], asOf],
    ['next_cursor is missing', observations, '', [row], { has_more: true }],
    ['next_cursor is ""', observations, '', [row], { has_more: true, next_cursor: '' }],
    ['value is 17710.7, not a decimal text', observations, '', [{ ...row, value: 17710.7 }]],
    ['value is "1e5"', observations, '', [{ ...row, value: '1e5' }]],
    ['not a date-time in UTC', observations, '', [{ ...row, date: '2014-10-01' }]],
    ['not a date-time in UTC', observations, '', [{ ...row, date: '2014-10-01T00:00:00-05:00' }]],
    ['as_of is missing, but 2015-01-30 was asked for', observations, 'as_of=2015-01-30', [row]],
    ['as_of is "2016-01-30"', observations, 'as_of=2015-01-30', [row], { ...asOf, as_of: '2016-01-30' }],
    ['not yet known on 2015-01-30', observations, 'as_of=2015-01-30', [{ ...row, as_of_date: late }], asOf],
    [
      `filing_date is "${late}": not yet known on 2015-01-30`,
      insiderFilings,
      'as_of=2015-01-30',
      [{ ...nothingOf(insiderFilings), filing_date: late }],
      { as_of: '2015-01-30' },
    ],
    ['covered_to is 7', seriesShow, '', [{ ...shown, id: 'GDP', covered_to: 7 }]],
    ['rate is "n/a"', curve, '', [{ ...rate, rate: 'n/a' }]],
    [
      'results[1].series_id is "GDPC1", but GDP was asked for',
      observations,
      '',
      [row, { ...row, date: '2014-07-01T00:00:00Z', series_id: 'GDPC1' }],
    ],
    [
      'series.id is "GDPC1", but GDP was asked for',
      observations,
      'as_of=2015-01-30',
      [],
      { ...asOf, series: { ...series, id: 'GDPC1' } },
    ],
    ['results[0].id is "X", but GDP was asked for', seriesShow, '', [{ ...shown, id: 'X' }]],
    ['[1].date is "2014-10-01T00:00:00Z" a second time', observations, '', [row, { ...row, value: '1' }]],
    [
      'results[0].date is "2014-10-01T00:00:00Z", but 2014-07-01 was asked for',
      revisions,
      'date=2014-07-01',
      [row],
    ],
    ['[0].trade_date is "2014-10-01T00:00:00Z", but 2014-10-02 was', curve, 'date=2014-10-02', [rate]],
  ])('where %s: $name with %s', async (words, operation, query, rows, more = {}) => {
    const { url } = await answering(envelope(operation.object, rows, { ...more }));
    const id = operation.path.includes('{id}') ? gdp : [];
    const { kind, detail } = await failure(clientOf(url).ask(operation, [...id, ...textsOf(query)]));
    expect([kind, detail]).toEqual(['bad-answer', expect.stringContaining(words)]);
    expect(detail).toContain(url);
  });

  const [date, value] = ['2014-10-01T00:00:00Z', '1'];
  const sums = { total_shares: '3', cluster_size: 3 };
  it.each<[operation: Operation, field: string, row: Readonly<Record<string, unknown>>]>([
    [observations, 'date', row],
    [vintages, 'as_of_date', { as_of_date: date, added: 1, revised: 0, withdrawn: 0 }],
    [yields, 'trade_date', rate],
    [
      spread,
      'trade_date',
      {
        ...{ trade_date: date, long_rate: value, short_rate: value, spread_bps: '0.00' },
        ...{ long_maturity: '10Y', short_maturity: '2Y' },
      },
    ],
    [insiderFilings, 'filing_date', { ...nothingOf(insiderFilings), filing_date: date }],
    [
      insiderClusters,
      'date_last',
      { ...nothingOf(insiderClusters), ...sums, date_first: date, date_last: date, insiders: [] },
    ],
  ])('a row of $name outside the requested range', async (operation, field, one) => {
    const parameters = ['from', 'to'].map((name) => ({ name, in: 'query' }));
    const description = { paths: { [operation.path]: { get: { parameters } } } };
    const { url } = await serve(({ url: path }, response) =>
      reply(response, 200, path === '/v1/openapi.json' ? description : envelope(operation.object, [one])),
    );
    const id = operation.path.includes('{id}') ? gdp : [];
    const ask = (range: string) => clientOf(url).ask(operation, [...id, ...textsOf(range)]);
    expect((await ask('from=2014-10-01&to=2014-10-01')).results).toEqual([inside(one)]);
    for (const [range, words] of [
      ['from=2014-10-02&to=2014-12-31', 'before 2014-10-02'],
      ['from=2014-01-01&to=2014-09-30', 'after 2014-09-30'],
    ] as const) {
      const { kind, detail } = await failure(ask(range));
      const stated = expect.stringContaining(`results[0].${field} is "${date}": ${words}`);
      expect([kind, detail]).toEqual(['bad-answer', stated]);
    }
  });
});
