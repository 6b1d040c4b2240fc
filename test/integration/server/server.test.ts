import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLog, type Handler } from '../../../src/server/respond.ts';
import { HttpServer, type ServerOptions } from '../../../src/server/server.ts';

const publicUrl = 'https://data.example';

/** Answers with its method and path; `/slow` takes its time, and the path is the end of a long text for `/long`. */
const handler: Handler = async (request) => {
  const { path: pathname } = request;
  if (pathname.startsWith('/slow')) await delay(400);
  const before = pathname.startsWith('/long') ? longText.repeat(pathname === '/longest' ? 8 : 1) : '';
  const body = `${before}${request.method} ${pathname}`;
  return {
    status: 200,
    headers: { 'Content-Type': 'text/plain', 'Content-Length': String(body.length) },
    body: [body],
    sent: (part) => ended.push([pathname, part]),
  };
};

/** What was sent of the answers, by their paths. */
const ended: (readonly [path: string, sent: string])[] = [];

/** Longer than what the buffers of the system take at once. */
const longText = 'x'.repeat(8_000_000);

let logged = '';
const log = createLog(
  new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  }),
);

async function newServer(timeouts: ServerOptions['timeouts'] = {}): Promise<HttpServer> {
  const options = { handler, host: '127.0.0.1', port: 0, log, publicUrl };
  return HttpServer.listen({ ...options, timeouts: { notice: 0, ...timeouts } });
}

/** A server with short timeouts, until the end of a test. */
async function hurriedServer(timeouts: ServerOptions['timeouts']): Promise<HttpServer> {
  const made = await newServer({ inFlight: 100, ...timeouts });
  onTestFinished(() => made.stop());
  return made;
}

/**
 * A raw connection: `heard` is everything that the server sends until the connection ends, `so` what it sent so far.
 */
function dial({ url }: HttpServer): { socket: Socket; heard: Promise<string>; so: () => string } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  const heard = new Promise<string>((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(text));
  });
  return { socket, heard, so: () => text };
}

async function say(server: HttpServer, ...texts: readonly string[]): Promise<string> {
  const { socket, heard } = dial(server);
  for (const text of texts) socket.write(text, 'latin1');
  return heard;
}

const host = 'HTTP/1.1\r\nHost: x\r\n';
const bye = 'Connection: close\r\n\r\n';
const ping = `GET /ping ${host}`;
const many = 'x'.repeat(40_000);

let server: HttpServer;
beforeAll(async () => {
  server = await newServer();
});
afterAll(() => server.stop());

