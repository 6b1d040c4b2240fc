// Why: docs/decisions/connections.md
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../errors/problem.ts';
import { systemProblem } from '../errors/system-errors.ts';
import { newRequestId } from '../service/service.ts';
import { type Handler, isWhole, type Log, longestTarget, type WireReply } from './respond.ts';

/** Milliseconds after which a server gives up waiting. */
const defaultTimeouts = {
  /** For the headers of a request, even on a silent connection. */
  headers: 10_000,
  request: 20_000,
  /** For a client that does not read its answer. */
  reader: 30_000,
  /** For the next request on a connection. */
  idle: 65_000,
  /** For a client that sends more after the last answer. */
  end: 5_000,
  /** From the first answer of "not ready" to the last new connection. */
  notice: 500,
  /** For requests in flight at a stop. */
  inFlight: 8_000,
  /** For the first request on a connection made before a stop. */
  arrival: 1_000,
};

/** The handler of a server, and where it listens. */
export type ServerOptions = {
  readonly handler: Handler;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly publicUrl?: string;
  readonly timeouts?: Partial<typeof defaultTimeouts>;
};

/** Listens on a port and passes requests to a handler; the only code that knows sockets. */
export class HttpServer {
  readonly #options: ServerOptions;
  readonly #timeouts: typeof defaultTimeouts;
  readonly #server: Server;
  /** The latest answer on each connection. */
  readonly #connections = new Map<Duplex, ServerResponse | undefined>();
  /** Connections that end after the answers in progress, whatever else arrives on them. */
  readonly #ending = new WeakSet<Duplex>();
  #accepted = 0;
  #url = '';
  #isStopping = false;

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.#server = createServer({
      maxHeaderSize: 2 * longestTarget,
      headersTimeout: this.#timeouts.headers,
      requestTimeout: this.#timeouts.request,
      keepAliveTimeout: this.#timeouts.idle,
      connectionsCheckingInterval: Math.min(1000, this.#timeouts.headers / 4),
      // Node's own answer to a missing Host has no body.
      requireHostHeader: false,
    }).setTimeout(this.#timeouts.reader, (socket) => this.#onQuiet(socket));
    this.#server.on('connection', (socket) => {
      this.#accepted += 1;
      this.#connections.set(socket, undefined);
      socket.once('close', () => this.#connections.delete(socket));
      // Node calls it after the last answer.
      socket.destroySoon = () => this.#end(socket);
    });
    // Bodies are refused, so no client is told to continue with one.
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (incoming.socket.writable) this.#answer(incoming, outgoing);
    };
    for (const event of ['request', 'checkContinue', 'checkExpectation']) this.#server.on(event, answer);
    this.#server.on('clientError', ({ code, rawPacket }: ParserError, socket) => {
      // The answer to HEAD has no body; of several packets, the parser shows the last.
      const packet = rawPacket?.toString('latin1') ?? '';
      const mayBeHead = /^HEAD /m.test(packet) || (socket as Socket).bytesRead > packet.length;
      if (code === 'HPE_HEADER_OVERFLOW')
        this.#refuse(socket, 'the address or the headers are too long', 'header-fields-too-large', mayBeHead);
      else if (code?.startsWith('HPE_'))
        this.#refuse(socket, 'this is not a valid HTTP request', 'validation-error', mayBeHead);
      else if (this.#connections.get(socket)?.closed !== false) socket.destroy();
    });
    this.#server.on('connect', (_incoming, socket) => {
      // Node no longer reads this socket and handles its errors, and an unhandled error ends the process.
      socket.on('error', () => socket.destroy()).resume();
      this.#refuse(socket, 'this service is read-only: use GET or HEAD', 'method-not-allowed');
    });
  }

  /** Makes a server that listens on a port; throws a `local-io` Problem if it cannot. */
  static async listen(options: ServerOptions): Promise<HttpServer> {
    const { host, port } = options;
    const made = new HttpServer(options);
    made.#server.listen(port, host);
    await once(made.#server, 'listening').catch((cause) => {
      throw systemProblem('listen on', `${host}:${port}`, cause);
    });
    const address = made.#server.address() as AddressInfo;
    made.#url = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
    return made;
  }

  get url(): string {
    return this.#url;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Accepts no more connections after a notice (ms), and closes idle ones at once.
   * Answers requests on other connections, even one still on its way on a new connection, and then closes them.
   */
  async stop(notice = this.#timeouts.notice): Promise<void> {
    this.#isStopping = true;
    await delay(notice);
    // A connection that sends an answer now closes right after it.
    this.#server.keepAliveTimeout = 1;
    const { inFlight, arrival } = this.#timeouts;
    await this.#acceptWaiting(Math.min(arrival, inFlight));
    const closed = once(this.#server, 'close');
    this.#server.close();
    const timers = [
      setTimeout(() => this.#disconnect((socket) => socket.bytesRead === 0), Math.min(arrival, inFlight)),
      setTimeout(() => this.#disconnect(() => true), inFlight),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  /**
   * Accepts connections that wait in the system, for at most `most` milliseconds: closing the port resets them.
   * Node accepts one in each tick of its loop.
   */
  async #acceptWaiting(most: number): Promise<void> {
    const end = performance.now() + most;
    let before: number;
    do {
      before = this.#accepted;
      await nextTurn();
      await nextTurn();
    } while (this.#accepted > before && performance.now() < end);
  }

  /** Ends a silent connection, unless its client reads and waits for an answer in the making. */
  #onQuiet(socket: Socket): void {
    if (this.#connections.get(socket)?.closed === false && socket.writableLength === 0)
      socket.setTimeout(this.#timeouts.reader);
    else socket.destroy();
  }

  /** Ends a connection after what was written; a system that closes it with bytes unread resets it, and the client loses that. */
  #end(socket: Duplex): void {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), this.#timeouts.end);
    socket.once('close', () => clearTimeout(timer));
  }

  #disconnect(isOver: (socket: Socket) => boolean): void {
    for (const socket of this.#connections.keys()) if (isOver(socket as Socket)) socket.destroy();
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#connections.set(incoming.socket, outgoing);
    if (this.#isStopping) outgoing.setHeader('Connection', 'close');
    const { method = 'GET', url = '', headers, httpVersion } = incoming;
    const mayCut = httpVersion === '1.1';
    const target = targetOf(url);
    const { host = '' } = headers;
    if (target === undefined || hasHosts(incoming) || !(hostForm.test(host) || (host === '' && !mayCut))) {
      send(this.#refusal('the address or the Host of the request is malformed'), outgoing);
      return;
    }
    // Most answers are made before anybody asks whether their client is still there.
    let gone: AbortController | undefined;
    const signal = (): AbortSignal => {
      if (gone === undefined) outgoing.on('close', signal);
      gone ??= new AbortController();
      if (outgoing.closed && !outgoing.writableFinished) gone.abort();
      return gone.signal;
    };
    const { path, query } = target;
    const header = (name: string) => headers[name]?.toString();
    const request = { method, path, query, header, mayCut, signal };
    void this.#options.handler(request).then((reply) => send(reply, outgoing));
  }

  /** Refuses what Node's parser does not read, after the answers in progress; ends the connection. */
  #refuse(socket: Duplex, detail: string, kind: RefusalKind, isHead = false): void {
    const latest = this.#connections.get(socket);
    if (!socket.writable || this.#ending.has(socket)) return;
    this.#ending.add(socket);
    if (latest?.closed === false) latest.once('close', () => this.#end(socket));
    // A request whose body breaks has its answer.
    else if (latest?.req.complete === false) this.#end(socket);
    else {
      const { status, headers, body } = this.#refusal(detail, kind);
      const shown = isHead ? { ...headers, 'Content-Length': '0' } : headers;
      const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}\r\n`);
      const [text] = isHead ? [''] : body;
      socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
      this.#end(socket);
    }
  }

  #refusal(detail: string, kind: RefusalKind = 'validation-error') {
    const { log, publicUrl = '' } = this.#options;
    const requestId = newRequestId(new Date());
    const problem = new Problem(kind, detail, { requestId, instance: '/' });
    const { status } = problem;
    const body = JSON.stringify(problem.toDocument(`${publicUrl}/errors`));
    log.info({ request_id: requestId, route: null, status });
    const headers = {
      'Content-Type': 'application/problem+json',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      Connection: 'close',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    };
    return { status, headers, body: [body] };
  }
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

type RefusalKind = 'header-fields-too-large' | 'method-not-allowed' | 'validation-error';

function send({ status, headers, body = [], sent }: WireReply, outgoing: ServerResponse): void {
  if (outgoing.closed || outgoing.destroyed) {
    sent?.('nothing');
    return;
  }
  let isSent = false;
  outgoing.on('finish', () => {
    // Node also finishes an answer whose connection was cut.
    isSent = !outgoing.req.socket.destroyed;
  });
  outgoing.on('close', () => sent?.(isSent ? 'all' : 'part'));
  outgoing.writeHead(status, headers);
  const shown = outgoing.req.method === 'HEAD' ? [] : body;
  if (isWhole(shown)) {
    outgoing.cork();
    for (const part of shown) outgoing.write(part);
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  // A failure of the body destroys the connection, so no client takes a part for all.
  pipeline(Readable.from(shown), outgoing, () => undefined);
}

const hostForm = /^(\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]{0,254})(:\d{1,5})?$/i;

/** Tells whether a request has several hosts, of which a proxy may believe another than Node does. */
function hasHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
}

/** A target that a URL parser leaves as it is, in a hundredth of the time. */
const plainTarget = /^(\/[\w/:~-]*)(?:\?([\w&=,.:~%+*-]*))?$/;

/** Reads the target of a request line, normalised by a URL parser; undefined if it is invalid. */
export function targetOf(text: string): { readonly path: string; readonly query: string } | undefined {
  const [, plain, plainQuery = ''] = plainTarget.exec(text) ?? [];
  if (plain !== undefined) return { path: plain, query: plainQuery };
  const whole = text.startsWith('/') ? `http://localhost${text}` : text;
  const [path = ''] = whole.split('?', 1);
  if (!/^https?:\/\//.test(path) || path.includes('\\') || !URL.canParse(whole)) return undefined;
  const { pathname, search } = new URL(whole);
  return { path: pathname, query: search.slice(1) };
}
