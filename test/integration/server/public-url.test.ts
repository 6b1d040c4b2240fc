import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gate } from '../../../src/server/keys/gate.ts';
import { shippedPlans } from '../../../src/server/keys/plans.ts';
import { type RunningService, serve } from '../../../src/server/serve.ts';
import { openAccess, openStore } from '../../../src/store/open.ts';
import { newQuarterlyStore } from '../../support/example-stores.ts';
import { scratchFolder } from '../../support/folders.ts';
import { newStorePath } from '../../support/scratch-store.ts';

let running: RunningService;
let port: string;

beforeAll(async () => {
  const path = await newQuarterlyStore();
  const access = await openAccess(newStorePath(scratchFolder()), { counting: true });
  const log = new PassThrough();
  log.resume();
  const gate = await Gate.open(access, shippedPlans);
  running = await serve({ openStore: () => openStore(path), gate, host: '0.0.0.0', port: 0, log });
  ({ port } = new URL(running.url));
});
afterAll(() => running.stop());

/** The JSON that a path answers with these headers. */
async function answer(path: string, headers: IncomingHttpHeaders): Promise<Record<string, unknown>> {
  const sent = request({ host: '127.0.0.1', port, path, headers });
  sent.end();
  const [response] = await once(sent, 'response');
  return JSON.parse(await text(response));
}

describe('a service on every address of a machine, without a public URL', () => {
  it.each(['data.example.com', 'localhost:8787', '192.0.2.7:80', '[2001:db8::1]:8787', 'my_host'])(
    'explains its errors at the host that the request named: %s',
    async (host) => {
      expect((await answer('/v1/ping', { host })).type).toBe(`http://${host}/errors/unauthorized`);
    },
  );

  it.each([
    'a b',
    'x"y',
    '<script>',
    'a/b',
    'user@host',
    'host:port',
    'host:123456',
    '-',
    'a.example,b.example',
  ])('explains them at a path alone where the request names no valid host: %j', async (host) => {
    expect((await answer('/v1/ping', { host })).type).toMatch(/^\/errors\/(unauthorized|validation-error)$/);
  });

  it('explains a request that is no HTTP at a path alone', async () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('GET /v1/ping HTTP/1.1\r\nno header\r\n\r\n');
    expect(await text(socket)).toContain('"type":"/errors/validation-error"');
  });

  it('says in its description that it is where the description is', async () => {
    expect((await answer('/v1/openapi.json', { host: 'data.example.com' })).servers).toEqual([{ url: '/' }]);
  });
});