describe('broken HTTP is answered by a problem document, and the connection is closed', () => {
  it.each<[string, string, number]>([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['TLS to a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['a method that does not exist', `FETCH / ${host}\r\n`, 400],
    ['a header without a colon', `${ping}nonsense\r\n\r\n`, 400],
    ['a control character in a header', `${ping}X: a\x00b\r\n\r\n`, 400],
    ['no Host', 'GET /ping HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', `${ping}Host: y\r\n\r\n`, 400],
    ['two equal Hosts', 'GET /ping HTTP/1.0\r\nHost: x\r\nhost: x\r\n\r\n', 400],
    ['an invalid Host', `GET /ping HTTP/1.1\r\nHost: a b\r\n${bye}`, 400],
    ['both lengths', `${ping}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    ['a length that is no number', `${ping}Content-Length: x\r\n\r\n`, 400],
    ['two lengths', `${ping}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy`, 400],
    ['headers that are too long', `${ping}X: ${many}\r\n\r\n`, 431],
    ['an address that is too long', `GET /${many} ${host}\r\n`, 431],
  ])('%s', async (_, message, status) => {
    const [head = '', body = ''] = (await say(server, message)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/problem\+json$/im);
    expect(head).toMatch(/^connection: close$/im);
    const { type, title, detail, instance, request_id, ...rest } = JSON.parse(body);
    expect(rest).toEqual({ status });
    expect(type).toBe(status === 400 ? `${publicUrl}/errors/validation-error` : 'about:blank');
    expect([title, detail]).not.toContain('');
    expect(instance).toBe('/');
    expect(head).toContain(`X-Request-Id: ${request_id}`);
  });

  it('and the server goes on where a client of CONNECT reads its 405 or resets its connection', async () => {
    const connecting = 'CONNECT example.com:80 HTTP/1.1\r\nHost: example.com:80\r\n\r\n';
    expect(await say(server, connecting)).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, HEAD\r\n/);
    const refused: unknown[] = [];
    const note = (error: unknown) => refused.push(error);
    process.on('uncaughtException', note);
    const { socket, heard } = dial(server);
    socket.write(connecting);
    await once(socket, 'data');
    socket.resetAndDestroy();
    await heard;
    await delay(50);
    process.off('uncaughtException', note);
    expect(refused).toEqual([]);
    expect(await say(server, `${ping}${bye}`)).toContain('GET /ping');
  });

  it('with a line in the log', async () => {
    const [, id = ''] = /X-Request-Id: (\S+)/.exec(await say(server, 'hello\r\n\r\n')) ?? [];
    const line = () => logged.split('\n').find((one) => one.includes(id));
    await expect.poll(line).toContain('"status":400');
  });
});

describe('a connection', () => {
  it('takes one request after another, and reads a body as a body, never as a request', async () => {
    const hidden = `GET /hidden ${host}\r\n`;
    const withBody = `GET /pong ${host}Content-Length: ${hidden.length}\r\n\r\n${hidden}`;
    const answer = await say(server, `${ping}\r\n`, withBody, `GET /after ${host}${bye}`);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    expect(answer).toMatch(/GET \/ping[\s\S]*GET \/pong[\s\S]*GET \/after$/);
    expect(answer).not.toContain('/hidden');
  });

  it('is not asked to send its body', async () => {
    const answer = await say(server, `POST /p ${host}Content-Length: 5\r\nExpect: 100-continue\r\n${bye}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(answer).not.toContain('100 Continue');
  });

  const slow = `GET /slow ${host}\r\n`;

  it.each<[string, string]>([
    ['nonsense', `${slow}${slow}nonsense\r\n\r\n`],
    ['nonsense in another packet', `${slow}${slow}<packet>nonsense\r\n\r\n`],
  ])('sends the answers in progress before it ends at %s', async (_, sent) => {
    const { socket, heard } = dial(await hurriedServer({ headers: 300 }));
    for (const [i, packet] of sent.split('<packet>').entries()) {
      if (i > 0) await delay(50);
      socket.write(packet, 'latin1');
    }
    expect((await heard).match(/200 OK[\s\S]*?GET \/slow/g)).toHaveLength(2);
  });

  it.each<[string, string]>([
    ['whose body is broken', `POST /slow ${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['that ends the connection, and nonsense', `GET /slow ${host}${bye}nonsense\r\n\r\n`],
  ])('sends one answer to a request %s', async (_, request) => {
    const answer = await say(server, request);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]* \/slow$/);
  });

  const last = `GET /longest ${host}${bye}`;
  const chunked = `POST /longest ${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;

  it.each<[string, string]>([
    ['after its last request', last],
    ['after a request of HTTP/1.0', 'GET /longest HTTP/1.0\r\n\r\n'],
    ['after a body that is broken', chunked],
  ])('gives the whole answer to a client that goes on sending %s', async (_, request) => {
    const { socket, heard } = dial(server);
    socket.write(request);
    const more = setInterval(() => socket.write(`GET /more ${host}X: ${many}\r\n\r\n`), 1);
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    await once(socket, 'end');
    clearInterval(more);
    expect(ended.some(([path]) => path === '/more')).toBe(false);
    const answer = await heard;
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer.slice(-20)).toMatch(/^x+(GET|POST) \/longest$/);
  });

  it('ends where a client never stops sending after its last request', async () => {
    const { socket, heard } = dial(await hurriedServer({ end: 100 }));
    socket.write(`${ping}${bye}`);
    const more = setInterval(() => socket.write(many), 1);
    expect(await heard).toMatch(/GET \/ping$/);
    clearInterval(more);
  });
});

describe('slow and idle connections are cut off', () => {
  it.each<[string, string, RegExp]>([
    ['that say nothing', '', /^$/],
    ['that stop in the middle of the headers', ping, /^$/],
    ['that stop between two requests', `${ping}\r\n`, /^HTTP\/1\.1 200 [\s\S]*GET \/ping$/],
  ])('%s', async (_, text, expected) => {
    const { socket, heard } = dial(await hurriedServer({ headers: 300, request: 400, idle: 200 }));
    socket.write(text);
    const started = performance.now();
    expect(await heard).toMatch(expected);
    expect(performance.now() - started).toBeLessThan(4000);
  });

  it('that send their headers one byte at a time', async () => {
    const { socket, heard } = dial(await hurriedServer({ headers: 300 }));
    const drip = setInterval(() => socket.write('x'), 20);
    socket.write(`${ping}X: `);
    const started = performance.now();
    expect(await heard).toBe('');
    expect(performance.now() - started).toBeLessThan(4000);
    clearInterval(drip);
  });

  it('that read nothing of their answers', async () => {
    const { socket, heard } = dial(await hurriedServer({ reader: 300 }));
    socket.pause();
    // More bytes than the buffers of the system hold, of requests and of answers.
    const sent = 20_000;
    socket.write(`GET /${'p'.repeat(2000)} ${host}\r\n`.repeat(sent));
    const count = (await heard).match(/HTTP\/1\.1 200/g)?.length ?? 0;
    expect(count).toBeLessThan(sent);
  });

  it('except where the answer is still being made, which arrives however long that takes', async () => {
    const hurried = await hurriedServer({ reader: 100 });
    expect(await say(hurried, `GET /slow ${host}${bye}`)).toMatch(/200 [\s\S]*GET \/slow$/);
  });
});

it('an answer is noted when nothing more of it is sent, with how much of it was', async () => {
  ended.length = 0;
  const hurried = await hurriedServer({ reader: 300 });
  await say(hurried, `GET /whole ${host}${bye}`);
  const { socket, heard } = dial(hurried);
  socket.pause();
  socket.write(`GET /longest ${host}\r\n`);
  await expect.poll(() => ended.length, { timeout: 10_000 }).toBe(2);
  socket.destroy();
  await heard;
  const gone = dial(hurried);
  gone.socket.write(`GET /slow/gone ${host}\r\n`);
  setTimeout(() => gone.socket.resetAndDestroy(), 50);
  const noted = [
    ['/whole', 'all'],
    ['/longest', 'part'],
    ['/slow/gone', 'nothing'],
  ];
  await expect.poll(() => ended, { timeout: 10_000 }).toEqual(noted);
});

describe('a server that is stopped', () => {
  it('finishes what is in flight, says so, and takes nothing new', async () => {
    const stopping = await newServer();
    const { socket, heard } = dial(stopping);
    socket.write(`GET /slow ${host}\r\n`);
    await delay(50);
    const stopped = stopping.stop();
    await delay(50);
    expect(stopping.isStopping).toBe(true);
    await expect(fetch(stopping.url)).rejects.toThrow();
    expect(await heard).toMatch(/^HTTP\/1\.1 200 [\s\S]*GET \/slow$/);
    await stopped;
  });

  it('goes on answering for a notice, and closes connections with their answers', async () => {
    const stopping = await newServer({ notice: 300 });
    const stopped = stopping.stop();
    const answer = await fetch(`${stopping.url}/late`);
    expect([answer.headers.get('connection'), await answer.text()]).toEqual(['close', 'GET /late']);
    await stopped;
  });

  it('answers the request that arrives on a connection which was made before', async () => {
    const stopping = await newServer();
    const connections = Array.from({ length: 50 }, () => dial(stopping));
    await Promise.all(connections.map(({ socket }) => once(socket, 'connect')));
    const stopped = stopping.stop();
    await delay(300);
    for (const { socket } of connections) socket.write(`${ping}\r\n`);
    for (const { heard } of connections)
      expect(await heard).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*GET \/ping$/i);
    await stopped;
  });

  it.each<[string, string, ServerOptions['timeouts'], string]>([
    ['idle', `${ping}\r\n`, {}, 'GET /ping'],
    ['silent', '', {}, ''],
    ['half-way', `${ping}X: half a req`, { inFlight: 100 }, ''],
  ])('does not wait long for a connection that is %s', async (_, sent, timeouts, answered) => {
    const stopping = await newServer(timeouts);
    const { socket, heard, so } = dial(stopping);
    await once(socket, 'connect');
    socket.write(sent);
    await expect.poll(so).toContain(answered);
    const started = performance.now();
    await stopping.stop();
    expect(performance.now() - started).toBeLessThan(5000);
    await heard;
  });
});

it('a server that cannot listen says why', async () => {
  const port = Number(new URL(server.url).port);
  const start = (host: string, wanted: number) =>
    HttpServer.listen({ handler, host, port: wanted, log, publicUrl });
  const taken = `cannot listen on 127.0.0.1:${port}: the port is in use`;
  await expect(start('127.0.0.1', port)).rejects.toThrow(taken);
  await expect(start('203.0.113.7', 0)).rejects.toThrow('this machine has no such address');
});
