import { PassThrough } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLog, readableLine } from '../../../src/server/exchange.ts';

const time = '2026-03-15T12:00:01.250Z';
const line = (entry: object) => readableLine(JSON.stringify({ time, level: 30, ...entry }));

describe('a line of the log for people', () => {
  it.each<readonly [string, object, string]>([
    [
      'a message',
      { msg: 'asof listens on http://[::1]:8787', url: 'http://[::1]:8787' },
      'asof listens on http://[::1]:8787',
    ],
    [
      'a request',
      { request_id: 'req_1', method: 'GET', route: '/v1/series/{id}', status: 200, ms: 1.5, key: 'k_7' },
      'GET /v1/series/{id} 200 1.5 ms key=k_7',
    ],
    [
      'a request without a key to no endpoint',
      { request_id: 'req_1', method: 'GET', route: null, status: 404, ms: 0.2, key: null },
      'GET - 404 0.2 ms',
    ],
    [
      'a request that failed, with its id',
      { request_id: 'req_1', method: 'GET', route: '/v1/ping', status: 500, ms: 3, key: null },
      'GET /v1/ping 500 3 ms request=req_1',
    ],
    [
      'an error and its cause',
      { level: 50, msg: 'cannot open the store again', err: { message: 'disk I/O error' } },
      'error: cannot open the store again disk I/O error',
    ],
    ['a warning', { level: 40, msg: 'there is no key yet' }, 'warning: there is no key yet'],
    ['a text that would forge a line', { msg: 'a\n12:00:02 b\u001B[2J' }, 'a\\u{a}12:00:02 b\\u{1b}[2J'],
  ])('shows %s', (_, entry, text) => {
    expect(line(entry)).toBe(`12:00:01 ${text}\n`);
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
    expect(JSON.parse(await written(false))).toMatchObject({ level: 30, msg: 'ready' });
  });
});
