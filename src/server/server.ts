// Why: docs/decisions/connections.md
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, finished, pipeline, Readable } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { systemProblem } from '../errors/system-errors.ts';
import { newRequestId } from '../service/service.ts';
import { type Handler, type Log, longestTarget, type Sending, type WireReply } from './respond.ts';

/** Milliseconds after which a server gives up waiting. */
const defaultTimeouts = {
  /** For the headers of a request, even on a silent connection. */
  headers: 10_000,
  request: 20_000,
  /** For a client that does not read its answer. */
  reader: 30_000,
  /** For the next request on a connection. */
  idle: 65_000,
  /** For a client to close its side after the last answer. */
  closing: 2_000,
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
  readonly #connections = new Map<Duplex, ClientConnection>();
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
      this.#connections.set(socket, new ClientConnection(socket, this.#timeouts.closing));
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#answerRequests();
    this.#answerConnectionsWithoutRequest();
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
   * Accepts no more connections after a notice, and closes idle ones at once.
   * Answers requests on other connections, even one still on its way on a new connection, and then closes them.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await delay(this.#timeouts.notice);
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
    const isWaiting = this.#connections.get(socket)?.isWaiting === true && socket.writableLength === 0;
    if (isWaiting) socket.setTimeout(this.#timeouts.reader);
    else socket.destroy();
  }

  #disconnect(isOver: (socket: Socket) => boolean): void {
    for (const { socket } of this.#connections.values()) if (isOver(socket)) socket.destroy();
  }

  #answerRequests(): void {
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      if (this.#connections.get(incoming.socket)?.begin(incoming, outgoing) !== true) return;
      if (this.#isStopping) outgoing.setHeader('Connection', 'close');
      const hosts = incoming.headersDistinct.host?.length ?? 0;
      if (hosts === 0 && incoming.httpVersion === '1.1')
        this.#refuse(outgoing, { status: 400, detail: 'the Host header is missing' });
      // A proxy may believe another of them than Node does.
      else if (hosts > 1) this.#refuse(outgoing, { status: 400, detail: 'the Host header is sent twice' });
      else void this.#answer(incoming, outgoing);
    };
    this.#server.on('request', answer);
    // Bodies are refused, so no client is told to continue with one.
    this.#server.on('checkContinue', answer);
    this.#server.on('checkExpectation', (incoming, outgoing) => {
      if (this.#connections.get(incoming.socket)?.begin(incoming, outgoing) !== true) return;
      this.#refuse(outgoing, { status: 417, detail: 'this service meets no expectations' });
    });
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '', headers } = incoming;
    const target = targetOf(url, headers.host);
    if (target === undefined)
      return this.#refuse(outgoing, { status: 400, detail: 'the address of the request is malformed' });
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    const header = (name: string) => headers[name]?.toString();
    const request = { method, ...target, header, signal: gone.signal };
    send(await this.#options.handler(request, sendingOf(incoming, outgoing)), outgoing);
  }

  #answerConnectionsWithoutRequest(): void {
    this.#server.on('connect', (_incoming, socket) => {
      // Node no longer handles this socket's errors and timeouts, and an unhandled error ends the process.
      for (const event of ['error', 'timeout']) socket.on(event, () => socket.destroy());
      const refused = { status: 405, detail: 'this service is read-only: use GET or HEAD' };
      this.#connections.get(socket)?.endWith(() => this.#message(refused, 'CONNECT'));
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const connection = this.#connections.get(socket);
      const malformed = malformedRequest(error, connection?.socket.bytesRead ?? 0);
      if (connection === undefined || malformed === undefined) socket.destroy();
      // A request has one answer, and nothing follows an answer that closes the connection.
      else if (connection.isInBody || error.code === 'HPE_CLOSED_CONNECTION') connection.endWith();
      else connection.endWith(() => this.#message(malformed, error.code ?? error.name));
    });
  }

  #refuse(outgoing: ServerResponse, malformed: MalformedRequest): void {
    const { headers, body } = this.#refusal(malformed);
    outgoing.writeHead(malformed.status, headers).end(body);
  }

  #message(malformed: MalformedRequest, reason: string): string {
    const { headers, body } = this.#refusal(malformed, { reason });
    const { status, bodiless } = malformed;
    const shown = bodiless === true ? { ...headers, 'Content-Length': '0' } : headers;
    const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${bodiless === true ? '' : body}`;
  }

  #refusal({ status, detail, path: instance = '/' }: MalformedRequest, logged: object = {}) {
    const { log, publicUrl = '' } = this.#options;
    const requestId = newRequestId(new Date());
    const isInvalid = status === 400;
    const body = JSON.stringify({
      type: isInvalid ? `${publicUrl}/errors/validation-error` : 'about:blank',
      title: isInvalid ? 'Validation Error' : STATUS_CODES[status],
      ...{ status, detail, instance, request_id: requestId },
    });
    log.info({ request_id: requestId, route: null, status, ...logged });
    const headers = {
      'Content-Type': 'application/problem+json',
      'Content-Length': String(Buffer.byteLength(body)),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      Connection: 'close',
      ...(status === 405 && { Allow: 'GET, HEAD' }),
    };
    return { headers, body };
  }
}

/** A connection: its unanswered requests, and its end after their answers. */
class ClientConnection {
  readonly socket: Socket;
  readonly #linger: number;
  #unanswered = 0;
  #latest?: IncomingMessage;
  #isEnding = false;
  #isClosing = false;
  #last = () => '';

  constructor(socket: Socket, linger: number) {
    this.socket = socket;
    this.#linger = linger;
    // Node emits this event to close a connection after an answer that says so.
    socket.destroySoon = () => this.#close();
  }

  /** Counts a request until its answer is sent; false if the connection ends without that answer. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    if (this.#isEnding) return false;
    this.#unanswered += 1;
    this.#latest = incoming;
    outgoing.once('close', () => {
      this.#unanswered -= 1;
      if (this.#isEnding && this.#unanswered === 0) this.#close(this.#last);
    });
    return true;
  }

  get isWaiting(): boolean {
    return this.#unanswered > 0;
  }

  /** Tells whether the latest request's body is still arriving, so that unparsable bytes are a part of it. */
  get isInBody(): boolean {
    return this.#latest?.complete === false;
  }

  /** Sends the answers in progress, in order, then the result of `last`, and closes; only the first call counts. */
  endWith(last = () => ''): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#last = last;
    if (this.#unanswered === 0) this.#close(last);
  }

  /**
   * Ends the connection after everything written to it.
   * Drops what the client still sends, for a while: closing with unread bytes resets the connection,
   * and the client would lose what it has not read.
   */
  #close(last = () => ''): void {
    this.#isEnding = true;
    if (this.#isClosing) return;
    this.#isClosing = true;
    const { socket } = this;
    if (socket.writable) socket.end(last());
    finished(socket, { readable: false }, () => setTimeout(() => socket.destroy(), this.#linger).unref());
    socket.resume();
  }
}

function send({ status, headers, body }: WireReply, outgoing: ServerResponse): void {
  outgoing.writeHead(status, headers);
  if (typeof body !== 'object' || Buffer.isBuffer(body)) {
    outgoing.end(body);
    return;
  }
  outgoing.flushHeaders();
  // A failure of the body destroys the connection, so no client takes a part for all.
  pipeline(Readable.from(body), outgoing, () => undefined);
}

/** Returns how an answer is sent; in HTTP/1.0, a cut connection looks like a normal end. */
function sendingOf(incoming: IncomingMessage, outgoing: ServerResponse): Sending {
  return {
    mayCut: incoming.httpVersion === '1.1',
    ended(note) {
      if (outgoing.closed || outgoing.destroyed) return note('nothing');
      let isWhole = false;
      outgoing.once('finish', () => {
        // Node also finishes an answer whose connection was cut.
        isWhole = !incoming.socket.destroyed;
      });
      outgoing.once('close', () => note(isWhole ? 'all' : 'part'));
    },
  };
}

type RequestTarget = { readonly path: string; readonly query: string };

/** Characters that a URL parser does not change. */
const plain = /^\/[!$&-;=?-[\]_a-z~]*$/;
const dotSegment = /\/\.\.?(?:[/?]|$)/;

/**
 * Reads the target of a request line, normalised by a URL parser if it has dot segments or unusual characters.
 * Returns undefined if the target or the host is invalid.
 */
export function targetOf(text: string, host: string | undefined): RequestTarget | undefined {
  const isAbsolute = /^https?:\/\//.test(text);
  const [path = ''] = text.split('?', 1);
  if (path.includes('\\') || (!isAbsolute && (!path.startsWith('/') || !isHost(host)))) return undefined;
  if (!isAbsolute && plain.test(text) && !dotSegment.test(text))
    return { path, query: text.slice(path.length + 1) };
  const whole = isAbsolute ? text : `http://localhost${text}`;
  if (!URL.canParse(whole)) return undefined;
  const { pathname, search } = new URL(whole);
  return { path: pathname, query: search.slice(1) };
}

