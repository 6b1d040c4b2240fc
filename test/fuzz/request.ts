import fc from 'fast-check';
import { operations } from '../support/operations.ts';

const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

const methods = fc.oneof(
  often(12, fc.constant('GET')),
  often(4, fc.constant('HEAD')),
  often(
    2,
    fc.constantFrom(
      ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'CONNECT', 'PRI'],
      ...['get', 'FETCH', '', 'G ET', 'GET\t', 'HEAD\0'],
    ),
  ),
);

const versions = fc.oneof(
  often(20, fc.constant('HTTP/1.1')),
  often(2, fc.constant('HTTP/1.0')),
  often(1, fc.constantFrom('HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 ', 'http/1.1', 'HTTP/11', '')),
);

const days = ['2015-01-30', '2014-10-01', '2015-03-01', '2020-05-01', '2024-06-01', '2026-01-14'];

/** Texts that a parameter accepts in some endpoint. */
const good = [
  ...days,
  ...days,
  ...'GDP UNRATE PAR TIPS 10Y 2Y 1 2 3 1000 first any id title words P MAIA'.split(' '),
];

const hostile = [
  ...['', ' ', 'x'.repeat(300), 'x'.repeat(8100), 'x'.repeat(20_000), '\xe9', '"', '\\'],
  ...'0 -1 1001 1e3 ٣ 2024-02-30 9999-12-31 1599-12-31 0000-00-00 2015-1-30 now null undefined true'.split(
    ' ',
  ),
  ...'[] {} % %zz %00 %ff %c3%28 %ed%a0%80 %F0%9F%92%A9 %0d%0aX-Evil:%201 %25 * %5C _ %5F + %2B & = # ;'.split(
    ' ',
  ),
  ..."'%20OR%201=1-- ..%2f..%2fetc%2fpasswd __proto__ constructor <script> 99999999999999999999".split(' '),
];

/** A cursor that the service gave; which one, and whether a character of it is another. */
const cursorMark = /<cursor (\d+) (\d+)>/g;

const cursors = fc
  .tuple(fc.nat({ max: 5 }), fc.oneof(fc.constant(0), fc.nat({ max: 200 })))
  .map(([which, at]) => `<cursor ${which} ${at}>`);

const values = fc.oneof(
  often(8, fc.constantFrom(...good)),
  often(3, fc.constantFrom(...hostile)),
  often(1, cursors),
  often(
    1,
    fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURI(text.toWellFormed())),
  ),
);

const strangeNames = [
  ...['', 'limit '],
  ...'asof As_Of as_of[] as_of%00 %61s_of __proto__ callback constructor'.split(' '),
];

function targetsOf({ path, params }: (typeof operations)[number]): fc.Arbitrary<string> {
  const names = Object.entries(params).flatMap(([name, param]) => (param.in === 'query' ? [name] : []));
  const name = fc.oneof(
    often(10, fc.constantFrom('as_of', 'limit', ...names)),
    often(1, fc.constantFrom(...strangeNames)),
  );
  const pair = fc.oneof(
    often(
      6,
      fc.tuple(name, values).map(([key, value]) => `${key}=${value}`),
    ),
    often(
      2,
      fc.constantFrom(...days).map((day) => `as_of=${day}`),
    ),
    often(
      1,
      cursors.map((cursor) => `cursor=${cursor}`),
    ),
    often(1, fc.constantFrom('', '=', 'as_of', '==', 'release=first')),
  );
  const id = fc.oneof(often(8, fc.constantFrom('GDP', 'UNRATE')), often(2, fc.constantFrom(...hostile)));
  return fc
    .tuple(id, fc.array(pair, { maxLength: 4 }))
    .map(([text, pairs]) => path.replace('{id}', text) + (pairs.length > 0 ? `?${pairs.join('&')}` : ''));
}

const oddTargets = [
  ...'/ // /v1 /v1/ /v1//ping /V1/PING /v1/ping/ /v1/ping%00 /v1/ping? /v1/ping#x /healthz * /readyz'.split(
    ' ',
  ),
  ...'/v1/openapi.json /errors/not-found /errors/__proto__ /errors/..%2f /errors/ /../../etc/passwd'.split(
    ' ',
  ),
  ...'http://evil.example/v1/ping https://evil.example //evil.example/v1/ping ftp://x/ ping /%'.split(' '),
  ...'/v1/series/%2e%2e /v1/series/GDP;x/observations /v1/./ping /v1/series/../ping /v1/series/[::1]'.split(
    ' ',
  ),
  ...['', '/ ', '/\xff', '/\0', `/v1/series?${'&'.repeat(8000)}`, `/${'/'.repeat(8000)}`],
  ...[8200, 17_000, 40_000].map((count) => `/${'x'.repeat(count)}`),
];

