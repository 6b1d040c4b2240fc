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
import type { Client } from '../../src/client/client.ts';
import { remoteClient } from '../../src/client/remote/client.ts';
import { Problem } from '../../src/errors/problem.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { ping } from '../../src/operations/ping.ts';

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
  changed = (text: string, _path: string) => text,
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
      .end(changed(await answer.text(), path));
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

/** A day as the wire has it. */
export const instant = (day: string) => `${day}T00:00:00Z`;

/** A purchase of an insider, with its required fields. */
export const filing = (day: string, n = 0) => ({
  filing_date: instant(day),
  transaction_date: instant(day),
  accession_number: `0000000007-15-00000${n}`,
  ticker: 'SVN',
  issuer_name: 'Seven',
  owner_name: 'Bo',
  transaction_code: 'P',
  shares: '100',
});

/** A cluster of insiders that ends on a day, with a trade on each of some days. */
export const cluster = (last: string, trades: readonly string[] = [last]) => ({
  ticker: 'SVN',
  issuer_name: 'Seven',
  cluster_size: 3,
  total_shares: '300',
  total_value: '',
  date_first: instant('2015-01-02'),
  date_last: instant(last),
  insiders: trades.map((day) => ({
    owner_name: 'Bo',
    shares: '100',
    transaction_date: instant(day),
    is_director: true,
    is_officer: false,
  })),
});

/** The result of a ping, with the fields of the contract. */
export const pong = {
  status: 'ok',
  message: 'pong',
  plan: 'pro',
  monthly_limit: 1000000,
  rate_per_minute: 600,
  vintage_access: true,
};

/** A client without a store; the test supplies its answers. */
export function madeUpClient(answer: (operation: Operation, texts: ParamTexts) => Promise<Envelope>): Client {
  return {
    async ask<R extends Row>(operation: Operation<Operation['params'], R>, texts: ParamTexts) {
      return (await answer(operation as unknown as Operation, texts)) as Envelope<R>;
    },
    watch: async () => ({ changed: async () => false, requests: () => 1 }),
    origin: async () => ({ mode: 'embedded', where: '', sample: false }),
    close: async () => undefined,
  };
}

/** An envelope of an operation around rows. */
export function answerWith({ object }: Operation, results: readonly Row[]): Envelope {
  return { object, request_id: '', status: 'ok', results, results_count: results.length, has_more: false };
}

/** The parameters of a query such as `id=GDP&limit=5`. */
export function textsOf(query: string): ParamTexts {
  return [...new URLSearchParams(query)];
}

/** A key that must not appear in messages. */
export const key = 'asof_live_sk_0123456789';

type RemoteOptions = Parameters<typeof remoteClient>[0];

/** A client that tries once, uses no proxy, and times out soon. */
export function clientOf(baseUrl: string, more: Partial<RemoteOptions> = {}): Client {
  return remoteClient({ baseUrl, env: {}, retries: 0, timeout: 5, ...more });
}

/** The same with the key. */
export function clientWithKey(baseUrl: string, more: Partial<RemoteOptions> = {}): Client {
  return clientOf(baseUrl, { key, ...more });
}

/** The Problem that a request ends with. */
export async function failure(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    (value) => new Error(`it did not fail: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Problem) return error;
  throw error;
}

/** The Problem that a ping rejects with. */
export async function failedPing(client: Client): Promise<Problem> {
  return failure(client.ask(ping, [])).finally(() => client.close());
}

/** The envelope of a ping. */
export const pinged = envelope('ping', [pong]);

/** A service that answers every request in the same way. */
export function answering(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<Double> {
  return serve((_, response) => reply(response, status, body, headers));
}

/** The series parameter of most requests. */
export const gdp = [['id', 'GDP']] as const;

/** An observation as the contract has it. */
export const row = {
  date: '2014-10-01T00:00:00Z',
  value: '17710.7',
  as_of_date: '2015-01-30T00:00:00Z',
  series_id: 'GDP',
  unit: 'Bil. of $',
  frequency: 'Q',
  source: 'BEA',
};

/** A row of an operation with its required fields only. */
export function nothingOf({ fields }: Operation): Readonly<Record<string, null>> {
  return Object.fromEntries(
    fields.filter(({ extension }) => extension !== true).map(({ name }) => [name, null]),
  );
}

/** A value of the wire as asof holds it: a midnight becomes a day. */
export function inside<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('T00:00:00Z"', '"'));
}

/** A self-signed certificate for localhost, with its key, for tests that expect it to be refused. */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcgTYXuMppzARGNrH
HG7ei8rs7jEoAMHVpH7/ZREsVlWhRANCAAQuob03dRzfz0qMXTgkksOC1YGViILk
29A93mhH/ym/K9+TF7rMDz51S1q2g/2dbqZbd6l+GnuY05/UtLu9vmGt
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBVjCB/KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0wMDAxMDEwMDAwMDBaGA8yMTAwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELqG9N3Uc389KjF04
JJLDgtWBlYiC5NvQPd5oR/8pvyvfkxe6zA8+dUtatoP9nW6mW3epfhp7mNOf1LS7
vb5hraM9MDswGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBT7
Bf3Rlk2f+G41ex4EEK4QhLg3CDAKBggqhkjOPQQDAgNJADBGAiEAn0Q4mushoXl+
0MDrYeHVsHF0in0Y7UgowRyb3LypeGICIQCohW+Ojhqs5ZYCccWkTAeRObx+vIal
V8lDsH8QsOndjQ==
-----END CERTIFICATE-----`,
};