function isHost(host = ''): boolean {
  if (/^[\w.-]*(?::\d{1,4})?$/.test(host)) return true;
  const url = `http://${host}`;
  return URL.canParse(url) && new URL(url).hostname === host.replace(/:\d*$/, '').toLowerCase();
}

type MalformedRequest = {
  readonly status: number;
  readonly detail: string;
  readonly path?: string;
  /** True if the answer has no body: to HEAD, or to an unknown method. */
  readonly bodiless?: boolean;
};

/**
 * Reads a malformed request from an error of Node's parser, on a connection with `bytesRead` bytes read.
 * Returns undefined if the client is gone.
 */
function malformedRequest(error: Error, bytesRead: number): MalformedRequest | undefined {
  const { code = '', rawPacket, bytesParsed } = error as ParserError;
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined;
  const { length, method, path } = requestLine(rawPacket, bytesParsed);
  // Of several packets the parser shows the last, which lacks the method or is only the end of the request.
  const mayBegin = bytesRead === (rawPacket?.length ?? 0) || METHODS.includes(method ?? '');
  const where = {
    ...(path !== undefined && { path }),
    bodiless: mayBeHead(rawPacket) || !mayBegin,
  };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, detail: 'the request did not arrive in time', ...where };
  if (code !== 'HPE_HEADER_OVERFLOW')
    return { status: 400, detail: 'this is not a valid HTTP request', ...where };
  if (length > longestTarget)
    return { status: 414, detail: 'the address of the request is too long', ...where, path: '/' };
  return { status: 431, detail: 'the headers of the request are too long', ...where };
}

/** Tells whether a packet has a HEAD request; the parser does not show which one is broken. */
function mayBeHead(packet: Buffer | undefined): boolean {
  return /^HEAD /m.test(packet?.toString('latin1') ?? '');
}

type ParserError = { readonly code?: string; readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/**
 * Finds the line of the request in which the parser stopped; earlier requests may precede it in the packet.
 * A packet without a request line belongs to the headers.
 */
function requestLine(
  packet: Buffer = Buffer.alloc(0),
  stopped = 0,
): { readonly length: number; readonly method?: string; readonly path?: string } {
  const text = packet.toString('latin1');
  const others = [...text.slice(0, stopped).matchAll(/\n\r?\n/g)].at(-1);
  const start = others === undefined ? 0 : others.index + others[0].length;
  const [line = ''] = text.slice(start).split('\n', 1);
  const [, method, path] = /^([A-Z]+) (\/[^ ?#\r]*)/.exec(line) ?? [];
  return method === undefined || path === undefined ? { length: 0 } : { length: line.length, method, path };
}