const targets = fc.oneof(
  often(8, fc.oneof(...operations.map(targetsOf))),
  often(2, fc.constantFrom(...oddTargets)),
);

/** Values of headers, by their names. */
const headerValues: Readonly<Record<string, readonly string[]>> = {
  Accept: ['*/*', 'application/json', 'application/xml', ';q=x', '*/*;q=0', 'a/b,'.repeat(3000)],
  'Accept-Encoding': ['gzip', 'br, gzip;q=0.5', 'identity;q=0', '*;q=0', ',;=,'],
  'If-None-Match': ['*', '"', 'W/"x",'.repeat(2000)],
  'If-Modified-Since': ['yesterday'],
  'If-Match': ['"x"'],
  Range: ['bytes=0-1', 'bytes=-9999999999999999999'],
  Expect: ['100-continue', 'wonders'],
  Upgrade: ['websocket', 'h2c'],
  Connection: ['close', 'keep-alive', 'upgrade', 'x-api-key'],
  'Keep-Alive': ['timeout=-1'],
  TE: ['trailers'],
  'Content-Length': ['0'],
  'Content-Type': ['application/json'],
  Host: ['evil.example', 'a b', '', '[::1', 'x:99999', '\xff'],
  'X-API-Key': ['', 'x'],
  Authorization: ['Bearer x'],
  Cookie: ['a=b'],
  'X-HTTP-Method-Override': ['DELETE'],
  'X-Forwarded-Host': ['evil.example'],
  'X-Request-Id': ['evil'],
  'X Y': ['z'],
  X: ['a\0b', 'a\rb', '\xff\xfe', 'a\n b', '\t', 'x'.repeat(15_000), 'x'.repeat(40_000)],
};

const headerLines = [
  ...Object.entries(headerValues).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
  ...['no colon', ' : empty', ': empty', '\x7f: x', '', 'é: x'],
  ...[500, 3000].map((count) => 'A: b\r\n'.repeat(count).trimEnd()),
];

const bodies = [
  ...['Content-Length: 3\r\n\r\nabc', 'Content-Length: 30\r\n\r\nabc', 'Content-Length: -1\r\n\r\n'],
  ...['Content-Length: x\r\n\r\n', 'Content-Length: 99999999999999999999\r\n\r\nabc'],
  'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n',
  'Transfer-Encoding: chunked\r\n\r\n-1\r\n',
  'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: x\r\n\r\nabc',
  'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc',
  `Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`,
];

const request = fc.record({
  method: methods,
  target: targets,
  version: versions,
  headers: fc.array(fc.constantFrom(...headerLines), { maxLength: 3 }),
  host: fc.oneof(often(12, fc.constant('Host: localhost')), often(1, fc.constant(undefined))),
  end: fc.oneof(often(12, fc.constant('\r\n')), often(1, fc.constant('\n'))),
});

/** What one client sends on a connection. */
export const conversation = fc.record({
  /** Whose key all requests carry. */
  who: fc.constantFrom('pro', 'free', 'free', 'nobody', 'stranger', 'bearer'),
  requests: fc.array(request, { minLength: 1, maxLength: 4 }),
  /** The end of the last request, which may have a body. */
  body: fc.oneof(often(8, fc.constant(undefined)), often(2, fc.constantFrom(...bodies))),
  /** The millionths of it all after which the client stops and closes its side; undefined to send everything. */
  cut: fc.oneof(often(4, fc.constant(undefined)), often(1, fc.nat({ max: 999_999 }))),
  /** The size of the pieces in which it is sent. */
  piece: fc.constantFrom(1_000_000, 1_000_000, 5000, 700, 61),
});

/** One client of the service. */
export type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never;

/** The bytes of each request of a conversation, with the headers that carry the key. */
export function bytesOf(
  { requests, body }: Conversation,
  keyLines: readonly string[],
  cursorsGiven: readonly string[],
): readonly Buffer[] {
  return requests.map(({ method, target, version, headers, host, end }, i) => {
    const line = `${method} ${withCursors(target, cursorsGiven)} ${version}`;
    const lines = [line, ...(host === undefined ? [] : [host]), ...keyLines, ...headers];
    const last = i === requests.length - 1 && body !== undefined ? body : end;
    return Buffer.from(`${lines.join(end)}${end}${last}`, 'latin1');
  });
}

function withCursors(target: string, given: readonly string[]): string {
  return target.replace(cursorMark, (_, which: string, at: string) => {
    const cursor = given[Number(which) % given.length] ?? '';
    const place = Number(at) % (cursor.length + 1);
    return at === '0' ? cursor : `${cursor.slice(0, place)}A${cursor.slice(place + 1)}`;
  });
}
