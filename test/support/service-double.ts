import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach } from 'vitest';

/** A server on a free port of this machine, and the requests that it got. */
export type Double = {
  readonly url: string;
  readonly asked: readonly IncomingMessage[];
  readonly server: Server;
};

const open: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];

afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
});

/** Starts a server until the end of the test. */
export async function serve(
  listener: RequestListener,
  make: (on: RequestListener) => Server = createServer,
): Promise<Double> {
  const asked: IncomingMessage[] = [];
  const server = make((request, response) => {
    asked.push(request);
    listener(request, response);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  open.push({ server, sockets });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

/** The work of a proxy before it forwards a request, which it may answer itself. */
export type BeforeRequest = (path: string, number: number, response: ServerResponse) => Promise<void> | void;

/** Starts a proxy of a service until the end of the test; its requests have the key of the service. */
export function proxyOf(
  { url, key }: { readonly url: string; readonly key: string },
  before: BeforeRequest,
): Promise<Double> {
  let number = 0;
  return serve(async ({ url: path = '', headers }, response) => {
    number += 1;
    await before(path, number, response);
    if (response.destroyed || response.writableEnded) return;
    const tag = headers['if-none-match'];
    const answer = await fetch(url + path, {
      headers: { 'x-api-key': key, ...(tag !== undefined && { 'if-none-match': tag }) },
    });
    const etag = answer.headers.get('etag');
    response
      .writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? '',
        ...(etag !== null && { etag }),
      })
      .end(await answer.text());
  });
}

/** Replies with a JSON body, or with a text as it is. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): void {
  response.writeHead(status, headers);
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

/** Replies with a problem document. */
export function problem(
  response: ServerResponse,
  status: number,
  suffix: string,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): void {
  const type = suffix === 'about:blank' ? suffix : `https://data.example.com/errors/${suffix}`;
  const document = { type, title: 'Title', status, detail, instance: '/v1/x', request_id: 'req_1', ...more };
  reply(response, status, document, { 'content-type': 'application/problem+json', ...headers });
}

/** An envelope of the contract around results. */
export function envelope(
  object: string,
  results: readonly unknown[],
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    object,
    request_id: 'req_1',
    status: 'ok',
    results,
    results_count: results.length,
    has_more: false,
    ...more,
  };
}

/** The result of a ping, with the fields of the contract. */
export const pong = {
  status: 'ok',
  message: 'pong',
  plan: 'pro',
  monthly_limit: 1000000,
  rate_per_minute: 600,
  vintage_access: true,
};
