import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { insiderFilings } from '../../../../src/operations/insiders/filings.ts';
import type { Operation } from '../../../../src/operations/operation.ts';
import { ping } from '../../../../src/operations/ping.ts';
import { curve } from '../../../../src/operations/rates/yields.ts';
import { observations } from '../../../../src/operations/series/observations.ts';
import { seriesShow } from '../../../../src/operations/series/series.ts';
import { clientOf, failure, gdp, row } from '../../../support/remote-client.ts';
import { envelope, pong, reply, serve } from '../../../support/service-double.ts';

const json = { 'content-type': 'application/json' };

/** A row of an operation with its required fields only. */
const nothingOf = ({ fields }: Operation) =>
  Object.fromEntries(fields.filter(({ extension }) => extension !== true).map(({ name }) => [name, null]));

describe('an answer outside the contract is a bad answer that names the URL', () => {
  const html = '<!doctype html><title>Sign in</title>';
  it.each<[string, number, unknown, Readonly<Record<string, string>>, string]>([
    ['an HTML page', 200, html, { 'content-type': 'text/html; charset=utf-8' }, 'an HTML page'],
    ['an HTML 404', 404, html, { 'content-type': 'text/html' }, 'has no /v1/ping'],
    ['a JSON 404 that is no problem', 404, { message: 'no' }, json, 'has no /v1/ping'],
    ['an HTML 401', 401, html, { 'content-type': 'text/html' }, '401 and an HTML page'],
    ['an HTML 403', 403, html, { 'content-type': 'text/html' }, '403 and an HTML page'],
    ['an HTML 502', 502, html, { 'content-type': 'text/html' }, '502 and an HTML page'],
    ['a 500 without a body', 500, '', {}, '500 and an empty body'],
    [
      'a 503 of plain text',
      503,
      'later',
      { 'content-type': 'text/plain' },
      '503 and a body of type text/plain',
    ],
    ['a status of no contract', 418, '', {}, '418 and an empty body'],
    ['a 204', 204, '', {}, '204, which is not an answer of the contract'],
    ['a 304', 304, '', {}, '304, which is not an answer of the contract'],
    ['JSON without its type', 200, envelope('ping', [pong]), {}, 'a body of no stated type'],
    ['JSON called text', 200, envelope('ping', [pong]), { 'content-type': 'text/plain' }, 'type text/plain'],
    [
      'truncated JSON',
      200,
      JSON.stringify(envelope('ping', [pong])).slice(0, -9),
      json,
      'damaged or breaks off',
    ],
    ['an empty body', 200, '', json, 'an empty body'],
    ['bytes that are no UTF-8', 200, Buffer.from([0x22, 0xff, 0x22]), json, 'damaged or breaks off'],
    ['damaged gzip', 200, Buffer.from('nope'), { ...json, 'content-encoding': 'gzip' }, 'damaged gzip'],
    [
      'brotli, which was not asked for',
      200,
      Buffer.from('x'),
      { ...json, 'content-encoding': 'br' },
      'as br',
    ],
    ['a list', 200, [], json, 'not a JSON object'],
    ['another object', 200, envelope('pong', [pong]), json, 'object is "pong", not "ping"'],
    ['a request id of 7', 200, envelope('ping', [pong], { request_id: 7 }), json, 'request_id is 7'],
    ['a status of 1', 200, envelope('ping', [pong], { status: 1 }), json, 'status is 1, not a text'],
    ['no results', 200, envelope('ping', [pong], { results: undefined }), json, 'results is missing'],
    ['results that are no list', 200, envelope('ping', [pong], { results: {} }), json, 'results is {}'],
    [
      'a wrong count',
      200,
      envelope('ping', [pong], { results_count: 2 }),
      json,
      'results_count is 2, but there are 1',
    ],
    ['a count of text', 200, envelope('ping', [pong], { results_count: '1' }), json, 'results_count is "1"'],
    ['has_more of text', 200, envelope('ping', [pong], { has_more: 'no' }), json, 'has_more is "no"'],
    [
      'more where there is no listing',
      200,
      envelope('ping', [pong], { has_more: true }),
      json,
      'is not a listing',
    ],
    ['a result that is no object', 200, envelope('ping', ['ok']), json, 'results[0] is not an object'],
    [
      'a missing field',
      200,
      envelope('ping', [pong, { ...pong, plan: undefined }]),
      json,
      'results[1].plan is missing',
    ],
    [
      'null in a field',
      200,
      envelope('ping', [{ ...pong, plan: null }]),
      json,
      'results[0].plan is null, not a text',
    ],
    [
      'a number as text',
      200,
      envelope('ping', [{ ...pong, monthly_limit: '5' }]),
      json,
      'monthly_limit is "5", not an integer',
    ],
    [
      'text for yes or no',
      200,
      envelope('ping', [{ ...pong, vintage_access: 1 }]),
      json,
      'vintage_access is 1, not true or false',
    ],
  ])('%s', async (_, status, body, headers, words) => {
    const { url } = await serve((_request, response) => reply(response, status, body, headers));
    const { kind, detail } = await failure(clientOf(url).ask(ping, []));
    expect([kind, detail]).toEqual(['bad-answer', expect.stringContaining(words)]);
    expect(detail).toContain(url);
  });

  const asOf = [
    ['id', 'GDP'],
    ['as_of', '2015-01-30'],
  ] as const;
  const summary = { id: 'GDP', title: 'GDP', frequency: 'Q' };
  it.each<[string, Operation, readonly (readonly [string, string])[], unknown, string]>([
    [
      'a row again, over the limit',
      observations,
      [...gdp, ['limit', '1']],
      envelope('observation_series', [row, row]),
      'results[1].date is "2014-10-01T00:00:00Z" a second time',
    ],
    [
      'an as_of that nobody asked for',
      observations,
      gdp,
      envelope('observation_series', [row], { as_of: '2015-01-30', series: summary }),
      'as_of is "2015-01-30", but none was asked for',
    ],
    [
      'more without a cursor',
      observations,
      gdp,
      envelope('observation_series', [row], { has_more: true }),
      'next_cursor is missing',
    ],
    [
      'more with an empty cursor',
      observations,
      gdp,
      envelope('observation_series', [row], { has_more: true, next_cursor: '' }),
      'next_cursor is ""',
    ],
    [
      'a value that is a number',
      observations,
      gdp,
      envelope('observation_series', [{ ...row, value: 17710.7 }]),
      'value is 17710.7, not a decimal text',
    ],
    [
      'a value with an exponent',
      observations,
      gdp,
      envelope('observation_series', [{ ...row, value: '1e5' }]),
      'value is "1e5"',
    ],
    [
      'a date without a time',
      observations,
      gdp,
      envelope('observation_series', [{ ...row, date: '2014-10-01' }]),
      'not a date-time in UTC',
    ],
    [
      'a date-time elsewhere',
      observations,
      gdp,
      envelope('observation_series', [{ ...row, date: '2014-10-01T00:00:00-05:00' }]),
      'not a date-time in UTC',
    ],
    [
      'an as_of that was overlooked',
      observations,
      asOf,
      envelope('observation_series', [row]),
      'as_of is missing, but 2015-01-30 was asked for',
    ],
    [
      'another as_of',
      observations,
      asOf,
      envelope('observation_series', [row], { as_of: '2016-01-30', series: summary }),
      'as_of is "2016-01-30"',
    ],
    [
      'a value that was not yet known',
      observations,
      asOf,
      envelope('observation_series', [{ ...row, as_of_date: '2015-01-31T00:00:00Z' }], {
        as_of: '2015-01-30',
        series: summary,
      }),
      'not yet known on 2015-01-30',
    ],
    [
      'a filing that was not yet public',
      insiderFilings,
      [['as_of', '2015-01-30']],
      envelope('insider_filings', [{ ...nothingOf(insiderFilings), filing_date: '2015-01-31T00:00:00Z' }], {
        as_of: '2015-01-30',
      }),
      'filing_date is "2015-01-31T00:00:00Z": not yet known on 2015-01-30',
    ],
    [
      'an extension of another type',
      seriesShow,
      gdp,
      envelope('series', [
        {
          id: 'GDP',
          title: 'x',
          units: '',
          observation_count: 1,
          last_updated: row.date,
          source: '',
          covered_to: 7,
        },
      ]),
      'covered_to is 7',
    ],
    [
      'a rate that is no decimal',
      curve,
      [],
      envelope('yield_curve', [
        { trade_date: row.date, maturity: '10Y', rate: 'n/a', curve_type: 'PAR', source: '' },
      ]),
      'rate is "n/a"',
    ],
  ])('%s', async (_, operation, given, body, words) => {
    const { url } = await serve((_request, response) => reply(response, 200, body));
    const { kind, detail } = await failure(clientOf(url).ask(operation, given));
    expect([kind, detail]).toEqual(['bad-answer', expect.stringContaining(words)]);
    expect(detail).toContain(url);
  });

  it('a body too large to be an answer, also compressed', async () => {
    const zeros = Buffer.alloc(65 * 1024 * 1024, 0x20);
    const { url: plain } = await serve((_, response) => reply(response, 200, zeros, json));
    const { url: packed } = await serve((_, response) =>
      reply(response, 200, gzipSync(zeros, { level: 1 }), { ...json, 'content-encoding': 'gzip' }),
    );
    for (const url of [plain, packed]) {
      const { kind, detail } = await failure(clientOf(url).ask(ping, []));
      expect([kind, detail]).toEqual(['bad-answer', `${url}/v1/ping answered with more than 64 MiB`]);
    }
  });
});
